// Observation v4 (open, see sections.h): what a seat can prove in card play, for its row.
#include <array>
#include <cstddef>
#include <span>

#include "env/base/index.h"
#include "env/cards/card_map.h"
#include "env/view/deduction.h"
#include "env/view/row_proofs.h"

namespace schafkopf::rows {
namespace {

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

const PlayState<std::uint32_t>& words_of(int contract, int trump_suit) {
  static const ContractWords words = make_contract_words();
  return words[at(contract)][at(trump_suit)];
}

void prove_sides(const Deduction& known, Proofs& proofs) {
  const auto section = [](Side side) {
    return side == Side::kFriend ? 1u : side == Side::kEnemy ? 2u : 0u;
  };
  unsigned sides = 0;
  for (int seat = 0; seat < known.seats; ++seat) {
    const Side side = known.side[at(seat)];
    sides |= section(side) << (2 * seat);
    const std::uint32_t byte = 0xFFu << (8 * seat);
    proofs.friends |= side == Side::kFriend ? byte : 0u;
    proofs.enemies |= side == Side::kEnemy ? byte : 0u;
  }
  proofs.sides = static_cast<std::uint8_t>(sides);
  if (known.winner == kNoSeat) return;
  proofs.best_seat = static_cast<std::uint8_t>(1u << known.winner);
  proofs.best_side = static_cast<std::uint8_t>(section(known.side[at(known.winner)]));
  proofs.words[Proofs::kBest] = CardSet::of(known.best).bits();
}

/// Of own cards: which take the trick and which for sure, and what ranks above each.
void prove_own_cards(const Deduction& known, int map, Proofs& proofs) {
  const CardSet held = known.held_after_me();
  const CardSet taking = known.leading() ? known.legal : known.legal & known.beaters(known.best);
  CardSet sure;
  for (const Card card : known.hand) {
    const CardSet beaters = known.beaters(card);
    if (taking.contains(card) && (held & beaters).empty()) sure.add(card);
    proofs.own[proofs.num_own] = to_canonical_action(card, map);
    proofs.above[proofs.num_own++] = (beaters & known.group(card) & known.unseen).bits();
  }
  proofs.words[Proofs::kTakes] = known.leading() ? 0u : taking.bits();
  proofs.words[Proofs::kSure] = sure.bits();
}

void prove_holdings(const Deduction& known, Proofs& proofs) {
  const auto& held = known.may_hold;
  for (int seat = 1; seat < known.seats; ++seat) {
    proofs.words[Proofs::kLacks + at(seat - 1)] = (known.unseen - held[at(seat)]).bits();
  }
  if (known.forgets) return;  // an unseen card may have been played
  static_assert(v4::kOthers == 3);
  proofs.words[Proofs::kOnly] = (held[1] - held[2] - held[3]).bits();
  proofs.words[Proofs::kOnly + 1] = (held[2] - held[1] - held[3]).bits();
  proofs.words[Proofs::kOnly + 2] = (held[3] - held[1] - held[2]).bits();
}

}  // namespace

void prove(std::span<const ViewLines> views, CardIndex card_index, Proofs* proofs) {
  for (const ViewLines& view : views) {
    Proofs& made = *proofs++;
    made = Proofs{};
    const CardsLine& cards = *view.cards;
    const int contract = cards.contract_code() - 1;
    if (cards.phase != static_cast<std::uint8_t>(Phase::kPlay) || contract < 0) continue;
    const Deduction known(cards, *view.order, *view.events,
                          contract_row(static_cast<ContractClass>(contract)),
                          words_of(contract, cards.trump_suit));
    prove_sides(known, made);
    prove_own_cards(known, card_index == CardIndex::kCanonical ? view.order->card_map : 0, made);
    prove_holdings(known, made);
  }
}

}  // namespace schafkopf::rows
