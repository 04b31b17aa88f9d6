#include "training/ppo_loss.h"

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
  for (int i = 1; i < count; ++i) highest = std::max(highest, logits[ids[std::size_t(i)]]);
  float sum = 0.0F;
  for (int i = 0; i < count; ++i) {
    log_probs[i] = logits[ids[std::size_t(i)]] - highest;
    sum += std::exp(log_probs[i]);
  }
  const float log_sum = std::log(sum);
  for (int i = 0; i < count; ++i) log_probs[i] -= log_sum;
}

}  // namespace

void PpoSums::add(const PpoSums& other) {
  count += other.count;
  policy += other.policy;
  value += other.value;
  entropy += other.entropy;
  kl += other.kl;
  clipped += other.clipped;
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

  float entropy = 0.0F, kl = 0.0F, log_ratio = 0.0F;
  for (int i = 0; i < count; ++i) {
    const std::size_t n = static_cast<std::size_t>(i);
    probs[n] = std::exp(log_probs[n]);
    const float difference = log_probs[n] - target.behaviour_log[i];
    entropy -= probs[n] * log_probs[n];
    kl += probs[n] * difference;
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
    expected += probs[std::size_t(i)] * target.action_values[i];
    best = std::max(best, target.action_values[i]);
  }

  std::fill_n(logits_grad, kNumActions, 0.0F);
  for (int i = 0; i < count; ++i) {
    const std::size_t n = static_cast<std::size_t>(i);
    const float chosen = ids[n] == target.action ? 1.0F : 0.0F;
    const float difference = log_probs[n] - target.behaviour_log[i];
    const float gradient = pull * (chosen - probs[n]) +
                           coefficients.entropy * probs[n] * (log_probs[n] + entropy) +
                           coefficients.behaviour_kl * probs[n] * (difference - kl);
    const float worth = labelled ? target.action_values[i] - expected : 0.0F;
    logits_grad[ids[n]] =
        scale * target.weight * (gradient - coefficients.action_values * probs[n] * worth);
  }
  const float difference = value - target.value_target;
  const float bound = coefficients.value_huber;
  const float error = bound > 0.0F ? std::clamp(difference, -bound, bound) : difference;
  sums.count += 1;
  sums.policy -= static_cast<double>(std::min(surrogate, bounded * target.advantage));
  sums.entropy += static_cast<double>(entropy);
  sums.kl += static_cast<double>(kl);
  sums.clipped += is_clipped ? 1 : 0;
  sums.value += 0.5 * static_cast<double>(difference) * static_cast<double>(difference);
  sums.labelled += labelled ? 1 : 0;
  sums.regret += static_cast<double>(best - expected);
  return scale * coefficients.value * error;
}

}  // namespace schafkopf
