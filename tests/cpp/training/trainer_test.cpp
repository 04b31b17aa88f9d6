// Whole runs on tiny settings: learning, files, killed and resumed runs, bad input.
#include "training/trainer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "agents/network/mlp_network.h"
#include "agents/network/network.h"
#include "agents/registry.h"
#include "env/cards/card_map.h"
#include "env/vector/vector_env.h"
#include "env/view/encoder.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"
#include "tests/cpp/training/run_in_folder.h"
#include "training/checkpoint.h"
#include "training/collector.h"
#include "training/learner.h"

namespace schafkopf {
namespace {

using test::bytes_of;
using test::error_of;
using test::metrics_of;
using test::tiny_config;

namespace fs = std::filesystem;

using TrainerTest = test::RunInFolder;

TEST_F(TrainerTest, run_writes_its_files_and_one_line_per_update) {
  const TrainResult result =
      train(tiny_config(), {.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}});
  EXPECT_GE(result.decisions, 8000);
  EXPECT_GT(result.decisions, result.unforced_decisions);
  EXPECT_FALSE(result.interrupted);
  for (const char* name :
       {kCheckpointFile, kTenPercentFile, kModelFile, kMetricsFile, kConfigFile}) {
    EXPECT_TRUE(fs::exists(path("run") + "/" + name)) << name;
  }
  const auto lines = metrics_of(path("run"));
  ASSERT_EQ(static_cast<std::int64_t>(lines.size()), result.updates);
  EXPECT_EQ(lines.back().at("decisions").get<std::int64_t>(), result.decisions);
  EXPECT_EQ(load_train_config(path("run") + "/" + kConfigFile), tiny_config());
}

TEST_F(TrainerTest, a_stopped_and_resumed_run_ends_with_the_same_weights_bit_for_bit) {
  const TrainConfig config = tiny_config();
  (void)train(config, {.out_dir = path("whole"), .resume_dir = {}, .progress = {}, .stop = {}});
  std::atomic<bool> stop = true;  // after the first update
  const TrainResult part =
      train(config, {.out_dir = path("part"), .resume_dir = {}, .progress = {}, .stop = &stop});
  EXPECT_TRUE(part.interrupted);
  EXPECT_EQ(part.updates, 1);
  // A killed run may have written metrics after its last checkpoint.
  std::ofstream(path("part") + "/" + kMetricsFile, std::ios::app) << "{\"update\": 2}\n{\"upd";
  (void)train(config, {.out_dir = {}, .resume_dir = path("part"), .progress = {}, .stop = {}});
  EXPECT_EQ(bytes_of(path("part") + "/" + kModelFile), bytes_of(path("whole") + "/" + kModelFile));
  const auto parts = metrics_of(path("part")), whole = metrics_of(path("whole"));
  ASSERT_EQ(parts.size(), whole.size());
  EXPECT_EQ(parts.back().at("policy_loss"), whole.back().at("policy_loss"));
}

/// Everything that a run carries from update to update.
TrainConfig rich_config() {
  TrainConfig config = tiny_config();
  config.architecture = TrunkKind::kResidual;
  config.observation = 3;
  config.critic = "oracle";
  config.critic_width = 16;
  config.average_decay = 0.99;
  config.normalise_by = Grouping::kRole;
  config.solver_weight = 1.0;
  config.solver_trick = 5;
  config.solver_early_share = 0.0;
  config.pool_share = 0.5;
  config.pool = "rules;snapshots";
  config.final_entropy_share = 0.1;
  config.final_clip_share = 0.5;
  config.final_kl_share = 0.5;
  config.magnet_kl = 0.1;
  config.magnet_updates = 4;
  config.decisions_limit = 24000;
  return config;
}

TEST_F(TrainerTest, a_run_with_pool_averages_magnet_and_solver_resumes_bit_for_bit) {
  const TrainConfig config = rich_config();
  (void)train(config, {.out_dir = path("whole"), .resume_dir = {}, .progress = {}, .stop = {}});
  ASSERT_GT(metrics_of(path("whole")).size(), 9U);
  EXPECT_TRUE(fs::exists(path("whole") + "/snapshot_8.safetensors"));
  std::atomic<bool> stop = false;
  std::int64_t last = 0;
  const auto until = [&](std::int64_t update) {
    return [&, update](const TrainProgress& progress) {
      last = progress.updates;
      stop = last >= update;
    };
  };
  (void)train(config, {.out_dir = path("part"), .progress = until(3), .stop = &stop});
  EXPECT_EQ(last, 3);
  stop = false;
  (void)train(config, {.resume_dir = path("part"), .progress = until(9), .stop = &stop});
  // of an update after the last checkpoint
  fs::copy_file(path("part") + "/snapshot_8.safetensors",
                path("part") + "/snapshot_16.safetensors");
  stop = false;
  (void)train(config, {.resume_dir = path("part"), .stop = &stop});
  EXPECT_EQ(bytes_of(path("part") + "/" + kModelFile), bytes_of(path("whole") + "/" + kModelFile));
  const auto parts = metrics_of(path("part")), whole = metrics_of(path("whole"));
  ASSERT_EQ(parts.size(), whole.size());
  EXPECT_EQ(parts.back().at("magnet_kl"), whole.back().at("magnet_kl"));
  EXPECT_EQ(parts.back().at("regret"), whole.back().at("regret"));
  EXPECT_EQ(parts.back().at("solver_weight"), whole.back().at("solver_weight"));
}

TEST_F(TrainerTest, a_magnet_that_stays_is_what_the_run_began_with) {
  TrainConfig config = tiny_config();
  config.magnet_kl = 100.0;
  config.magnet_updates = 0;
  config.learning_rate = 1e-2;
  (void)train(config, {.out_dir = path("held")});
  config.magnet_kl = 1e-6;
  (void)train(config, {.out_dir = path("free")});
  const double held = metrics_of(path("held")).back().at("magnet_kl");
  EXPECT_LT(held, 0.1 * metrics_of(path("free")).back().at("magnet_kl").get<double>());
  // a run that gets its magnet later holds to what it is then
  config.magnet_kl = 0.1;
  config.decisions_limit *= 2;
  (void)train(config, {.resume_dir = path("free")});
  EXPECT_LT(metrics_of(path("free")).back().at("magnet_kl"), 1.0);
}

TEST_F(TrainerTest, deep_monte_carlo_learns_what_actions_are_worth) {
  TrainConfig config = tiny_config();
  config.algorithm = Algorithm::kDmc;
  config.generated_share = 1.0;
  config.decisions_limit = 100000;
  config.pool_share = 0.2;
  config.pool = "rules;snapshots";
  (void)train(config, {.out_dir = path("dmc")});
  const auto lines = metrics_of(path("dmc"));
  const auto mean_loss = [&](std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += lines[i].at("policy_loss").get<double>();
    return sum / static_cast<double>(last - first);
  };
  ASSERT_GT(lines.size(), 40U);
  EXPECT_LT(mean_loss(lines.size() - 10, lines.size()), 0.9 * mean_loss(0, 10));
}

TEST_F(TrainerTest, a_new_run_starts_from_the_weights_of_another) {
  const TrainConfig config = tiny_config();
  (void)train(config, {.out_dir = path("first")});
  TrainConfig next = config;
  next.init = path("first") + "/" + kModelFile;
  next.critic = "oracle";
  next.rules = "wikipedia_pure";
  next.learning_rate = 1e-8;
  next.final_learning_rate_share = 0.0;
  const TrainResult result = train(next, {.out_dir = path("next")});
  ASSERT_EQ(result.notes.size(), 2U);
  EXPECT_NE(result.notes[0].find("the critic starts at random"), std::string::npos);
  EXPECT_NE(result.notes[1].find("trained with other rules"), std::string::npos);
  const WeightsFile from = read_weights(next.init), to = read_weights(result.model_path);
  for (const auto& [name, tensor] : from.tensors) {
    if (!name.starts_with("trunk.") && !name.starts_with("policy.")) continue;
    for (std::size_t i = 0; i < tensor.data.size(); ++i) {
      ASSERT_NEAR(to.tensors.at(name).data[i], tensor.data[i], 1e-5F) << name;
    }
  }
  next.layers = 3;
  EXPECT_NE(error_of([&] {
              (void)train(next, {.out_dir = path("other")});
            }).find("mlp:32x2 on observation 1 (544 inputs), the run has mlp:32x3"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(path("other") + "/" + kCheckpointFile));
}

// The speed of the first twentieth fixes the number of decisions, and a resumed run keeps it.
TEST_F(TrainerTest, a_time_limit_becomes_a_number_of_decisions_once) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 0;
  config.time_limit_minutes = 0.02;
  std::atomic<bool> stop = false;
  (void)train(config, {.out_dir = path("run"),
                       .progress = [&](const TrainProgress& p) { stop = p.share_done > 0.3; },
                       .stop = &stop});
  const Checkpoint checkpoint = read_run_checkpoint(path("run"));
  const std::int64_t budget = checkpoint.counters.budget;
  EXPECT_GT(budget, 0);
  EXPECT_EQ(checkpoint.counters.budget_minutes, 0.02);
  const TrainResult result = train(config, {.resume_dir = path("run")});
  EXPECT_GE(result.decisions, budget);
  EXPECT_LT(result.decisions - budget, 64 * 40);  // one update
  EXPECT_EQ(read_run_checkpoint(path("run")).counters.budget, budget);
}

TEST_F(TrainerTest, a_finished_run_goes_on_with_a_higher_time_limit) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 0;
  config.time_limit_minutes = 0.01;
  const TrainResult first = train(config, {.out_dir = path("run")});
  config.time_limit_minutes = 0.02;
  const TrainResult second = train(config, {.resume_dir = path("run")});
  EXPECT_FALSE(second.was_finished);
  EXPECT_GT(second.updates, first.updates);
}

// The highest mean of few deals is luck. Runs until the two would keep different weights.
TEST_F(TrainerTest, the_evaluation_with_the_highest_lower_end_keeps_its_weights) {
  TrainConfig config = tiny_config();
  config.eval_minutes = 1e-6;
  config.eval_blocks = 20;
  bool told_apart = false;
  for (std::uint64_t seed = 4; seed < 16 && !told_apart; ++seed) {
    config.seed = seed;
    const std::string run = path("run" + std::to_string(seed));
    const TrainResult result = train(config, {.out_dir = run});
    ASSERT_FALSE(result.best_path.empty());
    double best = -1e9, best_mean = -1e9;
    std::int64_t decisions = 0, decisions_of_mean = 0;
    for (const auto& line : metrics_of(run)) {
      const double mean = line.at("eval_mean").get<double>();
      const double lower = mean - line.at("eval_half_width").get<double>();
      EXPECT_NEAR(mean,
                  (line.at("eval_alone").get<double>() - line.at("eval_against").get<double>()) / 2,
                  1e-9);
      if (lower > best) decisions = line.at("decisions").get<std::int64_t>();
      if (mean > best_mean) decisions_of_mean = line.at("decisions").get<std::int64_t>();
      best = std::max(best, lower);
      best_mean = std::max(best_mean, mean);
    }
    const auto kept = read_weights(result.best_path).metadata.at("training_step");
    EXPECT_EQ(kept, std::to_string(decisions));
    told_apart = decisions != decisions_of_mean;
  }
  EXPECT_TRUE(told_apart);
}

TEST_F(TrainerTest, evaluations_name_contracts_roles_and_deals_that_nobody_played) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1500;
  config.eval_minutes = 60.0;
  config.eval_blocks = 60;
  config.eval_track = EvaluationTrack::kFull;
  (void)train(config, {.out_dir = path("run")});
  const auto line = metrics_of(path("run")).back();
  EXPECT_GE(line.at("eval_thrown_in").get<double>(), 0.0);
  EXPECT_GT(line.at("eval_thrown_in_against").get<double>(), -1e-9);
  const auto& by = line.at("eval_by");
  double points = 0.0, games = 0.0;
  for (const auto& [contract, roles] : by.items()) {
    for (const auto& [role, share] : roles.items()) {
      const double count = share.at("games").get<double>();
      games += count;
      if (count > 0) points += count * share.at("alone").get<double>();
      const bool both = count > 0 && share.at("games_against").get<int>() > 0;
      EXPECT_EQ(share.at("mean").is_number(), both) << contract << ' ' << role;
      EXPECT_EQ(share.at("half_width").is_number(), both) << contract << ' ' << role;
    }
  }
  EXPECT_NEAR(points / (60 * 4), line.at("eval_alone").get<double>(), 1e-9);
  EXPECT_NEAR(games / (60 * 4), 1.0 - line.at("eval_thrown_in").get<double>(), 1e-9);
}

TEST_F(TrainerTest, the_weights_of_the_last_checkpoints_stay) {
  TrainConfig config = tiny_config();
  config.checkpoint_minutes = 0;
  config.keep_last = 2;
  const auto kept = [&] {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path("run"))) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("weights_")) names.insert(name);
    }
    return names;
  };
  const auto name_of_update = [](std::int64_t update) {
    return "weights_" + std::to_string(update) + ".safetensors";
  };
  std::atomic<bool> stop = true;  // after the first update
  (void)train(config, {.out_dir = path("run"), .stop = &stop});
  EXPECT_EQ(kept(), (std::set<std::string>{name_of_update(1)}));
  // of a run that was killed before its checkpoint, and a person's own
  std::ofstream(path("run") + "/" + name_of_update(1000)) << "";
  std::ofstream(path("run") + "/weights_mine.safetensors") << "";
  std::ofstream(path("run") + "/weights_007.safetensors") << "";
  const TrainResult result = train(config, {.resume_dir = path("run")});
  ASSERT_GT(result.updates, 3);
  EXPECT_EQ(kept(), (std::set<std::string>{name_of_update(result.updates - 1),
                                           name_of_update(result.updates),
                                           "weights_mine.safetensors", "weights_007.safetensors"}));
  EXPECT_EQ(bytes_of(path("run") + "/" + name_of_update(result.updates)),
            bytes_of(path("run") + "/" + kModelFile));
  config.keep_last = 0;
  config.decisions_limit = 1500;
  (void)train(config, {.out_dir = path("none")});
  EXPECT_FALSE(fs::exists(path("none") + "/" + name_of_update(1)));
}

TEST_F(TrainerTest, a_pool_that_cannot_be_made_is_refused_before_anything_is_written) {
  TrainConfig config = tiny_config();
  for (const char* pool : {"oracle", "rules;nobody"}) {
    config.pool = pool;
    EXPECT_TRUE(error_of([&] {
                  (void)train(config, {.out_dir = path("run")});
                }).starts_with(std::string("pool = \"") + pool))
        << pool;
    EXPECT_FALSE(fs::exists(path("run") + "/" + kCheckpointFile));
  }
  config.pool = ";";
  EXPECT_EQ(error_of([&] { check_train_config(config); }), "no error");
  config.pool_share = 0.5;
  EXPECT_EQ(error_of([&] { check_train_config(config); }),
            "pool = \";\", allowed: at least one member where pool_share = 0.5 is above 0");
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::map<std::string, std::string> contents_of(const std::string& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::directory_iterator(folder)) {
    contents[entry.path().filename()] = bytes_of(entry.path());
  }
  return contents;
}

TEST_F(TrainerTest, a_finished_run_says_so_and_stays_as_it_is) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  const TrainResult first =
      train(config, {.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}});
  EXPECT_FALSE(first.was_finished);
  const auto before = contents_of(path("run"));
  const TrainOptions again{.out_dir = {}, .resume_dir = path("run"), .progress = {}, .stop = {}};
  const TrainResult second = train(config, again);
  EXPECT_TRUE(second.was_finished);
  EXPECT_FALSE(second.interrupted);
  EXPECT_EQ(second.updates, first.updates);
  EXPECT_EQ(second.decisions, first.decisions);
  EXPECT_EQ(contents_of(path("run")), before);
  ASSERT_EQ(second.higher_limits.size(), 1U);
  TrainConfig higher = config;
  set_train_config(higher, second.higher_limits[0]);  // what it says is what can be set
  const TrainResult third = train(higher, again);
  EXPECT_FALSE(third.was_finished);
  EXPECT_GE(third.decisions, 2 * first.decisions);
  EXPECT_EQ(metrics_of(path("run")).size(), static_cast<std::size_t>(third.updates));
  TrainConfig lower = higher;  // changed settings stay with the run
  lower.decisions_limit = 1500;
  EXPECT_TRUE(train(lower, again).was_finished);
  EXPECT_EQ(resume_config(path("run")), lower);
  EXPECT_EQ(load_train_config(path("run") + "/" + kConfigFile), lower);
  fs::remove(path("run") + "/" + kModelFile);  // made from the checkpoint
  EXPECT_TRUE(train(lower, again).was_finished);
  EXPECT_EQ(read_weights(path("run") + "/" + kModelFile).metadata.count("architecture"), 1U);
}

TEST_F(TrainerTest, two_runs_of_one_folder_at_a_time_are_refused) {
  TrainConfig config = tiny_config();
  std::vector<std::string> errors;
  TrainOptions options{.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}};
  options.progress = [&](const TrainProgress& progress) {
    if (progress.updates != 2) return;
    const TrainOptions second{.out_dir = {}, .resume_dir = path("run"), .progress = {}, .stop = {}};
    errors.push_back(error_of([&] { (void)train(resume_config(path("run")), second); }));
    const TrainOptions anew{.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}};
    errors.push_back(error_of([&] { (void)train(config, anew); }));
  };
  const TrainResult result = train(config, options);
  ASSERT_EQ(errors.size(), 2U);
  for (const std::string& error : errors) {
    EXPECT_NE(error.find(path("run") + ": another run is at work in this folder (process " +
                         std::to_string(getpid())),
              std::string::npos)
        << error;
  }
  EXPECT_EQ(metrics_of(path("run")).size(), static_cast<std::size_t>(result.updates));
  EXPECT_FALSE(fs::exists(path("run") + "/run.lock"));
}

TEST_F(TrainerTest, damaged_lines_of_the_metrics_are_set_aside_and_said) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 4000;
  const TrainResult first =
      train(config, {.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}});
  const std::string file = path("run") + "/" + kMetricsFile;
  const std::vector<std::string> good = lines_of(file);
  ASSERT_GE(good.size(), 3U);
  const std::vector<std::string> bad = {good[1].substr(0, 30), "[1, 2]",
                                        R"({"update": "2"})",  R"({"seconds": 2})",
                                        std::string(5, '\0'),  std::string(200'000, '[')};
  std::ofstream stream(file, std::ios::binary);
  stream << good[0] << '\n';
  for (const std::string& line : bad) stream << line << '\n';
  for (std::size_t i = 1; i < good.size(); ++i) stream << good[i] << "\n\n";
  stream << R"({"update": 99})" << '\n' << R"({"update": 100, "sec)";  // later, and torn by a kill
  stream.close();
  fs::create_directory(path("run") + "/metrics.damaged-1.jsonl");  // a name that is taken
  std::vector<std::string> said;
  TrainOptions again{.out_dir = {}, .resume_dir = path("run"), .progress = {}, .stop = {}};
  again.note = [&](const std::string& note) { said.push_back(note); };
  config.decisions_limit = 6000;
  const TrainResult second = train(config, again);
  const std::string aside = path("run") + "/metrics.damaged-2.jsonl";
  ASSERT_EQ(said, (std::vector<std::string>{file + ": 6 damaged lines set aside in " + aside}));
  EXPECT_EQ(second.notes, said);
  EXPECT_EQ(lines_of(aside), bad);
  const std::vector<std::string> kept = lines_of(file);
  ASSERT_EQ(kept.size(), static_cast<std::size_t>(second.updates));
  EXPECT_TRUE(std::equal(good.begin(), good.end(), kept.begin()));
  EXPECT_GT(second.updates, first.updates);
  said.clear();
  (void)train(config, again);
  EXPECT_TRUE(said.empty());
}

TEST_F(TrainerTest, a_torn_last_line_of_the_metrics_is_no_alarm) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  (void)train(config, {.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}});
  const std::string file = path("run") + "/" + kMetricsFile;
  const std::string good = bytes_of(file);
  std::ofstream(file, std::ios::app) << R"({"update": 99, "sec)";
  const TrainResult again =
      train(config, {.out_dir = {}, .resume_dir = path("run"), .progress = {}, .stop = {}});
  EXPECT_TRUE(again.notes.empty());
  EXPECT_EQ(bytes_of(file), good);
  // A last line that only lacks its end is whole.
  std::ofstream(file, std::ios::binary) << good.substr(0, good.size() - 1);
  (void)train(config, {.out_dir = {}, .resume_dir = path("run"), .progress = {}, .stop = {}});
  EXPECT_EQ(bytes_of(file), good);
}

TEST_F(TrainerTest, temporary_files_of_a_killed_run_are_removed_by_the_next) {
  TrainConfig config = tiny_config();
  std::atomic<bool> stop = true;
  (void)train(config, {.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = &stop});
  for (const char* name : {kCheckpointFile, kModelFile, kMetricsFile, kConfigFile, kTenPercentFile,
                           "weights_1.safetensors", "weights_12.safetensors"}) {
    std::ofstream(path("run") + "/" + name + ".tmp-99999999-0") << "torn";
  }
  std::ofstream(path("run") + "/notes.tmp-1-0") << "mine";
  std::ofstream(path("run") + "/" + kMetricsFile, std::ios::app) << "{\"upd";
  (void)train(config, {.out_dir = {}, .resume_dir = path("run"), .progress = {}, .stop = {}});
  for (const auto& entry : fs::directory_iterator(path("run"))) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name == "notes.tmp-1-0" || name.find(".tmp-") == std::string::npos) << name;
  }
  EXPECT_TRUE(fs::exists(path("run") + "/notes.tmp-1-0"));
}

TEST_F(TrainerTest, strength_is_measured_at_the_beginning_in_turn_and_at_the_end) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 6000;
  config.eval_minutes = 60.0;  // its turn does not come
  config.eval_blocks = 20;
  const TrainResult result =
      train(config, {.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}});
  const auto rows = metrics_of(path("run"));
  ASSERT_GE(rows.size(), 3U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].contains("eval_mean"), i == 0 || i + 1 == rows.size()) << i;
  }
  EXPECT_GT(rows.back().at("eval_half_width").get<double>(), 0.0);
  // Evaluating changes nothing of the learning.
  config.eval_minutes = 0;
  (void)train(config, {.out_dir = path("plain"), .resume_dir = {}, .progress = {}, .stop = {}});
  EXPECT_EQ(metrics_of(path("plain")).back().at("policy_loss"), rows.back().at("policy_loss"));
  EXPECT_EQ(result.updates, static_cast<std::int64_t>(rows.size()));
}

TEST_F(TrainerTest, another_seed_gives_other_weights) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  (void)train(config, {.out_dir = path("one"), .resume_dir = {}, .progress = {}, .stop = {}});
  config.seed = 2;
  (void)train(config, {.out_dir = path("two"), .resume_dir = {}, .progress = {}, .stop = {}});
  EXPECT_NE(bytes_of(path("one") + "/" + kModelFile), bytes_of(path("two") + "/" + kModelFile));
}

TEST_F(TrainerTest, every_critic_trains) {
  for (const char* critic : {"separate", "oracle"}) {
    TrainConfig config = tiny_config();
    config.critic = critic;
    config.decisions_limit = 1000;
    const TrainResult result =
        train(config, {.out_dir = path(critic), .resume_dir = {}, .progress = {}, .stop = {}});
    EXPECT_GE(result.decisions, 1000);
  }
}

TEST_F(TrainerTest, bad_folders_and_checkpoints_are_refused_by_name) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  const TrainOptions first{.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}};
  (void)train(config, first);
  EXPECT_NE(error_of([&] { (void)train(config, first); }).find("holds a run already"),
            std::string::npos);
  const TrainOptions again{.out_dir = {}, .resume_dir = path("run"), .progress = {}, .stop = {}};
  TrainConfig wider = config;
  wider.width = 64;
  EXPECT_NE(error_of([&] { (void)train(wider, again); }).find("width = 32, the run asks for 64"),
            std::string::npos);
  TrainConfig other = config;
  other.seed = config.seed + 1;
  EXPECT_NE(error_of([&] { (void)train(other, again); }).find("the checkpoint has seed = "),
            std::string::npos);
  const std::string file = path("run") + "/" + kCheckpointFile;
  WeightsFile changed = read_weights(file);
  changed.metadata["observation_version"] = "99";
  write_weights(file, changed);
  EXPECT_NE(error_of([&] { (void)train(config, again); }).find("observation"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)resume_config(path("nothing")); }).find("nothing"),
            std::string::npos);
}

TEST_F(TrainerTest, from_the_checkpoint_before_a_damaged_one_it_goes_on_to_the_same_weights) {
  const TrainConfig config = tiny_config();
  (void)train(config, {.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}});
  const std::string last = path("run") + "/" + kCheckpointFile;
  const std::string before = path("run") + "/" + kBeforeFile;
  const std::string model = bytes_of(path("run") + "/" + kModelFile);
  EXPECT_LT(read_checkpoint(before).counters.updates, read_checkpoint(last).counters.updates);
  std::ofstream(last, std::ios::binary) << "torn";
  const auto error = [&] { return error_of([&] { (void)resume_config(path("run")); }); };
  EXPECT_NE(error().find(fmt::format("mv {} {}, then resume", before, last)), std::string::npos)
      << error();
  fs::remove(last);
  EXPECT_NE(error().find("then resume"), std::string::npos) << error();
  const TrainOptions first{.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}};
  EXPECT_NE(error_of([&] { (void)train(config, first); }).find("holds a run already"),
            std::string::npos);
  fs::rename(before, last);
  (void)train(config, {.out_dir = {}, .resume_dir = path("run"), .progress = {}, .stop = {}});
  EXPECT_EQ(bytes_of(path("run") + "/" + kModelFile), model);
  std::ofstream(last, std::ios::binary) << "torn";
  std::ofstream(before, std::ios::binary) << "torn";
  EXPECT_NE(error().find("the checkpoint before it is damaged, too"), std::string::npos) << error();
}

TEST_F(TrainerTest, a_folder_whose_run_died_before_its_first_checkpoint_is_used_again) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  const TrainOptions options{.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}};
  (void)train(config, options);
  for (const char* name : {kCheckpointFile, kBeforeFile}) fs::remove(path("run") + "/" + name);
  const std::string metrics = bytes_of(path("run") + "/" + kMetricsFile);
  EXPECT_GE(train(config, options).decisions, 1000);
  const std::string again = bytes_of(path("run") + "/" + kMetricsFile);
  EXPECT_EQ(std::ranges::count(again, '\n'), std::ranges::count(metrics, '\n'));
}

TEST_F(TrainerTest, a_missing_device_is_one_clear_error) {
  TrainConfig config = tiny_config();
  config.device = "cuda:99";
  const std::string error = error_of([&] {
    (void)train(config, {.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}});
  });
  EXPECT_NE(error.find("device = \"cuda:99\""), std::string::npos) << error;
  EXPECT_NE(error.find("allowed: cpu"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(path("run") + "/" + kMetricsFile));
}

TEST_F(TrainerTest, wrong_players_and_rules_are_named_before_the_folder_is_made) {
  const auto error_with = [&](auto&& change) {
    TrainConfig config = tiny_config();
    config.decisions_limit = 1000;
    change(config);
    return error_of([&] {
      (void)train(config, {.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}});
    });
  };
  const std::string opponent = error_with([](TrainConfig& c) { c.eval_opponent = "foo"; });
  EXPECT_NE(opponent.find("eval_opponent = \"foo\": "), std::string::npos) << opponent;
  const std::string net = error_with([](TrainConfig& c) { c.eval_opponent = "net:missing"; });
  EXPECT_NE(net.find("eval_opponent = \"net:missing\": "), std::string::npos) << net;
  const std::string generator = error_with([](TrainConfig& c) {
    c.generator = "bar";
    c.generated_share = c.card_play_first = 0;
  });
  EXPECT_NE(generator.find("generator = \"bar\": "), std::string::npos) << generator;
  const std::string rules = error_with([](TrainConfig& c) { c.rules = "no/such.toml"; });
  EXPECT_NE(rules.find("rules = \"no/such.toml\": "), std::string::npos) << rules;
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(TrainerTest, a_run_that_fails_before_its_first_checkpoint_leaves_nothing_behind) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  // A folder stands where the model has to be written.
  fs::create_directories(path("run") + "/" + kModelFile);
  std::ofstream(path("run") + "/mine.txt") << "precious";
  const std::string error = error_of([&] {
    (void)train(config, {.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}});
  });
  EXPECT_NE(error.find(kModelFile), std::string::npos) << error;
  EXPECT_EQ(bytes_of(path("run") + "/mine.txt"), "precious");
  for (const char* name : {kConfigFile, kMetricsFile, kCheckpointFile}) {
    EXPECT_FALSE(fs::exists(path("run") + "/" + name)) << name;
  }
}

TEST_F(TrainerTest, three_players_train_and_are_evaluated) {
  TrainConfig config = tiny_config();
  config.rules = path("three.toml");
  std::ofstream(config.rules) << "preset = \"research\"\nplayers = 3\ndeck = \"short24\"\n";
  config.decisions_limit = 1000;
  config.eval_minutes = 1e-6;
  config.eval_blocks = 4;
  (void)train(config, {.out_dir = path("run"), .resume_dir = {}, .progress = {}, .stop = {}});
  EXPECT_TRUE(metrics_of(path("run")).back().contains("eval_mean"));
}

/// Decisions of some games with a learner's own policy.
struct Games {
  Games(Learner& learner, int count, bool full = false) {
    CollectorOptions options;
    options.rules = CompiledRules::load("research");
    options.num_envs = count;
    options.generated_share = 0.5;
    options.generator = make_generator("heuristic");
    options.full_view = full;
    Collector(options).collect(11, learner, 0, batch, stats);
  }
  Batch batch;
  CollectorStats stats;
};

Learner make_learner(int replicas = 1) {
  return Learner({.shape = make_network_shape(32, 2), .replicas = replicas, .seed = 3});
}

TEST(Collector, plays_one_whole_game_per_env_and_only_legal_actions) {
  Learner learner = make_learner();
  const Games games(learner, 50);
  EXPECT_EQ(games.stats.games, 50);
  EXPECT_EQ(static_cast<std::size_t>(games.stats.decisions), games.batch.size());
  EXPECT_GT(games.stats.forced, 0);
  for (const Decision& decision : games.batch.decisions) {
    EXPECT_TRUE(decision.legal.contains(decision.action));
    EXPECT_GE(decision.legal.count(), 2);
  }
}

// Values of the solver in the true deal: those by which the cheating oracle plays.
TEST(Collector, solves_the_true_deal) {
  Learner learner = make_learner();
  CollectorOptions options;
  options.rules = CompiledRules::load("research");
  options.num_envs = 20;
  options.generated_share = 1.0;
  options.generator = make_generator("heuristic");
  options.full_view = true;
  options.solver_trick = 5;
  Collector collector(options);
  collector.set_solving(true);
  Batch batch;
  CollectorStats stats;
  collector.collect(3, learner, 0, batch, stats);
  const auto oracle = make_agent("oracle");
  const CompiledRules* const rules[] = {options.rules.get()};
  const RuleTable table{rules, {}};
  int solved = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const PlayerView& view = batch.views[i];
    const Decision& decision = batch.decisions[i];
    const bool late = view.phase() == Phase::kPlay && view.trick_number() + 1 >= 5;
    ASSERT_EQ(decision.action_values != kNoActionValues, late);
    if (!late) continue;
    ++solved;
    const ViewBatch one{.size = 1,
                        .cards = &view.cards,
                        .order = &view.order,
                        .events = &view.events,
                        .rules = &table,
                        .full = &batch.full_views[i]};
    std::vector<float> probabilities(kNumActions), value(1);
    oracle->policy(one, probabilities, value);
    const auto best = std::max_element(probabilities.begin(), probabilities.end());
    const Action card =
        to_canonical_action(static_cast<Action>(best - probabilities.begin()), view.order.card_map);
    const float* values = &batch.action_values[decision.action_values];
    const int count = decision.legal.count();
    for (int n = 0; n < count; ++n) {
      if (decision.legal.nth(n) == card) {
        EXPECT_FLOAT_EQ(values[n] * 50.0F, value[0]);
      }
      EXPECT_LE(values[n] * 50.0F, value[0] + 1e-3F);
    }
  }
  EXPECT_GT(solved, 50);
}

TEST(Collector, seats_of_the_pool_give_no_decisions) {
  Learner learner = make_learner();
  CollectorOptions options;
  options.rules = CompiledRules::load("research");
  options.num_envs = 100;
  options.pool_share = 0.5;
  Collector collector(options), alone(options);
  collector.set_pool({std::shared_ptr<const BatchPolicy>(make_agent("rules"))});
  Batch batch, all;
  CollectorStats stats, of_all;
  collector.collect(3, learner, 0, batch, stats);
  alone.collect(3, learner, 0, all, of_all);
  EXPECT_EQ(stats.games, 100);
  EXPECT_LT(batch.size(), all.size() * 9 / 10);  // a half of the games misses about a half
  EXPECT_GT(batch.size(), all.size() / 2);
  EXPECT_NEAR(static_cast<double>(stats.decisions + stats.forced),
              static_cast<double>(of_all.decisions + of_all.forced), 600.0);
}

TEST(Collector, a_best_response_has_one_seat_of_each_game) {
  Learner learner = make_learner();
  CollectorOptions options;
  options.rules = CompiledRules::load("research");
  options.num_envs = 60;
  options.generated_share = 1.0;
  options.generator = make_generator("heuristic");
  options.pool_share = 1.0;
  options.pool_seats = PoolSeats::kOthers;
  Collector collector(options);
  collector.set_pool({std::shared_ptr<const BatchPolicy>(make_agent("rules"))});
  Batch batch;
  CollectorStats stats;
  collector.collect(3, learner, 0, batch, stats);
  EXPECT_EQ(stats.games, 60);
  EXPECT_LE(batch.size(), 60U * 7);  // the last card is forced
  std::array<int, kNumSeats> by_seat{};
  for (const Decision& decision : batch.decisions) ++by_seat[decision.seat];
  for (const int count : by_seat) EXPECT_GT(count, 20);  // each seat in its turn
}

TEST(Learner, averages_follow_the_weights) {
  Learner learner(
      {.shape = make_network_shape(8, 1), .replicas = 1, .seed = 3, .average_decay = 0.9});
  const auto start = learner.weights().at("policy.bias").data;
  EXPECT_EQ(learner.averages().at("policy.bias").data, start);
  const Games games(learner, 5);
  std::vector<double> mean(start.begin(), start.end());
  for (int step = 1; step <= 30; ++step) {
    learner.accumulate(0, games.batch.views, {}, [&](const NetworkOutputs& outputs) {
      std::fill_n(outputs.logits_grad, games.batch.size() * kNumActions, 1.0F);
      std::fill_n(outputs.values_grad, games.batch.size(), 0.0F);
    });
    (void)learner.step(0.01, 1.0);
    const double decay = std::min(0.9, (1.0 + step) / (10.0 + step));
    const auto now = learner.weights().at("policy.bias").data;
    for (std::size_t i = 0; i < now.size(); ++i) {
      mean[i] = decay * mean[i] + (1 - decay) * static_cast<double>(now[i]);
    }
  }
  const auto averages = learner.averages().at("policy.bias").data;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(averages[i]), mean[i], 1e-5);
  }
  EXPECT_LT(averages[0], start[0] - 0.05F);
}

TEST(Learner, fits_fixed_targets) {
  Learner learner = make_learner();
  const Games games(learner, 50);
  double first = 0.0, last = 0.0;
  for (int round = 0; round < 40; ++round) {
    PpoSums sums;
    learner.accumulate(0, games.batch.views, {}, [&](const NetworkOutputs& outputs) {
      const float scale = 1.0F / static_cast<float>(games.batch.size());
      for (std::size_t i = 0; i < games.batch.size(); ++i) {
        const Decision& decision = games.batch.decisions[i];
        const std::size_t at = i * static_cast<std::size_t>(kNumActions);
        outputs.values_grad[i] = ppo_gradient({},
                                              {.legal = decision.legal,
                                               .action = decision.action,
                                               .behaviour_log = decision.behaviour_log.data(),
                                               .advantage = decision.advantage,
                                               .value_target = decision.value_target,
                                               .weight = 1.0F},
                                              outputs.logits + at, outputs.values[i], scale,
                                              outputs.logits_grad + at, sums);
      }
    });
    last = sums.value + sums.policy;
    if (round == 0) first = last;
    (void)learner.step(1e-3, 10.0);
  }
  EXPECT_LT(last, 0.8 * first);
}

// The gradient of two replicas with half of the rows each is that of one with all rows.
TEST(Learner, replicas_share_weights_and_sum_gradients) {
  Learner one = make_learner(1), two = make_learner(2);
  const Games games(one, 20);
  const auto loss = [](const NetworkOutputs& outputs, std::size_t rows) {
    for (std::size_t i = 0; i < rows * static_cast<std::size_t>(kNumActions); ++i) {
      outputs.logits_grad[i] = outputs.logits[i];
    }
    for (std::size_t i = 0; i < rows; ++i) outputs.values_grad[i] = 1.0F;
  };
  const std::span<const PlayerView> views = games.batch.views;
  const std::size_t half = views.size() / 2;
  one.accumulate(0, views, {}, [&](const NetworkOutputs& o) { loss(o, views.size()); });
  two.accumulate(0, views.first(half), {}, [&](const NetworkOutputs& o) { loss(o, half); });
  two.accumulate(1, views.subspan(half), {},
                 [&](const NetworkOutputs& o) { loss(o, views.size() - half); });
  const double norm = one.step(1e-3, 1e6);
  EXPECT_NEAR(two.step(1e-3, 1e6), norm, 1e-3 * norm);  // float32 sums in another order
}

// Two ways to the same sums: the inputs that are set, and the dense product.
TEST(Learner, sparse_and_dense_first_layers_learn_the_same) {
  for (const Critic critic : {Critic::kShared, Critic::kOracle}) {
    const bool oracle = critic == Critic::kOracle;
    LearnerSettings settings{.shape = oracle ? make_network_shape(80, 2, {}, TrunkKind::kResidual,
                                                                  ObservationVersion::kV3)
                                             : make_network_shape(80, 2),
                             .critic = critic,
                             .critic_width = oracle ? 24 : 0,
                             .sparse_inputs = true};
    Learner sparse(settings);
    settings.sparse_inputs = false;
    Learner dense(settings);
    const Games games(sparse, 20, critic == Critic::kOracle);
    const std::size_t rows = games.batch.size();
    std::array<std::vector<float>, 2> logits, values;
    for (Learner* learner : {&sparse, &dense}) {
      const std::size_t n = learner == &dense ? 1 : 0;
      learner->accumulate(0, games.batch.views, games.batch.full_views,
                          [&](const NetworkOutputs& outputs) {
                            std::copy_n(outputs.logits, rows * kNumActions, outputs.logits_grad);
                            std::fill_n(outputs.values_grad, rows, 1.0F);
                          });
      (void)learner->step(0.01, 1.0);
      logits[n].resize(rows * kNumActions);
      values[n].resize(rows);
      learner->forward(0, games.batch.views, games.batch.full_views, logits[n], values[n]);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      ASSERT_NEAR(values[0][i], values[1][i], 2e-2F);  // Adam: sign of tiny gradients
      ASSERT_NEAR(logits[0][i * kNumActions + 7], logits[1][i * kNumActions + 7], 2e-2F);
    }
  }
}

class ExportedWeights : public testing::TestWithParam<std::pair<TrunkKind, ObservationVersion>> {};

TEST_P(ExportedWeights, give_the_same_outputs_without_torch) {
  const NetworkShape shape = make_network_shape(32, 2, {}, GetParam().first, GetParam().second);
  Learner learner({.shape = shape, .replicas = 1, .seed = 3});
  const Games games(learner, 20);
  const auto network =
      make_mlp_network(network_file(learner, shape, TrainConfig{}, {}, "research", 0), "test");
  const std::size_t rows = games.batch.size();
  std::vector<float> logits(rows * kNumActions), values(rows),
      row(static_cast<std::size_t>(observation_size(shape.observation))),
      inputs(static_cast<std::size_t>(shape.inputs));
  learner.forward(0, games.batch.views, {}, logits, values);
  const InputGather gather(shape);
  std::vector<float> other(kNumActions), value(1);
  for (std::size_t i = 0; i < rows; ++i) {
    const PlayerView& view = games.batch.views[i];
    expand(gather.form(), {&view.cards, &view.order, &view.events}, {}, row.data());
    gather.gather(row, inputs);
    network->forward_inputs(inputs, other, value);
    for (std::size_t a = 0; a < kNumActions; ++a) {
      ASSERT_NEAR(other[a], logits[i * kNumActions + a], 1e-4F);  // float32 sums in another order
    }
    ASSERT_NEAR(value[0], values[i], 1e-4F);
  }
}

INSTANTIATE_TEST_SUITE_P(Learner, ExportedWeights,
                         testing::Values(std::pair(TrunkKind::kMlp, ObservationVersion::kV1),
                                         std::pair(TrunkKind::kMlp, ObservationVersion::kV2),
                                         std::pair(TrunkKind::kResidual, ObservationVersion::kV3)),
                         [](const auto& test) {
                           return fmt::format("{}_v{}", name_of(test.param.first),
                                              static_cast<int>(test.param.second));
                         });

TEST(Learner, an_exported_oracle_critic_gives_the_same_values_without_torch) {
  const NetworkShape shape = make_network_shape(32, 2);
  Learner learner({.shape = shape, .critic = Critic::kOracle, .replicas = 1, .seed = 3});
  const Games games(learner, 20, true);
  TrainConfig config;
  config.critic = "oracle";
  const auto critic =
      make_mlp_critic(network_file(learner, shape, config, {}, "research", 0), "test");
  ASSERT_TRUE(critic->sees_hidden_hands());
  const std::size_t rows = games.batch.size();
  std::vector<float> logits(rows * kNumActions), values(rows), value(1);
  learner.forward(0, games.batch.views, games.batch.full_views, logits, values);
  const RuleTable no_rules;
  for (std::size_t i = 0; i < rows; ++i) {
    const PlayerView& view = games.batch.views[i];
    critic->values({.size = 1,
                    .cards = &view.cards,
                    .order = &view.order,
                    .events = &view.events,
                    .rules = &no_rules,
                    .full = &games.batch.full_views[i]},
                   value);
    ASSERT_NEAR(value[0], shape.value_scale * values[i], 5e-3F);  // sums in another order
  }
}

}  // namespace
}  // namespace schafkopf
