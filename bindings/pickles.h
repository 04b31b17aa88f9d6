// What pickles of the classes of _core hold: values that their own checks read again, never memory.
// They are for processes of the same version; files have formats of their own.
#pragma once

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <span>
#include <stdexcept>
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

}  // namespace schafkopf::python
