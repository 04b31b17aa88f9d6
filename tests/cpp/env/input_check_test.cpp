// Results and positions that no deal has are refused by member and range; those of real deals are
// not.
#include "env/record/input_check.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/deal/dealing.h"
#include "env/game/game.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table.h"

namespace schafkopf::test {
namespace {

/// A Rufspiel won with 70 points in five tricks.
Outcome ruf() {
  Outcome outcome;
  outcome.contract = {
      .contract = ContractClass::kRuf, .called = parse_card("EA").value(), .declarer = 0};
  outcome.declarer_party = 0b0101;
  outcome.points = {50, 30, 20, 20};
  outcome.tricks = {3, 2, 2, 1};
  outcome.laufende = 3;
  return outcome;
}

Outcome alone(ContractClass contract) {
  Outcome outcome = ruf();
  outcome.contract = {.contract = contract, .declarer = 0};
  outcome.declarer_party = 0b0001;
  outcome.laufende = 0;
  return outcome;
}

std::string outcome_error(const Outcome& outcome, const CompiledRules& rules) {
  return test::error_of<std::invalid_argument>([&] { check_outcome(outcome, rules); });
}

TEST(OutcomeCheck, names_what_no_deal_has) {
  const auto rules = CompiledRules::load("official_1989");
  EXPECT_EQ(outcome_error(ruf(), *rules), "no error");
  const auto error = [&rules](auto change, Outcome outcome = ruf()) {
    change(outcome);
    return outcome_error(outcome, *rules);
  };
  EXPECT_EQ(error([](Outcome& o) { o.points = {60, 30, 20, 20}; }),
            "points: 130 in all, allowed: at most 120");
  EXPECT_EQ(error([](Outcome& o) { o.tricks = {4, 2, 2, 1}; }),
            "tricks: 9 in all, allowed: at most 8");
  EXPECT_EQ(error([](Outcome& o) {
              o.points = {120, 0, 0, 0};
              o.tricks = {4, 2, 2, 0};
            }),
            "points[0] = 120, allowed: 8..112 in 4 tricks");
  EXPECT_EQ(error([](Outcome& o) {
              o.points = {50, 30, 20, 20};
              o.tricks = {3, 3, 2, 0};
            }),
            "points[3] = 20, allowed: 0..0 in 0 tricks");
  EXPECT_EQ(error([](Outcome& o) { o.laufende = 20; }),
            "laufende = 20, allowed: in RUF: 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 (G.4)");
  EXPECT_EQ(error([](Outcome& o) { o.level = 9; }),
            "doublings = 9, allowed: 0..4 in RUF (F.3: max_doublings_partner = 4)");
  EXPECT_EQ(error([](Outcome& o) { o.legen = 1; }),
            "legen = 1, allowed: 0..0 (F.1: legen = \"off\")");
  EXPECT_EQ(error([](Outcome& o) { o.declarer_party = 0b1010; }),
            "declarer_party: the declarer, seat 0, is missing");
  EXPECT_EQ(error([](Outcome& o) { o.declarer_party = 0b0001; }),
            "declarer_party: RUF needs 2 seats of 0..3");
  EXPECT_EQ(error([](Outcome& o) { o.announced = 0b10000; }), "announced, allowed: seats 0..3");
  EXPECT_EQ(error([](Outcome& o) { o.claimed_laufende = 15; }),
            "claimed_laufende = 15, allowed: -1..14");
  EXPECT_EQ(error([](Outcome& o) { o.claimed_schwarz = 2; }),
            "claimed_schwarz = 2, allowed: -1..1");
  EXPECT_EQ(error([](Outcome& o) { o.infraction = static_cast<Infraction>(50); }),
            "infraction = 50, allowed: 0..5");
  EXPECT_EQ(error([](Outcome& o) { o.infraction = Infraction::kRevoke; }),
            "offender = -1, allowed: 0..3");
  EXPECT_EQ(error([](Outcome& o) { o.offender = 9; }), "offender = 9, allowed: -1..3");
  EXPECT_EQ(error([](Outcome& o) { o.stock_deposit = true; }),
            "stock_deposit: these rules have no Stock (D.6, all_pass)");
  EXPECT_EQ(error([](Outcome& o) { o.laufende = 9; }, alone(ContractClass::kWenz)),
            "laufende = 9, allowed: in WENZ: 0, 2, 3, 4 (G.4)");
  EXPECT_EQ(error([](Outcome&) {}, alone(ContractClass::kGeier)),
            "contract: GEIER is not played under these rules (J.1, contracts; 000 A1 1.2)");
}

TEST(OutcomeCheck, highest_trumps_are_trumps_of_a_ramsch) {
  RuleSet rules = preset("official_1989_full");
  Outcome outcome;
  outcome.contract.contract = ContractClass::kRamsch;
  outcome.points = {40, 40, 40, 0};
  outcome.tricks = {2, 2, 2, 2};
  const auto error = [&](const std::vector<std::string>& cards) {
    for (std::size_t seat = 0; seat < cards.size(); ++seat) {
      outcome.highest_trump[seat] = *parse_card(cards[seat]);
    }
    return outcome_error(outcome, CompiledRules(rules));
  };
  EXPECT_EQ(error({"EO", "HU", "H7"}), "no error");
  EXPECT_EQ(error({"EO", "EO", "H7"}), "highest_trump[1] = EO comes twice");
  EXPECT_TRUE(error({"EO", "HU", "S9"}).starts_with("highest_trump[2] = S9, allowed: a trump: "));
  rules.ramsch_trumps = RamschTrumps::kNoHerz;
  EXPECT_TRUE(error({"EO", "HU", "H7"}).starts_with("highest_trump[2] = H7, allowed: a trump: "));
  rules.ramsch_trumps = RamschTrumps::kHerz;
  const auto numbers = [&](std::array<std::uint8_t, kNumSeats> taken, const char* second) {
    outcome.trumps_taken = taken;
    outcome.highest_trump = {parse_card("EO").value(), parse_card(second).value_or(kNoCard),
                             kNoCard, kNoCard};
    return outcome_error(outcome, CompiledRules(rules));
  };
  EXPECT_EQ(numbers({8, 6, 0, 0}, "HU"), "no error");
  EXPECT_EQ(numbers({0, 0, 0, 0}, "HU"), "no error");  // left out
  EXPECT_EQ(numbers({8, 7, 0, 0}, "HU"), "trumps_taken: 15 in all, allowed: at most 14");
  EXPECT_EQ(numbers({9, 1, 0, 0}, "HU"), "trumps_taken[0] = 9, allowed: 0..8 in 2 tricks");
  EXPECT_EQ(numbers({8, 3, 0, 0}, "-"), "no error");
  Outcome other = ruf();
  other.trumps_taken[0] = 2;
  EXPECT_EQ(outcome_error(other, CompiledRules(rules)),
            "trumps_taken, highest_trump: they decide ties of the Ramsch only (C.6, R-045)");
}

TEST(OutcomeCheck, nothing_is_counted_below_zero) {
  const auto rules = CompiledRules::load("research");
  Outcome outcome = ruf();
  outcome.level = -1;
  EXPECT_TRUE(outcome_error(outcome, *rules).starts_with("doublings = -1, allowed: 0.."));
  outcome = ruf();
  outcome.legen = -1;
  EXPECT_TRUE(outcome_error(outcome, *rules).starts_with("legen = -1, allowed: 0.."));
}

TEST(ContractCheck, numbers_that_name_no_class_or_suit_are_refused) {
  const auto rules = CompiledRules::load("research");
  const auto error = [&](const Contract& contract) {
    Outcome outcome = ruf();
    outcome.contract = contract;
    Position position;
    position.contract = contract;
    const std::string said =
        test::error_of<std::invalid_argument>([&] { check_contract(contract, *rules); });
    EXPECT_EQ(outcome_error(outcome, *rules), said);
    EXPECT_EQ(test::error_of<std::invalid_argument>([&] { check_position(position, *rules); }),
              said);
    return said;
  };
  Contract contract = ruf().contract;
  contract.suit = static_cast<Suit>(4);
  EXPECT_EQ(error(contract), "suit = 4, allowed: 0..3");
  contract.contract = static_cast<ContractClass>(200);
  EXPECT_EQ(error(contract), "contract = 200, allowed: the classes of ContractClass, 0.." +
                                 std::to_string(kNumContractClasses - 1));
}

TEST(PositionCheck, a_called_card_must_be_callable) {
  const auto rules = CompiledRules::load("research");
  Position position;
  position.contract = ruf().contract;
  position.hands = {parse_cards("EK SA"), parse_cards("EA E10"), parse_cards("E9 E8"),
                    parse_cards("E7 G7")};
  const auto error = [&](const char* called) -> std::string {
    position.contract.called = parse_card(called).value();
    return test::error_of<std::invalid_argument>([&] { check_position(position, *rules); });
  };
  EXPECT_EQ(error("EA"), "no error");
  EXPECT_EQ(error("GA"), "no error");  // played already
  for (const std::string called : {"SA", "HA", "E7"}) {
    EXPECT_EQ(error(called.c_str()),
              "RUF: called card " + called + " is not callable (C.1, R-027); callable: EA GA");
  }
  position.contract.contract = ContractClass::kMuss;  // down the cascade
  EXPECT_EQ(error("E10"), "no error");
  EXPECT_TRUE(error("EK").starts_with("MUSS: called card EK is not callable (C.4, R-040); "));
}

TEST(PositionCheck, R_027_R_040_a_whole_hand_has_a_card_of_the_called_suit) {
  const auto rules = CompiledRules::load("research");
  Position position;
  position.contract = ruf().contract;
  position.hands[0] = parse_cards("EO GO EU HA H7 SK S9 E7");
  const auto error = [&](const char* called) -> std::string {
    position.contract.called = parse_card(called).value();
    return test::error_of<std::invalid_argument>([&] { check_position(position, *rules); });
  };
  EXPECT_EQ(error("EA"), "no error");
  EXPECT_EQ(error("SA"), "no error");
  EXPECT_EQ(error("GA"), "RUF: called card GA is not callable (C.1, R-027); callable: EA SA");
  position.contract.contract = ContractClass::kMuss;
  EXPECT_EQ(error("SA"), "no error");
  EXPECT_EQ(error("GA"), "MUSS: called card GA is not callable (C.4, R-040); callable: EA SA");
  // with a card less it may have been the one that was played
  position.contract.contract = ContractClass::kRuf;
  position.hands[0] = parse_cards("EO GO EU HA H7 SK E7");
  EXPECT_EQ(error("GA"), "no error");
}

TEST(PositionCheck, R_029_a_whole_blocked_hand_calls_where_renonce_is_allowed) {
  RuleSet switches = preset("research");
  Position position;
  position.contract = ruf().contract;
  position.contract.called = parse_card("GA").value();
  position.hands[0] = parse_cards("EO GO EU HU HA H7 SA S9");
  const auto error = [&](Renonce renonce) {
    switches.renonce = renonce;
    const CompiledRules rules(switches);
    return test::error_of<std::invalid_argument>([&] { check_position(position, rules); });
  };
  EXPECT_EQ(error(Renonce::kAnnounced), "no error");
  EXPECT_EQ(error(Renonce::kOff),
            "RUF: called card GA is not callable (C.1, R-027); callable: none");
}

TEST(OutcomeCheck, R_006_a_table_of_three_has_no_fourth_seat) {
  RuleSet rules = preset("official_1989");
  rules.players = 3;
  rules.deck = Deck::kShort24;
  Outcome outcome = alone(ContractClass::kWenz);
  outcome.points = {60, 30, 30, 0};
  outcome.tricks = {4, 2, 2, 0};
  EXPECT_EQ(outcome_error(outcome, CompiledRules(rules)), "no error");
  outcome.points = {60, 30, 20, 10};
  EXPECT_EQ(outcome_error(outcome, CompiledRules(rules)),
            "points and tricks: the rules have 3 seats");
  outcome.points = {60, 30, 30, 0};
  outcome.forehand = 3;
  EXPECT_EQ(outcome_error(outcome, CompiledRules(rules)), "forehand = 3, allowed: seats 0..2");
}

// D.6: the last player may choose the Stock, where the rules offer it to him.
TEST(OutcomeCheck, R_103_a_deposit_needs_a_stock_that_can_be_chosen) {
  RuleSet rules = preset("official_1989");
  rules.all_pass = AllPass::kLastChooses;
  Outcome outcome;
  outcome.thrown_in = outcome.all_passed = outcome.stock_deposit = true;
  rules.last_chooses_options = {LastChoice::kStock};
  EXPECT_EQ(outcome_error(outcome, CompiledRules(rules)), "no error");
  rules.last_chooses_options = {LastChoice::kRamsch};
  EXPECT_EQ(outcome_error(outcome, CompiledRules(rules)),
            "stock_deposit: these rules have no Stock (D.6, all_pass)");
}

TEST(OutcomeCheck, what_the_price_does_not_depend_on_may_be_left_out) {
  const auto rules = CompiledRules::load("official_1989");
  Outcome outcome = alone(ContractClass::kSolo);
  outcome.points = {91, 0, 0, 0};
  outcome.tricks = {};
  EXPECT_EQ(outcome_error(outcome, *rules), "no error");
}

TEST(OutcomeCheck, accepts_every_result_of_random_deals_under_random_rules) {
  const auto sets = static_cast<std::uint64_t>(scaled(30, 300, 3'000));
  for (std::uint64_t seed = 0; seed < sets; ++seed) {
    Rng random(seed);
    const CompiledRules rules(random_rules(seed));
    const DealContext context = random_context(random.next(), rules.rules());
    for (int deal = 0; deal < 20; ++deal) {
      Game game(rules, deal_for(random.next(), rules.rules(), 0, context), 0, context);
      while (!game.is_terminal()) {
        const ActionMask mask = game.legal_actions();
        game.apply(mask.nth(random.next_below(mask.count())));
      }
      const Outcome outcome = game.outcome();
      ASSERT_EQ(outcome_error(outcome, rules), "no error") << "rules " << seed << ", deal " << deal;
    }
  }
}

}  // namespace
}  // namespace schafkopf::test
