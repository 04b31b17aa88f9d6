// How many threads an option asks for.
#pragma once

#include <algorithm>
#include <thread>

namespace schafkopf {

/// The number itself; for 0 one thread per processor.
[[nodiscard]] inline int threads_or_all(int threads) {
  if (threads != 0) return threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace schafkopf
