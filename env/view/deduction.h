// What a seat can work out from its view during card play: who can hold what, who belongs to whose
// party, what lies on the table. Built from the three public lines alone, so nothing hidden enters.
// Seats are relative to the viewing seat (0 = me); cards are absolute.
#pragma once

#include <array>
#include <cstdint>

#include "env/cards/contract.h"
#include "env/cards/play.h"
#include "env/view/view.h"

namespace schafkopf {

/// Cards played before the contract was named (C.20.10): other cards were trumps then.
[[nodiscard]] int plays_before_contract(const OrderLine& plays, const EventsLine& events);

/// Whose side another seat is on, as far as this seat can prove it.
enum class Side : std::uint8_t { kFriend, kUnknown, kEnemy };

struct Deduction {
  /// row    of the contract; the game without parties before there is one
  /// order  its contract words (trumps, top, second, low_tens): who beats whom
  Deduction(const CardsLine& cards, const OrderLine& order_of_play, const EventsLine& events,
            const ContractRow& contract, const PlayState<std::uint32_t>& contract_words);

  // The contract
  const ContractRow* row;
  PlayState<std::uint32_t> order;
  CardSet trumps;
  Card called;        // called card, kNoCard if none
  CardSet call_suit;  // plain cards of its suit

  // Me
  CardSet hand;
  CardSet legal;
  bool is_declarer;
  bool on_declarer_side;

  // The others
  int seats;
  int declarer;                       // kNoSeat = none
  std::array<Side, 4> side{};         // side[0] = kFriend
  std::array<CardSet, 4> may_hold{};  // unseen cards that the seat can still have
  CardSet unseen;                     // cards in other hands, or forgotten
  bool forgets;                       // earlier tricks are not shown (history_view = last_trick)

  // The trick on the table
  int first_to_lead;  // seat that leads or led it
  int on_table;       // cards in it
  int winner;         // seat of the best card, kNoSeat when leading
  Card best;          // the best card, kNoCard when leading
  CardSet led;        // group that must be followed, empty when leading
  int points;

  [[nodiscard]] bool leading() const { return on_table == 0; }
  [[nodiscard]] bool last() const { return on_table == seats - 1; }
  [[nodiscard]] bool is_trump(Card card) const { return trumps.contains(card); }
  /// Trump set or plain cards of the suit: what must follow when the card is led.
  [[nodiscard]] CardSet group(Card card) const {
    return CardSet(group_of(order, CardSet::of(card).bits()));
  }
  /// Cards that beat a card which is led, follows or trumps.
  [[nodiscard]] CardSet beaters(Card card) const {
    return CardSet(beaters_of(order, CardSet::of(card).bits(), group(card).bits()));
  }
  /// Seats that act after me in this trick, as a range first..last of relative seats.
  [[nodiscard]] int num_after_me() const { return seats - 1 - on_table; }
  /// What those seats can hold.
  [[nodiscard]] CardSet held_after_me() const {
    CardSet held;
    for (int seat = 1; seat <= num_after_me(); ++seat) {
      held = held | may_hold[static_cast<std::size_t>(seat)];
    }
    return held;
  }
  /// No seat that still plays in this trick can hold a card that beats this one, as far as is
  /// known; and it beats what lies on the table.
  [[nodiscard]] bool takes_for_sure(Card card) const;

 private:
  /// first  the first play of the contract that is played
  void read_tricks(const CardsLine& cards, const OrderLine& plays, int first);
  void read_doublings(const OrderLine& plays, const EventsLine& events);
  void prove_sides(const CardsLine& cards);
  void read_holdings(CardSet open);
  void read_table(const CardsLine& cards, const OrderLine& plays);
  void exclude_owner(int seat) { may_own_[static_cast<std::size_t>(seat)] = false; }

  std::array<bool, 4> may_own_{true, true, true, true};  // the called card
  std::array<CardSet, 4> void_in_{};
};

}  // namespace schafkopf
