#include "training/collector.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "env/base/assert.h"

namespace schafkopf {
namespace {

using Clock = std::chrono::steady_clock;

/// Rows that go through the network at once: their inputs stay in the second-level cache.
constexpr std::size_t kActTile = 256;

double lap(Clock::time_point& since) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - since).count();
  since = now;
  return seconds;
}

VectorEnvOptions env_options(const CollectorOptions& options) {
  VectorEnvOptions env;
  env.num_envs = options.num_envs;
  env.rules = {options.rules};
  env.first_env = options.first_env;
  env.auto_reset = AutoReset::kNextStep;  // a finished game can still be asked for its contract
  env.cards = CardIndex::kCanonical;      // as networks count them
  env.view_lines = true;
  env.full_view = options.full_view;
  env.skip_forced = true;
  env.generated_share = options.generated_share;
  if (options.generated_share > 0) env.generator = options.generator;
  return env;
}

bool is_bidding(const PlayerView& view) { return view.phase() < Phase::kDouble; }

/// Number of the action drawn with u in [0, 1) from log-probabilities.
int sample(const float* log_probs, int count, double u) {
  double below = 0.0;
  for (int i = 0; i + 1 < count; ++i) {
    below += std::exp(static_cast<double>(log_probs[i]));
    if (u < below) return i;
  }
  return count - 1;
}

}  // namespace

void CollectorStats::add(const CollectorStats& other) {
  decisions += other.decisions;
  forced += other.forced;
  games += other.games;
  auctions += other.auctions;
  thrown_in += other.thrown_in;
  for (std::size_t i = 0; i < declared.size(); ++i) declared[i] += other.declared[i];
  env_seconds += other.env_seconds;
  act_seconds += other.act_seconds;
}

Collector::Collector(CollectorOptions options)
    : options_(std::move(options)), env_(env_options(options_)) {
  const std::size_t envs = static_cast<std::size_t>(options_.num_envs);
  rows_.resize(envs);
  keys_.resize(envs);
  actions_.resize(envs);
}

void Collector::set_generated_share(double share) {
  if (share == options_.generated_share) return;
  options_.generated_share = share;
  env_ = VectorEnv(env_options(options_));
}

void Collector::collect(std::uint64_t seed, Learner& learner, int replica, Batch& batch,
                        CollectorStats& stats) {
  Clock::time_point clock = Clock::now();
  start(seed);
  stats.env_seconds += lap(clock);
  while (!active_.empty()) {
    store_views(batch);
    stats.env_seconds += lap(clock);
    const std::size_t rows = active_.size();
    logits_.resize(rows * static_cast<std::size_t>(kNumActions));
    values_.resize(rows);
    for (std::size_t i = 0; i < rows; i += kActTile) {
      const std::size_t count = std::min(kActTile, rows - i);
      const auto all_hands = options_.full_view
                                 ? std::span(batch.full_views).subspan(first_ + i, count)
                                 : std::span<FullView>();
      learner.forward(replica, std::span(batch.views).subspan(first_ + i, count), all_hands,
                      std::span(logits_).subspan(i * static_cast<std::size_t>(kNumActions)),
                      std::span(values_).subspan(i));
    }
    choose_actions(batch);
    stats.act_seconds += lap(clock);
    env_.step(std::span<const Action>(actions_));
    finish_rows(batch, stats);
    stats.env_seconds += lap(clock);
  }
}

void Collector::start(std::uint64_t seed) {
  env_.reset(seed);
  active_.resize(rows_.size());
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    rows_[i].env = i;
    rows_[i].decisions.clear();
    rows_[i].bids = false;
    active_[i] = i;
  }
}

void Collector::store_views(Batch& batch) {
  const EnvBuffers& buffers = env_.buffers();
  first_ = batch.decisions.size();
  batch.views.resize(first_ + active_.size());
  batch.decisions.resize(first_ + active_.size());
  if (options_.full_view) batch.full_views.resize(first_ + active_.size());
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Row& row = rows_[active_[i]];
    PlayerView& view = batch.views[first_ + i];
    view = {buffers.cards[row.env], buffers.order[row.env], buffers.events[row.env]};
    if (options_.full_view) batch.full_views[first_ + i] = buffers.full[row.env];
    Decision& decision = batch.decisions[first_ + i];
    decision = {};
    decision.legal = buffers.legal[row.env];
    decision.seat = static_cast<std::uint8_t>(buffers.current_player[row.env]);
    decision.group = static_cast<std::uint8_t>(view.cards.contract_code());
    const bool bidding = is_bidding(view);
    decision.bidding = bidding;
    decision.weight = bidding ? options_.bidding_weight : 1.0F;
    row.bids = row.bids || bidding;
    row.decisions.push_back(static_cast<std::uint32_t>(first_ + i));
  }
}

void Collector::choose_actions(Batch& batch) {
  const EnvBuffers& buffers = env_.buffers();
  env_.keys(keys_);
  for (std::size_t i = 0; i < actions_.size(); ++i) {  // finished games go on with any action
    actions_[i] = buffers.legal[i].empty() ? kActionPass : buffers.legal[i].lowest();
  }
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const std::uint32_t env = rows_[active_[i]].env;
    Decision& decision = batch.decisions[first_ + i];
    float* log_probs = decision.behaviour_log.data();
    masked_log_softmax(&logits_[i * static_cast<std::size_t>(kNumActions)], decision.legal,
                       log_probs);
    const int choice = sample(log_probs, decision.legal.count(), unit_interval(draw(keys_[env])));
    decision.action = decision.legal.nth(choice);
    decision.value = values_[i];
    actions_[env] = decision.action;
  }
}

void Collector::finish_rows(Batch& batch, CollectorStats& stats) {
  const EnvBuffers& buffers = env_.buffers();
  std::size_t kept = 0;
  for (const std::uint32_t index : active_) {
    if (buffers.terminated[rows_[index].env] != 0) {
      finish_row(rows_[index], batch, stats);
    } else {
      active_[kept++] = index;
    }
  }
  active_.resize(kept);
}

void Collector::finish_row(const Row& row, Batch& batch, CollectorStats& stats) {
  finish_game(batch.decisions, row.decisions,
              env_.buffers().rewards.subspan(std::size_t{row.env} * kNumSeats, kNumSeats),
              options_.advantage);
  const Game& game = env_.game(static_cast<int>(row.env));
  ++stats.games;
  stats.decisions += static_cast<std::int64_t>(row.decisions.size());
  stats.forced += static_cast<std::int64_t>(env_.key(static_cast<int>(row.env)).decision) -
                  static_cast<std::int64_t>(row.decisions.size());
  if (!row.bids) return;
  ++stats.auctions;
  if (game.has_contract()) {
    ++stats.declared[static_cast<std::size_t>(game.contract().contract)];
  } else {
    ++stats.thrown_in;
  }
}

}  // namespace schafkopf
