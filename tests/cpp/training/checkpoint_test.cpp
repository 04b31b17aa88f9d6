// What a checkpoint says against the run that goes on from it.
#include "training/run/checkpoint.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "agents/network/weights.h"
#include "env/rules/compiled_rules.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"
#include "training/learner/learner.h"

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

TEST(Checkpoint, gives_every_counter_back) {
  TrainConfig config;
  config.width = 8;
  config.layers = 1;
  const NetworkShape shape = network_shape(config);
  const Learner learner({.shape = shape, .replicas = 1, .seed = 1});
  TrainCounters counters{.updates = 3,
                         .decisions = 500,
                         .forced = 200,
                         .games = 40,
                         .seconds = 12.5,
                         .next_eval = 72.25,
                         .budget = 9000,
                         .budget_minutes = 8.0,
                         .measured_from = 100,
                         .measured_from_seconds = 2.5,
                         .best_lower = -1.75,
                         .evaluation = 1,
                         .advantages = {},
                         .metrics = LineSums{.lines = 3, .sum = ~std::uint64_t{0}, .places = 7}};
  counters.advantages.count.back() = 17.0;
  counters.advantages.squares.front() = 0.1;
  const test::TemporaryFolder folder;
  const std::string path = folder.file("checkpoint.safetensors");
  write_checkpoint(path, network_file(learner, shape, config, counters, "research", 0), learner,
                   nullptr, nullptr, config, counters);
  const TrainCounters read = read_checkpoint(path).counters;
  EXPECT_EQ(read.updates, counters.updates);
  EXPECT_EQ(read.decisions, counters.decisions);
  EXPECT_EQ(read.forced, counters.forced);
  EXPECT_EQ(read.games, counters.games);
  EXPECT_EQ(read.seconds, counters.seconds);
  EXPECT_EQ(read.next_eval, counters.next_eval);
  EXPECT_EQ(read.budget, counters.budget);
  EXPECT_EQ(read.budget_minutes, counters.budget_minutes);
  EXPECT_EQ(read.measured_from, counters.measured_from);
  EXPECT_EQ(read.measured_from_seconds, counters.measured_from_seconds);
  EXPECT_EQ(read.best_lower, counters.best_lower);
  EXPECT_EQ(read.evaluation, counters.evaluation);
  EXPECT_EQ(read.advantages.count, counters.advantages.count);
  EXPECT_EQ(read.advantages.squares, counters.advantages.squares);
  EXPECT_EQ(read.metrics, counters.metrics);
}

TEST(ExportPlayer, a_folder_without_weights_is_no_run) {
  const auto exported = [] { (void)export_player("no_such_run", "player.safetensors"); };
  EXPECT_EQ(error_of<std::invalid_argument>(exported),
            "no_such_run: no folder of a training run (it has no model.safetensors)");
}

TEST(ExportPlayer, a_link_stays_one_and_its_file_is_the_player) {
  const test::TemporaryFolder run, kept;
  WeightsFile weights;
  weights.metadata["name"] = "of the run";
  write_weights(run.file("model.safetensors"), weights);
  const std::string link = run.file("link.safetensors"), second = run.file("second.safetensors");
  std::filesystem::create_symlink(kept.file("player.safetensors"), link);  // there is none yet
  std::filesystem::create_symlink("link.safetensors", second);
  for (const std::string& place : {link, second}) {
    std::filesystem::remove(kept.file("player.safetensors"));
    (void)export_player(run.file(""), place);
    EXPECT_TRUE(std::filesystem::is_symlink(place));
    EXPECT_EQ(read_weights(kept.file("player.safetensors")).metadata.at("name"), "of the run");
  }
  // one that leads to nothing but itself gives way to the file
  const std::string circle = run.file("circle.safetensors");
  std::filesystem::create_symlink(circle, circle);
  (void)export_player(run.file(""), circle);
  EXPECT_EQ(read_weights(circle).metadata.at("name"), "of the run");
}

}  // namespace
}  // namespace schafkopf
