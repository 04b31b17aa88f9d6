// Games of self-play for tests.
#pragma once

#include "agents/network/network.h"
#include "agents/registry.h"
#include "env/rules/compiled_rules.h"
#include "training/collector.h"
#include "training/learner.h"
#include "training/trajectory.h"

namespace schafkopf::test {

/// Decisions of some games with a learner's own policy.
struct Games {
  Games(Learner& learner, int count, bool full = false) {
    CollectorOptions options;
    options.rules = CompiledRules::load("research");
    options.num_envs = count;
    options.generated_share = 0.5;
    options.generator = make_generator("heuristic");
    options.full_view = full;
    Collector(options).collect(11, learner, 0, batch, stats);
  }
  Batch batch;
  CollectorStats stats;
};

inline Learner make_learner(int replicas = 1) {
  return Learner({.shape = make_network_shape(32, 2), .replicas = replicas, .seed = 3});
}

}  // namespace schafkopf::test
