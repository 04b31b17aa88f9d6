// Texts that are to name files.
#pragma once

#include <string_view>

namespace schafkopf {

/// Throws std::invalid_argument for a path with a zero byte, where the system would take it to end:
/// another file.
void refuse_zero_byte(std::string_view path);

}  // namespace schafkopf
