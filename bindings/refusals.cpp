// Why an action is illegal, for Python: a value, and the same as attributes of the exception.
#include "bindings/refusals.h"

#include <exception>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "bindings/common.h"
#include "env/base/wrong_argument.h"
#include "env/game/refusal.h"

namespace schafkopf::python {
namespace {

constexpr const char* kParts[] = {"seat",   "phase", "action", "ground",
                                  "reason", "rule",  "cards",  "legal"};

void register_refusal(py::module_& module) {
  py::class_<Refusal>(module, "Refusal", R"(Why an action is illegal.

Attributes: seat, phase: whose turn it is and what is asked; -1 and "DONE" when the deal is over.
            action: what was asked for;  legal: the legal ones, as numbers.
            ground: what makes it illegal, a word for programs: "follow", "searched", ...
            reason: the same in words;  cards: names of the cards in it.
            rule: row or chapter of RULES, "R-115"; "" where no rule decides.)")
      .def_readonly("seat", &Refusal::seat)
      .def_property_readonly("phase",
                             [](const Refusal& r) { return std::string(phase_name(r.phase)); })
      .def_readonly("action", &Refusal::action)
      .def_property_readonly("ground",
                             [](const Refusal& r) { return std::string(name_of(r.ground)); })
      .def_readonly("reason", &Refusal::reason)
      .def_property_readonly("rule", [](const Refusal& r) { return std::string(r.rule); })
      .def_property_readonly("cards", [](const Refusal& r) { return names_of_cards(r.cards); })
      .def_property_readonly("legal", [](const Refusal& r) { return actions_of(r.legal); })
      .def("__str__", [](const Refusal& r) { return to_string(r); });
}

/// A ValueError type of this module with read-only attributes. They lie in the dictionary of the
/// exception under other names, so that it can be pickled; the class has the properties.
PyObject* make_error_type(const char* name, const char* doc, std::span<const char* const> parts) {
  const auto getter = py::module_::import("operator").attr("attrgetter");
  const auto property = py::module_::import("builtins").attr("property");
  py::dict members;
  for (const std::string part : parts) members[py::str(part)] = property(getter("_" + part));
  PyObject* const type = PyErr_NewExceptionWithDoc(name, doc, PyExc_ValueError, members.ptr());
  if (type == nullptr) throw py::error_already_set();
  return type;
}

void register_wrong_argument(py::module_& module) {
  static constexpr const char* kMembers[] = {"argument", "text"};
  static PyObject* type = nullptr;
  type = make_error_type("schafkopf._core.WrongArgument",
                         R"(What is wrong with one argument, in words that begin with its name.

Attributes: argument: its name;  text: what follows the name at once, " = 5, allowed 0..4".)",
                         kMembers);
  module.attr("WrongArgument") = py::handle(type);
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const WrongArgument& wrong) {
      const py::object raised = py::handle(type)(wrong.what());
      raised.attr("_argument") = wrong.argument();
      raised.attr("_text") = wrong.text();
      PyErr_SetObject(type, raised.ptr());
    }
  });
}

/// A ValueError whose attributes are the parts of a Refusal, and `env`.
void register_exception(py::module_& module) {
  std::vector<const char*> members(std::begin(kParts), std::end(kParts));
  members.push_back("env");
  static PyObject* type = nullptr;
  type = make_error_type("schafkopf._core.IllegalAction",
                         R"(An action that is not legal; nothing was done.

Attributes: those of a Refusal;  env: row of the batch that refused it, None = a single game. A
            batch counts the cards in `action` and `legal` as its option `cards` says.)",
                         members);
  module.attr("IllegalAction") = py::handle(type);
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const IllegalAction& illegal) {
      const py::object raised = py::handle(type)(illegal.what());
      const py::object parts = py::cast(illegal.refusal());
      for (const char* const part : kParts) {
        raised.attr(("_" + std::string(part)).c_str()) = parts.attr(part);
      }
      const int env = illegal.env();
      raised.attr("_env") = env < 0 ? py::object(py::none()) : py::object(py::int_(env));
      PyErr_SetObject(type, raised.ptr());
    }
  });
}

}  // namespace

std::vector<int> actions_of(const ActionMask& mask) {
  std::vector<int> actions;
  for (int action = 0; action < kNumActions; ++action) {
    if (mask.contains(static_cast<Action>(action))) actions.push_back(action);
  }
  return actions;
}

void register_refusals(py::module_& module) {
  register_refusal(module);
  register_exception(module);
  register_wrong_argument(module);
}

}  // namespace schafkopf::python
