// A league day of the rules (RULES H.3), played by agents: tables are drawn for every sitting, each
// plays its rounds, totals with bonus are ranked. Claims of the rest are left out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/tournament/tournament.h"
#include "agents/work/outside_player.h"
#include "env/session/league.h"

namespace schafkopf {

struct LeagueDayResult {
  std::vector<std::string> names;  // of agents
  std::vector<Standing> ranking;   // best first
  /// [k]: points per game of the agent's players without the bonus, interval over players.
  std::vector<Estimate> points;
  std::vector<std::optional<OutsideReport>> outside;  // [k] of players in other processes, this run
  int sittings = 0, tables = 0, games_per_sitting = 0;
  std::int64_t games = 0;  // played, thrown-in deals included

  /// Agent of a player.
  [[nodiscard]] std::size_t agent_of(int player) const {
    return static_cast<std::size_t>(player) % names.size();
  }
};

/// Plays all tables of all sittings. Of the options count agents (one or more), rules (with
/// sittings and rounds, as tournament_2024), players, seed, threads, greedy and the journal; player
/// p is agent p modulo their number. The result does not depend on the number of threads.
///
/// With a journal, every finished game is written there at once, so a killed day loses the games in
/// progress only; with `resume` it goes on and ends with the result of a day that was never killed.
/// Games of the journal are replayed by the rules, no agent is asked again.
///
/// progress  called with (games done, games at most); false stops by std::runtime_error, because
///           half a league day has no ranking
/// Throws std::invalid_argument naming the option and what is allowed, what differs between journal
/// and options, or the game of the journal that cannot have been played; std::runtime_error if the
/// journal cannot be read or written; errors of agents are passed on.
[[nodiscard]] LeagueDayResult play_league_day(const TournamentOptions& options,
                                              const TournamentProgress& progress = {});

/// Throws what play_league_day would throw before its first game (the games of a journal are not
/// replayed), and plays nothing. A journal that exists is opened and closed again.
void check_league_day(const TournamentOptions& options);

[[nodiscard]] std::string to_json(const LeagueDayResult& result, const TournamentOptions& options);
/// The ranking list as the document wants it printed, and the agents compared.
[[nodiscard]] std::string to_text(const LeagueDayResult& result, const TournamentOptions& options);

}  // namespace schafkopf
