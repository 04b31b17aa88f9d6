// Games of self-play for tests.
#pragma once

#include <memory>

#include "agents/network/network.h"
#include "agents/registry.h"
#include "env/rules/compiled_rules.h"
#include "training/games/collector.h"
#include "training/games/trajectory.h"
#include "training/learner/learner.h"

namespace schafkopf::test {

[[nodiscard]] inline std::shared_ptr<const CompiledRules> research() {
  return CompiledRules::load("research");
}

[[nodiscard]] inline Learner make_learner(int replicas = 1, Critic critic = Critic::kShared) {
  return Learner(
      {.shape = make_network_shape(32, 2), .critic = critic, .replicas = replicas, .seed = 3});
}

/// Of so many games at a time this share begins with a contract of the rule agent.
[[nodiscard]] inline CollectorOptions collector_options(int games, double generated_share = 1.0) {
  CollectorOptions options;
  options.rules = research();
  options.num_envs = games;
  options.generated_share = generated_share;
  options.generator = make_generator("heuristic");
  return options;
}

/// Decisions of some games with a learner's own policy.
struct Games {
  Games(Learner& learner, int count, bool full = false) {
    CollectorOptions options = collector_options(count, 0.5);
    options.full_view = full;
    Collector(options).collect(11, learner, 0, batch, stats);
  }
  explicit Games(Collector& collector) {
    Learner learner = make_learner();
    collector.collect(3, learner, 0, batch, stats);
  }
  Batch batch;
  CollectorStats stats;
};

}  // namespace schafkopf::test
