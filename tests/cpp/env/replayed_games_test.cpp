// Games as values: the seed of a deal and the actions since (env/vector/replayed_games.h).
#include "env/vector/replayed_games.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "env/base/random.h"
#include "env/rules/compiled_rules.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/table_notation.h"

namespace schafkopf {
namespace {

/// Rows of `size` games, and the arrays that they are shown in.
struct Shown {
  explicit Shown(std::size_t size)
      : views(size), legal(size), players(size), rewards(4 * size), terminated(size) {}
  [[nodiscard]] ReplayedRows rows() { return {views, legal, players, rewards, terminated}; }

  std::vector<PlayerView> views;
  std::vector<ActionMask> legal;
  std::vector<std::int8_t> players;
  std::vector<float> rewards;
  std::vector<std::uint8_t> terminated;
};

TEST(ReplayedGames, a_game_that_is_stepped_and_one_that_is_played_again_are_the_same) {
  for (const char* preset :
       {"research", "wikipedia_extended", "official_1989", "tournament_2024"}) {
    const auto rules = CompiledRules::load(preset);
    const ReplayedGames games(rules);
    const auto length = static_cast<std::size_t>(games.longest());
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Game game = games.game(seed, {});
      EXPECT_EQ(game.dealer(), static_cast<int>(seed % 4));
      std::vector<Action> actions(length);
      std::int32_t count = 0;
      Rng rng(seed);
      for (;;) {
        Shown one(1);
        const std::array<std::int32_t, 1> seats{-1};
        games.show(std::array{seed}, actions, std::array{count}, seats, one.rows());
        ASSERT_EQ(one.terminated[0] != 0, game.is_terminal());
        const PlayerView view = game.view(one.players[0]);
        ASSERT_EQ(std::memcmp(&one.views[0], &view, sizeof view), 0);
        if (game.is_terminal()) break;
        const ActionMask legal = without_claims(game.legal_actions());
        ASSERT_EQ(one.legal[0], legal);
        ASSERT_EQ(one.players[0], game.current_player());
        ASSERT_TRUE(std::ranges::all_of(one.rewards, [](float paid) { return paid == 0.0F; }));
        ASSERT_LT(count, games.longest()) << preset;
        const Action action = legal.nth(below(rng.next(), legal.count()));
        actions[static_cast<std::size_t>(count++)] = action;
        game.apply(action);
      }
    }
  }
}

TEST(ReplayedGames, what_is_no_legal_action_ends_a_game_before_it) {
  const ReplayedGames games(CompiledRules::load("research"));
  const Game begun = games.game(1, {});
  const Action pass = begun.legal_actions().lowest();
  for (const Action wrong : {Action{127}, Action{255}, Action{kActionClaimRest}}) {
    const Game ended = games.game(1, std::array{pass, wrong, pass});
    EXPECT_EQ(ended.num_events(), games.game(1, std::array{pass}).num_events());
    EXPECT_EQ(ended.current_player(), games.game(1, std::array{pass}).current_player());
  }
}

TEST(ReplayedGames, a_seat_that_is_named_sees_its_own_hand) {
  const ReplayedGames games(CompiledRules::load("research"));
  const auto length = static_cast<std::size_t>(games.longest());
  Shown four(4);
  const std::vector<std::uint64_t> seeds(4, 9);
  const std::vector<std::int32_t> counts(4, 0);
  games.show(seeds, std::vector<Action>(4 * length), counts, std::array{0, 1, 2, 3}, four.rows());
  for (int seat = 0; seat < 4; ++seat) {
    const auto s = static_cast<std::size_t>(seat);
    EXPECT_EQ(four.views[s].cards.hand, games.game(9, {}).hand(seat).bits());
  }
}

TEST(ReplayedGames, a_seat_that_the_table_does_not_have_is_refused) {
  const ReplayedGames games(notation::rules_of({"players = 3", "deck = \"short24\""}));
  const auto length = static_cast<std::size_t>(games.longest());
  Shown one(1);
  const auto error = [&](std::int32_t seat) {
    return test::error_of([&] {
      games.show(std::array{std::uint64_t{9}}, std::vector<Action>(length), std::array{0},
                 std::array{seat}, one.rows());
    });
  };
  EXPECT_EQ(error(2), "no error");
  EXPECT_EQ(error(3), "seats[0] = 3, allowed: -1..2");
  EXPECT_EQ(error(-2), "seats[0] = -2, allowed: -1..2");
}

TEST(ReplayedGames, rules_are_needed) {
  EXPECT_THROW(ReplayedGames(nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace schafkopf
