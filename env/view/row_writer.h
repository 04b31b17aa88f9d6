// Writers of observation rows v1 to v3: pure functions from view lines to one or a few sections, as
// bits in words until the last moment. For the files that compile them for an instruction set
// (encoder.cpp for that of the build, rows_*.cpp): `Isa` is a type of an unnamed namespace there,
// so that no other file can run into instructions that its processor lacks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "env/base/assert.h"
#include "env/view/encoder_kernels.h"
#include "env/view/packed_row.h"
#include "env/view/packed_sections.h"
#include "env/view/row_kernels.h"
#include "env/view/row_lanes.h"
#include "env/view/row_tables.h"

#define SCHAFKOPF_ROW [[gnu::always_inline]] inline

namespace schafkopf::rows {

namespace v1 = layout::v1;
namespace v2 = layout::v2;
namespace v3 = layout::v3;

/// Words of canonical_line.
enum LineWord : std::size_t {  // NOLINT(performance-enum-size): an index
  kHandWord = 0,
  kLegalWord = 1,
  kTrumpsWord = 2,
  kPlayedWord = 4,
  kTableWord = 8,
  kCapturedWord = 12
};
static_assert(offsetof(CardsLine, played) == 4 * kPlayedWord &&
              offsetof(CardsLine, table) == 4 * kTableWord &&
              offsetof(CardsLine, captured) == 4 * kCapturedWord);

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

// What v2 adds to v1: actions that v1 shows neither as legal cards nor in `legal_other`.
inline constexpr unsigned kFirstGap = kActionRaise70, kGapEnd = kActionClaimRest;
inline constexpr unsigned kSecondGap = kActionTarget1, kSecondGapEnd = kFirstContractAction;
inline constexpr int kGapLength = kGapEnd - kFirstGap;
static_assert(kGapLength + kSecondGapEnd - kSecondGap == v2::kAdded[v2::kLegalMore].length,
              "the section `legal_more` of observation v2 holds the actions 36..56 and 59..82");
inline constexpr int kAddedSize = layout::row_size(v2::kAdded);

/// Bits of v3 before its bytes, which are those of v1.
inline constexpr int kNumBitsV3 = v3::kSections[v3::kPoints].offset;
static_assert(v3::kSections[v3::kRules].offset == kNumBitsV3 + kNumBytes);

/// Card sets of tricks, by absolute cards and then by the index of the row, and the cards that v2
/// shows besides: sixteen words as canonical_line takes them.
struct TrickWords {
  std::uint32_t words[16] = {};  // eight tricks, then open, given, received and shown cards
  std::uint32_t leaders = 0;     // four bits a trick: relative seat that led it
  std::uint32_t winners = 0;     // and that took it
};
static_assert(v3::kTricks == 8);

template <class Isa>
struct RowWriter {
  static constexpr std::size_t kViewsAtOnce = 8;

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

  // v2

  /// Cards of the CARD events that follow an offer of the same seat (C.3).
  static std::uint32_t shown_cards(const EventsLine& events, int count) {
    std::uint32_t shown = 0;
    int offerer = kNoSeat;
    for (int i = 0; i < count; ++i) {
      const unsigned event = events.events[i];
      const Action action = packed::action_of(event);
      const int seat = packed::actor_of(event);
      if (action == kActionHzOffer1 || action == kActionHzOffer2) {
        offerer = seat;
      } else if (action < kNumCards && seat == offerer) {
        shown |= 1u << action;
      } else {
        offerer = kNoSeat;
      }
    }
    return shown;
  }

  SCHAFKOPF_ROW static std::uint32_t announced(const Seen& input) {
    std::uint32_t bits = 0;
    for (int i = 0; i < input.order.num_events; ++i) {
      bits |= input.tables.announced[input.events.events[i] & packed::kEventSaid.mask()];
    }
    return bits;
  }

  /// Legal actions as legal_actions of the view, 128 bits.
  struct Legal {
    std::uint64_t low = 0, high = 0;
  };
  SCHAFKOPF_ROW static Legal legal_of(const Seen& input) {
    const CardsLine& cards = input.cards;
    const std::uint64_t to_act = (cards.flags & kFlagToAct) != 0 ? ~std::uint64_t{0} : 0;
    const std::uint64_t play = input.in_play ? ~std::uint64_t{0} : 0;
    const std::uint64_t claims = std::uint64_t{cards.flags & 3u} << kActionClaimRest;
    return {to_act & ((play & (cards.legal | claims)) | (~play & two_words(cards.table))),
            to_act & ~play & two_words(cards.table + 2)};
  }

  SCHAFKOPF_ROW static bool forgets(const OrderLine& order) {
    return order.num_plays > 0 && packed::kPlayPresent.of(order.plays[0]) == 0;
  }

  /// The words beside the tricks; returns the announcements.
  SCHAFKOPF_ROW static std::uint32_t add_shown(const Seen& input, TrickWords& tricks) {
    const std::uint32_t said = announced(input);
    tricks.words[8] = input.order.open;
    tricks.words[9] = input.order.given;
    tricks.words[10] = input.order.received;
    constexpr std::uint32_t kOffers =
        3u *
        (1u | 1u << kNumAnnouncements | 1u << 2 * kNumAnnouncements | 1u << 3 * kNumAnnouncements);
    tricks.words[11] =
        (said & kOffers) == 0 ? 0u : shown_cards(input.events, input.order.num_events);
    return said;
  }

  /// The sections that v2 adds, from the words by the index of the row.
  SCHAFKOPF_ROW static RowBits<kAddedSize> added(const Seen& input, const std::uint32_t* words,
                                                 std::uint32_t said) {
    const Legal legal = legal_of(input);
    RowBits<kAddedSize> bits;
    bits.template put<v2::kAdded[v2::kOpen].offset, 64>(two_words(words + 8));
    bits.template put<v2::kAdded[v2::kReceived].offset, 64>(two_words(words + 10));
    constexpr int kMore = v2::kAdded[v2::kLegalMore].offset;
    bits.template put<kMore, kGapLength>((legal.low >> kFirstGap) &
                                         ((std::uint64_t{1} << kGapLength) - 1));
    constexpr int kBelow = 64 - kSecondGap, kAbove = kSecondGapEnd - 64;
    bits.template put<kMore + kGapLength, kBelow>(legal.low >> kSecondGap);
    bits.template put<kMore + kGapLength + kBelow, kAbove>(legal.high &
                                                           ((std::uint64_t{1} << kAbove) - 1));
    bits.template put<v2::kAdded[v2::kAnnounced].offset, v2::kAdded[v2::kAnnounced].length>(said);
    bits.template put<v2::kAdded[v2::kForgotten].offset, 1>(forgets(input.order) ? 1 : 0);
    return bits;
  }

  // v3

  /// Four seats and a line that begins with the deal: trick t is bytes 4 t to 4 t + 3.
  SCHAFKOPF_ROW static void whole_tricks(const Seen& input, TrickWords& tricks) {
    std::uint32_t plays[v3::kTricks];
    std::memcpy(plays, input.order.plays, sizeof plays);
    std::uint32_t leaders[v3::kTricks], winners[v3::kTricks];
    const std::uint32_t* captured = input.cards.captured;
    for (int trick = 0; trick < v3::kTricks; ++trick) {
      const std::uint32_t four = plays[trick];
      std::uint32_t cards = 0;
      for (unsigned byte = 0; byte < 32; byte += 8) {
        cards |= ((four >> (byte + packed::kPlayPresent.at)) & 1u) << ((four >> byte) & 31u);
      }
      tricks.words[trick] = cards;
      leaders[trick] = ((four >> packed::kPlayPresent.at) & 1u)
                       << ((four >> packed::kPlaySeat.at) & 3u);
      std::uint32_t won = 0;
      for (unsigned seat = 0; seat < kNumSeats; ++seat) {
        won |= (cards & captured[seat]) != 0 ? 1u << seat : 0u;
      }
      winners[trick] = won;
    }
    for (unsigned trick = 0; trick < v3::kTricks; ++trick) {
      tricks.leaders |= leaders[trick] << (kNumSeats * trick);
      tricks.winners |= winners[trick] << (kNumSeats * trick);
    }
  }

  /// Any number of seats; card i of the line belongs to trick (i + before) / seats.
  static void shifted_tricks(const Seen& input, int before, TrickWords& tricks) {
    const int seats = input.order.seats;
    for (int i = 0; i < input.order.num_plays; ++i) {
      const unsigned play = input.order.plays[i];
      const int trick = (before + i) / seats;
      if (packed::kPlayPresent.of(play) == 0 || trick >= v3::kTricks) continue;
      const auto shift = static_cast<unsigned>(kNumSeats * trick);
      const std::uint32_t card = 1u << packed::kPlayCard.of(play);
      tricks.words[trick] |= card;
      if ((before + i) % seats == 0) tricks.leaders |= 1u << packed::kPlaySeat.of(play) << shift;
      for (unsigned seat = 0; seat < kNumSeats; ++seat) {
        if ((input.cards.captured[seat] & card) != 0) tricks.winners |= 1u << seat << shift;
      }
    }
  }

  SCHAFKOPF_ROW static TrickWords tricks_of_view(const Seen& input) {
    TrickWords tricks;
    const int played =
        input.cards.trick_number() * input.order.seats + input.cards.cards_on_table();
    const int before = played > input.order.num_plays ? played - input.order.num_plays : 0;
    if (input.order.seats == kNumSeats && before == 0) {
      whole_tricks(input, tricks);
    } else {
      shifted_tricks(input, before, tricks);
    }
    return tricks;
  }

  template <v3::Part part, int shift = 0, int bits = v3::kSections[part].length>
  SCHAFKOPF_ROW static void put_v3(RowBits<kNumBitsV3>& row, std::uint64_t value) {
    static_assert(shift + bits <= v3::kSections[part].length);
    row.template put<v3::kSections[part].offset + shift, bits>(value);
  }
  /// Sections of v1 and v2 that v3 takes over, 64 bits at a time.
  template <v3::Part part, int from, int shift = 0, int count>
  SCHAFKOPF_ROW static void move_bits(RowBits<kNumBitsV3>& row, const RowBits<count>& source) {
    constexpr int kLeft = v3::kSections[part].length - shift, kBits = kLeft < 64 ? kLeft : 64;
    put_v3<part, shift, kBits>(row, source.template get<from + shift, kBits>());
    if constexpr (kLeft > 64) move_bits<part, from, shift + 64>(row, source);
  }
  template <v3::Part part, v1::Part from>
  SCHAFKOPF_ROW static void move_v1(RowBits<kNumBitsV3>& row, const Features& features) {
    static_assert(v3::kSections[part].length == v1::kSections[from].length);
    move_bits<part, v1::kSections[from].offset>(row, features);
  }
  template <v3::Part part, v2::Part from>
  SCHAFKOPF_ROW static void move_v2(RowBits<kNumBitsV3>& row, const RowBits<kAddedSize>& more) {
    static_assert(v3::kSections[part].length == v2::kAdded[from].length);
    move_bits<part, v2::kAdded[from].offset>(row, more);
  }

  /// What each seat said and named last, from the auction of v1.
  SCHAFKOPF_ROW static void put_auction_v3(RowBits<kNumBitsV3>& row, std::uint64_t auction) {
    std::uint64_t said = 0, touts = 0, named[2] = {};
    for (unsigned seat = 0; seat < kNumSeats; ++seat) {
      const std::uint64_t own = auction >> (v1::kBitsOfSeat * seat);
      said |= (own & ((1u << v3::kSaidBits) - 1)) << (v3::kSaidBits * seat);
      touts |= ((own >> (v1::kBitsOfSeat - 1)) & 1u) << seat;
      const std::uint64_t one_hot = (std::uint64_t{1} << ((own >> v3::kSaidBits) & 31u)) >> 1;
      named[seat / 2] |= one_hot << (v3::kClassPlaces * (seat % 2));
    }
    put_v3<v3::kSaid>(row, said);
    put_v3<v3::kNamed, 0, 64>(row, named[0]);
    put_v3<v3::kNamed, 64, 64>(row, named[1]);
    put_v3<v3::kNamedTout>(row, touts);
  }

  SCHAFKOPF_ROW static RowBits<kNumBitsV3> bits_v3(const Seen& input, const Features& features,
                                                   CardIndex card_index) {
    TrickWords tricks = tricks_of_view(input);
    const std::uint32_t said = add_shown(input, tricks);
    const MapFacts& map = map_of(input.order, card_index, input.tables);
    std::uint32_t words[16];
    kernels::canonical_line(tricks.words, tricks.words[kTrumpsWord], map.slots, words);
    const RowBits<kAddedSize> more = added(input, words, said);
    const Legal legal = legal_of(input);
    const CardsLine& cards = input.cards;
    RowBits<kNumBitsV3> row;
    move_v1<v3::kHand, v1::kHand>(row, features);
    move_v1<v3::kLegalCards, v1::kLegalCards>(row, features);
    move_v1<v3::kUnseen, v1::kUnseen>(row, features);
    move_v1<v3::kTable, v1::kTable>(row, features);
    move_v1<v3::kPlayed, v1::kPlayed>(row, features);
    put_v3<v3::kTrickCards, 0, 64>(row, two_words(words));
    put_v3<v3::kTrickCards, 64, 64>(row, two_words(words + 2));
    put_v3<v3::kTrickCards, 128, 64>(row, two_words(words + 4));
    put_v3<v3::kTrickCards, 192, 64>(row, two_words(words + 6));
    put_v3<v3::kTrickLeader>(row, tricks.leaders);
    put_v3<v3::kTrickWinner>(row, tricks.winners);
    put_v3<v3::kContract>(row, (std::uint64_t{1} << cards.contract_code()) >> 1);
    move_v1<v3::kTout, v1::kTout>(row, features);
    put_v3<v3::kTrumpSuit>(row, cards.trump_suit < kNumSuits ? map.groups[cards.trump_suit] : 0u);
    put_v3<v3::kCalledSuit>(
        row, cards.called_card < kNumCards ? map.groups[cards.called_card >> 3] : 0u);
    move_v1<v3::kCalledRank, v1::kCalledRank>(row, features);
    move_v1<v3::kLevel, v1::kLevel>(row, features);
    move_v1<v3::kDeclarer, v1::kDeclarer>(row, features);
    move_v1<v3::kLeader, v1::kLeader>(row, features);
    move_v1<v3::kPartner, v1::kPartner>(row, features);
    move_v1<v3::kFlags, v1::kFlags>(row, features);
    put_v3<v3::kPhase>(row, cards.phase < kNumPhases ? std::uint64_t{1} << cards.phase : 0);
    put_v3<v3::kLegalActions, 0, 64 - v3::kFirstOther>(row, legal.low >> v3::kFirstOther);
    put_v3<v3::kLegalActions, 64 - v3::kFirstOther, 64>(row, legal.high);
    move_v1<v3::kTrick, v1::kTrick>(row, features);
    move_v1<v3::kOnTable, v1::kOnTable>(row, features);
    move_v1<v3::kVoids, v1::kVoids>(row, features);
    move_v1<v3::kDealer, v1::kDealer>(row, features);
    put_auction_v3(row, features.template section<v1::kAuction>());
    move_v2<v3::kAnnounced, v2::kAnnounced>(row, more);
    move_v2<v3::kOpen, v2::kOpen>(row, more);
    move_v2<v3::kGiven, v2::kGiven>(row, more);
    move_v2<v3::kReceived, v2::kReceived>(row, more);
    move_v2<v3::kShown, v2::kShown>(row, more);
    move_v2<v3::kForgotten, v2::kForgotten>(row, more);
    return row;
  }

  // Rows

  template <Stores stores>
  SCHAFKOPF_ROW static void write_bytes(const Features& features, const RowTables&,
                                        std::uint8_t* out) {
    // word by word: 32 bytes at once would wait until all words have arrived in memory
    for (std::size_t i = 0; i < kNumBytes / sizeof(std::uint64_t); ++i) {
      std::uint64_t word = features.byte_words()[i];
      asm("" : "+r"(word));
      kernels::put_word<stores>(word, out + i * sizeof word);
    }
  }
  template <Stores stores>
  SCHAFKOPF_ROW static void write_bytes(const Features& features, const RowTables& tables,
                                        float* out) {
    std::uint8_t bytes[kNumBytes];
    std::memcpy(bytes, features.byte_words(), kNumBytes);
    kernels::scale_bytes<stores>(bytes, tables.scales.data(), kNumBytes, out);
  }

  /// The first `bits` bits of the words; nothing behind them is touched.
  template <int bits, Stores stores = Stores::kCached, class T>
  SCHAFKOPF_ROW static void write_bits(const std::uint64_t* words, T* out) {
    constexpr int kWhole = bits / 64, kRest = bits % 64;
    for (int i = 0; i < kWhole; ++i) kernels::expand_bits<stores>(words[i], out + 64 * i);
    if constexpr (kRest != 0) {
      T last[64];
      kernels::expand_bits(words[kWhole], last);
      std::memcpy(out + 64 * kWhole, last, kRest * sizeof(T));
    }
  }

  /// A row of v1.
  template <Stores stores, class T>
  SCHAFKOPF_ROW static void write_features(const Features& features, const RowTables& tables,
                                           T* row) {
    write_bits<kNumBits, stores>(features.words, row);
    write_bytes<stores>(features, tables, row + kNumBits);
  }

  template <ObservationVersion version, Stores stores, class T>
  static void write_row(const Seen& input, const Features& features, CardIndex card_index, T* row) {
    if constexpr (version == ObservationVersion::kV3) {
      const RowBits<kNumBitsV3> bits = bits_v3(input, features, card_index);
      write_bits<kNumBitsV3>(bits.words, row);
      write_bytes<stores>(features, input.tables, row + kNumBitsV3);
      return;
    }
    write_features<stores>(features, input.tables, row);
    if constexpr (version == ObservationVersion::kV2) {
      TrickWords words;
      const std::uint32_t said = add_shown(input, words);
      const MapFacts& map = map_of(input.order, card_index, input.tables);
      std::uint32_t moved[16];
      kernels::canonical_line(words.words, words.words[kTrumpsWord], map.slots, moved);
      const RowBits<kAddedSize> more = added(input, moved, said);
      write_bits<kAddedSize>(more.words, row + kViewSize);
    }
  }

  SCHAFKOPF_ROW static Seen seen_by(const ViewLines& view, const RowTables& tables) {
    return {*view.cards, *view.order, *view.events, tables, in_play(*view.cards)};
  }

  /// Calls write(input, i) for every view, some of them prepared together.
  template <class T, class Write>
  SCHAFKOPF_ROW static void for_each_view(const RowWork<T>& work, const Write& write) {
    const RowTables& tables = *work.tables;
    Prepared prepared[kViewsAtOnce];
    for (std::size_t first = 0; first < work.size; first += kViewsAtOnce) {
      const std::size_t left = work.size - first;
      const std::size_t count = left < kViewsAtOnce ? left : kViewsAtOnce;
      const ViewLines* here = work.views + first;
      for (std::size_t i = 0; i < count; ++i) {
        prepare_cards(here[i], work.cards, tables, prepared[i]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        prepare_sums(here[i], work.cards, tables, prepared[i]);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const ViewLines& view = here[i];
        write(Input{seen_by(view, tables), prepared[i]}, first + i);
      }
    }
  }

  static constexpr bool kHasLanes = requires { Isa::kLanes; };

  template <class T>
  SCHAFKOPF_ROW static RowWork<T> part(const RowWork<T>& work, std::size_t first,
                                       std::size_t size) {
    RowWork<T> some = work;
    some.views += first;
    some.rows += first;
    some.size = size;
    return some;
  }
  /// Calls write(features, i) for views from `first` on, one by one.
  template <class T, class Write>
  SCHAFKOPF_ROW static void one_by_one(const RowWork<T>& work, std::size_t first, std::size_t size,
                                       const Write& write) {
    for_each_view(part(work, first, size),
                  [&](const Input& input, std::size_t i) { write(collect(input), first + i); });
  }
  /// Calls group(views, first, count) for views in groups as large as there are lanes, the last of them
  /// filled up unless more than half would be too many, and single(first, count) for those of which it
  /// says false and for the rest.
  template <class T, class Group, class Single>
  SCHAFKOPF_ROW static void by_lanes(const RowWork<T>& work, const Group& group,
                                     const Single& single) {
    constexpr std::size_t n = RowLanes<Isa>::kLanes;
    std::size_t done = 0;
    while (work.size - done >= n / 2) {
      const std::size_t count = work.size - done < n ? work.size - done : n;
      const ViewLines* views = work.views + done;
      ViewLines filled[n];
      if (count < n) {
        for (std::size_t k = 0; k < n; ++k) filled[k] = views[k < count ? k : 0];
        views = filled;
      }
      if (!group(views, done, count)) single(done, count);
      done += count;
    }
    single(done, work.size - done);
  }
  template <class T, class Write>
  SCHAFKOPF_ROW static void for_each_features(const RowWork<T>& work, const Write& write) {
    const auto single = [&](std::size_t first, std::size_t size) {
      one_by_one(work, first, size, write);
    };
    if constexpr (kHasLanes) {
      typename RowLanes<Isa>::Rows made;
      const auto group = [&](const ViewLines* views, std::size_t first, std::size_t count) {
        if (!RowLanes<Isa>::collect(views, work.cards, *work.tables, made)) return false;
        for (std::size_t k = 0; k < count; ++k) write(made.rows[k], first + k);
        return true;
      };
      by_lanes(work, group, single);
    } else {
      single(0, work.size);
    }
  }

  /// The view parts of rows: view i to rows[i].
  template <ObservationVersion version, Stores stores, class T>
  SCHAFKOPF_ROW static void write_by(const RowWork<T>& work) {
    for_each_features(work, [&](const Features& features, std::size_t i) {
      if constexpr (version == ObservationVersion::kV1) {
        write_features<stores>(features, *work.tables, work.rows[i]);
      } else {
        write_row<version, stores>(seen_by(work.views[i], *work.tables), features, work.cards,
                                   work.rows[i]);
      }
    });
  }
  template <ObservationVersion version, class T>
  static void write(const RowWork<T>& work) {
    if constexpr (version == ObservationVersion::kV1 && kernels::kStreams) {
      if (work.stores == Stores::kStreamed) return write_by<version, Stores::kStreamed>(work);
    }
    write_by<version, Stores::kCached>(work);
  }

  SCHAFKOPF_ROW static bool are_same(const std::uint8_t* a, const std::uint8_t* b,
                                     std::size_t bytes) {
    if constexpr (kHasLanes) {
      using Vector = Isa::Vector;
      Vector differ{};
      std::size_t at = 0;
      for (; at + sizeof differ <= bytes; at += sizeof differ) {
        Vector here, there;
        __builtin_memcpy(&here, a + at, sizeof here);
        __builtin_memcpy(&there, b + at, sizeof there);
        differ |= here ^ there;
      }
      if (Isa::bits(Isa::all_if(differ)) != 0) return false;
      return at == bytes || std::memcmp(a + at, b + at, bytes - at) == 0;
    }
    return std::memcmp(a, b, bytes) == 0;
  }

  /// Sections are compared before they are written: that costs less than dirtying their lines.
  static void keep(const SectionWork& work) {
    for (std::size_t i = 0; i < work.size; ++i) {
      const auto* const section = static_cast<const std::uint8_t*>(work.sections[i]);
      auto* const place = static_cast<std::uint8_t*>(work.rows[i]);
      if (!are_same(section, place, work.bytes)) std::memcpy(place, section, work.bytes);
    }
  }

  // Packed rows

  using PackedBits = RowBits<layout::packed_row::kBits>;

  struct Words {
    static constexpr int kMostBits = 64;
    SCHAFKOPF_ROW static std::uint64_t low_bits(int bits) { return mask_of(bits); }
    template <int places>
    SCHAFKOPF_ROW static std::uint64_t number_of(std::uint64_t one_hot) {
      return static_cast<std::uint64_t>(64 - std::countl_zero(one_hot));  // no branch on none
    }
    SCHAFKOPF_ROW static std::uint64_t one_hot(std::uint64_t number) {
      return (std::uint64_t{1} << number) >> 1;
    }
    SCHAFKOPF_ROW static std::uint64_t at_most(std::uint64_t value, std::uint64_t most) {
      return value < most ? value : most;
    }
  };
  using Sections = PackedSections<Words>;

  static void pack(const RowWork<std::uint8_t>& work) {
    const auto single = [&](std::size_t first, std::size_t size) {
      one_by_one(work, first, size, [&](const Features& features, std::size_t i) {
        PackedBits row;
        Sections::pack_all(features, row);
        std::memcpy(work.rows[i], row.words, sizeof row.words);
      });
    };
    if constexpr (kHasLanes) {
      typename RowLanes<Isa>::PackedRows made;
      const auto group = [&](const ViewLines* views, std::size_t first, std::size_t count) {
        if (!RowLanes<Isa>::pack(views, work.cards, *work.tables, made)) return false;
        for (std::size_t k = 0; k < count; ++k) {
          __builtin_memcpy(work.rows[first + k], made.rows[k].words, sizeof made.rows[k].words);
        }
        return true;
      };
      by_lanes(work, group, single);
    } else {
      single(0, work.size);
    }
  }
  template <class T>
  static void unpack(const PackedWork<T>& work) {
    for (std::size_t i = 0; i < work.size; ++i) {
      PackedBits row;
      std::memcpy(row.words, work.packed + i * sizeof row.words, sizeof row.words);
      Features features;
      Sections::unpack_all(row, features);
      write_features<Stores::kCached>(features, *work.tables,
                                      work.rows + i * std::size_t{kViewSize});
    }
  }

  static constexpr RowKernel kernel() noexcept {
    constexpr auto kV1 = ObservationVersion::kV1, kV2 = ObservationVersion::kV2,
                   kV3 = ObservationVersion::kV3;
    return {.u8 = {write<kV1, std::uint8_t>, write<kV2, std::uint8_t>, write<kV3, std::uint8_t>},
            .f32 = {write<kV1, float>, write<kV2, float>, write<kV3, float>},
            .keep = keep,
            .pack = pack,
            .unpack_u8 = unpack<std::uint8_t>,
            .unpack_f32 = unpack<float>};
  }
};

}  // namespace schafkopf::rows
