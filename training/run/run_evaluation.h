// What a run asks of its network in its turn: games against the opponents of its configuration.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include "agents/network/weights.h"
#include "env/rules/compiled_rules.h"
#include "training/config/config.h"
#include "training/games/evaluation.h"
#include "training/run/trainer.h"

namespace schafkopf {

class RunEvaluation {
 public:
  /// stop  ends an evaluation before its time
  RunEvaluation(const TrainConfig& config, std::shared_ptr<const CompiledRules> rules,
                const std::atomic<bool>& stop);

  /// Raises std::invalid_argument for players and generators that do not exist, also where they are
  /// not asked yet: a resumed run may ask them.
  void check() const;

  /// Fill in eval_* of an update. Returns the lower end of the interval against the first opponent.
  double ask(const WeightsFile& weights, TrainProgress& progress) const;

 private:
  [[nodiscard]] EvaluationSettings against(std::string_view opponent) const;

  const TrainConfig& config_;
  std::shared_ptr<const CompiledRules> rules_;
  const std::atomic<bool>& stop_;
};

/// Whether figures of evaluations under two configurations compare.
[[nodiscard]] bool evaluates_alike(const TrainConfig& one, const TrainConfig& other);

}  // namespace schafkopf
