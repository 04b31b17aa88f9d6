#include "env/lanes/lane_kernels.h"

#include <cstring>

#include "env/base/assert.h"
#include "env/base/random.h"
#include "env/game/table_state.h"
#include "env/lanes/kernels.h"
#include "env/lanes/mask_bytes.h"

namespace schafkopf {
namespace {

static_assert(offsetof(TableState, play) == lane_layout::kPlay &&
              offsetof(TableState, to_move) == lane_layout::kToMove &&
              offsetof(TableState, num_plays) == lane_layout::kNumPlays &&
              offsetof(TableState, order) == lane_layout::kOrder &&
              offsetof(TableState, events) == lane_layout::kEvents);

void draw(const LaneDraws& draws) {
  for (std::size_t i = 0; i < draws.size; ++i) {
    const ActionMask& mask = draws.masks[i];
    const std::uint64_t number = draw_number(draws.seats[i], draws.decisions[i]);
    draws.actions[i] = mask.nth(below(draw_of(draws.keys[i], number), mask.count()));
  }
}

void mask_bytes(const MaskRows& rows) { write_masks(rows); }

constexpr LaneKernel kScalar{.draw = draw, .mask_bytes = mask_bytes};

/// Four bytes of a line, as they lie there.
template <class Line>
std::uint32_t word_at(const Line& line, std::size_t offset) {
  std::uint32_t word = 0;
  std::memcpy(&word, reinterpret_cast<const std::uint8_t*>(&line) + offset, sizeof word);
  return word;
}

unsigned seat_or_none(int seat, packed::Bits bits) { return bits.put(seat < 0 ? kNoSeat : seat); }

/// Whether nothing stands in the lines that lanes do not write.
bool has_plain_lines(const TableState& table) {
  bool plain = table.seats() == kNumSeats && table.contract.fixed && !table.contract.open_hand &&
               table.num_secret == 0 && table.num_events <= EventsLine::kMost &&
               table.rule_set().history_view != HistoryView::kLastTrick;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    plain = plain && table.given[seat] == 0 && table.received[seat] == 0 &&
            table.context.owed[seat] == 0;
  }
  return plain;
}

}  // namespace

const LaneKernel& lane_kernel(InstructionSet set) {
  SCHAFKOPF_ASSERT(is_supported(set));
#if defined(SCHAFKOPF_KERNELS)
  if (set == InstructionSet::kAvx2) return kAvx2Kernel;
  if (set == InstructionSet::kAvx512) return kAvx512Kernel;
#endif
  return kScalar;
}

LaneRow lane_row(const TableState& table, int level, const CardsLine& cards, const OrderLine& order,
                 std::uint8_t shown_flags) {
  namespace f = lane_fields;
  constexpr std::uint8_t kKept = kFlagPartnerKnown | kFlagRanAway | kFlagRenonce;
  const ContractState& contract = table.contract;
  const bool claims = table.claims_rest != 0 && (shown_flags & kFlagConcedeRest) != 0;
  LaneRow row{};
  row.cards_word = word_at(cards, offsetof(CardsLine, phase));
  row.seats = seat_or_none(contract.declarer, f::kDeclarer) |
              seat_or_none(contract.partner, f::kPartner) |
              seat_or_none(contract.owner, f::kOwner) | f::kFlags.put(cards.flags & kKept) |
              f::kLevel.put(level) | f::kPairs.put(contract.opposite_pairs ? 1 : 0) |
              f::kClaims.put(claims ? 1 : 0) | f::kDealer.put(table.dealer) |
              f::kLines.put(has_plain_lines(table) ? 1 : 0);
  for (std::size_t word = 0; word < 4; ++word) {
    row.order[word] = word_at(order, offsetof(OrderLine, seats) + 4 * word);
  }
  row.card_maps = word_at(table, offsetof(TableState, card_maps));
  row.num_events = order.num_events;
  return row;
}

}  // namespace schafkopf
