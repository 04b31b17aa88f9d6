// Configuration files by field tables: what those of training and of tournaments share. Include
// only in the .cpp of a configuration, which alone knows the TOML library.
//
// A configuration is a struct with a function visit(config, visitor) that calls
// visitor(TomlField, member) once per key; reading, writing, checking and documentation come from
// it. Each type of member has read_node(node, field, member), allowed_text(field, member) and
// value_text(member); those of plain values stand here.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/base/enum_set.h"
#include "env/base/input_limits.h"
#include "env/base/nearest.h"

namespace schafkopf {

inline constexpr double kAnyNumber = std::numeric_limits<double>::infinity();

/// One row of a field table. Numbers have a range, texts a list of names ("a, b"; "" = any text).
struct TomlField {
  std::string_view group, key, meaning;
  double min = 0.0, max = kAnyNumber;
  std::string_view names = "";
};

// Plain values; false = another type or out of range, and the value stays
[[nodiscard]] bool read_node(const toml::node& node, const TomlField& field, std::string& value);
[[nodiscard]] bool read_node(const toml::node& node, const TomlField& field, bool& value);
[[nodiscard]] bool read_node(const toml::node& node, const TomlField& field, double& value);
[[nodiscard]] bool read_node(const toml::node& node, const TomlField& field, std::int64_t& value);

/// "text", "true, false", "number 0..1", "integer >= 1".
[[nodiscard]] std::string allowed_text(const TomlField& field, const std::string& value);
[[nodiscard]] std::string allowed_text(const TomlField& field, bool value);
[[nodiscard]] std::string allowed_text(const TomlField& field, double value);
[[nodiscard]] std::string allowed_text(const TomlField& field, std::int64_t value);

/// As it stands in a file.
[[nodiscard]] std::string value_text(const std::string& value);
[[nodiscard]] std::string value_text(bool value);
[[nodiscard]] std::string value_text(double value);
[[nodiscard]] std::string value_text(std::int64_t value);

// Enumerations with names
template <class Value>
concept Named = requires(Value value) { names_of(value); };

template <Named Value>
[[nodiscard]] bool read_node(const toml::node& node, const TomlField&, Value& value) {
  const auto* text = node.as_string();
  const auto names = names_of(Value{});
  const auto found = text == nullptr ? names.end() : std::ranges::find(names, text->get());
  if (found == names.end()) return false;
  value = static_cast<Value>(found - names.begin());
  return true;
}
template <Named Value>
[[nodiscard]] std::string allowed_text(const TomlField&, Value value) {
  return fmt::format("{}", fmt::join(names_of(value), ", "));
}
template <Named Value>
[[nodiscard]] std::string value_text(Value value) {
  return fmt::format("\"{}\"", name_of(value));
}

// Lists
template <class Value>
[[nodiscard]] bool read_node(const toml::node& node, const TomlField& field,
                             std::vector<Value>& values) {
  const auto* array = node.as_array();
  if (array == nullptr) return false;
  std::vector<Value> read;
  for (const toml::node& item : *array) {
    if (!read_node(item, field, read.emplace_back())) return false;
  }
  values = std::move(read);
  return true;
}
template <Named Value>
[[nodiscard]] std::string allowed_text(const TomlField&, const std::vector<Value>&) {
  return fmt::format("list of {}", fmt::join(names_of(Value{}), ", "));
}
template <class Value>
[[nodiscard]] std::string value_text(const std::vector<Value>& values) {
  std::vector<std::string> parts;
  for (const Value& value : values) parts.push_back(value_text(value));
  const std::string line = fmt::format("[{}]", fmt::join(parts, ", "));
  return line.size() <= 80 ? line : fmt::format("[\n  {},\n]", fmt::join(parts, ",\n  "));
}

/// What came, for messages.
[[nodiscard]] std::string node_text(const toml::node& node);

/// "; the nearest one is "x"" for a text that is none of the listed names ("a, b"), or nothing.
[[nodiscard]] std::string nearest_value(const toml::node& node, std::string_view names);

/// Content of a TOML file; errors as those of read_file (env/base/input_limits.h).
[[nodiscard]] std::string text_of_file(const std::string& path, std::string_view what);

/// "key=value" of a command line; text needs no quotes. Raises std::invalid_argument.
struct TomlAssignment {
  std::string key;
  toml::table table;  // with the one key "value"
};
[[nodiscard]] TomlAssignment parse_assignment(std::string_view assignment);

/// Parse TOML and call use(key, node, line) for each key. Raises std::invalid_argument
/// "FILE:LINE: cause".
template <class Use>
void for_each_key(std::string_view text, const std::string& file, Use&& use) {
  check_toml_limits(text, file);
  try {
    const toml::table table = toml::parse(text, file);
    for (const auto& [key, node] : table) {
      use(key.str(), node, static_cast<std::size_t>(key.source().begin.line));
    }
  } catch (const toml::parse_error& error) {
    throw std::invalid_argument(
        fmt::format("{}:{}: {}", file, error.source().begin.line, quotable(error.description())));
  }
}

/// Set the key of one node. Raises std::invalid_argument beginning with `where`, for an unknown key
/// with the list of all.
template <class Config, class Visit>
void set_key(Config& config, const Visit& visit, std::string_view key, const toml::node& node,
             const std::string& where) {
  bool found = false;
  std::vector<std::string_view> keys;
  visit(config, [&](const auto& field, auto& value) {
    keys.push_back(field.key);
    if (field.key != key) return;
    found = true;
    bool read = false;
    try {
      read = read_node(node, field, value);
    } catch (const std::invalid_argument& error) {  // knows better what is wrong in it
      throw std::invalid_argument(fmt::format("{}{}: {}", where, key, error.what()));
    }
    if (!read) {
      const std::string allowed = allowed_text(field, value);
      throw std::invalid_argument(fmt::format("{}{} = {}, allowed: {}{}", where, key,
                                              quotable(node_text(node)), allowed,
                                              nearest_value(node, allowed)));
    }
  });
  if (!found) {
    throw std::invalid_argument(fmt::format("{}unknown key {}, allowed: {}{}", where, quotable(key),
                                            fmt::join(keys, ", "), nearest_hint(key, keys)));
  }
}

/// Every key with its meaning and what is allowed. head: comment lines at the beginning.
template <class Config, class Visit>
[[nodiscard]] std::string toml_text(const Config& config, const Visit& visit, std::string head) {
  std::string text = std::move(head);
  std::string_view group;
  visit(config, [&](const auto& field, const auto& value) {
    if (field.group != group) text += fmt::format("\n# ---- {} ----\n", field.group);
    group = field.group;
    text += fmt::format("\n# {} [{}]\n{} = {}\n", field.meaning, allowed_text(field, value),
                        field.key, value_text(value));
  });
  return text;
}

/// Keys in the order of the file, as rows {group, key, meaning, allowed}.
template <class Row, class Config, class Visit>
[[nodiscard]] std::vector<Row> field_rows(const Config& config, const Visit& visit) {
  std::vector<Row> rows;
  visit(config, [&](const auto& field, const auto& value) {
    rows.push_back({field.group, field.key, field.meaning, allowed_text(field, value)});
  });
  return rows;
}

}  // namespace schafkopf
