// Cards as dealt: who got which half-hand (RULES B.3). Chance lies wholly here; a game rebuilds
// exactly from rules, deal, dealer, context and actions.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "env/card.h"
#include "env/rules.h"

namespace schafkopf {

/// Hands as two halves per seat: `first` = the first H/2 cards received (RULES B.3.4), what a seat
/// sees in LEGEN. Seats are absolute; unused seats are empty.
struct Deal {
  std::array<CardSet, kNumSeats> first{};
  std::array<CardSet, kNumSeats> second{};

  [[nodiscard]] constexpr CardSet hand(int seat) const {
    return first[static_cast<std::size_t>(seat)] | second[static_cast<std::size_t>(seat)];
  }
  friend constexpr bool operator==(const Deal&, const Deal&) = default;
};

/// Deal of a deck order (RULES B.3.3; R-024): packets clockwise, beginning with forehand.
///
/// order   all cards of the deck, order[0] dealt first
/// Throws std::invalid_argument if it is not a permutation of the deck.
[[nodiscard]] Deal deal_from_order(std::span<const Card> order, const RuleSet& rules, int dealer);

/// Uniformly random deal; a pure function of the seed. The map seed -> deal is final.
[[nodiscard]] Deal random_deal(std::uint64_t seed);

/// Deal of full hands in the order received (first half first).
/// Throws std::invalid_argument naming a card that is missing or comes twice, or a wrong hand size.
[[nodiscard]] Deal deal_from_hands(std::span<const std::span<const Card>> hands,
                                   const RuleSet& rules);

/// What a deal inherits from the session (RULES H); all zero outside one.
struct DealContext {
  std::int32_t stock = 0;          // pot, in 1/tariff_scale units
  std::uint8_t bock = 0;           // number of factors 2
  std::uint8_t special_round = 0;  // SpecialRound
  std::uint8_t games_left = 0;     // of the special round
  std::uint8_t owed[4] = {0, 0, 0,
                          0};  // Allgaeuer debts by absolute seat: bit 0 RUF, 1 WENZ, 2 SOLO
  std::uint8_t reserved = 0;   // no padding: contexts are compared and stored as bytes
  friend constexpr bool operator==(const DealContext&, const DealContext&) = default;
};

}  // namespace schafkopf
