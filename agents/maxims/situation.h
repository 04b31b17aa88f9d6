// What a card player works out from its view beyond what is proven (Deduction): tricks led, numbers
// of cards, chances. Built only from a PlayerView, so nothing hidden enters. Seats are relative to
// the viewing seat (0 = me).
#pragma once

#include <array>

#include "agents/maxims/maxim.h"
#include "env/cards/contract.h"
#include "env/rules/compiled_rules.h"
#include "env/view/deduction.h"
#include "env/view/view.h"

namespace schafkopf {

/// A decision of card play as its seat sees it.
struct Situation : Deduction {
  /// seen_by  version of the rule agent
  Situation(const PlayerView& view, const CompiledRules& compiled,
            RuleVersion seen_by = kNewestRules);

  RuleVersion version;

  /// Tricks that come before any contract (C.20.10): trumps of the partner game, everybody for
  /// himself; `row` is that of the game without parties.
  bool before_contract;
  bool tout;
  /// own tricks cost the left neighbour in the end, those of the right neighbour this seat.
  bool hands_tricks_on;
  Suit trump_suit;  // Herz where the contract has none

  CardSet dealt;   // the hand and what was played from it
  int cards_left;  // in my hand
  int trick;       // number of the running trick, 0 = the first

  std::array<int, 4> num_held{};
  std::array<int, 4> times_led{};     // how often the plain suit was led
  std::array<int, 4> opened_by{};     // seat that led the plain suit first, kNoSeat = nobody
  std::array<CardSet, 4> discards{};  // plain cards that the seat threw off in tricks of others

  /// Cards that beat `card`, which leads, follows or trumps, when the group `led_group` was led.
  /// Versions 1 and 2 read a trump that is no picture by the led suit: they count the cards of a
  /// suit behind the trump suit as higher, and miss the higher trumps of its rank.
  [[nodiscard]] CardSet beaters(Card card, CardSet led_group) const {
    if (version >= RuleVersion::kThird) return Deduction::beaters(card);
    return CardSet(beaters_of(order, CardSet::of(card).bits(), led_group.bits()));
  }
  [[nodiscard]] bool called_is_out() const {
    return called != kNoCard && (unseen.contains(called) || hand.contains(called));
  }
  /// Unseen cards that beat the card when it is led.
  [[nodiscard]] CardSet unseen_beaters(Card card) const;
  /// No unseen card of its own group is higher.
  [[nodiscard]] bool is_highest_left(Card card) const;
  [[nodiscard]] bool enemies_may_have_trumps() const;

  /// Estimated chance that the seat holds no card of the set (hypergeometric).
  [[nodiscard]] double chance_none(int seat, CardSet set) const;
  /// Estimated chance that the seat, still to play, beats `card` in a trick led in `led_group`.
  [[nodiscard]] double chance_beats(int seat, Card card, CardSet led_group) const;
  /// Estimated chance that my side wins the trick if the best card is `card`, held by `holder`,
  /// and all seats after me follow.
  [[nodiscard]] double chance_side_wins(Card card, int holder, CardSet led_group) const;
  /// 1 friend, 0 enemy; unknown seats between (a defender's two unknown seats hold one friend).
  [[nodiscard]] double friend_weight(int seat) const;

 private:
  void read_hands(const PlayerView& view, const CompiledRules& compiled);
  void read_tricks(const PlayerView& view);
  void read_winner(const PlayerView& view);
};

}  // namespace schafkopf
