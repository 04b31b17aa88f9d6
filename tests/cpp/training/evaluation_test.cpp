// Strength during training: what is played, and both directions.
#include "training/evaluation.h"

#include <gtest/gtest.h>

#include <memory>

#include "agents/registry.h"
#include "env/rules/compiled_rules.h"

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

TEST(Evaluation, whole_games_do_not_depend_on_the_number_of_threads) {
  const auto rules = make_agent("rules:random=0.2");
  const Evaluation one = evaluate(*rules, settings_of(EvaluationTrack::kFull));
  const Evaluation two = evaluate(*rules, settings_of(EvaluationTrack::kFull, 2));
  EXPECT_EQ(one.mean, two.mean);
  EXPECT_EQ(one.half_width, two.half_width);
}

}  // namespace
}  // namespace schafkopf
