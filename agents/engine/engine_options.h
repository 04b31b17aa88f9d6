// Parameters of the player `engine`. The command stands last in its registry string and takes the
// rest of it, commas included: "engine:COMMAND", "engine:time=2,log=errors.txt,command=COMMAND".
#pragma once

#include <string>
#include <string_view>

#include "env/base/field.h"

namespace schafkopf {

struct EngineOptions {
  double time = 5.0;
  double start = 30.0;
  int failures = 10;
  std::string log;
  std::string command;
};

// clang-format off
template <FieldsOf<EngineOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(Field{.key = "time", .meaning = "for one decision", .unit = "seconds", .max = 86'400, .above_min = true}, o.time);
  visit(Field{.key = "start", .meaning = "until the program has answered hello", .unit = "seconds", .max = 86'400, .above_min = true}, o.start);
  visit(Field{.key = "failures", .meaning = "decisions without a usable answer, one after the other, that end the play", .min = 1, .max = 1'000'000}, o.failures);
  visit(Field{.key = "log", .meaning = "file that the program's standard error is added to; empty: its end stands in the report of a crash"}, o.log);
  visit(Field{.key = "command", .meaning = "program and arguments, the last parameter; its key may be left out", .required = true}, o.command);
}
// clang-format on

inline constexpr std::string_view kEngineName = "engine";
inline constexpr std::string_view kCommandKey = "command";

/// The registry string that makes this player again.
[[nodiscard]] std::string engine_spec(const EngineOptions& options);

}  // namespace schafkopf
