#include "training/run/decision_loss.h"

namespace schafkopf {

DecisionLoss::DecisionLoss(const TrainConfig& config, const LossSchedule& now) {
  const PpoCoefficients common{
      .clip = static_cast<float>(now.clip),
      .entropy = static_cast<float>(config.entropy * now.entropy_share),
      .behaviour_kl = static_cast<float>(config.behaviour_kl * now.kl_share),
      .magnet_kl = static_cast<float>(config.magnet_kl * now.kl_share),
      .value = static_cast<float>(config.value_coefficient),
      .ppo = static_cast<float>(config.ppo_weight),
      .action_values = static_cast<float>(now.solver_weight),
      .value_huber = static_cast<float>(config.value_huber)};
  for (const bool bidding : {false, true}) {
    for (const bool played_out : {false, true}) {
      PpoCoefficients& kind = kinds_[bidding ? 1 : 0][played_out ? 1 : 0];
      kind = common;
      if (bidding) kind.entropy = static_cast<float>(config.bidding_entropy * now.entropy_share);
      if (played_out) kind.action_values = static_cast<float>(now.playout_weight);
    }
  }
  // the policy that took them is that of the frozen weights
  held_ = {.entropy = 0.0F,
           .behaviour_kl = static_cast<float>(config.hold_kl),
           .value = common.value,
           .ppo = 0.0F,
           .value_huber = common.value_huber};
}

const PpoCoefficients& DecisionLoss::of(const Decision& decision) const {
  if (decision.held) return held_;
  return kinds_[decision.bidding ? 1 : 0][decision.played_out ? 1 : 0];
}

}  // namespace schafkopf
