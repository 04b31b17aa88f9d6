// Between the contract and the first card (RULES D.2, step 8): the exchange of a Zupf-Solo and the
// announced Jungfrau.
#pragma once

#include "env/cards/action.h"
#include "env/game/announcement_state.h"
#include "env/game/next.h"
#include "env/game/table_state.h"

namespace schafkopf::announcement {

/// C.20.11: the declarer names a seat, gives it a card and draws one.
[[nodiscard]] Next begin_exchange(TableState& table);
/// What is said once the contract is fixed; nothing: the first card (OPEN-21).
[[nodiscard]] Next begin(TableState& table);
[[nodiscard]] ActionMask legal(const TableState& table);
[[nodiscard]] Next apply(AnnouncementState& state, TableState& table, Action action);

}  // namespace schafkopf::announcement
