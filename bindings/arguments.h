// Arguments from Python that say themselves what is wrong with them: name, what came and what is
// allowed, as a ValueError, where pybind11 lists the signatures of the function.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "env/base/field.h"
#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/base/wrong_argument.h"

namespace schafkopf::python {

namespace py = pybind11;

/// Name of a parameter as part of its type.
template <std::size_t kSize>
struct ArgumentName {
  char text[kSize];
  // NOLINTNEXTLINE(google-explicit-constructor): written as a literal between angle brackets
  constexpr ArgumentName(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }
};

/// Throws TypeError for a keyword that a function does not have: the nearest one, and all of them.
[[noreturn]] inline void refuse_keyword(std::string_view function, const std::string& keyword,
                                        std::span<const std::string_view> known) {
  throw py::type_error(fmt::format("{}: unknown keyword \"{}\", allowed: {}{}", function,
                                   quotable(keyword), fmt::join(known, ", "),
                                   nearest_hint(keyword, known)));
}

[[nodiscard]] inline std::string type_name(const py::handle& value) {
  return py::type::handle_of(value).attr("__name__").cast<std::string>();
}

/// A Python str. Throws std::invalid_argument naming the parameter if it has no UTF-8 form, as that
/// of a file name that is no UTF-8.
[[nodiscard]] inline std::string utf8_from(const py::handle& text, const char* name) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();
  throw std::invalid_argument(fmt::format("{}: a text that UTF-8 cannot write", name));
}

/// Clears the error of Python, which is one of wrong input; others, such as Ctrl-C, go on.
inline void clear_wrong_input() {
  const bool other =
      PyErr_Occurred() != nullptr && (PyErr_ExceptionMatches(PyExc_Exception) == 0 ||
                                      PyErr_ExceptionMatches(PyExc_MemoryError) != 0);
  if (other) throw py::error_already_set();
  PyErr_Clear();
}

[[nodiscard]] inline bool truth_of(const py::handle& value) {
  const int truth = PyObject_IsTrue(value.ptr());
  if (truth < 0) throw py::error_already_set();
  return truth == 1;
}

/// What a value of Python may hold: it can hold itself, or the same part many times.
struct Room {
  int levels = 64;
  std::size_t elements = std::size_t{1} << 22;
};

/// A level deeper while it lives.
class Nested {
 public:
  explicit Nested(Room& room) : room_(room) { --room_.levels; }
  ~Nested() { ++room_.levels; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  Room& room_;
};

[[nodiscard]] PlainValue plain_value_from(const py::handle& value, Room& room);

[[nodiscard]] inline PlainList plain_list_from(const py::handle& values, Room& room) {
  PlainList list;
  for (const py::handle inner : values) {
    const bool full = room.elements == 0;
    list.push_back(plain_value_from(inner, room));
    if (full) break;  // this one says that it was too large, which no field takes
  }
  return list;
}

/// bool, int, float, str (those of NumPy too), None, lists, arrays and dicts of them; everything
/// else as what no field takes.
[[nodiscard]] inline PlainValue plain_value_from(const py::handle& value, Room& room) {
  const auto strange = [&value](std::string_view why) {
    return StrangeValue{fmt::format("a value of type {}{}", type_name(value), why)};
  };
  if (room.levels == 0) return strange(", nested too deeply");
  if (room.elements == 0) return strange(", too large");
  --room.elements;
  const Nested nested(room);
  if (PyLong_CheckExact(value.ptr()) != 0) {  // most of what long lists hold
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow == 0) return std::int64_t{number};
  }
  if (PyList_CheckExact(value.ptr()) != 0) return plain_list_from(value, room);
  const std::string type = type_name(value);
  if (type == "bool" || type == "bool_") return truth_of(value);
  if (py::isinstance<py::str>(value)) {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (bytes != nullptr) return std::string(bytes, static_cast<std::size_t>(size));
    PyErr_Clear();
    return StrangeValue{"a text that UTF-8 cannot write"};
  }
  if (value.is_none()) return kNothing;
  const bool is_class = PyType_Check(value.ptr()) != 0;  // those of NumPy have both as well
  if (!is_class && py::hasattr(value, "tolist") && py::hasattr(value, "ndim")) {  // array, tensor
    // numbers of NumPy's spans of time stand for no number here, as timedelta's do not
    const py::object kind =
        py::getattr(py::getattr(value, "dtype", py::none()), "kind", py::none());
    if (kind.equal(py::str("m")) || kind.equal(py::str("M"))) return strange("");
    const py::object inner = value.attr("tolist")();
    return plain_value_from(inner, room);
  }
  if (PyIndex_Check(value.ptr()) != 0) {
    const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (number) return plain_value(py::str(number).cast<std::string>());
    clear_wrong_input();
  }
  const PyNumberMethods* const numbers =
      Py_TYPE(value.ptr())->tp_as_number;  // not those of a class
  if (numbers != nullptr && numbers->nb_float != nullptr) {
    return py::float_(py::reinterpret_borrow<py::object>(value)).cast<double>();
  }
  if (py::isinstance<py::dict>(value)) {
    PlainTable table;
    // a copy holds its entries: what a value runs may change the dict
    const auto own = py::reinterpret_steal<py::dict>(PyDict_Copy(value.ptr()));
    if (!own) throw py::error_already_set();
    for (const auto& [key, inner] : own) {
      table[utf8_from(py::str(key), "a key")] = plain_value_from(inner, room);
    }
    return table;
  }
  const bool bytes = py::isinstance<py::bytes>(value);
  if (!bytes && (PySequence_Check(value.ptr()) != 0 || PyAnySet_Check(value.ptr()))) {
    return plain_list_from(value, room);
  }
  return strange("");
}
[[nodiscard]] inline PlainValue plain_value_from(const py::handle& value) {
  Room room;
  return plain_value_from(value, room);
}

/// The same of a value of which no more than the beginning is shown, or that is a single one.
[[nodiscard]] inline PlainValue short_value_from(const py::handle& value) {
  Room room{.levels = 64, .elements = 1000};
  return plain_value_from(value, room);
}

/// Throws std::invalid_argument "NAME = VALUE, allowed: ALLOWED" for an argument of Python.
[[noreturn]] inline void refuse_keyword(std::string_view name, const py::handle& value,
                                        std::string_view allowed,
                                        std::span<const std::string_view> names = {}) {
  refuse_value(name, short_value_from(value), allowed, names);
}

/// More hands, seats or exchanges than any deal has: what is wrong with a few too many says the engine.
inline constexpr std::size_t kMostParts = 1024;

/// Calls `read` with each element of a list, tuple, array or other iterable but text. What it refuses
/// is refused here with the place before it: "hands[3]: ...". Throws std::invalid_argument too where
/// `list` is something else, or has more elements than `most`: an iterable may have no end.
template <class Read>
void for_each_element(const py::handle& list, std::string_view name, std::string_view allowed,
                      const Read& read, std::size_t most = std::size_t{1} << 22) {
  if (!py::isinstance<py::iterable>(list) || py::isinstance<py::str>(list)) {
    refuse_keyword(name, list, allowed);
  }
  std::size_t at = 0;
  for (const py::handle element : list) {
    if (at == most) {
      throw std::invalid_argument(
          fmt::format("{}: more than {} elements, allowed: {}", name, most, allowed));
    }
    try {
      read(element);
    } catch (const std::invalid_argument& wrong) {
      throw std::invalid_argument(fmt::format("{}[{}]: {}", name, at, wrong.what()));
    }
    ++at;
  }
}

/// A Python integer, one of NumPy included; no bool and no float. Throws std::invalid_argument
/// naming the parameter and least..most.
template <std::integral Int>
[[nodiscard]] Int whole_from(const py::handle& value, const char* name,
                             Int least = std::numeric_limits<Int>::min(),
                             Int most = std::numeric_limits<Int>::max()) {
  const PlainValue plain = short_value_from(value);
  const auto* integer = std::get_if<std::int64_t>(&plain);
  const auto* large = std::get_if<std::uint64_t>(&plain);
  if (integer != nullptr && std::cmp_less_equal(least, *integer) &&
      std::cmp_less_equal(*integer, most)) {
    return static_cast<Int>(*integer);
  }
  if (large != nullptr && std::cmp_less_equal(*large, most)) return static_cast<Int>(*large);
  refuse_value(name, plain, fmt::format("integer {}..{}", least, most));
}

/// True or False, one of NumPy included. Throws std::invalid_argument naming the parameter.
[[nodiscard]] inline bool flag_from(const py::handle& value, const char* name) {
  const bool numpy = type_name(value) == "bool_" || type_name(value) == "bool";
  if (numpy) return truth_of(value);
  refuse_keyword(name, value, "true, false");
}

/// A parameter that is an integer.
template <ArgumentName kName, std::integral Int = int, Int kLeast = std::numeric_limits<Int>::min(),
          Int kMost = std::numeric_limits<Int>::max()>
struct Whole {
  Int value{};
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the number
  operator Int() const { return value; }
};

/// A parameter that is an integer whose range only the function knows, or that a command line calls
/// by a name of its own.
template <ArgumentName kName>
struct WholeWithin {
  PlainValue given;
  /// Throws WrongArgument naming the parameter and least..most.
  [[nodiscard]] int in(int least, int most) const {
    const auto* integer = std::get_if<std::int64_t>(&given);
    if (integer != nullptr && std::cmp_less_equal(least, *integer) &&
        std::cmp_less_equal(*integer, most)) {
      return static_cast<int>(*integer);
    }
    refuse_argument(kName.text,
                    fmt::format(" = {}, allowed: integer {}..{}", to_text(given), least, most));
  }
};

/// A number that a double holds, integers included; no bool. Throws std::invalid_argument naming the
/// parameter.
[[nodiscard]] inline double real_from(const py::handle& value, const char* name) {
  const PlainValue plain = short_value_from(value);
  if (const auto* number = std::get_if<double>(&plain)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&plain)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&plain)) return static_cast<double>(*number);
  refuse_value(name, plain, "number");
}

/// A parameter that is a number; which ones are allowed the function says.
template <ArgumentName kName>
struct Real {
  double value{};
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the number
  operator double() const { return value; }
};

/// A seed: 0..2^64 - 1.
template <ArgumentName kName = "seed">
using Seed = Whole<kName, std::uint64_t>;

/// A parameter that is true or false.
template <ArgumentName kName>
struct Flag {
  bool value = false;
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the truth
  operator bool() const { return value; }
};

/// A parameter that is a text.
template <ArgumentName kName>
struct Text {
  std::string value;
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the text
  operator const std::string&() const { return value; }
};

/// A path object as text, "./research" where it would read as the name of a preset; whatever else as it
/// came.
[[nodiscard]] inline py::object text_of_path(py::handle value) {
  const bool is_class = PyType_Check(value.ptr()) != 0;  // of paths, not one of them
  if (is_class || !py::hasattr(value, "__fspath__")) {
    return py::reinterpret_borrow<py::object>(value);
  }
  py::object text = py::module_::import("os").attr("fspath")(value);
  if (!py::isinstance<py::str>(text) || text.contains("/")) return text;
  return py::str("./{}").format(text);
}

/// Text, or a path object in its place.
template <ArgumentName kName>
struct TextOrPath : Text<kName> {};

}  // namespace schafkopf::python

namespace pybind11::detail {

template <schafkopf::python::ArgumentName kName, class Int, Int kLeast, Int kMost>
struct type_caster<schafkopf::python::Whole<kName, Int, kLeast, kMost>> {
  using Argument = schafkopf::python::Whole<kName, Int, kLeast, kMost>;
  PYBIND11_TYPE_CASTER(Argument, const_name("int"));
  bool load(handle source, bool) {
    value.value = schafkopf::python::whole_from<Int>(source, kName.text, kLeast, kMost);
    return true;
  }
};

template <schafkopf::python::ArgumentName kName>
struct type_caster<schafkopf::python::WholeWithin<kName>> {
  using Argument = schafkopf::python::WholeWithin<kName>;
  PYBIND11_TYPE_CASTER(Argument, const_name("int"));
  bool load(handle source, bool) {
    value.given = schafkopf::python::short_value_from(source);
    return true;
  }
};

template <schafkopf::python::ArgumentName kName>
struct type_caster<schafkopf::python::Real<kName>> {
  using Argument = schafkopf::python::Real<kName>;
  PYBIND11_TYPE_CASTER(Argument, const_name("float"));
  bool load(handle source, bool) {
    value.value = schafkopf::python::real_from(source, kName.text);
    return true;
  }
};

template <schafkopf::python::ArgumentName kName>
struct type_caster<schafkopf::python::Flag<kName>> {
  using Argument = schafkopf::python::Flag<kName>;
  PYBIND11_TYPE_CASTER(Argument, const_name("bool"));
  bool load(handle source, bool) {
    value.value = schafkopf::python::flag_from(source, kName.text);
    return true;
  }
};

template <schafkopf::python::ArgumentName kName>
struct type_caster<schafkopf::python::Text<kName>> {
  using Argument = schafkopf::python::Text<kName>;
  PYBIND11_TYPE_CASTER(Argument, const_name("str"));
  bool load(handle source, bool) {
    if (!isinstance<str>(source)) {
      schafkopf::python::refuse_keyword(kName.text, source, "text");
    }
    value.value = schafkopf::python::utf8_from(source, kName.text);
    return true;
  }
};

template <schafkopf::python::ArgumentName kName>
struct type_caster<schafkopf::python::TextOrPath<kName>> {
  using Argument = schafkopf::python::TextOrPath<kName>;
  PYBIND11_TYPE_CASTER(Argument, const_name("str | os.PathLike[str]"));
  bool load(handle source, bool) {
    const object text = schafkopf::python::text_of_path(source);
    if (!isinstance<str>(text)) {
      schafkopf::python::refuse_keyword(kName.text, source, "text, a path");
    }
    value.value = schafkopf::python::utf8_from(text, kName.text);
    return true;
  }
};

}  // namespace pybind11::detail
