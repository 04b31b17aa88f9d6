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

/// What marks the state of an object with attributes of its own, which those of a class of Python that
/// is made of one here have.
inline constexpr const char* kAttributes = "schafkopf._core: state and attributes";

/// The attributes beside the state, unless a class has its own way to pickle what it holds.
inline py::tuple with_attributes(const py::object& self, const py::handle& base,
                                 py::tuple reduced) {
  const py::handle type = py::type::handle_of(self);
  if (type.is(base) || reduced.size() < 3 || !py::hasattr(self, "__dict__")) return reduced;
  for (const char* name : {"__reduce__", "__getstate__", "__setstate__"}) {
    if (!py::hasattr(base, name) || !type.attr(name).is(base.attr(name))) return reduced;
  }
  const py::dict attributes = self.attr("__dict__");
  if (attributes.empty()) return reduced;
  const py::tuple state = py::make_tuple(kAttributes, reduced[2], attributes.attr("copy")());
  return py::make_tuple(reduced[0], reduced[1], state);
}

/// Sets an object that was just made; `base` is how its class sets one without attributes.
inline void set_with_attributes(const py::object& self, const py::object& base,
                                const py::object& state) {
  if (py::isinstance<py::tuple>(state) && py::len(state) == 3) {
    const auto parts = py::reinterpret_borrow<py::tuple>(state);
    const py::object mark = parts[0];
    if (py::isinstance<py::str>(mark) && mark.equal(py::str(kAttributes))) {
      base(self, parts[1]);
      self.attr("__dict__").attr("update")(parts[2]);
      return;
    }
  }
  base(self, state);
}

/// A copy of an object whose class is made of one here: by its state, with its attributes. These are
/// copied as well where there is a memo.
inline py::object copied_by_state(const py::object& self, const py::object& memo = py::none()) {
  const py::tuple reduced = self.attr("__reduce_ex__")(2);
  py::object copy = reduced[0](*reduced[1]);
  py::object state = reduced[2];
  if (!memo.is_none()) {
    memo[py::module_::import("builtins").attr("id")(self)] = copy;  // attributes may lead back
    state = py::module_::import("copy").attr("deepcopy")(state, memo);
  }
  copy.attr("__setstate__")(state);
  return copy;
}

/// Protocols 0 and 1 make an object of its class's base: all are asked as protocol 2 asks, whichever it
/// is, which says what cannot be pickled. Attributes of classes that are made of these go along.
inline void pickle_by_all_protocols(py::module_& module) {
  refuse_bare_objects();
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    if (py::type::of(value).attr("__name__").cast<std::string>() != "pybind11_type") continue;
    value.attr("__reduce_ex__") = py::cpp_function(
        [base = py::handle(value)](const py::object& self, int) {
          const py::object reduce =
              py::module_::import("builtins").attr("object").attr("__reduce_ex__");
          return with_attributes(self, base, reduce(self, 2));
        },
        py::name("__reduce_ex__"), py::is_method(value));
    const py::dict own = value.attr("__dict__").attr("copy")();
    if (!own.contains("__setstate__")) continue;
    value.attr("__setstate__") =
        py::cpp_function([base = value.attr("__setstate__").cast<py::object>()](
                             const py::object& self,
                             const py::object& state) { set_with_attributes(self, base, state); },
                         py::name("__setstate__"), py::is_method(value));
  }
}

}  // namespace schafkopf::python
