// Coefficients of the loss by the kind of a decision.
#pragma once

#include "training/config/config.h"
#include "training/games/trajectory.h"
#include "training/learner/ppo_loss.h"

namespace schafkopf {

/// Where the coefficients of an update stand that change over the budget.
struct LossSchedule {
  double solver_weight = 0.0, playout_weight = 0.0;
  double entropy_share = 1.0, kl_share = 1.0, clip = 0.0;
};

/// Coefficients of one update.
class DecisionLoss {
 public:
  DecisionLoss(const TrainConfig& config, const LossSchedule& now);
  [[nodiscard]] const PpoCoefficients& of(const Decision& decision) const;

 private:
  PpoCoefficients kinds_[2][2];  // [before card play][played out]
  PpoCoefficients held_;         // decisions of phases that are not learned
};

}  // namespace schafkopf
