// Games that were recorded, and the decisions in them, for a network that learns to do the same
// (behaviour cloning).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "env/cards/action.h"
#include "env/game/game.h"
#include "env/record/record.h"
#include "env/rules/compiled_rules.h"
#include "env/view/view.h"
#include "training/games/learned_phases.h"

namespace schafkopf {

/// Decisions with more than one legal action; one entry of each list belongs together.
struct RecordedDecisions {
  std::vector<PlayerView> views;
  std::vector<FullView> full_views;  // empty unless wanted
  std::vector<ActionMask> legal;     // canonical, without claims
  std::vector<Action> actions;       // canonical, what was done

  void clear();
  [[nodiscard]] std::size_t size() const { return views.size(); }
};

/// The games of a file, in its order.
class RecordedGames {
 public:
  /// Read a file of records, JSON lines or readable text (env/RECORD.md).
  ///
  /// rules    of the run; every game must have the same ones
  /// learned  phases whose decisions count: what the run does not learn is held to other weights
  /// Raises std::system_error if the file cannot be read, and std::invalid_argument "FILE: line 3:
  /// ..." for a damaged game and one of other rules, and for a file without a decision.
  RecordedGames(const std::string& path, std::shared_ptr<const CompiledRules> rules,
                LearnedPhases learned = LearnedPhases::kAll);

  [[nodiscard]] std::size_t size() const { return games_.size(); }
  [[nodiscard]] std::size_t num_decisions() const { return num_decisions_; }
  /// Add the learned decisions of a game, all seats, in order. A game that was claimed or conceded ends
  /// there.
  ///
  /// game       0..size() - 1
  /// full_view  whether the hidden hands are wanted
  void add_decisions(std::size_t game, bool full_view, RecordedDecisions& decisions) const;

 private:
  struct Recorded {
    Game start;
    std::vector<Action> actions;
  };
  void add(const GameRecord& record);

  std::shared_ptr<const CompiledRules> rules_;
  LearnedPhases learned_;
  std::vector<Recorded> games_;
  std::size_t num_decisions_ = 0;
};

}  // namespace schafkopf
