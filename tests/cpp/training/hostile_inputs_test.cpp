// The readers of training over every wrong input: configurations and checkpoints.
#include "tests/cpp/support/hostile_inputs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"
#include "training/config/config.h"
#include "training/run/checkpoint.h"
#include "training/run/metrics_file.h"
#include "training/run/trainer.h"

namespace schafkopf {
namespace {

using test::Input;
using test::Reader;
using test::TemporaryFile;
using test::TemporaryFolder;

/// A checkpoint and the model of a run with the smallest network.
struct SmallRun {
  SmallRun() {
    TrainConfig config;
    config.workers = 1;
    config.games_per_update = 8;
    config.minibatch = 64;
    config.width = 4;
    config.layers = 1;
    config.time_limit_minutes = 0;
    config.decisions_limit = 1;
    config.eval_minutes = 0;
    (void)train(config, {.out_dir = folder.file("run")});
  }
  [[nodiscard]] Input checkpoint() const {
    return {"a checkpoint", test::bytes_of_file(folder.file("run") + "/" + kCheckpointFile)};
  }

  TemporaryFolder folder;
};

Reader checkpoint_reader() {
  return {"checkpoint", [](const std::string& bytes) {
            const TemporaryFile file("checkpoint");
            file.write(bytes);
            (void)read_checkpoint(file.path());
          }};
}

std::vector<Reader> readers() {
  return {{"configuration", [](const std::string& b) { (void)parse_train_config(b, "x.toml"); }},
          {"setting",
           [](const std::string& b) {
             TrainConfig config;
             set_train_config(config, "learning_rate=" + b);
           }},
          checkpoint_reader()};
}

TEST(HostileInputs, training_takes_or_refuses_every_file_of_the_corpus) {
  for (const Reader& reader : readers()) {
    for (const Input& input : test::corpus()) (void)test::refusal(reader, input);
  }
}

TEST(HostileInputs, training_refuses_what_is_too_deep_or_too_long) {
  for (const Reader& reader : readers()) {
    for (const Input& input : test::large_inputs()) {
      EXPECT_NE(test::refusal(reader, input), "") << reader.name << " took " << input.name;
    }
  }
}

TEST(HostileInputs, every_flipped_bit_of_a_checkpoint_is_found) {
  const SmallRun run;
  const Input valid = run.checkpoint();
  EXPECT_EQ(test::refusal(checkpoint_reader(), valid), "");
  for (const Input& input : test::flips(valid, test::scaled(30, 300, 3000))) {
    EXPECT_NE(test::refusal(checkpoint_reader(), input), "") << input.name;
  }
  for (const Input& input : test::truncations(valid, test::scaled(10, 100, 1000))) {
    EXPECT_NE(test::refusal(checkpoint_reader(), input), "") << input.name;
  }
  // the header, where the configuration and the counters stand, is a small part of the file
  const Input header{valid.name, valid.bytes.substr(0, 6000)};
  const std::string rest = valid.bytes.substr(header.bytes.size());
  for (Input input : test::flips(header, test::scaled(30, 300, 3000), 2)) {
    input.bytes += rest;
    EXPECT_NE(test::refusal(checkpoint_reader(), input), "") << input.name;
  }
}

TEST(HostileInputs, damaged_settings_are_taken_or_refused) {
  const Input valid{"a configuration", to_toml(TrainConfig{})};
  for (const Input& input : test::flips(valid, test::scaled(30, 300, 3000))) {
    (void)test::refusal(readers()[0], input);
  }
  for (const Input& input : test::truncations(valid, test::scaled(20, 100, 1000))) {
    (void)test::refusal(readers()[0], input);
  }
}

TEST(HostileInputs, metrics_lose_no_good_line_to_a_bad_one) {
  const TemporaryFolder folder;
  const std::string good = "{\"update\":1}\n";
  std::vector<Input> inputs = test::corpus();
  const std::vector<Input> large = test::large_inputs();
  inputs.insert(inputs.end(), large.begin(), large.end());
  for (const Input& input : inputs) {
    const std::string file = folder.file("rows.jsonl"), aside = folder.file("rows.damaged-1.jsonl");
    test::write_file(file, good + input.bytes + "\n" + good);
    const std::string note = cut_metrics(file, 1).note;
    const std::string kept = test::bytes_of_file(file);
    EXPECT_TRUE(kept.starts_with(good) && kept.ends_with(good)) << input.name;
    EXPECT_EQ(note.empty(), !std::filesystem::exists(aside)) << input.name;
    std::filesystem::remove(aside);
  }
}

TEST(HostileInputs, a_pipe_in_the_place_of_the_metrics_is_neither_waited_for_nor_replaced) {
  const TemporaryFolder folder;
  const std::string file = folder.file("metrics.jsonl");
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(test::error_of([&] { (void)cut_metrics(file, 1); }),
            file + ": cannot replace what is no file, allowed: a file, or a new name");
  EXPECT_TRUE(std::filesystem::is_fifo(file));
}

}  // namespace
}  // namespace schafkopf
