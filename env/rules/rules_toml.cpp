// Rule sets as TOML.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <variant>

#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/rules/embedded_presets.h"
#include "env/rules/rule_fields.h"
#include "env/rules/rules.h"
#include "env/rules/toml_reader.h"

namespace schafkopf {
namespace {

constexpr std::array<std::string_view, 8> kPresetNames = {
    "official_1989",  "official_1989_full", "schafkopfschule_base", "course_002",
    "wikipedia_pure", "wikipedia_extended", "tournament_2024",      "research"};

/// Name of the preset that the file starts from, empty if it names none.
std::string preset_of(const TomlText& toml) {
  for (const auto& [key, value] : toml.entries) {
    if (key != "preset") continue;
    const auto* name = std::get_if<std::string>(&value);
    if (name != nullptr && is_among(kPresetNames, *name)) return *name;
    refuse_value(key, value, joined(kPresetNames), kPresetNames);
  }
  return {};
}

std::string_view preset_text(std::string_view name) {
  const auto presets = embedded_presets();
  const auto it = std::ranges::find(presets, name, &EmbeddedPreset::name);
  if (it == presets.end()) {
    throw RuleError("preset", fmt::format("preset = \"{}\", allowed: {}{}", quotable(name),
                                          joined(kPresetNames), nearest_hint(name, kPresetNames)));
  }
  return it->text;
}

NamedRules load_named_rules(const std::string& path) {
  return read_rules(read_file(path, "the rule file", kMaxTomlBytes), path);
}

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
                      const std::map<std::string, PlainValue>& overrides) {
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
  const TomlText toml = read_toml(text, file_name_for_errors);
  NamedRules result;
  result.name = std::filesystem::path(toml.file).stem().string();
  try {
    result.preset = preset_of(toml);
    if (!result.preset.empty()) result.rules = preset(result.preset);
    for (const auto& [key, value] : toml.entries) {
      if (key == "preset") continue;
      set_field(result.rules, key, value);
      result.own_switches.push_back(key);
    }
    result.rules = checked(result.rules);
  } catch (const FieldError& error) {
    throw std::invalid_argument(at(toml.place_of(error.key()), error.what()));
  } catch (const RuleError& error) {
    throw std::invalid_argument(at(toml.place_of(error.key()), error.what()));
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
  throw RuleError("preset", fmt::format("rule set \"{}\", allowed: {}, or the path of a .toml file",
                                        quotable(name_or_path), fmt::join(kPresetNames, ", ")) +
                                nearest_hint(name_or_path, kPresetNames));
}

std::string to_toml(const RuleSet& rules, std::string_view title) {
  std::string text = title.empty() ? std::string() : "# ";
  for (const char c : title) {
    if (c == '\n') {
      text += "\n# ";
    } else if (c != '\r') {
      text += c;
    }
  }
  if (!title.empty()) text += "\n#\n";
  text +=
      "# Every switch of the house rules. Above each: its meaning [source], then what is allowed.\n"
      "# A file may name a preset (preset = \"official_1989\") and only the switches that "
      "differ.\n";
  return commented_file(slots_of_rules(rules), std::move(text));
}

}  // namespace schafkopf
