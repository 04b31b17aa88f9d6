// Why an action is illegal, for Python: a value, and the same as attributes of the exception.
#include "bindings/refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/common.h"
#include "bindings/pickles.h"
#include "env/base/input_limits.h"
#include "env/base/wrong_argument.h"
#include "env/game/refusal.h"

namespace schafkopf::python {
namespace {

constexpr const char* kParts[] = {"seat",   "phase", "action", "ground",
                                  "reason", "rule",  "cards",  "legal"};

py::tuple pickled_refusal(const Refusal& r) {
  return py::make_tuple(r.seat, std::string(phase_name(r.phase)), r.action,
                        std::string(name_of(r.ground)), r.reason, std::string(r.rule),
                        names_of_cards(r.cards), actions_of(r.legal));
}

std::string text_of(const py::handle& value, const char* part) {
  if (!py::isinstance<py::str>(value)) refuse_keyword(part, value, "text");
  return utf8_from(value, part);
}

/// Number of a name among `names`; refused if it is none of them.
template <class Names>
std::size_t number_of(const py::handle& value, const char* part, const Names& names) {
  const auto found = std::ranges::find(names, text_of(value, part));
  if (found == std::end(names)) {
    throw std::invalid_argument(fmt::format("Refusal: {} = {}, allowed: {}", part,
                                            quotable(text_of(value, part)),
                                            fmt::join(names, ", ")));
  }
  return static_cast<std::size_t>(found - std::begin(names));
}

/// A row or chapter of RULES as text that stays: a refusal only shows it.
std::string_view kept_rule(const std::string& rule) {
  static std::set<std::string, std::less<>> kept;  // as many as RULES has
  constexpr std::size_t kLongest = 8;
  const bool plain = std::ranges::all_of(rule, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
  if (!plain || rule.size() > kLongest) {
    throw std::invalid_argument(
        fmt::format("Refusal: rule = {}, allowed: a row or chapter of RULES", quotable(rule)));
  }
  return *kept.insert(rule).first;
}

Refusal unpickled_refusal(const py::object& state) {
  const py::tuple parts = pickled_tuple(state, std::size(kParts), "Refusal");
  std::vector<std::string> phases;
  for (int phase = 0; phase < kNumPhases; ++phase) {
    phases.emplace_back(phase_name(static_cast<Phase>(phase)));
  }
  Refusal refusal;
  refusal.seat = whole_from<int>(parts[0], "seat", -1, kNumSeats - 1);
  refusal.phase = static_cast<Phase>(number_of(parts[1], "phase", phases));
  refusal.action = whole_from<std::int64_t>(parts[2], "action");
  refusal.ground = static_cast<Ground>(number_of(parts[3], "ground", names_of(Ground{})));
  refusal.reason = text_of(parts[4], "reason");
  refusal.rule = kept_rule(text_of(parts[5], "rule"));
  refusal.cards = card_set_from(parts[6]);
  if (!py::isinstance<py::list>(parts[7])) refuse_keyword("legal", parts[7], "list of actions");
  for (const py::handle action : parts[7]) {
    refusal.legal.add(static_cast<Action>(whole_from<int>(action, "legal", 0, kNumActions - 1)));
  }
  return refusal;
}

void register_refusal(py::module_& module) {
  py::class_<Refusal>(module, "Refusal", R"(Why an action is illegal.

Attributes: seat, phase: whose turn it is and what is asked; -1 and "DONE" when the deal is over.
            action: what was asked for;  legal: the legal ones, as numbers.
            ground: what makes it illegal, a word for programs: "follow", "searched", ...
            reason: the same in words;  cards: names of the cards in it.
            rule: row or chapter of RULES, "R-115"; "" where no rule decides.)")
      .def_readonly("seat", &Refusal::seat, "Seat whose turn it is; -1 when the deal is over.")
      .def_property_readonly(
          "phase", [](const Refusal& r) { return std::string(phase_name(r.phase)); },
          "Name of what is asked now; \"DONE\" when the deal is over.")
      .def_readonly(
          "action", &Refusal::action,
          "Number of the action that was asked for, 0..127, or what came instead, -1 or 200.")
      .def_property_readonly(
          "ground", [](const Refusal& r) { return std::string(name_of(r.ground)); },
          "What makes it illegal, a word for programs: \"follow\", \"searched\" ...")
      .def_readonly("reason", &Refusal::reason, "What makes it illegal, in words for people.")
      .def_property_readonly(
          "rule", [](const Refusal& r) { return std::string(r.rule); },
          "Row or chapter of RULES that decides, \"R-115\"; \"\" where none does.")
      .def_property_readonly(
          "cards", [](const Refusal& r) { return names_of_cards(r.cards); },
          "Names of the cards that the reason speaks of.")
      .def_property_readonly(
          "legal", [](const Refusal& r) { return actions_of(r.legal); },
          "Numbers of the legal actions, lowest first.")
      .def("__str__", [](const Refusal& r) { return to_string(r); })
      .def("__repr__", [](const Refusal& r) { return fmt::format("<Refusal {}>", to_string(r)); })
      .def(
          "__eq__",
          [](const Refusal& a, const Refusal& b) {
            return pickled_refusal(a).equal(pickled_refusal(b));
          },
          py::is_operator())
      .def(
          "__hash__",
          [](const Refusal& r) {
            return py::hash(py::make_tuple(r.seat, r.action, r.reason, static_cast<int>(r.ground)));
          })
      .def(py::pickle(&pickled_refusal, &unpickled_refusal));
}

/// An attribute and its docstring.
using Part = std::pair<std::string, std::string>;

/// A ValueError type of this module with read-only attributes. They lie in the dictionary of the
/// exception under other names, so that it can be pickled; the class has the properties.
PyObject* make_error_type(const char* name, const char* doc, const std::vector<Part>& parts) {
  const auto getter = py::module_::import("operator").attr("attrgetter");
  const auto property = py::module_::import("builtins").attr("property");
  py::dict members;
  for (const auto& [part, meaning] : parts) {
    members[py::str(part)] = property(getter("_" + part), py::none(), py::none(), meaning);
  }
  PyObject* const type = PyErr_NewExceptionWithDoc(name, doc, PyExc_ValueError, members.ptr());
  if (type == nullptr) throw py::error_already_set();
  return type;
}

void register_wrong_argument(py::module_& module) {
  static PyObject* type = nullptr;
  type = make_error_type("schafkopf._core.WrongArgument",
                         R"(What is wrong with one argument, in words that begin with its name.

Attributes: argument: its name;  text: what follows the name at once, " = 5, allowed: 0..4".)",
                         {{"argument", "Name of the argument."},
                          {"text", "What follows the name at once, \" = 5, allowed: 0..4\"."}});
  module.attr("WrongArgument") = py::handle(type);
  // NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 takes functions of this type only
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
  std::vector<Part> members = {{"env", "Row of the batch that refused it; None: a single game."}};
  for (const char* const part : kParts) {
    auto meaning = module.attr("Refusal").attr(part).attr("__doc__").cast<std::string>();
    if (const std::string_view name = part; name == "action" || name == "legal") {
      meaning.back() = ',';
      meaning += " cards counted as the batch counts them.";
    }
    members.emplace_back(part, std::move(meaning));
  }
  static PyObject* type = nullptr;
  type = make_error_type("schafkopf._core.IllegalAction",
                         R"(An action that is not legal; nothing was done.

Attributes: those of a Refusal;  env: row of the batch that refused it, None = a single game. A
            batch counts the cards in `action` and `legal` as its option `cards` says.)",
                         members);
  module.attr("IllegalAction") = py::handle(type);
  // NOLINTNEXTLINE(performance-unnecessary-value-param): pybind11 takes functions of this type only
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
