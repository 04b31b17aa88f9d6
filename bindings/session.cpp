// Session for Python: consecutive deals at one table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "bindings/game_parts.h"
#include "bindings/pickles.h"
#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/session/session.h"

namespace schafkopf::python {
namespace {

/// A session and the owner of its rules, which its games share.
struct PythonSession {
  std::shared_ptr<const CompiledRules> rules;
  Session session;

  [[nodiscard]] double units(std::int64_t amount) const {
    return static_cast<double>(amount) / rules->tariff_scale();
  }
  [[nodiscard]] int players() const { return rules->rules().players; }
  template <class Amounts>
  [[nodiscard]] std::vector<double> by_place(const Amounts& amounts) const {
    std::vector<double> list;
    for (int place = 0; place < players(); ++place) {
      list.push_back(units(amounts[static_cast<std::size_t>(place)]));
    }
    return list;
  }
};

/// (rules, seed, the numbers of its state in the order of visit_session).
py::tuple pickled_session(const PythonSession& s) {
  py::list numbers;
  visit_session(s.session.state(), [&](const auto& value) { numbers.append(value); });
  return py::make_tuple(rules_to_python(s.rules), s.session.seed(), py::tuple(numbers));
}

PythonSession unpickled_session(const py::object& state) {
  const py::tuple parts = pickled_tuple(state, 3, "Session");
  const auto compiled = rules_from(parts[0])->compiled;
  const auto seed = whole_from<std::uint64_t>(parts[1], "seed");
  SessionState read;
  std::size_t size = 0;
  visit_session(read, [&](const auto&) { ++size; });
  const py::tuple numbers = pickled_tuple(parts[2], size, "Session");
  std::size_t at = 0;
  visit_session(read, [&]<class Value>(Value& value) {
    value = whole_from<Value>(numbers[at++], "Session: a number of its state");
  });
  const std::string why = why_impossible(compiled->rules(), read);
  if (!why.empty()) {
    throw std::invalid_argument(fmt::format("Session: no session can stand here: {}", why));
  }
  return {compiled, Session(compiled, seed, read)};
}

PythonSession make_session(const py::object& rules, Seed<> seed) {
  const auto compiled = rules_from(rules)->compiled;
  return {compiled, Session(compiled, seed)};
}

SpecialRound mode_from(const std::string& name) {
  const auto names = names_of(SpecialRound{});
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw std::invalid_argument(fmt::format("special round \"{}\", allowed: {}{}", quotable(name),
                                            fmt::join(names, ", "), nearest_hint(name, names)));
  }
  return static_cast<SpecialRound>(found - names.begin());
}

py::dict waiting_rounds(const PythonSession& s) {
  const RoundQueue& rounds = s.session.state().rounds;
  py::list queue;
  for (std::size_t i = 0; i < rounds.num_queued; ++i) {
    queue.append(
        py::make_tuple(std::string(name_of(static_cast<SpecialRound>(rounds.queue[i].mode))),
                       int{rounds.queue[i].games}));
  }
  py::dict result;
  result["running"] = std::string(name_of(rounds.running()));
  result["games_left"] = rounds.remaining();
  result["queued"] = queue;
  return result;
}

}  // namespace

void register_session(py::module_& module) {
  py::class_<PythonSession> session(
      module, "Session",
      R"(Consecutive deals at one table: dealer, account, Stock, Bock and special rounds, end.

next_game() gives the deal to be played, finish(game) enters it once it is over. A place is a chair
of the table; at a table of five the dealer sits out, and `places` says who sits where.

Args:    rules: preset name, path, dict (without "preset" the defaults of the switches) or RuleSet.
         seed: of all its deals and of the first dealer, 0..2^64-1.
Raises:  ValueError: unknown rules, or a seed out of range.)");
  session.def(py::init(&make_session), py::arg("rules") = "research", py::arg("seed") = 0)
      .def(
          "__eq__",
          [](const PythonSession& a, const PythonSession& b) {
            return a.rules->hash() == b.rules->hash() && a.session.seed() == b.session.seed() &&
                   a.session.state() == b.session.state();
          },
          py::is_operator())
      .def("__repr__",
           [](const PythonSession& s) {
             return fmt::format("<Session {}, seed {}, {} deals entered{}>", s.rules->name(),
                                s.session.seed(), s.session.num_deals(),
                                s.session.is_over() ? ", over" : "");
           })
      .def(py::pickle(&pickled_session, &unpickled_session))
      .def(
          "next_game",
          [](const PythonSession& s) { return PythonGame{s.rules, s.session.next_game()}; },
          R"(The next deal, not yet played.

Raises:  ValueError: the session is over.)")
      .def(
          "finish", [](PythonSession& s, const PythonGame& game) { s.session.finish(game.game); },
          py::arg("game"), R"(Enter the deal that next_game() gave, played to its end.

Raises:  ValueError: a game that is not over, another deal than that of next_game() or one whose
         contract was given, or the session is over.  TypeError: no Game.)")
      .def(
          "misdeal", [](PythonSession& s) { return s.by_place(s.session.misdeal()); },
          R"(The dealer misdealt (RULES B.3.6): he deals again, or pays under redeal_then_penalty.

Returns: what the places get, in tariff units.
Raises:  ValueError: the session is over.)")
      .def(
          "start_special_round",
          [](PythonSession& s, const Text<"mode">& mode) {
            s.session.start_special_round(mode_from(mode));
          },
          py::arg("mode") = "none",
          R"(Start a special round with the next deal; "none" = the one of the trigger MANUAL.

Args:    mode: name, as in the switch special_round (RULES C.20).
Raises:  ValueError: no text, an unknown mode, one that the rules cannot play, or the session is
         over.)");
  session
      .def_property_readonly(
          "is_over", [](const PythonSession& s) { return s.session.is_over(); },
          "Whether the last deal of the session was entered.")
      .def_property_readonly(
          "totals", [](const PythonSession& s) { return s.by_place(s.session.totals()); },
          "Account of each place in tariff units.")
      .def_property_readonly(
          "stock", [](const PythonSession& s) { return s.units(s.session.stock()); },
          "The pot in tariff units.")
      .def_property_readonly(
          "kitty", [](const PythonSession& s) { return s.units(s.session.kitty()); },
          "Reuegeld in tariff units.")
      .def_property_readonly(
          "context", [](const PythonSession& s) { return s.session.state().context; },
          "What the next deal inherits.")
      .def_property_readonly("rounds", &waiting_rounds,
                             "dict: running mode, games_left, queued [(mode, games)].")
      .def_property_readonly(
          "places",
          [](const PythonSession& s) {
            const auto places = s.session.places();
            return std::vector<int>(places.begin(), places.begin() + s.rules->seats());
          },
          "Place of each seat of the next game.")
      .def_property_readonly(
          "round", [](const PythonSession& s) { return s.session.round(); },
          "Round of the next deal, from 0 (RULES H.1); the number of rounds when the session is "
          "over.")
      .def_property_readonly(
          "num_deals", [](const PythonSession& s) { return s.session.num_deals(); },
          "Deals that were entered, those thrown in included.")
      .def_property_readonly(
          "num_thrown_in", [](const PythonSession& s) { return s.session.num_thrown_in(); },
          "Deals of the session that nobody played.")
      .def_property_readonly(
          "dealer", [](const PythonSession& s) { return s.session.dealer(); },
          "Place that deals next.");
}

}  // namespace schafkopf::python
