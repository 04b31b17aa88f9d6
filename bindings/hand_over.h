// How threads hand over what they share in Python: players, batches, callbacks.
//
// `Interpreter` is Python (interpreter.h), or what tests/cpp/agents/hand_over_test.cpp puts in its
// place so that the thread sanitizer sees this code:
//
//     Held      holds the interpreter's lock while it lives, in any thread
//     Released  lets go of it while it lives
//     Error     what a callback throws
//     TimedMutex  std::timed_mutex, or what does the same
//     warn(text), check_signals()  may throw Error; with the lock held
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include "env/base/fork_count.h"

namespace schafkopf::python {

/// Whether a thread with the number of this one, seen when there were `forks`, was this one: in the child
/// of a fork a new thread may have the number of one that stayed behind in the parent.
[[nodiscard]] inline bool is_same_thread_since(unsigned forks) {
  return forks == fork_count() || lived_through_fork();
}

/// A mutex that says so where a thread would wait for itself: for one that it left behind in a fork,
/// or in the middle of being asked. Where it may be waiting for itself by way of another thread, a
/// warning does. Callers of lock() do not hold the interpreter's lock.
template <class Interpreter>
class AgentMutexOf {
 public:
  enum class Of : bool { kAgent, kSolver };  // a Solver asks nobody in its turn

  explicit AgentMutexOf(Of of = Of::kAgent) : of_(of) {}

  void lock() {
    if (owner_ == std::this_thread::get_id() && is_same_thread_since(forks_)) {
      throw std::runtime_error(
          is_solver() ? "this Solver was asked while it is being asked, by the same thread: ask "
                        "another one there"
                      : "this agent was asked while it is being asked, by the same thread: ask "
                        "another one there, made of the same player");
    }
    // who has it in the child of a fork gives it back, who stayed behind in the parent does not
    const bool has_it = forks_ != fork_count() && mutex_.try_lock_for(kLook);
    if (!has_it && forks_ != fork_count()) {
      throw std::runtime_error(
          std::string(is_solver() ? "this Solver" : "this agent") +
          " was at work in another thread when the process was forked: make it anew");
    }
    if (!has_it) wait();
    owned();
  }
  [[nodiscard]] bool try_lock() {
    if (!mutex_.try_lock()) return false;
    owned();
    return true;
  }
  void unlock() {
    owner_ = std::thread::id();
    mutex_.unlock();
  }

 private:
  static constexpr std::chrono::milliseconds kPatience{5000};
  static constexpr std::chrono::milliseconds kLook{100};  // for Ctrl-C
  static_assert(kPatience % kLook == std::chrono::milliseconds(0));

  [[nodiscard]] bool is_solver() const { return of_ == Of::kSolver; }
  void owned() {
    owner_ = std::this_thread::get_id();
    forks_ = fork_count();
    ++turns_;
  }
  void wait() {
    const unsigned before = turns_;
    for (auto waited = kLook; !mutex_.try_lock_for(kLook); waited += kLook) {
      const typename Interpreter::Held held;
      Interpreter::check_signals();
      if (is_solver() || waited != kPatience || turns_ != before) continue;
      Interpreter::warn(
          "a thread waits for its turn with a player that another thread has asked for more than 5 "
          "seconds. One thread at a time asks a player; if it waits inside act() for a thread that "
          "asks the same player, neither goes on: ask it in the thread that runs act()");
    }
  }

  const Of of_;
  Interpreter::TimedMutex mutex_;
  std::atomic<std::thread::id> owner_;
  std::atomic<unsigned> turns_ = 0;
  std::atomic<unsigned> forks_ = fork_count();
};

/// Lets one thread at a time into an object of the interpreter: code that it calls (torch, NumPy)
/// lets go of the interpreter's lock, and an object is not made to be entered again meanwhile. Its
/// members need that lock.
template <class Interpreter>
class TurnsOf {
 public:
  void enter() {
    // the object asks itself
    if (inside_ == std::this_thread::get_id() && is_same_thread_since(forks_)) {
      ++depth_;
      return;
    }
    if (!mutex_.try_lock()) {
      const typename Interpreter::Released released;  // who is inside needs it to come out
      mutex_.lock();
    }
    inside_ = std::this_thread::get_id();
    forks_ = fork_count();
    depth_ = 1;
  }
  void leave() {
    if (--depth_ > 0) return;
    inside_ = {};
    mutex_.unlock();
  }

 private:
  AgentMutexOf<Interpreter> mutex_;
  std::thread::id inside_;
  unsigned forks_ = 0;
  int depth_ = 0;
};

/// A thread's turn in an object, while it holds the interpreter's lock.
template <class Turns>
class Turn {
 public:
  explicit Turn(Turns& turns) : turns_(turns) { turns_.enter(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { turns_.leave(); }

 private:
  Turns& turns_;
};

/// Marks a batch as in use while the interpreter's lock is released; a second caller gets an error,
/// not a race.
class Use {
 public:
  explicit Use(std::atomic<bool>& busy) : busy_(busy) {
    if (busy_.exchange(true)) {
      throw std::runtime_error(
          "this VectorEnv is in use: another thread or an opponent's act() "
          "called it while it steps, or it was forked while another thread stepped it");
    }
  }
  ~Use() { busy_ = false; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  std::atomic<bool>& busy_;
};

/// Progress of work in the engine, told to callback(done, all); its Error, Ctrl-C included, is kept
/// and stops the work. The engine asks more often than something is done, for Ctrl-C, one thread at
/// a time.
template <class Interpreter, class Callback>
class ProgressOf {
 public:
  enum class Repeats : bool { kTold, kLeftOut };  // calls with the same `done` again

  explicit ProgressOf(Callback callback, Repeats repeats = Repeats::kTold)
      : callback_(callback), repeats_(repeats) {}

  bool operator()(int done, int all) {
    const typename Interpreter::Held held;
    try {
      Interpreter::check_signals();
      const bool told = repeats_ == Repeats::kLeftOut && done == told_;
      if (!told) callback_(done, all);
      told_ = done;
    } catch (const typename Interpreter::Error&) {
      raised_ = std::current_exception();
    }
    return raised_ == nullptr;
  }
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  Callback callback_;
  Repeats repeats_;
  int told_ = 0;
  std::exception_ptr raised_;
};

}  // namespace schafkopf::python
