// Tournaments: zero between equals, signs, threads, errors, ratings of a known toy.
#include "agents/tournament/tournament.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agents/registry.h"
#include "agents/tournament/ratings.h"
#include "env/base/random.h"
#include "tests/cpp/agents/tournament_options.h"
#include "tests/cpp/support/counted_policy.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/temporary_file.h"

namespace schafkopf {
namespace {

using test::options_for;

TEST(Tournament, equal_agents_differ_by_exactly_nothing) {
  for (const Track track : {Track::kFull, Track::kCardPlay}) {
    for (const char* spec : {"rules", "random", "rules:random=0.2"}) {
      const TournamentResult result =
          run_tournament(options_for({{spec, "a"}, {spec, "b"}}, 60, track));
      EXPECT_EQ(result.one_against_three[0][1].mean, 0.0) << spec;
      EXPECT_EQ(result.one_against_three[0][1].sd, 0.0) << spec;
      EXPECT_EQ(result.difference[1][0].mean, 0.0) << spec;
      EXPECT_EQ(result.ratings[0].mean, 0.0) << spec;
    }
  }
}

TEST(Tournament, swapping_agents_flips_signs) {
  const TournamentResult ab = run_tournament(options_for({{"rules"}, {"random"}}, 64));
  const TournamentResult ba = run_tournament(options_for({{"random"}, {"rules"}}, 64));
  EXPECT_EQ(ab.difference[0][1].mean, -ab.difference[1][0].mean);
  EXPECT_EQ(ab.one_against_three[0][1].mean, ba.one_against_three[1][0].mean);
  EXPECT_EQ(ab.difference[0][1].mean, ba.difference[1][0].mean);
  EXPECT_NEAR(ab.ratings[0].mean, ba.ratings[1].mean, 1e-9);
}

TEST(Tournament, results_do_not_depend_on_threads) {
  std::set<std::string> results;
  for (const int threads : {1, 2, 8}) {
    TournamentOptions options =
        options_for({{"rules:random=0.1"}, {"random"}, {"rules"}}, 100, Track::kFull);
    options.threads = threads;
    results.insert(to_json(run_tournament(options), options));
  }
  EXPECT_EQ(results.size(), 1u);
}

TEST(Tournament, rules_beat_random_in_both_tracks) {
  const int blocks = test::scaled(100, 1000, 5000);
  for (const Track track : {Track::kFull, Track::kCardPlay}) {
    const TournamentResult result =
        run_tournament(options_for({{"rules"}, {"random"}}, blocks, track));
    const Estimate& alone = result.one_against_three[0][1];
    EXPECT_GT(alone.mean - alone.half_width, 5.0);
    const Estimate& against = result.one_against_three[1][0];
    EXPECT_LT(against.mean + against.half_width, -5.0);
  }
}

TEST(Tournament, random_moves_cost_strength_in_order) {
  const int blocks = test::scaled(200, 1000, 4000);
  const TournamentResult result =
      run_tournament(options_for({{"rules"}, {"rules:random=0.2"}, {"rules:random=0.6"}}, blocks));
  EXPECT_GT(result.ratings[0].mean, result.ratings[1].mean);
  EXPECT_GT(result.ratings[1].mean, result.ratings[2].mean);
  EXPECT_EQ(result.cycle.agents[2], 2);
  double sum = 0.0;
  for (const Estimate& rating : result.ratings) sum += rating.mean;
  EXPECT_NEAR(sum, 0.0, 1e-9);
}

TEST(Tournament, declarers_are_counted_for_the_agent_that_declared) {
  const TournamentOptions options = options_for({{"rules"}, {"random"}}, 200, Track::kFull);
  const TournamentResult result = run_tournament(options);
  const auto thrown_in =
      std::ranges::count_if(result.rows, [](const GameRow& row) { return row.contract < 0; });
  EXPECT_GT(thrown_in, 0);
  EXPECT_EQ(result.thrown_in[0] + result.thrown_in[1], 4 * thrown_in);  // of every seat
  const auto json = nlohmann::json::parse(to_json(result, options));
  EXPECT_EQ(json["rules"], "research");
  EXPECT_EQ(json["games"], 200 * 2 * 4);
  EXPECT_EQ(json["agents"][0]["seat_deals"], 200 * 16);
  const auto& contracts = json["agents"][0]["contracts"];
  double share = 0.0;
  for (const auto& contract : contracts) share += contract["share"].get<double>();
  EXPECT_NEAR(share, 1.0, 1e-9);
  EXPECT_GT(contracts["SOLO"]["share"].get<double>(), 0.01);
  EXPECT_GT(contracts["WENZ"]["share"].get<double>(), 0.01);
  EXPECT_GT(contracts["RUF"]["win_rate"].get<double>(), 0.5);
  EXPECT_TRUE(json["one_against_three"][0][0].is_null());
}

TEST(Tournament, decisions_are_those_that_players_were_asked_for) {
  const auto rows = std::make_shared<test::CountedPolicy::Count>(0);
  const auto player = std::make_shared<test::CountedPolicy>(rows);
  const TournamentResult result =
      run_tournament(options_for({{"x", "x", player}, {"y", "y", player}}, 10, Track::kFull));
  EXPECT_GT(result.decisions, 0);
  EXPECT_EQ(static_cast<std::size_t>(result.decisions), rows->load());
}

TEST(Tournament, stops_when_told_and_keeps_what_is_finished) {
  const TournamentResult result = run_tournament(options_for({{"rules"}, {"random"}}, 5000),
                                                 [](int done, int) { return done < 2; });
  EXPECT_TRUE(result.stopped);
  EXPECT_GE(result.blocks, 2);
  EXPECT_LT(result.blocks, 5000);
  EXPECT_GT(result.one_against_three[0][1].sd, 0.0);
}

TEST(Tournament, refuses_bad_options_by_name) {
  const auto refused = [](TournamentOptions options) {
    try {
      (void)run_tournament(options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(refused(options_for({{"rules"}}, 10)).find("at least 2"), std::string::npos);
  EXPECT_NE(refused(options_for({{"rules"}, {"random"}}, 0)).find("blocks = 0"), std::string::npos);
  EXPECT_NE(refused(options_for({{"rules"}, {"nobody"}}, 1)).find("unknown agent \"nobody\""),
            std::string::npos);
  TournamentOptions formats = options_for({{"rules"}, {"random"}}, 1);
  formats.formats = {};
  EXPECT_EQ(refused(formats), "formats is empty, allowed: 1v3, 2v2, declarer");
  formats.formats = {Format::kOneAgainstThree, Format::kTwoAgainstTwo, Format::kOneAgainstThree};
  EXPECT_EQ(refused(formats), "formats: 1v3 comes twice");
  TournamentOptions resumed = options_for({{"rules"}, {"random"}}, 1);
  resumed.resume = true;
  EXPECT_EQ(refused(resumed), "resume needs a journal to go on with");
  TournamentOptions generator = options_for({{"rules"}, {"random"}}, 1);
  generator.generator = "chaos";
  EXPECT_NE(refused(generator).find("unknown contract generator \"chaos\""), std::string::npos);
}

TEST(Tournament, a_part_begins_at_a_block_and_a_table_that_the_tournament_has) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 4);
  const auto refused = [&](const TournamentStart& start) {
    return test::error_of<std::invalid_argument>([&] { (void)play_part(options, start); });
  };
  EXPECT_EQ(refused({.block = 4}), "no error");
  EXPECT_EQ(refused({.block = 5}), "first_block = 5, allowed: integer 0..4");
  EXPECT_EQ(refused({.block = 0, .table = 1}), "first_table = 1, allowed: integer 0..0");
  options.precision = 0.5;
  EXPECT_EQ(refused({}), "precision = 0.5, allowed: 0 where a tournament is played in parts");
}

/// Says YIELD whatever is legal.
class Stubborn final : public BatchPolicy {
 public:
  void policy(const ViewBatch&, std::span<float>, std::span<float>) override {}
  void act(const ViewBatch&, std::span<const RngKey>, std::span<Action> actions) override {
    for (Action& action : actions) action = kActionYield;
  }
  [[nodiscard]] std::string name() const override { return "stubborn"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<Stubborn>();
  }
};

TEST(Tournament, an_illegal_action_of_an_agent_is_an_error_that_names_it) {
  TournamentOptions options = options_for({{"rules"}, {"x", "x", std::make_shared<Stubborn>()}}, 4);
  options.threads = 2;
  const std::string error = test::error_of([&] { (void)run_tournament(options); });
  EXPECT_TRUE(error.starts_with("agent x: deal ")) << error;
  EXPECT_NE(error.find(" is not legal; legal: "), std::string::npos) << error;
}

/// The rule agent under a name.
class Named final : public BatchPolicy {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    rules_->policy(batch, probabilities, values);
  }
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    rules_->act(batch, keys, actions);
  }
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<Named>(name_);
  }

 private:
  std::unique_ptr<BatchPolicy> rules_ = make_agent("rules");
  std::string name_;
};

TEST(Tournament, a_name_of_a_player_that_is_no_registry_string_tells_its_journal_from_others) {
  const test::TemporaryFolder folder;
  TournamentOptions options = options_for({{"random"}, {"x", "x"}}, 2);
  options.journal = folder.file("games.journal");
  const auto played_by = [&](const char* name) {
    options.agents[1].policy = std::make_shared<Named>(name);
    return test::error_of([&] { (void)run_tournament(options); });
  };
  EXPECT_EQ(played_by("mine:, of May"), "no error");
  options.resume = true;
  EXPECT_EQ(played_by("mine:, of May"), "no error");
  EXPECT_NE(played_by("mine:, of June").find("mine:, of May"), std::string::npos);
}

/// Concedes the rest as soon as it is to play a card.
class Quitter final : public BatchPolicy {
 public:
  void policy(const ViewBatch&, std::span<float>, std::span<float>) override {}
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    rules_->act(batch, keys, actions);
    for (std::size_t row = 0; row < actions.size(); ++row) {
      if (batch.view(row).phase() == Phase::kPlay) actions[row] = kActionConcedeRest;
    }
  }
  [[nodiscard]] std::string name() const override { return "quitter"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<Quitter>();
  }

 private:
  std::unique_ptr<BatchPolicy> rules_ = make_agent("rules");
};

// Claims are left out of tournaments: nobody is offered one.
TEST(Tournament, a_claim_that_nobody_was_offered_is_an_error) {
  TournamentOptions options = options_for({{"rules"}}, 4);
  options.agents.push_back({.policy = std::make_shared<Quitter>()});
  const std::string error = test::error_of([&] { (void)run_tournament(options); });
  EXPECT_TRUE(error.starts_with("agent quitter: deal ")) << error;
  EXPECT_NE(error.find("(CONCEDE_REST) is not legal; legal: "), std::string::npos) << error;
  EXPECT_EQ(error.find("CLAIM_REST"), std::string::npos) << error;
}

TEST(Tournament, rules_may_be_a_literal_or_rules_that_were_just_made) {
  TournamentOptions options = options_for({{"rules"}, {"random"}}, 2);
  options.rules = "course_002";
  EXPECT_EQ(options.rules.name(), "course_002");
  options.rules = std::make_shared<CompiledRules>(preset("research"), "mine");
  EXPECT_EQ(run_tournament(options).games, 16);
}

/// Has no clones.
class Lonely final : public BatchPolicy {
 public:
  void policy(const ViewBatch&, std::span<float>, std::span<float>) override {}
  [[nodiscard]] std::string name() const override { return "lonely"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override { return nullptr; }
};

TEST(Tournament, an_agent_without_a_clone_is_refused_by_name) {
  const TournamentOptions options =
      options_for({{"rules"}, {"x", "x", std::make_shared<Lonely>()}}, 4);
  EXPECT_EQ(test::error_of<std::invalid_argument>([&] { (void)run_tournament(options); }),
            "player lonely: clone() gave nothing");
}

/// Plays at random; its first answer takes longer than a second. All copies count together how
/// often the question after that one had a single row.
class SlowOnce final : public BatchPolicy {
 public:
  explicit SlowOnce(std::shared_ptr<std::atomic<int>> single_rows)
      : single_rows_(std::move(single_rows)) {}
  void policy(const ViewBatch&, std::span<float>, std::span<float>) override {}
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    if (questions_ == 0) std::this_thread::sleep_for(std::chrono::seconds(1));
    if (questions_ == 1 && batch.size == 1) ++*single_rows_;
    ++questions_;
    random_->act(batch, keys, actions);
  }
  [[nodiscard]] std::string name() const override { return "slow"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<SlowOnce>(single_rows_);
  }

 private:
  std::unique_ptr<BatchPolicy> random_ = make_agent("random");
  std::shared_ptr<std::atomic<int>> single_rows_;
  int questions_ = 0;
};

TEST(Tournament, a_player_that_is_slow_with_one_row_is_asked_for_one_row_again) {
  const auto single_rows = std::make_shared<std::atomic<int>>(0);
  TournamentOptions options =
      options_for({{"random"}, {"slow", "slow", std::make_shared<SlowOnce>(single_rows)}}, 2);
  options.threads = 1;
  EXPECT_EQ(run_tournament(options).blocks, 2);
  EXPECT_GT(*single_rows, 0);
}

// Statistics on numbers that can be checked by hand

TEST(Ratings, estimate_is_mean_and_interval_over_blocks) {
  const Estimate result = estimate({1.0, 3.0, 5.0, 7.0});
  EXPECT_DOUBLE_EQ(result.mean, 4.0);
  EXPECT_NEAR(result.sd, std::sqrt(20.0 / 3.0), 1e-12);
  EXPECT_NEAR(result.half_width, 3.182 * std::sqrt(20.0 / 3.0) / 2.0, 0.02);  // t of 3 degrees
}

TEST(Ratings, the_interval_of_few_blocks_is_that_of_student) {
  const std::vector<std::pair<int, double>> table = {{2, 12.706}, {3, 4.303},   {4, 3.182},
                                                     {5, 2.776},  {6, 2.571},   {11, 2.228},
                                                     {31, 2.042}, {121, 1.980}, {1'000'000, 1.960}};
  for (const auto& [blocks, quantile] : table) {
    EXPECT_NEAR(half_width_of(1.0, 1.0, blocks, blocks), quantile, 0.003 * quantile) << blocks;
  }
}

TEST(Ratings, blocks_that_gave_the_same_have_no_interval) {
  EXPECT_EQ(to_text(estimate({2.5, 2.5})), "+2.50");
  EXPECT_TRUE(std::isinf(estimate({0.1, 0.1, 0.1}).half_width));
  EXPECT_EQ(to_text(estimate({0.0, 0.0})), "+0.00");
  EXPECT_EQ(to_text(estimate(std::vector<double>(50, 0.0))), "+0.00");
  EXPECT_EQ(to_text(estimate(std::vector<double>(50, 2.5))), "+2.50");
}

// players that nearly always do the same: most blocks are 0 and say nothing of the others' spread
TEST(Ratings, blocks_of_nothing_give_no_degrees_of_freedom) {
  std::vector<double> points(100, 0.0);
  points[3] = 8.0;
  EXPECT_TRUE(std::isinf(estimate(points).half_width));
  points[50] = 10.0;
  const Estimate two = estimate(points);
  EXPECT_EQ(two.telling, 2);
  EXPECT_NEAR(two.half_width, 12.706 * two.sd / 10.0, 1e-3);
}

/// One alone against the others, two blocks with the given mean and spread.
RatedPairing single_of(int one, int others, double mean, double noise) {
  return {one, others, Format::kOneAgainstThree, {{0, 1}, {mean - noise, mean + noise}}};
}

TEST(Ratings, additive_payoffs_give_the_strengths_back) {
  const std::vector<double> strength = {2.0, -0.5, -1.5};
  std::vector<RatedPairing> pairings;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double lead =
          strength[static_cast<std::size_t>(i)] - strength[static_cast<std::size_t>(j)];
      if (i != j) pairings.push_back(single_of(i, j, lead, 0.5 + i + j));
      // a seat of two against two gets 4/3 (r - (r + other) / 2)
      if (i < j) {
        pairings.push_back(
            {i, j, Format::kTwoAgainstTwo, {{0, 1}, {lead * 2 / 3 - 0.4, lead * 2 / 3 + 0.4}}});
      }
    }
  }
  TournamentResult result;
  rate(pairings, {}, 3, result);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(result.ratings[i].mean, strength[i], 1e-9);
  EXPECT_NEAR(result.cycle.sum.mean, 0.0, 1e-9);
  EXPECT_NEAR(result.two_against_two[1][0].mean, -2.5 * 2 / 3, 1e-9);
}

TEST(Ratings, a_cycle_shows) {
  std::vector<RatedPairing> pairings;
  for (int i = 0; i < 3; ++i) {  // each beats the next one by 2
    pairings.push_back(single_of(i, (i + 1) % 3, 2.0, 0.0));
    pairings.push_back(single_of((i + 1) % 3, i, -2.0, 0.0));
  }
  TournamentResult result;
  rate(pairings, {}, 3, result);
  EXPECT_NEAR(result.cycle.sum.mean, 6.0, 1e-9);
  for (const Estimate& rating : result.ratings) EXPECT_NEAR(rating.mean, 0.0, 1e-9);
}

TEST(Ratings, a_cycle_is_seldom_found_where_there_is_none_however_many_players_meet) {
  constexpr int kPlayers = 6, kTries = 400;
  Rng random(7);
  int found = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const int blocks = 12 + attempt % 2;  // odd and even degrees of freedom
    std::vector<RatedPairing> pairings;
    for (int i = 0; i < kPlayers; ++i) {
      for (int j = 0; j < kPlayers; ++j) {
        if (i == j) continue;
        RatedPairing& pairing =
            pairings.emplace_back(RatedPairing{i, j, Format::kOneAgainstThree, {}});
        for (int block = 0; block < blocks; ++block) {
          double points = -6.0;  // twelve draws: nearly normal
          for (int k = 0; k < 12; ++k) points += random.next_unit();
          pairing.points.blocks.push_back(block);
          pairing.points.values.push_back(points);
        }
      }
    }
    TournamentResult result;
    rate(pairings, {}, kPlayers, result);
    EXPECT_EQ(result.cycle.of, 20);
    found += std::abs(result.cycle.sum.mean) > result.cycle.sum.half_width ? 1 : 0;
  }
  EXPECT_LE(found, kTries * 8 / 100);
  EXPECT_GE(found, kTries / 100);  // and not too wide
}

TEST(Ratings, errors_come_from_the_blocks_that_a_pairing_has) {
  // two agents, one direction: r = +-mean/2, and its error is half that of the mean
  const std::vector<double> points = {1.0, 3.0, 5.0, 7.0};
  TournamentResult result;
  rate({{0, 1, Format::kOneAgainstThree, {{0, 1, 2, 5}, points}}}, {}, 2, result);
  EXPECT_NEAR(result.ratings[0].mean, 2.0, 1e-9);
  EXPECT_NEAR(result.ratings[0].half_width, estimate(points).half_width / 2.0, 1e-9);
  EXPECT_EQ(result.difference[0][1].blocks, 0);
}

TEST(Ratings, differences_use_the_blocks_that_both_directions_have) {
  TournamentResult result;
  rate({{0, 1, Format::kOneAgainstThree, {{0, 1, 2}, {2.0, 4.0, 9.0}}},
        {1, 0, Format::kOneAgainstThree, {{1, 2, 3}, {-2.0, 1.0, 50.0}}}},
       {}, 2, result);
  EXPECT_EQ(result.difference[0][1].blocks, 2);
  EXPECT_NEAR(result.difference[0][1].mean, 0.5 * ((4.0 + 2.0) / 2.0 + (9.0 - 1.0) / 2.0), 1e-12);
  EXPECT_NEAR(result.difference[1][0].mean, -result.difference[0][1].mean, 1e-12);
}

}  // namespace
}  // namespace schafkopf
