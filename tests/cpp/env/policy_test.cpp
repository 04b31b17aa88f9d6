// Drawing actions from distributions.
#include "env/view/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

TEST(SampleAction, takes_the_first_action_whose_sum_exceeds_the_draw) {
  std::array<float, kNumActions> row{};
  row[3] = 0.25F;
  row[40] = 0.5F;
  row[127] = 0.25F;
  EXPECT_EQ(sample_action(row, 0.0), 3);
  EXPECT_EQ(sample_action(row, 0.2499), 3);
  EXPECT_EQ(sample_action(row, 0.25), 40);
  EXPECT_EQ(sample_action(row, 0.7499), 40);
  EXPECT_EQ(sample_action(row, 0.75), 127);
  EXPECT_EQ(sample_action(row, 1.0 - 0x1.0p-53), 127);
}

TEST(SampleAction, never_takes_an_action_of_probability_zero) {
  std::array<float, kNumActions> row{};
  for (std::size_t a = 10; a < 13; ++a) row[a] = 1.0F / 3.0F;  // the sum is not exactly 1
  for (const double u : {0.0, 0.3333, 0.9999, 1.0 - 0x1.0p-53}) {
    EXPECT_GE(sample_action(row, u), 10);
    EXPECT_LE(sample_action(row, u), 12);
  }
}

TEST(BatchPolicy, the_default_act_draws_each_row_by_its_own_key) {
  class DefaultAct : public UniformPolicy {
   public:
    void act(const ViewBatch& batch, std::span<const RngKey> keys,
             std::span<Action> actions) override {
      BatchPolicy::act(batch, keys, actions);  // NOLINT(bugprone-parent-virtual-call)
    }
  };
  VectorEnvOptions options = small_options(700);
  options.view_lines = true;
  VectorEnv env(options);
  for (int step = 0; step < 5; ++step) env.step_random();
  std::vector<RngKey> keys(700);
  env.keys(keys);
  std::vector<Action> all(700);
  DefaultAct policy;
  policy.act(env.views(), keys, all);
  for (std::size_t row = 0; row < 700; ++row) {
    ViewBatch one = env.views();
    one.size = 1;
    one.cards += row;
    one.order += row;
    one.events += row;
    one.rule_index += row;
    if (env.buffers().current_player[row] < 0) continue;
    Action action = 0;
    policy.act(one, std::span(keys).subspan(row, 1), std::span(&action, 1));
    EXPECT_EQ(action, all[row]);
    EXPECT_TRUE(env.buffers().legal[row].contains(action));
  }
}

/// Spoils the row of its last game.
class SpoiledPolicy : public UniformPolicy {
 public:
  explicit SpoiledPolicy(float spoiled) : spoiled_(spoiled) {}

  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    UniformPolicy::policy(batch, probabilities, values);
    std::ranges::fill(probabilities.last(kNumActions), spoiled_);
  }
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    BatchPolicy::act(batch, keys, actions);  // NOLINT(bugprone-parent-virtual-call)
  }

 private:
  float spoiled_;
};

// NaN was played as a pass where passing is legal
TEST(BatchPolicy, probabilities_that_cannot_be_drawn_from_are_refused_with_the_player) {
  VectorEnvOptions options = small_options(3);
  options.view_lines = true;
  const VectorEnv env(options);
  std::vector<RngKey> keys(3);
  env.keys(keys);
  std::vector<Action> actions(3);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float spoiled : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -1.0F, 0.0F}) {
    SpoiledPolicy policy(spoiled);
    EXPECT_THAT(
        error_of([&] { policy.act(env.views(), keys, actions); }),
        ::testing::HasSubstr("player uniform: policy() gave row 2 no probabilities to draw from"));
  }
}

}  // namespace
}  // namespace schafkopf::test
