// Masks as bytes, for the files that compile it for an instruction set and for the scalar kernel.
#pragma once

#include "env/lanes/lane_kernels.h"
#include "env/view/encoder_kernels.h"

namespace schafkopf {

[[gnu::always_inline]] inline void write_masks(const MaskRows& rows) {
  const MaskRows from = rows;  // a copy: stores of bytes may alias everything
  for (std::size_t k = 0; k < from.size; ++k) {
    std::uint8_t* const row =
        from.bytes + static_cast<std::size_t>(from.rows[k]) * std::size_t{kNumActions};
    static_assert(kNumActions == 2 * 64);
    kernels::expand_bits(from.masks[k].words[0], row);
    kernels::expand_bits(from.masks[k].words[1], row + 64);
  }
}

}  // namespace schafkopf
