// One update of a run: the games of all workers, then gradients of their decisions.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "env/base/slice_pool.h"
#include "env/rules/compiled_rules.h"
#include "training/config/config.h"
#include "training/games/collector.h"
#include "training/games/learned_phases.h"
#include "training/games/pool.h"
#include "training/games/recorded_games.h"
#include "training/games/trajectory.h"
#include "training/learner/imitation.h"
#include "training/learner/learner.h"
#include "training/learner/ppo_loss.h"
#include "training/run/budget.h"
#include "training/run/update_report.h"
#include "training/work/peers.h"

namespace schafkopf {

/// What updates work on; all of it outlives the updater.
struct UpdaterParts {
  const TrainConfig& config;
  std::shared_ptr<const CompiledRules> rules;
  Learner& learner;
  Peers& peers;
  TrainCounters& counters;  // read, but for the scales of the advantages
  const Budget& budget;
  const OpponentPool& opponents;
};

class Updater {
 public:
  /// `note` is told what a person should know. Raises std::invalid_argument naming the key.
  Updater(const UpdaterParts& parts, const std::function<void(const std::string&)>& note);

  /// Play and learn: new weights, a function of the old ones, the seed and the update's number.
  /// `magnet`: whose policy the new one is held to, or null. Raises Diverged, with the losses: the
  /// new weights are then of no use.
  UpdateReport update(Learner* magnet);

  /// Who takes which decision from now on; each worker has a copy.
  void set_actor(const PhaseActor& actor);

  /// All workers, of all processes, have numbers; those of this process come in a row.
  [[nodiscard]] std::size_t all_workers() const {
    return workers_.size() * static_cast<std::size_t>(peers_.size());
  }

 private:
  /// A worker's games and scratch memory.
  struct Worker {
    std::unique_ptr<Collector> collector;
    Batch batch;
    CollectorStats stats;
    PpoSums sums, playout_sums;  // the second of decisions that were played out
    HeldSums held;
    ImitationSums taught, cloned;
    RecordedDecisions recorded;
    std::vector<std::uint32_t> order, recorded_order;
    std::vector<PlayerView> tile_views;
    std::vector<FullView> tile_full;
    std::vector<float> magnet_logits;
    std::vector<std::array<float, kMaxLegal>> magnet_logs;  // of the tile; empty without a magnet

    void take_tile(std::span<const std::uint32_t> rows, const std::vector<PlayerView>& views,
                   const std::vector<FullView>& full_views);
    /// `place`: in the tile. The target of the value is that of PPO.
    [[nodiscard]] PpoTarget target_of(const Decision& decision, std::size_t place,
                                      const Normalisation& scaling) const;
    [[nodiscard]] PpoSums& sums_of(const Decision& decision);
  };

  void make_workers();
  void make_teacher();
  void collect(UpdateReport& report);
  void replay_records(int index);
  void shuffle(std::int64_t epoch);
  void learn(UpdateReport& report, Learner* magnet);
  void learn_slice(int index, std::size_t begin, std::size_t end, float scale,
                   const UpdateReport& report, const Normalisations& normal, Learner* magnet);
  void clone_slice(int index, std::size_t step, std::size_t steps, const UpdateReport& report);
  double step(const UpdateReport& report);
  void check_sound(const UpdateReport& report);
  [[nodiscard]] bool answers_are_finite();
  void hold_to_magnet(int index, std::span<const std::uint32_t> rows, Learner& magnet);
  [[nodiscard]] std::size_t first_worker() const {
    return workers_.size() * static_cast<std::size_t>(peers_.rank());
  }

  const TrainConfig& config_;
  std::shared_ptr<const CompiledRules> rules_;
  Learner& learner_;
  Peers& peers_;
  TrainCounters& counters_;
  const Budget& budget_;
  const OpponentPool& opponents_;
  std::unique_ptr<BatchPolicy> teacher_;
  std::optional<RecordedGames> recorded_;
  std::vector<Worker> workers_;
  SlicePool pool_;
};

}  // namespace schafkopf
