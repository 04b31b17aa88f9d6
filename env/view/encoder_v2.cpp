// Observation v2: the row of v1 with what the phases before the play, open hands and forgotten
// tricks need besides. Plain code on top of v1, whose sections it takes over bit for bit.
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "env/base/assert.h"
#include "env/cards/card_map.h"
#include "env/view/encoder.h"

namespace schafkopf {
namespace {

enum Part : std::size_t {
  kOpen,
  kGiven,
  kReceived,
  kShown,
  kLegalMore,
  kAnnounced,
  kForgotten,
  kNumParts,
};

constexpr float kBit = 1.0F;

/// Actions that v1 shows neither as legal cards nor in `legal_other`: 36..56 and 59..82.
constexpr int kFirstGap = kActionRaise70, kGapEnd = kActionClaimRest;
constexpr int kSecondGap = kActionTarget1, kSecondGapEnd = kFirstContractAction;
constexpr int kNumLegalMore = kGapEnd - kFirstGap + kSecondGapEnd - kSecondGap;

/// Announcements that v1's `auction` leaves out, one bit each and per relative seat.
constexpr std::array kAnnouncements = {kActionHzOffer1, kActionHzOffer2, kActionHzAccept,
                                       kActionTakeUp,   kActionPushOn,   kActionJungfrau};
constexpr int kNumAnnouncements = static_cast<int>(kAnnouncements.size());

// clang-format off
constexpr std::array<Section, kNumParts> kAdded = {{
    {"open", 0, kNumCards, kBit, "cards of the declarer that lie open; by the index of the row like all card sections"},
    {"given", 0, kNumCards, kBit, "own cards that were passed on before the play"},
    {"received", 0, kNumCards, kBit, "cards that this seat got before the play"},
    {"shown", 0, kNumCards, kBit, "cards shown with the offer of a Hochzeit"},
    {"legal_more", 0, kNumLegalMore, kBit, "legal actions 36..56 and 59..82: RAISE, LAY, DOUBLE, HZ, SAY, JUNGFRAU, TAKE_UP, PUSH_ON, TARGET, CLAIM_SCHWARZ, CLAIM_LAUFENDE, SUIT"},
    {"announced", 0, kNumAnnouncements * kNumSeats, kBit, "per relative seat: offered one card, two cards, accepted, took up, pushed on, announced the Jungfrau"},
    {"forgotten", 0, 1, kBit, "earlier tricks are not shown (history_view = last_trick)"},
}};
// clang-format on

/// v1 without its rule features, the added sections, the rule features.
std::vector<Section> layout() {
  const std::span<const Section> v1 = observation_sections();
  std::vector<Section> sections(v1.begin(), v1.end() - 1);
  sections.insert(sections.end(), kAdded.begin(), kAdded.end());
  sections.push_back(v1.back());
  int offset = 0;
  for (Section& section : sections) {
    section.offset = offset;
    offset += section.length;
  }
  return sections;
}

const std::vector<Section>& sections_v2() {
  static const std::vector<Section> sections = layout();
  return sections;
}

std::size_t view_size_v1() {
  return static_cast<std::size_t>(observation_size() - rule_feature_size());
}
std::size_t added_size() {
  std::size_t size = 0;
  for (const Section& section : kAdded) size += static_cast<std::size_t>(section.length);
  return size;
}

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

template <class T>
void write_views_v2(std::span<const ViewLines> views, CardIndex card_index, T* const* rows) {
  expand_views(views, rows, card_index);
  for (std::size_t i = 0; i < views.size(); ++i) {
    write_added(views[i], card_index, rows[i] + view_size_v1());
  }
}

template <class T>
void expand_v2(const ViewLines& view, std::span<const float> rule_features, CardIndex card_index,
               T* row) {
  std::vector<T> v1(static_cast<std::size_t>(observation_size()));
  expand(*view.cards, *view.order, *view.events, rule_features, v1.data(), card_index);
  const auto rules = v1.begin() + static_cast<std::ptrdiff_t>(view_size_v1());
  std::copy(v1.begin(), rules, row);
  write_added(view, card_index, row + view_size_v1());
  std::copy(rules, v1.end(), row + view_size_v1() + added_size());
}

template <class T>
void expand_batch(ObservationForm form, const ViewBatch& batch, std::span<T> rows) {
  if (form.version == ObservationVersion::kV1) {
    expand(batch, rows, form.cards);
    return;
  }
  const auto size = static_cast<std::size_t>(observation_size(form.version));
  const auto rule_size = static_cast<std::size_t>(rule_feature_size());
  SCHAFKOPF_ASSERT(rows.size() >= batch.size * size);
  for (std::size_t i = 0; i < batch.size; ++i) {
    const std::size_t set = batch.rule_index == nullptr ? 0 : batch.rule_index[i];
    std::span<const float> rules;
    if (batch.rules != nullptr && !batch.rules->features.empty()) {
      rules = batch.rules->features.subspan(set * rule_size, rule_size);
    }
    expand_v2({&batch.cards[i], &batch.order[i], &batch.events[i]}, rules, form.cards,
              rows.data() + i * size);
  }
}

template <class T>
void expand_any(ObservationForm form, const ViewLines& view, std::span<const float> rule_features,
                T* row) {
  if (form.version == ObservationVersion::kV1) {
    expand(*view.cards, *view.order, *view.events, rule_features, row, form.cards);
  } else {
    expand_v2(view, rule_features, form.cards, row);
  }
}

template <class T>
void expand_views_any(ObservationForm form, std::span<const ViewLines> views, T* const* rows) {
  if (form.version == ObservationVersion::kV1) {
    expand_views(views, rows, form.cards);
  } else {
    write_views_v2(views, form.cards, rows);
  }
}

}  // namespace

std::span<const Section> observation_sections(ObservationVersion version) {
  return version == ObservationVersion::kV1 ? observation_sections()
                                            : std::span<const Section>(sections_v2());
}

int observation_size(ObservationVersion version) {
  const Section& last = observation_sections(version).back();
  return last.offset + last.length;
}

void expand(ObservationForm form, const ViewLines& view, std::span<const float> rule_features,
            std::uint8_t* row) {
  expand_any(form, view, rule_features, row);
}
void expand(ObservationForm form, const ViewLines& view, std::span<const float> rule_features,
            float* row) {
  expand_any(form, view, rule_features, row);
}

void expand_views(ObservationForm form, std::span<const ViewLines> views,
                  std::uint8_t* const* rows) {
  expand_views_any(form, views, rows);
}
void expand_views(ObservationForm form, std::span<const ViewLines> views, float* const* rows) {
  expand_views_any(form, views, rows);
}

void expand(ObservationForm form, const ViewBatch& batch, std::span<std::uint8_t> rows) {
  expand_batch(form, batch, rows);
}
void expand(ObservationForm form, const ViewBatch& batch, std::span<float> rows) {
  expand_batch(form, batch, rows);
}

}  // namespace schafkopf
