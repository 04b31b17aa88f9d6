#include "agents/search/world_choice.h"

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "agents/maxims/maxims.h"
#include "env/cards/contract.h"

namespace schafkopf {
namespace {

/// Share of the likeliest world below which one is not worth its time.
constexpr double kNegligible = 1e-4;

}  // namespace

float payoff_of(const CardValues& values, Card card, const PlayerView& view) {
  const auto contract = static_cast<ContractClass>(view.contract_class());
  if (contract_row(contract).goal == Goal::kFewestPoints) {
    return kNoValue;
  }
  return static_cast<float>(values.value[card]);
}

Card lightest_of(CardSet cards) {
  return best_by(cards, [](Card card) { return -points_of(card); });
}

std::vector<World> WorldSource::shuffled() const {
  std::vector<World> worlds;
  sampler_.enumerate([&](const World& world) { worlds.push_back(world); });
  Rng random(key_);
  for (std::size_t left = worlds.size(); left > 1; --left) {
    const int drawn = random.next_below(static_cast<int>(left));
    std::swap(worlds[left - 1], worlds[static_cast<std::size_t>(drawn)]);
  }
  return worlds;
}

bool add_worlds(CardSearch& search, const PlayerView& view, const CompiledRules& rules,
                const WorldChoiceOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const std::chrono::duration<double, std::milli> limit(options.milliseconds);
  const WorldSource source(view, rules, options.worlds, options.seed);
  bool in_time = true;
  const auto search_one = [&](const World& world, double weight) {
    search.add(world, weight);
    in_time = options.milliseconds <= 0.0 || Clock::now() - start < limit;
    return in_time;
  };
  const bool shuffles = options.milliseconds > 0.0 && source.complete();
  std::vector<World> worlds;
  if (shuffles) worlds = source.shuffled();
  if (options.beliefs == nullptr || !shows_decisions(view, rules)) {
    for (std::size_t i = 0; in_time && i < worlds.size(); ++i) (void)search_one(worlds[i], 1.0);
    if (!shuffles) source.visit([&](const World& world) { return search_one(world, 1.0); });
    return in_time && source.complete();
  }
  if (!shuffles) {
    source.visit([&](const World& world) {
      worlds.push_back(world);
      return true;
    });
  }
  const std::vector<double> weights =
      policy_weights(view, rules, worlds, *options.beliefs, options.belief, ~options.seed);
  for (std::size_t i = 0; in_time && i < worlds.size(); ++i) {
    if (weights[i] >= kNegligible) (void)search_one(worlds[i], weights[i]);
  }
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
