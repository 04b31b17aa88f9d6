#include "training/run/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/network/weights.h"
#include "env/rules/compiled_rules.h"
#include "training/config/memory_need.h"
#include "training/games/learned_phases.h"
#include "training/games/pool.h"
#include "training/learner/learner.h"
#include "training/run/agreement.h"
#include "training/run/budget.h"
#include "training/run/checkpoint.h"
#include "training/run/first_weights.h"
#include "training/run/metrics_file.h"
#include "training/run/run_evaluation.h"
#include "training/run/run_folder.h"
#include "training/run/update_report.h"
#include "training/run/updater.h"
#include "training/work/checked.h"
#include "training/work/peers.h"
#include "training/work/stopwatch.h"
#include "training/work/torch_error.h"

namespace schafkopf {
namespace {

class Run {
 public:
  Run(const TrainConfig& config, const TrainOptions& options);
  TrainResult train();

 private:
  void prepare();
  void open_folder();
  void take_over_state();
  void take_in(const Checkpoint& checkpoint);
  [[nodiscard]] std::string device() const;
  TrainResult train_on();
  void complete(UpdateReport& report, double seconds);
  void write_update(const UpdateReport& report, TrainProgress& progress, bool early, bool save);
  void keep_in_memory();
  std::string keep_complete_update();
  void begin();
  void go_on();
  void renew_magnet();
  void freeze();
  [[nodiscard]] std::unique_ptr<Learner> still_learner() const;
  void note(const std::string& text);
  [[nodiscard]] bool stopping() const { return options_.stop != nullptr && options_.stop->load(); }
  [[nodiscard]] WeightsFile network() const;
  void save_checkpoint();
  void make_model_again();
  bool evaluate(TrainProgress& progress);
  [[nodiscard]] RunState state() const;
  [[nodiscard]] TrainResult result(bool interrupted) const;
  [[nodiscard]] std::string path(const char* file) const { return folder_.path(file); }

  Peers alone_;
  Peers& peers_;
  TrainConfig config_;
  const TrainOptions& options_;
  RunFolder folder_{options_.resume_dir.empty() ? options_.out_dir : options_.resume_dir};
  std::vector<std::string> notes_;
  std::map<std::string, std::string> files_;  // files_of_settings at the start
  std::shared_ptr<const CompiledRules> rules_;
  RunEvaluation evaluation_{config_, rules_, peers_.lost()};
  NetworkShape shape_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<Learner> magnet_;  // whose policy is held still; null = there is none
  std::unique_ptr<Learner> frozen_;  // takes what is not learned; null = everything is
  std::unique_ptr<OpponentPool> opponents_;
  TrainCounters counters_;
  Budget budget_{config_, counters_};
  std::unique_ptr<Updater> updater_;
  CollectorStats totals_;  // of this call
  double wall_ = 0.0, collect_wall_ = 0.0, update_wall_ = 0.0;
  /// The last complete update, of process 0: the next may fail.
  struct {
    TrainCounters counters;
    std::map<std::string, Tensor> tensors, magnet;
  } complete_;
  std::int64_t saved_updates_ = -1;  // of the checkpoint on disk
};

/// A resumed run has in its checkpoint what takes the decisions that are not learned.
void check_frozen_of(const TrainConfig& config) {
  if (config.learn == LearnedPhases::kAll || !config.init.empty()) return;
  throw std::invalid_argument(
      fmt::format("learn = {}, allowed: all where init is empty: the weights that init names take "
                  "the decisions that are not learned",
                  name_of(config.learn)));
}

Run::Run(const TrainConfig& config, const TrainOptions& options)
    : peers_(options.peers != nullptr ? *options.peers : alone_),
      config_(agreed(peers_, config)),
      options_(options),
      rules_(checked("rules", config_.rules, [&] { return CompiledRules::load(config_.rules); })),
      shape_(network_shape(config_)) {
  peers_.together([&] { prepare(); });  // before the folder is touched
  peers_.together([&] {
    if (peers_.leads()) open_folder();
  });
  if (peers_.size() > 1) take_over_state();
}

void Run::prepare() {
  if (options_.resume_dir.empty()) check_frozen_of(config_);
  files_ = files_of_settings(config_);
  if (peers_.size() == 1) check_memory(config_);
  shape_.value_scale = static_cast<float>(config_.reward_scale);
  learner_ = std::make_unique<Learner>(
      LearnerSettings{.shape = shape_,
                      .critic = critic_of(config_.critic),
                      .device = device(),
                      .replicas = static_cast<int>(config_.workers),
                      .seed = config_.seed,
                      .adam_epsilon = config_.adam_epsilon,
                      .critic_width = static_cast<int>(config_.critic_width),
                      .average_decay = config_.average_decay,
                      .peers = &peers_});
  evaluation_.check();
  if (!folder_.is_named() && peers_.leads())
    throw std::invalid_argument("out_dir is empty, allowed: a folder of the run");
  opponents_ = checked("pool", config_.pool, [&] {
    return std::make_unique<OpponentPool>(config_.pool, folder_.name(),
                                          config_.algorithm == Algorithm::kDmc, peers_.leads());
  });
  updater_ = std::make_unique<Updater>(UpdaterParts{.config = config_,
                                                    .rules = rules_,
                                                    .learner = *learner_,
                                                    .peers = peers_,
                                                    .counters = counters_,
                                                    .budget = budget_,
                                                    .opponents = *opponents_},
                                       [this](const std::string& text) { note(text); });
}

void Run::open_folder() {
  const bool resumes = !options_.resume_dir.empty();
  if (!resumes && !config_.init.empty()) {
    for (const std::string& text : start_from_weights(*learner_, shape_, config_, *rules_)) {
      note(text);
    }
  }
  renew_magnet();
  freeze();
  folder_.hold(options_.lock, resumes);
  resumes ? go_on() : begin();
}

/// Process 0 has a checkpoint of its state, new or old: what the others begin with.
void Run::take_over_state() {
  const std::string file = path(kCheckpointFile);
  const Checkpoint checkpoint =
      checkpoint_of(taken_over(peers_, peers_.leads() ? read_weights(file) : WeightsFile{}), file);
  if (!peers_.leads()) take_in(checkpoint);
  if (opponents_->keeps_snapshots()) {
    for (const std::int64_t update : OpponentPool::snapshots(counters_.updates)) {
      const bool reads = peers_.leads() && !opponents_->lacks(update);
      const WeightsFile snapshot =
          taken_over(peers_, reads ? read_weights(opponents_->path_of(update)) : WeightsFile{});
      const bool is_one = !snapshot.tensors.empty();
      if (!peers_.leads() && is_one) opponents_->add_snapshot(update, snapshot);
    }
  }
}

/// Each process of a machine has a device of its own.
std::string Run::device() const {
  if (config_.device != "cuda" || peers_.size() == 1) return config_.device;
  return fmt::format("cuda:{}", peers_.local_rank());
}

/// The state of a checkpoint.
void Run::take_in(const Checkpoint& checkpoint) {
  try {
    learner_->load(checkpoint.file.tensors);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", path(kCheckpointFile), error.what()));
  }
  counters_ = checkpoint.counters;
  renew_magnet();
  if (const auto held = magnet_of(checkpoint); magnet_ != nullptr && !held.empty()) {
    (void)magnet_->start_from(held);
  }
  freeze();
  if (frozen_ != nullptr) (void)frozen_->start_from(frozen_of(checkpoint));
}

void Run::begin() {
  counters_.metrics.emplace();
  folder_.begin(to_toml(config_),
                [this] { save_checkpoint(); });  // resumable from its first moment
}

void Run::go_on() {
  const std::string file = path(kCheckpointFile);
  const RunCheckpoint read = read_run_checkpoint(folder_.name());
  const Checkpoint& checkpoint = read.checkpoint;
  check_resume(checkpoint, config_, *rules_, file);
  if (!read.damage.empty()) note(set_aside_damaged(folder_.name(), read));
  take_in(checkpoint);
  const int measured = std::exchange(counters_.evaluation, kEvaluationVersion);
  const bool alike = measured == kEvaluationVersion && evaluates_alike(checkpoint.config, config_);
  if (counters_.best_lower > TrainCounters().best_lower && !alike) {
    counters_.best_lower = TrainCounters().best_lower;
    note(
        fmt::format("{}: evaluated otherwise than before: the best evaluation is sought anew, "
                    "and {} stays until then",
                    file, kBestFile));
  }
  if (peers_.leads()) {
    const BestWeights best = folder_.best_weights();
    if (!best.are_there) counters_.best_lower = TrainCounters().best_lower;  // the next is the best
    if (!best.note.empty()) note(best.note);
  }
  const auto sums = checkpoint.file.metadata.find(kSnapshotsKey);
  const bool has_sums = sums != checkpoint.file.metadata.end();
  for (const std::string& text :
       opponents_->read_snapshots(counters_.updates, has_sums ? sums->second : "")) {
    note(text);
  }
  budget_.fix();  // of another time limit
  const CutMetrics cut = cut_metrics(path(kMetricsFile), counters_.updates, counters_.metrics);
  const bool other_metrics = counters_.metrics && counters_.metrics != cut.sums;
  counters_.metrics = cut.sums;
  if (!cut.note.empty()) note(cut.note);
  saved_updates_ = counters_.updates;
  if (checkpoint.processes != peers_.size() && !budget_.finished()) {
    note(
        fmt::format("{}: a run of {} process(es) goes on with {}: its workers share the games "
                    "otherwise, and its weights will differ from those it would have had",
                    file, checkpoint.processes, peers_.size()));
  }
  // the checkpoint first: if it cannot be written, the run is as it was
  if (config_ != checkpoint.config || other_metrics) save_checkpoint();
  folder_.keep_settings(to_toml(config_));  // changed ones stay
}

/// The weights of now, averaged ones if such are kept, become what the policy is held to.
void Run::renew_magnet() {
  if (config_.magnet_kl <= 0) return;
  if (magnet_ == nullptr) magnet_ = still_learner();
  (void)magnet_->start_from(learner_->averages());
}

/// Weights that are asked and do not learn.
std::unique_ptr<Learner> Run::still_learner() const {
  return std::make_unique<Learner>(LearnerSettings{.shape = shape_,
                                                   .critic = Critic::kShared,
                                                   .device = device(),
                                                   .replicas = static_cast<int>(config_.workers),
                                                   .seed = config_.seed});
}

/// The weights of now take the decisions that are not learned.
void Run::freeze() {
  if (config_.learn == LearnedPhases::kAll) return;
  if (frozen_ == nullptr) frozen_ = still_learner();
  (void)frozen_->start_from(learner_->averages());
  updater_->set_actor(PhaseActor(frozen_.get(), config_.learn));
}

void Run::note(const std::string& text) {
  notes_.push_back(text);
  if (options_.note) options_.note(text);
}

RunState Run::state() const {
  return {.config = config_,
          .counters = counters_,
          .rules = *rules_,
          .share_done = budget_.share_done(),
          .workers = updater_->all_workers(),
          .has_magnet = magnet_ != nullptr};
}

WeightsFile Run::network() const {
  return network_file(*learner_, shape_, config_, counters_, rules_->name(), rules_->hash());
}

void Run::save_checkpoint() {
  WeightsFile file = network();
  write_weights(path(kModelFile), file);
  if (counters_.updates > 0) {
    keep_weights(folder_.name(), counters_.updates, config_.keep_last, file);
  }
  keep_checkpoint(folder_.name());
  for (const auto& [key, text] : files_) file.metadata[key] = text;
  if (const std::string sums = opponents_->sums(); !sums.empty()) {
    file.metadata[kSnapshotsKey] = sums;
  }
  write_checkpoint(path(kCheckpointFile), std::move(file), *learner_, magnet_.get(), frozen_.get(),
                   config_, counters_, peers_.size());
  saved_updates_ = counters_.updates;
}

/// In its turn and at the end of the budget. Returns whether the weights are the best so far.
bool Run::evaluate(TrainProgress& progress) {
  if (config_.eval_minutes <= 0) return false;
  const bool in_turn = counters_.seconds >= counters_.next_eval && !stopping();
  if (!in_turn && !budget_.finished()) return false;
  counters_.next_eval = counters_.seconds + 60.0 * config_.eval_minutes;
  const WeightsFile weights = network();
  const double lower = evaluation_.ask(weights, progress);
  if (lower <= counters_.best_lower) return false;
  counters_.best_lower = lower;
  write_weights(path(kBestFile), weights);
  return true;
}

/// What all processes count, by the clock of process 0.
void Run::complete(UpdateReport& report, double seconds) {
  std::vector<double> times = {report.collect_seconds, report.update_seconds, seconds};
  if (!peers_.leads()) std::ranges::fill(times, 0.0);
  peers_.sum(times);
  report.collect_seconds = times[0];
  report.update_seconds = times[1];
  ++counters_.updates;
  if (config_.magnet_updates > 0 && counters_.updates % config_.magnet_updates == 0) {
    renew_magnet();
  }
  counters_.decisions += report.stats.decisions;
  counters_.forced += report.stats.forced;
  counters_.games += report.stats.games;
  counters_.seconds += times[2];
  budget_.fix();
  totals_.add(report.stats);
  wall_ += times[2];
  collect_wall_ += report.collect_seconds;
  update_wall_ += report.update_seconds;
}

/// What an update leaves behind, in process 0; the others take in what they play against.
void Run::write_update(const UpdateReport& report, TrainProgress& progress, bool early, bool save) {
  const bool snapshot =
      opponents_->keeps_snapshots() && OpponentPool::is_snapshot(counters_.updates);
  if (peers_.leads()) {
    // weights that are the best so far and the mark that they set are kept together
    save = evaluate(progress) || save;
    append_metrics(path(kMetricsFile), metrics_line(report, progress, state()), *counters_.metrics);
  }
  if (snapshot) opponents_->add_snapshot(counters_.updates, network());
  if (!peers_.leads()) return;
  if (early && budget_.share_done() >= 0.1) write_weights(path(kTenPercentFile), network());
  if (save) save_checkpoint();
  keep_in_memory();
}

void Run::keep_in_memory() {
  complete_ = {counters_, learner_->weights(), {}};
  complete_.tensors.merge(learner_->optimiser());
  if (magnet_ != nullptr) complete_.magnet = magnet_->weights();
}

TrainResult Run::train() {
  try {
    return train_on();
  } catch (const PeersLost& lost) {
    throw PeersLost(fmt::format("{}; {}: resume it", lost.what(), keep_complete_update()));
  } catch (const Diverged& diverged) {
    throw Diverged(fmt::format(
        "training has diverged in update {}: {}; {}, whose weights are the last good ones: resume "
        "it with a lower learning_rate (now {}) or max_grad_norm (now {})",
        counters_.updates + 1, diverged.what(), keep_complete_update(), config_.learning_rate,
        config_.max_grad_norm));
  }
}

/// After an update that failed: the checkpoint of the one before it. Returns where it is.
std::string Run::keep_complete_update() {
  if (!peers_.leads()) return "process 0 has the checkpoint";
  std::string failure;
  if (complete_.counters.updates > saved_updates_) {
    try {
      learner_->load(complete_.tensors);
      if (magnet_ != nullptr) (void)magnet_->start_from(complete_.magnet);
      counters_ = complete_.counters;
      save_checkpoint();
    } catch (const std::exception& error) {
      failure = fmt::format(" (a later one cannot be written: {})", error.what());
    }
  }
  return fmt::format("{} has the checkpoint of update {}{}", folder_.name(), saved_updates_,
                     failure);
}

/// The weights of a finished run, where they are missing or damaged.
void Run::make_model_again() {
  const std::string file = path(kModelFile);
  if (folder_.has(kModelFile)) {
    try {
      (void)read_weights(file);
      return;
    } catch (const std::invalid_argument& error) {
      note(fmt::format("{}; written again from {}", error.what(), path(kCheckpointFile)));
    }
  }
  write_weights(file, network());
}

TrainResult Run::train_on() {
  if (budget_.finished()) {
    if (peers_.leads()) make_model_again();
    TrainResult before = result(false);
    before.was_finished = true;  // and stays as it is
    return before;
  }
  const double interval = 60.0 * config_.checkpoint_minutes;
  double next_checkpoint = counters_.seconds + interval;
  bool interrupted = false, told = false;
  if (peers_.leads()) keep_in_memory();
  while (!budget_.finished() && !interrupted) {
    const Stopwatch watch;
    const double share_before = budget_.share_done();
    const bool early = share_before < 0.1;
    UpdateReport report = updater_->update(magnet_.get());
    complete(report, watch.seconds());
    if (!told && report.sums.count == 0 && share_before >= config_.card_play_first) {
      told = true;
      note(fmt::format(
          "nothing is learned: the games of update {} had no decision of learn = {} "
          "(rules = {}, generated_share = {})",
          counters_.updates, name_of(config_.learn), rules_->name(), config_.generated_share));
    }
    TrainProgress progress = progress_of(report, state());
    const bool save = counters_.seconds >= next_checkpoint;
    if (save) next_checkpoint = counters_.seconds + interval;
    peers_.together([&] { write_update(report, progress, early, save); });
    if (options_.progress) options_.progress(progress);
    interrupted = peers_.any(stopping());
  }
  // not twice: the one before is of an earlier update
  if (peers_.leads() && saved_updates_ != counters_.updates) save_checkpoint();
  TrainResult done = result(interrupted && !budget_.finished());
  done.stopped = interrupted;
  return done;
}

TrainResult Run::result(bool interrupted) const {
  const auto workers = static_cast<double>(updater_->all_workers());
  const double wall = std::max(wall_, 1e-9);
  TrainResult result;
  result.run_dir = folder_.name();
  result.model_path = path(kModelFile);
  if (folder_.has(kBestFile)) result.best_path = path(kBestFile);
  if (folder_.has(kTenPercentFile)) result.ten_percent_path = path(kTenPercentFile);
  result.rules = config_.rules;
  result.updates = counters_.updates;
  result.decisions = counters_.decisions + counters_.forced;
  result.unforced_decisions = counters_.decisions;
  result.games = counters_.games;
  result.seconds = counters_.seconds;
  result.workers = static_cast<int>(updater_->all_workers());
  result.env_share = totals_.env_seconds / workers / wall;
  result.act_share = totals_.act_seconds / workers / wall;
  result.update_share = update_wall_ / wall;
  result.decisions_per_second_per_core =
      static_cast<double>(totals_.decisions + totals_.forced) / wall / workers;
  result.interrupted = interrupted;
  result.higher_limits = budget_.higher_limits();
  result.notes = notes_;
  return result;
}

}  // namespace

TrainResult train(const TrainConfig& config, const TrainOptions& options) {
  const SingleThreaded operations;
  try {
    return Run(config, options).train();
  } catch (const std::exception& error) {
    const std::string text = text_without_trace(error);
    if (text == error.what()) throw;
    throw std::runtime_error(text);
  }
}

TrainConfig resume_config(const std::string& run_dir, Peers* peers) {
  if (peers == nullptr || peers->size() == 1) return read_run_checkpoint(run_dir).checkpoint.config;
  std::string text;
  peers->together([&] {
    if (peers->leads()) text = to_toml(read_run_checkpoint(run_dir).checkpoint.config);
  });
  return parse_train_config(peers->taken_over(text), run_dir);
}

}  // namespace schafkopf
