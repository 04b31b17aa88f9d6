// A Python callback as progress of work in the engine.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <exception>

namespace schafkopf::python {

namespace py = pybind11;

/// Called with (done, all); an exception of the callback, Ctrl-C included, is kept and stops the
/// work. The engine asks more often than something is done, for Ctrl-C.
class CallbackProgress {
 public:
  enum class Repeats : std::uint8_t { kTold, kLeftOut };  // calls with the same `done` again

  explicit CallbackProgress(const py::object& callback, Repeats repeats = Repeats::kTold)
      : callback_(callback), repeats_(repeats) {}

  bool operator()(int done, int all) {
    const py::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      const bool told = repeats_ == Repeats::kLeftOut && done == told_;
      if (!told && !callback_.is_none()) callback_(done, all);
      told_ = done;
    } catch (const py::error_already_set&) {
      raised_ = std::current_exception();
    }
    return raised_ == nullptr;
  }
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  const py::object& callback_;
  Repeats repeats_;
  int told_ = 0;
  std::exception_ptr raised_;
};

}  // namespace schafkopf::python
