// Settings of training runs: the default file, exact inverses, and errors that name file, line, key
// and what is allowed.
#include "training/config/config.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/source_dir.h"
#include "training/config/programs.h"
#include "training/config/unread.h"

namespace schafkopf {
namespace {

using test::error_of;

std::string parse_error(const std::string& text) {
  return error_of([&] { (void)parse_train_config(text, "x.toml"); });
}

TEST(TrainConfig, default_file_is_the_defaults_with_every_key_commented) {
  const std::string path = source_dir() + "/configs/train/default.toml";
  EXPECT_EQ(load_train_config(path), TrainConfig{});
  std::ifstream stream(path);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_EQ(text, to_toml(TrainConfig{}));
}

TEST(TrainConfig, text_is_read_back_as_written) {
  TrainConfig config;
  config.learning_rate = 0.00037;
  config.critic = "oracle";
  config.seed = ~std::uint64_t{0};
  config.device = "cuda:1";
  config.rules = "a \"b\" \\c\nd\t\x7f.toml";
  EXPECT_EQ(parse_train_config(to_toml(config), "x.toml"), config);
}

TEST(TrainConfig, half_of_the_games_start_from_generated_contracts_by_default) {
  EXPECT_GE(TrainConfig{}.generated_share, 0.5);
  EXPECT_EQ(TrainConfig{}.width, 256);
  EXPECT_EQ(TrainConfig{}.layers, 2);
}

TEST(TrainConfig, errors_name_file_line_key_and_what_is_allowed) {
  EXPECT_EQ(parse_error("seed = 1\nclip = 11"), "x.toml:2: clip = 11, allowed: number 1e-06..10");
  EXPECT_EQ(parse_error("\n\nepochs = 1.5"), "x.toml:3: epochs = 1.5, allowed: integer 1..100");
  EXPECT_EQ(parse_error("epochs = \"2\""), "x.toml:1: epochs = \"2\", allowed: integer 1..100");
  EXPECT_EQ(parse_error("critic = \"blind\""),
            "x.toml:1: critic = \"blind\", allowed: shared, separate, oracle");
  EXPECT_EQ(parse_error("gamma = nan"), "x.toml:1: gamma = nan, allowed: number 0..1");
  const std::string unknown = parse_error("learning_rat = 1e-3");
  EXPECT_TRUE(unknown.starts_with("x.toml:1: unknown key \"learning_rat\", allowed: rules, "))
      << unknown;
  EXPECT_TRUE(unknown.ends_with("; the nearest one is \"learning_rate\"")) << unknown;
  const std::string seeds = ", allowed: integer 0..18446744073709551615";
  EXPECT_EQ(parse_error("seed = -1"), "x.toml:1: seed = -1" + seeds);
  EXPECT_EQ(parse_error("seed = 18446744073709551616"),
            "x.toml:1: seed = 18446744073709551616" + seeds);
  EXPECT_TRUE(parse_error("seed = ").starts_with("x.toml:1: "));
}

TEST(TrainConfig, an_unknown_key_or_name_names_the_nearest) {
  const auto set_error = [](const std::string& assignment) {
    TrainConfig config;
    return error_of([&] { set_train_config(config, assignment); });
  };
  EXPECT_TRUE(set_error("minutes=1")
                  .starts_with(
                      "--set minutes=1: unknown key \"minutes\", allowed: rules, generated_share"));
  const std::pair<const char*, const char*> cases[] = {{"minutes=1", "time_limit_minutes"},
                                                       {"lr=1", "learning_rate"},
                                                       {"batch_size=1", "minibatch"},
                                                       {"threads=1", "workers"},
                                                       {"widht=3", "width"},
                                                       {"network.depth=3", "layers"},
                                                       {"decisions=5", "decisions_limit"},
                                                       {"eval_oponent=rules", "eval_opponent"},
                                                       {"Seed=3", "seed"}};
  for (const auto& [assignment, nearest] : cases) {
    EXPECT_TRUE(
        set_error(assignment).ends_with(std::string("; the nearest one is \"") + nearest + '"'))
        << set_error(assignment);
  }
  EXPECT_EQ(set_error("critic=oracel"),
            "--set critic=oracel: critic = \"oracel\", allowed: shared, separate, oracle; the "
            "nearest one is \"oracle\"");
  const std::string section = parse_error("seed = 1\n[network]\nwidth = 3\n");
  EXPECT_TRUE(
      section.starts_with("x.toml:2: unknown section [network]: the keys stand in no sections"))
      << section;
  EXPECT_EQ(set_error("normalise_by=roles"),
            "--set normalise_by=roles: normalise_by = \"roles\", allowed: all, contract, role; the "
            "nearest one is \"role\"");
}

TEST(TrainConfig, keys_that_depend_on_each_other_are_checked) {
  EXPECT_EQ(parse_error("workers = 3\ngames_per_update = 2"),
            "x.toml:1: workers = 3, allowed: at most games_per_update = 2: every worker plays at "
            "least one "
            "game");
  EXPECT_EQ(parse_error("epochs = 2\ndevice = \"gpu\""),
            "x.toml:2: device = \"gpu\", allowed: cpu, cuda, cuda:0..cuda:127");
  EXPECT_EQ(
      parse_error("epochs = 2\npool_share = 0.1\npool = \"\""),
      "x.toml:3: pool = \"\", allowed: at least one member where pool_share = 0.1 is above 0");
  EXPECT_EQ(parse_error("epochs = 2\nteacher_share = 0.1"),  // a default is what does not fit
            "x.toml:2: teacher = \"\", allowed: a player where teacher_share = 0.1 is above 0");
}

TEST(TrainConfig, a_device_that_the_library_would_take_for_another_one_is_refused) {
  for (const std::string device : {"cuda:0", "cuda:9", "cuda:10", "cuda:127"}) {
    EXPECT_EQ(parse_train_config("device = \"" + device + "\"", "x.toml").device, device);
  }
  for (const std::string device :
       {"cuda:", "cuda:00", "cuda:01", "cuda:128", "cuda:256", "cuda:1a"}) {
    EXPECT_EQ(parse_error("device = \"" + device + "\""),
              "x.toml:1: device = \"" + device + "\", allowed: cpu, cuda, cuda:0..cuda:127");
  }
}

TEST(TrainConfig, settings_change_one_key_or_nothing) {
  TrainConfig config;
  set_train_config(config, "learning_rate=0.5");
  set_train_config(config, "rules=wikipedia_pure");
  EXPECT_EQ(config.learning_rate, 0.5);
  EXPECT_EQ(config.rules, "wikipedia_pure");
  const TrainConfig before = config;
  EXPECT_EQ(error_of([&] { set_train_config(config, "epochs=0"); }),
            "--set epochs=0: epochs = 0, allowed: integer 1..100");
  EXPECT_EQ(error_of([&] { set_train_config(config, "epochs"); }),
            "--set epochs: no key, allowed: key=value");
  EXPECT_EQ(config, before);
}

TEST(TrainConfig, keywords_change_all_keys_or_nothing_and_speak_of_no_option) {
  TrainConfig config;
  set_train_config(config, PlainTable{{"games_per_update", std::int64_t{2}},
                                      {"workers", std::int64_t{2}},
                                      {"rules", std::string("wikipedia_pure")}});
  EXPECT_EQ(config.workers, 2);
  EXPECT_EQ(config.rules, "wikipedia_pure");
  const TrainConfig before = config;
  const PlainTable wrong = {{"epochs", std::int64_t{0}}, {"critic", std::string("oracle")}};
  EXPECT_EQ(error_of([&] { set_train_config(config, wrong); }),
            "epochs = 0, allowed: integer 1..100");
  EXPECT_TRUE(error_of([&] {
                set_train_config(config, PlainTable{{"lr", 1.0}});
              }).starts_with("unknown key \"lr\", allowed: rules, "));
  EXPECT_EQ(config, before);
}

TEST(TrainConfig, settings_that_nothing_reads_are_named_with_what_switches_them_off) {
  const std::pair<std::vector<std::string>, std::string> kCases[] = {
      {{"exploration=0.1"}, "exploration = 0.1 has no effect: algorithm = \"ppo\""},
      {{"exploration=0.1", "algorithm=dmc"}, ""},
      {{"clip=0.3", "entropy=0.1", "algorithm=dmc"},
       "clip = 0.3, entropy = 0.1 have no effect: algorithm = \"dmc\""},
      {{"critic_width=32"}, "critic_width = 32 has no effect: critic = \"shared\""},
      {{"critic_width=32", "critic=separate"}, ""},
      {{"eval_calibration=9"}, "eval_calibration = 9 has no effect: eval_track = \"card_play\""},
      {{"eval_calibration=9", "eval_track=full"}, ""},
      {{"eval_generator=random", "eval_track=full"},
       "eval_generator = \"random\" has no effect: eval_track = \"full\""},
      {{"pool=rules:version=1"}, "pool = \"rules:version=1\" has no effect: pool_share = 0"},
      {{"pool_seats=others", "pool_share=0.5"}, ""},
      {{"generator=random", "generated_share=0", "card_play_first=0"},
       "generator = \"random\" has no effect: generated_share and card_play_first are 0"},
      {{"hold_kl=2"}, "hold_kl = 2.0 has no effect: learn = \"all\""},
      {{"entropy=0.1", "solver_weight=1", "learn=bidding"},
       "entropy = 0.1, solver_weight = 1.0 have no effect: learn = \"bidding\""},
      {{"announcement_playout_share=0.5", "learn=card_play"},
       "announcement_playout_share = 0.5 has no effect: learn = \"card_play\""},
      {{"playout_share=0.5", "learn=kontra"},
       "playout_share = 0.5 has no effect: learn = \"kontra\""},
      {{"announcement_playout_share=0.5", "learn=kontra"}, ""},
      {{"magnet_updates=9"}, "magnet_updates = 9 has no effect: magnet_kl = 0"},
      {{"solver_until=0.5", "time_limit_minutes=0"},
       "solver_until = 0.5 has no effect: solver_weight = 0"},
      {{"solver_until=0.5", "solver_weight=1"}, ""},
      {{"final_clip_share=0.5", "time_limit_minutes=0"},
       "final_clip_share = 0.5 has no effect: time_limit_minutes and decisions_limit are 0"},
      {{"final_clip_share=0.5", "time_limit_minutes=0", "decisions_limit=9"}, ""},
      {{"clone_games=9"}, "clone_games = 9 has no effect: clone_records is empty"},
      {{"playout_weight=2"},
       "playout_weight = 2.0 has no effect: playout_share and announcement_playout_share are 0"},
      {{"teacher_weight=2"}, "teacher_weight = 2.0 has no effect: teacher_share = 0"}};
  for (const auto& [settings, note] : kCases) {
    TrainConfig config;
    set_train_config(config, settings);
    const std::vector<std::string> want =
        note.empty() ? std::vector<std::string>() : std::vector{note};
    EXPECT_EQ(unread_settings(config), want) << settings.front();
  }
}

TEST(TrainConfig, a_semicolon_in_quotes_begins_no_program_of_a_checkpoint) {
  TrainConfig kept;
  kept.pool = "rules;net:\"runs;engine:a.safetensors\"";
  refuse_programs(kept, "runs/a", {});
  kept.pool = "net:\"a;b\";engine:sh c";
  EXPECT_TRUE(error_of([&] {
                refuse_programs(kept, "runs/a", {});
              }).starts_with("runs/a: its checkpoint has pool = "));
}

TEST(TrainConfig, no_file_that_is_shipped_has_a_setting_that_nothing_reads) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/configs/train")) {
    EXPECT_EQ(unread_settings(load_train_config(entry.path().string())), std::vector<std::string>())
        << entry.path();
    ++files;
  }
  EXPECT_GE(files, 10);
}

TEST(TrainConfig, deep_monte_carlo_has_no_policy_that_solver_values_or_a_magnet_pull) {
  TrainConfig config;
  config.algorithm = Algorithm::kDmc;
  check_train_config(config);
  config.magnet_kl = 0.5;
  EXPECT_EQ(error_of([&] { check_train_config(config); }),
            "magnet_kl = 0.5, allowed: 0 with algorithm = \"dmc\", which has no policy to pull");
  config.magnet_kl = 0.0;
  config.solver_weight = 1.0;
  EXPECT_EQ(error_of([&] { check_train_config(config); }),
            "solver_weight = 1, allowed: 0 with algorithm = \"dmc\", which has no policy to pull");
}

}  // namespace
}  // namespace schafkopf
