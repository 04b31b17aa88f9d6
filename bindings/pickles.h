// What pickles of the classes of _core hold: values that their own checks read again, never memory.
// They are for processes of the same version; files have formats of their own.
#pragma once

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bindings/arguments.h"

namespace schafkopf::python {

/// The state of a pickle as a tuple of `size` entries. Throws std::invalid_argument.
[[nodiscard]] inline py::tuple pickled_tuple(const py::handle& state, std::size_t size,
                                             const char* type) {
  if (py::isinstance<py::tuple>(state) && py::len(state) == size) {
    return py::reinterpret_borrow<py::tuple>(state);
  }
  throw std::invalid_argument(
      fmt::format("{}: a pickle of {} entries in a tuple was expected", type, size));
}

[[nodiscard]] inline std::span<const std::uint8_t> pickled_bytes(const py::handle& state,
                                                                 const char* type) {
  if (!py::isinstance<py::bytes>(state)) {
    throw std::invalid_argument(fmt::format("{}: a pickle that holds bytes was expected", type));
  }
  char* data = nullptr;
  Py_ssize_t size = 0;
  PyBytes_AsStringAndSize(state.ptr(), &data, &size);
  return {reinterpret_cast<const std::uint8_t*>(data), static_cast<std::size_t>(size)};
}

template <class Bytes>
[[nodiscard]] py::bytes to_python_bytes(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The common base of all classes of pybind11 has no objects of its own, and ends the program where one
/// is asked for: copyreg does for protocols 0 and 1. It raises TypeError instead.
inline void refuse_bare_objects() {
  static auto* const base =
      reinterpret_cast<PyTypeObject*>(py::detail::get_internals().instance_base);
  static PyTypeObject* const classes = py::detail::get_internals().default_metaclass;
  static const ternaryfunc make = classes->tp_call;
  if (classes->tp_call != make) return;
  classes->tp_call = [](PyObject* type, PyObject* args, PyObject* kwargs) -> PyObject* {
    if (type != reinterpret_cast<PyObject*>(base)) return make(type, args, kwargs);
    PyErr_SetString(PyExc_TypeError,
                    "pybind11_object: the base of all classes has no objects of its own; pickle "
                    "those of a class by protocol 2 or later");
    return nullptr;
  };
}

/// Protocols 0 and 1 make an object of its class's base: all are asked as protocol 2 asks, whichever it
/// is, which says what cannot be pickled.
inline void pickle_by_all_protocols(py::module_& module) {
  refuse_bare_objects();
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    if (py::type::of(value).attr("__name__").cast<std::string>() != "pybind11_type") continue;
    value.attr("__reduce_ex__") = py::cpp_function(
        [](const py::object& self, int) {
          return py::module_::import("builtins").attr("object").attr("__reduce_ex__")(self, 2);
        },
        py::name("__reduce_ex__"), py::is_method(value));
  }
}

}  // namespace schafkopf::python
