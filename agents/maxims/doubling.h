// When the rule agent doubles: the Kontra criteria of RULES I-25..I-28 as predicates. The list of
// maxims made of them: announcements.h.
#pragma once

#include "agents/maxims/situation.h"
#include "env/view/view.h"

namespace schafkopf {

/// Trumps of the hand that win a trick against any play: each needs a lower own trump for every
/// higher one outside (I-25).
[[nodiscard]] int sure_trump_tricks(const Situation& situation);

/// I-28: the declarer has shown that he is strong: he came in over another player or promised
/// points. What earlier deals told about him is not known here: an agent keeps no state.
[[nodiscard]] bool declarer_is_strong(const Situation& situation, const PlayerView& view);

/// I-25: against a single game with long trumps: `needed` sure trump tricks, at most two cards
/// worth smearing, a void suit or a fourth trump.
[[nodiscard]] bool doubles_long_trumps(const Situation& situation, int needed);
/// I-26: against a game with few trumps: two of them, the lead with the own side, `needed` aces, of
/// which a void suit stands for one.
[[nodiscard]] bool doubles_few_trumps(const Situation& situation, int needed);
/// I-27: against a partner game: five trumps, one of the highest rank among them, and no card of
/// the called suit; six trumps, or three of the highest rank, need no void.
[[nodiscard]] bool doubles_partner_game(const Situation& situation);
/// Where the fewest points win: a hand that hardly takes a trick, if tricks are kept.
[[nodiscard]] bool doubles_low_hand(const Situation& situation, const CompiledRules& rules);
/// Answer to a doubling by the declarer (in a Hochzeit by his partner): only with a hand far above
/// what the game needs.
[[nodiscard]] bool redoubles(const Situation& situation, const CompiledRules& rules, bool leads,
                             int bid);

}  // namespace schafkopf
