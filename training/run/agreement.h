// What the processes of a run must agree on: settings, the state of the run, sums of what they
// counted. With one process nothing changes.
#pragma once

#include "agents/network/weights.h"
#include "training/config/config.h"
#include "training/games/collector.h"
#include "training/games/learned_phases.h"
#include "training/games/trajectory.h"
#include "training/learner/imitation.h"
#include "training/learner/ppo_loss.h"
#include "training/work/peers.h"

namespace schafkopf {

/// Workers of each process, where they are left open: of process 0, a core each.
///
/// Raises std::invalid_argument naming the keys: fewer games than workers in all processes, or
/// settings that are not those of process 0.
[[nodiscard]] TrainConfig agreed(Peers& peers, TrainConfig config);

/// The file of process 0, whatever the others give.
[[nodiscard]] WeightsFile taken_over(Peers& peers, WeightsFile file);

/// Sums over all processes.
void sum(Peers& peers, CollectorStats& stats);
void sum(Peers& peers, BatchAdvantages& advantages);
void sum(Peers& peers, PpoSums& sums);
void sum(Peers& peers, ImitationSums& sums);
void sum(Peers& peers, HeldSums& sums);

}  // namespace schafkopf
