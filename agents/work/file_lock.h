// Locks between processes. They end with their holder, however it ends: a killed one leaves none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "env/base/fork_count.h"

namespace schafkopf {

/// open(2), again where a signal came first.
[[nodiscard]] int open_file(const char* path, int flags, unsigned rights);

/// Locks an open file for whoever opened it, until it is closed. Returns whether nobody else holds
/// it. Throws std::runtime_error with path and cause where locking does not work.
[[nodiscard]] bool lock_now(int file, const std::string& path);

/// Whether the open file is the one that stands at `path` now, not one that was taken away.
[[nodiscard]] bool stands_at(int file, const std::string& path);

/// The one run that works in a folder.
///
/// The file run.lock in it names the process while it is held; it stays after a kill and says
/// nothing then. Not thread-safe.
class FolderLock {
 public:
  /// Makes the folder where there is none. Throws std::invalid_argument naming the folder and the
  /// process that holds it; std::runtime_error if it cannot be made or written to.
  explicit FolderLock(const std::string& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  /// Takes away what the constructor made, folders only if nothing stands in them.
  ~FolderLock();

  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  void make_folders();
  void hold();
  void release() noexcept;

  std::string folder_, path_;
  std::vector<std::filesystem::path> made_;  // the innermost first
  int file_ = -1;
  unsigned forks_ = fork_count();  // of the process that holds it
};

}  // namespace schafkopf
