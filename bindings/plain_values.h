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

/// bool, int, float, str (those of NumPy too), lists and dicts of them; everything else as what no
/// field takes.
[[nodiscard]] inline PlainValue plain_value_from(const py::handle& value) {
  const std::string type = type_name(value);
  if (type == "bool" || type == "bool_") return PyObject_IsTrue(value.ptr()) == 1;
  if (py::isinstance<py::str>(value)) return utf8_from(value, "a text");
  if (PyIndex_Check(value.ptr()) != 0) {
    const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (!number) throw py::error_already_set();
    const PlainValue plain = plain_value(py::str(number).cast<std::string>());
    if (!std::holds_alternative<double>(plain)) return plain;
    return StrangeValue{py::str(number).cast<std::string>()};  // beyond 64 bits
  }
  if (PyFloat_Check(value.ptr()) || py::hasattr(value, "__float__")) {
    return py::float_(py::reinterpret_borrow<py::object>(value)).cast<double>();
  }
  if (py::isinstance<py::dict>(value)) {
    PlainTable table;
    for (const auto& [key, inner] : py::reinterpret_borrow<py::dict>(value)) {
      table[py::str(key)] = plain_value_from(inner);
    }
    return table;
  }
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value) ||
      py::isinstance<py::set>(value)) {
    PlainList list;
    for (const py::handle inner : value) list.push_back(plain_value_from(inner));
    return list;
  }
  return StrangeValue{"a value of type " + type};
}

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
          return py::str(inner.text);
        } else {
          return py::cast(inner);
        }
      },
      value);
}

/// Keys as documentation: dicts with key, group, meaning, unit, allowed, default.
[[nodiscard]] inline py::list rows_to_python(std::span<const FieldRow> fields) {
  py::list rows;
  for (const FieldRow& field : fields) {
    py::dict row;
    row["key"] = field.key;
    row["group"] = field.group;
    row["meaning"] = field.meaning;
    row["unit"] = field.unit;
    row["allowed"] = field.allowed;
    row["default"] = field.required ? py::object(py::none()) : to_python(field.value);
    rows.append(row);
  }
  return rows;
}

}  // namespace schafkopf::python
