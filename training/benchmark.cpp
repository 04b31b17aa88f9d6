#include "training/benchmark.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "agents/work/file_lock.h"
#include "training/run/trainer.h"

namespace schafkopf {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolder = "schafkopf_bench_";  // and the process

/// Remove the folders of benchmarks that were killed: those in which nobody is at work.
void remove_leftovers() {
  std::error_code error;
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::temp_directory_path(), error)) {
    const std::string name = entry.path().filename().string();
    const std::string_view process =
        std::string_view(name).substr(std::min(kFolder.size(), name.size()));
    if (name.starts_with(kFolder) && !process.empty() &&
        process.find_first_not_of("0123456789") == std::string_view::npos &&
        entry.is_directory(error)) {
      found.push_back(entry.path());
    }
  }
  for (const fs::path& folder : found) {
    try {
      const FolderLock lock(folder.string());
      fs::remove_all(folder, error);
    } catch (const std::exception&) {  // in use, or somebody else's
      continue;
    }
  }
}

}  // namespace

std::string training_benchmark(TrainConfig config) {
  constexpr double kSeconds = 20.0;
  remove_leftovers();
  const fs::path folder = fs::temp_directory_path() / fmt::format("{}{}", kFolder, getpid());
  config.time_limit_minutes = kSeconds / 60.0;
  config.decisions_limit = 0;
  config.eval_minutes = 0;
  const TrainResult result = train(
      config, {.out_dir = folder.string(), .resume_dir = {}, .progress = {}, .stop = nullptr});
  fs::remove_all(folder);
  return fmt::format(
      "network {}x{}, {} worker(s), {} games per update, minibatch {}, {} epoch(s), {}\n"
      "decisions/s per core, all in: {:.0f} ({:.0f} with a choice)\n"
      "share of time: environment {:.2f} %, acting {:.1f} %, update {:.1f} %\n",
      config.width, config.layers, result.workers, config.games_per_update, config.minibatch,
      config.epochs, config.device, result.decisions_per_second_per_core,
      result.decisions_per_second_per_core * static_cast<double>(result.unforced_decisions) /
          static_cast<double>(result.decisions),
      100 * result.env_share, 100 * result.act_share, 100 * result.update_share);
}

}  // namespace schafkopf
