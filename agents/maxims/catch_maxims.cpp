// Defending games in which the declarer must not take a trick (RULES C.14 to C.17): make him take
// one, by staying below him and by leading what he has to overtake.
#include <array>

#include "agents/maxims/maxims.h"

namespace schafkopf {
namespace {

bool declarer_comes_later(const Situation& s) { return s.declarer <= s.num_after_me(); }

/// Chance that the declarer has to take a trick led with this card, as far as he alone decides: he
/// can follow and has nothing lower.
double chance_caught(const Situation& s, Card card) {
  const CardSet group = s.group(card), higher = s.beaters(card, group) & group;
  const double has_higher = 1.0 - s.chance_none(s.declarer, higher);
  return has_higher * s.chance_none(s.declarer, group - higher);
}

/// Lead what he is most likely to overtake; among equals the lowest card, so that friends can stay
/// below.
Card lead_what_catches(const Situation& s) {
  return best_by(s.legal, [&](Card card) {
    const int higher = (s.beaters(card, s.group(card)) & s.group(card) & s.unseen).count();
    return 10.0 * chance_caught(s, card) + 0.1 * higher;
  });
}

/// While he wins the trick or may still have to take it: the highest card below it, so that low
/// ones are left for later.
Card stay_below(const Situation& s) {
  if (!declarer_comes_later(s) && s.winner != s.declarer) return kNoCard;
  const CardSet below = s.legal - s.beaters(s.best, s.led);
  return best_by(below, [&](Card card) { return -s.beaters(card, s.group(card)).count(); });
}

/// Forced over the trick with the declarer behind: with the lowest card.
Card overtake_low(const Situation& s) {
  if (!declarer_comes_later(s)) return kNoCard;
  return best_by(s.legal, [&](Card card) { return s.beaters(card, s.group(card)).count(); });
}

/// He is out of this trick: away with the highest card.
Card throw_the_highest(const Situation& s) {
  return best_by(s.legal, [&](Card card) { return -s.beaters(card, s.group(card)).count(); });
}

constexpr std::array kCatchingLeads = {
    kForced,
    Maxim{"lead_what_catches", "RULES C.14", "The declarer can most likely only take this card.",
          lead_what_catches},
};
constexpr std::array kCatchingFollows = {
    kForced,
    Maxim{"stay_below", "RULES C.14",
          "The declarer may have to take this trick, so everybody else stays below.", stay_below},
    Maxim{"overtake_low", "RULES C.14",
          "Forced to beat the trick: as low as possible, since the declarer comes behind.",
          overtake_low},
    Maxim{"throw_the_highest", "RULES C.14",
          "The declarer is out of this trick, so a high card goes.", throw_the_highest},
};

}  // namespace

std::span<const Maxim> catching_leads() { return kCatchingLeads; }
std::span<const Maxim> catching_follows() { return kCatchingFollows; }

}  // namespace schafkopf
