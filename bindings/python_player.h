// Objects of Python as players: any with act(views).
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string_view>

#include "bindings/agents.h"
#include "env/view/policy.h"

namespace schafkopf::python {

/// Whether this is an object with a method `act`; a class of such objects is none.
[[nodiscard]] bool is_python_player(const pybind11::handle& value);
/// A Python object that may be dropped by a thread without the GIL.
[[nodiscard]] PlayerCell shared_player(const pybind11::handle& value);
/// The player that asks it, one thread at a time, whoever else asks the same object.
[[nodiscard]] std::shared_ptr<BatchPolicy> python_policy(PlayerCell player);
/// Says what came in place of a player, and what is allowed; `argument` is named where it is given.
[[noreturn]] void refuse_player(const pybind11::handle& value, std::string_view argument = {});

}  // namespace schafkopf::python
