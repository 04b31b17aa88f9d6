// Batches that are larger than the caches: rows are read ahead and what is shown is written past the
// caches (env/base/streamed.h). They show what small batches of the same games show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "env/base/streamed.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

TEST(Streamed, copies_any_size_from_anywhere_to_anywhere) {
  constexpr std::size_t kSize = 400;
  std::vector<std::uint8_t> source(kSize);
  std::iota(source.begin(), source.end(), std::uint8_t{1});
  for (std::size_t bytes : {0U, 1U, 15U, 16U, 48U, 64U, 128U, 200U, 208U}) {
    for (std::size_t from = 0; from < 20; ++from) {
      for (std::size_t to = 0; to < 80; ++to) {
        std::vector<std::uint8_t> target(kSize, 0), expected(kSize, 0);
        copy_streamed(target.data() + to, source.data() + from, bytes);
        end_streamed();
        std::copy_n(source.begin() + static_cast<long>(from), bytes,
                    expected.begin() + static_cast<long>(to));
        ASSERT_EQ(target, expected) << bytes << " bytes from " << from << " to " << to;
      }
    }
  }
}

/// What rows show: of whom, how large, and of how many games more than the caches hold is shown.
struct Form {
  std::string name;
  int num_envs;
  void (*choose)(VectorEnvOptions&);
};
void PrintTo(const Form& shown, std::ostream* out) { *out << shown.name; }

class LargeBatches : public testing::TestWithParam<Form> {};

constexpr int kParts = 4;

/// The first buffer in which a batch differs from its games in several batches, "" if there is none.
std::string part_difference(const VectorEnv& whole, const std::vector<VectorEnv>& parts) {
  std::map<std::string, std::span<const std::byte>> found;
  for_each_row_buffer(whole.buffers(), [&](const std::string& name, std::span<const std::byte> all,
                                           std::size_t) { found[name] = all; });
  std::string result;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for_each_row_buffer(
        parts[part].buffers(),
        [&](const std::string& name, std::span<const std::byte> expected, std::size_t) {
          const auto own = found.at(name).subspan(part * expected.size(), expected.size());
          if (std::memcmp(own.data(), expected.data(), expected.size()) == 0) return;
          result += name + " of part " + std::to_string(part) + " ";
        });
  }
  return result;
}

TEST_P(LargeBatches, show_what_small_ones_show) {
  const Form& shown = GetParam();
  for (const std::string kernel : {"scalar", "auto"}) {
    VectorEnvOptions options = small_options(shown.num_envs);
    shown.choose(options);
    options.kernel = kernel;
    options.num_threads = 2;
    VectorEnv whole(options);
    options.num_envs /= kParts;
    std::vector<VectorEnv> parts;
    for (int part = 0; part < kParts; ++part) {
      parts.emplace_back(options);
      options.first_env += static_cast<std::uint64_t>(options.num_envs);
    }
    ASSERT_EQ(part_difference(whole, parts), "") << "at the beginning";
    for (int step = 0; step < scaled(12, 45, 90); ++step) {
      whole.step_random();
      for (VectorEnv& part : parts) part.step_random();
      ASSERT_EQ(part_difference(whole, parts), "") << kernel << ", step " << step;
    }
    const std::vector<std::uint8_t> kept = whole.snapshot();
    whole.reset(3, {});
    whole.restore(kept);
    ASSERT_EQ(part_difference(whole, parts), "") << kernel << ", restored";
  }
}

// Games and what is shown of them: 512 bytes and 128 (masks), 192 (lines), 736, 2,944, 7,760 and 64.
const Form kShown[] = {
    {"masks", 30720, [](VectorEnvOptions& o) { o.action_mask = true; }},
    {"lines", 28672, [](VectorEnvOptions& o) { o.view_lines = true; }},
    {"uint8", 16384, [](VectorEnvOptions& o) { o.observation = ObservationType::kUint8; }},
    {"float32", 6144, [](VectorEnvOptions& o) { o.observation = ObservationType::kFloat32; }},
    {"lines_and_float32", 6144,
     [](VectorEnvOptions& o) {
       o.view_lines = true;
       o.observation = ObservationType::kFloat32;
     }},
    {"canonical_uint8_and_masks", 16384,
     [](VectorEnvOptions& o) {
       o.cards = CardIndex::kCanonical;
       o.observation = ObservationType::kUint8;
       o.action_mask = true;
     }},
    {"version_2", 6144,
     [](VectorEnvOptions& o) {
       o.observation = ObservationType::kFloat32;
       o.observation_version = ObservationVersion::kV2;
     }},
    {"version_4", 4096,
     [](VectorEnvOptions& o) {
       o.observation = ObservationType::kFloat32;
       o.observation_version = ObservationVersion::kV4;
     }},
    {"packed", 36864, [](VectorEnvOptions& o) { o.observation = ObservationType::kPacked; }},
    {"learner", 6144,
     [](VectorEnvOptions& o) {
       o.observation = ObservationType::kFloat32;
       o.learner_seat = LearnerSeat{LearnerSeat::kRotate};
       o.opponent = std::make_shared<UniformPolicy>();
     }},
};

INSTANTIATE_TEST_SUITE_P(Env, LargeBatches, testing::ValuesIn(kShown),
                         [](const auto& param) { return param.param.name; });

/// Rows of another size than whole lines, and the memory of somebody else.
TEST(LargeBatches, show_the_same_in_supplied_memory_of_any_alignment) {
  VectorEnvOptions options = small_options(16384);
  options.observation = ObservationType::kUint8;
  VectorEnv own(options);
  const std::size_t size = own.buffers().observation_u8.size();
  std::vector<std::uint8_t> memory(size + 64);
  for (const std::size_t offset : {1U, 8U, 16U, 32U}) {
    EnvBuffers supplied;
    supplied.observation_u8 = std::span(memory).subspan(offset, size);
    VectorEnv env(options, supplied);
    own.reset(5, {});
    env.reset(5, {});
    for (int step = 0; step < 3; ++step) {
      own.step_random();
      env.step_random();
      ASSERT_TRUE(std::ranges::equal(own.buffers().observation_u8, env.buffers().observation_u8))
          << "offset " << offset << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace schafkopf::test
