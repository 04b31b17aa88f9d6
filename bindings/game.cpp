// Deal, Game and Session for Python. Seats are absolute; cards and actions are names or numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "bindings/common.h"
#include "bindings/pickles.h"
#include "bindings/refusals.h"
#include "env/base/nearest.h"
#include "env/base/random.h"
#include "env/game/refusal.h"
#include "env/record/history.h"
#include "env/record/input_check.h"
#include "env/session/league.h"
#include "env/session/session.h"

namespace schafkopf::python {
namespace {

/// A seat, -1 = the last one.
using DealerArgument = Whole<"dealer", int, -1, kNumSeats - 1>;

/// A context, or None: that of a first deal under the rules.
DealContext context_from(const py::object& context, const CompiledRules& rules) {
  return context.is_none() ? rules.first_context() : context.cast<DealContext>();
}

int dealer_of(int dealer, const CompiledRules& rules) {
  if (dealer < 0) dealer = rules.seats() - 1;
  if (dealer < rules.seats()) return dealer;
  throw std::invalid_argument(
      fmt::format("dealer = {}, allowed: seats 0..{}", dealer, rules.seats() - 1));
}

Deal deal_of_hands(const py::object& hands, const CompiledRules& rules, int dealer,
                   const DealContext& context) {
  if (!py::isinstance<py::iterable>(hands) || py::isinstance<py::str>(hands)) {
    refuse_keyword("deal", hands, "a Deal or a list of hands");
  }
  std::vector<std::vector<Card>> lists;
  for (const py::handle hand : hands) lists.push_back(card_list_from(hand));
  const std::vector<std::span<const Card>> spans(lists.begin(), lists.end());
  return deal_from_hands(spans, rules.rules(), dealer, context);
}

Deal make_deal(const py::object& hands, const py::object& rules, DealerArgument dealer,
               const py::object& context, Whole<"zupf"> zupf) {
  const auto compiled = rules_from(rules)->compiled;
  Deal deal = deal_of_hands(hands, *compiled, dealer_of(dealer, *compiled),
                            context_from(context, *compiled));
  if (zupf < 0 || zupf >= compiled->cards_per_hand()) {
    throw std::invalid_argument(
        fmt::format("zupf = {}, allowed: 0..{}", zupf.value, compiled->cards_per_hand() - 1));
  }
  deal.zupf = static_cast<std::uint8_t>(zupf.value);
  return deal;
}

std::vector<std::vector<std::string>> hands_of(const Deal& deal) {
  std::vector<std::vector<std::string>> hands;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const auto index = static_cast<std::size_t>(seat);
    if (deal.hand(seat).empty()) continue;
    std::vector<std::string> hand = names_of_cards(deal.first[index]);
    for (std::string& name : names_of_cards(deal.second[index])) hand.push_back(std::move(name));
    hands.push_back(std::move(hand));
  }
  return hands;
}

Deal deal_or_random(const py::object& deal, const std::optional<Seed<>>& seed,
                    const CompiledRules& rules, int dealer, const DealContext& context) {
  if (deal.is_none() == !seed) {
    throw std::invalid_argument("give either a deal or a seed: deal=Deal(...) or seed=1");
  }
  if (deal.is_none()) return deal_for(*seed, rules.rules(), dealer, context);
  if (py::isinstance<Deal>(deal)) return deal.cast<Deal>();
  return deal_of_hands(deal, rules, dealer, context);
}

py::dict event_to_dict(const Event& event) {
  py::dict row;
  row["seat"] = int{event.seat};
  row["action"] = action_name(event.action);
  row["cards_before"] = int{event.cards_before};
  row["ran_away"] = event.flag;
  row["secret"] = event.secret;
  return row;
}

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

/// The halves of the hands seat by seat, then the number of the drawn card.
using DealWords = std::array<std::uint32_t, (2 * kNumSeats) + 1>;

DealWords words_of(const Deal& deal) {
  DealWords words{};
  std::size_t at = 0;
  for (const auto* half : {&deal.first, &deal.second}) {
    for (const CardSet cards : *half) words[at++] = cards.bits();
  }
  words[at] = deal.zupf;
  return words;
}

py::tuple pickled_deal(const Deal& deal) {
  py::list words;
  for (const std::uint32_t word : words_of(deal)) words.append(word);
  return py::tuple(words);
}

/// A deal says which cards lie where; whether rules deal like that is what a game asks.
Deal unpickled_deal(const py::object& state) {
  const py::tuple words = pickled_tuple(state, std::tuple_size_v<DealWords>, "Deal");
  Deal deal;
  CardSet seen;
  std::size_t at = 0;
  for (auto* half : {&deal.first, &deal.second}) {
    for (CardSet& cards : *half) {
      cards = CardSet(whole_from<std::uint32_t>(words[at++], "Deal: cards of half a hand"));
      if (!(seen & cards).empty()) throw std::invalid_argument("Deal: a card comes twice");
      seen = seen | cards;
    }
  }
  if (seen.empty()) throw std::invalid_argument("Deal: no card");
  deal.zupf = whole_from<std::uint8_t>(words[at], "zupf", 0, kNumRanks - 1);
  return deal;
}

void register_deal(py::module_& module) {
  py::class_<Deal>(module, "Deal", R"(Cards as dealt.

Args:    hands: one list per seat in the order received, the first half-hand first.
         rules: give deck and hand size.
         dealer: seat, -1 = the last; context: DealContext, None = DealContext.first(rules): special
         rounds keep cards back (RULES C.20).
         zupf: number of the card that is drawn in a Zupf-Solo, among the cards the other seat held.
Raises:  ValueError: a card that is missing or comes twice, or a wrong hand size.)")
      .def(py::init(&make_deal), py::arg("hands"), py::arg("rules") = "research",
           py::arg("dealer") = -1, py::arg("context") = py::none(), py::arg("zupf") = 0)
      .def_static(
          "random",
          [](Seed<> seed, const py::object& rules, DealerArgument dealer,
             const py::object& context) {
            const auto compiled = rules_from(rules)->compiled;
            return deal_for(seed, compiled->rules(), dealer_of(dealer, *compiled),
                            context_from(context, *compiled));
          },
          py::arg("seed"), py::arg("rules") = "research", py::arg("dealer") = -1,
          py::arg("context") = py::none(),
          "Uniformly random deal; a fixed function of the arguments.")
      .def_static(
          "from_order",
          [](const py::object& order, DealerArgument dealer, const py::object& rules,
             const py::object& context) {
            const auto compiled = rules_from(rules)->compiled;
            return deal_from_order(card_list_from(order), compiled->rules(),
                                   dealer_of(dealer, *compiled), context_from(context, *compiled));
          },
          py::arg("order"), py::arg("dealer") = -1, py::arg("rules") = "research",
          py::arg("context") = py::none(),
          "Deal of a deck order, order[0] dealt first (RULES B.3.3); dealer -1 = the last seat.")
      .def_property_readonly(
          "hands", &hands_of,
          "Names of the cards of each seat in the order received, the first half-hand first.")
      .def("__eq__",
           [](const Deal& a, const py::object& b) {
             return py::isinstance<Deal>(b) && a == b.cast<const Deal&>();
           })
      .def("__hash__", [](const Deal& deal) { return py::hash(pickled_deal(deal)); })
      .def(py::pickle(&pickled_deal, &unpickled_deal))
      .def("__repr__", [](const Deal& deal) {
        return fmt::format("Deal({})", py::repr(py::cast(hands_of(deal))).cast<std::string>());
      });
}

PythonGame make_game(const py::object& rules, const py::object& deal, DealerArgument dealer,
                     const std::optional<Seed<>>& seed, const py::object& inherited) {
  const auto compiled = rules_from(rules)->compiled;
  const DealContext context = context_from(inherited, *compiled);
  const int seat = dealer_of(dealer, *compiled);
  return {compiled,
          Game(*compiled, deal_or_random(deal, seed, *compiled, seat, context), seat, context)};
}

CardPlayStart start_from(const py::object& contract, int partner, const std::vector<int>& laid,
                         const py::object& exchange) {
  CardPlayStart start;
  start.contract = contract_from(contract);
  start.partner = partner;
  start.laid = laid;
  for (const py::handle step : exchange) {
    const auto [from, to, cards] = step.cast<std::tuple<int, int, py::object>>();
    start.exchange.push_back({from, to, card_set_from(cards)});
  }
  return start;
}

PythonGame game_with_contract(const py::object& contract, const py::object& rules,
                              const py::object& deal, DealerArgument dealer,
                              const std::optional<Seed<>>& seed, Whole<"partner"> partner,
                              const std::vector<int>& laid, const py::object& exchange,
                              const DealContext& context) {
  const auto compiled = rules_from(rules)->compiled;
  const int seat = dealer_of(dealer, *compiled);
  check_contract(contract_from(contract), *compiled);
  return {compiled,
          Game::with_contract(*compiled, deal_or_random(deal, seed, *compiled, seat, {}), seat,
                              start_from(contract, partner, laid, exchange), context)};
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
    std::size_t seat = 0;
    for (const py::handle cards : from) {
      if (seat == kNumSeats)
        throw std::invalid_argument(fmt::format("{}: more than 4 seats", what));
      to[seat++] = card_set_from(cards);
    }
  };
  fill(hands, position.hands, "hands");
  if (!captured.is_none()) fill(captured, position.captured, "captured");
  check_position(position, *compiled);
  return {compiled, Game::from_position(*compiled, position)};
}

/// Mean payoffs of random playouts of copies, and the number of decisions they took.
std::pair<std::array<double, kNumSeats>, std::int64_t> rollout(const Game& start, int games,
                                                               std::uint64_t seed) {
  std::array<std::int64_t, kNumSeats> sums{};
  std::int64_t decisions = 0;
  Rng rng(seed);
  for (int i = 0; i < games; ++i) {
    Game game = start;
    while (!game.is_terminal()) {
      const ActionMask mask = without_claims(game.legal_actions());
      game.apply_unchecked(mask.nth(rng.next_below(mask.count())));
      ++decisions;
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

py::tuple python_rollout(const PythonGame& g, Whole<"games"> games, Seed<> seed) {
  if (games < 1)
    throw std::invalid_argument(fmt::format("games = {}, allowed: from 1", games.value));
  const Game start = g.game;
  std::pair<std::array<double, kNumSeats>, std::int64_t> result;
  {
    const py::gil_scoped_release release;
    result = rollout(start, games, seed);
  }
  const auto seats = static_cast<py::ssize_t>(start.seats());
  return py::make_tuple(py::array_t<double>(seats, result.first.data()), result.second);
}

template <class Class>
void add_state(Class& game) {
  game.def_property_readonly(
          "phase", [](const PythonGame& g) { return std::string(phase_name(g.game.phase())); },
          "Name of what is asked now, \"PLAY\", \"AUCTION_ROUND\" ... (RULES D.1); \"DONE\" when "
          "the deal is over.")
      .def_property_readonly(
          "is_terminal", [](const PythonGame& g) { return g.game.is_terminal(); },
          "Whether the deal is over, so that payoffs() has an answer.")
      .def_property_readonly(
          "current_player", [](const PythonGame& g) { return g.game.current_player(); },
          "Seat whose turn it is, -1 when the deal is over.")
      .def_property_readonly(
          "seats", [](const PythonGame& g) { return g.game.seats(); },
          "Number of seats that play, 3 or 4.")
      .def_property_readonly(
          "dealer", [](const PythonGame& g) { return g.game.dealer(); },
          "Seat that dealt; forehand sits to its left.")
      .def_property_readonly(
          "forehand", [](const PythonGame& g) { return g.game.forehand(); },
          "Seat that speaks first and leads to the first trick.")
      .def_property_readonly(
          "rules_name", [](const PythonGame& g) { return g.rules->name(); },
          "Name of the rule set of the game.")
      .def_property_readonly(
          "contract",
          [](const PythonGame& g) -> std::optional<Contract> {
            if (!g.game.has_contract()) return std::nullopt;
            return g.game.contract();
          },
          "The Contract that is played, None before there is one.")
      .def_property_readonly(
          "declarer_party",
          [](const PythonGame& g) {
            std::vector<int> seats;
            for (int seat = 0; seat < g.game.seats(); ++seat) {
              if (((g.game.declarer_party() >> seat) & 1) != 0) {
                seats.push_back(seat);
              }
            }
            return seats;
          },
          "Seats of the declarer's party, lowest first, whether others know it or not.")
      .def_property_readonly(
          "doubling_level", [](const PythonGame& g) { return g.game.doubling_level(); },
          "Doublings so far by Kontra and its answers (RULES F.3).")
      .def_property_readonly(
          "plays",
          [](const PythonGame& g) {
            std::vector<std::pair<int, std::string>> plays;
            for (int i = 0; i < g.game.num_plays(); ++i) {
              plays.emplace_back(g.game.played_by(i), card_name(g.game.played_card(i)));
            }
            return plays;
          },
          "(seat, card) in the order played.")
      .def_property_readonly(
          "events",
          [](const PythonGame& g) {
            py::list events;
            for (int i = 0; i < g.game.num_events(); ++i) {
              events.append(event_to_dict(g.game.event(i)));
            }
            return events;
          },
          "Events before and between the cards, in order; secret ones are known to their seat "
          "alone.")
      .def_property_readonly(
          "context", [](const PythonGame& g) { return g.game.context(); },
          "DealContext: what the deal inherited from its session.")
      .def_property_readonly(
          "partner", [](const PythonGame& g) { return g.game.partner(); },
          "Partner of the declarer, hidden or not; -1 = none.")
      .def_property_readonly(
          "num_laid", [](const PythonGame& g) { return g.game.num_laid(); },
          "How many seats doubled on half a hand (Legen, RULES F.1).")
      .def_property_readonly(
          "open_cards", [](const PythonGame& g) { return names_of_cards(g.game.open_cards()); },
          "Cards of the declarer that lie open (Bettel-Brett).")
      .def(
          "given",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) {
            return names_of_cards(g.game.given(seat_from(seat, "seat")));
          },
          py::arg("seat"), "Cards that a seat passed on before the play.")
      .def(
          "received",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) {
            return names_of_cards(g.game.received(seat_from(seat, "seat")));
          },
          py::arg("seat"), "Cards that a seat got before the play.")
      .def(
          "hand",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) {
            return names_of_cards(g.game.hand(seat_from(seat, "seat")));
          },
          py::arg("seat"), "Cards that a seat holds now.")
      .def(
          "dealt",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) {
            return names_of_cards(g.game.dealt(seat_from(seat, "seat")));
          },
          py::arg("seat"), "Cards that a seat was dealt, before any exchange.")
      .def(
          "captured",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) {
            return names_of_cards(g.game.captured(seat_from(seat, "seat")));
          },
          py::arg("seat"), "Cards in the tricks that a seat won.");
}

py::list public_actions(const PythonGame& g) {
  py::list rows;
  for (const PublicAction& step : public_history(g.game).actions) {
    rows.append(py::make_tuple(step.seat, action_name(step.action)));
  }
  return rows;
}

py::object hypothetical_view(const PythonGame& g, Whole<"ply"> ply, Whole<"seat"> seat,
                             const py::object& hand) {
  const PublicHistory history = public_history(g.game);
  const auto last = static_cast<int>(history.actions.size());
  if (ply < 0 || ply > last) {
    throw std::invalid_argument(fmt::format("ply = {}, allowed: 0..{}", ply.value, last));
  }
  const PlayerView view = view_at(history, static_cast<std::size_t>(ply.value),
                                  seat_from(seat, "seat"), card_set_from(hand));
  return view_to_numpy(view);
}

template <class Class>
void add_play(Class& game) {
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
          "uint8 [128]: 1 on legal actions.")
      .def(
          "apply",
          [](PythonGame& g, const py::object& action) { g.game.apply(action_from(action)); },
          py::arg("action"),
          R"(Apply a legal action, by number or name.

Raises:  IllegalAction, a ValueError with seat, phase, action, reason, rule and the legal ones as
         attributes. The game is then unchanged.)")
      .def(
          "infract",
          [](PythonGame& g, Whole<"seat"> seat, const Text<"infraction">& infraction) {
            const auto names = names_of(Infraction{});
            const auto found = std::ranges::find(names, infraction.value);
            if (found == names.end()) {
              throw std::invalid_argument(fmt::format("infraction = \"{}\", allowed: {}{}",
                                                      infraction.value,
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
          py::arg("action"), "Why an action is illegal now; empty if it is legal.")
      .def(
          "refusal",
          [](const PythonGame& g, const py::object& action) {
            return refusal_of(g.game, action_from(action));
          },
          py::arg("action"),
          "Why an action is illegal now, in parts: a Refusal. None if it is legal.")
      .def("rollout", &python_rollout, py::arg("games"), py::arg("seed") = 0,
           R"(Play copies of the game to the end by random legal actions.

Returns: (mean payoffs float64 [seats] in tariff units, number of decisions taken).)")
      .def(
          "payoffs",
          [](const PythonGame& g) { return in_tariff_units(g.game.payoffs(), *g.rules); },
          "Payoffs per seat in tariff units. Raises ValueError before the end.")
      .def(
          "settlement_steps",
          [](const PythonGame& g) {
            if (!g.game.is_terminal()) throw std::invalid_argument("the game is not over yet");
            return settlement_steps(g.game.outcome(), *g.rules, g.game.context());
          },
          "How the price of the finished game comes about, one step per line.")
      .def(
          "outcome",
          [](const PythonGame& g) {
            if (!g.game.is_terminal()) throw std::invalid_argument("the game is not over yet");
            return g.game.outcome();
          },
          "Outcome of the finished game, as `settle` takes it.")
      .def(
          "view",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) -> py::object {
            return view_to_numpy(g.game.view(seat_from(seat, "seat")));
          },
          py::arg("seat"), "What a seat may know: a record of VIEW_DTYPE (192 bytes).")
      .def("public_actions", &public_actions,
           "(seat, action) of the public actions so far; view_at counts them.")
      .def("view_at", &hypothetical_view, py::arg("ply"), py::arg("seat"), py::arg("hand"),
           R"(The view that a seat would have had with a hypothetical hand.

Args:    ply: before this public action; the number of all of them = now.
         hand: the cards that the seat was dealt.
Raises:  ValueError: a hand that is impossible after what everybody saw.)")
      .def(
          "full_view",
          [](const PythonGame& g, Whole<"seat", int, 0, kNumSeats - 1> seat) -> py::object {
            const FullView view = g.game.full_view(seat_from(seat, "seat"));
            const py::array row(full_view_dtype(), std::vector<py::ssize_t>{1}, &view);
            return row[py::int_(0)];
          },
          py::arg("seat"), "The hidden truth, for critics only: a record of FULL_VIEW_DTYPE.");
}

void register_games(py::module_& module) {
  py::class_<PythonGame> game(module, "Game", R"(One deal from the first question to the payoffs.

It holds the whole truth, all hands; what a seat may know of it is view(seat). Cards and actions are
given by name or number and come back by name; two games are equal if everything in them is::

    game = schafkopf.Game(seed=1)
    while not game.is_terminal:
        game.apply(game.legal_names()[-1])  # the last legal action of game.current_player
    print(game.contract, game.payoffs())

Args:    rules: preset name, path, dict or RuleSet.
         deal: Deal or list of hands; or seed: number of a random deal.
         dealer: seat of the dealer, -1 = the last seat.
         context: DealContext, None = DealContext.first(rules).
Raises:  ValueError: impossible hands, unknown rules.)");
  game.def(py::init(&make_game), py::arg("rules") = "research", py::arg("deal") = py::none(),
           py::arg("dealer") = -1, py::arg("seed") = py::none(), py::arg("context") = py::none())
      .def_static("with_contract", &game_with_contract, py::arg("contract"),
                  py::arg("rules") = "research", py::arg("deal") = py::none(),
                  py::arg("dealer") = -1, py::arg("seed") = py::none(), py::arg("partner") = -1,
                  py::arg("laid") = std::vector<int>{}, py::arg("exchange") = py::list(),
                  py::arg("context") = DealContext{},
                  R"(Start at card play with a given contract.

Args:    contract: Contract with its declarer, name or dict;  deal, dealer, seed: as of a Game.
         partner: seat that accepted a Hochzeit, else -1.
         laid: seats that laid, in order.
         exchange: (from, to, cards) passed before the play; the deal has the hands before it.)")
      .def_static("from_position", &game_from_position, py::arg("contract"), py::arg("hands"),
                  py::arg("captured") = py::none(), py::arg("leader") = 0, py::arg("dealer") = -1,
                  py::arg("rules") = "research", py::arg("partner") = -1,
                  R"(Endgame: remaining cards without history; Laufende are not counted.

Args:    hands: per seat, equally many cards;  captured: per seat the cards of its tricks so far,
         None = nobody has any;  all cards of the deck are needed.
         leader: seat that leads the next trick, 0 unless given;  dealer: seat, -1 = the last one.
         partner: of the declarer, where no hand shows it: the called card has been played, or a
         Hochzeit was accepted; else -1.)");
  add_state(game);
  add_play(game);
  const auto copy = [](const PythonGame& g) { return PythonGame(g); };
  game.def("copy", copy, "Independent copy, under the same rules.")
      .def("__copy__", copy)
      .def(
          "__deepcopy__", [](const PythonGame& g, const py::dict&) { return PythonGame(g); },
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
          [](const py::bytes& bytes, const py::object& rules) {
            const auto compiled = rules_from(rules)->compiled;
            const auto text = static_cast<std::string_view>(bytes);
            const std::span<const std::uint8_t> span(
                reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
            return PythonGame{compiled, Game::deserialize(*compiled, span)};
          },
          py::arg("data"), py::arg("rules") = "research",
          "Inverse of serialize. Raises ValueError for other rules or broken bytes.")
      .def("__eq__",
           [](const PythonGame& a, const py::object& b) {
             if (!py::isinstance<PythonGame>(b)) return false;
             const auto& other = b.cast<const PythonGame&>();
             return &a == &other || a.game.serialize() == other.game.serialize();
           })
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
    throw std::invalid_argument(fmt::format("special round \"{}\", allowed: {}{}", name,
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

void register_session(py::module_& module) {
  py::class_<PythonSession> session(
      module, "Session",
      R"(Consecutive deals at one table: dealer, account, Stock, Bock and special rounds, end.

next_game() gives the deal to be played, finish(game) enters it once it is over. A place is a chair
of the table; at a table of five the dealer sits out, and `places` says who sits where.)");
  session.def(py::init(&make_session), py::arg("rules") = "research", py::arg("seed") = 0)
      .def("__eq__",
           [](const PythonSession& a, const py::object& b) {
             if (!py::isinstance<PythonSession>(b)) return false;
             const auto& other = b.cast<const PythonSession&>();
             return a.rules->hash() == other.rules->hash() &&
                    a.session.seed() == other.session.seed() &&
                    a.session.state() == other.session.state();
           })
      .def(py::pickle(&pickled_session, &unpickled_session))
      .def(
          "next_game",
          [](const PythonSession& s) { return PythonGame{s.rules, s.session.next_game()}; },
          "The next deal, not yet played. Raises ValueError when the session is over.")
      .def(
          "finish", [](PythonSession& s, const PythonGame& game) { s.session.finish(game.game); },
          py::arg("game"), "Enter the deal that next_game() gave, played to its end.")
      .def(
          "misdeal", [](PythonSession& s) { return s.by_place(s.session.misdeal()); },
          R"(The dealer misdealt (RULES B.3.6): he deals again, or pays under redeal_then_penalty.

Returns: what the places get, in tariff units.)")
      .def(
          "start_special_round",
          [](PythonSession& s, const std::string& mode) {
            s.session.start_special_round(mode_from(mode));
          },
          py::arg("mode") = "none",
          "Start a special round with the next deal; \"none\" = the one of the trigger MANUAL.");
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

/// A deal that was entered into a league.
struct LeagueGame {
  int sitting = 0, table = 0;
  std::vector<std::uint8_t> bytes;  // of the game
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

PythonLeague make_league(Whole<"players"> players, const py::object& rules, Seed<> seed) {
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
    league.finish(whole_from<int>(entry[0], "sitting"), whole_from<int>(entry[1], "table"),
                  Game::deserialize(*league.rules, pickled_bytes(entry[2], "League")));
  }
  return league;
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

void register_league(py::module_& module) {
  py::class_<PythonLeague>(
      module, "League",
      R"(A league day (RULES H.3): players are drawn to tables anew in every sitting.

Args:    players: number registered, a multiple of the players of a table.
Raises:  ValueError: another number of players.

next_game(sitting, table) gives the deal to be played, finish(...) enters it into the list.)")
      .def(py::init(&make_league), py::arg("players"), py::arg("rules") = "tournament_2024",
           py::arg("seed") = 0)
      .def("__eq__",
           [](const PythonLeague& a, const py::object& b) {
             return py::isinstance<PythonLeague>(b) && a == b.cast<const PythonLeague&>();
           })
      .def(py::pickle(&pickled_league, &unpickled_league))
      .def(
          "next_game",
          [](const PythonLeague& l, int sitting, int table) {
            return PythonGame{l.rules, l.league.next_game(sitting, table)};
          },
          py::arg("sitting"), py::arg("table"),
          "The next deal of a table; ValueError when its sitting is over.")
      .def(
          "finish",
          [](PythonLeague& l, int sitting, int table, const PythonGame& game) {
            l.finish(sitting, table, game.game);
          },
          py::arg("sitting"), py::arg("table"), py::arg("game"),
          "Enter the deal that next_game() gave, played to its end.")
      .def(
          "players_at",
          [](const PythonLeague& l, int sitting, int table) {
            return l.league.list(sitting, table).players;
          },
          py::arg("sitting"), py::arg("table"), "Players of a table by place.")
      .def(
          "is_over",
          [](const PythonLeague& l, int sitting, int table) {
            return l.league.is_over(sitting, table);
          },
          py::arg("sitting"), py::arg("table"),
          "Whether a table has played all its games of a sitting.")
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

}  // namespace

void register_game(py::module_& module) {
  register_deal(module);
  register_games(module);
  register_session(module);
  register_league(module);
}

}  // namespace schafkopf::python
