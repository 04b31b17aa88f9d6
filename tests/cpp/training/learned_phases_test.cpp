// Learning some phases while the others stay, and playouts of announcements.
#include "training/games/learned_phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"
#include "tests/cpp/training/run_in_folder.h"
#include "training/config/config.h"
#include "training/games/collector.h"
#include "training/run/checkpoint.h"
#include "training/run/trainer.h"

namespace schafkopf {
namespace {

using test::error_of;
using test::metrics_of;
using test::tiny_config;

constexpr auto kActions = static_cast<std::size_t>(kNumActions);

Learner phases_learner(std::uint64_t seed) {
  return Learner({.shape = make_network_shape(32, 2), .replicas = 1, .seed = seed});
}

/// Games from the auction on.
struct Collected {
  explicit Collected(LearnedPhases learned, const std::string& rules = "research",
                     double playout_share = 0.0) {
    CollectorOptions options;
    options.rules = CompiledRules::load(rules);
    options.num_envs = 60;
    options.announcement_playout_share = playout_share;
    Collector collector(options);
    collector.set_actor(PhaseActor(&frozen, learned));
    collector.set_playing_out(true);
    collector.collect(3, learner, 0, batch, stats);
  }
  /// Log-probabilities of decision i by one of the networks.
  std::vector<float> logs_of(Learner& network, std::size_t i) {
    std::vector<float> logits(kActions), logs(kMaxLegal);
    network.policy(0, std::span(batch.views).subspan(i, 1), logits);
    masked_log_softmax(logits.data(), batch.decisions[i].legal, logs.data());
    return logs;
  }
  Learner learner = phases_learner(3), frozen = phases_learner(4);
  Batch batch;
  CollectorStats stats;
};

void expect_decided_by(Collected& played, LearnedPhases learned) {
  int own = 0, others = 0;
  for (std::size_t i = 0; i < played.batch.size(); ++i) {
    const Decision& decision = played.batch.decisions[i];
    ASSERT_EQ(decision.held, !learns(learned, played.batch.views[i].phase()));
    ++(decision.held ? others : own);
    const std::vector<float> logs =
        played.logs_of(decision.held ? played.frozen : played.learner, i);
    for (std::size_t n = 0; n < static_cast<std::size_t>(decision.legal.count()); ++n) {
      ASSERT_NEAR(decision.behaviour_log[n], logs[n], 1e-5F) << i;
    }
  }
  EXPECT_GT(own, 20);
  EXPECT_GT(others, 20);
}

TEST(LearnedPhases, what_is_not_learned_is_decided_by_the_frozen_weights) {
  for (const LearnedPhases learned : {LearnedPhases::kBidding, LearnedPhases::kCardPlay}) {
    Collected played(learned);
    expect_decided_by(played, learned);
  }
  Collected doubled(LearnedPhases::kKontra, "official_1989");
  expect_decided_by(doubled, LearnedPhases::kKontra);
}

TEST(LearnedPhases, every_phase_of_a_deal_is_learned_by_one_of_the_parts) {
  for (int i = 0; i <= static_cast<int>(Phase::kClaimSettle); ++i) {
    const auto phase = static_cast<Phase>(i);
    EXPECT_TRUE(learns(LearnedPhases::kAll, phase));
    EXPECT_EQ(int{learns(LearnedPhases::kCardPlay, phase)} +
                  int{learns(LearnedPhases::kBidding, phase)} +
                  int{learns(LearnedPhases::kKontra, phase)},
              1)
        << i;
  }
}

bool others_passed(const PlayerView& view) {
  int passed = 0;
  for (int i = 0; i < view.order.num_events; ++i) passed += view.event(i).action == kActionPass;
  return passed == 3 && view.order.num_events == 3;
}

// Where all others have passed, one more pass throws the deal in, and nobody pays.
TEST(Collector, plays_out_announcements_of_what_is_learned) {
  Collected played(LearnedPhases::kBidding, "research", 1.0);
  int last = 0, worth = 0;
  for (std::size_t i = 0; i < played.batch.size(); ++i) {
    const Decision& decision = played.batch.decisions[i];
    const PlayerView& view = played.batch.views[i];
    ASSERT_EQ(decision.played_out, view.phase() < Phase::kDouble);
    if (!decision.played_out) continue;
    const float* values = &played.batch.action_values[decision.action_values];
    worth += std::any_of(values, values + decision.legal.count(), [](float v) { return v != 0; });
    if (!others_passed(view) || decision.legal.lowest() != kActionPass) continue;
    ++last;
    EXPECT_EQ(values[0], 0.0F);
  }
  EXPECT_GT(worth, 50);
  EXPECT_GT(last, 0);
  EXPECT_GT(played.stats.playout_seconds, 0.0);
}

class LearnedPhasesRun : public test::RunInFolder {
 protected:
  /// Bidding, from the weights of a short run.
  [[nodiscard]] TrainConfig bidding_config() const {
    TrainConfig config = tiny_config();
    config.critic = "oracle";
    config.critic_width = 16;
    config.decisions_limit = 1;
    config.init = run(config, "cards").model_path;
    config.decisions_limit = tiny_config().decisions_limit;
    config.learn = LearnedPhases::kBidding;
    config.generated_share = config.card_play_first = 0.0;
    return config;
  }
};

/// Of the last update with such decisions: where nobody bids, no card is played.
double last(const std::string& folder, const char* key) {
  double value = -1.0;
  for (const nlohmann::json& line : metrics_of(folder)) value = line.value(key, value);
  return value;
}

TEST_F(LearnedPhasesRun, the_network_plays_on_as_the_weights_that_it_is_held_to) {
  TrainConfig config = bidding_config();
  config.learning_rate = 3e-3;
  config.bidding_entropy = 0.5;  // somebody bids, whoever plays the cards
  config.decisions_limit = 15000;
  config.hold_kl = 10.0;
  run(config, "held");
  config.hold_kl = 0.0;
  run(config, "free");
  EXPECT_GT(last(path("free"), "held_kl"), 1e-4);
  EXPECT_LT(last(path("held"), "held_kl"), 0.3 * last(path("free"), "held_kl"));
  EXPECT_GT(last(path("held"), "held_agreement"), last(path("free"), "held_agreement"));
  const auto share = metrics("held").front().at("held_share").get<double>();
  EXPECT_GT(share, 0.5);
  EXPECT_LT(share, 0.95);
}

// Nobody bids: no gradient moves the policy away from where it is held.
TEST_F(LearnedPhasesRun, what_is_not_learned_gives_no_other_gradient) {
  TrainConfig config = bidding_config();
  config.generated_share = 1.0;
  config.value_coefficient = 0.0;
  config.playout_share = config.announcement_playout_share = 1.0;
  config.decisions_limit = 1000;
  run(config);
  const nlohmann::json line = metrics().front();
  EXPECT_LT(line.at("grad_norm").get<double>(), 1e-4);
  EXPECT_EQ(line.at("held_share").get<double>(), 1.0);
  EXPECT_EQ(line.at("played_out_share").get<double>(), 0.0);
}

TEST_F(LearnedPhasesRun, resumes_bit_for_bit_without_the_file_that_it_began_with) {
  TrainConfig config = bidding_config();
  config.announcement_playout_share = 0.2;
  config.playout_until = 0.8;
  config.average_decay = 0.9;
  config.decisions_limit = 12000;
  run(config, "whole");
  run_until(config, 2, "part");
  std::filesystem::remove(config.init);
  resume(config, "part");
  EXPECT_EQ(model("part"), model("whole"));
  EXPECT_EQ(last(path("part"), "held_kl"), last(path("whole"), "held_kl"));
  config.learn = LearnedPhases::kCardPlay;
  config.decisions_limit *= 2;
  const std::string error = error_of([&] { resume(config, "part"); });
  EXPECT_NE(error.find("learn = bidding, the run asks for card_play"), std::string::npos) << error;
}

TEST_F(LearnedPhasesRun, begins_with_weights_for_what_is_not_learned) {
  TrainConfig config = bidding_config();
  config.init.clear();
  EXPECT_EQ(error_of([&] { run(config); }),
            "learn = bidding, allowed: all where init is empty: the weights that init names take "
            "the decisions that are not learned");
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST(TrainConfig, learned_phases_that_contradict_other_keys_are_named) {
  TrainConfig config;
  config.learn = LearnedPhases::kBidding;
  config.algorithm = Algorithm::kDmc;
  EXPECT_EQ(error_of([&] { check_train_config(config); }),
            "learn = bidding, allowed: all with algorithm = \"dmc\", which has no policy to hold");
  config = {};
  config.announcement_playout_share = 0.5;
  config.playout_weight = 0.0;
  EXPECT_EQ(error_of([&] { check_train_config(config); }),
            "playout_weight = 0, allowed: above 0 where announcement_playout_share = 0.5 is above "
            "0");
}

}  // namespace
}  // namespace schafkopf
