// Blocks of games in card play: gathered over the rows of a slice, stepped and shown by the kernel
// (env/lanes), which leaves to the code of one game what is not card play alone.
#include <bit>
#include <cstring>
#include <utility>

#include "env/lanes/lane_game.h"
#include "env/vector/vector_env_impl.h"

namespace schafkopf {

/// Points the lanes to their rows and steps them. Lanes of a short group that are too many repeat the
/// first of the block.
void VectorEnv::Impl::run_kernel(EnvSlice& slice, std::size_t first, std::size_t count) {
  static constexpr auto kPlaces = [] {
    std::array<std::int32_t, kMostLanes> places{};
    for (std::size_t k = 0; k < places.size(); ++k) places[k] = static_cast<std::int32_t>(k);
    return places;
  }();
  StepWork& work = slice.work;
  LaneBlock& block = work.block;
  const auto lanes = static_cast<std::size_t>(kernel->lanes);  // a power of two
  block.count = (count + lanes - 1) & ~(lanes - 1);
  for (std::size_t k = first + count; k < first + block.count; ++k) {
    work.lane_envs[k] = work.lane_envs[first];
    work.lane_cards[k] = work.lane_cards[first];
  }
  block.tables = LaneGame::bytes(rows.front().game);
  static_assert(sizeof(EnvRow) == lane_layout::kStride);
  block.rows = lane_rows.data();
  block.envs = &work.lane_envs[first];
  block.actions = &work.lane_cards[first];
  if (!(all_callers && needs_lines)) return kernel->play(block);
  const bool in_buffers = lines_in_buffers();
  block.line_of = in_buffers ? block.envs : kPlaces.data();
  block.cards = in_buffers ? buffers.cards.data() : slice.views.cards;
  block.order = in_buffers ? buffers.order.data() : slice.views.order;
  block.events = in_buffers ? buffers.events.data() : slice.views.events;
  kernel->play_and_show(block);
}

/// What stopped lanes ask for is asked; those of which nothing came go on in card play.
std::uint64_t VectorEnv::Impl::lanes_that_go_on(EnvSlice& slice, std::uint64_t stopped) {
  std::uint64_t go_on = 0;
  for (; stopped != 0; stopped &= stopped - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(stopped));
    Game& game = rows[static_cast<std::size_t>(slice.work.block.envs[k])].game;
    const int events = game.num_events();
    LaneGame::stop_here(game);
    const bool same = game.phase() == Phase::kPlay && game.num_events() == events;
    go_on |= std::uint64_t{same} << k;
  }
  return go_on;
}

/// The rest of the rows whose lines the kernel has written.
void VectorEnv::Impl::show_lanes(EnvSlice& slice, std::uint64_t shown) {
  const LaneBlock& block = slice.work.block;
  // stores of bytes may alias everything: what they could change is read before them
  ActionMask *const own = legal.data(), *const buffer = buffers.legal.data();
  const std::int32_t* const envs_of = block.envs;
  std::uint8_t* const seats = plain_rows.seat.data();
  std::int8_t *const players = buffers.current_player.data(), *const phases = buffers.phase.data();
  for (std::uint64_t left = shown; left != 0; left &= left - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(left));
    const auto i = static_cast<std::size_t>(envs_of[k]);
    const std::uint64_t mask = block.legal[k];
    const std::uint32_t actor = block.turn[k];
    seats[i] = static_cast<std::uint8_t>(actor);
    phases[i] = static_cast<std::int8_t>(Phase::kPlay);
    players[i] = static_cast<std::int8_t>(actor);
    using Words = std::uint64_t __attribute__((vector_size(16)));
    const Words words = {mask, 0};
    std::memcpy(own[i].words, &words, sizeof words);
    std::memcpy(buffer[i].words, &words, sizeof words);
  }
  if (shows_more) {
    for (std::uint64_t left = shown; left != 0; left &= left - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(left));
      const int actor = static_cast<int>(block.turn[k]);
      const bool lines = all_callers && needs_lines;
      write_legal(block.envs[k], actor, actor, {{block.legal[k], 0}},
                  lines ? block.order[block.line_of[k]] : slice.views.order[k]);
    }
  }
  if (streams && options.view_lines) {
    for (std::uint64_t left = shown; left != 0; left &= left - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(left));
      copy_lines(lines_at(slice, k, k), block.envs[k]);
    }
  }
  const bool rows_shown = options.observation != ObservationType::kNone;
  if (!options.action_mask && !rows_shown) return;
  std::array<std::int32_t, ViewTile::kSize> envs{};
  std::array<ViewLines, ViewTile::kSize> views;
  std::size_t count = 0;
  for (; shown != 0; shown &= shown - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(shown));
    views[count] = lines_at(slice, k, static_cast<std::size_t>(block.envs[k]));
    envs[count++] = block.envs[k];
  }
  const auto some = std::span(envs).first(count);
  show_masks(some);
  if (rows_shown) write_observations(slice, some, views);
}

/// With `skip_forced` those lanes that have a choice.
std::uint64_t VectorEnv::Impl::without_forced(const LaneBlock& block, std::uint64_t shown) const {
  if (!options.skip_forced) return shown;
  std::uint64_t chosen = 0;
  for (std::uint64_t left = shown; left != 0; left &= left - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(left));
    const std::uint64_t mask = block.legal[k];
    chosen |= std::uint64_t{(mask & (mask - 1)) != 0} << k;
  }
  return chosen;
}

void VectorEnv::Impl::play_lanes(EnvSlice& slice, std::size_t first, std::size_t count) {
  static_assert(kMostLanes <= ViewTile::kSize);
  const LaneBlock& block = slice.work.block;
  run_kernel(slice, first, count);
  static_assert(kMostLanes < 64);
  const std::uint64_t all = (std::uint64_t{1} << count) - 1u;
  const std::uint64_t untouched = all & block.untouched;
  const std::uint64_t stopped = all & block.stopped & ~untouched;
  const std::int32_t* const envs = block.envs;
  slice.decisions += count_bits(all & ~untouched);
  for (std::uint64_t left = untouched; left != 0; left &= left - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(left));
    --plain_rows.decision[static_cast<std::size_t>(envs[k])];  // counted when its step counts
    slice.work.answer(envs[k], block.actions[k], Phase::kPlay);
  }
  std::uint64_t shown = all & ~untouched & ~stopped;  // and their lines hold
  shown |= lanes_that_go_on(slice, stopped);
  if (needs_lines) shown &= block.lined;
  shown = all_callers ? without_forced(block, shown) : 0;
  show_lanes(slice, shown);
  for (std::uint64_t left = all & ~untouched & ~shown; left != 0; left &= left - 1) {
    slice.work.arrive(envs[static_cast<std::size_t>(std::countr_zero(left))]);
  }
}

}  // namespace schafkopf
