// Weights that are part of the program: files of agents/network/shipped/, compiled in, so that
// "net:baseline" works wherever the library does. Internal to agents.
#pragma once

#include <string_view>

namespace schafkopf {

/// Bytes of the weights file of this name, empty if none has it.
[[nodiscard]] std::string_view shipped_bytes(std::string_view name);

}  // namespace schafkopf
