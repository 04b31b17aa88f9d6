#include "env/view/single_rule_table.h"

#include <cstddef>
#include <span>

#include "env/view/encoder.h"

namespace schafkopf {

SingleRuleTable::SingleRuleTable(const CompiledRules& rules)
    : rules_(&rules), features_(static_cast<std::size_t>(rule_feature_size())) {
  write_rule_features(rules, features_);
  table_ = {std::span(&rules_, 1), features_};
}

}  // namespace schafkopf
