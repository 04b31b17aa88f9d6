// Game for Python: how one begins, what is legal, what an action does, how it is kept.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "bindings/bytes_argument.h"
#include "bindings/deal.h"
#include "bindings/game_parts.h"
#include "bindings/interpreter.h"
#include "bindings/pickles.h"
#include "bindings/refusals.h"
#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/base/random.h"
#include "env/game/refusal.h"
#include "env/record/history.h"
#include "env/record/input_check.h"

namespace schafkopf::python {
namespace {

std::string repr_game(const PythonGame& g) {
  const Game& game = g.game;
  std::string text = fmt::format("<Game {}, {}, {} cards played", g.rules->name(),
                                 phase_name(game.phase()), game.num_plays());
  if (!game.is_terminal()) text += fmt::format(", seat {} to act", game.current_player());
  if (game.has_contract()) {
    const Contract contract = game.contract();
    text += fmt::format(", {}", contract_name(contract.contract, contract.tout));
  }
  return text + ">";
}

PythonGame make_game(const py::object& rules, const py::object& deal, DealerArgument dealer,
                     const std::optional<Seed<>>& seed, const py::object& inherited) {
  const auto compiled = rules_from(rules)->compiled;
  const DealContext context = context_from(inherited, *compiled);
  const int seat = dealer_of(dealer, *compiled);
  return {compiled,
          Game(*compiled, deal_or_random(deal, seed, *compiled, seat, context), seat, context)};
}

CardPlayStart start_from(const py::object& contract, int partner, const py::object& laid,
                         const py::object& exchange) {
  CardPlayStart start;
  start.contract = contract_from(contract);
  start.partner = partner;
  for_each_element(
      laid, "laid", "list of seats",
      [&start](const py::handle& seat) {
        start.laid.push_back(whole_from<int>(seat, "seat", 0, kNumSeats - 1));
      },
      kMostParts);
  static constexpr const char* kStep = "a tuple of two seats and the cards given";
  for_each_element(
      exchange, "exchange", "list of tuples",
      [&start](const py::handle& step) {
        if (!py::isinstance<py::tuple>(step) || py::len(step) != 3)
          refuse_keyword("step", step, kStep);
        const auto parts = py::reinterpret_borrow<py::tuple>(step);
        start.exchange.push_back({whole_from<int>(parts[0], "from", 0, kNumSeats - 1),
                                  whole_from<int>(parts[1], "to", 0, kNumSeats - 1),
                                  card_set_from(parts[2])});
      },
      kMostParts);
  return start;
}

PythonGame game_with_contract(const py::object& contract, const py::object& rules,
                              const py::object& deal, DealerArgument dealer,
                              const std::optional<Seed<>>& seed,
                              Whole<"partner", int, -1, kNumSeats - 1> partner,
                              const py::object& laid, const py::object& exchange,
                              const std::optional<DealContext>& context) {
  const auto compiled = rules_from(rules)->compiled;
  const int seat = dealer_of(dealer, *compiled);
  check_contract(contract_from(contract), *compiled);
  return {compiled, Game::with_contract(*compiled, deal_or_random(deal, seed, *compiled, seat, {}),
                                        seat, start_from(contract, partner, laid, exchange),
                                        context.value_or(DealContext{}))};
}

PythonGame game_from_position(const py::object& contract, const py::object& hands,
                              const py::object& captured,
                              Whole<"leader", int, 0, kNumSeats - 1> leader, DealerArgument dealer,
                              const py::object& rules,
                              Whole<"partner", int, -1, kNumSeats - 1> partner) {
  const auto compiled = rules_from(rules)->compiled;
  Position position;
  position.contract = contract_from(contract);
  position.leader = leader;
  position.partner = partner;
  position.dealer = dealer_of(dealer, *compiled);
  const auto fill = [](const py::object& from, auto& to, const char* what) {
    const Py_ssize_t size = PyObject_Size(from.ptr());
    if (size < 0) clear_wrong_input();
    if (size > kNumSeats) throw std::invalid_argument(fmt::format("{}: more than 4 seats", what));
    std::size_t seat = 0;
    for_each_element(from, what, "list of cards for each seat", [&](const py::handle& cards) {
      if (seat == kNumSeats) throw std::invalid_argument("more than 4 seats");
      to[seat++] = card_set_from(cards);
    });
  };
  fill(hands, position.hands, "hands");
  if (!captured.is_none()) fill(captured, position.captured, "captured");
  check_position(position, *compiled);
  return {compiled, Game::from_position(*compiled, position)};
}

/// Mean payoffs of random playouts of copies, and the number of decisions they took.
std::pair<std::array<double, kNumSeats>, std::int64_t> rollout(const Game& start, int games,
                                                               std::uint64_t seed) {
  constexpr int kAskedEvery = 64;  // games: to look at the clock takes as long as to play a card
  std::array<std::int64_t, kNumSeats> sums{};
  std::int64_t decisions = 0;
  Rng rng(seed);
  for (int i = 0; i < games; ++i) {
    if (i % kAskedEvery == 0) check_interruption();
    Game game = start;
    for (; !game.is_terminal(); ++decisions) {
      if (game.phase() == Phase::kPlay) [[likely]] {
        const std::uint32_t cards = legal_cards(game.play_state());
        game.apply_unchecked(nth_bit(cards, rng.next_below(count_bits(cards))));
      } else {
        const ActionMask mask = without_claims(game.legal_actions());
        game.apply_unchecked(mask.nth(rng.next_below(mask.count())));
      }
    }
    const auto payoffs = game.payoffs();
    for (std::size_t seat = 0; seat < kNumSeats; ++seat) sums[seat] += payoffs[seat];
  }
  std::array<double, kNumSeats> means{};
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    means[seat] = static_cast<double>(sums[seat]) / games / start.rules().tariff_scale();
  }
  return {means, decisions};
}

py::tuple python_rollout(const PythonGame& g, Whole<"games", int, 1> games, Seed<> seed) {
  const Game start = g.game;
  std::pair<std::array<double, kNumSeats>, std::int64_t> result;
  {
    const LongCall call;
    result = rollout(start, games, seed);
  }
  const auto seats = static_cast<py::ssize_t>(start.seats());
  return py::make_tuple(py::array_t<double>(seats, result.first.data()), result.second);
}

py::list public_actions(const PythonGame& g) {
  py::list rows;
  for (const PublicAction& step : public_history(g.game).actions) {
    rows.append(py::make_tuple(step.seat, action_name(step.action)));
  }
  return rows;
}

py::object hypothetical_view(const PythonGame& g, const WholeWithin<"ply">& ply,
                             Whole<"seat", int, 0, kNumSeats - 1> seat, const py::object& hand) {
  const PublicHistory history = public_history(g.game);
  const int before = ply.in(0, static_cast<int>(history.actions.size()));
  const PlayerView view =
      view_at(history, static_cast<std::size_t>(before), seat, card_set_from(hand, "hand"));
  return view_to_numpy(view);
}

void add_legal_actions(py::class_<PythonGame>& game) {
  game.def(
          "legal_actions", [](const PythonGame& g) { return actions_of(g.game.legal_actions()); },
          "Numbers of the legal actions, lowest first; empty when the deal is over.")
      .def(
          "legal_names",
          [](const PythonGame& g) {
            std::vector<std::string> names;
            for (const int action : actions_of(g.game.legal_actions())) {
              names.push_back(action_name(action));
            }
            return names;
          },
          "Names of the legal actions.")
      .def(
          "legal_mask",
          [](const PythonGame& g) {
            py::array_t<std::uint8_t> mask(kNumActions);
            const ActionMask legal = g.game.legal_actions();
            for (int a = 0; a < kNumActions; ++a) {
              mask.mutable_at(a) = legal.contains(static_cast<Action>(a)) ? 1 : 0;
            }
            return mask;
          },
          R"(uint8 [128]: 1 on legal actions.

As the rule set has them, claims (CLAIM_REST, CONCEDE_REST) included: see Game.)");
}

void add_steps(py::class_<PythonGame>& game) {
  game.def(
          "apply",
          [](PythonGame& g, const py::object& action) { g.game.apply(action_from(action)); },
          py::arg("action"),
          R"(Apply a legal action, by number or name.

Raises:  IllegalAction, a ValueError with seat, phase, action, reason, rule and the legal ones as
         attributes.  ValueError: no action at all. The game is then unchanged.)")
      .def(
          "infract",
          [](PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat,
             const Text<"infraction">& infraction) {
            const auto names = names_of(Infraction{});
            const auto found = std::ranges::find(names, infraction.value);
            if (found == names.end()) {
              throw std::invalid_argument(fmt::format("infraction = \"{}\", allowed: {}{}",
                                                      quotable(infraction.value),
                                                      fmt::join(std::span(names).subspan(1), ", "),
                                                      nearest_hint(infraction.value, names)));
            }
            g.game.infract(seat, static_cast<Infraction>(found - names.begin()));
          },
          py::arg("seat"), py::arg("infraction"),
          R"(An infraction of a seat during card play (RULES E.6), such as "INF_REVOKE".

Raises:  ValueError: unknown infraction, wrong seat, or not during card play.)")
      .def(
          "why_illegal",
          [](const PythonGame& g, const py::object& action) {
            return g.game.why_illegal(action_from(action));
          },
          py::arg("action"), R"(Why an action is illegal now; empty if it is legal.

Raises:  ValueError: neither a number 0..127 nor a name of an action.)")
      .def(
          "refusal",
          [](const PythonGame& g, const py::object& action) {
            return refusal_of(g.game, action_from(action));
          },
          py::arg("action"),
          R"(Why an action is illegal now, in parts: a Refusal. None if it is legal.

Raises:  ValueError: neither a number 0..127 nor a name of an action.)");
}

void add_results(py::class_<PythonGame>& game) {
  game.def("rollout", &python_rollout, py::arg("games"), py::arg("seed") = 0,
           R"(Play copies of the game to the end by random legal actions that are no claims.

Args:    games: number of copies, 1..2^31-1;  seed: of their draws, 0..2^64-1.
Returns: (mean payoffs float64 [seats] in tariff units, number of decisions taken).
Raises:  ValueError: a number out of range.)")
      .def(
          "payoffs",
          [](const PythonGame& g) { return in_tariff_units(g.game.payoffs(), *g.rules); },
          R"(Payoffs per seat in tariff units, without what goes into the Stock or comes out of it:
game_settlement(game)["stock_payoffs"].

Raises:  ValueError: the deal is not over.)")
      .def(
          "settlement_steps",
          [](const PythonGame& g) {
            if (!g.game.is_terminal()) throw std::invalid_argument("the game is not over yet");
            return settlement_steps(g.game.outcome(), *g.rules, g.game.context());
          },
          R"(How the price of the finished game comes about, one step per line.

Raises:  ValueError: the game is not over.)")
      .def(
          "outcome",
          [](const PythonGame& g) {
            if (!g.game.is_terminal()) throw std::invalid_argument("the game is not over yet");
            return g.game.outcome();
          },
          R"(Outcome of the finished game, as `settle` takes it.

Raises:  ValueError: the game is not over.)");
}

void add_game_views(py::class_<PythonGame>& game) {
  game.def(
          "view",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) -> py::object {
            return view_to_numpy(g.game.view(seat_from(seat, "seat")));
          },
          py::arg("seat"), R"(What a seat may know: a record of VIEW_DTYPE (192 bytes).

Raises:  ValueError: a seat that the game has not.)")
      .def("public_actions", &public_actions,
           "(seat, action) of the public actions so far; view_at counts them.")
      .def("view_at", &hypothetical_view, py::arg("ply"), py::arg("seat"), py::arg("hand"),
           R"(The view that a seat would have had with a hypothetical hand.

Args:    ply: before this public action; the number of all of them = now.
         seat: of the game;  hand: the cards that the seat was dealt.
Raises:  ValueError: a hand that is impossible after what everybody saw, a number of public actions
         that were not done, a seat that the game has not.)")
      .def(
          "full_view",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) -> py::object {
            const FullView view = g.game.full_view(seat_from(seat, "seat"));
            // not py::array of &view: it leaves what is between the fields as it was in memory
            py::array row = py::module_::import("numpy").attr("zeros")(1, full_view_dtype());
            std::memcpy(row.mutable_data(), &view, sizeof view);
            return row[py::int_(0)];
          },
          py::arg("seat"), R"(The hidden truth, for critics only: a record of FULL_VIEW_DTYPE.

Its seats count from this one on: hands[0] is what `seat` holds, hands[1] its left neighbour; so do
dealt, declarer_party and owner.

Raises:  ValueError: a seat that the game has not.)");
}

void add_beginnings(py::class_<PythonGame>& game) {
  game.def(py::init(&make_game), py::arg("rules") = "research", py::arg("deal") = py::none(),
           py::arg("dealer") = -1, py::arg("seed") = py::none(), py::arg("context") = py::none())
      .def_static("with_contract", &game_with_contract, py::arg("contract"),
                  py::arg("rules") = "research", py::arg("deal") = py::none(),
                  py::arg("dealer") = -1, py::arg("seed") = py::none(), py::arg("partner") = -1,
                  py::arg("laid") = py::list(), py::arg("exchange") = py::list(),
                  py::arg("context") = py::none(),
                  R"(Start at card play with a given contract.

Args:    contract: Contract with its declarer, name or dict;  deal, dealer, seed: as of a Game without
         a context: a special round that deals otherwise changes no hand here.
         partner: seat that accepted a Hochzeit, else -1.
         laid: seats that laid, in order.
         exchange: (from, to, cards) passed before the play; the deal has the hands before it.
         context: DealContext, None = DealContext(), that of a deal without a session.
         Not asked: whether all_pass, hochzeit or the mode lead to the contract, nor what a Hochzeit
         or a Muss-Spiel wants of the declarer's hand (RULES C.3, C.4).
Raises:  ValueError: a contract without its declarer or that the rules or the hands do not allow, a
         partner or laid that cannot be under it, an exchange of cards that the giver has not, that
         come back or leave hands of another size (not whether a rule has it), impossible hands,
         unknown rules, neither deal nor seed or both.  TypeError: context is no DealContext.)")
      .def_static("from_position", &game_from_position, py::arg("contract"), py::arg("hands"),
                  py::arg("captured") = py::none(), py::arg("leader") = 0, py::arg("dealer") = -1,
                  py::arg("rules") = "research", py::arg("partner") = -1,
                  R"(Endgame: remaining cards without history; Laufende are not counted.

Args:    hands: per seat, equally many cards;  captured: per seat the cards of its tricks so far,
         None = nobody has any;  all cards of the deck are needed.
         leader: seat that leads the next trick, 0 unless given;  dealer: seat, -1 = the last one.
         partner: of the declarer, where no hand shows it: the called card has been played, or a
         Hochzeit was accepted; else -1.
Raises:  ValueError: a contract without its declarer or that the rules do not allow; hands that are
         not equally long, or with the captured cards not the whole deck; a called card that the
         declarer cannot have called (C.1, C.4); a leader, dealer or partner that cannot be;
         unknown rules.)");
}

void add_copies(py::class_<PythonGame>& game) {
  const auto copy = [](const PythonGame& g) { return PythonGame(g); };
  const auto copy_all = [](const py::object& self, const py::object& memo) {
    const auto& g = self.cast<const PythonGame&>();
    const bool plain = py::type::handle_of(self).is(py::type::of<PythonGame>());
    return plain ? py::cast(PythonGame(g)) : copied_by_state(self, memo);
  };
  game.def("copy", copy, "Independent copy, under the same rules.")
      .def("__copy__", [copy_all](const py::object& self) { return copy_all(self, py::none()); })
      .def(
          "__deepcopy__",
          [copy_all](const py::object& self, const py::dict& memo) { return copy_all(self, memo); },
          py::arg("memo"))
      .def(
          "serialize",
          [](const PythonGame& g) {
            const auto bytes = g.game.serialize();
            return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          },
          "Bytes that rebuild the game under the same rules.")
      .def_static(
          "deserialize",
          [](const Bytes<"data">& bytes, const py::object& rules) {
            const auto compiled = rules_from(rules)->compiled;
            return PythonGame{compiled, Game::deserialize(*compiled, bytes.span())};
          },
          py::arg("data"), py::arg("rules") = "research",
          R"(Inverse of serialize.

Raises:  ValueError: bytes of a game under other rules, or that are none.  TypeError: no bytes.)")
      .def(
          "__eq__",
          [](const PythonGame& a, const PythonGame& b) {
            return &a == &b || a.game.serialize() == b.game.serialize();
          },
          py::is_operator())
      .def(py::pickle(
          [](const PythonGame& g) {
            return py::make_tuple(to_python_bytes(g.game.serialize()), rules_to_python(g.rules));
          },
          [](const py::object& state) {
            const py::tuple parts = pickled_tuple(state, 2, "Game");
            const auto compiled = rules_from(parts[1])->compiled;
            return PythonGame{compiled,
                              Game::deserialize(*compiled, pickled_bytes(parts[0], "Game"))};
          }))
      .def("__repr__", &repr_game);
}

}  // namespace

void register_games(py::module_& module) {
  py::class_<PythonGame> game(module, "Game", R"(One deal from the first question to the payoffs.

It holds the whole truth, all hands; what a seat may know of it is view(seat). Cards and actions are
given by name or number and come back by name; two games are equal if everything in them is::

    game = schafkopf.Game(seed=1)
    while not game.is_terminal:
        game.apply(game.legal_names()[-1])  # the last legal action of game.current_player
    print(game.contract, game.payoffs())

A game follows its rule set: where that knows claims, CLAIM_REST and CONCEDE_REST are legal and stand in
views. VectorEnv (unless claim_actions asks for them), tournaments, trainers and rollout() leave them
out, as random play would end most deals with them; encode(game.view(seat)) is then not the row of the
batch in the sections of these two actions.

Args:    rules: preset name, path, dict (without "preset" the defaults of the switches) or
         RuleSet.
         deal: Deal or list of hands; or seed: number of a random deal.
         dealer: seat of the dealer, -1 = the last seat.
         context: DealContext, None = DealContext.first(rules).
Raises:  ValueError: impossible hands, unknown rules, neither deal nor seed or both, a dealer that is
         no seat, a context whose numbers are out of range. Of a context everything counts, whether
         the rules lead to it or not.)");
  add_beginnings(game);
  add_state(game);
  add_legal_actions(game);
  add_steps(game);
  add_results(game);
  add_game_views(game);
  add_copies(game);
}

void register_game(py::module_& module) {
  register_deal(module);
  register_games(module);
  register_session(module);
  register_league(module);
}

}  // namespace schafkopf::python
