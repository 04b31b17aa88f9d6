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
#include <thread>
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
#include "training/checkpoint.h"
#include "training/collector.h"
#include "training/evaluation.h"
#include "training/learner.h"
#include "training/metrics_file.h"
#include "training/pool.h"
#include "training/ppo_loss.h"
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

TrainConfig resolved(TrainConfig config) {
  if (config.workers == 0) {
    config.workers =
        std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, config.games_per_update);
  }
  check_train_config(config);
  return config;
}

/// A worker's games and scratch memory.
struct Worker {
  std::unique_ptr<Collector> collector;
  Batch batch;
  CollectorStats stats;
  PpoSums sums;
  std::vector<std::uint32_t> order;
  std::vector<PlayerView> tile_views;
  std::vector<FullView> tile_full;
  std::vector<ActionMask> tile_legal;
  std::vector<float> magnet_outputs;
  std::vector<std::array<float, kMaxLegal>> magnet_logs;  // of the tile; empty without a magnet
};

struct UpdateReport {
  CollectorStats stats;  // seconds: sums over workers
  PpoSums sums;
  BatchAdvantages advantages;
  double learning_rate = 0.0, grad_norm = 0.0;
  int gradient_steps = 0;
  double solver_weight = 0.0, entropy_share = 1.0, kl_share = 1.0, clip = 0.0;
  double collect_seconds = 0.0, update_seconds = 0.0;  // wall
};

class Run {
 public:
  Run(const TrainConfig& config, const TrainOptions& options);
  TrainResult train();

 private:
  void hold_folder();
  void go_on();
  void begin();
  [[nodiscard]] EvaluationSettings evaluation() const;
  void make_workers();
  void start_from_weights();
  void renew_magnet();
  void note(const std::string& text);
  void collect(UpdateReport& report);
  void learn(UpdateReport& report);
  void hold_to_magnet(int worker);
  void learn_slice(int worker, std::size_t begin, std::size_t end, float scale,
                   const UpdateReport& report, const Normalisations& normal);
  void fix_budget();
  void shuffle(std::int64_t epoch);
  [[nodiscard]] double share_done() const;
  [[nodiscard]] double generated_share() const;
  [[nodiscard]] double solver_weight() const;
  [[nodiscard]] double falling(double final_share) const;
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

  TrainConfig config_;
  const TrainOptions& options_;
  fs::path folder_;
  std::optional<FolderLock> lock_;
  std::vector<std::string> notes_;
  std::shared_ptr<const CompiledRules> rules_;
  NetworkShape shape_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<Learner> magnet_;  // whose policy is held still; null = there is none
  std::unique_ptr<OpponentPool> opponents_;
  std::vector<Worker> workers_;
  SlicePool pool_;
  TrainCounters counters_;
  CollectorStats totals_;  // of this call
  double wall_ = 0.0, collect_wall_ = 0.0, update_wall_ = 0.0;
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
    : config_(resolved(config)),
      options_(options),
      rules_(checked("rules", config_.rules, [&] { return CompiledRules::load(config_.rules); })),
      shape_(network_shape(config_)),
      pool_(static_cast<int>(config_.workers)) {
  shape_.value_scale = static_cast<float>(config_.reward_scale);
  learner_ = std::make_unique<Learner>(
      LearnerSettings{.shape = shape_,
                      .critic = critic_of(config_.critic),
                      .device = config_.device,
                      .replicas = static_cast<int>(config_.workers),
                      .seed = config_.seed,
                      .adam_epsilon = config_.adam_epsilon,
                      .critic_width = static_cast<int>(config_.critic_width),
                      .average_decay = config_.average_decay});
  make_workers();
  check_evaluation_of(config_, evaluation());
  folder_ = options.resume_dir.empty() ? options.out_dir : options.resume_dir;
  if (folder_.empty())
    throw std::invalid_argument("out_dir is empty, allowed: a folder of the run");
  opponents_ = checked("pool", config_.pool, [&] {
    return std::make_unique<OpponentPool>(config_.pool, folder_.string(),
                                          config_.algorithm == Algorithm::kDmc);
  });
  if (options.resume_dir.empty() && !config_.init.empty()) start_from_weights();
  renew_magnet();
  hold_folder();
  options.resume_dir.empty() ? begin() : go_on();
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

void Run::go_on() {
  const std::string file = path(kCheckpointFile);
  const Checkpoint checkpoint = read_run_checkpoint(folder_.string());
  check_resume(checkpoint, config_, file);
  learner_->load(checkpoint.file.tensors);
  counters_ = checkpoint.counters;
  renew_magnet();
  if (const auto held = magnet_of(checkpoint); magnet_ != nullptr && !held.empty()) {
    (void)magnet_->start_from(held);
  }
  opponents_->read_snapshots(counters_.updates);
  fix_budget();  // of another time limit
  if (const std::string text = cut_metrics(path(kMetricsFile), counters_.updates); !text.empty()) {
    note(text);
  }
  if (config_ == checkpoint.config) return;
  write_file_atomically(path(kConfigFile), to_toml(config_));  // changed settings stay
  save_checkpoint();
}

/// The weights of now, averaged ones if such are kept, become what the policy is held to.
void Run::renew_magnet() {
  if (config_.magnet_kl <= 0) return;
  if (magnet_ == nullptr) {
    magnet_ =
        std::make_unique<Learner>(LearnerSettings{.shape = shape_,
                                                  .critic = Critic::kShared,
                                                  .device = config_.device,
                                                  .replicas = static_cast<int>(config_.workers),
                                                  .seed = config_.seed});
  }
  (void)magnet_->start_from(learner_->averages());
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
  const std::int64_t count = config_.workers;
  std::shared_ptr<const ContractGenerator> generator;
  if (config_.generated_share > 0 || config_.card_play_first > 0) {
    generator =
        checked("generator", config_.generator, [&] { return make_generator(config_.generator); });
  }
  workers_.resize(static_cast<std::size_t>(count));
  for (std::int64_t w = 0; w < count; ++w) {
    const std::int64_t begin = config_.games_per_update * w / count;
    const std::int64_t end = config_.games_per_update * (w + 1) / count;
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

double Run::solver_weight() const {
  if (!limited() || config_.solver_until <= 0) return config_.solver_weight;
  return config_.solver_weight * std::max(0.0, 1.0 - share_done() / config_.solver_until);
}

bool Run::finished() const { return share_done() >= 1.0; }

void Run::collect(UpdateReport& report) {
  const Clock::time_point start = Clock::now();
  const std::uint64_t seed =
      mix64(mix64(config_.seed) + static_cast<std::uint64_t>(counters_.updates));
  const double share = generated_share();
  report.solver_weight = solver_weight();
  report.entropy_share = falling(config_.final_entropy_share);
  report.kl_share = falling(config_.final_kl_share);
  report.clip = config_.clip * falling(config_.final_clip_share);
  pool_.run([&](int w) {
    Worker& worker = workers_[static_cast<std::size_t>(w)];
    worker.collector->set_generated_share(share);
    worker.collector->set_pool(opponents_->members());
    worker.collector->set_solving(report.solver_weight > 0);
    worker.batch.clear();
    worker.stats = {};
    worker.collector->collect(seed, *learner_, w, worker.batch, worker.stats);
  });
  for (const Worker& worker : workers_) {
    report.stats.add(worker.stats);
    report.advantages.add(worker.batch.decisions);
  }
  report.collect_seconds = seconds_since(start);
}

void Run::shuffle(std::int64_t epoch) {
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    std::vector<std::uint32_t>& order = workers_[w].order;
    order.resize(workers_[w].batch.size());
    std::iota(order.begin(), order.end(), 0U);
    Rng rng(mix64(mix64(config_.seed) ^ (static_cast<std::uint64_t>(counters_.updates) << 20) ^
                  (static_cast<std::uint64_t>(epoch) << 10) ^ w));
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<std::size_t>(rng.next_below(static_cast<int>(i)))]);
    }
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
  for (Worker& worker : workers_) worker.sums = {};
  for (std::int64_t epoch = 0; epoch < config_.epochs && total > 0; ++epoch) {
    shuffle(epoch);
    for (std::size_t m = 0; m < steps; ++m) {
      std::size_t rows = 0;
      for (const Worker& worker : workers_) {
        rows += worker.order.size() * (m + 1) / steps - worker.order.size() * m / steps;
      }
      if (rows == 0) continue;
      const float scale = 1.0F / static_cast<float>(rows);
      pool_.run([&](int w) {
        const std::size_t own = workers_[static_cast<std::size_t>(w)].order.size();
        learn_slice(w, own * m / steps, own * (m + 1) / steps, scale, report, normal);
      });
      report.grad_norm += learner_->step(report.learning_rate, config_.max_grad_norm);
      ++report.gradient_steps;
    }
  }
  for (const Worker& worker : workers_) report.sums.add(worker.sums);
  report.update_seconds = seconds_since(start);
}

void Run::learn_slice(int index, std::size_t begin, std::size_t end, float scale,
                      const UpdateReport& report, const Normalisations& normal) {
  Worker& worker = workers_[static_cast<std::size_t>(index)];
  const PpoCoefficients playing{
      .clip = static_cast<float>(report.clip),
      .entropy = static_cast<float>(config_.entropy * report.entropy_share),
      .behaviour_kl = static_cast<float>(config_.behaviour_kl * report.kl_share),
      .magnet_kl = static_cast<float>(config_.magnet_kl * report.kl_share),
      .value = static_cast<float>(config_.value_coefficient),
      .ppo = static_cast<float>(config_.ppo_weight),
      .action_values = static_cast<float>(report.solver_weight),
      .value_huber = static_cast<float>(config_.value_huber)};
  const bool dmc = config_.algorithm == Algorithm::kDmc;
  const auto gradient = dmc ? action_value_gradient : ppo_gradient;
  PpoCoefficients bidding = playing;
  bidding.entropy = static_cast<float>(config_.bidding_entropy * report.entropy_share);
  for (std::size_t first = begin; first < end; first += kLearnTile) {
    const std::span<const std::uint32_t> rows =
        std::span(worker.order).subspan(first, std::min(kLearnTile, end - first));
    worker.tile_views.clear();
    worker.tile_full.clear();
    worker.tile_legal.clear();
    for (const std::uint32_t row : rows) {
      worker.tile_views.push_back(worker.batch.views[row]);
      worker.tile_legal.push_back(worker.batch.decisions[row].legal);
      if (!worker.batch.full_views.empty()) {
        worker.tile_full.push_back(worker.batch.full_views[row]);
      }
    }
    hold_to_magnet(index);
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
            outputs.values_grad[i] =
                gradient(decision.bidding ? bidding : playing, target, outputs.logits + at,
                         outputs.values[i], scale, outputs.logits_grad + at, worker.sums);
          }
        });
  }
}

/// What the magnet would play in the rows of a worker's tile.
void Run::hold_to_magnet(int index) {
  if (magnet_ == nullptr) return;
  Worker& worker = workers_[static_cast<std::size_t>(index)];
  const std::size_t rows = worker.tile_views.size();
  worker.magnet_outputs.resize(rows * static_cast<std::size_t>(kNumActions + 1));
  worker.magnet_logs.resize(rows);
  const std::span<float> outputs(worker.magnet_outputs);
  magnet_->forward(index, worker.tile_views, {}, outputs, outputs.last(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    masked_log_softmax(&outputs[i * static_cast<std::size_t>(kNumActions)], worker.tile_legal[i],
                       worker.magnet_logs[i].data());
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
  write_checkpoint(path(kCheckpointFile), std::move(file), *learner_, magnet_.get(), config_,
                   counters_);
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
  progress.env_share = report.stats.env_seconds / (seconds * static_cast<double>(workers_.size()));
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
  const double workers = static_cast<double>(workers_.size());
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
    line["solver_weight"] = report.solver_weight;
    line["solved_share"] = report.sums.labelled / count;
    line["regret"] = progress.regret;
  }
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

EvaluationSettings Run::evaluation() const {
  return {.rules = rules_,
          .opponent = config_.eval_opponent,
          .track = config_.eval_track,
          .generator = config_.eval_generator,
          .blocks = static_cast<int>(config_.eval_blocks),
          .seed = mix64(config_.seed ^ 0xE7A1u),
          .num_threads = static_cast<int>(config_.workers)};
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

TrainResult Run::train() {
  if (finished()) {
    TrainResult before = result(false);
    before.was_finished = true;  // and stays as it is
    if (!fs::exists(path(kModelFile))) write_weights(path(kModelFile), network());
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
    ++counters_.updates;
    if (config_.magnet_updates > 0 && counters_.updates % config_.magnet_updates == 0) {
      renew_magnet();
    }
    counters_.decisions += report.stats.decisions;
    counters_.forced += report.stats.forced;
    counters_.games += report.stats.games;
    const double seconds = seconds_since(start);
    counters_.seconds += seconds;
    fix_budget();
    totals_.add(report.stats);
    wall_ += seconds;
    collect_wall_ += report.collect_seconds;
    update_wall_ += report.update_seconds;
    TrainProgress progress = progress_of(report);
    evaluate(progress);
    write_metrics(report, progress);
    if (opponents_->keeps_snapshots() && OpponentPool::is_snapshot(counters_.updates)) {
      opponents_->add_snapshot(counters_.updates, network());
    }
    if (early && share_done() >= 0.1) write_weights(path(kTenPercentFile), network());
    saved = counters_.seconds >= next_checkpoint;
    if (saved) {
      save_checkpoint();
      next_checkpoint = counters_.seconds + interval;
    }
    if (options_.progress) options_.progress(progress);
    interrupted = stopping();
  }
  if (!saved) save_checkpoint();  // not twice: the one before is of an earlier update
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
  const double workers = static_cast<double>(workers_.size());
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
  result.workers = static_cast<int>(workers_.size());
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

TrainConfig resume_config(const std::string& run_dir) {
  return read_run_checkpoint(run_dir).config;
}

}  // namespace schafkopf
