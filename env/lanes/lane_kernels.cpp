#include "env/lanes/lane_kernels.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "env/base/random.h"
#include "env/base/refuse.h"
#include "env/game/table_state.h"
#include "env/lanes/kernels.h"

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
    draws.actions[i] = mask.nth(below(draw_of(draws.keys[i], draws.numbers[i]), mask.count()));
  }
}

constexpr LaneKernel kScalar{.name = "scalar", .draw = draw};

#if defined(SCHAFKOPF_LANES)
const LaneKernel kKernels[] = {kScalar, kernel_avx2, kernel_avx512};
#else
const LaneKernel kKernels[] = {kScalar};
#endif

std::string names() {
  std::string text;
  for (const LaneKernel& kernel : kKernels) {
    if (!text.empty()) text += ", ";
    text += kernel.name;
  }
  return text;
}

const LaneKernel& chosen() {
  if (const char* name = std::getenv("SCHAFKOPF_KERNEL"); name != nullptr && *name != '\0') {
    return lane_kernel(name);
  }
  const LaneKernel* best = &kKernels[0];
  for (const LaneKernel& kernel : kKernels) {
    if (is_supported(kernel)) best = &kernel;
  }
  return *best;
}

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

std::span<const LaneKernel> lane_kernels() { return kKernels; }

bool is_supported(const LaneKernel& kernel) {
#if defined(SCHAFKOPF_LANES)
  if (kernel.name == "avx2") return __builtin_cpu_supports("avx2") != 0;
  if (kernel.name == "avx512") {
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  }
#endif
  return kernel.lanes == 0;
}

const LaneKernel& lane_kernel(std::string_view name) {
  for (const LaneKernel& kernel : kKernels) {
    if (kernel.name != name) continue;
    if (is_supported(kernel)) return kernel;
    refuse("kernel " + std::string(name) + ": this processor lacks its instructions; allowed: " +
           names() + ", as far as the processor has them");
  }
  refuse("kernel \"" + std::string(name) + "\" (SCHAFKOPF_KERNEL) is unknown; allowed: " + names());
}

const LaneKernel& default_lane_kernel() {
  static const LaneKernel& kernel = chosen();
  return kernel;
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
