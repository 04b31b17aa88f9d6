// Unknown keywords of the functions of _core: an error that names the nearest one, where pybind11
// lists the signature of the function.
#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/common.h"

namespace schafkopf::python {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Names of the parameters in "name(self: A, b: int, c: str = 'x') -> D".
std::vector<std::string> parameters_in(std::string_view signature) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < signature.size(); ++at) {
    const bool begins = signature[at] == '(' || (signature[at] == ' ' && signature[at - 1] == ',');
    if (!begins) continue;
    std::size_t end = at + 1;
    while (end < signature.size() && is_word(signature[end])) ++end;
    if (end == at + 1 || signature.substr(end, 2) != ": ") continue;
    const std::string_view name = signature.substr(at + 1, end - at - 1);
    if (name != "self") names.emplace_back(name);
  }
  return names;
}

/// Keywords of a function that has optional ones; nothing for those that take any, or none.
std::vector<std::string> keywords_of(const std::string& doc) {
  const std::size_t end = doc.find(") -> ");
  if (end == std::string::npos) return {};
  const std::string signature = doc.substr(0, end);
  const bool optional = signature.find(" = ") != std::string::npos;
  const bool any = signature.find("**") != std::string::npos;
  return optional && !any ? parameters_in(signature) : std::vector<std::string>{};
}

/// The function behind an attribute of a module or class, with its keywords watched; nothing where
/// that has no use. It stays a function of C++, so that no frame of Python holds an object that is
/// not yet constructed.
template <class... Extra>
std::optional<py::cpp_function> watched(const py::object& function, const std::string& name,
                                        const std::string& title, const Extra&... extra) {
  const py::object doc = function.attr("__doc__");
  if (!py::isinstance<py::str>(doc)) return std::nullopt;
  const auto text = doc.cast<std::string>();
  std::vector<std::string> known = keywords_of(text);
  if (known.empty()) return std::nullopt;
  py::options options;
  options.disable_function_signatures();
  return py::cpp_function(
      [function, title, known = std::move(known)](const py::args& args, const py::kwargs& given) {
        for (const auto& [key, unused] : given) {
          const std::string keyword = py::str(key);
          if (std::ranges::find(known, keyword) != known.end()) continue;
          refuse_keyword(title, keyword, std::vector<std::string_view>(known.begin(), known.end()));
        }
        return py::object(function(*args, **given));
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
    const std::string title = constructs ? type : type + "." + name;
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
      const auto function = watched(value, name, name);
      if (function) py::setattr(module, name.c_str(), *function);
    }
  }
}

}  // namespace schafkopf::python
