// The settlement in words, step by step, with places for names.
#pragma once

#include <string>
#include <vector>

#include "env/price/settle.h"

namespace schafkopf {

/// One step of a settlement.
struct SettlementStep {
  /// What a step says where programs need to know.
  enum class Kind : std::uint8_t { kOther, kLoser, kStock, kPayoffs };

  Kind kind = Kind::kOther;
  std::string pattern;  // "{game}: {seat} loses"; amounts per seat come behind
  int seat = -1;        // that {seat} stands for
  std::vector<std::int32_t> amounts;
};
[[nodiscard]] constexpr auto names_of(SettlementStep::Kind) {
  return make_names("other", "loser", "stock", "payoffs");
}

[[nodiscard]] std::vector<SettlementStep> settlement_parts(const Outcome& outcome,
                                                           const RuleSet& rules,
                                                           const DealContext& context = {});

}  // namespace schafkopf
