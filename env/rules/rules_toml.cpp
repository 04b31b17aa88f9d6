// Rule sets as TOML: the only file of the room that knows a TOML library.
#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/rules/embedded_presets.h"
#include "env/rules/rules.h"

namespace schafkopf {
namespace {

constexpr std::array<std::string_view, 8> kPresetNames = {
    "official_1989",  "official_1989_full", "schafkopfschule_base", "course_002",
    "wikipedia_pure", "wikipedia_extended", "tournament_2024",      "research"};

[[noreturn]] void throw_at(const std::string& file, std::size_t line, std::string_view message) {
  throw std::invalid_argument(fmt::format("{}:{}: {}", file, line, message));
}

std::size_t line_of(const toml::node& node) { return node.source().begin.line; }

/// Line of a dotted key, or of the part of it that the file has; 1 if it has none.
std::size_t line_of_key(const toml::table& table, std::string_view key) {
  std::size_t line = 1;
  const toml::table* inner = &table;
  while (inner != nullptr && !key.empty()) {
    const std::size_t dot = std::min(key.find('.'), key.size());
    const toml::node* node = inner->get(key.substr(0, dot));
    if (node == nullptr) break;
    line = line_of(*node);
    inner = node->as_table();
    key.remove_prefix(std::min(dot + 1, key.size()));
  }
  return line;
}

/// Reads a boolean, number or text into `value`; false for other nodes.
template <class Value>
bool read_scalar(const toml::node& node, Value& value) {
  if (const auto* flag = node.as_boolean()) {
    value = flag->get();
  } else if (const auto* integer = node.as_integer()) {
    value = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value = number->get();
  } else if (const auto* text = node.as_string()) {
    value = text->get();
  } else {
    return false;
  }
  return true;
}

/// Reads the value of a switch; false for shapes that no switch has (dates, nested lists and
/// tables).
bool read_value(const toml::node& node, FieldValue& value) {
  if (const auto* array = node.as_array()) {
    auto& names = value.emplace<std::vector<std::string>>();
    for (const toml::node& item : *array) {
      if (!item.is_string()) return false;
      names.push_back(item.as_string()->get());
    }
    return true;
  }
  if (const auto* table = node.as_table()) {
    auto& fields = value.emplace<FieldTable>();
    return std::ranges::all_of(*table, [&](const auto& item) {
      return read_scalar(item.second, fields[std::string(item.first.str())]);
    });
  }
  return read_scalar(node, value);
}

toml::table parse_toml(std::string_view text, const std::string& file) {
  check_toml_limits(text, file);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw_at(file, error.source().begin.line, quotable(error.description()));
  }
}

/// What came in the place of a text.
std::string text_of(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& value) { text << value; });
  return quotable(text.str());
}

/// Name of the preset that the file starts from, empty if it names none.
std::string preset_of(const toml::table& table, const std::string& file) {
  const toml::node* node = table.get("preset");
  if (node == nullptr) return {};
  const auto* name = node->as_string();
  if (name == nullptr || std::ranges::find(kPresetNames, name->get()) == kPresetNames.end()) {
    throw_at(file, line_of(*node),
             fmt::format("preset = {}, allowed {}",
                         name == nullptr ? text_of(*node) : '"' + quotable(name->get()) + '"',
                         fmt::join(kPresetNames, ", ")) +
                 (name == nullptr ? std::string() : nearest_hint(name->get(), kPresetNames)));
  }
  return name->get();
}

void write_comment(std::string& text, const FieldInfo& info) {
  if (!info.group.empty()) text += fmt::format("\n\n# ---- {} ----\n", info.group);
  text += fmt::format("\n# {} [{}]\n#   {}\n", info.meaning, info.source, info.allowed);
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path)) {
    throw std::system_error(stream ? EISDIR : errno, std::generic_category(),
                            "cannot read the rule file " + path);
  }
  return read_at_most(stream, kMaxTomlBytes + 1);
}

std::string_view preset_text(std::string_view name) {
  const auto presets = embedded_presets();
  const auto it = std::ranges::find(presets, name, &EmbeddedPreset::name);
  if (it == presets.end()) {
    throw RuleError("preset", fmt::format("preset = \"{}\", allowed {}", quotable(name),
                                          fmt::join(kPresetNames, ", ")) +
                                  nearest_hint(name, kPresetNames));
  }
  return it->text;
}

NamedRules load_named_rules(const std::string& path) { return read_rules(read_file(path), path); }

}  // namespace

std::span<const std::string_view> preset_names() { return kPresetNames; }

RuleSet preset(std::string_view name) {
  return parse_rules(preset_text(name), fmt::format("configs/rules/{}.toml", name));
}

std::string preset_title(std::string_view name) {
  std::string_view text = preset_text(name);
  text = text.substr(0, text.find('\n'));
  const std::string before = fmt::format("# {}: ", name);
  text.remove_prefix(text.starts_with(before) ? before.size() : std::string_view("# ").size());
  return std::string(text);
}

NamedRules make_rules(std::string_view preset_name,
                      const std::map<std::string, FieldValue>& overrides) {
  NamedRules result;
  result.preset = std::string(preset_name);
  result.name = preset_name.empty() || !overrides.empty() ? "custom" : result.preset;
  if (!preset_name.empty()) result.rules = preset(preset_name);
  for (const auto& [key, value] : overrides) {
    set_field(result.rules, key, value);
    result.own_switches.push_back(key);
  }
  result.rules = checked(result.rules);
  return result;
}

NamedRules read_rules(std::string_view text, const std::string& file_name_for_errors) {
  const std::string& file = file_name_for_errors;
  const toml::table table = parse_toml(text, file);
  NamedRules result;
  result.name = std::filesystem::path(file).stem().string();
  result.preset = preset_of(table, file);
  if (!result.preset.empty()) result.rules = preset(result.preset);
  try {
    for (const auto& [key, node] : table) {
      if (key.str() == "preset") continue;
      FieldValue value;
      if (!read_value(node, value)) {
        (void)get_field(result.rules, key.str());  // an unknown key is the first mistake to name
        throw_at(file, line_of(node),
                 fmt::format("{}: not a value for a switch", quotable(key.str())));
      }
      set_field(result.rules, key.str(), value);
      result.own_switches.emplace_back(key.str());
    }
    result.rules = checked(result.rules);
  } catch (const RuleError& error) {
    throw_at(file, line_of_key(table, error.key()), error.what());
  }
  return result;
}

RuleSet parse_rules(std::string_view text, const std::string& file_name_for_errors) {
  return read_rules(text, file_name_for_errors).rules;
}

RuleSet load_rules(const std::string& path) { return load_named_rules(path).rules; }

NamedRules find_rules(const std::string& name_or_path) {
  if (std::ranges::find(kPresetNames, name_or_path) != kPresetNames.end()) {
    return make_rules(name_or_path, {});
  }
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml")) {
    return load_named_rules(name_or_path);
  }
  throw RuleError("preset", fmt::format("rule set \"{}\", allowed {}, or the path of a .toml file",
                                        quotable(name_or_path), fmt::join(kPresetNames, ", ")) +
                                nearest_hint(name_or_path, kPresetNames));
}

std::string to_toml(const RuleSet& rules, std::string_view title) {
  std::string text = title.empty() ? std::string() : fmt::format("# {}\n#\n", title);
  text +=
      "# Every switch of the house rules. Above each: its meaning [source], then what is allowed.\n"
      "# A file may name a preset (preset = \"official_1989\") and only the switches that "
      "differ.\n";
  for (const FieldInfo& info : rule_fields()) {
    write_comment(text, info);
    text += fmt::format("{} = {}\n", info.key, to_text(get_field(rules, info.key)));
  }
  return text;
}

}  // namespace schafkopf
