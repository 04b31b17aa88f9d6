// What records and histories share; not part of their interface.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "env/cards/contract.h"

namespace schafkopf {

/// Name of a misdeal in the key `claims`.
inline constexpr std::string_view kMisdealName = "EV_MISDEAL";

/// Games that are owed in an Allgaeuer Runde, in the order of the bits of DealContext::owed.
inline constexpr std::array<Family, 3> kOwedFamilies = {Family::kRuf, Family::kWenz, Family::kSolo};
[[nodiscard]] inline std::string_view owed_name(std::size_t bit) {
  return row_of(kOwedFamilies[bit]).name;
}

}  // namespace schafkopf
