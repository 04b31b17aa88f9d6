// A whole training run: self-play, PPO updates, checkpoints, metrics. Used by schafkopf_train and
// by the Python module; prints nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agents/work/file_lock.h"
#include "training/config/config.h"
#include "training/games/evaluation.h"
#include "training/work/peers.h"

namespace schafkopf {

/// An evaluation against another opponent than the first.
struct OtherEvaluation {
  std::string opponent;                                             // registry string
  double mean = 0.0, half_width = 0.0, alone = 0.0, against = 0.0;  // as in TrainProgress
};

/// State of a run after an update; what a progress line shows.
struct TrainProgress {
  std::int64_t updates = 0;
  std::int64_t decisions = 0;  // forced ones and those of the pool included
  std::int64_t games = 0;
  double seconds = 0.0;               // training time so far
  double share_done = 0.0;            // of the budget, 0..1; 0 without a limit
  double seconds_left = -1.0;         // estimate, -1 = unknown
  double decisions_per_second = 0.0;  // of this update, all workers, forced ones included
  double games_per_second = 0.0;
  double entropy = 0.0;  // nats per decision
  double kl = 0.0;       // KL(policy, behaviour policy), nats
  double explained_variance = 0.0;
  double env_share = 0.0;                  // time of environments / whole loop, of this update
  std::map<std::string, double> declared;  // share of each class (and "thrown_in") in auctions
  bool evaluated = false;                  // eval_* belong to this update
  double eval_mean = 0.0;  // points per game against the first of eval_opponent, both directions
  double eval_half_width = 0.0;              // of the 95 % interval
  double eval_alone = 0.0;                   // the network's seat against three opponents
  double eval_against = 0.0;                 // an opponent's seat against three networks
  double eval_thrown_in = 0.0;               // share of the network's deals that nobody played
  double eval_thrown_in_against = 0.0;       // the same of the opponent's
  std::vector<EvaluationShare> eval_shares;  // by contract class and role
  std::vector<EvaluationCalibration> eval_calibration;
  std::vector<OtherEvaluation> eval_others;  // against the other ones of eval_opponent
  double regret = 0.0;  // points per solved decision that the policy loses on the best open card
};

struct TrainOptions {
  std::string out_dir = {};     // folder of the run; made, and refused if it holds a run already
  std::string resume_dir = {};  // instead: folder of a run to go on with
  std::function<void(const TrainProgress&)> progress = {};  // after each update, or empty
  /// Ends the run after the current update; where that is its last one, it is evaluated first.
  const std::atomic<bool>* stop = nullptr;
  const FolderLock* lock = nullptr;  // of the folder, if the caller holds it; else it is taken here
  std::function<void(const std::string&)> note = nullptr;  // each of TrainResult::notes at once
  Peers* peers = nullptr;  // the processes that train together, null = this one alone
};

struct TrainResult {
  std::string run_dir;
  std::string model_path;        // for "net:path"
  std::string best_path;         // best weights by evaluations; empty if there were none
  std::string ten_percent_path;  // weights at 10 % of the budget; empty if not reached or no limit
  std::string rules;             // of the configuration
  std::int64_t updates = 0;
  std::int64_t decisions = 0;  // forced ones and those of the pool included
  std::int64_t unforced_decisions = 0;
  std::int64_t games = 0;
  double seconds = 0.0;
  int workers = 0;         // of all processes
  double env_share = 0.0;  // of this call: time of environments / whole loop
  double act_share = 0.0;
  double update_share = 0.0;
  double decisions_per_second_per_core = 0.0;  // of this call, forced ones included
  bool interrupted = false;                    // before its end
  bool stopped = false;                    // somebody asked for its end, be it in its last update
  bool was_finished = false;               // before this call, which then trained nothing
  std::vector<std::string> higher_limits;  // key=value to train on, once a limit is reached
  std::vector<std::string> notes;          // what a person should know, such as a damaged file
};

/// Train until a limit of the configuration or the stop flag.
///
/// Writes config.toml, metrics.jsonl (one JSON object per update), checkpoint.safetensors,
/// checkpoint_before.safetensors (the one that it replaced), model.safetensors, best.safetensors
/// (the best evaluation by its lower end), at 10 % of the budget checkpoint_10pct.safetensors,
/// weights_<update>.safetensors of the last checkpoints and the snapshots of the pool into the
/// run's folder. A run that has reached its limit is left as it is. With decisions_limit as the only
/// limit, the same seed, workers and device give the same weights bit for bit on the CPU, also when
/// the run was killed and resumed in between. A time limit becomes a number of decisions early on,
/// from the speed of a twentieth of it behind card_play_first, and is stored. Raises
/// std::invalid_argument for a configuration, folder or checkpoint that does not fit, or a folder in
/// which another run is at work, and std::runtime_error for the world (device, disk); an old
/// checkpoint then stays whole, and of a run that fails before its first checkpoint nothing stays.
/// Where an update diverges (losses, gradients or answers that are no numbers or beyond all measure)
/// it raises Diverged with the figures, and the checkpoint is that of the update before.
///
/// Several processes (TrainOptions::peers) all call it with the same configuration. Each plays its
/// part of the games of an update, by their global numbers; N processes of W workers give what one
/// process of N * W workers gives, up to the order in which gradients are summed. Process 0 holds
/// the folder, writes, evaluates and decides on time; the others need no folder. Where a process
/// ends or hangs, the others raise PeersLost, and process 0 has the checkpoint of the last complete
/// update written. Another number of processes may resume a run; a note says so.
TrainResult train(const TrainConfig& config, const TrainOptions& options);

/// Configuration stored in a run's checkpoint, to change limits before resuming; with several
/// processes that of process 0.
[[nodiscard]] TrainConfig resume_config(const std::string& run_dir, Peers* peers = nullptr);

}  // namespace schafkopf
