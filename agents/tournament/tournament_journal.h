// The journal of finished blocks, from which a killed tournament goes on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agents/tournament/tournament.h"
#include "agents/work/journal.h"

namespace schafkopf {

class TournamentJournal {
 public:
  /// Opens or resumes the file; throws as Journal.
  TournamentJournal(std::string path, const JournalIdentity& identity, bool resume);

  /// Rows of finished blocks that the file held when it was opened, each game once.
  [[nodiscard]] std::vector<GameRow> take_rows();
  /// Writes whole blocks as one piece, as Journal::append.
  void append(std::span<const GameRow> rows);
  void sync() { journal_.sync(); }

 private:
  Journal journal_;
};

/// Rows of a journal, for readers that do not go on with it. Throws as the constructor.
[[nodiscard]] std::vector<GameRow> read_journal(const std::string& path);

}  // namespace schafkopf
