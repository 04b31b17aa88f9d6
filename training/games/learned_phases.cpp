#include "training/games/learned_phases.h"

#include <algorithm>

namespace schafkopf {
namespace {

constexpr auto kActions = static_cast<std::size_t>(kNumActions);

}  // namespace

void PhaseActor::policy(Learner& learner, int replica, std::span<const PlayerView> views,
                        std::span<float> logits) {
  if (frozen_ == nullptr) return learner.policy(replica, views, logits);
  rows_.clear();
  for (std::uint32_t row = 0; row < views.size(); ++row) {
    if (learns(views[row].phase())) rows_.push_back(row);
  }
  ask(learner, replica, views, logits);
  overwrite_frozen(replica, views, logits);
}

void PhaseActor::overwrite_frozen(int replica, std::span<const PlayerView> views,
                                  std::span<float> logits) {
  if (frozen_ == nullptr) return;
  rows_.clear();
  for (std::uint32_t row = 0; row < views.size(); ++row) {
    if (!learns(views[row].phase())) rows_.push_back(row);
  }
  ask(*frozen_, replica, views, logits);
}

void PhaseActor::ask(Learner& learner, int replica, std::span<const PlayerView> views,
                     std::span<float> logits) {
  if (rows_.empty()) return;
  views_.clear();
  for (const std::uint32_t row : rows_) views_.push_back(views[row]);
  logits_.resize(rows_.size() * kActions);
  learner.policy(replica, views_, logits_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    std::copy_n(&logits_[i * kActions], kActions, &logits[rows_[i] * kActions]);
  }
}

void HeldSums::add(const HeldSums& other) {
  loss.add(other.loss);
  agreed += other.agreed;
}

void add_agreement(const float* logits, const Decision& held, HeldSums& sums) {
  const int count = held.legal.count();
  int best = 0;
  for (int n = 1; n < count; ++n) {
    if (logits[held.legal.nth(n)] > logits[held.legal.nth(best)]) best = n;
  }
  const float* frozen = held.behaviour_log.data();
  sums.agreed += std::max_element(frozen, frozen + count) - frozen == best ? 1 : 0;
}

}  // namespace schafkopf
