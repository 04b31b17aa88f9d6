// Following in games for points: smear what is ours, take what pays, else stay low.
#include <algorithm>
#include <array>

#include "agents/maxims.h"

namespace schafkopf {
namespace {

bool beats_table(const Situation& s, Card card) { return s.beaters(s.best, s.led).contains(card); }

/// An announced Tout stands or falls with one trick: take it, with the cheapest card that holds.
Card defend_every_trick(const Situation& s) {
  if (!s.tout) return kNoCard;
  const CardSet winners = s.legal & s.beaters(s.best, s.led);
  if (s.friend_weight(s.winner) == 1.0 && s.last()) return kNoCard;
  if (winners.empty()) return kNoCard;
  return best_by(winners, [&](Card card) {
    return 100.0 * s.chance_side_wins(card, 0, s.led) - keep_value(s, card);
  });
}

/// I-16, W 12.1, W 12.6: a trick that is surely ours gets points, bare tens first; the partner's
/// card is not overtaken and Ober and Unter are not given away (W 10.9).
Card smear_sure_trick(const Situation& s) {
  if (s.friend_weight(s.winner) < 1.0) return kNoCard;  // I-14: not to an unproven partner
  if (s.chance_side_wins(s.best, s.winner, s.led) < 0.8) return kNoCard;
  const CardSet others = s.legal - s.beaters(s.best, s.led);
  if (others.empty()) return kNoCard;
  return best_by(others, [&](Card card) { return points_of(card) - keep_value(s, card); });
}

/// I-17, W 11.8, W 11.1: weigh every card: the chance that the trick becomes ours, its points and
/// what the card is worth later. Takes with the cheapest card when last, stays low under a higher
/// trump, ruffs only what pays.
Card weigh_the_trick(const Situation& s) {
  return best_by(s.legal, [&](Card card) {
    const double low = 0.01 * s.beaters(card, s.group(card)).count();
    return trick_gain(s, card) - keep_value(s, card) + (beats_table(s, card) ? 0.0 : low);
  });
}

constexpr std::array kFollows = {
    kForced,
    Maxim{"defend_every_trick", "RULES C.18",
          "One trick is enough against an announced Tout, so this one is taken.",
          defend_every_trick},
    Maxim{"smear_sure_trick", "I-16; W 12.1; 12.6", "The trick is surely ours, so it gets points.",
          smear_sure_trick},
    Maxim{"weigh_the_trick", "I-14; I-17; W 11.1; 11.8",
          "The best balance of the chance to win this trick, its points and what the card is worth "
          "later.",
          weigh_the_trick},
};

}  // namespace

std::span<const Maxim> trick_follows() { return kFollows; }

}  // namespace schafkopf
