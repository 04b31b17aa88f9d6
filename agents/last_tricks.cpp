// The last two tricks counted out (W 13.7): on lead with two cards left, every way in which the
// cards that are still out can lie is played through with open hands.
#include <algorithm>
#include <array>

#include "agents/maxims.h"

namespace schafkopf {
namespace {

std::size_t at(int seat) { return static_cast<std::size_t>(seat); }

/// One way in which the cards can lie; relative seats.
struct Layout {
  std::array<CardSet, 4> hands;
  std::array<Card, 4> table;
};

/// Points of the trick for my side less those of the others; `first` led it and becomes its winner.
double trick_value(const Situation& s, const std::array<Card, 4>& table, int& first) {
  const CardSet group = s.group(table[at(first)]);
  int winner = first, points = 0;
  for (int i = 0; i < s.seats; ++i) {
    const int seat = (first + i) % s.seats;
    points += points_of(table[at(seat)]);
    if (s.beaters(table[at(winner)], group).contains(table[at(seat)])) winner = seat;
  }
  first = winner;
  return (2.0 * s.friend_weight(winner) - 1.0) * points;
}

double both_tricks(const Situation& s, const Layout& layout) {
  int first = 0;
  const double value = trick_value(s, layout.table, first);
  std::array<Card, 4> last{};
  for (int seat = 0; seat < s.seats; ++seat) {
    last[at(seat)] = (layout.hands[at(seat)] - CardSet::of(layout.table[at(seat)])).lowest();
  }
  return value + trick_value(s, last, first);
}

/// Friends choose what is best for my side, enemies what is worst, the unproven lie between.
double best_replies(const Situation& s, Layout& layout, int seat) {
  if (seat == s.seats) return both_tricks(s, layout);
  const CardSet hand = layout.hands[at(seat)], follow = hand & s.group(layout.table[0]);
  double most = -1.0e9, least = 1.0e9;
  for (const Card card : follow.empty() ? hand : follow) {
    layout.table[at(seat)] = card;
    const double value = best_replies(s, layout, seat + 1);
    most = std::max(most, value);
    least = std::min(least, value);
  }
  const double trust = s.friend_weight(seat);
  return trust * most + (1.0 - trust) * least;
}

/// Deals two of the cards left to `seat` and the rest to the seats behind it, in every way that
/// they may hold; adds up what each lead is worth.
void add_layouts(const Situation& s, Layout& layout, int seat, CardSet left,
                 std::array<double, 2>& values) {
  if (seat == s.seats) {
    std::size_t i = 0;
    for (const Card card : s.legal) {
      layout.table[0] = card;
      values[i++] += best_replies(s, layout, 1);
    }
    return;
  }
  const CardSet possible = left & s.may_hold[at(seat)];
  for (const Card first : possible) {
    for (const Card second : possible) {
      if (second <= first) continue;
      const CardSet pair = CardSet::of(first) | CardSet::of(second);
      layout.hands[at(seat)] = pair;
      add_layouts(s, layout, seat + 1, left - pair, values);
    }
  }
}

}  // namespace

Card count_the_last_two(const Situation& s) {
  const bool two_each = s.cards_left == 2 && s.unseen.count() == 2 * (s.seats - 1);
  if (!s.leading() || s.tout || !two_each || s.legal.count() != 2) return kNoCard;
  if (s.is_declarer && s.called_is_out()) return kNoCard;  // I-11
  Layout layout{};
  layout.hands[0] = s.hand;
  std::array<double, 2> values{};
  add_layouts(s, layout, 1, s.unseen, values);
  const Card first = s.legal.lowest(), second = (s.legal - CardSet::of(first)).lowest();
  if (values[0] == values[1]) return kNoCard;
  return values[0] > values[1] ? first : second;
}

}  // namespace schafkopf
