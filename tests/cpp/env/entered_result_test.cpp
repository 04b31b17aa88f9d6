// Results that a person enters: what the price depends on must be there, the rest may be left out,
// and what no deal under the rules has is refused by the name of the member.
#include "env/record/entered_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "env/base/wrong_argument.h"
#include "env/rules/rules.h"
#include "tests/cpp/support/errors.h"

namespace schafkopf::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

using Numbers = std::vector<int>;

EnteredResult solo() {
  EnteredResult entered;
  entered.contract = "SOLO";
  entered.declarer = 1;
  entered.points = Numbers{70};
  return entered;
}

EnteredResult ramsch() {
  EnteredResult entered;
  entered.contract = "RAMSCH";
  entered.points = Numbers{50, 40, 20, 10};
  entered.tricks = Numbers{3, 3, 1, 1};
  return entered;
}

using Change = void (*)(RuleSet&);

CompiledRules rules_of(std::string_view name, Change change = [](RuleSet&) {}) {
  RuleSet rules = preset(name);
  change(rules);
  return CompiledRules(rules);
}

auto payoffs(const EnteredResult& entered, const CompiledRules& rules) {
  const PricedResult priced = price_result(entered, rules);
  return settle(priced.outcome, rules, priced.context).payoffs;
}

// C.20.8: what windows and limits of Kontra say does not matter.
TEST(EnteredResult, R_080_a_hadsch_is_doubled_once_whatever_the_windows_say) {
  EnteredResult doubled = solo();
  doubled.doublings = 1;
  for (const Change change : {Change([](RuleSet& rules) {
                                rules.special_round = SpecialRound::kHadsch;
                                rules.kontra_window = KontraWindow::kOff;
                              }),
                              Change([](RuleSet& rules) {
                                rules.special_round_triggers[0] = SpecialRound::kHadsch;
                                rules.max_doublings_solo = 0;
                              })}) {
    const CompiledRules rules = rules_of("official_1989", change);
    EXPECT_THAT(payoffs(doubled, rules), ElementsAre(-100, 300, -100, -100));
  }
}

// F.4, F.5: after two doublings either party may have doubled last.
TEST(EnteredResult, R_144_R_146_a_kreuzrunde_does_not_guess_who_doubled_last) {
  const CompiledRules takeover =
      rules_of("official_1989", [](RuleSet& rules) { rules.kontra_takeover = true; });
  EnteredResult kreuz = solo();
  kreuz.contract = "KREUZ";
  kreuz.doublings = 1;
  EXPECT_THAT(payoffs(kreuz, takeover), ElementsAre(-20, 20, -20, 20));
  kreuz.doublings = 2;
  EXPECT_THAT(payoffs(kreuz, takeover), ElementsAre(-40, 40, -40, 40))
      << "70 points win either way";
  kreuz.points = Numbers{60};
  EXPECT_THAT(error_of([&] { (void)price_result(kreuz, takeover); }),
              HasSubstr("doublings = 2: who doubled last decides"));
  EXPECT_THAT(payoffs(kreuz, rules_of("official_1989")), ElementsAre(40, -40, 40, -40));
}

TEST(EnteredResult, a_number_that_the_price_does_not_depend_on_may_be_left_out) {
  const CompiledRules rules = rules_of("official_1989");
  const PricedResult priced = price_result(solo(), rules);
  EXPECT_EQ(priced.outcome.points[1], 70);
  EXPECT_THAT(priced.steps, Contains(HasSubstr("payoffs")));
  EnteredResult exact = solo();
  exact.tricks = Numbers{5};
  EXPECT_EQ(payoffs(solo(), rules), payoffs(exact, rules));
  exact.forehand = 3;
  EXPECT_EQ(payoffs(solo(), rules), payoffs(exact, rules));
}

TEST(EnteredResult, F_3_the_sides_double_in_turn) {
  const CompiledRules rules = rules_of("official_1989");
  EnteredResult entered = solo();
  for (const int level : {1, 2}) {
    entered.doublings = level;
    EXPECT_EQ(price_result(entered, rules).outcome.defenders_doubled_last, level == 1);
  }
}

TEST(EnteredResult, R_163_says_how_many_of_a_run_count) {
  EnteredResult entered = solo();
  entered.laufende = 2;
  EXPECT_THAT(price_result(entered, rules_of("official_1989")).steps,
              Contains(HasSubstr("a run of 2: 0 Laufende count")));
}

TEST(EnteredResult, R_006_a_partner_game_needs_four_players) {
  const CompiledRules rules = rules_of("official_1989", [](RuleSet& r) {
    r.players = 3;
    r.deck = Deck::kShort24;
  });
  EnteredResult entered = solo();
  entered.contract = "KREUZ";
  EXPECT_EQ(error_of([&] { (void)price_result(entered, rules); }),
            "contract: KREUZ is a partner game and needs four players (R-006)");
}

TEST(EnteredResult, R_067_a_tout_is_entered_only_where_it_is_played) {
  const CompiledRules rules = rules_of("official_1989", [](RuleSet& r) { r.tout_enabled = false; });
  EnteredResult entered = solo();
  entered.contract = "SOLO_TOUT";
  EXPECT_EQ(error_of([&] { (void)price_result(entered, rules); }),
            "contract: SOLO_TOUT is not played (tout_enabled = false)");
}

// G.5: three Laufende are there, two were claimed; Schwarz was made and not claimed.
TEST(EnteredResult, R_165_R_167_only_what_was_claimed_is_paid) {
  const CompiledRules rules = rules_of("official_1989", [](RuleSet& r) {
    r.laufende_by_claim = true;
    r.schwarz_by_claim = true;
  });
  EnteredResult entered = solo();
  entered.points = Numbers{120};
  entered.tricks = Numbers{8};
  entered.laufende = 3;
  entered.claimed_laufende = 2;
  entered.claimed_schwarz = false;
  const auto unit = rules.tariff_scale();
  const int base = 50, level = 10;
  EXPECT_EQ(payoffs(entered, rules)[0], -(base + level + 2 * level) * unit);
  entered.claimed_schwarz = true;
  EXPECT_EQ(payoffs(entered, rules)[0], -(base + 2 * level + 2 * level) * unit);
  entered.claimed_laufende = 33;
  EXPECT_EQ(error_of([&] { (void)price_result(entered, rules); }),
            "claimed_laufende = 33, allowed: 0..32");
}

TEST(EnteredResult, R_051_an_announced_Jungfrau_is_a_seat_of_the_table) {
  const CompiledRules rules =
      rules_of("wikipedia_extended", [](RuleSet& r) { r.ramsch_virgin_announced = true; });
  EnteredResult entered = ramsch();
  entered.points = Numbers{60, 40, 20, 0};
  entered.tricks = Numbers{4, 3, 1, 0};
  const auto unannounced = payoffs(entered, rules);
  entered.announced = {3};
  EXPECT_EQ(price_result(entered, rules).outcome.announced, 0b1000);
  EXPECT_LT(payoffs(entered, rules)[0], unannounced[0]);
  entered.announced = {4};
  EXPECT_EQ(error_of([&] { (void)price_result(entered, rules); }),
            "announced = 4, allowed: a seat 0..3");
}

TEST(EnteredResult, R_045_a_tie_of_the_Ramsch_needs_what_decides_it) {
  const CompiledRules rules = rules_of("wikipedia_extended");
  EXPECT_LT(payoffs(ramsch(), rules)[0], 0);
  EnteredResult tied = ramsch();
  tied.points = Numbers{45, 45, 20, 10};
  EXPECT_THAT(error_of([&] { (void)price_result(tied, rules); }), HasSubstr("two seats are tied"));
  tied.trumps_taken = Numbers{5, 3, 1, 1};
  tied.highest_trump = std::vector<Card>{make_card(Suit::kEichel, Rank::kOber),
                                         make_card(Suit::kGras, Rank::kOber), kNoCard, kNoCard};
  tied.tricks = Numbers{3, 2, 2, 1};
  EXPECT_LT(payoffs(tied, rules)[0], 0);
}

TEST(EnteredResult, an_offence_alone_prices_a_Ramsch) {
  const CompiledRules rules = rules_of(
      "tournament_2024", [](RuleSet& r) { r.infraction_policy = InfractionPolicy::kTournament; });
  EnteredResult late;
  late.contract = "RAMSCH";
  late.infraction = Infraction::kRevokeLate;
  late.offender = 2;
  EXPECT_LT(payoffs(late, rules)[2], 0);
}

TEST(EnteredResult, a_deal_that_was_thrown_in_has_a_Stock_and_nothing_else) {
  const CompiledRules rules =
      rules_of("wikipedia_extended", [](RuleSet& r) { r.all_pass = AllPass::kStock; });
  EnteredResult thrown;
  thrown.stock = 3;
  thrown.stock_deposit = true;
  const PricedResult priced = price_result(thrown, rules);
  EXPECT_TRUE(priced.outcome.thrown_in);
  EXPECT_EQ(priced.context.stock, 3 * rules.tariff_scale());
  const std::pair<const char*, void (*)(EnteredResult&)> kChanges[] = {
      {"tricks", [](EnteredResult& e) { e.tricks = Numbers{1}; }},
      {"declarer", [](EnteredResult& e) { e.declarer = 1; }},
      {"laufende", [](EnteredResult& e) { e.laufende = 1; }},
      {"announced", [](EnteredResult& e) { e.announced = {1}; }},
      {"offender", [](EnteredResult& e) { e.offender = 1; }},
  };
  for (const auto& [argument, change] : kChanges) {
    EnteredResult wrong = thrown;
    change(wrong);
    EXPECT_EQ(error_of([&] { (void)price_result(wrong, rules); }),
              std::string(argument) + " does not belong to a deal that was thrown in");
  }
}

struct Wrong {
  const char* preset;
  const char* message;
  void (*change)(EnteredResult&);
};

class WrongResult : public testing::TestWithParam<Wrong> {};

TEST_P(WrongResult, is_refused_by_the_name_of_the_member) {
  const Wrong& wrong = GetParam();
  EnteredResult entered = solo();
  wrong.change(entered);
  EXPECT_THAT(error_of<WrongArgument>([&] { (void)price_result(entered, rules_of(wrong.preset)); }),
              HasSubstr(wrong.message));
}

const Wrong kWrong[] = {
    {"official_1989", "contract", [](EnteredResult& e) { e.contract = "SOLLO"; }},
    {"official_1989", "is not played under these rules",
     [](EnteredResult& e) { e.contract = "BETTEL"; }},
    {"official_1989", "declarer is missing", [](EnteredResult& e) { e.declarer.reset(); }},
    {"official_1989", "declarer = 4, allowed: a seat 0..3",
     [](EnteredResult& e) { e.declarer = 4; }},
    {"official_1989", "partner does not belong here: SOLO is played alone",
     [](EnteredResult& e) { e.partner = 2; }},
    {"official_1989", "partner is missing", [](EnteredResult& e) { e.contract = "RUF"; }},
    {"official_1989", "partner = 1 is the declarer's own seat",
     [](EnteredResult& e) {
       e.contract = "RUF";
       e.partner = 1;
     }},
    {"official_1989", "partner: in KREUZ he sits opposite, seat 3",
     [](EnteredResult& e) {
       e.contract = "KREUZ";
       e.partner = 2;
     }},
    {"wikipedia_extended", "partner does not belong here: RAMSCH has no declarer",
     [](EnteredResult& e) {
       e = ramsch();
       e.partner = 1;
     }},
    {"research", "doublings = 1, allowed: 0..0 (kontra_window = \"off\")",
     [](EnteredResult& e) { e.doublings = 1; }},
    {"official_1989", "doublings = 5, allowed: 0..4 (max_doublings_solo = 4)",
     [](EnteredResult& e) { e.doublings = 5; }},
    {"official_1989", "legen = 5, allowed: 0..", [](EnteredResult& e) { e.legen = 5; }},
    {"official_1989", "bock = ", [](EnteredResult& e) { e.bock = 1000; }},
    {"official_1989", "bid = 75, allowed: 0, 70, 80, ... 120 (R-098)",
     [](EnteredResult& e) { e.bid = 75; }},
    {"official_1989", "bid = 80, allowed: 0 (solo_contest", [](EnteredResult& e) { e.bid = 80; }},
    {"official_1989", "bid = 80, allowed: 0 in",
     [](EnteredResult& e) {
       e.contract = "RUF";
       e.partner = 2;
       e.bid = 80;
     }},
    {"official_1989", "laufende = 20, allowed: 0..14 (", [](EnteredResult& e) { e.laufende = 20; }},
    {"official_1989", "claimed_laufende needs laufende_by_claim = true (R-165)",
     [](EnteredResult& e) { e.claimed_laufende = 3; }},
    {"official_1989", "claimed_schwarz needs schwarz_by_claim = true (R-167)",
     [](EnteredResult& e) { e.claimed_schwarz = true; }},
    {"official_1989", "announced needs a Ramsch with ramsch_virgin_announced = true (R-051)",
     [](EnteredResult& e) { e.announced = {0}; }},
    {"official_1989", "offender: the infraction and its offender belong together",
     [](EnteredResult& e) { e.offender = 1; }},
    {"official_1989", "infraction: the infraction and its offender belong together",
     [](EnteredResult& e) { e.infraction = Infraction::kRevokeLate; }},
    {"official_1989", "trumps_taken decides ties of the Ramsch only (R-045)",
     [](EnteredResult& e) { e.trumps_taken = Numbers{1}; }},
    {"official_1989", "points: 2 numbers, allowed: one, of the declarer party",
     [](EnteredResult& e) { e.points = Numbers{70, 50}; }},
    {"official_1989", "points = 121, allowed: 0..120",
     [](EnteredResult& e) { e.points = Numbers{121}; }},
    {"official_1989", "points: 70 points in 0 of 8 tricks cannot be",
     [](EnteredResult& e) { e.tricks = Numbers{0}; }},
    {"official_1989", "points is missing: the price depends on it",
     [](EnteredResult& e) {
       e.points.reset();
       e.tricks = Numbers{4};
     }},
    {"official_1989", "stock = -1, allowed: 0..", [](EnteredResult& e) { e.stock = -1; }},
    {"official_1989", "stock_deposit belongs to a deal that was thrown in",
     [](EnteredResult& e) { e.stock_deposit = true; }},
    {"wikipedia_extended", "declarer does not belong here: RAMSCH has no declarer",
     [](EnteredResult& e) {
       e = ramsch();
       e.declarer = 1;
     }},
    {"wikipedia_extended", "points: the numbers add up to 121, allowed: 120 in all",
     [](EnteredResult& e) {
       e = ramsch();
       e.points = Numbers{51, 40, 20, 10};
     }},
    {"wikipedia_extended", "tricks: 3 numbers, allowed: one per seat (4)",
     [](EnteredResult& e) {
       e = ramsch();
       e.tricks = Numbers{3, 3, 2};
     }},
    {"wikipedia_extended", "points: seat 3: 10 points in 0 of 8 tricks cannot be",
     [](EnteredResult& e) {
       e = ramsch();
       e.tricks = Numbers{4, 3, 1, 0};
     }},
    {"wikipedia_extended", "highest_trump: 1 cards, allowed: one per seat",
     [](EnteredResult& e) {
       e = ramsch();
       e.highest_trump = std::vector<Card>{kNoCard};
     }},
};
INSTANTIATE_TEST_SUITE_P(Members, WrongResult, testing::ValuesIn(kWrong));

}  // namespace
}  // namespace schafkopf::test
