// A network that reads more sections begins as the one that it was made of.
#include "training/learner/grown_inputs.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agents/network/mlp_network.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/agents/random_weights.h"

namespace schafkopf {
namespace {

constexpr auto kV1 = ObservationVersion::kV1, kV3 = ObservationVersion::kV3,
               kV4 = ObservationVersion::kV4;

NetworkShape shape(ObservationVersion version, std::vector<std::string> sections = {},
                   int width = 16) {
  return make_network_shape(width, 2, std::move(sections), TrunkKind::kMlp, version);
}

TEST(GrownInputs, the_larger_network_gives_the_same_logits_and_values) {
  const NetworkShape small = shape(kV3, {"table", "hand", "voids"}), large = shape(kV4);
  ASSERT_TRUE(reads_more(small, large));
  const WeightsFile weights = test::random_weights(small);
  const WeightsFile grown{with_inputs(weights.tensors, small, large), network_metadata(large)};
  const auto before = make_mlp_network(weights, "before"), after = make_mlp_network(grown, "after");
  VectorEnvOptions options;
  options.num_envs = 64;
  options.rules = {CompiledRules::load("research")};
  options.view_lines = true;
  VectorEnv env(options);
  for (int step = 0; step < 30; ++step) {
    std::vector<float> a(64 * kNumActions), b(a.size()), u(64), v(64);
    before->forward(env.views(), a, u);
    after->forward(env.views(), b, v);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5F);
    for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(u[i], v[i], 1e-5F);
    env.step_random();
  }
}

TEST(GrownInputs, what_lies_behind_the_inputs_of_a_critic_stays_behind_them) {
  const NetworkShape small = shape(kV3, {"tout"}), large = shape(kV3, {"cards_on_table", "tout"});
  ASSERT_EQ(large.inputs, 4);
  const auto tensors = with_inputs(
      {{"critic.trunk.0.weight", {.shape = {2, 3}, .data = {1, 2, 3, 4, 5, 6}}}}, small, large);
  const Tensor& grown = tensors.at("critic.trunk.0.weight");
  EXPECT_EQ(grown.shape, (std::vector<std::int64_t>{2, 6}));
  EXPECT_EQ(grown.data, (std::vector<float>{0, 0, 0, 1, 2, 3, 0, 0, 0, 4, 5, 6}));
}

TEST(GrownInputs, only_sections_may_be_new_and_none_may_mean_something_else) {
  EXPECT_TRUE(reads_more(shape(kV3), shape(kV4)));
  EXPECT_TRUE(reads_more(shape(kV1, {"hand"}), shape(kV4)));
  EXPECT_FALSE(reads_more(shape(kV3), shape(kV3)));
  EXPECT_FALSE(reads_more(shape(kV4), shape(kV3)));
  EXPECT_FALSE(reads_more(shape(kV3), shape(kV4, {}, 32)));
  EXPECT_FALSE(reads_more(shape(kV1, {"trump_suit"}), shape(kV4)));  // absolute there
  EXPECT_FALSE(reads_more(shape(kV1, {"auction"}), shape(kV4)));     // not there
  EXPECT_FALSE(reads_more(shape(kV3, {"hand"}), shape(kV3, {"table", "voids"})));
}

}  // namespace
}  // namespace schafkopf
