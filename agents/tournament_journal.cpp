#include "agents/tournament_journal.h"

#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

namespace schafkopf {
namespace {

constexpr JournalKind kKind{"schafkopf-tournament-games-1", "tournament", sizeof(GameRow)};

std::vector<GameRow> rows_of(const std::vector<std::string>& pieces) {
  std::size_t bytes = 0;
  for (const std::string& piece : pieces) bytes += piece.size();
  std::vector<GameRow> rows(bytes / sizeof(GameRow));
  auto* end = reinterpret_cast<std::byte*>(rows.data());
  for (const std::string& piece : pieces) {
    if (!piece.empty()) std::memcpy(end, piece.data(), piece.size());
    end += piece.size();
  }
  return rows;
}

}  // namespace

TournamentJournal::TournamentJournal(std::string path, const JournalIdentity& identity, bool resume)
    : journal_(std::move(path), kKind, identity, resume) {}

std::vector<GameRow> TournamentJournal::take_rows() { return rows_of(journal_.take_pieces()); }

void TournamentJournal::append(std::span<const GameRow> rows) {
  const std::string_view bytes(reinterpret_cast<const char*>(rows.data()), rows.size_bytes());
  journal_.append(bytes);
}

std::vector<GameRow> read_journal(const std::string& path) {
  return rows_of(read_pieces(path, kKind));
}

}  // namespace schafkopf
