// The batch of games for Python. Buffers are NumPy views without a copy: each array owns a share of
// the batch, so that it stays valid as long as the array lives, also without the environment.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/action_arrays.h"
#include "bindings/agents.h"
#include "bindings/card_maps.h"
#include "bindings/common.h"
#include "env/base/nearest.h"
#include "env/vector/vector_env.h"
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

/// Marks a batch as in use while the GIL is released; a second caller gets an error, not a race.
class Use {
 public:
  explicit Use(Batch& batch) : batch_(batch) {
    if (batch_.busy.exchange(true)) {
      throw std::runtime_error(
          "this VectorEnv is in use: another thread or an opponent's act() "
          "called it while it steps, or it was forked while another thread stepped it");
    }
  }
  ~Use() { batch_.busy = false; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  Batch& batch_;
};

struct BatchEnv {
  std::shared_ptr<Batch> batch;
  py::object opponent;  // the Agent whose policy plays in the batch, which so stays alive

  [[nodiscard]] VectorEnv& env() const { return batch->env; }
  [[nodiscard]] py::ssize_t size() const { return env().num_envs(); }
};

/// A text that an option got, or the type of what came instead.
struct Word {
  std::string text;
  std::string wrong_type;
};

/// A value of an enumeration by its name among `names`.
template <class Enum, std::size_t N>
Enum choice(const Word& value, const std::array<const char*, N>& names, const char* option) {
  for (std::size_t i = 0; i < N; ++i) {
    if (value.wrong_type.empty() && value.text == names[i]) return static_cast<Enum>(i);
  }
  const std::string allowed = fmt::format("allowed: \"{}\"", fmt::join(names, "\", \""));
  if (!value.wrong_type.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: a value of type {} came, {}", option, value.wrong_type, allowed));
  }
  const std::vector<std::string_view> words(names.begin(), names.end());
  throw std::invalid_argument(fmt::format("{} = \"{}\", {}{}", option, value.text, allowed,
                                          nearest_hint(value.text, words)));
}

/// The keywords of VectorEnv: each is taken once, what is left over is unknown.
class Options {
 public:
  explicit Options(const py::kwargs& keywords) : left_(keywords.attr("copy")()) {}

  /// The value of a keyword. Integers come with the least and the most that is allowed.
  template <class Value>
  Value operator()(const char* key, Value otherwise,
                   Value least = std::numeric_limits<Value>::min(),
                   Value most = std::numeric_limits<Value>::max())
    requires std::integral<Value> && (!std::same_as<Value, bool>)
  {
    const py::object value = pop(key);
    return value ? whole_from<Value>(value, key, least, most) : otherwise;
  }
  Word operator()(const char* key, const std::string& otherwise) {
    const py::object value = pop(key);
    if (!value) return {otherwise, {}};
    if (!py::isinstance<py::str>(value)) return {{}, describe_array(value)};
    return {value.cast<std::string>(), {}};
  }
  bool operator()(const char* key, bool otherwise) {
    const py::object value = pop(key);
    if (!value) return otherwise;
    if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
    if (py::hasattr(value, "dtype") && py::str(value.attr("dtype")).equal(py::str("bool"))) {
      return value.attr("__bool__")().cast<bool>();  // one of NumPy
    }
    refuse(key, value, "True, False");
  }
  double operator()(const char* key, double otherwise) {
    return convert(key, otherwise, "a number");
  }
  py::object operator()(const char* key, const py::object& otherwise) {
    const py::object value = pop(key);
    return value ? value : otherwise;
  }
  template <class Value>
  std::vector<Value> operator()(const char* key, const std::vector<Value>& otherwise) {
    const bool numbers = std::integral<Value>;
    return convert(key, otherwise, numbers ? "a list of integers" : "a list of schafkopf.Deal");
  }
  py::list operator()(const char* key, const py::list& otherwise) {
    const py::object value = pop(key);
    if (!value) return otherwise;
    if (!py::isinstance<py::list>(value) && !py::isinstance<py::tuple>(value)) {
      refuse(key, value, "a list");
    }
    return value;
  }

  /// Throws py::type_error for a keyword that nobody took.
  void check_all_known() const {
    for (const auto& [key, unused] : left_) {
      const auto name = key.cast<std::string>();
      throw py::type_error(fmt::format("VectorEnv has no option '{}'{}; options: {}", name,
                                       nearest_hint(name, known_), fmt::join(known_, ", ")));
    }
  }

 private:
  py::object pop(const char* key) {
    known_.emplace_back(key);
    if (!left_.contains(key)) return {};
    return left_.attr("pop")(key);
  }
  [[noreturn]] static void refuse(const char* key, const py::object& value, const char* allowed) {
    throw std::invalid_argument(fmt::format("{}: a value of type {} came, allowed: {}", key,
                                            describe_array(value), allowed));
  }
  template <class Value>
  Value convert(const char* key, const Value& otherwise, const char* allowed) {
    const py::object value = pop(key);
    if (!value) return otherwise;
    try {
      return value.cast<Value>();
    } catch (const py::cast_error&) {
      refuse(key, value, allowed);
    }
  }

  py::dict left_;
  std::vector<std::string_view> known_;
};

std::vector<std::shared_ptr<const CompiledRules>> rules_list(const py::object& rules) {
  if (py::isinstance<py::list>(rules) || py::isinstance<py::tuple>(rules)) {
    std::vector<std::shared_ptr<const CompiledRules>> result;
    for (const py::handle one : rules) result.push_back(rules_from(one)->compiled);
    if (result.empty()) throw std::invalid_argument("rules: an empty list, at least one is needed");
    return result;
  }
  return {rules_from(rules)->compiled};
}

std::vector<std::uint16_t> rule_indices(const std::vector<std::int64_t>& given, std::size_t rules) {
  std::vector<std::uint16_t> result;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] < 0 || given[i] >= static_cast<std::int64_t>(rules)) {
      throw std::invalid_argument(
          fmt::format("rule_index[{}] = {}, allowed 0..{}", i, given[i], rules - 1));
    }
    result.push_back(static_cast<std::uint16_t>(given[i]));
  }
  return result;
}

// One keyword per option of VectorEnvOptions.
BatchEnv make_env(Whole<"num_envs", int, 1> num_envs, const py::kwargs& keywords) {
  Options take(keywords);
  VectorEnvOptions options;
  options.num_envs = num_envs;
  options.rules = rules_list(take("rules", py::object(py::str("research"))));
  options.rule_index =
      rule_indices(take("rule_index", std::vector<std::int64_t>{}), options.rules.size());
  options.seed = take("seed", std::uint64_t{0});
  options.first_env = take("first_env", std::uint64_t{0});
  options.num_threads = take("num_threads", 1, 1, 1024);
  options.auto_reset = choice<AutoReset, 3>(take("auto_reset", std::string("next_step")),
                                            {"next_step", "same_step", "disabled"}, "auto_reset");
  options.observation = choice<ObservationType, 3>(take("observation", std::string("uint8")),
                                                   {"none", "uint8", "float32"}, "observation");
  options.observation_version = observation_version_from(take("observation_version", 1));
  options.cards = choice<CardIndex, 2>(take("cards", std::string("absolute")),
                                       {"absolute", "canonical"}, "cards");
  options.action_mask = take("action_mask", true);
  options.view_lines = take("view_lines", false);
  options.full_view = take("full_view", false);
  options.skip_forced = take("skip_forced", false);
  options.claim_actions = take("claim_actions", false);
  options.session = take("session", false);
  options.start =
      choice<StartAt, 2>(take("start", std::string("deal")), {"deal", "card_play"}, "start");
  options.generated_share = take("generated_share", 0.0);
  options.generator = generator_from(take("generator", py::object(py::none())));
  options.deals = take("deals", std::vector<Deal>{});
  for (const py::handle contract : take("contracts", py::list())) {
    options.contracts.push_back(contract_from(contract));
  }
  options.learner_seat = take("learner_seat", -1, -1, kNumSeats - 1);
  py::object opponent = take("opponent", py::object(py::none()));
  options.bidding_only = take("bidding_only", false);
  take.check_all_known();
  if (!opponent.is_none()) {
    opponent = agent_of(opponent);
    options.opponent = opponent.cast<const Agent&>().policy->clone();
  }
  std::shared_ptr<Batch> batch;
  {
    const py::gil_scoped_release release;  // an opponent from Python takes it again
    batch = std::make_shared<Batch>(std::move(options));
  }
  return {std::move(batch), std::move(opponent)};
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
  arrays.add("rule_index", b.rule_index);
  arrays.add("session_end", b.session_end, boolean);
  arrays.add("final_observation", b.final_observation);
  if (!b.rule_features.empty()) {
    arrays.add_table("rule_features", b.rule_features,
                     static_cast<py::ssize_t>(env.env().options().rules.size()));
  }
  return arrays.take();
}

void advance(BatchEnv& self, const py::handle& actions) {
  const GivenActions given = given_actions(actions, self.size());
  const Use use(*self.batch);
  const py::gil_scoped_release release;
  if (given.is_wide) {
    self.env().step(given.wide);
  } else {
    self.env().step(given.narrow);
  }
  self.batch->show_not_truncated();
}

void advance_random(BatchEnv& self, Whole<"steps"> steps) {
  const Use use(*self.batch);
  const py::gil_scoped_release release;
  for (int i = 0; i < steps; ++i) self.env().step_random();
  self.batch->show_not_truncated();
}

void restart(BatchEnv& self, const std::optional<Seed<>>& seed, const py::object& mask) {
  std::vector<std::uint8_t> rows;
  if (!mask.is_none()) {
    const auto array =
        py::isinstance<py::array>(mask) ? py::reinterpret_borrow<py::array>(mask) : py::array();
    const bool fits =
        py::isinstance<py::array>(mask) && array.ndim() == 1 && array.shape(0) == self.size() &&
        (array.dtype().kind() == 'b' || array.dtype().equal(py::dtype::of<std::uint8_t>()));
    if (!fits) {
      throw std::invalid_argument(
          fmt::format("reset_mask: {} came, needed is a NumPy array bool [{}]",
                      describe_array(mask), self.size()));
    }
    const auto bytes = py::array_t < std::uint8_t,
               py::array::c_style | py::array::forcecast > ::ensure(mask);
    rows.assign(bytes.data(), bytes.data() + bytes.size());
    if (!seed &&
        std::find_if(rows.begin(), rows.end(), [](auto r) { return r != 0; }) == rows.end()) {
      return;
    }
  }
  const Use use(*self.batch);
  const py::gil_scoped_release release;
  self.env().reset(seed ? std::optional<std::uint64_t>(*seed) : std::nullopt, rows);
  self.batch->show_not_truncated();
}

py::array_t<std::int32_t> random_actions(BatchEnv& self, const py::object& out) {
  using Int32 = py::array_t<std::int32_t, py::array::c_style>;
  if (!out.is_none()) {
    const bool fits = py::isinstance<Int32>(out) &&
                      py::reinterpret_borrow<py::array>(out).ndim() == 1 &&
                      py::reinterpret_borrow<py::array>(out).shape(0) == self.size();
    if (!fits) {
      throw std::invalid_argument(
          fmt::format("out: {} came, needed is a contiguous NumPy array int32 [{}]",
                      describe_array(out), self.size()));
    }
  }
  Int32 result = out.is_none() ? Int32(self.size()) : py::reinterpret_borrow<Int32>(out);
  std::int32_t* target = result.mutable_data();
  const Use use(*self.batch);
  self.env().random_actions(self.batch->drawn);
  std::copy(self.batch->drawn.begin(), self.batch->drawn.end(), target);
  return result;
}

py::array_t<std::int32_t> agent_actions(BatchEnv& self, Agent& agent) {
  std::vector<RngKey> keys(static_cast<std::size_t>(self.size()));
  std::vector<Action> actions(keys.size());
  {
    const Use use(*self.batch);
    const py::gil_scoped_release release;
    const std::lock_guard lock(*agent.mutex);
    self.env().keys(keys);
    const bool cheats = agent.policy->sees_hidden_hands();
    if (cheats && !self.env().options().full_view) {
      throw std::invalid_argument(fmt::format(
          "{} sees hidden hands: make the environment with full_view=True", agent.policy->name()));
    }
    const ViewBatch batch = self.env().views(cheats);
    agent.policy->act(batch, keys, actions);
    if (self.env().options().cards == CardIndex::kCanonical) {
      for (std::size_t row = 0; row < actions.size(); ++row) {
        actions[row] = to_canonical_action(actions[row], batch.order[row].card_map);
      }
    }
  }
  py::array_t<std::int32_t> result(self.size());
  std::copy(actions.begin(), actions.end(), result.mutable_data());
  return result;
}

py::array_t<std::uint8_t> card_map_numbers(const BatchEnv& self) {
  py::array_t<std::uint8_t> result(self.size());
  std::uint8_t* cell = result.mutable_data();
  const Use use(*self.batch);
  for (int row = 0; row < self.env().num_envs(); ++row) {
    *cell++ = static_cast<std::uint8_t>(self.env().card_map(row));
  }
  return result;
}

int row_of(const BatchEnv& self, int env) {
  if (env < 0 || env >= self.size()) {
    throw std::invalid_argument(fmt::format("env {}, allowed 0..{}", env, self.size() - 1));
  }
  return env;
}

std::shared_ptr<const CompiledRules> rules_of_row(const BatchEnv& self, int row) {
  const auto& options = self.env().options();
  return options
      .rules[options.rule_index.empty() ? 0 : options.rule_index[static_cast<std::size_t>(row)]];
}

void set_game(BatchEnv& self, Whole<"env"> env, const PythonGame& game) {
  const auto rules = rules_of_row(self, row_of(self, env));
  const Use use(*self.batch);
  // Rebuilt on the batch's own copy of the rules, which lives as long as the batch does.
  const Game own = Game::deserialize(*rules, game.game.serialize());
  const py::gil_scoped_release release;  // opponents from Python may be asked by other threads
  self.env().set_game(env, own);
}

/// A number that a step changes.
template <auto kCount>
auto counted(const BatchEnv& self) {
  const Use use(*self.batch);
  return (self.env().*kCount)();
}

void add_access(py::class_<BatchEnv>& env) {
  env.def(
         "get_game",
         [](const BatchEnv& self, Whole<"env"> row) {
           const Use use(*self.batch);
           return PythonGame{rules_of_row(self, row_of(self, row)), self.env().game(row)};
         },
         py::arg("env"), "Copy of the game of one row.")
      .def("set_game", &set_game, py::arg("env"), py::arg("game"),
           "Put a game into a row. Raises ValueError where its rules are not the row's.")
      .def(
          "views",
          [](const BatchEnv& self) {
            const Use use(*self.batch);
            return views_to_numpy(self.env().views());
          },
          "Array [N] of VIEW_DTYPE with absolute cards, a copy; needs view_lines=True.")
      .def(
          "card_map_numbers", &card_map_numbers,
          R"(uint8 [N]: number of the card map of the seat to act in each row, for to_canonical and its
inverse; 0 before card play.)")
      .def(
          "agent_actions", &agent_actions, py::arg("agent"),
          R"(int32 [num_envs]: what an agent does in every row, as step takes it; needs view_lines=True, for
an agent that sees hidden hands full_view=True too.

Draws depend on (seed, env, episode, decision, seat) only, not on the batch.)")
      .def(
          "snapshot",
          [](const BatchEnv& self) {
            const Use use(*self.batch);
            const auto bytes = self.env().snapshot();
            return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          },
          R"(Bytes from which `restore` goes on with the same games.

Raises:  RuntimeError: an exception left the batch in the middle of a step.)")
      .def(
          "restore",
          [](BatchEnv& self, const py::bytes& bytes) {
            const Use use(*self.batch);
            const auto text = static_cast<std::string_view>(bytes);
            self.env().restore(
                std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
          },
          py::arg("bytes"),
          R"(Go on from a snapshot of an environment with the same options.

Raises:  ValueError: bytes that are damaged, or taken with other options, naming the env; the
         environment is then unchanged.)")
      .def_property_readonly(
          "card_index",
          [](const BatchEnv& self) {
            return self.env().options().cards == CardIndex::kCanonical ? "canonical" : "absolute";
          })
      .def_property_readonly("num_envs", [](const BatchEnv& self) { return self.env().num_envs(); })
      .def_property_readonly("num_decisions", &counted<&VectorEnv::num_decisions>)
      .def_property_readonly("num_deals", &counted<&VectorEnv::num_deals>)
      .def_property_readonly("skipped_deals", &counted<&VectorEnv::skipped_deals>)
      .def_property_readonly("skipped_return", &counted<&VectorEnv::skipped_return>);
}

}  // namespace

void register_vector_env(py::module_& module) {
  constexpr auto visit = [](const BatchEnv& env, const auto& see) { see(env.opponent); };
  constexpr auto clear = [](BatchEnv& env) {
    const py::object dropped = std::exchange(env.opponent, py::object());
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
         (int32 is read without a copy), a list, a tuple or a tensor in the main memory.
Raises:  ValueError: wrong shape or type; IllegalAction, a ValueError with env, seat, action, reason,
         rule and the legal ones as attributes. Nothing was stepped.)")
      .def("step_random", &advance_random, py::arg("steps") = 1,
           "Step by uniformly random legal actions without leaving the library.")
      .def("random_actions", &random_actions, py::arg("out") = py::none(),
           R"(int32 [num_envs]: uniformly random legal actions, into `out` where it is given.

Drawn from the legal actions by absolute number, then counted as `cards` says: the games of a seed
are the same either way.)")
      .def("restart", &restart, py::arg("seed") = py::none(), py::arg("reset_mask") = py::none(),
           "Start new deals: all of them, or those of the mask; a seed restarts episodes at 0.");
  add_access(env);
}

}  // namespace schafkopf::python
