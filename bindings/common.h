// What the files of _core share: conversions between Python values and the engine's types, and the
// registration functions by subject. Nothing here decides a rule.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/arguments.h"
#include "env/game/game.h"
#include "env/rules/rules.h"
#include "env/vector/contract_generator.h"
#include "env/view/encoder.h"
#include "env/view/policy.h"

namespace schafkopf::python {

namespace py = pybind11;

/// A rule set as Python holds it: what was asked for, and what is played.
struct Rules {
  NamedRules asked;
  std::shared_ptr<const CompiledRules> compiled;
};

/// A game that keeps its rules alive.
struct PythonGame {
  std::shared_ptr<const CompiledRules> rules;
  Game game;
};

/// Preset name, path of a TOML file, dict {"preset": name, switch: value, ...} or RuleSet.
[[nodiscard]] std::shared_ptr<const Rules> rules_from(const py::handle& value);
/// The inverse, for pickles: the name of a preset that is played as it stands, else a RuleSet.
[[nodiscard]] py::object rules_to_python(const std::shared_ptr<const CompiledRules>& compiled);
/// Preset name or path plus changed switches.
[[nodiscard]] std::shared_ptr<const Rules> make_python_rules(const std::string& base,
                                                             const py::dict& switches);

/// Card number 0..31 or name ("EO").
[[nodiscard]] Card card_from(const py::handle& value);
/// Cards in the given order: names or numbers, or one string of names. Errors name the place in `name`.
[[nodiscard]] std::vector<Card> card_list_from(const py::handle& value,
                                               std::string_view name = "cards");
/// As card_list_from, as a set. Throws where a card comes twice.
[[nodiscard]] CardSet card_set_from(const py::handle& value, std::string_view name = "cards");
[[nodiscard]] std::vector<std::string> names_of_cards(CardSet cards);
/// Action number 0..127 or name ("PASS", "CARD EA", "EA").
[[nodiscard]] Action action_from(const py::handle& value);
/// Contract, or dict in the form of a game record plus "declarer".
[[nodiscard]] Contract contract_from(const py::handle& value);
/// "E", "G", "H", "S".
[[nodiscard]] Suit suit_from(const std::string& name);
[[nodiscard]] ContractClass contract_class_from(const std::string& name);
/// Seat 0..3; throws naming `what`.
[[nodiscard]] int seat_from(int seat, const char* what);
/// Amounts in 1/tariff_scale units as tariff units, one per active seat.
[[nodiscard]] std::vector<double> in_tariff_units(
    const std::array<std::int32_t, kNumSeats>& amounts, const CompiledRules& rules);

/// Numbers of an array where C++ may read them: ensure() copies what has another type or gaps, or
/// lies at addresses that are none of this type (numpy.frombuffer with an odd offset).
template <class T>
using Numbers = py::array_t<T, py::array::c_style | py::array::forcecast |
                                   py::detail::npy_api::NPY_ARRAY_ALIGNED_>;
/// Whether this is an array [rows] of this type that C++ may write where it lies.
template <class T>
[[nodiscard]] bool is_target(const py::handle& value, py::ssize_t rows) {
  if (!py::isinstance<py::array_t<T, py::array::c_style>>(value)) return false;
  const auto array = py::reinterpret_borrow<py::array>(value);
  return array.ndim() == 1 && array.shape(0) == rows &&
         (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0 && array.writeable();
}

/// "int64 [3, 4]": how errors name an array that came; the type's name for other objects.
[[nodiscard]] std::string describe_array(const py::handle& value);

/// Throws std::invalid_argument for an array of numpy.ma that hides entries: they would be read.
void refuse_masked(const py::handle& value, std::string_view name);

/// Structured dtypes of the view lines (env/view/view.h); itemsizes 64, 64, 64, 192 and 64 bytes.
[[nodiscard]] py::dtype cards_dtype();
[[nodiscard]] py::dtype order_dtype();
[[nodiscard]] py::dtype events_dtype();
[[nodiscard]] py::dtype view_dtype();
[[nodiscard]] py::dtype full_view_dtype();

/// Planes copied from a structured array of views, checked so that no reader indexes out of range.
struct ViewPlanes {
  std::vector<CardsLine> cards;
  std::vector<OrderLine> order;
  std::vector<EventsLine> events;

  [[nodiscard]] ViewBatch batch(const RuleTable* table) const {
    return {cards.size(), cards.data(), order.data(), events.data(), nullptr, table};
  }
};
/// Views as Game.view gives them: one, or an array [B] of view_dtype().
[[nodiscard]] ViewPlanes planes_from(const py::handle& views);
/// One row or an array [B] as a contiguous array of this dtype, copied where its fields lie
/// otherwise; nothing if it has other fields or dimensions.
[[nodiscard]] std::optional<py::array> rows_of(const py::handle& rows, const py::dtype& dtype);
/// A view as a record of view_dtype().
[[nodiscard]] py::object view_to_numpy(const PlayerView& view);
/// Rows of a batch as an array [B] of view_dtype(), a copy.
[[nodiscard]] py::array views_to_numpy(const ViewBatch& batch);

/// A player from Python: an agent of this module, a registry string, or any object with `act`.
/// None gives null.
[[nodiscard]] std::shared_ptr<BatchPolicy> policy_from(const py::handle& value);
/// Contract generator by name; None gives null.
[[nodiscard]] std::shared_ptr<const ContractGenerator> generator_from(const py::handle& value);

void register_rules(py::module_& module);
void register_cards(py::module_& module);
void register_rule_tables(py::module_& module);
void register_settlement(py::module_& module);
void register_game(py::module_& module);
void register_views(py::module_& module);
void register_unpack(py::module_& module);
void register_vector_env(py::module_& module);
void register_replayed_games(py::module_& module);
void register_agents(py::module_& module);
void register_exploit(py::module_& module);
void register_calibration(py::module_& module);
void register_intervals(py::module_& module);
void register_field_tables(py::module_& module);
void register_search(py::module_& module);
void register_networks(py::module_& module);
void register_records(py::module_& module);

/// Lets every function that is registered so far name the nearest of its keywords to an unknown
/// one.
void watch_keywords(py::module_& module);

}  // namespace schafkopf::python
