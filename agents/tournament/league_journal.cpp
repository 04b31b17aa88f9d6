#include "agents/tournament/league_journal.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "agents/tournament/tournament_plan.h"
#include "env/game/game.h"

namespace schafkopf {
namespace {

constexpr JournalKind kLeagueKind{.format = "schafkopf-league-games-1", .work = "league day"};

/// Sitting, table and number of a game, before its actions.
using Place = std::array<std::uint32_t, 3>;

static_assert(sizeof(Action) == 1, "a game is its place and a byte per action");

std::string piece_of(const LeagueGame& game) {
  const Place place = {static_cast<std::uint32_t>(game.sitting),
                       static_cast<std::uint32_t>(game.table),
                       static_cast<std::uint32_t>(game.game)};
  std::string piece(sizeof place + game.actions.size(), '\0');
  std::memcpy(piece.data(), place.data(), sizeof place);
  for (std::size_t i = 0; i < game.actions.size(); ++i) {
    piece[sizeof place + i] = static_cast<char>(game.actions[i]);
  }
  return piece;
}

LeagueGame game_of(const std::string& path, std::string_view piece) {
  Place place{};
  if (piece.size() < sizeof place) {
    throw std::invalid_argument(fmt::format("{}: a game of {} bytes, allowed: {} and more", path,
                                            piece.size(), sizeof place));
  }
  std::memcpy(place.data(), piece.data(), sizeof place);
  LeagueGame game{
      static_cast<int>(place[0]), static_cast<int>(place[1]), static_cast<int>(place[2]), {}};
  for (const char action : piece.substr(sizeof place)) {
    game.actions.push_back(static_cast<Action>(action));
  }
  return game;
}

/// The position after the recorded actions of a deal, which is the end of the game.
Game played(Game game, const std::vector<Action>& actions) {
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (game.is_terminal()) {
      throw std::invalid_argument(
          fmt::format("it was over after {} of its {} actions", i, actions.size()));
    }
    const ActionMask legal = game.legal_actions();
    if (!legal.contains(actions[i])) {
      throw std::invalid_argument(fmt::format("action {} is {}, allowed: {}", i + 1,
                                              action_name(actions[i]), to_string(legal)));
    }
    game.apply_unchecked(actions[i]);
  }
  if (!game.is_terminal()) {
    throw std::invalid_argument(fmt::format("it is not over after its {} actions", actions.size()));
  }
  return game;
}

void enter(const LeagueGame& game, League& league) {
  const std::size_t next = league.list(game.sitting, game.table).deals.size();
  if (static_cast<std::size_t>(game.game) != next) {
    throw std::invalid_argument(fmt::format("allowed: game {}, the next of this table", next + 1));
  }
  league.finish(game.sitting, game.table,
                played(league.next_game(game.sitting, game.table), game.actions));
}

JournalIdentity identity_of_day(const TournamentOptions& options) {
  JournalIdentity identity =
      identity_of_players(*options.rules, options.seed, options.greedy, options.agents);
  identity.emplace_back("players", fmt::format("{}", options.players));
  return identity;
}

}  // namespace

LeagueJournal::LeagueJournal(const TournamentOptions& options)
    : journal_(options.journal, kLeagueKind, identity_of_day(options), options.resume) {}

int LeagueJournal::replay(League& league) {
  int games = 0;
  for (const std::string& piece : journal_.take_pieces()) {
    const LeagueGame game = game_of(journal_.path(), piece);
    try {
      enter(game, league);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("{}: sitting {}, table {}, game {}: {}",
                                              journal_.path(), game.sitting + 1, game.table + 1,
                                              game.game + 1, error.what()));
    }
    ++games;
  }
  return games;
}

void LeagueJournal::append(const LeagueGame& game) {
  const std::string piece = piece_of(game);
  const std::scoped_lock lock(mutex_);
  journal_.append(piece);
}

void LeagueJournal::sync() {
  const std::scoped_lock lock(mutex_);
  journal_.sync();
}

std::vector<LeagueGame> read_league_journal(const std::string& path) {
  std::vector<LeagueGame> games;
  for (const std::string& piece : read_pieces(path, kLeagueKind))
    games.push_back(game_of(path, piece));
  return games;
}

}  // namespace schafkopf
