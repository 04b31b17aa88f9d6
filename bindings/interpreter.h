// Python as the interpreter of hand_over.h.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <mutex>

#include "bindings/gil.h"
#include "bindings/hand_over.h"
#include "env/base/interruption.h"

namespace schafkopf::python {

struct Interpreter {
  using Held = GilHeld;
  using Released = GilReleased;
  using Error = pybind11::error_already_set;
  using TimedMutex = std::timed_mutex;

  /// What a handler of signals raised, Ctrl-C included.
  struct Signalled : pybind11::error_already_set {};

  /// Throws where warnings are errors.
  static void warn(const char* text) {
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text, 1) != 0) throw Error();
  }
  static void check_signals() {
    if (PyErr_CheckSignals() != 0) throw Signalled();
  }
};

using AgentMutex = AgentMutexOf<Interpreter>;
using Turns = TurnsOf<Interpreter>;

/// Whether this is the thread that Python handles signals in. Needs the GIL.
[[nodiscard]] inline bool is_main_thread() {
  return PyThread_get_thread_ident() == pybind11::module_::import("threading")
                                            .attr("main_thread")()
                                            .attr("ident")
                                            .cast<unsigned long>();
}

/// Lets go of the GIL while it lives; Ctrl-C then ends a calculation of this thread that asks
/// (check_interruption), with KeyboardInterrupt or what else the handler raises. In other threads
/// than the main one nobody asks: no signal comes to them, and one that wants the GIL while the
/// interpreter goes down is ended in the middle of C++.
class LongCall {
 public:
  /// patience  before the first question: what takes no longer is not ended
  explicit LongCall(std::chrono::milliseconds patience = Interruptible::kEvery)
      : asks_(is_main_thread() ? &ask : nullptr), interruptible_(asks_, patience) {}

  /// Who asks, or nullptr.
  [[nodiscard]] auto asks() const { return asks_; }

 private:
  static void ask() {
    const GilHeld held;
    Interpreter::check_signals();
  }
  void (*asks_)();
  GilReleased released_;
  Interruptible interruptible_;
};

/// A callable of Python, or None.
class CallIfAny {
 public:
  explicit CallIfAny(const pybind11::object& callback) : callback_(callback) {}
  void operator()(int done, int all) const {
    if (callback_.is_none()) return;
    call_python(callback_, pybind11::int_(done), pybind11::int_(all));
  }

 private:
  const pybind11::object& callback_;
};

class CallbackProgress : public ProgressOf<Interpreter, CallIfAny> {
 public:
  explicit CallbackProgress(const pybind11::object& callback, Repeats repeats = Repeats::kTold)
      : ProgressOf(CallIfAny(callback), repeats) {}
};

}  // namespace schafkopf::python
