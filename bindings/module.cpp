// The Python module _core: env and agents, without torch. One file per subject registers its part.
#include <pybind11/pybind11.h>

#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bindings/card_maps.h"
#include "bindings/common.h"
#include "bindings/count_calls.h"
#include "bindings/engine.h"
#include "bindings/refusals.h"
#include "bindings/sampling.h"
#include "bindings/signatures.h"
#include "bindings/unmade.h"
#include "env/base/available_memory.h"
#include "env/base/nearest.h"
#include "env/cards/action.h"
#include "env/view/encoder.h"
#include "env/view/view.h"

namespace py = pybind11;

namespace {

/// The kind of OSError that programs expect for what the system said.
PyObject* kind_of(const std::error_code& code) {
  if (code == std::errc::no_such_file_or_directory) return PyExc_FileNotFoundError;
  if (code == std::errc::permission_denied) return PyExc_PermissionError;
  if (code == std::errc::is_a_directory) return PyExc_IsADirectoryError;
  return PyExc_OSError;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "Engine of Bavarian Schafkopf: rules, games, batches, agents, tournaments.";
  module.attr("__version__") = SCHAFKOPF_VERSION;
  module.attr("ACTION_VERSION") = schafkopf::kActionVersion;
  module.attr("VIEW_VERSION") = schafkopf::kViewVersion;
  module.attr("OBSERVATION_VERSION") = schafkopf::kObservationVersion;
  module.attr("NUM_ACTIONS") = schafkopf::kNumActions;

  // std::invalid_argument is a ValueError and std::runtime_error a RuntimeError already.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 takes functions of this type only
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const std::system_error& failure) {
      PyErr_SetString(kind_of(failure.code()), failure.what());
    } catch (const std::bad_alloc& failure) {
      PyErr_SetString(PyExc_MemoryError, schafkopf::text_of(failure));
    }
  });

  module.def(
      "nearest_hint",
      [](const std::string& word, const std::vector<std::string>& words) {
        return schafkopf::nearest_hint(word, words);
      },
      py::arg("word"), py::arg("words"),
      "'; the nearest one is \"x\"' for messages, or \"\" where every word is far from `word`.");

  module.def(
      "refuse_keyword",
      [](const std::string& function, const std::string& keyword,
         const std::vector<std::string>& known) {
        const std::vector<std::string_view> names(known.begin(), known.end());
        schafkopf::python::refuse_keyword(function, keyword, names);
      },
      py::arg("function"), py::arg("keyword"), py::arg("known"),
      "Raise the TypeError for a keyword that a function does not have.");

  schafkopf::python::register_rules(module);
  schafkopf::python::register_cards(module);
  schafkopf::python::register_rule_tables(module);
  schafkopf::python::register_card_maps(module);
  schafkopf::python::register_settlement(module);
  schafkopf::python::register_refusals(module);
  schafkopf::python::register_game(module);
  schafkopf::python::register_views(module);
  schafkopf::python::register_unpack(module);
  schafkopf::python::register_vector_env(module);
  schafkopf::python::register_replayed_games(module);
  schafkopf::python::register_agents(module);
  schafkopf::python::register_exploit(module);
  schafkopf::python::register_calibration(module);
  schafkopf::python::register_intervals(module);
  schafkopf::python::register_field_tables(module);
  schafkopf::python::register_search(module);
  schafkopf::python::register_records(module);
  schafkopf::python::register_networks(module);
  schafkopf::python::register_sampling(module);
  schafkopf::python::register_engine(module);
  schafkopf::python::pickle_by_all_protocols(module);
  schafkopf::python::refuse_unmade(module);
  schafkopf::python::watch_keywords(module);
  schafkopf::python::give_signatures(module);
  schafkopf::python::count_calls(module);
}
