// What the rule agent says when nobody declared, before a game of everybody for himself, and after
// the last card: the last player's choice (RULES D.6), the announced Jungfrau (C.6), Laufende and
// Schwarz on demand (G.5).
#pragma once

#include "env/rules/compiled_rules.h"
#include "env/view/view.h"

namespace schafkopf {

/// ALL_PASS_CHOICE: a hand that hardly takes tricks plays for the fewest points; else no game.
[[nodiscard]] Action choose_all_pass(const PlayerView& view, const CompiledRules& rules,
                                     const ActionMask& mask);
/// JUNGFRAU: only a hand that is almost safe announces that it takes no trick.
[[nodiscard]] Action answer_virgin(const PlayerView& view, const CompiledRules& rules,
                                   const ActionMask& mask);
/// CLAIM_SETTLE: what is true as far as this seat has seen it: Laufende of the cards that each side
/// held, Schwarz if the other side took no trick.
[[nodiscard]] Action claim_what_is_due(const PlayerView& view, const CompiledRules& rules,
                                       const ActionMask& mask);

}  // namespace schafkopf
