// What a checkpoint says against the run that goes on from it.
#include "training/run/checkpoint.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "env/rules/compiled_rules.h"
#include "tests/cpp/support/errors.h"

namespace schafkopf {
namespace {

using test::error_of;
using ::testing::StartsWith;

std::string refusal(const TrainConfig& found, const TrainConfig& wanted,
                    const std::string& hash = "") {
  const auto rules = CompiledRules::load("research");
  Checkpoint checkpoint;
  checkpoint.config = found;
  if (!hash.empty()) checkpoint.file.metadata["rules_hash"] = hash;
  return error_of([&] { check_resume(checkpoint, wanted, *rules, "run/checkpoint"); });
}

TEST(CheckResume, what_cannot_change_on_the_way_is_named) {
  const std::map<std::string, std::function<void(TrainConfig&)>> changes = {
      {"width", [](TrainConfig& config) { ++config.width; }},
      {"layers", [](TrainConfig& config) { ++config.layers; }},
      {"critic_width", [](TrainConfig& config) { ++config.critic_width; }},
      {"rules", [](TrainConfig& config) { config.rules = "official_1989"; }},
      {"seed", [](TrainConfig& config) { ++config.seed; }},
      {"algorithm", [](TrainConfig& config) { config.algorithm = Algorithm::kDmc; }},
      {"reward_scale", [](TrainConfig& config) { config.reward_scale = 10; }},
      {"init", [](TrainConfig& config) { config.init = "other.safetensors"; }},
  };
  for (const auto& [key, change] : changes) {
    TrainConfig config;
    change(config);
    EXPECT_EQ(refusal(config, config), "no error");
    EXPECT_THAT(refusal({}, config), StartsWith("run/checkpoint: the checkpoint has " + key));
  }
}

TEST(CheckResume, rules_of_the_same_name_and_another_content_are_other_rules) {
  const std::string hash = fmt::format("{:016x}", CompiledRules::load("research")->hash());
  EXPECT_EQ(refusal({}, {}, hash), "no error");
  EXPECT_EQ(refusal({}, {}, "0123456789abcdef"),
            "run/checkpoint: the checkpoint has the hash of its rules = 0123456789abcdef, the run "
            "asks for " +
                hash + "; allowed: what the checkpoint has, or a new run");
}

TEST(CheckResume, averages_are_kept_from_the_beginning_or_not_at_all) {
  TrainConfig none, slow, slower;
  none.average_decay = 0.0;
  slow.average_decay = 0.9;
  slower.average_decay = 0.99;
  EXPECT_EQ(refusal(none, none), "no error");
  EXPECT_EQ(refusal(slow, slower), "no error");
  EXPECT_EQ(refusal(none, slow),
            "run/checkpoint: the checkpoint has average_decay = 0, the run asks for 0.9; allowed: "
            "what the checkpoint has, or a new run");
  EXPECT_THAT(refusal(slow, none), StartsWith("run/checkpoint: the checkpoint has average_decay"));
}

TEST(ExportPlayer, a_folder_without_weights_is_no_run) {
  const auto exported = [] { (void)export_player("no_such_run", "player.safetensors"); };
  EXPECT_EQ(error_of<std::invalid_argument>(exported),
            "no_such_run: no folder of a training run (it has no model.safetensors)");
}

}  // namespace
}  // namespace schafkopf
