// Blocks of games in card play, stepped together: the rules of play.h on words of many lanes, and
// the view lines of who is next. One kernel for each instruction set (instruction_set.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "env/base/instruction_set.h"
#include "env/view/view.h"

namespace schafkopf {

struct TableState;

/// Where a TableState has what a kernel reads and writes. Kernels know no more of it, so that they
/// include no code that other files share (lane_kernels.cpp checks the numbers).
namespace lane_layout {
inline constexpr std::size_t kPlay = 0;      // 32 words
inline constexpr std::size_t kStride = 512;  // bytes from one table to the next
inline constexpr std::size_t kOrder = 128, kToMove = 169, kNumPlays = 170, kEvents = 192;
}  // namespace lane_layout

/// What the view lines of a game in card play show that no card changes, as scalar code wrote it
/// last: its bytes are copied, seats are absolute.
struct alignas(32) LaneRow {
  std::uint32_t num_events;  // as shown
  std::uint32_t order[4];    // OrderLine: from `seats` to `stock`, where its second half has them
  std::uint32_t cards_word;  // CardsLine: phase, contract, called card, trump suit
  std::uint32_t seats;       // lane_fields
  std::uint32_t card_maps;   // byte s: seat s
};
static_assert(sizeof(LaneRow) == 32);

/// Bits of LaneRow::seats.
namespace lane_fields {
inline constexpr packed::Bits kDeclarer{0, 3}, kPartner{3, 3}, kOwner{6, 3};  // kNoSeat = none
inline constexpr packed::Bits kFlags{9, 8};  // ViewFlag: those that no card changes
inline constexpr packed::Bits kLevel{17, 4}, kPairs{21, 1}, kClaims{22, 1}, kDealer{23, 2};
inline constexpr packed::Bits kPartnerKnown{9 + 2, 1};  // of kFlags
/// The lines can be written from this row: four seats, nothing secret, passed on, owed or forgotten.
inline constexpr packed::Bits kLines{25, 1};
static_assert(kFlagPartnerKnown == 1 << 2);
}  // namespace lane_fields

/// Games of a block: groups of as many as a kernel has lanes.
inline constexpr int kMostLanes = 32;

/// One step of `count` games in card play, a multiple of the kernel's lanes. Those that are too many
/// repeat the first one, all that they write included.
struct LaneBlock {
  // Row i of a batch: bytes of a TableState (lane_layout), what its lines show
  std::uint8_t* tables;
  const LaneRow* rows;
  // Of play_and_show alone: the lines of lane k are number line_of[k].
  CardsLine* cards;
  OrderLine* order;
  EventsLine* events;
  const std::int32_t* line_of;
  // in: the row of each game, no two alike but those too many, and a legal card
  std::size_t count;
  const std::int32_t* envs;
  const std::uint8_t* actions;
  // out: legal actions of who is next, cards and claims, and who that is
  alignas(64) std::uint64_t legal[kMostLanes];
  alignas(64) std::uint32_t turn[kMostLanes];
  // out, bit k: lane k
  std::uint64_t untouched;  // lanes whose card says more than card play (the called card is
                            // played, its owner runs away): as they were, the caller steps them
  std::uint64_t stopped;    // lanes that have reached next_stop
  std::uint64_t lined;      // lanes with kLines
};

/// Shows nothing, or the lines of who is next; those of lanes that are untouched, stopped or without
/// kLines hold nonsense.
using LaneStep = void (*)(LaneBlock& block);

/// Rows that draw a random action each: actions[i] is number below(draw_of(keys[i], number), count)
/// of the mask, number = draw_number(seats[i], decisions[i]).
struct LaneDraws {
  const ActionMask* masks;
  const std::uint64_t* keys;
  const std::uint8_t* seats;
  const std::uint32_t* decisions;
  Action* actions;
  std::size_t size;
};
using LaneDraw = void (*)(const LaneDraws& draws);

/// Masks as bytes 0 / 1, lowest action first: mask k to row rows[k] of kNumActions bytes.
struct MaskRows {
  const ActionMask* masks;
  const std::int32_t* rows;
  std::size_t size;
  std::uint8_t* bytes;
};
using MaskBytes = void (*)(const MaskRows& rows);

struct LaneKernel {
  InstructionSet set = InstructionSet::kScalar;
  int lanes = 0;  // 0: games are stepped one by one
  LaneStep play = nullptr;
  LaneStep play_and_show = nullptr;
  LaneDraw draw = nullptr;
  MaskBytes mask_bytes = nullptr;
};

/// The kernel of an instruction set that is supported.
[[nodiscard]] const LaneKernel& lane_kernel(InstructionSet set);

/// The row of a game in card play whose lines have just been written for some seat.
/// `shown_flags`: bits of CardsLine::flags that are shown at all.
[[nodiscard]] LaneRow lane_row(const TableState& table, int level, const CardsLine& cards,
                               const OrderLine& order, std::uint8_t shown_flags);

}  // namespace schafkopf
