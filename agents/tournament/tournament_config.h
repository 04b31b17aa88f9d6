// Tournaments as TOML files (configs/tournament/): one struct, one field table, TOML and
// "key=value" in and out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agents/tournament/league_day.h"
#include "agents/tournament/tournament.h"

namespace schafkopf {

/// Round robin: the pairings of TournamentOptions. League: a league day of the rules (RULES H.3).
enum class Schedule : std::uint8_t { kRoundRobin, kLeague };
[[nodiscard]] constexpr auto names_of(Schedule) { return make_names("round_robin", "league"); }

/// Every setting of a tournament file; meaning, unit and range of each key stand in
/// configs/tournament/default.toml and tournament_config_fields().
struct TournamentConfig {
  // who
  std::vector<TournamentAgent> agents;
  std::string against;  // each other agent alone against the others being this one; empty: nobody
  std::vector<PairingWish> pairings;
  std::vector<Format> formats = {Format::kOneAgainstThree};
  // what
  Schedule schedule = Schedule::kRoundRobin;
  std::string rules = "research";
  Track track = Track::kCardPlay;
  std::string generator = "heuristic";
  std::string contract_list;
  std::string card_player = "rules";
  bool greedy = false;
  // how much
  std::int64_t blocks = 1000;
  std::int64_t tables = 0;
  double precision = 0.0;
  std::int64_t first_check = 100;
  std::int64_t players = 16;
  std::int64_t seed = 1;
  // what is measured besides
  bool calibration = true;
  bool double_dummy = false;
  // how it runs
  std::int64_t threads = 0;
  std::int64_t blocks_at_once = 0;

  /// File line of each key that a file set, for messages.
  std::map<std::string, std::size_t, std::less<>> lines;
  std::string file;
};

/// One key as documentation: what it means, its unit and what is allowed.
struct TournamentConfigField {
  std::string_view group, key, meaning;
  std::string allowed;
};
/// Keys in the order of the file.
[[nodiscard]] std::vector<TournamentConfigField> tournament_config_fields();

/// Parse TOML text on top of the defaults. Raises std::invalid_argument "FILE:LINE: key = value,
/// allowed ..." for an unknown key (the message lists all keys), a wrong type or a value out of
/// range; settings that contradict each other are found by check_tournament_config.
[[nodiscard]] TournamentConfig parse_tournament_config(std::string_view text,
                                                       const std::string& file_name_for_errors);
/// Read a file. Raises std::runtime_error if it cannot be read, else as parse_tournament_config.
[[nodiscard]] TournamentConfig load_tournament_config(const std::string& path);
/// Apply "key=value" (a TOML value; text needs no quotes). Raises std::invalid_argument.
void set_tournament_config(TournamentConfig& config, std::string_view assignment);

/// Check what concerns several keys. Raises std::invalid_argument naming the keys.
void check_tournament_config(const TournamentConfig& config);

/// The options of a checked configuration, rules loaded; agents that are no registry strings can be
/// added before. Raises as check_tournament_config and CompiledRules::load.
[[nodiscard]] TournamentOptions tournament_options(const TournamentConfig& config);

/// The same for schedule = "league". Raises as tournament_options.
[[nodiscard]] LeagueDayOptions league_day_options(const TournamentConfig& config);

/// Finds everything that would keep the configuration from being played, and plays nothing: wrong
/// agents, rules, lists, pairings, and a `journal` (empty: none) that belongs to other games or
/// that another run holds. Raises as run_tournament and play_league_day.
void check_playable(const TournamentConfig& config, const std::string& journal = "");

/// Writes every path that leads to a file as an absolute one, so that the configuration means the
/// same from any folder; an agent without a name keeps its registry string as name. Raises
/// std::invalid_argument for a registry string that cannot be taken apart.
void make_paths_absolute(TournamentConfig& config);

/// Every key with its comment; parsing it gives the same configuration.
[[nodiscard]] std::string to_toml(const TournamentConfig& config);

}  // namespace schafkopf
