// Following in games for points: smear what is ours, take what pays, else stay low.
#include <array>

#include "agents/maxims/maxims.h"

namespace schafkopf {
namespace {

bool beats_table(const Situation& s, Card card) { return s.beaters(s.best, s.led).contains(card); }
bool ruffs(const Situation& s, Card card) { return s.is_trump(card) && s.led != s.trumps; }
bool discards(const Situation& s, Card card) { return !s.is_trump(card) && !s.led.contains(card); }

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

/// The trick belongs to a proven friend and will most likely stay his.
bool is_surely_ours(const Situation& s) {
  return s.friend_weight(s.winner) >= 1.0 && s.chance_side_wins(s.best, s.winner, s.led) >= 0.8;
}

/// W 12.1: a bare ten is lost to the ace anyway, so it goes first.
Card smear_the_bare_ten(const Situation& s) {
  if (!is_surely_ours(s)) return kNoCard;
  for (const Card card : s.legal - s.trumps) {
    const bool bare = (s.group(card) & s.hand).count() == 1;
    if (rank_of(card) == Rank::k10 && bare && !s.is_highest_left(card)) return card;
  }
  return kNoCard;
}

/// I-16, W 12.6: a trick that is surely ours gets points; the partner's card is not overtaken and
/// Ober and Unter are not given away (W 10.9).
Card smear_sure_trick(const Situation& s) {
  if (!is_surely_ours(s)) return kNoCard;  // I-14: not to an unproven partner
  const CardSet others = s.legal - s.beaters(s.best, s.led);
  return best_by(others, [&](Card card) { return points_of(card) - keep_value(s, card); });
}

/// I-17: no card beats the enemy's: the lowest one.
Card stay_low_when_beaten(const Situation& s) {
  if (s.side[static_cast<std::size_t>(s.winner)] != Side::kEnemy || !s.last()) return kNoCard;
  const CardSet following = s.legal & s.led;
  if (following.empty() || !(s.legal & s.beaters(s.best, s.led)).empty()) return kNoCard;
  return lowest_card(s, following);
}

// What speaks for a card when it has to be weighed.

/// Keep value of the card: Ober and Unter (W 10.9), the ace that still wins its suit (W 11.8).
double spare_the_strong_card(const Situation& s, Card card) { return -keep_value(s, card); }

/// W 12.14: of equal cards that do not win the lowest.
double from_below(const Situation& s, Card card) {
  return beats_table(s, card) ? 0.0 : 0.01 * s.beaters(card, s.group(card)).count();
}

/// I-14: whoever leads a trump may be an enemy who pretends to be the friend.
double do_not_trust_the_unproven(const Situation& s, Card card) {
  const bool unproven = s.side[static_cast<std::size_t>(s.winner)] == Side::kUnknown;
  const bool fat = points_of(card) >= 10 && !beats_table(s, card);
  return unproven && fat && s.led == s.trumps ? -1.0 : 0.0;
}

/// W 11.5: the middle hand does not ruff in: a small trump is overruffed, a high one wasted.
double middle_hand_does_not_ruff(const Situation& s, Card card) {
  const bool middle = !s.last() && s.on_table > 0;
  return middle && ruffs(s, card) && s.points < 10 ? -0.5 : 0.0;
}

/// I-24, W 12.3: the last card of a suit makes a void.
double free_a_suit(const Situation& s, Card card) {
  if (!discards(s, card) || (s.hand & s.trumps).empty()) return 0.0;
  const int length = (s.group(card) & s.hand).count();
  return length == 1 ? 1.0 : length == 2 ? 0.3 : 0.0;
}

constexpr std::array kFollow = {
    Leaning{"win_what_pays", "I-16; W 11.1",
            "The chance that the trick becomes ours and its points speak for this card.",
            trick_gain},
    Leaning{"spare_the_strong_card", "W 10.9; W 11.8",
            "A stronger card is worth more in a later trick.", spare_the_strong_card},
    Leaning{"do_not_trust_the_unproven", "I-14",
            "A trump led by a player who is not proven a friend gets no points.",
            do_not_trust_the_unproven},
    Leaning{"middle_hand_does_not_ruff", "W 11.5",
            "The middle hand does not ruff in: somebody behind it may ruff higher.",
            middle_hand_does_not_ruff},
    Leaning{"free_a_suit", "I-24; W 12.3",
            "A suit gets short, and once it is gone the hand can ruff it.", free_a_suit},
    Leaning{"from_below", "W 12.14", "Of equal cards the lowest.", from_below},
};

/// I-17, W 11.1: weigh every card: takes with the cheapest card when last, stays low under a higher
/// trump, ruffs only what pays.
Card weigh_the_trick(const Situation& s) {
  return best_by(s.legal, [&](Card card) { return weigh(kFollow, s, card); });
}

/// W 11.1: the soloist's Ober and Unter draw trumps and bring the lead back, so a small trump ruffs
/// where it beats the table. The fattest one: it is overruffed less often than the balance fears.
Card ruff_with_a_small_trump(const Situation& s) {
  if (!s.is_declarer || !s.row->is_single() || s.led == s.trumps) return kNoCard;
  const CardSet pictures(s.order.top | s.order.second);
  const CardSet small = (s.legal & s.trumps & s.beaters(s.best, s.led)) - pictures;
  if (small.empty() || !pictures.contains(weigh_the_trick(s))) return kNoCard;
  return best_by(small, [](Card card) { return points_of(card); });
}

constexpr std::array kTrickFollows = {
    kForced,
    Maxim{.name = "count_the_last_two",
          .source = "W 13.7; I-15",
          .sentence = "With two cards left both tricks are counted out.",
          .propose = count_the_last_two,
          .versions = kSinceSecond},
    Maxim{"defend_every_trick", "RULES C.18",
          "One trick is enough against an announced Tout, so this one is taken.",
          defend_every_trick},
    Maxim{"smear_the_bare_ten", "I-16; W 12.1",
          "The trick is all but surely ours, and the bare ten would be lost to the ace later.",
          smear_the_bare_ten},
    Maxim{"smear_sure_trick", "I-16; W 12.6",
          "The trick is all but surely ours, so it gets what points can be spared.",
          smear_sure_trick},
    Maxim{"stay_low_when_beaten", "I-17", "Nothing beats the enemy's card, so the lowest goes.",
          stay_low_when_beaten},
    Maxim{.name = "ruff_with_a_small_trump",
          .source = "W 11.1; W 10.9",
          .sentence = "A small trump beats the table, so Ober and Unter are kept to draw trumps.",
          .propose = ruff_with_a_small_trump,
          .versions = kSinceSecond},
    Maxim{"weigh_the_trick", "I-17; W 11.1; W 11.2",
          "The best balance of the chance to win this trick, its points and later tricks.",
          weigh_the_trick, kFollow},
};

}  // namespace

std::span<const Maxim> trick_follows() { return kTrickFollows; }

}  // namespace schafkopf
