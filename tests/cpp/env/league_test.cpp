// The league day of the 2024 tournament (RULES H.3).
#include "env/session/league.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "env/base/random.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const CompiledRules> tournament() { return rules_named("tournament_2024"); }

/// The next game of a table, played by the lowest or highest legal action, or at random.
Game played_at(const League& league, int sitting, int table, std::uint64_t seed) {
  Game game = league.next_game(sitting, table);
  Rng rng(seed);
  while (!game.is_terminal()) {
    const ActionMask mask = game.legal_actions();
    game.apply(mask.nth(rng.next_below(mask.count())));
  }
  return game;
}

void play_table(League& league, int sitting, int table) {
  for (std::uint64_t k = 0; !league.is_over(sitting, table); ++k) {
    league.finish(sitting, table, played_at(league, sitting, table, k));
  }
}

League played_league(int players, std::uint64_t seed) {
  League league(tournament(), players, seed);
  for (int sitting = 0; sitting < league.num_sittings(); ++sitting) {
    for (int table = 0; table < league.num_tables(); ++table) play_table(league, sitting, table);
  }
  return league;
}

TEST(League, R_179_two_sittings_of_four_rounds_of_four_games) {
  const League league(tournament(), 12, 1);
  EXPECT_EQ(league.num_sittings(), 2);
  EXPECT_EQ(league.num_tables(), 3);
  EXPECT_EQ(league.games_per_sitting(), 16);
  EXPECT_EQ(league.num_sittings() * league.games_per_sitting(), 32);
}

TEST(League, R_181_every_sitting_draws_everybody_to_one_table) {
  std::set<std::vector<int>> draws;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const League league(tournament(), 12, seed);
    for (int sitting = 0; sitting < 2; ++sitting) {
      std::vector<int> all;
      for (int table = 0; table < 3; ++table) {
        const auto& players = league.list(sitting, table).players;
        EXPECT_EQ(players.size(), 4U);
        all.insert(all.end(), players.begin(), players.end());
      }
      draws.insert(all);
      std::ranges::sort(all);
      EXPECT_THAT(all, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    }
    EXPECT_EQ(League(tournament(), 12, seed).list(1, 2), league.list(1, 2));
  }
  EXPECT_EQ(draws.size(), 20U);
  EXPECT_THAT(error_of([] { League(tournament(), 10, 1); }), HasSubstr("multiples of 4"));
  EXPECT_EQ(error_of([] { League(tournament(), 1 << 30, 1); }),
            "league: 1073741824 players, allowed: multiples of 4 to 10000");
}

// Whoever keeps a seed gets his deals again from every version.
TEST(League, the_deals_of_a_seed_stay_what_they_are) {
  const League league(tournament(), 12, 7);
  EXPECT_EQ(league.next_game(0, 0).hand(0), parse_cards("EO GU G10 H8 S7 SO SK S10"));
  EXPECT_EQ(league.next_game(1, 2).hand(0), parse_cards("EO E10 G10 H9 HO S8 SK SA"));
}

TEST(League, R_182_the_time_limit_of_a_round_is_metadata) {
  EXPECT_EQ(League(tournament(), 4, 1).rules().rules().round_time_limit_min, 30);
}

TEST(League, R_184_the_list_of_a_table_adds_up) {
  League league(tournament(), 8, 3);
  play_table(league, 0, 1);
  const TableList& list = league.list(0, 1);
  EXPECT_EQ(list.deals.size(), 16U);
  std::array<std::int64_t, kMaxPlaces> totals{};
  for (const auto& deal : list.deals) {
    EXPECT_EQ(deal[0] + deal[1] + deal[2] + deal[3], 0);
    for (std::size_t place = 0; place < kMaxPlaces; ++place) totals[place] += deal[place];
  }
  EXPECT_EQ(totals, list.state.totals);
  EXPECT_TRUE(league.list(0, 0).deals.empty());
  EXPECT_TRUE(league.is_over(0, 1));
  EXPECT_FALSE(league.is_over());
  EXPECT_THAT(error_of([&] { (void)league.next_game(0, 1); }), HasSubstr("over at table 1"));
}

TEST(League, R_179_a_sitting_or_table_that_there_is_not_is_named_with_its_range) {
  const League league(tournament(), 8, 3);
  EXPECT_EQ(error_of([&] { (void)league.next_game(99, 0); }), "sitting = 99, allowed: 0..1");
  EXPECT_EQ(error_of([&] { (void)league.next_game(-1, 9); }), "sitting = -1, allowed: 0..1");
  EXPECT_EQ(error_of([&] { (void)league.list(1, 2); }), "table = 2, allowed: 0..1");
  EXPECT_EQ(error_of([&] { (void)league.is_over(0, -1); }), "table = -1, allowed: 0..1");
}

TEST(League, R_184_only_the_deal_of_the_table_is_entered) {
  League league(tournament(), 8, 3);
  EXPECT_THAT(error_of([&] { league.finish(0, 0, league.next_game(0, 0)); }),
              HasSubstr("not the finished deal"));
  EXPECT_THAT(error_of([&] { league.finish(0, 0, played_at(league, 0, 1, 0)); }),
              HasSubstr("not the finished deal"));
  EXPECT_EQ(league.list(0, 0).state.num_deals, 0);
}

TEST(League, R_021_a_second_misdeal_is_a_row_of_the_list) {
  League league(tournament(), 4, 3);
  const auto dealer = static_cast<std::size_t>(league.list(0, 0).state.dealer);
  const Game before = league.next_game(0, 0);
  league.misdeal(0, 0);
  EXPECT_NE(league.next_game(0, 0).dealt(0), before.dealt(0));
  EXPECT_TRUE(league.list(0, 0).deals.empty());
  EXPECT_EQ(league.misdeal(0, 0)[dealer], -60);
  ASSERT_EQ(league.list(0, 0).deals.size(), 1U);
  EXPECT_EQ(league.list(0, 0).deals[0][dealer], -60);
}

TEST(League, R_179_a_sitting_that_is_over_has_no_misdeal) {
  League league(tournament(), 4, 3);
  while (!league.is_over(0, 0)) league.misdeal(0, 0);
  EXPECT_EQ(error_of([&] { league.misdeal(0, 0); }), "league: sitting 0 is over at table 0");
}

TEST(League, R_180_R_183_places_by_total_with_bonus) {
  const League league = played_league(8, 5);
  EXPECT_TRUE(league.is_over());
  const std::vector<Standing> ranking = league.ranking();
  ASSERT_EQ(ranking.size(), 8U);
  std::map<int, std::int64_t> accounts;
  for (int sitting = 0; sitting < 2; ++sitting) {
    for (int table = 0; table < 2; ++table) {
      const TableList& list = league.list(sitting, table);
      for (std::size_t place = 0; place < 4; ++place) {
        accounts[list.players[place]] += list.state.totals[place];
      }
    }
  }
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    EXPECT_EQ(ranking[i].rank, static_cast<int>(i) + 1);
    EXPECT_EQ(ranking[i].num_games, 32);
    EXPECT_EQ(ranking[i].bonus, 100);
    EXPECT_EQ(ranking[i].total, accounts[ranking[i].player] + 100);
    EXPECT_GE(ranking[i > 0 ? i - 1 : 0].total, ranking[i].total);
  }
}

TEST(League, R_180_fewer_than_sixteen_games_earn_no_bonus) {
  League league(tournament(), 4, 5);
  for (std::uint64_t k = 0; k < 15; ++k) league.finish(0, 0, played_at(league, 0, 0, k));
  for (const Standing& standing : league.ranking()) EXPECT_EQ(standing.bonus, 0);
  league.finish(0, 0, played_at(league, 0, 0, 15));
  for (const Standing& standing : league.ranking()) EXPECT_EQ(standing.bonus, 100);
}

TEST(League, R_183_the_first_ace_decides_between_equal_totals) {
  const League league(tournament(), 12, 8);  // nobody has played: all are tied
  const std::vector<Standing> ranking = league.ranking();
  std::set<int> players, ranks;
  for (const Standing& standing : ranking) {
    players.insert(standing.player);
    ranks.insert(standing.rank);
  }
  EXPECT_EQ(players.size(), 12U);
  EXPECT_EQ(ranks.size(), 12U);
  EXPECT_EQ(ranking, league.ranking());
  RuleSet rules = tournament()->rules();
  rules.tie_break = TieBreak::kNone;
  for (const Standing& standing :
       League(std::make_shared<const CompiledRules>(rules), 12, 8).ranking()) {
    EXPECT_EQ(standing.rank, 1);
  }
}

TEST(League, OPEN_71_cards_are_dealt_to_the_tied_players_in_turn_until_an_ace) {
  const RuleSet rules = tournament()->rules();
  const std::vector<int> tied = {3, 5, 9};
  std::map<int, int> firsts;
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const std::vector<int> order = first_ace_order(tied, seed, rules);
    const CardOrder deck = shuffled_deck(mix64(seed), rules);
    std::size_t at = 0;
    while (rank_of(deck[at]) != Rank::kAss) ++at;
    EXPECT_EQ(order[0], tied[at % 3]);
    EXPECT_EQ(std::set<int>(order.begin(), order.end()), (std::set<int>{3, 5, 9}));
    ++firsts[order[0]];
    orders.insert(order);
  }
  for (const int player : tied) EXPECT_GT(firsts[player], 130);
  EXPECT_EQ(orders.size(), 6U) << "the rest is dealt to anew";
}

TEST(League, results_do_not_depend_on_the_order_of_tables) {
  League league(tournament(), 8, 5);
  for (const int sitting : {1, 0}) {
    for (const int table : {1, 0}) play_table(league, sitting, table);
  }
  EXPECT_EQ(league.ranking(), played_league(8, 5).ranking());
}

}  // namespace
}  // namespace schafkopf::test
