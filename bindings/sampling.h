// Actions from logits (sampling.cpp).
#pragma once

#include <pybind11/pybind11.h>

namespace schafkopf::python {

void register_sampling(pybind11::module_& module);

}  // namespace schafkopf::python
