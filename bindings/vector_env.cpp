// The batch of games for Python. Buffers are NumPy views without a copy: each array owns a share of
// the batch, so that it stays valid as long as the array lives, also without the environment.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/action_arrays.h"
#include "bindings/agents.h"
#include "bindings/bytes_argument.h"
#include "bindings/card_maps.h"
#include "bindings/common.h"
#include "bindings/interpreter.h"
#include "bindings/plain_values.h"
#include "env/base/wrong_argument.h"
#include "env/game/refusal.h"
#include "env/record/input_check.h"
#include "env/vector/vector_env.h"
#include "env/vector/vector_env_fields.h"
#include "env/view/encoder.h"

namespace schafkopf::python {
namespace {

/// The batch, shared by the Python object and its arrays.
struct Batch {
  explicit Batch(VectorEnvOptions options)
      : env(std::move(options)),
        drawn(static_cast<std::size_t>(env.num_envs())),
        truncated(drawn.size()) {}

  VectorEnv env;
  std::vector<Action> drawn;
  std::vector<std::uint8_t> truncated;  // shown, always false

  /// Whatever was written to the shown array.
  void show_not_truncated() { std::ranges::fill(truncated, std::uint8_t{0}); }
  std::atomic<bool> busy = false;
};

struct BatchEnv {
  std::shared_ptr<Batch> batch;  // null once it is closed
  py::object opponents;          // the Agents whose policies play in the batch, which so stay alive
  int num_envs = batch->env.num_envs();

  /// Throws std::runtime_error once it is closed.
  [[nodiscard]] Batch& open() const {
    if (!batch) throw std::runtime_error("this VectorEnv is closed: make it anew");
    return *batch;
  }
  [[nodiscard]] VectorEnv& env() const { return open().env; }
  [[nodiscard]] py::ssize_t size() const { return num_envs; }
};

std::vector<std::shared_ptr<const CompiledRules>> rules_list(const py::handle& rules) {
  if (py::isinstance<py::list>(rules) || py::isinstance<py::tuple>(rules)) {
    std::vector<std::shared_ptr<const CompiledRules>> result;
    for_each_element(rules, "rules", "list of rule sets", [&result](const py::handle& one) {
      result.push_back(rules_from(one)->compiled);
    });
    if (result.empty()) throw std::invalid_argument("rules = [], allowed: at least one rule set");
    return result;
  }
  return {rules_from(rules)->compiled};
}

// How keywords become the members that no plain value holds (env/vector/vector_env_fields.h): a new
// type of them does not compile without its own function here.

void set_env_member(const Field&, const py::handle& value,
                    std::vector<std::shared_ptr<const CompiledRules>>& rules) {
  rules = rules_list(value);
}
void set_env_member(const Field&, const py::handle& value,
                    std::shared_ptr<const ContractGenerator>& generator) {
  generator = generator_from(value);
}
template <class Item, class Convert>
void set_list(const Field& field, const py::handle& value, std::vector<Item>& items,
              const Convert& convert) {
  if (!py::isinstance<py::list>(value) && !py::isinstance<py::tuple>(value)) {
    refuse_value(field.key, short_value_from(value), CodecOf<std::vector<Item>>::allowed(field));
  }
  for_each_element(value, field.key, CodecOf<std::vector<Item>>::allowed(field),
                   [&](const py::handle& item) { items.push_back(convert(item)); });
}
void set_env_member(const Field& field, const py::handle& value, std::vector<Deal>& deals) {
  set_list(field, value, deals, [&](const py::handle& item) {
    if (py::isinstance<Deal>(item)) return item.cast<Deal>();
    refuse_value("deal", short_value_from(item), "a Deal");
  });
}
void set_env_member(const Field& field, const py::handle& value, std::vector<Contract>& contracts) {
  set_list(field, value, contracts, contract_from);
}
template <class Member>
  requires(!ObjectMember<Member>)
void set_env_member(const Field& field, const py::handle& value, Member& member) {
  assign_member(field, plain_value_from(value), member);
}

/// Where the defaults of Python are others than those of C++.
VectorEnvOptions python_defaults() {
  VectorEnvOptions options;
  options.observation = ObservationType::kFloat32;
  options.action_mask = true;
  return options;
}

/// Agents by what they are given as, and their policies. The Agents are to be kept.
py::object player_from(const py::handle& value, std::shared_ptr<BatchPolicy>& policy) {
  if (value.is_none()) return py::none();
  py::object agent = agent_of(value);
  policy = agent.cast<const Agent&>().policy->clone();
  return agent;
}
py::object players_from(const Field& field, const py::handle& value,
                        std::shared_ptr<BatchPolicy>& policy) {
  try {
    return player_from(value, policy);
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(fmt::format("{}: {}", field.key, wrong.what()));
  }
}
py::object players_from(const Field& field, const py::handle& value,
                        std::vector<std::shared_ptr<BatchPolicy>>& policies) {
  if (value.is_none()) return py::none();
  if (!py::isinstance<py::list>(value) && !py::isinstance<py::tuple>(value)) {
    throw std::invalid_argument(
        fmt::format("{}: {} came, allowed: a list of players, one for each other seat", field.key,
                    type_name(value)));
  }
  py::list agents;
  for_each_element(value, field.key, "list of players", [&](const py::handle& item) {
    check_player(item, "");  // None as well: each seat has one
    agents.append(player_from(item, policies.emplace_back()));
  });
  return py::tuple(agents);
}

/// What Game.with_contract refuses; the engine itself plays any contract.
void check_contracts(const VectorEnvOptions& options) {
  for (std::size_t number = 0; number < options.contracts.size(); ++number) {
    for (const auto& rules : options.rules) {
      try {
        check_contract(options.contracts[number], *rules);
      } catch (const WrongArgument& wrong) {
        throw WrongArgument(fmt::format("contracts[{}]", number), wrong.text());
      }
    }
  }
}

BatchEnv make_env(const py::object& num_envs, const py::kwargs& keywords) {
  VectorEnvOptions options = python_defaults();
  py::list players;
  const auto set = [&](const std::string& key, const py::handle& value) {
    bool known = false;
    visit_fields(options, [&]<class Member>(const Field& field, Member& member) {
      if (field.key != key) return;
      known = true;
      if constexpr (requires { players_from(field, value, member); }) {
        players.append(players_from(field, value, member));
      } else {
        set_env_member(field, value, member);
      }
    });
    if (!known) refuse_keyword("VectorEnv", key, keys_of(slots_of(options)));
  };
  set("num_envs", num_envs);
  for (const auto& [key, value] : keywords) set(py::str(key), value);
  if (options.rules.empty()) options.rules = rules_list(py::str("research"));
  check_contracts(options);
  std::shared_ptr<Batch> batch;
  {
    const LongCall call;  // an opponent from Python takes the GIL again
    batch = std::make_shared<Batch>(std::move(options));
  }
  return {.batch = std::move(batch), .opponents = py::tuple(players)};
}

/// Arrays over the buffers of a batch.
class Arrays {
 public:
  explicit Arrays(const BatchEnv& env)
      : owner_(new std::shared_ptr<Batch>(env.batch),
               [](void* batch) { delete static_cast<std::shared_ptr<Batch>*>(batch); }),
        rows_(env.size()) {}

  template <class T>
  void add(const char* name, std::span<T> buffer, const py::dtype& dtype) {
    if (buffer.empty()) return;
    const auto cells = static_cast<py::ssize_t>(buffer.size_bytes()) / dtype.itemsize();
    std::vector<py::ssize_t> shape{rows_};
    if (cells != rows_) shape.push_back(cells / rows_);
    arrays_[name] = py::array(dtype, shape, {}, buffer.data(), owner_);
  }
  template <class T>
  void add(const char* name, std::span<T> buffer) {
    add(name, buffer, py::dtype::of<T>());
  }
  void add_table(const char* name, std::span<float> buffer, py::ssize_t rows) {
    const auto columns = static_cast<py::ssize_t>(buffer.size()) / rows;
    arrays_[name] = py::array(py::dtype::of<float>(), {rows, columns}, {}, buffer.data(), owner_);
  }
  [[nodiscard]] py::dict take() { return std::move(arrays_); }

 private:
  py::capsule owner_;
  py::ssize_t rows_;
  py::dict arrays_;
};

py::dict buffers_of(const BatchEnv& env) {
  const EnvBuffers& b = env.env().buffers();
  const auto byte = py::dtype::of<std::uint8_t>();
  const auto boolean = py::dtype::of<bool>();
  Arrays arrays(env);
  arrays.add("cards", b.cards, byte);
  arrays.add("order", b.order, byte);
  arrays.add("events", b.events, byte);
  arrays.add("full_view", b.full, byte);
  arrays.add("legal", b.legal, py::dtype::of<std::uint64_t>());
  arrays.add("action_mask", b.action_mask);
  arrays.add("observation", b.observation_u8);
  arrays.add("observation", b.observation_f32);
  arrays.add("current_player", b.current_player);
  arrays.add("phase", b.phase);
  arrays.add("rewards", b.rewards);
  arrays.add("stock_rewards", b.stock_rewards);
  arrays.add("terminated", b.terminated, boolean);
  arrays.add("truncated", std::span(env.batch->truncated), boolean);
  arrays.add("episode_return", b.episode_return);
  arrays.add("episode_seed", b.episode_seed);
  arrays.add("running_seed", b.running_seed);
  arrays.add("learner_seat", b.learner_seat);
  arrays.add("episode_learner_seat", b.episode_learner_seat);
  arrays.add("rule_index", b.rule_index);
  arrays.add("session_end", b.session_end, boolean);
  arrays.add("final_observation", b.final_observation);
  arrays.add("final_observation", b.final_observation_f32);
  arrays.add_table("rule_features", b.rule_features,
                   static_cast<py::ssize_t>(env.env().options().rules.size()));
  return arrays.take();
}

/// Ctrl-C in a step whose opponents search tears the batch, so one that ends soon is not ended.
constexpr std::chrono::seconds kStepPatience{2};

void advance(BatchEnv& self, const py::handle& actions) {
  (void)self.open();
  const GivenActions given = given_actions(actions, self.size());
  const Use use(self.open().busy);
  const LongCall call(kStepPatience);
  if (given.is_wide) {
    try {
      self.env().step(given.wide);
    } catch (const IllegalAction& illegal) {
      if (given.beyond.empty()) throw;
      throw IllegalAction(illegal.refusal(), given.with_given_numbers(illegal.what()),
                          illegal.env());
    }
  } else {
    self.env().step(given.narrow);
  }
  self.batch->show_not_truncated();
}

void advance_random(BatchEnv& self, Whole<"steps", int, 0> steps) {
  const Use use(self.open().busy);
  const LongCall call;
  for (int i = 0; i < steps; ++i) {
    check_interruption();
    const Interruptible patient(call.asks(), kStepPatience);
    self.env().step_random();
  }
  self.batch->show_not_truncated();
}

void restart(BatchEnv& self, const std::optional<Seed<>>& seed, const py::object& mask) {
  (void)self.open();
  std::vector<std::uint8_t> rows;
  if (!mask.is_none()) {
    rows = given_rows(mask, self.size(), "reset_mask");
    if (!seed && std::ranges::all_of(rows, [](auto r) { return r == 0; })) {
      return;
    }
  }
  const Use use(self.open().busy);
  const LongCall call(kStepPatience);
  self.env().reset(seed ? std::optional<std::uint64_t>(*seed) : std::nullopt, rows);
  self.batch->show_not_truncated();
}

py::array_t<std::int32_t> random_actions(BatchEnv& self, const py::object& out) {
  using Int32 = py::array_t<std::int32_t, py::array::c_style>;
  if (!out.is_none() && !is_target<std::int32_t>(out, self.size())) {
    throw std::invalid_argument(
        fmt::format("out: {} came, allowed: a contiguous and aligned NumPy array int32 [{}] that "
                    "can be written",
                    describe_array(out), self.size()));
  }
  Int32 result = out.is_none() ? Int32(self.size()) : py::reinterpret_borrow<Int32>(out);
  std::int32_t* target = result.mutable_data();
  const Use use(self.open().busy);
  self.env().random_actions(self.batch->drawn);
  std::copy(self.batch->drawn.begin(), self.batch->drawn.end(), target);
  return result;
}

/// Some rows of a batch behind each other, with their keys; `of` are the keys of all rows.
struct ChosenRows {
  std::vector<CardsLine> cards;
  std::vector<OrderLine> order;
  std::vector<EventsLine> events;
  std::vector<std::uint16_t> rule_index;
  std::vector<FullView> full;
  std::vector<RngKey> keys;

  ChosenRows(const ViewBatch& all, std::span<const RngKey> of,
             std::span<const std::uint8_t> chosen) {
    for (std::size_t row = 0; row < chosen.size(); ++row) {
      if (chosen[row] == 0) continue;
      cards.push_back(all.cards[row]);
      order.push_back(all.order[row]);
      events.push_back(all.events[row]);
      if (all.rule_index != nullptr) rule_index.push_back(all.rule_index[row]);
      if (all.full != nullptr) full.push_back(all.full[row]);
      keys.push_back(of[row]);
    }
  }
  [[nodiscard]] ViewBatch batch(const ViewBatch& all) const {
    return {keys.size(),
            cards.data(),
            order.data(),
            events.data(),
            all.rule_index == nullptr ? nullptr : rule_index.data(),
            all.rules,
            all.full == nullptr ? nullptr : full.data()};
  }
};

/// Asks an agent about some rows: actions of the others stay as they are.
void act_in(BatchPolicy& policy, const ViewBatch& all, std::span<const RngKey> keys,
            std::span<const std::uint8_t> chosen, std::span<Action> actions) {
  const ChosenRows rows(all, keys, chosen);
  if (rows.keys.empty()) return;
  std::vector<Action> answers(rows.keys.size());
  policy.act(rows.batch(all), rows.keys, answers);
  auto answer = answers.begin();
  for (std::size_t row = 0; row < chosen.size(); ++row) {
    if (chosen[row] != 0) actions[row] = *answer++;
  }
}

py::array_t<std::int32_t> agent_actions(BatchEnv& self, Agent& agent, const py::object& mask) {
  std::vector<RngKey> keys(static_cast<std::size_t>(self.size()));
  std::vector<Action> actions(keys.size());
  std::vector<std::uint8_t> chosen;
  if (!mask.is_none()) chosen = given_rows(mask, self.size(), "rows");
  {
    const Use use(self.open().busy);
    const LongCall call;
    const std::unique_lock<AgentMutex> lock = agent.alone();
    if (!self.env().options().view_lines) {
      throw std::invalid_argument(
          "agent_actions: players read views: make the environment with view_lines=True");
    }
    self.env().keys(keys);
    const bool cheats = agent.policy->sees_hidden_hands();
    if (cheats && !self.env().options().full_view) {
      throw std::invalid_argument(fmt::format(
          "{} sees hidden hands: make the environment with full_view=True", agent.policy->name()));
    }
    const ViewBatch batch = self.env().views(cheats);
    if (chosen.empty()) {
      agent.policy->act(batch, keys, actions);
    } else {
      act_in(*agent.policy, batch, keys, chosen, actions);
    }
    if (self.env().options().cards == CardIndex::kCanonical) {
      for (std::size_t row = 0; row < actions.size(); ++row) {
        if (!chosen.empty() && chosen[row] == 0) continue;
        actions[row] = to_canonical_action(actions[row], batch.order[row].card_map);
      }
    }
  }
  py::array_t<std::int32_t> result(self.size());
  std::ranges::copy(actions, result.mutable_data());
  return result;
}

py::array_t<std::uint8_t> card_map_numbers(const BatchEnv& self) {
  py::array_t<std::uint8_t> result(self.size());
  std::uint8_t* cell = result.mutable_data();
  const Use use(self.open().busy);
  for (int row = 0; row < self.env().num_envs(); ++row) {
    *cell++ = static_cast<std::uint8_t>(self.env().card_map(row));
  }
  return result;
}

int row_of(const BatchEnv& self, const py::handle& env) {
  return whole_from<int>(env, "env", 0, static_cast<int>(self.size()) - 1);
}

std::shared_ptr<const CompiledRules> rules_of_row(const BatchEnv& self, int row) {
  const auto& options = self.env().options();
  return options
      .rules[options.rule_index.empty() ? 0 : options.rule_index[static_cast<std::size_t>(row)]];
}

void set_game(BatchEnv& self, const py::object& env, const PythonGame& game) {
  const int row = row_of(self, env);
  const Use use(self.open().busy);
  const Game own = game.game;          // as it is now: others may play on meanwhile
  const LongCall call(kStepPatience);  // opponents from Python may be asked by other threads
  self.env().set_game(row, own);
}

/// Once no array shows its buffers any more, the games are gone.
void close(BatchEnv& self) {
  if (!self.batch) return;
  {
    const Use use(self.batch->busy);
  }
  self.batch.reset();
  const py::object dropped = std::exchange(self.opponents, py::none());
}

/// A number that a step changes.
template <auto kCount>
auto counted(const BatchEnv& self) {
  const Use use(self.open().busy);
  return (self.env().*kCount)();
}

void add_rows(py::class_<BatchEnv>& env) {
  env.def(
         "get_game",
         [](const BatchEnv& self, const py::object& number) {
           const Use use(self.open().busy);
           const int row = row_of(self, number);
           return PythonGame{rules_of_row(self, row), self.env().game(row)};
         },
         py::arg("env"), R"(Copy of the game of one row.

It follows the rule set: where its rules know claims, it allows CLAIM_REST and CONCEDE_REST, which the
row masks unless claim_actions asks for them.

Raises:  ValueError: a row that there is not.  RuntimeError: the environment is closed.)")
      .def("set_game", &set_game, py::arg("env"), py::arg("game"),
           R"(Put a game into a row, which goes on from it.

running_seed and, at its end, episode_seed stay those of the deal that the row would have had: they
do not deal this game.

Raises:  ValueError: its rules are not the row's, it is over, or it plays for another Stock than the
         row's session; a row that there is not.  TypeError: no Game.
         RuntimeError: the environment is closed.)")
      .def(
          "views",
          [](const BatchEnv& self) {
            const Use use(self.open().busy);
            return views_to_numpy(self.env().views());
          },
          R"(Array [N] of VIEW_DTYPE with absolute cards, a copy; needs view_lines=True.

Raises:  ValueError: made without view_lines.  RuntimeError: the environment is closed.)")
      .def(
          "card_map_numbers", &card_map_numbers,
          R"(uint8 [N]: number of the card map of the seat to act in each row, for to_canonical and its
inverse; 0 before card play.)")
      .def(
          "agent_actions", &agent_actions, py::arg("agent"), py::arg("rows") = py::none(),
          R"(int32 [num_envs]: what an agent does in every row, as step takes it; needs view_lines=True, for
an agent that sees hidden hands full_view=True too. rows: bool [num_envs], the agent is asked in
these rows only, the others get 0.

Draws depend on (seed, env, episode, decision, seat) only, not on the batch.

Raises:  ValueError: made without view_lines, or without the full_view that the agent needs, or
         `rows` is no bool [num_envs].  TypeError: no Agent.  RuntimeError: the environment is
         closed. What an object with act() raises passes on.)");
}

void add_snapshots(py::class_<BatchEnv>& env) {
  env.def(
         "snapshot",
         [](const BatchEnv& self) {
           const Use use(self.open().busy);
           const auto bytes = self.env().snapshot();
           return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
         },
         R"(Bytes from which `restore` goes on with the same games.

Raises:  RuntimeError: an exception left the batch in the middle of a step, or the environment is
         closed.)")
      .def(
          "restore",
          [](BatchEnv& self, const Bytes<"data">& bytes) {
            const Use use(self.open().busy);
            self.env().restore(bytes.span());
          },
          py::arg("data"),
          R"(Go on from a snapshot of an environment with the same options; what is shown (observation,
view_lines ...), cards, kernel, num_threads and the opponents may differ. final_observation is
not in it and stays as it is; the environment is not fresh then (`is_fresh`).

Raises:  ValueError: bytes that are damaged, or taken with other options, naming the env; the
         environment is then unchanged.  TypeError: no bytes.  RuntimeError: it is closed.)");
}

void add_batch_state(py::class_<BatchEnv>& env) {
  env.def_property_readonly(
         "card_index",
         [](const BatchEnv& self) {
           return self.env().options().cards == CardIndex::kCanonical ? "canonical" : "absolute";
         },
         "How cards are counted in observations, masks and actions: \"absolute\" or "
         "\"canonical\".")
      .def(
          "close", &close,
          R"(Let the games go. Whatever needs them raises RuntimeError from then on; a second call does
nothing.)")
      .def_property_readonly(
          "closed", [](const BatchEnv& self) { return self.batch == nullptr; },
          "Whether close() has let the games go.")
      .def_property_readonly(
          "is_fresh",
          [](const BatchEnv& self) {
            const Use use(self.open().busy);
            return self.env().is_fresh();
          },
          "Whether nothing happened since construction: a first reset of all rows keeps episode 0.")
      .def_readonly("num_envs", &BatchEnv::num_envs, "N, the number of games in the batch.")
      .def_property_readonly(
          "kernel",
          [](const BatchEnv& self) {
            const Use use(self.open().busy);
            return std::string(self.env().kernel());
          },
          "Who steps the games in card play: scalar, avx2 or avx512 (option kernel).")
      .def_property_readonly("num_decisions", &counted<&VectorEnv::num_decisions>,
                             "Decisions taken since construction in all rows, by whomever: caller, "
                             "opponents, skip_forced.")
      .def_property_readonly("num_deals", &counted<&VectorEnv::num_deals>,
                             "Deals that ended since construction, in all rows.")
      .def_property_readonly(
          "skipped_deals", &counted<&VectorEnv::skipped_deals>,
          "Deals since construction that asked the caller for nothing and were dealt again.")
      .def_property_readonly(
          "skipped_return", &counted<&VectorEnv::skipped_return>,
          "Payoffs of the skipped deals: sum per absolute seat in tariff units, 4 numbers.");
}

}  // namespace

void register_vector_env(py::module_& module) {
  module.def(
      "vector_env_fields", [] { return rows_to_python(field_rows(slots_of(python_defaults()))); },
      "Keywords of VectorEnv: key, group, meaning, unit, allowed, names, default.");
  constexpr auto visit = [](const BatchEnv& env, const auto& see) { see(env.opponents); };
  constexpr auto clear = [](BatchEnv& env) {
    const py::object dropped = std::exchange(env.opponents, py::object());
  };
  py::class_<BatchEnv> env(module, "BatchEnv", collected<BatchEnv, visit, clear>(),
                           "N games over contiguous buffers; schafkopf.VectorEnv is its face.");
  env.def(py::init(&make_env), py::arg("num_envs"))
      .def("buffers", &buffers_of,
           R"(Views of the buffers by name, without a copy.

They stay valid as long as they live, also after the environment is gone; their contents change with
every call. Writing to them changes no game: they are only shown. Buffers that were not asked for are
missing.)")
      .def("advance", &advance, py::arg("actions"),
           R"(Step every game by one action.

Args:    actions: integers [num_envs], each legal for that game's current seat: any integer array
         (int32 and int64 are read without a copy), a list, a tuple or a tensor in the main memory.
Raises:  ValueError: wrong shape or type; IllegalAction, a ValueError with env, seat, action, reason,
         rule and the legal ones as attributes. Nothing was stepped.  RuntimeError: the environment
         is closed.)")
      .def("step_random", &advance_random, py::arg("steps") = 1,
           R"(Step by uniformly random legal actions without leaving the library.

Args:    steps: how many, 0..2^31-1.
Raises:  ValueError: a number out of range.  RuntimeError: the environment is closed.)")
      .def("random_actions", &random_actions, py::arg("out") = py::none(),
           R"(int32 [num_envs]: uniformly random legal actions, into `out` where it is given.

Drawn from the legal actions by absolute number, then counted as `cards` says: the games of a seed
are the same either way.

Raises:  ValueError: `out` is no contiguous and aligned int32 [num_envs] that can be written.
         RuntimeError: the environment is closed.)")
      .def("restart", &restart, py::arg("seed") = py::none(), py::arg("reset_mask") = py::none(),
           R"(Start new deals: all of them, or those of the mask; a seed restarts episodes at 0.

Args:    seed: 0..2^64-1, None = the next episodes;  reset_mask: bool or uint8 [num_envs], None = all rows.
Raises:  ValueError: a seed out of range, or a mask that is no bool [num_envs].
         RuntimeError: the environment is closed.)");
  add_rows(env);
  add_snapshots(env);
  add_batch_state(env);
}

}  // namespace schafkopf::python
