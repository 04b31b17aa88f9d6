#include "training/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "agents/engine/engine_options.h"
#include "env/base/input_limits.h"

namespace schafkopf {
namespace {

/// Whether one of the players, registry strings with ; between them, is another program.
bool starts_program(std::string_view players) {
  while (!players.empty()) {
    const std::size_t end = std::min(players.find(';'), players.size());
    const std::string_view player = players.substr(0, end);
    if (player.substr(0, player.find(':')) == kEngineName) return true;
    players.remove_prefix(std::min(end + 1, players.size()));
  }
  return false;
}

bool says_again(std::span<const std::string> settings, std::string_view key) {
  return std::ranges::any_of(settings, [&](std::string_view setting) {
    setting = setting.substr(0, setting.find('='));
    return setting.substr(0, setting.find_last_not_of(" \t") + 1) == key;
  });
}

}  // namespace

void refuse_programs(const TrainConfig& kept, const std::string& run_dir,
                     std::span<const std::string> settings) {
  const std::array<std::pair<std::string_view, std::string_view>, 3> keys = {
      {{"pool", kept.pool}, {"teacher", kept.teacher}, {"eval_opponent", kept.eval_opponent}}};
  for (const auto& [key, players] : keys) {
    if (!starts_program(players) || says_again(settings, key)) continue;
    throw std::invalid_argument(
        fmt::format("{}: its checkpoint has {} = \"{}\", which starts a program; allowed: the key "
                    "is said again "
                    "where it may, --set {}=...",
                    run_dir, key, quotable(players), key));
  }
}

}  // namespace schafkopf
