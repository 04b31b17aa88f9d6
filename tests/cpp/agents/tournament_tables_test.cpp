// Random tables: different agents at one table, every one of them in every seat of the deal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "agents/tournament/ratings.h"
#include "agents/tournament/tournament.h"
#include "agents/tournament/tournament_journal.h"
#include "env/base/random.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table_notation.h"
#include "tests/cpp/support/temporary_file.h"

namespace schafkopf {
namespace {

using testing::HasSubstr;

/// Five agents that play one block each in one chain, and `tables` deals at random tables.
TournamentOptions table_options(int tables) {
  TournamentOptions options;
  options.agents = {{"rules"},
                    {"rules:random=0.1"},
                    {"rules:random=0.3"},
                    {"random", "one"},
                    {"random", "another"}};
  options.rules = CompiledRules::load("research");
  options.track = Track::kFull;
  options.blocks = 1;
  options.tables = tables;
  options.threads = 2;
  return options;
}

std::string tournament_error(const TournamentOptions& options) {
  return test::error_of<std::invalid_argument>([&] { (void)run_tournament(options); });
}

std::vector<GameRow> table_rows(const TournamentResult& result) {
  std::vector<GameRow> rows;
  std::ranges::copy_if(result.rows, std::back_inserter(rows),
                       [&](const GameRow& row) { return row.pairing == result.pairings.size(); });
  return rows;
}

/// Share of the ratings of players that are equal whose interval of 95 % holds 0, and of those that
/// have one at all.
double share_held(int agents, int tables, bool one_block_each) {
  Rng random(7);
  const auto drawn = [&] {  // nearly normal
    double sum = 0.0;
    for (int i = 0; i < 12; ++i) sum += unit_interval(random.next()) - 0.5;
    return 10.0 * sum;
  };
  double held = 0.0, all = 0.0;
  for (int run = 0; run < test::scaled(300, 1000, 5000); ++run) {
    std::vector<RatedTable> at_tables;
    for (int block = 0; block < tables; ++block) {
      RatedTable table{.block = block,
                       .agents = table_agents(static_cast<std::uint64_t>(run), block, agents, 4),
                       .points = {}};
      for (double& points : table.points) points = drawn();
      const double mean = std::accumulate(table.points.begin(), table.points.end(), 0.0) / 4.0;
      for (double& points : table.points) points -= mean;
      at_tables.push_back(table);
    }
    std::vector<RatedPairing> pairings;
    for (int i = 0; one_block_each && i < agents; ++i) {
      for (int j = 0; j < agents; ++j) {
        if (i == j) continue;
        RatedPairing pairing{.one = i, .others = j, .points = {}};
        pairing.points.blocks = {0};
        pairing.points.values = {drawn()};
        pairings.push_back(pairing);
      }
    }
    TournamentResult result;
    rate(pairings, at_tables, static_cast<std::size_t>(agents), result);
    for (const Estimate& rating : result.ratings) {
      if (!std::isfinite(rating.half_width)) continue;
      all += 1.0;
      held += std::abs(rating.mean) <= rating.half_width ? 1.0 : 0.0;
    }
  }
  return held / all;
}

TEST(RandomTables, intervals_of_ratings_count_the_tables_at_which_a_player_sat) {
  EXPECT_NEAR(share_held(12, 12, false), 0.95, 0.02);
  EXPECT_NEAR(share_held(20, 20, false), 0.95, 0.02);
  EXPECT_NEAR(share_held(4, 20, false), 0.95, 0.03);
}

TEST(RandomTables, the_only_block_of_a_pairing_widens_the_intervals_that_it_moves) {
  EXPECT_GT(share_held(6, 4, true), 0.93);  // few tables: wider than need be
  EXPECT_NEAR(share_held(6, 20, true), 0.95, 0.03);
}

TEST(RandomTables, agents_are_drawn_without_repetition_and_all_equally_often) {
  std::map<int, int> deals;
  std::set<std::array<int, kNumSeats>> orders;
  const int blocks = test::scaled(2000, 5000, 20000);
  for (int block = 0; block < blocks; ++block) {
    const auto table = table_agents(3, block, 6, 4);
    for (const int agent : table) ++deals[agent];
    EXPECT_EQ(std::set<int>(table.begin(), table.end()).size(), 4u);
    EXPECT_EQ(table_agents(3, block, 6, 4), table);
    orders.insert(table);
  }
  EXPECT_EQ(orders.size(), 6u * 5 * 4 * 3);
  const double expected = blocks * 4 / 6.0;
  // five standard deviations of a share of 2/3
  for (const auto& [agent, count] : deals) {
    EXPECT_NEAR(count, expected, 5 * std::sqrt(blocks * 2 / 9.0)) << agent;
  }
  EXPECT_NE(table_agents(4, 0, 200, 4), table_agents(3, 0, 200, 4));
}

TEST(RandomTables, tables_that_nobody_can_fill_are_refused) {
  const auto error = [](int block, int agents, int seats) {
    return test::error_of([&] { (void)table_agents(3, block, agents, seats); });
  };
  EXPECT_EQ(error(0, 4, 4), "no error");
  EXPECT_EQ(error(0, 2, 4), "seats = 4, allowed: 0..2");
  EXPECT_EQ(error(0, 9, 5), "seats = 5, allowed: 0..4");
  EXPECT_EQ(error(0, 9, -1), "seats = -1, allowed: 0..4");
  EXPECT_EQ(error(0, -2, 4), "agents = -2, allowed: 0 and more");
  EXPECT_EQ(error(-1, 4, 4), "block = -1, allowed: 0 and more");
}

TEST(RandomTables, every_agent_of_a_table_sits_once_in_every_seat_of_the_deal) {
  const TournamentOptions options = table_options(30);
  const TournamentResult result = run_tournament(options);
  EXPECT_FALSE(result.stopped);
  std::map<int, std::map<int, std::set<int>>> seats;  // block, agent
  std::vector<std::map<int, double>> points(5);       // of an agent by block
  for (const GameRow& row : table_rows(result)) {
    const auto agents = table_agents(options.seed, row.block, 5, 4);
    std::size_t first = 0;
    while ((row.seats >> first & 1) == 0) ++first;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t seat = (first + i) % 4;
      seats[row.block][agents[i]].insert(static_cast<int>(seat));
      points[static_cast<std::size_t>(agents[i])][row.block] +=
          row.payoffs[seat] / 4.0 / options.rules->tariff_scale();
    }
  }
  EXPECT_EQ(seats.size(), 30u);
  for (const auto& [block, agents] : seats) {
    EXPECT_EQ(agents.size(), 4u);
    for (const auto& [agent, held] : agents) EXPECT_EQ(held.size(), 4u) << agent;
  }
  EXPECT_EQ(result.table_games, 120);
  for (std::size_t agent = 0; agent < 5; ++agent) {
    std::vector<double> values;
    for (const auto& [block, value] : points[agent]) values.push_back(value);
    EXPECT_EQ(result.at_tables[agent].blocks, static_cast<int>(values.size()));
    EXPECT_NEAR(result.at_tables[agent].mean, estimate(values).mean, 1e-9);
    EXPECT_NEAR(result.at_tables[agent].half_width, estimate(values).half_width, 1e-9);
  }
}

TEST(RandomTables, four_equal_agents_gain_exactly_nothing) {
  TournamentOptions options = table_options(20);
  options.agents = {{"rules", "a"}, {"rules", "b"}, {"rules", "c"}, {"rules", "d"}};
  const TournamentResult result = run_tournament(options);
  EXPECT_THAT(to_text(result, options), HasSubstr("points per game at random tables, 80 games\n"));
  for (const Estimate& points : result.at_tables) {
    EXPECT_EQ(points.blocks, 20);
    EXPECT_NEAR(points.mean, 0.0, 1e-9);
    EXPECT_EQ(points.sd, 0.0);
  }
}

TEST(RandomTables, three_seats_take_three_agents) {
  TournamentOptions options = table_options(10);
  options.rules = notation::rules_of({"players = 3", "deck = \"short24\""});
  const TournamentResult result = run_tournament(options);
  EXPECT_EQ(result.table_games, 30);
}

TEST(RandomTables, stronger_agents_gain_more_and_ratings_agree) {
  TournamentOptions options = table_options(test::scaled(300, 600, 2000));
  options.agents.pop_back();
  const TournamentResult result = run_tournament(options);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_GT(result.at_tables[i - 1].mean, result.at_tables[i].mean) << i;
    EXPECT_GT(result.ratings[i - 1].mean, result.ratings[i].mean) << i;
  }
  // all four sit at every table: 4/3 of the rating, from which the pairings' one block moves little
  EXPECT_NEAR(result.at_tables[0].mean / result.ratings[0].mean, 4.0 / 3.0, 0.05);
}

TEST(RandomTables, are_a_part_of_the_progress) {
  int most = 0;
  (void)run_tournament(table_options(30), [&](int done, int all) {
    EXPECT_EQ(all, 1);
    most = std::max(most, done);
    return true;
  });
  EXPECT_EQ(most, 1);
}

TEST(RandomTables, a_run_cut_off_anywhere_ends_as_if_nothing_had_happened) {
  const test::TemporaryFolder folder;
  const std::string whole = folder.file("whole.games"), cut = folder.file("cut.games");
  TournamentOptions options = table_options(30);
  options.blocks_at_once = 2;
  options.journal = whole;
  const std::string expected = to_json(run_tournament(options), options);
  const std::string bytes = test::bytes_of(whole);
  for (const std::size_t tenths : {5u, 7u, 9u}) {
    std::ofstream(cut, std::ios::binary) << bytes.substr(0, bytes.size() * tenths / 10);
    TournamentOptions resumed = options;
    resumed.journal = cut;
    resumed.resume = true;
    EXPECT_EQ(to_json(run_tournament(resumed), options), expected) << tenths;
  }
}

TEST(RandomTables, need_as_many_agents_as_seats) {
  TournamentOptions options = table_options(1);
  options.agents.resize(3);
  EXPECT_THAT(tournament_error(options),
              HasSubstr("tables = 1, allowed: 0, because a random table needs 4 "
                        "different agents and there are 3"));
  options.tables = -1;
  EXPECT_THAT(tournament_error(options), HasSubstr("tables = -1, allowed: integer 0..2000000000"));
}

// ---- ratings ----

RatedTable table_of(int block, const std::vector<double>& strengths, Rng& random, double noise) {
  RatedTable table{block, table_agents(9, block, static_cast<int>(strengths.size()), 4), {}};
  double mean = 0.0, mean_noise = 0.0;
  std::array<double, 4> luck{};
  for (std::size_t i = 0; i < 4; ++i) {
    luck[i] = noise * (random.next_unit() - 0.5);
    mean_noise += luck[i] / 4.0;
    mean += strengths[static_cast<std::size_t>(table.agents[i])] / 4.0;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const double strength = strengths[static_cast<std::size_t>(table.agents[i])];
    table.points[i] = 4.0 / 3.0 * (strength - mean) + luck[i] - mean_noise;
  }
  return table;
}

TEST(RandomTables, additive_payoffs_give_the_strengths_back) {
  const std::vector<double> strengths = {3.0, 1.0, 0.5, -0.5, -1.0, -3.0};
  Rng random(1);
  std::vector<RatedTable> tables;
  for (int block = 0; block < 40; ++block) tables.push_back(table_of(block, strengths, random, 0));
  TournamentResult result;
  rate({}, tables, 6, result);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(result.ratings[i].mean, strengths[i], 1e-9);
    EXPECT_NEAR(result.ratings[i].sd, 0.0, 1e-6);
  }
}

TEST(RandomTables, intervals_of_ratings_hold_what_they_promise) {
  const std::vector<double> strengths = {2.0, 1.0, 0.0, 0.0, -3.0};
  const int runs = 400;
  int inside = 0;
  for (int run = 0; run < runs; ++run) {
    Rng random(static_cast<std::uint64_t>(run));
    std::vector<RatedTable> tables;
    for (int block = 0; block < 60; ++block) {
      tables.push_back(table_of(block, strengths, random, 20.0));
    }
    TournamentResult result;
    rate({}, tables, 5, result);
    const Estimate& rating = result.ratings[1];
    inside += std::abs(rating.mean - strengths[1]) <= rating.half_width ? 1 : 0;
  }
  EXPECT_NEAR(inside / static_cast<double>(runs), 0.95, 0.04);
}

}  // namespace
}  // namespace schafkopf
