// Players for Python: agents by registry string, Python objects as players, tournaments.
#include "bindings/agents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "agents/maxims/rule_agent.h"
#include "agents/player_identity.h"
#include "agents/registry.h"
#include "agents/tournament/league_day.h"
#include "agents/tournament/tournament.h"
#include "agents/tournament/tournament_config.h"
#include "agents/tournament/tournament_journal.h"
#include "agents/tournament/tournament_plan.h"
#include "agents/work/journal.h"
#include "agents/work/parallel_policy.h"
#include "agents/work/spec_value.h"
#include "bindings/common.h"
#include "bindings/gil.h"
#include "bindings/interpreter.h"
#include "bindings/pickles.h"
#include "bindings/plain_values.h"
#include "bindings/python_player.h"
#include "env/base/checksum.h"
#include "env/view/single_rule_table.h"

namespace schafkopf::python {
namespace {

/// Hidden hands of the rows, for a player that sees them; empty for all others.
std::vector<FullView> full_views_for(const Agent& agent, const py::object& full_views,
                                     std::size_t rows) {
  if (!agent.policy->sees_hidden_hands()) return {};
  if (full_views.is_none()) {
    throw std::invalid_argument(
        fmt::format("{} sees hidden hands: give full_views, as Game.full_view gives them",
                    agent.policy->name()));
  }
  refuse_masked(full_views, "full_views");
  const std::optional<py::array> array = rows_of(full_views, full_view_dtype());
  if (!array || array->shape(0) != static_cast<py::ssize_t>(rows)) {
    const py::array came = py::module_::import("numpy").attr("asarray")(full_views);
    throw std::invalid_argument(
        fmt::format("full_views: {} came, allowed: an array [{}] of FULL_VIEW_DTYPE",
                    describe_array(came), rows));
  }
  std::vector<FullView> full(rows);  // copied as bytes: NumPy does not align rows as FullView does
  std::memcpy(full.data(), array->data(), rows * sizeof(FullView));
  return full;
}

/// The planes as a batch, with the hidden hands where there are some.
ViewBatch batch_of(const ViewPlanes& planes, const std::vector<FullView>& full,
                   const RuleTable& rules) {
  ViewBatch batch = planes.batch(&rules);
  if (!full.empty()) batch.full = full.data();
  return batch;
}

std::pair<py::array_t<float>, py::array_t<float>> agent_policy(Agent& agent,
                                                               const py::object& views,
                                                               const py::object& rules,
                                                               const py::object& full_views) {
  const ViewPlanes planes = planes_from(views);
  const std::vector<FullView> full = full_views_for(agent, full_views, planes.cards.size());
  const std::shared_ptr<const CompiledRules> compiled = rules_from(rules)->compiled;
  const SingleRuleTable table(*compiled);
  const auto rows = static_cast<py::ssize_t>(planes.cards.size());
  py::array_t<float> probabilities({rows, py::ssize_t{kNumActions}});
  py::array_t<float> values(rows);
  const std::span<float> cells(probabilities.mutable_data(),
                               static_cast<std::size_t>(probabilities.size()));
  const std::span<float> estimates(values.mutable_data(), static_cast<std::size_t>(rows));
  {
    const LongCall call;
    const std::unique_lock<AgentMutex> lock = agent.alone();
    agent.policy->policy(batch_of(planes, full, table.table()), cells, estimates);
  }
  return {probabilities, values};
}

py::array_t<std::int32_t> agent_act(Agent& agent, const py::object& views, Seed<> seed,
                                    const py::object& rules, const py::object& full_views) {
  const ViewPlanes planes = planes_from(views);
  const std::vector<FullView> full = full_views_for(agent, full_views, planes.cards.size());
  const std::shared_ptr<const CompiledRules> compiled = rules_from(rules)->compiled;
  const SingleRuleTable table(*compiled);
  std::vector<RngKey> keys(planes.cards.size());
  for (std::size_t row = 0; row < keys.size(); ++row) {
    const PlayerView view{planes.cards[row], planes.order[row], planes.events[row]};
    if (!view.has(kFlagToAct) && !view.has(kFlagDone)) {
      throw std::invalid_argument(fmt::format(
          "views[{}]: the seat of this view is not to act; take the view of current_player", row));
    }
    keys[row] = key_of_question(view, seed, row);
  }
  std::vector<Action> actions(keys.size());
  {
    const LongCall call;
    const std::unique_lock<AgentMutex> lock = agent.alone();
    agent.policy->act(batch_of(planes, full, table.table()), keys, actions);
  }
  py::array_t<std::int32_t> result(static_cast<py::ssize_t>(actions.size()));
  std::ranges::copy(actions, result.mutable_data());
  return result;
}

py::object failures_of(const Agent& agent) {
  const OutsidePlayer* const program = outside_player(*agent.policy);
  if (program == nullptr) return py::none();
  const OutsideReport report = program->outside();
  py::dict counts;
  for (std::size_t kind = 0; kind < report.failures.size(); ++kind) {
    counts[py::str(std::string(names_of(PlayerFailure{})[kind]))] = report.failures[kind];
  }
  return counts;
}

std::string first_failure_of(const Agent& agent) {
  const OutsidePlayer* const program = outside_player(*agent.policy);
  return program == nullptr ? "" : program->outside().first_failure;
}

py::dict text_to_row(const MaximText& text) {
  py::dict row;
  row["maxim"] = text.name;
  row["source"] = text.source;
  row["sentence"] = text.sentence;
  return row;
}

/// Of the rule agent.
using RulesVersion = Whole<"version", int, 1, static_cast<int>(kNewestRules)>;

/// What the rule agent does in one view, and why.
py::dict explain_view(const py::object& view, const py::object& rules, RulesVersion version) {
  const ViewPlanes planes = planes_from(view);
  if (planes.cards.size() != 1) {
    throw std::invalid_argument(
        fmt::format("explain: {} views came, allowed: one", planes.cards.size()));
  }
  const PlayerView seen{planes.cards[0], planes.order[0], planes.events[0]};
  if (!seen.has(kFlagToAct)) {
    throw std::invalid_argument(
        "explain: the seat of this view is not to act; take the view of current_player");
  }
  const Explanation reason =
      RuleAgent::explain(seen, *rules_from(rules)->compiled, rule_version(version));
  py::dict row = text_to_row({reason.maxim, reason.source, reason.sentence});
  row["action"] = static_cast<int>(reason.action);
  return row;
}

TournamentAgent tournament_agent(const std::string& name, const py::handle& player) {
  if (py::isinstance<py::str>(player)) {
    return {.spec = utf8_from(player, "agent"), .name = name};
  }
  check_player(player, "");
  std::shared_ptr<const BatchPolicy> policy = policy_from(player);
  std::string spec = policy->name();
  return {.spec = std::move(spec), .name = name, .policy = std::move(policy)};
}

void add_agents(TournamentOptions& config, const py::dict& agents) {
  for (const auto& [name, player] : agents) {
    const std::string key = utf8_from(py::str(name), "agents: a name");
    try {
      config.agents.push_back(tournament_agent(key, player));
    } catch (const std::invalid_argument& wrong) {
      throw std::invalid_argument(fmt::format("agents[\"{}\"]: {}", key, wrong.what()));
    }
  }
}

py::array_t<GameRow> rows_to_numpy(const std::vector<GameRow>& rows) {
  py::array_t<GameRow> array(static_cast<py::ssize_t>(rows.size()));
  std::ranges::copy(rows, array.mutable_data());
  return array;
}

/// JSON, table and games of a tournament. An exception of the callback, Ctrl-C included, stops the
/// play first and is then passed on.
py::tuple play_tournament(const TournamentOptions& options, const py::object& callback) {
  CallbackProgress progress(callback);
  std::string json, table;
  TournamentResult result;
  {
    const GilReleased release;
    result = run_tournament(options, std::ref(progress));
    json = to_json(result, options);
    table = to_text(result, options);
  }
  progress.rethrow();
  return py::make_tuple(json, table, rows_to_numpy(result.rows));
}

/// JSON, ranking list and None of a league day; exceptions of the callback as in play_tournament.
py::tuple play_league(const TournamentOptions& options, const py::object& callback) {
  CallbackProgress progress(callback);
  std::string json, table;
  try {
    const GilReleased release;
    const LeagueDayResult result = play_league_day(options, std::ref(progress));
    json = to_json(result, options);
    table = to_text(result, options);
  } catch (const std::runtime_error&) {
    progress.rethrow();
    throw;
  }
  progress.rethrow();
  return py::make_tuple(json, table, py::none());
}

/// A tournament as Python asks for it: a file, "key=value" of a command line, keywords, players and
/// rules that may be objects.
TournamentOptions options_from(const std::string& toml, const std::string& file,
                               const std::vector<std::string>& settings, const py::dict& agents,
                               const py::dict& keywords) {
  TournamentOptions options = parse_tournament_config(toml, file);
  for (const std::string& setting : settings) set_tournament_config(options, setting);
  for (const auto& [name, value] : keywords) {
    const std::string key = utf8_from(py::str(name), "a keyword");
    if (key == "rules" && !py::isinstance<py::str>(value)) {
      options.rules = rules_from(value)->compiled;
    } else {
      set_tournament_config(options, key, plain_value_from(value));
    }
  }
  add_agents(options, agents);
  return options;
}

py::list entries_to_rows(const std::vector<RegistryEntry>& entries) {
  py::list rows;
  for (const RegistryEntry& entry : entries) {
    py::dict row;
    row["name"] = entry.name;
    row["description"] = entry.description;
    row["parameters"] = entry.parameters;
    row["sees_hidden_hands"] = entry.sees_hidden_hands;
    rows.append(row);
  }
  return rows;
}

/// Words for the bytes of the files that a player is made of. A program has none: every copy starts
/// it again, and what its files hold then is what plays.
std::string files_of_player(const std::string& spec) {
  return parse_spec(spec, "value").name == "engine" ? std::string() : player_files(spec);
}

/// Of a registry string or an object with act().
Agent agent_made_of(const py::handle& value) {
  if (py::isinstance<py::str>(value)) {
    std::shared_ptr<BatchPolicy> policy = policy_from(value);
    const std::string spec = utf8_from(value, "agent");
    return {std::move(policy), spec, with_version(spec) + files_of_player(spec)};
  }
  if (!is_python_player(value)) return Agent(policy_from(value));
  const PlayerCell player = shared_player(value);
  return Agent(python_policy(player), player);
}

/// What an Agent was made of: a registry string, an object with act(), or another Agent.
py::object origin_of(const Agent& agent) {
  if (!agent.name.empty()) return py::str(agent.name);
  const py::object origin = agent.player ? *agent.player : agent.source;
  return origin ? origin : py::none();
}

/// Of an Agent that asks the player of another one that first one: Agents stand in no row, however
/// often one is made of the last.
Agent threaded(const py::object& source, int num_threads) {
  const auto& given = source.cast<const Agent&>();
  const py::object first = given.source ? given.source : source;
  std::unique_ptr<BatchPolicy> policy;
  if (num_threads == 1) {
    policy = given.policy->clone();
  } else {
    policy =
        std::make_unique<ParallelPolicy>(first.cast<const Agent&>().policy->clone(), num_threads);
  }
  Agent agent(std::move(policy), nullptr, first);
  agent.num_threads = num_threads == 1 ? given.num_threads : num_threads;
  return agent;
}

/// The player behind an Agent, whoever asks it in how many threads: what its text meant, or an
/// object.
py::object player_of(const py::object& agent) {
  py::object player = agent;
  while (py::isinstance<Agent>(player)) {
    const auto& made = player.cast<const Agent&>();
    player = made.name.empty() ? origin_of(made) : py::str(made.identity);
  }
  return player;
}

/// Nothing is read again: a file may hold another player by now.
py::object copied_agent(const py::object& self) {
  const auto& agent = self.cast<const Agent&>();
  const py::object origin = origin_of(agent);
  if (origin.is_none()) throw std::invalid_argument("this Agent is gone: it cannot be copied");
  if (py::isinstance<Agent>(origin)) {
    return py::cast(threaded(copied_agent(origin), agent.num_threads));
  }
  if (agent.name.empty()) return py::cast(agent_made_of(origin));
  return py::cast(Agent(agent.policy->clone(), agent.name, agent.identity));
}

/// As copied_agent, with a deep copy of an object that plays.
py::object deeply_copied_agent(const py::object& self, const py::object& memo) {
  const auto& agent = self.cast<const Agent&>();
  if (!agent.name.empty()) return copied_agent(self);
  const py::object origin = origin_of(agent);
  if (origin.is_none()) throw std::invalid_argument("this Agent is gone: it cannot be copied");
  const py::object copy = py::module_::import("copy").attr("deepcopy")(origin, memo);
  return py::cast(py::isinstance<Agent>(copy) ? threaded(copy, agent.num_threads)
                                              : agent_made_of(copy));
}

/// Agents are alike where the same player answers; the number of threads changes no answer.
py::object same_player(const py::object& a, const py::object& b) {
  if (a.is(b)) return py::bool_(true);
  if (!py::isinstance<Agent>(b)) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
  const py::object first = player_of(a);
  return py::bool_(!first.is_none() && first.equal(player_of(b)));
}

py::ssize_t hash_of_player(const py::object& agent) { return py::hash(player_of(agent)); }

/// (what it was made of, number of threads, what its text meant).
py::tuple pickled_agent(const Agent& agent) {
  const py::object origin = origin_of(agent);
  if (origin.is_none()) throw std::invalid_argument("this Agent is gone: it cannot be pickled");
  return py::make_tuple(origin, agent.num_threads, agent.identity);
}

Agent unpickled_agent(const py::object& state) {
  const py::tuple parts = pickled_tuple(state, 3, "Agent");
  const int num_threads = whole_from<int>(parts[1], "num_threads", 0);
  if (parts[0].is_none()) throw std::invalid_argument("Agent: the pickle is of no player");
  const bool threads = num_threads != 1 || py::isinstance<Agent>(parts[0]);
  if (threads) return threaded(agent_of(parts[0]), num_threads);
  Agent agent = agent_made_of(parts[0]);
  if (const std::string meant = utf8_from(parts[2], "identity"); agent.identity != meant) {
    throw std::invalid_argument(fmt::format(
        "Agent: the pickle is of the player {}, which is now {}; allowed: the files that "
        "it was pickled with",
        meant, agent.identity));
  }
  return agent;
}

void register_tournament_play(py::module_& module) {
  module.def(
      "tournament_json",
      [](const std::string& toml, const std::string& file, const std::vector<std::string>& settings,
         const py::dict& agents, const py::dict& keywords, const std::string& journal, bool resume,
         const py::object& progress) {
        TournamentOptions options = options_from(toml, file, settings, agents, keywords);
        check_tournament_config(options);
        options.journal = journal;
        options.resume = resume;
        if (options.schedule == Schedule::kLeague) return play_league(options, progress);
        return play_tournament(options, progress);
      },
      py::arg("toml"), py::kw_only(), py::arg("file") = "tournament",
      py::arg("settings") = std::vector<std::string>(), py::arg("agents") = py::dict(),
      py::arg("keywords") = py::dict(), py::arg("journal") = "", py::arg("resume") = false,
      py::arg("progress") = py::none(),
      R"(Duplicate tournament or league day; schafkopf.tournament is its face.

Gives (JSON, table, games); None for the games of a league day.)");
  module.def(
      "tournament_part",
      [](const std::string& toml, const WholeWithin<"first_block">& first_block,
         const WholeWithin<"first_table">& first_table, const std::string& file,
         const std::vector<std::string>& settings, const py::dict& agents, const py::dict& keywords,
         const std::string& journal, const py::object& callback) {
        TournamentOptions options = options_from(toml, file, settings, agents, keywords);
        check_tournament_config(options);
        if (options.schedule == Schedule::kLeague) {
          throw std::invalid_argument(
              "schedule = league, allowed: round_robin where a tournament is played in parts");
        }
        options.journal = journal;
        const TournamentStart start{.block = first_block.in(0, options.blocks),
                                    .table = first_table.in(0, options.tables)};
        CallbackProgress progress(callback);
        std::vector<GameRow> rows;
        {
          const GilReleased release;
          rows = play_part(options, start, std::ref(progress));
        }
        progress.rethrow();
        return rows_to_numpy(rows);
      },
      py::arg("toml"), py::arg("first_block"), py::arg("first_table"), py::kw_only(),
      py::arg("file") = "tournament", py::arg("settings") = std::vector<std::string>(),
      py::arg("agents") = py::dict(), py::arg("keywords") = py::dict(), py::arg("journal") = "",
      py::arg("progress") = py::none(),
      R"(Games of the blocks from first_block and the random tables from first_table to those of the settings.

Journals of parts, the first whole and the others without their first line, make one journal.)");
}

void register_tournament_settings(py::module_& module) {
  module.def(
      "tournament_toml",
      [](const std::string& toml, const std::string& file, const std::vector<std::string>& settings,
         const py::dict& agents, const py::dict& keywords, const std::string& journal,
         bool absolute) {
        TournamentOptions options = options_from(toml, file, settings, {}, keywords);
        if (absolute) {  // a new one, of a file that may come from elsewhere
          refuse_paths_elsewhere(options, settings);
          make_paths_absolute(options);
        }
        const std::string text = to_toml(options);
        add_agents(options, agents);
        options.journal = journal;
        options.resume = !journal.empty();
        check_playable(options);
        return text;
      },
      py::arg("toml"), py::kw_only(), py::arg("file") = "tournament",
      py::arg("settings") = std::vector<std::string>(), py::arg("agents") = py::dict(),
      py::arg("keywords") = py::dict(), py::arg("journal") = "", py::arg("absolute") = false,
      R"(A tournament file with every key, after --set key=value and keywords.

Everything that would keep it from being played is found: agents, rules, lists, and a journal that
holds other games. absolute: paths of files are written as absolute ones.)");
  module.def(
      "tournament_fields", [] { return rows_to_python(tournament_config_fields()); },
      "Keys of a tournament: key, group, meaning, unit, allowed, names, default.");
}

void register_tournament_games(py::module_& module) {
  module.def(
      "table_agents",
      [](Seed<> seed, Whole<"block", int, 0> block, const WholeWithin<"agents">& given,
         Whole<"seats", int, 1, kNumSeats> seats) {
        const int agents = given.in(seats, std::numeric_limits<int>::max());
        const auto table = table_agents(seed, block, agents, seats);
        return std::vector<int>(table.begin(), table.begin() + seats.value);
      },
      py::arg("seed"), py::arg("block"), py::arg("agents"), py::arg("seats") = kNumSeats,
      "Indices of the agents of a block's random table, clockwise from the seat in `seats`.");
  module.def("journal_damage", &journal_damage, py::arg("path"),
             R"(What is damaged in a journal, "" where it is whole or was cut off by a kill.)");
  module.def(
      "checksum_of",
      [](const py::bytes& content) { return checksum_of(std::string_view(content)); },
      py::arg("content"), "The checksum that files of the engine have of what stands in them.");
  module.def(
      "tournament_games", [](const std::string& path) { return rows_to_numpy(read_journal(path)); },
      py::arg("path"), "Games of a journal, in the order in which they were finished.");
  module.def(
      "contract_keys", [] { return contract_keys(); },
      "Names of the column `contract` of tournament games: RUF, ..., SOLO_TOUT.");
}

void register_tournament(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(GameRow, block, pairing, seats, dealer, contract, declarer, party, won,
                       payoffs, decisions, points, failures, expected, errors);
  register_tournament_play(module);
  register_tournament_settings(module);
  register_tournament_games(module);
}

void register_agent_class(py::module_& module) {
  constexpr auto visit = [](const Agent& agent, const auto& see) {
    if (agent.player) see(*agent.player);
    see(agent.source);
  };
  constexpr auto clear = [](Agent& agent) { agent.release(); };
  py::class_<Agent>(module, "Agent", collected<Agent, visit, clear>(),
                    R"(A player by name: views in, probabilities or actions out.

It keeps no state between calls: the same views have the same probabilities however the batch is
cut. What `act` draws depends on the seed, the view and its row.)")
      .def_property_readonly(
          "name", [](const Agent& agent) { return agent.policy->name(); },
          "Name with all parameters that matter, as results show it; \"python:NAME\" of an object "
          "with act().")
      .def_property_readonly(
          "sees_hidden_hands", [](const Agent& agent) { return agent.policy->sees_hidden_hands(); },
          "Whether this is a cheating baseline, which needs full_views.")
      .def_property_readonly(
          "failures", &failures_of,
          R"(Decisions that were drawn because the program of an `engine:` failed, since it was made, by
kind: timeout, crash, illegal, garbage, error. None for players that are no programs.

Of all copies together: of an opponent in a batch too, which was given as this object.)")
      .def_property_readonly("first_failure", &first_failure_of,
                             "The first of `failures` in words; empty where there is none.")
      .def("policy", &agent_policy, py::arg("views"), py::arg("rules") = "research",
           py::arg("full_views") = py::none(),
           R"(Distributions over actions, and values.

Args:    views: one view or an array [B] of VIEW_DTYPE.
         rules: those that the views were seen under.
         full_views: one or an array [B] of FULL_VIEW_DTYPE, read by cheating baselines only.
Returns: probabilities float32 [B, 128], 0 on illegal actions; values float32 [B], expected own
         payoff in tariff units, NaN where the agent has none.
Raises:  ValueError: no views or such as no game gives, unknown rules, full_views that are missing or
         not one for each view where they are read, an illegal action of an object with act(). What
         such an object raises passes on.)")
      .def("act", &agent_act, py::arg("views"), py::arg("seed") = 0, py::arg("rules") = "research",
           py::arg("full_views") = py::none(),
           R"(int32 [B]: one action per view, a fixed function of views and seed.

Args:    views, rules, full_views: as of `policy`; each view of the seat that is to act.
         seed: of the draws, 0..2^64-1.
Raises:  ValueError: as `policy`; a seat that is not to act while its game goes on, a seed out of
         range. What an object with act() raises passes on.)")
      .def("__eq__", &same_player)
      .def("__hash__", &hash_of_player)
      .def("__copy__", &copied_agent)
      .def("__deepcopy__", &deeply_copied_agent, py::arg("memo"))
      .def(py::pickle(&pickled_agent, &unpickled_agent))
      .def("__repr__",
           [](const Agent& agent) { return fmt::format("<Agent {}>", agent.policy->name()); });
}

void register_agent_names(py::module_& module) {
  module.def(
      "make_agent",
      [](const py::object& player,
         Whole<"num_threads", int, 0, ParallelPolicy::kMostThreads> num_threads) {
        check_player(player, "");
        py::object source = agent_of(player);
        const bool is_new = !source.is(player);
        if (is_new && num_threads == 1) return source;
        return py::cast(threaded(source, num_threads));
      },
      py::arg("player"), py::arg("num_threads") = 1,
      R"(Agent by registry string ("random", "rules", "net:PATH"), or of an object with act().

Args:    player: an object is asked by one thread at a time, whoever else asks the same one.
         num_threads: threads that share the rows of a batch, 0 = all processors; worth it for
         searchers ("pimc:30"), the answers do not depend on it.
Raises:  ValueError: unknown name, with the known ones; a file of weights that cannot be read, or a
         program that cannot be started; a class instead of its object; None; num_threads out of
         range.)");
  module.def(
      "spec_values",
      [](const std::string& spec) {
        std::vector<std::string> values;
        for (auto& [key, value] : parse_spec(spec, "value").parameters) {
          values.push_back(std::move(value));
        }
        return values;
      },
      py::arg("spec"), "Values in a registry string, without keys and quotes; some may be files.");
  module.def(
      "players_in", [](const Text<"players">& players) { return players_in(players.value); },
      py::arg("players"),
      "Registry strings with ; between them: what stands in quotes divides nothing.");
  module.def(
      "player_files", &files_of_player, py::arg("spec"),
      "Words for the bytes of the files that a player is made of; empty: of none, or a program.");
  module.def(
      "agent_names", [] { return entries_to_rows(agent_names()); },
      "Players that make_agent knows: name, description, parameters, sees_hidden_hands.");
  module.def(
      "generator_names", [] { return entries_to_rows(generator_names()); },
      "Contract generators that VectorEnv and tournaments know: rows as those of agent_names.");
}

void register_maxims(py::module_& module) {
  constexpr int kNewest = static_cast<int>(kNewestRules);
  module.def("explain", &explain_view, py::arg("view"), py::arg("rules") = "research",
             py::arg("version") = kNewest,
             R"(What the rule agent does with one view, and why, in every phase.

Args:    view: one, of a seat that is to act;  rules: those that it was seen under.
         version: of the rule agent, as in "rules:version=1".
Returns: dict with action (int), maxim, source ("I-13; W 10.3") and sentence, the reason in English.
Raises:  ValueError: not exactly one view, a seat that is not to act, unknown rules or version.)");
  module.def(
      "maxims",
      [](RulesVersion version) {
        py::list rows;
        for (const MaximText& text : all_maxims(rule_version(version))) {
          rows.append(text_to_row(text));
        }
        return rows;
      },
      py::arg("version") = kNewest,
      R"(The maxims of a version of the rule agent: dicts with maxim, source and sentence.

Raises:  ValueError: an unknown version.)");
}

}  // namespace

std::shared_ptr<BatchPolicy> policy_from(const py::handle& value) {
  if (value.is_none()) return nullptr;
  if (py::isinstance<py::str>(value)) {
    const std::string spec = utf8_from(value, "agent");
    const LongCall call;  // a program has time to start
    return make_agent(spec);
  }
  if (py::isinstance<Agent>(value)) return value.cast<const Agent&>().policy->clone();
  if (is_python_player(value)) return python_policy(shared_player(value));
  refuse_player(value);
}

py::object agent_of(const py::handle& value) {
  if (py::isinstance<Agent>(value)) return py::reinterpret_borrow<py::object>(value);
  return py::cast(agent_made_of(value));
}

void check_player(const py::handle& value, std::string_view argument) {
  const bool is_player =
      py::isinstance<py::str>(value) || py::isinstance<Agent>(value) || is_python_player(value);
  if (!is_player) refuse_player(value, argument);
}

std::shared_ptr<const ContractGenerator> generator_from(const py::handle& value) {
  if (value.is_none()) return nullptr;
  if (py::isinstance<py::str>(value)) return make_generator(utf8_from(value, "generator"));
  throw std::invalid_argument(
      fmt::format("generator: {} came, allowed: a name such as heuristic", describe_array(value)));
}

void register_agents(py::module_& module) {
  register_agent_class(module);
  register_agent_names(module);
  register_maxims(module);
  register_tournament(module);
}

}  // namespace schafkopf::python
