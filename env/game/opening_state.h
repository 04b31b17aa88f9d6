// State of what comes before the auction: Legen (RULES F.1) and the packets of the Schieber
// (C.20.6).
#pragma once

#include <cstdint>
#include <type_traits>

namespace schafkopf {

struct OpeningState {
  std::uint8_t laid = 0;        // number of LAY
  std::int8_t first_laid = -1;  // seat, -1 = none
  std::uint8_t to_pass = 0;     // cards that the seat to move still passes on
};
static_assert(std::is_trivially_copyable_v<OpeningState> && sizeof(OpeningState) == 3);

}  // namespace schafkopf
