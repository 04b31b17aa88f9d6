// Speed of the environment, in decisions per second of CPU time. Random legal play with
// configs/rules/research.toml; drawing the random action is inside unless a name says otherwise.
// Run: ./run bench --benchmark_filter=Env
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "env/base/instruction_set.h"
#include "env/base/random.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/vector_env.h"

namespace schafkopf {
namespace {

std::shared_ptr<const CompiledRules> research() {
  static const std::shared_ptr<const CompiledRules> rules = CompiledRules::load("research");
  return rules;
}

void count_decisions(benchmark::State& state, std::int64_t decisions) {
  state.SetItemsProcessed(decisions);
  state.counters["decisions/s"] =
      benchmark::Counter(static_cast<double>(decisions), benchmark::Counter::kIsRate);
}

Action random_action(const ActionMask& mask, Rng& rng) {
  const ActionMask legal = without_claims(mask);
  return legal.nth(below(rng.next(), legal.count()));
}

/// A random deal with a random contract of the table that can be played on it.
struct FixedStart {
  Deal deal;
  Contract contract;
};

std::vector<FixedStart> fixed_starts(int count) {
  std::vector<FixedStart> starts;
  Rng rng(1);
  const ContractClass single[] = {ContractClass::kSolo, ContractClass::kWenz};
  while (static_cast<int>(starts.size()) < count) {
    const Deal deal = random_deal(rng.next());
    const int declarer = rng.next_below(4);
    const std::uint32_t aces = research()->callable(deal.hand(declarer).bits());
    if (starts.size() % 2 == 0 && aces != 0) {
      starts.push_back({deal,
                        {.contract = ContractClass::kRuf,
                         .called = CardSet(aces).lowest(),
                         .declarer = declarer}});
    } else {
      starts.push_back({deal,
                        {.contract = single[rng.next_below(2)],
                         .suit = static_cast<Suit>(rng.next_below(4)),
                         .declarer = declarer}});
    }
  }
  return starts;
}

// One game

void BM_EnvOneGame(benchmark::State& state) {
  const CompiledRules& rules = *research();
  Rng rng(1);
  std::int64_t decisions = 0, seed = 0;
  for (auto _ : state) {
    Game game(rules, random_deal(static_cast<std::uint64_t>(seed)), static_cast<int>(seed % 4));
    ++seed;
    while (!game.is_terminal()) {
      game.apply_unchecked(random_action(game.legal_actions(), rng));
      ++decisions;
    }
    benchmark::DoNotOptimize(game.payoffs());
  }
  count_decisions(state, decisions);
}
BENCHMARK(BM_EnvOneGame);

void BM_EnvOneGameCardPlay(benchmark::State& state) {
  const std::vector<FixedStart> starts = fixed_starts(256);
  Rng rng(1);
  std::int64_t decisions = 0;
  std::size_t next = 0;
  for (auto _ : state) {
    const FixedStart& start = starts[next++ % starts.size()];
    Game game = Game::with_contract(*research(), start.deal, 0, start.contract);
    while (!game.is_terminal()) {
      game.apply_unchecked(random_action(game.legal_actions(), rng));
      ++decisions;
    }
    benchmark::DoNotOptimize(game.payoffs());
  }
  count_decisions(state, decisions);
}
BENCHMARK(BM_EnvOneGameCardPlay);

void BM_EnvDeal(benchmark::State& state) {
  std::uint64_t seed = 0;
  for (auto _ : state) benchmark::DoNotOptimize(random_deal(seed++));
}
BENCHMARK(BM_EnvDeal);

/// What a deal is held against: the shuffle of Fisher and Yates, then the four sets of cards.
void BM_EnvDealByShuffle(benchmark::State& state) {
  Rng rng(1);
  std::array<Card, kNumCards> cards{};
  std::iota(cards.begin(), cards.end(), Card{0});
  for (auto _ : state) {
    for (std::size_t left = kNumCards; left > 1; --left) {
      std::swap(cards[left - 1],
                cards[static_cast<std::size_t>(below(rng.next(), static_cast<int>(left)))]);
    }
    std::array<CardSet, kNumSeats> hands{};
    for (std::size_t i = 0; i < kNumCards; ++i) hands[i / 8].add(cards[i]);
    benchmark::DoNotOptimize(hands);
  }
}
BENCHMARK(BM_EnvDealByShuffle);

void BM_EnvClone(benchmark::State& state) {
  Game game(*research(), random_deal(1), 0);
  Rng rng(1);
  for (int i = 0; i < 12; ++i) game.apply_unchecked(random_action(game.legal_actions(), rng));
  for (auto _ : state) {
    Game copy = game;
    benchmark::DoNotOptimize(copy);
  }
}
BENCHMARK(BM_EnvClone);

void BM_EnvView(benchmark::State& state) {
  Game game(*research(), random_deal(1), 0);
  Rng rng(1);
  for (int i = 0; i < 12; ++i) game.apply_unchecked(random_action(game.legal_actions(), rng));
  PlayerView view;
  for (auto _ : state) {
    game.view(game.current_player(), view.cards, view.order, view.events);
    benchmark::DoNotOptimize(view);
  }
}
BENCHMARK(BM_EnvView);

// A batch

void step_batch(benchmark::State& state, void (*choose)(VectorEnvOptions&)) {
  VectorEnvOptions options;
  options.num_envs = static_cast<int>(state.range(0));
  options.num_threads = static_cast<int>(state.range(1));
  options.rules = {research()};
  options.auto_reset = AutoReset::kSameStep;
  choose(options);
  VectorEnv env(options);
  for (int i = 0; i < 60; ++i) env.step_random();  // rows in all phases
  const std::int64_t before = env.num_decisions();
  for (auto _ : state) env.step_random();
  count_decisions(state, env.num_decisions() - before);
}

/// The kernel that steps the games in card play stands at the head of the report.
const bool named = [] {
  benchmark::AddCustomContext("kernel", std::string(name_of(default_instruction_set())));
  return true;
}();

void batch_sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"envs", "threads"});
  for (const int envs : {256, 1024, 4096, 65536}) {
    for (const int threads : {1, 2}) bench->Args({envs, threads});
  }
  // Rates are per second of CPU time, summed over all threads; the speed-up of threads stands in
  // the column of the real time.
  bench->MeasureProcessCPUTime()->Unit(benchmark::kMicrosecond);
}

void BM_EnvBatchNativeMask(benchmark::State& state) {
  step_batch(state, [](VectorEnvOptions&) {});
}
BENCHMARK(BM_EnvBatchNativeMask)->Apply(batch_sizes);

void BM_EnvBatchByteMask(benchmark::State& state) {
  step_batch(state, [](VectorEnvOptions& options) { options.action_mask = true; });
}
BENCHMARK(BM_EnvBatchByteMask)->Apply(batch_sizes);

void BM_EnvBatchViewLines(benchmark::State& state) {
  step_batch(state, [](VectorEnvOptions& options) { options.view_lines = true; });
}
BENCHMARK(BM_EnvBatchViewLines)->Apply(batch_sizes);

void BM_EnvBatchUint8(benchmark::State& state) {
  step_batch(state,
             [](VectorEnvOptions& options) { options.observation = ObservationType::kUint8; });
}
BENCHMARK(BM_EnvBatchUint8)->Apply(batch_sizes);

void BM_EnvBatchFloat32(benchmark::State& state) {
  step_batch(state,
             [](VectorEnvOptions& options) { options.observation = ObservationType::kFloat32; });
}
BENCHMARK(BM_EnvBatchFloat32)->Apply(batch_sizes);

void BM_EnvBatchPacked(benchmark::State& state) {
  step_batch(state,
             [](VectorEnvOptions& options) { options.observation = ObservationType::kPacked; });
}
BENCHMARK(BM_EnvBatchPacked)->Apply(batch_sizes);

/// Rows of the layout that the shipped network reads.
void BM_EnvBatchFloat32Version4(benchmark::State& state) {
  step_batch(state, [](VectorEnvOptions& options) {
    options.observation = ObservationType::kFloat32;
    options.observation_version = ObservationVersion::kV4;
  });
}
BENCHMARK(BM_EnvBatchFloat32Version4)->Apply(batch_sizes);

/// With the action array as a trainer hands it over, checked: what the interface costs.
void BM_EnvBatchGivenActions(benchmark::State& state) {
  VectorEnvOptions options;
  options.num_envs = static_cast<int>(state.range(0));
  options.num_threads = static_cast<int>(state.range(1));
  options.rules = {research()};
  VectorEnv env(options);
  std::vector<Action> actions(static_cast<std::size_t>(options.num_envs));
  const std::int64_t before = env.num_decisions();
  for (auto _ : state) {
    env.random_actions(actions);
    env.step(actions);
  }
  count_decisions(state, env.num_decisions() - before);
}
BENCHMARK(BM_EnvBatchGivenActions)->Apply(batch_sizes);

}  // namespace
}  // namespace schafkopf
