#include "env/base/field.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "env/base/input_limits.h"
#include "env/base/nearest.h"

namespace schafkopf {
namespace {

/// The first text of a value that is none of the names.
const std::string* wrong_text(const PlainValue& value, std::span<const std::string_view> names) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return is_among(names, *text) ? nullptr : text;
  }
  const auto* list = std::get_if<PlainList>(&value);
  if (list == nullptr) return nullptr;
  for (const PlainValue& item : *list) {
    if (const std::string* text = wrong_text(item, names)) return text;
  }
  return nullptr;
}

/// A list over several lines where one would be long.
std::string file_text(const PlainValue& value) {
  constexpr std::size_t kLongLine = 80;
  std::string line = to_text(value);
  const auto* list = std::get_if<PlainList>(&value);
  if (list == nullptr || line.size() <= kLongLine) return line;
  std::string text = "[\n";
  for (const PlainValue& item : *list) text += fmt::format("  {},\n", to_text(item));
  return text + "]";
}

}  // namespace

void refuse_value(std::string_view key, const PlainValue& value, std::string_view allowed,
                  std::span<const std::string_view> names) {
  const std::string* mistyped = names.empty() ? nullptr : wrong_text(value, names);
  throw FieldError(std::string(key),
                   fmt::format("{} = {}, allowed: {}{}", quotable(key), quotable(to_text(value)),
                               allowed, mistyped ? nearest_hint(*mistyped, names) : ""));
}

void refuse_key(std::string_view kind, std::string_view key, std::span<const std::string_view> keys,
                std::string_view meant) {
  const std::string hint =
      meant.empty() ? nearest_hint(key, keys) : fmt::format("; the nearest one is \"{}\"", meant);
  throw FieldError(std::string(key),
                   fmt::format("unknown {} \"{}\", allowed: {}{}", kind, quotable(key),
                               keys.empty() ? "none" : joined(keys), hint));
}

std::string at(std::string_view where, std::string_view message) {
  return where.empty() ? std::string(message) : fmt::format("{}: {}", where, message);
}

std::string range_text(std::string_view kind, const Field& field, std::uint64_t most) {
  const bool own_end = most != 0 && field.max >= static_cast<double>(most);
  const std::string max = own_end                   ? fmt::format("{}", most)
                          : field.max == kAnyNumber ? ""
                                                    : fmt::format("{:.10g}", field.max);
  std::string range =
      field.above_min ? fmt::format("above {:g}", field.min) : fmt::format(">= {:g}", field.min);
  if (!max.empty() && field.above_min) range += fmt::format(", at most {}", max);
  if (!max.empty() && !field.above_min) range = fmt::format("{:.10g}..{}", field.min, max);
  const std::string unit = field.unit.empty() ? "" : fmt::format(" ({})", field.unit);
  return fmt::format("{} {}{}", kind, range, unit);
}

std::string list_text(std::string_view item, const Field& field) {
  const std::string end = field.entries > 0 ? fmt::format(", at most {}", field.entries) : "";
  return fmt::format("list of {}{}", item, end);
}

std::optional<double> number_in(const PlainValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* large = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*large);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* strange = std::get_if<StrangeValue>(&value)) {  // a number beyond 64 bits
    const std::string& text = strange->text;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size()) return number;
  }
  return std::nullopt;
}

bool is_in_range(const Field& field, double number) {
  return number <= field.max && (field.above_min ? number > field.min : number >= field.min);
}

std::vector<std::string_view> names_in(std::string_view names) {
  std::vector<std::string_view> result;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(", "), names.size());
    result.push_back(names.substr(0, end));
    names.remove_prefix(std::min(end + 2, names.size()));
  }
  return result;
}

std::string joined(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

bool is_among(std::span<const std::string_view> names, std::string_view text) {
  return std::ranges::find(names, text) != names.end();
}

std::vector<std::string_view> keys_of(std::span<const FieldSlot> slots) {
  std::vector<std::string_view> keys;
  for (const FieldSlot& slot : slots) keys.push_back(slot.field.key);
  return keys;
}

void detail::rethrow_inside(std::string_view key, const FieldError& error) {
  throw FieldError(fmt::format("{}.{}", key, error.key()), at(key, error.what()));
}

void check_required(std::span<const FieldSlot> slots) {
  for (const auto& [field, value, allowed, names] : slots) {
    const auto* text = std::get_if<std::string>(&value);
    if (!field.required || text == nullptr || !text->empty()) continue;
    throw FieldError(std::string(field.key),
                     fmt::format("{} is missing ({})", field.key, field.meaning));
  }
}

std::string commented_file(std::span<const FieldSlot> slots, std::string head) {
  std::string text = std::move(head);
  for (const auto& [field, value, allowed, names] : slots) {
    if (!field.group.empty()) text += fmt::format("\n# ---- {} ----\n", field.group);
    if (field.source.empty()) {
      text += fmt::format("\n# {} [{}]\n", field.meaning, allowed);
    } else {
      text += fmt::format("\n# {} [{}]\n#   {}\n", field.meaning, field.source, allowed);
    }
    text += fmt::format("{} = {}\n", field.key, file_text(value));
  }
  return text;
}

std::vector<std::string> described(std::span<const FieldSlot> slots) {
  std::vector<std::string> lines;
  for (const auto& [field, value, allowed, names] : slots) {
    const auto* text = std::get_if<std::string>(&value);
    const std::string fallback = field.required ? "" : "=" + (text ? *text : to_text(value));
    lines.push_back(fmt::format("{}{}: {} [{}]", field.key, fallback, field.meaning, allowed));
  }
  return lines;
}

std::vector<FieldRow> field_rows(std::span<const FieldSlot> slots) {
  std::vector<FieldRow> rows;
  std::string group;
  for (const auto& [field, value, allowed, names] : slots) {
    if (!field.group.empty()) group = field.group;
    rows.push_back({std::string(field.key), group, std::string(field.meaning),
                    std::string(field.unit), std::string(field.source), allowed, value,
                    std::vector<std::string>(names.begin(), names.end()), field.required});
  }
  return rows;
}

}  // namespace schafkopf
