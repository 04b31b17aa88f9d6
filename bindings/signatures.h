// Signatures of compiled functions as Python's inspect reads them.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace schafkopf::python {

/// Where a part of "a: list[int] = (1, 2), b: str = 'x, y') -> None" ends: at this text outside of
/// brackets and quotation marks, or at the bracket that closes the whole; npos if there is neither.
inline std::size_t end_of_part(std::string_view text, std::size_t from, std::string_view mark) {
  int depth = 0;
  char quote = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == '\\') {
        ++at;
      } else if (c == quote) {
        quote = 0;
      }
      continue;
    }
    if (depth == 0 && (c == ')' || text.substr(at, mark.size()) == mark)) return at;
    if (c == '\'' || c == '"') quote = c;
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == '>' && text[at - 1] != '-') --depth;
  }
  return std::string_view::npos;
}

/// "self, b=1" of pybind11's "name(self: A, b: int = 1) -> None"; empty where it says less.
/// Defaults have to be literals, None for an object: inspect reads no others.
inline std::string parameters_for_inspect(std::string_view doc) {
  constexpr std::size_t kNone = std::string_view::npos;
  const std::size_t open = doc.find('('), line = doc.find('\n');
  if (open == kNone || doc.substr(0, line).find(") -> ") == kNone) return {};
  std::string made = "(";
  for (std::size_t at = open + 1; at < doc.size() && doc[at] != ')';) {
    const std::size_t end = end_of_part(doc, at, ", ");
    if (end == kNone) return {};
    const std::string_view part = doc.substr(at, end - at);
    if (made.size() > 1) made += ", ";
    made += part.substr(0, part.find(':'));
    const std::size_t value = end_of_part(part, 0, " = ");
    if (value != kNone && part.substr(value).starts_with(" = ")) {
      made += "=" + std::string(part.substr(value + 3));
    }
    at = end + (doc[end] == ')' ? 0 : 2);
  }
  return made + ")";
}

/// Give a compiled function the signature that pybind11 wrote into its text. Functions of several
/// signatures have none.
inline void give_signature(const pybind11::handle& function) {
  if (!function || PyCFunction_Check(function.ptr()) == 0) return;
  PyMethodDef* const definition = reinterpret_cast<PyCFunctionObject*>(function.ptr())->m_ml;
  if (definition->ml_doc == nullptr) return;
  const std::string_view doc = definition->ml_doc;
  const std::string parameters = parameters_for_inspect(doc);
  if (parameters.empty()) return;
  // the form that CPython takes apart again: __doc__ is what it was
  const std::string text =
      std::string(definition->ml_name) + parameters + "\n--\n\n" + std::string(doc);
  std::free(const_cast<char*>(definition->ml_doc));  // pybind11 copied it, and frees this one
  definition->ml_doc = ::strdup(text.c_str());
}

/// Of all functions of a module and of its classes; last, when nothing is defined any more.
inline void give_signatures(const pybind11::module_& module) {
  for (const auto& [name, value] : module.attr("__dict__").cast<pybind11::dict>()) {
    give_signature(value);
    if (!pybind11::isinstance<pybind11::type>(value)) continue;
    for (const auto& [member, function] : pybind11::dict(value.attr("__dict__"))) {
      const bool is_static = PyObject_TypeCheck(function.ptr(), &PyStaticMethod_Type) != 0;
      const pybind11::object inside =
          is_static ? pybind11::object(function.attr("__func__"))
                    : pybind11::reinterpret_borrow<pybind11::object>(function);
      give_signature(pybind11::detail::get_function(inside));
    }
  }
}

}  // namespace schafkopf::python
