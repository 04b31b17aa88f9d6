// Single-observer information set Monte Carlo tree search (Cowling, Powley, Whitehouse 2012): one
// tree over the cards that can follow, every pass through it in another world that fits the view.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agents/worlds/world_value.h"
#include "agents/worlds/worlds.h"
#include "env/base/field.h"
#include "env/base/random.h"
#include "env/view/policy.h"

namespace schafkopf {

struct IsmctsOptions {
  int iterations = 2000;     // passes per decision, 1..10^7
  double exploration = 0.7;  // of UCB1, on payoffs scaled to -1..1; > 0
  bool shares = false;       // policy() gives the shares of visits, as a teacher may want them
  std::uint64_t seed = 0;    // of worlds and random play
};

// clang-format off
template <FieldsOf<IsmctsOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(Field{.key = "iterations", .meaning = "passes through the tree", .unit = "per decision", .min = 1, .max = 10'000'000}, o.iterations);
  visit(Field{.key = "exploration", .meaning = "weight of rarely tried cards", .above_min = true}, o.exploration);
  visit(Field{.key = "shares", .meaning = "true: probabilities are the shares of visits; the card that is played is the most visited one in any case"}, o.shares);
  visit(Field{.key = "seed", .meaning = "of the worlds"}, o.seed);
}
// clang-format on

/// "ismcts:iterations=2000": card play; what it does not search it leaves to the rule agent.
/// Deterministic for a seed: a pure function of the view.
class IsmctsAgent final : public BatchPolicy {
 public:
  /// Throws std::invalid_argument naming the option that is out of range.
  explicit IsmctsAgent(const IsmctsOptions& options);

  /// All for the most visited card, which is what act() takes, so that whoever weighs this player by
  /// its probabilities weighs the one that plays; with `shares` those of its visits. Values: mean
  /// payoff of that card in tariff units, NaN where it does not search.
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override;
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;

 private:
  /// A card that was played after the cards before it, in some world.
  struct Node {
    Card card = kNoCard;
    std::int32_t visits = 0;
    std::int32_t offered = 0;  // passes in which the card was legal here
    double sum = 0.0;          // payoffs of the seat that played the card, tariff units
    std::int32_t first_child = -1, sibling = -1;
  };
  struct Result {
    Action action = kActionPass;
    float value;
  };

  [[nodiscard]] Result search(const PlayerView& view, const CompiledRules& rules,
                              std::span<float> probabilities);
  void pass(const PlayerView& view, const CompiledRules& rules, const World& world, Rng& random);
  /// Child to go on with; a new one where a legal card has none yet (`grew`).
  [[nodiscard]] std::int32_t select(std::int32_t parent, std::uint32_t legal, Rng& random,
                                    bool& grew);
  [[nodiscard]] std::int32_t add_child(std::int32_t parent, Card card);

  IsmctsOptions options_;
  std::vector<Node> tree_;
  std::vector<std::int32_t> path_;
  std::vector<std::uint8_t> seats_;  // that played the cards of the path
  double scale_ = 1.0;               // largest payoff seen in this decision
};

}  // namespace schafkopf
