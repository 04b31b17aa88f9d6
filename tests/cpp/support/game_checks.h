// What must hold at any decision of any deal of any rules, for random play and for fuzzing.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/game/game.h"
#include "tests/cpp/support/must.h"

namespace schafkopf::test {

/// Who of the table may see what: the actor its mask, nobody else one; four views can be filled.
inline void check_views(const Game& game) {
  for (int seat = 0; seat < game.seats(); ++seat) {
    const PlayerView view = game.view(seat);
    const ActionMask mask = legal_actions(view.cards);
    const bool to_act = seat == game.current_player();
    must(mask == (to_act ? game.legal_actions() : ActionMask{}),
         "the view of seat " + std::to_string(seat) + " shows the mask " + to_string(mask));
    (void)game.full_view(seat);
  }
}

inline void check_bytes(const Game& game) {
  const std::vector<std::uint8_t> bytes = game.serialize();
  const Game twin = Game::deserialize(game.rules(), bytes);
  must(twin.serialize() == bytes, "bytes do not rebuild the game");
  must(twin.legal_actions() == game.legal_actions(), "a rebuilt game has another mask");
}

/// An action outside of the mask is refused and changes nothing.
inline void check_refusal(const Game& game, Action action) {
  if (game.legal_actions().contains(action)) return;
  Game copy = game;
  try {
    copy.apply(action);
  } catch (const std::invalid_argument&) {
    must(copy.serialize() == game.serialize(), "a refused action changes the game");
    return;
  }
  must(false, action_name(action) + " is applied, not legal");
}

/// What the cards and the price of a finished deal must add up to (A.3, G.7, G.9).
inline void check_end(const Game& game) {
  must(game.current_player() == -1 && game.legal_actions().empty(), "a finished deal asks");
  CardSet captured, held;
  int points = 0, tricks = 0;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    must((captured & game.captured(seat)).empty(), "a card is captured twice");
    captured = captured | game.captured(seat);
    held = held | game.hand(seat);
    points += points_of(game.captured(seat));
    tricks += game.captured(seat).count() / game.seats();
  }
  const Settlement paid = game.settlement();
  const bool played_out = held.empty();
  if (played_out) {
    must(captured == game.rules().deck() && points == kTotalPoints, "points do not sum to 120");
    must(tricks == game.rules().cards_per_hand(), "number of tricks");
  }
  const auto sum = [](const std::array<std::int32_t, kNumSeats>& amounts) {
    return std::accumulate(amounts.begin(), amounts.end(), std::int64_t{0});
  };
  must(sum(paid.payoffs) == 0, "payoffs do not sum to zero");
  must(game.payoffs() == paid.payoffs, "payoffs are not those of the settlement");
  must(game.seats() == kNumSeats || (paid.payoffs[3] == 0 && paid.stock_payoffs[3] == 0),
       "an empty seat is paid");
  const std::int64_t pot = game.context().stock - sum(paid.stock_payoffs) + paid.reuegeld;
  must(pot >= 0, "the Stock pays out more than it holds");
  must(paid.reuegeld == 0 || !paid.won, "a winner pays Reuegeld");
  const std::int64_t moved = sum(paid.stock_payoffs);
  must(moved <= 0 || (paid.won && moved == game.context().stock), "a part of the Stock is won");
  must(moved >= 0 || game.has_contract() || game.all_pass() == AllPass::kStock,
       "somebody pays into the Stock for nothing");
}

inline bool has_payoffs(const Game& game) {
  try {
    (void)game.payoffs();
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace schafkopf::test
