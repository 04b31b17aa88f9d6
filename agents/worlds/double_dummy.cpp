#include "agents/worlds/double_dummy.h"

#include <fmt/format.h>

#include "env/base/refuse.h"

namespace schafkopf {
namespace {

/// Whether a seat of the side has taken a trick.
bool has_taken(const PlayState<std::uint32_t>& play, std::uint8_t side) {
  for (int seat = 0; seat < kNumSeats; ++seat) {
    if (((side >> seat) & 1) != 0 && play.taken[seat] != 0) return true;
  }
  return false;
}

}  // namespace

CardSet winning_cards(Solver& solver, const PlayState<std::uint32_t>& play, const OpenGoal& goal) {
  const CardSet legal(legal_cards(play));
  if (goal.tout) {
    const auto all = static_cast<std::uint8_t>((1u << play.seats) - 1u);
    if (has_taken(play, static_cast<std::uint8_t>(all & ~goal.party))) return {};
    // the running trick included: the seat to play has not played to it
    const int tricks = CardSet(pick(play.hand, play.turn)).count();
    return solver.reaching_cards(play, {.side = goal.party, .tricks = true}, tricks);
  }
  if (goal.row->goal == Goal::kNoTrick) {
    if (has_taken(play, goal.party)) return {};
    const SolverAim aim{.side = goal.party, .fewest = true, .tricks = true};
    return legal - solver.reaching_cards(play, aim, 1);
  }
  return solver.reaching_cards(play, {.side = goal.party}, goal.points);
}

int points_to_win(const Game& game) {
  return point_limits(game.outcome(), game.rules().rules()).win;
}

bool DoubleDummyJudge::is_error(const Game& game, Card card) {
  if (game.phase() != Phase::kPlay || !game.has_contract()) return false;
  const CardSet legal(legal_cards(game.play_state()));
  if (card >= kNumCards || !legal.contains(card)) {
    refuse(fmt::format("card = {}, allowed: {}", static_cast<int>(card), to_string(legal)));
  }
  const ContractRow& row = contract_row(game.contract().contract);
  const bool judged = row.goal == Goal::kMajority || row.goal == Goal::kNoTrick;
  if (!judged || game.declarer_party() == 0) return false;
  const OpenGoal goal{.row = &row,
                      .tout = game.contract().tout,
                      .party = game.declarer_party(),
                      .points = points_to_win(game)};
  const CardSet winning = winning_cards(solver_, game.play_state(), goal);
  const bool declarer_side = ((game.declarer_party() >> game.current_player()) & 1) != 0;
  const CardSet good = declarer_side ? winning : legal - winning;
  return !good.empty() && !good.contains(card);
}

}  // namespace schafkopf
