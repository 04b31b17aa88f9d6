// State of what is said between the contract and the first card.
#pragma once

#include <cstdint>
#include <type_traits>

namespace schafkopf {

struct AnnouncementState {
  std::uint8_t drawn = 0;    // Zupf-Solo: number of the card that is drawn (Deal::zupf)
  std::uint8_t target = 0;   // seat that it is drawn from
  std::uint8_t virgins = 0;  // seats that announced Jungfrau
};
static_assert(std::is_trivially_copyable_v<AnnouncementState> && sizeof(AnnouncementState) == 3);

}  // namespace schafkopf
