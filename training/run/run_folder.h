// The folder of a run: who works in it, what may lie in it at the start, what a failed beginning takes
// away again. The names of its files stand in training/run/checkpoint.h.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "agents/work/file_lock.h"

namespace schafkopf {

/// What there is of the best weights of a run that goes on.
struct BestWeights {
  bool are_there = false;
  std::string note;  // damaged ones were set aside: where, and what was wrong; else empty
};

class RunFolder {
 public:
  explicit RunFolder(const std::string& folder) : folder_(folder) {}

  [[nodiscard]] bool is_named() const { return !folder_.empty(); }
  [[nodiscard]] std::string name() const { return folder_.string(); }
  /// Of a file in it.
  [[nodiscard]] std::string path(const char* file) const { return (folder_ / file).string(); }
  [[nodiscard]] bool has(const char* file) const { return std::filesystem::exists(folder_ / file); }

  /// Keep other runs out, which would overwrite its files, and remove the temporary files of a run
  /// that was killed.
  ///
  /// lock     of the folder, if the caller holds it; null: it is taken here, until the end
  /// resumes  whether there must be a folder
  /// Raises std::invalid_argument: no folder, or another run is at work in it.
  void hold(const FolderLock* lock, bool resumes);

  /// A new run: empty metrics, its settings, and what `save` writes. If that fails, nothing of it
  /// stays behind. Raises std::invalid_argument where the folder has a run, or what is left of one.
  void begin(const std::string& settings, const std::function<void()>& save) const;

  /// Write the settings where others stand, or none.
  void keep_settings(const std::string& settings) const;

  /// Set best weights aside that cannot be read: a player, or the next stage, would begin with them.
  [[nodiscard]] BestWeights best_weights() const;

 private:
  void refuse_used() const;

  std::filesystem::path folder_;
  std::optional<FolderLock> lock_;
};

}  // namespace schafkopf
