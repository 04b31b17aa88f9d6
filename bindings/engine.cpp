// Conversations of the engine protocol (agents/engine/PROTOCOL.md): lines in, lines out.
#include "bindings/engine.h"

#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "agents/engine/engine_session.h"
#include "bindings/agents.h"
#include "bindings/common.h"
#include "bindings/gil.h"
#include "bindings/interpreter.h"

namespace schafkopf::python {
namespace {

/// What a handler of signals raised, SystemExit and what else is no Exception of Python.
bool ends_the_program(const std::exception& error) {
  if (dynamic_cast<const Interpreter::Signalled*>(&error) != nullptr) return true;
  const auto* const raised = dynamic_cast<const py::error_already_set*>(&error);
  if (raised == nullptr) return false;
  const GilHeld held;
  return !raised->matches(PyExc_Exception);
}

/// Asks the player of an Agent under its lock.
struct PythonEngineSession {
  py::object agent;  // none once the collector of cycles has cleared it
  EngineSession session;

  explicit PythonEngineSession(py::object asked)
      : agent(std::move(asked)), session(agent.cast<const Agent&>().policy, &ends_the_program) {}
};

}  // namespace

void register_engine(py::module_& module) {
  constexpr auto visit = [](const PythonEngineSession& self, const auto& see) { see(self.agent); };
  constexpr auto clear = [](PythonEngineSession& self) {
    const py::object dropped = std::exchange(self.agent, py::object());
  };
  py::class_<PythonEngineSession>(module, "EngineSession",
                                  collected<PythonEngineSession, visit, clear>(),
                                  R"(The engine's side of a conversation: any player behind it.

Args:    agent: an Agent, a registry string or an object with act(views).
Raises:  ValueError: a player that sees hidden hands, or no player.)")
      .def(py::init([](const py::object& agent) {
             check_player(agent, "agent");
             return std::make_unique<PythonEngineSession>(agent_of(agent));
           }),
           py::arg("agent"))
      .def(
          "answer",
          [](PythonEngineSession& self, const Text<"line">& line) {
            if (!self.agent) throw std::runtime_error("the player of this session is gone");
            const std::shared_ptr<AgentMutex> mutex = self.agent.cast<const Agent&>().mutex;
            const LongCall call;
            const std::scoped_lock lock(*mutex);
            return self.session.answer(line.value);
          },
          py::arg("line"),
          R"(The answer to a line, None where there is none. What is wrong is an answer "error TEXT".

Raises:  ValueError: no text.  KeyboardInterrupt and the like: Ctrl-C, or from an object's act(). What
         a handler of signals raises passes on.)")
      .def_property_readonly(
          "is_over", [](const PythonEngineSession& self) { return self.session.is_over(); },
          "Whether `quit` has come.");
}

}  // namespace schafkopf::python
