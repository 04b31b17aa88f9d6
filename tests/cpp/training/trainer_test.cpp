// Whole runs on tiny settings: learning, files, stopped and resumed runs.
#include "training/run/trainer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"
#include "tests/cpp/training/run_in_folder.h"
#include "training/learner/learner.h"
#include "training/run/checkpoint.h"
#include "training/run/update_report.h"

namespace schafkopf {
namespace {

using test::error_of;
using test::tiny_config;

namespace fs = std::filesystem;

using TrainerTest = test::RunInFolder;

TEST_F(TrainerTest, run_writes_its_files_and_one_line_per_update) {
  const TrainResult result = run(tiny_config());
  EXPECT_GE(result.decisions, 8000);
  EXPECT_GT(result.decisions, result.unforced_decisions);
  EXPECT_FALSE(result.interrupted);
  for (const char* name :
       {kCheckpointFile, kTenPercentFile, kModelFile, kMetricsFile, kConfigFile}) {
    EXPECT_TRUE(fs::exists(path("run") + "/" + name)) << name;
  }
  const auto lines = metrics();
  ASSERT_EQ(static_cast<std::int64_t>(lines.size()), result.updates);
  EXPECT_EQ(lines.back().at("decisions").get<std::int64_t>(), result.decisions);
  const auto tenth = std::ranges::find_if(
      lines, [](const auto& line) { return line.at("decisions").template get<int>() >= 800; });
  EXPECT_EQ(read_weights(path("run") + "/" + kTenPercentFile).metadata.at("training_step"),
            tenth->at("decisions").dump());  // and no later weights
  EXPECT_EQ(load_train_config(path("run") + "/" + kConfigFile), tiny_config());
}

TEST_F(TrainerTest, a_stopped_and_resumed_run_ends_with_the_same_weights_bit_for_bit) {
  const TrainConfig config = tiny_config();
  run(config, "whole");
  std::atomic<bool> stop = true;  // after the first update
  const TrainResult part = run(config, "part", {.stop = &stop});
  EXPECT_TRUE(part.interrupted);
  EXPECT_EQ(part.updates, 1);
  // A killed run may have written metrics after its last checkpoint.
  std::ofstream(path("part") + "/" + kMetricsFile, std::ios::app) << "{\"update\": 2}\n{\"upd";
  resume(config, "part");
  EXPECT_EQ(model("part"), model("whole"));
  const auto parts = metrics("part"), whole = metrics("whole");
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
  run(config, "whole");
  ASSERT_GT(metrics("whole").size(), 9U);
  EXPECT_TRUE(fs::exists(path("whole") + "/snapshot_8.safetensors"));
  std::atomic<bool> stop = false;
  std::int64_t last = 0;
  const auto until = [&](std::int64_t update) {
    return [&, update](const TrainProgress& progress) {
      last = progress.updates;
      stop = last >= update;
    };
  };
  run(config, "part", {.progress = until(3), .stop = &stop});
  EXPECT_EQ(last, 3);
  stop = false;
  resume(config, "part", {.progress = until(9), .stop = &stop});
  // of an update after the last checkpoint
  fs::copy_file(path("part") + "/snapshot_8.safetensors",
                path("part") + "/snapshot_16.safetensors");
  stop = false;
  resume(config, "part", {.stop = &stop});
  EXPECT_EQ(model("part"), model("whole"));
  const auto parts = metrics("part"), whole = metrics("whole");
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
  run(config, "held");
  config.magnet_kl = 1e-6;
  run(config, "free");
  const double held = metrics("held").back().at("magnet_kl");
  EXPECT_LT(held, 0.1 * metrics("free").back().at("magnet_kl").get<double>());
  // a run that gets its magnet later holds to what it is then
  config.magnet_kl = 0.1;
  config.decisions_limit *= 2;
  resume(config, "free");
  EXPECT_LT(metrics("free").back().at("magnet_kl"), 1.0);
}

TEST_F(TrainerTest, the_magnet_becomes_the_averages_of_every_so_many_updates) {
  TrainConfig config = tiny_config();
  config.average_decay = 0.9;
  config.magnet_kl = 0.1;
  config.magnet_updates = 2;
  config.checkpoint_minutes = 0;
  config.keep_last = 8;
  run_until(config, 3, "run");
  const auto magnet = magnet_of(read_run_checkpoint(path("run")).checkpoint);
  const WeightsFile averages = read_weights(path("run") + "/weights_2.safetensors");
  int tensors = 0;
  for (const auto& [name, tensor] : averages.tensors) {
    if (!name.starts_with("trunk.") && !name.starts_with("policy.")) continue;
    EXPECT_EQ(magnet.at(name).data, tensor.data) << name;
    ++tensors;
  }
  EXPECT_GT(tensors, 0);
}

TEST_F(TrainerTest, training_that_diverges_stops_with_figures_and_the_last_good_weights) {
  TrainConfig config = tiny_config();
  config.average_decay = 0.9;
  run(config, "whole");
  run_until(config, 2, "run");
  const std::string good = model();
  for (const double gradients : {1e6, 0.5}) {  // their norm is not cut, and cut
    TrainConfig wild = config;
    wild.learning_rate = 1.0;
    wild.max_grad_norm = gradients;
    wild.minibatch = 16;
    wild.final_learning_rate_share = 1.0;
    const std::string error = error_of<Diverged>([&] { resume(wild, "run"); });
    EXPECT_TRUE(error.starts_with("training has diverged in update 3: ")) << error;
    EXPECT_NE(error.find("value loss"), std::string::npos) << error;
    EXPECT_TRUE(error.ends_with(fmt::format(
        "; {} has the checkpoint of update 2, whose weights are the last good ones: resume it with "
        "a lower learning_rate (now 1) or max_grad_norm (now {})",
        path("run"), gradients)))
        << error;
    EXPECT_TRUE(model() == good);
    EXPECT_EQ(metrics().size(), 2U);
  }
  resume(config, "run");  // and nothing of it is left
  EXPECT_TRUE(model() == model("whole"));
}

TEST_F(TrainerTest, deep_monte_carlo_learns_what_actions_are_worth) {
  TrainConfig config = tiny_config();
  config.algorithm = Algorithm::kDmc;
  config.generated_share = 1.0;
  config.decisions_limit = 100000;
  config.pool_share = 0.2;
  config.pool = "rules;snapshots";
  run(config, "dmc");
  const auto lines = metrics("dmc");
  const auto mean_loss = [&](std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += lines[i].at("policy_loss").get<double>();
    return sum / static_cast<double>(last - first);
  };
  ASSERT_GT(lines.size(), 40U);
  EXPECT_LT(mean_loss(lines.size() - 10, lines.size()), 0.9 * mean_loss(0, 10));
}

TEST_F(TrainerTest, a_critic_of_another_kind_or_width_starts_anew_beside_the_policy_of_init) {
  TrainConfig config = tiny_config();
  config.critic = "separate";
  config.critic_width = 16;
  config.decisions_limit = 1;
  run(config, "first");
  config.init = path("first") + "/" + kModelFile;
  for (const auto& [critic, width, anew] :
       {std::tuple("separate", 16, false), std::tuple("separate", 8, true),
        std::tuple("oracle", 16, true), std::tuple("shared", 0, true)}) {
    config.critic = critic;
    config.critic_width = width;
    const std::string name = fmt::format("{}{}", critic, width);
    const std::vector<std::string> notes = run(config, name).notes;
    ASSERT_EQ(notes.size(), anew ? 1U : 0U) << name;
    for (const std::string& note : notes) {
      EXPECT_TRUE(note.ends_with("the critic starts at random")) << note;
    }
  }
}

TEST_F(TrainerTest, a_new_run_starts_from_the_weights_of_another) {
  const TrainConfig config = tiny_config();
  run(config, "first");
  TrainConfig next = config;
  next.init = path("first") + "/" + kModelFile;
  next.critic = "oracle";
  next.rules = "wikipedia_pure";
  next.learning_rate = 1e-8;
  next.final_learning_rate_share = 0.0;
  const TrainResult result = run(next, "next");
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
              run(next, "other");
            }).find("mlp:32x2 on observation 1 (544 inputs), the run has mlp:32x3"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(path("other") + "/" + kCheckpointFile));
}

TEST_F(TrainerTest, weights_of_a_larger_observation_are_refused_with_the_key_that_reads_them) {
  TrainConfig config = tiny_config();
  config.observation = 2;
  run(config, "first");
  config.observation = 1;
  config.init = path("first") + "/" + kModelFile;
  EXPECT_NE(error_of([&] { run(config, "other"); }).find("(observation = 2 is that of the file)"),
            std::string::npos);
}

// The speed of the first twentieth fixes the number of decisions, and a resumed run keeps it.
TEST_F(TrainerTest, a_time_limit_becomes_a_number_of_decisions_once) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 0;
  config.time_limit_minutes = 0.02;
  std::atomic<bool> stop = false;
  run(config, "run",
      {.progress = [&](const TrainProgress& p) { stop = p.share_done > 0.3; }, .stop = &stop});
  const Checkpoint checkpoint = read_run_checkpoint(path("run")).checkpoint;
  const std::int64_t budget = checkpoint.counters.budget;
  EXPECT_GT(budget, 0);
  EXPECT_EQ(checkpoint.counters.budget_minutes, 0.02);
  const TrainResult result = resume(config);
  EXPECT_GE(result.decisions, budget);
  EXPECT_LT(result.decisions - budget, 64 * 40);  // one update
  EXPECT_EQ(read_run_checkpoint(path("run")).checkpoint.counters.budget, budget);
}

TEST_F(TrainerTest, a_finished_run_goes_on_with_a_higher_time_limit) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 0;
  config.time_limit_minutes = 0.01;
  const TrainResult first = run(config);
  config.time_limit_minutes = 0.02;
  const TrainResult second = resume(config);
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
    const std::string name = "run" + std::to_string(seed);
    const TrainResult result = run(config, name);
    ASSERT_FALSE(result.best_path.empty());
    double best = -1e9, best_mean = -1e9;
    std::int64_t decisions = 0, decisions_of_mean = 0;
    for (const auto& line : metrics(name)) {
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

// A finished run is not gone on with, so that what it leaves out is never made up for.
TEST_F(TrainerTest, a_run_that_is_stopped_in_its_last_update_is_evaluated_at_its_end) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 100;
  config.eval_minutes = 60.0;
  config.eval_blocks = 20;
  std::atomic<bool> stop = true;
  const TrainResult result = run(config, "run", {.stop = &stop});
  ASSERT_EQ(result.updates, 1);
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.interrupted);
  EXPECT_TRUE(metrics().back().contains("eval_mean"));
  EXPECT_FALSE(result.best_path.empty());
}

TEST_F(TrainerTest, evaluations_name_contracts_roles_and_deals_that_nobody_played) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1500;
  config.eval_minutes = 60.0;
  config.eval_blocks = 60;
  config.eval_track = EvaluationTrack::kFull;
  config.eval_calibration = 40;
  run(config);
  const auto line = metrics().back();
  EXPECT_TRUE(line.at("eval_calibration").is_object());
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

TEST_F(TrainerTest, several_opponents_are_met_on_the_same_deals) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1500;
  config.eval_minutes = 60.0;
  config.eval_blocks = 30;
  config.eval_opponent = "random;rules:version=1;\"random\"";
  EXPECT_TRUE(error_of([&] { run(config, "no"); }).starts_with("eval_opponent = \"random;rules:"));
  config.eval_opponent = "random;rules:version=1;random";
  run(config);
  const auto line = metrics().back();
  EXPECT_EQ(line.at("eval_opponent"), "random");
  const auto& others = line.at("eval_others");
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(others[0].at("opponent"), "rules:version=1");
  EXPECT_EQ(others[1].at("opponent"), "random");
  EXPECT_EQ(others[1].at("mean"), line.at("eval_mean"));
  EXPECT_EQ(others[1].at("against"), line.at("eval_against"));
  EXPECT_LT(others[0].at("mean").get<double>(), line.at("eval_mean").get<double>() - 3.0);
  config.eval_opponent = "random";
  run(config, "one");  // by the first alone
  EXPECT_EQ(metrics("one").back().at("eval_mean"), line.at("eval_mean"));
  EXPECT_FALSE(metrics("one").back().contains("eval_others"));
}

TEST_F(TrainerTest, strength_is_measured_at_the_beginning_in_turn_and_at_the_end) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 6000;
  config.eval_minutes = 60.0;  // its turn does not come
  config.eval_blocks = 20;
  const TrainResult result = run(config);
  const TrainCounters counters = read_run_checkpoint(path("run")).checkpoint.counters;
  EXPECT_DOUBLE_EQ(counters.next_eval, counters.seconds + 60.0 * 60.0);
  const auto rows = metrics();
  ASSERT_GE(rows.size(), 3U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].contains("eval_mean"), i == 0 || i + 1 == rows.size()) << i;
  }
  EXPECT_GT(rows.back().at("eval_half_width").get<double>(), 0.0);
  // Evaluating changes nothing of the learning.
  config.eval_minutes = 0;
  run(config, "plain");
  EXPECT_EQ(metrics("plain").back().at("policy_loss"), rows.back().at("policy_loss"));
  EXPECT_EQ(result.updates, static_cast<std::int64_t>(rows.size()));
}

// What is read and then left out of the computation is worse than what is refused.
TEST_F(TrainerTest, what_shapes_the_steps_changes_what_is_learned) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 4000;
  config.epochs = 2;
  config.generated_share = config.card_play_first = 0.0;  // bids are decisions as well
  run(config, "plain");
  const std::string plain = model("plain");
  const std::map<std::string, std::function<void(TrainConfig&)>> changes = {
      {"final_learning_rate_share", [](auto& c) { c.final_learning_rate_share = 0.5; }},
      {"final_entropy_share", [](auto& c) { c.final_entropy_share = 0.0; }},
      {"final_kl_share", [](auto& c) { c.final_kl_share = 0.0; }},
      {"final_clip_share", [](auto& c) { c.final_clip_share = 0.01; }},
      {"max_grad_norm", [](auto& c) { c.max_grad_norm = 0.01; }},
      {"bidding_weight", [](auto& c) { c.bidding_weight = 0.25; }},
      {"bidding_entropy", [](auto& c) { c.bidding_entropy = 0.5; }},
      {"gamma", [](auto& c) { c.gamma = 0.9; }},
      {"gae_lambda", [](auto& c) { c.gae_lambda = 0.5; }},
      {"value_coefficient", [](auto& c) { c.value_coefficient = 0.1; }},
  };
  for (const auto& [key, change] : changes) {
    TrainConfig changed = config;
    change(changed);
    run(changed, key);
    EXPECT_NE(model(key), plain) << key;
  }
}

// The last one of an epoch would be a remainder of a few decisions, or twice as large.
TEST_F(TrainerTest, decisions_are_cut_into_as_many_equal_minibatches_as_come_next_to_their_size) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 4000;
  config.epochs = 2;
  int rounded_up = 0, rounded_down = 0;
  for (const std::int64_t size : {64, 97, 131, 1'000'000}) {
    config.minibatch = size;
    const std::string name = std::to_string(size);
    run(config, name);
    std::int64_t before = 0;
    for (const auto& line : metrics(name)) {
      const auto all = line.at("unforced_decisions").get<std::int64_t>();
      const double exact = static_cast<double>(all - before) / static_cast<double>(size);
      const double nearest = std::max(1.0, std::floor(exact + 0.5));
      EXPECT_EQ(line.at("gradient_steps").get<double>(), 2 * nearest)
          << all - before << " decisions by " << size;
      rounded_up += nearest > exact ? 1 : 0;
      rounded_down += nearest < exact ? 1 : 0;
      before = all;
    }
  }
  EXPECT_GT(rounded_up, 4);
  EXPECT_GT(rounded_down, 0);
}

TEST_F(TrainerTest, figures_of_an_update_are_means_and_shares_of_what_they_count) {
  TrainConfig config = tiny_config();
  config.eval_blocks = 7;
  const auto rules = CompiledRules::load("research");
  TrainCounters counters;
  counters.updates = 2;
  counters.seconds = 30.0;
  UpdateReport report;
  report.stats.games = 100;
  report.stats.auctions = 40;
  report.stats.thrown_in = 10;
  report.sums = {.count = 200,
                 .policy = 20,
                 .value = 30,
                 .entropy = 100,
                 .kl = 40,
                 .clipped = 50,
                 .magnet = 60,
                 .labelled = 80,
                 .regret = 8};
  report.grad_norm = 6.0;
  report.gradient_steps = 3;
  report.collect_seconds = report.update_seconds = 1.0;
  const RunState state{.config = config,
                       .counters = counters,
                       .rules = *rules,
                       .share_done = 0.25,
                       .workers = 2,
                       .has_magnet = true};
  TrainProgress progress = progress_of(report, state);
  EXPECT_DOUBLE_EQ(progress.seconds_left, 90.0);
  EXPECT_DOUBLE_EQ(progress.declared.at("thrown_in"), 0.25);
  progress.evaluated = true;
  const auto line = nlohmann::json::parse(metrics_line(report, progress, state));
  const std::map<std::string, double> figures = {
      {"policy_loss", 0.1}, {"value_loss", 0.15},    {"entropy", 0.5},   {"kl", 0.2},
      {"magnet_kl", 0.3},   {"clip_fraction", 0.25}, {"grad_norm", 2.0}, {"solved_share", 0.4},
      {"regret", 5.0},      {"eval_games", 28.0}};
  for (const auto& [key, value] : figures) {
    EXPECT_DOUBLE_EQ(line.at(key).get<double>(), value) << key;
  }
}

TEST_F(TrainerTest, another_seed_gives_other_weights) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  run(config, "one");
  config.seed = 2;
  run(config, "two");
  EXPECT_NE(model("one"), model("two"));
}

TEST_F(TrainerTest, every_critic_trains) {
  for (const std::string critic : {"separate", "oracle"}) {
    TrainConfig config = tiny_config();
    config.critic = critic;
    config.decisions_limit = 1;
    const TrainResult one = run(config, critic + "_one");
    config.decisions_limit = 3000;
    const TrainResult more = run(config, critic + "_more");
    EXPECT_GE(more.decisions, 3000);
    ASSERT_GT(more.updates, one.updates);
    // both begin with the same weights: what differs has been learned
    const WeightsFile early = read_weights(one.model_path), late = read_weights(more.model_path);
    int tensors = 0;
    for (const auto& [name, tensor] : early.tensors) {
      if (!name.starts_with("critic.")) continue;
      EXPECT_TRUE(tensor.data != late.tensors.at(name).data) << critic << ": " << name;
      ++tensors;
    }
    EXPECT_GT(tensors, 0) << critic;
  }
}

TEST_F(TrainerTest, settings_that_no_checkpoint_could_be_written_of_are_not_kept) {
  TrainConfig config = tiny_config();
  run(config);
  config.decisions_limit *= 2;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{20'000, before.rlim_max};  // stands in for a full disk; settings have room
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = test::error_of([&] { resume(config); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(error.find("cannot write"), std::string::npos) << error;
  EXPECT_EQ(load_train_config(path("run") + "/" + kConfigFile), tiny_config());
}

TEST_F(TrainerTest, three_players_train_and_are_evaluated) {
  TrainConfig config = tiny_config();
  config.rules = path("three.toml");
  std::ofstream(config.rules) << "preset = \"research\"\nplayers = 3\ndeck = \"short24\"\n";
  config.decisions_limit = 1000;
  config.eval_minutes = 1e-6;
  config.eval_blocks = 4;
  run(config);
  EXPECT_TRUE(metrics().back().contains("eval_mean"));
}

}  // namespace
}  // namespace schafkopf
