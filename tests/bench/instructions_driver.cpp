// What tests/bench/instructions.py counts and tests/bench/old_processor.py compares: random play
// with configs/rules/research.toml, claims left alone, of a fixed length.
//
// usage: instructions_driver MODE COUNT
//   batch    COUNT steps of 1,024 envs, native masks only
//   views    the same with the three lines of every view
//   uint8, float32, packed   the same with observation rows of version 1
//   version4 the same with float32 rows of version 4
//   game     COUNT deals of one game
//   deal     COUNT deals are dealt
//   trace    all buffers of COUNT steps in every form of rows: prints the kernel and a hash
// Prints the decisions made after the set-up of COUNT = 0.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "env/base/random.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/vector_env.h"

namespace schafkopf {
namespace {

VectorEnvOptions options_of(int num_envs) {
  VectorEnvOptions options;
  options.num_envs = num_envs;
  options.rules = {CompiledRules::load("research")};
  options.auto_reset = AutoReset::kSameStep;
  return options;
}

std::int64_t play_batch(int steps, const VectorEnvOptions& options) {
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

std::int64_t deal_all(int deals) {
  std::uint32_t seen = 0;
  for (int i = 0; i < deals; ++i) {
    seen |= random_deal(static_cast<std::uint64_t>(i)).hand(i & 3).bits();
  }
  return seen == 0 ? 0 : deals;
}

/// FNV-1a over bytes.
template <class T>
void mix(std::uint64_t& hash, std::span<T> values) {
  for (const std::byte byte : std::as_bytes(values)) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3u;
  }
}

void trace(int steps) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  std::string kernel;
  for (const ObservationType type : {ObservationType::kNone, ObservationType::kUint8,
                                     ObservationType::kFloat32, ObservationType::kPacked}) {
    VectorEnvOptions options = options_of(96);
    options.observation = type;
    options.view_lines = true;
    options.observation_version =
        type == ObservationType::kFloat32 ? ObservationVersion::kV4 : ObservationVersion::kV1;
    VectorEnv env(options);
    kernel = env.kernel();
    for (int i = 0; i < steps; ++i) {
      env.step_random();
      const EnvBuffers& buffers = env.buffers();
      mix(hash, buffers.cards);
      mix(hash, buffers.order);
      mix(hash, buffers.events);
      mix(hash, buffers.legal);
      mix(hash, buffers.rewards);
      mix(hash, buffers.observation_u8);
      mix(hash, buffers.observation_f32);
    }
  }
  std::printf("%s %016llx\n", kernel.c_str(), static_cast<unsigned long long>(hash));
}

/// Decisions of a mode of a batch; -1 if it is none.
std::int64_t play(std::string_view mode, int count) {
  VectorEnvOptions options = options_of(1024);
  if (mode == "batch") return play_batch(count, options);
  options.view_lines = mode == "views";
  if (mode == "views") return play_batch(count, options);
  if (mode == "uint8") options.observation = ObservationType::kUint8;
  if (mode == "float32" || mode == "version4") options.observation = ObservationType::kFloat32;
  if (mode == "packed") options.observation = ObservationType::kPacked;
  if (mode == "version4") options.observation_version = ObservationVersion::kV4;
  return options.observation == ObservationType::kNone ? -1 : play_batch(count, options);
}

}  // namespace
}  // namespace schafkopf

int main(int argc, char** argv) {
  const std::string_view mode = argc == 3 ? argv[1] : "";
  const int count = argc == 3 ? std::atoi(argv[2]) : 0;
  if (mode == "trace") {
    schafkopf::trace(count);
    return 0;
  }
  std::int64_t decisions = 0;
  if (mode == "game") {
    decisions = schafkopf::play_games(count);
  } else if (mode == "deal") {
    decisions = schafkopf::deal_all(count);
  } else {
    decisions = schafkopf::play(mode, count);
  }
  if (decisions < 0 || argc != 3) {
    std::fputs(
        "usage: instructions_driver "
        "batch|views|uint8|float32|packed|version4|game|deal|trace COUNT\n",
        stderr);
    return 2;
  }
  std::printf("%lld\n", static_cast<long long>(decisions));
  return 0;
}
