// A quick look at strength during training: card play, one seat against three opponents, every deal
// played from all four seats. Tournaments (agents/tournament.h) give the figures that count.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "env/compiled_rules.h"
#include "training/learner.h"

namespace schafkopf {

struct EvaluationSettings {
  std::shared_ptr<const CompiledRules> rules;
  std::string opponent = "rules";       // registry string of the three other seats
  std::string generator = "heuristic";  // of the contracts
  int blocks = 200;                     // deals, each played from four seats
  std::uint64_t seed = 0;
};

/// Points per game of the network's seat.
struct Evaluation {
  double mean = 0.0;
  double half_width = 0.0;  // of the 95 % interval over deals
};

/// Play the most probable card of the network (replica 0) against the opponent. Needs all replicas
/// at rest. Raises std::invalid_argument for an unknown opponent or generator.
[[nodiscard]] Evaluation evaluate_card_play(Learner& learner, const EvaluationSettings& settings);

}  // namespace schafkopf
