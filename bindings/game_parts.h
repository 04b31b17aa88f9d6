// The parts of the binding of games, a file each; game.cpp registers them in this order.
#pragma once

#include "bindings/common.h"

namespace schafkopf::python {

void register_deal(py::module_& module);
void register_games(py::module_& module);
/// Properties of Game that ask for the state and change nothing.
void add_state(py::class_<PythonGame>& game);
void register_session(py::module_& module);
void register_league(py::module_& module);

}  // namespace schafkopf::python
