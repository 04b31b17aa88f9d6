#include "training/evaluation.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "agents/registry.h"
#include "env/cards/card_map.h"
#include "env/vector/vector_env.h"

namespace schafkopf {
namespace {

/// Most probable legal action, in absolute ids.
Action best_action(const float* logits, const ActionMask& legal, int card_map) {
  const ActionMask canonical = to_canonical(legal, card_map);
  Action best = canonical.lowest();
  for (int i = 1; i < canonical.count(); ++i) {
    const Action action = canonical.nth(i);
    if (logits[action] > logits[best]) best = action;
  }
  return from_canonical_action(best, card_map);
}

VectorEnvOptions options_of(const EvaluationSettings& settings, int seat) {
  VectorEnvOptions options;
  options.num_envs = settings.blocks;
  options.rules = {settings.rules};
  options.seed = settings.seed;
  options.view_lines = true;
  options.start = StartAt::kCardPlay;
  options.generator = make_generator(settings.generator);
  options.learner_seat = seat;
  options.opponent = make_agent(settings.opponent);
  return options;
}

/// Play every deal once with the network in one seat and add its payoffs.
void play_seat(Learner& learner, const EvaluationSettings& settings, int seat,
               std::vector<double>& sums) {
  VectorEnv env(options_of(settings, seat));
  const EnvBuffers& buffers = env.buffers();
  const std::size_t envs = static_cast<std::size_t>(settings.blocks);
  std::vector<bool> over(envs);
  std::vector<Action> actions(envs);
  std::vector<PlayerView> views(envs);
  std::vector<FullView> full(envs);  // an oracle critic's values are not used
  std::vector<float> logits(envs * static_cast<std::size_t>(kNumActions)), values(envs);
  for (std::size_t left = envs; left > 0;) {
    for (std::size_t i = 0; i < envs; ++i) {
      views[i] = {buffers.cards[i], buffers.order[i], buffers.events[i]};
    }
    learner.forward(0, views, full, logits, values);
    for (std::size_t i = 0; i < envs; ++i) {
      actions[i] = best_action(&logits[i * static_cast<std::size_t>(kNumActions)], buffers.legal[i],
                               views[i].order.card_map);
    }
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

}  // namespace

void check_evaluation(const EvaluationSettings& settings) {
  EvaluationSettings one = settings;
  one.blocks = 1;
  const VectorEnv env(options_of(one, 0));
}

Evaluation evaluate_card_play(Learner& learner, const EvaluationSettings& settings) {
  std::vector<double> sums(static_cast<std::size_t>(settings.blocks));
  const int seats = settings.rules->seats();
  for (int seat = 0; seat < seats; ++seat) play_seat(learner, settings, seat, sums);
  const double count = static_cast<double>(settings.blocks);
  double mean = 0.0, squares = 0.0;
  for (const double sum : sums) mean += sum / seats / count;
  for (const double sum : sums) squares += (sum / seats - mean) * (sum / seats - mean);
  const double error = std::sqrt(squares / std::max(count - 1.0, 1.0) / count);
  return {.mean = mean, .half_width = 1.96 * error};
}

}  // namespace schafkopf
