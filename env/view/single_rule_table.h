// The rule table of batches that play by one rule set.
#pragma once

#include <vector>

#include "env/view/policy.h"

namespace schafkopf {

/// One rule set with its feature row; the rules must outlive it.
class SingleRuleTable {
 public:
  explicit SingleRuleTable(const CompiledRules& rules);
  SingleRuleTable(const SingleRuleTable&) = delete;  // table() points into it
  SingleRuleTable& operator=(const SingleRuleTable&) = delete;

  [[nodiscard]] const RuleTable& table() const { return table_; }

 private:
  const CompiledRules* rules_;
  std::vector<float> features_;
  RuleTable table_;
};

}  // namespace schafkopf
