// Unknown keywords and arguments of another type of the functions of _core: an error that names the
// nearest keyword, or the argument, where pybind11 lists the signatures of the function.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/common.h"

namespace schafkopf::python {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// A parameter as the signature of a function shows it.
struct Parameter {
  std::string name;
  std::string type;
  bool optional;
};

/// The type that begins a text: up to the comma, default or bracket that ends the parameter.
std::string_view type_at(std::string_view text) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (text[end] == '[') ++depth;
    if (text[end] == ']') --depth;
    if (depth == 0 && (text[end] == ',' || text.substr(end, 3) == " = ")) break;
  }
  return text.substr(0, end);
}

/// The parameters in "name(self: A, b: int, c: str = 'x'", without self.
std::vector<Parameter> parameters_in(std::string_view signature) {
  std::vector<Parameter> parameters;
  for (std::size_t at = 0; at < signature.size(); ++at) {
    const bool begins = signature[at] == '(' || (signature[at] == ' ' && signature[at - 1] == ',');
    if (!begins) continue;
    std::size_t end = at + 1;
    while (end < signature.size() && is_word(signature[end])) ++end;
    if (end == at + 1 || signature.substr(end, 2) != ": ") continue;
    const std::string_view name = signature.substr(at + 1, end - at - 1);
    if (name == "self") continue;
    const std::string_view type = type_at(signature.substr(end + 2));
    const bool optional = signature.substr(end + 2 + type.size()).starts_with(" = ");
    parameters.push_back({std::string(name), std::string(type), optional});
  }
  return parameters;
}

/// The parts of a text between separators that stand in no bracket.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') ++depth;
    if (text[at] == ']') --depth;
    if (depth != 0 || text.substr(at, separator.size()) != separator) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// What stands in the brackets of a type: "str", "int" for "Mapping[str, int]".
std::vector<std::string_view> inside(std::string_view type) {
  const std::size_t open = type.find('[');
  if (open == std::string_view::npos || !type.ends_with(']')) return {};
  return split(type.substr(open + 1, type.size() - open - 2), ", ");
}

/// The alternatives of a type, as people write them: "schafkopf._core.Deal | None" has Deal, None.
std::vector<std::string> alternatives_of(std::string_view type) {
  std::vector<std::string> names;
  for (const std::string_view one : split(type, " | ")) {
    std::string name(one.substr(0, one.find('[')));
    name = name.substr(name.find_last_of(".:") + 1);  // npos + 1 is 0
    if (name.starts_with("Python")) name = name.substr(6);
    if (name == "SupportsIndex") continue;
    if (name == "SupportsInt") name = "int";
    if (name == "SupportsFloat") name = "float";
    if (name == "Sequence") name = "list";
    if (name == "Mapping") name = "dict";
    names.push_back(std::move(name));
  }
  return names;
}

/// Whether an object is what one of these words says; of a word that is not known it may be.
bool fits(const py::handle& value, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&value](const std::string& word) {
    if (word == "None") return value.is_none();
    if (word == "str") return py::isinstance<py::str>(value);
    if (word == "int") return PyIndex_Check(value.ptr()) != 0;
    if (word == "float") {  // no array and no complex number, which are numbers to Python as well
      return PyNumber_Check(value.ptr()) != 0 && PySequence_Check(value.ptr()) == 0 &&
             !PyComplex_Check(value.ptr());
    }
    if (word == "dict") return py::isinstance<py::dict>(value);
    if (word == "list")
      return PySequence_Check(value.ptr()) != 0 && !py::isinstance<py::str>(value);
    const py::object own =
        py::getattr(py::module_::import("schafkopf._core"), word.c_str(), py::none());
    return !py::isinstance<py::type>(own) || py::isinstance(value, own);
  });
}

/// What is wrong with a value for a type, in words that begin with its place; empty where nothing is
/// seen. Elements of lists and values of dicts are looked at too: "values[1]: str came, ...".
std::string misfit(const py::handle& value, std::string_view type, const std::string& place) {
  const std::vector<std::string> allowed = alternatives_of(type);
  if (!fits(value, allowed)) {
    return fmt::format("{}: {} came, allowed: {}", place, type_name(value),
                       fmt::join(allowed, ", "));
  }
  const std::vector<std::string_view> types = inside(type);
  if (allowed == std::vector<std::string>{"list"} && types.size() == 1) {
    for (py::ssize_t at = 0; at < static_cast<py::ssize_t>(py::len(value)); ++at) {
      const py::object element = value[py::int_(at)];
      std::string wrong = misfit(element, types[0], fmt::format("{}[{}]", place, at));
      if (!wrong.empty()) return wrong;
    }
  }
  if (allowed == std::vector<std::string>{"dict"} && types.size() == 2) {
    for (const auto& [key, element] : py::reinterpret_borrow<py::dict>(value)) {
      const auto shown = py::repr(key).cast<std::string>();
      std::string wrong = misfit(key, types[0], fmt::format("{}, key {}", place, shown));
      if (wrong.empty()) wrong = misfit(element, types[1], fmt::format("{}[{}]", place, shown));
      if (!wrong.empty()) return wrong;
    }
  }
  return {};
}

/// The first argument that is not what its parameter takes, in words; empty where none is seen.
std::string wrong_argument(const std::vector<Parameter>& parameters, const py::args& given,
                           const py::kwargs& keywords, std::size_t first) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [name, type, optional] = parameters[i];
    py::object value;
    if (first + i < given.size()) value = given[first + i];
    if (keywords.contains(name)) value = keywords[name.c_str()];
    if (!value && !optional) {
      return fmt::format("{} is missing, allowed: {}", name,
                         fmt::join(alternatives_of(type), ", "));
    }
    std::string wrong = value ? misfit(value, type, name) : "";
    if (!wrong.empty()) return wrong;
  }
  if (given.size() > first + parameters.size()) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    return fmt::format("{} arguments came, allowed: {}", given.size() - first,
                       fmt::join(names, ", "));
  }
  return {};
}

/// What a function takes.
struct Signature {
  std::vector<Parameter> parameters;
  bool any_keyword = false;
  bool optional = false;

  /// Objects and whole numbers say themselves what is wrong with them: where a method takes one of
  /// them there is little to watch, and calls of a game stay as fast as they are.
  [[nodiscard]] bool is_watched(bool has_self) const {
    const bool only = has_self && parameters.size() == 1;
    return optional || std::ranges::any_of(parameters, [only](const Parameter& parameter) {
             return parameter.type != "object" && (parameter.type != "int" || !only);
           });
  }
  [[nodiscard]] std::vector<std::string_view> keywords() const {
    std::vector<std::string_view> names;
    for (const Parameter& parameter : parameters) names.push_back(parameter.name);
    return names;
  }
};

std::optional<Signature> signature_of(const std::string& doc) {
  const std::size_t end = doc.find(") -> ");
  if (end == std::string::npos) return std::nullopt;
  const std::string text = doc.substr(0, end);
  return Signature{parameters_in(text), text.find("**") != std::string::npos,
                   text.find(" = ") != std::string::npos};
}

/// Calls a function; where pybind11 would list its signatures, one argument is named instead.
py::object called(const py::object& function, const Signature& signature, const std::string& title,
                  bool has_self, const py::args& given, const py::kwargs& keywords) {
  try {
    return function(*given, **keywords);
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    const std::string text = py::str(error.value());
    const auto name = function.attr("__name__").cast<std::string>();
    if (!text.starts_with(name + "(): incompatible ")) throw;
    if (has_self && given.empty()) throw;  // of the class, without an object
    const std::string wrong =
        wrong_argument(signature.parameters, given, keywords, has_self ? 1 : 0);
    if (wrong.empty()) throw;
    // A method is called by the name of the class that people have: VectorEnv, not BatchEnv.
    const std::string shown =
        has_self ? type_name(given[0]) + title.substr(std::min(title.find('.'), title.size()))
                 : title;
    throw py::type_error(shown + ": " + wrong);
  }
}

/// The function behind an attribute of a module or class, with its arguments watched; nothing where
/// that has no use. It stays a function of C++, so that no frame of Python holds an object that is
/// not yet constructed.
///
/// @param extra  as in a definition: py::is_method(class), or py::scope(module), by which a function is
///               found again when it is unpickled
template <class... Extra>
std::optional<py::cpp_function> watched(const py::object& function, const std::string& name,
                                        const std::string& title, const Extra&... extra) {
  constexpr bool kHasSelf = (std::is_same_v<Extra, py::is_method> || ...);
  const py::object doc = function.attr("__doc__");
  if (!py::isinstance<py::str>(doc)) return std::nullopt;
  const auto text = doc.cast<std::string>();
  std::optional<Signature> signature = signature_of(text);
  if (!signature || !signature->is_watched(kHasSelf)) return std::nullopt;
  py::options options;
  options.disable_function_signatures();
  return py::cpp_function(
      [function = function, title = title, signature = *std::move(signature)](
          const py::args& args, const py::kwargs& given) {
        for (const auto& [key, unused] : given) {
          const std::string keyword = utf8_from(py::str(key), "a keyword");
          const std::vector<std::string_view> known = signature.keywords();
          if (signature.any_keyword || std::ranges::find(known, keyword) != known.end()) continue;
          refuse_keyword(title, keyword, known);
        }
        return called(function, signature, title, kHasSelf, args, given);
      },
      py::name(name == "__init__" ? "init" : name.c_str()), py::doc(text.c_str()), extra...);
}

std::vector<std::pair<std::string, py::object>> attributes_of(const py::object& owner) {
  std::vector<std::pair<std::string, py::object>> attributes;
  for (const auto& [name, value] : py::dict(owner.attr("__dict__"))) {
    attributes.emplace_back(py::str(name), py::reinterpret_borrow<py::object>(value));
  }
  return attributes;
}

void watch_class(const py::object& owner) {
  const auto type = owner.attr("__name__").cast<std::string>();
  for (const auto& [name, value] : attributes_of(owner)) {
    const bool constructs = name == "__init__";
    if (name.starts_with("_") && !constructs) continue;
    const std::string title = constructs ? type : fmt::format("{}.{}", type, name);
    if (PyObject_TypeCheck(value.ptr(), &PyStaticMethod_Type) != 0) {
      const auto function = watched(value.attr("__func__"), name, title);
      if (function) py::setattr(owner, name.c_str(), py::staticmethod(*function));
    } else if (PyInstanceMethod_Check(value.ptr()) != 0) {
      const auto function = watched(value, name, title, py::is_method(owner));
      if (function) py::setattr(owner, name.c_str(), *function);
    }
  }
}

}  // namespace

void watch_keywords(py::module_& module) {
  for (const auto& [name, value] : attributes_of(module)) {
    if (py::isinstance<py::type>(value)) {
      watch_class(value);
    } else if (PyCFunction_Check(value.ptr()) != 0) {
      const auto function = watched(value, name, name, py::scope(module));
      if (function) py::setattr(module, name.c_str(), *function);
    }
  }
}

}  // namespace schafkopf::python
