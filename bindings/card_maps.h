// Absolute and canonical card indices as Python names them.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "env/cards/card_map.h"

namespace schafkopf::python {

/// "absolute" or "canonical", as the argument `cards`. Throws std::invalid_argument: neither.
[[nodiscard]] CardIndex card_index_from(const std::string& name);

void register_card_maps(pybind11::module_& module);

}  // namespace schafkopf::python
