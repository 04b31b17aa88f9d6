// The lines of a run's metrics.jsonl.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace schafkopf {

/// What a checkpoint knows of the lines written so far: whether they are still the same, and which
/// one is not, if it is one.
struct LineSums {
  std::int64_t lines = 0;
  std::uint64_t sum = 0;     // of the checksums of the lines
  std::uint64_t places = 0;  // of checksum times place, from 1

  void add(std::string_view line);
  /// Place of the only line in which `found` differs; 0 if it is not one.
  [[nodiscard]] std::int64_t only_other(const LineSums& found) const;
  friend bool operator==(const LineSums&, const LineSums&) = default;
};

struct CutMetrics {
  std::string note;  // what was damaged and where it was set aside, or nothing
  LineSums sums;     // of what stays
};

/// Bring a metrics file back to the update of a checkpoint: later lines go, since their updates are
/// played again, and so does a last line that a kill tore. Lines that are damaged are set aside
/// beside it, in metrics.damaged-N.jsonl; every good line stays.
///
/// written  sums of the lines at the checkpoint; without them only lines that cannot be read are
///          known to be damaged
/// Raises std::runtime_error with path and cause; then the file is as it was.
[[nodiscard]] CutMetrics cut_metrics(const std::string& file, std::int64_t updates,
                                     const std::optional<LineSums>& written = std::nullopt);

/// Add a line, also to the sums. Raises std::runtime_error with path and cause.
void append_metrics(const std::string& file, std::string_view line, LineSums& sums);

}  // namespace schafkopf
