// Games in which points or tricks are lost: RAMSCH for everyone, negative games for the declarer.
#include <array>

#include "agents/maxims/maxims.h"

namespace schafkopf {
namespace {

/// Danger of a card that is kept: high cards of a suit win tricks full of points.
int danger(const Situation& s, Card card) {
  const CardSet group = s.group(card) & s.unseen;
  const int lower = (group - s.unseen_beaters(card)).count();
  return 3 * points_of(card) + 4 * lower - 2 * (s.hand & s.group(card)).count();
}

/// Lead what the others most likely take: many higher cards out, few points.
Card lead_what_others_take(const Situation& s) {
  return best_by(s.legal, [&](Card card) {
    const CardSet group = s.group(card);
    double stays = 1.0;  // nobody beats it
    for (int seat = 1; seat < s.seats; ++seat) stays *= 1.0 - s.chance_beats(seat, card, group);
    return -stays * (12.0 + points_of(card)) - 0.3 * points_of(card) + 0.2 * danger(s, card) / 4.0;
  });
}

/// The highest card that still stays below the trick.
Card highest_card_below(const Situation& s) {
  const CardSet below = (s.legal & s.led) - s.beaters(s.best, s.led);
  if (below.empty()) return kNoCard;
  return best_by(below,
                 [&](Card card) { return danger(s, card) - 0.1 * s.beaters(card, s.led).count(); });
}

/// Unable to follow: away with the card that is most likely to cost points later.
Card discard_danger(const Situation& s) {
  const CardSet free = s.legal - s.led - s.beaters(s.best, s.led);
  if (free.empty()) return kNoCard;
  return best_by(free, [&](Card card) { return danger(s, card); });
}

/// The trick is mine whatever I play: take it with the strongest card, but without points.
Card take_with_the_high_card(const Situation& s) {
  if (!s.last()) return kNoCard;
  return best_by(s.legal, [&](Card card) {
    return -2.0 * points_of(card) - 0.5 * s.beaters(card, s.led).count();
  });
}

/// Someone behind may still take it: the lowest card that beats the trick.
Card hope_for_higher(const Situation& s) {
  return best_by(s.legal,
                 [&](Card card) { return s.beaters(card, s.led).count() - 0.3 * points_of(card); });
}

constexpr std::array kDuckingLeads = {
    kForced,
    Maxim{"lead_what_others_take", "RULES C.6",
          "Others most likely have to take a trick led with this card.", lead_what_others_take},
};
constexpr std::array kDuckingFollows = {
    kForced,
    Maxim{"highest_card_below", "RULES C.6", "The highest card that still stays below the trick.",
          highest_card_below},
    Maxim{"discard_danger", "RULES C.6", "The card goes that is most likely to cost points later.",
          discard_danger},
    Maxim{"take_with_the_high_card", "RULES C.6",
          "The trick is taken whatever is played, so the strongest card goes.",
          take_with_the_high_card},
    Maxim{"hope_for_higher", "RULES C.6",
          "Somebody behind may still take it, so the trick is beaten as low as possible.",
          hope_for_higher},
};

}  // namespace

std::span<const Maxim> ducking_leads() { return kDuckingLeads; }
std::span<const Maxim> ducking_follows() { return kDuckingFollows; }

}  // namespace schafkopf
