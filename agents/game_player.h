// One player asked about one game at a time, for programs that play or look at a single table.
// Thousands of games are stepped by VectorEnv, whose opponents are asked in batches.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "env/cards/action.h"
#include "env/game/game.h"
#include "env/view/policy.h"
#include "env/view/single_rule_table.h"

namespace schafkopf {

/// Asked about games of one rule set, always about the seat to act. Not thread-safe, as the player.
/// One that was moved from may only be assigned to or destroyed.
class GamePlayer {
 public:
  /// player  an agent of make_agent, or one of your own
  /// Throws std::invalid_argument without a player or rules.
  GamePlayer(std::unique_ptr<BatchPolicy> player, std::shared_ptr<const CompiledRules> rules);

  /// What the player thinks of a decision.
  struct Opinion {
    std::array<float, kNumActions> probabilities{};  // by action; 0 on illegal ones, sum 1
    float value = 0.0F;  // expected own payoff in tariff units; NaN without an estimate
  };

  // Both throw std::invalid_argument for a game that is over and for one of other rules.

  /// Throws std::runtime_error naming the player and what is allowed, where it answers with what is
  /// no distribution over the legal actions.
  [[nodiscard]] Opinion policy(const Game& game);
  /// The action it takes. The same seed and the same view give the same action, as in Python
  /// `agent.act(game.view(game.current_player), seed, rules)`. Throws std::runtime_error naming the
  /// player, its answer and the legal ones, where it answers with what is not legal.
  [[nodiscard]] Action act(const Game& game, std::uint64_t seed);

  /// Registry string of the player.
  [[nodiscard]] std::string name() const { return player_->name(); }

 private:
  /// The view of the seat to act as a batch of one row.
  [[nodiscard]] ViewBatch question(const Game& game);
  void check(const Opinion& opinion, const Game& game) const;

  std::unique_ptr<BatchPolicy> player_;
  std::shared_ptr<const CompiledRules> rules_;
  std::unique_ptr<SingleRuleTable> table_;
  PlayerView view_;
  FullView full_;
};

}  // namespace schafkopf
