// The folder of a run: killed and damaged runs, what is refused and leaves nothing behind.
#include "training/run/trainer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"
#include "tests/cpp/training/run_in_folder.h"
#include "training/run/checkpoint.h"

namespace schafkopf {
namespace {

using test::bytes_of;
using test::error_of;
using test::tiny_config;

namespace fs = std::filesystem;

using RunFolderTest = test::RunInFolder;

TEST_F(RunFolderTest, the_weights_of_the_last_checkpoints_stay) {
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
  run(config, "run", {.stop = &stop});
  EXPECT_EQ(kept(), (std::set<std::string>{name_of_update(1)}));
  // of a run that was killed before its checkpoint, and a person's own
  std::ofstream(path("run") + "/" + name_of_update(1000)) << "";
  std::ofstream(path("run") + "/weights_mine.safetensors") << "";
  std::ofstream(path("run") + "/weights_007.safetensors") << "";
  const TrainResult result = resume(config);
  ASSERT_GT(result.updates, 3);
  EXPECT_EQ(kept(), (std::set<std::string>{name_of_update(result.updates - 1),
                                           name_of_update(result.updates),
                                           "weights_mine.safetensors", "weights_007.safetensors"}));
  EXPECT_EQ(bytes_of(path("run") + "/" + name_of_update(result.updates)), model());
  config.keep_last = 0;
  config.decisions_limit = 1500;
  run(config, "none");
  EXPECT_FALSE(fs::exists(path("none") + "/" + name_of_update(1)));
}

TEST_F(RunFolderTest, checkpoints_are_as_far_apart_as_was_asked) {
  TrainConfig config = tiny_config();
  config.games_per_update = 16;
  config.keep_last = 1000;
  const auto saved = [&](const std::string& name) {
    std::int64_t files = 0;
    for (const auto& entry : fs::directory_iterator(path(name))) {
      files += entry.path().filename().string().starts_with("weights_") ? 1 : 0;
    }
    return files;
  };
  config.checkpoint_minutes = 60.0;
  const TrainResult seldom = run(config, "seldom");
  EXPECT_EQ(saved("seldom"), 1);  // the last
  config.checkpoint_minutes = 0;
  const TrainResult always = run(config, "always");
  EXPECT_EQ(saved("always"), always.updates);
  ASSERT_GT(always.updates, 12);
  const double seconds = seldom.seconds / 3.0;
  config.checkpoint_minutes = seconds / 60.0;
  const TrainResult between = run(config, "between");
  EXPECT_LE(saved("between"), 1 + static_cast<std::int64_t>(between.seconds / seconds));
}

TEST_F(RunFolderTest, a_pool_that_cannot_be_made_is_refused_before_anything_is_written) {
  TrainConfig config = tiny_config();
  for (const char* pool : {"oracle", "rules;nobody"}) {
    config.pool = pool;
    EXPECT_TRUE(error_of([&] { run(config); }).starts_with(std::string("pool = \"") + pool))
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

TEST_F(RunFolderTest, a_finished_run_says_so_and_stays_as_it_is) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  const TrainResult first = run(config);
  EXPECT_FALSE(first.was_finished);
  const auto before = contents_of(path("run"));
  const TrainResult second = resume(config);
  EXPECT_TRUE(second.was_finished);
  EXPECT_FALSE(second.interrupted);
  EXPECT_EQ(second.updates, first.updates);
  EXPECT_EQ(second.decisions, first.decisions);
  EXPECT_EQ(contents_of(path("run")), before);
  ASSERT_EQ(second.higher_limits.size(), 1U);
  TrainConfig higher = config;
  set_train_config(higher, second.higher_limits[0]);  // what it says is what can be set
  const TrainResult third = resume(higher);
  EXPECT_FALSE(third.was_finished);
  EXPECT_GE(third.decisions, 2 * first.decisions);
  EXPECT_EQ(metrics().size(), static_cast<std::size_t>(third.updates));
  TrainConfig lower = higher;  // changed settings stay with the run
  lower.decisions_limit = 1500;
  EXPECT_TRUE(resume(lower).was_finished);
  EXPECT_EQ(resume_config(path("run")), lower);
  EXPECT_EQ(load_train_config(path("run") + "/" + kConfigFile), lower);
  fs::remove(path("run") + "/" + kModelFile);  // made from the checkpoint
  EXPECT_TRUE(resume(lower).was_finished);
  EXPECT_EQ(read_weights(path("run") + "/" + kModelFile).metadata.count("architecture"), 1U);
}

TEST_F(RunFolderTest, two_runs_of_one_folder_at_a_time_are_refused) {
  TrainConfig config = tiny_config();
  std::vector<std::string> errors;
  const auto others = [&](const TrainProgress& progress) {
    if (progress.updates != 2) return;
    errors.push_back(error_of([&] { resume(resume_config(path("run"))); }));
    errors.push_back(error_of([&] { run(config); }));
  };
  const TrainResult result = run(config, "run", {.progress = others});
  ASSERT_EQ(errors.size(), 2U);
  for (const std::string& error : errors) {
    EXPECT_NE(error.find(path("run") + ": another run is at work in this folder (process " +
                         std::to_string(getpid())),
              std::string::npos)
        << error;
  }
  EXPECT_EQ(metrics().size(), static_cast<std::size_t>(result.updates));
  EXPECT_FALSE(fs::exists(path("run") + "/run.lock"));
}

TEST_F(RunFolderTest, damaged_lines_of_the_metrics_are_set_aside_and_said) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 4000;
  const TrainResult first = run(config);
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
  TrainOptions again;
  again.note = [&](const std::string& note) { said.push_back(note); };
  config.decisions_limit = 6000;
  const TrainResult second = resume(config, "run", again);
  const std::string aside = path("run") + "/metrics.damaged-2.jsonl";
  ASSERT_EQ(said, (std::vector<std::string>{file + ": 6 damaged lines set aside in " + aside}));
  EXPECT_EQ(second.notes, said);
  EXPECT_EQ(lines_of(aside), bad);
  const std::vector<std::string> kept = lines_of(file);
  ASSERT_EQ(kept.size(), static_cast<std::size_t>(second.updates));
  EXPECT_TRUE(std::equal(good.begin(), good.end(), kept.begin()));
  EXPECT_GT(second.updates, first.updates);
  said.clear();
  resume(config, "run", again);
  EXPECT_TRUE(said.empty());
}

TEST_F(RunFolderTest, a_run_goes_on_without_a_snapshot_that_is_missing_or_damaged) {
  TrainConfig config = tiny_config();
  config.games_per_update = 8;
  config.pool = "rules;snapshots";
  config.pool_share = 0.5;
  config.decisions_limit = 1 << 30;
  run_until(config, 17, "run");
  const std::string whole = bytes_of(path("run") + "/snapshot_16.safetensors");
  std::string flipped = whole;
  flipped[whole.size() * 3 / 4] ^= 4;
  const std::string other = bytes_of(path("run") + "/snapshot_8.safetensors");
  for (const std::string& bytes :
       {whole.substr(0, whole.size() / 2), flipped, std::string(), other}) {
    const std::string name = fmt::format("{} bytes, {}", bytes.size(), bytes == flipped);
    fs::remove_all(path("on"));
    fs::copy(path("run"), path("on"));
    const std::string file = path("on") + "/snapshot_16.safetensors";
    fs::remove(file);
    if (!bytes.empty()) std::ofstream(file, std::ios::binary) << bytes;
    std::atomic<bool> stop = true;  // after an update
    const TrainResult on = resume(config, "on", {.stop = &stop});
    EXPECT_EQ(on.updates, 18) << name;
    ASSERT_EQ(on.notes.size(), 1U) << name;
    EXPECT_TRUE(on.notes[0].starts_with(file + ": ")) << on.notes[0];
    EXPECT_TRUE(on.notes[0].ends_with("; the run goes on without it in its pool")) << on.notes[0];
    EXPECT_EQ(fs::exists(file) ? bytes_of(file) : "", bytes) << name;
  }
}

/// What a run that goes on says after its metrics were changed.
class ChangedMetricsTest : public RunFolderTest {
 protected:
  void SetUp() override {
    config_.decisions_limit = 6000;
    run(config_);
    good_ = lines_of(file());
    ASSERT_GE(good_.size(), 4U);
  }
  [[nodiscard]] std::string file() const { return path("run") + "/" + kMetricsFile; }
  [[nodiscard]] std::string aside() const { return path("run") + "/metrics.damaged-1.jsonl"; }
  void write(const std::vector<std::string>& lines) const {
    std::ofstream stream(file(), std::ios::binary);
    for (const std::string& line : lines) stream << line << '\n';
  }
  /// Says it once, and then trains on without a word.
  std::string said() {
    const TrainResult once = resume(config_);
    EXPECT_EQ(once.notes.size(), 1U);
    const std::string after = bytes_of(file());
    EXPECT_TRUE(resume(config_).notes.empty());
    EXPECT_EQ(bytes_of(file()), after);
    config_.decisions_limit += 2000;
    const TrainResult on = resume(config_);
    EXPECT_TRUE(on.notes.empty() && on.updates > once.updates);
    EXPECT_TRUE(bytes_of(file()).starts_with(after));
    return once.notes.empty() ? "" : once.notes[0];
  }
  /// With the lowest bit of the first digit behind a key flipped, so that it is a number still.
  [[nodiscard]] static std::string flipped(std::string line, const std::string& key) {
    line[line.find_first_of("0123456789", line.find("\"" + key + "\":"))] ^= 1;
    return line;
  }

  TrainConfig config_ = tiny_config();
  std::vector<std::string> good_;
};

TEST_F(ChangedMetricsTest, a_flipped_bit_is_found_and_its_line_named) {
  std::vector<std::string> lines = good_;
  lines[1] = flipped(lines[1], "entropy");
  write(lines);
  EXPECT_EQ(said(), file() + ": line 2 is damaged, set aside in " + aside());
  EXPECT_EQ(lines_of(aside()), std::vector<std::string>{lines[1]});
}

TEST_F(ChangedMetricsTest, a_line_whose_update_was_changed_is_no_later_one) {
  std::vector<std::string> lines = good_;
  lines[2].replace(lines[2].find("\"update\":") + 9, 1, "9");
  ASSERT_GT(nlohmann::json::parse(lines[2])["update"], nlohmann::json::parse(lines[3])["update"]);
  write(lines);
  EXPECT_EQ(said(), file() + ": line 3 is damaged, set aside in " + aside());
}

TEST_F(ChangedMetricsTest, later_lines_are_cut_off_whatever_is_in_them) {
  std::vector<std::string> lines = good_;
  lines.emplace_back(R"({"update":1})");  // its number was changed
  lines.emplace_back("torn");
  write(lines);
  EXPECT_TRUE(resume(config_).notes.empty());
  EXPECT_EQ(lines_of(file()), good_);
}

TEST_F(ChangedMetricsTest, more_than_one_changed_line_is_said_and_kept) {
  std::vector<std::string> lines = good_;
  lines[0] = flipped(lines[0], "entropy");
  lines[3] = flipped(lines[3], "entropy");
  write(lines);
  EXPECT_EQ(said(), fmt::format("{}: damaged, {} of {} lines can be read, and their checksum is "
                                "another one; as it was: {}",
                                file(), good_.size(), good_.size(), aside()));
  EXPECT_EQ(lines_of(aside()), lines);
}

TEST_F(ChangedMetricsTest, a_file_that_was_cut_goes_on_with_what_is_there) {
  const std::string bytes = bytes_of(file());
  std::ofstream(file(), std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  const std::string text = said();
  EXPECT_NE(text.find(fmt::format("of {} lines can be read", good_.size())), std::string::npos)
      << text;
  EXPECT_EQ(bytes_of(aside()), bytes.substr(0, bytes.size() / 2));
}

TEST_F(ChangedMetricsTest, a_file_that_is_missing_is_said) {
  fs::remove(file());
  EXPECT_EQ(said(), fmt::format("{}: its {} lines are lost; the run goes on without them", file(),
                                good_.size()));
}

TEST_F(RunFolderTest, a_torn_last_line_of_the_metrics_is_no_alarm) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  run(config);
  const std::string file = path("run") + "/" + kMetricsFile;
  const std::string good = bytes_of(file);
  std::ofstream(file, std::ios::app) << R"({"update": 99, "sec)";
  const TrainResult again = resume(config);
  EXPECT_TRUE(again.notes.empty());
  EXPECT_EQ(bytes_of(file), good);
  // A last line that only lacks its end is whole.
  std::ofstream(file, std::ios::binary) << good.substr(0, good.size() - 1);
  resume(config);
  EXPECT_EQ(bytes_of(file), good);
}

TEST_F(RunFolderTest, temporary_files_of_a_killed_run_are_removed_by_the_next) {
  TrainConfig config = tiny_config();
  std::atomic<bool> stop = true;
  run(config, "run", {.stop = &stop});
  for (const char* name : {kCheckpointFile, kModelFile, kMetricsFile, kConfigFile, kTenPercentFile,
                           "weights_1.safetensors", "weights_12.safetensors"}) {
    std::ofstream(path("run") + "/" + name + ".tmp-99999999-0") << "torn";
  }
  std::ofstream(path("run") + "/notes.tmp-1-0") << "mine";
  std::ofstream(path("run") + "/" + kMetricsFile, std::ios::app) << "{\"upd";
  resume(config);
  for (const auto& entry : fs::directory_iterator(path("run"))) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name == "notes.tmp-1-0" || name.find(".tmp-") == std::string::npos) << name;
  }
  EXPECT_TRUE(fs::exists(path("run") + "/notes.tmp-1-0"));
}

TEST_F(RunFolderTest, weights_of_a_run_whose_checkpoints_are_gone_pass_for_nobody_elses) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  for (const std::string name : {"best.safetensors", "checkpoint_10pct.safetensors",
                                 "snapshot_12.safetensors", "weights_7.safetensors"}) {
    const std::string folder = path("old_" + name);
    fs::create_directory(folder);
    std::ofstream(folder + "/" + name) << "weights";
    const std::string error = error_of([&] { run(config, "old_" + name); });
    EXPECT_TRUE(error.starts_with(folder + "/" + name + ": weights of another run")) << error;
    EXPECT_FALSE(fs::exists(folder + "/config.toml")) << name;
  }
}

TEST_F(RunFolderTest, a_rule_file_that_was_changed_is_other_rules) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  config.rules = path("house.toml");
  std::ofstream(config.rules) << "preset = \"research\"\n";
  run(config);
  config.decisions_limit = 3000;
  std::ofstream(config.rules) << "preset = \"research\"\ntariff = \"10/50\"\n";
  const std::string error = error_of([&] { resume(config); });
  EXPECT_NE(error.find("the hash of its rules"), std::string::npos) << error;
}

/// A run of 1,000 decisions that has found its best weights, and goes on to 6,000.
class BestWeightsTest : public RunFolderTest {
 protected:
  void SetUp() override {
    config_.decisions_limit = 1000;
    config_.eval_minutes = 1e-6;
    config_.eval_blocks = 20;
    run(config_);
    ASSERT_TRUE(fs::exists(best()));
    config_.decisions_limit = 6000;
  }
  [[nodiscard]] std::string best() const { return path("run") + "/best.safetensors"; }

  TrainConfig config_ = tiny_config();
};

TEST_F(BestWeightsTest, that_are_damaged_are_set_aside_and_sought_anew) {
  std::ofstream(best(), std::ios::trunc).close();
  const TrainResult result = resume(config_);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("set aside in " + path("run") + "/best.damaged-1.safetensors"),
            std::string::npos)
      << result.notes[0];
  EXPECT_EQ(result.best_path, best());
  EXPECT_NO_THROW((void)read_weights(best()));
}

TEST_F(BestWeightsTest, that_are_gone_are_sought_anew) {
  ASSERT_TRUE(fs::remove(best()));
  resume(config_);
  EXPECT_NO_THROW((void)read_weights(best()));
}

TEST_F(RunFolderTest, another_network_of_the_name_of_a_pool_member_is_refused) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  const std::string member = path("member.safetensors");
  const auto becomes_member = [&](const std::string& folder) {
    fs::copy_file(path(folder + "/model.safetensors"), member,
                  fs::copy_options::overwrite_existing);
  };
  run(config, "first");
  config.seed = 2;
  run(config, "second");
  becomes_member("first");
  config.pool = "net:" + member;
  config.pool_share = 0.5;
  run(config);
  config.decisions_limit = 2000;
  resume(config);
  becomes_member("second");
  config.decisions_limit = 3000;
  const std::string error = error_of([&] { resume(config); });
  EXPECT_NE(error.find("the files of its pool"), std::string::npos) << error;
  config.pool = "net:" + member + ";rules";  // asked for
  resume(config);
}

TEST_F(RunFolderTest, another_pool_does_not_hide_another_network_of_the_name_of_the_opponent) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  run(config, "first");
  config.seed = 2;
  run(config, "second");
  const std::string opponent = path("opponent.safetensors");
  const auto becomes_opponent = [&](const std::string& folder) {
    fs::copy_file(path(folder + "/model.safetensors"), opponent,
                  fs::copy_options::overwrite_existing);
  };
  becomes_opponent("first");
  config.eval_opponent = "net:" + opponent;
  run(config);
  becomes_opponent("second");
  config.pool = "rules";
  config.pool_share = 0.5;
  config.decisions_limit = 2000;
  const std::string error = error_of([&] { resume(config); });
  EXPECT_NE(error.find("the files of its eval_opponent"), std::string::npos) << error;
}

TEST_F(RunFolderTest, the_best_evaluation_is_sought_anew_where_another_question_is_asked) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  config.eval_minutes = 1e-6;
  config.eval_blocks = 20;
  config.eval_opponent = "random";
  run(config);
  const std::string best = bytes_of(path("run") + "/best.safetensors");
  config.decisions_limit = 4000;
  config.eval_opponent = "pimc:1";  // against whom no evaluation is as good
  const TrainResult again = resume(config);
  ASSERT_EQ(again.notes.size(), 1U);
  EXPECT_NE(again.notes[0].find("evaluated otherwise than before"), std::string::npos);
  EXPECT_NE(bytes_of(path("run") + "/best.safetensors"), best);
  config.decisions_limit = 6000;
  EXPECT_TRUE(resume(config).notes.empty());
}

TEST_F(RunFolderTest, the_best_evaluation_is_sought_anew_where_an_earlier_version_measured_it) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  config.eval_minutes = 1e-6;
  config.eval_blocks = 20;
  run(config);
  const std::string file = path("run") + "/" + kCheckpointFile;
  WeightsFile before = read_weights(file);
  auto counters = nlohmann::json::parse(before.metadata["counters"]);
  EXPECT_EQ(counters.erase("evaluation"), 1U);
  before.metadata["counters"] = counters.dump();
  write_weights(file, before);
  config.decisions_limit = 2000;
  const TrainResult again = resume(config);
  ASSERT_EQ(again.notes.size(), 1U);
  EXPECT_NE(again.notes[0].find("evaluated otherwise than before"), std::string::npos);
  config.decisions_limit = 3000;
  EXPECT_TRUE(resume(config).notes.empty());
}

TEST_F(RunFolderTest, bad_folders_and_checkpoints_are_refused_by_name) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  run(config);
  EXPECT_NE(error_of([&] { run(config); }).find("holds a run already"), std::string::npos);
  TrainConfig wider = config;
  wider.width = 64;
  EXPECT_NE(error_of([&] { resume(wider); }).find("width = 32, the run asks for 64"),
            std::string::npos);
  TrainConfig other = config;
  other.seed = config.seed + 1;
  EXPECT_NE(error_of([&] { resume(other); }).find("the checkpoint has seed = "), std::string::npos);
  const std::string file = path("run") + "/" + kCheckpointFile;
  WeightsFile changed = read_weights(file);
  changed.metadata["observation_version"] = "99";
  write_weights(file, changed);
  EXPECT_NE(error_of([&] { resume(config); }).find("observation"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)resume_config(path("nothing")); }).find("nothing"),
            std::string::npos);
}

// A checkpoint that was made by hand, with a checksum that is right.
TEST_F(RunFolderTest, a_checkpoint_that_no_run_writes_is_refused_by_name) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  run(config);
  const std::string file = path("run") + "/" + kCheckpointFile;
  const WeightsFile whole = read_weights(file);
  const auto error = [&](const auto& change) {
    WeightsFile changed = whole;
    change(changed);
    write_weights(file, changed);
    return error_of([&] { resume(config); });
  };
  EXPECT_EQ(error([](WeightsFile& made) { made.tensors.erase("adam.steps"); }),
            file + ": tensor \"adam.steps\" is missing");
  const auto counters = [](const char* key, const nlohmann::json& value) {
    return [=](WeightsFile& made) {
      auto json = nlohmann::json::parse(made.metadata["counters"]);
      json[key] = value;
      made.metadata["counters"] = json.dump();
    };
  };
  EXPECT_TRUE(error(counters("updates", std::int64_t{1} << 60))
                  .ends_with("allowed: numbers from 0 to 2^53"));
  EXPECT_TRUE(error(counters("advantage_count", std::vector<double>{-1.0}))
                  .ends_with("allowed: numbers from 0 to 2^53"));
  EXPECT_TRUE(error(counters("advantage_count", std::vector<double>(kNumGroups + 1)))
                  .ends_with("allowed: up to " + std::to_string(kNumGroups)));
  // of a program that knew fewer contracts
  config.decisions_limit = 2000;
  EXPECT_EQ(error(counters("advantage_count", std::vector<double>{7.0})), "no error");
}

TEST_F(RunFolderTest, what_is_of_something_else_stays) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  for (const char* name : {"config.toml", "model.safetensors", "metrics.jsonl"}) {
    fs::remove_all(path("run"));
    fs::create_directory(path("run"));
    const std::string file = path("run") + "/" + name;
    std::ofstream(file) << "kept";
    EXPECT_NE(error_of([&] { run(config); }).find(file + ": it is there already"),
              std::string::npos);
    EXPECT_EQ(bytes_of(file), "kept");
  }
  // all that a run leaves that was killed before its first checkpoint
  fs::remove_all(path("run"));
  fs::create_directory(path("run"));
  std::ofstream(path("run") + "/metrics.jsonl").close();
  std::ofstream(path("run") + "/config.toml") << to_toml(config);
  run(config);
  EXPECT_TRUE(fs::exists(path("run") + "/" + kCheckpointFile));
}

TEST_F(RunFolderTest, from_the_checkpoint_before_a_damaged_one_it_goes_on_to_the_same_weights) {
  const TrainConfig config = tiny_config();
  run(config);
  const std::string last = path("run") + "/" + kCheckpointFile;
  const std::string before = path("run") + "/" + kBeforeFile;
  const std::string weights = model(), good = bytes_of(before);
  EXPECT_LT(read_checkpoint(before).counters.updates, read_checkpoint(last).counters.updates);
  std::string flipped = bytes_of(last);
  flipped[flipped.size() / 2] ^= 4;
  int number = 0;
  for (const std::string& damaged : {std::string("torn"), flipped, std::string()}) {
    std::ofstream(last, std::ios::binary) << damaged;
    std::ofstream(before, std::ios::binary) << good;
    const std::int64_t updates = read_checkpoint(before).counters.updates;
    EXPECT_EQ(resume_config(path("run")), config);
    EXPECT_EQ(bytes_of(last), damaged) << "asking for the configuration changes nothing";
    const TrainResult again = resume(config);
    EXPECT_EQ(model(), weights);
    const std::string aside =
        fmt::format("{}/checkpoint.damaged-{}.safetensors", path("run"), ++number);
    EXPECT_EQ(bytes_of(aside), damaged);
    ASSERT_EQ(again.notes.size(), 1U);
    for (const std::string& words :
         {last, "set aside in " + aside, before, fmt::format("update {}", updates)}) {
      EXPECT_NE(again.notes[0].find(words), std::string::npos) << again.notes[0];
    }
  }
  fs::remove(last);  // a kill cannot do that, a person can
  EXPECT_NE(error_of([&] { run(config); }).find("holds a run already"), std::string::npos);
  EXPECT_EQ(resume(config).notes.size(), 1U);
  EXPECT_EQ(model(), weights);
}

TEST_F(RunFolderTest, a_folder_in_the_place_of_the_checkpoint_is_set_aside_as_a_damaged_one) {
  const TrainConfig config = tiny_config();
  run(config);
  const std::string last = path("run") + "/" + kCheckpointFile, weights = model();
  fs::remove(last);
  fs::create_directories(last + "/within");
  const TrainResult again = resume(config);
  EXPECT_EQ(model(), weights);
  ASSERT_EQ(again.notes.size(), 1U);
  EXPECT_NE(again.notes[0].find(last + ": a folder, not a file; set aside in "), std::string::npos)
      << again.notes[0];
  EXPECT_TRUE(fs::is_directory(path("run") + "/checkpoint.damaged-1.safetensors/within"));
  EXPECT_TRUE(fs::is_regular_file(last));
}

TEST_F(RunFolderTest, two_damaged_checkpoints_are_refused_and_stay) {
  const TrainConfig config = tiny_config();
  run(config);
  const std::string last = path("run") + "/" + kCheckpointFile;
  const std::string before = path("run") + "/" + kBeforeFile;
  for (const std::string& file : {last, before}) std::ofstream(file, std::ios::binary) << file;
  const std::string error = error_of([&] { resume(config); });
  EXPECT_NE(error.find("the checkpoint before it is damaged, too"), std::string::npos) << error;
  EXPECT_EQ(bytes_of(last), last);
  EXPECT_EQ(bytes_of(before), before);
}

TEST_F(RunFolderTest, a_checkpoint_of_another_version_is_not_taken_for_damage) {
  const TrainConfig config = tiny_config();
  run(config);
  const std::string file = path("run") + "/" + kCheckpointFile;
  WeightsFile changed = read_weights(file);
  changed.metadata["observation_version"] = "99";
  write_weights(file, changed);
  const std::string bytes = bytes_of(file);
  EXPECT_NE(error_of([&] { resume(config); }).find("observation"), std::string::npos);
  EXPECT_EQ(bytes_of(file), bytes);
}

TEST_F(RunFolderTest, what_a_finished_run_can_make_again_is_made_again_when_it_is_damaged) {
  const TrainConfig config = tiny_config();
  run(config);
  const std::string weights = model();
  const std::string text = path("run") + "/" + kConfigFile, good = bytes_of(text);
  std::ofstream(path("run") + "/" + kModelFile, std::ios::binary) << weights.substr(0, 1000);
  std::ofstream(text, std::ios::binary) << good.substr(0, 100);
  const TrainResult again = resume(config);
  EXPECT_TRUE(again.was_finished);
  EXPECT_EQ(model(), weights);
  EXPECT_EQ(bytes_of(text), good);
  ASSERT_EQ(again.notes.size(), 1U);
  EXPECT_NE(again.notes[0].find(path("run") + "/" + kModelFile), std::string::npos);
}

TEST_F(RunFolderTest, a_folder_whose_run_died_before_its_first_checkpoint_is_used_again) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  run(config);
  for (const fs::directory_entry& entry : fs::directory_iterator(path("run"))) {
    const std::string name = entry.path().filename().string();
    const bool later = name == kCheckpointFile || name == kBeforeFile || name == kTenPercentFile ||
                       kept_update(name).has_value();
    if (later) fs::remove(entry.path());
  }
  const std::string metrics = bytes_of(path("run") + "/" + kMetricsFile);
  std::ofstream(path("run") + "/" + kMetricsFile).close();  // lines come after the checkpoint
  EXPECT_GE(run(config).decisions, 1000);
  const std::string again = bytes_of(path("run") + "/" + kMetricsFile);
  EXPECT_EQ(std::ranges::count(again, '\n'), std::ranges::count(metrics, '\n'));
}

TEST_F(RunFolderTest, a_missing_device_is_one_clear_error) {
  TrainConfig config = tiny_config();
  config.device = "cuda:99";
  const std::string error = error_of([&] { run(config); });
  EXPECT_NE(error.find("device = \"cuda:99\""), std::string::npos) << error;
  EXPECT_NE(error.find("allowed: cpu"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(path("run") + "/" + kMetricsFile));
}

TEST_F(RunFolderTest, wrong_players_and_rules_are_named_before_the_folder_is_made) {
  const auto error_with = [&](auto&& change) {
    TrainConfig config = tiny_config();
    config.decisions_limit = 1000;
    change(config);
    return error_of([&] { run(config); });
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

TEST_F(RunFolderTest, a_run_that_fails_before_its_first_checkpoint_leaves_nothing_behind) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  // A folder stands where the model has to be written.
  fs::create_directories(path("run") + "/" + kModelFile);
  std::ofstream(path("run") + "/mine.txt") << "precious";
  const std::string error = error_of([&] { run(config); });
  EXPECT_NE(error.find(kModelFile), std::string::npos) << error;
  EXPECT_EQ(bytes_of(path("run") + "/mine.txt"), "precious");
  for (const char* name : {kConfigFile, kMetricsFile, kCheckpointFile}) {
    EXPECT_FALSE(fs::exists(path("run") + "/" + name)) << name;
  }
}

}  // namespace
}  // namespace schafkopf
