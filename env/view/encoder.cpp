#include "env/view/encoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "env/base/assert.h"
#include "env/cards/card_map.h"
#include "env/cards/contract.h"
#include "env/view/encoder_kernels.h"

namespace schafkopf {
namespace {

using namespace layout::v1;

// The first sections are bits, stored as eight 64-bit words until the last moment; then bytes with
// a scale; then the row of the rule set.

constexpr int kNumBits = 512, kNumWords = kNumBits / 64, kNumBytes = 32;
constexpr int kViewSize = kSections[kRules].offset;
constexpr int kRuleSize = kSections[kRules].length;
constexpr int kRowSize = kViewSize + kRuleSize;
static_assert(kSections[kPoints].offset == kNumBits);
static_assert(kViewSize == kNumBits + kNumBytes);

/// The view part of a row before it is expanded: the bit sections, then the byte sections, as words
/// that stay in registers until the row is written.
struct Features {
  static constexpr int kByteWords = kNumBytes / 8;
  std::uint64_t words[kNumWords + kByteWords] = {};

  /// Fill a whole section of at most 64 bits; `shift` moves inside a longer one.
  template <Part part, int shift = 0, int bits = kSections[part].length>
  void put(std::uint64_t value) {
    static_assert(bits <= 64 && shift + bits <= kSections[part].length);
    static_assert(part < kPoints);
    put_at<kSections[part].offset + shift, bits>(value);
  }
  /// Fill a whole section of bytes, lowest first.
  template <Part part>
  void put_packed(std::uint64_t value) {
    static_assert(part >= kPoints && kSections[part].length <= 8);
    constexpr int kByte = kSections[part].offset - kNumBits;
    put_at<kNumBits + 8 * kByte, 8 * kSections[part].length>(value);
  }
  [[nodiscard]] const std::uint64_t* byte_words() const { return words + kNumWords; }

 private:
  template <int at, int bits>
  void put_at(std::uint64_t value) {
    constexpr int kWord = at / 64, kShift = at % 64;
    if constexpr (bits < 64) SCHAFKOPF_ASSERT(value < (std::uint64_t{1} << bits));
    words[kWord] |= value << kShift;
    if constexpr (kShift + bits > 64) words[kWord + 1] |= value >> (64 - kShift);
  }
};

// Tables from the contract table, the action table and the scales

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

/// Relative seats of the own party and of known opponents: byte 0xFF of a seat that belongs.
struct KnownParties {
  std::uint32_t own = 0, opponents = 0;
};

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

/// Words of the row that depend on the context bytes.
constexpr int kFirstContextWord = kSections[kContract].offset / 64;
constexpr int kLastContextWord = (kSections[kVoids].offset - 1) / 64;
static_assert(kLastContextWord == kFirstContextWord + 1);
// One register. NOLINTNEXTLINE(modernize-use-using): the attribute belongs to a declaration
typedef std::uint64_t ContextBits __attribute__((vector_size(16)));

constexpr int kNoTrumpSuit = 4, kNumTrumpSuits = 5;

/// Index of Tables::parties.
constexpr std::size_t party_index(int declarer, int partner, bool called, bool everyone,
                                  bool three_seats) {
  return static_cast<std::size_t>(declarer | (partner << 3) | (called ? 64 : 0) |
                                  (everyone ? 128 : 0) | (three_seats ? 256 : 0));
}

struct Tables {
  std::vector<MapFacts> maps;
  std::array<std::array<ContractFacts, kNumTrumpSuits>, kNumContractClasses + 1> contracts{};
  std::array<bool, kNumContractClasses + 1> everyone{};
  std::array<std::array<ContextBits, 256>, kNumContextBytes> context{};
  std::array<KnownParties, 512> parties{};
  std::array<EventBits, packed::kEventSaid.mask() + 1> events{};
  std::array<float, kNumBytes> scales{};
};

/// Trump set with a trump suit, or of the trump ranks alone.
CardSet trumps_with(const ContractRow& row, int suit) {
  if (suit != kNoTrumpSuit) return trumps_of(row, static_cast<Suit>(suit));
  return trumps_of(row, Suit::kEichel) & trumps_of(row, Suit::kGras);
}

/// How an event of the first relative seat changes its 12 bits.
EventBits event_bits(Action action) {
  if (const NamedContract named = contract_of_action(action); named.row != nullptr) {
    const std::uint64_t number = static_cast<std::uint64_t>(named.row->contract) + 1;
    return {~std::uint64_t{0xFC0}, (number << 6) | (named.tout ? 0x800u : 0u)};
  }
  EventBits bits;
  if (action == kActionPass) bits.set = 1 << 0;
  if (action == kActionPlay) bits.set = 1 << 1;
  if (action == kActionYield) bits.set = 1 << 2;
  if (action == kActionDouble) bits.set = 1 << 3;
  if (action == kActionLay) bits.set = 1 << 4;
  if (action >= kActionHold && action < kActionLay) bits.set = 1 << 5;
  return bits;
}

std::uint32_t one_hot_seat(int relative) { return (1u << relative) & 15u; }

/// Sections that one context byte decides.
ContextBits context_bits(ContextByte which, unsigned byte) {
  static_assert(kFlagPartnerKnown == 4 && kFlagRanAway == 8 && kFlagOwnsCalled == 16);
  static_assert(kFlagToAct == 32 && kFlagRenonce == 128 && kFlagConcedeRest == 2);
  Features features;
  switch (which) {
    case kPhaseByte:
      if (byte < kSections[kPhase].length) features.put<kPhase>(std::uint64_t{1} << byte);
      break;
    case kContractByte:
      features.put<kContract>(((std::uint64_t{1} << packed::kContractCode.of(byte)) >> 1) &
                              0x7FFFFu);
      features.put<kTout>(static_cast<unsigned>(packed::kContractTout.of(byte)));
      break;
    case kCalledByte:
      if (byte < kNumCards) {
        features.put<kCalledSuit>(1u << (byte >> 3));
        features.put<kCalledRank>(byte & 7u);
      }
      break;
    case kTrumpSuitByte:
      features.put<kTrumpSuit>(byte < kNumSuits ? 1u << byte : 0u);
      break;
    case kDeclarerLeaderByte:
      features.put<kDeclarer>(one_hot_seat(packed::kDeclarer.of(byte)));
      features.put<kLeader>(one_hot_seat(packed::kLeader.of(byte)));
      break;
    case kPartnerLevelByte:
      features.put<kPartner>(one_hot_seat(packed::kPartner.of(byte)));
      features.put<kLevel>(((1u << packed::kLevel.of(byte)) >> 1) & 0xFFu);
      break;
    case kSeatTrickByte:
      features.put<kTrick>((1u << packed::kTrickNumber.of(byte)) & 0xFFu);
      features.put<kOnTable>((1u << packed::kOnTable.of(byte)) >> 1);
      break;
    case kFlagsByte:
      features.put<kFlags>(((byte >> 2) & 7u) | ((byte >> 4) & 8u) | ((byte >> 1) & 16u));
      features.put<kLegalOther>(std::uint64_t{byte & 3u} << 28);
      break;
    case kNumContextBytes:
      break;
  }
  return ContextBits{features.words[kFirstContextWord], features.words[kLastContextWord]};
}

/// Without a called card, and as soon as the partner is known, the parties are complete.
KnownParties known_parties(int declarer, int partner, bool called, bool everyone,
                           bool three_seats) {
  const unsigned all = three_seats ? 7u : 15u;
  const unsigned declarers = one_hot_seat(declarer) | one_hot_seat(partner);
  const auto bytes = [](unsigned seats) {
    return ((seats & 1u) | ((seats & 2u) << 7) | ((seats & 4u) << 14) | ((seats & 8u) << 21)) *
           0xFFu;
  };
  const auto parties = [&](unsigned own, unsigned opponents) {
    return KnownParties{bytes(own), bytes(opponents)};
  };
  if (everyone) return parties(1, all & ~1u);
  if (declarers == 0) return parties(1, 0);
  if (declarer == kNoSeat) return parties(declarers | 1u, all & ~(declarers | 1u));
  if (called && partner == kNoSeat) return parties(1, declarers & ~1u);
  const unsigned own = (declarers & 1u) != 0 ? declarers : all & ~declarers;
  return parties(own, all & ~own);
}

void fill_maps(Tables& tables) {
  for (int map = 0; map < num_card_maps(); ++map) {
    const std::array<std::uint8_t, kNumSuits>& slots = suit_slots(map);
    MapFacts& facts = tables.maps.emplace_back();
    facts.slots = kernels::make_slots(kept_cards(map), slots.data());
    for (std::size_t suit = 0; suit < kNumSuits; ++suit) {
      facts.groups[suit] = static_cast<std::uint8_t>(1 << slots[suit]);
    }
  }
}

void fill_contracts(Tables& tables) {
  for (const ContractRow& row : contract_table()) {
    const std::size_t number = static_cast<std::size_t>(row.contract) + 1;
    tables.everyone[number] = row.parties == Parties::kEveryone;
    for (int suit = 0; suit < kNumTrumpSuits; ++suit) {
      ContractFacts& facts = tables.contracts[number][static_cast<std::size_t>(suit)];
      const CardSet trumps = trumps_with(row, suit);
      facts.trumps = trumps.bits();
      for (const Card card : trumps) {
        facts.trump_suits[card & 7] =
            static_cast<std::uint8_t>(facts.trump_suits[card & 7] | (1 << (card >> 3)));
      }
    }
  }
}

void fill_parties(Tables& tables) {
  for (int declarer = 0; declarer < 8; ++declarer) {
    for (int partner = 0; partner < 8; ++partner) {
      for (int flags = 0; flags < 8; ++flags) {
        const bool called = (flags & 1) != 0, everyone = (flags & 2) != 0, three = (flags & 4) != 0;
        tables.parties[party_index(declarer, partner, called, everyone, three)] =
            known_parties(declarer, partner, called, everyone, three);
      }
    }
  }
}

Tables make_tables() {
  Tables tables;
  fill_maps(tables);
  fill_contracts(tables);
  fill_parties(tables);
  for (std::size_t which = 0; which < kNumContextBytes; ++which) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      tables.context[which][byte] = context_bits(static_cast<ContextByte>(which), byte);
    }
  }
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    for (std::size_t action = 0; action < kNumActions; ++action) {
      const EventBits first = event_bits(static_cast<Action>(action));
      const auto shift = static_cast<unsigned>(kBitsOfSeat * seat);
      const EventBits bits{~(~first.keep << shift), first.set << shift};
      for (const bool flag : {false, true}) {
        const unsigned event =
            packed::event(static_cast<Action>(action), flag, static_cast<int>(seat), 0);
        tables.events[event & packed::kEventSaid.mask()] = bits;
      }
    }
  }
  for (std::size_t part = kPoints; part < kRules; ++part) {
    const Section& section = kSections[part];
    std::fill_n(tables.scales.begin() + (section.offset - kNumBits), section.length, section.scale);
  }
  return tables;
}

const Tables& tables() {
  static const Tables made = make_tables();
  return made;
}

// Writers: pure functions from the lines to one or a few sections

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
constexpr std::size_t kViewsAtOnce = 8;

/// Everything that several writers share.
struct Input {
  const CardsLine& cards;
  const OrderLine& order;
  const EventsLine& events;
  const Tables& tables;
  const Prepared& prepared;
  bool in_play;
};

bool in_play(const CardsLine& cards) {
  return cards.phase == static_cast<std::uint8_t>(Phase::kPlay);
}

std::uint64_t two_words(const std::uint32_t* words) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, words, sizeof bits);
  return bits;
}

const ContractFacts& contract_of(const CardsLine& cards, const Tables& tables) {
  SCHAFKOPF_ASSERT(cards.trump_suit <= kNoTrumpSuit && cards.phase < kNumPhases);
  return tables.contracts[static_cast<std::size_t>(cards.contract_code())][cards.trump_suit];
}

/// The map that a row is encoded with: map 0, the identity, for absolute cards.
const MapFacts& map_of(const OrderLine& order, CardIndex card_index, const Tables& tables) {
  const std::size_t map = card_index == CardIndex::kCanonical ? order.card_map : 0u;
  SCHAFKOPF_ASSERT(map < tables.maps.size());
  return tables.maps[map];
}

void prepare_cards(const ViewLines& view, CardIndex card_index, const Tables& tables,
                   Prepared& prepared) {
  kernels::canonical_line(view.cards, contract_of(*view.cards, tables).trumps,
                          map_of(*view.order, card_index, tables).slots, prepared.words);
}

void prepare_sums(const ViewLines& view, CardIndex card_index, const Tables& tables,
                  Prepared& prepared) {
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

void put_cards(Features& features, const Input& input) {
  const std::uint32_t* words = input.prepared.words;
  const std::uint64_t on = input.in_play ? ~std::uint64_t{0} : 0;
  features.put<kHand>(words[kHandWord]);
  features.put<kLegalCards>(words[kLegalWord]);
  features.put<kUnseen>(input.prepared.unseen);
  features.put<kTable, 0, 32>(words[kTableWord + 1] & on);
  features.put<kTable, 32, 64>(two_words(words + kTableWord + 2) & on);
  features.put<kPlayed, 0, 64>(two_words(words + kPlayedWord));
  features.put<kPlayed, 64, 64>(two_words(words + kPlayedWord + 2));
}

void put_situation(Features& features, const Input& input) {
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
  features.put<kLegalOther>(((cards.table[1] & 15u) | (named << 4)) & off_play);
  features.put<kVoids>(kernels::pack_groups(input.prepared.voids));
  features.put<kDealer>(one_hot_seat(input.order.dealer));
}

void put_auction(Features& features, const Input& input) {
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
  features.put<kAuction>(said);
}

/// Sum of the bytes that a mask keeps.
unsigned sum_of(std::uint32_t packed, std::uint32_t mask) {
  return ((packed & mask) * 0x01010101u) >> 24;
}

/// Tricks of four seats from the number of their captured cards.
std::uint32_t tricks_of(std::uint32_t cards, int seats) {
  if (seats == 4) return (cards >> 2) & 0x3F3F3F3Fu;
  std::uint32_t tricks = 0;
  for (int byte = 0; byte < 32; byte += 8) tricks |= (((cards >> byte) & 0xFFu) / 3) << byte;
  return tricks;
}

void put_sums(Features& features, const Input& input) {
  const kernels::CardSums& sums = input.prepared.sums;
  const std::uint32_t unseen = input.prepared.unseen;
  const std::uint32_t trumps = input.prepared.words[kTrumpsWord];
  const auto points = static_cast<std::uint32_t>(sums.points);
  const KnownParties& parties = input.tables.parties[party_index(
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
  features.put_packed<kPoints>(points);
  features.put_packed<kTricks>(
      tricks_of(static_cast<std::uint32_t>(sums.counts), input.order.seats));
  features.put_packed<kPartyPoints>(own_party | (opponents << 8) | (table_and_unseen << 16));
  features.put_packed<kCounts>(own_and_trumps | (unseen_trumps << 16) | (own_points << 24) |
                               (std::uint64_t{input.order.num_plays / 4u} << 32));
  features.put_packed<kUnseenGroups>(kernels::bits_per_byte(unseen & ~trumps));
}

/// Eight steps per factor of two, as amount_code of the rule features.
unsigned logarithmic(std::int32_t amount) {
  if (amount <= 0) return 0;
  const auto value = static_cast<std::uint32_t>(amount);
  const auto width = static_cast<unsigned>(32 - std::countl_zero(value));
  const std::uint32_t mantissa = width <= 4 ? value << (4 - width) : value >> (width - 4);
  return 8 * width + (mantissa & 7u);
}

void put_context(Features& features, const Input& input) {
  const OrderLine& order = input.order;
  static_assert(offsetof(OrderLine, special_round) == offsetof(OrderLine, bock) + 1 &&
                offsetof(OrderLine, games_left) == offsetof(OrderLine, bock) + 2 &&
                offsetof(OrderLine, owed) == offsetof(OrderLine, bock) + 3);
  std::uint64_t bytes = 0;  // Bock, special round, games left, owed games
  std::memcpy(&bytes, &order.bock, 7);
  features.put_packed<kContext>(
      logarithmic(order.stock) | ((bytes & 0xFFFFFFu) << 8) | (std::uint64_t{order.legen} << 32) |
      (std::uint64_t{order.bid / 10u} << 40) | (std::uint64_t{order.seats} << 48));
  features.put_packed<kOwed>(bytes >> 24);
}

/// All sections of one view.
inline Features collect(const ViewLines& view, const Tables& tables, const Prepared& prepared) {
  const Input input{*view.cards, *view.order, *view.events, tables, prepared, in_play(*view.cards)};
  Features features;
  put_cards(features, input);
  put_situation(features, input);
  put_auction(features, input);
  put_sums(features, input);
  put_context(features, input);
  return features;
}

// Rows

/// The rule section of a row in the type of the row.
template <class T>
void write_rules(std::span<const float> rule_features, T* out) {
  SCHAFKOPF_ASSERT(rule_features.empty() || rule_features.size() == std::size_t{kRuleSize});
  if (rule_features.empty()) {
    std::fill_n(out, kRuleSize, T{0});
    return;
  }
  for (std::size_t i = 0; i < std::size_t{kRuleSize}; ++i) {
    if constexpr (std::is_same_v<T, float>) {
      out[i] = rule_features[i] * kSections[kRules].scale;
    } else {
      out[i] = static_cast<T>(rule_features[i]);
    }
  }
}

void write_row(const Features& features, const Tables&, std::uint8_t* row) {
  for (int i = 0; i < kNumWords; ++i) kernels::expand_bits(features.words[i], row + 64 * i);
  std::memcpy(row + kNumBits, features.byte_words(), kNumBytes);
}

void write_row(const Features& features, const Tables& tables, float* row) {
  for (int i = 0; i < kNumWords; ++i) kernels::expand_bits(features.words[i], row + 64 * i);
  std::uint8_t bytes[kNumBytes];
  std::memcpy(bytes, features.byte_words(), kNumBytes);
  kernels::scale_bytes(bytes, tables.scales.data(), kNumBytes, row + kNumBits);
}

/// The view parts of rows: view i to rows[i].
template <class T>
void write_views(std::span<const ViewLines> views, T* const* rows, CardIndex card_index) {
  const Tables& all = tables();
  Prepared prepared[kViewsAtOnce];
  for (std::size_t first = 0; first < views.size(); first += kViewsAtOnce) {
    const std::size_t count = std::min(kViewsAtOnce, views.size() - first);
    const ViewLines* here = views.data() + first;
    for (std::size_t i = 0; i < count; ++i) prepare_cards(here[i], card_index, all, prepared[i]);
    for (std::size_t i = 0; i < count; ++i) prepare_sums(here[i], card_index, all, prepared[i]);
    for (std::size_t i = 0; i < count; ++i) {
      write_row(collect(here[i], all, prepared[i]), all, rows[first + i]);
    }
  }
}

template <class T>
void expand_one(const ViewLines& view, std::span<const float> rule_features, T* row,
                CardIndex card_index) {
  SCHAFKOPF_ASSERT(rule_feature_size() == kRuleSize);
  write_views(std::span(&view, 1), &row, card_index);
  write_rules(rule_features, row + kViewSize);
}

template <class T>
void expand_batch(const ViewBatch& batch, std::span<T> rows, CardIndex card_index) {
  check_observable(batch, ObservationVersion::kV1);
  SCHAFKOPF_ASSERT(rows.size() >= batch.size * std::size_t{kRowSize});
  std::array<T, std::size_t{kRuleSize}> rules{};
  int rules_index = -1;
  std::array<ViewLines, kViewsAtOnce> views;
  std::array<T*, kViewsAtOnce> targets{};
  for (std::size_t first = 0; first < batch.size; first += kViewsAtOnce) {
    const std::size_t count = std::min(kViewsAtOnce, batch.size - first);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = first + k;
      views[k] = {&batch.cards[i], &batch.order[i], &batch.events[i]};
      targets[k] = rows.data() + i * std::size_t{kRowSize};
      const int index = batch.rule_index == nullptr ? 0 : batch.rule_index[i];
      if (batch.rules != nullptr && !batch.rules->features.empty() && index != rules_index) {
        write_rules(batch.rules->features.subspan(static_cast<std::size_t>(index * kRuleSize),
                                                  std::size_t{kRuleSize}),
                    rules.data());
        rules_index = index;
      }
      std::memcpy(targets[k] + kViewSize, rules.data(), sizeof rules);
    }
    write_views(std::span<const ViewLines>(views).first(count), targets.data(), card_index);
  }
}

}  // namespace

std::span<const Section> observation_sections() { return kSections; }
int observation_size() { return kRowSize; }

void expand(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
            std::span<const float> rule_features, std::uint8_t* row, CardIndex card_index) {
  expand_one({&cards, &order, &events}, rule_features, row, card_index);
}

void expand(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
            std::span<const float> rule_features, float* row, CardIndex card_index) {
  expand_one({&cards, &order, &events}, rule_features, row, card_index);
}

void expand_views(std::span<const ViewLines> views, std::uint8_t* const* rows,
                  CardIndex card_index) {
  write_views(views, rows, card_index);
}
void expand_views(std::span<const ViewLines> views, float* const* rows, CardIndex card_index) {
  write_views(views, rows, card_index);
}

void expand(const ViewBatch& batch, std::span<std::uint8_t> rows, CardIndex card_index) {
  expand_batch(batch, rows, card_index);
}
void expand(const ViewBatch& batch, std::span<float> rows, CardIndex card_index) {
  expand_batch(batch, rows, card_index);
}

}  // namespace schafkopf
