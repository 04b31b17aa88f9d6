#include "bindings/action_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace schafkopf::python {
namespace {

constexpr const char* kForms = "a list, a tuple or a tensor in the main memory";

[[noreturn]] void refuse(const std::string& came, py::ssize_t size) {
  throw std::invalid_argument(fmt::format(
      "actions: {} came, allowed: {} integers: an array [{}] (int32 and int64 without a "
      "copy), {}",
      came, size, size, kForms));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// A number in decimal, or how long it is.
std::string short_text(const py::object& number) {
  constexpr int kLongest = 200;
  const int bits = number.attr("bit_length")().cast<int>();
  if (bits > kLongest) return fmt::format("(a number of {} bits)", bits);
  return py::str(number).cast<std::string>();
}

/// Integers of a list one by one: as an array NumPy would make floats of a list with a large one.
std::vector<std::int64_t> from_sequence(const py::sequence& given, py::ssize_t size,
                                        GivenActions& actions) {
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
      clear_wrong_input();
      refuse(fmt::format("a value of type {} for env {}", type, row), size);
    }
    int beyond = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(number.ptr(), &beyond);
    using Limits = std::numeric_limits<std::int64_t>;
    if (beyond != 0) actions.beyond.emplace_back(row, short_text(number));
    values.push_back(beyond == 0 ? whole : beyond > 0 ? Limits::max() : Limits::min());
  }
  return values;
}

/// Whatever NumPy can read, without a copy where it can. `wrong` gets what came if it cannot, and
/// throws.
template <class Wrong>
py::array as_array(const py::handle& given, const Wrong& wrong) {
  const std::string type = type_name(given);
  try {
    if (py::hasattr(given, "__dlpack_device__")) {
      const auto device = py::cast<std::pair<int, int>>(given.attr("__dlpack_device__")());
      constexpr int kMain = 1, kPinnedByCuda = 3;
      if (device.first != kMain && device.first != kPinnedByCuda) {
        wrong(
            fmt::format("{} on a device (DLPack type {}; x.cpu() copies it)", type, device.first));
      }
    }
    const py::object grad = py::getattr(given, "requires_grad", py::bool_(false));
    if (py::isinstance<py::bool_>(grad) && grad.cast<bool>()) {
      wrong(fmt::format("{} that requires grad (x.detach() does not)", type));
    }
    const py::module_ numpy = py::module_::import("numpy");
    const bool only_dlpack = py::hasattr(given, "__dlpack__") && !py::hasattr(given, "__array__");
    return numpy.attr(only_dlpack ? "from_dlpack" : "asarray")(given);
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_Exception) || error.matches(PyExc_MemoryError)) throw;  // Ctrl-C
    wrong(fmt::format("{} ({})", type, first_line(error.what())));
  }
  return {};
}

/// int64 of any integer array; what does not fit becomes the largest int64.
std::vector<std::int64_t> widened(const py::array& array, GivenActions& actions) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(array.size()));
  if (array.dtype().kind() == 'u') {
    const auto given = Numbers<std::uint64_t>::ensure(array);
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    for (std::size_t row = 0; row < values.size(); ++row) {
      const std::uint64_t value = given.data()[row];
      values[row] = static_cast<std::int64_t>(std::min(value, kMost));
      if (value <= kMost) continue;
      actions.beyond.emplace_back(static_cast<py::ssize_t>(row), fmt::format("{}", value));
    }
  } else {
    const auto given = Numbers<std::int64_t>::ensure(array);
    std::copy(given.data(), given.data() + given.size(), values.begin());
  }
  return values;
}

/// The numbers of a contiguous array of this type where they lie; nothing for other arrays.
template <class Int>
std::optional<std::span<const Int>> in_place(const py::array& array) {
  const bool aligned = (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
  if (!aligned || !py::isinstance<py::array_t<Int, py::array::c_style>>(array)) return std::nullopt;
  return std::span(static_cast<const Int*>(array.data()), static_cast<std::size_t>(array.size()));
}

}  // namespace

GivenActions given_actions(const py::handle& given, py::ssize_t size) {
  refuse_masked(given, "actions");
  GivenActions actions;
  if (py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given)) {
    actions.copied = from_sequence(py::reinterpret_borrow<py::sequence>(given), size, actions);
    actions.wide = actions.copied;
    actions.is_wide = true;
    return actions;
  }
  const bool protocol = py::isinstance<py::array>(given) || py::hasattr(given, "__array__") ||
                        py::hasattr(given, "__dlpack__") || PyObject_CheckBuffer(given.ptr()) != 0;
  if (!protocol) refuse(describe_array(given), size);
  actions.owner = py::isinstance<py::array>(given)
                      ? py::reinterpret_borrow<py::array>(given)
                      : as_array(given, [size](const auto& came) { refuse(came, size); });
  const char kind = actions.owner.dtype().kind();
  if ((kind != 'i' && kind != 'u') || actions.owner.ndim() != 1 || actions.owner.shape(0) != size) {
    refuse(describe_array(actions.owner), size);
  }
  if (const auto narrow = in_place<std::int32_t>(actions.owner)) {
    actions.narrow = *narrow;
    return actions;
  }
  if (const auto wide = in_place<std::int64_t>(actions.owner)) {
    actions.wide = *wide;
  } else {
    actions.copied = widened(actions.owner, actions);
    actions.wide = actions.copied;
  }
  actions.is_wide = true;
  return actions;
}

std::string GivenActions::with_given_numbers(std::string message) const {
  for (const auto& [row, text] : beyond) {
    const std::string named =
        fmt::format("env {}, action {}", row, wide[static_cast<std::size_t>(row)]);
    const std::size_t at = message.find(named + ":");
    if (at == std::string::npos) continue;
    return message.replace(at, named.size(), fmt::format("env {}, action {}", row, text));
  }
  return message;
}

std::vector<std::uint8_t> given_rows(const py::handle& given, py::ssize_t size,
                                     std::string_view name) {
  refuse_masked(given, name);
  const auto wrong = [&](const std::string& came) {
    throw std::invalid_argument(
        fmt::format("{}: {} came, allowed: bool [{}]: an array, {}", name, came, size, kForms));
  };
  const auto array = py::isinstance<py::array>(given) ? py::reinterpret_borrow<py::array>(given)
                                                      : as_array(given, wrong);
  if (array.ndim() != 1 || array.shape(0) != size ||
      (array.dtype().kind() != 'b' && !array.dtype().equal(py::dtype::of<std::uint8_t>()))) {
    wrong(describe_array(array));
  }
  const auto bytes = Numbers<std::uint8_t>::ensure(array);
  return {bytes.data(), bytes.data() + bytes.size()};
}

}  // namespace schafkopf::python
