#include "training/run/run_folder.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

#include "agents/network/weights.h"
#include "agents/work/atomic_file.h"
#include "env/base/input_limits.h"
#include "training/games/pool.h"
#include "training/run/checkpoint.h"

namespace schafkopf {
namespace {

namespace fs = std::filesystem;

bool has_content(const std::string& path, std::string_view text) {
  return fs::is_regular_file(path) && fs::file_size(path) == text.size() &&
         read_file(path, "the configuration") == text;
}

/// Files that are not there yet and are made from here on; taken away unless kept.
class NewFiles {
 public:
  void add(const fs::path& file) {
    if (!fs::exists(file)) files_.push_back(file);
  }
  NewFiles() = default;
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;
  ~NewFiles() {
    std::error_code ignored;  // the reason of the failure is on its way
    for (const fs::path& file : files_) fs::remove(file, ignored);
  }
  void keep() { files_.clear(); }

 private:
  std::vector<fs::path> files_;
};

}  // namespace

void RunFolder::hold(const FolderLock* lock, bool resumes) {
  if (lock == nullptr) {
    if (resumes && !fs::is_directory(folder_)) {
      throw std::invalid_argument(
          fmt::format("{}: no folder of a training run (there is none)", name()));
    }
    lock_.emplace(name());
  } else if (!fs::equivalent(lock->folder(), folder_)) {
    throw std::invalid_argument(
        fmt::format("the lock is that of {}, the run works in {}", lock->folder(), name()));
  }
  for (const char* file : {kCheckpointFile, kBeforeFile, kTenPercentFile, kBestFile, kModelFile,
                           kMetricsFile, kConfigFile}) {
    remove_leftovers(path(file));  // also of files that this run does not come to
  }
}

void RunFolder::refuse_used() const {
  // without a checkpoint there is nothing to lose
  if (has(kCheckpointFile) || has(kBeforeFile)) {
    throw std::invalid_argument(
        fmt::format("{} holds a run already: resume it, or choose another folder", name()));
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string file = entry.path().filename().string();
    const bool weights = file == kBestFile || file == kTenPercentFile ||
                         file.starts_with(kSnapshotPrefix) || kept_update(file).has_value();
    if (!weights) continue;
    throw std::invalid_argument(
        fmt::format("{}: weights of another run, whose checkpoint is gone: they would pass for "
                    "those of the new one; allowed: another folder, or to take them away",
                    entry.path().string()));
  }
  // a run that was killed before its first checkpoint has left empty metrics, its first file
  const bool killed_at_once =
      fs::is_regular_file(folder_ / kMetricsFile) && fs::is_empty(folder_ / kMetricsFile);
  for (const char* file : {kMetricsFile, kConfigFile, kModelFile}) {
    if (killed_at_once || !has(file)) continue;
    throw std::invalid_argument(fmt::format(
        "{}: it is there already, and no checkpoint of a run beside it; allowed: another folder",
        path(file)));
  }
}

void RunFolder::begin(const std::string& settings, const std::function<void()>& save) const {
  refuse_used();
  NewFiles made;
  for (const char* file : {kMetricsFile, kConfigFile, kModelFile, kCheckpointFile}) {
    made.add(folder_ / file);
  }
  write_file_atomically(path(kMetricsFile), "");
  write_file_atomically(path(kConfigFile), settings);
  save();
  made.keep();
}

void RunFolder::keep_settings(const std::string& settings) const {
  const std::string file = path(kConfigFile);
  if (!has_content(file, settings)) write_file_atomically(file, settings);
}

BestWeights RunFolder::best_weights() const {
  const std::string file = path(kBestFile);
  if (!has(kBestFile)) return {};
  try {
    (void)read_weights(file);
    return {true, ""};
  } catch (const std::invalid_argument& error) {
    const std::string aside = place_aside(file);
    fs::rename(file, aside);
    return {false, fmt::format("{}; set aside in {}, the best evaluation is sought anew",
                               error.what(), aside)};
  }
}

}  // namespace schafkopf
