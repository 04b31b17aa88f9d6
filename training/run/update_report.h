// What an update did, as the state that a progress line shows and as a line of metrics.jsonl.
#pragma once

#include <string>
#include <vector>

#include "env/rules/compiled_rules.h"
#include "training/config/config.h"
#include "training/games/collector.h"
#include "training/games/learned_phases.h"
#include "training/games/trajectory.h"
#include "training/learner/imitation.h"
#include "training/learner/ppo_loss.h"
#include "training/run/checkpoint.h"
#include "training/run/decision_loss.h"
#include "training/run/trainer.h"

namespace schafkopf {

struct UpdateReport {
  CollectorStats stats;  // seconds: sums over workers, of all processes
  PpoSums sums;
  BatchAdvantages advantages;
  std::vector<double> sizes, recorded;  // decisions of each worker of all processes
  double learning_rate = 0.0, grad_norm = 0.0;
  int gradient_steps = 0;
  LossSchedule loss;
  double teacher_weight = 0.0, clone_weight = 0.0;
  double playouts = 0.0, playout_regret = 0.0;  // decisions, and their sum
  ImitationSums taught, cloned;
  HeldSums held;
  double collect_seconds = 0.0, update_seconds = 0.0;  // wall
};

/// The run at the end of an update.
struct RunState {
  const TrainConfig& config;
  const TrainCounters& counters;
  const CompiledRules& rules;
  double share_done = 0.0;  // of the budget
  std::size_t workers = 1;  // of all processes
  bool has_magnet = false;
};

[[nodiscard]] TrainProgress progress_of(const UpdateReport& report, const RunState& run);

/// A line of metrics.jsonl; the evaluation in `progress` is part of it if there was one.
[[nodiscard]] std::string metrics_line(const UpdateReport& report, const TrainProgress& progress,
                                       const RunState& run);

}  // namespace schafkopf
