// What declarers expect and get, for Python.
#include "agents/tournament/calibration.h"

#include <algorithm>
#include <functional>
#include <string>

#include "agents/tournament/calibration_fields.h"
#include "bindings/common.h"
#include "bindings/gil.h"
#include "bindings/interpreter.h"
#include "bindings/plain_values.h"

namespace schafkopf::python {
namespace {

CalibrationOptions options_of(const py::object& agent, const py::object& opponent,
                              const py::object& rules, const py::dict& keywords) {
  CalibrationOptions options;
  for (const auto& [key, value] : keywords) {
    assign_field(options, py::str(key).cast<std::string>(), plain_value_from(value), "keyword");
  }
  options.policy = policy_from(agent);
  options.opponent = policy_from(opponent);
  options.rules = rules_from(rules)->compiled;
  return options;
}

/// Rows; an exception of the callback, Ctrl-C included, ends the games first and is then passed on.
py::array_t<CalibrationRow> rows_of_deals(const CalibrationOptions& options,
                                          const py::object& callback) {
  CallbackProgress progress(callback, CallbackProgress::Repeats::kLeftOut);
  std::vector<CalibrationRow> rows;
  {
    const GilReleased release;
    rows = calibrate(options, std::ref(progress));
  }
  progress.rethrow();
  py::array_t<CalibrationRow> array(static_cast<py::ssize_t>(rows.size()));
  std::ranges::copy(rows, array.mutable_data());
  return array;
}

}  // namespace

void register_calibration(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(CalibrationRow, block, payoff, other_payoff, passed_payoff, expected_won,
                       expected_payoff, value, seat, contract, declarer, won, other_contract,
                       other_declarer, other_won);
  module.def(
      "calibration_rows",
      [](const py::object& agent, const py::object& opponent, const py::object& rules,
         const py::dict& keywords, const py::object& progress) {
        return rows_of_deals(options_of(agent, opponent, rules, keywords), progress);
      },
      py::arg("agent"), py::arg("opponent"), py::kw_only(), py::arg("rules"), py::arg("keywords"),
      py::arg("progress") = py::none(),
      R"(Deals from every seat: as the agent bids, with the opponent's words, with passes.

schafkopf.bidding.calibration is its face.

Returns: structured array [blocks * seats]: block, seat (of the agent), contract (index into
         contract_keys(), -1 = thrown in), declarer, won, payoff; other_contract, other_declarer,
         other_won, other_payoff with the opponent's words; passed_payoff. Payoffs are the agent's
         seat's in 1/tariff_scale units. Where it declares: expected_won, expected_payoff (tariff
         units) over the worlds and value, what the agent itself says; NaN = there is none.)");
}

}  // namespace schafkopf::python
