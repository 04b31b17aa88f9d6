// Long calculations that whoever asked for them can end before their time: Ctrl-C in Python.
#pragma once

#include <atomic>
#include <chrono>
#include <stdexcept>

namespace schafkopf {

namespace detail {

using InterruptionClock = std::chrono::steady_clock;

/// Who asks, in this thread.
struct Interruption {
  void (*ask)() = nullptr;
  const std::atomic<bool>* ended = nullptr;  // by another thread of the same calculation
  InterruptionClock::rep next = 0;           // when the next question is due
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
    detail::interruption.ask = ask;
    detail::interruption.next = detail::ticks(patience);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible() { detail::interruption = before_; }

  static constexpr std::chrono::milliseconds kEvery{50};

 private:
  detail::Interruption before_;
};

/// What ends the part of a calculation whose other part, in another thread, has ended.
class EndedElsewhere : public std::runtime_error {
 public:
  EndedElsewhere() : std::runtime_error("another part of this calculation has ended") {}
};

/// While it lives, check_interruption() in this thread throws EndedElsewhere once `ended` is true.
class EndsWith {
 public:
  explicit EndsWith(const std::atomic<bool>& ended) : before_(detail::interruption.ended) {
    detail::interruption.ended = &ended;
  }
  EndsWith(const EndsWith&) = delete;
  EndsWith& operator=(const EndsWith&) = delete;
  ~EndsWith() { detail::interruption.ended = before_; }

 private:
  const std::atomic<bool>* before_;
};

/// For loops over worlds, games and batches, between two of them, and for positions of a search:
/// nothing may be half done there that is asked again.
inline void check_interruption() {
  detail::Interruption& interruption = detail::interruption;
  if (interruption.ended != nullptr && interruption.ended->load(std::memory_order_relaxed)) {
    throw EndedElsewhere();
  }
  if (interruption.ask == nullptr) return;
  if (detail::ticks(std::chrono::milliseconds(0)) < interruption.next) return;
  interruption.next = detail::ticks(Interruptible::kEvery);
  interruption.ask();
}

}  // namespace schafkopf
