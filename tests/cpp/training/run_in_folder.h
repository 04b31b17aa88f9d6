// Training runs in a test: a folder that goes away with it, tiny settings, what a run wrote.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cpp/support/temporary_file.h"
#include "training/config/config.h"
#include "training/run/checkpoint.h"
#include "training/run/trainer.h"

namespace schafkopf::test {

/// Two workers, some 8,000 decisions, no evaluations.
[[nodiscard]] inline TrainConfig tiny_config() {
  TrainConfig config;
  config.workers = 2;
  config.games_per_update = 64;
  config.minibatch = 512;
  config.width = 32;
  config.time_limit_minutes = 0;
  config.decisions_limit = 8000;
  config.eval_minutes = 0;
  return config;
}

/// Lines of metrics.jsonl.
[[nodiscard]] inline std::vector<nlohmann::json> metrics_of(const std::string& folder) {
  std::ifstream stream(folder + "/" + kMetricsFile);
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

/// Runs that are named by their folder.
class RunInFolder : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }

  TrainResult run(const TrainConfig& config, const std::string& name = "run",
                  TrainOptions options = {}) const {
    options.out_dir = path(name);
    return train(config, options);
  }
  /// Goes on with a run.
  TrainResult resume(const TrainConfig& config, const std::string& name = "run",
                     TrainOptions options = {}) const {
    options.resume_dir = path(name);
    return train(config, options);
  }
  /// A run that is stopped after this update.
  TrainResult run_until(const TrainConfig& config, std::int64_t update,
                        const std::string& name) const {
    std::atomic<bool> stop = false;
    const auto check = [&](const TrainProgress& progress) { stop = progress.updates >= update; };
    return run(config, name, {.progress = check, .stop = &stop});
  }

  /// The bytes of its weights.
  [[nodiscard]] std::string model(const std::string& name = "run") const {
    return bytes_of(path(name) + "/" + kModelFile);
  }
  [[nodiscard]] std::vector<nlohmann::json> metrics(const std::string& name = "run") const {
    return metrics_of(path(name));
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace schafkopf::test
