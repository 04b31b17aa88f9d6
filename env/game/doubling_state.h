// State of the doubling chain (RULES F.2, F.3).
#pragma once

#include <cstdint>
#include <type_traits>

namespace schafkopf {

struct DoublingState {
  std::uint8_t level = 0;
  bool declarers_doubled_last = false;
  bool closed = false;
  std::uint8_t doubled[4] = {};  // by seat
  std::uint8_t asked = 0;        // next seat to ask
  std::uint8_t left_to_ask = 0;
  std::uint8_t window_asked = 0;  // the same of the window while a chain is answered
  std::uint8_t window_left = 0;
  std::int8_t answering = -1;  // the doubler whose opponents are asked, -1 = the window itself
  std::uint8_t windows = 0;    // gone through: bit 0 W0, bit 1 W1, bits 4-7 W2 by seat
};
static_assert(std::is_trivially_copyable_v<DoublingState> && sizeof(DoublingState) == 13);

}  // namespace schafkopf
