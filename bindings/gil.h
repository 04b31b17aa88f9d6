// The GIL, for threads that may outlive the interpreter. CPython ends a daemon thread that asks for it
// while the interpreter goes down by pthread_exit: in the middle of C++ that ends the process by
// abort() (up to 3.13; later versions let it wait for ever). Here such a thread waits for the end of
// the process.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace schafkopf::python {

[[nodiscard]] inline bool interpreter_ends() {
  if (Py_IsInitialized() == 0) return true;
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

[[nodiscard]] inline bool holds_gil() {
  return PyGILState_GetThisThreadState() != nullptr && PyGILState_Check() != 0;
}

/// Whether this thread let go of the GIL while the interpreter went down: it is the one that ends it.
inline thread_local bool ends_interpreter = false;

[[noreturn]] inline void wait_for_the_end() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Before the GIL is asked for: another thread than the one that ends the interpreter no longer gets it,
/// and what it needs to ask may be gone.
inline void wait_if_it_ends() {
  if (interpreter_ends() && !ends_interpreter && !holds_gil()) wait_for_the_end();
}

/// Calls what may ask for the GIL. It makes no objects of Python but its result: what is destroyed on
/// the way here would be destroyed without the GIL.
template <class Call>
decltype(auto) or_wait_for_the_end(const Call& call) {
#if defined(__GLIBCXX__)
  try {
    return call();
  } catch (const abi::__forced_unwind&) {  // of pthread_exit
    wait_for_the_end();
  }
#else
  return call();
#endif
}

/// function(arguments ...), which may let go of the GIL and take it again. Throws error_already_set.
template <class... Objects>
pybind11::object call_python(const pybind11::object& function, const Objects&... arguments) {
  PyObject* const result = or_wait_for_the_end(
      [&] { return PyObject_CallFunctionObjArgs(function.ptr(), arguments.ptr()..., nullptr); });
  if (result == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::object>(result);
}

/// Calls of functions of this module by threads that have the GIL or wait for it: while one is under way
/// the interpreter's end would take a thread out of the middle of C++. Needs the GIL.
struct CallsUnderWay {
  int number = 0;
  bool ending = false;  // the functions of atexit run
};
inline CallsUnderWay calls_under_way;
inline thread_local int depth_of_calls = 0;

/// Where the interpreter is about to end: gives it the time for it, once. It goes on where that ended
/// nothing, as where the main thread waits for this one.
inline void let_it_end() {
  static thread_local bool waited = false;
  if (!calls_under_way.ending || ends_interpreter || std::exchange(waited, true)) return;
  constexpr std::chrono::milliseconds kLook{10}, kPatience{2000};
  PyThreadState* const state = PyEval_SaveThread();
  for (auto time = kLook; time <= kPatience; time += kLook) {
    std::this_thread::sleep_for(kLook);
    if (interpreter_ends()) wait_for_the_end();
  }
  or_wait_for_the_end([state] { PyEval_RestoreThread(state); });
}

/// Holds the GIL while it lives, in any thread.
class GilHeld {
 public:
  GilHeld() {
    wait_if_it_ends();
    or_wait_for_the_end([this] { held_.emplace(); });
    let_it_end();
    ++calls_under_way.number;
  }
  GilHeld(const GilHeld&) = delete;
  GilHeld& operator=(const GilHeld&) = delete;
  ~GilHeld() { --calls_under_way.number; }

 private:
  std::optional<pybind11::gil_scoped_acquire> held_;
};

/// Lets go of the GIL while it lives, in the thread that has it.
class GilReleased {
 public:
  GilReleased() {
    if (interpreter_ends()) ends_interpreter = true;
    if (depth_of_calls > 0) --calls_under_way.number;
    state_ = PyEval_SaveThread();
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;
  ~GilReleased() {
    wait_if_it_ends();
    or_wait_for_the_end([this] { PyEval_RestoreThread(state_); });
    let_it_end();
    if (depth_of_calls > 0) ++calls_under_way.number;
  }

 private:
  PyThreadState* state_ = nullptr;
};

}  // namespace schafkopf::python
