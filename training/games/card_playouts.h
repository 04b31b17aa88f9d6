// What each legal action leads to in the true deal if the network, as it is, plays on in all seats:
// values for the same loss as those of the solver. Nobody sees hidden hands while playing on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "agents/worlds/playouts.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "training/games/learned_phases.h"
#include "training/games/trajectory.h"
#include "training/learner/learner.h"

namespace schafkopf {

/// Collects decisions, then plays all their actions to the end together, so that the network is asked
/// about many games at once.
///
/// The network draws its actions, since this is how it plays while it learns: the values are then
/// those of the policy that is improved. The games of one decision draw the same numbers, so that
/// much of the luck is the same for each action.
class CardPlayouts {
 public:
  explicit CardPlayouts(std::shared_ptr<const CompiledRules> rules) : rules_(std::move(rules)) {}

  /// Take the legal actions of a decision: cards or announcements.
  ///
  /// decision   its number in the batch, whose view and legal actions are filled
  /// game       at this decision
  /// key        of its draws; decisions of one game have different ones
  void add(const Batch& batch, std::uint32_t decision, const Game& game, const RngKey& key);
  /// Whether enough games wait to be played.
  [[nodiscard]] bool is_full() const { return playouts_.size() >= kMost; }
  /// Play all that wait to the end and fill action values: payoffs of the seat in units of rewards,
  /// cut as rewards are. `actor` says who plays on in which phase.
  void finish(Learner& learner, int replica, PhaseActor& actor, const AdvantageSettings& settings,
              Batch& batch);

 private:
  static constexpr std::size_t kMost = 2048;  // games: they stay in the cache

  std::shared_ptr<const CompiledRules> rules_;
  std::vector<std::uint32_t> decisions_;
  std::vector<Playout> playouts_;  // those of a decision one after the other, lowest action first
};

}  // namespace schafkopf
