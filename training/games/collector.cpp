#include "training/games/collector.h"

#include <algorithm>
#include <cmath>

#include "agents/worlds/worlds.h"
#include "env/base/assert.h"
#include "env/base/random.h"
#include "env/cards/card_map.h"
#include "env/cards/contract.h"
#include "training/work/stopwatch.h"

namespace schafkopf {
namespace {

/// Rows that go through the network at once: their inputs stay in the second-level cache.
constexpr std::size_t kActTile = 256;

VectorEnvOptions env_options(const CollectorOptions& options) {
  VectorEnvOptions env;
  env.num_envs = options.num_envs;
  env.rules = {options.rules};
  env.first_env = options.first_env;
  // finished games stay: they are asked for their contracts, and no other begins before all are over
  env.auto_reset = AutoReset::kDisabled;
  env.cards = CardIndex::kCanonical;  // as networks count them
  env.view_lines = true;
  env.full_view = options.full_view;
  env.skip_forced = true;
  env.generated_share = options.generated_share;
  if (options.generated_share > 0) env.generator = options.generator;
  return env;
}

bool is_bidding(const PlayerView& view) { return view.phase() < Phase::kDouble; }

/// A key whose draws are not those of the action.
RngKey other_key(const RngKey& key, std::uint64_t purpose) {
  RngKey other = key;
  other.seed = mix64(key.seed ^ purpose);
  return other;
}

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
  solver_seconds += other.solver_seconds;
  playout_seconds += other.playout_seconds;
  teacher_seconds += other.teacher_seconds;
}

Collector::Collector(CollectorOptions options)
    : options_(std::move(options)), env_(env_options(options_)), playouts_(options_.rules) {
  const auto envs = static_cast<std::size_t>(options_.num_envs);
  rows_.resize(envs);
  keys_.resize(envs);
  actions_.resize(envs);
}

void Collector::set_generated_share(double share) {
  if (share == options_.generated_share) return;
  options_.generated_share = share;
  env_ = VectorEnv(env_options(options_));
}

void Collector::set_pool(const PoolMembers& members) {
  for (std::size_t i = guests_.size(); i < members.size(); ++i) {
    guests_.emplace_back().player = members[i]->clone();
  }
}

void Collector::collect(std::uint64_t seed, Learner& learner, int replica, Batch& batch,
                        CollectorStats& stats) {
  Stopwatch watch;
  start(seed);
  stats.env_seconds += watch.lap();
  while (!active_.empty()) {
    sort_rows();
    store_views(batch);
    for (const std::uint32_t index : active_) {
      keys_[rows_[index].env] = env_.key(static_cast<int>(rows_[index].env));
    }
    stats.env_seconds += watch.lap();
    solve(batch);
    stats.solver_seconds += watch.lap();
    play_out(batch);
    if (playouts_.is_full()) {
      playouts_.finish(learner, replica, actor_, options_.advantage, batch);
    }
    stats.playout_seconds += watch.lap();
    ask_teacher(batch);
    stats.teacher_seconds += watch.lap();
    const std::size_t rows = own_.size();
    logits_.resize(rows * static_cast<std::size_t>(kNumActions));
    values_.resize(rows);
    for (std::size_t i = 0; i < rows; i += kActTile) {
      const std::size_t count = std::min(kActTile, rows - i);
      const auto all_hands = options_.full_view
                                 ? std::span(batch.full_views).subspan(first_ + i, count)
                                 : std::span<FullView>();
      const auto views = std::span(batch.views).subspan(first_ + i, count);
      const auto logits = std::span(logits_).subspan(i * static_cast<std::size_t>(kNumActions));
      learner.forward(replica, views, all_hands, logits, std::span(values_).subspan(i));
      actor_.overwrite_frozen(replica, views, logits);
    }
    choose_actions(batch);
    ask_guests();
    stats.act_seconds += watch.lap();
    env_.step(std::span<const Action>(actions_));
    finish_rows(batch, stats);
    stats.env_seconds += watch.lap();
  }
  playouts_.finish(learner, replica, actor_, options_.advantage, batch);
  stats.playout_seconds += watch.lap();
}

void Collector::start(std::uint64_t seed) {
  env_.reset(seed);
  active_.resize(rows_.size());
  for (std::uint32_t i = 0; i < rows_.size(); ++i) {
    rows_[i].env = i;
    rows_[i].decisions.clear();
    rows_[i].bids = false;
    active_[i] = i;
    seat_guests(rows_[i], seed);
  }
}

/// In a game of the pool some of the seats, or all but one, belong to one member.
void Collector::seat_guests(Row& row, std::uint64_t seed) {
  row.guests = 0;
  if (guests_.empty() || options_.pool_share <= 0) return;
  Rng rng(mix64(seed ^ mix64(options_.first_env + row.env + 1)));
  if (rng.next_unit() >= options_.pool_share) return;
  row.member = static_cast<std::uint32_t>(rng.next_below(static_cast<int>(guests_.size())));
  const int seats = options_.rules->seats(), all = (1 << seats) - 1;
  row.guests = options_.pool_seats == PoolSeats::kSome
                   ? static_cast<std::uint8_t>(1 + rng.next_below(all - 1))
                   : static_cast<std::uint8_t>(all & ~(1 << rng.next_below(seats)));
}

/// Who is to act in the running games: the learner, or which member of the pool.
void Collector::sort_rows() {
  own_.clear();
  for (Guest& guest : guests_) guest.envs.clear();
  for (const std::uint32_t index : active_) {
    const Row& row = rows_[index];
    const int seat = env_.buffers().current_player[row.env];
    if (((row.guests >> seat) & 1) != 0) {
      guests_[row.member].envs.push_back(row.env);
    } else {
      own_.push_back(index);
    }
  }
}

void Collector::store_views(Batch& batch) {
  const EnvBuffers& buffers = env_.buffers();
  first_ = batch.decisions.size();
  for (std::size_t i = 0; i < own_.size(); ++i) {
    Row& row = rows_[own_[i]];
    const PlayerView& view = batch.views.emplace_back(
        buffers.cards[row.env], buffers.order[row.env], buffers.events[row.env]);
    if (options_.full_view) batch.full_views.push_back(buffers.full[row.env]);
    Decision& decision = batch.decisions.emplace_back();
    decision.legal = buffers.legal[row.env];
    decision.seat = static_cast<std::uint8_t>(buffers.current_player[row.env]);
    const bool bidding = is_bidding(view);
    decision.bidding = bidding;
    // the contract alone, until it is known who is on whose side (finish_row)
    decision.group = static_cast<std::uint8_t>(view.cards.contract_code());
    decision.held = !actor_.learns(view.phase());
    decision.weight = bidding ? options_.bidding_weight : 1.0F;
    row.bids = row.bids || bidding;
    row.decisions.push_back(static_cast<std::uint32_t>(first_ + i));
  }
}

void Collector::choose_actions(Batch& batch) {
  std::ranges::fill(actions_, static_cast<Action>(kStay));  // of finished games
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const std::uint32_t env = rows_[own_[i]].env;
    Decision& decision = batch.decisions[first_ + i];
    float* log_probs = decision.behaviour_log.data();
    masked_log_softmax(&logits_[i * static_cast<std::size_t>(kNumActions)], decision.legal,
                       log_probs);
    const int choice = choose(log_probs, decision, unit_interval(draw(keys_[env])));
    decision.action = decision.legal.nth(choice);
    decision.value = values_[i];
    actions_[env] = decision.action;
  }
}

/// Number of the action to play, from log-probabilities and u in [0, 1).
int Collector::choose(const float* log_probs, const Decision& decision, double u) const {
  const int count = decision.legal.count();
  if (options_.exploration < 0) return sample(log_probs, count, u);
  if (u < options_.exploration) return static_cast<int>(u / options_.exploration * count);
  return static_cast<int>(std::max_element(log_probs, log_probs + count) - log_probs);
}

/// Values of all legal cards in the true deal. One world is enough: self-play draws it from what
/// the views of this decision leave open, and the network learns the mean.
void Collector::solve(Batch& batch) {
  if (!solving_ || options_.solver_trick == 0) return;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const PlayerView& view = batch.views[first_ + i];
    Decision& decision = batch.decisions[first_ + i];
    if (decision.held || !CardSearch::can_search(view, *options_.rules)) continue;
    const auto contract = static_cast<ContractClass>(view.contract_class());
    if (contract_row(contract).goal == Goal::kFewestPoints) continue;  // its values are no payoffs
    if (view.trick_number() + 1 < options_.solver_trick) {
      const RngKey other = other_key(keys_[rows_[own_[i]].env], 0x501EDu);
      if (unit_interval(draw(other)) >= options_.solver_early_share) continue;
    }
    World world;
    const FullView& full = batch.full_views[first_ + i];
    for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
      world.hands[seat] = CardSet(full.hands[seat]);
    }
    solver_.begin(view, *options_.rules);
    solver_.add(world);
    const CardValues values = solver_.values();
    decision.action_values = static_cast<std::uint32_t>(batch.action_values.size());
    const ActionMask& legal = decision.legal;
    for (int n = 0; n < legal.count(); ++n) {
      const Action card = from_canonical_action(legal.nth(n), view.order.card_map);
      batch.action_values.push_back(
          reward_of(static_cast<float>(values.value[card]), options_.advantage));
    }
  }
}

/// Which decisions are played out, and how, is a function of the seed, the environment and
/// the decision.
void Collector::play_out(const Batch& batch) {
  if (!playing_out_) return;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const std::size_t index = first_ + i;
    const double share = batch.views[index].phase() == Phase::kPlay
                             ? options_.playout_share
                             : options_.announcement_playout_share;
    const Decision& decision = batch.decisions[index];
    if (share <= 0 || decision.held) continue;
    if (decision.action_values != kNoActionValues) continue;  // exact ones
    const std::uint32_t env = rows_[own_[i]].env;
    RngKey key = other_key(keys_[env], 0x91A70u);
    if (unit_interval(draw(key)) >= share) continue;
    key.seed = draw(key);  // another one at each decision of a game
    playouts_.add(batch, static_cast<std::uint32_t>(index), env_.game(static_cast<int>(env)), key);
  }
}

void Collector::set_teacher(const BatchPolicy* teacher) {
  if (teacher == nullptr) {
    teacher_.reset();
  } else if (teacher_ == nullptr) {
    teacher_ = teacher->clone();
  }
}

void Collector::ask_teacher(Batch& batch) {
  if (teacher_ == nullptr || options_.teacher_share <= 0) return;
  taught_.clear();
  for (std::size_t i = 0; i < own_.size(); ++i) {
    if (batch.decisions[first_ + i].held) continue;
    const RngKey key = other_key(keys_[rows_[own_[i]].env], 0x7EAC4u);
    if (unit_interval(draw(key)) >= options_.teacher_share) continue;
    taught_.add(first_ + i, batch.views[first_ + i]);
  }
  if (taught_.size() == 0) return;
  taught_.probabilities.resize(taught_.size() * static_cast<std::size_t>(kNumActions));
  teacher_->policy(taught_.batch(env_.rule_table()), taught_.probabilities, {});
  for (std::size_t row = 0; row < taught_.size(); ++row) {
    const float* probabilities =
        &taught_.probabilities[row * static_cast<std::size_t>(kNumActions)];
    Decision& decision = batch.decisions[taught_.tables[row]];
    decision.teacher = static_cast<std::uint32_t>(batch.teacher_probabilities.size());
    for (int n = 0; n < decision.legal.count(); ++n) {
      batch.teacher_probabilities.push_back(
          probabilities[from_canonical_action(decision.legal.nth(n), taught_.order[row].card_map)]);
    }
  }
}

void Collector::ask_guests() {
  const EnvBuffers& buffers = env_.buffers();
  for (Guest& guest : guests_) {
    if (guest.envs.empty()) continue;
    guest.cards.clear();
    guest.order.clear();
    guest.events.clear();
    guest.keys.clear();
    for (const std::uint32_t env : guest.envs) {
      guest.cards.push_back(buffers.cards[env]);
      guest.order.push_back(buffers.order[env]);
      guest.events.push_back(buffers.events[env]);
      guest.keys.push_back(keys_[env]);
    }
    guest.actions.resize(guest.envs.size());
    const ViewBatch views{.size = guest.envs.size(),
                          .cards = guest.cards.data(),
                          .order = guest.order.data(),
                          .events = guest.events.data(),
                          .rule_index = nullptr,
                          .rules = &env_.rule_table(),
                          .full = nullptr};
    guest.player->act(views, guest.keys, guest.actions);
    for (std::size_t i = 0; i < guest.envs.size(); ++i) {
      actions_[guest.envs[i]] = to_canonical_action(guest.actions[i], guest.order[i].card_map);
    }
  }
}

void Collector::finish_rows(Batch& batch, CollectorStats& stats) {
  const auto over = std::ranges::stable_partition(active_, [this](std::uint32_t index) {
    return env_.buffers().terminated[rows_[index].env] == 0;
  });
  // the decisions of a game lie far apart: those of the next ones are asked for meanwhile
  constexpr std::size_t kAhead = 3;
  const std::span<const std::uint32_t> rows(over.begin(), over.end());
  const auto fetch = [&](std::size_t k) {
    if (k >= rows.size()) return;
    for (const std::uint32_t i : rows_[rows[k]].decisions) {
      const Decision& decision = batch.decisions[i];
      __builtin_prefetch(&decision.value,
                         1);  // what finish_row reads and writes may lie in two lines
      __builtin_prefetch(&decision.group, 1);
    }
  };
  for (std::size_t k = 0; k < kAhead; ++k) fetch(k);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    fetch(k + kAhead);
    finish_row(rows_[rows[k]], batch, stats);
  }
  active_.erase(over.begin(), over.end());
}

void Collector::finish_row(const Row& row, Batch& batch, CollectorStats& stats) {
  finish_game(batch.decisions, row.decisions,
              env_.buffers().rewards.subspan(std::size_t{row.env} * kNumSeats, kNumSeats),
              options_.advantage);
  const Game& game = env_.game(static_cast<int>(row.env));
  for (const std::uint32_t index : row.decisions) {
    Decision& decision = batch.decisions[index];
    const bool declarer_side = ((game.declarer_party() >> decision.seat) & 1) != 0;
    decision.group = advantage_group(decision.group, declarer_side);
  }
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
