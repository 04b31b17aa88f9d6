// The decisions that led to a view, as their seats saw them in a world: a replay of the public
// course with the hands of that world. Who is asked what leaves no trace follows from those hands.
// Internal to agents/.
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
  /// with what was done. With silence, answers that leave no trace are decisions as well, those after
  /// the last public action too if the viewing seat is to act; else nobody knows which were given.
  ///
  /// table     number of the world or hand
  /// half_key  draws the half hands that are seen while laying
  void add(const World& world, int seat, std::size_t table, std::uint64_t half_key,
           DecisionRows& rows) const;
  /// Whether the half hand that a seat saw counts: it laid, or may have been asked to (F.1).
  [[nodiscard]] bool half_counts(int seat) const;
  /// Append what a seat saw when it was asked to lay, for every half of its hand in the world; nothing
  /// if it was not asked.
  void add_halves(const World& world, int seat, std::size_t table, DecisionRows& rows) const;
  /// The deal of a world played to the moment of the view, with the viewing seat to act.
  [[nodiscard]] Game game_of(const World& world) const;
  /// Whether add() leaves the laying out: the caller asks for all halves.
  void set_skip_laying(bool skip) { skip_laying_ = skip; }
  /// Whether answers that leave no trace are decisions.
  void set_silence(bool counts) { silence_ = counts; }

 private:
  /// Whose decisions a replay appends, and to what.
  struct Collector {
    int seat = -1;  // absolute, -1 = all but the viewer
    std::size_t table = 0;
    bool only_laying = false;
    DecisionRows* rows = nullptr;  // null: none
  };

  [[nodiscard]] Deal deal_of(const World& world, std::uint64_t half_key) const;
  [[nodiscard]] int absolute(int seat) const { return (view_.seat() + seat) % rules_.seats(); }
  [[nodiscard]] Collector collector(int seat, std::size_t table, bool only_laying,
                                    DecisionRows& rows) const {
    return {seat < 0 ? -1 : absolute(seat), table, only_laying, &rows};
  }
  [[nodiscard]] bool wants(const Collector& collector, const Game& game) const;
  void take(const Collector& collector, const Game& game, Action action) const;
  /// False: nothing more is wanted.
  bool answer_silently(const Collector& collector, Game& game) const;
  /// Silent answers up to the moment of the view, or until nothing more is wanted.
  void wait_for_viewer(const Collector& collector, Game& game) const;
  [[nodiscard]] Game replay(const Deal& deal, const Collector& collector) const;

  const PlayerView& view_;
  const CompiledRules& rules_;
  PublicHistory history_;
  bool skip_laying_ = false, silence_ = false;
};

}  // namespace schafkopf
