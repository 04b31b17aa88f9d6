// Cards that throw a game away: measured with open cards by the exact solver (METHODS section 8).
#pragma once

#include "agents/solver/solver.h"
#include "env/game/game.h"

namespace schafkopf {

/// What the declarer party has to reach with open cards.
struct OpenGoal {
  const ContractRow* row = nullptr;  // of a contract with two parties
  bool tout = false;
  std::uint8_t party = 0;
  int points = 61;  // to win a game for points
};

/// Legal cards of the seat to play after which the declarer party reaches its goal, if everybody
/// plays best: all tricks (Tout), no trick, or points.
[[nodiscard]] CardSet winning_cards(Solver& solver, const PlayState<std::uint32_t>& play,
                                    const OpenGoal& goal);

/// Judges single cards of running games. Not thread-safe.
class DoubleDummyJudge {
 public:
  /// Whether `card` turns a game that the side of the seat to play wins with open
  /// cards and best play of everybody into one that it loses. Always false in contracts where
  /// everybody plays alone or nothing is played out. Throws std::invalid_argument for a card that is
  /// not legal.
  [[nodiscard]] bool is_error(const Game& game, Card card);

 private:
  Solver solver_;
};

/// Card points from which the declarer party of a running game wins (RULES G.1), found by asking
/// the settlement.
[[nodiscard]] int points_to_win(const Game& game);

}  // namespace schafkopf
