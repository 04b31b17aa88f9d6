// Prices, claims, Stock and infractions (RULES C.6, E.6, G) from hand-made outcomes; the seeds'
// own figures are in worked_examples_test.cpp.
#include "env/price/settle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/price/settle_text.h"
#include "env/rules/rules.h"
#include "tests/cpp/support/session_helpers.h"

namespace schafkopf::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Outcome ramsch_of(std::array<std::uint8_t, 4> points, std::array<std::uint8_t, 4> tricks) {
  Outcome outcome;
  outcome.contract.contract = parse_contract("RAMSCH").row->contract;
  outcome.points = points;
  outcome.tricks = tricks;
  return outcome;
}

Outcome offence(Outcome outcome, Infraction infraction, int offender) {
  outcome.infraction = infraction;
  outcome.offender = offender;
  return outcome;
}

RuleSet with_policy(InfractionPolicy policy) {
  RuleSet rules;
  rules.infraction_policy = policy;
  return rules;
}

// Range of amounts (G.3)

void set_amount(RuleSet& rules, TariffKey key, int amount) {
  rules.tariff.amounts[static_cast<std::size_t>(key)] = amount;
}

TEST(Price, G_3_no_factor_leads_out_of_the_range_of_amounts) {
  RuleSet rules;
  set_amount(rules, TariffKey::kSolo, 1'000'000);
  set_amount(rules, TariffKey::kRamsch, 1'000'000);
  set_amount(rules, TariffKey::kMarch, 1'000'000);
  DealContext context;
  context.bock = kMaxBock;
  for (const KontraScope scope :
       {KontraScope::kAll, KontraScope::kNoLaufende, KontraScope::kBaseOnly}) {
    rules.kontra_scope = scope;
    Outcome solo = played_outcome("SOLO", 0, {0}, 120, 8);
    solo.level = 8;
    solo.legen = 4;
    solo.laufende = 14;
    EXPECT_THAT(settle(solo, rules, context).payoffs,
                ElementsAre(3 * kMostPrice, -kMostPrice, -kMostPrice, -kMostPrice));
  }
  Outcome over_claim = played_outcome("SOLO", 0, {0}, 120, 8);
  over_claim.level = 8;
  over_claim.claimed_laufende = 14;
  rules.kontra_scope = KontraScope::kAll;
  set_amount(rules, TariffKey::kLaufende, 1'000'000);
  EXPECT_THAT(settle(over_claim, rules, context).payoffs,
              ElementsAre(-3 * kMostPrice, kMostPrice, kMostPrice, kMostPrice));
  rules.ramsch_virgin = RamschVirgin::kReceivesDouble;
  const Settlement lost = settle(ramsch_of({100, 20, 0, 0}, {7, 1, 0, 0}), rules, context);
  EXPECT_THAT(lost.payoffs,
              ElementsAre(-5 * kMostPrice, kMostPrice, 2 * kMostPrice, 2 * kMostPrice));
  const Settlement march = settle(ramsch_of({120, 0, 0, 0}, {8, 0, 0, 0}), rules, context);
  EXPECT_THAT(march.payoffs, ElementsAre(3 * kMostPrice, -kMostPrice, -kMostPrice, -kMostPrice));
}

// Claims (G.5)

TEST(Claims, R_165_forgotten_laufende_are_not_paid) {
  Outcome outcome = played_outcome("RUF", 0, {0, 2}, 70);
  outcome.laufende = 3;
  EXPECT_EQ(settle(outcome, RuleSet{}).price, 40);
  outcome.claimed_laufende = 0;
  EXPECT_EQ(settle(outcome, RuleSet{}).price, 10);
  outcome.claimed_laufende = 2;  // an under-claim stands (002)
  EXPECT_EQ(settle(outcome, RuleSet{}).price, 30);
  EXPECT_EQ(settle(outcome, RuleSet{}).laufende, 3);
  EXPECT_EQ(settle(outcome, RuleSet{}).laufende_paid, 2);
}

TEST(Claims, R_166_an_over_claim_is_paid_back_double_times_all_factors) {
  Outcome outcome = played_outcome("SOLO", 1, {1}, 70);
  outcome.laufende = 3;
  outcome.claimed_laufende = 5;
  outcome.level = 1;
  EXPECT_EQ(settle(outcome, RuleSet{}).price, 2 * (50 + 10));
  EXPECT_THAT(settle(outcome, RuleSet{}).payoffs, ElementsAre(-120, 360, -120, -120));
  outcome.laufende = 0;
  outcome.claimed_laufende = 14;
  EXPECT_THAT(settle(outcome, RuleSet{}).payoffs, ElementsAre(180, -540, 180, 180));
  EXPECT_TRUE(settle(outcome, RuleSet{}).won);
}

TEST(Claims, R_166_defenders_who_won_pay_their_over_claim_too) {
  Outcome outcome = played_outcome("RUF", 0, {0, 2}, 40);
  outcome.claimed_laufende = 4;
  EXPECT_THAT(settle(outcome, RuleSet{}).payoffs, ElementsAre(30, -30, 30, -30));
}

TEST(Claims, R_167_schneider_is_paid_unasked_and_schwarz_on_claim_only) {
  Outcome outcome = played_outcome("RUF", 0, {0, 2}, 120, 8);
  EXPECT_EQ(settle(outcome, RuleSet{}).price, 30);
  outcome.claimed_schwarz = 0;
  EXPECT_EQ(settle(outcome, RuleSet{}).price, 20);
  EXPECT_TRUE(settle(outcome, RuleSet{}).schwarz);
  EXPECT_FALSE(settle(outcome, RuleSet{}).schwarz_paid);
  outcome.claimed_schwarz = 1;
  EXPECT_EQ(settle(outcome, RuleSet{}).price, 30);
  EXPECT_TRUE(settle(outcome, RuleSet{}).schwarz_paid);
}

TEST(Claims, R_167_a_wrong_schwarz_claim_costs_one_schwarz) {
  Outcome outcome = played_outcome("RUF", 0, {0, 2}, 100, 7);
  outcome.claimed_schwarz = 1;
  EXPECT_EQ(settle(outcome, RuleSet{}).price, 10 + 10 - 10);
  EXPECT_THAT(settlement_steps(outcome, RuleSet{}), Contains("Schwarz claimed wrongly -10"));
}

// Single games

TEST(Price, R_161_the_short_deck_always_counts_schneider_in_single_games) {
  RuleSet rules;
  rules.solo_schneider_schwarz = false;
  const Outcome outcome = played_outcome("SOLO", 0, {0}, 120, 8);
  EXPECT_EQ(settle(outcome, rules).price, 50);
  rules.deck = Deck::kShort24;
  EXPECT_EQ(settle(outcome, rules).price, 70);
}

TEST(Price, R_006_a_single_game_of_three_is_paid_by_two) {
  RuleSet rules;
  rules.deck = Deck::kShort24;
  rules.players = 3;
  EXPECT_THAT(settle(played_outcome("WENZ", 2, {2}, 61), rules).payoffs,
              ElementsAre(-50, -50, 100, 0));
}

TEST(Price, R_100_the_bid_raises_what_the_declarer_needs) {
  Outcome outcome = played_outcome("SOLO", 0, {0}, 80);
  outcome.contract.bid = 80;
  EXPECT_FALSE(settle(outcome, RuleSet{}).won);
  EXPECT_FALSE(settle(outcome, RuleSet{}).schneider);  // only 30 points lose Schneider (OPEN-44)
  outcome.contract.bid = 70;
  EXPECT_TRUE(settle(outcome, RuleSet{}).won);
  outcome = played_outcome("SOLO", 0, {0}, 120, 7);
  outcome.contract.bid = 120;  // 120 points are enough (OPEN-43)
  EXPECT_TRUE(settle(outcome, RuleSet{}).won);
}

TEST(Price, R_042_a_kreuzbock_has_parties_but_no_declarer) {
  const Settlement settlement =
      settle(played_outcome("KREUZ", -1, {1, 3}, 60), RuleSet{}, {.stock = 40});
  EXPECT_FALSE(settlement.won);
  EXPECT_THAT(settlement.payoffs, ElementsAre(10, -10, 10, -10));
  EXPECT_THAT(settlement.stock_payoffs, ElementsAre(0, 0, 0, 0));
}

TEST(Price, R_071_bock_is_a_factor_of_the_whole_price) {
  EXPECT_EQ(settle(played_outcome("RUF", 0, {0, 1}, 95), RuleSet{}, {.bock = 2}).price, 4 * 20);
}

// Ramsch

TEST(Ramsch, R_051_an_announced_jungfrau_doubles_everything) {
  Outcome outcome = ramsch_of({50, 40, 30, 0}, {3, 3, 2, 0});
  outcome.announced = 0b1000;
  EXPECT_THAT(settle(outcome, RuleSet{}).payoffs, ElementsAre(-160, 40, 40, 80));
}

TEST(Ramsch, R_051_a_failed_announcement_loses_whatever_the_points) {
  Outcome outcome = ramsch_of({60, 40, 15, 5}, {3, 3, 1, 1});
  outcome.announced = 0b1000;
  EXPECT_EQ(settle(outcome, RuleSet{}).loser, 3);
  EXPECT_THAT(settle(outcome, RuleSet{}).payoffs, ElementsAre(40, 40, 40, -120));
  outcome.announced = 0b1100;  // the chain decides between failed announcements
  EXPECT_EQ(settle(outcome, RuleSet{}).loser, 2);
}

TEST(Ramsch, R_051_the_durchmarsch_beats_a_failed_announcement) {
  Outcome outcome = ramsch_of({120, 0, 0, 0}, {8, 0, 0, 0});
  outcome.announced = 0b0001;
  const Settlement settlement = settle(outcome, RuleSet{});
  EXPECT_EQ(settlement.march, 0);
  EXPECT_THAT(settlement.payoffs, ElementsAre(420, -140, -140, -140));
}

TEST(Ramsch, its_price_is_told_step_by_step) {
  RuleSet rules;
  const auto steps = [&](std::array<std::uint8_t, 4> points, std::array<std::uint8_t, 4> tricks) {
    return settlement_steps(ramsch_of(points, tricks), rules);
  };
  EXPECT_THAT(steps({70, 50, 0, 0}, {4, 4, 0, 0}),
              ElementsAre("RAMSCH: seat 0 loses", "base 20",
                          "Jungfrau: 2 without a trick, paid twice the price",
                          "price 20 Pfennig per player", "payoffs -100 20 40 40"));
  EXPECT_THAT(steps({120, 0, 0, 0}, {8, 0, 0, 0}),
              ElementsAre("RAMSCH: Durchmarsch of seat 0", "base 70", "price 70 Pfennig per player",
                          "payoffs 210 -70 -70 -70"));
  rules.ramsch_virgin = RamschVirgin::kAllDoublePerVirgin;
  EXPECT_THAT(steps({70, 50, 0, 0}, {4, 4, 0, 0}), Contains("Jungfrau: 2 without a trick: x4"));
  rules.ramsch_virgin = RamschVirgin::kAllDouble;
  EXPECT_THAT(steps({70, 50, 0, 0}, {4, 4, 0, 0}), Contains("Jungfrau: 2 without a trick: x2"));
  rules.ramsch_virgin = RamschVirgin::kOff;
  EXPECT_THAT(steps({70, 50, 0, 0}, {4, 4, 0, 0}),
              ElementsAre("RAMSCH: seat 0 loses", "base 20", "price 20 Pfennig per player",
                          "payoffs -60 20 20 20"));
}

// Stock and Reuegeld (G.7)

TEST(Stock, R_103_everybody_who_plays_deposits_one_unit) {
  Outcome outcome;
  outcome.thrown_in = outcome.stock_deposit = true;
  EXPECT_THAT(settle(outcome, RuleSet{}).stock_payoffs, ElementsAre(-10, -10, -10, -10));
  EXPECT_THAT(settle(outcome, RuleSet{}).payoffs, ElementsAre(0, 0, 0, 0));
  RuleSet three;
  three.deck = Deck::kShort24;
  three.players = 3;
  EXPECT_THAT(settle(outcome, three).stock_payoffs, ElementsAre(-10, -10, -10, 0));
  outcome.stock_deposit = false;
  EXPECT_THAT(settle(outcome, RuleSet{}).stock_payoffs, ElementsAre(0, 0, 0, 0));
}

TEST(Stock, R_174_the_declarer_wins_or_doubles_it_without_multipliers) {
  Outcome outcome = played_outcome("RUF", 1, {1, 3}, 70);
  outcome.level = 2;
  EXPECT_THAT(settle(outcome, RuleSet{}, {.stock = 40}).stock_payoffs, ElementsAre(0, 40, 0, 0));
  EXPECT_THAT(settle(outcome, RuleSet{}, {.stock = 40}).payoffs, ElementsAre(-40, 40, -40, 40));
  outcome = played_outcome("RUF", 1, {1, 3}, 60);
  EXPECT_THAT(settle(outcome, RuleSet{}, {.stock = 40}).stock_payoffs, ElementsAre(0, -40, 0, 0));
}

TEST(Stock, R_175_the_declarer_takes_what_the_party_cannot_split) {
  RuleSet rules;
  rules.stock_owner = StockOwner::kParty;
  EXPECT_THAT(settle(played_outcome("RUF", 1, {1, 3}, 70), rules, {.stock = 45}).stock_payoffs,
              ElementsAre(0, 23, 0, 22));
  EXPECT_THAT(settle(played_outcome("RUF", 1, {1, 3}, 50), rules, {.stock = 45}).stock_payoffs,
              ElementsAre(0, -23, 0, -22));
}

TEST(Stock, R_175_the_games_that_can_win_it_are_a_switch) {
  const auto wins = [](const std::string& contract, StockGames games) {
    RuleSet rules;
    rules.stock_games = games;
    const bool single = parse_contract(contract).row->is_single();
    const Outcome outcome =
        single ? played_outcome(contract, 0, {0}, 120, contract == "BETTEL" ? 0 : 8)
               : played_outcome(contract, 0, {0, 1}, 120, 8);
    return settle(outcome, rules, {.stock = 40}).stock_payoffs[0] == 40;
  };
  for (const std::string contract : {"RUF", "HOCHZEIT", "KREUZ"}) {
    EXPECT_TRUE(wins(contract, StockGames::kPartner)) << contract;
    EXPECT_FALSE(wins(contract, StockGames::kSolo)) << contract;
    EXPECT_TRUE(wins(contract, StockGames::kBoth)) << contract;
  }
  for (const std::string contract : {"SOLO", "WENZ_TOUT", "BETTEL", "SIE"}) {
    EXPECT_FALSE(wins(contract, StockGames::kPartner)) << contract;
    EXPECT_TRUE(wins(contract, StockGames::kSolo)) << contract;
    EXPECT_TRUE(wins(contract, StockGames::kBoth)) << contract;
  }
  EXPECT_FALSE(wins("MUSS", StockGames::kBoth));
}

TEST(Stock, a_doubling_stops_where_amounts_would_leave_their_range) {
  const Settlement settlement =
      settle(played_outcome("RUF", 0, {0, 1}, 10), RuleSet{}, {.stock = kMaxStock - 7});
  EXPECT_EQ(settlement.stock_payoffs[0], -7);
}

TEST(Stock, R_176_every_lost_declarer_game_costs_the_reuegeld) {
  RuleSet rules;
  rules.reuegeld = 30;
  EXPECT_EQ(settle(played_outcome("RUF", 0, {0, 1}, 60), rules).reuegeld, 30);
  EXPECT_EQ(settle(played_outcome("SOLO", 0, {0}, 60), rules).reuegeld, 30);
  EXPECT_EQ(settle(played_outcome("SOLO", 0, {0}, 61), rules).reuegeld, 0);
  EXPECT_EQ(settle(ramsch_of({60, 30, 20, 10}, {2, 2, 2, 2}), rules).reuegeld, 0);
  EXPECT_EQ(settle(played_outcome("RUF", 0, {0, 1}, 60), rules).payoffs[0], -10);
  rules.tariff = named_tariff("5/20 half Laufende");  // amounts in halves
  EXPECT_EQ(settle(played_outcome("RUF", 0, {0, 1}, 60), rules).reuegeld, 60);
}

// Infractions (E.6)

TEST(Infractions, R_127_after_a_wrong_lead_the_cards_decide) {
  const RuleSet rules = with_policy(InfractionPolicy::kOfficial);
  for (const Infraction infraction : {Infraction::kWrongLead, Infraction::kRevoke}) {
    // the game has given the rest to the other side: 65 points are enough for the declarer
    EXPECT_TRUE(settle(offence(played_outcome("RUF", 0, {0, 2}, 65), infraction, 1), rules).won);
    EXPECT_FALSE(settle(offence(played_outcome("RUF", 0, {0, 2}, 25), infraction, 0), rules).won);
    EXPECT_EQ(settle(offence(played_outcome("RUF", 0, {0, 2}, 25), infraction, 0), rules).price,
              20);
    EXPECT_FALSE(
        settle(offence(played_outcome("SOLO_TOUT", 0, {0}, 70, 5), infraction, 0), rules).won);
    EXPECT_TRUE(
        settle(offence(played_outcome("SOLO_TOUT", 0, {0}, 120, 8), infraction, 1), rules).won);
  }
}

TEST(Infractions, E_6_the_words_of_a_game_that_an_infraction_decides_have_no_points) {
  const RuleSet rules = with_policy(InfractionPolicy::kOfficial);
  const auto words = [&rules](Infraction infraction) {
    return settlement_parts(offence(played_outcome("RUF", 0, {0, 2}, 65), infraction, 1), rules)
        .at(1)
        .pattern;
  };
  EXPECT_THAT(words(Infraction::kRevokeLate), testing::EndsWith(" won"));
  EXPECT_THAT(words(Infraction::kRevoke), testing::EndsWith(" won with 65 points"));
}

TEST(Infractions, OPEN_54_the_words_of_an_offence_in_a_ramsch_know_no_jungfrau_and_no_schwarz) {
  RuleSet rules = with_policy(InfractionPolicy::kOfficial);
  rules.ramsch_virgin_announced = true;
  Outcome outcome = offence(ramsch_of({60, 30, 30, 0}, {3, 3, 2, 0}), Infraction::kRevokeLate, 0);
  outcome.announced = 0b1000;
  std::string words;
  for (const SettlementStep& step : settlement_parts(outcome, rules)) words += step.pattern + "\n";
  EXPECT_THAT(words, HasSubstr("the offender's party loses the simple game"));
  EXPECT_THAT(words, HasSubstr("price 20"));
  EXPECT_THAT(words, testing::Not(HasSubstr("Jungfrau announced")));
}

TEST(Infractions, R_128_a_late_revoke_loses_schwarz) {
  const RuleSet rules = with_policy(InfractionPolicy::kOfficial);
  Outcome outcome = offence(played_outcome("RUF", 0, {0, 2}, 70), Infraction::kRevokeLate, 2);
  outcome.laufende = 3;
  const Settlement settlement = settle(outcome, rules);
  EXPECT_FALSE(settlement.won);
  EXPECT_TRUE(settlement.schwarz);
  EXPECT_THAT(settlement.payoffs, ElementsAre(-60, 60, -60, 60));
  outcome.offender = 1;
  EXPECT_THAT(settle(outcome, rules).payoffs, ElementsAre(60, -60, 60, -60));
  outcome = offence(played_outcome("WENZ_TOUT", 0, {0}, 50, 4), Infraction::kRevokeLate, 3);
  EXPECT_EQ(settle(outcome, rules).price, 100);  // no Schwarz in a Tout
  EXPECT_TRUE(settle(outcome, rules).won);
  EXPECT_FALSE(settle(outcome, rules).schneider || settle(outcome, rules).schwarz);  // G.1
  outcome = offence(played_outcome("BETTEL", 0, {0}, 0, 0), Infraction::kCardCount, 3);
  EXPECT_FALSE(settle(outcome, rules).schneider || settle(outcome, rules).schwarz);
}

TEST(Infractions, R_129_the_party_with_the_right_number_of_cards_wins_schwarz) {
  const Outcome outcome = offence(played_outcome("SOLO", 0, {0}, 40), Infraction::kCardCount, 3);
  for (const InfractionPolicy policy :
       {InfractionPolicy::kOfficial, InfractionPolicy::kTournament}) {
    EXPECT_EQ(settle(outcome, with_policy(policy)).price, 50 + 10 + 10);
    EXPECT_TRUE(settle(outcome, with_policy(policy)).won);
  }
}

TEST(Infractions, R_130_game_loss_is_a_simple_loss_with_laufende_and_multipliers) {
  const RuleSet rules = with_policy(InfractionPolicy::kGameLoss);
  for (const Infraction infraction :
       {Infraction::kWrongLead, Infraction::kRevoke, Infraction::kTalk, Infraction::kRevokeLate,
        Infraction::kCardCount}) {
    Outcome outcome = offence(played_outcome("RUF", 0, {0, 2}, 120, 8), infraction, 2);
    outcome.laufende = 3;
    outcome.level = 1;
    EXPECT_THAT(settle(outcome, rules).payoffs, ElementsAre(-80, 80, -80, 80));
    EXPECT_FALSE(settle(outcome, rules).schneider);
  }
}

TEST(Infractions, R_131_the_tournament_fines_the_offender_alone) {
  const RuleSet rules = preset("tournament_2024");
  Outcome outcome = offence(played_outcome("RUF", 0, {0, 2}, 70), Infraction::kRevokeLate, 2);
  outcome.level = 1;  // no multipliers (OPEN-55)
  EXPECT_THAT(settle(outcome, rules).payoffs, ElementsAre(10, 10, -30, 10));
  outcome = offence(played_outcome("SOLO_TOUT", 1, {1}, 70), Infraction::kRevokeLate, 1);
  EXPECT_THAT(settle(outcome, rules).payoffs, ElementsAre(20, -60, 20, 20));
  outcome = offence(ramsch_of({30, 30, 30, 30}, {2, 2, 2, 2}), Infraction::kRevokeLate, 3);
  EXPECT_THAT(settle(outcome, rules).payoffs, ElementsAre(10, 10, 10, -30));
  // noticed at once: corrected, no penalty
  outcome = offence(played_outcome("RUF", 0, {0, 2}, 70), Infraction::kRevoke, 0);
  EXPECT_THAT(settle(outcome, rules).payoffs, ElementsAre(10, -10, 10, -10));
}

TEST(Infractions, OPEN_54_an_offender_loses_negative_games_and_the_ramsch) {
  for (const InfractionPolicy policy : {InfractionPolicy::kOfficial, InfractionPolicy::kGameLoss}) {
    const RuleSet rules = with_policy(policy);
    EXPECT_FALSE(
        settle(offence(played_outcome("BETTEL", 0, {0}, 0, 0), Infraction::kRevoke, 0), rules).won);
    EXPECT_TRUE(
        settle(offence(played_outcome("BETTEL", 0, {0}, 30, 1), Infraction::kRevoke, 2), rules)
            .won);
    Outcome outcome = ramsch_of({0, 70, 50, 0}, {0, 4, 4, 0});
    outcome.legen = 1;
    const Settlement settlement = settle(offence(outcome, Infraction::kWrongLead, 0), rules);
    EXPECT_EQ(settlement.loser, 0);
    EXPECT_THAT(settlement.payoffs, ElementsAre(-120, 40, 40, 40));
  }
}

TEST(Infractions, talk_without_a_stated_sanction_changes_nothing) {
  const Outcome outcome = played_outcome("RUF", 0, {0, 2}, 70);
  for (const InfractionPolicy policy :
       {InfractionPolicy::kOfficial, InfractionPolicy::kTournament}) {
    const RuleSet rules = with_policy(policy);
    EXPECT_EQ(settle(offence(outcome, Infraction::kTalk, 0), rules).payoffs,
              settle(outcome, rules).payoffs);
  }
}

// Words

TEST(SettlementSteps, every_part_of_the_price_has_a_step) {
  Outcome outcome = played_outcome("RUF", 0, {0, 2}, 50);
  outcome.laufende = 3;
  outcome.claimed_laufende = 4;
  outcome.level = 1;
  outcome.legen = 2;
  RuleSet rules;
  rules.reuegeld = 5;
  EXPECT_THAT(
      settlement_steps(outcome, rules, {.stock = 40, .bock = 1}),
      ElementsAre("RUF lost with 50 points", "base 10",
                  "4 Laufende claimed, 3 payable: 2 paid, +20", "Stoß x2", "laid by 2 players x4",
                  "Bock x2", "price 480 Pfennig per player", "payoffs -480 480 -480 480",
                  "Stock of 40 doubled: -40 0 0 0", "Reuegeld 5 from seat 0 into the kitty"));
  EXPECT_THAT(settlement_steps(outcome, rules, {.stock = kMaxStock - 1}),
              Contains("Stock of " + std::to_string(kMaxStock - 1) + " filled up: -1 0 0 0"));
}

TEST(SettlementSteps, a_price_that_is_cut_is_said_to_be_the_highest) {
  RuleSet rules;
  rules.tariff.amounts[static_cast<std::size_t>(TariffKey::kRuf)] = 1'000'000;
  Outcome outcome = played_outcome("RUF", 0, {0, 2}, 70);
  outcome.level = 4, outcome.legen = 4;
  EXPECT_THAT(settlement_steps(outcome, rules, {.bock = 1}),
              AllOf(Contains("at most 300000000: no price is higher"),
                    Contains("price 300000000 Pfennig per player")));
  outcome.legen = 0;
  EXPECT_THAT(settlement_steps(outcome, rules, {}), Not(Contains(HasSubstr("at most"))));
}

TEST(SettlementSteps, R_172_what_doublings_leave_as_it_is_is_said_where_it_is_paid) {
  Outcome outcome = played_outcome("RUF", 0, {0, 2}, 95);
  outcome.level = 1;
  const auto doubled = [&](KontraScope scope, int laufende) {
    outcome.laufende = laufende;
    RuleSet rules;
    rules.kontra_scope = scope;
    std::string line;
    for (const std::string& step : settlement_steps(outcome, rules, {})) {
      if (step.starts_with("Stoß")) line = step;
    }
    return line;
  };
  EXPECT_EQ(doubled(KontraScope::kAll, 3), "Stoß x2");
  EXPECT_EQ(doubled(KontraScope::kNoLaufende, 3), "Stoß x2, not the Laufende");
  EXPECT_EQ(doubled(KontraScope::kNoLaufende, 0), "Stoß x2");
  EXPECT_EQ(doubled(KontraScope::kBaseOnly, 3), "Stoß x2, of the base alone");
  EXPECT_EQ(doubled(KontraScope::kBaseOnly, 0), "Stoß x2, of the base alone");  // Schneider
  outcome = played_outcome("RUF", 0, {0, 2}, 70);
  outcome.level = 1;
  EXPECT_EQ(doubled(KontraScope::kBaseOnly, 0), "Stoß x2");
}

TEST(SettlementSteps, a_tout_and_a_bettel_are_told_by_their_tricks) {
  const auto first = [](const char* contract, int tricks) {
    const int points = tricks == 0 ? 0 : 120;
    return settlement_steps(played_outcome(contract, 1, {1}, points, tricks), RuleSet{}).front();
  };
  EXPECT_EQ(first("WENZ_TOUT", 8), "WENZ_TOUT won with 8 tricks");
  EXPECT_EQ(first("BETTEL", 0), "BETTEL won with 0 tricks");
  EXPECT_EQ(first("BETTEL", 1), "BETTEL lost with 1 trick");
}

// G.2: half of the base of 5 for each of three Laufende.
TEST(SettlementSteps, half_units_are_written_with_a_point) {
  Outcome outcome = played_outcome("RUF", 0, {0, 2}, 70);
  outcome.laufende = 3;
  RuleSet rules;
  rules.tariff = named_tariff("5/20 half Laufende");
  EXPECT_THAT(settlement_steps(outcome, rules),
              ElementsAre("RUF won with 70 points", "base 5", "3 Laufende +7.5",
                          "price 12.5 Cent per player", "payoffs 12.5 -12.5 12.5 -12.5"));
}

TEST(SettlementSteps, throw_ins_and_infractions_are_told) {
  Outcome outcome;
  outcome.thrown_in = outcome.stock_deposit = true;
  EXPECT_THAT(
      settlement_steps(outcome, RuleSet{}),
      ElementsAre("all passed: thrown in, everybody pays into the Stock", "Stock -10 -10 -10 -10"));
  EXPECT_THAT(settlement_steps(outcome, RuleSet{}, {.stock = kMaxStock}),
              ElementsAre("all passed: thrown in, the Stock is full: nobody pays"));
  outcome = offence(played_outcome("RUF", 0, {0, 2}, 70), Infraction::kRevokeLate, 2);
  EXPECT_THAT(settlement_steps(outcome, preset("tournament_2024")).front(),
              HasSubstr("INF_REVOKE_LATE of seat 2: fixed penalty"));
  outcome = ramsch_of({50, 40, 30, 0}, {3, 3, 2, 0});
  outcome.announced = 8;
  EXPECT_THAT(settlement_steps(outcome, RuleSet{}), Contains("Jungfrau announced by 1 player: x2"));
}

}  // namespace
}  // namespace schafkopf::test
