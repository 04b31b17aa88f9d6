// What comes before the auction (RULES D.2, steps 1 to 3): the suit named before the deal, Legen,
// the packets of the Schieber.
#pragma once

#include "env/cards/action.h"
#include "env/game/next.h"
#include "env/game/opening_state.h"
#include "env/game/table_state.h"

namespace schafkopf::opening {

/// The first question of a deal, or what comes next where the rules leave these steps out.
[[nodiscard]] Next begin(TableState& table);
[[nodiscard]] ActionMask legal(const TableState& table);
[[nodiscard]] Next apply(OpeningState& state, TableState& table, Action action);

/// What a seat has seen of its cards: before the deal the fixed ones, while laying one half.
[[nodiscard]] CardSet seen_hand(const TableState& table, int seat);

}  // namespace schafkopf::opening
