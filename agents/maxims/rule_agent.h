// The rule agent: bids by hand strength and plays by an ordered list of maxims (RULES I; METHODS
// section 6). The yardstick of card play. Sees PlayerViews only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/maxims/maxim.h"
#include "env/rules/compiled_rules.h"
#include "env/view/policy.h"

namespace schafkopf {

/// What the rule agent does and why: the action and the maxim that chose it. The texts live as long
/// as the program and are empty where nothing is to be done.
struct Explanation {
  Action action = 0;
  std::string_view maxim;     // name: "search_called_card"
  std::string_view source;    // "I-13; W 10.3"
  std::string_view sentence;  // the reason in English
};

class RuleAgent final : public BatchPolicy {
 public:
  /// random  chance, 0..1, of a uniformly random legal action instead: a graded weaker opponent.
  /// Throws std::invalid_argument for a chance outside 0..1.
  explicit RuleAgent(double random = 0.0, RuleVersion version = kNewestRules);

  /// One-hot rows (mixed with the uniform distribution by `random`); values are NaN.
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  /// Without `random` deterministic: keys are not read. PASS for rows that are not to act.
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override;
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;

  /// The choice for one view; `reason` (if given) receives the name of the maxim that chose it.
  [[nodiscard]] static Action choose(const PlayerView& view, const CompiledRules& rules,
                                     RuleVersion version = kNewestRules,
                                     std::string_view* reason = nullptr);
  /// The same choice with its reason, in every phase: cards and announcements.
  [[nodiscard]] static Explanation explain(const PlayerView& view, const CompiledRules& rules,
                                           RuleVersion version = kNewestRules);

 private:
  double random_;
  RuleVersion version_;
};

/// All maxims and leanings of the rule agent, in the order in which they are asked.
[[nodiscard]] std::vector<MaximText> all_maxims(RuleVersion version = kNewestRules);

}  // namespace schafkopf
