#include "agents/tournament/tournament_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <concepts>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "agents/registry.h"
#include "agents/work/toml_fields.h"
#include "env/base/nearest.h"

namespace schafkopf {

using Field = TomlField;

namespace {

constexpr double kMaxBlocks = 2'000'000'000;

template <class Config, class Visitor>
void visit_agents(Config& c, Visitor&& visit) {
  constexpr std::string_view kGroup = "who plays";
  visit(Field{kGroup, "agents",
              "registry strings, or { name = \"...\", spec = \"...\" } for a name of its own; two "
              "or more, names distinct"},
        c.agents);
  visit(Field{kGroup, "against",
              "name of an agent: each other one plays alone against it in all other seats; empty: "
              "see pairings"},
        c.against);
  visit(Field{kGroup, "pairings",
              "who meets whom, besides `against`; without both every pair in both directions. "
              "{ one, others, both_directions = true, precision = 0.0 }"},
        c.pairings);
  visit(Field{kGroup, "formats",
              "seatings of a deal: one against all others from every seat, two against two in six "
              "ways"},
        c.formats);
}

template <class Config, class Visitor>
void visit_games(Config& c, Visitor&& visit) {
  constexpr std::string_view kGroup = "what is played";
  visit(Field{kGroup, "schedule",
              "duplicate deals for all pairings, or a league day as the rules describe it (tables, "
              "sittings, bonus, ranking)"},
        c.schedule);
  visit(Field{kGroup, "rules", "rule set: name of a preset or path of a .toml file"}, c.rules);
  visit(Field{kGroup, "track",
              "the agents do everything, only the cards, or only what comes before the cards"},
        c.track);
  visit(Field{kGroup, "generator", "contracts of the track card_play (registry string)"},
        c.generator);
  visit(Field{kGroup, "contract_list",
              "instead of the generator: file of game records with contracts, one deal per line; "
              "empty: none"},
        c.contract_list);
  visit(Field{kGroup, "card_player", "plays all cards of the track bidding (registry string)"},
        c.card_player);
  visit(Field{kGroup, "greedy", "every agent plays its most probable action"}, c.greedy);
}

/// Visits every key once: reading, writing, checking and documentation come from here.
template <class Config, class Visitor>
void visit_fields(Config& c, Visitor&& visit) {
  visit_agents(c, visit);
  visit_games(c, visit);
  std::string_view group = "how much";
  visit(Field{group, "blocks", "deals of each pairing, at most where a precision is wanted", 1,
              kMaxBlocks},
        c.blocks);
  visit(Field{group, "tables",
              "deals that are also played at a table of different agents, drawn for each deal; 0 = "
              "none",
              0, kMaxBlocks},
        c.tables);
  visit(Field{group, "precision",
              "a pairing ends when its 95 % interval is at most +- this (points per game, tariff "
              "units); 0 = all blocks"},
        c.precision);
  visit(Field{group, "first_check",
              "blocks before the first look at the precision; then after every quarter more", 2,
              kMaxBlocks},
        c.first_check);
  visit(Field{group, "players",
              "registered players of a league day, a multiple of the players of a table; agents "
              "are dealt out to them in turn",
              1, 1'000'000},
        c.players);
  visit(Field{group, "seed", "seed of deals and actions"}, c.seed);
  group = "what is measured besides";
  visit(Field{group, "calibration",
              "declarers are asked for the payoff they expect (about 4 % more time)"},
        c.calibration);
  visit(Field{group, "double_dummy",
              "count the cards that throw away a game that was won with open cards (milliseconds "
              "per card)"},
        c.double_dummy);
  group = "how it runs (no effect on results)";
  visit(Field{group, "threads", "0 = one per core", 0, 1024}, c.threads);
  visit(Field{group, "blocks_at_once",
              "blocks of one pairing that a thread plays in lock-step, which is what a kill loses; "
              "0 = as many as take about half a second",
              0, 4096},
        c.blocks_at_once);
}

constexpr auto kVisit = [](auto& config, auto&& visit) { visit_fields(config, visit); };

}  // namespace

// ---- agents and pairings in lists; found by the templates of toml_fields.h
// -------------------------------------------------------------------------------------

static std::string allowed_text(const Field&, const std::vector<TournamentAgent>&) {
  return "list of texts or of tables { name, spec }";
}
static std::string allowed_text(const Field&, const std::vector<PairingWish>&) {
  return "list of tables { one, others, both_directions, precision }";
}

[[noreturn]] static void refuse_part(std::string_view key,
                                     std::initializer_list<std::string_view> allowed) {
  throw std::invalid_argument(fmt::format("unknown key {} in braces, allowed: {}{}", quotable(key),
                                          fmt::join(allowed, ", "), nearest_hint(key, allowed)));
}

static bool read_node(const toml::node& node, const Field& field, TournamentAgent& agent) {
  if (node.is_string()) return read_node(node, field, agent.spec);
  const toml::table* table = node.as_table();
  if (table == nullptr) return false;
  for (const auto& [key, value] : *table) {
    std::string* part = key == "name" ? &agent.name : key == "spec" ? &agent.spec : nullptr;
    if (part == nullptr) refuse_part(key.str(), {"name", "spec"});
    if (!read_node(value, field, *part)) return false;
  }
  return !agent.spec.empty();
}
static bool read_node(const toml::node& node, const Field& field, PairingWish& wish) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return false;
  for (const auto& [key, value] : *table) {
    bool read = false;
    if (key == "one") {
      read = read_node(value, field, wish.one);
    } else if (key == "others") {
      read = read_node(value, field, wish.others);
    } else if (key == "both_directions") {
      read = read_node(value, field, wish.both_directions);
    } else if (key == "precision") {
      read = read_node(value, field, wish.precision);
    } else {
      refuse_part(key.str(), {"one", "others", "both_directions", "precision"});
    }
    if (!read) return false;
  }
  return !wish.one.empty() && !wish.others.empty();
}

static std::string value_text(const TournamentAgent& agent) {
  if (agent.name.empty()) return value_text(agent.spec);
  return fmt::format("{{ name = {}, spec = {} }}", value_text(agent.name), value_text(agent.spec));
}
static std::string value_text(const PairingWish& wish) {
  return fmt::format("{{ one = {}, others = {}, both_directions = {}, precision = {} }}",
                     value_text(wish.one), value_text(wish.others),
                     value_text(wish.both_directions), value_text(wish.precision));
}

namespace {

// ---- contradictions
// ------------------------------------------------------------------------------

/// "FILE:LINE: " of a key that a file set, else nothing.
std::string where_is(const TournamentConfig& config, std::string_view key) {
  const auto line = config.lines.find(key);
  if (line == config.lines.end()) return {};
  return fmt::format("{}:{}: ", config.file, line->second);
}

/// Raises if `key` differs from its default although another setting takes its effect away.
template <class Value>
void check_idle(const TournamentConfig& config, bool used, std::string_view key, const Value& value,
                const Value& fallback, const std::string& reason) {
  if (used || value == fallback) return;
  throw std::invalid_argument(
      fmt::format("{}{} = {} {}", where_is(config, key), key, value_text(value), reason));
}

void check_track(const TournamentConfig& config) {
  const TournamentConfig fallback;
  const std::string track = fmt::format("has no effect with track = \"{}\"", name_of(config.track));
  const bool cards = config.track == Track::kCardPlay;
  check_idle(config, cards, "generator", config.generator, fallback.generator, track);
  check_idle(config, cards, "contract_list", config.contract_list, fallback.contract_list, track);
  check_idle(config, config.contract_list.empty(), "generator", config.generator,
             fallback.generator, "contradicts contract_list: allowed is one of them");
  check_idle(config, config.track == Track::kBidding, "card_player", config.card_player,
             fallback.card_player, track + ", only with \"bidding\"");
}

void check_schedule(const TournamentConfig& config) {
  const TournamentConfig fallback;
  const bool pairs = config.schedule == Schedule::kRoundRobin;
  const std::string league = "has no effect with schedule = \"league\"";
  check_idle(config, pairs, "against", config.against, fallback.against, league);
  check_idle(config, pairs, "blocks", config.blocks, fallback.blocks, league);
  check_idle(config, pairs, "tables", config.tables, fallback.tables, league);
  check_idle(config, pairs, "precision", config.precision, fallback.precision, league);
  check_idle(config, pairs, "formats", config.formats, fallback.formats, league);
  check_idle(config, pairs, "double_dummy", config.double_dummy, fallback.double_dummy, league);
  if (!pairs && !config.pairings.empty()) {
    throw std::invalid_argument(fmt::format("{}pairings {}", where_is(config, "pairings"), league));
  }
  if (!pairs && config.track != Track::kFull) {
    throw std::invalid_argument(
        fmt::format("{}track = \"{}\": schedule = \"league\" needs \"full\"",
                    where_is(config, "track"), name_of(config.track)));
  }
  check_idle(config, !pairs, "players", config.players, fallback.players,
             "has no effect with schedule = \"round_robin\"");
}

bool wants_precision(const TournamentConfig& config) {
  const auto wants = [](const PairingWish& wish) { return wish.precision > 0.0; };
  return config.precision > 0.0 || std::ranges::any_of(config.pairings, wants);
}

std::shared_ptr<const CompiledRules> rules_of(const TournamentConfig& config) {
  try {
    return CompiledRules::load(config.rules);
  } catch (const std::runtime_error& error) {  // no such file
    throw std::invalid_argument(fmt::format("{}rules = {}: {}", where_is(config, "rules"),
                                            value_text(config.rules), error.what()));
  }
}

}  // namespace

std::vector<TournamentConfigField> tournament_config_fields() {
  return field_rows<TournamentConfigField>(TournamentConfig{}, kVisit);
}

TournamentConfig parse_tournament_config(std::string_view text,
                                         const std::string& file_name_for_errors) {
  TournamentConfig config;
  config.file = file_name_for_errors;
  for_each_key(text, config.file,
               [&](std::string_view key, const toml::node& node, std::size_t line) {
                 set_key(config, kVisit, key, node, fmt::format("{}:{}: ", config.file, line));
                 config.lines[std::string(key)] = line;
               });
  return config;
}

TournamentConfig load_tournament_config(const std::string& path) {
  return parse_tournament_config(text_of_file(path, "the tournament file"), path);
}

void set_tournament_config(TournamentConfig& config, std::string_view assignment) {
  const TomlAssignment change = parse_assignment(assignment);
  set_key(config, kVisit, change.key, *change.table.get("value"), "");
  if (const auto line = config.lines.find(change.key); line != config.lines.end()) {
    config.lines.erase(line);
  }
}

void check_tournament_config(const TournamentConfig& config) {
  if (config.agents.empty()) {
    throw std::invalid_argument(
        fmt::format("{}agents is missing or empty: two or more registry strings are needed",
                    config.file.empty() ? "" : config.file + ": "));
  }
  check_schedule(config);
  check_track(config);
  check_idle(config, wants_precision(config), "first_check", config.first_check,
             TournamentConfig{}.first_check, "has no effect without a precision");
}

TournamentOptions tournament_options(const TournamentConfig& config) {
  check_tournament_config(config);
  TournamentOptions options;
  options.agents = config.agents;
  options.rules = rules_of(config);
  options.blocks = static_cast<int>(config.blocks);
  options.tables = static_cast<int>(config.tables);
  options.seed = static_cast<std::uint64_t>(config.seed);
  options.track = config.track;
  options.formats = config.formats;
  options.generator = config.generator;
  options.contract_list = config.contract_list;
  options.card_player = config.card_player;
  options.precision = config.precision;
  options.first_check = static_cast<int>(config.first_check);
  options.threads = static_cast<int>(config.threads);
  options.blocks_at_once = static_cast<int>(config.blocks_at_once);
  options.greedy = config.greedy;
  options.calibration = config.calibration;
  options.double_dummy = config.double_dummy;
  bool known = config.against.empty();
  std::vector<std::string> names;
  for (const TournamentAgent& agent : config.agents) {
    const std::string& name = agent.name.empty() ? agent.spec : agent.name;
    known = known || name == config.against;
    names.push_back(name);
    if (config.against.empty() || name == config.against) continue;
    options.pairings.push_back({name, config.against, false, 0.0});
  }
  if (!known) {
    throw std::invalid_argument(fmt::format(
        "{}against = \"{}\" is none of the agents, allowed: {}{}", where_is(config, "against"),
        config.against, fmt::join(names, ", "), nearest_hint(config.against, names)));
  }
  options.pairings.insert(options.pairings.end(), config.pairings.begin(), config.pairings.end());
  return options;
}

void check_playable(const TournamentConfig& config, const std::string& journal) {
  if (config.schedule == Schedule::kLeague) {
    LeagueDayOptions options = league_day_options(config);
    options.journal = journal;
    options.resume = !journal.empty();
    check_league_day(options);
  } else {
    TournamentOptions options = tournament_options(config);
    options.journal = journal;
    options.resume = !journal.empty();
    check_tournament(options);
  }
}

LeagueDayOptions league_day_options(const TournamentConfig& config) {
  check_tournament_config(config);
  LeagueDayOptions options;
  options.agents = config.agents;
  options.rules = rules_of(config);
  options.players = static_cast<int>(config.players);
  options.seed = static_cast<std::uint64_t>(config.seed);
  options.threads = static_cast<int>(config.threads);
  options.greedy = config.greedy;
  return options;
}

namespace {

/// A path that leads to a file, from any folder; other texts as they are.
std::string absolute_if_file(const std::string& text) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(text, error)) return text;
  return std::filesystem::absolute(text).lexically_normal().string();
}

/// A registry string whose parameters name files from any folder.
std::string absolute_spec(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  if (colon == std::string::npos) return spec;
  std::vector<std::string> parts;
  constexpr const char* kFirst = ":";  // stands for the key that is left out
  for (const auto& [key, value] : parse_spec(spec, kFirst).parameters) {
    const std::string path = absolute_if_file(value);
    const bool fits = path.find_first_of(",=") == std::string::npos;
    const std::string& text = fits ? path : value;
    parts.push_back(key == kFirst ? text : fmt::format("{}={}", key, text));
  }
  return fmt::format("{}:{}", spec.substr(0, colon), fmt::join(parts, ","));
}

}  // namespace

void make_paths_absolute(TournamentConfig& config) {
  for (TournamentAgent& agent : config.agents) {
    const std::string spec = absolute_spec(agent.spec);
    if (spec != agent.spec && agent.name.empty()) agent.name = agent.spec;
    agent.spec = spec;
  }
  config.generator = absolute_spec(config.generator);
  config.card_player = absolute_spec(config.card_player);
  config.contract_list = absolute_if_file(config.contract_list);
  const auto presets = preset_names();
  if (std::ranges::find(presets, config.rules) == presets.end()) {
    config.rules = absolute_if_file(config.rules);
  }
}

std::string to_toml(const TournamentConfig& config) {
  return toml_text(
      config, kVisit,
      "# Settings of a tournament. Above each key: its meaning, then what is allowed.\n"
      "# A file may name only the keys that differ from these; --set key=value changes one.\n");
}

}  // namespace schafkopf
