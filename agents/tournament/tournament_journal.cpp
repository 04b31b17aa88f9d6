#include "agents/tournament/tournament_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace schafkopf {
namespace {

constexpr JournalKind kTournamentKind{
    .format = "schafkopf-tournament-games-1", .work = "tournament", .row_bytes = sizeof(GameRow)};
/// Number of contract classes in games of each format, the first format first. Append-only.
constexpr int kClassesOfFormats[] = {19};
static_assert(
    *std::rbegin(kClassesOfFormats) == kNumContractClasses,
    "GameRow::contract is a class, or the number of classes and the class of a Tout: with "
    "another number of them games that were written mean something else, so append it to "
    "kClassesOfFormats and raise the number at the end of the format");
static_assert(kClassesOfFormats[0] == 19 &&
                  kTournamentKind.format.back() == '0' + std::ssize(kClassesOfFormats),
              "kClassesOfFormats grows by a number for each format, whose number counts them");

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

/// Throws for numbers that no game has: rows are indices into tables of contracts, seats and
/// agents.
void check_row(const std::string& path, const GameRow& row, std::size_t number) {
  constexpr int kMasks = 1 << kNumSeats;
  const int contracts = static_cast<int>(contract_keys().size());
  const bool played = row.contract >= 0 && row.contract < contracts && row.declarer < kNumSeats;
  const bool thrown_in = row.contract == -1 && row.declarer == -1;
  if (row.block >= 0 && row.seats > 0 && row.seats < kMasks && row.dealer < kNumSeats &&
      row.declarer >= -1 && row.party < kMasks && row.won <= 1 && (played || thrown_in)) {
    return;
  }
  throw std::invalid_argument(
      fmt::format("{}: game {} (block {}, seats {}, dealer {}, contract {}, declarer {}) cannot "
                  "have been played",
                  path, number, row.block, row.seats, row.dealer, row.contract, row.declarer));
}

std::vector<GameRow> rows_of(const std::string& path, const std::vector<std::string>& pieces) {
  std::size_t bytes = 0;
  for (const std::string& piece : pieces) bytes += piece.size();
  std::vector<GameRow> rows(bytes / sizeof(GameRow));
  auto* end = reinterpret_cast<std::byte*>(rows.data());
  for (const std::string& piece : pieces) {
    if (!piece.empty()) std::memcpy(end, piece.data(), piece.size());
    end += piece.size();
  }
  for (std::size_t i = 0; i < rows.size(); ++i) check_row(path, rows[i], i + 1);
  return without_repeats(std::move(rows));
}

}  // namespace

TournamentJournal::TournamentJournal(std::string path, const JournalIdentity& identity, bool resume)
    : journal_(std::move(path), kTournamentKind, identity, resume) {}

std::vector<GameRow> TournamentJournal::take_rows() {
  return rows_of(journal_.path(), journal_.take_pieces());
}

void TournamentJournal::append(std::span<const GameRow> rows) {
  const std::string_view bytes(reinterpret_cast<const char*>(rows.data()), rows.size_bytes());
  journal_.append(bytes);
}

std::vector<GameRow> read_journal(const std::string& path) {
  return rows_of(path, read_pieces(path, kTournamentKind));
}

}  // namespace schafkopf
