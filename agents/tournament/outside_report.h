// What went wrong with players in other processes, as tournaments and league days report it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agents/work/outside_player.h"
#include "env/view/policy.h"

namespace schafkopf {

/// [k]: of agent k, where it is a player in another process or thinks for a time.
using OutsideReports = std::vector<std::optional<OutsideReport>>;

[[nodiscard]] OutsideReports outside_reports(std::span<const std::unique_ptr<BatchPolicy>> agents);

/// What an agent's object has beside the rest: `engine` (deterministic, failures by kind,
/// first_failure), or `by_the_clock`.
[[nodiscard]] std::string to_json(const OutsideReport& report);
/// Lines for a terminal: whose programs failed, and whose games may not come again.
[[nodiscard]] std::string outside_text(std::span<const std::string> names,
                                       const OutsideReports& reports);

}  // namespace schafkopf
