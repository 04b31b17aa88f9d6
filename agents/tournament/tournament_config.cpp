#include "agents/tournament/tournament_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "agents/engine/engine_options.h"
#include "agents/engine/shell_words.h"
#include "agents/registry.h"
#include "agents/tournament/tournament_fields.h"
#include "agents/work/named_files.h"
#include "agents/work/spec_value.h"
#include "env/base/input_limits.h"
#include "env/rules/toml_reader.h"

namespace schafkopf {
namespace {

// What an agent in braces has
struct NamedAgent {
  std::string name, spec;
};
template <FieldsOf<NamedAgent> Agent, class Visitor>
void visit_fields(Agent& agent, Visitor&& visit) {
  visit(Field{.key = "name", .meaning = "display name; empty: the registry string"}, agent.name);
  visit(Field{.key = "spec", .meaning = "registry string", .required = true}, agent.spec);
}

}  // namespace

bool FieldCodec<TournamentAgent>::read(const Field& field, const PlainValue& value,
                                       TournamentAgent& agent) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    agent = {.spec = *text};
    return !text->empty();
  }
  NamedAgent named;
  if (!FieldCodec<NamedAgent>::read(field, value, named)) return false;
  agent = {.spec = std::move(named.spec), .name = std::move(named.name)};
  return true;
}

PlainValue FieldCodec<TournamentAgent>::write(const TournamentAgent& agent) {
  std::string spec = agent.spec.empty() && agent.policy ? agent.policy->name() : agent.spec;
  if (agent.name.empty()) return spec;
  return PlainTable{{"name", agent.name}, {"spec", spec}};
}

bool FieldCodec<ChosenRules>::read(const Field&, const PlainValue& value, ChosenRules& rules) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || text->empty()) return false;
  rules = ChosenRules(*text);
  return true;
}

const std::shared_ptr<const CompiledRules>& ChosenRules::shared() const {
  if (rules_ == nullptr && name_.empty()) throw std::invalid_argument("no rules given");
  if (rules_ == nullptr) rules_ = CompiledRules::load(name_);
  return rules_;
}

namespace {

// ---- contradictions
// ------------------------------------------------------------------------------

/// "FILE:LINE" of a key that a file set, else nothing.
std::string where_is(const TournamentOptions& config, std::string_view key) {
  const auto place = config.places.find(key);
  return place == config.places.end() ? std::string() : place->second;
}

[[noreturn]] void refuse(const TournamentOptions& config, std::string_view key,
                         const std::string& message) {
  throw std::invalid_argument(at(where_is(config, key), message));
}

/// Raises for each of `keys` that differs from its default although another setting takes its
/// effect away.
void check_idle(const TournamentOptions& config, bool used,
                std::initializer_list<std::string_view> keys, const std::string& reason) {
  if (used) return;
  const std::vector<FieldSlot> slots = slots_of(config), defaults = slots_of(TournamentOptions());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::string_view key = slots[i].field.key;
    if (std::ranges::find(keys, key) == keys.end()) continue;
    if (slots[i].value == defaults[i].value) continue;
    refuse(config, key, fmt::format("{} = {} {}", key, to_text(slots[i].value), reason));
  }
}

void check_track(const TournamentOptions& config) {
  const std::string track = fmt::format("has no effect with track = \"{}\"", name_of(config.track));
  check_idle(config, config.track == Track::kCardPlay, {"generator", "contract_list"}, track);
  check_idle(config, config.contract_list.empty(), {"generator"},
             "contradicts contract_list, allowed: one of them");
  check_idle(config, config.track == Track::kBidding, {"card_player"},
             track + ", allowed: with \"bidding\"");
}

void check_schedule(const TournamentOptions& config) {
  const bool pairs = config.schedule == Schedule::kRoundRobin;
  check_idle(config, pairs,
             {"against", "pairings", "formats", "blocks", "tables", "precision", "double_dummy"},
             "has no effect with schedule = \"league\"");
  if (!pairs && config.track != Track::kFull) {
    refuse(
        config, "track",
        fmt::format("track = \"{}\": schedule = \"league\" needs \"full\"", name_of(config.track)));
  }
  check_idle(config, !pairs, {"players"}, "has no effect with schedule = \"round_robin\"");
}

bool wants_precision(const TournamentOptions& config) {
  const auto wants = [](const PairingWish& wish) { return wish.precision > 0.0; };
  return config.precision > 0.0 || std::ranges::any_of(config.pairings, wants);
}

void check_rules(const TournamentOptions& config) {
  try {
    (void)config.rules.shared();
  } catch (const std::exception& error) {  // no such file, or what is wrong in it
    refuse(config, "rules",
           fmt::format("rules = {}: {}", quoted_text(config.rules.name()), error.what()));
  }
}

}  // namespace

std::vector<FieldRow> tournament_config_fields() {
  return field_rows(slots_of(TournamentOptions()));
}

TournamentOptions parse_tournament_config(std::string_view text,
                                          const std::string& file_name_for_errors) {
  const TomlText toml = read_toml(text, file_name_for_errors);
  TournamentOptions config;
  config.file = toml.file;
  assign_toml(config, toml);
  for (const auto& [key, line] : toml.lines) config.places[key] = toml.place_of(key);
  return config;
}

TournamentOptions load_tournament_config(const std::string& path) {
  return parse_tournament_config(read_file(path, "the tournament file", kMaxTomlBytes), path);
}

void set_tournament_config(TournamentOptions& config, std::string_view assignment) {
  config.places[assign_setting(config, assignment)] = place_of_assignment(assignment);
}

void set_tournament_config(TournamentOptions& config, std::string_view key,
                           const PlainValue& value) {
  assign_field(config, key, value);
  if (const auto place = config.places.find(key); place != config.places.end()) {
    config.places.erase(place);
  }
}

void check_tournament_config(const TournamentOptions& config) {
  if (config.agents.empty()) {
    throw std::invalid_argument(at(
        config.file,
        "agents is missing or empty, allowed: registry strings, two or more but for a league day"));
  }
  check_schedule(config);
  check_track(config);
  check_idle(config, wants_precision(config), {"first_check"}, "has no effect without a precision");
  check_rules(config);
}

void check_playable(const TournamentOptions& config) {
  check_tournament_config(config);
  if (config.schedule == Schedule::kLeague) {
    check_league_day(config);
  } else {
    check_tournament(config);
  }
}

namespace {

/// A path that leads to a file, from any folder; other texts as they are.
std::string absolute_if_file(const std::string& text) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(text, error)) return text;
  return std::filesystem::absolute(text).lexically_normal().string();
}

/// The command of an engine that names files from any folder. A word without a slash is a program
/// of PATH, or none of our business.
std::string absolute_command(const std::string& command) {
  std::vector<std::string> words;
  try {
    words = shell_words(command);
  } catch (const std::invalid_argument&) {
    return command;  // who makes the player says what is wrong
  }
  bool changed = false;
  for (std::string& word : words) {
    if (word.find('/') == std::string::npos) continue;
    std::string path = absolute_if_file(word);
    changed = changed || path != word;
    word = std::move(path);
  }
  if (!changed) return command;
  std::ranges::transform(words, words.begin(), shell_quoted);
  return fmt::format("{}", fmt::join(words, " "));
}

/// A registry string whose parameters name files from any folder.
std::string absolute_spec(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  if (colon == std::string::npos) return spec;
  std::vector<std::string> parts;
  const bool engine = spec.substr(0, colon) == kEngineName;
  constexpr const char* kFirst = ":";  // stands for the key that is left out
  bool changed = false;
  for (const auto& [key, value] : parse_spec(spec, kFirst).parameters) {
    const bool command = engine && key == kCommandKey;
    std::string path = command ? absolute_command(value) : absolute_if_file(value);
    // of an engine no other value than the command, which is the last one, may hold a comma
    if (engine && !command && path.find(',') != std::string::npos) path = value;
    changed = changed || path != value;
    const std::string text = engine ? path : spec_value(path);
    parts.push_back(key == kFirst ? text : fmt::format("{}={}", key, text));
  }
  return changed ? fmt::format("{}:{}", spec.substr(0, colon), fmt::join(parts, ",")) : spec;
}

}  // namespace

void make_paths_absolute(TournamentOptions& config) {
  for (TournamentAgent& agent : config.agents) {
    const std::string spec = absolute_spec(agent.spec);
    if (spec != agent.spec && agent.name.empty()) agent.name = agent.spec;
    agent.spec = spec;
  }
  config.generator = absolute_spec(config.generator);
  config.card_player = absolute_spec(config.card_player);
  config.contract_list = absolute_if_file(config.contract_list);
  const auto presets = preset_names();
  if (std::ranges::find(presets, config.rules.name()) == presets.end()) {
    config.rules = ChosenRules(absolute_if_file(config.rules.name()));
  }
}

void refuse_paths_elsewhere(const TournamentOptions& config,
                            std::span<const std::string> settings) {
  if (config.file.empty()) return;
  std::vector<NamedFiles> named = {{"rules", config.rules.name()},
                                   {"contract_list", config.contract_list},
                                   {"generator", config.generator, true},
                                   {"card_player", config.card_player, true}};
  for (const TournamentAgent& agent : config.agents) named.push_back({"agents", agent.spec, true});
  refuse_paths_elsewhere(config.file, named, settings);
}

std::string to_toml(const TournamentOptions& config) {
  return commented_file(
      slots_of(config),
      "# Settings of a tournament. Above each key: its meaning, then what is allowed.\n"
      "# A file may name only the keys that differ from these; --set key=value changes one.\n");
}

}  // namespace schafkopf
