// What one thread of a batch works on: its rows, sorted by what there is to do in a step, and those that
// wait to be shown or for an opponent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "env/base/aligned_buffer.h"
#include "env/cards/action.h"
#include "env/lanes/lane_kernels.h"
#include "env/view/policy.h"
#include "env/view/view.h"

namespace schafkopf {

/// Views of a few rows on their way to the encoder. One loop writes them, the next reads them: no
/// load has to wait for the many small stores of the same view.
struct alignas(64) ViewTile {
  static constexpr std::size_t kSize = 32;
  CardsLine cards[kSize];
  OrderLine order[kSize];
  EventsLine events[kSize];
};

/// A step of some hundred rows, sorted by what there is to do: code that was just run is at hand, its
/// branches can be foretold, and games in card play fill whole blocks of the kernel.
struct StepWork {
  static constexpr std::size_t kRows = 1024;
  /// Rows of a step that are sorted together: a small slice as a whole. What is read ahead must stay in
  /// the second cache beside the rows that are stepped, and a larger slice that is not shares it with what
  /// it shows.
  static constexpr int tile_of(int slice, bool reads_ahead) {
    if (reads_ahead) return 320;
    return slice <= static_cast<int>(kRows) ? static_cast<int>(kRows) : 512;
  }
  struct Answer {
    std::int32_t env;
    Action action;
    Phase phase;
  };
  alignas(64) std::array<Action, kRows> actions;
  // in card play: rows and cards, with room for lanes that are too many
  std::array<std::int32_t, kRows + kMostLanes> lane_envs;
  std::array<Action, kRows + kMostLanes> lane_cards;
  std::array<Answer, kRows> rounds;  // of an auction, which others answer afterwards
  std::array<std::int32_t, kRows> shown_rounds;
  std::array<Answer, kRows> answers, sorted_answers;
  std::array<std::int32_t, kRows> arrived, sorted_arrived;  // rows whose game has gone on
  std::size_t num_lanes = 0, num_rounds = 0, num_answers = 0, num_arrived = 0;
  LaneBlock block;

  void answer(int env, Action action, Phase phase) {
    answers[num_answers++] = {env, action, phase};
  }
  void arrive(int env) { arrived[num_arrived++] = env; }

  /// Elements by phase, those of the same one in their order; returns those that are over.
  template <class Element, class PhaseOf>
  static std::span<const Element> sort(std::span<const Element> from,
                                       std::array<Element, kRows>& to, const PhaseOf& phase_of) {
    static_assert(static_cast<int>(Phase::kDone) == kNumPhases - 1);
    std::array<std::uint32_t, kNumPhases> first{};
    for (const Element& element : from) ++first[static_cast<std::size_t>(phase_of(element))];
    std::uint32_t before = 0;
    for (std::uint32_t& count : first) {
      const std::uint32_t own = count;
      count = before;
      before += own;
    }
    const std::uint32_t done = first[kNumPhases - 1];
    for (const Element& element : from) {
      to[first[static_cast<std::size_t>(phase_of(element))]++] = element;
    }
    return std::span<const Element>(to).subspan(done, from.size() - done);
  }
};

/// Work of one thread: rows [begin, end) and everything that only this thread touches.
struct alignas(64) EnvSlice {
  int begin = 0;
  int end = 0;
  std::array<std::int32_t, ViewTile::kSize> ready{};  // rows to show, the first num_ready
  std::size_t num_ready = 0;
  ViewTile views;
  StepWork work;
  std::vector<std::unique_ptr<BatchPolicy>> opponents;
  // rows that wait for an opponent, and what it is asked
  std::vector<std::int32_t> pending;
  std::vector<std::int32_t> grouped;  // the same by opponent, if there are several
  std::array<std::size_t, kNumSeats> group_ends{};
  AlignedBuffer<CardsLine> cards;
  AlignedBuffer<OrderLine> order;
  AlignedBuffer<EventsLine> events;
  AlignedBuffer<FullView> full;       // if an opponent is a cheating baseline
  AlignedBuffer<std::byte> row_tile;  // rows of observations on their way past the caches
  std::vector<std::uint16_t> rule_index;
  std::vector<RngKey> keys;
  std::vector<Action> actions;
  std::vector<std::int32_t> ended;  // rows that have or had kNoteEnded since the last step
  int first_illegal = -1;           // row of the first illegal action of this step
  // counters
  std::int64_t decisions = 0;
  std::int64_t deals = 0;
  std::int64_t skipped_deals = 0;
  std::vector<std::array<std::int64_t, kNumSeats>> skipped;  // by rule set, 1/tariff_scale units
};

}  // namespace schafkopf
