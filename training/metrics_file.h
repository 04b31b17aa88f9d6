// The lines of a run's metrics.jsonl.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace schafkopf {

/// Bring a metrics file back to the update of a checkpoint: later lines go, since their updates are
/// played again, and so does a last line that a kill tore. Other lines that cannot be read are set
/// aside beside it, in metrics.damaged-N.jsonl; every good line stays.
///
/// Returns a sentence about what was set aside, or nothing. Raises std::runtime_error with path and
/// cause; then the file is as it was.
[[nodiscard]] std::string cut_metrics(const std::string& file, std::int64_t updates);

/// Add a line. Raises std::runtime_error with path and cause.
void append_metrics(const std::string& file, std::string_view line);

}  // namespace schafkopf
