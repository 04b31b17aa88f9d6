// What a deal inherits from the session that it belongs to (RULES H). Who carries it from deal to
// deal stands in env/session/session.h.
#pragma once

#include <cstdint>
#include <type_traits>

#include "env/rules/rules.h"

namespace schafkopf {

/// All zero outside a session.
struct DealContext {
  std::int32_t stock = 0;          // pot, in 1/tariff_scale units
  std::uint8_t bock = 0;           // number of factors 2
  std::uint8_t special_round = 0;  // SpecialRound
  std::uint8_t games_left = 0;     // of the special round, this deal included
  std::uint8_t owed[4] = {0, 0, 0,
                          0};  // Allgaeuer debts by absolute seat: bit 0 RUF, 1 WENZ, 2 SOLO
  std::uint8_t reserved = 0;   // no padding: contexts are compared and stored as bytes
  friend constexpr bool operator==(const DealContext&, const DealContext&) = default;

  [[nodiscard]] constexpr SpecialRound mode() const {
    return static_cast<SpecialRound>(special_round);
  }
};

/// Most factors 2 that a context may bring; kMostPrice keeps prices in range.
inline constexpr int kMaxBock = 16;

static_assert(std::is_trivially_copyable_v<DealContext> && sizeof(DealContext) == 12);

/// Debts of a seat that still owes everything (C.20.9).
inline constexpr std::uint8_t kOwesAll = 7;

/// Context of the first deal of a session: the special round that the switch names, with its games,
/// the factor of a Bock and the debts of an Allgaeuer Runde.
[[nodiscard]] DealContext first_context(const RuleSet& rules);

}  // namespace schafkopf
