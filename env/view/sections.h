// The sections of observation rows, layout by layout, in row order: name, length, scale, meaning.
// This is the only place: offsets follow from it, the encoders write by its parts, and Python
// (observation_table) and agents/METHODS.md are made of it. v1 to v4 are released and never
// change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "env/cards/action.h"
#include "env/cards/card.h"
#include "env/cards/contract_class.h"
#include "env/view/view.h"

namespace schafkopf {

/// v1: the hot path; everything of an auction and card play. v2: the sections of v1 bit for bit,
/// then open, passed and shown cards and the legal actions and announcements of all other phases;
/// the rule features stay last. v3: widths with room for more contracts, phases and switches, the
/// order of play, and no absolute suit where cards are counted canonical. v4: the sections of v3, then
/// what follows from them in card play; the shipped network reads it. All are released: a row that
/// shows more is a further version.
enum class ObservationVersion : std::uint8_t { kV1 = 1, kV2 = 2, kV3 = 3, kV4 = 4 };
inline constexpr ObservationVersion kLastVersion = ObservationVersion::kV4;

/// One named part of an observation row. float32 value = uint8 value * scale.
struct Section {
  std::string_view name;
  int offset = 0;
  int length = 0;
  float scale = 1.0F;
  std::string_view meaning;
};

namespace layout {

inline constexpr float kBit = 1.0F, kPointScale = 1.0F / 120.0F, kEighth = 1.0F / 8.0F;
inline constexpr float kRuleScale = 1.0F / 255.0F;

/// Offsets are the prefix sum of the lengths.
template <std::size_t kSize>
constexpr std::array<Section, kSize> with_offsets(std::array<Section, kSize> sections) {
  int offset = 0;
  for (Section& section : sections) {
    section.offset = offset;
    offset += section.length;
  }
  return sections;
}

template <std::size_t kSize>
constexpr int row_size(const std::array<Section, kSize>& sections) {
  return sections.back().offset + sections.back().length;
}

namespace v1 {

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

inline constexpr int kBitsOfSeat = 12;  // of the auction section

// clang-format off
inline constexpr std::array<Section, kNumParts> kSections = with_offsets<kNumParts>({{
    {"hand", 0, 32, kBit, "own cards by the index of the row, absolute or canonical (card_map.h), like all card sections"},
    {"legal_cards", 0, 32, kBit, "cards that are legal now (play, call, ...)"},
    {"unseen", 0, 32, kBit, "cards neither in the own hand nor played: held by the others"},
    {"table", 0, 96, kBit, "card on the table of the left neighbour, the opposite seat, the right neighbour (phase PLAY, else none)"},
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
    {"voids", 0, 20, kBit, "per relative seat: proven to have no card of suit 0..3 (absolute, or canonical slots), no trump"},
    {"dealer", 0, 4, kBit, "relative seat of the dealer"},
    {"auction", 0, 48, kBit, "per relative seat: said PASS, PLAY, YIELD, doubled, laid, HOLD or a raise; last class named + 1 (5-bit number), as Tout"},
    {"points", 0, 4, kPointScale, "card points in the tricks of each relative seat"},
    {"party_points", 0, 4, kPointScale, "points of the own known party, of known opponents, on the table (phase PLAY, else 0), in unseen cards"},
    {"tricks", 0, 4, kEighth, "tricks of each relative seat"},
    {"counts", 0, 5, kEighth, "own cards, own trumps, unseen trumps (as far as public), own card points / 4, cards played / 4"},
    {"unseen_groups", 0, 4, kEighth, "unseen plain cards of suit 0..3 (absolute, or canonical slots)"},
    {"context", 0, 7, 1.0F / 16.0F, "Stock (logarithmic / 16), Bock, special round, games left, laid, Steigern bid / 10, seats"},
    {"owed", 0, 4, kEighth, "owed games of each relative seat, as a 3-bit number"},
    {"rules", 0, 192, kRuleScale, "row of the rule set: rule_feature_sections()"},
}});
// clang-format on

// What came after the release has no place in v1 and v2. Each of these says so when it grows: make
// v3 show what is new (below), count it here, and give networks that must see it v3. Rows of v1 and
// v2 are refused for rules that play a contract which they do not show (check_observable).

inline constexpr int kLaterClasses = 0, kLaterActions = 0, kLaterPhases = 0;
inline constexpr int kShownActions = 107;  // 0..106, in `legal_other` or `legal_more`
static_assert(kNumContractClasses == kSections[kContract].length + kLaterClasses,
              "a contract class has no bit in the section `contract` of observations v1 and v2, "
              "which show 19: see that v3 shows it and count it in kLaterClasses");
static_assert(kFirstContractAction == 83 && kFirstReserved == kShownActions + kLaterActions,
              "observations v1 and v2 show the legal actions 0..106 (`legal_other`, `legal_more`): "
              "count new ones in kLaterActions; `legal_actions` of v3 shows all 128");
static_assert(kNumPhases == kSections[kPhase].length + kLaterPhases,
              "a phase has no bit in the section `phase` of observations v1 and v2, which show 23: "
              "see that v3 shows it and count it in kLaterPhases");
static_assert(kSections[kAuction].length == kBitsOfSeat * kNumSeats && kNumContractClasses < 32,
              "the section `auction` of observations v1 and v2 holds a class + 1 in 5 bits and one "
              "bit for Tout, 12 bits for each of four seats");
static_assert(kSections[kHand].length == kNumCards && kSections[kTable].length == 3 * kNumCards &&
                  kSections[kPlayed].length == kNumSeats * kNumCards,
              "card sections hold 32 cards");
static_assert(kSections[kRules].offset == 544 && row_size(kSections) == 736,
              "observation v1 is released: its rows have 736 features and never change");

}  // namespace v1

namespace v2 {

/// What v2 adds to v1, between the view and the rules.
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

// clang-format off
inline constexpr std::array<Section, kNumParts> kAdded = with_offsets<kNumParts>({{
    {"open", 0, 32, kBit, "cards of the declarer that lie open; by the index of the row like all card sections"},
    {"given", 0, 32, kBit, "own cards that were passed on before the play"},
    {"received", 0, 32, kBit, "cards that this seat got before the play"},
    {"shown", 0, 32, kBit, "cards shown with the offer of a Hochzeit"},
    {"legal_more", 0, 45, kBit, "legal actions 36..56 and 59..82: RAISE, LAY, DOUBLE, HZ, SAY, JUNGFRAU, TAKE_UP, PUSH_ON, TARGET, CLAIM_SCHWARZ, CLAIM_LAUFENDE, SUIT"},
    {"announced", 0, 24, kBit, "per relative seat: offered one card, two cards, accepted, took up, pushed on, announced the Jungfrau"},
    {"forgotten", 0, 1, kBit, "earlier tricks are not shown (history_view = last_trick)"},
}});
// clang-format on

/// v1 without its rule features, the added sections, the rule features.
constexpr auto all_sections() {
  std::array<Section, std::size_t{v1::kNumParts} + kNumParts> sections{};
  std::size_t at = 0;
  for (std::size_t part = 0; part < v1::kRules; ++part) sections[at++] = v1::kSections[part];
  for (const Section& section : kAdded) sections[at++] = section;
  sections[at] = v1::kSections[v1::kRules];
  return with_offsets(sections);
}
inline constexpr auto kSections = all_sections();
/// The added part in the row.
[[nodiscard]] constexpr const Section& added(Part part) {
  return kSections[std::size_t{v1::kRules} + part];
}
static_assert(added(kOpen).offset == 544 && row_size(kSections) == 934,
              "observation v2 is released: its rows have 934 features and never change");

}  // namespace v2

namespace v3 {

// Fixed widths, with room for what may come.
inline constexpr int kClassPlaces = 32, kPhasePlaces = 32, kTricks = 8;
inline constexpr int kFirstOther = kNumCards, kNumOther = kNumActions - kNumCards;
inline constexpr int kSaidBits = 6;       // of a seat, as the first bits of v1's auction
inline constexpr int kRuleNumbers = 381;  // rule_features.cpp
static_assert(kNumContractClasses <= kClassPlaces,
              "observation v3 has places for 32 contract classes (`contract`, `named`)");
static_assert(kNumPhases <= kPhasePlaces, "observation v3 has places for 32 phases (`phase`)");

enum Part : std::size_t {
  kHand,
  kLegalCards,
  kUnseen,
  kTable,
  kPlayed,
  kTrickCards,
  kTrickLeader,
  kTrickWinner,
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
  kLegalActions,
  kTrick,
  kOnTable,
  kVoids,
  kDealer,
  kSaid,
  kNamed,
  kNamedTout,
  kAnnounced,
  kOpen,
  kGiven,
  kReceived,
  kShown,
  kForgotten,
  kPoints,
  kPartyPoints,
  kTakenTricks,
  kCounts,
  kUnseenGroups,
  kContext,
  kOwed,
  kRules,
  kNumParts,
};

// clang-format off
inline constexpr std::array<Section, kNumParts> kSections = with_offsets<kNumParts>({{
    v1::kSections[v1::kHand],
    v1::kSections[v1::kLegalCards],
    v1::kSections[v1::kUnseen],
    v1::kSections[v1::kTable],
    v1::kSections[v1::kPlayed],
    {"trick_cards", 0, kTricks * kNumCards, kBit, "order of play: cards of each of eight tricks; who played which stands in `played`, clockwise from the leader"},
    {"trick_leader", 0, kTricks * kNumSeats, kBit, "order of play: relative seat that led each trick"},
    {"trick_winner", 0, kTricks * kNumSeats, kBit, "order of play: relative seat that took each complete trick"},
    {"contract", 0, kClassPlaces, kBit, "contract class, one-hot; zero until it is public"},
    v1::kSections[v1::kTout],
    {"trump_suit", 0, kNumSuits, kBit, "trump suit by the index of the row (absolute E G H S, or canonical slots), zero if none"},
    {"called_suit", 0, kNumSuits, kBit, "suit of the called card by the index of the row, zero if none"},
    v1::kSections[v1::kCalledRank],
    v1::kSections[v1::kLevel],
    v1::kSections[v1::kDeclarer],
    v1::kSections[v1::kLeader],
    v1::kSections[v1::kPartner],
    v1::kSections[v1::kFlags],
    {"phase", 0, kPhasePlaces, kBit, "phase, one-hot"},
    {"legal_actions", 0, kNumOther, kBit, "legal actions 32..127; cards stand in `legal_cards`"},
    v1::kSections[v1::kTrick],
    v1::kSections[v1::kOnTable],
    v1::kSections[v1::kVoids],
    v1::kSections[v1::kDealer],
    {"said", 0, kSaidBits * kNumSeats, kBit, "per relative seat: said PASS, PLAY, YIELD, doubled, laid, HOLD or a raise"},
    {"named", 0, kClassPlaces * kNumSeats, kBit, "per relative seat: contract class named last, one-hot"},
    {"named_tout", 0, kNumSeats, kBit, "per relative seat: it was named as a Tout"},
    v2::kAdded[v2::kAnnounced],
    v2::kAdded[v2::kOpen],
    v2::kAdded[v2::kGiven],
    v2::kAdded[v2::kReceived],
    v2::kAdded[v2::kShown],
    v2::kAdded[v2::kForgotten],
    v1::kSections[v1::kPoints],
    v1::kSections[v1::kPartyPoints],
    v1::kSections[v1::kTricks],
    v1::kSections[v1::kCounts],
    v1::kSections[v1::kUnseenGroups],
    v1::kSections[v1::kContext],
    v1::kSections[v1::kOwed],
    {"rules", 0, kRuleNumbers, kRuleScale, "row of the rule set, with places for 32 further switches: rule_feature_sections(3)"},
}});
// clang-format on

static_assert(row_size(kSections) == 1594,
              "observation v3 is released: its rows have 1594 features and never change");

}  // namespace v3

namespace v4 {

/// Points at which a party has reached something: half, more than half, without Schneider as
/// defender and declarer (G.1), Schneider given as defender and declarer.
inline constexpr std::array kReached = {30, 31, 60, 61, 90, 91};
inline constexpr int kOthers = kNumSeats - 1;

/// What v4 adds to v3, between the view and the rules: what a seat can prove from the view
/// (env/view/deduction.h), written out so that a network need not find it. Zero outside card play.
enum Part : std::size_t {
  kBestSeat,
  kBestCard,
  kSides,
  kBestSide,
  kTakes,
  kSure,
  kAbove,
  kLacks,
  kOnly,
  kReachedPoints,
  kNumParts,
};

// clang-format off
inline constexpr std::array<Section, kNumParts> kAdded = with_offsets<kNumParts>({{
    {"best_seat", 0, kNumSeats, kBit, "relative seat whose card takes the running trick so far (phase PLAY, else none)"},
    {"best_card", 0, kNumCards, kBit, "its card"},
    {"sides", 0, 2 * kNumSeats, kBit, "per relative seat: proven to be of the own party, proven opponent"},
    {"best_side", 0, 2, kBit, "the running trick is with the own party so far, with an opponent, as far as proven"},
    {"takes", 0, kNumCards, kBit, "legal cards that beat what lies on the table"},
    {"sure", 0, kNumCards, kBit, "legal cards that take the trick whatever others can still hold"},
    {"above", 0, kNumCards, kEighth, "per own card: unseen cards of its suit, or trumps, that rank above it"},
    {"lacks", 0, kOthers * kNumCards, kBit, "unseen cards that the left neighbour, the opposite seat, the right neighbour cannot hold"},
    {"only", 0, kOthers * kNumCards, kBit, "unseen cards that only this other seat can hold; zero where tricks are forgotten"},
    {"reached", 0, 2 * static_cast<int>(kReached.size()), kBit, "own proven party, proven opponents: at least 30, 31, 60, 61, 90, 91 points in their tricks"},
}});
// clang-format on

/// v3 without its rule features, the added sections, the rule features.
constexpr auto all_sections() {
  std::array<Section, std::size_t{v3::kNumParts} + kNumParts> sections{};
  std::size_t at = 0;
  for (std::size_t part = 0; part < v3::kRules; ++part) sections[at++] = v3::kSections[part];
  for (const Section& section : kAdded) sections[at++] = section;
  sections[at] = v3::kSections[v3::kRules];
  return with_offsets(sections);
}
inline constexpr auto kSections = all_sections();
static_assert(row_size(kSections) == 1940,
              "observation v4 is released: its rows have 1940 features and never change");
/// The added part in the row.
[[nodiscard]] constexpr const Section& added(Part part) {
  return kSections[std::size_t{v3::kRules} + part];
}

}  // namespace v4
}  // namespace layout
}  // namespace schafkopf
