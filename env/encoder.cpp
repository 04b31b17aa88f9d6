#include "env/encoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "env/assert.h"
#include "env/card_map.h"
#include "env/contract.h"
#include "env/encoder_kernels.h"

namespace schafkopf {
namespace {

// Layout. The first sections are bits, stored as eight 64-bit words until the last moment; then
// bytes with a scale; then the row of the rule set.

enum Part : std::size_t {
  kHand,
  kLegalCards,
  kUnseen,
  kTable,
  kPlayed,
  kContract,
  kTout,
  kTrumpSuit,
  kCalledSuit,
  kCalledRank,
  kLevel,
  kDeclarer,
  kLeader,
  kPartner,
  kFlags,
  kPhase,
  kLegalOther,
  kTrick,
  kOnTable,
  kVoids,
  kDealer,
  kAuction,
  kPoints,
  kPartyPoints,
  kTricks,
  kCounts,
  kUnseenGroups,
  kContext,
  kOwed,
  kRules,
  kNumParts,
};

constexpr float kBit = 1.0F, kPointScale = 1.0F / 120.0F, kEighth = 1.0F / 8.0F;
constexpr int kNumBits = 512, kNumWords = kNumBits / 64, kNumBytes = 32;
constexpr int kBitsOfSeat = 12;  // of the auction section

// clang-format off
constexpr std::array<Section, kNumParts> kLengths = {{
    {"hand", 0, 32, kBit, "own cards, canonical index (card_map.h) like all card sections"},
    {"legal_cards", 0, 32, kBit, "cards that are legal now (play, call, ...)"},
    {"unseen", 0, 32, kBit, "cards neither in the own hand nor played: held by the others"},
    {"table", 0, 96, kBit, "card on the table of the left neighbour, the opposite seat, the right neighbour"},
    {"played", 0, 128, kBit, "cards played by each relative seat, those on the table included"},
    {"contract", 0, 19, kBit, "contract class, one-hot; zero until it is public"},
    {"tout", 0, 1, kBit, "the contract is a Tout"},
    {"trump_suit", 0, 4, kBit, "absolute trump suit E G H S, zero if none"},
    {"called_suit", 0, 4, kBit, "absolute suit of the called card, zero if none"},
    {"called_rank", 0, 3, kBit, "rank of the called card as a 3-bit number (7 = ace)"},
    {"doubling_level", 0, 8, kBit, "number of doublings, one-hot 1..8"},
    {"declarer", 0, 4, kBit, "relative seat of the declarer"},
    {"leader", 0, 4, kBit, "relative seat that leads the trick"},
    {"partner", 0, 4, kBit, "relative seat of the declarer's partner as far as this seat knows"},
    {"flags", 0, 5, kBit, "parties public, ran away, own the called card, Renonce announced, this seat is to act"},
    {"phase", 0, 23, kBit, "phase, one-hot"},
    {"legal_other", 0, 30, kBit, "legal PASS PLAY YIELD HOLD, contract actions 83..106, CLAIM_REST, CONCEDE_REST"},
    {"trick", 0, 8, kBit, "trick number, one-hot"},
    {"cards_on_table", 0, 3, kBit, "cards in the running trick, one-hot 1..3"},
    {"voids", 0, 20, kBit, "per relative seat: proven to have no card of canonical suit 0..3, no trump"},
    {"dealer", 0, 4, kBit, "relative seat of the dealer"},
    {"auction", 0, 48, kBit, "per relative seat: said PASS, PLAY, YIELD, doubled, laid, HOLD or a raise; last class named + 1 (5-bit number), as Tout"},
    {"points", 0, 4, kPointScale, "card points in the tricks of each relative seat"},
    {"party_points", 0, 4, kPointScale, "points of the own known party, of known opponents, on the table, in unseen cards"},
    {"tricks", 0, 4, kEighth, "tricks of each relative seat"},
    {"counts", 0, 5, kEighth, "own cards, own trumps, unseen trumps (as far as public), own card points / 4, cards played / 4"},
    {"unseen_groups", 0, 4, kEighth, "unseen plain cards of canonical suit 0..3"},
    {"context", 0, 7, 1.0F / 16.0F, "Stock (logarithmic / 16), Bock, special round, games left, laid, Steigern bid / 10, seats"},
    {"owed", 0, 4, kEighth, "owed games of each relative seat, as a 3-bit number"},
    {"rules", 0, 192, 1.0F / 255.0F, "row of the rule set: rule_feature_sections()"},
}};
// clang-format on

constexpr std::array<Section, kNumParts> with_offsets() {
  std::array<Section, kNumParts> sections = kLengths;
  int offset = 0;
  for (Section& section : sections) {
    section.offset = offset;
    offset += section.length;
  }
  return sections;
}
constexpr std::array<Section, kNumParts> kSections = with_offsets();
constexpr int kViewSize = kSections[kRules].offset;
constexpr int kRuleSize = kSections[kRules].length;
constexpr int kRowSize = kViewSize + kRuleSize;
static_assert(kSections[kPoints].offset == kNumBits);
static_assert(kViewSize == kNumBits + kNumBytes);
static_assert(kSections[kAuction].length == kBitsOfSeat * kNumSeats);

/// The view part of a row before it is expanded.
struct Features {
  std::uint64_t words[kNumWords] = {};
  std::uint8_t bytes[kNumBytes] = {};

  /// Fill a whole section of at most 64 bits; `shift` moves inside a longer one.
  template <Part part, int shift = 0, int bits = kSections[part].length>
  void put(std::uint64_t value) {
    static_assert(bits <= 64 && shift + bits <= kSections[part].length);
    constexpr int kAt = kSections[part].offset + shift, kWord = kAt / 64, kShift = kAt % 64;
    if constexpr (bits < 64) SCHAFKOPF_ASSERT(value < (std::uint64_t{1} << bits));
    words[kWord] |= value << kShift;
    if constexpr (kShift + bits > 64) words[kWord + 1] |= value >> (64 - kShift);
  }
  template <Part part>
  std::uint8_t* byte_section() {
    return bytes + (kSections[part].offset - kNumBits);
  }
  /// Fill a whole section of bytes.
  template <Part part, class... Values>
  void put_bytes(Values... values) {
    static_assert(static_cast<int>(sizeof...(values)) == kSections[part].length);
    std::uint8_t* out = byte_section<part>();
    ((*out++ = static_cast<std::uint8_t>(values)), ...);
  }
  /// Fill a section of four bytes, lowest first.
  template <Part part>
  void put_packed(std::uint32_t value) {
    static_assert(kSections[part].length == 4);
    std::uint8_t* out = byte_section<part>();
    for (int i = 0; i < 4; ++i) out[i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
};

// Tables from the contract table, the action table and the scales

/// What the encoder needs to know about a contract and its trump suit.
struct ContractFacts {
  std::uint32_t trumps = 0;
  std::uint8_t trump_suits[8] = {};  // kernels::Groups
};

/// Seats of the own party and of known opponents as bit sets of relative seats.
struct KnownParties {
  std::uint8_t own = 0, opponents = 0;
};

/// How an event changes the 12 bits of its seat: clear, then set.
struct EventBits {
  std::uint16_t keep = 0xFFF, set = 0;
};

constexpr int kNoTrumpSuit = 4, kNumTrumpSuits = 5;

struct Tables {
  std::array<std::array<ContractFacts, kNumTrumpSuits>, kNumContractClasses + 1> contracts{};
  std::array<bool, kNumContractClasses + 1> everyone{};
  std::array<EventBits, kNumActions> events{};
  std::array<float, kNumBytes> scales{};
};

/// Trump set with a trump suit, or of the trump ranks alone.
CardSet trumps_with(const ContractRow& row, int suit) {
  if (suit != kNoTrumpSuit) return trumps_of(row, static_cast<Suit>(suit));
  return trumps_of(row, Suit::kEichel) & trumps_of(row, Suit::kGras);
}

EventBits event_bits(Action action) {
  if (const NamedContract named = contract_of_action(action); named.row != nullptr) {
    const int number = static_cast<int>(named.row->contract) + 1;
    return {0x03F, static_cast<std::uint16_t>((number << 6) | (named.tout ? 0x800 : 0))};
  }
  if (action == kActionPass) return {0xFFF, 1 << 0};
  if (action == kActionPlay) return {0xFFF, 1 << 1};
  if (action == kActionYield) return {0xFFF, 1 << 2};
  if (action == kActionDouble) return {0xFFF, 1 << 3};
  if (action == kActionLay) return {0xFFF, 1 << 4};
  if (action >= kActionHold && action < kActionLay) return {0xFFF, 1 << 5};
  return {};
}

Tables make_tables() {
  Tables tables;
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
  for (std::size_t action = 0; action < kNumActions; ++action) {
    tables.events[action] = event_bits(static_cast<Action>(action));
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

/// Word 2, 3 of the line (context bytes) stay out of the permutation's result.
enum LineWord : std::size_t { kHandWord = 0, kLegalWord = 1, kPlayedWord = 4, kTableWord = 8 };
constexpr std::size_t kCapturedWord = 12;
static_assert(offsetof(CardsLine, played) == 4 * kPlayedWord &&
              offsetof(CardsLine, table) == 4 * kTableWord &&
              offsetof(CardsLine, captured) == 4 * kCapturedWord);

/// Everything that several writers share.
struct Input {
  const CardsLine& cards;
  const OrderLine& order;
  const EventsLine& events;
  const Tables& tables;
  const ContractFacts& contract;
  bool in_play;
  const std::array<std::uint8_t, kNumSuits>& slots;  // canonical slot of each suit
  std::uint32_t words[16];                           // the line in canonical cards
  std::uint32_t unseen;                              // absolute
};

std::uint32_t one_hot_seat(int relative) { return (1u << relative) & 15u; }

void put_cards(Features& features, const Input& input) {
  const std::uint32_t* words = input.words;
  const std::uint32_t deck = input.order.deck == 0 ? kLongDeck.bits() : kShortDeck.bits();
  const std::uint32_t shown = words[4] | words[5] | words[6] | words[7] | words[12] | words[13] |
                              words[14] | words[15] | words[kHandWord];
  const std::uint32_t on = input.in_play ? ~0u : 0u;
  features.put<kHand>(words[kHandWord]);
  features.put<kLegalCards>(words[kLegalWord]);
  features.put<kUnseen>(deck & ~shown);
  features.put<kTable, 0, 32>(words[kTableWord + 1] & on);
  features.put<kTable, 32, 32>(words[kTableWord + 2] & on);
  features.put<kTable, 64, 32>(words[kTableWord + 3] & on);
  features.put<kPlayed, 0, 64>(words[kPlayedWord] | (std::uint64_t{words[kPlayedWord + 1]} << 32));
  features.put<kPlayed, 64, 64>(words[kPlayedWord + 2] |
                                (std::uint64_t{words[kPlayedWord + 3]} << 32));
}

void put_contract(Features& features, const Input& input) {
  const CardsLine& cards = input.cards;
  const bool called = cards.called_card < kNumCards;
  features.put<kContract>((std::uint64_t{1} << (cards.contract & 31)) >> 1);
  features.put<kTout>((cards.contract >> 5) & 1u);
  features.put<kTrumpSuit>(one_hot_seat(cards.trump_suit));
  features.put<kCalledSuit>(called ? 1u << (cards.called_card >> 3) : 0u);
  features.put<kCalledRank>(called ? cards.called_card & 7u : 0u);
  features.put<kLevel>(((1u << ((cards.partner_level >> 3) & 15)) >> 1) & 0xFFu);
  features.put<kDeclarer>(one_hot_seat(cards.declarer_leader & 7));
  features.put<kLeader>(one_hot_seat((cards.declarer_leader >> 3) & 7));
  features.put<kPartner>(one_hot_seat(cards.partner_level & 7));
  features.put<kDealer>(one_hot_seat(input.order.dealer));
}

void put_situation(Features& features, const Input& input) {
  const CardsLine& cards = input.cards;
  const unsigned flags = cards.flags;
  static_assert(kFlagPartnerKnown == 4 && kFlagRanAway == 8 && kFlagOwnsCalled == 16);
  static_assert(kFlagToAct == 32 && kFlagRenonce == 128 && kFlagConcedeRest == 2);
  features.put<kFlags>(((flags >> 2) & 7u) | ((flags >> 4) & 8u) | ((flags >> 1) & 16u));
  features.put<kPhase>((std::uint64_t{1} << (cards.phase & 31)));
  const std::uint64_t off_play = input.in_play ? 0 : ~std::uint64_t{0};
  const std::uint64_t named =
      ((cards.table[2] | (std::uint64_t{cards.table[3]} << 32)) >> (kFirstContractAction - 64)) &
      0xFFFFFFu;
  const std::uint64_t other = ((cards.table[1] & 15u) | (named << 4)) & off_play;
  features.put<kLegalOther>(other | (std::uint64_t{flags & 3u} << 28));
  features.put<kTrick>((1u << ((cards.seat_trick >> 2) & 15)) & 0xFFu);
  features.put<kOnTable>((1u << (cards.seat_trick >> 6)) >> 1);
}

void put_voids(Features& features, const Input& input) {
  kernels::Groups groups;
  std::memcpy(groups.trump_suits, input.contract.trump_suits, sizeof groups.trump_suits);
  for (std::size_t suit = 0; suit < kNumSuits; ++suit) {
    groups.plain[suit] = static_cast<std::uint8_t>(1 << input.slots[suit]);
  }
  const std::uint32_t voids = kernels::void_groups(input.order.plays, input.order.seats, groups);
  features.put<kVoids>(kernels::pack_groups(voids));
}

void put_auction(Features& features, const Input& input) {
  std::uint64_t said = 0;
  for (int i = 0; i < input.order.num_events; ++i) {
    const unsigned event = input.events.events[i];
    const EventBits bits = input.tables.events[event & 0x7F];
    const unsigned shift = kBitsOfSeat * ((event >> 8) & 3u);
    said &= ~(std::uint64_t{static_cast<std::uint16_t>(~bits.keep & 0xFFF)} << shift);
    said |= std::uint64_t{bits.set} << shift;
  }
  features.put<kAuction>(said);
}

/// Sum of the bytes whose bit is set in `seats`.
unsigned sum_of(std::uint32_t packed, unsigned seats) {
  const std::uint32_t mask = ((seats * 0x00204081u) & 0x01010101u) * 0xFFu;
  return ((packed & mask) * 0x01010101u) >> 24;
}

KnownParties known_parties(const Input& input) {
  const int declarer = input.cards.declarer_leader & 7, partner = input.cards.partner_level & 7;
  const unsigned all = input.order.seats == 3 ? 7u : 15u;
  const unsigned declarers = one_hot_seat(declarer) | one_hot_seat(partner);
  if (input.tables.everyone[input.cards.contract & 31]) {
    return {1, static_cast<std::uint8_t>(all & ~1u)};
  }
  // without a called card, and as soon as the partner is known, the parties are complete
  const bool complete = partner != kNoSeat || input.cards.called_card == kNoCard;
  if (declarers == 0) return {1, 0};
  if (complete) {
    const unsigned own = (declarers & 1u) != 0 ? declarers : all & ~declarers;
    return {static_cast<std::uint8_t>(own), static_cast<std::uint8_t>(all & ~own)};
  }
  return {1, static_cast<std::uint8_t>(declarers & ~1u)};
}

void put_points(Features& features, const Input& input) {
  std::uint32_t points = 0, tricks = 0;
  const unsigned per_trick = input.order.seats == 3 ? 11u : 8u;  // x * 11 / 32 = x / 3 up to 24
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const CardSet captured(input.cards.captured[seat]);
    points |= static_cast<std::uint32_t>(points_of(captured)) << (8 * seat);
    tricks |= ((static_cast<unsigned>(captured.count()) * per_trick) >> 5) << (8 * seat);
  }
  const KnownParties parties = known_parties(input);
  const std::uint32_t* table = input.cards.table;
  const std::uint32_t on = input.in_play ? ~0u : 0u;
  const CardSet on_table((table[0] | table[1] | table[2] | table[3]) & on);
  features.put_packed<kPoints>(points);
  features.put_packed<kTricks>(tricks);
  features.put_bytes<kPartyPoints>(sum_of(points, parties.own), sum_of(points, parties.opponents),
                                   points_of(on_table), points_of(CardSet(input.unseen)));
}

void put_counts(Features& features, const Input& input) {
  const CardSet hand(input.cards.hand), unseen(input.unseen), trumps(input.contract.trumps);
  features.put_bytes<kCounts>(hand.count(), (hand & trumps).count(), (unseen & trumps).count(),
                              points_of(hand) / 4, input.order.num_plays / 4);
  const CardSet plain = unseen - trumps;
  std::uint32_t groups = 0;
  for (std::size_t suit = 0; suit < kNumSuits; ++suit) {
    const auto cards =
        static_cast<std::uint32_t>((plain & CardSet::suit(static_cast<Suit>(suit))).count());
    groups |= cards << (8 * input.slots[suit]);
  }
  features.put_packed<kUnseenGroups>(groups);
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
  features.put_bytes<kContext>(logarithmic(order.stock), order.bock, order.special_round,
                               order.games_left, order.legen, order.bid / 10, order.seats);
  features.put_bytes<kOwed>(order.owed[0], order.owed[1], order.owed[2], order.owed[3]);
}

/// All sections of one view.
void collect(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
             const Tables& all, Features& features) {
  SCHAFKOPF_ASSERT(order.card_map < num_card_maps() && cards.phase < kNumPhases);
  SCHAFKOPF_ASSERT(cards.trump_suit <= kNoTrumpSuit);
  Input input{cards,
              order,
              events,
              all,
              all.contracts[cards.contract & 31][cards.trump_suit],
              cards.phase == static_cast<std::uint8_t>(Phase::kPlay),
              suit_slots(order.card_map),
              {},
              0};
  std::memcpy(input.words, &cards, sizeof input.words);
  kernels::permute_words(input.words, kept_cards(order.card_map), input.slots.data());
  const std::uint32_t deck = order.deck == 0 ? kLongDeck.bits() : kShortDeck.bits();
  input.unseen =
      deck & ~(cards.hand | cards.played[0] | cards.played[1] | cards.played[2] | cards.played[3] |
               cards.captured[0] | cards.captured[1] | cards.captured[2] | cards.captured[3]);
  put_cards(features, input);
  put_contract(features, input);
  put_situation(features, input);
  put_voids(features, input);
  put_auction(features, input);
  put_points(features, input);
  put_counts(features, input);
  put_context(features, input);
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

void write_view(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
                const Tables& all, std::uint8_t* row) {
  Features features;
  collect(cards, order, events, all, features);
  for (int i = 0; i < kNumWords; ++i) kernels::expand_bits(features.words[i], row + 64 * i);
  std::memcpy(row + kNumBits, features.bytes, kNumBytes);
}

void write_view(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
                const Tables& all, float* row) {
  Features features;
  collect(cards, order, events, all, features);
  for (int i = 0; i < kNumWords; ++i) kernels::expand_bits(features.words[i], row + 64 * i);
  kernels::scale_bytes(features.bytes, all.scales.data(), kNumBytes, row + kNumBits);
}

template <class T>
void expand_batch(const ViewBatch& batch, std::span<T> rows) {
  SCHAFKOPF_ASSERT(rows.size() >= batch.size * std::size_t{kRowSize});
  const Tables& all = tables();
  std::array<T, std::size_t{kRuleSize}> rules{};
  int rules_index = -1;
  for (std::size_t i = 0; i < batch.size; ++i) {
    T* row = rows.data() + i * std::size_t{kRowSize};
    write_view(batch.cards[i], batch.order[i], batch.events[i], all, row);
    const int index = batch.rule_index == nullptr ? 0 : batch.rule_index[i];
    if (batch.rules != nullptr && !batch.rules->features.empty() && index != rules_index) {
      write_rules(batch.rules->features.subspan(static_cast<std::size_t>(index * kRuleSize),
                                                std::size_t{kRuleSize}),
                  rules.data());
      rules_index = index;
    }
    std::memcpy(row + kViewSize, rules.data(), sizeof rules);
  }
}

}  // namespace

std::span<const Section> observation_sections() { return kSections; }
int observation_size() { return kRowSize; }

void expand(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
            std::span<const float> rule_features, std::uint8_t* row) {
  SCHAFKOPF_ASSERT(rule_feature_size() == kRuleSize);
  write_view(cards, order, events, tables(), row);
  write_rules(rule_features, row + kViewSize);
}

void expand(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
            std::span<const float> rule_features, float* row) {
  SCHAFKOPF_ASSERT(rule_feature_size() == kRuleSize);
  write_view(cards, order, events, tables(), row);
  write_rules(rule_features, row + kViewSize);
}

void expand_view(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
                 std::uint8_t* row) {
  write_view(cards, order, events, tables(), row);
}

void expand_view(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
                 float* row) {
  write_view(cards, order, events, tables(), row);
}

void expand(const ViewBatch& batch, std::span<std::uint8_t> rows) { expand_batch(batch, rows); }
void expand(const ViewBatch& batch, std::span<float> rows) { expand_batch(batch, rows); }

}  // namespace schafkopf
