// Who declares what when a game starts at card play: an interface; implementations live in agents/.
#pragma once

#include <memory>
#include <string>

#include "env/base/random.h"
#include "env/cards/contract.h"
#include "env/deal/deal.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf {

/// Chooses a contract for a deal; sees all hands. A pure function of its arguments, thread-safe.
class ContractGenerator {
 public:
  virtual ~ContractGenerator() = default;
  /// A contract that Game::with_contract accepts for this deal.
  [[nodiscard]] virtual Contract generate(const CompiledRules& rules, const Deal& deal, int dealer,
                                          const RngKey& key) const = 0;
  [[nodiscard]] virtual std::string name() const = 0;
};

}  // namespace schafkopf
