// How many threads an option asks for.
#pragma once

namespace schafkopf {

/// Processors that this process may use (taskset, a container's set of them), at least 1; where the
/// system does not say, those of the machine.
[[nodiscard]] int usable_processors();

/// The number itself; for 0 one thread for each usable processor.
[[nodiscard]] int threads_or_all(int threads);

}  // namespace schafkopf
