// Games as values for Python: arrays of seeds and actions in, what the games show out.
#include "env/vector/replayed_games.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bindings/common.h"
#include "bindings/gil.h"

namespace schafkopf::python {
namespace {

/// An array of this type and shape, copied where it lies otherwise.
template <class T>
Numbers<T> array_from(const py::object& value, std::string_view name,
                      const std::vector<py::ssize_t>& shape, std::string_view allowed) {
  refuse_masked(value, name);
  const bool fits = [&] {
    if (!py::isinstance<py::array_t<T>>(value)) return false;
    const auto array = py::reinterpret_borrow<py::array>(value);
    if (array.ndim() != static_cast<py::ssize_t>(shape.size())) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] >= 0 && array.shape(static_cast<py::ssize_t>(i)) != shape[i]) return false;
    }
    return true;
  }();
  if (!fits) {
    throw std::invalid_argument(
        fmt::format("{}: {} came, allowed: {}", name, describe_array(value), allowed));
  }
  return Numbers<T>(value);
}

template <class T>
std::span<const T> span_of(const Numbers<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

py::dict show(const ReplayedGames& games, const py::object& seeds, const py::object& actions,
              const py::object& counts, const py::object& seats) {
  const auto given = array_from<std::uint64_t>(seeds, "seeds", {-1}, "uint64 [B]");
  const py::ssize_t size = given.size();
  const auto done = array_from<std::uint8_t>(actions, "actions", {size, games.longest()},
                                             fmt::format("uint8 [{}, {}]", size, games.longest()));
  const auto whole = fmt::format("int32 [{}]", size);
  const auto meant = array_from<std::int32_t>(counts, "counts", {size}, whole);
  const auto asked = array_from<std::int32_t>(seats, "seats", {size}, whole);

  const auto rows = static_cast<std::size_t>(size);
  std::vector<PlayerView> seen(rows);  // at addresses that NumPy does not keep to
  py::array_t<std::uint64_t> legal({size, py::ssize_t{2}});
  py::array_t<std::int8_t> players(size);
  py::array_t<float> rewards({size, py::ssize_t{kNumSeats}});
  py::array_t<std::uint8_t> terminated(size);
  static_assert(sizeof(ActionMask) == 2 * sizeof(std::uint64_t));
  const ReplayedRows shown{.views = seen,
                           .legal = {reinterpret_cast<ActionMask*>(legal.mutable_data()), rows},
                           .players = {players.mutable_data(), rows},
                           .rewards = {rewards.mutable_data(), kNumSeats * rows},
                           .terminated = {terminated.mutable_data(), rows}};
  {
    const GilReleased release;
    games.show(span_of(given), span_of(done), span_of(meant), span_of(asked), shown);
  }
  py::array views(view_dtype(), std::vector<py::ssize_t>{size});
  if (rows > 0) std::memcpy(views.mutable_data(), seen.data(), rows * sizeof(PlayerView));
  py::dict result;
  result["views"] = views;
  result["legal"] = legal;
  result["current_player"] = players;
  result["rewards"] = rewards;
  result["terminated"] = terminated;
  return result;
}

}  // namespace

void register_replayed_games(py::module_& module) {
  py::class_<ReplayedGames>(module, "ReplayedGames",
                            R"(Games as values: the seed of a deal and the actions since.

For programs that keep no environment and step many games as functions do (schafkopf.adapters.pgx): what
a game shows is found by playing it again from its deal. Claims of the rest are not offered.

Args:    rules: as in VectorEnv.
         generator: who declares what where games start at card play, as in VectorEnv; None: they start
         with the deal.
Raises:  ValueError: unknown rules or generator.)")
      .def(py::init([](const py::object& rules, const py::object& generator) {
             return ReplayedGames(rules_from(rules)->compiled, generator_from(generator));
           }),
           py::arg("rules") = "research", py::arg("generator") = py::none())
      .def_property_readonly("longest", &ReplayedGames::longest,
                             "int: no game of these rules has more actions.")
      .def(
          "game",
          [](const ReplayedGames& games, Seed<> seed, const py::object& actions) {
            std::vector<Action> done;
            for_each_element(
                actions, "actions", "list of actions",
                [&](const py::handle& action) { done.push_back(action_from(action)); },
                static_cast<std::size_t>(games.longest()));
            return PythonGame{games.rules(), games.game(seed.value, done)};
          },
          py::arg("seed"), py::arg("actions"),
          R"(The Game after these actions; what is not legal when its turn comes ends them.

Args:    seed: of the deal, 0..2^64-1, whose dealer is seat seed % seats;  actions: numbers or names.
Raises:  ValueError: no seed, no actions.)")
      .def("show", &show, py::arg("seeds"), py::arg("actions"), py::arg("counts"), py::arg("seats"),
           R"(What B games show.

Args:    seeds: uint64 [B].  actions: uint8 [B, longest].  counts: int32 [B], how many of them are
         meant; what is not legal when its turn comes ends them.
         seats: int32 [B], whose view is shown; -1: of who is to act, or acted last.
Returns: dict with views [B] of VIEW_DTYPE; legal uint64 [B, 2], bit a = action a, none when a deal
         is over; current_player int8 [B], who acted last when a deal is over; rewards float32
         [B, 4] in tariff units, Stock and Reuegeld included, 0 before the end; terminated uint8 [B].
Raises:  ValueError: another shape or dtype, or a seat that there is not.)");
}

}  // namespace schafkopf::python
