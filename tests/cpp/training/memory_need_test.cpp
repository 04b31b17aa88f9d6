// A run that fits into no memory is refused by its keys, before its folder is made.
#include "training/config/memory_need.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "env/base/available_memory.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"
#include "training/run/trainer.h"

namespace schafkopf {
namespace {

constexpr std::uint64_t kGigabyte = 1'000'000'000;

TrainConfig largest() {
  TrainConfig config;
  config.width = 1 << 14;
  config.layers = 64;
  config.games_per_update = 1 << 24;
  return config;
}

TEST(MemoryNeed, grows_with_every_size_that_a_file_names) {
  TrainConfig config;
  EXPECT_LT(least_bytes(config), kGigabyte);
  for (const auto& [member, value] : {std::pair(&TrainConfig::width, 1 << 14),
                                      {&TrainConfig::layers, 64},
                                      {&TrainConfig::games_per_update, 1 << 24}}) {
    TrainConfig more = config;
    more.*member = value;
    EXPECT_GT(least_bytes(more), least_bytes(config));
  }
  EXPECT_GT(least_bytes(largest()), 200 * kGigabyte);
  config.critic = "separate";
  config.critic_width = 1 << 14;
  EXPECT_GT(least_bytes(config), 4 * kGigabyte);
  config.device = "cuda";  // which has memory of its own
  EXPECT_LT(least_bytes(config), kGigabyte);
  config.clone_games = 1 << 24;
  EXPECT_LT(least_bytes(config), kGigabyte);
  config.clone_records = "games.jsonl";
  EXPECT_GT(least_bytes(config), 20 * kGigabyte);
}

// So many games took 5.4 GB, of which a bound that holds for every run is the half at least.
TEST(MemoryNeed, of_games_counts_half_of_what_they_took) {
  TrainConfig config;
  config.games_per_update = 500'000;
  EXPECT_GT(least_bytes(config), 27 * kGigabyte / 10);
  EXPECT_LT(least_bytes(config), 54 * kGigabyte / 10);
}

TEST(MemoryNeed, a_run_that_does_not_fit_is_refused_before_its_folder_is_made) {
  const auto available = available_memory();
  if (!available || least_bytes(largest()) <= *available) {
    GTEST_SKIP() << "it would fit, or the system does not say";
  }
  const test::TemporaryFolder folder;
  const std::string out = folder.file("run");
  const std::string error = test::error_of<NotEnoughMemory>(
      [&] { (void)train(largest(), TrainOptions{.out_dir = out}); });
  EXPECT_TRUE(
      error.starts_with("width = 16384, layers = 64, games_per_update = 16777216: they need"))
      << error;
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace schafkopf
