// Long calculations that whoever asked for them can end before their time: Ctrl-C in Python.
#pragma once

#include <chrono>

namespace schafkopf {

namespace detail {

using InterruptionClock = std::chrono::steady_clock;

/// Who asks, in this thread.
struct Interruption {
  void (*ask)() = nullptr;
  InterruptionClock::time_point next;
};
inline thread_local Interruption interruption;

}  // namespace detail

/// While it lives, check_interruption() in this thread calls `ask` every 50 ms or less often; what
/// that throws ends the calculation. Calculations in other threads are not asked.
class Interruptible {
 public:
  /// patience  before the first question: what takes no longer is not ended
  explicit Interruptible(void (*ask)(), std::chrono::milliseconds patience = kEvery)
      : before_(detail::interruption) {
    detail::interruption = {ask, detail::InterruptionClock::now() + patience};
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible() { detail::interruption = before_; }

  static constexpr std::chrono::milliseconds kEvery{50};

 private:
  detail::Interruption before_;
};

/// For loops over worlds, games and batches, between two of them: nothing may be half done there.
inline void check_interruption() {
  detail::Interruption& interruption = detail::interruption;
  if (interruption.ask == nullptr) return;
  const auto now = detail::InterruptionClock::now();
  if (now < interruption.next) return;
  interruption.next = now + Interruptible::kEvery;
  interruption.ask();
}

}  // namespace schafkopf
