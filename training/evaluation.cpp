#include "training/evaluation.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include "agents/registry.h"
#include "env/vector/vector_env.h"

namespace schafkopf {
namespace {

VectorEnvOptions options_of(const EvaluationSettings& settings, int seat,
                            std::shared_ptr<BatchPolicy> others) {
  VectorEnvOptions options;
  options.num_envs = settings.blocks;
  options.rules = {settings.rules};
  options.seed = settings.seed;
  options.num_threads = std::min(settings.num_threads, settings.blocks);
  options.view_lines = true;
  options.skip_forced = true;
  if (settings.track == EvaluationTrack::kCardPlay) {
    options.start = StartAt::kCardPlay;
    options.generator = make_generator(settings.generator);
  }
  options.learner_seat = seat;
  options.opponent = std::move(others);
  return options;
}

/// Play every deal once with `player` in one seat, `others` in the rest, and add its payoffs.
void play_seat(BatchPolicy& player, const std::shared_ptr<BatchPolicy>& others,
               const EvaluationSettings& settings, int seat, std::vector<double>& sums) {
  VectorEnv env(options_of(settings, seat, others));
  const EnvBuffers& buffers = env.buffers();
  const std::size_t envs = static_cast<std::size_t>(settings.blocks);
  std::vector<bool> over(envs);
  std::vector<Action> actions(envs, kActionPass);
  std::vector<RngKey> keys(envs);
  for (std::size_t left = envs; left > 0;) {
    if (settings.stop != nullptr && *settings.stop) {
      throw std::runtime_error("the evaluation was stopped");
    }
    env.keys(keys);
    player.act(env.views(), keys, actions);
    env.step(std::span<const Action>(actions));
    for (std::size_t i = 0; i < envs; ++i) {
      if (over[i] || buffers.terminated[i] == 0) continue;
      over[i] = true;
      --left;
      sums[i] +=
          static_cast<double>(buffers.rewards[i * kNumSeats + static_cast<std::size_t>(seat)]);
    }
  }
}

double mean_of(const std::vector<double>& sums, int seats) {
  double sum = 0.0;
  for (const double value : sums) sum += value;
  return sum / static_cast<double>(seats) / static_cast<double>(sums.size());
}

}  // namespace

void check_evaluation(const EvaluationSettings& settings) {
  EvaluationSettings one = settings;
  one.blocks = 1;
  const VectorEnv env(options_of(one, 0, make_agent(settings.opponent)));
}

Evaluation evaluate(const BatchPolicy& player, const EvaluationSettings& settings) {
  const std::unique_ptr<BatchPolicy> own = player.clone();
  const std::unique_ptr<BatchPolicy> opponent = make_agent(settings.opponent);
  const std::shared_ptr<BatchPolicy> players = player.clone();
  const std::shared_ptr<BatchPolicy> opponents = make_agent(settings.opponent);
  const auto blocks = static_cast<std::size_t>(settings.blocks);
  std::vector<double> alone(blocks), against(blocks);
  const int seats = settings.rules->seats();
  for (int seat = 0; seat < seats; ++seat) {
    play_seat(*own, opponents, settings, seat, alone);
    play_seat(*opponent, players, settings, seat, against);
  }
  Evaluation result{.alone = mean_of(alone, seats), .against = mean_of(against, seats)};
  result.mean = (result.alone - result.against) / 2.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const double off = (alone[i] - against[i]) / (2.0 * seats) - result.mean;
    squares += off * off;
  }
  const double count = static_cast<double>(blocks);
  result.half_width = 1.96 * std::sqrt(squares / std::max(count - 1.0, 1.0) / count);
  return result;
}

}  // namespace schafkopf
