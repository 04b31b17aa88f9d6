// A small tournament, for tests that change one thing of it.
#pragma once

#include <utility>
#include <vector>

#include "agents/tournament/tournament.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf::test {

[[nodiscard]] inline TournamentOptions options_for(std::vector<TournamentAgent> agents, int blocks,
                                                   Track track = Track::kCardPlay) {
  TournamentOptions options;
  options.agents = std::move(agents);
  options.rules = CompiledRules::load("research");
  options.blocks = blocks;
  options.track = track;
  options.threads = 1;
  return options;
}

}  // namespace schafkopf::test
