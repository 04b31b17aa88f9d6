// Legen and doubling row by row (RULES F), in game notation.
#include <gtest/gtest.h>

#include <cstring>
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

const char* const kRufBy0 = "0:PLAY 1:PASS 2:PASS 3:PASS 0:C_RUF 0:SA";
const char* const kSoloOf0 = "0:PLAY 1:PASS 2:PASS 3:PASS 0:C_SOLO 0:SUIT_H";
const char* const kSoloOf2 = "0:PASS 1:PASS 2:PLAY 3:PASS 2:C_SOLO 2:SUIT_G";

NotedTable table_of(const Lines& lines, const std::string& actions,
                    const std::string& hands = kDeal) {
  NotedTable table(lines, hands);
  table.play(actions);
  return table;
}

std::string asked(int seat) { return std::to_string(seat) + " DOUBLE: DOUBLE NO_DOUBLE"; }
std::string asked_to_lay(int seat) { return std::to_string(seat) + " LEGEN: LAY NO_LAY"; }

std::string seen_hand(const NotedTable& table, int seat) {
  return to_string(CardSet(table.game.view(seat).cards.hand));
}

/// Payoffs when seat 1 talks: under `game_loss` a simple loss with Laufende and multipliers.
std::string after_talk_of_1(NotedTable table) {
  table.game.infract(1, Infraction::kTalk);
  return payoffs(table);
}
const std::string kSimpleLoss = "infraction_policy = \"game_loss\"";

// ---- Legen ----

const std::string kFree = "legen = \"free\"";
const std::string kDealerFirst = "legen_dealer_cards = \"first\"";

// 000 A1 4.1: everybody in turn, after the first half, publicly.
TEST(DoublingRows, R_132_every_seat_decides_on_its_first_half) {
  NotedTable table({kFree, kDealerFirst}, kDeal);
  EXPECT_EQ(table.asks(), asked_to_lay(0));
  for (const int seat : {0, 1, 2, 3}) {
    const std::vector<std::string> halves = {"EU EO HO HA", "EK E10 EA GA", "GU GO HU HK",
                                             "H8 H10 SO SA"};
    EXPECT_EQ(seen_hand(table, seat), halves[static_cast<std::size_t>(seat)]) << "and no more";
  }
  table.play("0:LAY");
  EXPECT_EQ(table.asks(), asked_to_lay(1)) << "durcheinander";
  table.play("1:NO_LAY 2:LAY");
  EXPECT_EQ(table.asks(), asked_to_lay(3));
  EXPECT_EQ(table.game.view(1).order.legen, 2);
  EXPECT_EQ(table.game.first_laid(), 0);
  table.play("3:NO_LAY");
  EXPECT_EQ(table.asks(), "0 AUCTION_ROUND: PASS PLAY");
  EXPECT_EQ(seen_hand(table, 0), "E9 EU EO H9 HO HA S8 S9");
  EXPECT_EQ(seen_hand(table, 3), "G7 H8 H10 S7 SO SK S10 SA");
}

// The second half, not yet dealt, changes nothing that a seat sees.
TEST(DoublingRows, R_132_the_second_half_is_not_seen_before) {
  const NotedTable a({kFree, kDealerFirst}, kDeal);
  const NotedTable b({kFree, kDealerFirst},
                     "EO HO EU HA S10 SK S7 G7 | EA E10 EK GA E8 E7 G9 G8 |"
                     " GO GU HU HK G10 GK SU H7 | SO H10 H8 SA H9 E9 S9 S8");
  for (const int seat : {0, 1, 2, 3}) {
    const PlayerView left = a.game.view(seat), right = b.game.view(seat);
    EXPECT_EQ(std::memcmp(&left, &right, sizeof(PlayerView)), 0) << "seat " << seat;
  }
}

// Four lays: 10 * 2 * 2 * 2 * 2 = 160.
TEST(DoublingRows, R_132_each_lay_doubles_what_is_played) {
  const Lines lines = {kFree, kSimpleLoss, "kontra_window = \"off\""};
  EXPECT_EQ(after_talk_of_1(table_of(lines, "0:NO_LAY 1:NO_LAY 2:NO_LAY 3:NO_LAY").play(kRufBy0)),
            "10 -10 -10 10");
  EXPECT_EQ(after_talk_of_1(table_of(lines, "0:NO_LAY 1:LAY 2:NO_LAY 3:NO_LAY").play(kRufBy0)),
            "20 -20 -20 20");
  EXPECT_EQ(after_talk_of_1(table_of(lines, "0:LAY 1:LAY 2:LAY 3:LAY").play(kRufBy0)),
            "160 -160 -160 160");
  EXPECT_EQ(after_talk_of_1(table_of(lines, "0:LAY 1:NO_LAY 2:LAY 3:NO_LAY").play(kSoloOf0)),
            "600 -200 -200 -200");
}

TEST(DoublingRows, R_132_ramsch_and_sie_are_doubled_and_a_thrown_in_deal_is_not) {
  const std::string lay = "0:LAY 1:NO_LAY 2:NO_LAY 3:NO_LAY ";
  NotedTable ramsch = table_of({kFree, kSimpleLoss, "all_pass = \"ramsch\""}, lay + kAllPass);
  ramsch.game.infract(1, Infraction::kTalk);
  EXPECT_EQ(payoffs(ramsch), "40 -120 40 40") << "2 x 20 to everybody";
  const NotedTable sie = table_of({kFree}, lay + "0:PLAY 1:PASS 2:PASS 3:PASS 0:C_SIE",
                                  "EO GO HO SO EU GU HU SU | EA E10 EK E9 E8 E7 HA H7 |"
                                  " GA G10 GK G9 G8 G7 H10 H8 | SA S10 SK S9 S8 S7 HK H9");
  EXPECT_EQ(payoffs(sie), "3120 -1040 -1040 -1040") << "(50 + 80) x 4 x 2";
  const NotedTable thrown = table_of({kFree, "all_pass = \"throw_in\""}, lay + kAllPass);
  EXPECT_EQ(payoffs(thrown), "0 0 0 0");
}

TEST(DoublingRows, R_132_with_six_cards_the_half_is_three) {
  const NotedTable table({kFree, "deck = \"short24\""}, "EO HO EU HA H9 E9 | EA E10 EK GA G10 GK");
  EXPECT_EQ(seen_hand(table, 0), "EU EO HO");
  EXPECT_EQ(seen_hand(table, 1), "EK E10 EA");
}

TEST(DoublingRows, R_132_without_legen_nobody_is_asked) {
  EXPECT_EQ(table_of({"legen = \"off\""}, "").asks(), "0 AUCTION_ROUND: PASS PLAY");
}

// 000 "die letzten vier Karten in der Hand" (OPEN-57); 002: the first four.
TEST(DoublingRows, R_133_the_dealer_decides_last_on_the_half_that_was_agreed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"last", "G7 S7 SK S10"}, {"first", "H8 H10 SO SA"}, {"all", "G7 H8 H10 S7 SO SK S10 SA"}};
  for (const auto& [cards, seen] : cases) {
    NotedTable table({kFree, "legen_dealer_cards = \"" + cards + '"'}, kDeal);
    table.play("0:NO_LAY 1:NO_LAY 2:NO_LAY");
    EXPECT_EQ(table.asks(), asked_to_lay(3)) << cards;
    EXPECT_EQ(seen_hand(table, 3), seen) << cards;
    table.play("3:LAY");
    EXPECT_EQ(seen_hand(table, 3), "G7 H8 H10 S7 SO SK S10 SA") << cards;
    EXPECT_EQ(table.game.num_laid(), 1);
  }
}

TEST(DoublingRows, R_133_only_the_dealer_decides_otherwise) {
  NotedTable table({kFree, "legen_dealer_cards = \"all\""}, kDeal, 0);
  EXPECT_EQ(table.asks(), asked_to_lay(1));
  EXPECT_EQ(seen_hand(table, 1), "EK E10 EA GA");
  table.play("1:NO_LAY 2:NO_LAY 3:NO_LAY");
  EXPECT_EQ(seen_hand(table, 3), "H8 H10 SO SA");
  EXPECT_EQ(table.asks(), asked_to_lay(0));
  EXPECT_EQ(seen_hand(table, 0), "E9 EU EO H9 HO HA S8 S9");
}

// B.2: with five players the dealer sits out, so that all four decide on their first half.
TEST(DoublingRows, R_133_at_a_table_of_five_all_four_have_their_first_half) {
  NotedTable table({kFree, "players = 5", "legen_dealer_cards = \"last\""}, kDeal);
  table.play("0:NO_LAY 1:NO_LAY 2:NO_LAY");
  EXPECT_EQ(table.asks(), asked_to_lay(3));
  EXPECT_EQ(seen_hand(table, 3), "H8 H10 SO SA");
}

// 003: nacheinander
TEST(DoublingRows, R_134_in_sequence_who_does_not_lay_ends_it) {
  const Lines lines = {"legen = \"sequential\""};
  EXPECT_EQ(table_of(lines, "0:NO_LAY").asks(), "0 AUCTION_ROUND: PASS PLAY");
  EXPECT_EQ(table_of(lines, "0:LAY").asks(), asked_to_lay(1));
  EXPECT_EQ(table_of(lines, "0:LAY 1:LAY 2:NO_LAY").asks(), "0 AUCTION_ROUND: PASS PLAY");
  const NotedTable all = table_of(lines, "0:LAY 1:LAY 2:LAY 3:LAY");
  EXPECT_EQ(all.asks(), "0 AUCTION_ROUND: PASS PLAY");
  EXPECT_EQ(all.game.num_laid(), 4);
}

// 003
TEST(DoublingRows, R_134_only_forehand_may_lay) {
  NotedTable table({"legen = \"forehand_only\""}, kDeal, 0);
  EXPECT_EQ(table.asks(), asked_to_lay(1));
  EXPECT_EQ(seen_hand(table, 1), "EK E10 EA GA");
  table.play("1:LAY");
  EXPECT_EQ(table.asks(), "1 AUCTION_ROUND: PASS PLAY");
  EXPECT_EQ(table.game.num_laid(), 1);
}

// ---- windows ----

// 000 4.2.1, F.2: clockwise from the leader's left, the leader last, the declarer not at all.
TEST(DoublingRows, R_135_the_opponents_are_asked_after_the_first_card) {
  NotedTable table = table_of({}, kSoloOf2);
  EXPECT_EQ(table.asks(), "0 PLAY: E9 EU EO H9 HO HA S8 S9");
  table.play("0:E9");
  EXPECT_EQ(table.asks(), asked(1));
  table.play("1:NO_DOUBLE");
  EXPECT_EQ(table.asks(), asked(3));
  table.play("3:NO_DOUBLE");
  EXPECT_EQ(table.asks(), asked(0));
  table.play("0:NO_DOUBLE");
  EXPECT_EQ(table.asks(), "1 PLAY: EK E10 EA");
  EXPECT_EQ(table.events(3), "0:PASS 1:PASS 2:PLAY 3:PASS 2:C_SOLO 2:SUIT_G")
      << "silence leaves no trace";
  table.play("1:EA");
  EXPECT_EQ(table.game.phase(), Phase::kPlay);
}

TEST(DoublingRows, R_135_in_a_rufspiel_the_owner_of_the_ace_is_no_opponent) {
  NotedTable table = table_of({kSimpleLoss}, std::string(kRufBy0) + " 0:EO");
  EXPECT_EQ(table.asks(), asked(1));
  table.play("1:NO_DOUBLE");
  EXPECT_EQ(table.asks(), asked(2));
  NotedTable none = table;
  none.play("2:NO_DOUBLE");
  EXPECT_EQ(none.asks(), "1 PLAY: H7 SU");
  EXPECT_EQ(after_talk_of_1(none), "10 -10 -10 10");
  table.play("2:DOUBLE 3:NO_DOUBLE 0:NO_DOUBLE");
  EXPECT_EQ(table.asks(), "1 PLAY: H7 SU") << "nobody else may double any more";
  EXPECT_EQ(after_talk_of_1(table), "20 -20 -20 20");
}

TEST(DoublingRows, R_135_without_a_window_nobody_is_asked) {
  const NotedTable table = table_of({"kontra_window = \"off\""}, std::string(kRufBy0) + " 0:EO");
  EXPECT_EQ(table.asks(), "1 PLAY: H7 SU");
}

// 002, 003: from forehand on, before anything is led.
TEST(DoublingRows, R_136_before_the_first_card_positions_are_asked_in_order) {
  NotedTable table = table_of({"kontra_window = \"before_first_card\""}, kSoloOf2);
  for (const int seat : {0, 1, 3}) {
    EXPECT_EQ(table.asks(), asked(seat));
    table.play("NO_DOUBLE");
  }
  table.play("0:E9");
  EXPECT_EQ(table.asks(), "1 PLAY: EK E10 EA") << "closed with the first card";
}

// OPEN-58
TEST(DoublingRows, R_135_R_136_both_windows_by_agreement) {
  const Lines lines = {"kontra_ask_before_first = true"};
  NotedTable table = table_of(lines, kRufBy0);
  EXPECT_EQ(table.asks(), asked(1));
  NotedTable early = table;
  table.play("1:NO_DOUBLE 2:NO_DOUBLE 0:EO");
  EXPECT_EQ(table.asks(), asked(1));
  table.play("1:NO_DOUBLE 2:NO_DOUBLE");
  EXPECT_EQ(table.asks(), "1 PLAY: H7 SU");
  early.play("1:DOUBLE 3:NO_DOUBLE 0:NO_DOUBLE 0:EO");
  EXPECT_EQ(early.asks(), "1 PLAY: H7 SU") << "one chain closes both windows";
}

// 002, 003: right before one's own first card.
TEST(DoublingRows, R_137_every_opponent_is_asked_with_his_own_eight_cards) {
  NotedTable table = table_of({"kontra_window = \"full_hand\""}, kSoloOf2);
  EXPECT_EQ(table.asks(), asked(0)) << "also the seat that leads";
  table.play("0:NO_DOUBLE");
  EXPECT_EQ(table.asks(), "0 PLAY: E9 EU EO H9 HO HA S8 S9");
  table.play("0:E9");
  EXPECT_EQ(table.asks(), asked(1));
  table.play("1:NO_DOUBLE 1:EA");
  EXPECT_EQ(table.asks(), "2 PLAY: E7 E8");
  table.play("2:E7");
  EXPECT_EQ(table.asks(), asked(3));
  NotedTable doubled = table;
  table.play("3:NO_DOUBLE 3:H8 1:EK");
  EXPECT_EQ(table.game.phase(), Phase::kPlay) << "nobody has eight cards any more";
  doubled.play("3:DOUBLE");
  EXPECT_EQ(doubled.asks(), asked(2)) << "Re is at once, whatever the declarer holds (OPEN-77)";
  doubled.play("2:DOUBLE");
  EXPECT_EQ(doubled.asks(), asked(3));
}

TEST(DoublingRows, R_137_a_chain_closes_the_windows_of_the_others) {
  NotedTable table = table_of({"kontra_window = \"full_hand\""}, kSoloOf2);
  table.play("0:DOUBLE 2:NO_DOUBLE 0:E9");
  EXPECT_EQ(table.asks(), "1 PLAY: EK E10 EA");
}

// ---- the chain ----

// 000 4.2.2: either of the party, clockwise from the doubler.
TEST(DoublingRows, R_138_either_of_the_party_may_answer) {
  NotedTable table = table_of({}, std::string(kRufBy0) + " 0:EO 1:DOUBLE");
  EXPECT_EQ(table.asks(), asked(3));
  NotedTable partner = table;
  table.play("3:NO_DOUBLE");
  EXPECT_EQ(table.asks(), asked(0));
  table.play("0:DOUBLE");
  EXPECT_EQ(table.asks(), asked(1)) << "and so on, from the left of who doubled";
  partner.play("3:DOUBLE 1:NO_DOUBLE 2:NO_DOUBLE");
  EXPECT_EQ(partner.asks(), "1 PLAY: H7 SU");
  EXPECT_EQ(partner.game.doubling_level(), 2);
  EXPECT_EQ(partner.events(0).substr(std::string(kRufBy0).size() + 1), "1:DOUBLE 3:DOUBLE")
      << "before the next card";
}

// 000 4.2.3-4
TEST(DoublingRows, R_139_R_172_supra_and_resupra_go_back_and_forth) {
  NotedTable table = table_of({kSimpleLoss}, std::string(kRufBy0) + " 0:EO 1:DOUBLE 3:DOUBLE");
  EXPECT_EQ(table.asks(), asked(1));
  table.play("1:NO_DOUBLE 2:DOUBLE");
  EXPECT_EQ(table.asks(), asked(3));
  EXPECT_EQ(after_talk_of_1(table_of({kSimpleLoss}, std::string(kRufBy0) +
                                                        " 0:EO 1:DOUBLE 3:DOUBLE 1:NO_DOUBLE "
                                                        "2:DOUBLE 3:NO_DOUBLE 0:NO_DOUBLE")),
            "80 -80 -80 80");
  table.play("3:DOUBLE");
  EXPECT_EQ(table.asks(), "1 PLAY: H7 SU") << "four at most";
  EXPECT_EQ(after_talk_of_1(table), "160 -160 -160 160");
}

TEST(DoublingRows, R_139_by_agreement_a_seat_doubles_once) {
  NotedTable table =
      table_of({"max_doublings_per_seat = 1"}, std::string(kRufBy0) + " 0:EO 1:DOUBLE 3:DOUBLE");
  EXPECT_EQ(table.asks(), asked(2)) << "seat 1 has doubled";
  table.play("2:DOUBLE");
  EXPECT_EQ(table.asks(), asked(0)) << "seat 3 too";
  table.play("0:DOUBLE");
  EXPECT_EQ(table.asks(), "1 PLAY: H7 SU");
}

// 000 A2 4.5
TEST(DoublingRows, R_140_R_172_partner_games_have_as_many_as_agreed) {
  NotedTable table = table_of(
      {kSimpleLoss, "max_doublings_partner = 6"},
      std::string(kRufBy0) + " 0:EO 1:DOUBLE 3:DOUBLE 1:DOUBLE 3:DOUBLE 1:DOUBLE 3:DOUBLE");
  EXPECT_EQ(table.asks(), "1 PLAY: H7 SU");
  EXPECT_EQ(after_talk_of_1(table), "640 -640 -640 640");
  const Lines none = {"max_doublings_partner = 0"};
  EXPECT_EQ(table_of(none, std::string(kRufBy0) + " 0:EO").asks(), "1 PLAY: H7 SU");
  EXPECT_EQ(table_of(none, std::string(kSoloOf0) + " 0:EO").asks(), asked(1));
}

// 000 4.2.5: the opponents two and the soloist two.
TEST(DoublingRows, R_141_R_172_a_solo_has_four) {
  NotedTable table = table_of({kSimpleLoss, "max_doublings_partner = 8"},
                              std::string(kSoloOf0) + " 0:EO 1:DOUBLE");
  EXPECT_EQ(table.asks(), asked(0)) << "the other opponents cannot answer";
  table.play("0:DOUBLE 1:NO_DOUBLE 2:NO_DOUBLE");
  EXPECT_EQ(table.asks(), asked(3));
  table.play("3:DOUBLE 0:DOUBLE");
  EXPECT_EQ(table.asks(), "1 PLAY: H7 SU");
  EXPECT_EQ(after_talk_of_1(table), "2400 -800 -800 -800");
}

// 004 4
TEST(DoublingRows, R_142_contra_and_retour_and_no_more) {
  NotedTable table({}, kDeal, 3, {}, "tournament_2024");
  table.play(std::string(kRufBy0) + " 0:EO 1:DOUBLE 3:NO_DOUBLE 0:DOUBLE");
  EXPECT_EQ(table.asks(), "1 PLAY: H7 SU");
  NotedTable solo({}, kDeal, 3, {}, "tournament_2024");
  solo.play(std::string(kSoloOf0) + " 0:EO 1:NO_DOUBLE 2:DOUBLE 0:DOUBLE");
  EXPECT_EQ(solo.asks(), "1 PLAY: H7 SU");
  EXPECT_EQ(solo.game.doubling_level(), 2);
}

// ---- who needs 61 ----

/// "won", "won schneider", ... of a Rufspiel after these doublings, with points of both parties.
std::string result(const Lines& lines, const std::string& doublings, int declarer_points) {
  const NotedTable table = table_of(lines, std::string(kRufBy0) + " 0:EO " + doublings);
  Outcome outcome = table.game.outcome();
  outcome.points = {static_cast<std::uint8_t>(declarer_points),
                    static_cast<std::uint8_t>(kTotalPoints - declarer_points), 0, 0};
  outcome.tricks = {4, 4, 0, 0};
  const Settlement settlement = settle(outcome, *table.rules);
  return std::string(settlement.won ? "won" : "lost") + (settlement.schneider ? " schneider" : "");
}
const char* const kKontra = "1:DOUBLE 3:NO_DOUBLE 0:NO_DOUBLE";
const char* const kRe = "1:DOUBLE 3:DOUBLE 1:NO_DOUBLE 2:NO_DOUBLE";

// 000 4.2.6
TEST(DoublingRows, R_143_spieler_bleibt_spieler) {
  for (const char* doublings : {kKontra, kRe, "1:NO_DOUBLE 2:NO_DOUBLE"}) {
    EXPECT_EQ(result({}, doublings, 60), "lost") << doublings;
    EXPECT_EQ(result({}, doublings, 61), "won") << doublings;
    EXPECT_EQ(result({}, doublings, 30), "lost schneider") << doublings;
    EXPECT_EQ(result({}, doublings, 90), "won") << doublings;
  }
}

// 002 variant 2, 003, OPEN-60
TEST(DoublingRows, R_144_kontra_takes_the_thresholds_over) {
  const Lines lines = {"kontra_takeover = true"};
  EXPECT_EQ(result(lines, kKontra, 59), "lost");
  EXPECT_EQ(result(lines, kKontra, 60), "won");
  EXPECT_EQ(result(lines, kKontra, 89), "won");
  EXPECT_EQ(result(lines, kKontra, 90), "won schneider");
  EXPECT_EQ(result(lines, kKontra, 30), "lost");
  EXPECT_EQ(result(lines, kKontra, 29), "lost schneider");
  EXPECT_EQ(result(lines, kRe, 60), "lost") << "Re takes them back";
  EXPECT_EQ(result(lines, kRe, 61), "won");
  EXPECT_EQ(result(lines, kRe, 30), "lost schneider");
  EXPECT_EQ(result(lines, "1:NO_DOUBLE 2:NO_DOUBLE", 60), "lost");
}

// F.5: a bid keeps its own threshold.
TEST(DoublingRows, R_144_a_steigern_bid_is_not_taken_over) {
  const NotedTable table =
      table_of({"kontra_takeover = true", "solo_contest = \"steigern\""},
               "0:PLAY 1:PASS 2:PLAY 3:PASS 0:HOLD 2:RAISE_70 0:HOLD 2:PASS 0:C_SOLO 0:SUIT_H 0:EO "
               "1:DOUBLE 0:NO_DOUBLE");
  for (const int points : {70, 71}) {
    Outcome outcome = table.game.outcome();
    outcome.points = {static_cast<std::uint8_t>(points),
                      static_cast<std::uint8_t>(kTotalPoints - points), 0, 0};
    outcome.tricks = {4, 4, 0, 0};
    EXPECT_EQ(settle(outcome, *table.rules).won, points == 71);
  }
}

// ---- games with their own rule ----

// 000 A1 3.3.3, 003
TEST(DoublingRows, R_145_a_muss_spiel_is_doubled_only_by_agreement) {
  const std::string muss = std::string(kAllPass) + " 0:SA 0:EO";
  for (const char* window : {"before_second_card", "full_hand"}) {
    const Lines lines = {"all_pass = \"muss_spiel\"",
                         std::string("kontra_window = \"") + window + '"'};
    EXPECT_EQ(table_of(lines, muss).asks(), "1 PLAY: H7 SU") << window;
    Lines agreed = lines;
    agreed.push_back("muss_kontra = true");
    EXPECT_EQ(table_of(agreed, muss).asks(), asked(1)) << window;
  }
}

DealContext mode(SpecialRound round) {
  DealContext context;
  context.special_round = static_cast<std::uint8_t>(round);
  return context;
}

/// A Kreuzrunde in which seat 0 plays with seat 2; the Eichel-Ober is led.
NotedTable kreuzrunde(const Lines& lines, const std::string& doublings) {
  NotedTable table(lines, kDeal, 3, mode(SpecialRound::kKreuzrunde));
  table.play("0:PLAY 1:PASS 2:PASS 3:PASS 0:C_RUF");
  EXPECT_EQ(table.contract(), "KREUZ by 0");
  table.play("0:EO " + doublings);
  return table;
}

// 002, F.4: each seat once, also after its own partner, and a chain does not close the window.
TEST(DoublingRows, R_146_in_a_kreuzrunde_each_partner_may_double) {
  NotedTable table = kreuzrunde({}, "");
  EXPECT_EQ(table.asks(), asked(1));
  EXPECT_EQ(kreuzrunde({}, "1:NO_DOUBLE").asks(), asked(3)) << "first the opponents";
  table.play("1:DOUBLE");
  EXPECT_EQ(table.asks(), asked(2));
  table.play("2:NO_DOUBLE");
  EXPECT_EQ(table.asks(), asked(0));
  table.play("0:NO_DOUBLE 2:NO_DOUBLE");
  EXPECT_EQ(table.asks(), asked(3)) << "after his partner's Kontra";
  table.play("3:DOUBLE");
  EXPECT_EQ(table.asks(), asked(0));
  table.play("0:DOUBLE");
  EXPECT_EQ(table.game.doubling_level(), 3);
}

TEST(DoublingRows, R_146_a_re_in_a_kreuzrunde_does_not_take_the_partners_right_to_double) {
  NotedTable table = kreuzrunde({}, "1:NO_DOUBLE 3:DOUBLE 0:DOUBLE");
  EXPECT_EQ(table.asks(), asked(1));
  table.play("1:NO_DOUBLE");
  EXPECT_EQ(table.asks(), asked(2)) << "the window has gone past him";
  table.play("2:DOUBLE");
  EXPECT_EQ(table.asks(), asked(1));
  table.play("1:DOUBLE");
  EXPECT_EQ(table.asks(), "1 PLAY: H7 SU");
  EXPECT_EQ(table.game.doubling_level(), 4);
}

TEST(DoublingRows, R_146_R_172_four_doublings_make_a_factor_of_sixteen) {
  NotedTable table = kreuzrunde({kSimpleLoss}, "1:DOUBLE 2:DOUBLE 3:DOUBLE 0:DOUBLE");
  EXPECT_EQ(table.asks(), "1 PLAY: H7 SU");
  EXPECT_EQ(after_talk_of_1(table), "640 -640 640 -640") << "(10 + 3 Laufende x 10) x 16";
}

TEST(DoublingRows, R_146_otherwise_a_chain_closes_the_window) {
  EXPECT_EQ(
      kreuzrunde({"kreuz_each_partner_doubles = false"}, "1:DOUBLE 2:NO_DOUBLE 0:NO_DOUBLE").asks(),
      "1 PLAY: H7 SU");
}

// C.5, F.3: nobody has declared, so that every seat may begin; F.4 is not for the Kreuzbock.
TEST(DoublingRows, R_042_R_146_in_a_kreuzbock_every_seat_may_begin) {
  NotedTable table({}, kDeal, 3, mode(SpecialRound::kKreuzbock));
  table.play("0:EO");
  for (const int seat : {1, 2, 3, 0}) {
    EXPECT_EQ(table.asks(), asked(seat));
    NotedTable doubled = table;
    doubled.play("DOUBLE");
    EXPECT_EQ(doubled.game.outcome().declarer_party, seat % 2 == 0 ? 0b0101 : 0b1010)
        << "who doubled last is the player party";
    EXPECT_EQ(doubled.asks(), asked((seat + 1) % 4));
    doubled.play("NO_DOUBLE NO_DOUBLE");
    EXPECT_EQ(doubled.game.phase(), Phase::kPlay);
    table.play("NO_DOUBLE");
  }
  EXPECT_EQ(table.game.outcome().declarer_party, 0b0101) << "the Eichel-Ober";
}

TEST(DoublingRows, R_042_R_132_who_laid_first_is_the_player_party_of_a_kreuzbock) {
  NotedTable table({kFree}, kDeal, 3, mode(SpecialRound::kKreuzbock));
  table.play("0:NO_LAY 1:LAY 2:LAY 3:NO_LAY 0:EO 1:NO_DOUBLE 2:NO_DOUBLE 3:NO_DOUBLE 0:NO_DOUBLE");
  EXPECT_EQ(table.game.outcome().declarer_party, 0b1010);
}

// ---- thresholds, played to the last trick ----

/// The last trick of a game that seat 0 plays, with seat 3 if it is a partner game. It counts no
/// points; the defenders have `defenders` in their tricks, or the declarer party has `declarers`.
std::string last_trick(ContractClass contract, const std::string& declarers,
                       const std::string& defenders, const Lines& lines = {}) {
  Position position;
  position.contract.contract = contract;
  position.contract.declarer = 0;
  if (contract_row(contract).is_partner_game()) {
    position.contract.called = parse_card("SA").value();
    position.partner = 3;
  }
  const std::vector<std::string> cards = {"E9", "E7", "E8", "G7"};
  for (std::size_t seat = 0; seat < cards.size(); ++seat) {
    position.hands[seat] = parse_cards(cards[seat]);
  }
  const CardSet rest = CardSet::all() - parse_cards("E9 E7 E8 G7");
  position.captured[1] = defenders.empty() ? rest - parse_cards(declarers) : parse_cards(defenders);
  position.captured[0] = rest - position.captured[1];
  NotedTable table(lines, position);
  table.play("0:E9 1:E7 2:E8 3:G7");
  return payoffs(table);
}

const char* const k30 = "E10 G10 H10 S7";
const char* const k29 = "EA GA EK SO";
const char* const k31 = "EA E10 G10 S7";
const char* const k60 = "E10 G10 H10 S10 EO GO HO SO EU GU HU SU";
const char* const k59 = "EA GA HA E10 G10 EO GO S7";

// 000 4.1.2-4.1.3, A2 1.1: each loser pays each winner once.
TEST(DoublingRows, R_147_R_148_R_151_a_rufspiel_is_won_with_61_and_91) {
  EXPECT_EQ(last_trick(ContractClass::kRuf, "", k60), "-10 10 10 -10") << "60:60 is lost";
  EXPECT_EQ(last_trick(ContractClass::kRuf, "", k59), "10 -10 -10 10");
  EXPECT_EQ(last_trick(ContractClass::kRuf, "", k30), "10 -10 -10 10") << "90";
  EXPECT_EQ(last_trick(ContractClass::kRuf, "", k29), "20 -20 -20 20") << "91";
  EXPECT_EQ(last_trick(ContractClass::kRuf, k31, ""), "-10 10 10 -10");
  EXPECT_EQ(last_trick(ContractClass::kRuf, k30, ""), "-20 20 20 -20");
}

// 000 A2 1.3
TEST(DoublingRows, R_147_R_148_R_152_a_solo_is_paid_by_or_to_every_opponent) {
  EXPECT_EQ(last_trick(ContractClass::kSolo, "", k60), "-150 50 50 50");
  EXPECT_EQ(last_trick(ContractClass::kSolo, "", k59), "150 -50 -50 -50");
  EXPECT_EQ(last_trick(ContractClass::kSolo, "", k30), "150 -50 -50 -50");
  EXPECT_EQ(last_trick(ContractClass::kSolo, "", k29), "180 -60 -60 -60");
  EXPECT_EQ(last_trick(ContractClass::kSolo, k31, ""), "-150 50 50 50");
  EXPECT_EQ(last_trick(ContractClass::kSolo, k30, ""), "-180 60 60 60");
}

// 000 4.1.4: the last trick, without a point, was the only one.
TEST(DoublingRows, R_149_a_trick_without_points_is_a_trick) {
  const std::string all = to_string(CardSet::all() - parse_cards("E9 E7 E8 G7"));
  EXPECT_EQ(last_trick(ContractClass::kSolo, "", all), "-180 60 60 60") << "Schneider only";
  EXPECT_EQ(last_trick(ContractClass::kSolo, all, ""), "210 -70 -70 -70") << "Schwarz";
}

// 003
TEST(DoublingRows, R_150_the_muss_party_needs_60_30_and_90) {
  const Lines sixty = {"muss_threshold = \"sixty\""};
  EXPECT_EQ(last_trick(ContractClass::kMuss, "", k60), "-10 10 10 -10");
  EXPECT_EQ(last_trick(ContractClass::kMuss, "", k60, sixty), "10 -10 -10 10");
  EXPECT_EQ(last_trick(ContractClass::kMuss, "", k30, sixty), "20 -20 -20 20") << "90";
  EXPECT_EQ(last_trick(ContractClass::kMuss, k30, "", sixty), "-10 10 10 -10");
  EXPECT_EQ(last_trick(ContractClass::kMuss, k29, "", sixty), "-20 20 20 -20");
  EXPECT_EQ(last_trick(ContractClass::kRuf, "", k60, sixty), "-10 10 10 -10") << "a Rufspiel not";
}

}  // namespace
}  // namespace schafkopf
