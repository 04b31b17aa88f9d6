#include "agents/maxims/situation.h"

#include <algorithm>

#include "env/base/index.h"

namespace schafkopf {
Situation::Situation(const PlayerView& view, const CompiledRules& compiled) {
  read_contract(view, compiled);
  seats = view.order.seats;
  declarer = view.declarer();
  is_declarer = declarer == 0;
  on_declarer_side =
      is_declarer || view.has(kFlagOwnsCalled) || (declarer != kNoSeat && view.partner() == 0);
  legal = CardSet(view.cards.legal);
  trick = view.trick_number();
  read_hands(view, compiled);
  opened_by.fill(kNoSeat);
  read_tricks(view);
  read_doublings(view);
  prove_sides(view);
  const CardSet open(view.order.open);
  for (int seat = 1; seat < seats; ++seat) {
    may_hold[at(seat)] = unseen - void_in_[at(seat)];
    if (called != kNoCard && !may_own_[at(seat)]) may_hold[at(seat)].remove(called);
    if (open.empty()) continue;  // C.15: everybody sees the declarer's cards
    may_hold[at(seat)] = seat == declarer ? unseen & open : may_hold[at(seat)] - open;
  }
  read_table(view);
}

void Situation::read_contract(const PlayerView& view, const CompiledRules& compiled) {
  before_contract = !view.has_contract();
  row = before_contract ? &row_of(Parties::kEveryone)
                        : &contract_row(static_cast<ContractClass>(view.contract_class()));
  tout = view.is_tout();
  trump_suit =
      view.cards.trump_suit < kNumSuits ? static_cast<Suit>(view.cards.trump_suit) : Suit::kHerz;
  const PlayConstants& play =
      before_contract ? compiled.play(calling_row().contract, compiled.rules().partner_trump_suit)
                      : compiled.play(row->contract, trump_suit);
  trumps = CardSet(play.trumps);
  order.trumps = play.trumps;
  order.top = play.top;
  order.second = play.second;
  order.low_tens = play.low_tens;
  called = view.cards.called_card < kNumCards ? view.cards.called_card : kNoCard;
  if (called != kNoCard) call_suit = CardSet::suit(suit_of(called)) - trumps;
}

/// Numbers of cards come from the number of tricks: with `history_view = last_trick` most played
/// cards are forgotten.
void Situation::read_hands(const PlayerView& view, const CompiledRules& compiled) {
  hand = CardSet(view.cards.hand);
  dealt = hand | CardSet(view.cards.played[0]);
  cards_left = hand.count();
  num_held.fill(std::max(compiled.cards_per_hand() - trick, 0));
  CardSet played;
  for (int seat = 0; seat < seats; ++seat) played = played | CardSet(view.cards.played[seat]);
  for (int i = view.order.num_plays - view.cards_on_table(); i < view.order.num_plays; ++i) {
    --num_held[at(view.play(i).seat)];
  }
  unseen = compiled.deck() - hand - played;
}

void Situation::read_tricks(const PlayerView& view) {
  CardSet led_group;
  bool owner_ran_away = false;
  for (int i = 0; i < view.order.num_plays; ++i) {
    const auto [card, seat, known] = view.play(i);
    if (!known) continue;  // forgotten
    if (i % seats == 0) {
      led_group = group(card);
      if (!trumps.contains(card)) {
        const auto suit = static_cast<std::size_t>(suit_of(card));
        if (times_led[suit]++ == 0) opened_by[suit] = seat;
      }
      if (called == kNoCard || card == called || !call_suit.contains(card)) continue;
      // The owner leads the called suit only with the called card or when it runs away (E.3).
      owner_ran_away = owner_ran_away || view.has(kFlagRanAway);
      if (!owner_ran_away) exclude_owner(seat);
      continue;
    }
    if (!led_group.contains(card)) {
      void_in_[at(seat)] = void_in_[at(seat)] | led_group;
      if (!trumps.contains(card)) discards[at(seat)].add(card);
    }
    // I-13: who does not play the called card when its suit is led does not have it.
    if (!owner_ran_away && led_group == call_suit && card != called && !call_suit.empty()) {
      exclude_owner(seat);
    }
  }
}

void Situation::read_doublings(const PlayerView& view) {
  // F.3: the sides alternate, the defenders begin.
  bool by_defenders = true;
  for (int i = 0; i < view.order.num_events; ++i) {
    const SeenEvent event = view.event(i);
    if (event.action != kActionDouble) continue;
    if (by_defenders) exclude_owner(event.seat);
    by_defenders = !by_defenders;
  }
}

void Situation::prove_sides(const PlayerView& view) {
  side.fill(row->parties == Parties::kEveryone ? Side::kEnemy : Side::kUnknown);
  side[0] = Side::kFriend;
  if (row->parties == Parties::kOppositeSeats) prove_opposite_seats();
  if (declarer == kNoSeat) return;
  if (row->is_single()) {
    for (int seat = 1; seat < seats; ++seat) {
      side[at(seat)] = is_declarer || seat == declarer ? Side::kEnemy : Side::kFriend;
    }
    return;
  }
  int partner = view.partner();
  if (partner == kNoSeat && called != kNoCard) {  // the only seat that can still own the card
    exclude_owner(declarer);
    if (!view.has(kFlagOwnsCalled)) exclude_owner(0);
    int owners = 0, owner = kNoSeat;
    for (int seat = 0; seat < seats; ++seat) {
      if (!may_own_[at(seat)]) continue;
      ++owners;
      owner = seat;
    }
    if (owners == 1) partner = owner;
  }
  for (int seat = 1; seat < seats; ++seat) {
    const bool known = seat == declarer || partner != kNoSeat || !may_own_[at(seat)];
    if (!known) continue;
    const bool theirs = seat == declarer || seat == partner;
    side[at(seat)] = theirs == on_declarer_side ? Side::kFriend : Side::kEnemy;
  }
}

/// C.5: opposite seats play together. Without a declarer whoever is long in trumps plays like one.
void Situation::prove_opposite_seats() {
  for (int seat = 1; seat < seats; ++seat) {
    side[at(seat)] = seat == 2 ? Side::kFriend : Side::kEnemy;
  }
  if (declarer == kNoSeat) on_declarer_side = 2 * (dealt & trumps).count() > dealt.count();
}

void Situation::read_table(const PlayerView& view) {
  on_table = view.cards_on_table();
  winner = kNoSeat;
  best = kNoCard;
  points = 0;
  first_to_lead = view.leader();
  // from the order of play: outside PLAY the table words of the line hold the action mask
  const int first = view.order.num_plays - on_table;
  for (int i = 0; i < on_table; ++i) {
    const SeenPlay play = view.play(first + i);
    points += points_of(play.card);
    if (i == 0) led = group(play.card);
    if (i == 0 || beaters(best, led).contains(play.card)) {
      best = play.card;
      winner = play.seat;
    }
  }
}

CardSet Situation::group(Card card) const {
  return CardSet(group_of(order, CardSet::of(card).bits()));
}

CardSet Situation::beaters(Card card, CardSet led_group) const {
  return CardSet(beaters_of(order, CardSet::of(card).bits(), led_group.bits()));
}

CardSet Situation::unseen_beaters(Card card) const { return beaters(card, group(card)) & unseen; }

bool Situation::is_highest_left(Card card) const {
  return (unseen_beaters(card) & group(card)).empty();
}

bool Situation::enemies_may_have_trumps() const {
  for (int seat = 1; seat < seats; ++seat) {
    if (side[at(seat)] != Side::kFriend && !(may_hold[at(seat)] & trumps).empty()) return true;
  }
  return false;
}

double Situation::chance_none(int seat, CardSet set) const {
  const int all = may_hold[at(seat)].count(), hit = (may_hold[at(seat)] & set).count();
  double chance = 1.0;
  for (int i = 0; i < num_held[at(seat)] && chance > 0.0; ++i) {
    chance *= i < all ? std::max(0.0, static_cast<double>(all - hit - i) / (all - i)) : 1.0;
  }
  return chance;
}

double Situation::chance_beats(int seat, Card card, CardSet led_group) const {
  const CardSet higher = beaters(card, led_group);
  const double follows = 1.0 - chance_none(seat, higher & led_group);
  if (led_group == trumps) return follows;
  const double ruffs = chance_none(seat, led_group) * (1.0 - chance_none(seat, higher & trumps));
  return std::min(1.0, follows + ruffs);
}

double Situation::friend_weight(int seat) const {
  switch (side[at(seat)]) {
    case Side::kFriend:
      return 1.0;
    case Side::kEnemy:
      return 0.0;
    case Side::kUnknown:
      return is_declarer ? 0.33 : 0.5;
  }
  return 0.0;
}

double Situation::chance_side_wins(Card card, int holder, CardSet led_group) const {
  double chance = friend_weight(holder);
  for (int seat = 1; seat <= num_after_me(); ++seat) {
    const double beats = chance_beats(seat, card, led_group);
    const double ours = friend_weight(seat);
    // A friend overtakes only what is not ours already; an enemy nearly always does.
    chance = chance * (1.0 - 0.95 * beats * (1.0 - ours)) + (1.0 - chance) * 0.7 * beats * ours;
  }
  return chance;
}

}  // namespace schafkopf
