// Random play for tests: actions that reach every phase often enough, and whole random deals.
#pragma once

#include <array>

#include "env/base/random.h"
#include "env/game/game.h"

namespace schafkopf::test {

/// Random legal action; PLAY, Rufspiel and Kontra are likelier or rarer than uniform, so that
/// contested auctions, called games and doubling chains all come up.
inline Action random_action(const Game& game, Rng& random) {
  const ActionMask mask = without_claims(game.legal_actions());
  const auto likely = [&](Action action, double probability) {
    return mask.contains(action) && mask.count() > 1 && random.next_unit() < probability;
  };
  if (likely(kActionPlay, 0.2)) return kActionPlay;
  if (likely(kActionPass, 0.8)) return kActionPass;
  const Action call = game.rules().call_action();
  if (call != 0 && likely(call, 0.8)) return call;
  if (likely(kActionNoDouble, 0.5)) return kActionNoDouble;
  return mask.nth(random.next_below(mask.count()));
}

/// Plays to the end.
inline void play_out(Game& game, Rng& random) {
  while (!game.is_terminal()) game.apply_unchecked(random_action(game, random));
}

/// The answer that leaves no trace in a phase (D.1), 0 if every answer is heard; not the engine's own
/// text of it, which it checks.
[[nodiscard]] inline Action traceless_answer(Phase phase) {
  switch (phase) {
    case Phase::kLegen:
      return kActionNoLay;
    case Phase::kHzOffer:
      return kActionHzNoOffer;
    case Phase::kHzAccept:
      return kActionHzRefuse;
    case Phase::kJungfrau:
      return kActionNoJungfrau;
    case Phase::kDouble:
      return kActionNoDouble;
    default:
      return 0;
  }
}

/// Whether a card is passed on face down in a phase: between two seats, unseen by the others.
[[nodiscard]] inline bool passes_cards(Phase phase) {
  return phase == Phase::kSchieberPush || phase == Phase::kHzReturn || phase == Phase::kZupfGive;
}

/// A decision and what was answered.
struct Decision {
  int seat = 0;
  Action action = 0;
  Phase phase{};
  int cards_before = 0;
  bool runs_away = false;  // public at once (E.2, OPEN-49)

  /// Silent answers and cards passed on are known to their seat only.
  [[nodiscard]] bool is_public() const {
    return !passes_cards(phase) && (action == 0 || action != traceless_answer(phase));
  }
};

}  // namespace schafkopf::test
