// Exact play with open cards: what it promises is paid, and it plays with open cards only.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

#include "agents/game_player.h"
#include "agents/registry.h"
#include "agents/search/card_search.h"
#include "agents/search/pimc.h"
#include "tests/cpp/agents/search_games.h"
#include "tests/cpp/agents/true_world.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table_notation.h"

namespace schafkopf {
namespace {

using search_games::chosen;
using search_games::payoffs_from;
using search_games::policy_of;
using search_games::random_game;
using test::true_world;

/// What the seat to act is promised with open cards is paid if everybody plays with open cards.
TEST(Oracle, four_of_them_keep_the_value_of_the_deal) {
  OracleAgent oracle;
  CardSearch search;
  std::map<std::string, int> contracts;
  for (const char* const name : {"research", "wikipedia_extended"}) {
    const auto rules = notation::rules_of({"kontra_window = \"off\""}, name);
    for (int seed = 0; seed < test::scaled(30, 120, 600); ++seed) {
      Game game = random_game(*rules, static_cast<std::uint64_t>(seed), 10);
      if (game.is_terminal() || !game.has_contract()) continue;
      if (contract_row(game.contract().contract).goal == Goal::kFewestPoints) continue;
      const int seat = game.current_player();
      search.begin(game.view(seat), *rules);
      search.add(true_world(game, seat));
      const double promised = search.values().best();
      while (game.phase() == Phase::kPlay) game.apply(*parse_action(chosen(oracle, game)));
      if (!game.is_terminal()) continue;  // Laufende are claimed
      EXPECT_EQ(payoffs_from(game, seat)[0], promised) << name << ", seed " << seed;
      ++contracts[std::string(contract_name(game.contract().contract, game.contract().tout))];
    }
  }
  EXPECT_GE(contracts.size(), 3U);
}

// Of a position the game counts no Laufende, though each side has cards from the top of what is left.
TEST(Oracle, the_value_of_a_position_is_what_its_game_pays) {
  const auto rules = notation::rules_of({});
  const Contract wenz{.contract = parse_contract("WENZ").row->contract, .declarer = 0};
  for (const char* hands : {"S9|H8|GU|G9", "H7|S8|H9|SA"}) {
    Game game = Game::from_position(*rules, notation::endgame(wenz, hands, 0, 1));
    GamePlayer oracle(make_agent("oracle"), rules);
    const float first = oracle.policy(game).value;
    game.apply(without_claims(game.legal_actions()).lowest());
    const float second = oracle.policy(game).value;  // of seat 1, in the trick that has begun
    while (!game.is_terminal()) game.apply(without_claims(game.legal_actions()).lowest());
    const auto scale = static_cast<float>(rules->tariff_scale());
    EXPECT_EQ(first, static_cast<float>(game.payoffs()[0]) / scale) << hands;
    EXPECT_EQ(second, static_cast<float>(game.payoffs()[1]) / scale) << hands;
  }
}

TEST(Oracle, refuses_to_play_without_the_hidden_hands) {
  const auto rules = CompiledRules::load("research");
  Game game = random_game(*rules, 0, 4);
  for (std::uint64_t seed = 1; game.is_terminal(); ++seed) game = random_game(*rules, seed, 4);
  OracleAgent oracle;
  EXPECT_THROW((void)policy_of(oracle, game, false), std::invalid_argument);
  EXPECT_TRUE(oracle.sees_hidden_hands());
  EXPECT_FALSE(make_agent("pimc:2")->sees_hidden_hands());
}

}  // namespace
}  // namespace schafkopf
