// Strength during training: what is played, and both directions.
#include "training/games/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "agents/registry.h"
#include "agents/tournament/calibration.h"
#include "agents/tournament/ratings.h"
#include "agents/tournament/tournament.h"
#include "env/rules/compiled_rules.h"
#include "tests/cpp/support/errors.h"
#include "training/run/checkpoint.h"

namespace schafkopf {
namespace {

EvaluationSettings settings_of(EvaluationTrack track, int threads = 1) {
  return {.rules = CompiledRules::load("research"),
          .opponent = "rules",
          .track = track,
          .generator = "heuristic:noise=0",
          .blocks = 150,
          .seed = 3,
          .num_threads = threads};
}

TEST(Evaluation, equal_players_gain_nothing_in_either_direction) {
  for (const EvaluationTrack track : {EvaluationTrack::kCardPlay, EvaluationTrack::kFull}) {
    const Evaluation result = evaluate(*make_agent("rules"), settings_of(track));
    EXPECT_NEAR(result.alone, 0.0, 1e-9);  // every deal from every seat: payoffs add up to 0
    EXPECT_NEAR(result.against, 0.0, 1e-9);
    EXPECT_NEAR(result.mean, 0.0, 1e-9);
  }
}

TEST(Evaluation, an_opponent_that_sees_all_hands_is_shown_them) {
  EvaluationSettings settings = settings_of(EvaluationTrack::kCardPlay);
  settings.opponent = "oracle";
  settings.blocks = 20;
  EXPECT_LT(evaluate(*make_agent("random"), settings).mean, 0.0);
}

// Who bids at random loses several times what he loses by playing cards at random.
TEST(Evaluation, whole_games_judge_the_bidding_too) {
  const auto random = make_agent("random");
  const Evaluation cards = evaluate(*random, settings_of(EvaluationTrack::kCardPlay));
  const Evaluation full = evaluate(*random, settings_of(EvaluationTrack::kFull));
  EXPECT_LT(cards.mean + cards.half_width, -5.0);
  EXPECT_LT(full.mean + full.half_width, 2.0 * cards.mean);
  EXPECT_LT(full.alone, 0.0);
  EXPECT_GT(full.against, 0.0);
  EXPECT_DOUBLE_EQ(full.mean, (full.alone - full.against) / 2.0);
}

TEST(Evaluation, bids_of_whole_games_are_held_against_what_they_promise) {
  EvaluationSettings settings = settings_of(EvaluationTrack::kFull, 2);
  settings.calibration_blocks = 150;
  const std::shared_ptr<BatchPolicy> rules = make_agent("rules");
  const Evaluation result = evaluate(*rules, settings);
  CalibrationOptions options{.policy = rules, .opponent = rules, .rules = settings.rules};
  options.blocks = 150;
  options.seed = 4;  // deals of their own
  double games = 0.0, expected = 0.0, won = 0.0, squares = 0.0;
  for (const CalibrationRow& row : calibrate(options)) {
    const bool calls = row.declarer == row.seat &&
                       contract_keys().at(static_cast<std::size_t>(row.contract)) == "RUF";
    if (!calls || std::isnan(row.expected_won)) continue;
    games += 1.0;
    expected += static_cast<double>(row.expected_won);
    won += row.won;
    const double off = static_cast<double>(row.expected_won) - row.won;
    squares += off * off;
  }
  ASSERT_FALSE(result.calibration.empty());
  const EvaluationCalibration& calling = result.calibration.front();
  EXPECT_EQ(calling.contract, "RUF");
  EXPECT_GT(calling.games, 50);
  EXPECT_EQ(static_cast<double>(calling.games), games);
  EXPECT_NEAR(calling.expected, expected / games, 1e-9);
  EXPECT_NEAR(calling.won, won / games, 1e-9);
  EXPECT_LT(calling.half_width, 0.2);
  const double off = (expected - won) / games;
  const double error = std::sqrt((squares / games - off * off) / (games - 1.0));
  const int count = static_cast<int>(games);
  EXPECT_NEAR(calling.half_width, half_width_of(off, error, count, count), 1e-9);
  // two Solos that missed their promise by the same are no spread
  settings.calibration_blocks = 20;
  const std::vector<EvaluationCalibration> few = evaluate(*rules, settings).calibration;
  ASSERT_EQ(few.size(), 2U);
  EXPECT_TRUE(std::isfinite(few.front().half_width));
  EXPECT_EQ(few.back().games, 2);
  EXPECT_TRUE(std::isinf(few.back().half_width));
  settings.track = EvaluationTrack::kCardPlay;
  EXPECT_TRUE(evaluate(*rules, settings).calibration.empty());
  settings.track = EvaluationTrack::kFull;
  settings.opponent = "oracle:version=1";
  EXPECT_EQ(test::error_of([&] { check_evaluation(settings); }),
            "agent oracle:version=1: it sees hidden hands, so that it does not expect, it knows");
}

const EvaluationShare* share_of(const Evaluation& result, ContractClass contract,
                                EvaluationRole role) {
  for (const EvaluationShare& share : result.shares) {
    if (share.contract == contract && share.role == role) return &share;
  }
  return nullptr;
}

// A Bettel may be over after its first trick, to which a seat had one card to play.
TEST(Evaluation, deals_in_which_the_seat_has_no_choice_count_like_all_others) {
  EvaluationSettings settings = settings_of(EvaluationTrack::kCardPlay);
  settings.rules = CompiledRules::load("wikipedia_extended");
  settings.blocks = 600;
  const Evaluation result = evaluate(*make_agent("rules"), settings);
  EXPECT_NEAR(result.alone, 0.0, 1e-9);  // the same deal from every seat: payoffs add up to 0
  EXPECT_NEAR(result.against, 0.0, 1e-9);
  const EvaluationShare* const declarers =
      share_of(result, ContractClass::kBettelBrett, EvaluationRole::kDeclarer);
  const EvaluationShare* const defenders =
      share_of(result, ContractClass::kBettelBrett, EvaluationRole::kDefender);
  ASSERT_TRUE(declarers != nullptr && defenders != nullptr);
  EXPECT_EQ(defenders->games, 3 * declarers->games);
}

TEST(Evaluation, kinds_of_games_add_up_to_all_of_them) {
  for (const EvaluationTrack track : {EvaluationTrack::kCardPlay, EvaluationTrack::kFull}) {
    const Evaluation result = evaluate(*make_agent("rules:random=0.3"), settings_of(track));
    const double games = 150 * 4;
    double alone = 0.0, against = 0.0, counted = 0.0, counted_against = 0.0;
    for (const EvaluationShare& share : result.shares) {
      alone += share.alone * static_cast<double>(share.games);
      against += share.against * static_cast<double>(share.games_against);
      counted += static_cast<double>(share.games);
      counted_against += static_cast<double>(share.games_against);
      EXPECT_LE(share.won, share.games);
    }
    EXPECT_NEAR(alone / games, result.alone, 1e-9);
    EXPECT_NEAR(against / games, result.against, 1e-9);
    EXPECT_NEAR(counted / games, 1.0 - result.thrown_in, 1e-9);
    EXPECT_NEAR(counted_against / games, 1.0 - result.thrown_in_against, 1e-9);
  }
}

// In card play both directions have the same games, so that a kind is paired deal by deal.
TEST(Evaluation, a_random_player_loses_as_a_soloist_and_against_one) {
  EvaluationSettings settings = settings_of(EvaluationTrack::kCardPlay);
  settings.blocks = 600;  // in few of which there is a Solo
  const Evaluation cards = evaluate(*make_agent("random"), settings);
  for (const EvaluationRole role : {EvaluationRole::kDeclarer, EvaluationRole::kDefender}) {
    const EvaluationShare* solo = share_of(cards, ContractClass::kSolo, role);
    ASSERT_NE(solo, nullptr);
    // a deal that leaves the seat no decision is dealt anew
    EXPECT_NEAR(static_cast<double>(solo->games), static_cast<double>(solo->games_against), 2.0);
    EXPECT_DOUBLE_EQ(solo->mean, (solo->alone - solo->against) / 2.0);
    EXPECT_GT(solo->half_width, 0.0);
    EXPECT_LT(solo->mean + solo->half_width, 0.0);
  }
  EXPECT_EQ(share_of(cards, ContractClass::kSolo, EvaluationRole::kPartner), nullptr);
  EXPECT_NE(share_of(cards, ContractClass::kRuf, EvaluationRole::kPartner), nullptr);
  EXPECT_EQ(cards.thrown_in, 0.0);
}

TEST(Evaluation, equal_players_differ_in_no_kind_of_game) {
  const Evaluation result = evaluate(*make_agent("rules"), settings_of(EvaluationTrack::kFull));
  for (const EvaluationShare& share : result.shares) {
    EXPECT_EQ(share.games, share.games_against);
    EXPECT_NEAR(share.mean, 0.0, 1e-9);
    EXPECT_TRUE(std::isinf(share.half_width));  // paired deals without a difference
  }
  EXPECT_EQ(result.thrown_in, result.thrown_in_against);
  EXPECT_GT(result.thrown_in, 0.1);  // a quarter among four rule agents
  EXPECT_LT(result.thrown_in, 0.4);
}

TEST(Evaluation, deals_that_are_all_alike_have_no_interval_and_are_the_best_of_nothing) {
  const Evaluation result = evaluate(*make_agent("rules"), settings_of(EvaluationTrack::kFull));
  EXPECT_NEAR(result.mean, 0.0, 1e-9);
  EXPECT_TRUE(std::isinf(result.half_width));
  EXPECT_LT(result.lower(), TrainCounters().best_lower);
}

TEST(Evaluation, few_deals_have_the_wide_interval_of_students_t) {
  EvaluationSettings few = settings_of(EvaluationTrack::kCardPlay);
  few.blocks = 3;
  const auto player = make_agent("random");
  const Evaluation result = evaluate(*player, few);
  // 4.30 standard errors at two degrees of freedom, where 1.96 would hold 81 of 100
  EXPECT_GT(result.half_width, 0.0);
  few.blocks = 200;
  EXPECT_LT(evaluate(*player, few).half_width, result.half_width / 4.0);
}

// Evaluations of one deal more each tell what every deal gave: half of one direction less the other,
// of all seats or of one kind of game, whose interval is that of tournaments.
TEST(Evaluation, intervals_are_those_of_the_deals) {
  constexpr int kDeals = 12;
  const auto eighths = [](double points) { return std::round(8.0 * points) / 8.0; };
  const auto player = make_agent("random");
  EvaluationSettings settings = settings_of(EvaluationTrack::kCardPlay);
  std::vector<double> all, calling;
  double sum = 0.0, calling_sum = 0.0;
  Evaluation result;
  for (settings.blocks = 1; settings.blocks <= kDeals; ++settings.blocks) {
    result = evaluate(*player, settings);
    const double now = eighths(result.mean * settings.blocks);
    all.push_back(now - std::exchange(sum, now));
    const EvaluationShare* const share =
        share_of(result, ContractClass::kRuf, EvaluationRole::kDeclarer);
    if (share == nullptr) continue;
    ASSERT_EQ(share->games, share->games_against);  // in card play one of each deal
    const auto deals = static_cast<std::size_t>(share->games);
    if (deals == calling.size()) continue;
    const double calls = eighths(share->mean * static_cast<double>(deals));
    calling.push_back(calls - std::exchange(calling_sum, calls));
  }
  EXPECT_NEAR(result.half_width, estimate(all).half_width, 1e-6);
  ASSERT_GT(calling.size(), 3U);
  EXPECT_NEAR(share_of(result, ContractClass::kRuf, EvaluationRole::kDeclarer)->half_width,
              estimate(calling).half_width, 1e-6);
}

TEST(Evaluation, what_counts_for_the_best_weights_is_the_lower_end) {
  Evaluation lucky, steady;
  lucky.mean = 2.0;
  lucky.half_width = 3.0;
  steady.mean = 1.0;
  steady.half_width = 0.5;
  EXPECT_LT(lucky.lower(), steady.lower());
}

TEST(Evaluation, whole_games_do_not_depend_on_the_number_of_threads) {
  const auto rules = make_agent("rules:random=0.2");
  const Evaluation one = evaluate(*rules, settings_of(EvaluationTrack::kFull));
  const Evaluation two = evaluate(*rules, settings_of(EvaluationTrack::kFull, 2));
  EXPECT_EQ(one.mean, two.mean);
  EXPECT_EQ(one.half_width, two.half_width);
  EXPECT_EQ(one.thrown_in, two.thrown_in);
  ASSERT_EQ(one.shares.size(), two.shares.size());
  for (std::size_t i = 0; i < one.shares.size(); ++i) {
    EXPECT_EQ(one.shares[i].mean, two.shares[i].mean);
    EXPECT_EQ(one.shares[i].games, two.shares[i].games);
  }
}

}  // namespace
}  // namespace schafkopf
