// The network that learns: averages, replicas, first layers, export.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "agents/network/mlp_network.h"
#include "agents/network/network.h"
#include "env/base/available_memory.h"
#include "env/view/encoder.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/training/collected_games.h"
#include "training/learner/learner.h"
#include "training/run/checkpoint.h"

namespace schafkopf {
namespace {

using test::Games;
using test::make_learner;

TEST(Learner, averages_follow_the_weights) {
  Learner learner(
      {.shape = make_network_shape(8, 1), .replicas = 1, .seed = 3, .average_decay = 0.9});
  const auto start = learner.weights().at("policy.bias").data;
  EXPECT_EQ(learner.averages().at("policy.bias").data, start);
  const Games games(learner, 5);
  std::vector<double> mean(start.begin(), start.end());
  for (int step = 1; step <= 30; ++step) {
    learner.accumulate(0, games.batch.views, {}, [&](const NetworkOutputs& outputs) {
      std::fill_n(outputs.logits_grad, games.batch.size() * kNumActions, 1.0F);
      std::fill_n(outputs.values_grad, games.batch.size(), 0.0F);
    });
    (void)learner.step(0.01, 1.0);
    const double decay = std::min(0.9, (1.0 + step) / (10.0 + step));
    const auto now = learner.weights().at("policy.bias").data;
    for (std::size_t i = 0; i < now.size(); ++i) {
      mean[i] = decay * mean[i] + (1 - decay) * static_cast<double>(now[i]);
    }
  }
  const auto averages = learner.averages().at("policy.bias").data;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(averages[i]), mean[i], 1e-5);
  }
  EXPECT_LT(averages[0], start[0] - 0.05F);
}

// float32 holds integers up to 2^24 exactly; a long run has more steps.
TEST(Learner, goes_on_with_the_number_of_its_steps_however_many) {
  Learner learner = make_learner();
  auto tensors = learner.weights();
  tensors.merge(learner.optimiser());
  const std::vector<float> steps = {40.0F, 123'457.0F};  // 40 * 2^20 and so many more
  tensors.at("adam.steps").data = steps;
  learner.load(tensors);
  EXPECT_EQ(learner.optimiser().at("adam.steps").data, steps);
}

TEST(Learner, a_gradient_that_is_no_number_is_refused_and_changes_no_weight) {
  Learner learner = make_learner();
  const Games games(learner, 5);
  const auto before = learner.weights().at("policy.bias").data;
  const auto accumulate = [&](float slope) {
    learner.accumulate(0, games.batch.views, {}, [&](const NetworkOutputs& outputs) {
      std::fill_n(outputs.logits_grad, games.batch.size() * kNumActions, slope);
      std::fill_n(outputs.values_grad, games.batch.size(), 0.0F);
    });
  };
  accumulate(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(test::error_of<Diverged>([&] { (void)learner.step(0.01, 1.0); }),
            "a gradient has the norm nan");
  EXPECT_EQ(learner.weights().at("policy.bias").data, before);
  accumulate(1.0F);
  EXPECT_GT(learner.step(0.01, 1.0), 0.0);  // nothing is left of it
  EXPECT_NE(learner.weights().at("policy.bias").data, before);
}

TEST(Learner, fits_fixed_targets) {
  Learner learner = make_learner();
  const Games games(learner, 50);
  double first = 0.0, last = 0.0;
  for (int round = 0; round < 40; ++round) {
    PpoSums sums;
    learner.accumulate(0, games.batch.views, {}, [&](const NetworkOutputs& outputs) {
      const float scale = 1.0F / static_cast<float>(games.batch.size());
      for (std::size_t i = 0; i < games.batch.size(); ++i) {
        const Decision& decision = games.batch.decisions[i];
        const std::size_t at = i * static_cast<std::size_t>(kNumActions);
        outputs.values_grad[i] = ppo_gradient({},
                                              {.legal = decision.legal,
                                               .action = decision.action,
                                               .behaviour_log = decision.behaviour_log.data(),
                                               .advantage = decision.advantage,
                                               .value_target = decision.value_target,
                                               .weight = 1.0F},
                                              outputs.logits + at, outputs.values[i], scale,
                                              outputs.logits_grad + at, sums);
      }
    });
    last = sums.value + sums.policy;
    if (round == 0) first = last;
    (void)learner.step(1e-3, 10.0);
  }
  EXPECT_LT(last, 0.8 * first);
}

constexpr std::size_t kHole = 2 << 20, kWall = 64 << 10;  // of what is free, and between

void* touched(std::size_t bytes) {
  void* block = std::malloc(bytes);
  *static_cast<volatile char*>(block) = 1;
  return block;
}

/// Takes what earlier tests left free in the heap: walls that stand there part no holes.
void fill_heap() {
  const auto taken_from_system = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.arena + info.hblkhd;
  };
  for (std::size_t bytes = 32 * kHole; bytes > kWall / 2; bytes -= bytes / 4) {
    while (true) {
      const std::size_t before = taken_from_system();
      void* block = touched(bytes);
      if (taken_from_system() == before) continue;  // it was free
      std::free(block);
      break;
    }
  }
}

/// Leaves holes in the heap that take tensors of some rows and nothing larger.
void leave_holes() {
  constexpr std::size_t kThreshold = 30 << 20, kNumHoles = 40;
  std::free(touched(kThreshold));  // from here on glibc takes holes of that size from its heap
  std::vector<void*> holes;
  for (std::size_t i = 0; i < kNumHoles; ++i) {
    holes.push_back(touched(kHole));
    (void)touched(kWall);
  }
  for (void* hole : holes) std::free(hole);
}

/// Hash of floats.
std::size_t hash_of(const float* values, std::size_t count) {
  return std::hash<std::string_view>{}(
      std::string_view(reinterpret_cast<const char*>(values), count * sizeof(float)));
}

/// What became of a step in a process of its own.
struct StepOutcome {
  std::optional<std::size_t> hash;  // of the outputs and the weights after it
  int status = -1;                  // that the process ended with
};
constexpr int kDone = 0, kFailed = 1, kRefused = 2;  // refused: NotEnoughMemory

/// A step over some rows where no more memory may be mapped than so many bytes.
StepOutcome step_within(Learner& learner, std::span<const PlayerView> views, std::size_t bytes) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    fill_heap();
    leave_holes();
    malloc_trim(0);  // what is free at the end of the heap would serve as scratch memory
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t mapped = pages * static_cast<std::size_t>(getpagesize()) + bytes;
    const rlimit limit{mapped, mapped};
    setrlimit(RLIMIT_AS, &limit);
    std::size_t hash = 0;
    try {
      learner.accumulate(0, views, {}, [&](const NetworkOutputs& outputs) {
        const std::size_t count = views.size() * std::size_t{kNumActions};
        hash = hash_of(outputs.logits, count);
        std::copy_n(outputs.logits, count, outputs.logits_grad);
        std::fill_n(outputs.values_grad, views.size(), 1.0F);
      });
      (void)learner.step(1e-3, 1e6);
    } catch (const NotEnoughMemory&) {
      _exit(kRefused);
    } catch (const std::exception&) {
      _exit(kFailed);
    }
    for (const auto& [name, tensor] : learner.weights()) {
      hash = hash * 31 + hash_of(tensor.data.data(), tensor.data.size());
    }
    _exit(write(ends[1], &hash, sizeof hash) == sizeof hash ? kDone : kFailed);
  }
  close(ends[1]);
  std::size_t hash = 0;
  const bool heard = read(ends[0], &hash, sizeof hash) == sizeof hash;
  close(ends[0]);
  StepOutcome outcome;
  if (heard) outcome.hash = hash;
  int status = 0;
  if (waitpid(child, &status, 0) == child && WIFEXITED(status)) {
    outcome.status = WEXITSTATUS(status);
  }
  return outcome;
}

// MKL multiplies without its scratch memory where it gets none, in another order and silently: a
// training whose memory ended went on with other weights. Which sizes do that depends on its heap,
// so all steps are refused that might.
TEST(Learner, without_room_for_scratch_memory_a_step_is_refused) {
  Learner small = make_learner();
  const Games games(small, 20);  // few: what it frees would serve as scratch memory
  std::vector<PlayerView> views;
  while (views.size() < 1500) views.push_back(games.batch.views[views.size() % games.batch.size()]);
  Learner learner({.shape = make_network_shape(256, 2), .seed = 3});
  const StepOutcome expected = step_within(learner, views, std::size_t{1} << 32);
  ASSERT_EQ(expected.status, kDone);
  ASSERT_TRUE(expected.hash);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{16} << 20}) {
    const StepOutcome refused = step_within(learner, views, bytes);
    EXPECT_EQ(refused.status, kRefused) << bytes;
    EXPECT_FALSE(refused.hash) << bytes;
  }
  EXPECT_EQ(step_within(learner, views, std::size_t{256} << 20).hash, expected.hash);
}

// The gradient of two replicas with half of the rows each is that of one with all rows.
TEST(Learner, replicas_share_weights_and_sum_gradients) {
  Learner one = make_learner(1), two = make_learner(2);
  const Games games(one, 20);
  const auto loss = [](const NetworkOutputs& outputs, std::size_t rows) {
    for (std::size_t i = 0; i < rows * static_cast<std::size_t>(kNumActions); ++i) {
      outputs.logits_grad[i] = outputs.logits[i];
    }
    for (std::size_t i = 0; i < rows; ++i) outputs.values_grad[i] = 1.0F;
  };
  const std::span<const PlayerView> views = games.batch.views;
  const std::size_t half = views.size() / 2;
  one.accumulate(0, views, {}, [&](const NetworkOutputs& o) { loss(o, views.size()); });
  two.accumulate(0, views.first(half), {}, [&](const NetworkOutputs& o) { loss(o, half); });
  two.accumulate(1, views.subspan(half), {},
                 [&](const NetworkOutputs& o) { loss(o, views.size() - half); });
  const double norm = one.step(1e-3, 1e6);
  EXPECT_NEAR(two.step(1e-3, 1e6), norm, 1e-3 * norm);  // float32 sums in another order
}

// Two ways to the same sums: the inputs that are set, and the dense product.
TEST(Learner, sparse_and_dense_first_layers_learn_the_same) {
  for (const Critic critic : {Critic::kShared, Critic::kOracle}) {
    const bool oracle = critic == Critic::kOracle;
    LearnerSettings settings{.shape = oracle ? make_network_shape(80, 2, {}, TrunkKind::kResidual,
                                                                  ObservationVersion::kV3)
                                             : make_network_shape(80, 2),
                             .critic = critic,
                             .critic_width = oracle ? 24 : 0,
                             .sparse_inputs = true};
    Learner sparse(settings);
    settings.sparse_inputs = false;
    Learner dense(settings);
    const Games games(sparse, 20, critic == Critic::kOracle);
    const std::size_t rows = games.batch.size();
    std::array<std::vector<float>, 2> logits, values;
    for (Learner* learner : {&sparse, &dense}) {
      const std::size_t n = learner == &dense ? 1 : 0;
      learner->accumulate(0, games.batch.views, games.batch.full_views,
                          [&](const NetworkOutputs& outputs) {
                            std::copy_n(outputs.logits, rows * kNumActions, outputs.logits_grad);
                            std::fill_n(outputs.values_grad, rows, 1.0F);
                          });
      (void)learner->step(0.01, 1.0);
      logits[n].resize(rows * kNumActions);
      values[n].resize(rows);
      learner->forward(0, games.batch.views, games.batch.full_views, logits[n], values[n]);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      ASSERT_NEAR(values[0][i], values[1][i], 2e-2F);  // Adam: sign of tiny gradients
      ASSERT_NEAR(logits[0][i * kNumActions + 7], logits[1][i * kNumActions + 7], 2e-2F);
    }
  }
}

class ExportedWeights : public testing::TestWithParam<std::pair<TrunkKind, ObservationVersion>> {};

TEST_P(ExportedWeights, give_the_same_outputs_without_torch) {
  const NetworkShape shape = make_network_shape(32, 2, {}, GetParam().first, GetParam().second);
  Learner learner({.shape = shape, .replicas = 1, .seed = 3});
  const Games games(learner, 20);
  const auto network =
      make_mlp_network(network_file(learner, shape, TrainConfig{}, {}, "research", 0), "test");
  const std::size_t rows = games.batch.size();
  std::vector<float> logits(rows * kNumActions), values(rows),
      row(static_cast<std::size_t>(observation_size(shape.observation))),
      inputs(static_cast<std::size_t>(shape.inputs));
  learner.forward(0, games.batch.views, {}, logits, values);
  const InputGather gather(shape);
  std::vector<float> other(kNumActions), value(1);
  for (std::size_t i = 0; i < rows; ++i) {
    const PlayerView& view = games.batch.views[i];
    expand(gather.form(), {&view.cards, &view.order, &view.events}, {}, row.data());
    gather.gather(row, inputs);
    network->forward_inputs(inputs, other, value);
    for (std::size_t a = 0; a < kNumActions; ++a) {
      ASSERT_NEAR(other[a], logits[i * kNumActions + a], 1e-4F);  // float32 sums in another order
    }
    ASSERT_NEAR(value[0], values[i], 1e-4F);
  }
}

INSTANTIATE_TEST_SUITE_P(Learner, ExportedWeights,
                         testing::Values(std::pair(TrunkKind::kMlp, ObservationVersion::kV1),
                                         std::pair(TrunkKind::kMlp, ObservationVersion::kV2),
                                         std::pair(TrunkKind::kResidual, ObservationVersion::kV3)),
                         [](const auto& test) {
                           return fmt::format("{}_v{}", name_of(test.param.first),
                                              static_cast<int>(test.param.second));
                         });

TEST(Learner, an_exported_oracle_critic_gives_the_same_values_without_torch) {
  const NetworkShape shape = make_network_shape(32, 2);
  Learner learner({.shape = shape, .critic = Critic::kOracle, .replicas = 1, .seed = 3});
  const Games games(learner, 20, true);
  TrainConfig config;
  config.critic = "oracle";
  const auto critic =
      make_mlp_critic(network_file(learner, shape, config, {}, "research", 0), "test");
  ASSERT_TRUE(critic->sees_hidden_hands());
  const std::size_t rows = games.batch.size();
  std::vector<float> logits(rows * kNumActions), values(rows), value(1);
  learner.forward(0, games.batch.views, games.batch.full_views, logits, values);
  const RuleTable no_rules;
  for (std::size_t i = 0; i < rows; ++i) {
    const PlayerView& view = games.batch.views[i];
    critic->values({.size = 1,
                    .cards = &view.cards,
                    .order = &view.order,
                    .events = &view.events,
                    .rules = &no_rules,
                    .full = &games.batch.full_views[i]},
                   value);
    ASSERT_NEAR(value[0], shape.value_scale * values[i], 5e-3F);  // sums in another order
  }
}

}  // namespace
}  // namespace schafkopf
