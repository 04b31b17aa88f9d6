// Signals beside PPO in whole runs, and a teacher: playouts, teacher, recorded games.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "env/base/random.h"
#include "env/cards/card_map.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/training/collected_games.h"
#include "tests/cpp/training/recorded_games.h"
#include "training/config/config.h"
#include "training/games/collector.h"
#include "training/learner/imitation.h"
#include "training/learner/learner.h"

namespace schafkopf {
namespace {

using test::collector_options;
using test::error_of;
using test::Games;
using test::make_learner;
using test::tiny_config;

namespace fs = std::filesystem;

using TargetsTest = test::RunWithRecords;

TEST(Imitation, gradient_is_the_slope_of_the_cross_entropy) {
  ActionMask legal;
  for (const Action action : {Action{3}, Action{17}, Action{90}}) legal.add(action);
  const std::array<float, 3> target = {0.2F, 0.7F, 0.1F};
  std::array<float, kNumActions> logits{};
  Rng rng(5);
  for (float& logit : logits) logit = static_cast<float>(2.0 * rng.next_unit() - 1.0);
  const auto loss_of = [&](const std::array<float, kNumActions>& at) {
    std::array<float, kNumActions> ignored{};
    ImitationSums sums;
    add_cross_entropy(at.data(), legal, target.data(), 1.0F, ignored.data(), sums);
    return sums.loss;
  };
  std::array<float, kNumActions> gradient{};
  gradient.fill(0.25F);  // it is added to what is there
  ImitationSums sums;
  add_cross_entropy(logits.data(), legal, target.data(), 3.0F, gradient.data(), sums);
  for (const std::size_t i : {3U, 17U, 90U, 5U}) {
    auto up = logits, down = logits;
    up[i] += 1e-2F;
    down[i] -= 1e-2F;
    const double slope = 3.0 * (loss_of(up) - loss_of(down)) / 0.02;
    EXPECT_NEAR(static_cast<double>(gradient[i]), 0.25 + slope, 5e-3) << i;
  }
  // alone it makes the target of the policy, and the loss the entropy of the target
  for (int step = 0; step < 500; ++step) {
    gradient.fill(0.0F);
    sums = {};
    add_cross_entropy(logits.data(), legal, target.data(), 1.0F, gradient.data(), sums);
    for (std::size_t i = 0; i < gradient.size(); ++i) logits[i] -= gradient[i];
  }
  double entropy = 0;
  for (const float p : target) {
    entropy -= static_cast<double>(p) * std::log(static_cast<double>(p));
  }
  EXPECT_NEAR(sums.loss, entropy, 1e-4);
  EXPECT_EQ(sums.agreed, 1);
}

TEST(Collector, shows_a_share_of_the_decisions_to_the_teacher) {
  CollectorOptions options = collector_options(60);
  options.generated_share = 0.5;
  options.teacher_share = 0.3;
  Collector collector(options);
  const std::unique_ptr<BatchPolicy> rules_agent = make_agent("rules");
  collector.set_teacher(rules_agent.get());
  const Games games(collector);
  const CompiledRules* const rules[] = {options.rules.get()};
  const RuleTable table{rules, {}};
  double shown = 0;
  for (std::size_t i = 0; i < games.batch.size(); ++i) {
    const Decision& decision = games.batch.decisions[i];
    if (decision.teacher == kNoTeacher) continue;
    ++shown;
    const PlayerView& view = games.batch.views[i];
    const ViewBatch one{.size = 1,
                        .cards = &view.cards,
                        .order = &view.order,
                        .events = &view.events,
                        .rules = &table};
    const RngKey key;
    Action action = 0;
    rules_agent->act(one, {&key, 1}, {&action, 1});
    for (int n = 0; n < decision.legal.count(); ++n) {
      const bool chosen =
          from_canonical_action(decision.legal.nth(n), view.order.card_map) == action;
      EXPECT_EQ(games.batch.teacher_probabilities[decision.teacher + std::size_t(n)],
                chosen ? 1.0F : 0.0F);
    }
  }
  EXPECT_NEAR(shown / static_cast<double>(games.batch.size()), 0.3, 0.05);
  collector.set_teacher(nullptr);
  const Games alone(collector);
  EXPECT_TRUE(alone.batch.teacher_probabilities.empty());
}

TEST(Learner, policy_gives_the_logits_of_forward) {
  for (const Critic critic : {Critic::kShared, Critic::kOracle}) {
    CollectorOptions options = collector_options(5);
    options.full_view = true;
    Collector collector(options);
    const Games games(collector);
    Learner learner = make_learner(1, critic);
    const std::size_t count = games.batch.size();
    std::vector<float> all(count * kNumActions), values(count), logits(count * kNumActions);
    learner.forward(0, games.batch.views, games.batch.full_views, all, values);
    learner.policy(0, games.batch.views, logits);
    EXPECT_EQ(logits, all);
  }
}

TEST_F(TargetsTest, the_policy_comes_to_agree_with_its_teacher) {
  TrainConfig config = tiny_config();
  config.teacher = "rules";
  config.teacher_share = 0.5;
  config.teacher_weight = 3.0;
  config.teacher_until = 0;
  config.minibatch = 128;
  config.decisions_limit = 30000;
  run(config);
  const auto lines = metrics();
  EXPECT_NEAR(lines.front().at("taught_share").get<double>(), 0.5, 0.05);
  const auto number = [](const nlohmann::json& line, const char* key) {
    return line.at(key).get<double>();
  };
  EXPECT_GT(number(lines.back(), "teacher_agreement"),
            number(lines.front(), "teacher_agreement") + 0.1);
  EXPECT_LT(number(lines.back(), "teacher_loss"), number(lines.front(), "teacher_loss") - 0.1);
}

TEST_F(TargetsTest, the_policy_comes_to_do_what_was_done_in_recorded_games) {
  TrainConfig config = tiny_config();
  config.clone_records = record_games("games.jsonl", 200);
  config.clone_until = 0;
  config.decisions_limit = 60000;
  config.critic = "oracle";
  run(config);
  const auto lines = metrics();
  EXPECT_GT(lines.front().at("cloned_decisions").get<double>(), 64 * 10);
  EXPECT_GT(lines.back().at("clone_agreement").get<double>(),
            lines.front().at("clone_agreement").get<double>() + 0.06);
  // every update draws games of its own
  EXPECT_NE(lines[1].at("cloned_decisions"), lines[0].at("cloned_decisions"));
}

// With no other term in the loss every gradient is theirs.
TEST_F(TargetsTest, playouts_alone_move_the_policy) {
  TrainConfig config = tiny_config();
  config.generated_share = 1.0;
  config.ppo_weight = config.entropy = config.behaviour_kl = config.value_coefficient = 0.0;
  config.decisions_limit = 1000;
  run(config, "nothing");
  EXPECT_EQ(metrics("nothing").front().at("grad_norm").get<double>(), 0.0);
  config.playout_share = 0.25;
  run(config);
  const nlohmann::json line = metrics().front();
  EXPECT_GT(line.at("grad_norm").get<double>(), 0.0);
  EXPECT_NEAR(line.at("played_out_share").get<double>(), 0.25, 0.05);
  EXPECT_GT(line.at("playout_regret").get<double>(), 0.0);
  EXPECT_GT(line.at("playout_time_share").get<double>(), 0.0);
  EXPECT_LT(line.at("playout_time_share").get<double>(), 1.0);
  EXPECT_FALSE(line.contains("regret"));  // that of solved decisions
}

TEST_F(TargetsTest, bids_weigh_for_the_teacher_what_they_weigh_for_the_rest) {
  TrainConfig config = tiny_config();
  config.ppo_weight = config.entropy = config.behaviour_kl = config.value_coefficient = 0.0;
  config.generated_share = config.card_play_first = config.bidding_entropy = 0.0;
  config.teacher = "rules";
  config.teacher_share = 0.5;
  config.decisions_limit = 1000;
  run(config, "alike");
  config.bidding_weight = 0.25;
  run(config, "less");
  EXPECT_NE(model("less"), model("alike"));
}

TEST_F(TargetsTest, a_run_with_all_of_them_resumes_bit_for_bit) {
  TrainConfig config = tiny_config();
  config.critic = "oracle";
  config.observation = 3;
  config.epochs = 2;
  config.playout_share = 0.1;
  config.playout_until = 0.7;
  config.teacher = "rules";
  config.teacher_share = 0.2;
  config.clone_records = record_games("games.jsonl", 20);
  config.clone_games = 15;
  config.decisions_limit = 15000;
  run(config, "whole");
  run_until(config, 2, "part");
  resume(config, "part");
  EXPECT_EQ(model("part"), model("whole"));
  const auto parts = metrics("part"), whole = metrics("whole");
  ASSERT_EQ(parts.size(), whole.size());
  ASSERT_GT(parts.size(), 4U);
  for (const char* key : {"teacher_loss", "clone_loss", "teacher_weight", "clone_weight"}) {
    EXPECT_EQ(parts.back().at(key), whole.back().at(key)) << key;
  }
  EXPECT_EQ(parts[2].at("playout_regret"), whole[2].at("playout_regret"));
  EXPECT_LT(parts[2].at("playout_weight").get<double>(), 1.0);
  EXPECT_LT(parts[2].at("clone_weight"), parts[1].at("clone_weight"));
  EXPECT_FALSE(parts.back().contains("playout_weight"));  // it has run down
}

TEST_F(TargetsTest, signals_without_a_share_change_nothing) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 4000;
  run(config, "plain");
  config.teacher = "rules";
  config.playout_weight = 5.0;
  config.clone_weight = 5.0;
  const TrainResult result = run(config, "unused");
  EXPECT_EQ(model("unused"), model("plain"));
  EXPECT_EQ(
      result.notes,
      (std::vector<std::string>{
          "playout_weight = 5.0 has no effect: playout_share and announcement_playout_share are 0",
          "teacher = \"rules\" has no effect: teacher_share = 0",
          "clone_weight = 5.0 has no effect: clone_records is empty"}));
}

TEST_F(TargetsTest, a_teacher_that_cannot_be_asked_is_refused_before_anything_is_written) {
  TrainConfig config = tiny_config();
  config.teacher_share = 0.5;
  for (const char* teacher : {"oracle", "nobody"}) {
    config.teacher = teacher;
    const std::string error = error_of([&] { run(config); });
    EXPECT_TRUE(error.starts_with(fmt::format("teacher = \"{}\": ", teacher))) << error;
    EXPECT_FALSE(fs::exists(path("run")));
  }
}

TEST(TrainConfig, signals_that_contradict_themselves_are_named) {
  const auto error = [](auto&& change) {
    TrainConfig config;
    change(config);
    return error_of([&] { check_train_config(config); });
  };
  EXPECT_EQ(error([](TrainConfig& c) { c.teacher_share = 0.5; }),
            "teacher = \"\", allowed: a player where teacher_share = 0.5 is above 0");
  EXPECT_EQ(error([](TrainConfig& c) {
              c.teacher = "rules";
              c.teacher_share = 0.5;
              c.teacher_weight = 0;
            }),
            "teacher_weight = 0, allowed: above 0 where teacher_share = 0.5 is above 0");
  EXPECT_EQ(error([](TrainConfig& c) {
              c.playout_share = 0.25;
              c.playout_weight = 0;
            }),
            "playout_weight = 0, allowed: above 0 where playout_share = 0.25 is above 0");
  EXPECT_EQ(
      error([](TrainConfig& c) {
        c.clone_records = "games.jsonl";
        c.clone_weight = 0;
      }),
      "clone_weight = 0, allowed: above 0 where clone_records = \"games.jsonl\" names a file");
}

}  // namespace
}  // namespace schafkopf
