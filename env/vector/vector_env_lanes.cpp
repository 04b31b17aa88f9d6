// Blocks of games in card play: gathered over the rows of a slice, stepped and shown by the kernel
// (env/lanes), which leaves to the code of one game what is not card play alone.
#include <bit>
#include <utility>

#include "env/lanes/lane_game.h"
#include "env/vector/vector_env_impl.h"

namespace schafkopf {
namespace {

constexpr bool has_lane(std::uint32_t lanes, std::size_t k) { return (lanes >> k & 1u) != 0; }

}  // namespace

/// Points the lanes to their games, the last ones of a short block to idle tables, and steps them.
void VectorEnv::Impl::run_kernel(EnvSlice& slice, std::size_t count) {
  LaneWork& lanes = slice.lanes;
  LaneBlock& block = lanes.block;
  const auto size = static_cast<std::size_t>(kernel->lanes);
  const bool shows = plain && needs_lines;
  for (std::size_t k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(lanes.envs[k]);
    block.tables[k] = LaneGame::bytes(rows[i].game);
    block.rows[k] = &lane_rows[i];
    if (!shows) continue;
    const bool buffered = options.view_lines;
    block.cards[k] = buffered ? &buffers.cards[i] : &slice.views.cards[k];
    block.order[k] = buffered ? &buffers.order[i] : &slice.views.order[k];
    block.events[k] = buffered ? &buffers.events[i] : &slice.views.events[k];
  }
  for (std::size_t k = count; k < size; ++k) {
    lanes.idle[k] = TableState{};
    block.tables[k] = reinterpret_cast<std::uint8_t*>(&lanes.idle[k]);
    block.rows[k] = &lanes.idle_row;
    block.cards[k] = &slice.views.cards[k];
    block.order[k] = &slice.views.order[k];
    block.events[k] = &slice.views.events[k];
    block.actions[k] = 0;
  }
  (shows ? kernel->play_and_show : kernel->play)(block);
}

/// The rest of the rows whose lines the kernel has written.
void VectorEnv::Impl::show_lanes(EnvSlice& slice, std::uint32_t shown) {
  const LaneBlock& block = slice.lanes.block;
  std::array<std::int32_t, ViewTile::kSize> envs{};
  std::array<ViewLines, ViewTile::kSize> views;
  std::size_t count = 0;
  for (; shown != 0; shown &= shown - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(shown));
    const std::int32_t env = slice.lanes.envs[k];
    const auto i = static_cast<std::size_t>(env);
    const ActionMask mask{
        {block.legal[k] | (std::uint64_t{block.claims[k]} << kActionClaimRest), 0}};
    const int actor = static_cast<int>(block.turn[k]);
    views[count] = lines_at(slice, k, i);
    envs[count++] = env;
    buffers.phase[i] = static_cast<std::int8_t>(Phase::kPlay);
    write_legal(env, actor, actor, mask, needs_lines ? *block.order[k] : slice.views.order[k]);
  }
  write_observations(std::span(envs).first(count), views);
}

void VectorEnv::Impl::play_lanes(EnvSlice& slice) {
  static_assert(kMostLanes <= ViewTile::kSize);
  LaneWork& lanes = slice.lanes;
  const LaneBlock& block = lanes.block;
  const std::size_t count = std::exchange(lanes.count, 0);
  run_kernel(slice, count);
  std::uint32_t shown = 0, others = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(lanes.envs[k]);
    EnvRow& current = rows[i];
    current.decided = true;
    ++current.decision;
    bool goes_on = true;  // and its lines hold
    if (has_lane(block.untouched, k)) [[unlikely]] {
      current.game.apply_unchecked(static_cast<Action>(block.actions[k]));
      goes_on = false;
    } else if (has_lane(block.stopped, k)) {
      const int events = current.game.num_events();
      LaneGame::stop_here(current.game);
      goes_on = current.game.phase() == Phase::kPlay && current.game.num_events() == events;
    }
    const bool written = !needs_lines || lane_fields::kLines.of(lane_rows[i].seats) != 0;
    if (plain && goes_on && written) {
      shown |= 1u << k;
      continue;
    }
    others |= 1u << k;
  }
  slice.decisions += static_cast<std::int64_t>(count);
  show_lanes(slice, shown);
  for (; others != 0; others &= others - 1) {
    go_on(slice, lanes.envs[static_cast<std::size_t>(std::countr_zero(others))]);
  }
}

}  // namespace schafkopf
