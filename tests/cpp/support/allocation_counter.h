// Counts what operator new hands out in this executable, for tests of memory.
#pragma once

#include <cstdint>

namespace schafkopf::test {

/// Calls of operator new and bytes asked for since the first question, over all threads.
struct Allocations {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
};
[[nodiscard]] Allocations allocations();

}  // namespace schafkopf::test
