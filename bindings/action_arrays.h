// Actions of a whole batch as Python gives them: arrays, tensors, lists.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/common.h"

namespace schafkopf::python {

/// Integers [N] from Python. Contiguous int32 and int64 are read where they lie, everything else is
/// copied.
struct GivenActions {
  GivenActions() = default;
  GivenActions(GivenActions&&) = default;
  GivenActions(const GivenActions&) = delete;  // `wide` would show the other's numbers
  GivenActions& operator=(GivenActions&&) = delete;
  GivenActions& operator=(const GivenActions&) = delete;
  ~GivenActions() = default;

  py::array owner;                       // of `narrow`, or of `wide` where nothing was copied
  std::span<const std::int32_t> narrow;  // either these
  std::span<const std::int64_t> wide;    // or, if is_wide, these; nearest value beyond int64
  std::vector<std::int64_t> copied;      // what `wide` shows where it is no array
  bool is_wide = false;
  /// Row and text of each value beyond int64, for messages.
  std::vector<std::pair<py::ssize_t, std::string>> beyond;

  /// A message about one of these actions with the number that was given.
  [[nodiscard]] std::string with_given_numbers(std::string message) const;
};

/// One integer per row: any integer array [size], a list or tuple, a tensor in the main memory.
/// Values are not checked. Throws std::invalid_argument for everything else: what came, what is
/// needed.
[[nodiscard]] GivenActions given_actions(const py::handle& given, py::ssize_t size);

/// One bool (or uint8) per row, in any of these forms; `name` is that of the argument in errors.
[[nodiscard]] std::vector<std::uint8_t> given_rows(const py::handle& given, py::ssize_t size,
                                                   std::string_view name);

}  // namespace schafkopf::python
