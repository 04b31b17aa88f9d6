// What a record of a game cannot say.
#pragma once

#include "env/game/game.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf::test {

/// A record says before which card a seat doubled. Where forehand is asked twice before the first
/// card (before_first_card asked too, then full_hand), it cannot say at which question: a replay
/// takes the first, with the same payoffs but other bytes.
[[nodiscard]] inline bool names_the_question(const Game& game) {
  const RuleSet& rules = game.rules().rules();
  if (!rules.kontra_ask_before_first || rules.kontra_window != KontraWindow::kFullHand) return true;
  for (int i = 0; i < game.num_events(); ++i) {
    const Event event = game.event(i);
    const bool forehand = event.seat == (game.dealer() + 1) % kNumSeats;
    if (forehand && event.action == kActionDouble && event.cards_before == 0) return false;
  }
  return true;
}

}  // namespace schafkopf::test
