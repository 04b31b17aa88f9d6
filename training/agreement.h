// What the processes of a run must agree on: settings, the state of the run, sums of what they
// counted. With one process nothing changes.
#pragma once

#include "agents/network/weights.h"
#include "training/collector.h"
#include "training/config.h"
#include "training/imitation.h"
#include "training/learned_phases.h"
#include "training/peers.h"
#include "training/ppo_loss.h"
#include "training/trajectory.h"

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
