// The card-play maxims of the rule agent: small named functions over a Situation. Each proposes a
// card or none; ordered lists of them make the agent (RULES I; METHODS section 6, "W" = Wiesegger,
// Schafkopf-Buch). What is said before and between
// the cards: announcements.h.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "agents/maxims/maxim.h"
#include "agents/maxims/situation.h"

namespace schafkopf {

/// One consideration among several that are weighed against each other: what it speaks for or
/// against a card, in card points. The card with the largest sum is played.
struct Leaning {
  std::string_view name;
  std::string_view source;
  std::string_view sentence;  // why it speaks for a card
  double (*value)(const Situation&, Card);
};

/// A maxim of card play: proposes a legal card, or kNoCard where it does not apply. A maxim that
/// weighs names its leanings; then the one that decided is the reason.
struct Maxim {
  std::string_view name;
  std::string_view source;
  std::string_view sentence;
  Card (*propose)(const Situation&);
  std::span<const Leaning> leanings = {};
  Versions versions = {};  // others pass it over
  // Cards that stood for choice by the leanings; left out: all that are legal.
  CardSet (*stood)(const Situation&) = nullptr;
};

/// The list that applies: leading or following, by party and kind of game. In every version the
/// last maxim always proposes a card.
[[nodiscard]] std::span<const Maxim> maxims_for(const Situation& situation);

/// The card of the first maxim of the situation's version that proposes one; `reason` (if given)
/// receives that maxim.
[[nodiscard]] Card choose_card(const Situation& situation, const Maxim** reason = nullptr);

/// Throws std::invalid_argument: no game shows such a view, and maxims lead to what is not legal.
[[noreturn]] void refuse_view(Phase phase);

/// What a person reads: the maxim, or the leaning of it that told the card from the next best one.
[[nodiscard]] MaximText reason_of(const Situation& situation, const Maxim& maxim, Card card);

/// Sum of the leanings.
[[nodiscard]] double weigh(std::span<const Leaning> leanings, const Situation& situation,
                           Card card);

// Values that the maxims weigh.

/// What the card is worth if it is kept, in card points: trumps by what still beats them, aces
/// that are likely to win their suit, tens with their ace; negative for what is likely to be lost.
[[nodiscard]] double keep_value(const Situation& situation, Card card);
/// Expected points of this trick for my side less those of the others if I play `card`.
[[nodiscard]] double trick_gain(const Situation& situation, Card card);
/// Lowest card of a set by points, then by strength in the game.
[[nodiscard]] Card lowest_card(const Situation& situation, CardSet cards);
/// Strongest card of a non-empty set of trumps.
[[nodiscard]] Card highest_trump(const Situation& situation, CardSet cards);

/// Card of the set with the highest score, the lowest index among equals; kNoCard if it is empty.
template <class Score>
Card best_by(CardSet cards, Score score) {
  Card best = kNoCard;
  double best_score = 0.0;
  for (const Card card : cards) {
    const double value = score(card);
    if (best == kNoCard || value > best_score) {
      best = card;
      best_score = value;
    }
  }
  return best;
}

/// Only one card may be played (RULES E.3): the first maxim of every list.
[[nodiscard]] inline Card play_forced_card(const Situation& situation) {
  return situation.legal.count() == 1 ? situation.legal.lowest() : kNoCard;
}
inline constexpr Maxim kForced{"forced", "RULES E.3", "No other card may be played.",
                               play_forced_card};

/// W 13.7: with two cards left the better order of the two, over every way in which the cards that
/// are out can lie (last_tricks.cpp).
[[nodiscard]] Card count_the_last_two(const Situation& situation);

/// All lists, for documentation and tests.
[[nodiscard]] std::vector<std::span<const Maxim>> card_maxim_lists();

// The lists, by the files that define them.
[[nodiscard]] std::span<const Maxim> partner_game_leads(bool declarer_side);  // lead_maxims.cpp
[[nodiscard]] std::span<const Maxim> single_game_leads(bool declarer, bool long_trumps);
[[nodiscard]] std::span<const Maxim> trick_follows();  // follow_maxims.cpp
[[nodiscard]] std::span<const Maxim> ducking_leads();  // duck_maxims.cpp
[[nodiscard]] std::span<const Maxim> ducking_follows();
[[nodiscard]] std::span<const Maxim> catching_leads();  // catch_maxims.cpp
[[nodiscard]] std::span<const Maxim> catching_follows();

}  // namespace schafkopf
