// League for Python: a league day, its tables and its ranking list.
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "bindings/game_parts.h"
#include "bindings/pickles.h"
#include "env/session/league.h"

namespace schafkopf::python {
namespace {

/// A deal or a misdeal that was entered into a league.
struct LeagueGame {
  int sitting = 0, table = 0;
  std::vector<std::uint8_t> bytes;  // of the game; empty: a misdeal
};

/// A league day, the owner of its rules, and what it was made of.
struct PythonLeague {
  std::shared_ptr<const CompiledRules> rules;
  int players = 0;
  std::uint64_t seed = 0;
  League league;
  std::vector<LeagueGame> games;

  void finish(int sitting, int table, const Game& game) {
    league.finish(sitting, table, game);
    games.push_back({sitting, table, game.serialize()});
  }
  std::array<std::int32_t, kMaxPlaces> misdeal(int sitting, int table) {
    const auto payoffs = league.misdeal(sitting, table);
    games.push_back({sitting, table, {}});
    return payoffs;
  }
  friend bool operator==(const PythonLeague& a, const PythonLeague& b) {
    if (a.rules->hash() != b.rules->hash() || a.players != b.players || a.seed != b.seed) {
      return false;
    }
    for (int sitting = 0; sitting < a.league.num_sittings(); ++sitting) {
      for (int table = 0; table < a.league.num_tables(); ++table) {
        if (a.league.list(sitting, table) != b.league.list(sitting, table)) return false;
      }
    }
    return true;
  }
};

using Sitting = WholeWithin<"sitting">;
using Table = WholeWithin<"table">;

struct Place {
  int sitting, table;
};

Place place_in(const PythonLeague& l, const Sitting& sitting, const Table& table) {
  const int checked = sitting.in(0, l.league.num_sittings() - 1);
  return {checked, table.in(0, l.league.num_tables() - 1)};
}

PythonLeague make_league(Whole<"players", int, 1, League::kMostPlayers> players,
                         const py::object& rules, Seed<> seed) {
  const auto compiled = rules_from(rules)->compiled;
  return {compiled, players, seed, League(compiled, players, seed), {}};
}

/// (rules, players, seed, the deals that were entered).
py::tuple pickled_league(const PythonLeague& l) {
  py::list games;
  for (const LeagueGame& game : l.games) {
    games.append(py::make_tuple(game.sitting, game.table, to_python_bytes(game.bytes)));
  }
  return py::make_tuple(rules_to_python(l.rules), l.players, l.seed, py::tuple(games));
}

/// Enters the deals again, each with its checks.
PythonLeague unpickled_league(const py::object& state) {
  const py::tuple parts = pickled_tuple(state, 4, "League");
  PythonLeague league = make_league({whole_from<int>(parts[1], "players")}, parts[0],
                                    {whole_from<std::uint64_t>(parts[2], "seed")});
  if (!py::isinstance<py::tuple>(parts[3])) {
    throw std::invalid_argument("League: a pickle with a tuple of games was expected");
  }
  for (const py::handle& game : py::reinterpret_borrow<py::tuple>(parts[3])) {
    const py::tuple entry = pickled_tuple(game, 3, "League");
    const Place at = place_in(league, {whole_from<int>(entry[0], "sitting")},
                              {whole_from<int>(entry[1], "table")});
    const auto bytes = pickled_bytes(entry[2], "League");
    if (bytes.empty()) {
      (void)league.misdeal(at.sitting, at.table);
    } else {
      league.finish(at.sitting, at.table, Game::deserialize(*league.rules, bytes));
    }
  }
  return league;
}

/// Of the places of a table, in tariff units.
template <class T>
std::vector<double> by_place(const PythonLeague& l, const std::array<T, kMaxPlaces>& amounts) {
  const double scale = l.rules->tariff_scale();
  std::vector<double> units;
  for (int place = 0; place < l.rules->rules().players; ++place) {
    units.push_back(static_cast<double>(amounts[static_cast<std::size_t>(place)]) / scale);
  }
  return units;
}

py::list standings(const PythonLeague& l) {
  py::list rows;
  const double scale = l.rules->tariff_scale();
  for (const Standing& standing : l.league.ranking()) {
    py::dict row;
    row["player"] = standing.player;
    row["rank"] = standing.rank;
    row["total"] = static_cast<double>(standing.total) / scale;
    row["bonus"] = static_cast<double>(standing.bonus) / scale;
    row["games"] = standing.num_games;
    rows.append(row);
  }
  return rows;
}

}  // namespace

void register_league(py::module_& module) {
  py::class_<PythonLeague>(
      module, "League",
      R"(A league day (RULES H.3): players are drawn to tables anew in every sitting.

Args:    players: number registered, a multiple of the players of a table, at most 10000.
         rules: preset name, path, dict (without "preset" the defaults of the switches) or RuleSet.
         seed: of the draw of the tables and of all deals, 0..2^64-1.
Raises:  ValueError: another number of players, unknown rules, a seed out of range.

next_game(sitting, table) gives the deal to be played, finish(...) enters it into the list.)")
      .def(py::init(&make_league), py::arg("players"), py::arg("rules") = "tournament_2024",
           py::arg("seed") = 0)
      .def(
          "__eq__", [](const PythonLeague& a, const PythonLeague& b) { return a == b; },
          py::is_operator())
      .def("__repr__",
           [](const PythonLeague& l) {
             return fmt::format("<League {}, {} players, seed {}, {} deals entered>",
                                l.rules->name(), l.players, l.seed, l.games.size());
           })
      .def(py::pickle(&pickled_league, &unpickled_league))
      .def(
          "next_game",
          [](const PythonLeague& l, const Sitting& sitting, const Table& table) {
            const Place at = place_in(l, sitting, table);
            return PythonGame{l.rules, l.league.next_game(at.sitting, at.table)};
          },
          py::arg("sitting"), py::arg("table"),
          R"(The next deal of a table.

Raises:  ValueError: a sitting or table that there is not, or one that is over.)")
      .def(
          "finish",
          [](PythonLeague& l, const Sitting& sitting, const Table& table, const PythonGame& game) {
            const Place at = place_in(l, sitting, table);
            l.finish(at.sitting, at.table, game.game);
          },
          py::arg("sitting"), py::arg("table"), py::arg("game"),
          R"(Enter the deal that next_game() gave, played to its end.

Raises:  ValueError: a sitting or table that there is not or that is over, a game that is not over,
         another deal than that of next_game(), or one whose contract was given.  TypeError: no Game.)")
      .def(
          "misdeal",
          [](PythonLeague& l, const Sitting& sitting, const Table& table) {
            const Place at = place_in(l, sitting, table);
            return by_place(l, l.misdeal(at.sitting, at.table));
          },
          py::arg("sitting"), py::arg("table"),
          R"(The dealer of a table misdealt (RULES B.3.6): he deals again, or pays under
redeal_then_penalty, which ends the deal.

Returns: what the places get, in tariff units.
Raises:  ValueError: a sitting or table that there is not, or one that is over.)")
      .def(
          "deals",
          [](const PythonLeague& l, const Sitting& sitting, const Table& table) {
            const Place at = place_in(l, sitting, table);
            py::list rows;
            for (const auto& deal : l.league.list(at.sitting, at.table).deals) {
              rows.append(by_place(l, deal));
            }
            return rows;
          },
          py::arg("sitting"), py::arg("table"),
          R"(The list of a table (R-184): what each deal so far brought the places, in tariff units.

Raises:  ValueError: a sitting or table that there is not.)")
      .def(
          "players_at",
          [](const PythonLeague& l, const Sitting& sitting, const Table& table) {
            const Place at = place_in(l, sitting, table);
            return l.league.list(at.sitting, at.table).players;
          },
          py::arg("sitting"), py::arg("table"), R"(Players of a table by place.

Raises:  ValueError: a sitting or table that there is not.)")
      .def(
          "is_over",
          [](const PythonLeague& l, const Sitting& sitting, const Table& table) {
            const Place at = place_in(l, sitting, table);
            return l.league.is_over(at.sitting, at.table);
          },
          py::arg("sitting"), py::arg("table"),
          R"(Whether a table has played all its games of a sitting.

Raises:  ValueError: a sitting or table that there is not.)")
      .def("ranking", &standings,
           "Standings, best first: player, rank, total and bonus in tariff units, games.")
      .def_property_readonly(
          "num_sittings", [](const PythonLeague& l) { return l.league.num_sittings(); },
          "Sittings of the day; the tables are drawn anew for each.")
      .def_property_readonly(
          "num_tables", [](const PythonLeague& l) { return l.league.num_tables(); },
          "Tables of a sitting, numbered from 0.")
      .def_property_readonly(
          "games_per_sitting", [](const PythonLeague& l) { return l.league.games_per_sitting(); },
          "Games that a table plays in a sitting.");
}

}  // namespace schafkopf::python
