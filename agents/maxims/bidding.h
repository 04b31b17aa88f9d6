// What a hand is worth in the auction: the predicates behind the auction maxims (RULES I-01..I-05).
// The lists themselves: announcements.h; estimates of hands: hand_strength.h.
#pragma once

#include "agents/maxims/hand_strength.h"
#include "env/view/view.h"

namespace schafkopf {

/// A hand plays a single game if it expects at least this share of the game's price.
inline constexpr double kMinimumShare = 0.0;
/// The same where someone else already plays (a single game only).
inline constexpr double kMinimumShareOver = 0.1;
/// The same for a game with a called partner: as choosy as people are, who throw in a quarter of
/// all deals and win four of five such games (METHODS section 8).
inline constexpr double kMinimumShareCall = 0.58;

/// Whether the hand expects more than this share of the price from the game.
[[nodiscard]] bool is_worth_playing(const ContractChoice& choice, const CompiledRules& rules,
                                    double minimum_share);
/// Whether a seat plays this game with a called partner: worth it, and no rogue (I-01).
[[nodiscard]] bool is_worth_calling(const ContractChoice& call, const CompiledRules& rules,
                                    CardSet hand);

}  // namespace schafkopf
