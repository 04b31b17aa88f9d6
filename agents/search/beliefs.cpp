#include "agents/search/beliefs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "agents/maxims/rule_agent.h"
#include "env/base/refuse.h"

namespace schafkopf {

MeanPolicy::MeanPolicy(std::unique_ptr<BatchPolicy> first, std::unique_ptr<BatchPolicy> second)
    : first_(std::move(first)), second_(std::move(second)) {
  for (const BatchPolicy* const player : {first_.get(), second_.get()}) {
    if (player == nullptr) refuse("player = null, allowed: one that exists");
    if (player->sees_hidden_hands()) {
      refuse(player->name() + " sees hidden hands: what it does depends on more than its own");
    }
  }
}

void MeanPolicy::policy(const ViewBatch& batch, std::span<float> probabilities,
                        std::span<float> values) {
  scratch_.resize(probabilities.size());
  first_->policy(batch, probabilities, {});
  second_->policy(batch, scratch_, {});
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    probabilities[i] = 0.5F * (probabilities[i] + scratch_[i]);
  }
  std::ranges::fill(values, std::numeric_limits<float>::quiet_NaN());
}

std::string MeanPolicy::name() const {
  return "the mean of " + first_->name() + " and " + second_->name();
}

std::unique_ptr<BatchPolicy> MeanPolicy::clone() const {
  return std::make_unique<MeanPolicy>(copy_of(*first_), copy_of(*second_));
}

std::unique_ptr<BatchPolicy> make_beliefs(Beliefs beliefs, const BatchPolicy& own) {
  switch (beliefs) {
    case Beliefs::kUniform:
      return nullptr;
    case Beliefs::kOwn:
      return copy_of(own);
    case Beliefs::kRules:
      return std::make_unique<RuleAgent>(0.0, kUnnamedRules);
    case Beliefs::kBoth:
      return std::make_unique<MeanPolicy>(copy_of(own), make_beliefs(Beliefs::kRules, own));
  }
  refuse(fmt::format("beliefs = {}, allowed: 0..{}", static_cast<int>(beliefs),
                     kNumValues<Beliefs> - 1));
}

}  // namespace schafkopf
