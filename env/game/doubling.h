// The doubling chain: windows, who may double, answers (RULES F.2, F.3; R-135..R-146).
#pragma once

#include "env/cards/action.h"
#include "env/game/doubling_state.h"
#include "env/game/table_state.h"

namespace schafkopf::doubling {

/// Open the windows that are due before the next card, one after the other, until a seat is asked.
void open_windows(DoublingState& state, TableState& table);
/// C.20.8: the game begins doubled by the defenders; the declarer party is asked once, before the
/// first card, then doubling is closed (OPEN-35).
void open_doubled(DoublingState& state, TableState& table);
[[nodiscard]] ActionMask legal();
void apply(DoublingState& state, TableState& table, Action action);

}  // namespace schafkopf::doubling
