// League days played by agents (RULES H.3).
#include "agents/league_day.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>

#include "agents/tournament_config.h"
#include "tests/cpp/scale.h"

namespace schafkopf {
namespace {

using testing::HasSubstr;

LeagueDayOptions day_of(int players, std::vector<TournamentAgent> agents) {
  LeagueDayOptions options;
  options.agents = std::move(agents);
  options.rules = CompiledRules::load("tournament_2024");
  options.players = players;
  options.threads = 1;
  return options;
}

std::string refusal(const LeagueDayOptions& options) {
  try {
    (void)play_league_day(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(LeagueDay, R_179_every_table_plays_two_sittings_of_sixteen_games) {
  const LeagueDayResult result = play_league_day(day_of(12, {{"rules"}, {"random"}}));
  EXPECT_EQ(result.tables, 3);
  EXPECT_EQ(result.sittings, 2);
  EXPECT_EQ(result.games, 2 * 3 * 16);
  EXPECT_EQ(result.ranking.size(), 12u);
  std::int64_t total = 0;
  std::set<int> players;
  for (const Standing& standing : result.ranking) {
    total += standing.total - standing.bonus;
    players.insert(standing.player);
  }
  EXPECT_EQ(total, 0);  // what some won the others lost
  EXPECT_EQ(players.size(), 12u);
}

TEST(LeagueDay, the_ranking_is_by_total_and_good_players_come_first) {
  const int players = test::scaled(40, 120, 1000);
  const LeagueDayResult result = play_league_day(day_of(players, {{"rules"}, {"random"}}));
  double ranks[2] = {};
  for (std::size_t i = 0; i < result.ranking.size(); ++i) {
    const std::int64_t above = result.ranking[i > 0 ? i - 1 : 0].total;
    EXPECT_LE(result.ranking[i].total, above);
    ranks[result.agent_of(result.ranking[i].player)] += static_cast<double>(i);
  }
  EXPECT_LT(ranks[0], ranks[1]);
  EXPECT_GT(result.points[0].mean, result.points[0].half_width);
  EXPECT_NEAR(result.points[0].mean, -result.points[1].mean, 1e-9);
}

TEST(LeagueDay, results_do_not_depend_on_threads) {
  std::set<std::string> texts;
  for (const int threads : {1, 2, 5}) {
    LeagueDayOptions options = day_of(24, {{"rules:random=0.2"}, {"random"}, {"rules"}});
    options.threads = threads;
    const LeagueDayResult result = play_league_day(options);
    texts.insert(to_json(result, options) + to_text(result, options));
  }
  EXPECT_EQ(texts.size(), 1u);
}

TEST(LeagueDay, the_list_names_every_player_once_with_its_agent) {
  const LeagueDayOptions options = day_of(8, {{"rules", "steady"}, {"random", "wild"}});
  const LeagueDayResult result = play_league_day(options);
  const auto json = nlohmann::json::parse(to_json(result, options));
  EXPECT_EQ(json["ranking"][0]["rank"], 1);
  EXPECT_EQ(json["agents"][1]["players"], 4);
  for (const auto& row : json["ranking"]) {
    EXPECT_EQ(row["agent"], row["player"].get<int>() % 2 == 0 ? "steady" : "wild");
  }
  EXPECT_THAT(to_text(result, options), HasSubstr("8 players at 2 tables, 2 sittings of 16 games"));
}

TEST(LeagueDay, wrong_options_are_named) {
  EXPECT_THAT(refusal(day_of(10, {{"rules"}})), HasSubstr("multiples of 4"));
  EXPECT_THAT(refusal(day_of(4, {{"rules"}, {"rules"}})), HasSubstr("\"rules\" comes twice"));
  EXPECT_THAT(refusal(day_of(4, {})), HasSubstr("no agents"));
  EXPECT_THAT(refusal(day_of(4, {{"rules"}, {"nobody"}})), HasSubstr("nobody"));
  EXPECT_THAT(refusal(day_of(1, {{"rules"}, {"random"}})), HasSubstr("players = 1"));
  LeagueDayOptions endless = day_of(4, {{"rules"}});
  endless.rules = std::make_shared<const CompiledRules>(
      parse_rules("preset = \"research\"\nsession_rounds = 0\n", "test.toml"), "test");
  EXPECT_THAT(refusal(endless), HasSubstr("session_rounds = 0"));
}

TEST(LeagueDay, the_shipped_file_plays_the_2024_rules) {
  const LeagueDayOptions options = league_day_options(load_tournament_config(
      std::string(SCHAFKOPF_SOURCE_DIR) + "/configs/tournament/league_2024.toml"));
  EXPECT_EQ(options.rules->name(), "tournament_2024");
  EXPECT_EQ(options.players, 64);
}

}  // namespace
}  // namespace schafkopf
