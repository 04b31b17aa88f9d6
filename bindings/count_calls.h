// The end of the interpreter waits for calls of other threads: a daemon thread that is taken out of
// the middle of one destroys objects of Python without the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <cstddef>
#include <thread>

#include "bindings/gil.h"
#include "env/base/fork_count.h"

namespace schafkopf::python {

/// What pybind11 calls for all its functions.
using Dispatcher = PyObject* (*)(PyObject* self, PyObject* const* args, std::size_t count,
                                 PyObject* names);
inline Dispatcher dispatcher = nullptr;

inline PyObject* counted_call(PyObject* self, PyObject* const* args, std::size_t count,
                              PyObject* names) {
  if (depth_of_calls == 0) let_it_end();
  if (depth_of_calls++ == 0) ++calls_under_way.number;
  PyObject* const result = dispatcher(self, args, count, names);
  if (--depth_of_calls == 0) --calls_under_way.number;
  return result;
}

inline PyCFunction as_method(Dispatcher function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

inline PyMethodDef* definition_of(const pybind11::handle& function) {
  if (!function || PyCFunction_Check(function.ptr()) == 0) return nullptr;
  return reinterpret_cast<PyCFunctionObject*>(function.ptr())->m_ml;
}

/// A function of pybind11, also in a method or a property, counts its calls.
inline void count_calls_of(const pybind11::handle& value) {
  if (PyInstanceMethod_Check(value.ptr()) != 0) {
    count_calls_of(PyInstanceMethod_GET_FUNCTION(value.ptr()));
  } else if (PyObject_TypeCheck(value.ptr(), &PyStaticMethod_Type) != 0) {
    count_calls_of(value.attr("__func__"));
  } else if (PyObject_TypeCheck(value.ptr(), &PyProperty_Type) != 0) {
    count_calls_of(value.attr("fget"));
    count_calls_of(value.attr("fset"));
  } else if (PyMethodDef* const definition = definition_of(value)) {
    if (definition->ml_meth == as_method(dispatcher)) {
      definition->ml_meth = as_method(&counted_call);
    }
  }
}

/// Of atexit: waits a while for calls of other threads.
inline void wait_for_calls(unsigned forks) {
  constexpr std::chrono::milliseconds kLook{5}, kPatience{1000};
  calls_under_way.ending = ends_interpreter = true;
  if (forks != fork_count()) return;  // the threads of some of them stayed behind in the parent
  for (auto time = kLook; time <= kPatience && calls_under_way.number > 0; time += kLook) {
    const pybind11::gil_scoped_release released;
    std::this_thread::sleep_for(kLook);
  }
}

/// The functions of a module count their calls, and the interpreter ends when none is under way.
inline void count_calls(const pybind11::module_& module) {
  namespace py = pybind11;
  const py::cpp_function last([forks = fork_count()] { wait_for_calls(forks); });  // not counted
  const PyMethodDef* const definition = definition_of(last);
  constexpr int kFlags = METH_FASTCALL | METH_KEYWORDS;
  if (definition == nullptr || definition->ml_flags != kFlags) return;  // of another pybind11
  dispatcher = reinterpret_cast<Dispatcher>(reinterpret_cast<void (*)()>(definition->ml_meth));
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    if (!py::isinstance<py::type>(value)) {
      count_calls_of(value);
      continue;
    }
    for (const auto& [key, attribute] : py::dict(value.attr("__dict__"))) count_calls_of(attribute);
  }
  py::module_::import("atexit").attr("register")(last);
}

}  // namespace schafkopf::python
