#include "training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "agents/network/mlp_network.h"
#include "agents/network/net_agent.h"
#include "agents/registry.h"
#include "agents/work/atomic_file.h"
#include "agents/work/spec_value.h"
#include "env/base/input_limits.h"
#include "env/base/random.h"
#include "env/rules/compiled_rules.h"
#include "training/agreement.h"
#include "training/budget.h"
#include "training/checked.h"
#include "training/checkpoint.h"
#include "training/evaluation.h"
#include "training/grown_inputs.h"
#include "training/learned_phases.h"
#include "training/learner.h"
#include "training/memory_need.h"
#include "training/metrics_file.h"
#include "training/peers.h"
#include "training/pool.h"
#include "training/stopwatch.h"
#include "training/torch_error.h"
#include "training/update_report.h"
#include "training/updater.h"

namespace schafkopf {
namespace {

namespace fs = std::filesystem;

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
  void hold_folder();
  void go_on();
  void leave_damaged_best();
  void refuse_used_folder() const;
  void begin();
  [[nodiscard]] EvaluationSettings evaluation(std::string_view opponent) const;
  void start_from_weights();
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
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }

  Peers alone_;
  Peers& peers_;
  TrainConfig config_;
  const TrainOptions& options_;
  fs::path folder_;
  std::optional<FolderLock> lock_;
  std::vector<std::string> notes_;
  std::string players_;  // files_of_players at the start
  std::shared_ptr<const CompiledRules> rules_;
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

/// At least one, which may be empty and is then refused as a player.
std::vector<std::string_view> opponents_of(const TrainConfig& config) {
  std::vector<std::string_view> opponents = players_in(config.eval_opponent);
  if (opponents.empty()) opponents.emplace_back();
  return opponents;
}

/// Unknown names are refused also where they are not used yet: a resumed run may use them.
void check_evaluation_of(const TrainConfig& config, EvaluationSettings settings) {
  checked("generator", config.generator, [&] { (void)make_generator(config.generator); });
  checked("eval_generator", config.eval_generator,
          [&] { (void)make_generator(config.eval_generator); });
  checked("eval_opponent", config.eval_opponent, [&] {
    for (const std::string_view opponent : opponents_of(config)) {
      settings.opponent = opponent;
      (void)make_agent(settings.opponent);
      if (config.eval_minutes > 0) check_evaluation(settings);
      settings.calibration_blocks = 0;  // of the first alone
    }
  });
}

bool has_content(const std::string& path, std::string_view text) {
  return fs::is_regular_file(path) && fs::file_size(path) == text.size() &&
         read_file(path, "the configuration") == text;
}

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
  players_ = files_of_players(config_);
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
  check_evaluation_of(config_, evaluation({}));
  folder_ = options_.resume_dir.empty() ? options_.out_dir : options_.resume_dir;
  if (folder_.empty() && peers_.leads())
    throw std::invalid_argument("out_dir is empty, allowed: a folder of the run");
  opponents_ = checked("pool", config_.pool, [&] {
    return std::make_unique<OpponentPool>(config_.pool, folder_.string(),
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
  if (options_.resume_dir.empty() && !config_.init.empty()) start_from_weights();
  renew_magnet();
  freeze();
  hold_folder();
  options_.resume_dir.empty() ? begin() : go_on();
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

/// Two runs in one folder would overwrite each other's files.
void Run::hold_folder() {
  if (options_.lock == nullptr) {
    if (!options_.resume_dir.empty() && !fs::is_directory(folder_)) {
      throw std::invalid_argument(
          fmt::format("{}: no folder of a training run (there is none)", folder_.string()));
    }
    lock_.emplace(folder_.string());
  } else if (!fs::equivalent(options_.lock->folder(), folder_)) {
    throw std::invalid_argument(fmt::format("the lock is that of {}, the run works in {}",
                                            options_.lock->folder(), folder_.string()));
  }
  for (const char* name : {kCheckpointFile, kBeforeFile, kTenPercentFile, kBestFile, kModelFile,
                           kMetricsFile, kConfigFile}) {
    remove_leftovers(path(name));  // also of files that this run does not come to
  }
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

/// Whether figures of evaluations compare.
bool evaluates_alike(const TrainConfig& one, const TrainConfig& other) {
  const auto asked = [](const TrainConfig& config) {
    return std::tuple(opponents_of(config).front(), config.eval_track,
                      std::string_view(config.eval_generator), config.eval_blocks);
  };
  return asked(one) == asked(other);
}

/// Else a player, or the next stage, begins with a file that nothing can read, or that is gone.
void Run::leave_damaged_best() {
  const std::string file = path(kBestFile);
  if (!fs::exists(file)) {
    counters_.best_lower = TrainCounters().best_lower;  // gone: the next one is the best
    return;
  }
  try {
    (void)read_weights(file);
  } catch (const std::invalid_argument& error) {
    const std::string aside = place_aside(file);
    fs::rename(file, aside);
    counters_.best_lower = TrainCounters().best_lower;
    note(fmt::format("{}; set aside in {}, the best evaluation is sought anew", error.what(),
                     aside));
  }
}

void Run::go_on() {
  const std::string file = path(kCheckpointFile);
  const RunCheckpoint read = read_run_checkpoint(folder_.string());
  const Checkpoint& checkpoint = read.checkpoint;
  check_resume(checkpoint, config_, *rules_, file);
  if (!read.damage.empty()) note(set_aside_damaged(folder_.string(), read));
  take_in(checkpoint);
  if (counters_.best_lower > TrainCounters().best_lower &&
      !evaluates_alike(checkpoint.config, config_)) {
    counters_.best_lower = TrainCounters().best_lower;
    note(
        fmt::format("{}: evaluated otherwise than before: the best evaluation is sought anew, "
                    "and {} stays until then",
                    file, kBestFile));
  }
  if (peers_.leads()) leave_damaged_best();
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
  const std::string settings = to_toml(config_);  // changed ones stay
  if (!has_content(path(kConfigFile), settings)) write_file_atomically(path(kConfigFile), settings);
  if (config_ != checkpoint.config || other_metrics) save_checkpoint();
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

/// Weights of an earlier stage: the policy as it was, the critic where it is of the same kind.
void Run::start_from_weights() {
  checked("init", config_.init, [&] {
    WeightsFile file = read_player_weights(config_.init);
    NetworkShape found = read_network_shape(file, config_.init);
    found.value_scale = shape_.value_scale;
    if (reads_more(found, shape_)) {
      note(fmt::format("{}: {} inputs, the run has {}: the new ones begin without weight",
                       config_.init, found.inputs, shape_.inputs));
      file.tensors = with_inputs(std::move(file.tensors), found, shape_);
    } else if (found != shape_) {
      throw std::invalid_argument(fmt::format(
          "{} on observation {} ({} inputs), the run has {} on observation {} ({} inputs), "
          "allowed: "
          "the same architecture, width and layers, and all of its input_sections with the same "
          "meaning{}",
          architecture_name(found), static_cast<int>(found.observation), found.inputs,
          architecture_name(shape_), static_cast<int>(shape_.observation), shape_.inputs,
          found.observation == shape_.observation
              ? ""
              : fmt::format(" (observation = {} is that of the file)",
                            static_cast<int>(found.observation))));
    }
    const std::vector<std::string> missing = learner_->start_from(file.tensors);
    if (!missing.empty()) {
      note(fmt::format("{}: no {} ({} tensors): the critic starts at random", config_.init,
                       missing.front(), missing.size()));
    }
    const auto rules = file.metadata.find("rules_hash");
    if (rules == file.metadata.end() || rules->second != fmt::format("{:016x}", rules_->hash())) {
      note(fmt::format("{}: trained with other rules than {}", config_.init, rules_->name()));
    }
  });
}

/// Files that are not there yet and are made from here on; taken away unless kept.
class NewFiles {
 public:
  void add(const fs::path& file) {
    if (!fs::exists(file)) files_.push_back(file);
  }
  NewFiles() = default;
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;
  ~NewFiles() {
    std::error_code ignored;  // the reason of the failure is on its way
    for (const fs::path& file : files_) fs::remove(file, ignored);
  }
  void keep() { files_.clear(); }

 private:
  std::vector<fs::path> files_;
};

/// A new run begins in no folder that has one, or what is left of one.
void Run::refuse_used_folder() const {
  // without a checkpoint there is nothing to lose
  if (fs::exists(folder_ / kCheckpointFile) || fs::exists(folder_ / kBeforeFile)) {
    throw std::invalid_argument(
        fmt::format("{} holds a run already: resume it, or choose another "
                    "folder",
                    folder_.string()));
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (name != kBestFile && name != kTenPercentFile && !name.starts_with(kSnapshotPrefix))
      continue;
    throw std::invalid_argument(
        fmt::format("{}: weights of another run, whose checkpoint is gone: they would pass for "
                    "those of the new one; allowed: another folder, or to take them away",
                    entry.path().string()));
  }
  // a run that was killed before its first checkpoint has left empty metrics, its first file
  const bool killed_at_once =
      fs::is_regular_file(folder_ / kMetricsFile) && fs::is_empty(folder_ / kMetricsFile);
  for (const char* name : {kMetricsFile, kConfigFile, kModelFile}) {
    if (killed_at_once || !fs::exists(folder_ / name)) continue;
    throw std::invalid_argument(fmt::format(
        "{}: it is there already, and no checkpoint of a run beside it; allowed: another folder",
        path(name)));
  }
}

/// A new run, with its first checkpoint; if that fails, nothing of it stays behind.
void Run::begin() {
  refuse_used_folder();
  NewFiles made;
  for (const char* name : {kMetricsFile, kConfigFile, kModelFile, kCheckpointFile}) {
    made.add(folder_ / name);
  }
  write_file_atomically(path(kMetricsFile), "");
  counters_.metrics.emplace();
  write_file_atomically(path(kConfigFile), to_toml(config_));
  save_checkpoint();  // a run can be resumed from its first moment
  made.keep();
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
    keep_weights(folder_.string(), counters_.updates, config_.keep_last, file);
  }
  keep_checkpoint(folder_.string());
  file.metadata[kPlayersKey] = players_;
  if (const std::string sums = opponents_->sums(); !sums.empty()) {
    file.metadata[kSnapshotsKey] = sums;
  }
  write_checkpoint(path(kCheckpointFile), std::move(file), *learner_, magnet_.get(), frozen_.get(),
                   config_, counters_, peers_.size());
  saved_updates_ = counters_.updates;
}

EvaluationSettings Run::evaluation(std::string_view opponent) const {
  return {.rules = rules_,
          .opponent = std::string(opponent),
          .track = config_.eval_track,
          .generator = config_.eval_generator,
          .blocks = static_cast<int>(config_.eval_blocks),
          .calibration_blocks = static_cast<int>(config_.eval_calibration),
          .seed = mix64(config_.seed ^ 0xE7A1u),
          .num_threads = static_cast<int>(config_.workers),
          .stop = &peers_.lost()};
}

/// In its turn and at the end of the budget. Returns whether the weights are the best so far.
bool Run::evaluate(TrainProgress& progress) {
  if (config_.eval_minutes <= 0 || stopping()) return false;
  if (counters_.seconds < counters_.next_eval && !budget_.finished()) return false;
  counters_.next_eval = counters_.seconds + 60.0 * config_.eval_minutes;
  const WeightsFile weights = network();
  const auto player = make_net_agent(make_mlp_network(weights, "the run's weights"),
                                     "the run's weights", /*greedy=*/true);
  const std::vector<std::string_view> opponents = opponents_of(config_);
  const Evaluation result = schafkopf::evaluate(*player, evaluation(opponents.front()));
  for (const std::string_view opponent : std::span(opponents).subspan(1)) {
    EvaluationSettings settings = evaluation(opponent);
    settings.calibration_blocks = 0;
    const Evaluation other = schafkopf::evaluate(*player, settings);
    progress.eval_others.push_back(
        {settings.opponent, other.mean, other.half_width, other.alone, other.against});
  }
  progress.evaluated = true;
  progress.eval_mean = result.mean;
  progress.eval_half_width = result.half_width;
  progress.eval_alone = result.alone;
  progress.eval_against = result.against;
  progress.eval_thrown_in = result.thrown_in;
  progress.eval_thrown_in_against = result.thrown_in_against;
  progress.eval_shares = result.shares;
  progress.eval_calibration = result.calibration;
  if (result.lower() <= counters_.best_lower) return false;
  counters_.best_lower = result.lower();
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
  return fmt::format("{} has the checkpoint of update {}{}", folder_.string(), saved_updates_,
                     failure);
}

/// The weights of a finished run, where they are missing or damaged.
void Run::make_model_again() {
  const std::string file = path(kModelFile);
  if (fs::exists(file)) {
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
  return result(interrupted && !budget_.finished());
}

TrainResult Run::result(bool interrupted) const {
  const auto workers = static_cast<double>(updater_->all_workers());
  const double wall = std::max(wall_, 1e-9);
  TrainResult result;
  result.run_dir = folder_.string();
  result.model_path = path(kModelFile);
  if (fs::exists(path(kBestFile))) result.best_path = path(kBestFile);
  if (fs::exists(path(kTenPercentFile))) result.ten_percent_path = path(kTenPercentFile);
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
