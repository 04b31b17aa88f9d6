// Bidding and doubling by sampled worlds: what a contract pays on average if it is played exactly
// with open cards. Open cards favour the defenders of single games (METHODS section 8: solvers win
// 54 to 58 % of the Solos that people win 70 % of), so announcements ask for less there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agents/solver/solver.h"
#include "agents/worlds/worlds.h"
#include "env/cards/contract.h"
#include "env/rules/compiled_rules.h"
#include "env/view/view.h"

namespace schafkopf {

/// A contract that the viewing seat could declare and its mean payoff over worlds (tariff units).
struct SearchedContract {
  Contract contract;  // declarer 0: relative seats
  Action action = 0;  // names its class
  double value = 0.0;
};

/// Not thread-safe (it owns a solver).
class BidSearch {
 public:
  /// Whether worlds can tell about this view: announcements of a normal auction.
  [[nodiscard]] static bool can_search(const PlayerView& view);
  /// The same for a seat that is asked to double; not where everybody plays for himself.
  [[nodiscard]] static bool can_judge_doubling(const PlayerView& view);
  /// Answer of a seat in an auction; `worlds` fit the view, at least one.
  [[nodiscard]] Action answer(const PlayerView& view, const CompiledRules& rules,
                              const std::vector<World>& worlds);
  /// Mean payoff of the seat as things stand when it is asked to double.
  [[nodiscard]] double standing(const PlayerView& view, const CompiledRules& rules,
                                const std::vector<World>& worlds);

 private:
  [[nodiscard]] std::vector<SearchedContract> candidates(const PlayerView& view,
                                                         const CompiledRules& rules) const;
  void evaluate(const PlayerView& view, const CompiledRules& rules,
                const std::vector<World>& worlds, std::vector<SearchedContract>& contracts);
  [[nodiscard]] double payoff(const PlayerView& view, const CompiledRules& rules,
                              const World& world);

  Solver solver_;
};

}  // namespace schafkopf
