// The last two tricks counted out (W 13.7): with two cards left, every way in which the cards that
// are still out can lie is played through with open hands.
#include <algorithm>
#include <array>

#include "env/base/index.h"

#include "agents/maxims/maxims.h"

namespace schafkopf {
namespace {

/// What lies on the table; relative seats.
struct Trick {
  CardSet led;  // group that must be followed, empty before the first card
  int winner = kNoSeat;
  Card best = kNoCard;
  int points = 0;

  void add(const Situation& s, int seat, Card card) {
    if (led.empty()) led = s.group(card);
    points += points_of(card);
    if (winner != kNoSeat && !s.beaters(best, led).contains(card)) return;
    winner = seat;
    best = card;
  }
  /// Points for my side less those of the others.
  [[nodiscard]] double value(const Situation& s) const {
    return (2.0 * s.friend_weight(winner) - 1.0) * points;
  }
};

/// One way in which the cards can lie: whoever has not played yet holds two, the others one.
using Hands = std::array<CardSet, 4>;

/// The trick on the table is complete; everybody has one card left.
double both_tricks(const Situation& s, const Hands& hands, const Trick& first) {
  Trick last;
  for (int i = 0; i < s.seats; ++i) {
    const int seat = (first.winner + i) % s.seats;
    last.add(s, seat, hands[at(seat)].lowest());
  }
  return first.value(s) + last.value(s);
}

/// The seats from `seat` on answer, as many as are still to play: friends choose what is best for
/// my side, enemies what is worst, the unproven lie between.
double best_replies(const Situation& s, Hands& hands, const Trick& trick, int seat) {
  if (seat > s.num_after_me()) return both_tricks(s, hands, trick);
  const CardSet hand = hands[at(seat)], follow = hand & trick.led;
  double most = -1.0e9, least = 1.0e9;
  for (const Card card : follow.empty() ? hand : follow) {
    Trick next = trick;
    next.add(s, seat, card);
    hands[at(seat)] = hand - CardSet::of(card);
    const double value = best_replies(s, hands, next, seat + 1);
    most = std::max(most, value);
    least = std::min(least, value);
  }
  hands[at(seat)] = hand;
  const double trust = s.friend_weight(seat);
  return trust * most + (1.0 - trust) * least;
}

/// What my two cards are worth, added up over layouts; in the order of the hand.
using Values = std::array<double, 2>;

void add_layout(const Situation& s, Hands& hands, Values& values) {
  std::size_t i = 0;
  for (const Card card : s.hand) {
    Trick trick{.led = s.led, .winner = s.winner, .best = s.best, .points = s.points};
    trick.add(s, 0, card);
    hands[0] = s.hand - CardSet::of(card);
    values[i++] += best_replies(s, hands, trick, 1);
  }
}

/// Deals the cards left to `seat` and the seats behind it, in every way that they may hold.
void add_layouts(const Situation& s, Hands& hands, int seat, CardSet left, Values& values) {
  if (seat == s.seats) {
    add_layout(s, hands, values);
    return;
  }
  const CardSet possible = left & s.may_hold[at(seat)];
  for (const Card first : possible) {
    if (s.num_held[at(seat)] == 1) {
      hands[at(seat)] = CardSet::of(first);
      add_layouts(s, hands, seat + 1, left - hands[at(seat)], values);
      continue;
    }
    for (const Card second : possible) {
      if (second <= first) continue;
      const CardSet pair = CardSet::of(first) | CardSet::of(second);
      hands[at(seat)] = pair;
      add_layouts(s, hands, seat + 1, left - pair, values);
    }
  }
}

/// Whether everybody has two cards, or one of them on the table.
bool two_tricks_are_left(const Situation& s) {
  if (s.cards_left != 2 || s.tout || s.legal.count() != 2) return false;
  int held = 0;
  for (int seat = 1; seat < s.seats; ++seat) {
    if (s.num_held[at(seat)] != (seat <= s.num_after_me() ? 2 : 1)) return false;
    held += s.num_held[at(seat)];
  }
  return s.unseen.count() == held;
}

Card better_of_two(const Situation& s) {
  Hands hands{};
  Values values{};
  add_layouts(s, hands, 1, s.unseen, values);
  const Card first = s.legal.lowest(), second = (s.legal - CardSet::of(first)).lowest();
  if (values[0] == values[1]) return kNoCard;
  return values[0] > values[1] ? first : second;
}

}  // namespace

Card count_the_last_two(const Situation& s) {
  if (!two_tricks_are_left(s)) return kNoCard;
  if (s.leading() && s.is_declarer && s.called_is_out()) return kNoCard;  // I-11
  return better_of_two(s);
}

}  // namespace schafkopf
