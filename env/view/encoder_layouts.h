// The writers behind the doors of encoder.h, for the encoder alone: rows without their rule section.
#pragma once

#include <cstdint>
#include <span>

#include "env/base/instruction_set.h"
#include "env/view/encoder.h"

namespace schafkopf {

namespace rows {
/// T = std::uint8_t or float.
template <class T>
void write_views(ObservationVersion version, std::span<const ViewLines> views, CardIndex cards,
                 T* const* rows, InstructionSet set, Stores stores = Stores::kCached);
}  // namespace rows

/// Throws std::invalid_argument where a buffer of so many elements does not hold the rows of so many
/// views.
void check_rows(std::size_t size, std::size_t views, std::size_t row);

}  // namespace schafkopf
