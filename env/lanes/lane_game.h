// What stepping a block of games needs of a Game beside its interface.
#pragma once

#include <cstdint>

#include "env/game/game.h"

namespace schafkopf {

class LaneGame {
 public:
  [[nodiscard]] static const TableState& table(const Game& game) { return game.table_; }
  /// The same as bytes, for a kernel.
  [[nodiscard]] static std::uint8_t* bytes(Game& game) {
    return reinterpret_cast<std::uint8_t*>(&game.table_);
  }
  /// What follows when next_stop is reached.
  static void stop_here(Game& game) { game.stop_here(); }
};

}  // namespace schafkopf
