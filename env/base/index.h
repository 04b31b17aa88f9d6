// A seat, card or number as the index of an array.
#pragma once

#include <cstddef>

namespace schafkopf {

/// index  >= 0
[[nodiscard]] constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace schafkopf
