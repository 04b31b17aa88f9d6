// Everything the rule agent says before and between the cards: Legen, auction, contract, called
// card, doubling. Works from a PlayerView; reads the columns of the tables of contracts and special
// rounds. Cards that change hands: exchange.h; what is said after all pass and at the end:
// claiming.h.
#pragma once

#include "agents/hand_strength.h"
#include "agents/situation.h"
#include "env/view.h"

namespace schafkopf {

/// Action of a phase other than PLAY; always legal.
[[nodiscard]] Action choose_announcement(const PlayerView& view, const CompiledRules& rules);

// The predicates behind it.

/// A hand plays a game if it expects at least this share of the game's price.
inline constexpr double kMinimumShare = 0.0;
/// The same where someone else already plays (a single game only).
inline constexpr double kMinimumShareOver = 0.1;
[[nodiscard]] bool is_worth_playing(const ContractChoice& choice, const CompiledRules& rules,
                                    double minimum_share);

/// Trumps of the hand that win a trick against any play: each needs a lower own trump for every
/// higher one outside (I-25).
[[nodiscard]] int sure_trump_tricks(const Situation& situation);
/// I-25: against a single game with long trumps: three sure trump tricks, at most one card worth
/// smearing, a void suit or a fourth trump.
[[nodiscard]] bool doubles_long_trumps(const Situation& situation);
/// I-26: against a game with few trumps: two of them, the lead with the own side, two aces.
[[nodiscard]] bool doubles_few_trumps(const Situation& situation);
/// I-27: against a partner game: five trumps, two of the highest rank among them, and no card of
/// the called suit; six trumps need no void.
[[nodiscard]] bool doubles_partner_game(const Situation& situation);
/// Where the fewest points win: a hand that hardly takes a trick.
[[nodiscard]] bool doubles_low_hand(const Situation& situation, const CompiledRules& rules);
/// Answer to a doubling by the declarer (in a Hochzeit by his partner): only with a hand far above
/// what the game needs.
[[nodiscard]] bool redoubles(const Situation& situation, const CompiledRules& rules, bool leads);

}  // namespace schafkopf
