#include "agents/double_dummy.h"

namespace schafkopf {
namespace {

/// Whether a seat of the side has taken a trick.
bool has_taken(const PlayState<std::uint32_t>& play, std::uint8_t side) {
  for (int seat = 0; seat < kNumSeats; ++seat) {
    if (((side >> seat) & 1) != 0 && play.taken[seat] != 0) return true;
  }
  return false;
}

/// Tricks still to be taken, the running one included: the seat to play has not played to it.
int tricks_left(const Game& game) { return game.hand(game.current_player()).count(); }

}  // namespace

int points_to_win(const Game& game) {
  return point_limits(game.outcome(), game.rules().rules()).win;
}

CardSet DoubleDummyJudge::winning_cards(const Game& game, CardSet legal) {
  const auto& play = game.play_state();
  const Contract contract = game.contract();
  const std::uint8_t party = game.declarer_party();
  const auto all = static_cast<std::uint8_t>((1 << game.seats()) - 1);
  if (contract.tout) {
    if (has_taken(play, static_cast<std::uint8_t>(all & ~party))) return {};
    return solver_.reaching_cards(play, {.side = party, .tricks = true}, tricks_left(game));
  }
  if (contract_row(contract.contract).goal == Goal::kNoTrick) {
    if (has_taken(play, party)) return {};
    const SolverAim aim{.side = party, .fewest = true, .tricks = true};
    return legal - solver_.reaching_cards(play, aim, 1);
  }
  return solver_.reaching_cards(play, {.side = party}, points_to_win(game));
}

bool DoubleDummyJudge::is_error(const Game& game, Card card) {
  if (game.phase() != Phase::kPlay || !game.has_contract()) return false;
  const ContractRow& row = contract_row(game.contract().contract);
  const bool judged = row.goal == Goal::kMajority || row.goal == Goal::kNoTrick;
  if (!judged || game.declarer_party() == 0) return false;
  const CardSet legal(legal_cards(game.play_state()));
  const CardSet winning = winning_cards(game, legal);
  const bool declarer_side = ((game.declarer_party() >> game.current_player()) & 1) != 0;
  const CardSet good = declarer_side ? winning : legal - winning;
  return !good.empty() && !good.contains(card);
}

}  // namespace schafkopf
