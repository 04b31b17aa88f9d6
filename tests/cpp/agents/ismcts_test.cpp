// Information set tree search: the card most visited, and what its probabilities are.
#include "agents/search/ismcts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "agents/maxims/rule_agent.h"
#include "env/deal/deal.h"
#include "tests/cpp/agents/search_games.h"

namespace schafkopf {
namespace {

using search_games::batch_of;
using search_games::chosen;
using search_games::policy_of;
using search_games::random_game;

TEST(Ismcts, plays_its_most_visited_card_and_announces_as_the_rule_agent) {
  const auto rules = CompiledRules::load("research");
  IsmctsAgent player({.iterations = 50}), sharing({.iterations = 50, .shares = true});
  RuleAgent rule_agent;
  int with_a_choice = 0;
  for (const int stop : {0, 9, 30}) {
    for (std::uint64_t seed = 0; seed < (stop == 0 ? 6 : 40); ++seed) {  // many are thrown in
      Game game(*rules, random_deal(seed), 3);
      if (stop > 0) game = random_game(*rules, seed, stop);
      if (game.is_terminal()) continue;
      const PlayerView view = game.view(game.current_player());
      const CompiledRules* const list[] = {rules.get()};
      const RuleTable table{.rules = list, .features = {}};
      const RngKey key{.seed = seed};
      Action action = 0;
      player.act(batch_of(view, table), std::span(&key, 1), std::span(&action, 1));
      EXPECT_EQ(action_name(action), stop == 0 ? chosen(rule_agent, game) : chosen(player, game));
      if (stop > 0) {
        const std::vector<float> visits = policy_of(sharing, game);  // of the same search
        EXPECT_EQ(visits[action], *std::ranges::max_element(visits)) << "seed " << seed;
        with_a_choice += visits[action] < 1.0F ? 1 : 0;
        continue;
      }
      EXPECT_EQ(chosen(player, game), chosen(rule_agent, game));
    }
  }
  EXPECT_GT(with_a_choice, 0);
}

TEST(Ismcts, probabilities_are_those_of_the_card_that_it_plays) {
  const auto rules = CompiledRules::load("research");
  IsmctsAgent player({.iterations = 100});
  int searched = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Game game = random_game(*rules, seed, 8);
    if (game.is_terminal() || !game.has_contract()) continue;
    const PlayerView view = game.view(game.current_player());
    const CompiledRules* const list[] = {rules.get()};
    const RuleTable table{.rules = list, .features = {}};
    const RngKey key{.seed = seed};
    Action action = 0;
    player.act(batch_of(view, table), std::span(&key, 1), std::span(&action, 1));
    const std::vector<float> row = policy_of(player, game);
    EXPECT_EQ(row[action], 1.0F) << "seed " << seed << ": " << action_name(action);
    EXPECT_EQ(std::ranges::count(row, 0.0F), kNumActions - 1);
    ++searched;
  }
  EXPECT_GT(searched, 3);
}

TEST(Ismcts, probabilities_are_shares_of_visits_where_they_are_asked_for) {
  const auto rules = CompiledRules::load("research");
  constexpr int kIterations = 300;
  IsmctsAgent player({.iterations = kIterations}),
      sharing({.iterations = kIterations, .shares = true});
  int compared = 0, with_a_choice = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Game game = random_game(*rules, seed, 8);
    if (game.is_terminal() || !game.has_contract()) continue;
    const std::vector<float> row = policy_of(sharing, game), card = policy_of(player, game);
    const ActionMask legal = without_claims(game.legal_actions());
    float sum = 0.0F;
    int tried = 0;
    for (int a = 0; a < kNumActions; ++a) {
      const float share = row[static_cast<std::size_t>(a)];
      sum += share;
      if (!legal.contains(static_cast<Action>(a))) {
        EXPECT_EQ(share, 0.0F) << action_name(a);
      }
      const double visits = static_cast<double>(share) * kIterations;
      EXPECT_NEAR(visits, std::round(visits), 1e-3) << action_name(a);
      tried += share > 0.0F && share < 1.0F ? 1 : 0;
    }
    EXPECT_NEAR(sum, 1.0F, 1e-5);
    // every card is tried before one is tried again
    EXPECT_EQ(tried, legal.count() > 1 ? legal.count() : 0) << "seed " << seed;
    const auto played = std::ranges::max_element(card) - card.begin();
    EXPECT_EQ(row[static_cast<std::size_t>(played)], *std::ranges::max_element(row))
        << "seed " << seed;
    ++compared;
    with_a_choice += legal.count() > 1 ? 1 : 0;
  }
  EXPECT_GT(compared, 3);
  EXPECT_GT(with_a_choice, 0);
}

}  // namespace
}  // namespace schafkopf
