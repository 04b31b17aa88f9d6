// The loss of one decision, of PPO or of deep Monte Carlo, and its gradient with respect to the network's outputs, by hand and
// without a tensor library: the same code serves every device (outputs come to the host).
#pragma once

#include <cstdint>
#include <span>

#include "env/cards/action.h"

namespace schafkopf {

/// Largest number of legal actions of a decision (card phases 8, contract phases 24).
inline constexpr int kMaxLegal = 32;

/// Coefficients of the loss; see train_config_fields().
struct PpoCoefficients {
  float clip = 0.2F;
  float entropy = 0.02F;
  float behaviour_kl = 0.05F;
  float magnet_kl = 0.0F;  // of KL(policy, magnet), where the magnet's policy is known
  float value = 0.5F;
  float ppo = 1.0F;            // of the clipped surrogate
  float action_values = 0.0F;  // of the expected value of the policy, where values are known
  float value_huber = 0.0F;    // beyond this error the value loss is linear; 0 = never
};

/// One stored decision as the loss needs it.
struct PpoTarget {
  ActionMask legal;                      // canonical
  Action action = 0;                     // canonical, in `legal`
  const float* behaviour_log = nullptr;  // log-probabilities of the legal actions, lowest id first
  const float* magnet_log = nullptr;     // those of the magnet; null = there is none
  float advantage = 0.0F;
  float value_target = 0.0F;
  float weight = 1.0F;  // of the policy terms
  /// What each legal action is worth, lowest id first, in units of rewards; null = not known.
  const float* action_values = nullptr;
};

/// Sums over decisions (double: the order of summation is fixed by the caller).
struct PpoSums {
  double count = 0;
  double policy = 0, value = 0, entropy = 0, kl = 0, clipped = 0;
  double magnet = 0;    // KL(policy, magnet)
  double labelled = 0;  // decisions with action values
  double regret = 0;    // what the policy loses on the best action there, in units of rewards

  void add(const PpoSums& other);
};

/// Log-probabilities of the legal actions (masked log-softmax), lowest id first.
///
/// logits       [128]
/// legal        not empty, at most kMaxLegal actions
/// log_probs    [legal.count()]
void masked_log_softmax(const float* logits, const ActionMask& legal, float* log_probs);

/// Loss of one decision, added to `sums`, and its gradient.
///
/// loss = weight * (-ppo * min(r A, clip(r) A) - entropy * H + behaviour_kl * KL(pi, behaviour)
///                  + magnet_kl * KL(pi, magnet) - action_values * sum over legal b of pi(b) q(b))
///        + value * (v - target)^2 / 2,  r = pi(a) / behaviour(a)
/// logits         [128], canonical
/// scale          1 / decisions of the gradient step
/// logits_grad    [128] scale * d loss / d logits; all 128 are written, 0 on illegal actions
/// Returns scale * d loss / d value.
float ppo_gradient(const PpoCoefficients& coefficients, const PpoTarget& target,
                   const float* logits, float value, float scale, float* logits_grad,
                   PpoSums& sums);

/// Loss of one decision where logits are action values (deep Monte Carlo), added to `sums` (as
/// `policy`), and its gradient. Coefficients: value and value_huber.
///
/// loss = weight * huber(q(a) - return) + value * (v - return)^2 / 2, in units of rewards
/// value_target   the return
/// Other arguments and the result as ppo_gradient.
float action_value_gradient(const PpoCoefficients& coefficients, const PpoTarget& target,
                            const float* logits, float value, float scale, float* logits_grad,
                            PpoSums& sums);

}  // namespace schafkopf
