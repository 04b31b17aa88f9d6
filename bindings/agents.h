// The Python class Agent, shared by the files that take agents as arguments.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/interpreter.h"
#include "env/view/policy.h"

namespace schafkopf::python {

/// A Python object that plays, shared by clones of a policy that may be dropped by a thread without
/// the GIL. It is empty once its Agent is gone.
using PlayerCell = std::shared_ptr<pybind11::object>;

/// A player, and the lock that keeps two Python threads apart while the GIL is released.
///
/// Python objects that it plays through are its own, for the collector of cycles too: who uses a
/// clone of `policy` for longer than a call keeps the Agent.
struct Agent {
  explicit Agent(std::shared_ptr<BatchPolicy> plays, PlayerCell cell = nullptr,
                 pybind11::object other = {})
      : policy(std::move(plays)), player(std::move(cell)), source(std::move(other)) {}
  Agent(std::shared_ptr<BatchPolicy> plays, std::string text, std::string means)
      : policy(std::move(plays)), name(std::move(text)), identity(std::move(means)) {}
  Agent(Agent&&) = default;
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  Agent& operator=(Agent&&) = delete;
  ~Agent() { release(); }

  /// Lets the Python objects go; its policies raise from then on.
  void release() {
    if (player) {
      const pybind11::object dropped = std::exchange(*player, pybind11::object());
    }
    const pybind11::object dropped = std::exchange(source, pybind11::object());
  }

  /// Keeps other threads out while it is held. An object with act() lets one in at a time by
  /// itself, and may ask itself.
  [[nodiscard]] std::unique_lock<AgentMutex> alone() const {
    return player ? std::unique_lock<AgentMutex>() : std::unique_lock(*mutex);
  }

  std::shared_ptr<BatchPolicy> policy;
  std::shared_ptr<AgentMutex> mutex = std::make_shared<AgentMutex>();
  std::string name;         // registry string of an Agent that was made of one
  std::string identity;     // then what it meant at that time (player_identity)
  PlayerCell player;        // of an Agent that was made of an object with act()
  pybind11::object source;  // the Agent whose player this one asks
  int num_threads = 1;      // of one that shares the rows of a batch among threads
};

/// The player as a Python Agent: `value` itself if it is one. Throws std::invalid_argument.
[[nodiscard]] pybind11::object agent_of(const pybind11::handle& value);
/// Throws std::invalid_argument for None and whatever else is no player, in words that begin with
/// the argument; "" where the caller says it.
void check_player(const pybind11::handle& value, std::string_view argument);

/// Lets the collector of cycles see and clear the Python objects of a class: visit(self, function)
/// calls function(handle) for each, clear(self) drops them.
template <class Class, auto kVisit, auto kClear>
[[nodiscard]] pybind11::custom_type_setup collected() {
  return pybind11::custom_type_setup([](PyHeapTypeObject* heap_type) {
    PyTypeObject* type = &heap_type->ht_type;
    type->tp_flags |= Py_TPFLAGS_HAVE_GC;
    type->tp_traverse = [](PyObject* self, visitproc visit, void* arg) -> int {
      Py_VISIT(Py_TYPE(self));
      if (!pybind11::detail::is_holder_constructed(self)) return 0;
      int result = 0;
      kVisit(pybind11::cast<Class&>(pybind11::handle(self)), [&](const pybind11::handle& object) {
        if (result == 0 && object) result = visit(object.ptr(), arg);
      });
      return result;
    };
    type->tp_clear = [](PyObject* self) -> int {
      if (pybind11::detail::is_holder_constructed(self)) {
        kClear(pybind11::cast<Class&>(pybind11::handle(self)));
      }
      return 0;
    };
  });
}

}  // namespace schafkopf::python
