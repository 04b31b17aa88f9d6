// The hot path: check the actions, apply them, write the rows.
#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "env/assert.h"
#include "env/encoder.h"
#include "env/encoder_kernels.h"
#include "env/vector_env_impl.h"

namespace schafkopf {
namespace {

void write_bytes(const ActionMask& mask, std::uint8_t* bytes) {
  kernels::expand_bits(mask.words[0], bytes);
  kernels::expand_bits(mask.words[1], bytes + 64);
}

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
  pool->run([&](int number) {
    EnvSlice& slice = slices[static_cast<std::size_t>(number)];
    slice.first_illegal = -1;
    for (int env = slice.begin; env < slice.end; ++env) {
      const auto i = static_cast<std::size_t>(env);
      if (contains(buffers.legal[i], actions[i]) && buffers.current_player[i] >= 0) [[likely]] {
        continue;
      }
      if (rows[i].waiting && options.auto_reset != AutoReset::kDisabled) continue;
      slice.first_illegal = env;
      break;
    }
  });
  for (const EnvSlice& slice : slices) {
    if (slice.first_illegal < 0) continue;
    refuse(slice.first_illegal, actions[static_cast<std::size_t>(slice.first_illegal)]);
  }
}

void VectorEnv::Impl::refuse(int env, std::int64_t action) const {
  const Game& game = row(env).game;
  if (row(env).waiting) {
    throw std::invalid_argument(fmt::format(
        "step: the deal of env {} is over; with auto-reset disabled call reset(reset_mask) first",
        env));
  }
  const auto where = [&] {
    return fmt::format("seat {} in phase {}", game.current_player(), phase_name(game.phase()));
  };
  std::string reason;
  if (action < 0 || action >= kNumActions) {
    reason = fmt::format("{}: actions are 0..{}; legal: {}", where(), kNumActions - 1,
                         to_string(shown(game.legal_actions())));
  } else {
    reason = game.why_illegal(static_cast<Action>(action));
    if (reason.empty()) {
      reason = fmt::format("{}: {} is masked, claim_actions = false; legal: {}", where(),
                           action_name(static_cast<int>(action)),
                           to_string(shown(game.legal_actions())));
    }
  }
  throw std::invalid_argument(fmt::format("step: env {}, action {}: {}", env, action, reason));
}

// Steps

template <class ActionOf>
void VectorEnv::Impl::step_slice(EnvSlice& slice, const ActionOf& action_of) {
  slice.pending.clear();
  SCHAFKOPF_ASSERT(slice.num_ready == 0);
  constexpr int kTile = static_cast<int>(ViewTile::kSize);
  std::array<Action, ViewTile::kSize> actions{};
  for (int first = slice.begin; first < slice.end; first += kTile) {
    // all actions of the tile before the first is applied: their draws do not wait for each other
    const int last = std::min(first + kTile, slice.end);
    for (int env = first; env < last; ++env) {
      actions[static_cast<std::size_t>(env - first)] = action_of(env);
    }
    for (int env = first; env < last; ++env) {
      EnvRow& current = row(env);
      if (current.ended) [[unlikely]] {
        clear_end(env);
      }
      if (current.waiting) [[unlikely]] {
        next_deal(env);
      } else {
        apply(slice, current, actions[static_cast<std::size_t>(env - first)]);
        current.decided = true;
      }
      if ((plain && !current.game.is_terminal()) || advance(slice, env)) {
        show(slice, env);
      } else {
        slice.pending.push_back(env);
      }
    }
  }
  write_ready(slice);
  if (!slice.pending.empty()) play_opponents(slice);
}

template <class ActionOf>
void VectorEnv::Impl::step_all(const ActionOf& action_of) {
  fresh = false;
  change_rows([&] {
    pool->run([&](int number) { step_slice(slices[static_cast<std::size_t>(number)], action_of); });
  });
}

void VectorEnv::step(std::span<const Action> actions) {
  impl_->check(actions);
  impl_->step_all([&](int env) { return actions[static_cast<std::size_t>(env)]; });
}

void VectorEnv::step(std::span<const std::int32_t> actions) {
  impl_->check(actions);
  impl_->step_all(
      [&](int env) { return static_cast<Action>(actions[static_cast<std::size_t>(env)]); });
}

void VectorEnv::step_random() {
  impl_->require_whole();
  if (impl_->options.auto_reset == AutoReset::kDisabled) {
    for (int env = 0; env < impl_->options.num_envs; ++env) {
      if (impl_->row(env).waiting) impl_->refuse(env, kActionPass);
    }
  }
  impl_->step_all([&](int env) { return impl_->random_action(env); });
}

// Random actions and keys

RngKey VectorEnv::Impl::key_of(int env) const {
  const EnvRow& current = row(env);
  const int seat = std::max(current.game.current_player(), 0);
  return {current.seed, options.first_env + static_cast<std::uint64_t>(env), current.episode,
          current.decision, static_cast<std::uint32_t>(seat)};
}

Action VectorEnv::Impl::random_action(int env) const {
  const auto i = static_cast<std::size_t>(env);
  // draw(key_of(env)) with the key of the running deal's stream at hand
  const auto seat = static_cast<std::uint32_t>(std::max(int{buffers.current_player[i]}, 0));
  const std::uint64_t r = draw_of(rows[i].policy, draw_number(seat, rows[i].decision));
  const ActionMask& mask = buffers.legal[i];
  return mask.nth(below(r, mask.count()));
}

void VectorEnv::Impl::random_actions(std::span<Action> actions) const {
  require_whole();
  if (actions.size() != rows.size()) {
    throw std::invalid_argument(
        fmt::format("random_actions: room for {} actions, {} envs", actions.size(), rows.size()));
  }
  for (int env = 0; env < options.num_envs; ++env) {
    actions[static_cast<std::size_t>(env)] = random_action(env);
  }
}

// Rows

void VectorEnv::Impl::write_row(int env, CardsLine& cards, OrderLine& order, EventsLine& events) {
  const auto i = static_cast<std::size_t>(env);
  const Game& game = rows[i].game;
  const int actor = game.current_player();
  const int viewer = actor >= 0 ? actor : std::max(options.learner_seat, 0);
  ActionMask mask;
  if (needs_lines) {
    write_view(game, viewer, cards, order, events);
    mask = legal_actions(cards);
  } else if (actor >= 0) {
    mask = shown(game.legal_actions());
  }
  if (actor < 0) mask.add(kActionPass);
  SCHAFKOPF_ASSERT(!mask.empty());
  buffers.legal[i] = mask;
  buffers.current_player[i] = static_cast<std::int8_t>(actor);
  buffers.phase[i] = static_cast<std::int8_t>(game.phase());
  if (options.action_mask) write_bytes(mask, buffers.action_mask.data() + kNumActions * i);
  if (options.full_view) buffers.full[i] = game.full_view(viewer);
}

void VectorEnv::Impl::write_ready(EnvSlice& slice) {
  const std::span<const std::int32_t> ready = std::span(slice.ready).first(slice.num_ready);
  slice.num_ready = 0;
  for (std::size_t k = 0; k < ready.size(); ++k) {
    const auto i = static_cast<std::size_t>(ready[k]);
    if (options.view_lines) {
      write_row(ready[k], buffers.cards[i], buffers.order[i], buffers.events[i]);
    } else {
      write_row(ready[k], slice.views.cards[k], slice.views.order[k], slice.views.events[k]);
    }
  }
  if (options.observation == ObservationType::kUint8) {
    write_observations(slice, ready, buffers.observation_u8);
  } else if (options.observation == ObservationType::kFloat32) {
    write_observations(slice, ready, buffers.observation_f32);
  }
}

template <class T>
void VectorEnv::Impl::write_observations(const EnvSlice& slice, std::span<const std::int32_t> ready,
                                         std::span<T> observations) {
  std::array<ViewLines, ViewTile::kSize> views;
  std::array<T*, ViewTile::kSize> targets{};
  for (std::size_t k = 0; k < ready.size(); ++k) {
    const auto i = static_cast<std::size_t>(ready[k]);
    views[k] =
        options.view_lines
            ? ViewLines{&buffers.cards[i], &buffers.order[i], &buffers.events[i]}
            : ViewLines{&slice.views.cards[k], &slice.views.order[k], &slice.views.events[k]};
    targets[k] = observations.data() + i * features;
  }
  expand_views(options.observation_version, std::span(views).first(ready.size()), targets.data());
}

EnvSlice& VectorEnv::Impl::slice_of(int env) {
  return *std::ranges::find_if(slices, [&](const EnvSlice& slice) { return env < slice.end; });
}

}  // namespace schafkopf
