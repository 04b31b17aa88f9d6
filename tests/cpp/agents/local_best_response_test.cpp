// Local best response with exact posteriors: what it gains, what it may know, what it refuses.
#include "agents/exploit/local_best_response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agents/basic/random_agent.h"
#include "agents/maxims/rule_agent.h"
#include "agents/search/pimc.h"
#include "agents/worlds/past_decisions.h"
#include "agents/worlds/posterior.h"
#include "env/game/game.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table.h"

namespace schafkopf::test {
namespace {

LocalResponseOptions options_of(std::shared_ptr<const BatchPolicy> policy, int states) {
  static const auto rules = CompiledRules::load("research");
  LocalResponseOptions options;
  options.policy = std::move(policy);
  options.rules = rules;
  options.states = states;
  options.worlds = 30;
  options.threads = 1;
  return options;
}

TEST(LocalBestResponse, a_world_is_replayed_to_the_view_of_the_seat) {
  const auto rules = house();
  int replayed = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Game game(*rules, random_deal(seed), 3);
    RuleAgent agent;
    while (!game.is_terminal() &&
           (game.phase() != Phase::kPlay || game.play_state().num_played < 22)) {
      game.apply(RuleAgent::choose(game.view(game.current_player()), *rules));
    }
    if (game.is_terminal()) continue;
    const int seat = game.current_player();
    const PlayerView view = game.view(seat);
    const ExactPosterior posterior(view, *rules, agent);
    const PastDecisions past(view, *rules);
    for (std::size_t i = 0; i < posterior.size(); ++i) {
      const Game other = past.game_of(posterior.world(i));
      ASSERT_EQ(other.current_player(), seat);
      const PlayerView seen = other.view(seat);
      ASSERT_EQ(std::memcmp(&seen, &view, sizeof(view)), 0) << "seed " << seed;
      EXPECT_EQ(other.hand((seat + 1) % kNumSeats), posterior.world(i).hands[1]);
      ++replayed;
    }
  }
  EXPECT_GT(replayed, 0);
}

// F.2: seat 3 is asked to double after seat 2 was asked and said nothing.
TEST(LocalBestResponse, a_world_is_replayed_through_answers_that_leave_no_trace) {
  const auto rules = house({"kontra_window = \"before_first_card\""});
  int silent = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Game game(*rules, random_deal(seed), 3);
    while (!game.is_terminal() && game.phase() != Phase::kPlay) {
      const int seat = game.current_player();
      if (game.phase() == Phase::kDouble) {
        const PlayerView view = game.view(seat);
        const World world = WorldSampler(view, *rules).sample(seed);
        const Game other = PastDecisions(view, *rules).game_of(world);
        const PlayerView seen = other.view(seat);
        ASSERT_EQ(std::memcmp(&seen, &view, sizeof(view)), 0) << "seed " << seed;
        ++silent;
        game.apply(kActionNoDouble);
        continue;
      }
      game.apply(RuleAgent::choose(game.view(seat), *rules));
    }
  }
  EXPECT_GT(silent, 20);
}

// Against random players whoever looks ahead gains points: 7.9 +- 3.5 a game over 1,000 states.
TEST(LocalBestResponse, gains_against_random_players) {
  const LocalResponseResult result =
      local_best_response(options_of(std::make_shared<RandomAgent>(), scaled(100, 100, 400)));
  EXPECT_GT(result.gain.mean - result.gain.half_width, 0.0);
  EXPECT_GT(result.changed, 0);
  EXPECT_FALSE(result.stopped);
}

TEST(LocalBestResponse, of_cards_that_are_worth_the_same_the_usual_one_is_played) {
  RuleSet rules = CompiledRules::load("research")->rules();
  rules.tariff.name = "free";
  for (int& price : rules.tariff.amounts) price = 0;
  LocalResponseOptions options = options_of(std::make_shared<RandomAgent>(), 10);
  options.rules = std::make_shared<const CompiledRules>(rules, "free");
  options.worlds = 3;
  const LocalResponseResult result = local_best_response(options);
  EXPECT_GT(result.choices, 0);
  EXPECT_EQ(result.changed, 0);
}

/// Plays at random and keeps what it was asked: the key, and how many cards lay.
class AskedPolicy final : public BatchPolicy {
 public:
  struct Asked {
    RngKey key;
    int num_plays = 0;
  };
  explicit AskedPolicy(std::shared_ptr<std::vector<Asked>> asked) : asked_(std::move(asked)) {}
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    RandomAgent().policy(batch, probabilities, values);
  }
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    for (std::size_t row = 0; row < batch.size; ++row) {
      asked_->push_back({keys[row], batch.order[row].num_plays});
    }
    RandomAgent().act(batch, keys, actions);
  }
  [[nodiscard]] std::string name() const override { return "asked"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<AskedPolicy>(asked_);
  }

 private:
  std::shared_ptr<std::vector<Asked>> asked_;
};

// F.2: who is asked to double and says nothing has drawn, though no event shows it.
TEST(LocalBestResponse, no_draw_of_a_deal_comes_twice_after_answers_that_leave_no_trace) {
  const auto asked = std::make_shared<std::vector<AskedPolicy::Asked>>();
  LocalResponseOptions options = options_of(std::make_shared<AskedPolicy>(asked), 20);
  options.rules = house({"kontra_window = \"before_first_card\""});
  options.worlds = 1;
  (void)local_best_response(options);
  std::map<std::array<std::uint64_t, 4>, int> plays;
  for (const auto& [key, num_plays] : *asked) {
    const auto [known, is_new] =
        plays.try_emplace({key.env, key.episode, key.decision, key.seat}, num_plays);
    ASSERT_EQ(known->second, num_plays) << "state " << key.env << ", decision " << key.decision;
  }
  EXPECT_GT(plays.size(), 100U);
}

TEST(LocalBestResponse, threads_do_not_change_the_result) {
  LocalResponseOptions options = options_of(std::make_shared<RuleAgent>(0.1), scaled(6, 12, 40));
  const std::string one = to_json(local_best_response(options), options);
  options.threads = 3;
  EXPECT_EQ(to_json(local_best_response(options), options), one);
  EXPECT_NE(to_text(local_best_response(options), options).find("rules:random=0.1"),
            std::string::npos);
}

TEST(LocalBestResponse, few_states_that_gave_the_same_have_no_interval) {
  const LocalResponseOptions options = options_of(std::make_shared<RuleAgent>(), 4);
  LocalResponseResult result;
  result.states = 4;
  result.gain = {.mean = 2.0, .half_width = 0.0, .sd = 0.0, .blocks = 4};
  EXPECT_THAT(to_text(result, options), ::testing::HasSubstr("no interval: too few states"));
  EXPECT_THAT(to_json(result, options), ::testing::HasSubstr("\"low\": null"));
  result.gain = {.mean = 2.0, .half_width = 1.25, .sd = 1.0, .blocks = 4};
  EXPECT_THAT(to_text(result, options), ::testing::HasSubstr("95 % interval +- 1.25"));
}

TEST(LocalBestResponse, stops_when_told) {
  const LocalResponseResult result = local_best_response(
      options_of(std::make_shared<RuleAgent>(), 20), [](int done, int) { return done < 3; });
  EXPECT_EQ(result.states, 3);
  EXPECT_TRUE(result.stopped);
}

/// Plays at random and says that it always takes the lowest legal action: what it does has no
/// probability.
class LyingPolicy final : public BatchPolicy {
 public:
  void policy(const ViewBatch& batch, std::span<float> probabilities, std::span<float>) override {
    std::fill(probabilities.begin(), probabilities.end(), 0.0F);
    for (std::size_t row = 0; row < batch.size; ++row) {
      probabilities[row * kNumActions + legal_actions(batch.cards[row]).lowest()] = 1.0F;
    }
  }
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    RandomAgent().act(batch, keys, actions);
  }
  [[nodiscard]] std::string name() const override { return "liar"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<LyingPolicy>();
  }
};

TEST(LocalBestResponse, measures_a_player_whose_probabilities_exclude_every_world) {
  const LocalResponseOptions options = options_of(std::make_shared<LyingPolicy>(), 4);
  const LocalResponseResult result = local_best_response(options);
  EXPECT_EQ(result.states, 4);
  EXPECT_GT(result.unexplained, 0);
  EXPECT_LE(result.unexplained, result.choices);
  EXPECT_NE(to_text(result, options).find("no deal explained"), std::string::npos);
  const LocalResponseOptions honest = options_of(std::make_shared<RandomAgent>(), 4);
  EXPECT_EQ(to_text(local_best_response(honest), honest).find("explained"), std::string::npos);
}

std::string error_of(const LocalResponseOptions& options) {
  return test::error_of<std::invalid_argument>([&] { (void)local_best_response(options); });
}

TEST(LocalBestResponse, wrong_options_are_refused_by_name) {
  const LocalResponseOptions fine = options_of(std::make_shared<RandomAgent>(), 10);
  LocalResponseOptions wrong = fine;
  wrong.states = 1;
  EXPECT_EQ(error_of(wrong), "states = 1, allowed: integer 2..2147483647");
  wrong = fine;
  wrong.policy = nullptr;
  EXPECT_EQ(error_of(wrong), "local best response needs an agent and rules");
  wrong = fine;
  wrong.worlds = 0;
  EXPECT_EQ(error_of(wrong), "worlds = 0, allowed: integer 1..2147483647");
  wrong = fine;
  wrong.threads = -2;
  EXPECT_NE(error_of(wrong).find("threads = -2"), std::string::npos);
  EXPECT_NE(error_of(options_of(std::make_shared<OracleAgent>(), 10)).find("oracle"),
            std::string::npos);
  wrong = fine;
  wrong.rules = house({"history_view = \"last_trick\""});
  EXPECT_NE(error_of(wrong).find("none of 200 deals"), std::string::npos);
}

}  // namespace
}  // namespace schafkopf::test
