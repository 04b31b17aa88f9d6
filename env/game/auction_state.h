// State of the auction (RULES D.3..D.6): who wants to play, who holds the game, what he may name.
#pragma once

#include <cstdint>
#include <type_traits>

#include "env/cards/action.h"
#include "env/game/next.h"

namespace schafkopf {

struct AuctionState {
  std::uint8_t said_play = 0;   // positions that said PLAY
  std::uint8_t active = 0;      // direct: positions still in
  std::uint8_t holder = 0;      // position
  std::uint8_t challenger = 0;  // position
  Action named = 0;             // contract action of the holder, 0 = none
  bool has_holder = false;
  Naming naming = Naming::kAny;
  std::uint8_t suits = 0xF;  // that may be named
  bool firm = false;         // Steigern: the holder plays alone for sure
  std::uint8_t raise = 0;    // waits for the holder's answer
  bool all_passed = false;   // nobody declared
  bool thrown_in = false;
  AllPass how{};  // an all-passed deal was resolved without a game
};
static_assert(std::is_trivially_copyable_v<AuctionState> && sizeof(AuctionState) == 13);

}  // namespace schafkopf
