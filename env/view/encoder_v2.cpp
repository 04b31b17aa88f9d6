// Observation v2: the row of v1 with what the phases before the play, open hands and forgotten
// tricks need besides. Plain code on top of v1, whose sections it takes over bit for bit.
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "env/base/assert.h"
#include "env/cards/card_map.h"
#include "env/view/encoder_layouts.h"

namespace schafkopf {
namespace {

using namespace layout::v2;

/// Actions that v1 shows neither as legal cards nor in `legal_other`: 36..56 and 59..82.
constexpr int kFirstGap = kActionRaise70, kGapEnd = kActionClaimRest;
constexpr int kSecondGap = kActionTarget1, kSecondGapEnd = kFirstContractAction;
constexpr int kNumLegalMore = kGapEnd - kFirstGap + kSecondGapEnd - kSecondGap;

/// Announcements that v1's `auction` leaves out, one bit each and per relative seat.
constexpr std::array kAnnouncements = {kActionHzOffer1, kActionHzOffer2, kActionHzAccept,
                                       kActionTakeUp,   kActionPushOn,   kActionJungfrau};
constexpr int kNumAnnouncements = static_cast<int>(kAnnouncements.size());

static_assert(kNumLegalMore == kAdded[kLegalMore].length,
              "the section `legal_more` of observation v2 holds the actions 36..56 and 59..82");
static_assert(kNumAnnouncements * kNumSeats == kAdded[kAnnounced].length,
              "the section `announced` holds six announcements of four seats");

std::size_t view_size_v1() { return layout::v1::kSections[layout::v1::kRules].offset; }
std::size_t added_size() { return static_cast<std::size_t>(layout::row_size(kAdded)); }

/// Cards of the CARD events that follow an offer of the same seat (C.3).
CardSet shown_cards(const EventsLine& events, int count) {
  CardSet shown;
  int offerer = kNoSeat;
  for (int i = 0; i < count; ++i) {
    const SeenEvent event = events.event(i);
    if (event.action == kActionHzOffer1 || event.action == kActionHzOffer2) {
      offerer = event.seat;
    } else if (event.action < kNumCards && event.seat == offerer) {
      shown.add(event.action);
    } else {
      offerer = kNoSeat;
    }
  }
  return shown;
}

/// Writes sections one after the other.
template <class T>
class Writer {
 public:
  explicit Writer(T* row) : next_(row) {}
  void put(bool value) { *next_++ = value ? T{1} : T{0}; }
  void put_cards(std::uint32_t cards, int map) {
    const std::uint32_t moved = to_canonical(cards, map);
    for (int card = 0; card < kNumCards; ++card) put(((moved >> card) & 1u) != 0);
  }
  [[nodiscard]] const T* next() const { return next_; }

 private:
  T* next_;
};

template <class T>
void write_added(const ViewLines& view, CardIndex card_index, T* row) {
  const OrderLine& order = *view.order;
  const int map = card_index == CardIndex::kCanonical ? order.card_map : 0;  // 0 = identity
  const ActionMask legal = legal_actions(*view.cards);
  Writer writer(row);
  writer.put_cards(order.open, map);
  writer.put_cards(order.given, map);
  writer.put_cards(order.received, map);
  writer.put_cards(shown_cards(*view.events, order.num_events).bits(), map);
  for (int action = kFirstGap; action < kSecondGapEnd; ++action) {
    const bool gap = action >= kGapEnd && action < kSecondGap;
    if (!gap) writer.put(legal.contains(static_cast<Action>(action)));
  }
  for (int seat = 0; seat < kNumSeats; ++seat) {
    for (const Action action : kAnnouncements) {
      const auto* const end = view.events->events + order.num_events;
      writer.put(std::any_of(view.events->events, end, [&](std::uint16_t event) {
        return packed::action_of(event) == action && packed::actor_of(event) == seat;
      }));
    }
  }
  writer.put(order.num_plays > 0 && !order.play(0).known);
  SCHAFKOPF_ASSERT(writer.next() == row + added_size());
}

}  // namespace

template <class T>
void layout::v2::write_views(std::span<const ViewLines> views, CardIndex cards, T* const* rows) {
  expand_views(views, rows, cards);
  for (std::size_t i = 0; i < views.size(); ++i) {
    write_added(views[i], cards, rows[i] + view_size_v1());
  }
}

template void layout::v2::write_views(std::span<const ViewLines>, CardIndex, std::uint8_t* const*);
template void layout::v2::write_views(std::span<const ViewLines>, CardIndex, float* const*);

}  // namespace schafkopf
