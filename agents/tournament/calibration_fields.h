// The field table of calibrations: every option once. Python keywords, the command line,
// documentation and checks come from here; players and rules are given apart.
#pragma once

#include "agents/tournament/calibration.h"
#include "env/base/field.h"

namespace schafkopf {

inline constexpr int kMaxCalibrationThreads = 1024;

// clang-format off
template <FieldsOf<CalibrationOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(Field{.key = "blocks", .meaning = "deals, each played from every seat", .min = 1, .max = 1 << 24}, o.blocks);
  visit(Field{.key = "worlds", .meaning = "hidden hands that a declarer's game is played on in; 0 = none, which leaves what the agent itself says it expects", .max = 1 << 20}, o.worlds);
  visit(Field{.key = "table", .meaning = "who holds the other seats there: copies of the agent, or the opponents"}, o.table);
  visit(Field{.key = "beliefs", .meaning = "how these hands are weighed by what their seats have said: not at all, as if the agent, the rule agent, or either of them had said it"}, o.beliefs);
  visit(Field{.key = "seed", .meaning = "of deals and draws"}, o.seed);
  visit(Field{.key = "threads", .meaning = "0 = one per core; the result does not depend on it", .max = kMaxCalibrationThreads}, o.threads);
}
// clang-format on

}  // namespace schafkopf
