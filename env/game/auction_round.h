// Whether an auction is on, and the answers of its first round (RULES D.3) but the last one: most of
// what is said in it. Inline, because a batch asks for little else before the cards.
#pragma once

#include <cstdint>

#include "env/cards/action.h"
#include "env/game/auction_state.h"
#include "env/game/table_state.h"

namespace schafkopf::auction {

/// Whether a question of the auction is on.
[[nodiscard]] constexpr bool is_on(Phase phase) {
  return phase >= Phase::kAuctionRound && phase <= Phase::kAllPassChoice;
}

inline constexpr ActionMask kPassOrPlay = {
    {std::uint64_t{1} << kActionPass | std::uint64_t{1} << kActionPlay, 0}};

/// Whether everybody may say PLAY, whatever he holds: some single game is always there to be named.
[[nodiscard]] inline bool all_may_play(const TableState& table) {
  return table.rules->has_single_classes() && !table.has_mode();
}

inline void say(AuctionState& state, int position, Action action) {
  const auto play = static_cast<unsigned>(action == kActionPlay);
  state.said_play = static_cast<std::uint8_t>(state.said_play | play << position);
}

/// Whether others answer after the seat to move: the dealer is the last.
[[nodiscard]] inline bool others_answer(const TableState& table) {
  return table.to_move != table.dealer;
}

/// An answer that another one follows.
inline void answer_round(AuctionState& state, TableState& table, Action action) {
  table.add_event(action);
  say(state, table.position_of(table.to_move), action);
  table.to_move = static_cast<std::uint8_t>(table.wrapped(table.to_move + 1));
}

}  // namespace schafkopf::auction
