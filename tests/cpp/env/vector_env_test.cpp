// VectorEnv against an obvious simulation of each row, and its promises about threads, batch cuts,
// resets, rewards and snapshots.
#include "env/vector/vector_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "env/view/encoder.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

using testing::HasSubstr;

/// One row, simulated deal by deal with Game alone.
class ObviousRow {
 public:
  ObviousRow(const VectorEnvOptions& options, int row) : options_(options), row_(row) { deal(); }

  [[nodiscard]] const Game& game() const { return *game_; }
  [[nodiscard]] bool over() const { return game_->is_terminal(); }
  [[nodiscard]] RngKey key() const {
    return {options_.seed, options_.first_env + static_cast<std::uint64_t>(row_), episode_,
            decision_, static_cast<std::uint32_t>(game_->current_player())};
  }
  [[nodiscard]] Action random_action() const {
    const ActionMask mask = without_claims(game_->legal_actions());
    return mask.nth(below(draw(key()), mask.count()));
  }
  void apply(Action action) {
    game_->apply(action);
    ++decision_;
  }
  void next() {
    ++episode_;
    decision_ = 0;
    deal();
  }
  [[nodiscard]] std::uint64_t seed() const {
    return episode_seed(options_.seed, options_.first_env + static_cast<std::uint64_t>(row_),
                        episode_);
  }

 private:
  void deal() {
    const auto id = options_.first_env + static_cast<std::uint64_t>(row_);
    game_.emplace(*options_.rules[0], random_deal(seed()), static_cast<int>((id + episode_) % 4));
  }

  VectorEnvOptions options_;
  int row_;
  std::uint64_t episode_ = 0;
  std::uint32_t decision_ = 0;
  std::optional<Game> game_;
};

void expect_shows(const VectorEnv& env, std::size_t i, const Game& game) {
  const EnvBuffers& buffers = env.buffers();
  const int viewer = std::max(game.current_player(), 0);
  PlayerView view = game.view(viewer);
  const FullView full = game.full_view(viewer);
  // claim_actions = false
  ActionMask mask = without_claims(game.legal_actions());
  view.cards.flags &= static_cast<std::uint8_t>(~unsigned{kFlagClaimRest | kFlagConcedeRest});
  if (game.is_terminal()) mask.add(kActionPass);
  EXPECT_EQ(buffers.current_player[i], game.current_player());
  EXPECT_EQ(buffers.phase[i], static_cast<int>(game.phase()));
  EXPECT_EQ(buffers.legal[i], mask);
  for (int a = 0; a < kNumActions; ++a) {
    ASSERT_EQ(buffers.action_mask[i * kNumActions + static_cast<std::size_t>(a)],
              mask.contains(static_cast<Action>(a)) ? 1 : 0)
        << a;
  }
  EXPECT_EQ(std::memcmp(&buffers.cards[i], &view.cards, 64), 0);
  EXPECT_EQ(std::memcmp(&buffers.order[i], &view.order, 64), 0);
  EXPECT_EQ(std::memcmp(&buffers.events[i], &view.events, 64), 0);
  EXPECT_EQ(std::memcmp(&buffers.full[i], &full, 64), 0);
  const auto size = static_cast<std::size_t>(observation_size());
  std::vector<std::uint8_t> row(size);
  expand(ObservationForm{}, {&view.cards, &view.order, &view.events}, buffers.rule_features,
         row.data());
  EXPECT_TRUE(std::ranges::equal(row, buffers.observation_u8.subspan(i * size, size)));
}

void expect_end(const VectorEnv& env, std::size_t i, const ObviousRow& row) {
  const auto payoffs = row.game().payoffs();
  const auto scale = static_cast<float>(row.game().rules().tariff_scale());
  for (std::size_t seat = 0; seat < 4; ++seat) {
    EXPECT_EQ(env.buffers().rewards[4 * i + seat], static_cast<float>(payoffs[seat]) / scale);
    EXPECT_EQ(env.buffers().episode_return[4 * i + seat],
              static_cast<float>(payoffs[seat]) / scale);
  }
  EXPECT_EQ(env.buffers().terminated[i], 1);
  EXPECT_EQ(env.buffers().episode_seed[i], row.seed());
}

void expect_no_end(const VectorEnv& env, std::size_t i) {
  EXPECT_EQ(env.buffers().terminated[i], 0);
  for (std::size_t seat = 0; seat < 4; ++seat) EXPECT_EQ(env.buffers().rewards[4 * i + seat], 0.0F);
}

VectorEnvOptions everything(int num_envs) {
  VectorEnvOptions options = small_options(num_envs);
  options.action_mask = true;
  options.view_lines = true;
  options.full_view = true;
  options.observation = ObservationType::kUint8;
  return options;
}

class AutoResetModes : public testing::TestWithParam<AutoReset> {};

TEST_P(AutoResetModes, every_row_equals_a_plain_simulation_of_its_deals) {
  VectorEnvOptions options = everything(70);
  options.auto_reset = GetParam();
  options.first_env = 1000;
  options.num_threads = 2;
  VectorEnv env(options);
  std::vector<ObviousRow> rows;
  for (int i = 0; i < options.num_envs; ++i) rows.emplace_back(options, i);
  std::vector<Action> actions(rows.size());
  int ends = 0;
  for (int step = 0; step < scaled(60, 150, 1500) && !HasFailure(); ++step) {
    env.random_actions(actions);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(env.buffers().running_seed[i], rows[i].seed());
      expect_shows(env, i, rows[i].game());
      if (rows[i].over()) {
        EXPECT_EQ(actions[i], kActionPass);
        // what stands on a terminal row is ignored, not checked
        if (GetParam() == AutoReset::kNextStep) actions[i] = 255;
      } else {
        EXPECT_EQ(actions[i], rows[i].random_action());
        EXPECT_EQ(draw(env.key(static_cast<int>(i))), draw(rows[i].key()));
      }
    }
    std::vector<std::uint8_t> waiting(rows.size());
    std::ranges::transform(rows, waiting.begin(), [](const ObviousRow& row) { return row.over(); });
    if (GetParam() == AutoReset::kDisabled && std::ranges::count(waiting, 1) > 0) {
      EXPECT_THAT(error_of([&] { env.step(actions); }), HasSubstr("reset"));
    }
    const bool stay = step % 3 != 0;
    if (GetParam() == AutoReset::kDisabled && stay) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (waiting[i] != 0) actions[i] = static_cast<Action>(kStay);
      }
    } else if (GetParam() == AutoReset::kDisabled && std::ranges::count(waiting, 1) > 0) {
      env.reset(std::nullopt, waiting);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (waiting[i] != 0) rows[i].next();
        if (waiting[i] != 0) expect_no_end(env, i);
      }
      continue;
    }
    env.step(actions);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].over()) {
        if (GetParam() != AutoReset::kDisabled) rows[i].next();
        expect_no_end(env, i);
        continue;
      }
      rows[i].apply(actions[i]);
      if (!rows[i].over()) {
        expect_no_end(env, i);
        continue;
      }
      ++ends;
      expect_end(env, i, rows[i]);
      if (GetParam() == AutoReset::kSameStep) rows[i].next();
    }
  }
  EXPECT_GT(ends, 70);
}

INSTANTIATE_TEST_SUITE_P(VectorEnv, AutoResetModes,
                         testing::Values(AutoReset::kNextStep, AutoReset::kSameStep,
                                         AutoReset::kDisabled));

TEST(VectorEnv, the_first_reset_keeps_episode_0_and_a_seed_restarts_there) {
  VectorEnv env(everything(5));
  const auto start = all_rows(env);
  env.reset();
  EXPECT_EQ(difference(start, all_rows(env)), "");
  env.reset();
  EXPECT_EQ(env.buffers().running_seed[2], episode_seed(7, 2, 1));
  env.step_random();
  env.reset(7);
  EXPECT_EQ(difference(start, all_rows(env)), "");
  env.reset(8);
  EXPECT_EQ(env.buffers().running_seed[2], episode_seed(8, 2, 0));
}

TEST(VectorEnv, a_partial_reset_leaves_the_other_rows_alone) {
  for (const AutoReset mode : {AutoReset::kNextStep, AutoReset::kSameStep, AutoReset::kDisabled}) {
    VectorEnvOptions options = everything(6);
    options.auto_reset = mode;
    VectorEnv env(options);
    for (int i = 0; i < 9; ++i) env.step_random();
    const auto before = rows_of(env.buffers(), 0, 3);
    const std::uint64_t seed = env.buffers().running_seed[4];
    env.reset(std::nullopt, std::vector<std::uint8_t>{0, 0, 0, 1, 0, 1});
    EXPECT_EQ(difference(before, rows_of(env.buffers(), 0, 3)), "");
    EXPECT_EQ(env.buffers().running_seed[3], episode_seed(7, 3, 1));
    EXPECT_EQ(env.buffers().running_seed[4], seed);
    EXPECT_EQ(env.buffers().running_seed[5], episode_seed(7, 5, 1));
    EXPECT_EQ(env.key(3).decision, 0u);
  }
  VectorEnv env(everything(6));
  EXPECT_THAT(error_of([&] { env.reset(std::nullopt, std::vector<std::uint8_t>{1}); }),
              HasSubstr("reset_mask has 1"));
}

TEST(VectorEnv, rewards_come_once_and_add_up_to_zero) {
  VectorEnvOptions options = small_options(200);
  VectorEnv env(options);
  double paid = 0.0;
  std::int64_t ends = 0;
  for (int step = 0; step < 200; ++step) {
    env.step_random();
    const EnvBuffers& buffers = env.buffers();
    for (std::size_t i = 0; i < 200; ++i) {
      const auto row = buffers.rewards.subspan(4 * i, 4);
      EXPECT_EQ(std::accumulate(row.begin(), row.end(), 0.0F), 0.0F);
      paid += static_cast<double>(std::abs(row[0]));
      if (buffers.terminated[i] == 0) {
        EXPECT_TRUE(std::ranges::all_of(row, [](float r) { return r == 0.0F; }));
      }
      ends += buffers.terminated[i];
    }
  }
  EXPECT_GT(paid, 0.0);
  EXPECT_EQ(ends, env.num_deals());
}

// Threads and batch cuts

VectorEnvOptions with_opponents(VectorEnvOptions options) {
  options.learner_seat = 1;
  options.opponent = std::make_shared<UniformPolicy>();
  options.skip_forced = true;
  return options;
}

TEST(VectorEnv, results_do_not_depend_on_the_number_of_threads) {
  for (const bool opponents : {false, true}) {
    for (const AutoReset mode : {AutoReset::kNextStep, AutoReset::kSameStep}) {
      VectorEnvOptions options = everything(600);
      options.auto_reset = mode;
      if (opponents) options = with_opponents(options);
      VectorEnv one(options);
      options.num_threads = 2;
      VectorEnv two(options);
      options.num_threads = 8;
      VectorEnv eight(options);
      for (int step = 0; step < scaled(20, 100, 1000); ++step) {
        for (VectorEnv* env : {&one, &two, &eight}) env->step_random();
        if (step % 10 != 0) continue;
        const auto expected = all_rows(one);
        ASSERT_EQ(difference(expected, all_rows(two)), "") << step;
        ASSERT_EQ(difference(expected, all_rows(eight)), "") << step;
      }
      EXPECT_EQ(one.num_decisions(), eight.num_decisions());
      EXPECT_EQ(one.num_deals(), eight.num_deals());
      EXPECT_EQ(one.skipped_deals(), eight.skipped_deals());
      EXPECT_EQ(one.skipped_return(), eight.skipped_return());
    }
  }
}

TEST(VectorEnv, results_do_not_depend_on_the_cut_of_the_batch) {
  for (const bool opponents : {false, true}) {
    const auto make = [&](int num_envs, std::uint64_t first_env) {
      VectorEnvOptions options = everything(num_envs);
      options.first_env = first_env;
      options.auto_reset = AutoReset::kSameStep;
      return VectorEnv(opponents ? with_opponents(options) : options);
    };
    VectorEnv whole = make(50, 0), left = make(13, 0), right = make(37, 13);
    for (int step = 0; step < 90; ++step) {
      for (VectorEnv* env : {&whole, &left, &right}) env->step_random();
      ASSERT_EQ(difference(rows_of(whole.buffers(), 0, 13), all_rows(left)), "") << step;
      ASSERT_EQ(difference(rows_of(whole.buffers(), 13, 50), all_rows(right)), "") << step;
    }
  }
}

// Bad actions

TEST(VectorEnv, a_bad_action_is_named_and_nothing_is_stepped) {
  VectorEnvOptions options = everything(130);
  options.num_threads = 2;
  VectorEnv env(options);
  for (int step = 0; step < 12; ++step) env.step_random();
  std::vector<Action> actions(130);
  env.random_actions(actions);
  const auto before = all_rows(env);
  const std::vector<std::uint8_t> state = env.snapshot();

  // the last row that is not over, in the slice of the second thread
  int row = 129;
  while (env.game(row).is_terminal()) --row;
  const auto r = static_cast<std::size_t>(row);
  std::vector<Action> bad = actions;
  bad[r] = kActionLay;
  const std::string text = error_of([&] { env.step(bad); });
  EXPECT_THAT(text, HasSubstr("env " + std::to_string(row) + ", action 42: seat " +
                              std::to_string(env.game(row).current_player())));
  EXPECT_THAT(text, HasSubstr("LAY"));
  EXPECT_THAT(text, HasSubstr("legal: " + to_string(env.game(row).legal_actions())));

  std::vector<std::int32_t> wide(actions.begin(), actions.end());
  for (const std::int32_t action : {-1, 128, 256 + int{actions[r]}, 1 << 30}) {
    wide[r] = action;  // 256 + a legal action must not be cut down to it
    EXPECT_THAT(error_of([&] { env.step(wide); }),
                HasSubstr("env " + std::to_string(row) + ", action " + std::to_string(action)));
  }
  EXPECT_THAT(error_of([&] { env.step(std::span(actions).first(129)); }),
              HasSubstr("actions has 129 entries, allowed: 130"));
  EXPECT_EQ(difference(before, all_rows(env)), "");
  EXPECT_EQ(state, env.snapshot());

  VectorEnv twin(options);
  twin.restore(state);
  wide[r] = actions[r];
  env.step(wide);
  twin.step(actions);
  EXPECT_EQ(difference(all_rows(env), all_rows(twin)), "");
}

// so many rows are checked by all threads
TEST(VectorEnv, the_first_of_several_bad_actions_of_a_large_batch_is_named) {
  constexpr int kEnvs = 5000;
  VectorEnvOptions options = small_options(kEnvs);
  options.num_threads = 3;
  VectorEnv env(options);
  std::vector<Action> actions(kEnvs);
  env.random_actions(actions);
  const std::vector<std::uint8_t> state = env.snapshot();
  for (const int row : {4999, 4000, 1700, 0}) {
    actions[static_cast<std::size_t>(row)] = kActionLay;
    EXPECT_THAT(error_of([&] { env.step(actions); }),
                HasSubstr("env " + std::to_string(row) + ", action 42: "));
  }
  EXPECT_EQ(env.snapshot(), state);
}

TEST(VectorEnv, a_forbidden_card_is_explained_by_its_rule) {
  VectorEnv env(small_options(400));
  std::vector<Action> actions(400);
  for (int step = 0; step < 40; ++step) {
    for (std::size_t i = 0; i < 400; ++i) {
      const Game& game = env.game(static_cast<int>(i));
      if (game.phase() != Phase::kPlay) continue;
      const CardSet forbidden(game.hand(game.current_player()).bits() &
                              ~static_cast<std::uint32_t>(game.legal_actions().words[0]));
      if (forbidden.empty()) continue;
      env.random_actions(actions);
      actions[i] = forbidden.lowest();
      const std::string text = error_of([&] { env.step(actions); });
      EXPECT_THAT(text, HasSubstr(card_name(forbidden.lowest())));
      EXPECT_THAT(text, HasSubstr("R-1"));
      return;
    }
    env.step_random();
  }
  FAIL() << "no hand with a forbidden card";
}

// Snapshots and single games

TEST(VectorEnv, a_restored_snapshot_goes_on_as_the_original) {
  for (const bool opponents : {false, true}) {
    VectorEnvOptions options = everything(40);
    options.session = true;
    if (opponents) options = with_opponents(options);
    VectorEnv env(options);
    for (int step = 0; step < 57; ++step) env.step_random();
    const std::vector<std::uint8_t> state = env.snapshot();
    const auto shown = all_rows(env);
    VectorEnv twin(options);
    twin.restore(state);
    auto restored = all_rows(twin);
    restored["final_observation"] = shown.contains("final_observation")
                                        ? shown.at("final_observation")
                                        : restored["final_observation"];
    if (!opponents) restored.erase("final_observation");
    EXPECT_EQ(difference(shown, restored), "");
    EXPECT_EQ(twin.snapshot(), state);
    for (int step = 0; step < 60; ++step) {
      env.step_random();
      twin.step_random();
      ASSERT_EQ(env.snapshot(), twin.snapshot()) << step;
    }
  }
}

TEST(VectorEnv, a_snapshot_with_rows_that_stay_goes_on_as_the_original) {
  for (const bool opponents : {false, true}) {
    for (const bool skip_forced : {false, true}) {
      VectorEnvOptions options = everything(12);
      options.session = true;
      if (opponents) options = with_opponents(options);
      options.skip_forced = skip_forced;
      options.auto_reset = AutoReset::kDisabled;
      VectorEnv env(options), twin(options);
      std::vector<Action> actions(12);
      std::vector<std::uint8_t> over(12);
      int stayed = 0;
      for (int step = 0; step < 90; ++step) {
        env.random_actions(actions);
        for (std::size_t i = 0; i < over.size(); ++i) {
          over[i] = env.buffers().current_player[i] < 0 ? 1 : 0;
          if (over[i] != 0) actions[i] = static_cast<Action>(kStay);
          stayed += over[i];
        }
        env.step(actions);
        if (step % 9 == 8) env.reset(std::nullopt, over);
        twin.restore(env.snapshot());
        ASSERT_EQ(twin.snapshot(), env.snapshot()) << step;
        auto shown = all_rows(env), restored = all_rows(twin);
        restored.erase("final_observation");
        shown.erase("final_observation");
        ASSERT_EQ(difference(shown, restored), "") << step;
      }
      EXPECT_GT(stayed, 20);
      for (int step = 0; step < 30; ++step) {
        for (VectorEnv* one : {&env, &twin}) {
          one->random_actions(actions);
          for (std::size_t i = 0; i < over.size(); ++i) {
            over[i] = one->buffers().current_player[i] < 0 ? 1 : 0;
            if (over[i] != 0) actions[i] = static_cast<Action>(kStay);
          }
          one->step(actions);
          one->reset(std::nullopt, over);
        }
        ASSERT_EQ(env.snapshot(), twin.snapshot()) << step;
      }
    }
  }
}

TEST(VectorEnv, a_snapshot_that_does_not_fit_changes_nothing) {
  VectorEnv env(everything(4));
  VectorEnv other(everything(5));
  for (int step = 0; step < 20; ++step) env.step_random();
  const std::vector<std::uint8_t> state = env.snapshot();
  EXPECT_THAT(error_of([&] { env.restore(other.snapshot()); }), HasSubstr("5 envs"));
  for (const std::size_t size : {std::size_t{0}, std::size_t{12}, state.size() - 1}) {
    EXPECT_NE(error_of([&] { env.restore(std::span(state).first(size)); }), "no error") << size;
  }
  std::vector<std::uint8_t> longer = state;
  longer.push_back(0);
  EXPECT_THAT(error_of([&] { env.restore(longer); }), HasSubstr("checksum"));
  EXPECT_EQ(env.snapshot(), state);
  VectorEnvOptions elsewhere = everything(4);
  elsewhere.rules = {rules_named("tournament_2024")};
  VectorEnv tournament(elsewhere);
  EXPECT_NE(error_of([&] { tournament.restore(state); }), "no error");
}

TEST(VectorEnv, set_game_continues_a_row_from_any_game) {
  VectorEnv env(everything(3));
  Game game(*rules_named("research"), random_deal(99), 2);
  const auto play_on = [&] {
    const ActionMask mask = game.legal_actions();
    game.apply(mask.contains(kActionPlay) ? kActionPlay : mask.lowest());
  };
  for (int i = 0; i < 10; ++i) play_on();
  env.set_game(1, game);
  expect_shows(env, 1, game);
  std::vector<Action> actions(3);
  env.random_actions(actions);
  game.apply(actions[1]);
  env.step(actions);
  expect_shows(env, 1, game);
  while (!game.is_terminal()) play_on();
  EXPECT_THAT(error_of([&] { env.set_game(1, game); }), HasSubstr("over"));
  EXPECT_THAT(error_of([&] { env.set_game(3, game); }), HasSubstr("0..2"));
  const Game foreign(*rules_named("tournament_2024"), random_deal(1), 0);
  EXPECT_THAT(error_of([&] { env.set_game(1, foreign); }), HasSubstr("rule set"));
}

TEST(VectorEnv, random_actions_have_one_place_per_env) {
  VectorEnv env(small_options(3));
  std::vector<Action> actions(4);
  EXPECT_EQ(error_of([&] { env.random_actions(actions); }),
            "random_actions: actions has 4 entries, allowed: 3, one per env");
}

TEST(VectorEnv, a_batch_can_take_the_place_of_another) {
  VectorEnv env(small_options(2)), other(small_options(3));
  other.step_random();
  const auto expected = other.snapshot();
  env = std::move(other);
  EXPECT_EQ(env.num_envs(), 3);
  EXPECT_EQ(env.snapshot(), expected);
}

// The game that is set waits for an opponent: he acts, and the row shows the learner's next question.
TEST(VectorEnv, set_game_goes_on_to_the_next_question_of_the_caller) {
  VectorEnvOptions options = everything(3);
  options.learner_seat = 2;
  options.opponent = std::make_shared<UniformPolicy>();
  VectorEnv env(options);
  const Game game(*rules_named("research"), random_deal(99), 3);
  ASSERT_EQ(game.current_player(), 0);
  env.set_game(1, game);
  EXPECT_EQ(env.game(1).current_player(), 2);
  EXPECT_EQ(env.buffers().current_player[1], 2);
  EXPECT_EQ(env.game(1).dealt(2), game.dealt(2));
}

TEST(VectorEnv, random_actions_take_the_legal_action_of_the_drawn_number) {
  VectorEnv env(small_options(64));
  std::vector<Action> actions(64);
  std::vector<RngKey> keys(64);
  __extension__ using Wide = unsigned __int128;
  std::array<int, 9> seen{};
  for (int step = 0; step < 60; ++step) {
    env.random_actions(actions);
    env.keys(keys);
    for (std::size_t i = 0; i < 64; ++i) {
      std::vector<int> legal;
      for (int a = 0; a < kNumActions; ++a) {
        if (env.buffers().legal[i].contains(static_cast<Action>(a))) legal.push_back(a);
      }
      const auto r = static_cast<Wide>(draw(keys[i]));
      const auto number = static_cast<std::size_t>((r * legal.size()) >> 64);
      EXPECT_EQ(actions[i], legal[number]);
      if (number < seen.size()) ++seen[number];
    }
    env.step_random();
  }
  for (std::size_t number = 0; number < 8; ++number) EXPECT_GT(seen[number], 0) << number;
}

}  // namespace
}  // namespace schafkopf::test
