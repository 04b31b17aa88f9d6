// Bytes of games and snapshots of batches. Their checksums are made right here: behind them stands
// the check that finds what somebody has made.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/registry.h"
#include "env/base/checksum.h"
#include "env/game/game.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/support/game_checks.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/fuzz/targets.h"

namespace schafkopf::fuzz {
namespace {

constexpr std::size_t kHead = 16, kSum = 8;  // magic, size, hash of the rules; checksum
constexpr std::size_t kGameBytes = kHead + sizeof(Game) + kSum;
constexpr std::string_view kGameMagic = "SKG5";

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

void put_checksum(std::string& bytes, std::size_t begin, std::size_t size) {
  const std::uint64_t sum = checksum_of(std::string_view(bytes).substr(begin, size - kSum));
  std::memcpy(bytes.data() + begin + size - kSum, &sum, kSum);
}

const std::vector<std::shared_ptr<const CompiledRules>>& rule_sets() {
  static const auto list = [] {
    std::vector<std::shared_ptr<const CompiledRules>> sets = {CompiledRules::load("research")};
    for (std::uint64_t seed = 1; seed < 32; ++seed) {
      sets.push_back(std::make_shared<const CompiledRules>(test::random_rules(seed)));
    }
    return sets;
  }();
  return list;
}

/// The last byte, which is one of the checksum, chooses the rules or the options.
std::size_t choice(std::string_view bytes, std::size_t count) {
  return bytes.empty() ? 0 : static_cast<std::uint8_t>(bytes.back()) % count;
}

void play_on(Game game, std::uint64_t seed) {
  Rng random(seed);
  while (!game.is_terminal()) game.apply(test::random_action(game, random));
  game.check_invariants();
  test::check_end(game);
}

Game game_of(std::uint64_t seed, const CompiledRules& rules, int decisions) {
  Rng random(seed);
  const DealContext context = test::random_context(seed, rules.rules());
  const int dealer = static_cast<int>(seed % static_cast<unsigned>(rules.seats()));
  Game game(rules, test::strange_deal(seed, rules.rules(), dealer, context), dealer, context);
  for (int i = 0; i < decisions && !game.is_terminal(); ++i) {
    game.apply(test::random_action(game, random));
  }
  return game;
}

// ---- batches ------------------------------------------------------------------------------------

constexpr std::size_t kKinds = 3;

/// A plain batch, one of sessions, and one in which a learner's seat goes round.
VectorEnvOptions options_of(std::size_t number) {
  VectorEnvOptions options;
  options.num_envs = 2;
  options.rules = {rule_sets()[0], rule_sets()[3]};
  options.rule_index = {0, 1};
  options.seed = 5;
  options.session = number == 1;
  options.skip_forced = number == 1;
  options.auto_reset = number == 1 ? AutoReset::kSameStep : AutoReset::kNextStep;
  if (number == 2) {
    options.learner_seat = LearnerSeat::kRotate;
    options.opponent = make_agent("random");
  }
  return options;
}

void repair_games(std::string& bytes) {
  for (std::size_t at = bytes.find(kGameMagic);
       at != std::string::npos && at + kGameBytes <= bytes.size();
       at = bytes.find(kGameMagic, at + 1)) {
    put_checksum(bytes, at, kGameBytes);
  }
}

}  // namespace

void fuzz_game(std::string_view input) {
  const CompiledRules& rules = *rule_sets()[choice(input, rule_sets().size())];
  std::string bytes(input);
  if (bytes.size() == kGameBytes) {
    const std::uint64_t hash = rules.hash();
    std::memcpy(bytes.data() + 8, &hash, sizeof hash);
    put_checksum(bytes, 0, kGameBytes);
  }
  const auto game = taken([&] { return Game::deserialize(rules, as_bytes(bytes)); });
  if (!game) return;
  must(text_of(game->serialize()) == bytes, "other bytes of the same game");
  game->check_invariants();
  test::check_views(*game);
  play_on(*game, 1);
}

std::vector<std::string> game_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i < 96; ++i) {
    const std::size_t number = i % rule_sets().size();
    seeds.push_back(text_of(game_of(i, *rule_sets()[number], static_cast<int>(i / 2)).serialize()));
    seeds.back().back() = static_cast<char>(number);
  }
  return seeds;
}

void fuzz_snapshot(std::string_view input) {
  VectorEnv env(options_of(choice(input, kKinds)));
  std::string bytes(input);
  if (bytes.size() > kSum) {
    repair_games(bytes);
    put_checksum(bytes, 0, bytes.size());
  }
  const std::vector<std::uint8_t> before = env.snapshot();
  if (!taken([&] { env.restore(as_bytes(bytes)); })) {
    must(env.snapshot() == before, "a refused snapshot changes the batch");
    return;
  }
  must(text_of(env.snapshot()) == bytes, "another snapshot after its restore");
  for (int step = 0; step < 60; ++step) env.step_random();
}

std::vector<std::string> snapshot_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i < 8 * kKinds; ++i) {
    const std::size_t number = i % kKinds;
    VectorEnv env(options_of(number));
    for (std::size_t step = 0; step < 5 * i; ++step) env.step_random();
    seeds.push_back(text_of(env.snapshot()));
    seeds.back().back() = static_cast<char>(number);
  }
  return seeds;
}

}  // namespace schafkopf::fuzz
