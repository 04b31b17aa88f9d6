// The rule agent: bids by hand strength and plays by an ordered list of maxims (RULES I; METHODS
// section 6). The yardstick of card play. Sees PlayerViews only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "env/compiled_rules.h"
#include "env/policy.h"

namespace schafkopf {

class RuleAgent final : public BatchPolicy {
 public:
  /// random  chance, 0..1, of a uniformly random legal action instead: a graded weaker opponent.
  /// Throws std::invalid_argument for a chance outside 0..1.
  explicit RuleAgent(double random = 0.0);

  /// One-hot rows (mixed with the uniform distribution by `random`); values are NaN.
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  /// Without `random` deterministic: keys are not read. PASS for rows that are not to act.
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override;
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;

  /// The choice for one view; `reason` (if given) receives the name of the maxim that played.
  [[nodiscard]] static Action choose(const PlayerView& view, const CompiledRules& rules,
                                     std::string_view* reason = nullptr);

 private:
  double random_;
};

}  // namespace schafkopf
