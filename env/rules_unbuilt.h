// What the engine does not play yet: one table of switches and the values that are built.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/rules.h"

namespace schafkopf {

/// A switch of which only some values are built. Lists and tables are built element by element.
struct UnbuiltRow {
  std::string_view key;
  std::string_view
      built;  // values that are played, blank-separated; empty: only the empty list or table
  std::string_view instead;  // value that shipped presets get; unused for lists and tables
                             // (elements are dropped)
  std::string_view note;     // what is missing
};

/// The table, in the order of RULES J.1. A system that gets built leaves it.
[[nodiscard]] std::span<const UnbuiltRow> unbuilt_table();

/// The rule set that the engine plays.
///
/// shipped_preset  true: values not built are replaced and one line per switch is appended to
/// `notes` (may be
///                 null); false: such a value is an error
/// Throws std::invalid_argument naming switch, value and the built values; `notes` is then
/// unchanged.
[[nodiscard]] RuleSet built_rules(const RuleSet& rules, std::vector<std::string>* notes,
                                  bool shipped_preset);

/// The same by origin: what comes from a shipped preset is replaced with a note, what a person
/// wrote is refused.
[[nodiscard]] RuleSet built_rules(const NamedRules& rules, std::vector<std::string>* notes);

}  // namespace schafkopf
