// Long calculations that whoever asked for them can end before their time: Ctrl-C in Python.
#pragma once

#include <chrono>

namespace schafkopf {

namespace detail {

using InterruptionClock = std::chrono::steady_clock;

/// Who asks, in this thread.
struct Interruption {
  void (*ask)() = nullptr;
  InterruptionClock::rep next = 0;  // when the next question is due
};
inline constinit thread_local Interruption interruption;

inline InterruptionClock::rep ticks(std::chrono::milliseconds later) {
  return (InterruptionClock::now() + later).time_since_epoch().count();
}

}  // namespace detail

/// While it lives, check_interruption() in this thread calls `ask` every 50 ms or less often; what
/// that throws ends the calculation. Calculations in other threads are not asked.
class Interruptible {
 public:
  /// patience  before the first question: what takes no longer is not ended
  explicit Interruptible(void (*ask)(), std::chrono::milliseconds patience = kEvery)
      : before_(detail::interruption) {
    detail::interruption = {ask, detail::ticks(patience)};
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
  if (detail::ticks(std::chrono::milliseconds(0)) < interruption.next) return;
  interruption.next = detail::ticks(Interruptible::kEvery);
  interruption.ask();
}

}  // namespace schafkopf
