// The file of finished blocks, from which a killed tournament goes on. A line of JSON that says
// what is played, then pieces: magic, number of rows, checksum, rows. A piece that a kill tore is
// cut off when the file is opened again.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agents/tournament.h"

namespace schafkopf {

class TournamentJournal {
 public:
  using Identity = std::vector<std::pair<std::string, std::string>>;

  /// Opens the file for appending. Without `resume` it must not exist yet; with it, what it holds
  /// is read first. Throws std::invalid_argument naming every key of the identity that differs, or
  /// that this is no journal; std::runtime_error if it cannot be read or written.
  TournamentJournal(std::string path, const Identity& identity, bool resume);
  TournamentJournal(const TournamentJournal&) = delete;
  TournamentJournal& operator=(const TournamentJournal&) = delete;
  ~TournamentJournal();

  /// Rows of finished blocks that the file held when it was opened, as written.
  [[nodiscard]] std::vector<GameRow> take_rows() { return std::move(rows_); }
  /// Writes whole blocks as one piece: they survive the end of the process at once, that of the
  /// machine after a quarter of a second at most (fsync) or after close().
  void append(std::span<const GameRow> rows);
  /// Makes sure that everything is on disk.
  void sync();

 private:
  void create(const std::string& header);
  void read_back(const Identity& identity);

  std::string path_;
  int file_ = -1;
  std::vector<GameRow> rows_;
  std::chrono::steady_clock::time_point synced_;
};

/// Rows of a journal, for readers that do not go on with it. Throws as the constructor.
[[nodiscard]] std::vector<GameRow> read_journal(const std::string& path);

}  // namespace schafkopf
