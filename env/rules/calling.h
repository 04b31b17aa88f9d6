// Which cards may be called as the partner's (RULES C.1, C.2, C.4), on hands as words.
#pragma once

#include <cstdint>

#include "env/rules/rules.h"

namespace schafkopf {

/// Aces of plain suits that are not held while a plain card of their suit is (C.1; ).
/// trumps  trump set of the partner game
[[nodiscard]] std::uint32_t callable_aces(std::uint32_t hand, std::uint32_t trumps);

/// Aces of plain suits of which no plain card is held: Renonce (C.2; ).
[[nodiscard]] std::uint32_t void_aces(std::uint32_t hand, std::uint32_t trumps);

/// Cards that a player may call who chose the partner game: the aces of C.1; without one (gesperrt)
/// those of a Renonce call, where the rules have it (C.2, OPEN-07).
[[nodiscard]] std::uint32_t callable_cards(std::uint32_t hand, std::uint32_t trumps,
                                           Renonce renonce);

/// Cards that a seat must choose from when it has to call (C.4; ): the aces of C.1,
/// else down the cascade. Never empty for a hand of eight or six cards.
///
/// deck  cards in play
[[nodiscard]] std::uint32_t duty_calls(std::uint32_t hand, std::uint32_t trumps, std::uint32_t deck,
                                       MussBlocked cascade);

}  // namespace schafkopf
