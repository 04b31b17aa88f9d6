// What a finished deal pays, as environments show it.
#pragma once

#include <array>

#include "env/game/game.h"
#include "env/session/session.h"

namespace schafkopf {

/// In tariff units; `stock`: from and into the Stock, less the Reuegeld.
struct PaidEnd {
  std::array<float, kNumSeats> payoffs{}, stock{};
};

/// `ended`: the session whose last deal it was, else null. Throws std::invalid_argument before the
/// end.
[[nodiscard]] PaidEnd paid_end(const Game& game, const SessionState* ended = nullptr);

}  // namespace schafkopf
