// What observations v2 and v3 show beside v1: tricks, announcements, open cards and all legal actions.
// Compiled for an instruction set by row_writer.h.
#pragma once

#include <cstdint>
#include <cstring>

#include "env/view/row_sections.h"

namespace schafkopf::rows {

namespace v2 = layout::v2;
namespace v3 = layout::v3;

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
struct RowTricks : RowSections<Isa> {
  using RowSections<Isa>::map_of;
  using RowSections<Isa>::two_words;

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
};

}  // namespace schafkopf::rows
