// Rows of observation v1 for as many views at once as an instruction set has lanes: their lines are
// turned into words of lanes, a section is made for all of them together, and the words of the rows
// are turned back. The same values as RowSections::collect makes of one view (row_sections.h), which
// also has those that do not fill a group and tables of three.
#pragma once

#include <cstddef>
#include <cstdint>

#include "env/base/lane_word.h"
#include "env/view/packed_sections.h"
#include "env/view/row_tables.h"

namespace schafkopf::rows {

template <class Isa>
struct RowLanes {
  using W = LaneWord<Isa>;
  static constexpr std::size_t kLanes = Isa::kLanes;
  static constexpr std::size_t kLineWords = 16;  // of each of the three lines

  struct alignas(64) Rows {
    struct alignas(64) Row : Features {};
    Row rows[kLanes];
  };
  static constexpr std::size_t kRowWords = sizeof(Features) / 4;
  static_assert(sizeof(Features) == 4 * kRowWords && kRowWords == 24);

  /// Words of an OrderLine.
  enum OrderWord : std::size_t {  // NOLINT(performance-enum-size): an index
    kPlays = 0,
    kCountsWord = 8,
    kNumSeatsWord = 9,
    kRoundWord = 10,
    kDeckWord = 11,
    kStock = 12,
  };
  static_assert(offsetof(OrderLine, dealer) == 4 * kCountsWord &&
                offsetof(OrderLine, num_plays) == 4 * kCountsWord + 1 &&
                offsetof(OrderLine, num_events) == 4 * kCountsWord + 2 &&
                offsetof(OrderLine, seats) == 4 * kNumSeatsWord &&
                offsetof(OrderLine, legen) == 4 * kNumSeatsWord + 1 &&
                offsetof(OrderLine, bid) == 4 * kNumSeatsWord + 2 &&
                offsetof(OrderLine, bock) == 4 * kNumSeatsWord + 3 &&
                offsetof(OrderLine, special_round) == 4 * kRoundWord &&
                offsetof(OrderLine, games_left) == 4 * kRoundWord + 1 &&
                offsetof(OrderLine, owed) == 4 * kRoundWord + 2 &&
                offsetof(OrderLine, deck) == 4 * kDeckWord + 2 &&
                offsetof(OrderLine, stock) == 4 * kStock);

  /// Words of a group of rows, as RowBits has those of one.
  template <std::size_t kWords>
  struct WordBits {
    W words[kWords];

    template <int at, int bits>
    SCHAFKOPF_LANE void put(W value) {
      static_assert(bits <= 32 && at + bits <= 32 * static_cast<int>(kWords));
      constexpr int kWord = at / 32, kShift = at % 32;
      words[kWord] = words[kWord] | (value << kShift);
      if constexpr (kShift + bits > 32) {
        words[kWord + 1] = words[kWord + 1] | (value >> (32 - kShift));
      }
    }
    template <int at, int bits>
    [[nodiscard]] SCHAFKOPF_LANE W get() const {
      static_assert(bits <= 32 && at + bits <= 32 * static_cast<int>(kWords));
      constexpr int kWord = at / 32, kShift = at % 32;
      W value = words[kWord] >> kShift;
      if constexpr (kShift + bits > 32) value = value | (words[kWord + 1] << (32 - kShift));
      if constexpr (bits < 32) value = value & all((1u << bits) - 1u);
      return value;
    }
  };
  struct Bits : WordBits<kRowWords> {
    template <layout::v1::Part part, int shift = 0, int bits = layout::v1::kSections[part].length>
    SCHAFKOPF_LANE void put_section(W value) {
      static_assert(shift + bits <= layout::v1::kSections[part].length);
      static_assert(part < layout::v1::kPoints);
      this->template put<layout::v1::kSections[part].offset + shift, bits>(value);
    }
    /// `count` bytes of a section of bytes, from byte `first` on.
    template <layout::v1::Part part, int first = 0,
              int count = layout::v1::kSections[part].length - first>
    SCHAFKOPF_LANE void put_bytes(W value) {
      static_assert(part >= layout::v1::kPoints &&
                    first + count <= layout::v1::kSections[part].length);
      constexpr int kByte = layout::v1::kSections[part].offset - kNumBits + first;
      this->template put<kNumBits + 8 * kByte, 8 * count>(value);
    }
  };

  /// Everything that several sections share.
  struct Views {
    W cards[kLineWords], order[kLineWords];
    W trumps;  // absolute
    // by the index of the row
    W own, own_trumps, trumps_of_row, captured[4], on_table, unseen;
    W in_play;
  };

  SCHAFKOPF_LANE static W all(std::uint32_t value) { return W::all(value); }
  /// Of all lanes.
  SCHAFKOPF_LANE static bool is_zero(W word) { return Isa::bits(all_if(word).v) == 0; }
  SCHAFKOPF_LANE static W byte(W word, int number) {
    if (number == 3) return word >> 24;
    return (word >> (8 * number)) & all(0xFFu);
  }
  SCHAFKOPF_LANE static W field(W byte, packed::Bits bits) {
    return (byte >> static_cast<int>(bits.at)) & all((1u << bits.width) - 1u);
  }
  SCHAFKOPF_LANE static W bit_at(W word, W number) { return (word >> number) & all(1u); }
  SCHAFKOPF_LANE static W one_hot(W number) { return all(1u) << number; }
  SCHAFKOPF_LANE static W seat_bit(W seat) { return one_hot(seat) & all(15u); }
  SCHAFKOPF_LANE static W shuffled(W table, W index) {
    return {Isa::shuffled_bytes(table.v, index.v)};
  }
  SCHAFKOPF_LANE static W sum(W bytes) { return {Isa::sums_of_bytes(bytes.v)}; }
  template <std::size_t size>
  SCHAFKOPF_LANE static W sixteen(const std::array<std::uint8_t, size>& bytes,
                                  std::size_t first = 0) {
    return {Isa::sixteen_bytes(bytes.data() + first)};
  }
  SCHAFKOPF_LANE static W load(const std::uint32_t* lanes) {
    W word;
    __builtin_memcpy(&word.v, lanes, sizeof word.v);
    return word;
  }
  /// Number of the first byte of a word among the sixteen that a shuffle sees, in all four bytes.
  SCHAFKOPF_LANE static W first_bytes() {
    static constexpr std::array<std::uint8_t, 16> kFirst = {0, 0, 0, 0, 4,  4,  4,  4,
                                                            8, 8, 8, 8, 12, 12, 12, 12};
    return sixteen(kFirst);
  }

  /// Bytes of a table of sixteen at the bytes of `index`; 0 for those that are beyond it.
  SCHAFKOPF_LANE static W looked_up(W table, W index) {
    return shuffled(table, {Isa::bounded_sum_of_bytes(index.v, all(0x70707070u).v)});
  }
  /// The lowest byte in all four.
  SCHAFKOPF_LANE static W spread(W byte) {
    const W two = byte | (byte << 8);
    return two | (two << 16);
  }

  // Sums over cards, byte by byte: a suit is a byte

  SCHAFKOPF_LANE static W by_nibbles(W words, W low, W high) {
    const W nibble = all(0x0F0F0F0Fu);
    return shuffled(low, words & nibble) + shuffled(high, (words >> 4) & nibble);
  }
  SCHAFKOPF_LANE static W points_by_suit(W cards) {
    return by_nibbles(cards, sixteen(kernels::kNibblePoints.low),
                      sixteen(kernels::kNibblePoints.high));
  }
  SCHAFKOPF_LANE static W counts_by_suit(W cards) {
    return by_nibbles(cards, sixteen(kernels::kNibbleBits), sixteen(kernels::kNibbleBits));
  }
  SCHAFKOPF_LANE static W bytes_of(W a, W b, W c, W d) {
    return (a | (b << 8)) | ((c << 16) | (d << 24));
  }

  // Preparation

  /// Cards by the index of the row.
  struct Map {
    W kept, shuffle;
    W plain;  // byte s: bit of the suit s among the groups
    template <bool kCanonical>
    [[nodiscard]] SCHAFKOPF_LANE W of(W cards) const {
      if constexpr (!kCanonical) return cards;
      return (cards & kept) | shuffled(cards & ~kept, shuffle);
    }
  };

  /// Trumps of a contract: the ranks that are trumps in every suit, and the trump suit.
  SCHAFKOPF_LANE static W trumps_of(W contract_word, const RowTables& tables) {
    const W code = field(byte(contract_word, 1), packed::kContractCode);
    const W ranks = looked_up(sixteen(tables.trump_ranks), code) |
                    looked_up(sixteen(tables.trump_ranks, 16), code - all(16u));
    const W has_suit = bit_at(all(tables.suited_bits), code);
    const W suit = byte(contract_word, 3);
    // no suit is 4, and nothing is left of it
    const W whole = (((has_suit << 8) - has_suit) << ((suit & all(3u)) << 3)) & ~all_if(suit >> 2);
    return spread(ranks & all(0xFFu)) | whole;
  }

  template <bool kCanonical>
  SCHAFKOPF_LANE static Map map_of(const ViewLines* views, const RowTables& tables) {
    if constexpr (!kCanonical) return {all(0), all(0), all(0x08040201u)};
    alignas(64) std::uint32_t kept[kLanes], shuffles[kLanes], groups[kLanes];
#pragma GCC unroll 4
    for (std::size_t k = 0; k < kLanes; ++k) {
      SCHAFKOPF_ASSERT(views[k].order->card_map < tables.num_maps);
      const MapFacts& facts = tables.maps[views[k].order->card_map];
      kept[k] = facts.slots.kept;
      __builtin_memcpy(&shuffles[k], facts.slots.shuffle, 4);
      __builtin_memcpy(&groups[k], facts.groups.data(), 4);
    }
    return {load(kept), load(shuffles) | first_bytes(), load(groups)};
  }

  template <bool kCanonical>
  SCHAFKOPF_LANE static void put_cards(Views& seen, const Map& map, Bits& row) {
    const auto mapped = [&map](W cards) { return map.template of<kCanonical>(cards); };
    seen.in_play = all_equal(byte(seen.cards[kContractWord], 0),
                             all(static_cast<std::uint32_t>(Phase::kPlay)));
    seen.own = mapped(seen.cards[kHandWord]);
    seen.trumps_of_row = mapped(seen.trumps);
    seen.own_trumps = seen.own & seen.trumps_of_row;
    W gone = seen.own;
    row.words[0] = seen.own;
    row.words[1] = mapped(seen.cards[kLegalWord]);
    W on_table = mapped(seen.cards[kTableWord]);
#pragma GCC unroll 4
    for (std::size_t seat = 0; seat < 4; ++seat) {
      const W played = mapped(seen.cards[kPlayedWord + seat]);
      seen.captured[seat] = mapped(seen.cards[kCapturedWord + seat]);
      gone = gone | played | seen.captured[seat];
      row.words[6 + seat] = played;
      if (seat != 0) {
        const W card = mapped(seen.cards[kTableWord + seat]);
        row.words[2 + seat] = card & seen.in_play;
        on_table = on_table | card;
      }
    }
    static_assert(layout::v1::kSections[layout::v1::kHand].offset == 0 &&
                  layout::v1::kSections[layout::v1::kLegalCards].offset == 32 &&
                  layout::v1::kSections[layout::v1::kUnseen].offset == 2 * 32 &&
                  layout::v1::kSections[layout::v1::kTable].offset == 3 * 32 &&
                  layout::v1::kSections[layout::v1::kPlayed].offset == 6 * 32 &&
                  layout::v1::kSections[layout::v1::kContract].offset == 10 * 32);
    seen.on_table = on_table & seen.in_play;
    const W is_short = all_if(byte(seen.order[kDeckWord], 2));
    seen.unseen = blend(is_short, all(kShortDeck.bits()), all(kLongDeck.bits())) & ~gone;
    row.words[2] = seen.unseen;
#pragma GCC unroll 16
    for (std::size_t word = 10; word < kRowWords; ++word) row.words[word] = all(0);
  }

  // Sections

  SCHAFKOPF_LANE static void put_situation(const Views& seen, Bits& row) {
    namespace v1 = layout::v1;
    const W contract_word = seen.cards[kContractWord], seats = seen.cards[kSeatsWord];
    const W contract = byte(contract_word, 1), called = byte(contract_word, 2);
    row.template put_section<v1::kContract>((one_hot(field(contract, packed::kContractCode)) >> 1) &
                                            all(0x7FFFFu));
    row.template put_section<v1::kTout>(field(contract, packed::kContractTout));
    row.template put_section<v1::kTrumpSuit>(seat_bit(byte(contract_word, 3)));
    const W suit = one_hot(called >> 3) & all(15u);
    row.template put_section<v1::kCalledSuit>(suit);
    row.template put_section<v1::kCalledRank>(called & all(7u) & all_if(suit));
    const W declarer_leader = byte(seats, 0), partner_level = byte(seats, 1);
    row.template put_section<v1::kLevel>((one_hot(field(partner_level, packed::kLevel)) >> 1) &
                                         all(0xFFu));
    row.template put_section<v1::kDeclarer>(seat_bit(field(declarer_leader, packed::kDeclarer)));
    row.template put_section<v1::kLeader>(seat_bit(field(declarer_leader, packed::kLeader)));
    row.template put_section<v1::kPartner>(seat_bit(field(partner_level, packed::kPartner)));
    static_assert(kFlagPartnerKnown == 4 && kFlagRanAway == 8 && kFlagOwnsCalled == 16);
    static_assert(kFlagToAct == 32 && kFlagRenonce == 128 && kFlagConcedeRest == 2);
    const W flags = byte(seats, 3);
    row.template put_section<v1::kFlags>(((flags >> 2) & all(7u)) | ((flags >> 4) & all(8u)) |
                                         ((flags >> 1) & all(16u)));
    row.template put_section<v1::kPhase>(one_hot(byte(contract_word, 0)) & all(0x7FFFFFu));
    const W* const actions = seen.cards + kTableWord;
    constexpr int kFrom = kFirstContractAction - 64;
    const W named = ((actions[2] >> kFrom) | (actions[3] << (32 - kFrom))) & all(0xFFFFFFu);
    row.template put_section<v1::kLegalOther>(
        (((actions[1] & all(15u)) | (named << 4)) & ~seen.in_play) | ((flags & all(3u)) << 28));
    const W seat_trick = byte(seats, 2);
    row.template put_section<v1::kTrick>(one_hot(field(seat_trick, packed::kTrickNumber)) &
                                         all(0xFFu));
    row.template put_section<v1::kOnTable>(one_hot(field(seat_trick, packed::kOnTable)) >> 1);
    row.template put_section<v1::kDealer>(seat_bit(byte(seen.order[kCountsWord], 0)));
  }

  /// As kernels::void_groups: a trick is a word, a play a byte of it.
  SCHAFKOPF_LANE static void put_voids(const Views& seen, const Map& map, Bits& row) {
    static_assert(packed::kPlayCard.at == 0 && packed::kPlaySeat.at == 5 &&
                  packed::kPlayPresent.at == 7);
    static constexpr std::array<std::uint8_t, 16> kBitOfRank = {1, 2, 4, 8, 16, 32, 64, 128,
                                                                1, 2, 4, 8, 16, 32, 64, 128};
    W any = all(0);
#pragma GCC unroll 8
    for (std::size_t trick = 0; trick < 8; ++trick) any = any | seen.order[kPlays + trick];
    if (is_zero(any)) return;
    const W first = first_bytes(), bit_of_rank = sixteen(kBitOfRank), ones = all(0x01010101u);
    const W trump_group = all(0x01010101u * kernels::kTrumpGroup);
    const auto all_if_bytes = [](W set) { return W{Isa::difference_of_bytes(W::all(0).v, set.v)}; };
    const auto one_if_bytes = [ones](W bytes) { return W{Isa::least_bytes(bytes.v, ones.v)}; };
    W voids = all(0);
#pragma GCC unroll 2
    for (std::size_t trick = 0; trick < 8; ++trick) {
      const W plays = seen.order[kPlays + trick];
      const W suit = ((plays >> 3) & all(0x03030303u)) | first;
      const W bit = shuffled(bit_of_rank, plays & all(0x07070707u));
      const W trump = all_if_bytes(one_if_bytes(shuffled(seen.trumps, suit) & bit));
      const W group = blend(trump, trump_group, shuffled(map.plain, suit));
      const W led = shuffled(group, first);
      const W other = one_if_bytes(group ^ led) & (plays >> 7);
      const W missing = led & all_if_bytes(other);
      // byte i belongs to seat leader + i: turned by 8 * leader, it is that of the seat
      const W by = (plays >> 2) & all(0x18u);
      voids = voids | (missing << by) | (missing >> ((all(0) - by) & all(0x18u)));
    }
    row.template put_section<layout::v1::kVoids>(
        (voids & all(0x1Fu)) | ((voids >> 3) & all(0x3E0u)) | ((voids >> 6) & all(0x7C00u)) |
        ((voids >> 9) & all(0xF8000u)));
  }

  /// Two events are a word; the later one counts where a seat names a game.
  template <class Lines>
  SCHAFKOPF_LANE static void put_auction(const Lines& lines, const Views& seen,
                                         const RowTables& tables, Bits& row) {
    const W says = sixteen(tables.says), low_names = sixteen(tables.names),
            high_names = sixteen(tables.names, 16);
    W said = all(0), named = all(0);  // byte s: relative seat s
    const auto add = [&](W event, W said_now, W names) {
      const W at = (event >> (static_cast<int>(packed::kEventSeat.at) - 3)) & all(0x18u);
      said = said | (said_now << at);
      named = blend((all_if(names) & all(0xFFu)) << at, names << at, named);
    };
    static_assert(packed::kEventAction.at == 0 && packed::kEventAction.width == 7 &&
                  packed::kEventSeat.width == 2);
    const W number = byte(seen.order[kCountsWord], 2);
    const auto some_has = [&](std::size_t pair) {
      return Isa::bits(all_at_least(number, all(static_cast<std::uint32_t>(2 * pair + 1))).v) != 0;
    };
    constexpr std::size_t kPairs = EventsLine::kMost / 2;
    for (std::size_t word = 0; word < kPairs && some_has(word); word += 8) {
      W events[8];
      load_eight(lines, word, events);
      for (std::size_t pair = 0; pair < 8 && some_has(word + pair); ++pair) {
        const W both = events[pair], action = both & all(0x007F007Fu);
        const W from_names = {
            Isa::difference_of_bytes(action.v, all(0x01010101u * kFirstContractAction).v)};
        const W says_of = looked_up(says, action ^ all(0x01010101u * kFirstSaid));
        const W names_of =
            looked_up(low_names, from_names) |
            looked_up(high_names, {Isa::difference_of_bytes(from_names.v, all(0x10101010u).v)});
        add(both, says_of & all(0xFFu), names_of & all(0xFFu));
        add(both >> 16, (says_of >> 16) & all(0xFFu), (names_of >> 16) & all(0xFFu));
      }
    }
    namespace v1 = layout::v1;
    const auto of_seat = [&](int seat) {
      return (byte(said, seat) | (byte(named, seat) << kSaidBits));
    };
    row.template put_section<v1::kAuction, 0, 12>(of_seat(0));
    row.template put_section<v1::kAuction, 12, 12>(of_seat(1));
    row.template put_section<v1::kAuction, 24, 12>(of_seat(2));
    row.template put_section<v1::kAuction, 36, 12>(of_seat(3));
    static_assert(v1::kBitsOfSeat == 12);
  }

  SCHAFKOPF_LANE static W points_of(W cards) { return sum(points_by_suit(cards)); }
  SCHAFKOPF_LANE static W count_of(W cards) { return sum(counts_by_suit(cards)); }

  SCHAFKOPF_LANE static void put_captured(const Views& seen, const RowTables& tables,
                                          W unseen_points, Bits& row) {
    namespace v1 = layout::v1;
    const W* const captured = seen.captured;
    const W points = bytes_of(points_of(captured[0]), points_of(captured[1]),
                              points_of(captured[2]), points_of(captured[3]));
    const W contract_word = seen.cards[kContractWord], seats = seen.cards[kSeatsWord];
    const W code = field(byte(contract_word, 1), packed::kContractCode);
    const W everyone = all_if(bit_at(all(tables.everyone_bits), code));
    const W is_called = ~all_equal(byte(contract_word, 2), all(kNoCard));
    const auto parties =
        known_parties(field(byte(seats, 0), packed::kDeclarer),
                      field(byte(seats, 1), packed::kPartner), is_called, everyone, all(15u));
    row.template put_bytes<v1::kPoints>(points);
    row.template put_bytes<v1::kPartyPoints>(bytes_of(sum(points & parties.own),
                                                      sum(points & parties.opponents),
                                                      points_of(seen.on_table), unseen_points));
    const W cards = bytes_of(count_of(captured[0]), count_of(captured[1]), count_of(captured[2]),
                             count_of(captured[3]));
    row.template put_bytes<v1::kTricks>((cards >> 2) & all(0x3F3F3F3Fu));
  }

  SCHAFKOPF_LANE static void put_sums(const Views& seen, const RowTables& tables, Bits& row) {
    namespace v1 = layout::v1;
    const W unseen_points = points_of(seen.unseen);
    const W* const captured = seen.captured;
    if (is_zero(captured[0] | captured[1] | captured[2] | captured[3] | seen.on_table)) {
      row.template put_bytes<v1::kPartyPoints, 3, 1>(unseen_points);
    } else {
      put_captured(seen, tables, unseen_points, row);
    }
    const W own = points_of(seen.own);
    row.template put_bytes<v1::kCounts, 0, 4>(
        bytes_of(count_of(seen.own), count_of(seen.own_trumps),
                 count_of(seen.unseen & seen.trumps_of_row), own >> 2));
    row.template put_bytes<v1::kCounts, 4, 1>(byte(seen.order[kCountsWord], 1) >> 2);
    row.template put_bytes<v1::kUnseenGroups>(counts_by_suit(seen.unseen & ~seen.trumps_of_row));
  }

  SCHAFKOPF_LANE static void put_context(const Views& seen, Bits& row) {
    namespace v1 = layout::v1;
    const W numbers = seen.order[kNumSeatsWord], round = seen.order[kRoundWord];
    const W bid = (byte(numbers, 2) * 205u) >> 11;  // a tenth
    static_assert((255 * 205) >> 11 == 255 / 10 && (9 * 205) >> 11 == 0 && (10 * 205) >> 11 == 1);
    row.template put_bytes<v1::kContext, 1, 1>(byte(numbers, 3));
    row.template put_bytes<v1::kContext, 2, 2>(round & all(0xFFFFu));
    row.template put_bytes<v1::kContext, 4, 3>(byte(numbers, 1) | (bid << 8) |
                                               (byte(numbers, 0) << 16));
    row.template put_bytes<v1::kOwed>((round >> 16) | (seen.order[kDeckWord] << 16));
    static_assert(offsetof(OrderLine, owed) + 2 == 4 * kDeckWord);
    const W stock = seen.order[kStock];
    if (is_zero(stock)) [[likely]] {
      return;
    }
    alignas(64) std::uint32_t amounts[kLanes];
    __builtin_memcpy(amounts, &stock.v, sizeof amounts);
    for (std::uint32_t& amount : amounts) amount = logarithmic(static_cast<std::int32_t>(amount));
    row.template put_bytes<v1::kContext, 0, 1>(load(amounts));
  }

  /// Eight words of every line, from word `at` on.
  template <class Lines>
  SCHAFKOPF_LANE static void load_eight(const Lines& lines, std::size_t at, W (&words)[8]) {
    if constexpr (kLanes == 8) {
      load_words<Isa>(lines, at, words);
    } else {
      load_half<Isa>(lines, at, words);
    }
  }

  // Where the lines lie and the rows go
  struct CardsLines {
    const ViewLines* views;
    SCHAFKOPF_LANE const std::uint32_t* operator[](std::size_t k) const {
      return reinterpret_cast<const std::uint32_t*>(views[k].cards);
    }
  };
  struct OrderLines {
    const ViewLines* views;
    SCHAFKOPF_LANE const std::uint32_t* operator[](std::size_t k) const {
      return reinterpret_cast<const std::uint32_t*>(views[k].order);
    }
  };
  struct EventsLines {
    const ViewLines* views;
    SCHAFKOPF_LANE const std::uint32_t* operator[](std::size_t k) const {
      return reinterpret_cast<const std::uint32_t*>(views[k].events);
    }
  };
  template <class Row>
  struct Targets {
    Row* rows;
    SCHAFKOPF_LANE std::uint32_t* operator[](std::size_t k) const {
      return reinterpret_cast<std::uint32_t*>(rows[k].words);
    }
  };

  /// Features of as many views as there are lanes. False: some table has not four seats, nothing is
  /// written.
  SCHAFKOPF_LANE static bool collect(const ViewLines* views, CardIndex cards,
                                     const RowTables& tables, Rows& made) {
    return cards == CardIndex::kCanonical ? collect_by<true>(views, tables, made)
                                          : collect_by<false>(views, tables, made);
  }
  template <bool kCanonical>
  static bool collect_by(const ViewLines* views, const RowTables& tables, Rows& made) {
    Bits row;
    if (!put_all<kCanonical>(views, tables, row)) return false;
    const Targets<typename Rows::Row> rows{made.rows};
    store_words<Isa, 16>(rows, 0, row.words);
    if constexpr (kLanes == 8) {
      store_words<Isa, 8>(rows, 16, row.words + 16);
    } else {
      store_half<Isa>(rows, 16, row.words + 16);
    }
    return true;
  }

  /// All sections.
  template <bool kCanonical>
  SCHAFKOPF_LANE static bool put_all(const ViewLines* views, const RowTables& tables, Bits& row) {
    Views seen;
    load_words<Isa>(OrderLines{views}, 0, seen.order);
    const W four = all_equal(byte(seen.order[kNumSeatsWord], 0), all(4u));
    if (Isa::bits((~four).v) != 0 || !tables.has_trump_ranks) return false;
    load_words<Isa>(CardsLines{views}, 0, seen.cards);
    seen.trumps = trumps_of(seen.cards[kContractWord], tables);
    const Map map = map_of<kCanonical>(views, tables);
    put_cards<kCanonical>(seen, map, row);
    put_situation(seen, row);
    put_voids(seen, map, row);
    put_auction(EventsLines{views}, seen, tables, row);
    put_sums(seen, tables, row);
    put_context(seen, row);
    return true;
  }

  // Packed rows

  static constexpr std::size_t kPackedWords = layout::packed_row::kBits / 32;
  struct PackedRows {
    struct alignas(64) Row {
      std::uint32_t words[kPackedWords];
    };
    Row rows[kLanes];
  };
  using Packed = WordBits<kPackedWords>;

  struct Words {
    static constexpr int kMostBits = 32;
    SCHAFKOPF_LANE static W low_bits(int bits) { return all((1u << bits) - 1u); }
    template <int places>
    SCHAFKOPF_LANE static W number_of(W one_hot) {
      static_assert(places <= 32);
      if constexpr (places == 4) return one_hot - (one_hot >> 2) - ((one_hot >> 3) << 1);
      W below = one_hot;  // all places up to it
#pragma GCC unroll 5
      for (int by = 1; by < places; by *= 2) below = below | (below >> by);
      return count(below);
    }
    SCHAFKOPF_LANE static W at_most(W value, W most) {
      return blend(all_at_least(value, most), most, value);
    }
  };

  SCHAFKOPF_LANE static bool pack(const ViewLines* views, CardIndex cards, const RowTables& tables,
                                  PackedRows& made) {
    return cards == CardIndex::kCanonical ? pack_by<true>(views, tables, made)
                                          : pack_by<false>(views, tables, made);
  }
  template <bool kCanonical>
  static bool pack_by(const ViewLines* views, const RowTables& tables, PackedRows& made) {
    Bits features;
    if (!put_all<kCanonical>(views, tables, features)) return false;
    Packed row;
#pragma GCC unroll 16
    for (W& word : row.words) word = all(0);
    PackedSections<Words>::pack_all(features, row);
    store_words<Isa, kPackedWords>(Targets<typename PackedRows::Row>{made.rows}, 0, row.words);
    return true;
  }
};

}  // namespace schafkopf::rows
