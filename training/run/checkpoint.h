// Everything a killed run needs to go on, in one weights file (agents/network/weights.h), and the
// weights alone for players ("net:path").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agents/network/weights.h"
#include "env/rules/compiled_rules.h"
#include "training/config/config.h"
#include "training/games/evaluation.h"
#include "training/games/trajectory.h"
#include "training/learner/learner.h"
#include "training/run/metrics_file.h"

namespace schafkopf {

/// Counters of a run at the end of an update. The games of an update are a function of the seed and
/// the number of the update, so no game state is kept.
struct TrainCounters {
  std::int64_t updates = 0;
  std::int64_t decisions = 0;  // with more than one legal action
  std::int64_t forced = 0;
  std::int64_t games = 0;
  double seconds = 0.0;    // training time
  double next_eval = 0.0;  // training time of the next evaluation
  /// A time limit as decisions, measured once; 0 = not yet. It belongs to `budget_minutes`.
  std::int64_t budget = 0;
  double budget_minutes = 0.0;
  std::int64_t measured_from = 0;       // decisions when the measurement began
  double measured_from_seconds = 0.0;   // and the training time
  double best_lower = -1e300;           // lower end of the best evaluation so far, points per game
  int evaluation = kEvaluationVersion;  // which measured that
  RunningSquares advantages;            // scales of the groups of decisions
  /// Of the lines of metrics.jsonl; nothing in a checkpoint of before.
  std::optional<LineSums> metrics;
};

struct Checkpoint {
  TrainConfig config;  // workers resolved
  TrainCounters counters;
  int processes = 1;
  WeightsFile file;
};

/// Names of the files in a run's folder.
inline constexpr const char* kCheckpointFile = "checkpoint.safetensors";
inline constexpr const char* kBeforeFile = "checkpoint_before.safetensors";
inline constexpr const char* kTenPercentFile = "checkpoint_10pct.safetensors";
inline constexpr const char* kBestFile = "best.safetensors";
inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kMetricsFile = "metrics.jsonl";
inline constexpr const char* kConfigFile = "config.toml";

/// Name of a critic as in the configuration, and back (the name is checked by the configuration).
[[nodiscard]] Critic critic_of(const std::string& name);

/// Averaged weights, if such are kept, with the metadata of agents/network/network.h.
[[nodiscard]] WeightsFile network_file(const Learner& learner, const NetworkShape& shape,
                                       const TrainConfig& config, const TrainCounters& counters,
                                       const std::string& rules_name, std::uint64_t rules_hash);

/// What the files hold that a configuration names, by their keys in a checkpoint: of players (pool,
/// teacher, eval_opponent) what player_files says, of clone_records its bytes. So no run goes on with
/// others of these names.
[[nodiscard]] std::map<std::string, std::string> files_of_settings(const TrainConfig& config);
/// What OpponentPool::sums says, in the same place.
inline constexpr const char* kSnapshotsKey = "snapshots";

/// Add the optimiser, the magnet and the frozen weights (or null), the counters and the
/// configuration to a network file and write it: the old checkpoint is replaced as a whole or, with
/// std::runtime_error, not at all.
void write_checkpoint(const std::string& path, WeightsFile network, const Learner& learner,
                      const Learner* magnet, const Learner* frozen, const TrainConfig& config,
                      const TrainCounters& counters, int processes = 1);

/// Weights of the magnet in a checkpoint, by their names in a learner; empty if it has none.
[[nodiscard]] std::map<std::string, Tensor> magnet_of(const Checkpoint& checkpoint);
/// The same of the weights that the run began with, kept where it does not learn all phases.
[[nodiscard]] std::map<std::string, Tensor> frozen_of(const Checkpoint& checkpoint);

/// Read a checkpoint. Raises std::runtime_error if it cannot be read and std::invalid_argument
/// naming what was found and what is needed: no checkpoint, another observation version, another
/// architecture than its own configuration says.
[[nodiscard]] Checkpoint read_checkpoint(const std::string& path);
/// The same of a file that has been read, whose name stands in messages.
[[nodiscard]] Checkpoint checkpoint_of(WeightsFile file, const std::string& path);

/// Write the best weights of a run, or its last ones if it was never evaluated, as a player: without
/// its own critic, at half precision. Returns the file that was read. Raises std::invalid_argument
/// where there are none, else as read_weights and write_weights. Where `file` is a link, the file that
/// it leads to is written.
std::string export_player(const std::string& run_dir, const std::string& file);

/// Keep the checkpoint of a run as the one before, beside the new one that is about to replace it.
/// There is a whole checkpoint at every moment. Raises std::runtime_error: disk.
void keep_checkpoint(const std::string& run_dir);

/// Update whose weights keep_weights wrote into a file of this name; nothing for other names.
[[nodiscard]] std::optional<std::int64_t> kept_update(std::string_view name);
/// Write the weights of an update as weights_<update>.safetensors and remove the others of such
/// names but the `last` - 1 before it; 0 = write none, remove none. Later updates are those of a
/// run that was killed before its checkpoint. Raises std::runtime_error: disk.
void keep_weights(const std::string& run_dir, std::int64_t update, std::int64_t last,
                  const WeightsFile& network);

/// The checkpoint of a run, and what is wrong with its newest file, if the one before it is given.
struct RunCheckpoint {
  Checkpoint checkpoint;
  std::string damage;
};

/// Read the checkpoint of a run; where that is damaged or missing, the one before it. Changes
/// nothing. Raises as read_checkpoint, also where both are damaged; one of another version is not
/// damaged.
[[nodiscard]] RunCheckpoint read_run_checkpoint(const std::string& run_dir);

/// Set a damaged checkpoint aside and make the one before it the newest again; `read` is what
/// read_run_checkpoint gave. Returns a sentence about it. Raises std::runtime_error: disk.
[[nodiscard]] std::string set_aside_damaged(const std::string& run_dir, const RunCheckpoint& read);

/// Check that a run with `config` can go on from the checkpoint. Raises std::invalid_argument
/// naming the first key that must not change (the network, whether averages are kept, rules, seed)
/// with both values.
/// `rules` are those that the configuration names now.
void check_resume(const Checkpoint& checkpoint, const TrainConfig& config,
                  const CompiledRules& rules, const std::string& path);

}  // namespace schafkopf
