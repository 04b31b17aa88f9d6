// The sections of observation v1, from the lines of one view to bits in words: what rows of all
// versions begin with. Compiled for an instruction set by row_writer.h.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "env/base/assert.h"
#include "env/view/encoder_kernels.h"
#include "env/view/row_kernels.h"
#include "env/view/row_tables.h"

#define SCHAFKOPF_ROW [[gnu::always_inline]] inline

namespace schafkopf::rows {

namespace v1 = layout::v1;

/// What the kernels make of one view; the writers read it. Views are encoded a few at a time, one
/// step for all of them after the other, so that the processor always has independent work.
struct alignas(64) Prepared {
  std::uint32_t words[16];  // the line with its cards by the index of the row
  std::uint32_t unseen;     // as these
  std::uint32_t voids;      // void_groups
  kernels::CardSums sums;   // captured by each seat, on the table, unseen, own, own trumps
};

/// Everything that several writers share.
struct Seen {
  const CardsLine& cards;
  const OrderLine& order;
  const EventsLine& events;
  const RowTables& tables;
  bool in_play;
};
struct Input : Seen {
  const Prepared& prepared;
};

template <class Isa>
struct RowSections {
  SCHAFKOPF_ROW static bool in_play(const CardsLine& cards) {
    return cards.phase == static_cast<std::uint8_t>(Phase::kPlay);
  }

  static constexpr std::uint64_t mask_of(int bits) { return (std::uint64_t{1} << bits) - 1; }

  SCHAFKOPF_ROW static std::uint64_t two_words(const std::uint32_t* words) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, words, sizeof bits);
    return bits;
  }

  SCHAFKOPF_ROW static const ContractFacts& contract_of(const CardsLine& cards,
                                                        const RowTables& tables) {
    SCHAFKOPF_ASSERT(cards.trump_suit <= kNoTrumpSuit && cards.phase < kNumPhases);
    return tables.contracts[static_cast<std::size_t>(cards.contract_code())][cards.trump_suit];
  }

  /// The map that a row is encoded with: map 0, the identity, for absolute cards.
  SCHAFKOPF_ROW static const MapFacts& map_of(const OrderLine& order, CardIndex card_index,
                                              const RowTables& tables) {
    const std::size_t map = card_index == CardIndex::kCanonical ? order.card_map : 0u;
    SCHAFKOPF_ASSERT(map < tables.num_maps);
    return tables.maps[map];
  }

  SCHAFKOPF_ROW static void prepare_cards(const ViewLines& view, CardIndex card_index,
                                          const RowTables& tables, Prepared& prepared) {
    kernels::canonical_line(view.cards, contract_of(*view.cards, tables).trumps,
                            map_of(*view.order, card_index, tables).slots, prepared.words);
  }

  SCHAFKOPF_ROW static void prepare_sums(const ViewLines& view, CardIndex card_index,
                                         const RowTables& tables, Prepared& prepared) {
    const std::uint32_t* words = prepared.words;
    const std::uint64_t gone = two_words(words + kPlayedWord) | two_words(words + kPlayedWord + 2) |
                               two_words(words + kCapturedWord) |
                               two_words(words + kCapturedWord + 2);
    const std::uint64_t table = two_words(words + kTableWord) | two_words(words + kTableWord + 2);
    const std::uint32_t deck = view.order->deck == 0 ? kLongDeck.bits() : kShortDeck.bits();
    const std::uint32_t on = in_play(*view.cards) ? ~0u : 0u;
    const std::uint32_t hand = words[kHandWord];
    prepared.unseen =
        deck & ~(hand | static_cast<std::uint32_t>(gone) | static_cast<std::uint32_t>(gone >> 32));
    const std::uint32_t on_table =
        on & (static_cast<std::uint32_t>(table) | static_cast<std::uint32_t>(table >> 32));
    prepared.sums = kernels::card_sums(words + kCapturedWord, on_table, prepared.unseen, hand,
                                       hand & words[kTrumpsWord]);
    kernels::Groups groups;
    std::memcpy(groups.trump_suits, contract_of(*view.cards, tables).trump_suits,
                sizeof groups.trump_suits);
    std::memcpy(groups.plain, map_of(*view.order, card_index, tables).groups.data(),
                sizeof groups.plain);
    prepared.voids = kernels::void_groups(view.order->plays, view.order->seats, groups);
  }

  SCHAFKOPF_ROW static void put_cards(Features& features, const Input& input) {
    const std::uint32_t* words = input.prepared.words;
    const std::uint64_t on = input.in_play ? ~std::uint64_t{0} : 0;
    features.put_section<v1::kHand>(words[kHandWord]);
    features.put_section<v1::kLegalCards>(words[kLegalWord]);
    features.put_section<v1::kUnseen>(input.prepared.unseen);
    features.put_section<v1::kTable, 0, 32>(words[kTableWord + 1] & on);
    features.put_section<v1::kTable, 32, 64>(two_words(words + kTableWord + 2) & on);
    features.put_section<v1::kPlayed, 0, 64>(two_words(words + kPlayedWord));
    features.put_section<v1::kPlayed, 64, 64>(two_words(words + kPlayedWord + 2));
  }

  SCHAFKOPF_ROW static void put_situation(Features& features, const Input& input) {
    const CardsLine& cards = input.cards;
    const std::uint8_t bytes[] = {
        cards.phase,           cards.contract,      cards.called_card, cards.trump_suit,
        cards.declarer_leader, cards.partner_level, cards.seat_trick,  cards.flags};
    static_assert(std::size(bytes) == kNumContextBytes);
    ContextBits bits = {};
    for (std::size_t which = 0; which < kNumContextBytes; ++which) {
      bits |= input.tables.context[which][bytes[which]];
    }
    features.words[kFirstContextWord] |= bits[0];
    features.words[kLastContextWord] |= bits[1];
    const std::uint64_t off_play = input.in_play ? 0 : ~std::uint64_t{0};
    const std::uint64_t named =
        ((cards.table[2] | (std::uint64_t{cards.table[3]} << 32)) >> (kFirstContractAction - 64)) &
        0xFFFFFFu;
    features.put_section<v1::kLegalOther>(((cards.table[1] & 15u) | (named << 4)) & off_play);
    features.put_section<v1::kVoids>(kernels::pack_groups(input.prepared.voids));
    features.put_section<v1::kDealer>(one_hot_seat(input.order.dealer));
  }

  SCHAFKOPF_ROW static void put_auction(Features& features, const Input& input) {
    // Whole groups of events: nearly always one, and an absent event (0) changes nothing.
    constexpr int kGroup = 8;
    std::uint64_t said = 0;
    for (int first = 0; first < input.order.num_events; first += kGroup) {
      for (int i = first; i < first + kGroup; ++i) {
        const EventBits& bits =
            input.tables.events[input.events.events[i] & packed::kEventSaid.mask()];
        said = (said & bits.keep) | bits.set;
      }
    }
    features.put_section<v1::kAuction>(said);
  }

  /// Sum of the bytes that a mask keeps.
  SCHAFKOPF_ROW static unsigned sum_of(std::uint32_t packed, std::uint32_t mask) {
    return ((packed & mask) * 0x01010101u) >> 24;
  }

  /// Tricks of four seats from the number of their captured cards.
  SCHAFKOPF_ROW static std::uint32_t tricks_of(std::uint32_t cards, int seats) {
    if (seats == 4) return (cards >> 2) & 0x3F3F3F3Fu;
    std::uint32_t tricks = 0;
    for (int byte = 0; byte < 32; byte += 8) tricks |= (((cards >> byte) & 0xFFu) / 3) << byte;
    return tricks;
  }

  SCHAFKOPF_ROW static void put_sums(Features& features, const Input& input) {
    const kernels::CardSums& sums = input.prepared.sums;
    const std::uint32_t unseen = input.prepared.unseen;
    const std::uint32_t trumps = input.prepared.words[kTrumpsWord];
    const auto points = static_cast<std::uint32_t>(sums.points);
    const KnownParties<std::uint32_t>& parties = input.tables.parties[party_index(
        input.cards.declarer(), input.cards.partner(), input.cards.called_card != kNoCard,
        input.tables.everyone[static_cast<std::size_t>(input.cards.contract_code())],
        input.order.seats == 3)];
    // the upper four bytes of both sums: on the table, unseen, own cards, own trumps
    const std::uint64_t own_party = sum_of(points, parties.own);
    const std::uint64_t opponents = sum_of(points, parties.opponents);
    const std::uint64_t table_and_unseen = (sums.points >> 32) & 0xFFFFu;
    const std::uint64_t own_and_trumps = sums.counts >> 48;
    const std::uint64_t unseen_trumps = static_cast<unsigned>(std::popcount(unseen & trumps));
    const std::uint64_t own_points = ((sums.points >> 48) & 0xFFu) / 4;
    features.put_packed<v1::kPoints>(points);
    features.put_packed<v1::kTricks>(
        tricks_of(static_cast<std::uint32_t>(sums.counts), input.order.seats));
    features.put_packed<v1::kPartyPoints>(own_party | (opponents << 8) | (table_and_unseen << 16));
    features.put_packed<v1::kCounts>(own_and_trumps | (unseen_trumps << 16) | (own_points << 24) |
                                     (std::uint64_t{input.order.num_plays / 4u} << 32));
    features.put_packed<v1::kUnseenGroups>(kernels::bits_per_byte(unseen & ~trumps));
  }

  SCHAFKOPF_ROW static void put_context(Features& features, const Input& input) {
    const OrderLine& order = input.order;
    static_assert(offsetof(OrderLine, special_round) == offsetof(OrderLine, bock) + 1 &&
                  offsetof(OrderLine, games_left) == offsetof(OrderLine, bock) + 2 &&
                  offsetof(OrderLine, owed) == offsetof(OrderLine, bock) + 3);
    // Bock, special round, games left, owed games; a whole word, since one that was put together from
    // pieces in memory has to wait for them
    std::uint64_t bytes = 0;
    constexpr std::size_t kFrom = offsetof(OrderLine, bock);
    static_assert(kFrom + sizeof bytes <= sizeof order);
    std::memcpy(&bytes, reinterpret_cast<const std::uint8_t*>(&order) + kFrom, sizeof bytes);
    bytes &= mask_of(56);
    features.put_packed<v1::kContext>(
        logarithmic(order.stock) | ((bytes & 0xFFFFFFu) << 8) | (std::uint64_t{order.legen} << 32) |
        (std::uint64_t{order.bid / 10u} << 40) | (std::uint64_t{order.seats} << 48));
    features.put_packed<v1::kOwed>(bytes >> 24);
  }

  /// All sections of one view.
  SCHAFKOPF_ROW static Features collect(const Input& input) {
    Features features;
    put_cards(features, input);
    put_situation(features, input);
    put_auction(features, input);
    put_sums(features, input);
    put_context(features, input);
    return features;
  }
};

}  // namespace schafkopf::rows
