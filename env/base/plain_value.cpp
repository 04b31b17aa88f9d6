#include "env/base/plain_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <type_traits>

namespace schafkopf {
namespace {

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(std::int64_t value) { return fmt::format("{}", value); }
std::string text_of(std::uint64_t value) { return fmt::format("{}", value); }
std::string text_of(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;  // not inf, nan
}
std::string text_of(const std::string& value) { return quoted_text(value); }
std::string text_of(const StrangeValue& value) { return value.text; }
std::string text_of(const PlainList& values) {
  std::vector<std::string> items;
  for (const PlainValue& value : values) items.push_back(to_text(value));
  return fmt::format("[{}]", fmt::join(items, ", "));
}
std::string text_of(const PlainTable& table) {
  std::vector<std::string> items;
  for (const auto& [key, value] : table)
    items.push_back(fmt::format("{} = {}", key, to_text(value)));
  return items.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(items, ", "));
}

template <class Number>
bool read_number(std::string_view text, PlainValue& value) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  value = number;
  return true;
}

bool is_whole(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string to_text(const PlainValue& value) {
  return std::visit([](const auto& inner) { return text_of(inner); }, value);
}

std::string quoted_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (const auto code = static_cast<unsigned char>(c); code < 0x20 || code == 0x7F) {
      result += fmt::format("\\u{:04X}", code);  // TOML has them in no other form
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

PlainValue plain_value(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  PlainValue value;
  if (read_number<std::int64_t>(text, value) || read_number<std::uint64_t>(text, value)) {
    return value;
  }
  if (is_whole(text)) return StrangeValue{std::string(text)};
  if (read_number<double>(text, value)) return value;
  return std::string(text);
}

}  // namespace schafkopf
