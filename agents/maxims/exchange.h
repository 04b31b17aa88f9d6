// What the rule agent does with cards that change hands before the play: the packets of a
// Schieberrunde (RULES C.20.6), the Hochzeit (C.3), the Zupf-Solo (C.20.11).
#pragma once

#include "env/rules/compiled_rules.h"
#include "env/view/view.h"

namespace schafkopf {

/// SCHIEBER: take the high packet with a hand that makes a Solo of it.
[[nodiscard]] Action answer_packet(const PlayerView& view, const CompiledRules& rules,
                                   const ActionMask& mask);
/// SCHIEBER_PUSH, ZUPF_GIVE: the card of `legal` that the hand misses least under the trumps of its
/// best Solo, or of the suit that was named.
[[nodiscard]] Card card_to_give(const PlayerView& view, const CompiledRules& rules, CardSet legal);
/// HZ_OFFER: a hand with so few trumps wants a partner, unless it is a single game of its own.
[[nodiscard]] Action answer_offer(const PlayerView& view, const CompiledRules& rules,
                                  const ActionMask& mask);
/// HZ_ACCEPT: with a hand that wins almost alone, since the partner has no trump left.
[[nodiscard]] Action answer_hochzeit(const PlayerView& view, const CompiledRules& rules,
                                     const ActionMask& mask);
/// HZ_RETURN: a plain card, best one that makes a void.
[[nodiscard]] Card card_to_return(const PlayerView& view, const CompiledRules& rules,
                                  CardSet legal);
/// ZUPF_TARGET: somebody who said that he plays holds the best cards to draw from.
[[nodiscard]] Action choose_target(const PlayerView& view, const ActionMask& mask);

}  // namespace schafkopf
