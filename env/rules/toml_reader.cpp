#include "env/rules/toml_reader.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "env/base/input_limits.h"
#include "env/base/refuse.h"

namespace schafkopf {
namespace {

PlainValue plain_value_of(const toml::node& node) {
  PlainValue value;
  node.visit([&](const auto& item) {
    if constexpr (toml::is_boolean<decltype(item)> || toml::is_integer<decltype(item)> ||
                  toml::is_floating_point<decltype(item)> || toml::is_string<decltype(item)>) {
      value = item.get();
    } else if constexpr (toml::is_array<decltype(item)>) {
      PlainList list;
      for (const toml::node& inner : item) list.push_back(plain_value_of(inner));
      value = std::move(list);
    } else if constexpr (toml::is_table<decltype(item)>) {
      PlainTable table;
      for (const auto& [key, inner] : item) table.emplace(key.str(), plain_value_of(inner));
      value = std::move(table);
    } else {
      std::ostringstream date;
      date << item;
      value = StrangeValue{date.str()};
    }
  });
  return value;
}

void add_lines(const toml::table& table, const std::string& before, TomlText& text) {
  for (const auto& [key, node] : table) {
    const std::string dotted = before + std::string(key.str());
    text.lines.emplace(dotted, key.source().begin.line);
    if (const toml::table* inner = node.as_table()) add_lines(*inner, dotted + ".", text);
  }
}

}  // namespace

std::string TomlText::place_of(std::string_view key) const {
  for (std::string_view part = key;; part = part.substr(0, part.rfind('.'))) {
    if (const auto line = lines.find(part); line != lines.end()) {
      return fmt::format("{}:{}", file, line->second);
    }
    if (part.rfind('.') == std::string_view::npos) return fmt::format("{}:1", file);
  }
}

TomlText read_toml(std::string_view text, const std::string& file) {
  check_toml_limits(text, file);
  TomlText result{.file = file, .entries = {}, .lines = {}};
  try {
    const toml::table table = toml::parse(text, file);
    for (const auto& [key, node] : table) {
      result.entries.emplace_back(key.str(), plain_value_of(node));
    }
    add_lines(table, "", result);
  } catch (const toml::parse_error& error) {
    throw std::invalid_argument(
        fmt::format("{}:{}: {}", file, error.source().begin.line, quotable(error.description())));
  }
  return result;
}

std::pair<std::string, PlainValue> read_assignment(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw std::invalid_argument(at(place_of_assignment(assignment), "no key, allowed: key=value"));
  }
  const std::string key(assignment.substr(0, equals));
  const std::string_view value = assignment.substr(equals + 1);
  const std::string line = fmt::format("value = {}", value);
  check_toml_limits(line, "--set " + quotable(key));
  try {
    const toml::table table = toml::parse(line);
    if (const toml::node* node = table.get("value"); node != nullptr && table.size() == 1) {
      return {key, plain_value_of(*node)};
    }
  } catch (const toml::parse_error&) {  // a text without quotation marks, or too long a number
    const std::size_t sign = value.find_first_of("+-") == 0 ? 1 : 0;
    if (value.size() > sign && value[sign] != '0' &&
        value.find_first_not_of("0123456789", sign) == std::string_view::npos) {
      refuse(fmt::format("--set {}: {} is longer than any number, allowed: {}..{}", quotable(key),
                         quotable(value), std::numeric_limits<std::int64_t>::min(),
                         std::numeric_limits<std::int64_t>::max()));
    }
  }
  return {key, std::string(value)};
}

std::string place_of_assignment(std::string_view assignment) {
  return "--set " + quotable(assignment);
}

}  // namespace schafkopf
