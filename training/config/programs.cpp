#include "training/config/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "agents/engine/engine_options.h"
#include "agents/work/named_files.h"
#include "agents/work/spec_value.h"
#include "env/base/input_limits.h"

namespace schafkopf {
namespace {

/// Whether one of the players, registry strings with ; between them, is another program.
bool starts_program(std::string_view players) {
  return std::ranges::any_of(players_in(players), [](std::string_view player) {
    return player.substr(0, player.find(':')) == kEngineName;
  });
}

}  // namespace

void refuse_programs(const TrainConfig& kept, const std::string& run_dir,
                     std::span<const std::string> settings) {
  const std::array<std::pair<std::string_view, std::string_view>, 3> keys = {
      {{"pool", kept.pool}, {"teacher", kept.teacher}, {"eval_opponent", kept.eval_opponent}}};
  for (const auto& [key, players] : keys) {
    if (!starts_program(players) || says(settings, key)) continue;
    throw std::invalid_argument(
        fmt::format("{}: its checkpoint has {} = \"{}\", which starts a program; allowed: the key "
                    "is said again "
                    "where it may, --set {}=...",
                    run_dir, key, quotable(players), key));
  }
}

void refuse_paths_elsewhere(const TrainConfig& config, const std::string& file,
                            std::span<const std::string> settings) {
  const std::array<NamedFiles, 7> named = {{{"rules", config.rules},
                                            {"init", config.init},
                                            {"clone_records", config.clone_records},
                                            {"generator", config.generator, true},
                                            {"pool", config.pool, true},
                                            {"teacher", config.teacher, true},
                                            {"eval_opponent", config.eval_opponent, true}}};
  refuse_paths_elsewhere(file, named, settings);
}

}  // namespace schafkopf
