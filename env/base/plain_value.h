// A value without a type of its own, as a file, a command line, a registry string or a Python
// keyword brings it: what readers of formats make, and what fields are read from (field.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace schafkopf {

struct PlainValue;
using PlainList = std::vector<PlainValue>;
using PlainTable = std::map<std::string, PlainValue, std::less<>>;

/// What no field takes: a date of TOML, an object of Python, a whole number beyond 64 bits (as a
/// number with a point it may be one). The text says what came.
struct StrangeValue {
  std::string text;
  friend bool operator==(const StrangeValue&, const StrangeValue&) = default;
};

/// What stands for nothing, where a field may be left open: Python's None.
inline const StrangeValue kNothing{"None"};  // NOLINT(*-throwing-static-initialization): short

struct PlainValue : std::variant<bool, std::int64_t, std::uint64_t, double, std::string, PlainList,
                                 PlainTable, StrangeValue> {
  using variant::variant;
};

/// In TOML notation, one line: `"long32"`, `4`, `["RUF", "SOLO"]`, `{ G = 10, ... }`.
[[nodiscard]] std::string to_text(const PlainValue& value);

/// A text in quotation marks, with TOML's escapes.
[[nodiscard]] std::string quoted_text(std::string_view text);

/// `true`, `12` and `0.5` as what they mean, a whole number beyond 64 bits as a strange value with
/// its digits, every other text as a text.
[[nodiscard]] PlainValue plain_value(std::string_view text);

}  // namespace schafkopf
