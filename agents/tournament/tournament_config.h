// Tournaments as TOML files (configs/tournament/) and as "key=value"; the keys stand in
// tournament_fields.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/tournament/league_day.h"
#include "agents/tournament/tournament.h"
#include "env/base/field.h"

namespace schafkopf {

/// Keys in the order of the file, as documentation.
[[nodiscard]] std::vector<FieldRow> tournament_config_fields();

/// Parse TOML text on top of the defaults. Raises std::invalid_argument "FILE:LINE: key = value,
/// allowed: ..." for an unknown key (the message lists all keys), a wrong type or a value out of
/// range; settings that contradict each other are found by check_tournament_config.
[[nodiscard]] TournamentOptions parse_tournament_config(std::string_view text,
                                                        const std::string& file_name_for_errors);
/// Read a file. Raises std::runtime_error if it cannot be read, else as parse_tournament_config.
[[nodiscard]] TournamentOptions load_tournament_config(const std::string& path);
/// Apply "key=value" (a TOML value; text needs no quotes). Raises std::invalid_argument.
void set_tournament_config(TournamentOptions& config, std::string_view assignment);
/// Set one key. Raises FieldError.
void set_tournament_config(TournamentOptions& config, std::string_view key,
                           const PlainValue& value);

/// Check what concerns several keys: those without effect, and those that contradict each other.
/// Raises std::invalid_argument naming the keys.
void check_tournament_config(const TournamentOptions& config);

/// Finds everything that would keep a tournament or league day from being played, and plays
/// nothing: wrong agents, rules, lists, pairings, and a journal that belongs to other games or that
/// another run holds. Raises as check_tournament_config, run_tournament and play_league_day.
void check_playable(const TournamentOptions& config);

/// Throws std::invalid_argument for a path of its file that leads elsewhere
/// (agents/work/named_files.h).
///
/// settings  "key=value", and keys, that were given besides
void refuse_paths_elsewhere(const TournamentOptions& config, std::span<const std::string> settings);

/// Writes every path that leads to a file as an absolute one, so that the options mean the same
/// from any folder; an agent without a name keeps its registry string as name. Raises
/// std::invalid_argument for a registry string that cannot be taken apart.
void make_paths_absolute(TournamentOptions& config);

/// Every key with its comment; parsing it gives the same options.
[[nodiscard]] std::string to_toml(const TournamentOptions& config);

}  // namespace schafkopf
