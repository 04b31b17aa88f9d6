// The engine's side of the protocol for players in other processes (engine.cpp).
#pragma once

#include <pybind11/pybind11.h>

namespace schafkopf::python {

void register_engine(pybind11::module_& module);

}  // namespace schafkopf::python
