// The hands of a game as a player would have to guess them.
#pragma once

#include <cstddef>

#include "agents/worlds/worlds.h"
#include "env/game/game.h"

namespace schafkopf::test {

/// The hands as they are, relative to the seat that looks.
[[nodiscard]] inline World true_world(const Game& game, int viewer) {
  World world;
  for (int seat = 0; seat < game.seats(); ++seat) {
    world.hands[static_cast<std::size_t>(seat)] = game.hand((viewer + seat) % game.seats());
  }
  return world;
}

}  // namespace schafkopf::test
