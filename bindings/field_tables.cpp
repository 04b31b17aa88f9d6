// The field tables of options for Python: what command lines and documentation read.
#include <string>
#include <string_view>
#include <vector>

#include "agents/exploit/exploit_fields.h"
#include "agents/tournament/calibration_fields.h"
#include "agents/tournament/tournament_fields.h"
#include "bindings/common.h"
#include "bindings/plain_values.h"
#include "env/base/wrong_argument.h"

namespace schafkopf::python {
namespace {

/// Calls `use` with the defaults of a table.
template <class Use>
auto with_table(std::string_view name, const Use& use) {
  if (name == "tournament") return use(TournamentOptions());
  if (name == "exploit") return use(ExploitOptions());
  if (name == "local_best_response") return use(LocalResponseOptions());
  if (name == "calibration") return use(CalibrationOptions());
  const std::vector<std::string_view> names = {"tournament", "exploit", "local_best_response",
                                               "calibration"};
  refuse_key("table of fields", name, names);
}

}  // namespace

void register_field_tables(py::module_& module) {
  module.def(
      "fields",
      [](const std::string& table) {
        return with_table(table, [](const auto& defaults) {
          return rows_to_python(field_rows(slots_of(defaults)));
        });
      },
      py::arg("table"),
      R"(The keys of a table of options ("tournament", "exploit", "local_best_response", "calibration").

Returns: dicts with key, group, meaning, unit, allowed, names, default.)");
  module.def(
      "read_field",
      [](const std::string& table, const std::string& key, const std::string& text) {
        return with_table(table, [&](auto options) {
          try {
            assign_text(options, key, text);
          } catch (const FieldError& error) {  // a command line calls the key otherwise
            const std::string words = error.what();
            if (!words.starts_with(key)) throw;
            schafkopf::refuse_argument(key, words.substr(key.size()));
          }
          for (const FieldSlot& slot : slots_of(options)) {
            if (slot.field.key == key) return to_python(slot.value);
          }
          return py::object(py::none());
        });
      },
      py::arg("table"), py::arg("key"), py::arg("text"),
      R"(Value of a key from a text without quotation marks, as a command line has it.

Raises:  WrongArgument: "KEY = VALUE, allowed: ...", `text` without the key.)");
}

}  // namespace schafkopf::python
