// All searching players: their names and parameters, batches, every phase, strength.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "agents/maxims/rule_agent.h"
#include "agents/registry.h"
#include "agents/search/beliefs.h"
#include "agents/tournament/tournament.h"
#include "tests/cpp/agents/search_games.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf {
namespace {

using search_games::chosen;
using search_games::policy_of;
using search_games::random_game;

TEST(SearchAgents, names_make_the_same_player_again) {
  for (const char* const spec :
       {"pimc:worlds=30,version=3",
        "pimc:worlds=5,ms=20,clear=0.5,question=win,bidding=worlds,kontra=worlds,seed=7,version=1",
        "ismcts:iterations=500", "ismcts:iterations=10,exploration=1.5,shares=true,seed=3",
        "oracle:version=1"}) {
    EXPECT_EQ(make_agent(spec)->name(), spec);
  }
  EXPECT_EQ(make_agent("pimc:30")->name(), "pimc:worlds=30,version=3");
}

TEST(SearchAgents, mixed_beliefs_are_named_by_both_players) {
  const RuleAgent own(0.25);
  EXPECT_EQ(make_beliefs(Beliefs::kBoth, own)->name(),
            "the mean of " + own.name() + " and " + RuleAgent().name());
}

TEST(SearchAgents, beliefs_that_there_are_not_are_refused) {
  EXPECT_EQ(test::error_of([] { (void)make_beliefs(static_cast<Beliefs>(99), RuleAgent()); }),
            "beliefs = 99, allowed: 0..3");
}

TEST(SearchAgents, wrong_parameters_are_named_with_what_is_allowed) {
  const auto error_of = [](const std::string& spec) -> std::string {
    try {
      (void)make_agent(spec);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  using testing::HasSubstr;
  EXPECT_THAT(error_of("pimc:0"), HasSubstr("worlds = 0, allowed: integer 1..100000"));
  EXPECT_THAT(error_of("pimc:many"), HasSubstr("worlds = \"many\", allowed: integer 1..100000"));
  EXPECT_THAT(error_of("pimc:ms=-1"), HasSubstr("ms = -1, allowed: number >= 0 (milliseconds)"));
  EXPECT_THAT(error_of("pimc:clear=-1"), HasSubstr("clear = -1, allowed: number 0..100"));
  EXPECT_THAT(error_of("pimc:clear=nan"), HasSubstr("clear"));
  EXPECT_THAT(error_of("pimc:question=points"), HasSubstr("allowed: classes, win"));
  EXPECT_THAT(error_of("ismcts:0"), HasSubstr("iterations = 0, allowed: integer 1..10000000"));
  EXPECT_THAT(error_of("ismcts:exploration=0"),
              HasSubstr("exploration = 0, allowed: number above 0"));
  EXPECT_THAT(error_of("oracle:4"), HasSubstr("oracle:4\": version = 4, allowed: integer 1..3"));
}

TEST(SearchAgents, play_the_same_for_a_seed_and_in_any_batch) {
  const auto rules = CompiledRules::load("research");
  std::vector<Game> games;
  for (std::uint64_t seed = 0; games.size() < 8; ++seed) {
    Game game = random_game(*rules, seed, 14);
    if (!game.is_terminal() && game.has_contract()) games.push_back(game);
  }
  std::vector<CardsLine> cards(games.size());
  std::vector<OrderLine> order(games.size());
  std::vector<EventsLine> events(games.size());
  for (std::size_t i = 0; i < games.size(); ++i) {
    games[i].view(games[i].current_player(), cards[i], order[i], events[i]);
  }
  const CompiledRules* const set[] = {rules.get()};
  const RuleTable table{.rules = set, .features = {}};
  const ViewBatch batch{.size = games.size(),
                        .cards = cards.data(),
                        .order = order.data(),
                        .events = events.data(),
                        .rule_index = nullptr,
                        .rules = &table};
  for (const char* const spec : {"pimc:3", "ismcts:100"}) {
    std::vector<float> whole(games.size() * kNumActions), values(games.size());
    make_agent(spec)->policy(batch, whole, values);
    for (std::size_t i = 0; i < games.size(); ++i) {
      const std::vector<float> alone = policy_of(*make_agent(spec), games[i]);
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(),
                             whole.begin() + static_cast<std::ptrdiff_t>(i * kNumActions)))
          << spec << ", row " << i;
    }
  }
}

TEST(SearchAgents, act_legally_in_every_phase_of_every_preset) {
  const int deals = test::scaled(2, 6, 25);
  for (const std::string_view preset : preset_names()) {
    const auto rules = CompiledRules::load(std::string(preset));
    for (const char* const spec : {"pimc:1,bidding=worlds,kontra=worlds", "ismcts:20"}) {
      auto player = make_agent(spec);
      for (int seed = 0; seed < deals; ++seed) {
        Rng random(static_cast<std::uint64_t>(seed));
        Game game = random_game(*rules, static_cast<std::uint64_t>(seed), 12);
        while (!game.is_terminal()) {
          const std::string action = chosen(*player, game);
          ASSERT_TRUE(without_claims(game.legal_actions()).contains(*parse_action(action)))
              << preset << ", seed " << seed << ": " << action;
          game.apply(*parse_action(action));
        }
      }
    }
  }
}

TEST(SearchAgents, open_cards_beat_the_rule_agent) {
  TournamentOptions options;
  options.rules = CompiledRules::load("research");
  options.agents = {{"oracle"}, {"rules"}};
  options.track = Track::kCardPlay;
  options.blocks = test::scaled(4, 40, 200);
  options.threads = 2;
  const TournamentResult result = run_tournament(options);
  EXPECT_GT(result.one_against_three[0][1].mean, 0.0);
}

}  // namespace
}  // namespace schafkopf
