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
      if (plain_rows.has(i, kNoteWaiting)) continue;
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
    if (plain_rows.has(static_cast<std::size_t>(env), kNoteWaiting)) refuse(env, kActionPass);
  }
}

void VectorEnv::Impl::refuse(int env, std::int64_t given) const {
  const Game& game = row(env).game;
  const std::int64_t action = absolute(env, given);
  if (plain_rows.has(static_cast<std::size_t>(env), kNoteWaiting)) {
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

/// Some rows, what they are answered, and which of them are stepped in which way.
struct VectorEnv::Impl::Tile {
  int first = 0;
  std::size_t size = 0;
  std::array<Action, ViewTile::kSize> actions{};
  std::array<std::uint8_t, ViewTile::kSize> rounds{}, others{};  // rows, counted from the first
  std::size_t num_rounds = 0, num_others = 0;
};

/// Which rows are in what changes from row to row, so that lists are filled without branches, which
/// nobody could foretell. Rows in card play wait for a full block.
void VectorEnv::Impl::split_tile(EnvSlice& slice, Tile& tile) const {
  const std::uint8_t* const notes = &plain_rows.notes[static_cast<std::size_t>(tile.first)];
  std::int32_t* const envs = slice.lanes.envs.data();
  Action* const cards = slice.lanes.cards.data();
  std::size_t lanes = slice.lanes.count, rounds = 0, others = 0;
  for (std::size_t k = 0; k < tile.size; ++k) {
    const unsigned note = notes[k];
    const unsigned in_lane =
        static_cast<unsigned>((note & kNoteCards) != 0) & static_cast<unsigned>(tile.actions[k] < kNumCards);
    const unsigned in_round = static_cast<unsigned>((note & kNoteRound) != 0);
    envs[lanes] = tile.first + static_cast<int>(k);
    cards[lanes] = tile.actions[k];
    tile.rounds[rounds] = tile.others[others] = static_cast<std::uint8_t>(k);
    lanes += in_lane;
    rounds += in_round;
    others += 1u - (in_lane | in_round);
  }
  slice.lanes.count = lanes;
  tile.num_rounds = rounds;
  tile.num_others = others;
}

void VectorEnv::Impl::answer_rounds(EnvSlice& slice, const Tile& tile) {
  for (std::size_t j = 0; j < tile.num_rounds; ++j) {
    const std::size_t k = tile.rounds[j];
    const int env = tile.first + static_cast<int>(k);
    const auto i = static_cast<std::size_t>(env);
    Game& game = rows[i].game;
    ++plain_rows.decision[i];
    plain_rows.note(i, kNoteDecided);
    if (!game.answer_round(tile.actions[k])) {
      game.apply_unchecked(tile.actions[k]);
    } else if (plain && !needs_lines) {  // nothing but the turn and the mask is another
      const int actor = game.current_player();
      plain_rows.seat[i] = static_cast<std::uint8_t>(actor);
      buffers.phase[i] = static_cast<std::int8_t>(Phase::kAuctionRound);
      write_legal(env, actor, actor, shown(game.legal_actions()), slice.views.order[0]);
      continue;
    }
    go_on(slice, env);
  }
  slice.decisions += static_cast<std::int64_t>(tile.num_rounds);
}

void VectorEnv::Impl::answer_others(EnvSlice& slice, const Tile& tile) {
  for (std::size_t j = 0; j < tile.num_others; ++j) {
    const std::size_t k = tile.others[j];
    const int env = tile.first + static_cast<int>(k);
    const auto i = static_cast<std::size_t>(env);
    if (plain_rows.has(i, kNoteWaiting)) [[unlikely]] {
      next_deal(env);
    } else {
      apply(slice, env, tile.actions[k]);
      plain_rows.note(i, kNoteDecided);
    }
    go_on(slice, env);
  }
}

template <class Choose>
void VectorEnv::Impl::step_slice(EnvSlice& slice, const Choose& choose) {
  slice.pending.clear();
  LaneWork& lanes = slice.lanes;
  lanes.count = 0;
  SCHAFKOPF_ASSERT(slice.num_ready == 0);
  forget_ends(slice);
  show_no_end(slice.begin, slice.end);
  constexpr int kTile = static_cast<int>(ViewTile::kSize);
  const auto block = static_cast<std::size_t>(kernel->lanes);
  Tile tile;
  for (tile.first = slice.begin; tile.first < slice.end; tile.first += kTile) {
    // all actions of the tile before the first is applied: their draws do not wait for each other
    tile.size = static_cast<std::size_t>(std::min(kTile, slice.end - tile.first));
    choose(tile.first, std::span(tile.actions).first(tile.size));
    split_tile(slice, tile);
    answer_rounds(slice, tile);
    answer_others(slice, tile);
    while (block != 0 && lanes.count >= block) play_lanes(slice, block);
  }
  while (lanes.count != 0) play_lanes(slice, std::min(lanes.count, block));
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
          plain_rows.decision[static_cast<std::size_t>(env)], static_cast<std::uint32_t>(seat)};
}

/// Of the rows from `first` on: draw(key_of(env)) with the key of the running deal's stream at hand.
void VectorEnv::Impl::draw_actions(int first, std::span<Action> actions) const {
  const auto begin = static_cast<std::size_t>(first);
  kernel->draw({&legal[begin], &plain_rows.policy[begin], &plain_rows.seat[begin],
                &plain_rows.decision[begin], actions.data(), actions.size()});
}

void VectorEnv::Impl::random_actions(std::span<Action> actions) const {
  require_whole();
  if (actions.size() != rows.size()) {
    throw std::invalid_argument(
        fmt::format("random_actions: room for {} actions, {} envs", actions.size(), rows.size()));
  }
  draw_actions(0, actions);
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
  plain_rows.seat[i] = static_cast<std::uint8_t>(std::max(actor, 0));
  plain_rows.forget(i, kNoteCards | kNoteRound);
  if (game.phase() == Phase::kAuctionRound) {
    plain_rows.note(i, kNoteRound);
  } else if (kernel->lanes != 0 && game.phase() == Phase::kPlay) {
    plain_rows.note(i, kNoteCards);
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
  const bool lines = options.view_lines;
  for (std::size_t k = 0; k < ready.size(); ++k) {
    const auto i = static_cast<std::size_t>(ready[k]);
    write_row(ready[k], lines ? buffers.cards[i] : slice.views.cards[k],
              lines ? buffers.order[i] : slice.views.order[k],
              lines ? buffers.events[i] : slice.views.events[k]);
  }
  if (options.observation == ObservationType::kNone) return;
  std::array<ViewLines, ViewTile::kSize> views;
  for (std::size_t k = 0; k < ready.size(); ++k) {
    views[k] = lines_at(slice, k, static_cast<std::size_t>(ready[k]));
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
