#include "training/learner/imitation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "training/learner/ppo_loss.h"

namespace schafkopf {

void ImitationSums::add(const ImitationSums& other) {
  count += other.count;
  loss += other.loss;
  agreed += other.agreed;
}

void add_cross_entropy(const float* logits, const ActionMask& legal, const float* target,
                       float scale, float* logits_grad, ImitationSums& sums) {
  std::array<float, kMaxLegal> log_probs{};
  masked_log_softmax(logits, legal, log_probs.data());
  const int count = legal.count();
  float loss = 0.0F;
  for (int n = 0; n < count; ++n) {
    const float log_prob = log_probs[static_cast<std::size_t>(n)];
    loss -= target[n] * log_prob;
    logits_grad[legal.nth(n)] += scale * (std::exp(log_prob) - target[n]);
  }
  const auto best = std::max_element(log_probs.begin(), log_probs.begin() + count);
  sums.count += 1;
  sums.loss += static_cast<double>(loss);
  const bool agreed = std::max_element(target, target + count) - target == best - log_probs.begin();
  sums.agreed += agreed ? 1.0 : 0.0;
}

}  // namespace schafkopf
