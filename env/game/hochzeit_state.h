// State of a Hochzeit (RULES C.3).
#pragma once

#include <cstdint>
#include <type_traits>

namespace schafkopf {

struct HochzeitState {
  std::int8_t offerer = -1;
  std::uint8_t cards = 0;      // that are offered
  std::uint8_t to_return = 0;  // cards that the acceptor still returns
  bool asked = false;          // the Hochzeit has had its turn
  std::uint8_t first = 0;      // seats of an accepted first one: offerer | acceptor << 2 | 16
  std::uint8_t entered = 0;    // positions that play a single game over it (OPEN-11)
};
static_assert(std::is_trivially_copyable_v<HochzeitState> && sizeof(HochzeitState) == 6);

}  // namespace schafkopf
