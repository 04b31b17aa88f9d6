// The order in which a player sorts his cards.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "env/cards/contract.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf {

/// Trumps, then the plain cards of each suit in the order of Suit; each strongest first.
struct SortedHand {
  std::vector<Card> trumps;
  std::array<std::vector<Card>, kNumSuits> plain;
};

/// suit  trump suit where the class announces one; nothing = not named yet
[[nodiscard]] SortedHand sorted_hand(CardSet hand, ContractClass contract, std::optional<Suit> suit,
                                     const CompiledRules& rules);

}  // namespace schafkopf
