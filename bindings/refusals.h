// Refusals for Python, and the numbers of a mask.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "env/cards/action.h"

namespace schafkopf::python {

/// Numbers of a mask, lowest first.
[[nodiscard]] std::vector<int> actions_of(const ActionMask& mask);

void register_refusals(pybind11::module_& module);

}  // namespace schafkopf::python
