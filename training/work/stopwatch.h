// Seconds that a part of the work took.
#pragma once

#include <chrono>
#include <utility>

namespace schafkopf {

class Stopwatch {
 public:
  /// Since it was made or the last lap.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  /// The same, and begin again.
  double lap() {
    const Clock::time_point now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace schafkopf
