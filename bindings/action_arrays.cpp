#include "bindings/action_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace schafkopf::python {
namespace {

[[noreturn]] void refuse(const std::string& came, py::ssize_t size) {
  throw std::invalid_argument(
      fmt::format("actions: {} came, needed are {} integers: an array [{}] (int32 [{}] without a "
                  "copy), a list, a tuple or a tensor in the main memory",
                  came, size, size, size));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Integers of a list one by one: as an array NumPy would make floats of a list with a large one.
std::vector<std::int64_t> from_sequence(const py::sequence& given, py::ssize_t size) {
  if (static_cast<py::ssize_t>(py::len(given)) != size) {
    refuse(fmt::format("{} of length {}", type_name(given), py::len(given)), size);
  }
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(size));
  for (py::ssize_t row = 0; row < size; ++row) {
    const py::object value = given[static_cast<std::size_t>(row)];
    const std::string type = PyLong_CheckExact(value.ptr()) != 0 ? "int" : type_name(value);
    py::object number;
    if (type != "bool" && type != "bool_" && PyIndex_Check(value.ptr()) != 0) {
      number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    }
    if (!number) {
      PyErr_Clear();
      refuse(fmt::format("a value of type {} for env {}", type, row), size);
    }
    int beyond = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(number.ptr(), &beyond);
    using Limits = std::numeric_limits<std::int64_t>;
    values.push_back(beyond == 0 ? whole : beyond > 0 ? Limits::max() : Limits::min());
  }
  return values;
}

/// Whatever NumPy can read, without a copy where it can.
py::array as_array(const py::handle& given, py::ssize_t size) {
  const std::string type = type_name(given);
  try {
    if (py::hasattr(given, "__dlpack_device__")) {
      const auto device = py::cast<std::pair<int, int>>(given.attr("__dlpack_device__")());
      constexpr int kMain = 1, kPinnedByCuda = 3;
      if (device.first != kMain && device.first != kPinnedByCuda) {
        refuse(
            fmt::format("{} on a device (DLPack type {}; x.cpu() copies it)", type, device.first),
            size);
      }
    }
    const py::object grad = py::getattr(given, "requires_grad", py::bool_(false));
    if (py::isinstance<py::bool_>(grad) && grad.cast<bool>()) {
      refuse(fmt::format("{} that requires grad (x.detach() does not)", type), size);
    }
    const py::module_ numpy = py::module_::import("numpy");
    const bool only_dlpack = py::hasattr(given, "__dlpack__") && !py::hasattr(given, "__array__");
    return numpy.attr(only_dlpack ? "from_dlpack" : "asarray")(given);
  } catch (const py::error_already_set& error) {
    refuse(fmt::format("{} ({})", type, first_line(error.what())), size);
  }
}

/// int64 of any integer array; what does not fit becomes the largest int64.
std::vector<std::int64_t> widened(const py::array& array) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(array.size()));
  if (array.dtype().kind() == 'u') {
    const auto given = py::array_t < std::uint64_t,
               py::array::c_style | py::array::forcecast > ::ensure(array);
    std::transform(given.data(), given.data() + given.size(), values.begin(),
                   [](std::uint64_t value) {
                     constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
                     return static_cast<std::int64_t>(std::min(value, kMost));
                   });
  } else {
    const auto given = py::array_t < std::int64_t,
               py::array::c_style | py::array::forcecast > ::ensure(array);
    std::copy(given.data(), given.data() + given.size(), values.begin());
  }
  return values;
}

}  // namespace

GivenActions given_actions(const py::handle& given, py::ssize_t size) {
  using Int32 = py::array_t<std::int32_t, py::array::c_style>;
  GivenActions actions;
  if (py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given)) {
    actions.wide = from_sequence(py::reinterpret_borrow<py::sequence>(given), size);
    actions.is_wide = true;
    return actions;
  }
  const bool protocol = py::isinstance<py::array>(given) || py::hasattr(given, "__array__") ||
                        py::hasattr(given, "__dlpack__") || PyObject_CheckBuffer(given.ptr()) != 0;
  if (!protocol) refuse(describe_array(given), size);
  actions.owner = py::isinstance<py::array>(given) ? py::reinterpret_borrow<py::array>(given)
                                                   : as_array(given, size);
  const char kind = actions.owner.dtype().kind();
  if ((kind != 'i' && kind != 'u') || actions.owner.ndim() != 1 || actions.owner.shape(0) != size) {
    refuse(describe_array(actions.owner), size);
  }
  if (py::isinstance<Int32>(actions.owner)) {
    actions.narrow = {static_cast<const std::int32_t*>(actions.owner.data()),
                      static_cast<std::size_t>(size)};
  } else {
    actions.wide = widened(actions.owner);
    actions.is_wide = true;
  }
  return actions;
}

}  // namespace schafkopf::python
