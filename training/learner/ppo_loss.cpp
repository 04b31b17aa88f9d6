#include "training/learner/ppo_loss.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "env/base/assert.h"

namespace schafkopf {
namespace {

/// Ids of a mask, lowest first; returns their number.
int list_actions(const ActionMask& mask, std::array<std::uint8_t, kMaxLegal>& ids) {
  int count = 0;
  for (int word = 0; word < 2; ++word) {
    for (std::uint64_t bits = mask.words[word]; bits != 0; bits &= bits - 1) {
      SCHAFKOPF_ASSERT(count < kMaxLegal);
      ids[static_cast<std::size_t>(count++)] =
          static_cast<std::uint8_t>(64 * word + std::countr_zero(bits));
    }
  }
  return count;
}

void log_softmax(const float* logits, const std::array<std::uint8_t, kMaxLegal>& ids, int count,
                 float* log_probs) {
  float highest = logits[ids[0]];
  for (int i = 1; i < count; ++i)
    highest = std::max(highest, logits[ids[static_cast<std::size_t>(i)]]);
  float sum = 0.0F;
  for (int i = 0; i < count; ++i) {
    log_probs[i] = logits[ids[static_cast<std::size_t>(i)]] - highest;
    sum += std::exp(log_probs[i]);
  }
  const float log_sum = std::log(sum);
  for (int i = 0; i < count; ++i) log_probs[i] -= log_sum;
}

/// The slope of half a square that goes on linearly beyond the bound; 0 = there is none.
float cut(float error, float bound) {
  return bound > 0.0F ? std::clamp(error, -bound, bound) : error;
}

double half_square(float error) {
  return 0.5 * static_cast<double>(error) * static_cast<double>(error);
}

/// The value's part of a loss and its slope.
float value_gradient(const PpoCoefficients& coefficients, const PpoTarget& target, float value,
                     PpoSums& sums) {
  const float error = value - target.value_target;
  sums.value += half_square(error);
  return coefficients.value * cut(error, coefficients.value_huber);
}

}  // namespace

void PpoSums::add(const PpoSums& other) {
  count += other.count;
  policy += other.policy;
  value += other.value;
  entropy += other.entropy;
  kl += other.kl;
  clipped += other.clipped;
  magnet += other.magnet;
  labelled += other.labelled;
  regret += other.regret;
}

void masked_log_softmax(const float* logits, const ActionMask& legal, float* log_probs) {
  std::array<std::uint8_t, kMaxLegal> ids{};
  const int count = list_actions(legal, ids);
  SCHAFKOPF_ASSERT(count > 0);
  log_softmax(logits, ids, count, log_probs);
}

float ppo_gradient(const PpoCoefficients& coefficients, const PpoTarget& target,
                   const float* logits, float value, float scale, float* logits_grad,
                   PpoSums& sums) {
  std::array<std::uint8_t, kMaxLegal> ids{};
  std::array<float, kMaxLegal> log_probs{}, probs{};
  const int count = list_actions(target.legal, ids);
  log_softmax(logits, ids, count, log_probs.data());

  float entropy = 0.0F, kl = 0.0F, magnet_kl = 0.0F, log_ratio = 0.0F;
  const float* magnet = target.magnet_log;
  for (int i = 0; i < count; ++i) {
    const auto n = static_cast<std::size_t>(i);
    probs[n] = std::exp(log_probs[n]);
    const float difference = log_probs[n] - target.behaviour_log[i];
    entropy -= probs[n] * log_probs[n];
    kl += probs[n] * difference;
    if (magnet != nullptr) magnet_kl += probs[n] * (log_probs[n] - magnet[i]);
    if (ids[n] == target.action) log_ratio = difference;
  }
  const float ratio = std::exp(std::min(log_ratio, 20.0F));
  const float bounded = std::clamp(ratio, 1.0F - coefficients.clip, 1.0F + coefficients.clip);
  const float surrogate = ratio * target.advantage;
  const bool is_clipped = bounded * target.advantage < surrogate;
  // d(-surrogate)/d log pi(a), 0 where the clipped branch is the smaller one.
  const float pull = is_clipped ? 0.0F : -coefficients.ppo * surrogate;
  const bool labelled = target.action_values != nullptr;
  float expected = 0.0F, best = labelled ? target.action_values[0] : 0.0F;
  for (int i = 0; i < count && labelled; ++i) {
    expected += probs[static_cast<std::size_t>(i)] * target.action_values[i];
    best = std::max(best, target.action_values[i]);
  }

  std::fill_n(logits_grad, kNumActions, 0.0F);
  for (int i = 0; i < count; ++i) {
    const auto n = static_cast<std::size_t>(i);
    const float chosen = ids[n] == target.action ? 1.0F : 0.0F;
    const float difference = log_probs[n] - target.behaviour_log[i];
    float gradient = pull * (chosen - probs[n]) +
                     coefficients.entropy * probs[n] * (log_probs[n] + entropy) +
                     coefficients.behaviour_kl * probs[n] * (difference - kl);
    if (magnet != nullptr) {
      gradient += coefficients.magnet_kl * probs[n] * (log_probs[n] - magnet[i] - magnet_kl);
    }
    const float worth = labelled ? target.action_values[i] - expected : 0.0F;
    logits_grad[ids[n]] =
        scale * target.weight * (gradient - coefficients.action_values * probs[n] * worth);
  }
  sums.count += 1;
  sums.policy -= static_cast<double>(std::min(surrogate, bounded * target.advantage));
  sums.entropy += static_cast<double>(entropy);
  sums.kl += static_cast<double>(kl);
  sums.magnet += static_cast<double>(magnet_kl);
  sums.clipped += is_clipped ? 1 : 0;
  sums.labelled += labelled ? 1 : 0;
  sums.regret += static_cast<double>(best - expected);
  return scale * value_gradient(coefficients, target, value, sums);
}

float action_value_gradient(const PpoCoefficients& coefficients, const PpoTarget& target,
                            const float* logits, float value, float scale, float* logits_grad,
                            PpoSums& sums) {
  std::fill_n(logits_grad, kNumActions, 0.0F);
  const float difference = logits[target.action] - target.value_target;
  logits_grad[target.action] = scale * target.weight * cut(difference, coefficients.value_huber);
  sums.count += 1;
  sums.policy += half_square(difference);
  return scale * value_gradient(coefficients, target, value, sums);
}

}  // namespace schafkopf
