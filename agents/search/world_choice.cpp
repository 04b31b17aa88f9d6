#include "agents/search/world_choice.h"

#include <chrono>
#include <cstring>
#include <limits>

#include "agents/maxims/maxims.h"
#include "env/cards/contract.h"

namespace schafkopf {

std::uint64_t hash_of(const PlayerView& view) {
  std::uint64_t words[sizeof(PlayerView) / sizeof(std::uint64_t)];
  std::memcpy(words, &view, sizeof words);
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words) hash = mix64(hash ^ word);
  return hash;
}

float payoff_of(const CardValues& values, Card card, const PlayerView& view) {
  const auto contract = static_cast<ContractClass>(view.contract_class());
  if (contract_row(contract).goal == Goal::kFewestPoints) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  return static_cast<float>(values.value[card]);
}

Card lightest_of(CardSet cards) {
  return best_by(cards, [](Card card) { return -points_of(card); });
}

bool add_worlds(CardSearch& search, const PlayerView& view, const CompiledRules& rules,
                const WorldChoiceOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const std::chrono::duration<double, std::milli> limit(options.milliseconds);
  const WorldSource source(view, rules, options.worlds, options.seed);
  bool in_time = true;
  source.visit([&](const World& world) {
    search.add(world);
    in_time = options.milliseconds <= 0.0 || Clock::now() - start < limit;
    return in_time;
  });
  return in_time && source.complete();
}

CardChoice choose_by_worlds(CardSearch& search, const PlayerView& view, const CompiledRules& rules,
                            Card own, const WorldChoiceOptions& options) {
  search.begin(view, rules, own);
  const bool complete = add_worlds(search, view, rules, options);
  const CardValues values = search.values();
  const CardSet best = values.best_cards();
  Card card = own;
  if (!best.contains(own)) {
    const Card other = lightest_of(best);
    const double needed = complete ? 0.0 : options.clear;
    if (values.value[other] - values.value[own] > needed * values.error[other]) card = other;
  }
  return {card, payoff_of(values, card, view)};
}

}  // namespace schafkopf
