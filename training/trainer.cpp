#include "training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "agents/network/mlp_network.h"
#include "agents/network/net_agent.h"
#include "agents/registry.h"
#include "agents/work/atomic_file.h"
#include "env/base/input_limits.h"
#include "env/base/random.h"
#include "env/base/slice_pool.h"
#include "env/rules/compiled_rules.h"
#include "training/agreement.h"
#include "training/checkpoint.h"
#include "training/collector.h"
#include "training/decision_loss.h"
#include "training/evaluation.h"
#include "training/imitation.h"
#include "training/learned_phases.h"
#include "training/learner.h"
#include "training/metrics_file.h"
#include "training/peers.h"
#include "training/pool.h"
#include "training/ppo_loss.h"
#include "training/recorded_games.h"
#include "training/trajectory.h"

namespace schafkopf {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Rows that go through forward and backward at once: their inputs stay in the cache.
constexpr std::size_t kLearnTile = 256;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A worker's games and scratch memory.
struct Worker {
  std::unique_ptr<Collector> collector;
  Batch batch;
  CollectorStats stats;
  PpoSums sums, playout_sums;  // the second of decisions that were played out
  HeldSums held;
  ImitationSums taught, cloned;
  RecordedDecisions recorded;
  std::vector<std::uint32_t> order, recorded_order;
  std::vector<PlayerView> tile_views;
  std::vector<FullView> tile_full;
  std::vector<float> magnet_logits;
  std::vector<std::array<float, kMaxLegal>> magnet_logs;  // of the tile; empty without a magnet
};

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
  void begin();
  [[nodiscard]] EvaluationSettings evaluation() const;
  void make_workers();
  void start_from_weights();
  void renew_magnet();
  void freeze();
  [[nodiscard]] std::unique_ptr<Learner> still_learner() const;
  void note(const std::string& text);
  void collect(UpdateReport& report);
  void learn(UpdateReport& report);
  void hold_to_magnet(int worker, std::span<const std::uint32_t> rows);
  void learn_slice(int worker, std::size_t begin, std::size_t end, float scale,
                   const UpdateReport& report, const Normalisations& normal);
  void clone_slice(int worker, std::size_t step, std::size_t steps, const UpdateReport& report);
  void replay_records(int worker);
  void make_teacher();
  void add_target_metrics(nlohmann::ordered_json& line, const UpdateReport& report) const;
  void fix_budget();
  void shuffle(std::int64_t epoch);
  [[nodiscard]] double share_done() const;
  [[nodiscard]] double generated_share() const;
  [[nodiscard]] double falling(double final_share) const;
  /// A coefficient that falls to 0 over a share of the budget; 0 = it stays.
  [[nodiscard]] double running_down(double weight, double until) const;
  /// Whether the time limit, this one, has been turned into decisions.
  [[nodiscard]] bool budget_holds() const {
    return counters_.budget > 0 && counters_.budget_minutes == config_.time_limit_minutes;
  }
  [[nodiscard]] bool limited() const {
    return config_.time_limit_minutes > 0 || config_.decisions_limit > 0;
  }
  [[nodiscard]] bool finished() const;
  [[nodiscard]] bool stopping() const { return options_.stop != nullptr && options_.stop->load(); }
  [[nodiscard]] WeightsFile network() const;
  void save_checkpoint();
  void write_metrics(const UpdateReport& report, const TrainProgress& progress);
  void evaluate(TrainProgress& progress);
  TrainProgress progress_of(const UpdateReport& report) const;
  [[nodiscard]] std::vector<std::string> higher_limits() const;
  TrainResult result(bool interrupted) const;
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }

  /// All workers, of all processes, have numbers; those of this process come in a row.
  [[nodiscard]] std::size_t all_workers() const {
    return workers_.size() * static_cast<std::size_t>(peers_.size());
  }
  [[nodiscard]] std::size_t first_worker() const {
    return workers_.size() * static_cast<std::size_t>(peers_.rank());
  }

  Peers alone_;
  Peers& peers_;
  TrainConfig config_;
  const TrainOptions& options_;
  fs::path folder_;
  std::optional<FolderLock> lock_;
  std::vector<std::string> notes_;
  std::shared_ptr<const CompiledRules> rules_;
  NetworkShape shape_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<Learner> magnet_;  // whose policy is held still; null = there is none
  std::unique_ptr<Learner> frozen_;  // takes what is not learned; null = everything is
  std::unique_ptr<OpponentPool> opponents_;
  std::unique_ptr<BatchPolicy> teacher_;
  std::optional<RecordedGames> recorded_;
  std::vector<Worker> workers_;
  SlicePool pool_;
  TrainCounters counters_;
  CollectorStats totals_;  // of this call
  double wall_ = 0.0, collect_wall_ = 0.0, update_wall_ = 0.0;
  /// The last complete update, of process 0 of several: another may be lost in the next.
  struct {
    TrainCounters counters;
    std::map<std::string, Tensor> tensors, magnet;
  } complete_;
  std::int64_t saved_updates_ = -1;  // of the checkpoint on disk
};

/// Calls `check`; what is wrong with a named thing is said with its key and is bad input, also
/// where a file that it names cannot be read.
template <class Check>
auto checked(std::string_view key, const std::string& value, Check&& check) {
  try {
    return check();
  } catch (const std::exception& error) {
    throw std::invalid_argument(fmt::format("{} = \"{}\": {}", key, quotable(value), error.what()));
  }
}

/// Unknown names are refused also where they are not used yet: a resumed run may use them.
void check_evaluation_of(const TrainConfig& config, const EvaluationSettings& settings) {
  checked("generator", config.generator, [&] { (void)make_generator(config.generator); });
  checked("eval_opponent", config.eval_opponent, [&] {
    (void)make_agent(config.eval_opponent);
    if (config.eval_minutes > 0) check_evaluation(settings);
  });
  checked("eval_generator", config.eval_generator,
          [&] { (void)make_generator(config.eval_generator); });
}

Run::Run(const TrainConfig& config, const TrainOptions& options)
    : peers_(options.peers != nullptr ? *options.peers : alone_),
      config_(agreed(peers_, config)),
      options_(options),
      rules_(checked("rules", config_.rules, [&] { return CompiledRules::load(config_.rules); })),
      shape_(network_shape(config_)),
      pool_(static_cast<int>(config_.workers)) {
  peers_.together([&] { prepare(); });  // before the folder is touched
  peers_.together([&] {
    if (peers_.leads()) open_folder();
  });
  if (peers_.size() > 1) take_over_state();
}

void Run::prepare() {
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
  make_workers();
  check_evaluation_of(config_, evaluation());
  folder_ = options_.resume_dir.empty() ? options_.out_dir : options_.resume_dir;
  if (folder_.empty() && peers_.leads())
    throw std::invalid_argument("out_dir is empty, allowed: a folder of the run");
  opponents_ = checked("pool", config_.pool, [&] {
    return std::make_unique<OpponentPool>(config_.pool, folder_.string(),
                                          config_.algorithm == Algorithm::kDmc, peers_.leads());
  });
  make_teacher();
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
      const WeightsFile snapshot = taken_over(
          peers_, peers_.leads() ? read_weights(opponents_->path_of(update)) : WeightsFile{});
      if (!peers_.leads()) opponents_->add_snapshot(update, snapshot);
    }
  }
  if (peers_.leads()) keep_in_memory();
}

/// Each process of a machine has a device of its own.
std::string Run::device() const {
  if (config_.device != "cuda" || peers_.size() == 1) return config_.device;
  return fmt::format("cuda:{}", peers_.local_rank());
}

/// Whom the policy imitates beside PPO: a player, recorded games.
void Run::make_teacher() {
  if (!config_.teacher.empty()) {
    teacher_ = checked("teacher", config_.teacher, [&] {
      std::unique_ptr<BatchPolicy> teacher = make_agent(config_.teacher);
      if (!teacher->sees_hidden_hands()) return teacher;
      throw std::invalid_argument(
          "sees hidden hands, allowed: players that see what their seat sees; solver_weight learns "
          "from open cards");
    });
    if (config_.teacher_share <= 0) {
      note(fmt::format("teacher = \"{}\" is not asked: teacher_share = 0",
                       quotable(config_.teacher)));
    }
  }
  if (!config_.clone_records.empty()) {
    checked("clone_records", config_.clone_records,
            [&] { recorded_.emplace(config_.clone_records, rules_); });
  }
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
  learner_->load(checkpoint.file.tensors);
  counters_ = checkpoint.counters;
  renew_magnet();
  if (const auto held = magnet_of(checkpoint); magnet_ != nullptr && !held.empty()) {
    (void)magnet_->start_from(held);
  }
  freeze();
  if (frozen_ != nullptr) (void)frozen_->start_from(frozen_of(checkpoint));
}

void Run::go_on() {
  const std::string file = path(kCheckpointFile);
  const Checkpoint checkpoint = read_run_checkpoint(folder_.string());
  check_resume(checkpoint, config_, file);
  take_in(checkpoint);
  opponents_->read_snapshots(counters_.updates);
  fix_budget();  // of another time limit
  if (const std::string text = cut_metrics(path(kMetricsFile), counters_.updates); !text.empty()) {
    note(text);
  }
  saved_updates_ = counters_.updates;
  if (checkpoint.processes != peers_.size() && !finished()) {
    note(
        fmt::format("{}: a run of {} process(es) goes on with {}: its workers share the games "
                    "otherwise, and its weights will differ from those it would have had",
                    file, checkpoint.processes, peers_.size()));
  }
  if (config_ == checkpoint.config) return;
  write_file_atomically(path(kConfigFile), to_toml(config_));  // changed settings stay
  save_checkpoint();
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
  for (Worker& worker : workers_) {
    worker.collector->set_actor(PhaseActor(frozen_.get(), config_.learn));
  }
}

void Run::note(const std::string& text) {
  notes_.push_back(text);
  if (options_.note) options_.note(text);
}

/// Weights of an earlier stage: the policy as it was, the critic where it is of the same kind.
void Run::start_from_weights() {
  checked("init", config_.init, [&] {
    const WeightsFile file = read_weights(config_.init);
    NetworkShape found = read_network_shape(file, config_.init);
    found.value_scale = shape_.value_scale;
    if (found != shape_) {
      throw std::invalid_argument(fmt::format(
          "{} on observation {} ({} inputs), the run has {} on observation {} ({} inputs), "
          "allowed: "
          "the same architecture, width, layers, observation and input_sections",
          architecture_name(found), static_cast<int>(found.observation), found.inputs,
          architecture_name(shape_), static_cast<int>(shape_.observation), shape_.inputs));
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

/// A new run, with its first checkpoint; if that fails, nothing of it stays behind.
void Run::begin() {
  // without a checkpoint there is nothing to lose
  if (fs::exists(folder_ / kCheckpointFile) || fs::exists(folder_ / kBeforeFile)) {
    throw std::invalid_argument(
        fmt::format("{} holds a run already: resume it, or choose another "
                    "folder",
                    folder_.string()));
  }
  NewFiles made;
  for (const char* name : {kMetricsFile, kConfigFile, kModelFile, kCheckpointFile}) {
    made.add(folder_ / name);
  }
  write_file_atomically(path(kMetricsFile), "");
  write_file_atomically(path(kConfigFile), to_toml(config_));
  save_checkpoint();  // a run can be resumed from its first moment
  made.keep();
}

void Run::make_workers() {
  const std::int64_t own = config_.workers, count = own * peers_.size();
  std::shared_ptr<const ContractGenerator> generator;
  if (config_.generated_share > 0 || config_.card_play_first > 0) {
    generator =
        checked("generator", config_.generator, [&] { return make_generator(config_.generator); });
  }
  workers_.resize(static_cast<std::size_t>(own));
  for (std::int64_t w = 0; w < own; ++w) {
    const std::int64_t number = own * peers_.rank() + w;
    const std::int64_t begin = config_.games_per_update * number / count;
    const std::int64_t end = config_.games_per_update * (number + 1) / count;
    CollectorOptions options;
    options.rules = rules_;
    options.num_envs = static_cast<int>(end - begin);
    options.first_env = static_cast<std::uint64_t>(begin);
    options.generated_share = config_.generated_share;
    options.generator = generator;
    options.full_view = critic_of(config_.critic) == Critic::kOracle || config_.solver_weight > 0;
    options.pool_share = config_.pool_share;
    options.pool_seats = config_.pool_seats;
    options.solver_trick = config_.solver_weight > 0 ? static_cast<int>(config_.solver_trick) : 0;
    if (config_.algorithm == Algorithm::kDmc) options.exploration = config_.exploration;
    options.solver_early_share = config_.solver_early_share;
    options.playout_share = config_.playout_share;
    options.announcement_playout_share = config_.announcement_playout_share;
    options.teacher_share = config_.teacher_share;
    options.bidding_weight = static_cast<float>(config_.bidding_weight);
    options.advantage = {.gamma = static_cast<float>(config_.gamma),
                         .lambda = static_cast<float>(config_.gae_lambda),
                         .reward_scale = static_cast<float>(config_.reward_scale),
                         .reward_clip = static_cast<float>(config_.reward_clip)};
    workers_[static_cast<std::size_t>(w)].collector = std::make_unique<Collector>(options);
  }
}

double Run::share_done() const {
  double share = 0.0;
  if (config_.time_limit_minutes > 0) {
    share = budget_holds() ? static_cast<double>(counters_.decisions + counters_.forced) /
                                 static_cast<double>(counters_.budget)
                           : counters_.seconds / (60.0 * config_.time_limit_minutes);
  }
  if (config_.decisions_limit > 0) {
    share = std::max(share, static_cast<double>(counters_.decisions + counters_.forced) /
                                static_cast<double>(config_.decisions_limit));
  }
  return std::min(share, 1.0);
}

/// A time limit is turned into decisions once, so that what follows does not depend on the clock.
void Run::fix_budget() {
  constexpr double kMeasured = 0.05;  // of the time
  const double limit = 60.0 * config_.time_limit_minutes;
  if (limit <= 0 || counters_.seconds < kMeasured * limit) return;
  if (budget_holds()) return;
  const double speed =
      static_cast<double>(counters_.decisions + counters_.forced) / counters_.seconds;
  counters_.budget = std::max<std::int64_t>(1, std::llround(speed * limit));
  counters_.budget_minutes = config_.time_limit_minutes;
}

double Run::generated_share() const {
  return limited() && share_done() < config_.card_play_first ? 1.0 : config_.generated_share;
}

/// What falls linearly from 1 to a share over the budget.
double Run::falling(double final_share) const {
  return limited() ? 1.0 - (1.0 - final_share) * share_done() : 1.0;
}

double Run::running_down(double weight, double until) const {
  if (!limited() || until <= 0) return weight;
  return weight * std::max(0.0, 1.0 - share_done() / until);
}

bool Run::finished() const { return share_done() >= 1.0; }

void Run::collect(UpdateReport& report) {
  const Clock::time_point start = Clock::now();
  const std::uint64_t seed =
      mix64(mix64(config_.seed) + static_cast<std::uint64_t>(counters_.updates));
  const double share = generated_share();
  report.loss.solver_weight = running_down(config_.solver_weight, config_.solver_until);
  if (config_.playout_share > 0 || config_.announcement_playout_share > 0) {
    report.loss.playout_weight = running_down(config_.playout_weight, config_.playout_until);
  }
  report.teacher_weight =
      config_.teacher_share > 0 ? running_down(config_.teacher_weight, config_.teacher_until) : 0.0;
  report.clone_weight = recorded_ ? running_down(config_.clone_weight, config_.clone_until) : 0.0;
  report.loss.entropy_share = falling(config_.final_entropy_share);
  report.loss.kl_share = falling(config_.final_kl_share);
  report.loss.clip = config_.clip * falling(config_.final_clip_share);
  peers_.together([&] {
    pool_.run([&](int w) {
      Worker& worker = workers_[static_cast<std::size_t>(w)];
      worker.collector->set_generated_share(share);
      worker.collector->set_pool(opponents_->members());
      worker.collector->set_solving(report.loss.solver_weight > 0);
      worker.collector->set_playing_out(report.loss.playout_weight > 0);
      worker.collector->set_teacher(report.teacher_weight > 0 ? teacher_.get() : nullptr);
      worker.recorded.clear();
      if (report.clone_weight > 0) replay_records(w);
      worker.batch.clear();
      worker.stats = {};
      worker.collector->collect(seed, *learner_, w, worker.batch, worker.stats);
    });
  });
  report.sizes.assign(all_workers(), 0.0);
  report.recorded.assign(all_workers(), 0.0);
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    const Worker& worker = workers_[w];
    report.stats.add(worker.stats);
    report.advantages.add(worker.batch.decisions);
    report.sizes[first_worker() + w] = static_cast<double>(worker.batch.size());
    report.recorded[first_worker() + w] = static_cast<double>(worker.recorded.size());
  }
  sum(peers_, report.stats);
  sum(peers_, report.advantages);
  peers_.sum(report.sizes);
  peers_.sum(report.recorded);
  report.collect_seconds = seconds_since(start);
}

/// The recorded games of this update are a function of the seed and its number.
void Run::replay_records(int index) {
  const auto count = static_cast<std::int64_t>(all_workers());
  const std::int64_t worker = static_cast<std::int64_t>(first_worker()) + index;
  const std::int64_t games = config_.clone_games;
  const std::uint64_t key = mix64(mix64(config_.seed) ^ 0xC104Eu);
  for (std::int64_t i = games * worker / count; i < games * (worker + 1) / count; ++i) {
    const auto number = static_cast<std::uint64_t>(counters_.updates * games + i);
    const int game = below(mix64(key + number), static_cast<int>(recorded_->size()));
    recorded_->add_decisions(static_cast<std::size_t>(game),
                             critic_of(config_.critic) == Critic::kOracle,
                             workers_[static_cast<std::size_t>(index)].recorded);
  }
}

void Run::shuffle(std::int64_t epoch) {
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    Rng rng(mix64(mix64(config_.seed) ^ (static_cast<std::uint64_t>(counters_.updates) << 20) ^
                  (static_cast<std::uint64_t>(epoch) << 10) ^ (first_worker() + w)));
    const auto mix = [&rng](std::vector<std::uint32_t>& order, std::size_t size) {
      order.resize(size);
      std::iota(order.begin(), order.end(), 0U);
      for (std::size_t i = size; i > 1; --i) {
        std::swap(order[i - 1],
                  order[static_cast<std::size_t>(rng.next_below(static_cast<int>(i)))]);
      }
    };
    mix(workers_[w].order, workers_[w].batch.size());
    mix(workers_[w].recorded_order, workers_[w].recorded.size());
  }
}

void Run::learn(UpdateReport& report) {
  const Clock::time_point start = Clock::now();
  report.learning_rate =
      config_.learning_rate * (1.0 - (1.0 - config_.final_learning_rate_share) * share_done());
  const std::size_t total = static_cast<std::size_t>(report.advantages.all.count);
  const std::size_t size = static_cast<std::size_t>(config_.minibatch);
  const std::size_t steps = std::max<std::size_t>(1, (total + size / 2) / size);
  counters_.advantages.add(report.advantages);
  const Normalisations normal =
      normalisations(report.advantages, counters_.advantages, config_.normalise_by);
  for (Worker& worker : workers_) {
    worker.sums = worker.playout_sums = {};
    worker.taught = worker.cloned = {};
    worker.held = {};
  }
  for (std::int64_t epoch = 0; epoch < config_.epochs && total > 0; ++epoch) {
    shuffle(epoch);
    for (std::size_t m = 0; m < steps; ++m) {
      std::size_t rows = 0;
      for (const double each : report.sizes) {
        const auto own = static_cast<std::size_t>(each);
        rows += own * (m + 1) / steps - own * m / steps;
      }
      if (rows == 0) continue;
      const float scale = 1.0F / static_cast<float>(rows);
      pool_.run([&](int w) {
        const std::size_t own = workers_[static_cast<std::size_t>(w)].order.size();
        learn_slice(w, own * m / steps, own * (m + 1) / steps, scale, report, normal);
        clone_slice(w, m, steps, report);
      });
      report.grad_norm += learner_->step(report.learning_rate, config_.max_grad_norm);
      ++report.gradient_steps;
    }
  }
  PpoSums playouts;
  for (const Worker& worker : workers_) {
    report.sums.add(worker.sums);
    playouts.add(worker.playout_sums);
    report.taught.add(worker.taught);
    report.cloned.add(worker.cloned);
    report.held.add(worker.held);
  }
  sum(peers_, report.sums);
  sum(peers_, playouts);
  sum(peers_, report.taught);
  sum(peers_, report.cloned);
  sum(peers_, report.held);
  report.playouts = std::exchange(playouts.labelled, 0.0);  // not those of the solver
  report.playout_regret = std::exchange(playouts.regret, 0.0);
  report.sums.add(playouts);
  learner_->agree();
  report.update_seconds = seconds_since(start);
}

void Run::learn_slice(int index, std::size_t begin, std::size_t end, float scale,
                      const UpdateReport& report, const Normalisations& normal) {
  Worker& worker = workers_[static_cast<std::size_t>(index)];
  const bool dmc = config_.algorithm == Algorithm::kDmc;
  const auto gradient = dmc ? action_value_gradient : ppo_gradient;
  const DecisionLoss coefficients(config_, report.loss);
  const auto teacher_weight = static_cast<float>(report.teacher_weight);
  for (std::size_t first = begin; first < end; first += kLearnTile) {
    const std::span<const std::uint32_t> rows =
        std::span(worker.order).subspan(first, std::min(kLearnTile, end - first));
    worker.tile_views.clear();
    worker.tile_full.clear();
    for (const std::uint32_t row : rows) {
      worker.tile_views.push_back(worker.batch.views[row]);
      if (!worker.batch.full_views.empty()) {
        worker.tile_full.push_back(worker.batch.full_views[row]);
      }
    }
    hold_to_magnet(index, rows);
    learner_->accumulate(
        index, worker.tile_views, worker.tile_full, [&](const NetworkOutputs& outputs) {
          for (std::size_t i = 0; i < rows.size(); ++i) {
            const Decision& decision = worker.batch.decisions[rows[i]];
            const Normalisation& scaling = normal[decision.group];
            const PpoTarget target{
                .legal = decision.legal,
                .action = decision.action,
                .behaviour_log = decision.behaviour_log.data(),
                .magnet_log = worker.magnet_logs.empty() ? nullptr : worker.magnet_logs[i].data(),
                .advantage = (decision.advantage - scaling.mean) * scaling.factor,
                .value_target = dmc ? decision.payoff : decision.value_target,
                .weight = decision.weight,
                .action_values = decision.action_values == kNoActionValues
                                     ? nullptr
                                     : &worker.batch.action_values[decision.action_values]};
            const std::size_t at = i * static_cast<std::size_t>(kNumActions);
            PpoSums& sums = decision.held         ? worker.held.loss
                            : decision.played_out ? worker.playout_sums
                                                  : worker.sums;
            outputs.values_grad[i] =
                gradient(coefficients.of(decision), target, outputs.logits + at, outputs.values[i],
                         scale, outputs.logits_grad + at, sums);
            if (decision.held) add_agreement(outputs.logits + at, decision, worker.held);
            if (decision.teacher == kNoTeacher) continue;
            add_cross_entropy(outputs.logits + at, decision.legal,
                              &worker.batch.teacher_probabilities[decision.teacher],
                              scale * teacher_weight * decision.weight, outputs.logits_grad + at,
                              worker.taught);
          }
        });
  }
}

/// The share of the recorded decisions that belongs to this gradient step: their mean loss is added
/// to that of the decisions that were played. They teach the policy and not the critic, since
/// others played them.
void Run::clone_slice(int index, std::size_t step, std::size_t steps, const UpdateReport& report) {
  std::size_t all = 0;
  for (const double each : report.recorded) {
    const auto own = static_cast<std::size_t>(each);
    all += own * (step + 1) / steps - own * step / steps;
  }
  Worker& worker = workers_[static_cast<std::size_t>(index)];
  const std::size_t own = worker.recorded_order.size(), end = own * (step + 1) / steps;
  const float scale = static_cast<float>(report.clone_weight / std::max<double>(1.0, double(all)));
  for (std::size_t first = own * step / steps; first < end; first += kLearnTile) {
    const std::span<const std::uint32_t> rows =
        std::span(worker.recorded_order).subspan(first, std::min(kLearnTile, end - first));
    worker.tile_views.clear();
    worker.tile_full.clear();
    for (const std::uint32_t row : rows) {
      worker.tile_views.push_back(worker.recorded.views[row]);
      if (!worker.recorded.full_views.empty()) {
        worker.tile_full.push_back(worker.recorded.full_views[row]);
      }
    }
    learner_->accumulate(
        index, worker.tile_views, worker.tile_full, [&](const NetworkOutputs& outputs) {
          std::fill_n(outputs.values_grad, rows.size(), 0.0F);
          std::fill_n(outputs.logits_grad, rows.size() * std::size_t{kNumActions}, 0.0F);
          for (std::size_t i = 0; i < rows.size(); ++i) {
            const ActionMask& legal = worker.recorded.legal[rows[i]];
            std::array<float, kMaxLegal> done{};
            for (int n = 0; n < legal.count(); ++n) {
              done[std::size_t(n)] = legal.nth(n) == worker.recorded.actions[rows[i]] ? 1.0F : 0.0F;
            }
            const std::size_t at = i * static_cast<std::size_t>(kNumActions);
            add_cross_entropy(outputs.logits + at, legal, done.data(), scale,
                              outputs.logits_grad + at, worker.cloned);
          }
        });
  }
}

/// What the magnet would play in the decisions of a worker's tile.
void Run::hold_to_magnet(int index, std::span<const std::uint32_t> rows) {
  if (magnet_ == nullptr) return;
  Worker& worker = workers_[static_cast<std::size_t>(index)];
  worker.magnet_logits.resize(rows.size() * std::size_t{kNumActions});
  worker.magnet_logs.resize(rows.size());
  magnet_->policy(index, worker.tile_views, worker.magnet_logits);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    masked_log_softmax(&worker.magnet_logits[i * std::size_t{kNumActions}],
                       worker.batch.decisions[rows[i]].legal, worker.magnet_logs[i].data());
  }
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
  write_checkpoint(path(kCheckpointFile), std::move(file), *learner_, magnet_.get(), frozen_.get(),
                   config_, counters_, peers_.size());
  saved_updates_ = counters_.updates;
}

TrainProgress Run::progress_of(const UpdateReport& report) const {
  TrainProgress progress;
  const double seconds = report.collect_seconds + report.update_seconds;
  const double count = std::max(report.sums.count, 1.0);
  progress.updates = counters_.updates;
  progress.decisions = counters_.decisions + counters_.forced;
  progress.games = counters_.games;
  progress.seconds = counters_.seconds;
  progress.share_done = share_done();
  if (progress.share_done > 0) {
    progress.seconds_left = counters_.seconds * (1.0 / progress.share_done - 1.0);
  }
  progress.decisions_per_second =
      static_cast<double>(report.stats.decisions + report.stats.forced) / seconds;
  progress.games_per_second = static_cast<double>(report.stats.games) / seconds;
  progress.entropy = report.sums.entropy / count;
  progress.kl = report.sums.kl / count;
  progress.regret = report.sums.regret / std::max(report.sums.labelled, 1.0) * config_.reward_scale;
  progress.explained_variance = report.advantages.all.explained_variance();
  progress.env_share = report.stats.env_seconds / (seconds * static_cast<double>(all_workers()));
  const double auctions = static_cast<double>(std::max<std::int64_t>(report.stats.auctions, 1));
  for (std::size_t i = 0; i < report.stats.declared.size(); ++i) {
    if (report.stats.declared[i] == 0) continue;
    const std::string name(names_of(ContractClass{})[i]);
    progress.declared[name] = static_cast<double>(report.stats.declared[i]) / auctions;
  }
  if (report.stats.thrown_in > 0) {
    progress.declared["thrown_in"] = static_cast<double>(report.stats.thrown_in) / auctions;
  }
  return progress;
}

/// By contract class, then role; no figure where a direction has no such games.
nlohmann::ordered_json shares_to_json(const std::vector<EvaluationShare>& shares) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto known = [](std::int64_t games, double value) {
    return games > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  for (const EvaluationShare& share : shares) {
    const std::int64_t both = std::min(share.games, share.games_against);
    json[std::string(name_of(share.contract))][std::string(name_of(share.role))] = {
        {"games", share.games},
        {"games_against", share.games_against},
        {"won", share.won},
        {"alone", known(share.games, share.alone)},
        {"against", known(share.games_against, share.against)},
        {"mean", known(both, share.mean)},
        {"half_width", known(both, share.half_width)}};
  }
  return json;
}

void Run::write_metrics(const UpdateReport& report, const TrainProgress& progress) {
  const double count = std::max(report.sums.count, 1.0);
  const double wall = report.collect_seconds + report.update_seconds;
  const double workers = static_cast<double>(all_workers());
  nlohmann::ordered_json line = {
      {"update", counters_.updates},
      {"seconds", counters_.seconds},
      {"decisions", progress.decisions},
      {"unforced_decisions", counters_.decisions},
      {"games", counters_.games},
      {"decisions_per_second", progress.decisions_per_second},
      {"games_per_second", progress.games_per_second},
      {"learning_rate", report.learning_rate},
      {"policy_loss", report.sums.policy / count},
      {"value_loss", report.sums.value / count},
      {"entropy", progress.entropy},
      {"kl", progress.kl},
      {"clip_fraction", report.sums.clipped / count},
      {"explained_variance", progress.explained_variance},
      {"grad_norm", report.grad_norm / std::max(report.gradient_steps, 1)},
      {"gradient_steps", report.gradient_steps},
      {"advantage_deviation", report.advantages.all.deviation()},
      {"env_seconds", report.stats.env_seconds / workers},
      {"act_seconds", report.stats.act_seconds / workers},
      {"solver_seconds", report.stats.solver_seconds / workers},
      {"update_seconds", report.update_seconds},
      {"env_share", report.stats.env_seconds / workers / wall},
      {"declared", progress.declared}};
  if (magnet_ != nullptr) line["magnet_kl"] = report.sums.magnet / count;
  if (report.sums.labelled > 0) {
    line["solver_weight"] = report.loss.solver_weight;
    line["solved_share"] = report.sums.labelled / count;
    line["regret"] = progress.regret;
  }
  add_target_metrics(line, report);
  if (progress.evaluated) {
    line["eval_opponent"] = config_.eval_opponent;
    line["eval_track"] = name_of(config_.eval_track);
    line["eval_unit"] = rules_->rules().tariff.unit;
    line["eval_mean"] = progress.eval_mean;
    line["eval_half_width"] = progress.eval_half_width;
    line["eval_alone"] = progress.eval_alone;
    line["eval_against"] = progress.eval_against;
    line["eval_games"] = config_.eval_blocks * rules_->seats();  // of a direction
    line["eval_thrown_in"] = progress.eval_thrown_in;
    line["eval_thrown_in_against"] = progress.eval_thrown_in_against;
    line["eval_by"] = shares_to_json(progress.eval_shares);
  }
  const std::string file = path(kMetricsFile);
  std::ofstream stream(file, std::ios::app | std::ios::binary);
  stream << line.dump() << '\n';
  stream.flush();
  if (!stream) {
    throw std::runtime_error(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
  }
}

/// Of the signals beside PPO and the solver that this update had.
void Run::add_target_metrics(nlohmann::ordered_json& line, const UpdateReport& report) const {
  const double count = std::max(report.sums.count, 1.0);
  const double workers = static_cast<double>(all_workers());
  const double wall = (report.collect_seconds + report.update_seconds) * workers;
  if (const double held = report.held.loss.count; held > 0) {
    line["held_share"] = held / (held + report.sums.count);
    line["held_kl"] = report.held.loss.kl / held;
    line["held_agreement"] = report.held.agreed / held;
  }
  if (report.loss.playout_weight > 0) {
    line["playout_weight"] = report.loss.playout_weight;
    line["played_out_share"] = report.playouts / count;
    line["playout_regret"] =
        report.playout_regret / std::max(report.playouts, 1.0) * config_.reward_scale;
    line["playout_seconds"] = report.stats.playout_seconds / workers;
    line["playout_time_share"] = report.stats.playout_seconds / wall;
  }
  const auto imitation = [&](const std::string& name, double weight, const ImitationSums& sums) {
    line[name + "_weight"] = weight;
    line[name + "_loss"] = sums.loss / std::max(sums.count, 1.0);
    line[name + "_agreement"] = sums.agreed / std::max(sums.count, 1.0);
  };
  if (report.teacher_weight > 0) {
    imitation("teacher", report.teacher_weight, report.taught);
    line["taught_share"] = report.taught.count / count;
    line["teacher_seconds"] = report.stats.teacher_seconds / workers;
    line["teacher_time_share"] = report.stats.teacher_seconds / wall;
  }
  if (report.clone_weight > 0) {
    imitation("clone", report.clone_weight, report.cloned);
    line["cloned_decisions"] = report.cloned.count / static_cast<double>(config_.epochs);
  }
}

EvaluationSettings Run::evaluation() const {
  return {.rules = rules_,
          .opponent = config_.eval_opponent,
          .track = config_.eval_track,
          .generator = config_.eval_generator,
          .blocks = static_cast<int>(config_.eval_blocks),
          .seed = mix64(config_.seed ^ 0xE7A1u),
          .num_threads = static_cast<int>(config_.workers),
          .stop = &peers_.lost()};
}

/// In its turn and at the end of the budget.
void Run::evaluate(TrainProgress& progress) {
  if (config_.eval_minutes <= 0 || stopping()) return;
  if (counters_.seconds < counters_.next_eval && !finished()) return;
  counters_.next_eval = counters_.seconds + 60.0 * config_.eval_minutes;
  const WeightsFile weights = network();
  const auto player = make_net_agent(make_mlp_network(weights, "the run's weights"),
                                     "the run's weights", /*greedy=*/true);
  const Evaluation result = schafkopf::evaluate(*player, evaluation());
  progress.evaluated = true;
  progress.eval_mean = result.mean;
  progress.eval_half_width = result.half_width;
  progress.eval_alone = result.alone;
  progress.eval_against = result.against;
  progress.eval_thrown_in = result.thrown_in;
  progress.eval_thrown_in_against = result.thrown_in_against;
  progress.eval_shares = result.shares;
  if (result.lower() <= counters_.best_lower) return;
  counters_.best_lower = result.lower();
  write_weights(path(kBestFile), weights);
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
  fix_budget();
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
    evaluate(progress);
    write_metrics(report, progress);
  }
  if (snapshot) opponents_->add_snapshot(counters_.updates, network());
  if (!peers_.leads()) return;
  if (early && share_done() >= 0.1) write_weights(path(kTenPercentFile), network());
  if (save) save_checkpoint();
  if (peers_.size() == 1) return;
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
    throw PeersLost(fmt::format("{}; {}", lost.what(), keep_complete_update()));
  }
}

/// After a process was lost in the middle of an update: the checkpoint of the one before it.
/// Returns a sentence about it.
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
  return fmt::format("{} has the checkpoint of update {}{}: resume it", folder_.string(),
                     saved_updates_, failure);
}

TrainResult Run::train_on() {
  if (finished()) {
    TrainResult before = result(false);
    before.was_finished = true;  // and stays as it is
    if (peers_.leads() && !fs::exists(path(kModelFile))) write_weights(path(kModelFile), network());
    return before;
  }
  const double interval = 60.0 * config_.checkpoint_minutes;
  double next_checkpoint = counters_.seconds + interval;
  bool interrupted = false, saved = false;
  while (!finished() && !interrupted) {
    const Clock::time_point start = Clock::now();
    const bool early = share_done() < 0.1;
    UpdateReport report;
    collect(report);
    learn(report);
    complete(report, seconds_since(start));
    TrainProgress progress = progress_of(report);
    saved = counters_.seconds >= next_checkpoint;
    if (saved) next_checkpoint = counters_.seconds + interval;
    peers_.together([&] { write_update(report, progress, early, saved); });
    if (options_.progress) options_.progress(progress);
    interrupted = peers_.any(stopping());
  }
  // not twice: the one before is of an earlier update
  if (!saved && peers_.leads()) save_checkpoint();
  return result(interrupted && !finished());
}

/// Twice what is used up.
std::vector<std::string> Run::higher_limits() const {
  std::vector<std::string> limits;
  if (!finished()) return limits;
  const double minutes = config_.time_limit_minutes;
  if (minutes > 0 && (budget_holds() ? counters_.decisions + counters_.forced >= counters_.budget
                                     : counters_.seconds >= 60.0 * minutes)) {
    limits.push_back(
        fmt::format("time_limit_minutes={:.0f}", std::ceil(counters_.seconds / 60.0 * 2.0)));
  }
  const std::int64_t decisions = counters_.decisions + counters_.forced;
  if (config_.decisions_limit > 0 && decisions >= config_.decisions_limit) {
    limits.push_back(fmt::format("decisions_limit={}", 2 * decisions));
  }
  return limits;
}

TrainResult Run::result(bool interrupted) const {
  const double workers = static_cast<double>(all_workers());
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
  result.workers = static_cast<int>(all_workers());
  result.env_share = totals_.env_seconds / workers / wall;
  result.act_share = totals_.act_seconds / workers / wall;
  result.update_share = update_wall_ / wall;
  result.decisions_per_second_per_core =
      static_cast<double>(totals_.decisions + totals_.forced) / wall / workers;
  result.interrupted = interrupted;
  result.higher_limits = higher_limits();
  result.notes = notes_;
  return result;
}

}  // namespace

TrainResult train(const TrainConfig& config, const TrainOptions& options) {
  return Run(config, options).train();
}

TrainConfig resume_config(const std::string& run_dir, Peers* peers) {
  if (peers == nullptr || peers->size() == 1) return read_run_checkpoint(run_dir).config;
  std::string text;
  peers->together([&] {
    if (peers->leads()) text = to_toml(read_run_checkpoint(run_dir).config);
  });
  return parse_train_config(peers->taken_over(text), run_dir);
}

}  // namespace schafkopf
