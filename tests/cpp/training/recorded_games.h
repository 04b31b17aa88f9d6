// Games of the rule agent as files for tests.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "agents/worlds/playouts.h"
#include "env/record/record.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/training/run_in_folder.h"

namespace schafkopf::test {

/// Runs that learn from recorded games.
class RunWithRecords : public RunInFolder {
 protected:
  /// Games of the rule agent as JSON lines; a half begins at card play.
  [[nodiscard]] std::string record_games(const std::string& name, int count,
                                         const std::string& rules = "research") const {
    VectorEnvOptions options;
    options.num_envs = count;
    options.rules = {CompiledRules::load(rules)};
    options.generated_share = 0.5;
    options.generator = make_generator("heuristic");
    const VectorEnv env(options);
    const std::unique_ptr<BatchPolicy> player = make_agent("rules");
    std::vector<Playout> games;
    for (int i = 0; i < count; ++i) games.push_back({env.game(i), {}});
    PlayoutTable(*player, *options.rules[0]).play_on(games);
    std::ofstream stream(path(name));
    for (const Playout& played : games) stream << to_json(record_of(played.game)) << '\n';
    return path(name);
  }
};

}  // namespace schafkopf::test
