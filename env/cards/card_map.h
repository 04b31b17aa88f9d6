// Contract-relative (canonical) card indices for networks (METHODS section 2; DESIGN section 3).
// Cards of the trump ranks keep their absolute index, since they rank by suit; all others move to
// slot * 8 + rank, where slot 0 = trump suit, then the called suit, then the other suits sorted by
// the own holding at the start of card play. Games, view lines and records always use absolute ids;
// observations, and the actions and masks of a VectorEnv, are counted as their CardIndex says.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "env/cards/action.h"
#include "env/cards/card.h"
#include "env/cards/contract.h"

namespace schafkopf {

/// How cards are counted: by their absolute index, or by the canonical index of the card map of the
/// seat that looks.
enum class CardIndex : std::uint8_t { kAbsolute, kCanonical };

/// M, the number of maps: trump-rank structures x 24 orders of the suits; map 0 is the identity.
[[nodiscard]] int num_card_maps();
/// uint8 [M, 32]: canonical index of each absolute card. Every row is a permutation.
[[nodiscard]] std::span<const std::uint8_t> card_maps();

/// Map of a seat, fixed when card play starts and constant to the end of the deal.
///
/// trump_ranks    ranks that are trump in every suit, as a set of those cards
/// trump_suit     0..3, or 4 = none;   called_suit  0..3, or 4 = none
/// hand           own cards at the start of card play
/// Suits of equal rank of precedence are sorted by their plain cards in the hand (as a number,
/// larger first), equal ones by absolute suit. Every set of trump ranks of a contract row has maps.
[[nodiscard]] int choose_card_map(CardSet trump_ranks, int trump_suit, int called_suit,
                                  CardSet hand);
/// The maps of all seats.
[[nodiscard]] std::array<std::uint8_t, kNumSeats> choose_card_maps(
    CardSet trump_ranks, int trump_suit, int called_suit, std::span<const std::uint32_t> hands);

/// The two parts of a map, for code that moves many sets: cards that stay, and the slot of each
/// suit for all others.
[[nodiscard]] std::uint32_t kept_cards(int map);
[[nodiscard]] const std::array<std::uint8_t, kNumSuits>& suit_slots(int map);

/// A set of cards in the canonical index, and back. Exact inverses.
[[nodiscard]] std::uint32_t to_canonical(std::uint32_t cards, int map);
[[nodiscard]] std::uint32_t from_canonical(std::uint32_t cards, int map);
/// Action ids with CARD actions moved to the canonical index; others stay.
[[nodiscard]] Action to_canonical_action(Action action, int map);
[[nodiscard]] Action from_canonical_action(Action action, int map);
[[nodiscard]] ActionMask to_canonical(const ActionMask& mask, int map);
[[nodiscard]] ActionMask from_canonical(const ActionMask& mask, int map);

}  // namespace schafkopf
