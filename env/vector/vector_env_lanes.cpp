// Blocks of games in card play: gathered over the rows of a slice, stepped and shown by the kernel
// (env/lanes), which leaves to the code of one game what is not card play alone.
#include <bit>
#include <utility>

#include "env/lanes/lane_game.h"
#include "env/vector/vector_env_impl.h"

namespace schafkopf {

/// Points the lanes to their rows and steps them.
void VectorEnv::Impl::run_kernel(EnvSlice& slice, std::size_t count) {
  LaneWork& lanes = slice.lanes;
  LaneBlock& block = lanes.block;
  const auto size = static_cast<std::size_t>(kernel->lanes);
  block.tables = LaneGame::bytes(rows.front().game);
  block.table_stride = sizeof(EnvRow);
  block.rows = lane_rows.data();
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t from = k < count ? k : 0;
    block.envs[k] = lanes.envs[from];
    block.actions[k] = lanes.cards[from];
    block.line_of[k] = options.view_lines ? block.envs[k] : static_cast<std::int32_t>(from);
  }
  if (!(plain && needs_lines)) return kernel->play(block);
  block.cards = options.view_lines ? buffers.cards.data() : slice.views.cards;
  block.order = options.view_lines ? buffers.order.data() : slice.views.order;
  block.events = options.view_lines ? buffers.events.data() : slice.views.events;
  kernel->play_and_show(block);
}

/// What stopped lanes ask for is asked; those of which nothing came go on in card play.
std::uint32_t VectorEnv::Impl::lanes_that_go_on(EnvSlice& slice, std::uint32_t stopped) {
  std::uint32_t go_on = 0;
  for (; stopped != 0; stopped &= stopped - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(stopped));
    Game& game = rows[static_cast<std::size_t>(slice.lanes.block.envs[k])].game;
    const int events = game.num_events();
    LaneGame::stop_here(game);
    const bool same = game.phase() == Phase::kPlay && game.num_events() == events;
    go_on |= static_cast<std::uint32_t>(same) << k;
  }
  return go_on;
}

/// The rest of the rows whose lines the kernel has written.
void VectorEnv::Impl::show_lanes(EnvSlice& slice, std::uint32_t shown) {
  const LaneBlock& block = slice.lanes.block;
  const bool more = shows_more || options.action_mask;
  // stores of bytes may alias everything: what they could change is read before them
  ActionMask *const own = legal.data(), *const buffer = buffers.legal.data();
  std::uint8_t* const seats = plain_rows.seat.data();
  std::int8_t *const players = buffers.current_player.data(), *const phases = buffers.phase.data();
  for (std::uint32_t left = shown; left != 0; left &= left - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(left));
    const auto i = static_cast<std::size_t>(block.envs[k]);
    const std::uint64_t mask = block.legal[k];
    const std::uint32_t actor = block.turn[k];
    seats[i] = static_cast<std::uint8_t>(actor);
    phases[i] = static_cast<std::int8_t>(Phase::kPlay);
    players[i] = static_cast<std::int8_t>(actor);
    set_words(own[i], {{mask, 0}});
    set_words(buffer[i], {{mask, 0}});
  }
  if (more) {
    for (std::uint32_t left = shown; left != 0; left &= left - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(left));
      const int actor = static_cast<int>(block.turn[k]);
      write_legal(block.envs[k], actor, actor, {{block.legal[k], 0}},
                  needs_lines ? block.order[block.line_of[k]] : slice.views.order[k]);
    }
  }
  if (options.observation == ObservationType::kNone) return;
  std::array<std::int32_t, ViewTile::kSize> envs{};
  std::array<ViewLines, ViewTile::kSize> views;
  std::size_t count = 0;
  for (; shown != 0; shown &= shown - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(shown));
    views[count] = lines_at(slice, k, static_cast<std::size_t>(block.envs[k]));
    envs[count++] = block.envs[k];
  }
  write_observations(std::span(envs).first(count), views);
}

void VectorEnv::Impl::play_lanes(EnvSlice& slice, std::size_t count) {
  static_assert(kMostLanes <= ViewTile::kSize);
  LaneWork& lanes = slice.lanes;
  const LaneBlock& block = lanes.block;
  run_kernel(slice, count);
  lanes.count -= count;
  for (std::size_t k = 0; k < ViewTile::kSize; ++k) {  // what waits for the next block
    lanes.envs[k] = lanes.envs[count + k];
    lanes.cards[k] = lanes.cards[count + k];
  }
  const std::uint32_t all = (std::uint32_t{1} << count) - 1u;
  const std::uint32_t untouched = all & block.untouched;
  const std::uint32_t stopped = all & block.stopped & ~untouched;
  std::uint32_t* const decisions = plain_rows.decision.data();
  std::uint8_t* const notes = plain_rows.notes.data();
  for (std::size_t k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(block.envs[k]);
    ++decisions[i];
    notes[i] = static_cast<std::uint8_t>(notes[i] | kNoteDecided);
  }
  for (std::uint32_t left = untouched; left != 0; left &= left - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(left));
    rows[static_cast<std::size_t>(block.envs[k])].game.apply_unchecked(block.actions[k]);
  }
  std::uint32_t shown = all & ~untouched & ~stopped;  // and their lines hold
  shown |= lanes_that_go_on(slice, stopped);
  if (needs_lines) shown &= block.lined;
  if (!plain) shown = 0;
  slice.decisions += static_cast<std::int64_t>(count);
  show_lanes(slice, shown);
  for (std::uint32_t others = all & ~shown; others != 0; others &= others - 1) {
    go_on(slice, block.envs[static_cast<std::size_t>(std::countr_zero(others))]);
  }
}

}  // namespace schafkopf
