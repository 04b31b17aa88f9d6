// The hot path: check the actions, apply them, write the rows.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <stdexcept>

#include "env/assert.h"
#include "env/encoder.h"
#include "env/vector_env_impl.h"

namespace schafkopf {
namespace {

/// Eight bits of a mask as eight bytes 0 or 1, lowest bit first in memory.
std::uint64_t spread(std::uint64_t byte) {
  static_assert(std::endian::native == std::endian::little);
  const std::uint64_t picked = (byte * 0x0101010101010101u) & 0x8040201008040201u;
  return ((picked + 0x7F7F7F7F7F7F7F7Fu) >> 7) & 0x0101010101010101u;
}

void write_bytes(const ActionMask& mask, std::uint8_t* bytes) {
  for (int word = 0; word < 2; ++word) {
    for (int byte = 0; byte < 8; ++byte) {
      const std::uint64_t eight = spread((mask.words[word] >> (8 * byte)) & 0xFF);
      std::memcpy(bytes + 64 * word + 8 * byte, &eight, 8);
    }
  }
}

/// mask.nth(n) without a loop where the target can deposit bits.
Action nth_action(const ActionMask& mask, int n) {
#if defined(__BMI2__)
  const int low = std::popcount(mask.words[0]);
  const int word = n < low ? 0 : 1;
  const std::uint64_t bit = std::uint64_t{1} << (word == 0 ? n : n - low);
  return static_cast<Action>(64 * word +
                             std::countr_zero(__builtin_ia32_pdep_di(bit, mask.words[word])));
#else
  return mask.nth(n);
#endif
}

template <class T>
bool contains(const ActionMask& mask, T action) {
  return action >= 0 && action < kNumActions && mask.contains(static_cast<Action>(action));
}

}  // namespace

// Checks

template <class T>
void VectorEnv::Impl::check(std::span<const T> actions) {
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
  for (int env = slice.begin; env < slice.end; ++env) {
    EnvRow& current = row(env);
    if (current.ended) [[unlikely]] {
      clear_end(env);
    }
    if (current.waiting) [[unlikely]] {
      next_deal(env);
    } else {
      apply(slice, current, action_of(env));
      current.decided = true;
    }
    if ((plain && !current.game.is_terminal()) || advance(slice, env)) {
      write_row(env);
    } else {
      slice.pending.push_back(env);
    }
  }
  if (!slice.pending.empty()) play_opponents(slice);
}

template <class ActionOf>
void VectorEnv::Impl::step_all(const ActionOf& action_of) {
  fresh = false;
  pool->run([&](int number) { step_slice(slices[static_cast<std::size_t>(number)], action_of); });
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
  const int seat = std::max(int{buffers.current_player[i]}, 0);
  // draw(key_of(env)) with the seed of the deal at hand
  const std::uint64_t r = draw(buffers.running_seed[i], RngStream::kPolicy,
                               (static_cast<std::uint64_t>(seat) << 32) | rows[i].decision);
  const ActionMask& mask = buffers.legal[i];
  return nth_action(mask, below(r, mask.count()));
}

void VectorEnv::Impl::random_actions(std::span<Action> actions) const {
  if (actions.size() != rows.size()) {
    throw std::invalid_argument(
        fmt::format("random_actions: room for {} actions, {} envs", actions.size(), rows.size()));
  }
  for (int env = 0; env < options.num_envs; ++env) {
    actions[static_cast<std::size_t>(env)] = random_action(env);
  }
}

// Rows

void VectorEnv::Impl::write_observation(int env, const CardsLine& cards, const OrderLine& order,
                                        const EventsLine& events) {
  const std::size_t offset = static_cast<std::size_t>(env) * features;
  if (options.observation == ObservationType::kUint8) {
    expand_view(cards, order, events, buffers.observation_u8.data() + offset);
  } else if (options.observation == ObservationType::kFloat32) {
    expand_view(cards, order, events, buffers.observation_f32.data() + offset);
  }
}

void VectorEnv::Impl::write_row(int env) {
  const auto i = static_cast<std::size_t>(env);
  const Game& game = rows[i].game;
  const int actor = game.current_player();
  const int viewer = actor >= 0 ? actor : std::max(options.learner_seat, 0);
  ActionMask mask;
  if (needs_lines) {
    CardsLine cards_here;
    OrderLine order_here;
    EventsLine events_here;
    CardsLine& cards = options.view_lines ? buffers.cards[i] : cards_here;
    OrderLine& order = options.view_lines ? buffers.order[i] : order_here;
    EventsLine& events = options.view_lines ? buffers.events[i] : events_here;
    write_view(game, viewer, cards, order, events);
    mask = legal_actions(cards);
    write_observation(env, cards, order, events);
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

}  // namespace schafkopf
