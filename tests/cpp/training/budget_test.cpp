// Limits of a run: when it is over, and what goes on.
#include "training/run/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schafkopf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Budget, a_limit_that_is_reached_exactly_ends_the_run_and_the_double_goes_on) {
  TrainConfig config;
  config.time_limit_minutes = 0;
  config.decisions_limit = 1000;
  TrainCounters counters;
  const Budget budget(config, counters);
  counters.decisions = 900;
  counters.forced = 99;
  EXPECT_FALSE(budget.finished());
  EXPECT_THAT(budget.higher_limits(), IsEmpty());
  counters.forced = 100;
  EXPECT_TRUE(budget.finished());
  EXPECT_THAT(budget.higher_limits(), ElementsAre("decisions_limit=2000"));
}

TEST(Budget, minutes_are_turned_into_decisions_by_the_speed_behind_the_games_without_an_auction) {
  TrainConfig config;
  config.time_limit_minutes = 10;
  config.generated_share = 0.25;
  config.card_play_first = 0.15;
  TrainCounters counters;
  Budget budget(config, counters);
  counters.decisions = 3600;
  counters.seconds = 90;  // 40 a second
  budget.fix();
  EXPECT_EQ(counters.budget, 0);
  counters.decisions = 4200;
  counters.seconds = 120;  // 20 a second
  budget.fix();
  EXPECT_EQ(counters.budget, 4200 + 480 * 20);
}

TEST(Budget, minutes_that_were_turned_into_decisions_end_with_these) {
  TrainConfig config;
  config.card_play_first = 0;
  config.time_limit_minutes = 10;
  config.decisions_limit = 0;
  TrainCounters counters;
  Budget budget(config, counters);
  counters.decisions = 300;
  counters.seconds = 30;  // a twentieth of the time
  budget.fix();
  counters.seconds = 660;
  counters.decisions = 5999;
  EXPECT_FALSE(budget.finished());
  counters.decisions = 6000;
  EXPECT_TRUE(budget.finished());
  EXPECT_THAT(budget.higher_limits(), ElementsAre("time_limit_minutes=22"));
  counters.seconds = 240;  // it became faster: twice this is no higher limit
  EXPECT_THAT(budget.higher_limits(), ElementsAre("time_limit_minutes=20"));
}

// A quarter of the budget is used up.
TEST(Budget, coefficients_fall_linearly_to_their_share_and_weights_to_nothing) {
  TrainConfig config;
  config.time_limit_minutes = 0;
  config.decisions_limit = 1000;
  TrainCounters counters;
  counters.decisions = 250;
  const Budget budget(config, counters);
  EXPECT_DOUBLE_EQ(budget.falling(0.2), 0.8);
  EXPECT_DOUBLE_EQ(budget.falling(1.0), 1.0);
  EXPECT_DOUBLE_EQ(budget.running_down(4.0, 0.5), 2.0);
  EXPECT_DOUBLE_EQ(budget.running_down(4.0, 0.25), 0.0);
  EXPECT_DOUBLE_EQ(budget.running_down(4.0, 0.125), 0.0);  // long since, and never below
  EXPECT_DOUBLE_EQ(budget.running_down(4.0, 0.0), 4.0);    // it stays
  config.decisions_limit = 0;                              // without a limit nothing falls
  EXPECT_DOUBLE_EQ(budget.falling(0.2), 1.0);
  EXPECT_DOUBLE_EQ(budget.running_down(4.0, 0.5), 4.0);
}

TEST(Budget, games_begin_with_card_play_for_the_share_that_comes_first) {
  TrainConfig config;
  config.time_limit_minutes = 0;
  config.decisions_limit = 1000;
  config.card_play_first = 0.5;
  config.generated_share = 0.25;
  TrainCounters counters;
  const Budget budget(config, counters);
  counters.decisions = 499;
  EXPECT_DOUBLE_EQ(budget.generated_share(), 1.0);
  counters.decisions = 500;
  EXPECT_DOUBLE_EQ(budget.generated_share(), 0.25);
}

}  // namespace
}  // namespace schafkopf
