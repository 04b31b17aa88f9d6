// Training runs in a test: a folder that goes away with it, tiny settings, what a run wrote.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cpp/support/temporary_file.h"
#include "training/checkpoint.h"
#include "training/config.h"

namespace schafkopf::test {

class RunInFolder : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }

 private:
  TemporaryFolder folder_;
};

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

}  // namespace schafkopf::test
