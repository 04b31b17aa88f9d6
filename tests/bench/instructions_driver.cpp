// What tests/bench/instructions.py counts: random play with configs/rules/research.toml, claims
// left alone, of a fixed length. Uses only what every state of env/ has had since the first batch.
//
// usage: instructions_driver batch|views|game COUNT
//   batch  COUNT steps of 1,024 envs, native masks only
//   views  the same with the three lines of every view
//   game   COUNT deals of one game
// Prints the decisions made after the set-up of COUNT = 0.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "env/base/random.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/vector_env.h"

namespace schafkopf {
namespace {

std::int64_t play_batch(int steps, bool views) {
  VectorEnvOptions options;
  options.num_envs = 1024;
  options.rules = {CompiledRules::load("research")};
  options.auto_reset = AutoReset::kSameStep;
  options.view_lines = views;
  VectorEnv env(options);
  for (int i = 0; i < 60; ++i) env.step_random();  // rows in all phases
  const std::int64_t before = env.num_decisions();
  for (int i = 0; i < steps; ++i) env.step_random();
  return env.num_decisions() - before;
}

std::int64_t play_games(int deals) {
  const std::shared_ptr<const CompiledRules> rules = CompiledRules::load("research");
  constexpr std::uint64_t kClaims = std::uint64_t{3} << kActionClaimRest;
  Rng rng(1);
  std::int64_t decisions = 0, paid = 0;
  for (int i = 0; i < deals; ++i) {
    Game game(*rules, random_deal(static_cast<std::uint64_t>(i)), i % 4);
    while (!game.is_terminal()) {
      ActionMask legal = game.legal_actions();
      legal.words[0] &= ~kClaims;
      game.apply_unchecked(legal.nth(below(rng.next(), legal.count())));
      ++decisions;
    }
    paid += game.payoffs()[0];
  }
  return paid == INT64_MAX ? 0 : decisions;  // the payoffs are part of what is counted
}

}  // namespace
}  // namespace schafkopf

int main(int argc, char** argv) {
  const std::string_view mode = argc == 3 ? argv[1] : "";
  const int count = argc == 3 ? std::atoi(argv[2]) : 0;
  std::int64_t decisions = 0;
  if (mode == "batch" || mode == "views") {
    decisions = schafkopf::play_batch(count, mode == "views");
  } else if (mode == "game") {
    decisions = schafkopf::play_games(count);
  } else {
    std::fputs("usage: instructions_driver batch|views|game COUNT\n", stderr);
    return 2;
  }
  std::printf("%lld\n", static_cast<long long>(decisions));
  return 0;
}
