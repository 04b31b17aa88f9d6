// A player on several threads answers as it does alone.
#include "agents/work/parallel_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#ifdef __linux__
#include <sched.h>
#endif

#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "agents/registry.h"
#include "agents/work/threads.h"
#include "agents/work/watched_work.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

/// Answers of a player to a batch.
struct Answers {
  std::vector<float> probabilities, values;
  std::vector<Action> actions;
  explicit Answers(BatchPolicy& player, const ViewBatch& batch, std::span<const RngKey> keys)
      : probabilities(batch.size * kNumActions, -1.0F),
        values(batch.size, -1.0F),
        actions(batch.size, 255) {
    player.policy(batch, probabilities, values);
    player.act(batch, keys.first(batch.size), actions);
    for (float& value : values) value = std::isnan(value) ? -1e9F : value;
  }
  bool operator==(const Answers&) const = default;
};

TEST(ParallelPolicy, gives_the_answers_of_the_player_for_any_number_of_threads_and_rows) {
  VectorEnvOptions options = small_options(90);
  options.view_lines = true;
  VectorEnv env(options);
  for (int step = 0; step < 14; ++step) env.step_random();
  std::vector<RngKey> keys(90);
  env.keys(keys);
  for (const char* const spec : {"rules:random=0.3", "pimc:2", "random"}) {
    const auto player = make_agent(spec);
    for (const std::size_t rows : {std::size_t{90}, std::size_t{3}, std::size_t{0}}) {
      const ViewBatch batch = env.views().slice(0, rows);
      const Answers alone(*player, batch, keys);
      for (const int threads : {1, 2, 5}) {
        ParallelPolicy shared(player->clone(), threads);
        EXPECT_EQ(shared.num_threads(), threads);
        EXPECT_EQ(Answers(shared, batch, keys), alone) << spec << ", " << threads << " threads";
        EXPECT_EQ(Answers(*shared.clone(), batch, keys), alone) << "the clone";
      }
    }
  }
}

TEST(ParallelPolicy, is_the_player_in_name_and_in_what_it_sees) {
  const ParallelPolicy oracle(make_agent("oracle"), 2);
  EXPECT_TRUE(oracle.sees_hidden_hands());
  EXPECT_EQ(ParallelPolicy(make_agent("pimc:5"), 3).name(), "pimc:worlds=5,version=3");
  for (const char* const spec : {"pimc:5", "pimc:5,ms=5"}) {
    const bool by_the_clock = make_agent(spec)->stops_by_the_clock();
    EXPECT_EQ(ParallelPolicy(make_agent(spec), 2).stops_by_the_clock(), by_the_clock) << spec;
    EXPECT_EQ(WatchedPolicy(make_agent(spec), {}).stops_by_the_clock(), by_the_clock) << spec;
  }
  EXPECT_EQ(ParallelPolicy(make_agent("random"), 0).num_threads(), usable_processors());
}

#ifdef __linux__
TEST(ParallelPolicy, all_processors_are_those_that_the_process_may_use) {
  std::thread pinned([] {  // what a thread may use ends with it
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    std::size_t first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(threads_or_all(0), 1);
    EXPECT_EQ(threads_or_all(3), 3) << "what is asked for is given";
    EXPECT_EQ(ParallelPolicy(make_agent("random"), 0).num_threads(), 1);
  });
  pinned.join();
}
#endif

TEST(ParallelPolicy, passes_errors_of_its_threads_on_and_refuses_wrong_numbers) {
  VectorEnvOptions options = small_options(20);
  options.view_lines = true;
  const VectorEnv env(options);
  ParallelPolicy oracle(make_agent("oracle"), 3);  // finds no hidden hands
  std::vector<float> rows(20 * kNumActions);
  EXPECT_THROW(oracle.policy(env.views(), rows, {}), std::invalid_argument);
  for (const int threads : {-1, 1025}) {
    try {
      const ParallelPolicy wrong(make_agent("random"), threads);
      FAIL() << threads;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(),
                  testing::HasSubstr("allowed: integer 0..1024 (0 = all processors)"));
    }
  }
}

TEST(ParallelPolicy, needs_a_player) {
  EXPECT_THROW(ParallelPolicy(nullptr, 2), std::invalid_argument);
}

}  // namespace
}  // namespace schafkopf::test
