// How long a test runs. SCHAFKOPF_TEST_SCALE = quick (sanitizer builds), unset or normal (./run
// test), full (./run test --full), long (what runs for hours, by hand).
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace schafkopf::test {

/// Choose one of four counts by the environment variable SCHAFKOPF_TEST_SCALE.
///
/// Raises std::invalid_argument if the variable has another value than quick, normal, full or long.
[[nodiscard]] inline int scaled(int quick, int normal, int full, int longest) {
  const char* value = std::getenv("SCHAFKOPF_TEST_SCALE");
  const std::string_view scale = value == nullptr ? "normal" : value;
  if (scale == "quick") return quick;
  if (scale == "full") return full;
  if (scale == "long") return longest;
  if (scale == "normal" || scale.empty()) return normal;
  throw std::invalid_argument("SCHAFKOPF_TEST_SCALE = " + std::string(scale) +
                              ", allowed: quick, normal, full, long");
}
[[nodiscard]] inline int scaled(int quick, int normal, int full) {
  return scaled(quick, normal, full, full);
}

}  // namespace schafkopf::test
