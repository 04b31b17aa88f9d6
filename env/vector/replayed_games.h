// Games as values: the seed of a deal and the actions since. For callers that keep no environment and
// step many games as functions do, as a search in a tree does: what a game shows is found by playing
// it again from its deal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "env/cards/action.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/contract_generator.h"
#include "env/view/view.h"

namespace schafkopf {

/// What B games show, one row each.
struct ReplayedRows {
  std::span<PlayerView> views;     // [B] of the seat that is asked for
  std::span<ActionMask> legal;     // [B] without claims of the rest; none when a deal is over
  std::span<std::int8_t> players;  // [B] who is to act; who acted last when a deal is over
  std::span<float> rewards;  // [B,4] tariff units, Stock and Reuegeld included; 0 before the end
  std::span<std::uint8_t> terminated;  // [B]
};

class ReplayedGames {
 public:
  /// generator  who declares what where games start at card play; null: from the deal
  explicit ReplayedGames(std::shared_ptr<const CompiledRules> rules,
                         std::shared_ptr<const ContractGenerator> generator = nullptr);

  /// No game of these rules has more actions.
  [[nodiscard]] int longest() const { return longest_; }
  [[nodiscard]] const std::shared_ptr<const CompiledRules>& rules() const { return rules_; }
  /// The game after these actions, by a deal that the seed gives, dealer seed % seats; what is not
  /// legal when its turn comes ends them.
  [[nodiscard]] Game game(std::uint64_t seed, std::span<const Action> actions) const;
  /// Show B games.
  ///
  /// seeds    [B]
  /// actions  [B, longest()]
  /// counts   [B] of the actions that are meant; below 0 is 0, above longest() longest()
  /// seats    [B] whose view is shown, -1: of who is to act, or acted last
  /// Throws std::invalid_argument naming the span whose size is another, and a seat that there is not.
  void show(std::span<const std::uint64_t> seeds, std::span<const Action> actions,
            std::span<const std::int32_t> counts, std::span<const std::int32_t> seats,
            const ReplayedRows& rows) const;

 private:
  struct Reached {
    Game game;
    int last = 0;  // the seat that acted last, or forehand
  };
  [[nodiscard]] Reached reach(std::uint64_t seed, std::span<const Action> actions) const;

  std::shared_ptr<const CompiledRules> rules_;
  std::shared_ptr<const ContractGenerator> generator_;
  int longest_;
};

}  // namespace schafkopf
