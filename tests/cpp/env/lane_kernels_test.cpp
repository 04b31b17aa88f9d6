// Games stepped in blocks against the same games stepped one by one: every buffer of every step, in
// mixed rule sets, batches of odd sizes, resets, snapshots. A kernel that this processor lacks is
// skipped by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "env/lanes/lane_kernels.h"
#include "env/session/session.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

/// First difference of all buffers, "" if there is none.
std::string first_difference(const EnvBuffers& expected, const EnvBuffers& found) {
  std::map<std::string, std::vector<std::byte>> bytes;
  for_each_row_buffer(expected, [&](const std::string& name, std::span<const std::byte> all,
                                    std::size_t) { bytes[name].assign(all.begin(), all.end()); });
  std::string result;
  std::size_t compared = 0;
  for_each_row_buffer(
      found, [&](const std::string& name, std::span<const std::byte> all, std::size_t row_bytes) {
        ++compared;
        if (result.empty() && (!bytes.contains(name) || bytes[name].size() != all.size())) {
          result = name + ", of another size or not in both";
        }
        const auto [a, b] = std::ranges::mismatch(bytes[name], all);
        if (a == bytes[name].end() || !result.empty()) return;
        const auto at = static_cast<std::size_t>(a - bytes[name].begin());
        result = name + ", row " + std::to_string(at / row_bytes) + ", byte " +
                 std::to_string(at % row_bytes);
      });
  return result.empty() && compared != bytes.size() ? "the number of buffers" : result;
}

class Lanes : public testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    if (!is_supported(GetParam())) {
      GTEST_SKIP() << name_of(GetParam()) << ": this processor lacks its instructions";
    }
  }

  /// Steps both batches until `deals` deals have ended, resets some rows now and then, and goes on
  /// from each other's snapshot.
  void expect_equal(VectorEnvOptions options, std::int64_t deals) {
    options.kernel = "scalar";
    VectorEnv one_by_one(options);
    options.kernel = name_of(GetParam());
    VectorEnv lanes(options);
    ASSERT_EQ(lanes.kernel(), name_of(GetParam()));
    ASSERT_EQ(first_difference(one_by_one.buffers(), lanes.buffers()), "") << "at the beginning";
    std::vector<std::uint8_t> some(static_cast<std::size_t>(options.num_envs));
    std::vector<Action> actions(some.size());
    for (int step = 0; one_by_one.num_deals() < deals; ++step) {
      if (step % 97 == 96) {
        for (std::size_t i = 0; i < some.size(); ++i) some[i] = mix64(i + some.size()) % 3 == 0;
        one_by_one.reset(std::nullopt, some);
        lanes.reset(std::nullopt, some);
      } else if (step % 101 == 100) {
        const std::vector<std::uint8_t> scalar = one_by_one.snapshot();
        ASSERT_EQ(scalar, lanes.snapshot());
        lanes.restore(scalar);
      } else if (step % 2 == 0) {
        one_by_one.step_random();
        lanes.step_random();
      } else {
        lanes.random_actions(actions);
        one_by_one.step(actions);
        lanes.step(actions);
      }
      ASSERT_EQ(first_difference(one_by_one.buffers(), lanes.buffers()), "") << "step " << step;
    }
    EXPECT_EQ(one_by_one.num_decisions(), lanes.num_decisions());
    EXPECT_EQ(one_by_one.snapshot(), lanes.snapshot());
  }
};

INSTANTIATE_TEST_SUITE_P(Kernels, Lanes,
                         testing::Values(InstructionSet::kAvx2, InstructionSet::kAvx512),
                         [](const auto& about) { return std::string(name_of(about.param)); });

/// Rows of all presets side by side; with three players among them.
VectorEnvOptions mixed_rules(int num_envs) {
  VectorEnvOptions options = small_options(num_envs);
  options.rules.clear();
  for (const std::string_view name : preset_names()) {
    options.rules.push_back(rules_named(std::string(name)));
  }
  for (int env = 0; env < num_envs; ++env) {
    options.rule_index.push_back(
        static_cast<std::uint16_t>(static_cast<std::size_t>(env) % options.rules.size()));
  }
  options.view_lines = true;
  options.auto_reset = AutoReset::kSameStep;
  return options;
}

TEST_P(Lanes, every_buffer_equals_that_of_single_games_in_all_presets) {
  VectorEnvOptions options = mixed_rules(203);
  options.action_mask = true;
  options.full_view = true;
  expect_equal(options, scaled(2'000, 10'000, 60'000, 5'000'000));
}

TEST_P(Lanes, claims_are_shown_and_may_be_made) {
  VectorEnvOptions options = mixed_rules(61);
  options.claim_actions = true;
  expect_equal(options, scaled(1'000, 5'000, 20'000, 2'000'000));
}

TEST_P(Lanes, sessions_with_their_special_rounds_go_on_alike) {
  VectorEnvOptions options = mixed_rules(64);
  options.session = true;
  options.auto_reset = AutoReset::kNextStep;
  expect_equal(options, scaled(500, 4'000, 20'000, 3'000'000));
}

TEST_P(Lanes, a_batch_of_any_size_and_without_lines) {
  for (const int size : {1, 2, 3, 5, 8, 15, 16, 17, 33}) {
    VectorEnvOptions options = mixed_rules(size);
    options.view_lines = size % 2 == 1;
    options.auto_reset = AutoReset::kNextStep;
    expect_equal(options, scaled(50, 200, 1'000, 20'000));
  }
}

TEST_P(Lanes, observations_of_all_forms) {
  const auto compare = [this](CardIndex cards, ObservationType type, ObservationVersion version,
                              bool lines) {
    VectorEnvOptions options = small_options(37);
    options.observation = type;
    options.observation_version = version;
    options.cards = cards;
    options.view_lines = lines;
    options.num_threads = 2;
    expect_equal(options, scaled(30, 300, 2'000, 100'000));
  };
  for (const CardIndex cards : {CardIndex::kAbsolute, CardIndex::kCanonical}) {
    for (const bool lines : {false, true}) {
      for (const auto version : {ObservationVersion::kV1, kLastVersion}) {
        compare(cards, ObservationType::kUint8, version, lines);
        compare(cards, ObservationType::kFloat32, version, lines);
      }
      compare(cards, ObservationType::kPacked, ObservationVersion::kV1, lines);
    }
  }
}

/// The section of the rules is not written in every step: it is, where the memory's owner changed it.
TEST_P(Lanes, rows_that_somebody_wrote_to_show_their_rules_again) {
  constexpr std::size_t kRows = 37, kCompared = 32;
  VectorEnvOptions options = mixed_rules(static_cast<int>(kRows));
  options.observation = ObservationType::kUint8;
  options.kernel = name_of(GetParam());
  VectorEnv touched(options), untouched(options);
  const EnvBuffers& there = untouched.buffers();
  const std::span<std::uint8_t> rows = touched.buffers().observation_u8;
  const std::size_t size = rows.size() / kRows;
  const auto behind = static_cast<std::size_t>(rule_feature_size());
  const auto change = [&](std::size_t row, std::size_t place) {
    rows[(row + 1) * size - behind + place] ^= 0x80;
  };
  for (std::size_t step = 0; step < 40; ++step) {  // at once where it begins otherwise
    for (std::size_t row = 0; row < kRows; ++row) {
      change(row, (row * 31 + step * 7) % behind);
      change(row, (row * 31 + step * 7) % kCompared);
    }
    touched.step_random();
    untouched.step_random();
    ASSERT_TRUE(std::ranges::equal(rows, there.observation_u8)) << "step " << step;
  }
  for (std::size_t row = 0; row < kRows; ++row) {  // else with the next deal
    change(row, kCompared + row * 31 % (behind - kCompared));
  }
  std::size_t begun = 0;
  for (int step = 0; step < 60 && begun < kRows; ++step) {
    touched.step_random();
    untouched.step_random();
    begun = 0;
    for (std::size_t first = 0; first < rows.size(); first += size) {
      if (std::ranges::equal(rows.subspan(first, size),
                             there.observation_u8.subspan(first, size))) {
        ++begun;
      }
    }
  }
  EXPECT_EQ(begun, kRows);
}

TEST_P(Lanes, learners_among_opponents_and_skipped_decisions) {
  VectorEnvOptions options = small_options(70);
  options.learner_seat = LearnerSeat::kRotate;
  options.opponent = std::make_shared<UniformPolicy>();
  options.observation = ObservationType::kUint8;
  expect_equal(options, scaled(300, 1'000, 8'000, 200'000));
  options = mixed_rules(70);
  options.skip_forced = true;
  expect_equal(options, scaled(300, 1'000, 8'000, 200'000));
  options.view_lines = options.full_view = options.action_mask = true;
  expect_equal(options, scaled(300, 1'000, 8'000, 200'000));
  options.cards = CardIndex::kCanonical;
  expect_equal(options, scaled(300, 1'000, 8'000, 200'000));
  options.observation = ObservationType::kFloat32;
  options.observation_version = ObservationVersion::kV4;
  options.claim_actions = !options.claim_actions;
  expect_equal(options, scaled(300, 1'000, 8'000, 200'000));
}

TEST_P(Lanes, games_that_were_set_in_the_middle_of_a_trick) {
  VectorEnvOptions options = small_options(20);
  options.view_lines = true;
  options.kernel = "scalar";
  VectorEnv one_by_one(options);
  options.kernel = name_of(GetParam());
  VectorEnv lanes(options);
  VectorEnv source(options);
  for (int step = 0; step < scaled(60, 200, 2'000); ++step) {
    source.step_random();
    const int from = step % options.num_envs;
    if (!source.game(from).is_terminal()) {
      one_by_one.set_game((from + 7) % options.num_envs, source.game(from));
      lanes.set_game((from + 7) % options.num_envs, source.game(from));
    }
    one_by_one.step_random();
    lanes.step_random();
    ASSERT_EQ(first_difference(one_by_one.buffers(), lanes.buffers()), "") << "step " << step;
  }
}

TEST(Kernels, an_unknown_name_is_refused_with_those_that_are_allowed) {
  const std::string text = error_of([] { (void)instruction_set("avx1024"); });
  EXPECT_NE(text.find("avx1024"), std::string::npos) << text;
  EXPECT_NE(text.find("allowed: scalar"), std::string::npos) << text;
}

TEST(Kernels, one_that_the_processor_lacks_is_refused_and_the_default_is_one_it_has) {
  EXPECT_TRUE(is_supported(default_instruction_set()));
  EXPECT_TRUE(is_supported(InstructionSet::kScalar));
  for (const std::string_view name : kInstructionSetNames) {
    const std::string text = error_of([&] { EXPECT_EQ(name_of(instruction_set(name)), name); });
    EXPECT_TRUE(text == "no error" || text.find("lacks") != std::string::npos) << text;
  }
}

}  // namespace
}  // namespace schafkopf::test
