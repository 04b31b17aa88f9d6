#include "training/run/named_things.h"

#include <memory>
#include <string>
#include <utility>

#include "agents/registry.h"
#include "env/rules/compiled_rules.h"
#include "training/games/recorded_games.h"
#include "training/work/checked.h"

namespace schafkopf {

void check_generators(const TrainConfig& config) {
  for (const auto& [key, generator] : {std::pair("generator", &config.generator),
                                       std::pair("eval_generator", &config.eval_generator)}) {
    checked(key, *generator, [&] { (void)make_generator(*generator); });
  }
}

void check_named_things(const TrainConfig& config) {
  const auto rules =
      checked("rules", config.rules, [&] { return CompiledRules::load(config.rules); });
  check_generators(config);
  if (config.clone_records.empty()) return;
  checked("clone_records", config.clone_records,
          [&] { (void)RecordedGames(config.clone_records, rules, config.learn); });
}

}  // namespace schafkopf
