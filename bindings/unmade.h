// Objects of Python whose constructor has not run.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>

namespace schafkopf::python {

[[noreturn]] inline void refuse_unmade_object() {
  throw pybind11::type_error(
      "this object is not made yet: its __init__() comes first, super().__init__() in a subclass");
}

/// Whether the constructor of an object of ours, which pybind11 holds by a pointer, has run.
inline bool is_made(const pybind11::handle& object) {
  auto* const instance = reinterpret_cast<pybind11::detail::instance*>(object.ptr());
  return instance->get_value_and_holder().holder_constructed();
}

/// pybind11 makes room for a value where an object is used whose constructor has not run, as in a
/// subclass before super().__init__(), and reads what happens to lie there.
inline void refuse_unmade(const pybind11::module_& module) {
  constexpr auto refuse = [](std::size_t) -> void* { refuse_unmade_object(); };
  for (const auto& [name, value] : module.attr("__dict__").cast<pybind11::dict>()) {
    if (!pybind11::isinstance<pybind11::type>(value)) continue;
    auto* info = pybind11::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr()));
    if (info != nullptr) info->operator_new = refuse;
  }
}

}  // namespace schafkopf::python
