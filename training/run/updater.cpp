#include "training/run/updater.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "agents/registry.h"
#include "env/base/input_limits.h"
#include "env/base/random.h"
#include "training/config/unread.h"
#include "training/learner/ppo_loss.h"
#include "training/run/agreement.h"
#include "training/run/checkpoint.h"
#include "training/run/decision_loss.h"
#include "training/work/checked.h"
#include "training/work/stopwatch.h"

namespace schafkopf {
namespace {

/// Rows that go through forward and backward at once: their inputs stay in the cache.
constexpr std::size_t kLearnTile = 256;

/// Nothing that still learns comes near these.
constexpr double kMostKl = 10.0;     // of the policy from the one that played, nats of a decision
constexpr double kMostError = 10.0;  // of a value, as a multiple of reward_clip

std::string losses_text(const PpoSums& sums) {
  const double count = std::max(sums.count, 1.0);
  return fmt::format("policy loss {:.4g}, value loss {:.4g}, entropy {:.4g}, KL {:.4g}",
                     sums.policy / count, sums.value / count, sums.entropy / count,
                     sums.kl / count);
}

}  // namespace

Updater::Updater(const UpdaterParts& parts, const std::function<void(const std::string&)>& note)
    : config_(parts.config),
      rules_(parts.rules),
      learner_(parts.learner),
      peers_(parts.peers),
      counters_(parts.counters),
      budget_(parts.budget),
      opponents_(parts.opponents),
      pool_(static_cast<int>(config_.workers)) {
  make_workers();
  make_teacher();
  for (const std::string& text : unread_settings(config_)) note(text);
}

UpdateReport Updater::update(Learner* magnet) {
  UpdateReport report;
  collect(report);
  learn(report, magnet);
  return report;
}

void Updater::set_actor(const PhaseActor& actor) {
  for (Worker& worker : workers_) worker.collector->set_actor(actor);
}

/// Whom the policy imitates beside PPO: a player, recorded games.
void Updater::make_teacher() {
  if (!config_.teacher.empty()) {
    teacher_ = checked("teacher", config_.teacher, [&] {
      std::unique_ptr<BatchPolicy> teacher = make_agent(config_.teacher);
      if (!teacher->sees_hidden_hands()) return teacher;
      throw std::invalid_argument(
          "sees hidden hands, allowed: players that see what their seat sees; solver_weight learns "
          "from open cards");
    });
  }
  if (!config_.clone_records.empty()) {
    checked("clone_records", config_.clone_records,
            [&] { recorded_.emplace(config_.clone_records, rules_, config_.learn); });
  }
}

void Updater::make_workers() {
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

void Updater::collect(UpdateReport& report) {
  const Stopwatch watch;
  const std::uint64_t seed =
      mix64(mix64(config_.seed) + static_cast<std::uint64_t>(counters_.updates));
  const double share = budget_.generated_share();
  report.loss.solver_weight = budget_.running_down(config_.solver_weight, config_.solver_until);
  if (config_.playout_share > 0 || config_.announcement_playout_share > 0) {
    report.loss.playout_weight =
        budget_.running_down(config_.playout_weight, config_.playout_until);
  }
  report.teacher_weight = config_.teacher_share > 0
                              ? budget_.running_down(config_.teacher_weight, config_.teacher_until)
                              : 0.0;
  report.clone_weight =
      recorded_ ? budget_.running_down(config_.clone_weight, config_.clone_until) : 0.0;
  report.loss.entropy_share = budget_.falling(config_.final_entropy_share);
  report.loss.kl_share = budget_.falling(config_.final_kl_share);
  report.loss.clip = config_.clip * budget_.falling(config_.final_clip_share);
  peers_.together([&] {
    pool_.run([&](int w) {
      Worker& worker = workers_[static_cast<std::size_t>(w)];
      worker.collector->set_generated_share(share);
      worker.collector->set_pool(opponents_.members());
      worker.collector->set_solving(report.loss.solver_weight > 0);
      worker.collector->set_playing_out(report.loss.playout_weight > 0);
      worker.collector->set_teacher(report.teacher_weight > 0 ? teacher_.get() : nullptr);
      worker.recorded.clear();
      if (report.clone_weight > 0) replay_records(w);
      worker.batch.clear();
      worker.stats = {};
      worker.collector->collect(seed, learner_, w, worker.batch, worker.stats);
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
  report.collect_seconds = watch.seconds();
}

/// The recorded games of this update are a function of the seed and its number.
void Updater::replay_records(int index) {
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

void Updater::shuffle(std::int64_t epoch) {
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

namespace {

/// Rows of a gradient step, over workers of these sizes.
std::size_t rows_of_step(const std::vector<double>& sizes, std::size_t step, std::size_t steps) {
  std::size_t rows = 0;
  for (const double each : sizes) {
    const auto own = static_cast<std::size_t>(each);
    rows += own * (step + 1) / steps - own * step / steps;
  }
  return rows;
}

}  // namespace

void Updater::learn(UpdateReport& report, Learner* magnet) {
  const Stopwatch watch;
  report.learning_rate = config_.learning_rate *
                         (1.0 - (1.0 - config_.final_learning_rate_share) * budget_.share_done());
  const auto total = static_cast<std::size_t>(report.advantages.all.count);
  const auto size = static_cast<std::size_t>(config_.minibatch);
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
      const std::size_t rows = rows_of_step(report.sizes, m, steps);
      if (rows == 0 && rows_of_step(report.recorded, m, steps) == 0) continue;
      const float scale = 1.0F / static_cast<float>(std::max<std::size_t>(1, rows));
      pool_.run([&](int w) {
        const std::size_t own = workers_[static_cast<std::size_t>(w)].order.size();
        learn_slice(w, own * m / steps, own * (m + 1) / steps, scale, report, normal, magnet);
        clone_slice(w, m, steps, report);
      });
      report.grad_norm += step(report);
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
  learner_.agree();
  check_sound(report);
  report.update_seconds = watch.seconds();
}

/// What is wrong with a gradient step is said with the losses so far.
double Updater::step(const UpdateReport& report) {
  try {
    return learner_.step(report.learning_rate, config_.max_grad_norm);
  } catch (const Diverged& diverged) {
    PpoSums sums;
    for (const Worker& worker : workers_) {
      sums.add(worker.sums);
      sums.add(worker.playout_sums);
    }
    throw Diverged(fmt::format("{} after {} gradient steps ({})", diverged.what(),
                               report.gradient_steps, losses_text(sums)));
  }
}

/// Raises Diverged, in all processes alike.
void Updater::check_sound(const UpdateReport& report) {
  const PpoSums& sums = report.sums;
  const double count = std::max(sums.count, 1.0);
  const bool dmc = config_.algorithm == Algorithm::kDmc;
  const double error = std::sqrt(2.0 / count * std::max(sums.value, dmc ? sums.policy : 0.0));
  const auto check = [&](bool sound, const std::string& wrong) {
    if (!sound) throw Diverged(fmt::format("{} ({})", wrong, losses_text(sums)));
  };
  check(std::isfinite(sums.policy + sums.value + sums.entropy + sums.kl), "a loss is no number");
  check(sums.kl / count <= kMostKl,
        fmt::format("the policy has left the one that played by {:.3g} nats of a decision",
                    sums.kl / count));
  check(error <= kMostError * std::max(config_.reward_clip, 1.0),
        fmt::format("values are wrong by {:.3g}, and no reward is above reward_clip = {}", error,
                    config_.reward_clip));
  check(!peers_.any(!answers_are_finite()), "the new weights answer with what is no number");
}

/// Of the weights as they are now, on a few rows.
bool Updater::answers_are_finite() {
  constexpr std::size_t kRows = 16;
  const Batch& batch = workers_.front().batch;
  const std::size_t rows = std::min(kRows, batch.views.size());
  if (rows == 0) return true;
  std::array<float, kRows * std::size_t{kNumActions}> logits{};
  std::array<float, kRows> values{};
  const std::size_t hands = std::min(rows, batch.full_views.size());
  learner_.forward(0, std::span(batch.views).first(rows), std::span(batch.full_views).first(hands),
                   std::span(logits).first(rows * std::size_t{kNumActions}),
                   std::span(values).first(rows));
  const auto is_finite = [](float value) { return std::isfinite(value); };
  return std::ranges::all_of(logits, is_finite) && std::ranges::all_of(values, is_finite);
}

void Updater::Worker::take_tile(std::span<const std::uint32_t> rows,
                                const std::vector<PlayerView>& views,
                                const std::vector<FullView>& full_views) {
  tile_views.clear();
  tile_full.clear();
  for (const std::uint32_t row : rows) {
    tile_views.push_back(views[row]);
    if (!full_views.empty()) tile_full.push_back(full_views[row]);
  }
}

PpoTarget Updater::Worker::target_of(const Decision& decision, std::size_t place,
                                     const Normalisation& scaling) const {
  return {.legal = decision.legal,
          .action = decision.action,
          .behaviour_log = decision.behaviour_log.data(),
          .magnet_log = magnet_logs.empty() ? nullptr : magnet_logs[place].data(),
          .advantage = (decision.advantage - scaling.mean) * scaling.factor,
          .value_target = decision.value_target,
          .weight = decision.weight,
          .action_values = decision.action_values == kNoActionValues
                               ? nullptr
                               : &batch.action_values[decision.action_values]};
}

PpoSums& Updater::Worker::sums_of(const Decision& decision) {
  if (decision.held) return held.loss;
  return decision.played_out ? playout_sums : sums;
}

void Updater::learn_slice(int index, std::size_t begin, std::size_t end, float scale,
                          const UpdateReport& report, const Normalisations& normal,
                          Learner* magnet) {
  Worker& worker = workers_[static_cast<std::size_t>(index)];
  const bool dmc = config_.algorithm == Algorithm::kDmc;
  const auto gradient = dmc ? action_value_gradient : ppo_gradient;
  const DecisionLoss coefficients(config_, report.loss);
  const auto teacher_weight = static_cast<float>(report.teacher_weight);
  for (std::size_t first = begin; first < end; first += kLearnTile) {
    const std::span<const std::uint32_t> rows =
        std::span(worker.order).subspan(first, std::min(kLearnTile, end - first));
    worker.take_tile(rows, worker.batch.views, worker.batch.full_views);
    if (magnet != nullptr) hold_to_magnet(index, rows, *magnet);
    learner_.accumulate(
        index, worker.tile_views, worker.tile_full, [&](const NetworkOutputs& outputs) {
          for (std::size_t i = 0; i < rows.size(); ++i) {
            const Decision& decision = worker.batch.decisions[rows[i]];
            PpoTarget target = worker.target_of(decision, i, normal[decision.group]);
            if (dmc) target.value_target = decision.payoff;
            const std::size_t at = i * static_cast<std::size_t>(kNumActions);
            outputs.values_grad[i] =
                gradient(coefficients.of(decision), target, outputs.logits + at, outputs.values[i],
                         scale, outputs.logits_grad + at, worker.sums_of(decision));
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
void Updater::clone_slice(int index, std::size_t step, std::size_t steps,
                          const UpdateReport& report) {
  const std::size_t all = rows_of_step(report.recorded, step, steps);
  Worker& worker = workers_[static_cast<std::size_t>(index)];
  const std::size_t own = worker.recorded_order.size(), end = own * (step + 1) / steps;
  const auto scale =
      static_cast<float>(report.clone_weight / std::max(1.0, static_cast<double>(all)));
  for (std::size_t first = own * step / steps; first < end; first += kLearnTile) {
    const std::span<const std::uint32_t> rows =
        std::span(worker.recorded_order).subspan(first, std::min(kLearnTile, end - first));
    worker.take_tile(rows, worker.recorded.views, worker.recorded.full_views);
    learner_.accumulate(
        index, worker.tile_views, worker.tile_full, [&](const NetworkOutputs& outputs) {
          std::fill_n(outputs.values_grad, rows.size(), 0.0F);
          std::fill_n(outputs.logits_grad, rows.size() * std::size_t{kNumActions}, 0.0F);
          for (std::size_t i = 0; i < rows.size(); ++i) {
            const ActionMask& legal = worker.recorded.legal[rows[i]];
            std::array<float, kMaxLegal> done{};
            for (int n = 0; n < legal.count(); ++n) {
              const bool played = legal.nth(n) == worker.recorded.actions[rows[i]];
              done[static_cast<std::size_t>(n)] = played ? 1.0F : 0.0F;
            }
            const std::size_t at = i * static_cast<std::size_t>(kNumActions);
            add_cross_entropy(outputs.logits + at, legal, done.data(), scale,
                              outputs.logits_grad + at, worker.cloned);
          }
        });
  }
}

/// What the magnet would play in the decisions of a worker's tile.
void Updater::hold_to_magnet(int index, std::span<const std::uint32_t> rows, Learner& magnet) {
  Worker& worker = workers_[static_cast<std::size_t>(index)];
  worker.magnet_logits.resize(rows.size() * std::size_t{kNumActions});
  worker.magnet_logs.resize(rows.size());
  magnet.policy(index, worker.tile_views, worker.magnet_logits);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    masked_log_softmax(&worker.magnet_logits[i * std::size_t{kNumActions}],
                       worker.batch.decisions[rows[i]].legal, worker.magnet_logs[i].data());
  }
}

}  // namespace schafkopf
