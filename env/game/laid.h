// Who can have laid, where a deal begins with a contract and nobody is asked.
#pragma once

#include <span>

#include "env/rules/rules.h"

namespace schafkopf {

/// Throws std::invalid_argument for who cannot have laid, in this order, before a contract (F.1): with
/// a contract nobody is asked.
void check_laid(const RuleSet& rules, int dealer, std::span<const int> laid);

}  // namespace schafkopf
