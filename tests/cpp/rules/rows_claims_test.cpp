// Abgekuerztes Spiel, infractions and settlement by claim row by row (RULES E.5, E.6, G.5).
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "env/game/game.h"
#include "tests/cpp/support/table_notation.h"

namespace schafkopf {
namespace {

using notation::kAllPass;
using notation::kDeal;
using notation::NotedTable;
using notation::payoffs;

// Seat 0 has the eight highest trumps.
const char* const kTopDeal =
    "EO GO HO SO EU GU HU SU | EA E10 EK E9 E8 E7 HA H7 |"
    " GA G10 GK G9 G8 G7 H10 H8 | SA S10 SK S9 S8 S7 HK H9";
const char* const kOf0 = "0:PLAY 1:PASS 2:PASS 3:PASS ";
const std::string kRufNamed = "0:C_RUF 0:SA ", kSoloNamed = "0:C_SOLO 0:SUIT_H ";

Lines claims_and(Lines lines = {}) {
  lines.push_back("claims_enabled = true");
  lines.push_back("kontra_window = \"off\"");
  return lines;
}

/// Seat 0 plays; what happens then.
NotedTable claimed(const std::string& actions, const std::string& hands = kDeal,
                   const Lines& lines = {}) {
  NotedTable table(claims_and(lines), hands);
  table.play(kOf0 + actions);
  return table;
}

// ---- the rest is conceded ----

// 000 3.4: at any own turn; the rest may be claimed on lead only.
TEST(ClaimRows, R_125_R_126_conceding_at_every_turn_and_claiming_on_lead) {
  NotedTable table = claimed(kSoloNamed);
  EXPECT_EQ(table.asks(), "0 PLAY: E9 EU EO H9 HO HA S8 S9 CLAIM_REST CONCEDE_REST");
  table.play("0:EO");
  EXPECT_EQ(table.asks(), "1 PLAY: H7 SU CONCEDE_REST");
  EXPECT_EQ(legal_actions(table.game.view(1).cards), table.game.legal_actions());
  EXPECT_TRUE(legal_actions(table.game.view(2).cards).empty());
  NotedTable off({"claims_enabled = false", "kontra_window = \"off\""}, kDeal);
  off.play(kOf0 + kSoloNamed);
  EXPECT_EQ(off.asks(), "0 PLAY: E9 EU EO H9 HO HA S8 S9");
}

TEST(ClaimRows, R_125_the_running_trick_and_all_others_go_to_the_opponents) {
  EXPECT_EQ(payoffs(claimed(kSoloNamed + "0:CONCEDE_REST")), "-210 70 70 70") << "Schwarz";
  const std::string trick = "0:EO 1:H7 2:HK 3:H8 ";
  const NotedTable one = claimed(kSoloNamed + trick + "0:CONCEDE_REST");
  EXPECT_EQ(one.asks(), "done");
  EXPECT_EQ(one.game.outcome().points[0], 3 + 4);
  EXPECT_EQ(one.game.outcome().tricks[0], 1);
  EXPECT_EQ(payoffs(one), "-180 60 60 60") << "Schneider, not Schwarz";
  const NotedTable defender = claimed(kSoloNamed + trick + "0:HO 1:SU 2:CONCEDE_REST");
  EXPECT_EQ(defender.game.outcome().points[0], kTotalPoints);
  EXPECT_EQ(payoffs(defender), "210 -70 -70 -70");
  const NotedTable kept = claimed(kSoloNamed + "0:E9 1:EA 2:E7 3:H8 3:S7 0:S9 1:CONCEDE_REST");
  EXPECT_EQ(kept.game.outcome().points[0], kTotalPoints - 11);
  EXPECT_EQ(payoffs(kept), "180 -60 -60 -60") << "what is in a trick stays";
}

// E.5: even if the partner would still have won a trick.
TEST(ClaimRows, R_125_conceding_costs_the_partner_his_tricks_too) {
  EXPECT_EQ(payoffs(claimed(kRufNamed + "0:CONCEDE_REST")), "-30 30 30 -30")
      << "SA is lost with it";
  EXPECT_EQ(payoffs(claimed(kRufNamed + "0:EO 1:CONCEDE_REST")), "30 -30 -30 30");
  const NotedTable table = claimed(kRufNamed + "0:S9 1:E10 2:E7 3:SA 3:CONCEDE_REST");
  EXPECT_EQ(table.game.outcome().points[3], 21);
  EXPECT_EQ(payoffs(table), "-20 20 20 -20");
}

// OPEN-52
TEST(ClaimRows, R_125_R_126_neither_in_ramsch_nor_in_negative_games) {
  NotedTable ramsch(claims_and({"all_pass = \"ramsch\""}), kDeal);
  ramsch.play(kAllPass);
  EXPECT_EQ(ramsch.asks(), "0 PLAY: E9 EU EO H9 HO HA S8 S9");
  const Lines lines = {
      "contracts = [\"RUF\", \"SOLO\", \"BETTEL\", \"BETTEL_BRETT\", \"RAMSCH_TOUT\", "
      "\"BETTEL_MIX\"]"};
  for (const char* name : {"C_BETTEL", "C_BETTEL_BRETT", "C_RAMSCH_TOUT", "C_BETTEL_MIX"}) {
    const NotedTable table = claimed(std::string("0:") + name, kDeal, lines);
    EXPECT_EQ(table.asks(), "0 PLAY: E9 EU EO H9 HO HA S8 S9") << name;
  }
}

// ---- the rest is claimed ----

TEST(ClaimRows, R_126_a_true_claim_takes_everything) {
  const NotedTable solo = claimed("0:C_SOLO 0:SUIT_E 0:CLAIM_REST", kTopDeal);
  EXPECT_EQ(solo.asks(), "done");
  EXPECT_EQ(payoffs(solo), "450 -150 -150 -150") << "50 + 10 + 10 + 8 x 10";
  const NotedTable tout = claimed("0:C_SOLO_TOUT 0:SUIT_E 0:CLAIM_REST", kTopDeal);
  EXPECT_EQ(payoffs(tout), "780 -260 -260 -260") << "(50 + 8 x 10) x 2";
}

TEST(ClaimRows, R_126_a_false_claim_loses_everything_that_is_left) {
  EXPECT_EQ(payoffs(claimed(kSoloNamed + "0:CLAIM_REST")), "-210 70 70 70");
  EXPECT_EQ(payoffs(claimed("0:C_SOLO_TOUT 0:SUIT_H 0:CLAIM_REST")), "-300 100 100 100");
  EXPECT_EQ(payoffs(claimed(kSoloNamed + "0:EO 1:H7 2:HK 3:H8 0:CLAIM_REST")), "-180 60 60 60")
      << "the first trick stays";
}

/// Whether a claim by `leader` with these last cards is true: its party gets all of them or none.
bool holds(const Contract& contract, const std::string& hands, int leader, int window = 1) {
  const Lines lines = claims_and({"called_discard_window = " + std::to_string(window)});
  NotedTable table(lines, notation::endgame(contract, hands, leader, 2));
  const int left = table.game.hand(leader).count();
  const bool declarers = ((table.game.declarer_party() >> leader) & 1) != 0;
  const int before = declarers ? 0 : 8 - left;  // seat 2 has the tricks so far
  table.play("CLAIM_REST");
  const Outcome outcome = table.game.outcome();
  int after = 0;
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    if ((((outcome.declarer_party >> seat) & 1) != 0) == declarers) after += outcome.tricks[seat];
  }
  EXPECT_TRUE(after == before || after == before + left) << hands << ": all or nothing";
  return after == before + left;
}

Contract herz_single(ContractClass contract) {
  return {.contract = contract, .suit = Suit::kHerz, .declarer = 0};
}

// OPEN-51: some order of play wins every trick against every reply.
TEST(ClaimRows, R_126_an_order_that_wins_against_every_reply_must_exist) {
  const Contract solo = herz_single(ContractClass::kSolo), wenz = herz_single(ContractClass::kWenz);
  EXPECT_TRUE(holds(solo, "EO EA | E10 H7 | G7 G8 | S7 S8", 0)) << "first the trump is drawn";
  EXPECT_TRUE(holds(solo, "EO HO | GO GA | G7 G8 | S7 S8", 0));
  EXPECT_FALSE(holds(solo, "EO HO | GO SO | G7 G8 | S7 S8", 0));
  EXPECT_FALSE(holds(solo, "EO E10 | EA H7 | G7 G8 | S7 S8", 0));
  EXPECT_FALSE(holds(solo, "EO EA | H7 H8 | G7 G8 | S7 S8", 0)) << "one trump is left to ruff";
  EXPECT_TRUE(holds(wenz, "HU EA | SU E7 | G7 G8 | S7 S8", 0));
  EXPECT_FALSE(holds(wenz, "SU EA | HU E10 | G7 G8 | S7 S8", 0));
  EXPECT_TRUE(holds(wenz, "EA EK | E9 EO | E8 E7 | E10 S8", 0)) << "the Ten falls under the ace";
  EXPECT_FALSE(holds(wenz, "EA EK | E9 EO | E8 E7 | E10 SU", 0));
}

// E.5: the claimer himself, and his partner may reply as he likes.
TEST(ClaimRows, R_126_tricks_of_the_partner_do_not_count) {
  const Contract solo = herz_single(ContractClass::kSolo);
  EXPECT_TRUE(holds(solo, "G7 G8 | EA SA | E7 S7 | E8 S8", 1));
  EXPECT_FALSE(holds(solo, "G7 H7 | EA SA | E7 S7 | E8 S8", 1)) << "the soloist ruffs";
  EXPECT_FALSE(holds(solo, "G7 G8 | EA S10 | E7 SA | E8 S8", 1)) << "SA is the partner's";
  EXPECT_FALSE(holds(solo, "G7 G8 | EA S10 | G9 SA | E8 S8", 1)) << "who need not throw it away";
}

// OPEN-51: under the duties of the called ace; the parties need not be known.
TEST(ClaimRows, R_126_the_owner_of_the_called_ace_is_bound_to_his_duties) {
  const Contract ruf = {
      .contract = ContractClass::kRuf, .called = parse_card("SA").value(), .declarer = 0};
  const std::string kept = "E10 S9 | EA G10 | E9 S8 | SA GA";
  EXPECT_TRUE(holds(ruf, kept, 1, 1)) << "SA stays in the hand, so GA must go on EA";
  EXPECT_FALSE(holds(ruf, kept, 1, 2)) << "SA may go, and GA beats G10";
  EXPECT_FALSE(holds(ruf, "S10 EO | G7 G8 | G9 GK | SA H7", 0)) << "SA is searched";
  EXPECT_TRUE(holds(ruf, "S9 E9 | S8 G8 | G9 GK | SA SK", 3)) << "SA first, then SK";
  EXPECT_FALSE(holds(ruf, "S9 E9 | S8 G8 | S10 S7 | SA SK", 3));
}

// ---- infractions ----

/// Payoffs after an infraction, "goes on" if the deal does not end by it.
std::string after(const NotedTable& table, int seat, Infraction infraction) {
  NotedTable copy = table;
  copy.game.infract(seat, infraction);
  if (copy.game.is_terminal()) return payoffs(copy);
  EXPECT_EQ(copy.asks(), table.asks());
  return "goes on";
}

NotedTable played_so(const std::string& actions, const Lines& lines = {}) {
  NotedTable table({"kontra_window = \"off\""}, kDeal);
  if (!lines.empty()) {
    Lines all = lines;
    all.push_back("kontra_window = \"off\"");
    table = NotedTable(all, kDeal);
  }
  table.play(actions);
  return table;
}

const char* const kOneTrick = "0:EO 1:H7 2:HK 3:H8 ";  // 7 points of seat 0

// 000 3.1.2: the offenders keep what they have, the rest goes to the others.
TEST(ClaimRows, R_127_a_wrong_lead_gives_the_rest_away) {
  const NotedTable table = played_so(kOf0 + kRufNamed + kOneTrick);
  EXPECT_EQ(after(table, 0, Infraction::kWrongLead), "-20 20 20 -20") << "7 points";
  EXPECT_EQ(after(table, 3, Infraction::kWrongLead), "-20 20 20 -20");
  EXPECT_EQ(after(table, 1, Infraction::kWrongLead), "30 -30 -30 30") << "no trick";
  EXPECT_EQ(after(table, 2, Infraction::kWrongLead), "30 -30 -30 30");
}

// OPEN-56
TEST(ClaimRows, R_127_R_128_the_unfinished_trick_goes_to_the_opponents) {
  const NotedTable table = played_so(kOf0 + kRufNamed + kOneTrick + "0:HO 1:SU");
  NotedTable offended = table;
  offended.game.infract(0, Infraction::kRevoke);
  EXPECT_EQ(offended.game.outcome().points[0], 7);
  EXPECT_EQ(offended.game.outcome().tricks[0], 1);
  EXPECT_EQ(payoffs(offended), "-20 20 20 -20");
  EXPECT_EQ(after(table, 2, Infraction::kRevoke), "30 -30 -30 30");
}

// 000 3.2.6: noticed later it is Schwarz, whatever the offenders have.
TEST(ClaimRows, R_128_a_revoke_costs_more_when_it_is_noticed_late) {
  const NotedTable table = played_so(kOf0 + kRufNamed + "0:E9 1:EA 2:E7 3:S7");
  EXPECT_EQ(after(table, 1, Infraction::kRevoke), "20 -20 -20 20") << "11 points in one trick";
  EXPECT_EQ(after(table, 1, Infraction::kRevokeLate), "30 -30 -30 30");
  EXPECT_EQ(after(table, 0, Infraction::kRevokeLate), "-30 30 30 -30");
}

// 000 3.2.7
TEST(ClaimRows, R_129_a_wrong_number_of_cards_loses_schwarz) {
  const NotedTable table = played_so(kOf0 + kRufNamed + kOneTrick);
  EXPECT_EQ(after(table, 3, Infraction::kCardCount), "-30 30 30 -30");
  EXPECT_EQ(after(table, 2, Infraction::kCardCount), "30 -30 -30 30");
  EXPECT_EQ(after(table, 2, Infraction::kTalk), "goes on") << "no sanction is stated";
}

// 002, 003, OPEN-53
TEST(ClaimRows, R_130_under_game_loss_every_infraction_loses_the_simple_game) {
  const Lines lines = {"infraction_policy = \"game_loss\""};
  const NotedTable ruf = played_so(kOf0 + kRufNamed + kOneTrick, lines);
  const NotedTable solo = played_so(kOf0 + kSoloNamed + kOneTrick, lines);
  for (const Infraction infraction :
       {Infraction::kWrongLead, Infraction::kRevoke, Infraction::kRevokeLate,
        Infraction::kCardCount, Infraction::kTalk}) {
    EXPECT_EQ(after(ruf, 1, infraction), "10 -10 -10 10");
    EXPECT_EQ(after(ruf, 3, infraction), "-10 10 10 -10");
    EXPECT_EQ(after(solo, 0, infraction), "-150 50 50 50");
    EXPECT_EQ(after(solo, 2, infraction), "150 -50 -50 -50");
  }
}

// 004: the offender alone pays, his partner gets his share too (OPEN-55).
TEST(ClaimRows, R_131_verspielt_at_the_tournament) {
  const Lines lines = {"infraction_policy = \"tournament\"", "tariff = \"tournament_2024\"",
                       "all_pass = \"ramsch\""};
  const NotedTable ruf = played_so(kOf0 + kRufNamed + kOneTrick, lines);
  EXPECT_EQ(after(ruf, 0, Infraction::kRevokeLate), "-30 10 10 10");
  EXPECT_EQ(after(ruf, 2, Infraction::kRevokeLate), "10 10 -30 10");
  const NotedTable solo = played_so(kOf0 + kSoloNamed + kOneTrick, lines);
  EXPECT_EQ(after(solo, 0, Infraction::kRevokeLate), "-60 20 20 20");
  EXPECT_EQ(after(solo, 1, Infraction::kRevokeLate), "20 -60 20 20");
  const NotedTable ramsch = played_so(std::string(kAllPass) + " " + kOneTrick, lines);
  EXPECT_EQ(after(ramsch, 3, Infraction::kRevokeLate), "10 10 10 -30");
  EXPECT_EQ(after(ruf, 1, Infraction::kRevoke), "goes on") << "corrected at once";
  EXPECT_EQ(after(ruf, 1, Infraction::kTalk), "goes on") << "up to the Spielleitung";
  EXPECT_EQ(after(ruf, 1, Infraction::kWrongLead), "30 -30 -30 30") << "as official";
  EXPECT_EQ(after(ruf, 1, Infraction::kCardCount), "30 -30 -30 30");
}

TEST(ClaimRows, R_131_verspielt_has_no_multipliers) {
  NotedTable table({"infraction_policy = \"tournament\"", "tariff = \"tournament_2024\""}, kDeal);
  table.play(kOf0 + kRufNamed + "0:EO 1:DOUBLE 3:NO_DOUBLE 0:NO_DOUBLE");
  EXPECT_EQ(after(table, 1, Infraction::kRevokeLate), "10 -30 10 10");
  EXPECT_EQ(after(table, 1, Infraction::kWrongLead), "60 -60 -60 60");
}

// OPEN-54, OPEN-56
TEST(ClaimRows, R_127_R_128_offenders_lose_a_bettel_a_tout_and_a_ramsch) {
  const Lines lines = {"contracts = [\"RUF\", \"SOLO\", \"BETTEL\"]", "all_pass = \"ramsch\""};
  const NotedTable bettel = played_so(kOf0 + std::string("0:C_BETTEL 0:E9"), lines);
  const NotedTable tout = played_so(kOf0 + std::string("0:C_SOLO_TOUT 0:SUIT_H 0:EO"), lines);
  const NotedTable ramsch = played_so(std::string(kAllPass) + " " + kOneTrick, lines);
  for (const Infraction infraction :
       {Infraction::kWrongLead, Infraction::kRevoke, Infraction::kRevokeLate}) {
    EXPECT_EQ(after(bettel, 0, infraction), "-90 30 30 30");
    EXPECT_EQ(after(bettel, 1, infraction), "90 -30 -30 -30");
    EXPECT_EQ(after(tout, 0, infraction), "-300 100 100 100");
    EXPECT_EQ(after(tout, 3, infraction), "300 -100 -100 -100");
    EXPECT_EQ(after(ramsch, 2, infraction), "20 20 -60 20");
  }
}

TEST(ClaimRows, R_127_infractions_are_of_card_play) {
  NotedTable table({}, kDeal);
  EXPECT_THROW(table.game.infract(0, Infraction::kWrongLead), std::invalid_argument);
  EXPECT_EQ(table.asks(), "0 AUCTION_ROUND: PASS PLAY");
  table.play(kAllPass);
  EXPECT_THROW(table.game.infract(0, Infraction::kWrongLead), std::invalid_argument);
}

// ---- settlement by claim ----

const std::string kAskLaufende =
    " CLAIM_SETTLE: CLAIM_LAUFENDE_0 CLAIM_LAUFENDE_1 CLAIM_LAUFENDE_2 CLAIM_LAUFENDE_3 "
    "CLAIM_LAUFENDE_4 CLAIM_LAUFENDE_5 CLAIM_LAUFENDE_6 CLAIM_LAUFENDE_7 CLAIM_LAUFENDE_8 "
    "CLAIM_LAUFENDE_9 CLAIM_LAUFENDE_10 CLAIM_LAUFENDE_11 CLAIM_LAUFENDE_12 CLAIM_LAUFENDE_13 "
    "CLAIM_LAUFENDE_14";
const Lines kByClaim = {"laufende_by_claim = true"};

// 000 A2 2.1-2.3: eight are right; too few stand, too many are paid back double.
TEST(ClaimRows, R_165_R_166_laufende_are_paid_as_claimed) {
  const NotedTable table = claimed("0:C_SOLO 0:SUIT_E 0:CLAIM_REST", kTopDeal, kByClaim);
  EXPECT_EQ(table.asks(), "0" + kAskLaufende);
  const std::vector<std::pair<int, std::string>> cases = {{8, "450 -150 -150 -150"},
                                                          {0, "210 -70 -70 -70"},
                                                          {3, "300 -100 -100 -100"},
                                                          {10, "390 -130 -130 -130"},
                                                          {14, "270 -90 -90 -90"}};
  for (const auto& [number, expected] : cases) {
    NotedTable claim = table;
    claim.play("0:CLAIM_LAUFENDE_" + std::to_string(number));
    EXPECT_EQ(claim.asks(), "done");
    EXPECT_EQ(payoffs(claim), expected) << number << " claimed";
  }
}

// Who wins without Laufende and claims some pays for them.
TEST(ClaimRows, R_166_an_over_claim_can_cost_more_than_the_game) {
  const std::vector<std::pair<int, std::string>> cases = {
      {0, "30 -30 -30 30"}, {3, "0 0 0 0"}, {5, "-20 20 20 -20"}};
  for (const auto& [number, expected] : cases) {
    NotedTable table = claimed(kRufNamed + "0:EO 1:CONCEDE_REST", kDeal, kByClaim);
    table.play("0:CLAIM_LAUFENDE_" + std::to_string(number));
    EXPECT_EQ(payoffs(table), expected) << number << " claimed";
  }
}

// OPEN-64
TEST(ClaimRows, R_165_the_declarer_claims_or_the_next_winner_after_him) {
  EXPECT_EQ(claimed(kRufNamed + "0:CONCEDE_REST", kDeal, kByClaim).asks(), "1" + kAskLaufende);
  EXPECT_EQ(claimed(kRufNamed + "0:EO 1:CONCEDE_REST", kDeal, kByClaim).asks(), "0" + kAskLaufende);
  NotedTable solo(claims_and(kByClaim), kDeal);
  solo.play("0:PASS 1:PASS 2:PLAY 3:PASS 2:C_SOLO 2:SUIT_G 0:EO 1:GA 2:CONCEDE_REST");
  EXPECT_EQ(solo.asks(), "3" + kAskLaufende);
}

// 002, 003: Schneider is paid unasked, Schwarz is not.
TEST(ClaimRows, R_167_schwarz_is_paid_if_it_is_claimed) {
  const Lines lines = {"schwarz_by_claim = true"};
  NotedTable table = claimed("0:C_SOLO 0:SUIT_E 0:CLAIM_REST", kTopDeal, lines);
  EXPECT_EQ(table.asks(), "0 CLAIM_SETTLE: CLAIM_SCHWARZ CLAIM_NO_SCHWARZ");
  NotedTable forgotten = table;
  table.play("0:CLAIM_SCHWARZ");
  EXPECT_EQ(payoffs(table), "450 -150 -150 -150");
  forgotten.play("0:CLAIM_NO_SCHWARZ");
  EXPECT_EQ(payoffs(forgotten), "420 -140 -140 -140") << "Schneider all the same";
}

// G.5: the same rule as for Laufende.
TEST(ClaimRows, R_167_a_wrong_schwarz_is_paid_back) {
  NotedTable table =
      claimed(kRufNamed + kOneTrick + "0:CONCEDE_REST", kDeal, {"schwarz_by_claim = true"});
  EXPECT_EQ(table.asks(), "1 CLAIM_SETTLE: CLAIM_SCHWARZ CLAIM_NO_SCHWARZ");
  NotedTable right = table;
  right.play("1:CLAIM_NO_SCHWARZ");
  EXPECT_EQ(payoffs(right), "-20 20 20 -20");
  table.play("1:CLAIM_SCHWARZ");
  EXPECT_EQ(payoffs(table), "-10 10 10 -10");
}

TEST(ClaimRows, R_165_R_167_laufende_first_then_schwarz) {
  NotedTable table = claimed("0:C_SOLO 0:SUIT_E 0:CLAIM_REST", kTopDeal,
                             {"laufende_by_claim = true", "schwarz_by_claim = true"});
  EXPECT_EQ(table.asks(), "0" + kAskLaufende);
  table.play("0:CLAIM_LAUFENDE_8");
  EXPECT_EQ(table.asks(), "0 CLAIM_SETTLE: CLAIM_SCHWARZ CLAIM_NO_SCHWARZ");
  table.play("0:CLAIM_NO_SCHWARZ");
  EXPECT_EQ(payoffs(table), "420 -140 -140 -140");
}

TEST(ClaimRows, R_165_nothing_is_claimed_where_nothing_counts) {
  const Lines lines = {"laufende_by_claim = true", "schwarz_by_claim = true",
                       "contracts = [\"RUF\", \"SOLO\", \"BETTEL\"]", "kontra_window = \"off\""};
  NotedTable bettel(lines, kDeal);
  bettel.play(kOf0 + std::string("0:C_BETTEL 0:EO 1:EK 2:E8 3:S7 1:GA 2:G9 3:G7 0:HO"));
  EXPECT_EQ(bettel.game.phase(), Phase::kPlay);
  bettel.play("1:H7 2:HU 3:H8 0:HA");
  EXPECT_EQ(bettel.asks(), "done") << "the Bettel is lost at once";
  EXPECT_EQ(payoffs(bettel), "-90 30 30 30");
  NotedTable thrown(lines, kDeal);
  thrown.play(kAllPass);
  EXPECT_EQ(thrown.asks(), "done");
}

}  // namespace
}  // namespace schafkopf
