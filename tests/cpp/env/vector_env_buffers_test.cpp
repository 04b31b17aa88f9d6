// Buffers are shown and never read: garbage in all of them between the calls changes no game.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

using testing::HasSubstr;

void scribble(const VectorEnv& env, Rng& random) {
  const auto over = [&](auto span) {
    auto bytes = std::as_writable_bytes(span);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  };
  const EnvBuffers& b = env.buffers();
  over(b.cards), over(b.order), over(b.events), over(b.full);
  over(b.legal), over(b.action_mask), over(b.observation_u8), over(b.observation_f32);
  over(b.current_player), over(b.phase), over(b.rewards), over(b.stock_rewards);
  over(b.terminated), over(b.episode_return), over(b.episode_seed), over(b.running_seed);
  over(b.learner_seat), over(b.episode_learner_seat);
  over(b.rule_index), over(b.rule_features), over(b.session_end);
  over(b.final_observation), over(b.final_observation_f32);
}

/// Reads everything that an opponent is given: other views or rule features, other actions.
class ReadingPolicy : public UniformPolicy {
 public:
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    for (std::size_t row = 0; row < batch.size; ++row) {
      const PlayerView view = batch.view(row);
      std::uint64_t hash = draw(keys[row]) ^ batch.rules_of(row).hash();
      const auto read = [&hash](const void* data, std::size_t size) {
        const auto* bytes = static_cast<const std::uint8_t*>(data);
        for (std::size_t i = 0; i < size; ++i) hash = mix64(hash ^ bytes[i]);
      };
      read(&view, sizeof view);
      const std::size_t length = batch.rules->features.size() / batch.rules->rules.size();
      const std::size_t set = batch.rule_index == nullptr ? 0 : batch.rule_index[row];
      read(batch.rules->features.data() + set * length, length * sizeof(float));
      const ActionMask mask = legal_actions(batch.cards[row]);
      if (!mask.empty()) actions[row] = mask.nth(below(hash, mask.count()));
    }
  }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<ReadingPolicy>(*this);
  }
};

struct Case {
  const char* name;
  AutoReset auto_reset = AutoReset::kNextStep;
  int learner_seat = -1;
  CardIndex cards = CardIndex::kAbsolute;
  ObservationType observation = ObservationType::kUint8;
};

void PrintTo(const Case& with, std::ostream* out) { *out << with.name; }

VectorEnvOptions options_of(const Case& with) {
  VectorEnvOptions options = small_options(150);
  options.rules = {rules_named("research"), rules_named("official_1989")};
  for (int i = 0; i < 150; ++i) options.rule_index.push_back(static_cast<std::uint16_t>(i % 2));
  options.num_threads = 2;
  options.session = true;
  options.action_mask = options.view_lines = options.full_view = true;
  options.observation = with.observation;
  options.auto_reset = with.auto_reset;
  options.cards = with.cards;
  if (with.learner_seat >= 0) {
    options.learner_seat = with.learner_seat;
    options.opponent = std::make_shared<ReadingPolicy>();
    options.skip_forced = true;
  }
  return options;
}

/// What a step writes for every row, and what it writes where a deal ended.
void expect_shown_as(const VectorEnv& env, const VectorEnv& twin) {
  auto here = all_rows(env), there = all_rows(twin);
  for (const char* once :
       {"rule_index", "running_seed", "learner_seat", "episode_return", "episode_seed",
        "episode_learner_seat", "final_observation", "final_observation_f32"}) {
    here.erase(once);
    there.erase(once);
  }
  ASSERT_EQ(difference(there, here), "");
  for (std::size_t i = 0; i < env.buffers().terminated.size(); ++i) {
    if (env.buffers().terminated[i] == 0) continue;
    here = rows_of(env.buffers(), i, i + 1);
    there = rows_of(twin.buffers(), i, i + 1);
    for (auto* rows : {&here, &there}) {
      rows->erase("rule_index");
      if (env.options().auto_reset == AutoReset::kSameStep) continue;
      rows->erase("running_seed");  // of the deal that is over: written where it began
      rows->erase("learner_seat");
    }
    ASSERT_EQ(difference(there, here), "") << i;
  }
}

class ScribbledBuffers : public testing::TestWithParam<Case> {};

TEST_P(ScribbledBuffers, garbage_between_the_calls_changes_no_run) {
  VectorEnv env(options_of(GetParam())), twin(options_of(GetParam()));
  ReadingPolicy agent;
  Rng random(4);
  const std::size_t n = 150;
  scribble(env, random);
  for (VectorEnv* one : {&env, &twin}) one->reset();
  expect_shown_as(env, twin);
  std::vector<Action> drawn(n), expected(n), chosen(n), expected_choice(n);
  std::vector<RngKey> keys(n);
  for (int step = 0; step < scaled(30, 90, 900) && !HasFailure(); ++step) {
    scribble(env, random);
    env.random_actions(drawn);
    twin.random_actions(expected);
    ASSERT_EQ(drawn, expected);
    env.keys(keys);
    agent.act(env.views(), keys, chosen);
    twin.keys(keys);
    agent.act(twin.views(true), keys, expected_choice);
    ASSERT_EQ(chosen, expected_choice);
    ASSERT_EQ(std::memcmp(env.views(true).full, twin.views(true).full, n * sizeof(FullView)), 0);
    ASSERT_EQ(env.snapshot(), twin.snapshot());
    if (GetParam().auto_reset == AutoReset::kDisabled) {
      std::vector<std::uint8_t> over(n);
      for (int i = 0; i < 150; ++i) over[static_cast<std::size_t>(i)] = twin.game(i).is_terminal();
      scribble(env, random);
      env.reset(std::nullopt, over);
      twin.reset(std::nullopt, over);
      env.random_actions(drawn);
    } else if (step % 10 == 5) {
      for (VectorEnv* one : {&env, &twin}) {
        if (!one->game(2).is_terminal()) one->set_game(0, one->game(2));
      }
      scribble(env, random);
      env.random_actions(drawn);
    } else if (step % 10 == 7) {
      const std::vector<std::uint8_t> state = env.snapshot();
      scribble(env, random);
      env.restore(state);
      ASSERT_EQ(env.snapshot(), state);
      scribble(env, random);
    }
    if (step % 3 == 0) {
      env.step_random();
      twin.step_random();
    } else {
      env.step(drawn);
      twin.step(drawn);
    }
    expect_shown_as(env, twin);
  }
  EXPECT_EQ(env.snapshot(), twin.snapshot());
  EXPECT_EQ(env.num_deals(), twin.num_deals());
  EXPECT_EQ(env.skipped_return(), twin.skipped_return());
  scribble(env, random);
  env.reset(3);
  twin.reset(3);
  expect_shown_as(env, twin);
}

INSTANTIATE_TEST_SUITE_P(VectorEnvBuffers, ScribbledBuffers,
                         testing::Values(Case{.name = "next_step"},
                                         Case{.name = "same_step_opponents_canonical",
                                              .auto_reset = AutoReset::kSameStep,
                                              .learner_seat = 1,
                                              .cards = CardIndex::kCanonical},
                                         Case{.name = "next_step_opponents_floats",
                                              .learner_seat = 2,
                                              .observation = ObservationType::kFloat32},
                                         Case{.name = "disabled",
                                              .auto_reset = AutoReset::kDisabled}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(VectorEnvBuffers, a_mask_that_was_written_makes_no_action_legal) {
  VectorEnvOptions options = small_options(8);
  options.action_mask = options.view_lines = true;
  VectorEnv env(options);
  const EnvBuffers& shown = env.buffers();
  const std::vector<std::uint8_t> before = env.snapshot();
  std::vector<Action> actions(8);
  env.random_actions(actions);
  for (std::size_t i = 0; i < 8; ++i) {
    shown.legal[i] = {{~std::uint64_t{0}, ~std::uint64_t{0}}};
    std::ranges::fill(shown.action_mask.subspan(i * kNumActions, kNumActions), std::uint8_t{1});
    shown.cards[i].legal = ~0u;
  }
  actions[3] = kActionLay;
  EXPECT_THAT(error_of([&] { env.step(actions); }), HasSubstr("env 3, action 42"));
  EXPECT_EQ(env.snapshot(), before);
  shown.legal[3] = {};
  env.random_actions(actions);
  env.step(actions);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(shown.legal[i], without_claims(env.game(static_cast<int>(i)).legal_actions()));
  }
}

TEST(VectorEnvBuffers, supplied_ones_that_share_memory_or_have_none_are_refused) {
  const VectorEnvOptions options = small_options(8);
  std::vector<float> memory(96, 7.0F);
  EnvBuffers supplied;
  supplied.rewards = std::span(memory).subspan(0, 32);
  supplied.episode_return = std::span(memory).subspan(31, 32);
  EXPECT_EQ(
      error_of([&] { VectorEnv(options, supplied); }),
      "vector env: buffers rewards and episode_return share memory, allowed: memory of its own "
      "for each");
  EXPECT_THAT(memory, testing::Each(7.0F));
  supplied.episode_return = supplied.rewards;
  EXPECT_THAT(error_of([&] { VectorEnv(options, supplied); }), HasSubstr("share memory"));
  supplied.episode_return = std::span<float>(static_cast<float*>(nullptr), 32);
  EXPECT_EQ(
      error_of([&] { VectorEnv(options, supplied); }),
      "vector env: buffer episode_return is null, allowed: 32 elements, or none for one of the "
      "batch's own");
  supplied.episode_return = std::span(memory).subspan(32, 32);
  EXPECT_EQ(VectorEnv(options, supplied).buffers().episode_return.data(), &memory[32]);
}

}  // namespace
}  // namespace schafkopf::test
