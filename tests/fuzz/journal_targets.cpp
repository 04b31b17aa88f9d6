// Journals of tournaments and league days. The checksums of their pieces are made right here, so
// that what stands behind them is read.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "agents/tournament/league_journal.h"
#include "agents/tournament/tournament_journal.h"
#include "agents/tournament/tournament_plan.h"
#include "env/base/checksum.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/targets.h"

namespace schafkopf::fuzz {
namespace {

constexpr std::size_t kHead = 16, kRowsAt = 4, kSumAt = 8;  // of a piece
constexpr std::string_view kPiece = "SKRW";

/// Checksums of the pieces behind the first line, as far as they follow each other.
std::string repaired(std::string bytes, std::size_t row_bytes) {
  std::size_t at = bytes.find('\n');
  at = at == std::string::npos ? 0 : at + 1;
  while (at + kHead <= bytes.size() && bytes.compare(at, kPiece.size(), kPiece) == 0) {
    std::uint32_t rows = 0;
    std::memcpy(&rows, bytes.data() + at + kRowsAt, sizeof rows);
    const std::size_t length = rows * row_bytes;
    if (at + kHead + length > bytes.size()) break;
    const std::uint64_t sum = checksum_of(std::string_view(bytes).substr(at + kHead, length));
    std::memcpy(bytes.data() + at + kSumAt, &sum, sizeof sum);
    at += kHead + length;
  }
  return bytes;
}

const JournalIdentity kIdentity = {{"seed", "1"}};

GameRow some_row(int number) {
  GameRow row{};
  row.block = number / 3;
  row.seats = 5;
  row.dealer = static_cast<decltype(row.dealer)>(number % 4);
  row.contract = -1;
  row.declarer = -1;
  return row;
}

/// What a resumed journal holds stays, and a row more is one row more.
void check_resumed(const std::string& path) {
  std::size_t rows = 0;
  const bool resumed = taken([&] {
    TournamentJournal journal(path, kIdentity, true);
    rows = journal.take_rows().size();
    GameRow row = some_row(0);
    row.block = 1 << 30;
    journal.append({&row, 1});
  });
  if (!resumed) return;
  const std::size_t now = read_journal(path).size();
  must(now == rows + 1 || now == rows,
       "rows are lost or come from nowhere");  // equal: it was there
}

TournamentOptions league_options() {
  TournamentOptions options;
  options.agents = {{"random"}};
  options.rules = CompiledRules::load("tournament_2024");
  options.players = 4;
  return options;
}

/// The journal of a league day over these bytes, opened again, and its games entered.
int resumed_league(const std::string& path) {
  TournamentOptions options = league_options();
  options.journal = path;
  options.resume = true;
  LeagueJournal journal(options);
  League league(options.rules.shared(), options.players, options.seed);
  return journal.replay(league);
}

const std::string& league_header() {
  static const std::string header = [] {
    const MemoryFile file;
    must(resumed_league(file.path()) == 0, "games in an empty journal");
    return file.bytes();
  }();
  return header;
}

}  // namespace

void fuzz_journal(std::string_view bytes) {
  const MemoryFile games(repaired(std::string(bytes), sizeof(GameRow)));
  if (taken([&] { return read_journal(games.path()); })) check_resumed(games.path());
  const MemoryFile day(repaired(std::string(bytes), 1));
  (void)taken([&] { return read_league_journal(day.path()); });
}

std::vector<std::string> journal_seeds() {
  const MemoryFile file;
  TournamentJournal journal(file.path(), kIdentity, true);
  std::vector<std::string> seeds = {file.bytes()};
  for (int piece = 1; piece < 4; ++piece) {
    std::vector<GameRow> rows;
    for (int i = 0; i < piece; ++i) rows.push_back(some_row(4 * piece + i));
    journal.append(rows);
    seeds.push_back(file.bytes());
  }
  return seeds;
}

/// Pieces only: the first line is that of the day.
void fuzz_league(std::string_view bytes) {
  const MemoryFile file(repaired(league_header() + std::string(bytes), 1));
  const auto games = taken([&] { return resumed_league(file.path()); });
  if (!games) return;
  must(static_cast<std::size_t>(*games) == read_league_journal(file.path()).size(),
       "games of a day are left out");
  must(resumed_league(file.path()) == *games, "a day resumed twice is another one");
}

std::vector<std::string> league_seeds() {
  const MemoryFile file;
  TournamentOptions options = league_options();
  options.journal = file.path();
  options.resume = true;
  options.threads = 1;
  // stopped after some games
  (void)taken([&] {
    try {
      (void)play_league_day(options, [](std::int64_t done, std::int64_t) { return done < 12; });
    } catch (const std::runtime_error&) {
    }
  });
  const std::string bytes = file.bytes();
  return {bytes.substr(league_header().size())};
}

}  // namespace schafkopf::fuzz
