// Absolute and canonical card indices for Python: single actions, arrays and masks.
#include "bindings/card_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "bindings/common.h"
#include "env/base/input_limits.h"

namespace schafkopf::python {
namespace {

int checked_map(std::int64_t map, const std::string& where) {
  if (map >= 0 && map < num_card_maps()) return static_cast<int>(map);
  throw std::invalid_argument(
      fmt::format("card map {}{}, allowed: 0..{}", map, where, num_card_maps() - 1));
}

bool is_integers(const py::array& array) {
  return array.dtype().kind() == 'i' || array.dtype().kind() == 'u';
}

/// A number, one of NumPy in an array without axes too.
bool is_whole(const py::handle& value) {
  if (PyIndex_Check(value.ptr()) == 0) return false;
  return !py::isinstance<py::array>(value) ||
         (py::reinterpret_borrow<py::array>(value).ndim() == 0 &&
          is_integers(py::reinterpret_borrow<py::array>(value)));
}

py::array array_of(const py::handle& value, std::string_view name) {
  refuse_masked(value, name);
  return py::module_::import("numpy").attr("asarray")(value);
}

std::vector<std::int64_t> whole_numbers(const py::array& array) {
  const auto given = Numbers<std::int64_t>::ensure(array);
  return {given.data(), given.data() + given.size()};
}

/// The card map of each of `rows` rows: one number for all of them, numbers [rows], or the views.
std::vector<int> maps_from(const py::handle& given, std::size_t rows) {
  if (is_whole(given)) {
    return std::vector<int>(rows, checked_map(whole_from<std::int64_t>(given, "card_map"), ""));
  }
  const py::array array = array_of(given, "card_map");
  std::vector<int> maps;
  if (array.dtype().kind() == 'V') {
    for (const OrderLine& line : planes_from(given).order) maps.push_back(line.card_map);
  } else if (is_integers(array) && array.ndim() == 1) {
    for (const std::int64_t map : whole_numbers(array)) {
      maps.push_back(checked_map(map, fmt::format(" in row {}", maps.size())));
    }
  }
  if (maps.size() != rows) {
    throw std::invalid_argument(
        fmt::format("card_map: {} came, allowed: a number, {} numbers or {} views",
                    describe_array(array), rows, rows));
  }
  return maps;
}

enum class Direction : std::uint8_t { kToCanonical, kFromCanonical };

Action moved_action(Action action, int map, Direction direction) {
  return direction == Direction::kToCanonical ? to_canonical_action(action, map)
                                              : from_canonical_action(action, map);
}

/// One action (number or name) or an integer array [N], in its own dtype.
template <Direction direction>
py::object move_actions(const py::object& actions, const py::object& card_map) {
  if (py::isinstance<py::str>(actions) || is_whole(actions)) {
    return py::int_(
        static_cast<int>(moved_action(action_from(actions), maps_from(card_map, 1)[0], direction)));
  }
  const py::array array = array_of(actions, "actions");
  if (array.ndim() == 1 && array.size() == 0 && !py::isinstance<py::array>(actions)) {
    return py::array_t<std::int64_t>(0);  // of nothing NumPy makes floats
  }
  if (!is_integers(array) || array.ndim() != 1) {
    throw std::invalid_argument(
        fmt::format("actions: {} came, allowed: an action or integers [N]", describe_array(array)));
  }
  const std::vector<std::int64_t> values = whole_numbers(array);
  const std::vector<int> maps = maps_from(card_map, values.size());
  py::array_t<std::int64_t> result(static_cast<py::ssize_t>(values.size()));
  std::int64_t* cell = result.mutable_data();
  for (std::size_t row = 0; row < values.size(); ++row) {
    const bool card = values[row] >= 0 && values[row] < kNumCards;
    cell[row] =
        card ? moved_action(static_cast<Action>(values[row]), maps[row], direction) : values[row];
  }
  return result.attr("astype")(array.dtype());
}

py::object move_bits(const py::array& masks, const std::vector<int>& maps, Direction direction) {
  const Numbers<std::uint64_t> given(masks);
  py::array_t<std::uint64_t> result({static_cast<py::ssize_t>(maps.size()), py::ssize_t{2}});
  std::uint64_t* cell = result.mutable_data();
  for (std::size_t row = 0; row < maps.size(); ++row) {
    const ActionMask mask{{given.data()[2 * row], given.data()[2 * row + 1]}};
    const ActionMask moved = direction == Direction::kToCanonical ? to_canonical(mask, maps[row])
                                                                  : from_canonical(mask, maps[row]);
    *cell++ = moved.words[0];
    *cell++ = moved.words[1];
  }
  return result;
}

/// Rows of 128 cells of any size: those of the cards change places.
py::object move_columns(const py::array& given, const std::vector<int>& maps, Direction direction) {
  const py::array from = py::module_::import("numpy").attr("ascontiguousarray")(given);
  py::array result = from.attr("copy")();
  const auto size = static_cast<std::size_t>(from.itemsize());
  const auto* source = static_cast<const std::uint8_t*>(from.data());
  auto* target = static_cast<std::uint8_t*>(result.mutable_data());
  for (const int map : maps) {
    for (Action card = 0; card < kNumCards; ++card) {
      std::memcpy(target + size * moved_action(card, map, direction), source + size * card, size);
    }
    source += size * kNumActions;
    target += size * kNumActions;
  }
  return result;
}

/// Masks as bits uint64 [N, 2] or by cells [N, 128].
template <Direction direction>
py::object move_masks(const py::object& masks, const py::object& card_map) {
  const py::array array = array_of(masks, "masks");
  const bool bits = array.ndim() == 2 && array.shape(1) == 2 &&
                    array.dtype().equal(py::dtype::of<std::uint64_t>());
  const bool cells = array.ndim() == 2 && array.shape(1) == kNumActions &&
                     std::string_view("buif").find(array.dtype().kind()) != std::string_view::npos;
  if (!bits && !cells) {
    throw std::invalid_argument(
        fmt::format("masks: {} came, allowed: uint64 [N, 2] or [N, {}] of numbers",
                    describe_array(array), kNumActions));
  }
  const std::vector<int> maps = maps_from(card_map, static_cast<std::size_t>(array.shape(0)));
  return bits ? move_bits(array, maps, direction) : move_columns(array, maps, direction);
}

}  // namespace

CardIndex card_index_from(const std::string& name) {
  if (name == "absolute") return CardIndex::kAbsolute;
  if (name == "canonical") return CardIndex::kCanonical;
  throw std::invalid_argument(
      fmt::format("cards = \"{}\", allowed: absolute, canonical", quotable(name)));
}

void register_card_maps(py::module_& module) {
  constexpr auto kTo = Direction::kToCanonical, kFrom = Direction::kFromCanonical;
  module.def(
      "card_maps",
      [] {
        const auto maps = card_maps();
        py::array_t<std::uint8_t> result({num_card_maps(), kNumCards});
        std::ranges::copy(maps, result.mutable_data());
        return result;
      },
      "uint8 [M, 32]: canonical index of each absolute card, by card-map number.");
  module.def("to_canonical", &move_actions<kTo>, py::arg("action"), py::arg("card_map"),
             R"(Actions with their cards by the canonical index of a card map.

Args:    action: a number, a name or integers [N]; numbers that are no card stay.
         card_map: number of the map, or [N] of them, or the views [N] that show them
         (views["order"]["card_map"]).
Returns: int, or an array [N] of the dtype that came.
Raises:  ValueError: neither an action nor integers [N], or no map for each of them.)");
  module.def("from_canonical", &move_actions<kFrom>, py::arg("action"), py::arg("card_map"),
             R"(Inverse of to_canonical: from canonical cards back to absolute ones.

Raises:  ValueError: as to_canonical.)");
  module.def("mask_to_canonical", &move_masks<kTo>, py::arg("masks"), py::arg("card_map"),
             R"(Masks with their cards by the canonical index of a card map.

Args:    masks: uint64 [N, 2] as bits, or [N, 128] of any numbers (masks, probabilities, logits).
         card_map: as in to_canonical.
Returns: a new array of the same shape and dtype.
Raises:  ValueError: an array of another shape or dtype, or no map for each row.)");
  module.def("mask_from_canonical", &move_masks<kFrom>, py::arg("masks"), py::arg("card_map"),
             R"(Inverse of mask_to_canonical: from canonical cards back to absolute ones.

Raises:  ValueError: as mask_to_canonical.)");
}

}  // namespace schafkopf::python
