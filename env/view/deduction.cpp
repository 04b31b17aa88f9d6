#include "env/view/deduction.h"

#include <algorithm>
#include <span>

#include "env/base/assert.h"
#include "env/base/index.h"
#include "env/rules/special_round.h"

namespace schafkopf {
namespace {

/// F.3: the sides alternate, the defenders begin, but where a game begins doubled (C.20.8).
bool defenders_double_first(const OrderLine& line) {
  const int mode = line.special_round;
  return mode >= kNumValues<SpecialRound> ||
         special_round_row(static_cast<SpecialRound>(mode)).opening != Opening::kForehandPlays;
}

/// The place of the only true one, or kNoSeat.
int only_true(std::span<const bool> seats) {
  if (std::ranges::count(seats, true) != 1) return kNoSeat;
  return static_cast<int>(std::ranges::find(seats, true) - seats.begin());
}

}  // namespace

int plays_before_contract(const OrderLine& plays, const EventsLine& events) {
  for (int i = plays.num_events - 1; i >= 0; --i) {
    const SeenEvent event = events.event(i);
    if (contract_of_action(event.action).row != nullptr) return event.cards_before;
  }
  return 0;
}

Deduction::Deduction(const CardsLine& cards, const OrderLine& order_of_play,
                     const EventsLine& events, const ContractRow& contract,
                     const PlayState<std::uint32_t>& contract_words)
    : row(&contract),
      order(contract_words),
      trumps(contract_words.trumps),
      called(cards.called_card < kNumCards ? cards.called_card : kNoCard),
      hand(cards.hand),
      legal(cards.legal),
      is_declarer(cards.declarer() == 0),
      on_declarer_side(is_declarer || cards.has(kFlagOwnsCalled) ||
                       (cards.declarer() != kNoSeat && cards.partner() == 0)),
      seats(order_of_play.seats),
      declarer(cards.declarer()),
      forgets(order_of_play.num_plays > 0 && !order_of_play.play(0).known) {
  if (called != kNoCard) call_suit = CardSet::suit(suit_of(called)) - trumps;
  CardSet played;
  for (int seat = 0; seat < seats; ++seat) played = played | CardSet(cards.played[seat]);
  unseen = (order_of_play.deck == 0 ? kLongDeck : kShortDeck) - hand - played;
  read_tricks(cards, order_of_play, plays_before_contract(order_of_play, events));
  read_doublings(order_of_play, events);
  prove_sides(cards);
  read_holdings(CardSet(order_of_play.open));
  read_table(cards, order_of_play);
}

void Deduction::read_tricks(const CardsLine& cards, const OrderLine& plays, int first) {
  SCHAFKOPF_ASSERT(first >= 0);
  const bool ran_away = cards.has(kFlagRanAway);
  bool owner_ran_away = false;
  for (int lead = (first + seats - 1) / seats * seats; lead < plays.num_plays; lead += seats) {
    const SeenPlay leads = plays.play(lead);
    if (!leads.known) continue;  // forgotten
    const CardSet led_group = group(leads.card);
    const int end = std::min(lead + seats, int{plays.num_plays});
    for (int i = lead + 1; i < end; ++i) {  // no branch: who follows cannot be foretold
      const SeenPlay play = plays.play(i);
      const std::uint32_t follows = (led_group.bits() >> play.card) & 1u;
      CardSet& lacks = void_in_[at(play.seat)];
      lacks = lacks | CardSet(led_group.bits() & (follows - 1u));
    }
    if (called == kNoCard || led_group != call_suit) continue;
    // The owner leads the called suit only with the called card or when it runs away (E.3).
    owner_ran_away = owner_ran_away || (ran_away && leads.card != called);
    if (owner_ran_away) continue;
    if (leads.card != called) exclude_owner(leads.seat);
    // I-13: who does not play the called card when its suit is led does not have it.
    for (int i = lead + 1; i < end; ++i) {
      const SeenPlay play = plays.play(i);
      if (play.card != called) exclude_owner(play.seat);
    }
  }
}

void Deduction::read_doublings(const OrderLine& plays, const EventsLine& events) {
  bool by_defenders = defenders_double_first(plays);
  for (int i = 0; i < plays.num_events; ++i) {
    const SeenEvent event = events.event(i);
    if (event.action != kActionDouble) continue;
    if (by_defenders) exclude_owner(event.seat);
    by_defenders = !by_defenders;
  }
}

void Deduction::prove_sides(const CardsLine& cards) {
  side.fill(row->parties == Parties::kEveryone ? Side::kEnemy : Side::kUnknown);
  side[0] = Side::kFriend;
  if (row->parties == Parties::kOppositeSeats) {  // C.5
    for (int seat = 1; seat < seats; ++seat) {
      side[at(seat)] = seat == 2 ? Side::kFriend : Side::kEnemy;
    }
  }
  if (declarer == kNoSeat) return;
  if (row->is_single()) {
    for (int seat = 1; seat < seats; ++seat) {
      side[at(seat)] = is_declarer || seat == declarer ? Side::kEnemy : Side::kFriend;
    }
    return;
  }
  int partner = cards.partner();
  if (partner == kNoSeat && called != kNoCard) {  // the only seat that can still own the card
    exclude_owner(declarer);
    if (!cards.has(kFlagOwnsCalled)) exclude_owner(0);
    partner = only_true(std::span(may_own_).first(at(seats)));
  }
  for (int seat = 1; seat < seats; ++seat) {
    const bool known = seat == declarer || partner != kNoSeat || !may_own_[at(seat)];
    if (!known) continue;
    const bool theirs = seat == declarer || seat == partner;
    side[at(seat)] = theirs == on_declarer_side ? Side::kFriend : Side::kEnemy;
  }
}

void Deduction::read_holdings(CardSet open) {
  for (int seat = 1; seat < seats; ++seat) {
    CardSet& held = may_hold[at(seat)];
    held = unseen - void_in_[at(seat)];
    if (called != kNoCard && !may_own_[at(seat)]) held.remove(called);
    if (open.empty()) continue;  // C.15: everybody sees the declarer's cards
    held = seat == declarer ? unseen & open : held - open;
  }
}

void Deduction::read_table(const CardsLine& cards, const OrderLine& plays) {
  on_table = cards.cards_on_table();
  winner = kNoSeat;
  best = kNoCard;
  points = 0;
  first_to_lead = cards.leader();
  // from the order of play: outside PLAY the table words of the line hold the action mask
  const int first = plays.num_plays - on_table;
  SCHAFKOPF_ASSERT(first >= 0);
  for (int i = 0; i < on_table; ++i) {
    const SeenPlay play = plays.play(first + i);
    points += points_of(play.card);
    if (i == 0) led = group(play.card);
    if (i == 0 || beaters(best).contains(play.card)) {
      best = play.card;
      winner = play.seat;
    }
  }
}

bool Deduction::takes_for_sure(Card card) const {
  if (!leading() && !beaters(best).contains(card)) return false;
  return (held_after_me() & beaters(card)).empty();
}

}  // namespace schafkopf
