#include "env/rules/toml_reader.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "env/base/input_limits.h"

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

/// A whole number that TOML's 64 bits with a sign do not hold.
bool is_long_number(std::string_view text) {
  constexpr std::size_t kFewestDigits = 19;
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  return digits.size() >= kFewestDigits && digits[0] != '0' &&
         digits.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Value on line `number` of a text, if this is "key = VALUE" with perhaps a comment, as it stands
/// there; of no length if the line is none of these.
std::string_view value_on_line(std::string_view text, std::size_t number) {
  std::size_t begin = 0;
  for (std::size_t line = 1; line < number; ++line) {
    begin = text.find('\n', begin);
    if (begin++ == std::string_view::npos) return {};
  }
  const std::size_t end = std::min(text.find_first_of("#\r\n", begin), text.size());
  const std::size_t equals = text.find('=', begin);
  if (equals >= end) return {};
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  std::size_t value = equals + 1, after = end;
  while (value < after && is_blank(text[value])) ++value;
  while (value < after && is_blank(text[after - 1])) --after;
  return text.substr(value, after - value);
}

/// Takes the long number out of a line: 0 stands there then. Gives the number, or nothing if there
/// is none.
std::string take_long_number(std::string& text, std::size_t number) {
  const std::string_view value = value_on_line(text, number);
  if (!is_long_number(value)) return {};
  std::string taken(value);
  text.replace(static_cast<std::size_t>(value.data() - text.data()), taken.size(), "0");
  return taken;
}

/// What to do about a line that TOML does not take, where its value shows what was meant.
std::string hint_for(std::string_view error, std::string_view value) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (value.empty() || !error.starts_with("Error while parsing ") ||
      error.starts_with("Error while parsing key") || value == "true" || value == "false" ||
      value.find_first_of("\"',[]{}") != std::string_view::npos ||
      !(is_letter(value[0]) || value.starts_with("/") || value.starts_with("./") ||
        value.starts_with("../"))) {
    return {};
  }
  std::string small(value);
  for (char& c : small) c = is_letter(c) ? static_cast<char>(c | 0x20) : c;
  if (small == "true" || small == "false") return fmt::format("; allowed: {}", small);
  return fmt::format("; a text stands in quotation marks: \"{}\"", quotable(value));
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
  std::string readable(text);
  std::map<std::size_t, std::string> long_numbers;  // by line
  std::string first_error;
  constexpr std::size_t kMostLongNumbers = 16;  // each costs one more reading of the whole text
  for (;;) {
    try {
      TomlText result{.file = file, .entries = {}, .lines = {}};
      const toml::table table = toml::parse(readable, file);
      for (const auto& [key, node] : table) {
        const auto taken = long_numbers.extract(key.source().begin.line);
        result.entries.emplace_back(key.str(),
                                    taken ? plain_value(taken.mapped()) : plain_value_of(node));
      }
      if (!long_numbers.empty()) throw std::invalid_argument(first_error);  // inside of a table
      add_lines(table, "", result);
      return result;
    } catch (const toml::parse_error& error) {
      const std::size_t line = error.source().begin.line;
      std::string taken =
          long_numbers.size() < kMostLongNumbers ? take_long_number(readable, line) : std::string();
      if (taken.empty() || first_error.empty()) {
        first_error = fmt::format("{}:{}: {}{}", file, line, quotable(error.description()),
                                  hint_for(error.description(), value_on_line(readable, line)));
      }
      if (taken.empty()) throw std::invalid_argument(first_error);
      long_numbers.emplace(line, std::move(taken));
    } catch (const BrokenToml& error) {
      throw std::invalid_argument(fmt::format("{}: {}", file, error.what()));
    }
  }
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
  } catch (const toml::parse_error&) {  // a text without quotation marks, or beyond 63 bits
    if (is_long_number(value)) return {key, plain_value(value)};
  } catch (const BrokenToml&) {  // a text like "[[#"
    return {key, std::string(value)};
  }
  return {key, std::string(value)};
}

std::string place_of_assignment(std::string_view assignment) {
  return "--set " + quotable(assignment);
}

}  // namespace schafkopf
