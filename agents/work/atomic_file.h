// Files that are there as a whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace schafkopf {

/// Remove the temporary files that killed processes left beside `path` when they replaced it. Those
/// that somebody is writing are locked, and stay.
void remove_leftovers(const std::string& path);

/// Replace a file: a temporary file NAME.tmp-PROCESS-NUMBER in the same folder, fsync, rename. On
/// an error (disk full, no rights, no such folder) the old file stays and std::runtime_error names
/// path and cause. Leftovers of this file are removed first; the new one has the rights of the old.
/// Used for every file that a killed run must find whole, checkpoints included. A device, a pipe or
/// a socket is not replaced: the same error.
void write_file_atomically(const std::string& path, std::string_view bytes);

/// The file that a link leads to, through as many as there are, whether it is there or not: where the
/// file itself is to be replaced and the link to stay. A path that is no link, or leads in a circle,
/// stays as it is.
[[nodiscard]] std::string behind_links(const std::string& path);

/// Makes the entry of a file in its folder last through a power failure; not every file system can.
void sync_folder(const std::string& path);

/// First free NAME.damaged-N.EXTENSION beside a file: where what cannot be read is set aside.
[[nodiscard]] std::string place_aside(const std::string& path);

}  // namespace schafkopf
