#include "env/view/row_tables.h"

#include <algorithm>
#include <vector>

#include "env/base/assert.h"
#include "env/cards/contract.h"

namespace schafkopf::rows {
namespace {

using namespace layout::v1;

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

/// Sections that one context byte decides.
ContextBits context_bits(ContextByte which, unsigned byte) {
  static_assert(kFlagPartnerKnown == 4 && kFlagRanAway == 8 && kFlagOwnsCalled == 16);
  static_assert(kFlagToAct == 32 && kFlagRenonce == 128 && kFlagConcedeRest == 2);
  Features features;
  switch (which) {
    case kPhaseByte:
      if (byte < kSections[kPhase].length) features.put_section<kPhase>(std::uint64_t{1} << byte);
      break;
    case kContractByte:
      features.put_section<kContract>(((std::uint64_t{1} << packed::kContractCode.of(byte)) >> 1) &
                                      0x7FFFFu);
      features.put_section<kTout>(static_cast<unsigned>(packed::kContractTout.of(byte)));
      break;
    case kCalledByte:
      if (byte < kNumCards) {
        features.put_section<kCalledSuit>(1u << (byte >> 3));
        features.put_section<kCalledRank>(byte & 7u);
      }
      break;
    case kTrumpSuitByte:
      features.put_section<kTrumpSuit>(byte < kNumSuits ? 1u << byte : 0u);
      break;
    case kDeclarerLeaderByte:
      features.put_section<kDeclarer>(one_hot_seat(packed::kDeclarer.of(byte)));
      features.put_section<kLeader>(one_hot_seat(packed::kLeader.of(byte)));
      break;
    case kPartnerLevelByte:
      features.put_section<kPartner>(one_hot_seat(packed::kPartner.of(byte)));
      features.put_section<kLevel>(((1u << packed::kLevel.of(byte)) >> 1) & 0xFFu);
      break;
    case kSeatTrickByte:
      features.put_section<kTrick>((1u << packed::kTrickNumber.of(byte)) & 0xFFu);
      features.put_section<kOnTable>((1u << packed::kOnTable.of(byte)) >> 1);
      break;
    case kFlagsByte:
      features.put_section<kFlags>(((byte >> 2) & 7u) | ((byte >> 4) & 8u) | ((byte >> 1) & 16u));
      features.put_section<kLegalOther>(std::uint64_t{byte & 3u} << 28);
      break;
    case kNumContextBytes:
      break;
  }
  return ContextBits{features.words[kFirstContextWord], features.words[kLastContextWord]};
}

std::vector<MapFacts> make_maps() {
  std::vector<MapFacts> maps;
  for (int map = 0; map < num_card_maps(); ++map) {
    const std::array<std::uint8_t, kNumSuits>& slots = suit_slots(map);
    MapFacts& facts = maps.emplace_back();
    facts.slots = kernels::make_slots(kept_cards(map), slots.data());
    for (std::size_t suit = 0; suit < kNumSuits; ++suit) {
      facts.groups[suit] = static_cast<std::uint8_t>(1 << slots[suit]);
    }
  }
  return maps;
}

void fill_contracts(RowTables& tables) {
  for (const ContractRow& row : contract_table()) {
    const std::size_t number = static_cast<std::size_t>(row.contract) + 1;
    tables.everyone[number] = row.parties == Parties::kEveryone;
    tables.everyone_bits |= (tables.everyone[number] ? 1u : 0u) << number;
    tables.trump_ranks[number] = static_cast<std::uint8_t>(trumps_with(row, kNoTrumpSuit).bits());
    const bool takes_suit = trumps_with(row, 0) != trumps_with(row, kNoTrumpSuit);
    tables.suited_bits |= (takes_suit ? 1u : 0u) << number;
    for (int suit = 0; suit < kNumTrumpSuits; ++suit) {
      ContractFacts& facts = tables.contracts[number][static_cast<std::size_t>(suit)];
      const CardSet trumps = trumps_with(row, suit);
      facts.trumps = trumps.bits();
      const std::uint32_t whole = suit < kNumSuits && takes_suit ? 0xFFu << (8 * suit) : 0u;
      tables.has_trump_ranks &= facts.trumps == (tables.trump_ranks[number] * 0x01010101u | whole);
      for (const Card card : trumps) {
        facts.trump_suits[card & 7] =
            static_cast<std::uint8_t>(facts.trump_suits[card & 7] | (1 << (card >> 3)));
      }
    }
  }
}

void fill_parties(RowTables& tables) {
  for (int declarer = 0; declarer < 8; ++declarer) {
    for (int partner = 0; partner < 8; ++partner) {
      for (int flags = 0; flags < 8; ++flags) {
        const bool called = (flags & 1) != 0, everyone = (flags & 2) != 0, three = (flags & 4) != 0;
        const auto all_if = [](bool condition) { return condition ? ~0u : 0u; };
        tables.parties[party_index(declarer, partner, called, everyone, three)] =
            known_parties(static_cast<std::uint32_t>(declarer), static_cast<std::uint32_t>(partner),
                          all_if(called), all_if(everyone), three ? 7u : 15u);
      }
    }
  }
}

/// What an event of the first relative seat changes of that seat's bits, moved to another one.
void fill_events(RowTables& tables) {
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    for (std::size_t action = 0; action < kNumActions; ++action) {
      const EventBits first = event_bits(static_cast<Action>(action));
      const auto shift = static_cast<unsigned>(kBitsOfSeat * seat);
      const EventBits bits{~(~first.keep << shift), first.set << shift};
      std::uint32_t announced = 0;
      for (unsigned i = 0; i < kNumAnnouncements; ++i) {
        if (kAnnouncements[i] == action) announced = 1u << (kNumAnnouncements * seat + i);
      }
      for (const bool flag : {false, true}) {
        const unsigned event =
            packed::event(static_cast<Action>(action), flag, static_cast<int>(seat), 0);
        tables.events[event & packed::kEventSaid.mask()] = bits;
        tables.announced[event & packed::kEventSaid.mask()] = announced;
      }
    }
  }
}

/// The same for many views at once, which look up sixteen actions at a time.
void fill_sayings(RowTables& tables) {
  constexpr std::uint64_t kSaid = (std::uint64_t{1} << kSaidBits) - 1;
  for (unsigned action = 0; action < kNumActions; ++action) {
    const std::uint64_t bits = event_bits(static_cast<Action>(action)).set;
    const unsigned said = action - kFirstSaid, named = action - kFirstContractAction;
    SCHAFKOPF_ASSERT((bits & kSaid) == 0 || said < tables.says.size());
    SCHAFKOPF_ASSERT(bits >> kSaidBits == 0 || named < tables.names.size());
    if (said < tables.says.size()) tables.says[said] = static_cast<std::uint8_t>(bits & kSaid);
    if (named < tables.names.size()) {
      tables.names[named] = static_cast<std::uint8_t>(bits >> kSaidBits);
    }
  }
}

RowTables make_tables() {
  static const std::vector<MapFacts> maps = make_maps();
  RowTables tables;
  tables.maps = maps.data();
  tables.num_maps = maps.size();
  fill_contracts(tables);
  fill_parties(tables);
  fill_events(tables);
  fill_sayings(tables);
  for (std::size_t which = 0; which < kNumContextBytes; ++which) {
    for (unsigned byte = 0; byte < 256; ++byte) {
      tables.context[which][byte] = context_bits(static_cast<ContextByte>(which), byte);
    }
  }
  for (std::size_t part = kPoints; part < kRules; ++part) {
    const Section& section = kSections[part];
    std::fill_n(tables.scales.begin() + (section.offset - kNumBits), section.length, section.scale);
  }
  return tables;
}

}  // namespace

const RowTables& row_tables() {
  static const RowTables made = make_tables();
  return made;
}

}  // namespace schafkopf::rows
