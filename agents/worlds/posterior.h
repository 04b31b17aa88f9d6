// What the others' actions tell about their cards (METHODS section 6): weights of sampled worlds by
// a policy, and the exact posterior of late endgames. Seats are relative to the viewing seat.
//
// A seat's past decisions depend on its own hand and the public course only, so P(world | course)
// is proportional to the product over the other seats of the probabilities of what they did. Silent
// answers are not public (RULES D.1), but in a world it is known who was asked: whoever would have
// doubled and was not heard has another hand.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "agents/worlds/worlds.h"
#include "env/rules/compiled_rules.h"
#include "env/view/policy.h"
#include "env/view/view.h"

namespace schafkopf {

/// How far a policy is believed: each action counts max(probability, floor)^alpha.
struct Belief {
  double alpha = 1.0;   // 0 = uniform, 1 = the policy is who plays
  double floor = 0.0;   // 0..1; above 0, no world that the rules allow is excluded
  bool silence = true;  // whether answers that leave no trace count (no doubling, nothing laid ...)
};
/// For players that are only like the policy.
inline constexpr Belief kCautious{.alpha = 0.75, .floor = 0.02, .silence = false};

/// Whether past decisions can be rebuilt from a view: not where cards were passed on in secret (the
/// hand that bid is not the hand that plays), in a position without its past, or where the view
/// forgets (`history_view = last_trick`, more than 31 events).
[[nodiscard]] bool shows_decisions(const PlayerView& view, const CompiledRules& rules);

/// A policy gives what was done no probability in any world: only a floor above 0 helps.
class NoLikelyWorld : public std::invalid_argument {
 public:
  NoLikelyWorld();
};

/// Weights of worlds, largest 1, by what the others did so far. Each row of the policy's batch is
/// the view that a seat had in a world. A half hand that laid (F.1) is drawn by `key`.
/// Throws std::invalid_argument unless shows_decisions(), for a belief out of range (alpha 0..1,
/// floor 0..1); NoLikelyWorld if the policy excludes every world.
[[nodiscard]] std::vector<double> policy_weights(const PlayerView& view, const CompiledRules& rules,
                                                 std::span<const World> worlds, BatchPolicy& policy,
                                                 const Belief& belief = kCautious,
                                                 std::uint64_t key = 0);

/// Worlds drawn uniformly, weighted by a policy and resampled (systematically: each appears as
/// often as its weight says, rounded up or down); uniform worlds where the view does not show
/// decisions. A pure function of its arguments.
///
/// drawn  worlds that are weighted, >= 1
/// kept   worlds returned, >= 1
/// Throws std::invalid_argument as policy_weights or for a number out of range, NotEnoughMemory before
/// it takes more memory than there is.
[[nodiscard]] std::vector<World> inferred_worlds(const PlayerView& view, const CompiledRules& rules,
                                                 BatchPolicy& policy, int drawn, int kept,
                                                 std::uint64_t key,
                                                 const Belief& belief = kCautious);

struct WeightedWorld {
  World world;
  double weight = 0.0;
};

/// The exact distribution over all worlds given what everybody did, if the others play a policy.
/// For endgames: 34,650 worlds at the start of trick 5 if nothing is known.
class ExactPosterior {
 public:
  /// Throws as policy_weights; also for more than `most_worlds` worlds.
  ExactPosterior(const PlayerView& view, const CompiledRules& rules, BatchPolicy& policy,
                 const Belief& belief = {}, std::uint64_t most_worlds = 2'000'000);

  /// Consistent worlds, those of probability 0 included.
  [[nodiscard]] std::size_t size() const { return worlds_.size(); }
  [[nodiscard]] const World& world(std::size_t i) const { return worlds_[i]; }
  [[nodiscard]] double probability(std::size_t i) const { return probabilities_[i]; }
  /// Probability that a seat holds a card.
  [[nodiscard]] double holds(int seat, Card card) const {
    return holds_[static_cast<std::size_t>(seat)][card];
  }
  /// A world by its probability; a pure function of view, policy and key.
  [[nodiscard]] const World& sample(std::uint64_t key) const;
  /// Worlds that stand for the distribution, weights adding up to 1: all that have a probability if
  /// there are no more than `most` worlds, else `most` draws of equal weight.
  [[nodiscard]] std::vector<WeightedWorld> representatives(int most, std::uint64_t key) const;

 private:
  void set_probabilities(std::vector<double> weights);

  std::vector<World> worlds_;
  std::vector<double> probabilities_;
  std::vector<double> cumulated_;
  std::array<std::array<double, kNumCards>, kNumSeats> holds_{};
};

}  // namespace schafkopf
