#include "agents/basic/greedy_agent.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace schafkopf {

GreedyAgent::GreedyAgent(std::unique_ptr<BatchPolicy> base, std::string name)
    : base_(std::move(base)), name_(std::move(name)) {}

void GreedyAgent::policy(const ViewBatch& batch, std::span<float> probabilities,
                         std::span<float> values) {
  base_->policy(batch, probabilities, values);
  for (std::size_t row = 0; row < batch.size; ++row) {
    const std::span<float> chances = probabilities.subspan(row * kNumActions, kNumActions);
    if (std::ranges::any_of(chances, [](float p) { return std::isnan(p); })) continue;  // refused
    const auto best = std::ranges::max_element(chances);
    if (*best <= 0.0f) continue;  // a row that is not to act
    const auto index = best - chances.begin();
    std::ranges::fill(chances, 0.0f);
    chances[static_cast<std::size_t>(index)] = 1.0f;
  }
}

std::unique_ptr<BatchPolicy> GreedyAgent::clone() const {
  return std::make_unique<GreedyAgent>(copy_of(*base_), name_);
}

}  // namespace schafkopf
