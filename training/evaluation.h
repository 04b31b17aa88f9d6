// A quick look at strength during training: card play, one seat against its opponents, every deal
// played from every seat. Tournaments (agents/tournament/tournament.h) give the figures that count.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "env/rules/compiled_rules.h"
#include "training/learner.h"

namespace schafkopf {

struct EvaluationSettings {
  std::shared_ptr<const CompiledRules> rules;
  std::string opponent = "rules";       // registry string of the other seats
  std::string generator = "heuristic";  // of the contracts
  int blocks = 200;                     // deals, each played from every seat
  std::uint64_t seed = 0;
};

/// Points per game of the network's seat.
struct Evaluation {
  double mean = 0.0;
  double half_width = 0.0;  // of the 95 % interval over deals
};

/// Raises std::invalid_argument for an unknown opponent or generator, or rules that they cannot
/// play.
void check_evaluation(const EvaluationSettings& settings);

/// Play the most probable card of the network (replica 0) against the opponent. Needs all replicas
/// at rest. Raises as check_evaluation.
[[nodiscard]] Evaluation evaluate_card_play(Learner& learner, const EvaluationSettings& settings);

}  // namespace schafkopf
