// Speed of what search asks of a view: hidden hands that fit it.
// Run: ./run bench --benchmark_filter=Worlds
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>

#include "agents/worlds/worlds.h"
#include "env/base/random.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf {
namespace {

/// The view of who is next after so many cards of a random Rufspiel.
PlayerView view_after(const CompiledRules& rules, int cards) {
  Rng rng(1);
  for (std::uint64_t seed = 1;; ++seed) {
    const Deal deal = random_deal(seed);
    const std::uint32_t aces = rules.callable(deal.hand(0).bits());
    if (aces == 0) continue;
    Game game = Game::with_contract(
        rules, deal, 0,
        {.contract = ContractClass::kRuf, .called = CardSet(aces).lowest(), .declarer = 0});
    for (int i = 0; i < cards; ++i) {
      const ActionMask legal = without_claims(game.legal_actions());
      game.apply_unchecked(legal.nth(rng.next_below(legal.count())));
    }
    PlayerView view;
    game.view(game.current_player(), view.cards, view.order, view.events);
    return view;
  }
}

void BM_WorldsSample(benchmark::State& state) {
  const std::shared_ptr<const CompiledRules> rules = CompiledRules::load("research");
  const WorldSampler worlds(view_after(*rules, static_cast<int>(state.range(0))), *rules);
  std::uint64_t key = 0;
  for (auto _ : state) benchmark::DoNotOptimize(worlds.sample(key++));
}
BENCHMARK(BM_WorldsSample)->ArgName("cards")->Arg(0)->Arg(9)->Arg(18);

/// With the sampler made anew, as for a single world.
void BM_WorldsSampleOne(benchmark::State& state) {
  const std::shared_ptr<const CompiledRules> rules = CompiledRules::load("research");
  const PlayerView view = view_after(*rules, static_cast<int>(state.range(0)));
  std::uint64_t key = 0;
  for (auto _ : state) benchmark::DoNotOptimize(WorldSampler(view, *rules).sample(key++));
}
BENCHMARK(BM_WorldsSampleOne)->ArgName("cards")->Arg(0)->Arg(9)->Arg(18);

}  // namespace
}  // namespace schafkopf
