// Observation v3 (open, see sections.h): what v1 and v2 say, in places with room, and the order of
// play. Plain code on top of v2, one writer for each section.
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "env/cards/card_map.h"
#include "env/cards/contract.h"
#include "env/view/encoder_layouts.h"

namespace schafkopf::layout::v3 {
namespace {

/// What a writer reads.
template <class T>
struct Source {
  const CardsLine& cards;
  const OrderLine& order;
  const EventsLine& events;
  int map = 0;  // card map of the row, 0 = identity
  ActionMask legal;
  const T* v2 = nullptr;  // the row of v2 without its rules
};

/// Sections of v1 and v2 that v3 takes over. `out` is all zero for every writer.
template <class T, v1::Part part>
void copy_v1(const Source<T>& source, T* out) {
  std::copy_n(source.v2 + v1::kSections[part].offset, v1::kSections[part].length, out);
}
template <class T, v2::Part part>
void copy_v2(const Source<T>& source, T* out) {
  std::copy_n(source.v2 + v2::added(part).offset, v2::added(part).length, out);
}

/// Card i of the line belongs to trick (i + cards_before) / seats: an endgame begins later than its
/// line.
template <class T>
int cards_before(const Source<T>& source) {
  const int played =
      source.cards.trick_number() * source.order.seats + source.cards.cards_on_table();
  return std::max(played - source.order.num_plays, 0);
}

/// Calls visit(trick, number in the trick, play) for every card that is not forgotten.
template <class T, class Visit>
void for_each_play(const Source<T>& source, Visit&& visit) {
  const int before = cards_before(source);
  for (int i = 0; i < source.order.num_plays; ++i) {
    const SeenPlay play = source.order.play(i);
    const int trick = (before + i) / source.order.seats;
    if (play.known && trick < kTricks) visit(trick, (before + i) % source.order.seats, play);
  }
}

template <class T>
void put_trick_cards(const Source<T>& source, T* out) {
  for_each_play(source, [&](int trick, int, const SeenPlay& play) {
    out[trick * kNumCards + to_canonical_action(play.card, source.map)] = T{1};
  });
}

template <class T>
void put_trick_leader(const Source<T>& source, T* out) {
  for_each_play(source, [&](int trick, int number, const SeenPlay& play) {
    if (number == 0) out[trick * kNumSeats + play.seat] = T{1};
  });
}

template <class T>
void put_trick_winner(const Source<T>& source, T* out) {
  for_each_play(source, [&](int trick, int, const SeenPlay& play) {
    for (int seat = 0; seat < kNumSeats; ++seat) {
      if (CardSet(source.cards.captured[seat]).contains(play.card)) {
        out[trick * kNumSeats + seat] = T{1};
      }
    }
  });
}

template <class T>
void put_contract(const Source<T>& source, T* out) {
  const int code = source.cards.contract_code();
  if (code > 0) out[code - 1] = T{1};
}

/// A suit by the index of the row.
template <class T>
void put_suit(const Source<T>& source, int suit, T* out) {
  if (suit < kNumSuits) out[suit_slots(source.map)[static_cast<std::size_t>(suit)]] = T{1};
}
template <class T>
void put_trump_suit(const Source<T>& source, T* out) {
  put_suit(source, source.cards.trump_suit, out);
}
template <class T>
void put_called_suit(const Source<T>& source, T* out) {
  if (source.cards.called_card < kNumCards) put_suit(source, source.cards.called_card / 8, out);
}

template <class T>
void put_phase(const Source<T>& source, T* out) {
  if (source.cards.phase < kNumPhases) out[source.cards.phase] = T{1};
}

template <class T>
void put_legal_actions(const Source<T>& source, T* out) {
  for (int action = kFirstOther; action < kNumActions; ++action) {
    out[action - kFirstOther] = source.legal.contains(static_cast<Action>(action)) ? T{1} : T{0};
  }
}

template <class T>
void put_said(const Source<T>& source, T* out) {
  const T* auction = source.v2 + v1::kSections[v1::kAuction].offset;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    std::copy_n(auction + seat * v1::kBitsOfSeat, kSaidBits, out + seat * kSaidBits);
  }
}

/// What each seat named last; row = nullptr if nothing.
template <class T>
std::array<NamedContract, kNumSeats> named_last(const Source<T>& source) {
  std::array<NamedContract, kNumSeats> last{};
  for (int i = 0; i < source.order.num_events; ++i) {
    const SeenEvent event = source.events.event(i);
    const NamedContract named = contract_of_action(event.action);
    if (named.row != nullptr) last[static_cast<std::size_t>(event.seat)] = named;
  }
  return last;
}
template <class T>
void put_named(const Source<T>& source, T* out) {
  const auto named = named_last(source);
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    if (named[seat].row == nullptr) continue;
    out[seat * kClassPlaces + static_cast<std::size_t>(named[seat].row->contract)] = T{1};
  }
}
template <class T>
void put_named_tout(const Source<T>& source, T* out) {
  const auto named = named_last(source);
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    out[seat] = named[seat].row != nullptr && named[seat].tout ? T{1} : T{0};
  }
}

template <class T>
using WriteSection = void (*)(const Source<T>&, T*);

template <class T>
struct SectionWriter {
  Part part;
  WriteSection<T> write;
};

// clang-format off
template <class T>
constexpr std::array<SectionWriter<T>, kRules> kWriters = {{
    {kHand, copy_v1<T, v1::kHand>},
    {kLegalCards, copy_v1<T, v1::kLegalCards>},
    {kUnseen, copy_v1<T, v1::kUnseen>},
    {kTable, copy_v1<T, v1::kTable>},
    {kPlayed, copy_v1<T, v1::kPlayed>},
    {kTrickCards, put_trick_cards<T>},
    {kTrickLeader, put_trick_leader<T>},
    {kTrickWinner, put_trick_winner<T>},
    {kContract, put_contract<T>},
    {kTout, copy_v1<T, v1::kTout>},
    {kTrumpSuit, put_trump_suit<T>},
    {kCalledSuit, put_called_suit<T>},
    {kCalledRank, copy_v1<T, v1::kCalledRank>},
    {kLevel, copy_v1<T, v1::kLevel>},
    {kDeclarer, copy_v1<T, v1::kDeclarer>},
    {kLeader, copy_v1<T, v1::kLeader>},
    {kPartner, copy_v1<T, v1::kPartner>},
    {kFlags, copy_v1<T, v1::kFlags>},
    {kPhase, put_phase<T>},
    {kLegalActions, put_legal_actions<T>},
    {kTrick, copy_v1<T, v1::kTrick>},
    {kOnTable, copy_v1<T, v1::kOnTable>},
    {kVoids, copy_v1<T, v1::kVoids>},
    {kDealer, copy_v1<T, v1::kDealer>},
    {kSaid, put_said<T>},
    {kNamed, put_named<T>},
    {kNamedTout, put_named_tout<T>},
    {kAnnounced, copy_v2<T, v2::kAnnounced>},
    {kOpen, copy_v2<T, v2::kOpen>},
    {kGiven, copy_v2<T, v2::kGiven>},
    {kReceived, copy_v2<T, v2::kReceived>},
    {kShown, copy_v2<T, v2::kShown>},
    {kForgotten, copy_v2<T, v2::kForgotten>},
    {kPoints, copy_v1<T, v1::kPoints>},
    {kPartyPoints, copy_v1<T, v1::kPartyPoints>},
    {kTakenTricks, copy_v1<T, v1::kTricks>},
    {kCounts, copy_v1<T, v1::kCounts>},
    {kUnseenGroups, copy_v1<T, v1::kUnseenGroups>},
    {kContext, copy_v1<T, v1::kContext>},
    {kOwed, copy_v1<T, v1::kOwed>},
}};
// clang-format on

constexpr bool writers_in_order() {
  std::size_t part = 0;
  for (const auto& writer : kWriters<std::uint8_t>) {
    if (writer.part != part++) return false;  // one that is missing is part 0
  }
  return true;
}
static_assert(writers_in_order(), "each section of v3 needs its writer, in the order of the row");

}  // namespace

template <class T>
void write_views(std::span<const ViewLines> views, CardIndex cards, T* const* rows) {
  std::vector<T> below(static_cast<std::size_t>(row_size(v2::kSections)));
  T* const row_below = below.data();
  for (std::size_t i = 0; i < views.size(); ++i) {
    const ViewLines& view = views[i];
    v2::write_views(views.subspan(i, 1), cards, &row_below);
    const Source<T> source{.cards = *view.cards,
                           .order = *view.order,
                           .events = *view.events,
                           .map = cards == CardIndex::kCanonical ? view.order->card_map : 0,
                           .legal = legal_actions(*view.cards),
                           .v2 = row_below};
    std::fill_n(rows[i], kSections[kRules].offset, T{0});
    for (const SectionWriter<T>& writer : kWriters<T>) {
      writer.write(source, rows[i] + kSections[writer.part].offset);
    }
  }
}

template void write_views(std::span<const ViewLines>, CardIndex, std::uint8_t* const*);
template void write_views(std::span<const ViewLines>, CardIndex, float* const*);

}  // namespace schafkopf::layout::v3
