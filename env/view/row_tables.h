// What the writers of observation rows look up: facts about contracts, card maps, context bytes and
// events. Plain data, made once; the files of rows_*.cpp, which are compiled for an instruction set
// each, read it and share no code with others.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "env/base/assert.h"
#include "env/cards/card_map.h"
#include "env/cards/play.h"
#include "env/view/encoder_kernels.h"
#include "env/view/packed.h"
#include "env/view/sections.h"
#include "env/view/view.h"

namespace schafkopf::rows {

/// The first sections of v1 are bits, then there are bytes with a scale, then the row of the rules.
inline constexpr int kNumBits = 512, kBitWords = kNumBits / 64, kNumBytes = 32;
inline constexpr int kViewSize = layout::v1::kSections[layout::v1::kRules].offset;
static_assert(layout::v1::kSections[layout::v1::kPoints].offset == kNumBits);
static_assert(kViewSize == kNumBits + kNumBytes);

/// Words of a CardsLine.
enum CardsWord : std::size_t {  // NOLINT(performance-enum-size): an index
  kHandWord = 0,
  kLegalWord = 1,
  kContractWord = 2,
  kSeatsWord = 3,
  kPlayedWord = 4,
  kTableWord = 8,
  kCapturedWord = 12,
};
static_assert(offsetof(CardsLine, hand) == 4 * kHandWord &&
              offsetof(CardsLine, legal) == 4 * kLegalWord &&
              offsetof(CardsLine, phase) == 4 * kContractWord &&
              offsetof(CardsLine, contract) == 4 * kContractWord + 1 &&
              offsetof(CardsLine, called_card) == 4 * kContractWord + 2 &&
              offsetof(CardsLine, trump_suit) == 4 * kContractWord + 3 &&
              offsetof(CardsLine, declarer_leader) == 4 * kSeatsWord &&
              offsetof(CardsLine, partner_level) == 4 * kSeatsWord + 1 &&
              offsetof(CardsLine, seat_trick) == 4 * kSeatsWord + 2 &&
              offsetof(CardsLine, flags) == 4 * kSeatsWord + 3 &&
              offsetof(CardsLine, played) == 4 * kPlayedWord &&
              offsetof(CardsLine, table) == 4 * kTableWord &&
              offsetof(CardsLine, captured) == 4 * kCapturedWord);
/// Word of canonical_line that holds the trumps, where a line says its contract.
inline constexpr std::size_t kTrumpsWord = kContractWord;

/// What the encoder needs to know about a contract and its trump suit.
struct ContractFacts {
  std::uint32_t trumps = 0;
  std::uint8_t trump_suits[8] = {};  // kernels::Groups
};

/// A card map as the kernels read it.
struct MapFacts {
  kernels::Slots slots;
  std::array<std::uint8_t, kNumSuits> groups{};  // 1 << canonical slot of each suit
};

/// How an event changes the auction section: clear, then set.
struct EventBits {
  std::uint64_t keep = ~std::uint64_t{0}, set = 0;
};

/// Relative seats of the own party and of known opponents: byte 0xFF of a seat that belongs. A word of
/// one view or of many (play.h).
template <class W>
struct KnownParties {
  W own, opponents;
};
/// Without a called card, and as soon as the partner is known, the parties are complete.
///
/// called, everyone  masks, all ones or zero; seats: bit s of relative seat s
template <class W>
[[gnu::always_inline]] constexpr KnownParties<W> known_parties(W declarer, W partner, W called,
                                                               W everyone, W seats) {
  const auto word = [declarer](std::uint32_t value) { return word_like(declarer, value); };
  const auto bit_of = [&](W seat) { return (word(1u) << seat) & word(15u); };
  const W first = word(1u), none = word(0u);
  const W of_declarer = bit_of(declarer), declarers = of_declarer | bit_of(partner);
  const W nobody = all_equal(declarers, none), no_declarer = all_equal(of_declarer, none);
  const W unknown = called & all_equal(bit_of(partner), none) & ~no_declarer;
  const W is_own = all_if(declarers & first);
  // the own party if all are known
  const W pair =
      blend(no_declarer, declarers | first, blend(is_own, declarers, seats & ~declarers));
  const W alone = everyone | nobody | unknown;
  const W own = blend(alone, first, pair);
  const W others =
      blend(nobody & ~everyone, none, blend(unknown & ~everyone, declarers & ~first, seats & ~own));
  const auto bytes = [&](W set) {
    const W ones = (set | (set << 7) | (set << 14) | (set << 21)) & word(0x01010101u);
    return (ones << 8) - ones;
  };
  return {bytes(own), bytes(others)};
}

/// The eight context bytes of CardsLine, in its order.
enum ContextByte : std::size_t {  // NOLINT(performance-enum-size): an index
  kPhaseByte,
  kContractByte,
  kCalledByte,
  kTrumpSuitByte,
  kDeclarerLeaderByte,
  kPartnerLevelByte,
  kSeatTrickByte,
  kFlagsByte,
  kNumContextBytes
};
static_assert(offsetof(CardsLine, phase) == 8 && offsetof(CardsLine, flags) == 8 + kFlagsByte);
static_assert(offsetof(CardsLine, called_card) == 8 + kCalledByte);
static_assert(offsetof(CardsLine, partner_level) == 8 + kPartnerLevelByte);

/// Words of a row of v1 that depend on the context bytes.
inline constexpr int kFirstContextWord = layout::v1::kSections[layout::v1::kContract].offset / 64;
inline constexpr int kLastContextWord = (layout::v1::kSections[layout::v1::kVoids].offset - 1) / 64;
static_assert(kLastContextWord == kFirstContextWord + 1);
// One register. NOLINTNEXTLINE(modernize-use-using): the attribute belongs to a declaration
typedef std::uint64_t ContextBits __attribute__((vector_size(16)));

inline constexpr int kNoTrumpSuit = 4, kNumTrumpSuits = 5;

/// What a seat said: the bits of v1's `auction` before those of the game that it named. Actions from
/// kFirstSaid on say something, and so few that one table of sixteen has them.
inline constexpr int kSaidBits = 6;
inline constexpr unsigned kFirstSaid = kActionPass;

/// Index of RowTables::parties.
[[nodiscard, gnu::always_inline]] constexpr std::size_t party_index(int declarer, int partner,
                                                                    bool called, bool everyone,
                                                                    bool three_seats) {
  return static_cast<std::size_t>(declarer | (partner << 3) | (called ? 64 : 0) |
                                  (everyone ? 128 : 0) | (three_seats ? 256 : 0));
}
[[nodiscard, gnu::always_inline]] constexpr std::uint32_t one_hot_seat(int relative) {
  return (1u << relative) & 15u;
}

/// Announcements that v1's `auction` leaves out, one bit each and per relative seat (v2).
inline constexpr std::array kAnnouncements = {kActionHzOffer1, kActionHzOffer2, kActionHzAccept,
                                              kActionTakeUp,   kActionPushOn,   kActionJungfrau};
inline constexpr unsigned kNumAnnouncements = kAnnouncements.size();
static_assert(kAnnouncements[0] == kActionHzOffer1 && kAnnouncements[1] == kActionHzOffer2);
static_assert(kNumAnnouncements * kNumSeats == layout::v2::kAdded[layout::v2::kAnnounced].length,
              "the section `announced` holds six announcements of four seats");

struct RowTables {
  const MapFacts* maps = nullptr;
  std::size_t num_maps = 0;
  std::array<std::array<ContractFacts, kNumTrumpSuits>, kNumContractClasses + 1> contracts{};
  std::array<bool, kNumContractClasses + 1> everyone{};
  std::array<std::array<ContextBits, 256>, kNumContextBytes> context{};
  std::array<KnownParties<std::uint32_t>, 512> parties{};
  std::uint32_t everyone_bits = 0;  // bit code: everyone plays for himself
  // by code: ranks that are trumps in every suit; bit code: the trump suit is trumps as well. True: that
  // is all, whatever the contract.
  std::array<std::uint8_t, 32> trump_ranks{};
  std::uint32_t suited_bits = 0;
  bool has_trump_ranks = true;
  // of the actions from kFirstSaid and from kFirstContractAction on: what a seat said; the number of the
  // game that it named and Tout
  std::array<std::uint8_t, 16> says{};
  std::array<std::uint8_t, 32> names{};
  std::array<EventBits, packed::kEventSaid.mask() + 1> events{};
  std::array<std::uint32_t, packed::kEventSaid.mask() + 1> announced{};  // section of v2
  std::array<float, kNumBytes> scales{};
};

static_assert(kActionLay < kFirstSaid + std::tuple_size_v<decltype(RowTables::says)> &&
                  kActionDouble < kFirstSaid + std::tuple_size_v<decltype(RowTables::says)>,
              "what v1's `auction` shows as said is looked up in a table of sixteen actions");
static_assert(
    kNumContractActions <= std::tuple_size_v<decltype(RowTables::names)> &&
        kNumContractClasses < std::tuple_size_v<decltype(RowTables::trump_ranks)>,
    "games that are named and their trumps are looked up in two tables of sixteen each: at most 31 "
    "classes and 32 actions");

[[nodiscard]] const RowTables& row_tables();

/// Eight steps per factor of two, as amount_code of the rule features.
[[nodiscard, gnu::always_inline]] inline unsigned logarithmic(std::int32_t amount) {
  if (amount <= 0) return 0;
  const auto value = static_cast<std::uint32_t>(amount);
  const auto width = static_cast<unsigned>(32 - std::countl_zero(value));
  const std::uint32_t mantissa = width <= 4 ? value << (4 - width) : value >> (width - 4);
  return 8 * width + (mantissa & 7u);
}

/// Bits of a row before it is expanded, as words that stay in registers.
template <int kCount>
struct RowBits {
  std::uint64_t words[static_cast<std::size_t>((kCount + 63) / 64)] = {};

  /// The lowest `bits` of a value, at place `at`; what is above them is zero.
  template <int at, int bits>
  [[gnu::always_inline]] void put(std::uint64_t value) {
    static_assert(bits <= 64 && at + bits <= kCount);
    constexpr int kWord = at / 64, kShift = at % 64;
    if constexpr (bits < 64) SCHAFKOPF_ASSERT(value < (std::uint64_t{1} << bits));
    words[kWord] |= value << kShift;
    if constexpr (kShift + bits > 64) words[kWord + 1] |= value >> (64 - kShift);
  }
  template <int at, int bits>
  [[nodiscard, gnu::always_inline]] std::uint64_t get() const {
    static_assert(bits <= 64 && at + bits <= kCount);
    constexpr int kWord = at / 64, kShift = at % 64;
    std::uint64_t value = words[kWord] >> kShift;
    if constexpr (kShift + bits > 64) value |= words[kWord + 1] << (64 - kShift);
    if constexpr (bits < 64) value &= (std::uint64_t{1} << bits) - 1;
    return value;
  }
};

/// The view part of a row of v1: the bit sections, then the byte sections.
struct Features : RowBits<kNumBits + 8 * kNumBytes> {
  /// Fill a whole section of at most 64 bits; `shift` moves inside a longer one.
  template <layout::v1::Part part, int shift = 0, int bits = layout::v1::kSections[part].length>
  [[gnu::always_inline]] void put_section(std::uint64_t value) {
    static_assert(shift + bits <= layout::v1::kSections[part].length);
    static_assert(part < layout::v1::kPoints);
    put<layout::v1::kSections[part].offset + shift, bits>(value);
  }
  /// Fill a whole section of bytes, lowest first.
  template <layout::v1::Part part>
  [[gnu::always_inline]] void put_packed(std::uint64_t value) {
    constexpr int kLength = layout::v1::kSections[part].length;
    static_assert(part >= layout::v1::kPoints && kLength <= 8);
    constexpr int kByte = layout::v1::kSections[part].offset - kNumBits;
    put<kNumBits + 8 * kByte, 8 * kLength>(value);
  }
  template <layout::v1::Part part>
  [[nodiscard, gnu::always_inline]] std::uint64_t section() const {
    return get<layout::v1::kSections[part].offset, layout::v1::kSections[part].length>();
  }
  [[nodiscard]] const std::uint64_t* byte_words() const { return words + kBitWords; }
};

}  // namespace schafkopf::rows
