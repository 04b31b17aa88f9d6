// One player asked about one game at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agents/game_player.h"
#include "agents/registry.h"
#include "env/deal/deal.h"
#include "env/rules/compiled_rules.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

std::shared_ptr<const CompiledRules> shared_research() { return CompiledRules::load("research"); }

TEST(GamePlayer, every_player_plays_a_deal_to_its_end_with_the_actions_of_a_batch_of_one) {
  const auto rules = shared_research();
  for (const char* spec : {"rules", "random", "net:baseline", "pimc:2", "oracle"}) {
    GamePlayer player(make_agent(spec), rules);
    const auto batched = make_agent(spec);
    const SingleRuleTable table(*rules);
    Game game(*rules, random_deal(42), 3);
    while (!game.is_terminal()) {
      const PlayerView view = game.view(game.current_player());
      const FullView full = game.full_view(game.current_player());
      const ViewBatch batch{.size = 1,
                            .cards = &view.cards,
                            .order = &view.order,
                            .events = &view.events,
                            .rules = &table.table(),
                            .full = batched->sees_hidden_hands() ? &full : nullptr};
      const RngKey key = key_of_question(view, 5, 0);
      Action expected = 0;
      batched->act(batch, std::span(&key, 1), std::span(&expected, 1));
      const Action action = player.act(game, 5);
      ASSERT_EQ(action_name(action), action_name(expected)) << spec;
      game.apply(action);  // throws if it is illegal
    }
  }
}

TEST(GamePlayer, the_policy_is_a_distribution_over_legal_actions_with_a_value_where_there_is_one) {
  const auto rules = shared_research();
  Contract solo;
  solo.contract = parse_contract("SOLO").row->contract;
  solo.suit = Suit::kHerz;
  solo.declarer = 0;
  const Game game = Game::with_contract(*rules, random_deal(7), 3, solo);
  for (const char* spec : {"random", "net:baseline", "pimc:2"}) {
    const GamePlayer::Opinion opinion = GamePlayer(make_agent(spec), rules).policy(game);
    double sum = 0.0;
    for (int action = 0; action < kNumActions; ++action) {
      const float p = opinion.probabilities[static_cast<std::size_t>(action)];
      EXPECT_TRUE(p == 0.0F || game.legal_actions().contains(static_cast<Action>(action)));
      sum += static_cast<double>(p);
    }
    EXPECT_NEAR(sum, 1.0, 1e-5) << spec;
    EXPECT_EQ(std::isnan(opinion.value), std::string(spec) != "pimc:2") << spec;
  }
}

TEST(GamePlayer, seeds_are_other_draws) {
  const auto rules = shared_research();
  GamePlayer player(make_agent("random"), rules);
  const Game game(*rules, random_deal(1), 3);
  std::vector<Action> drawn;
  for (std::uint64_t seed = 0; seed < 64; ++seed) drawn.push_back(player.act(game, seed));
  EXPECT_NE(std::ranges::min(drawn), std::ranges::max(drawn));
}

TEST(GamePlayer, what_cannot_be_asked_is_refused_with_what_is_allowed) {
  const auto rules = shared_research();
  GamePlayer player(make_agent("rules"), rules);
  Game over(*rules, random_deal(42), 3);
  while (!over.is_terminal()) over.apply(over.legal_actions().lowest());
  EXPECT_EQ(error_of([&] { (void)player.act(over, 1); }),
            "the game is over, allowed: one with a seat to act");
  const auto others = CompiledRules::load("tournament_2024");
  const Game other(*others, random_deal(42), 3);
  EXPECT_EQ(
      error_of([&] { (void)player.policy(other); }),
      "a game of the rules \"tournament_2024\", allowed: \"research\", with the same switches");
  EXPECT_EQ(error_of([&] { GamePlayer(nullptr, rules); }),
            "player = null, allowed: one that exists");
  EXPECT_EQ(error_of([&] { GamePlayer(make_agent("rules"), nullptr); }),
            "rules = null, allowed: one that exists");
}

/// Says PLAY at every turn.
class AlwaysPlay : public UniformPolicy {
 public:
  [[nodiscard]] std::string name() const override { return "always play"; }
  void act(const ViewBatch&, std::span<const RngKey>, std::span<Action> actions) override {
    std::ranges::fill(actions, kActionPlay);
  }
};

TEST(GamePlayer, an_illegal_answer_of_an_own_player_is_named_with_the_legal_ones) {
  const auto rules = shared_research();
  GamePlayer player(std::make_unique<AlwaysPlay>(), rules);
  Game game(*rules, random_deal(42), 3);
  EXPECT_EQ(action_name(player.act(game, 1)), "PLAY");
  Contract solo;
  solo.contract = parse_contract("SOLO").row->contract;
  solo.suit = Suit::kHerz;
  solo.declarer = 0;
  game = Game::with_contract(*rules, random_deal(7), 3, solo);
  EXPECT_EQ(error_of<std::runtime_error>([&] {
              (void)player.act(game, 1);
            }).find("always play answered PLAY in PLAY, allowed: "),
            0U);
}

/// Puts a probability on one action, legal or not.
class OneNumber : public UniformPolicy {
 public:
  OneNumber(Action action, float probability) : action_(action), probability_(probability) {}
  [[nodiscard]] std::string name() const override { return "one number"; }
  void policy(const ViewBatch&, std::span<float> probabilities, std::span<float>) override {
    std::ranges::fill(probabilities, 0.0F);
    probabilities[action_] = probability_;
  }

 private:
  Action action_;
  float probability_;
};

TEST(GamePlayer, what_is_no_distribution_over_legal_actions_is_no_opinion) {
  const auto rules = shared_research();
  const Game game(*rules, random_deal(42), 3);
  const auto answered = [&](Action action, float probability) {
    GamePlayer player(std::make_unique<OneNumber>(action, probability), rules);
    return error_of<std::runtime_error>([&] { (void)player.policy(game); });
  };
  EXPECT_EQ(answered(kActionPlay, 1.0F), "no error");
  EXPECT_EQ(
      answered(kActionLay, 1.0F),
      "one number gave LAY the probability 1 in AUCTION_ROUND, allowed: 0..1, above 0 for PASS, "
      "PLAY alone");
  EXPECT_EQ(answered(kActionPlay, -1.0F),
            "one number gave PLAY the probability -1 in AUCTION_ROUND, allowed: 0..1, above 0 for "
            "PASS, PLAY alone");
  EXPECT_EQ(answered(kActionPlay, std::nanf("")),
            "one number gave PLAY the probability nan in AUCTION_ROUND, allowed: 0..1, above 0 for "
            "PASS, PLAY alone");
  EXPECT_EQ(answered(kActionPlay, 0.5F),
            "one number gave probabilities with the sum 0.5 in AUCTION_ROUND, allowed: 1");
}

TEST(GamePlayer, a_table_of_players_is_a_vector) {
  const auto rules = shared_research();
  std::vector<GamePlayer> table;
  for (const char* spec : {"rules", "random", "net:baseline", "random"}) {
    table.emplace_back(make_agent(spec), rules);
  }
  GamePlayer own(make_agent("net:baseline"), rules);
  GamePlayer moved = std::move(own);
  Game game(*rules, random_deal(42), 3);
  EXPECT_EQ(moved.act(game, 1), table[2].act(game, 1));
  while (!game.is_terminal()) {
    game.apply(table[static_cast<std::size_t>(game.current_player())].act(game, 1));
  }
}

}  // namespace
}  // namespace schafkopf::test
