// Actions of a whole batch as Python gives them: arrays, tensors, lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bindings/common.h"

namespace schafkopf::python {

/// Integers [N] from Python. Contiguous int32 is read where it lies, everything else is copied.
struct GivenActions {
  py::array owner;                       // of `narrow`
  std::span<const std::int32_t> narrow;  // either these
  std::vector<std::int64_t> wide;        // or, if is_wide, these; nearest value beyond int64
  bool is_wide = false;
};

/// One integer per row: any integer array [size], a list or tuple, a tensor in the main memory.
/// Values are not checked. Throws std::invalid_argument for everything else: what came, what is
/// needed.
[[nodiscard]] GivenActions given_actions(const py::handle& given, py::ssize_t size);

}  // namespace schafkopf::python
