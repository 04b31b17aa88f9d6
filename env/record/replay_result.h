// What a replay found. Internal to env/record.
#pragma once

#include "env/record/record.h"

namespace schafkopf {

/// Whether card play is over; what is left is at most a question of the price (G.5).
[[nodiscard]] inline bool is_played_out(const Game& game) {
  return game.is_terminal() || game.phase() == Phase::kClaimSettle;
}

/// whole  the game with the cards that were recorded beyond its end by rule; itself if there are none
[[nodiscard]] ReplayResult result_of(const GameRecord& record, const Game& game, const Game& whole);

/// A second misdeal: no game, the dealer pays.
[[nodiscard]] ReplayResult penalty_result(const GameRecord& record, const CompiledRules& rules);

}  // namespace schafkopf
