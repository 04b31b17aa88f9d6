// Files that a configuration names: one that came from elsewhere leads nowhere unasked.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace schafkopf {

/// A key of a configuration whose value is a path, or registry strings that may hold some.
struct NamedFiles {
  std::string_view key;
  std::string text;
  bool players = false;
};

/// Whether a setting, "key=value" or a key alone, is of this key.
[[nodiscard]] bool says(std::span<const std::string> settings, std::string_view key);

/// Throws std::invalid_argument for a path that leads out of the working folder and out of the folder
/// of its configuration, links followed, unless its key is among the settings. Commands of engines
/// are none: they start what they name.
///
/// config    path of the configuration
/// settings  "key=value", and keys, that were given besides
void refuse_paths_elsewhere(const std::string& config, std::span<const NamedFiles> named,
                            std::span<const std::string> settings);

}  // namespace schafkopf
