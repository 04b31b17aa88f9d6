// Cross entropy to what somebody else would do: a teacher's distribution, or the action of a
// recorded game. By hand and without a tensor library, as ppo_loss.h.
#pragma once

#include "env/cards/action.h"

namespace schafkopf {

/// Sums over decisions.
struct ImitationSums {
  double count = 0;
  double loss = 0;    // cross entropy, nats
  double agreed = 0;  // decisions in which both find the same action most probable

  void add(const ImitationSums& other);
};

/// Cross entropy of one decision, added to `sums`, and its gradient, added to `logits_grad`.
///
/// loss = -sum over legal b of target(b) log pi(b)
/// logits         [128], canonical
/// legal          not empty, at most kMaxLegal actions
/// target         [legal.count()] probabilities of the legal actions, lowest id first, sum 1
/// scale          what the gradient is multiplied by
/// logits_grad    [128]; only those of legal actions change
void add_cross_entropy(const float* logits, const ActionMask& legal, const float* target,
                       float scale, float* logits_grad, ImitationSums& sums);

}  // namespace schafkopf
