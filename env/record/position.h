// A position as text: what one seat knows when it is to act, in the words of records, on one line.
// What agents/engine sends to players in other processes; nothing hidden can enter, because it is
// made of a view.
#pragma once

#include <string>
#include <string_view>

#include "env/cards/action.h"
#include "env/rules/compiled_rules.h"
#include "env/view/view.h"

namespace schafkopf {

/// One JSON object without line break; its keys stand in agents/engine/PROTOCOL.md. Legal actions
/// are not in it.
///
/// Throws std::invalid_argument for a view whose seat is not to act, and for one of a game that was
/// entered in the middle of the cards.
[[nodiscard]] std::string position_json(const PlayerView& view, const CompiledRules& rules);

/// The view of a position: parse_position(position_json(view, rules), legal_actions(view.cards),
/// rules) is `view`, byte by byte.
///
/// Throws std::invalid_argument naming the key and what is allowed: no JSON, an unknown key, a
/// wrong type, cards that come twice, a legal card that is not in the hand.
[[nodiscard]] PlayerView parse_position(std::string_view json, const ActionMask& legal,
                                        const CompiledRules& rules);

}  // namespace schafkopf
