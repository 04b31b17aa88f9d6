// The journal of finished games, from which a killed league day goes on. A game is what was done in
// it: cards, seats and everything else follow from the options of the day.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "agents/tournament/league_day.h"
#include "agents/work/journal.h"
#include "env/cards/action.h"
#include "env/session/league.h"

namespace schafkopf {

/// One game of a table, played to its end. Everything is counted from 0.
struct LeagueGame {
  int sitting = 0, table = 0, game = 0;
  std::vector<Action> actions;  // all, those without an alternative too
};

class LeagueJournal {
 public:
  /// Opens or resumes TournamentOptions::journal; throws as Journal. Of the options count rules,
  /// players, seed, greedy and agents, with hashes of the files that agents read.
  explicit LeagueJournal(const TournamentOptions& options);

  /// Enters the games that the file held into a league of its options that has just begun; how
  /// many. Throws std::invalid_argument naming file and game if one cannot have been played.
  int replay(League& league);
  /// Writes a finished game; thread-safe. Games of one table come in their order.
  void append(const LeagueGame& game);
  void sync();

 private:
  Journal journal_;
  std::mutex mutex_;
};

/// Games of a journal, in the order in which they were finished. Throws as the constructor.
[[nodiscard]] std::vector<LeagueGame> read_league_journal(const std::string& path);

}  // namespace schafkopf
