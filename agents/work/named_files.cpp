#include "agents/work/named_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "agents/work/spec_value.h"
#include "env/base/input_limits.h"

namespace schafkopf {
namespace {

namespace fs = std::filesystem;

/// Where a path leads, as far as it exists; empty where the system does not say.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  if (error) return {};
  const fs::path place = fs::weakly_canonical(whole, error);
  return error ? fs::path() : place;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::ranges::mismatch(folder, path);
  return !folder.empty() && end == folder.end() && rest != path.end();
}

/// Parts of registry strings that may be paths: all between : , = and ; and all between quotes.
std::vector<std::string> paths_in(const NamedFiles& named) {
  if (!named.players) return {named.text};
  std::vector<std::string> paths;
  for (std::string_view player : players_in(named.text)) {
    if (player.starts_with("engine:")) continue;
    while (!player.empty()) {
      if (const std::size_t close = closing_quote(player, 0);
          player.front() == '"' && close != std::string_view::npos) {
        paths.push_back(unquoted(player.substr(0, close + 1)));
        player.remove_prefix(close + 1);
        continue;
      }
      const std::size_t cut = std::min(player.find_first_of(":,="), player.size());
      paths.emplace_back(player.substr(0, cut));  // a name is a file of the working folder
      player.remove_prefix(std::min(cut + 1, player.size()));
    }
  }
  return paths;
}

}  // namespace

bool says(std::span<const std::string> settings, std::string_view key) {
  return std::ranges::any_of(settings, [&](std::string_view setting) {
    setting = setting.substr(0, setting.find('='));
    return setting.substr(0, setting.find_last_not_of(" \t") + 1) == key;
  });
}

void refuse_paths_elsewhere(const std::string& config, std::span<const NamedFiles> named,
                            std::span<const std::string> settings) {
  const fs::path here = resolved("."), beside = resolved(config).parent_path();
  for (const NamedFiles& one : named) {
    if (says(settings, one.key)) continue;
    for (const std::string& path : paths_in(one)) {
      if (path.empty()) continue;
      const fs::path place = resolved(path);
      if (is_below(place, here) || is_below(place, beside)) continue;
      throw std::invalid_argument(fmt::format(
          "{}: {} = \"{}\" leads to {}, out of the working folder and the folder of this file, "
          "allowed: a path below one of them, or the key said again where it may: --set {}=...",
          config, one.key, quotable(one.text), quotable(place.string()), one.key));
    }
  }
}

}  // namespace schafkopf
