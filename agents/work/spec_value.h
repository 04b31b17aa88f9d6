// Values in registry strings, "net:runs/a.safetensors,greedy=false".
#pragma once

#include <string>

namespace schafkopf {

/// A value as it stands in a registry string: in double quotes where a comma would end it or an
/// equals sign make a key of its beginning.
/// Throws std::invalid_argument for one that would need quotes and has some itself.
[[nodiscard]] std::string spec_value(const std::string& value);

}  // namespace schafkopf
