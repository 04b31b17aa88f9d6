// Thresholds, prices and payers row by row (RULES C.6, G) from hand-made outcomes; the figures of
// the sources are in worked_examples_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "env/game/game.h"
#include "env/price/settle.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf {
namespace {

using Payoffs = std::array<std::int32_t, 4>;

/// A game whose declarer party has these seats, points and tricks; one defender has the rest.
Outcome played(const std::string& contract, const std::vector<int>& party, int points,
               int tricks = 4) {
  const NamedContract named = parse_contract(contract);
  Outcome outcome;
  outcome.contract = {.contract = named.row->contract, .tout = named.tout};
  outcome.contract.declarer = party.front();
  unsigned bits = 0;
  for (const int seat : party) bits |= 1u << seat;
  outcome.declarer_party = static_cast<std::uint8_t>(bits);
  std::size_t other = 0;
  while (((bits >> other) & 1u) != 0) ++other;
  const auto first = static_cast<std::size_t>(party.front());
  outcome.points[first] = static_cast<std::uint8_t>(points);
  outcome.points[other] = static_cast<std::uint8_t>(120 - points);
  outcome.tricks[first] = static_cast<std::uint8_t>(tricks);
  outcome.tricks[other] = static_cast<std::uint8_t>(8 - tricks);
  return outcome;
}

Settlement settled(const Outcome& outcome, const RuleSet& rules = {}) {
  return settle(outcome, CompiledRules(rules));
}

/// Price per payer, negative when the declarer party lost.
int price(const Outcome& outcome, const RuleSet& rules = {}) {
  const Settlement result = settled(outcome, rules);
  return result.won ? result.price : -result.price;
}

RuleSet with_tariff(const std::string& name) {
  RuleSet rules;
  rules.tariff = named_tariff(name);
  return rules;
}

Card card(const std::string& name) { return *parse_card(name); }

Outcome ramsch(std::array<std::uint8_t, 4> points, std::array<std::uint8_t, 4> tricks) {
  Outcome outcome;
  outcome.contract.contract = parse_contract("RAMSCH").row->contract;
  outcome.points = points;
  outcome.tricks = tricks;
  return outcome;
}

// ---- who won, Schneider, Schwarz (G.1) ----

// 000 4.1.2
TEST(Thresholds, R_147_the_declarer_party_needs_61_and_the_defenders_60) {
  EXPECT_TRUE(settled(played("RUF", {0, 2}, 61)).won);
  EXPECT_FALSE(settled(played("RUF", {0, 2}, 60)).won);
  EXPECT_FALSE(settled(played("SOLO", {1}, 60)).won);
}

// 000 4.1.3
TEST(Thresholds, R_148_schneider_from_91_and_from_90_against_the_declarer_party) {
  EXPECT_FALSE(settled(played("RUF", {0, 2}, 90)).schneider);
  EXPECT_TRUE(settled(played("RUF", {0, 2}, 91)).schneider);
  EXPECT_FALSE(settled(played("RUF", {0, 2}, 31)).schneider);
  EXPECT_TRUE(settled(played("RUF", {0, 2}, 30)).schneider);
}

// 000 4.1.4
TEST(Thresholds, R_149_schwarz_is_no_trick_and_an_empty_trick_counts) {
  EXPECT_TRUE(settled(played("RUF", {0, 2}, 120, 8)).schwarz);
  EXPECT_FALSE(settled(played("RUF", {0, 2}, 120, 7)).schwarz);
  EXPECT_TRUE(settled(played("RUF", {0, 2}, 120, 7)).schneider);
  EXPECT_TRUE(settled(played("RUF", {0, 2}, 0, 0)).schwarz);
  EXPECT_FALSE(settled(played("RUF", {0, 2}, 0, 1)).schwarz);
}

// 003
TEST(Thresholds, R_150_the_muss_party_needs_60_30_90) {
  RuleSet sixty;
  sixty.muss_threshold = MussThreshold::kSixty;
  EXPECT_TRUE(settled(played("MUSS", {0, 2}, 60), sixty).won);
  EXPECT_FALSE(settled(played("MUSS", {0, 2}, 59), sixty).won);
  EXPECT_FALSE(settled(played("MUSS", {0, 2}, 30), sixty).schneider);
  EXPECT_TRUE(settled(played("MUSS", {0, 2}, 29), sixty).schneider);
  EXPECT_TRUE(settled(played("MUSS", {0, 2}, 90), sixty).schneider);
  EXPECT_FALSE(settled(played("MUSS", {0, 2}, 60)).won);
  EXPECT_FALSE(settled(played("RUF", {0, 2}, 60), sixty).won);
}

// 000 4.2.6
TEST(Thresholds, R_143_after_a_kontra_the_declarer_party_still_needs_61) {
  Outcome outcome = played("RUF", {0, 2}, 60);
  outcome.level = 1;
  outcome.defenders_doubled_last = true;
  EXPECT_FALSE(settled(outcome).won);
}

// 002, 003; OPEN-60
TEST(Thresholds, R_144_kontra_takes_over_until_the_answer) {
  RuleSet rules;
  rules.kontra_takeover = true;
  Outcome outcome = played("RUF", {0, 2}, 60);
  outcome.level = 1;
  outcome.defenders_doubled_last = true;
  EXPECT_TRUE(settled(outcome, rules).won);
  EXPECT_EQ(settled(outcome, rules).payoffs, (Payoffs{20, -20, 20, -20}));
  outcome.level = 2;
  outcome.defenders_doubled_last = false;
  EXPECT_FALSE(settled(outcome, rules).won);
}

// ---- who pays (G.3) ----

TEST(Payers, R_151_in_partner_games_each_loser_pays_once) {
  EXPECT_EQ(settled(played("RUF", {1, 2}, 70)).payoffs, (Payoffs{-10, 10, 10, -10}));
  EXPECT_EQ(settled(played("RUF", {1, 2}, 50)).payoffs, (Payoffs{10, -10, -10, 10}));
}

TEST(Payers, R_152_in_single_games_every_opponent_pays_or_gets) {
  EXPECT_EQ(settled(played("SOLO", {1}, 70)).payoffs, (Payoffs{-50, 150, -50, -50}));
  EXPECT_EQ(settled(played("WENZ", {3}, 50)).payoffs, (Payoffs{50, 50, 50, -150}));
}

// ---- tariffs (G.2) ----

// 000 A2
TEST(Prices, R_153_R_154_the_official_tariff_in_pfennig) {
  EXPECT_EQ(price(played("RUF", {0, 2}, 70)), 10);
  EXPECT_EQ(price(played("RUF", {0, 2}, 95)), 20);
  EXPECT_EQ(price(played("RUF", {0, 2}, 120, 8)), 30);
  EXPECT_EQ(price(played("HOCHZEIT", {0, 2}, 70)), 20);
  EXPECT_EQ(price(played("HOCHZEIT", {0, 2}, 95)), 30);
  EXPECT_EQ(price(played("SOLO", {0}, 70)), 50);
}

// 003: the whole price, Schneider included.
TEST(Prices, R_155_hochzeit_doubles_the_price_of_the_rufspiel) {
  EXPECT_EQ(price(played("HOCHZEIT", {0, 2}, 70), with_tariff("10/20")), 20);
  EXPECT_EQ(price(played("HOCHZEIT", {0, 2}, 95), with_tariff("10/20")), 40);
}

TEST(Prices, R_156_course_tariff_10_20_30_solo_50) {
  const RuleSet rules = with_tariff("10/20/30 Solo 50");
  EXPECT_EQ(price(played("RUF", {0, 2}, 70), rules), 10);
  EXPECT_EQ(price(played("RUF", {0, 2}, 95), rules), 20);
  EXPECT_EQ(price(played("RUF", {0, 2}, 120, 8), rules), 30);
  EXPECT_EQ(price(played("SOLO", {0}, 70), rules), 50);
}

TEST(Prices, R_157_course_tariff_5_10_15_solo_20) {
  const RuleSet rules = with_tariff("5/10/15 Solo 20");
  EXPECT_EQ(price(played("RUF", {0, 2}, 70), rules), 5);
  EXPECT_EQ(price(played("RUF", {0, 2}, 95), rules), 10);
  EXPECT_EQ(price(played("RUF", {0, 2}, 120, 8), rules), 15);
  EXPECT_EQ(price(played("WENZ", {0}, 70), rules), 20);
}

// 003: G is Schneider, Schwarz and each Laufender; ruf and solo as named.
TEST(Prices, R_158_tariffs_of_003) {
  const struct {
    const char* name;
    int unit, ruf, solo;
  } tariffs[] = {
      {"5/20", 5, 5, 20}, {"10/20", 10, 10, 20}, {"10/50", 10, 10, 50}, {"10/20/50", 10, 20, 50}};
  for (const auto& tariff : tariffs) {
    const RuleSet rules = with_tariff(tariff.name);
    Outcome outcome = played("RUF", {0, 2}, 95);
    EXPECT_EQ(price(outcome, rules), tariff.ruf + tariff.unit) << tariff.name;
    outcome.laufende = 3;
    EXPECT_EQ(price(outcome, rules), tariff.ruf + 4 * tariff.unit) << tariff.name;
    EXPECT_EQ(price(played("RUF", {0, 2}, 120, 8), rules), tariff.ruf + 2 * tariff.unit)
        << tariff.name;
    EXPECT_EQ(price(played("SOLO", {0}, 70), rules), tariff.solo) << tariff.name;
  }
}

// 003: with half units every amount is counted in halves.
TEST(Prices, R_160_half_laufende_are_exact) {
  Outcome outcome = played("RUF", {0, 2}, 70);
  outcome.laufende = 3;
  const RuleSet rules = with_tariff("5/20 half Laufende");
  EXPECT_EQ(rules.tariff.scale, 2);
  EXPECT_EQ(price(outcome, rules), 2 * 5 + 3 * 5);  // 12.5 in halves
}

// ---- Laufende (G.4) ----

RuleSet pictures_only() {
  RuleSet rules;
  rules.laufende_cap = LaufendeCap::kPictures;
  return rules;
}

int payable(const std::string& party, const std::string& contract, const RuleSet& rules = {}) {
  return laufende(parse_cards(party), parse_contract(contract).row->contract, Suit::kHerz, rules);
}

// 000 A2 2.1
TEST(Laufende, R_162_both_the_run_held_and_the_run_missed_count) {
  EXPECT_EQ(payable("EO GO HO EU", "RUF"), 3);
  EXPECT_EQ(payable("EU GU HU SU HA", "RUF"), 4);
  EXPECT_EQ(payable("EO HO SO EU", "RUF"), 0);
}

TEST(Laufende, R_163_three_with_ober_and_two_in_the_wenz) {
  EXPECT_EQ(payable("EO GO SO", "RUF"), 0);
  EXPECT_EQ(payable("EU GU SU", "WENZ"), 2);
  EXPECT_EQ(payable("EU HU SU", "WENZ"), 0);
  RuleSet rules;
  rules.laufende_min_wenz = 3;
  rules.laufende_min_ober = 4;
  EXPECT_EQ(payable("EU GU SU", "WENZ", rules), 0);
  EXPECT_EQ(payable("EO GO HO EU", "RUF", rules), 0);
}

TEST(Laufende, R_164_down_to_the_last_trump_or_pictures_only) {
  const std::string all = "EO GO HO SO EU GU HU SU HA H10 HK H9 H8 H7";
  EXPECT_EQ(payable(all, "RUF"), 14);
  EXPECT_EQ(payable(all, "RUF", pictures_only()), 8);
  const std::string wenz = "EU GU HU SU HA H10 HK HO H9 H8 H7";
  EXPECT_EQ(payable(wenz, "FARBWENZ"), 11);
  EXPECT_EQ(payable(wenz, "FARBWENZ", pictures_only()), 4);
  EXPECT_EQ(payable(wenz, "WENZ"), 4);
}

// ---- Tout, Sie, Bettel (G.6) ----

// 000 A2 3.1: (50 + 40) x 2, no Schneider, no Schwarz.
TEST(Prices, R_168_tout_doubles_base_and_laufende) {
  Outcome outcome = played("SOLO_TOUT", {0}, 120, 8);
  outcome.laufende = 4;
  EXPECT_EQ(price(outcome), 180);
  outcome = played("SOLO_TOUT", {0}, 118, 7);
  outcome.laufende = 4;
  EXPECT_EQ(price(outcome), -180);
}

TEST(Prices, R_068_R_069_every_tout_needs_all_tricks) {
  for (const ContractRow& row : contract_table()) {
    if (row.tout_action == 0) continue;
    const std::string name = std::string(row.name) + "_TOUT";
    EXPECT_EQ(price(played(name, {0}, 120, 8)), 100) << name;
    EXPECT_EQ(price(played(name, {0}, 119, 7)), -100) << name;
  }
}

// 000 A2 3.2: (50 + 80) x 4.
TEST(Prices, R_169_sie_is_four_times_solo_with_eight_laufende) {
  EXPECT_EQ(price(played("SIE", {0}, 0, 0)), 520);
}

TEST(Prices, R_170_bettel_has_one_price_and_no_points) {
  EXPECT_EQ(price(played("BETTEL", {0}, 0, 0)), 30);
  EXPECT_EQ(price(played("BETTEL", {0}, 0, 1)), -30);
  EXPECT_EQ(price(played("BETTEL", {0}, 0, 0), with_tariff("10/50")), 50);
  EXPECT_EQ(price(played("BETTEL_BRETT", {0}, 0, 0)), 60);
}

// 000 A2 4.1: the whole price.
TEST(Prices, R_172_every_doubling_is_a_factor_two) {
  Outcome outcome = played("RUF", {0, 2}, 95);
  outcome.laufende = 3;
  for (int level = 0; level <= 6; ++level) {
    outcome.level = level;
    EXPECT_EQ(price(outcome), 50 << level);
  }
}

// 004 6: (20 + 10 per Laufendem) x 2 per opponent (OPEN-30).
TEST(Prices, R_159_R_173_tournament_points) {
  const RuleSet rules = with_tariff("tournament_2024");
  EXPECT_EQ(settled(played("SOLO", {0}, 70), rules).payoffs, (Payoffs{60, -20, -20, -20}));
  EXPECT_EQ(settled(played("SOLO", {0}, 120, 8), rules).payoffs, (Payoffs{120, -40, -40, -40}));
  Outcome outcome = played("WENZ_TOUT", {0}, 120, 8);
  EXPECT_EQ(settled(outcome, rules).payoffs, (Payoffs{120, -40, -40, -40}));
  outcome.laufende = 2;
  EXPECT_EQ(settled(outcome, rules).payoffs, (Payoffs{240, -80, -80, -80}));
}

// ---- Ramsch (C.6) ----

TEST(RamschPrice, R_171_the_loser_pays_the_price_of_the_tariff) {
  const Outcome outcome = ramsch({50, 30, 20, 20}, {2, 2, 2, 2});
  EXPECT_EQ(settled(outcome).payoffs, (Payoffs{-60, 20, 20, 20}));
  EXPECT_EQ(settled(outcome, with_tariff("tournament_2024")).payoffs, (Payoffs{-30, 10, 10, 10}));
}

// 000 A1 3.1.3: points, tricks, trumps, highest trump; OPEN-18: nearer to forehand.
TEST(RamschPrice, R_045_tie_goes_to_tricks_trumps_highest_trump_and_forehand) {
  Outcome outcome = ramsch({40, 40, 40, 0}, {2, 3, 2, 1});
  EXPECT_EQ(settled(outcome).loser, 1);
  outcome.tricks = {2, 2, 2, 2};
  outcome.trumps_taken = {3, 3, 4, 4};
  EXPECT_EQ(settled(outcome).loser, 2);
  outcome.trumps_taken = {4, 4, 4, 2};
  outcome.highest_trump = {card("HO"), card("EO"), card("GO"), card("H7")};
  EXPECT_EQ(settled(outcome).loser, 1);
  outcome.trumps_taken = {};
  outcome.highest_trump.fill(kNoCard);
  outcome.forehand = 2;
  EXPECT_EQ(settled(outcome).loser, 2);
}

TEST(RamschPrice, R_046_all_tricks_win_the_durchmarsch) {
  const Outcome all = ramsch({0, 120, 0, 0}, {0, 8, 0, 0});
  EXPECT_EQ(settled(all).payoffs, (Payoffs{-70, 210, -70, -70}));
  EXPECT_EQ(settled(ramsch({0, 120, 0, 0}, {0, 7, 1, 0})).march, -1);
  RuleSet off;
  off.ramsch_march = RamschMarch::kOff;
  EXPECT_EQ(settled(all, off).loser, 1);
}

TEST(RamschPrice, R_047_91_points_march_and_beat_the_jungfrau) {
  RuleSet rules = with_tariff("tournament_2024");
  rules.ramsch_march = RamschMarch::kPoints91;
  rules.ramsch_virgin = RamschVirgin::kAllDouble;
  EXPECT_EQ(settled(ramsch({29, 91, 0, 0}, {2, 6, 0, 0}), rules).payoffs,
            (Payoffs{-20, 60, -20, -20}));
  EXPECT_EQ(settled(ramsch({30, 90, 0, 0}, {2, 6, 0, 0}), rules).loser, 1);
}

TEST(RamschPrice, R_048_the_jungfrau_gets_double) {
  EXPECT_EQ(settled(ramsch({60, 40, 20, 0}, {3, 3, 2, 0})).payoffs, (Payoffs{-80, 20, 20, 40}));
}

TEST(RamschPrice, R_049_each_jungfrau_doubles_all_amounts) {
  RuleSet rules;
  rules.ramsch_virgin = RamschVirgin::kAllDoublePerVirgin;
  EXPECT_EQ(settled(ramsch({60, 40, 20, 0}, {3, 3, 2, 0}), rules).price, 40);
  EXPECT_EQ(settled(ramsch({70, 50, 0, 0}, {4, 4, 0, 0}), rules).price, 80);
}

// OPEN-19: two of them double once.
TEST(RamschPrice, R_050_jungfrauen_double_all_amounts_once) {
  RuleSet rules;
  rules.ramsch_virgin = RamschVirgin::kAllDouble;
  EXPECT_EQ(settled(ramsch({60, 40, 20, 0}, {3, 3, 2, 0}), rules).price, 40);
  EXPECT_EQ(settled(ramsch({70, 50, 0, 0}, {4, 4, 0, 0}), rules).price, 40);
}

// OPEN-20: worst pays best, second-worst pays second-best.
TEST(RamschPrice, R_053_two_payers) {
  RuleSet rules;
  rules.ramsch_payers = 2;
  EXPECT_EQ(settled(ramsch({50, 10, 40, 20}, {2, 2, 2, 2}), rules).payoffs,
            (Payoffs{-20, 20, -20, 20}));
  const Outcome virgin = ramsch({50, 0, 40, 30}, {3, 0, 3, 2});
  EXPECT_EQ(settled(virgin, rules).payoffs, (Payoffs{-40, 40, -20, 20}));
}

// OPEN-22: tricks go to the left neighbour before the count.
TEST(RamschPrice, R_054_schieberramsch_counts_the_tricks_of_the_right_neighbour) {
  RuleSet rules;
  rules.ramsch_shift = true;
  const Settlement result = settled(ramsch({60, 40, 20, 0}, {3, 3, 2, 0}), rules);
  EXPECT_EQ(result.loser, 1);
  EXPECT_EQ(result.virgins, 1);
  EXPECT_EQ(settled(ramsch({120, 0, 0, 0}, {8, 0, 0, 0}), rules).march, 1);
}

// ---- ranks of the auction (D.3) ----

int price_rank(const std::string& name) {
  const NamedContract named = parse_contract(name);
  return named.tout ? named.row->tout_rank : named.row->rank;
}

void expect_falling_ranks(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    EXPECT_GT(price_rank(names[i]), price_rank(names[i + 1]))
        << names[i] << " over " << names[i + 1];
  }
}

// 000 A1 1.5
TEST(Ranks, R_093_official_ranks_with_the_variants) {
  expect_falling_ranks({"SIE", "SOLO_TOUT", "WENZ_TOUT", "GEIER_TOUT", "FARBWENZ_TOUT",
                        "FARBGEIER_TOUT", "SOLO", "WENZ", "GEIER", "FARBWENZ", "FARBGEIER",
                        "BETTEL", "RUF"});
}

TEST(Ranks, R_094_ranks_of_003_with_the_extending_games) {
  expect_falling_ranks({"SIE", "SOLO_TOUT", "WENZ_TOUT", "GEIER_TOUT", "BETTEL_BRETT", "SOLO",
                        "WENZ", "GEIER", "HABICHT", "EISENBAHNER", "BETTEL", "HOCHZEIT", "RUF",
                        "MUSS", "RAMSCH"});
  EXPECT_EQ(price_rank("BETTEL_BRETT"), price_rank("RAMSCH_TOUT"));
  EXPECT_EQ(price_rank("BETTEL"), price_rank("BETTEL_MIX"));
}

// 004 2
TEST(Ranks, R_095_the_tournament_plays_solo_wenz_rufspiel_and_ramsch) {
  const RuleSet rules = preset("tournament_2024");
  expect_falling_ranks({"SOLO", "WENZ", "RUF", "RAMSCH"});
  EXPECT_EQ(to_text(get_field(rules, "contracts")), "[\"RUF\", \"SOLO\", \"WENZ\"]");
  EXPECT_FALSE(rules.sie_enabled);
  EXPECT_EQ(rules.all_pass, AllPass::kRamsch);
  EXPECT_TRUE(rules.bock_triggers.empty());
  EXPECT_EQ(rules.special_round, SpecialRound::kNone);
}

}  // namespace
}  // namespace schafkopf
