// What a card player works out from its view: parties, voids, who can still beat what. Built only
// from a PlayerView, so nothing hidden enters. Seats are relative to the viewing seat (0 = me).
#pragma once

#include <array>
#include <cstdint>

#include "env/cards/contract.h"
#include "env/cards/play.h"
#include "env/rules/compiled_rules.h"
#include "env/view/view.h"

namespace schafkopf {

/// Whose side another seat is on, as far as this seat can prove it.
enum class Side : std::uint8_t { kFriend, kUnknown, kEnemy };

/// A decision of card play as its seat sees it.
struct Situation {
  Situation(const PlayerView& view, const CompiledRules& compiled);

  // The contract, by the columns of its row
  const ContractRow* row;
  /// Tricks that come before any contract (C.20.10): trumps of the partner game, everybody for
  /// himself; `row` is that of the game without parties.
  bool before_contract;
  bool tout;
  Suit trump_suit;  // Herz where the contract has none
  CardSet trumps;
  PlayState<std::uint32_t> order{};  // only the contract words: who beats whom
  Card called;                       // called card, kNoCard if none
  CardSet call_suit;                 // plain cards of its suit

  // Me
  CardSet hand;
  CardSet legal;
  CardSet dealt;  // the hand and what was played from it
  bool is_declarer;
  bool on_declarer_side;
  int cards_left;  // in my hand
  int trick;       // number of the running trick, 0 = the first

  // The others
  int seats;
  int declarer;                       // kNoSeat = none
  std::array<Side, 4> side{};         // side[0] = kFriend
  std::array<CardSet, 4> may_hold{};  // unseen cards that the seat can still have
  std::array<int, 4> num_held{};
  CardSet unseen;                     // cards in other hands
  std::array<int, 4> times_led{};     // how often the plain suit was led
  std::array<int, 4> opened_by{};     // seat that led the plain suit first, kNoSeat = nobody
  std::array<CardSet, 4> discards{};  // plain cards that the seat threw off in tricks of others

  // The trick on the table
  int first_to_lead;  // seat that leads or led it
  int on_table;       // cards in it
  int winner;         // seat of the best card, kNoSeat when leading
  Card best;          // the best card, kNoCard when leading
  CardSet led;        // group that must be followed, empty when leading
  int points;

  [[nodiscard]] bool leading() const { return on_table == 0; }
  [[nodiscard]] bool last() const { return on_table == seats - 1; }
  [[nodiscard]] bool called_is_out() const {
    return called != kNoCard && (unseen.contains(called) || hand.contains(called));
  }
  [[nodiscard]] bool is_trump(Card card) const { return trumps.contains(card); }
  /// Trump set or plain cards of the suit: what must follow when the card is led.
  [[nodiscard]] CardSet group(Card card) const;
  /// Cards that beat `card` when the group `led_group` was led.
  [[nodiscard]] CardSet beaters(Card card, CardSet led_group) const;
  /// Unseen cards that beat the card when it is led.
  [[nodiscard]] CardSet unseen_beaters(Card card) const;
  /// No unseen card of its own group is higher.
  [[nodiscard]] bool is_highest_left(Card card) const;
  [[nodiscard]] bool enemies_may_have_trumps() const;
  /// Seats that act after me in this trick, as a range first..last of relative seats.
  [[nodiscard]] int num_after_me() const { return seats - 1 - on_table; }

  /// Estimated chance that the seat holds no card of the set (hypergeometric).
  [[nodiscard]] double chance_none(int seat, CardSet set) const;
  /// Estimated chance that the seat, still to play, beats `card` in a trick led in `led_group`.
  [[nodiscard]] double chance_beats(int seat, Card card, CardSet led_group) const;
  /// Estimated chance that my side wins the trick if the best card is `card`, held by `holder`,
  /// and all seats after me follow. `unproven` = weight of an unknown seat as a friend.
  [[nodiscard]] double chance_side_wins(Card card, int holder, CardSet led_group) const;
  /// 1 friend, 0 enemy; unknown seats between (a defender's two unknown seats hold one friend).
  [[nodiscard]] double friend_weight(int seat) const;

 private:
  void read_contract(const PlayerView& view, const CompiledRules& compiled);
  void read_hands(const PlayerView& view, const CompiledRules& compiled);
  void prove_opposite_seats();
  void read_tricks(const PlayerView& view);
  void exclude_owner(int seat) { may_own_[static_cast<std::size_t>(seat)] = false; }
  void read_doublings(const PlayerView& view);
  void prove_sides(const PlayerView& view);
  void read_table(const PlayerView& view);

  std::array<bool, 4> may_own_{true, true, true, true};  // the called card
  std::array<CardSet, 4> void_in_{};
};

}  // namespace schafkopf
