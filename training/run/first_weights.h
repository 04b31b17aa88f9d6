// A run that begins with the weights of another one.
#pragma once

#include <string>
#include <vector>

#include "agents/network/network.h"
#include "env/rules/compiled_rules.h"
#include "training/config/config.h"
#include "training/learner/learner.h"

namespace schafkopf {

/// Give a learner of this shape the weights that `init` names: the policy as it was, the critic where
/// it is of the same kind and width. Returns what a person should know: inputs and critics that begin anew,
/// other rules. Raises std::invalid_argument: weights that cannot be read, or of another network.
[[nodiscard]] std::vector<std::string> start_from_weights(Learner& learner,
                                                          const NetworkShape& shape,
                                                          const TrainConfig& config,
                                                          const CompiledRules& rules);

/// Raises std::invalid_argument where no run can begin with the weights of the one before: "mlp:32x2
/// on observation 1 (544 inputs), the run has ..., allowed: ...".
void check_follows(const TrainConfig& before, const TrainConfig& config);

}  // namespace schafkopf
