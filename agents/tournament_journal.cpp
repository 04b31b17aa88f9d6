#include "agents/tournament_journal.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace schafkopf {
namespace {

constexpr JournalKind kKind{"schafkopf-tournament-games-1", "tournament", sizeof(GameRow)};

/// Each game once, the first of its kind: files of two runs at a time hold some of them twice.
std::vector<GameRow> without_repeats(std::vector<GameRow> rows) {
  const auto key = [&](std::size_t i) {
    return std::tuple(rows[i].pairing, rows[i].block, rows[i].seats);
  };
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(key(i), i); });
  const auto repeats = std::ranges::unique(order, {}, key);
  if (repeats.empty()) return rows;
  order.erase(repeats.begin(), repeats.end());
  std::ranges::sort(order);
  std::vector<GameRow> kept;
  for (const std::size_t i : order) kept.push_back(rows[i]);
  return kept;
}

std::vector<GameRow> rows_of(const std::vector<std::string>& pieces) {
  std::size_t bytes = 0;
  for (const std::string& piece : pieces) bytes += piece.size();
  std::vector<GameRow> rows(bytes / sizeof(GameRow));
  auto* end = reinterpret_cast<std::byte*>(rows.data());
  for (const std::string& piece : pieces) {
    if (!piece.empty()) std::memcpy(end, piece.data(), piece.size());
    end += piece.size();
  }
  return without_repeats(std::move(rows));
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
