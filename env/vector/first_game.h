// How a deal begins: with its auction, or with the contract that a generator gives it.
#pragma once

#include <cstdint>

#include "env/base/random.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/contract_generator.h"

namespace schafkopf {

/// What a deal inherits whose contract is given: that leaves a special round nothing to decide. Its
/// price stays (a Bock doubles).
[[nodiscard]] constexpr DealContext without_special_round(DealContext context) {
  context.special_round = context.games_left = 0;
  for (auto& games : context.owed) games = 0;
  return context;
}

/// The game of a deal that is at hand.
///
/// generator  nullptr: it begins with the auction
/// key        that of its first decision, for the generator
[[nodiscard]] inline Game first_game(const CompiledRules& rules, const Deal& deal, int dealer,
                                     const DealContext& inherited,
                                     const ContractGenerator* generator, const RngKey& key) {
  if (generator == nullptr) return Game(rules, deal, dealer, inherited);
  return Game::with_contract(rules, deal, dealer, generator->generate(rules, deal, dealer, key),
                             without_special_round(inherited));
}

/// The same, dealt from its seed.
[[nodiscard]] inline Game first_game(const CompiledRules& rules, std::uint64_t deal_seed,
                                     int dealer, const DealContext& inherited,
                                     const ContractGenerator* generator = nullptr,
                                     const RngKey& key = {}) {
  const DealContext context = generator == nullptr ? inherited : without_special_round(inherited);
  return first_game(rules, deal_for(deal_seed, rules.rules(), dealer, context), dealer, context,
                    generator, key);
}

}  // namespace schafkopf
