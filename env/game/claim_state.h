// State of claims (RULES E.5, G.5) and infractions (E.6).
#pragma once

#include <cstdint>
#include <type_traits>

#include "env/price/settle.h"

namespace schafkopf {

struct ClaimState {
  std::int8_t laufende = -1;
  std::int8_t schwarz = -1;
  std::int8_t offender = -1;
  Infraction infraction{};
  bool laid_down = false;  // the rest was claimed, conceded or forfeited
};
static_assert(std::is_trivially_copyable_v<ClaimState> && sizeof(ClaimState) == 5);

}  // namespace schafkopf
