// The house rule that env/ADD_A_HOUSE_RULE.md walks through.
#include <gtest/gtest.h>

#include <vector>

#include "env/game/game.h"

namespace schafkopf {
namespace {

/// Legal cards of a hand that cannot follow Gras and holds the called ace of Eichel.
CardSet discards(std::string_view hand, int window) {
  RuleSet rules;
  rules.called_discard_window = window;
  const std::vector<Card> trick = {*parse_card("GA")};
  return legal(parse_cards(hand), trick, ContractClass::kRuf, Suit::kHerz, *parse_card("EA"), false,
               rules);
}

// 000 3.2.4: only as the last card.
TEST(CalledDiscardWindow, R_116_called_ace_stays_until_the_last_trick) {
  EXPECT_EQ(discards("EA SU S7", 1), parse_cards("SU S7"));
  EXPECT_EQ(discards("EA S7", 1), parse_cards("S7"));
  EXPECT_EQ(discards("EA", 1), parse_cards("EA"));
}

// 004 4: from the second-to-last trick on.
TEST(CalledDiscardWindow, R_117_called_ace_may_go_with_two_cards_left) {
  EXPECT_EQ(discards("EA SU S7", 2), parse_cards("SU S7"));
  EXPECT_EQ(discards("EA S7", 2), parse_cards("EA S7"));
}

}  // namespace
}  // namespace schafkopf
