#include "training/games/trajectory.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "env/cards/card.h"

namespace schafkopf {

void Batch::clear() {
  views.clear();
  full_views.clear();
  decisions.clear();
  action_values.clear();
  teacher_probabilities.clear();
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
    decision.payoff = reward_of(payoffs[decision.seat], settings);
    const float reward = next.exists ? 0.0F : decision.payoff;
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
  payoff += other.payoff;
  payoff_squares += other.payoff_squares;
  residual += other.residual;
  residual_squares += other.residual_squares;
}

double AdvantageSums::mean() const { return count > 0 ? sum / count : 0.0; }

double AdvantageSums::deviation() const {
  if (count <= 0) return 1.0;
  return std::sqrt(std::max(squares / count - mean() * mean(), 1e-12));
}

double AdvantageSums::explained_variance() const {
  if (count <= 0) return 0.0;
  const double variance = payoff_squares / count - (payoff / count) * (payoff / count);
  const double left = residual_squares / count - (residual / count) * (residual / count);
  return variance > 1e-12 ? 1.0 - left / variance : 0.0;
}

void BatchAdvantages::add(std::span<const Decision> decisions) {
  for (const Decision& decision : decisions) {
    const auto advantage = static_cast<double>(decision.advantage);
    const auto payoff = static_cast<double>(decision.payoff);
    const double residual = payoff - static_cast<double>(decision.value);
    const AdvantageSums one{.count = 1,
                            .sum = advantage,
                            .squares = advantage * advantage,
                            .payoff = payoff,
                            .payoff_squares = payoff * payoff,
                            .residual = residual,
                            .residual_squares = residual * residual};
    all.add(one);
    if (decision.held) continue;
    learned.add(one);
    groups[decision.group].add(one);
  }
}

void RunningSquares::add(const BatchAdvantages& sums) {
  constexpr double kKept = 0.95;  // of what earlier updates count
  for (std::size_t group = 0; group < kNumGroups; ++group) {
    count[group] = kKept * count[group] + sums.groups[group].count;
    squares[group] = kKept * squares[group] + sums.groups[group].squares;
  }
}

namespace {

constexpr double kSmall = 1e-4;  // keeps factors finite

Normalisation by_batch(const AdvantageSums& sums) {
  return {.mean = static_cast<float>(sums.mean()),
          .factor = static_cast<float>(1.0 / (sums.deviation() + kSmall))};
}

Normalisation by_scale(double squares, double count) {
  const double deviation = std::sqrt(squares / std::max(count, 1.0));
  return {.mean = 0.0F, .factor = static_cast<float>(1.0 / (deviation + kSmall))};
}

}  // namespace

Normalisations normalisations(const BatchAdvantages& sums, const RunningSquares& running,
                              Grouping grouping) {
  Normalisations result;
  if (grouping == Grouping::kRole) {
    constexpr double kEnough = 1500;
    double count = 0, squares = 0;
    for (std::size_t group = 0; group < kNumGroups; ++group) {
      count += running.count[group];
      squares += running.squares[group];
    }
    for (std::size_t group = 0; group < kNumGroups; ++group) {
      const bool own = running.count[group] >= kEnough;
      result[group] =
          own ? by_scale(running.squares[group], running.count[group]) : by_scale(squares, count);
    }
    return result;
  }
  result.fill(by_batch(sums.learned));
  if (grouping == Grouping::kAll) return result;
  constexpr double kEnough = 100;
  const auto use = [&](const AdvantageSums& contract, std::initializer_list<std::size_t> groups) {
    if (contract.count < kEnough) return;
    for (const std::size_t group : groups) result[group] = by_batch(contract);
  };
  use(sums.groups[0], {0});
  for (std::size_t group = 1; group < kNumGroups; group += 2) {
    AdvantageSums contract = sums.groups[group];
    contract.add(sums.groups[group + 1]);
    use(contract, {group, group + 1});
  }
  return result;
}

}  // namespace schafkopf
