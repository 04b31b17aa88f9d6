#include "agents/tournament/outside_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "agents/tournament/tournament_plan.h"

namespace schafkopf {

OutsideReports outside_reports(std::span<const std::unique_ptr<BatchPolicy>> agents) {
  OutsideReports reports;
  for (const auto& agent : agents) {
    const OutsidePlayer* outside = outside_player(*agent);
    reports.push_back(outside == nullptr ? std::optional<OutsideReport>() : outside->outside());
  }
  return reports;
}

std::string to_json(const OutsideReport& report) {
  auto failures = nlohmann::ordered_json::object();
  for (std::size_t kind = 0; kind < report.failures.size(); ++kind) {
    failures[std::string(names_of(PlayerFailure{})[kind])] = report.failures[kind];
  }
  return nlohmann::ordered_json{{"deterministic", report.deterministic},
                                {"failures", failures},
                                {"first_failure", report.first_failure}}
      .dump();
}

std::string outside_text(std::span<const std::string> names, const OutsideReports& reports) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!reports[i]) continue;
    const OutsideReport& report = *reports[i];
    std::string counts;
    for (std::size_t kind = 0; kind < report.failures.size(); ++kind) {
      if (report.failures[kind] == 0) continue;
      counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", report.failures[kind],
                            names_of(PlayerFailure{})[kind]);
    }
    if (!counts.empty()) {
      text += fmt::format("{}: decisions drawn because its program failed: {}; the first: {}\n",
                          names[i], counts, report.first_failure);
    }
    if (!report.deterministic) {
      text += fmt::format("{} does not call itself deterministic: its games may not come again\n",
                          names[i]);
    }
  }
  return text;
}

}  // namespace schafkopf
