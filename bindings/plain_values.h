// Python values and the plain values that fields are read from (env/base/field.h).
#pragma once

#include <pybind11/pybind11.h>

#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include "bindings/arguments.h"
#include "env/base/field.h"

namespace schafkopf::python {

[[nodiscard]] inline py::object to_python(const PlainValue& value) {
  return std::visit(
      [](const auto& inner) -> py::object {
        using Value = std::decay_t<decltype(inner)>;
        if constexpr (std::is_same_v<Value, PlainTable>) {
          py::dict table;
          for (const auto& [key, entry] : inner) table[py::str(key)] = to_python(entry);
          return table;
        } else if constexpr (std::is_same_v<Value, PlainList>) {
          py::list list;
          for (const PlainValue& entry : inner) list.append(to_python(entry));
          return list;
        } else if constexpr (std::is_same_v<Value, StrangeValue>) {
          return inner == kNothing ? py::object(py::none()) : py::object(py::str(inner.text));
        } else {
          return py::cast(inner);
        }
      },
      value);
}

/// Keywords as a part of a docstring: "key=default: meaning [allowed]", one line each, the further
/// ones indented as an argument is.
[[nodiscard]] inline std::string arguments_text(std::span<const FieldSlot> slots) {
  return fmt::format("{}\n", fmt::join(described(slots), "\n         "));
}

/// Keys as documentation: dicts with key, group, meaning, unit, allowed, names, default.
[[nodiscard]] inline py::list rows_to_python(std::span<const FieldRow> fields) {
  py::list rows;
  for (const FieldRow& field : fields) {
    py::dict row;
    row["key"] = field.key;
    row["group"] = field.group;
    row["meaning"] = field.meaning;
    row["unit"] = field.unit;
    row["allowed"] = field.allowed;
    row["names"] = field.names;
    row["default"] = field.required ? py::object(py::none()) : to_python(field.value);
    rows.append(row);
  }
  return rows;
}

}  // namespace schafkopf::python
