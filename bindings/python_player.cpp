// Objects of Python as players: any with act(views).
#include "bindings/python_player.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings/common.h"
#include "bindings/gil.h"
#include "bindings/interpreter.h"

namespace schafkopf::python {
namespace {

/// The turns of an object, the same for all players that were made of it. Needs the GIL.
std::shared_ptr<Turns> turns_of(const py::handle& object) {
  static auto& known = *new std::unordered_map<PyObject*, std::weak_ptr<Turns>>;
  static std::size_t most = 16;  // so that to sweep costs no more than to add
  if (known.size() >= most) {
    std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
    most = std::max<std::size_t>(16, 2 * known.size());
  }
  std::shared_ptr<Turns> turns = known[object.ptr()].lock();
  if (!turns) {
    turns = std::make_shared<Turns>();
    known[object.ptr()] = turns;
  }
  return turns;
}

/// Whether an object has a method `policy`, its class's or a function of its own: a network or a
/// name that somebody keeps in an attribute of this name is none.
bool has_policy(const py::object& player) {
  const py::object of_class = py::getattr(py::type::of(player), "policy", py::none());
  if (PyCallable_Check(of_class.ptr()) != 0) return true;
  const py::object own = py::getattr(player, "policy", py::none());
  return py::module_::import("inspect").attr("isroutine")(own).cast<bool>();
}

/// The rows of a batch in which somebody acts. A deal that is over leaves no legal action to give:
/// there an object is not asked and, as other players do, passes.
class RunningRows {
 public:
  explicit RunningRows(const ViewBatch& all) : all_(all) {
    for (std::size_t row = 0; row < all.size; ++row) {
      if (!legal_actions(all.cards[row]).empty()) rows_.push_back(row);
    }
    if (rows_.size() == all.size) return;
    for (const std::size_t row : rows_) {
      planes_.cards.push_back(all.cards[row]);
      planes_.order.push_back(all.order[row]);
      planes_.events.push_back(all.events[row]);
    }
  }
  [[nodiscard]] ViewBatch batch() const {
    return rows_.size() == all_.size ? all_ : planes_.batch(all_.rules);
  }
  /// Where they stand in the whole batch.
  [[nodiscard]] std::span<const std::size_t> places() const { return rows_; }

 private:
  const ViewBatch& all_;
  std::vector<std::size_t> rows_;
  ViewPlanes planes_;
};

/// Any Python object with `act(views) -> actions [B]`, and a method `policy(views) -> (probabilities
/// [B, 128], values [B])` if it has one; else it counts as deterministic. Clones share the object
/// and take turns, so it may keep scratch data but no state that matters.
class PythonPolicy final : public BatchPolicy {
 public:
  explicit PythonPolicy(PlayerCell player)
      : player_(std::move(player)), turns_(turns_of(*player_)) {}

  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    const RunningRows running(batch);
    std::ranges::fill(values, std::numeric_limits<float>::quiet_NaN());
    std::ranges::fill(probabilities, 0.0F);
    if (running.places().empty()) return;
    const GilHeld gil;
    const Turn turn(*turns_);
    if (!has_policy(player())) {
      const std::vector<Action> actions = call_act(running.batch());
      auto action = actions.begin();
      for (const std::size_t row : running.places()) {
        probabilities[row * kNumActions + *action++] = 1.0F;
      }
      return;
    }
    const std::size_t rows = running.places().size();
    std::vector<float> chances(rows * kNumActions), estimates(values.empty() ? 0 : rows);
    call_policy(running.batch(), chances, estimates);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t row = running.places()[i];
      std::copy_n(chances.data() + i * kNumActions, kNumActions,
                  probabilities.data() + row * kNumActions);
      if (!values.empty()) values[row] = estimates[i];
    }
  }

  void act(const ViewBatch& batch, std::span<const RngKey>, std::span<Action> actions) override {
    const RunningRows running(batch);
    std::ranges::fill(actions, kActionPass);
    if (running.places().empty()) return;
    const GilHeld gil;
    const Turn turn(*turns_);
    const std::vector<Action> chosen = call_act(running.batch());
    auto action = chosen.begin();
    for (const std::size_t row : running.places()) actions[row] = *action++;
  }

  [[nodiscard]] bool answers_alike() const override { return false; }
  [[nodiscard]] std::string name() const override {
    const GilHeld gil;
    if (!*player_) return "python:none";
    const auto type = py::type::handle_of(*player_).attr("__name__").cast<std::string>();
    return "python:" + (py::hasattr(*player_, "name") ? written(player_->attr("name")) : type);
  }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<PythonPolicy>(*this);
  }

 private:
  /// With escapes for what UTF-8 cannot write.
  static std::string written(const py::object& value) {
    return py::str(value).attr("encode")("utf-8", "backslashreplace").cast<std::string>();
  }
  void check_rows(const py::array& array, const char* what, const ViewBatch& batch,
                  py::ssize_t columns) const {
    const auto rows = static_cast<py::ssize_t>(batch.size);
    const bool fits =
        columns == 0 ? array.ndim() == 1 && array.shape(0) == rows
                     : array.ndim() == 2 && array.shape(0) == rows && array.shape(1) == columns;
    if (fits) return;
    const std::string needed =
        columns == 0 ? fmt::format("[{}]", rows) : fmt::format("[{}, {}]", rows, columns);
    throw std::invalid_argument(
        fmt::format("{}: {} {}, allowed: {}", name(), what, describe_array(array), needed));
  }

  void refuse_hidden(const py::object& answer, const char* what) const {
    if (py::hasattr(answer, "_mask")) refuse_masked(answer, fmt::format("{}: {}", name(), what));
  }

  [[nodiscard]] std::vector<Action> call_act(const ViewBatch& batch) const {
    const py::object asarray = py::module_::import("numpy").attr("asarray");
    const py::object act = player().attr("act");
    const py::object answer = call_python(act, views_to_numpy(batch));
    refuse_hidden(answer, "act() gave");
    const py::array given = call_python(asarray, answer);
    check_rows(given, "act() gave actions", batch, 0);
    if (given.dtype().kind() != 'i' && given.dtype().kind() != 'u') {
      throw std::invalid_argument(
          fmt::format("{}: act() gave {}, allowed: integers", name(), describe_array(given)));
    }
    const Numbers<std::int64_t> actions(given);
    std::vector<Action> result(batch.size);
    for (std::size_t row = 0; row < batch.size; ++row) {
      const std::int64_t action = actions.data()[row];
      const ActionMask legal = legal_actions(batch.cards[row]);
      if (action < 0 || action >= kNumActions || !legal.contains(static_cast<Action>(action))) {
        const std::string shown = given.dtype().kind() == 'u'
                                      ? fmt::format("{}", static_cast<std::uint64_t>(action))
                                      : fmt::format("{}", action);
        throw std::invalid_argument(
            fmt::format("{}: act() gave action {} for row {}, which is not legal; legal: {}",
                        name(), shown, row, to_string(legal)));
      }
      result[row] = static_cast<Action>(action);
    }
    return result;
  }

  void call_policy(const ViewBatch& batch, std::span<float> probabilities,
                   std::span<float> values) const {
    const py::object policy = player().attr("policy");
    const py::object answer = call_python(policy, views_to_numpy(batch));
    if (!py::isinstance<py::tuple>(answer) || py::len(answer) != 2) {
      throw std::invalid_argument(
          fmt::format("{}: policy() must give (probabilities, values)", name()));
    }
    const py::module_ numpy = py::module_::import("numpy");
    refuse_hidden(answer[py::int_(0)], "policy() gave probabilities");
    refuse_hidden(answer[py::int_(1)], "policy() gave values");
    const py::array rows = numpy.attr("asarray")(answer[py::int_(0)]);
    const py::array estimates = numpy.attr("asarray")(answer[py::int_(1)]);
    check_rows(rows, "policy() gave probabilities", batch, kNumActions);
    const Numbers<float> floats = floats_of(rows, "probabilities");
    check_distributions(batch, {floats.data(), probabilities.size()});
    std::copy(floats.data(), floats.data() + probabilities.size(), probabilities.begin());
    if (values.empty()) return;
    check_rows(estimates, "policy() gave values", batch, 0);
    const Numbers<float> own = floats_of(estimates, "values");
    std::copy(own.data(), own.data() + values.size(), values.begin());
  }

  /// Throws std::invalid_argument for what are no numbers, and what NumPy raises where one is beyond
  /// float32.
  [[nodiscard]] Numbers<float> floats_of(const py::array& array, const char* what) const {
    if (std::string_view("fiub").find(array.dtype().kind()) == std::string_view::npos) {
      throw std::invalid_argument(fmt::format("{}: policy() gave {} {}, allowed: numbers", name(),
                                              what, describe_array(array)));
    }
    return Numbers<float>(array);
  }

  void check_distributions(const ViewBatch& batch, std::span<const float> probabilities) const {
    constexpr double kTolerance = 1e-3;  // of the sum of 128 float32 numbers
    for (std::size_t row = 0; row < batch.size; ++row) {
      const ActionMask legal = legal_actions(batch.cards[row]);
      double sum = 0.0;
      for (int action = 0; action < kNumActions; ++action) {
        const float p = probabilities[row * kNumActions + static_cast<std::size_t>(action)];
        sum += static_cast<double>(p);
        if (p == 0.0F || (p > 0.0F && legal.contains(static_cast<Action>(action)))) continue;
        throw std::invalid_argument(
            fmt::format("{}: policy() gave {} for {} in row {}; allowed: numbers >= 0, and 0 on "
                        "illegal actions",
                        name(), p, action_name(action), row));
      }
      if (std::abs(sum - 1.0) > kTolerance) {
        throw std::invalid_argument(
            fmt::format("{}: policy() gave probabilities of sum {:.4f} in row {}, allowed: 1",
                        name(), sum, row));
      }
    }
  }

  /// The object, held while it is asked.
  [[nodiscard]] py::object player() const {
    if (!*player_) throw std::runtime_error("the Python object that played here is gone");
    return *player_;
  }

  PlayerCell player_;
  std::shared_ptr<Turns> turns_;
};

}  // namespace

bool is_python_player(const py::handle& value) {
  return PyType_Check(value.ptr()) == 0 &&
         PyCallable_Check(py::getattr(value, "act", py::none()).ptr()) != 0;
}

PlayerCell shared_player(const py::handle& value) {
  return {new py::object(py::reinterpret_borrow<py::object>(value)), [](py::object* owned) {
            const GilHeld gil;
            delete owned;
          }};
}

std::shared_ptr<BatchPolicy> python_policy(PlayerCell player) {
  return std::make_shared<PythonPolicy>(std::move(player));
}

void refuse_player(const py::handle& value, std::string_view argument) {
  const std::string place = argument.empty() ? "" : fmt::format("{}: ", argument);
  if (PyType_Check(value.ptr()) != 0) {
    const auto name = value.attr("__name__").cast<std::string>();
    throw std::invalid_argument(fmt::format(
        "{0}the class {1} came as a player, allowed: an object of it, {1}()", place, name));
  }
  const char* more = "";
  if (py::hasattr(value, "forward")) {  // of torch: what somebody trained and wants to see play
    more =
        "; schafkopf.save_player writes a network of new_torch or load_torch as such a name, any "
        "other is asked by an object with act()";
  }
  throw std::invalid_argument(fmt::format(
      "{}{} came as a player; allowed: a name such as \"rules\", an Agent, or an object "
      "with act(){}",
      place, value.is_none() ? "None" : describe_array(value), more));
}

}  // namespace schafkopf::python
