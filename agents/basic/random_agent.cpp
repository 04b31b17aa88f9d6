#include "agents/basic/random_agent.h"

#include <algorithm>
#include <limits>

namespace schafkopf {

void RandomAgent::policy(const ViewBatch& batch, std::span<float> probabilities,
                         std::span<float> values) {
  std::ranges::fill(probabilities, 0.0f);
  std::ranges::fill(values, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t row = 0; row < batch.size; ++row) {
    const ActionMask mask = without_claims(legal_actions(batch.cards[row]));
    const int count = mask.count();
    for (int n = 0; n < count; ++n) {
      probabilities[row * kNumActions + mask.nth(n)] = 1.0f / static_cast<float>(count);
    }
  }
}

void RandomAgent::act(const ViewBatch& batch, std::span<const RngKey> keys,
                      std::span<Action> actions) {
  for (std::size_t row = 0; row < batch.size; ++row) {
    const ActionMask mask = without_claims(legal_actions(batch.cards[row]));
    actions[row] = mask.empty() ? kActionPass : mask.nth(below(draw(keys[row]), mask.count()));
  }
}

std::unique_ptr<BatchPolicy> RandomAgent::clone() const {
  return std::make_unique<RandomAgent>(*this);
}

}  // namespace schafkopf
