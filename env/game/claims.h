// Ends of a deal before its last card and questions after it: the rest claimed or conceded (RULES
// E.5; ), infractions (E.6), Laufende and Schwarz on demand (G.5).
#pragma once

#include "env/cards/action.h"
#include "env/game/claim_state.h"
#include "env/game/table_state.h"

namespace schafkopf::claims {

/// The seat to move claims or concedes the rest: all cards go to one side (OPEN-51).
void lay_down(ClaimState& state, TableState& table, Action action);
/// False: the infraction has no effect under these rules. Throws std::invalid_argument outside of
/// card play.
[[nodiscard]] bool infract(ClaimState& state, TableState& table, int seat, Infraction infraction);

/// Ask what of the price is open: Laufende, then Schwarz. False: nothing.
[[nodiscard]] bool ask_settlement(const ClaimState& state, TableState& table, bool declarers_won);
[[nodiscard]] ActionMask legal_settlement(const ClaimState& state, const TableState& table);
void apply_settlement(ClaimState& state, TableState& table, Action action);

}  // namespace schafkopf::claims
