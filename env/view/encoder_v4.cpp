// Observation v4 (open, see sections.h): the row of v3 and, in card play, what its seat can prove
// from it. One writer for each section.
#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "env/base/index.h"
#include "env/cards/card_map.h"
#include "env/view/deduction.h"
#include "env/view/encoder_layouts.h"

namespace schafkopf::layout::v4 {
namespace {

/// What a writer reads.
struct Source {
  const CardsLine& cards;
  const Deduction& known;
  int map = 0;  // card map of the row, 0 = identity
};

constexpr int kTrumpSuits = kNumSuits + 1;  // the last = none

/// Who beats whom in each contract with each trump suit.
using ContractWords =
    std::array<std::array<PlayState<std::uint32_t>, kTrumpSuits>, kNumContractClasses>;

ContractWords make_contract_words() {
  ContractWords words{};
  for (const ContractRow& row : contract_table()) {
    for (int suit = 0; suit < kTrumpSuits; ++suit) {
      PlayState<std::uint32_t>& made = words[static_cast<std::size_t>(row.contract)][at(suit)];
      const CardSet trumps = suit < kNumSuits
                                 ? trumps_of(row, static_cast<Suit>(suit))
                                 : trumps_of(row, Suit::kEichel) & trumps_of(row, Suit::kGras);
      made.trumps = trumps.bits();
      if (row.num_trump_ranks > 0) made.top = CardSet::rank(row.trump_ranks[0]).bits();
      if (row.num_trump_ranks > 1) made.second = CardSet::rank(row.trump_ranks[1]).bits();
      if (row.plain_order == PlainOrder::kLowTen) made.low_tens = CardSet::rank(Rank::k10).bits();
    }
  }
  return words;
}

/// The cards of a set by the index of the row, as bits of `out`, which is zero.
template <class T>
void put_cards(CardSet set, int map, T* out) {
  for (const Card card : CardSet(to_canonical(set.bits(), map))) out[card] = T{1};
}

template <class T>
void put_best_seat(const Source& source, T* out) {
  if (source.known.winner != kNoSeat) out[source.known.winner] = T{1};
}
template <class T>
void put_best_card(const Source& source, T* out) {
  if (source.known.best != kNoCard) put_cards(CardSet::of(source.known.best), source.map, out);
}

template <class T>
void put_side(Side side, T* out) {
  out[0] = side == Side::kFriend ? T{1} : T{0};
  out[1] = side == Side::kEnemy ? T{1} : T{0};
}
template <class T>
void put_sides(const Source& source, T* out) {
  for (int seat = 0; seat < source.known.seats; ++seat) {
    put_side(source.known.side[at(seat)], out + 2 * seat);
  }
}
template <class T>
void put_best_side(const Source& source, T* out) {
  if (source.known.winner != kNoSeat) put_side(source.known.side[at(source.known.winner)], out);
}

template <class T>
void put_takes(const Source& source, T* out) {
  const Deduction& known = source.known;
  if (known.leading()) return;
  put_cards(known.legal & known.beaters(known.best), source.map, out);
}
template <class T>
void put_sure(const Source& source, T* out) {
  CardSet sure;
  for (const Card card : source.known.legal) {
    if (source.known.takes_for_sure(card)) sure.add(card);
  }
  put_cards(sure, source.map, out);
}

template <class T>
void put_above(const Source& source, T* out) {
  const Deduction& known = source.known;
  const T unit = std::is_same_v<T, float> ? static_cast<T>(added(kAbove).scale) : T{1};
  for (const Card card : known.hand) {
    const int above = (known.beaters(card) & known.group(card) & known.unseen).count();
    out[to_canonical_action(card, source.map)] = static_cast<T>(static_cast<T>(above) * unit);
  }
}

template <class T>
void put_lacks(const Source& source, T* out) {
  for (int seat = 1; seat < source.known.seats; ++seat) {
    put_cards(source.known.unseen - source.known.may_hold[at(seat)], source.map,
              out + (seat - 1) * kNumCards);
  }
}
template <class T>
void put_only(const Source& source, T* out) {
  const auto& held = source.known.may_hold;
  if (source.known.forgets) return;  // an unseen card may have been played
  for (int seat = 1; seat <= kOthers; ++seat) {
    CardSet only = held[at(seat)];
    for (int other = 1; other <= kOthers; ++other) {
      if (other != seat) only = only - held[at(other)];
    }
    put_cards(only, source.map, out + (seat - 1) * kNumCards);
  }
}

template <class T>
void put_reached(const Source& source, T* out) {
  for (const Side side : {Side::kFriend, Side::kEnemy}) {
    int points = 0;
    for (int seat = 0; seat < source.known.seats; ++seat) {
      if (source.known.side[at(seat)] == side) {
        points += points_of(CardSet(source.cards.captured[seat]));
      }
    }
    for (const int needed : kReached) *out++ = points >= needed ? T{1} : T{0};
  }
}

template <class T>
struct SectionWriter {
  Part part;
  void (*write)(const Source&, T*);
};

template <class T>
constexpr std::array<SectionWriter<T>, kNumParts> kWriters = {{
    {kBestSeat, put_best_seat<T>},
    {kBestCard, put_best_card<T>},
    {kSides, put_sides<T>},
    {kBestSide, put_best_side<T>},
    {kTakes, put_takes<T>},
    {kSure, put_sure<T>},
    {kAbove, put_above<T>},
    {kLacks, put_lacks<T>},
    {kOnly, put_only<T>},
    {kReachedPoints, put_reached<T>},
}};

constexpr bool writers_in_order() {
  std::size_t part = 0;
  for (const auto& writer : kWriters<std::uint8_t>) {
    if (writer.part != part++) return false;  // one that is missing is part 0
  }
  return true;
}
static_assert(writers_in_order(), "each section of v4 needs its writer, in the order of the row");

template <class T>
void write_added(const ViewLines& view, CardIndex card_index, T* row) {
  static const ContractWords words = make_contract_words();
  const CardsLine& cards = *view.cards;
  const int contract = cards.contract_code() - 1;
  if (cards.phase != static_cast<std::uint8_t>(Phase::kPlay) || contract < 0) return;
  const Deduction known(cards, *view.order, *view.events,
                        contract_row(static_cast<ContractClass>(contract)),
                        words[at(contract)][at(cards.trump_suit)]);
  const Source source{.cards = cards,
                      .known = known,
                      .map = card_index == CardIndex::kCanonical ? view.order->card_map : 0};
  for (const SectionWriter<T>& writer : kWriters<T>) {
    writer.write(source, row + added(writer.part).offset);
  }
}

}  // namespace

template <class T>
void write_views(std::span<const ViewLines> views, CardIndex cards, T* const* rows,
                 InstructionSet set) {
  rows::write_views(ObservationVersion::kV3, views, cards, rows, set);
  constexpr int kFirst = added(kBestSeat).offset;
  for (std::size_t i = 0; i < views.size(); ++i) {
    std::fill_n(rows[i] + kFirst, row_size(kAdded), T{0});
    write_added(views[i], cards, rows[i]);
  }
}

template void write_views(std::span<const ViewLines>, CardIndex, std::uint8_t* const*,
                          InstructionSet);
template void write_views(std::span<const ViewLines>, CardIndex, float* const*, InstructionSet);

}  // namespace schafkopf::layout::v4
