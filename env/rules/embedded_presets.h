// Text of configs/rules/*.toml, compiled in by cmake/embed_presets.cmake, so that presets need no
// path.
#pragma once

#include <span>
#include <string_view>

namespace schafkopf {

struct EmbeddedPreset {
  std::string_view name;  // stem of the file
  std::string_view text;
};

[[nodiscard]] std::span<const EmbeddedPreset> embedded_presets();

}  // namespace schafkopf
