// Single keys of records as JSON texts, for lines that are no records: positions, and what is told
// to players in other processes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "env/record/record.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf {

/// The value of the key `rules`: a name in quotation marks, or an object of switches.
[[nodiscard]] std::string rules_json(const CompiledRules& rules);
/// Reads it. Throws std::invalid_argument naming the switch and what is allowed.
[[nodiscard]] std::shared_ptr<const CompiledRules> parse_rules(std::string_view json);

/// Reads what session_json writes. Throws std::invalid_argument naming the key.
[[nodiscard]] SessionKeys parse_session(std::string_view json, int scale);

}  // namespace schafkopf
