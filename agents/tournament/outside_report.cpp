#include "agents/tournament/outside_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "agents/tournament/tournament_plan.h"

namespace schafkopf {

OutsideReports outside_reports(std::span<const std::unique_ptr<BatchPolicy>> agents) {
  OutsideReports reports;
  for (const auto& agent : agents) {
    if (const OutsidePlayer* outside = outside_player(*agent); outside != nullptr) {
      reports.emplace_back(outside->outside());
    } else if (agent->stops_by_the_clock()) {
      reports.emplace_back(OutsideReport{.by_the_clock = true, .first_failure = {}});
    } else {
      reports.emplace_back();
    }
  }
  return reports;
}

std::string to_json(const OutsideReport& report) {
  if (report.by_the_clock) return R"({"by_the_clock": true})";
  auto failures = nlohmann::ordered_json::object();
  for (std::size_t kind = 0; kind < report.failures.size(); ++kind) {
    failures[std::string(names_of(PlayerFailure{})[kind])] = report.failures[kind];
  }
  const nlohmann::ordered_json engine = {{"deterministic", report.deterministic},
                                         {"failures", failures},
                                         {"first_failure", report.first_failure}};
  return nlohmann::ordered_json{{"engine", engine}}.dump();
}

std::string outside_text(std::span<const std::string> names, const OutsideReports& reports) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!reports[i]) continue;
    const OutsideReport& report = *reports[i];
    if (report.by_the_clock) {
      text += fmt::format("{} thinks for a time: its games do not come again\n", names[i]);
      continue;
    }
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
