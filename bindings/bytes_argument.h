// Bytes as an argument from Python: whatever has its memory in one piece.
#pragma once

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bindings/arguments.h"

namespace schafkopf::python {

/// A parameter that is bytes: of bytes, a bytearray, a memoryview or whatever else has its memory in
/// one piece. It holds the object as long as it lives.
template <ArgumentName kName>
struct Bytes {
  py::buffer_info memory;
  [[nodiscard]] std::span<const std::uint8_t> span() const {
    return {static_cast<const std::uint8_t*>(memory.ptr),
            static_cast<std::size_t>(memory.size * memory.itemsize)};
  }
};

/// The memory of an object that has it in one piece. Throws TypeError naming the parameter.
[[nodiscard]] inline py::buffer_info bytes_from(const py::handle& value, const char* name) {
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(value.ptr(), view.get(), PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) == 0) {
    return py::buffer_info(view.release());
  }
  clear_wrong_input();
  throw py::type_error(
      fmt::format("{}: {} came, allowed: bytes, bytearray, memoryview", name, type_name(value)));
}

}  // namespace schafkopf::python

namespace pybind11::detail {

template <schafkopf::python::ArgumentName kName>
struct type_caster<schafkopf::python::Bytes<kName>> {
  using Argument = schafkopf::python::Bytes<kName>;
  PYBIND11_TYPE_CASTER(Argument, const_name("bytes | bytearray | memoryview"));
  bool load(handle source, bool) {
    value.memory = schafkopf::python::bytes_from(source, kName.text);
    return true;
  }
};

}  // namespace pybind11::detail
