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
#include "env/vector/first_game.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table.h"

namespace schafkopf::test {
namespace {

LocalResponseOptions response_options(std::shared_ptr<const BatchPolicy> policy, int states) {
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
      local_best_response(response_options(std::make_shared<RandomAgent>(), scaled(100, 100, 400)));
  EXPECT_GT(result.gain.mean - result.gain.half_width, 0.0);
  EXPECT_GT(result.changed, 0);
  EXPECT_FALSE(result.stopped);
}

/// Bids as the rule agent and plays the lowest card. It says that it plays others now and then, so
/// that what was done tells of the hands and proves nothing.
class MostlyLowest final : public BatchPolicy {
 public:
  static constexpr float kOther = 0.1F;  // share of the other cards

  [[nodiscard]] static Action choose(const Game& game, const CompiledRules& rules) {
    return game.phase() == Phase::kPlay
               ? without_claims(game.legal_actions()).lowest()
               : RuleAgent::choose(game.view(game.current_player()), rules);
  }
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    bids_.policy(batch, probabilities, values);
    for (std::size_t row = 0; row < batch.size; ++row) {
      if (batch.view(row).phase() != Phase::kPlay) continue;
      const ActionMask mask = without_claims(legal_actions(batch.cards[row]));
      const std::span<float> own = probabilities.subspan(row * kNumActions, kNumActions);
      std::ranges::fill(own, 0.0F);
      for (int i = 0; i < mask.count(); ++i) {
        own[mask.nth(i)] = kOther / static_cast<float>(std::max(1, mask.count() - 1));
      }
      own[mask.lowest()] = mask.count() == 1 ? 1.0F : 1.0F - kOther;
    }
  }
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    bids_.act(batch, keys, actions);
    for (std::size_t row = 0; row < batch.size; ++row) {
      if (batch.view(row).phase() != Phase::kPlay) continue;
      actions[row] = without_claims(legal_actions(batch.cards[row])).lowest();
    }
  }
  [[nodiscard]] std::string name() const override { return "mostly_lowest"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<MostlyLowest>();
  }

 private:
  RuleAgent bids_;
};

/// The response to MostlyLowest, one game after the other, with all worlds.
struct SlowResponse {
  const CompiledRules& rules;
  bool weighted = true;  // else every world that is possible counts alike
  double own = 0.0, gain = 0.0;
  int choices = 0, changed = 0;

  void play(std::uint64_t seed, int state) {
    const int seat = state % rules.seats();
    Game game = start_of(seed, state);
    const double usual = end_of(game, seat);
    own += usual;
    gain += response(game, seat) - usual;
  }

 private:
  [[nodiscard]] Game start_of(std::uint64_t seed, int state) const {
    const auto number = static_cast<std::uint64_t>(state);
    for (std::uint64_t attempt = 0;; ++attempt) {
      const std::uint64_t deal = draw(episode_seed(seed, number, attempt), RngStream::kDeal, 0);
      const int dealer = state / rules.seats() % rules.seats();
      Game game = first_game(rules, deal, dealer, rules.first_context());
      const auto cards = static_cast<unsigned>(4 * rules.seats());
      while (!game.is_terminal() && game.play_state().num_played < cards) {
        game.apply(MostlyLowest::choose(game, rules));
      }
      if (!game.is_terminal()) return game;
    }
  }
  [[nodiscard]] double end_of(Game game, int seat) const {
    while (!game.is_terminal()) game.apply(MostlyLowest::choose(game, rules));
    return game.payoffs()[static_cast<std::size_t>(seat)];
  }
  double response(Game game, int seat) {
    while (!game.is_terminal()) {
      const Action usual = MostlyLowest::choose(game, rules);
      const ActionMask mask = without_claims(game.legal_actions());
      const bool asked = game.current_player() == seat && mask.count() > 1;
      const Action best = asked ? best_card(game, seat, mask, usual) : usual;
      choices += asked ? 1 : 0;
      changed += best == usual ? 0 : 1;
      game.apply(best);
    }
    return game.payoffs()[static_cast<std::size_t>(seat)];
  }
  [[nodiscard]] Action best_card(const Game& game, int seat, ActionMask mask, Action usual) const {
    const PlayerView view = game.view(seat);
    MostlyLowest policy;
    const ExactPosterior posterior(view, rules, policy);
    const PastDecisions past(view, rules);
    std::map<Action, double> values;
    for (std::size_t w = 0; w < posterior.size(); ++w) {
      if (posterior.probability(w) == 0.0) continue;
      for (int i = 0; i < mask.count(); ++i) {
        Game other = past.game_of(posterior.world(w));
        other.apply(mask.nth(i));
        values[mask.nth(i)] += (weighted ? posterior.probability(w) : 1.0) * end_of(other, seat);
      }
    }
    Action best = usual;
    for (const auto& [card, value] : values) {
      if (value > values.at(best) + 1e-7) best = card;
    }
    return best;
  }
};

TEST(LocalBestResponse, is_that_of_a_slow_search_of_all_worlds_by_their_weights) {
  LocalResponseOptions options =
      response_options(std::make_shared<MostlyLowest>(), scaled(40, 60, 300));
  options.rules = house({"deck = \"short24\"", "players = 3"}, "research");
  options.worlds = 100'000;
  SlowResponse slow{.rules = *options.rules},
      unweighted{.rules = *options.rules, .weighted = false};
  for (int state = 0; state < options.states; ++state) {
    slow.play(options.seed, state);
    unweighted.play(options.seed, state);
  }
  const LocalResponseResult result = local_best_response(options);
  EXPECT_NEAR(result.own.mean * options.states, slow.own, 1e-6);
  EXPECT_NEAR(result.gain.mean * options.states, slow.gain, 1e-6);
  EXPECT_EQ(result.choices, slow.choices);
  EXPECT_EQ(result.changed, slow.changed);
  EXPECT_NE(slow.gain, unweighted.gain) << "the weights change nothing";
}

TEST(LocalBestResponse, of_cards_that_are_worth_the_same_the_usual_one_is_played) {
  RuleSet rules = CompiledRules::load("research")->rules();
  rules.tariff.name = "free";
  for (int& price : rules.tariff.amounts) price = 0;
  LocalResponseOptions options = response_options(std::make_shared<RandomAgent>(), 10);
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
  LocalResponseOptions options = response_options(std::make_shared<AskedPolicy>(asked), 20);
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
  LocalResponseOptions options =
      response_options(std::make_shared<RuleAgent>(0.1), scaled(6, 12, 40));
  const std::string one = to_json(local_best_response(options), options);
  options.threads = 3;
  EXPECT_EQ(to_json(local_best_response(options), options), one);
  EXPECT_NE(to_text(local_best_response(options), options).find("rules:random=0.1"),
            std::string::npos);
}

TEST(LocalBestResponse, few_states_that_gave_the_same_have_no_interval) {
  const LocalResponseOptions options = response_options(std::make_shared<RuleAgent>(), 4);
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
      response_options(std::make_shared<RuleAgent>(), 20), [](int done, int) { return done < 3; });
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
  const LocalResponseOptions options = response_options(std::make_shared<LyingPolicy>(), 4);
  const LocalResponseResult result = local_best_response(options);
  EXPECT_EQ(result.states, 4);
  EXPECT_GT(result.unexplained, 0);
  EXPECT_LE(result.unexplained, result.choices);
  EXPECT_NE(to_text(result, options).find("no deal explained"), std::string::npos);
  const LocalResponseOptions honest = response_options(std::make_shared<RandomAgent>(), 4);
  EXPECT_EQ(to_text(local_best_response(honest), honest).find("explained"), std::string::npos);
}

std::string response_error(const LocalResponseOptions& options) {
  return test::error_of<std::invalid_argument>([&] { (void)local_best_response(options); });
}

TEST(LocalBestResponse, wrong_options_are_refused_by_name) {
  const LocalResponseOptions fine = response_options(std::make_shared<RandomAgent>(), 10);
  LocalResponseOptions wrong = fine;
  wrong.states = 1;
  EXPECT_EQ(response_error(wrong), "states = 1, allowed: integer 2..2147483647");
  wrong = fine;
  wrong.policy = nullptr;
  EXPECT_EQ(response_error(wrong), "local best response needs an agent and rules");
  wrong = fine;
  wrong.worlds = 0;
  EXPECT_EQ(response_error(wrong), "worlds = 0, allowed: integer 1..2147483647");
  wrong = fine;
  wrong.threads = -2;
  EXPECT_NE(response_error(wrong).find("threads = -2"), std::string::npos);
  EXPECT_NE(response_error(response_options(std::make_shared<OracleAgent>(), 10)).find("oracle"),
            std::string::npos);
  wrong = fine;
  wrong.rules = house({"history_view = \"last_trick\""});
  EXPECT_NE(response_error(wrong).find("none of 200 deals"), std::string::npos);
}

}  // namespace
}  // namespace schafkopf::test
