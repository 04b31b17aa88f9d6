// Checks of what comes from outside: hand-made outcomes, contracts and positions that no deal under
// the rules has. Tests, endgame lists and search make such positions on purpose, and Game takes
// them.
#pragma once

#include "env/game/game.h"
#include "env/price/settle.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf {

/// Throws WrongArgument naming the member and what is allowed, for an outcome that no deal
/// under these rules has. What the price does not depend on may be left out: tricks, points of the
/// other party.
void check_outcome(const Outcome& outcome, const CompiledRules& rules,
                   const DealContext& context = {});

/// Whether these rules play the Tout of a class (J.1, `tout_enabled`).
[[nodiscard]] bool plays_tout(const ContractRow& row, const CompiledRules& rules);

/// Throws WrongArgument for a class that the rules do not play, and for a Tout of one whose Tout they
/// do not.
void check_contract(const Contract& contract, const CompiledRules& rules);

/// The same, and for a called card that the declarer could not have called (C.1): one that he
/// holds, a trump, or none of the cards that may be called; of a whole hand, which has no card of that
/// suit. Called cards of special rounds included only where a duty gives them (C.4).
void check_position(const Position& position, const CompiledRules& rules);

}  // namespace schafkopf
