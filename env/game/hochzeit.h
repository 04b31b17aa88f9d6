// Hochzeit (RULES C.3; D.2, step 4; R-031..R-037): a trump is offered, shown or face down, the
// first that takes it is the partner and returns a card.
#pragma once

#include "env/cards/action.h"
#include "env/game/hochzeit_state.h"
#include "env/game/next.h"
#include "env/game/table_state.h"

namespace schafkopf::hochzeit {

/// Ask who could offer; nobody: what comes next.
[[nodiscard]] Next begin(HochzeitState& state, TableState& table);
[[nodiscard]] ActionMask legal(const HochzeitState& state, const TableState& table);
[[nodiscard]] Next apply(HochzeitState& state, TableState& table, Action action);

}  // namespace schafkopf::hochzeit
