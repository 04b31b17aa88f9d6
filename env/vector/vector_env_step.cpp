// The hot path: check the actions, apply them, write the rows.
#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "env/base/assert.h"
#include "env/game/refusal.h"
#include "env/lanes/lane_game.h"
#include "env/vector/vector_env_impl.h"
#include "env/view/encoder.h"

namespace schafkopf {
namespace {

template <class T>
bool contains(const ActionMask& mask, T action) {
  return action >= 0 && action < kNumActions && mask.contains(static_cast<Action>(action));
}

}  // namespace

// Checks

template <class T>
void VectorEnv::Impl::check(std::span<const T> actions) {
  require_whole();
  if (actions.size() != rows.size()) {
    throw std::invalid_argument(
        fmt::format("step: {} actions for {} envs", actions.size(), rows.size()));
  }
  check_none_waits();
  pool->run([&](int number) {
    EnvSlice& slice = slices[static_cast<std::size_t>(number)];
    slice.first_illegal = -1;
    for (int env = slice.begin; env < slice.end; ++env) {
      const auto i = static_cast<std::size_t>(env);
      const T action = absolute(env, actions[i]);
      if (contains(legal[i], action)) [[likely]] {
        checked[i] = static_cast<Action>(action);
        continue;
      }
      if (rows[i].waiting) continue;
      slice.first_illegal = env;
      break;
    }
  });
  for (const EnvSlice& slice : slices) {
    if (slice.first_illegal < 0) continue;
    refuse(slice.first_illegal, actions[static_cast<std::size_t>(slice.first_illegal)]);
  }
}

void VectorEnv::Impl::check_none_waits() const {
  if (options.auto_reset != AutoReset::kDisabled) return;
  for (int env = 0; env < options.num_envs; ++env) {
    if (row(env).waiting) refuse(env, kActionPass);
  }
}

void VectorEnv::Impl::refuse(int env, std::int64_t given) const {
  const Game& game = row(env).game;
  const std::int64_t action = absolute(env, given);
  if (row(env).waiting) {
    throw std::invalid_argument(
        fmt::format("step: the deal of env {} is over; with auto-reset disabled reset it first, by "
                    "the option reset_mask of reset",
                    env));
  }
  auto refusal = refusal_of(game, action);
  if (!refusal) {  // legal by the rules
    refusal = refusal_of(game, -1);
    refusal->action = action;
    refusal->ground = Ground::kMasked;
    refusal->reason = "masked, claim_actions = false";
  }
  refusal->legal = shown(refusal->legal);
  const bool moved = canonical && given >= 0 && given < kNumCards;
  const std::string text =
      fmt::format("step: env {}, action {}{}: {}", env, given,
                  moved ? fmt::format(" (canonical; absolute {})", action) : std::string(),
                  to_string(*refusal));
  refusal->action = given;
  if (canonical) refusal->legal = to_canonical(refusal->legal, maps[static_cast<std::size_t>(env)]);
  throw IllegalAction(*refusal, text, env);
}

// Steps

template <class Choose>
void VectorEnv::Impl::step_slice(EnvSlice& slice, const Choose& choose) {
  slice.pending.clear();
  slice.lanes.count = 0;
  SCHAFKOPF_ASSERT(slice.num_ready == 0);
  const bool in_lanes = kernel->lanes != 0;
  show_no_end(slice.begin, slice.end);
  constexpr int kTile = static_cast<int>(ViewTile::kSize);
  std::array<Action, ViewTile::kSize> actions{};
  for (int first = slice.begin; first < slice.end; first += kTile) {
    // all actions of the tile before the first is applied: their draws do not wait for each other
    const int last = std::min(first + kTile, slice.end);
    choose(first, std::span(actions).first(static_cast<std::size_t>(last - first)));
    for (int env = first; env < last; ++env) {
      EnvRow& current = row(env);
      if (current.ended) [[unlikely]] {
        forget_end(env);
      }
      const Action action = actions[static_cast<std::size_t>(env - first)];
      if (current.waiting) [[unlikely]] {
        next_deal(env);
      } else if (in_lanes && current.game.phase() == Phase::kPlay && action < kNumCards) {
        add_lane(slice, env, action);
        continue;
      } else {
        apply(slice, current, action);
        current.decided = true;
      }
      go_on(slice, env);
    }
  }
  if (slice.lanes.count != 0) play_lanes(slice);
  write_ready(slice);
  if (!slice.pending.empty()) play_opponents(slice);
}

template <class Choose>
void VectorEnv::Impl::step_all(const Choose& choose) {
  fresh = false;
  change_rows([&] {
    pool->run([&](int number) { step_slice(slices[static_cast<std::size_t>(number)], choose); });
  });
}

template <class T>
void VectorEnv::Impl::step(std::span<const T> actions) {
  check(actions);
  step_all([&](int first, std::span<Action> actions_of_tile) {
    std::copy_n(&checked[static_cast<std::size_t>(first)], actions_of_tile.size(),
                actions_of_tile.data());
  });
}

void VectorEnv::step(std::span<const Action> actions) { impl_->step(actions); }
void VectorEnv::step(std::span<const std::int32_t> actions) { impl_->step(actions); }
void VectorEnv::step(std::span<const std::int64_t> actions) { impl_->step(actions); }

void VectorEnv::step_random() {
  impl_->require_whole();
  impl_->check_none_waits();
  impl_->step_all(
      [&](int first, std::span<Action> actions) { impl_->draw_actions(first, actions); });
}

// Random actions and keys

RngKey VectorEnv::Impl::key_of(int env) const {
  const EnvRow& current = row(env);
  const int seat = std::max(current.game.current_player(), 0);
  return {current.seed, options.first_env + static_cast<std::uint64_t>(env), current.episode,
          current.decision, static_cast<std::uint32_t>(seat)};
}

/// Of the rows from `first` on, as many as fit a tile: draw(key_of(env)) with the key of the running
/// deal's stream at hand.
void VectorEnv::Impl::draw_actions(int first, std::span<Action> actions) const {
  std::array<std::uint64_t, ViewTile::kSize> keys{}, numbers{};
  const auto begin = static_cast<std::size_t>(first);
  for (std::size_t k = 0; k < actions.size(); ++k) {
    const EnvRow& current = rows[begin + k];
    const auto seat = static_cast<std::uint32_t>(std::max(current.game.current_player(), 0));
    keys[k] = current.policy;
    numbers[k] = draw_number(seat, current.decision);
  }
  kernel->draw({&legal[begin], keys.data(), numbers.data(), actions.data(), actions.size()});
}

void VectorEnv::Impl::random_actions(std::span<Action> actions) const {
  require_whole();
  if (actions.size() != rows.size()) {
    throw std::invalid_argument(
        fmt::format("random_actions: room for {} actions, {} envs", actions.size(), rows.size()));
  }
  for (std::size_t first = 0; first < actions.size(); first += ViewTile::kSize) {
    const std::size_t count = std::min(ViewTile::kSize, actions.size() - first);
    draw_actions(static_cast<int>(first), actions.subspan(first, count));
  }
  if (!canonical) return;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    actions[i] = to_canonical_action(actions[i], maps[i]);
  }
}

// Rows

[[gnu::always_inline]] inline void VectorEnv::Impl::write_row(int env, CardsLine& cards,
                                                              OrderLine& order,
                                                              EventsLine& events) {
  const auto i = static_cast<std::size_t>(env);
  const Game& game = rows[i].game;
  const int actor = game.current_player();
  const int viewer = actor >= 0 ? actor : std::max(learner_seat(env, rows[i]), 0);
  ActionMask mask;
  if (needs_lines) {
    write_view(game, viewer, cards, order, events);
    mask = legal_actions(cards);
  } else if (actor >= 0) {
    mask = shown(game.legal_actions());
  }
  if (actor < 0) mask.add(kActionPass);
  if (kernel->lanes != 0 && game.phase() == Phase::kPlay) {
    lane_rows[i] =
        lane_row(LaneGame::table(game), game.doubling_level(), cards, order, shown_flags);
  }
  buffers.phase[i] = static_cast<std::int8_t>(game.phase());
  write_legal(env, actor, viewer, mask, order);
}

/// Hidden hands and card map; returns the mask as it is shown. By value and not inline: the mask of
/// all other rows stays in registers.
[[gnu::noinline]] ActionMask VectorEnv::Impl::write_more(int env, int viewer, ActionMask mask,
                                                         const OrderLine& order) {
  const auto i = static_cast<std::size_t>(env);
  if (options.full_view) buffers.full[i] = rows[i].game.full_view(viewer);
  if (!canonical) return mask;
  maps[i] = order.card_map;
  return to_canonical(mask, order.card_map);
}

void VectorEnv::Impl::write_ready(EnvSlice& slice) {
  const std::span<const std::int32_t> ready = std::span(slice.ready).first(slice.num_ready);
  slice.num_ready = 0;
  std::array<ViewLines, ViewTile::kSize> views;
  for (std::size_t k = 0; k < ready.size(); ++k) {
    const auto i = static_cast<std::size_t>(ready[k]);
    const bool lines = options.view_lines;
    write_row(ready[k], lines ? buffers.cards[i] : slice.views.cards[k],
              lines ? buffers.order[i] : slice.views.order[k],
              lines ? buffers.events[i] : slice.views.events[k]);
    views[k] = lines_at(slice, k, i);
  }
  write_observations(ready, views);
}

void VectorEnv::Impl::write_observations(std::span<const std::int32_t> envs,
                                         std::span<const ViewLines> views) {
  if (options.observation == ObservationType::kUint8 ||
      options.observation == ObservationType::kPacked) {
    write_observations(envs, views, buffers.observation_u8);
  } else if (options.observation == ObservationType::kFloat32) {
    write_observations(envs, views, buffers.observation_f32);
  }
}

template <class T>
void VectorEnv::Impl::write_observations(std::span<const std::int32_t> envs,
                                         std::span<const ViewLines> views,
                                         std::span<T> observations) {
  std::array<T*, ViewTile::kSize> targets{};
  for (std::size_t k = 0; k < envs.size(); ++k) {
    targets[k] = observations.data() + static_cast<std::size_t>(envs[k]) * features;
  }
  write_rows(views.first(envs.size()), targets.data());
  for (std::size_t k = 0; k < envs.size(); ++k) write_rule_section(envs[k], targets[k]);
}

EnvSlice& VectorEnv::Impl::slice_of(int env) {
  return *std::ranges::find_if(slices, [&](const EnvSlice& slice) { return env < slice.end; });
}

}  // namespace schafkopf
