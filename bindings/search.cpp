// Python: exact play, sampled and inferred worlds, search over them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "agents/search/pimc.h"
#include "agents/solver/solver.h"
#include "agents/worlds/posterior.h"
#include "agents/worlds/worlds.h"
#include "bindings/agents.h"
#include "bindings/common.h"
#include "bindings/gil.h"
#include "bindings/interpreter.h"
#include "bindings/pickles.h"
#include "env/base/available_memory.h"

namespace schafkopf::python {
namespace {

using HandArray = py::array_t<std::uint32_t>;

// ---- solver ----

const PlayState<std::uint32_t>& play_of(const PythonGame& game) {
  if (game.game.phase() != Phase::kPlay || !game.game.has_contract()) {
    throw std::invalid_argument(fmt::format(
        "the solver plays cards under a contract; the game is in {}{}",
        phase_name(game.game.phase()), game.game.has_contract() ? "" : " without a contract"));
  }
  return game.game.play_state();
}

/// Seats of the side as a mask; None = the declarer party.
std::uint8_t side_from(const PythonGame& game, const py::object& side) {
  if (side.is_none()) {
    if (game.game.declarer_party() == 0) {
      throw std::invalid_argument(
          "side: everybody plays for himself; name the seats whose points count");
    }
    return game.game.declarer_party();
  }
  unsigned mask = 0;
  const int last = game.game.seats() - 1;
  for_each_element(side, "side", "list of seats, None", [&mask, last](const py::handle& seat) {
    const int number = whole_from<int>(seat, "seat", 0, last);
    const unsigned bit = 1u << number;
    if ((mask & bit) != 0) {
      throw std::invalid_argument(fmt::format("seat {} comes twice, allowed: once", number));
    }
    mask |= bit;
  });
  if (mask == 0) throw std::invalid_argument("side = [], allowed: one seat or more, None");
  return static_cast<std::uint8_t>(mask);
}

py::dict by_card(const std::array<std::int8_t, kNumCards>& values) {
  py::dict result;
  for (Card card = 0; card < kNumCards; ++card) {
    if (values[card] >= 0) result[py::str(card_name(card))] = int{values[card]};
  }
  return result;
}

/// A solver, and the lock that keeps two Python threads apart while the GIL is released.
struct PythonSolver {
  explicit PythonSolver(std::size_t bytes) : table_bytes(bytes), solver(bytes) {}
  static constexpr std::size_t kLeastTable = std::size_t{1} << 16;
  static constexpr std::size_t kMostTable = std::size_t{1} << 36;
  std::size_t table_bytes;
  Solver solver;
  AgentMutex mutex{AgentMutex::Of::kSolver};
};

using TableBytes =
    Whole<"table_bytes", std::size_t, PythonSolver::kLeastTable, PythonSolver::kMostTable>;

std::unique_ptr<PythonSolver> make_solver(TableBytes table_bytes) {
  try {
    return std::make_unique<PythonSolver>(table_bytes);
  } catch (const std::bad_alloc&) {
    PyErr_SetString(
        PyExc_MemoryError,
        fmt::format("table_bytes = {}: there is not so much memory", table_bytes.value).c_str());
    throw py::error_already_set();
  }
}

using Play = PlayState<std::uint32_t>;

template <class Ask>
auto ask(PythonSolver& python, const PythonGame& game, const py::object& side, Ask question) {
  const Play play = play_of(game);
  const std::uint8_t seats = side_from(game, side);
  const LongCall call;
  const std::scoped_lock lock(python.mutex);
  return question(python.solver, play, seats);
}

constexpr const char* kClassNames[] = {"no_trick", "schneider",     "lost",
                                       "won",      "won_schneider", "all_tricks"};

void add_solver_points(py::class_<PythonSolver>& solver_class) {
  solver_class
      .def(
          "points",
          [](PythonSolver& solver, const PythonGame& game, const py::object& side) {
            return ask(solver, game, side, [](Solver& exact, const Play& play, std::uint8_t seats) {
              return exact.points(play, seats);
            });
          },
          py::arg("game"), py::arg("side") = py::none(),
          R"(Card points that the side takes if both sides play best, 0..120.

Raises:  ValueError: a game that is not in card play, a side that is none.  TypeError: no Game.)")
      .def(
          "reaches",
          [](PythonSolver& solver, const PythonGame& game, Whole<"points", int, 0, 121> points,
             const py::object& side) {
            return ask(solver, game, side,
                       [points](Solver& exact, const Play& play, std::uint8_t seats) {
                         return exact.reaches(play, seats, points.value);
                       });
          },
          py::arg("game"), py::arg("points"), py::arg("side") = py::none(),
          R"(Whether the side takes at least so many card points: faster than `points`.

Args:    points: 0..121, which nobody takes.
Raises:  ValueError: a game that is not in card play, points out of range, a side that is none.
         TypeError: no Game.)")
      .def(
          "fewest_points",
          [](PythonSolver& solver, const PythonGame& game, const WholeWithin<"seat">& seat) {
            py::list side;
            side.append(seat.in(0, game.game.seats() - 1));
            return ask(solver, game, side, [](Solver& exact, const Play& play, std::uint8_t seats) {
              return exact.value(play, {.side = seats, .fewest = true});
            });
          },
          py::arg("game"), py::arg("seat"),
          R"(Card points of a seat that wants few while all others play against it (Ramsch).

Raises:  ValueError: a game that is not in card play, a seat that is none of the game's.
         TypeError: no Game.)");
}

void add_solver_tricks(py::class_<PythonSolver>& solver_class) {
  solver_class
      .def(
          "takes_all",
          [](PythonSolver& solver, const PythonGame& game, const py::object& side) {
            return ask(solver, game, side, [](Solver& exact, const Play& play, std::uint8_t seats) {
              return exact.takes_all(play, seats);
            });
          },
          py::arg("game"), py::arg("side") = py::none(),
          R"(Whether the side can take all tricks from now on, the running one included.

Raises:  ValueError: a game that is not in card play, a side that is none.  TypeError: no Game.)")
      .def(
          "takes_none",
          [](PythonSolver& solver, const PythonGame& game, const py::object& side) {
            return ask(solver, game, side, [](Solver& exact, const Play& play, std::uint8_t seats) {
              return exact.takes_none(play, seats);
            });
          },
          py::arg("game"), py::arg("side") = py::none(),
          R"(Whether the side, which wants none, keeps clear of all tricks from now on.

Raises:  ValueError: a game that is not in card play, a side that is none.  TypeError: no Game.)");
}

void add_solver_results(py::class_<PythonSolver>& solver_class) {
  solver_class
      .def(
          "payoff_class",
          [](PythonSolver& solver, const PythonGame& game, const py::object& side) {
            const PayoffClass found =
                ask(solver, game, side, [](Solver& exact, const Play& play, std::uint8_t seats) {
                  return exact.payoff_class(play, seats);
                });
            return kClassNames[static_cast<std::size_t>(found)];
          },
          py::arg("game"), py::arg("side") = py::none(),
          R"(Best result that the side can force at 31, 61 and 91 points: "no_trick", "schneider",
"lost", "won", "won_schneider" or "all_tricks".

Raises:  ValueError: a game that is not in card play, a side that is none.  TypeError: no Game.)")
      .def(
          "card_points",
          [](PythonSolver& solver, const PythonGame& game, const py::object& side) {
            return by_card(
                ask(solver, game, side, [](Solver& exact, const Play& play, std::uint8_t seats) {
                  return exact.values(play, {.side = seats});
                }));
          },
          py::arg("game"), py::arg("side") = py::none(),
          R"({card: points of the side after it} for the legal cards of the seat to play.

Raises:  ValueError: a game that is not in card play, a side that is none.  TypeError: no Game.)");
}

void register_solver(py::module_& module) {
  py::class_<PythonSolver> solver_class(
      module, "Solver",
      R"(Exact play with open cards, for games that are in card play.

Args:    table_bytes: size of the table of positions, 2^16..2^36 bytes, rounded down to a power of two.
Raises:  ValueError: another size.  MemoryError: there is not so much memory.

Questions take a Game and the seats of a side (None = the declarer party); points already taken
count. Solvers with tables of the same size are equal; a copy or a pickle begins with an empty
table.)");
  solver_class.def(py::init(&make_solver), py::arg("table_bytes") = std::size_t{1} << 21)
      .def(
          "__eq__",
          [](const PythonSolver& a, const PythonSolver& b) {
            return a.table_bytes == b.table_bytes;
          },
          py::is_operator())
      .def("__repr__",
           [](const PythonSolver& solver) {
             return fmt::format("Solver(table_bytes={})", solver.table_bytes);
           })
      .def(py::pickle(
          [](const PythonSolver& solver) { return py::make_tuple(solver.table_bytes); },
          [](const py::object& state) {
            const py::tuple parts = pickled_tuple(state, 1, "Solver");
            return make_solver({whole_from<std::size_t>(
                parts[0], "table_bytes", PythonSolver::kLeastTable, PythonSolver::kMostTable)});
          }));
  add_solver_points(solver_class);
  add_solver_tricks(solver_class);
  add_solver_results(solver_class);
}

// ---- worlds ----

PlayerView single_view(const py::object& view) {
  const ViewPlanes planes = planes_from(view);
  if (planes.cards.size() != 1) {
    throw std::invalid_argument(
        fmt::format("view: {} views came, allowed: one", planes.cards.size()));
  }
  return {planes.cards[0], planes.order[0], planes.events[0]};
}

/// What the hidden hands of a view are asked of: it, and the rules of its game.
struct Known {
  PlayerView view;
  std::shared_ptr<const CompiledRules> rules;

  Known(const py::object& given, const py::object& by)
      : view(single_view(given)), rules(rules_from(by)->compiled) {}
  friend bool operator==(const Known& a, const Known& b) {
    return a.rules->hash() == b.rules->hash() &&
           std::memcmp(&a.view.cards, &b.view.cards, sizeof a.view.cards) == 0 &&
           std::memcmp(&a.view.order, &b.view.order, sizeof a.view.order) == 0 &&
           std::memcmp(&a.view.events, &b.view.events, sizeof a.view.events) == 0;
  }
};

/// A sampler, and what it was made of.
struct PythonSampler {
  PythonSampler(const py::object& view, const py::object& rules)
      : known(view, rules), sampler(known.view, *known.rules) {}
  Known known;
  WorldSampler sampler;
};

/// Row of hands, one mask per relative seat.
void write_world(const World& world, std::uint32_t* row) {
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) row[seat] = world.hands[seat].bits();
}

HandArray hands_array(std::size_t rows) {
  require_memory(fmt::format("keeping {} worlds", rows),
                 std::uint64_t{rows} * kNumSeats * sizeof(std::uint32_t));
  return HandArray({static_cast<py::ssize_t>(rows), py::ssize_t{kNumSeats}});
}

constexpr std::size_t kMostSamples = 1'000'000'000;
using Count = Whole<"n", std::size_t, 1, kMostSamples>;

HandArray worlds_array(const std::vector<World>& worlds) {
  HandArray hands = hands_array(worlds.size());
  std::uint32_t* row = hands.mutable_data();
  for (const World& world : worlds) {
    write_world(world, row);
    row += kNumSeats;
  }
  return hands;
}

HandArray all_worlds(const PythonSampler& python, Whole<"most", std::uint64_t> most) {
  const WorldSampler& sampler = python.sampler;
  if (sampler.count() > most) {
    throw std::invalid_argument(
        fmt::format("most = {}, allowed: {} or more, so many worlds fit the view", most.value,
                    sampler.count()));
  }
  HandArray hands = hands_array(sampler.count());
  std::uint32_t* row = hands.mutable_data();
  const LongCall call;
  sampler.enumerate([&row](const World& world) {
    check_interruption();
    write_world(world, row);
    row += kNumSeats;
  });
  return hands;
}

void register_worlds(py::module_& module) {
  py::class_<PythonSampler>(module, "WorldSampler",
                            R"(Hidden hands that fit a view, all equally likely.

Hands are uint32 [n, 4]: one bit per card (bit 8 * suit + rank), relative seats, 0 = the viewer.

Args:    view: what a seat knows, as Game.view gives it.
         rules: preset name, path, dict (without "preset" the defaults of the switches) or
         RuleSet of the game.
Raises:  ValueError: not exactly one view, one that no deal explains, unknown rules.)")
      .def(py::init<const py::object&, const py::object&>(), py::arg("view"),
           py::arg("rules") = "research")
      .def(
          "__eq__",
          [](const PythonSampler& a, const PythonSampler& b) { return a.known == b.known; },
          py::is_operator())
      .def("__repr__",
           [](const PythonSampler& python) {
             return fmt::format("<WorldSampler, {} worlds>", python.sampler.count());
           })
      .def(py::pickle(
          [](const PythonSampler& python) {
            return py::make_tuple(view_to_numpy(python.known.view),
                                  rules_to_python(python.known.rules));
          },
          [](const py::object& state) {
            const py::tuple parts = pickled_tuple(state, 2, "WorldSampler");
            return PythonSampler(parts[0], parts[1]);
          }))
      .def_property_readonly(
          "count", [](const PythonSampler& python) { return python.sampler.count(); },
          "Number of worlds that fit.")
      .def(
          "sample",
          [](const PythonSampler& python, Count n, Seed<> seed) {
            const WorldSampler& sampler = python.sampler;
            HandArray hands = hands_array(n);
            std::uint32_t* row = hands.mutable_data();
            const LongCall call;
            for (std::uint64_t i = 0; i < n; ++i, row += kNumSeats) {
              check_interruption();
              write_world(sampler.sample(mix64(mix64(seed) + i)), row);
            }
            return hands;
          },
          py::arg("n") = 1, py::arg("seed") = 0,
          R"(n worlds: uint32 [n, 4], the same for a seed.

Args:    n: 1..10^9, 16 bytes each;  seed: 0..2^64-1; world i does not depend on n.
Raises:  ValueError: a number out of range.  MemoryError: there is not so much memory.)")
      .def("enumerate", &all_worlds, py::arg("most") = 1'000'000,
           R"(Every world once: uint32 [count, 4].

Raises:  ValueError: there are more than `most`.)");
}

// ---- inference and search ----

std::vector<World> worlds_by_policy(const py::object& view, const py::object& policy,
                                    const py::object& rules, int drawn, int kept,
                                    std::uint64_t seed, const Belief& belief) {
  const std::shared_ptr<const Rules> set = rules_from(rules);
  check_player(policy, "policy");
  const std::shared_ptr<BatchPolicy> player = policy_from(policy);
  const PlayerView seen = single_view(view);
  const LongCall call;
  return inferred_worlds(seen, *set->compiled, *player, drawn, kept, mix64(seed), belief);
}

using MostWorlds = Whole<"most_worlds", std::uint64_t>;

/// A posterior, and what it was made of.
struct PythonPosterior {
  Known known;
  py::object agent;  // how the others are believed to play; none once a cycle was cleared
  Belief belief;
  std::uint64_t most_worlds = 0;
  ExactPosterior posterior;
};

PythonPosterior make_posterior(const py::object& view, const py::object& policy,
                               const py::object& rules, Real<"alpha"> alpha, Real<"floor"> floor,
                               MostWorlds most_worlds, const py::object& silence) {
  check_player(policy, "policy");
  const Known known(view, rules);
  const Belief belief{.alpha = alpha, .floor = floor, .silence = flag_from(silence, "silence")};
  py::object agent = agent_of(policy);
  const std::unique_ptr<BatchPolicy> player = agent.cast<const Agent&>().policy->clone();
  const auto infer = [&] {
    const LongCall call;
    return ExactPosterior(known.view, *known.rules, *player, belief, most_worlds);
  };
  return {known, std::move(agent), belief, most_worlds, infer()};
}

bool same_posterior(const PythonPosterior& a, const PythonPosterior& b) {
  return a.known == b.known && a.belief.alpha == b.belief.alpha &&
         a.belief.floor == b.belief.floor && a.belief.silence == b.belief.silence &&
         a.most_worlds == b.most_worlds && a.agent && b.agent && a.agent.equal(b.agent);
}

py::tuple pickled_posterior(const PythonPosterior& python) {
  if (!python.agent) throw std::runtime_error("the player of this posterior is gone");
  return py::make_tuple(view_to_numpy(python.known.view), python.agent,
                        rules_to_python(python.known.rules), python.belief.alpha,
                        python.belief.floor, python.most_worlds, python.belief.silence);
}

PythonPosterior unpickled_posterior(const py::object& state) {
  const py::tuple parts = pickled_tuple(state, 7, "ExactPosterior");
  const auto number = [&](std::size_t at, const char* name) {
    if (py::isinstance<py::float_>(parts[at])) return parts[at].cast<double>();
    refuse_keyword(name, parts[at], "number");
  };
  return make_posterior(parts[0], parts[1], parts[2], {number(3, "alpha")}, {number(4, "floor")},
                        {whole_from<std::uint64_t>(parts[5], "most_worlds")}, parts[6]);
}

void register_inferred_worlds(py::module_& module) {
  module.def(
      "inferred_worlds",
      [](const py::object& view, const py::object& policy, const py::object& rules,
         Whole<"drawn", int, 1> drawn, Whole<"kept", int, 1> kept, Seed<> seed, Real<"alpha"> alpha,
         Real<"floor"> floor, const py::object& silence) {
        const Belief belief{
            .alpha = alpha, .floor = floor, .silence = flag_from(silence, "silence")};
        return worlds_array(worlds_by_policy(view, policy, rules, drawn, kept, seed, belief));
      },
      py::arg("view"), py::arg("policy"), py::arg("rules") = "research", py::arg("drawn") = 100,
      py::arg("kept") = 30, py::arg("seed") = 0, py::arg("alpha") = kCautious.alpha,
      py::arg("floor") = kCautious.floor, py::arg("silence") = kCautious.silence,
      R"(Worlds resampled by how likely a policy's actions make them: uint32 [kept, 4].

Args:    policy: registry string, agent, or object with act(views) and, for its probabilities,
         policy(views): how the others are believed to play, where no claims are offered (CLAIM_REST,
         CONCEDE_REST), as in VectorEnv and tournaments. "net:FILE" never draws: its
         probabilities are 1 and 0, which another player's actions refute; "net:FILE,greedy=false"
         has those of the network.
         drawn: worlds that are weighted; kept: worlds returned.
         alpha, floor: each action counts max(probability, floor)^alpha, both 0..1.
         silence: whether answers that leave no trace (RULES D.1) count too: nothing doubled, laid
         or offered by a seat that, with its hand in a world, was asked.
Raises:  ValueError: not exactly one view, one that no deal explains or that does not show the past,
         no policy or one that excludes every world, unknown rules, a number out of range.
         MemoryError: more worlds than there is memory for. What an object with act() raises passes
         on.)");
}

void add_distribution(py::class_<PythonPosterior>& posterior_class) {
  posterior_class
      .def_property_readonly(
          "worlds",
          [](const PythonPosterior& python) {
            const ExactPosterior& posterior = python.posterior;
            HandArray hands = hands_array(posterior.size());
            std::uint32_t* row = hands.mutable_data();
            for (std::size_t i = 0; i < posterior.size(); ++i, row += kNumSeats) {
              write_world(posterior.world(i), row);
            }
            return hands;
          },
          "Consistent worlds: uint32 [n, 4].")
      .def_property_readonly(
          "probabilities",
          [](const PythonPosterior& python) {
            const ExactPosterior& posterior = python.posterior;
            py::array_t<double> result(static_cast<py::ssize_t>(posterior.size()));
            for (std::size_t i = 0; i < posterior.size(); ++i) {
              result.mutable_data()[i] = posterior.probability(i);
            }
            return result;
          },
          "float64 [n], sum 1.")
      .def(
          "holds",
          [](const PythonPosterior& python, Whole<"seat", int, 0, kNumSeats - 1> seat,
             const py::object& card) { return python.posterior.holds(seat, card_from(card)); },
          py::arg("seat"), py::arg("card"), R"(Probability that a relative seat holds a card.

Raises:  ValueError: a seat that is none of 0..3, or no card.)");
}

void register_posterior(py::module_& module) {
  constexpr auto visit = [](const PythonPosterior& python, const auto& see) { see(python.agent); };
  constexpr auto clear = [](PythonPosterior& python) {
    const py::object dropped = std::exchange(python.agent, py::object());
  };
  py::class_<PythonPosterior> posterior_class(module, "ExactPosterior",
                                              collected<PythonPosterior, visit, clear>(),
                                              R"(Exact distribution of hidden hands late in a deal.

Args:    view, rules: as for WorldSampler.
         policy: how the others are believed to play, where no claims are offered (CLAIM_REST,
         CONCEDE_REST), as in VectorEnv and tournaments; of a network "net:FILE,greedy=false", since
         "net:FILE" never draws and excludes what it would not do.
         alpha, floor: each of their actions counts max(probability, floor)^alpha, both 0..1.
         most_worlds: refused if more fit the view.
         silence: whether answers that leave no trace (RULES D.1) count too: nothing doubled, laid
         or offered by a seat that, with its hand in a world, was asked. Those after the last public
         action count if the viewing seat is to act.
Raises:  ValueError: too many worlds, a past that the view does not show, a policy that excludes
         every world; not exactly one view, no policy, unknown rules, a number out of range.)");
  posterior_class
      .def(py::init(&make_posterior), py::arg("view"), py::arg("policy"),
           py::arg("rules") = "research", py::arg("alpha") = 1.0, py::arg("floor") = 0.0,
           py::arg("most_worlds") = 2'000'000, py::arg("silence") = true)
      .def(
          "__eq__",
          [](const PythonPosterior& a, const PythonPosterior& b) { return same_posterior(a, b); },
          py::is_operator())
      .def(py::pickle(&pickled_posterior, &unpickled_posterior))
      .def("__repr__",
           [](const PythonPosterior& python) {
             return fmt::format("<ExactPosterior, {} worlds>", python.posterior.size());
           })
      .def("__len__", [](const PythonPosterior& python) { return python.posterior.size(); });
  add_distribution(posterior_class);
}

py::dict search_cards(const py::object& view, const py::object& rules, const PimcOptions& options) {
  const std::shared_ptr<const Rules> set = rules_from(rules);
  const PlayerView seen = single_view(view);
  if (!CardSearch::can_search(seen, *set->compiled)) {
    throw std::invalid_argument(
        "view: allowed: that of a seat that is to play a card under a contract");
  }
  PimcAgent player(options);
  CardValues values;
  {
    const LongCall call;
    values = player.search(seen, *set->compiled);
  }
  py::dict result;
  for (const Card card : values.legal) {
    result[py::str(card_name(card))] = values.value[card];
  }
  return result;
}

}  // namespace

void register_search(py::module_& module) {
  register_solver(module);
  register_worlds(module);
  register_inferred_worlds(module);
  register_posterior(module);
  module.def(
      "search_cards",
      [](const py::object& view, const py::object& rules, const WholeWithin<"worlds">& worlds,
         Real<"ms"> milliseconds, Seed<> seed) {
        PimcOptions options{.milliseconds = milliseconds, .seed = seed};
        assign_field(options, "worlds", worlds.given);
        return search_cards(view, rules, options);
      },
      py::arg("view"), py::arg("rules") = "research", py::arg("worlds") = 30, py::arg("ms") = 0.0,
      py::arg("seed") = 0,
      R"({card: mean payoff in tariff units} over sampled worlds that are played exactly (PIMC); in a
Ramsch minus the card points that the seat comes to in steps (module search), with ramsch_shift minus its right neighbour's.

Args:    view: of a seat that is to play a card.
         worlds: number of worlds; ms: time limit, 0 = none.
Raises:  ValueError: not exactly one view, nothing to search, unknown rules, values out of range.)");
}

}  // namespace schafkopf::python
