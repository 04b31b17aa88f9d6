// What a side reaches with open cards, by trying every card: the yardstick of the exact solver. No
// table, no equivalence, no bounds but alpha and beta.
#pragma once

#include <algorithm>
#include <cstdint>

#include "agents/solver/solver.h"
#include "env/cards/card.h"
#include "env/cards/play.h"

namespace schafkopf::test {

using Play = PlayState<std::uint32_t>;

namespace detail {

/// Count of the side from this moment on, exact between alpha and beta.
inline int count_from(const Play& play, const SolverAim& aim, int alpha, int beta) {
  if (play.hand[play.turn] == 0) return 0;
  const bool own = ((aim.side >> play.turn) & 1) != 0;
  const bool wants_many = own != aim.fewest;
  int best = wants_many ? -1 : 1000;
  for (const Card card : CardSet(legal_cards(play))) {
    Play next = play;
    play_card(next, CardSet::of(card).bits());
    int gain = 0;
    if (next.on_table == 0 && ((aim.side >> next.turn) & 1) != 0) {
      const std::uint32_t won = next.taken[next.turn] & ~play.taken[next.turn];
      gain = aim.tricks ? 1 : points_of(CardSet(won));
    }
    const int count = gain + count_from(next, aim, alpha - gain, beta - gain);
    if (wants_many) {
      best = std::max(best, count);
      alpha = std::max(alpha, best);
    } else {
      best = std::min(best, count);
      beta = std::min(beta, best);
    }
    if (alpha >= beta) break;
  }
  return best;
}

}  // namespace detail

/// The same as Solver::value.
inline int brute_force(const Play& play, const SolverAim& aim) {
  int count = detail::count_from(play, aim, -1000, 1000);
  for (int seat = 0; seat < kNumSeats && !aim.tricks; ++seat) {
    if (((aim.side >> seat) & 1) != 0) count += points_of(CardSet(play.taken[seat]));
  }
  return count;
}

}  // namespace schafkopf::test
