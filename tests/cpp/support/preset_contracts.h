// Which contracts the deals of a rule set without special round can come to: by name, by offer, or
// when all pass.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "env/rules/compiled_rules.h"

namespace schafkopf::test {

/// Whether random play of first deals can end in a class (Tout forms: the rules' single classes).
[[nodiscard]] inline bool comes_to_play(const ContractRow& row, const CompiledRules& compiled) {
  const RuleSet& rules = compiled.rules();
  if (row.goal == Goal::kFixedHand) return rules.sie_enabled;
  if (row.by_duty) return rules.all_pass == AllPass::kMussSpiel;
  switch (row.parties) {
    case Parties::kCalledCard:
      return compiled.call_action() != 0;
    case Parties::kHochzeit:
      return rules.hochzeit != HochzeitMode::kOff;
    case Parties::kOppositeSeats:
      return rules.all_pass == AllPass::kKreuzbock;
    case Parties::kEveryone:
      return rules.all_pass == AllPass::kRamsch ||
             (rules.all_pass == AllPass::kLastChooses &&
              rules.last_chooses_options.contains(LastChoice::kRamsch));
    case Parties::kAlone:
      return compiled.single_classes().contains(row.action);
  }
  return false;
}

struct PlayedContract {
  ContractClass contract{};
  bool tout = false;

  [[nodiscard]] std::string name() const { return std::string(contract_name(contract, tout)); }
};

/// All contracts that come to play, Tout forms after their class.
[[nodiscard]] inline std::vector<PlayedContract> contracts_of(const CompiledRules& rules) {
  std::vector<PlayedContract> list;
  for (const ContractRow& row : contract_table()) {
    if (!comes_to_play(row, rules)) continue;
    list.push_back({row.contract, false});
    const bool tout = row.tout_action != 0 && rules.single_classes().contains(row.tout_action);
    if (tout) list.push_back({row.contract, true});
  }
  return list;
}

}  // namespace schafkopf::test
