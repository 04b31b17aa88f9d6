// The decisions that led to a view, as their seats saw them in a world: a replay of the public
// course with the hands of that world. Internal to agents/.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agents/work/decision_rows.h"
#include "agents/worlds/worlds.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/record/history.h"
#include "env/view/policy.h"

namespace schafkopf {

/// Replays the public course of a view. Views and rules must outlive it.
class PastDecisions {
 public:
  /// Throws std::invalid_argument as public_history(view).
  PastDecisions(const PlayerView& view, const CompiledRules& rules);

  /// Append the decisions with a choice of relative seat `seat` (-1 = all other seats) in a world,
  /// with what was done.
  ///
  /// table     number of the world or hand
  /// half_key  draws the half hands that are seen while laying
  void add(const World& world, int seat, std::size_t table, std::uint64_t half_key,
           DecisionRows& rows) const;
  /// Whether a seat laid, so that its half hand counts (F.1).
  [[nodiscard]] bool has_laid(int seat) const;
  /// Append what a seat saw when it laid, for every half of its hand in the world.
  void add_halves(const World& world, int seat, std::size_t table, DecisionRows& rows) const;
  /// The deal of a world played to the moment of the view, with the viewing seat to act.
  [[nodiscard]] Game game_of(const World& world) const;
  /// Whether add() leaves the laying out: the caller asks for all halves.
  void set_skip_laying(bool skip) { skip_laying_ = skip; }

 private:
  [[nodiscard]] Deal deal_of(const World& world, std::uint64_t half_key) const;
  Game replay(const Deal& deal, int seat, std::size_t table, bool only_laying,
              DecisionRows& rows) const;

  const PlayerView& view_;
  const CompiledRules& rules_;
  PublicHistory history_;
  bool skip_laying_ = false;
};

}  // namespace schafkopf
