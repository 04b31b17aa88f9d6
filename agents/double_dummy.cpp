#include "agents/double_dummy.h"

#include <algorithm>
#include <bit>

namespace schafkopf {
namespace {

/// Tricks that the defenders have taken, as whole tricks of cards.
bool has_taken(const PlayState<std::uint32_t>& play, std::uint8_t side) {
  for (int seat = 0; seat < kNumSeats; ++seat) {
    if (((side >> seat) & 1) != 0 && play.taken[seat] != 0) return true;
  }
  return false;
}

/// Tricks still to be taken, the running one included.
int tricks_left(const Game& game) {
  const auto& play = game.play_state();
  int most = 0;
  for (int seat = 0; seat < game.seats(); ++seat) {
    most = std::max(most, std::popcount(play.hand[seat]));
  }
  return most + (play.on_table != 0 && std::popcount(play.hand[game.current_player()]) < most);
}

}  // namespace

int points_to_win(const Game& game) {
  Outcome outcome = game.outcome();
  outcome.points = {};
  const auto one = static_cast<std::size_t>(std::countr_zero(outcome.declarer_party));
  int lost = -1, won = kTotalPoints + 1;
  while (won - lost > 1) {
    const int middle = (won + lost) / 2;
    outcome.points[one] = static_cast<std::uint8_t>(middle);
    (settle(outcome, game.rules(), game.context()).won ? won : lost) = middle;
  }
  return won;
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
