// TOML as plain values: the only place that knows the TOML library. Which keys there are, and what
// they may be, say the tables of fields above (env/base/field.h).
#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/base/field.h"

namespace schafkopf {

/// A text that the TOML library cannot go through; it does not say where.
class BrokenToml : public std::invalid_argument {
 public:
  BrokenToml() : invalid_argument("no TOML: no name or value stands where one must begin") {}
};

/// The keys of a text with their values, and the lines of all of them, dotted ones too
/// ("tariff.ruf").
struct TomlText {
  std::string file;  // for messages
  std::vector<std::pair<std::string, PlainValue>> entries;
  std::map<std::string, std::size_t, std::less<>> lines;

  /// "FILE:LINE" of a dotted key, or of the part of it that the text has; line 1 if it has none.
  [[nodiscard]] std::string place_of(std::string_view key) const;
};

/// Raises std::invalid_argument "FILE:LINE: cause" for what is no TOML, too long or too deep.
[[nodiscard]] TomlText read_toml(std::string_view text, const std::string& file);

/// "key=value" of a command line: a TOML value, and every other text as a text. Raises
/// std::invalid_argument without a key.
[[nodiscard]] std::pair<std::string, PlainValue> read_assignment(std::string_view assignment);

/// Where an assignment stands, for messages.
[[nodiscard]] std::string place_of_assignment(std::string_view assignment);

/// Sets every key of a text. Raises std::invalid_argument "FILE:LINE: cause".
template <HasFields Struct>
void assign_toml(Struct& values, const TomlText& text) {
  for (const auto& [key, value] : text.entries) {
    try {
      assign_field(values, key, value);
    } catch (const FieldError& error) {
      throw std::invalid_argument(at(text.place_of(error.key()), error.what()));
    }
  }
}

/// Sets the key of "key=value". Raises std::invalid_argument naming the assignment.
template <HasFields Struct>
std::string assign_setting(Struct& values, std::string_view assignment) {
  const auto [key, value] = read_assignment(assignment);
  try {
    assign_field(values, key, value);
  } catch (const FieldError& error) {
    throw std::invalid_argument(at(place_of_assignment(assignment), error.what()));
  }
  return key;
}

}  // namespace schafkopf
