// Rules of card play on partial hands, without a deal: the doors of the worked examples.
#include <string>

#include "env/base/wrong_argument.h"
#include "env/cards/contract.h"
#include "env/game/game.h"
#include "env/rules/calling.h"

namespace schafkopf {

namespace {

void check_card(const char* argument, Card card) {
  if (card < kNumCards) return;
  refuse_argument(argument, ": card = " + std::to_string(card) + ", allowed: 0.." +
                                std::to_string(kNumCards - 1));
}

PlayState<std::uint32_t> bare_state(ContractClass contract, Suit trump_suit, const RuleSet& rules) {
  check_numbers(contract, trump_suit);
  const ContractRow& row = contract_row(contract);
  const bool partner = row.trump_suit == TrumpSuit::kPartnerSuit;
  const Suit suit = partner ? rules.partner_trump_suit : trump_suit;
  CardSet trumps = trumps_of(row, suit);
  if (row.goal == Goal::kFewestPoints && rules.ramsch_trumps == RamschTrumps::kNoHerz) {
    trumps = trumps_of(contract_row(contract), suit) &
             (CardSet::rank(row.trump_ranks[0]) | CardSet::rank(row.trump_ranks[1]));
  }
  PlayState<std::uint32_t> state{};
  state.trumps = trumps.bits();
  if (row.num_trump_ranks > 0) state.top = CardSet::rank(row.trump_ranks[0]).bits();
  if (row.num_trump_ranks > 1) state.second = CardSet::rank(row.trump_ranks[1]).bits();
  if (row.plain_order == PlainOrder::kLowTen) state.low_tens = CardSet::rank(Rank::k10).bits();
  state.seats = 8;  // never full: the caller counts
  return state;
}

/// Lay the trick on the table of a bare state: seats do not matter to what may follow.
void lay(PlayState<std::uint32_t>& state, std::span<const Card> trick) {
  for (std::size_t i = 0; i < trick.size(); ++i) {
    check_card("trick", trick[i]);
    const std::uint32_t card = CardSet::of(trick[i]).bits();
    const std::uint32_t group = group_of(state, card);
    if (i == 0) state.led_group = group;
    if (i == 0 || (card & state.beaters) != 0) {
      state.beaters = beaters_of(state, card, group);
      state.winner = static_cast<std::uint32_t>(i);
    }
    ++state.on_table;
  }
}

}  // namespace

CardSet legal(CardSet hand, std::span<const Card> trick, ContractClass contract, Suit trump_suit,
              Card called, bool released, const RuleSet& rules) {
  PlayState<std::uint32_t> state = bare_state(contract, trump_suit, rules);
  state.hand[0] = hand.bits();
  take_over_switches(state, rules);
  if (called != kNoCard) check_card("called", called);
  if (called != kNoCard && !released) {
    state.bound = CardSet::of(called).bits();
    state.call_group = CardSet::suit(suit_of(called)).bits() & ~state.trumps;
  }
  lay(state, trick);
  return CardSet(legal_cards(state));
}

CardSet callable_cards(CardSet hand, const RuleSet& rules) {
  const CardSet trumps = trumps_of(calling_row(), rules.partner_trump_suit);
  return CardSet(callable_cards(hand.bits(), trumps.bits(), rules.renonce));
}

int laufende(CardSet party, ContractClass contract, Suit trump_suit, const RuleSet& rules) {
  check_numbers(contract, trump_suit);
  return payable_laufende({.contract = contract, .suit = trump_suit}, party, CompiledRules(rules));
}

int trick_winner(std::span<const Card> trick, ContractClass contract, Suit trump_suit,
                 const RuleSet& rules) {
  PlayState<std::uint32_t> state = bare_state(contract, trump_suit, rules);
  lay(state, trick);
  return static_cast<int>(state.winner);
}

}  // namespace schafkopf
