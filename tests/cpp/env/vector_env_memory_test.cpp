// What VectorEnv asks of memory.
#include <gtest/gtest.h>

#include "env/vector/contract_generator.h"
#include "tests/cpp/support/allocation_counter.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

VectorEnvOptions all_but_floats(int num_envs) {
  VectorEnvOptions options = small_options(num_envs);
  options.observation = ObservationType::kUint8;
  options.action_mask = options.view_lines = options.full_view = options.session = true;
  return options;
}

void expect_no_allocation(VectorEnvOptions options) {
  for (const int threads : {1, 2}) {
    options.num_threads = threads;
    VectorEnv env(options);
    std::vector<Action> actions(static_cast<std::size_t>(options.num_envs));
    env.step_random();
    const std::int64_t before = allocations().calls;
    for (int step = 0; step < 100; ++step) {
      env.random_actions(actions);
      env.step(actions);
      env.step_random();
    }
    env.reset(4);
    EXPECT_EQ(allocations().calls, before);
  }
}

TEST(VectorEnvMemory, stepping_allocates_nothing) {
  expect_no_allocation(all_but_floats(200));
  VectorEnvOptions options = all_but_floats(200);
  options.auto_reset = AutoReset::kSameStep;
  options.skip_forced = true;
  options.learner_seat = 2;
  options.opponent = std::make_shared<UniformPolicy>();
  expect_no_allocation(options);
}

TEST(VectorEnvMemory, short_decks_and_packets_are_dealt_without_allocation) {
  RuleSet short_deck, packets;
  short_deck.deck = Deck::kShort24;
  packets.special_round = SpecialRound::kSchieber;
  for (const RuleSet& rules : {short_deck, packets}) {
    VectorEnvOptions options = all_but_floats(200);
    options.rules = {std::make_shared<const CompiledRules>(normalised(rules), "test")};
    expect_no_allocation(options);
  }
}

TEST(VectorEnvMemory, at_most_4_kB_per_env_at_65536_envs) {
  for (const bool opponents : {false, true}) {
    VectorEnvOptions options = all_but_floats(65536);
    if (opponents) {
      options.learner_seat = 0;
      options.opponent = std::make_shared<UniformPolicy>();
    }
    const std::int64_t before = allocations().bytes;
    const VectorEnv env(std::move(options));
    EXPECT_LE((allocations().bytes - before) / 65536, 4096);
    RecordProperty("bytes_per_env", std::to_string((allocations().bytes - before) / 65536));
    EXPECT_GT((allocations().bytes - before) / 65536, 500);  // the counter counts
  }
}

}  // namespace
}  // namespace schafkopf::test
