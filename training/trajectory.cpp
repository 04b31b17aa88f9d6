#include "training/trajectory.h"

#include <algorithm>
#include <cmath>

#include "env/cards/card.h"

namespace schafkopf {

void Batch::clear() {
  views.clear();
  full_views.clear();
  decisions.clear();
}

void finish_game(std::span<Decision> decisions, std::span<const std::uint32_t> game,
                 std::span<const float> payoffs, const AdvantageSettings& settings) {
  struct Later {
    float value = 0.0F, advantage = 0.0F;
    bool exists = false;
  };
  std::array<Later, kNumSeats> later;
  for (std::size_t i = game.size(); i-- > 0;) {
    Decision& decision = decisions[game[i]];
    Later& next = later[decision.seat];
    float reward = 0.0F;
    if (!next.exists) {
      reward = std::clamp(payoffs[decision.seat] / settings.reward_scale, -settings.reward_clip,
                          settings.reward_clip);
    }
    const float error = reward + settings.gamma * next.value - decision.value;
    decision.advantage = error + settings.gamma * settings.lambda * next.advantage;
    decision.value_target = decision.advantage + decision.value;
    next = {decision.value, decision.advantage, true};
  }
}

void AdvantageSums::add(const AdvantageSums& other) {
  count += other.count;
  sum += other.sum;
  squares += other.squares;
  target += other.target;
  target_squares += other.target_squares;
  residual_squares += other.residual_squares;
}

double AdvantageSums::mean() const { return count > 0 ? sum / count : 0.0; }

double AdvantageSums::deviation() const {
  if (count <= 0) return 1.0;
  return std::sqrt(std::max(squares / count - mean() * mean(), 1e-12));
}

double AdvantageSums::explained_variance() const {
  if (count <= 0) return 0.0;
  const double variance = target_squares / count - (target / count) * (target / count);
  const double residual = residual_squares / count - mean() * mean();
  return variance > 1e-12 ? 1.0 - residual / variance : 0.0;
}

void BatchAdvantages::add(std::span<const Decision> decisions) {
  for (const Decision& decision : decisions) {
    const double advantage = static_cast<double>(decision.advantage);
    const double target = static_cast<double>(decision.value_target);
    const AdvantageSums one{.count = 1,
                            .sum = advantage,
                            .squares = advantage * advantage,
                            .target = target,
                            .target_squares = target * target,
                            .residual_squares = advantage * advantage};  // target - value
    all.add(one);
    groups[decision.group].add(one);
  }
}

Normalisations normalisations(const BatchAdvantages& sums, bool by_contract) {
  constexpr double kEnough = 100;
  Normalisations result;
  for (std::size_t group = 0; group < result.size(); ++group) {
    const bool own = by_contract && sums.groups[group].count >= kEnough;
    const AdvantageSums& used = own ? sums.groups[group] : sums.all;
    result[group] = {.mean = static_cast<float>(used.mean()),
                     .factor = static_cast<float>(1.0 / (used.deviation() + 1e-4))};
  }
  return result;
}

}  // namespace schafkopf
