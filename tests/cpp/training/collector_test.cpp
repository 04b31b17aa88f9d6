// Self-play of one worker.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include "agents/registry.h"
#include "env/cards/card_map.h"
#include "tests/cpp/support/counted_policy.h"
#include "tests/cpp/training/collected_games.h"
#include "training/games/collector.h"
#include "training/learner/learner.h"

namespace schafkopf {
namespace {

using test::Games;
using test::make_learner;

TEST(Collector, plays_one_whole_game_per_env_and_only_legal_actions) {
  Learner learner = make_learner();
  const Games games(learner, 50);
  EXPECT_EQ(games.stats.games, 50);
  EXPECT_EQ(static_cast<std::size_t>(games.stats.decisions), games.batch.size());
  EXPECT_GT(games.stats.forced, 0);
  for (const Decision& decision : games.batch.decisions) {
    EXPECT_TRUE(decision.legal.contains(decision.action));
    EXPECT_GE(decision.legal.count(), 2);
  }
}

// Values of the solver in the true deal: those by which the cheating oracle plays.
TEST(Collector, solves_the_true_deal) {
  Learner learner = make_learner();
  CollectorOptions options;
  options.rules = CompiledRules::load("research");
  options.num_envs = 20;
  options.generated_share = 1.0;
  options.generator = make_generator("heuristic");
  options.full_view = true;
  options.solver_trick = 5;
  Collector collector(options);
  collector.set_solving(true);
  Batch batch;
  CollectorStats stats;
  collector.collect(3, learner, 0, batch, stats);
  const auto oracle = make_agent("oracle");
  const CompiledRules* const rules[] = {options.rules.get()};
  const RuleTable table{rules, {}};
  int solved = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const PlayerView& view = batch.views[i];
    const Decision& decision = batch.decisions[i];
    const bool late = view.phase() == Phase::kPlay && view.trick_number() + 1 >= 5;
    ASSERT_EQ(decision.action_values != kNoActionValues, late);
    if (!late) continue;
    ++solved;
    const ViewBatch one{.size = 1,
                        .cards = &view.cards,
                        .order = &view.order,
                        .events = &view.events,
                        .rules = &table,
                        .full = &batch.full_views[i]};
    std::vector<float> probabilities(kNumActions), value(1);
    oracle->policy(one, probabilities, value);
    const auto best = std::max_element(probabilities.begin(), probabilities.end());
    const Action card =
        to_canonical_action(static_cast<Action>(best - probabilities.begin()), view.order.card_map);
    const float* values = &batch.action_values[decision.action_values];
    const int count = decision.legal.count();
    bool found = false;
    for (int n = 0; n < count; ++n) {
      if (decision.legal.nth(n) == card) {
        found = true;
        EXPECT_FLOAT_EQ(values[n] * 50.0F, value[0]);
      }
      EXPECT_LE(values[n] * 50.0F, value[0] + 1e-3F);
    }
    EXPECT_TRUE(found) << "decision " << i;
  }
  EXPECT_GT(solved, 50);
}

TEST(Collector, games_of_given_contracts_are_no_auctions) {
  const auto auctions = [](double generated_share) {
    Collector collector(test::collector_options(40, generated_share));
    return Games(collector).stats.auctions;
  };
  EXPECT_EQ(auctions(1.0), 0);
  EXPECT_EQ(auctions(0.0), 40);
}

// The solver counts points, and in Ramsch those of one seat against all.
TEST(Collector, ramsch_is_not_solved) {
  CollectorOptions options = test::collector_options(20);
  options.rules = CompiledRules::load("wikipedia_extended");
  options.generator = make_generator("mixed:single=0.5,all_pass=0.5");
  options.full_view = true;
  options.solver_trick = 7;
  Collector collector(options);
  collector.set_solving(true);
  const Games games(collector);
  int ramsch = 0, solved = 0;
  for (std::size_t i = 0; i < games.batch.size(); ++i) {
    const auto contract = static_cast<ContractClass>(games.batch.views[i].contract_class());
    const bool is_solved = games.batch.decisions[i].action_values != kNoActionValues;
    solved += is_solved ? 1 : 0;
    if (contract_row(contract).goal != Goal::kFewestPoints) continue;
    ++ramsch;
    EXPECT_FALSE(is_solved) << i;
  }
  EXPECT_GT(ramsch, 0);
  EXPECT_GT(solved, 0);
}

TEST(Collector, seats_of_the_pool_give_no_decisions) {
  Learner learner = make_learner();
  CollectorOptions options;
  options.rules = CompiledRules::load("research");
  options.num_envs = 100;
  options.pool_share = 0.5;
  Collector collector(options), alone(options);
  collector.set_pool({std::shared_ptr<const BatchPolicy>(make_agent("rules"))});
  Batch batch, all;
  CollectorStats stats, of_all;
  collector.collect(3, learner, 0, batch, stats);
  alone.collect(3, learner, 0, all, of_all);
  EXPECT_EQ(stats.games, 100);
  EXPECT_LT(batch.size(), all.size() * 9 / 10);  // a half of the games misses about a half
  EXPECT_GT(batch.size(), all.size() / 2);
  EXPECT_NEAR(static_cast<double>(stats.decisions + stats.forced),
              static_cast<double>(of_all.decisions + of_all.forced), 600.0);
}

TEST(Collector, every_member_of_the_pool_plays_and_every_seat_may_be_its) {
  Learner learner = make_learner();
  CollectorOptions options = test::collector_options(400);
  options.pool_share = 1.0;
  Collector collector(options);
  const auto first = std::make_shared<test::CountedPolicy::Count>(0);
  const auto second = std::make_shared<test::CountedPolicy::Count>(0);
  collector.set_pool({std::make_shared<test::CountedPolicy>(first),
                      std::make_shared<test::CountedPolicy>(second)});
  Batch batch;
  CollectorStats stats;
  collector.collect(3, learner, 0, batch, stats);
  std::array<int, kNumSeats> by_seat{};
  for (const Decision& decision : batch.decisions) ++by_seat[decision.seat];
  const auto all = static_cast<int>(batch.size());
  for (const int count : by_seat) EXPECT_NEAR(count, all / 4, all / 16);
  EXPECT_NEAR(static_cast<double>(first->load()), static_cast<double>(second->load()),
              0.15 * static_cast<double>(first->load() + second->load()));
}

TEST(Collector, guests_of_the_pool_have_one_to_three_seats_of_a_game) {
  Learner learner = make_learner();
  CollectorOptions options = test::collector_options(1);
  options.pool_share = 1.0;
  Collector collector(options);
  collector.set_pool({std::shared_ptr<const BatchPolicy>(make_agent("random"))});
  std::array<int, kNumSeats + 1> games{};  // by seats that the learner has
  for (int game = 0; game < 150; ++game) {
    Batch batch;
    CollectorStats stats;
    collector.collect(static_cast<std::uint64_t>(game), learner, 0, batch, stats);
    unsigned seats = 0;
    for (const Decision& decision : batch.decisions) seats |= 1U << decision.seat;
    ++games[static_cast<std::size_t>(std::popcount(seats))];
  }
  EXPECT_EQ(games[0], 0);
  EXPECT_EQ(games[4], 0);
  for (std::size_t few = 1; few <= 3; ++few) EXPECT_GT(games[few], 15) << few;
}

TEST(Batch, is_empty_when_it_was_cleared) {
  Batch batch;
  batch.views.resize(2);
  batch.full_views.resize(2);
  batch.decisions.resize(2);
  batch.action_values.resize(9);
  batch.teacher_probabilities.resize(9);
  batch.clear();
  EXPECT_TRUE(batch.views.empty() && batch.full_views.empty() && batch.decisions.empty() &&
              batch.action_values.empty() && batch.teacher_probabilities.empty());
}

TEST(Collector, a_best_response_has_one_seat_of_each_game) {
  Learner learner = make_learner();
  CollectorOptions options;
  options.rules = CompiledRules::load("research");
  options.num_envs = 60;
  options.generated_share = 1.0;
  options.generator = make_generator("heuristic");
  options.pool_share = 1.0;
  options.pool_seats = PoolSeats::kOthers;
  Collector collector(options);
  collector.set_pool({std::shared_ptr<const BatchPolicy>(make_agent("rules"))});
  Batch batch;
  CollectorStats stats;
  collector.collect(3, learner, 0, batch, stats);
  EXPECT_EQ(stats.games, 60);
  EXPECT_LE(batch.size(), 60U * 7);  // the last card is forced
  std::array<int, kNumSeats> by_seat{};
  for (const Decision& decision : batch.decisions) ++by_seat[decision.seat];
  for (const int count : by_seat) EXPECT_GT(count, 20);  // each seat in its turn
}

}  // namespace
}  // namespace schafkopf
