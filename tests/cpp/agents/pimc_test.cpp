// Cards by worlds: which worlds are searched, how sure a lead is, and what is played then.
#include "agents/search/pimc.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "agents/maxims/rule_agent.h"
#include "agents/registry.h"
#include "agents/search/card_search.h"
#include "agents/search/ismcts.h"
#include "tests/cpp/agents/search_games.h"
#include "tests/cpp/agents/true_world.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table_notation.h"

namespace schafkopf {
namespace {

using search_games::chosen;
using search_games::games_to_sample;
using search_games::random_game;

/// Two tricks before the end everything is known but who holds what: the choice is that over all
/// worlds.
TEST(Pimc, few_worlds_are_all_searched) {
  const auto rules = CompiledRules::load("research");
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Game game = random_game(*rules, seed, 26);
    if (game.is_terminal() || !game.has_contract()) continue;
    const PlayerView view = game.view(game.current_player());
    if (!CardSearch::can_search(view, *rules)) continue;
    const WorldSampler sampler(view, *rules);
    if (sampler.count() > 100) continue;
    CardSearch all;
    all.begin(view, *rules);
    sampler.enumerate([&](const World& world) { all.add(world); });
    PimcAgent player({.worlds = 100});
    const CardValues found = player.search(view, *rules);
    for (const Card card : found.legal) {
      EXPECT_NEAR(found.value[card], all.values().value[card], 1e-9);
    }
    // nothing is left to chance, so no lead is too small
    PimcAgent stubborn({.worlds = 100, .clear = 100.0});
    EXPECT_NEAR(found.value[*parse_action(chosen(stubborn, game))], found.best(), 1e-9);
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

TEST(Pimc, a_card_that_is_legal_by_the_view_and_in_no_hand_of_it_is_refused) {
  const auto rules = CompiledRules::load("research");
  Game game = random_game(*rules, 0, 12);
  for (std::uint64_t seed = 1; game.phase() != Phase::kPlay; ++seed) {
    game = random_game(*rules, seed, 12);
  }
  const int seat = game.current_player();
  PlayerView view = game.view(seat);
  view.cards.legal |= game.hand((seat + 1) % kNumSeats).bits();
  CardSearch search;
  search.begin(view, *rules);
  EXPECT_EQ(
      test::error_of<std::invalid_argument>([&] { search.add(test::true_world(game, seat)); }),
      "view: it shows what did not happen by these rules");
}

TEST(Pimc, the_error_of_a_lead_is_its_spread_over_worlds) {
  const auto rules = CompiledRules::load("research");
  for (const Game& game : games_to_sample(*rules, 5)) {
    const PlayerView view = game.view(game.current_player());
    const Card reference = CardSet(view.cards.legal).lowest();
    const WorldSampler sampler(view, *rules);
    constexpr int kWorlds = 20;
    CardSearch together, one;
    together.begin(view, *rules, reference);
    std::array<std::vector<double>, kNumCards> leads;
    for (std::uint64_t i = 0; i < kWorlds; ++i) {
      const World world = sampler.sample(i);
      together.add(world);
      one.begin(view, *rules);
      one.add(world);
      const CardValues alone = one.values();
      for (const Card card : alone.legal) {
        leads[card].push_back(alone.value[card] - alone.value[reference]);
      }
    }
    const CardValues found = together.values();
    for (const Card card : found.legal) {
      double mean = 0.0, variance = 0.0;
      for (const double lead : leads[card]) mean += lead / kWorlds;
      for (const double lead : leads[card]) variance += (lead - mean) * (lead - mean) / kWorlds;
      EXPECT_NEAR(found.value[card] - found.value[reference], mean, 1e-9);
      EXPECT_NEAR(found.error[card], std::sqrt(variance / kWorlds), 1e-6) << card_name(card);
    }
  }
}

TEST(Pimc, leaves_the_maxims_card_only_where_the_worlds_speak_clearly) {
  const auto rules = CompiledRules::load("research");
  RuleAgent maxims;
  PimcAgent best({.worlds = 8, .clear = 0.0}), usual({.worlds = 8}),
      stubborn({.worlds = 8, .clear = 100.0});
  int best_left = 0, usual_left = 0, stubborn_left = 0;
  for (const Game& game : games_to_sample(*rules, test::scaled(40, 120, 400))) {
    const std::string own = chosen(maxims, game);
    const PlayerView view = game.view(game.current_player());
    const CardValues values = best.search(view, *rules);
    const auto value = [&](const std::string& action) {
      return values.value[*parse_action(action)];
    };
    const std::string a = chosen(best, game), b = chosen(usual, game), c = chosen(stubborn, game);
    EXPECT_EQ(value(a), values.best());
    // the same worlds: each is the best card or that of the maxims
    EXPECT_TRUE(b == a || b == own) << b;
    EXPECT_TRUE(c == a || c == own) << c;
    best_left += a != own ? 1 : 0;
    usual_left += b != own ? 1 : 0;
    stubborn_left += c != own ? 1 : 0;
  }
  EXPECT_GT(best_left, usual_left);
  EXPECT_GT(usual_left, stubborn_left);
}

/// A world takes longer than a microsecond, so the limit leaves the first one and no other.
TEST(Pimc, a_time_limit_leaves_at_least_one_world) {
  const auto rules = CompiledRules::load("research");
  PimcAgent limited({.worlds = 1000, .milliseconds = 0.001}), first({.worlds = 1}),
      many({.worlds = 20});
  int told_apart = 0;
  for (const Game& game : games_to_sample(*rules, 5)) {
    const PlayerView view = game.view(game.current_player());
    const CardValues values = limited.search(view, *rules);
    EXPECT_TRUE(std::isfinite(values.best()));
    EXPECT_EQ(values.value, first.search(view, *rules).value);
    told_apart += values.value != many.search(view, *rules).value ? 1 : 0;
  }
  EXPECT_GT(told_apart, 0) << "one world says what twenty say";
}

// The first worlds of the sampler's order are alike: where all would be searched and the clock ends
// it, those that were must be drawn.
TEST(Pimc, a_time_limit_leaves_worlds_out_by_chance) {
  const auto rules = CompiledRules::load("research");
  int told_apart = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Game game = random_game(*rules, seed, 16);
    if (game.is_terminal() || !game.has_contract()) continue;
    const PlayerView view = game.view(game.current_player());
    if (!CardSearch::can_search(view, *rules)) continue;
    ASSERT_LE(WorldSampler(view, *rules).count(), 100'000U);
    const auto one_world = [&](std::uint64_t drawn) {
      PimcAgent limited({.worlds = 100'000, .milliseconds = 1e-9, .seed = drawn});
      return limited.search(view, *rules).value;
    };
    const auto first = one_world(0);
    for (std::uint64_t drawn = 1; drawn < 10; ++drawn) {
      told_apart += one_world(drawn) != first ? 1 : 0;
    }
  }
  EXPECT_GT(told_apart, 0);
}

// Seat 0 leads the last two tricks of a Solo and needs both; trumps are out but for HU and H9.
TEST(Pimc, draws_the_last_trump_before_it_cashes_the_ace) {
  const auto rules = notation::rules_of({}, "research");
  const Contract solo{
      .contract = parse_contract("SOLO").row->contract, .suit = Suit::kHerz, .declarer = 0};
  Position position = notation::endgame(solo, "HU EA | H9 E7 | S7 S8 | G7 G8", 0, 1);
  // the declarer has 52 points so far: HU is not enough
  position.captured[0] = parse_cards("GA G10 SA S10 E10 S9 G9 E9");
  position.captured[1] = position.captured[1] - position.captured[0];
  const Game game = Game::from_position(*rules, position);
  PimcAgent pimc({.worlds = 50});
  IsmctsAgent tree({.iterations = 2000});
  EXPECT_EQ(chosen(pimc, game), "CARD HU");
  EXPECT_EQ(chosen(tree, game), "CARD HU");
}

// C.6: 25 points lie on the table. S7 leaves them, and EO takes nothing in the last trick.
TEST(Pimc, R_044_in_the_ramsch_a_trick_of_many_points_is_left) {
  notation::NotedTable table({"all_pass = \"ramsch\""},
                             notation::endgame({.contract = ContractClass::kRamsch, .declarer = -1},
                                               "S7 EO|EA G7|E10 G8|EK G9", 1, 1));
  table.play("1:EA 2:E10 3:EK");
  auto player = make_agent("pimc:10");
  EXPECT_EQ(chosen(*player, table.game), "CARD S7");
}

// C.6: the same, but what EO takes goes to the left neighbour in the end.
TEST(Pimc, R_054_in_the_schieberramsch_a_trick_of_many_points_is_taken) {
  notation::NotedTable table({"all_pass = \"ramsch\"", "ramsch_shift = true"},
                             notation::endgame({.contract = ContractClass::kRamsch, .declarer = -1},
                                               "S7 EO|EA G7|E10 G8|EK G9", 1, 1));
  table.play("1:EA 2:E10 3:EK");
  auto player = make_agent("pimc:10");
  EXPECT_EQ(chosen(*player, table.game), "CARD EO");
}

}  // namespace
}  // namespace schafkopf
