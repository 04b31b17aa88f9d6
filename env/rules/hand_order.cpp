#include "env/rules/hand_order.h"

namespace schafkopf {
namespace {

/// Ranks of a plain suit, strongest first (C.14 for the low ten).
std::array<Rank, kNumRanks> plain_ranks(PlainOrder order) {
  if (order == PlainOrder::kLowTen) {
    return {Rank::kAss, Rank::kKoenig, Rank::kOber, Rank::kUnter,
            Rank::k10,  Rank::k9,      Rank::k8,    Rank::k7};
  }
  return {Rank::kAss,   Rank::k10, Rank::kKoenig, Rank::kOber,
          Rank::kUnter, Rank::k9,  Rank::k8,      Rank::k7};
}

bool is_trump_rank(const ContractRow& row, Rank rank) {
  for (int i = 0; i < row.num_trump_ranks; ++i) {
    if (row.trump_ranks[static_cast<std::size_t>(i)] == rank) return true;
  }
  return false;
}

}  // namespace

SortedHand sorted_hand(CardSet hand, ContractClass contract, std::optional<Suit> suit,
                       const CompiledRules& rules) {
  const ContractRow& row = contract_row(contract);
  const bool unnamed = row.trump_suit == TrumpSuit::kAnnounced && !suit;
  // the list goes on into the partner suit where that is plain (ramsch_trumps = no_herz, R-052)
  const CardSet trumps(rules.play(contract, suit.value_or(Suit::kHerz)).trumps);
  SortedHand sorted;
  for (const Card card : rules.trumps(contract, suit.value_or(Suit::kHerz)).cards_in_order()) {
    if (!(hand & trumps).contains(card) || (unnamed && !is_trump_rank(row, rank_of(card))))
      continue;
    sorted.trumps.push_back(card);
    hand.remove(card);
  }
  for (int plain = 0; plain < kNumSuits; ++plain) {
    for (const Rank rank : plain_ranks(row.plain_order)) {
      const Card card = make_card(static_cast<Suit>(plain), rank);
      if (hand.contains(card)) sorted.plain[static_cast<std::size_t>(plain)].push_back(card);
    }
  }
  return sorted;
}

}  // namespace schafkopf
