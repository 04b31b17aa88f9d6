#include "agents/work/toml_fields.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

namespace schafkopf {
namespace {

std::string range_text(std::string_view kind, const TomlField& field) {
  if (field.max == kAnyNumber) return fmt::format("{} >= {:g}", kind, field.min);
  return fmt::format("{} {:g}..{:.10g}", kind, field.min, field.max);
}

bool is_allowed(const std::string& text, std::string_view names) {
  return names.empty() ||
         fmt::format(", {},", names).find(fmt::format(", {},", text)) != std::string::npos;
}

}  // namespace

bool read_node(const toml::node& node, const TomlField& field, std::string& value) {
  const auto* text = node.as_string();
  if (text == nullptr || !is_allowed(text->get(), field.names)) return false;
  value = text->get();
  return true;
}

bool read_node(const toml::node& node, const TomlField&, bool& value) {
  const auto* flag = node.as_boolean();
  if (flag != nullptr) value = flag->get();
  return flag != nullptr;
}

bool read_node(const toml::node& node, const TomlField& field, double& value) {
  if (!node.is_integer() && !node.is_floating_point()) return false;
  const double number = *node.value<double>();
  if (!std::isfinite(number) || number < field.min || number > field.max) return false;
  value = number;
  return true;
}

bool read_node(const toml::node& node, const TomlField& field, std::int64_t& value) {
  const auto* integer = node.as_integer();
  if (integer == nullptr) return false;
  const auto number = static_cast<double>(integer->get());
  if (number < field.min || number > field.max) return false;
  value = integer->get();
  return true;
}

std::string allowed_text(const TomlField& field, const std::string&) {
  return field.names.empty() ? "text" : std::string(field.names);
}
std::string allowed_text(const TomlField&, bool) { return "true, false"; }
std::string allowed_text(const TomlField& field, double) { return range_text("number", field); }
std::string allowed_text(const TomlField& field, std::int64_t) {
  return range_text("integer", field);
}

std::string value_text(const std::string& value) {
  std::string result = "\"";
  for (const char c : value) {
    if (const auto code = static_cast<unsigned char>(c); code < 0x20 || code == 0x7F) {
      result += fmt::format("\\u{:04X}", code);  // TOML has them in no other form
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}
std::string value_text(bool value) { return value ? "true" : "false"; }
std::string value_text(std::int64_t value) { return fmt::format("{}", value); }
std::string value_text(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string node_text(const toml::node& node) {
  std::string text;
  node.visit([&](const auto& item) {
    if constexpr (toml::is_string<decltype(item)>) {
      text = fmt::format("\"{}\"", item.get());
    } else if constexpr (toml::is_boolean<decltype(item)> || toml::is_integer<decltype(item)> ||
                         toml::is_floating_point<decltype(item)>) {
      text = fmt::format("{}", item.get());
    } else if constexpr (toml::is_array<decltype(item)>) {
      std::vector<std::string> parts;
      for (const toml::node& part : item) parts.push_back(node_text(part));
      text = fmt::format("[{}]", fmt::join(parts, ", "));
    } else if constexpr (toml::is_table<decltype(item)>) {
      std::vector<std::string> parts;
      for (const auto& [key, part] : item) {
        parts.push_back(fmt::format("{} = {}", key.str(), node_text(part)));
      }
      text = fmt::format("{{ {} }}", fmt::join(parts, ", "));
    } else {
      text = "<a date or time>";
    }
  });
  return text;
}

std::string nearest_value(const toml::node& node, std::string_view names) {
  const auto* text = node.as_string();
  if (text == nullptr || names.find(", ") == std::string_view::npos) return {};
  std::vector<std::string_view> words;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(", "), names.size());
    words.push_back(names.substr(0, end));
    names.remove_prefix(std::min(end + 2, names.size()));
  }
  return nearest_hint(text->get(), words);
}

std::string text_of_file(const std::string& path, std::string_view what) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path)) {
    throw std::runtime_error(fmt::format("cannot read {} {}: {}", what, path,
                                         stream ? "it is a directory" : std::strerror(errno)));
  }
  return read_at_most(stream, kMaxTomlBytes + 1);
}

TomlAssignment parse_assignment(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw std::invalid_argument(fmt::format("--set {}: expected key=value", quotable(assignment)));
  }
  TomlAssignment result{std::string(assignment.substr(0, equals)), {}};
  const std::string value(assignment.substr(equals + 1));
  const std::string line = fmt::format("value = {}", value);
  check_toml_limits(line, "--set " + quotable(result.key));
  try {
    result.table = toml::parse(line);
  } catch (const toml::parse_error&) {
    const std::size_t sign = value.find_first_of("+-") == 0 ? 1 : 0;
    if (value.size() > sign && value.find_first_not_of("0123456789", sign) == std::string::npos &&
        value[sign] != '0') {
      throw std::invalid_argument(fmt::format(
          "--set {}: {} is longer than any number, allowed {}..{}", result.key, quotable(value),
          std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
    }
    result.table.insert_or_assign("value", value);  // text without quotes
  }
  return result;
}

}  // namespace schafkopf
