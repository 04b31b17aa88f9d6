// Games that a policy plays on in lock-step, one batch of views per step: the playouts of search
// and of best responses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "agents/work/decision_rows.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/view/policy.h"
#include "env/view/single_rule_table.h"

namespace schafkopf {

/// A game that is played on.
struct Playout {
  Game game;
  /// Seed, env and episode of its draws; `decision` and `seat` are set by its course. Playouts with
  /// the same key draw the same numbers.
  RngKey key;
  DecisionNumber number = {};
};

/// Not thread-safe (scratch buffers, and those of the policy).
class PlayoutTable {
 public:
  PlayoutTable(const PlayoutTable&) = delete;  // rules() points into it
  PlayoutTable& operator=(const PlayoutTable&) = delete;
  /// Policy and rules must outlive it. Throws std::invalid_argument for a policy that sees hidden
  /// hands.
  PlayoutTable(BatchPolicy& policy, const CompiledRules& rules);

  using Stop = std::function<bool(const Game&)>;
  /// The policy acts in all seats of each game until it is over or `stop` holds (no function: until
  /// it is over). It does not claim and does not concede.
  void play_on(std::span<Playout> playouts, const Stop& stop = {});
  /// What the policy does in a game whose seat to act has a choice.
  [[nodiscard]] Action action_in(const Playout& playout);
  [[nodiscard]] const RuleTable& rules() const { return table_.table(); }

 private:
  [[nodiscard]] bool step(std::span<Playout> playouts, const Stop& stop);
  void add(const Playout& playout, std::size_t number);
  void ask();

  BatchPolicy& policy_;
  SingleRuleTable table_;
  DecisionRows rows_;
};

}  // namespace schafkopf
