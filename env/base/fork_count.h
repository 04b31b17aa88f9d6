// Notices that a process is the child of a fork: its threads stayed behind in the parent.
#pragma once

namespace schafkopf {

/// A number that stays the same in a process and is another one in a child that it forks. Counts
/// from the first call on: call it once before anything that a fork could break.
[[nodiscard]] unsigned fork_count();
/// Whether this thread was there before the last fork: it is the one that forked, or nobody did.
[[nodiscard]] bool lived_through_fork();

}  // namespace schafkopf
