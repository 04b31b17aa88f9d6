#include "training/benchmark.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "training/trainer.h"

namespace schafkopf {

std::string training_benchmark(TrainConfig config) {
  namespace fs = std::filesystem;
  constexpr double kSeconds = 20.0;
  const fs::path folder = fs::temp_directory_path() / fmt::format("schafkopf_bench_{}", getpid());
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
