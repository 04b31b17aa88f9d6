// World sampler: card play of a world, consistent worlds against replay through the Game, uniform
// draws against enumeration.
#include "agents/worlds.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "env/history.h"
#include "tests/cpp/all_worlds.h"
#include "tests/cpp/preset_contracts.h"
#include "tests/cpp/random_play.h"
#include "tests/cpp/random_rules.h"
#include "tests/cpp/scale.h"
#include "tests/cpp/table.h"

namespace schafkopf {
namespace {

/// The hands as they are.
World true_world(const Game& game, int viewer) {
  World world;
  for (int seat = 0; seat < game.seats(); ++seat) {
    world.hands[static_cast<std::size_t>(seat)] = game.hand((viewer + seat) % game.seats());
  }
  return world;
}

/// A card game starts somewhere in the deal; every state is visited.
template <class Visit>
void play_random_game(const CompiledRules& rules, std::uint64_t seed, const DealContext& context,
                      const Visit& visit) {
  Rng random(seed);
  const int dealer = random.next_below(rules.seats());
  Game game(rules, test::strange_deal(random.next(), rules.rules(), dealer, context), dealer,
            context);
  visit(game, random);
  while (!game.is_terminal()) {
    game.apply(test::random_action(game, random));
    visit(game, random);
  }
}

void expect_same_play(const Game& game, int viewer, const CompiledRules& rules) {
  const PlayerView view = game.view(viewer);
  const PlayState<std::uint32_t> mine = play_state_of(view, rules, true_world(game, viewer));
  const PlayState<std::uint32_t>& truth = game.play_state();
  const int n = game.seats();
  const auto relative = [&](std::uint32_t seat) {
    return static_cast<std::uint32_t>((static_cast<int>(seat) - viewer + n) % n);
  };
  for (int r = 0; r < n; ++r) {
    const int seat = (viewer + r) % n;
    ASSERT_EQ(mine.hand[r], truth.hand[seat]);
    ASSERT_EQ(mine.table[r], truth.table[seat]);
    ASSERT_EQ(mine.taken[r], truth.taken[seat]);
    ASSERT_EQ(mine.played[r], truth.played[seat]);
  }
  ASSERT_EQ(mine.trumps, truth.trumps);
  ASSERT_EQ(mine.top, truth.top);
  ASSERT_EQ(mine.second, truth.second);
  ASSERT_EQ(mine.low_tens, truth.low_tens);
  ASSERT_EQ(mine.call_group, truth.call_group);
  ASSERT_EQ(mine.bound, truth.bound);
  ASSERT_EQ(mine.run_min, truth.run_min);
  ASSERT_EQ(mine.window, truth.window);
  ASSERT_EQ(mine.turn, relative(truth.turn));
  ASSERT_EQ(mine.on_table, truth.on_table);
  ASSERT_EQ(mine.num_played, truth.num_played);
  ASSERT_EQ(mine.seats, truth.seats);
  if (truth.on_table == 0) return;
  ASSERT_EQ(mine.led_group, truth.led_group);
  ASSERT_EQ(mine.beaters, truth.beaters);
  ASSERT_EQ(mine.winner, relative(truth.winner));
}

TEST(WorldPlay, of_the_true_world_is_the_play_of_the_game_in_relative_seats) {
  int states = 0;
  for (int round = 0; round < test::scaled(200, 2000, 20000); ++round) {
    const auto seed = static_cast<std::uint64_t>(round);
    RuleSet set = test::random_rules(seed);
    set.history_view = HistoryView::kFull;
    const CompiledRules rules(set, "random");
    play_random_game(rules, seed, test::random_context(seed, set), [&](const Game& game, Rng&) {
      if (game.is_terminal() || game.num_plays() == 0 || game.view(0).leader() == kNoSeat) return;
      for (int viewer = 0; viewer < game.seats(); ++viewer) {
        expect_same_play(game, viewer, rules);
        ++states;
        if (!game.has_contract()) continue;
        unsigned party = 0;
        for (int r = 0; r < game.seats(); ++r) {
          party |= (unsigned{game.declarer_party()} >> ((viewer + r) % game.seats()) & 1u) << r;
        }
        ASSERT_EQ(declarer_party_of(game.view(viewer), rules, true_world(game, viewer)), party)
            << contract_name(game.contract().contract, false);
      }
    });
  }
  EXPECT_GT(states, 1000);
}

/// Every consistent world by enumeration.
test::WorldSet enumerated(const WorldSampler& sampler) {
  test::WorldSet worlds;
  std::uint64_t visits = 0;
  sampler.enumerate([&](const World& world) {
    worlds.insert(world);
    ++visits;
  });
  EXPECT_EQ(visits, sampler.count());
  EXPECT_EQ(worlds.size(), sampler.count());
  return worlds;
}

TEST(WorldSampler, counts_the_worlds_whose_replay_gives_the_same_view_under_random_rules) {
  int views = 0, constrained = 0;
  const int rounds = test::scaled(30, 300, 3000);
  for (int round = 0; round < rounds; ++round) {
    const auto seed = static_cast<std::uint64_t>(round);
    RuleSet set = test::random_rules(seed);
    set.history_view = HistoryView::kFull;
    if (set.special_round == SpecialRound::kSchieber) set.special_round = SpecialRound::kNone;
    set.hochzeit_return_nontrump = true;
    set.doppelte_hochzeit = false;
    const CompiledRules rules(set, "random");
    const DealContext context = test::random_context(seed, set);
    play_random_game(rules, seed, context, [&](const Game& game, Rng& random) {
      const int left = rules.deck().count() - game.num_plays();
      if (game.is_terminal() || left > 3 * game.seats() || random.next_below(3) != 0) return;
      const int viewer = game.current_player();
      const PlayerView view = game.view(viewer);
      for (const int target : {0, 1, 2}) {  // a drawn card leaves no history (C.20.11)
        for (int i = 0; i < game.num_events(); ++i) {
          if (game.event(i).action == kActionTarget1 + target) return;
        }
      }
      const test::WorldSet expected = test::AllWorlds(view, rules).find(2000);
      if (expected.empty()) return;
      const WorldSampler sampler(view, rules);
      ASSERT_TRUE(expected.contains(true_world(game, viewer)));
      ASSERT_EQ(sampler.count(), expected.size())
          << "rules of seed " << seed << ", seat " << viewer << ", card " << game.num_plays()
          << ", contract " << contract_name(game.contract().contract, false);
      ASSERT_EQ(enumerated(sampler), expected);
      ++views;
    });
    if (HasFatalFailure()) return;
  }
  static_cast<void>(constrained);
  EXPECT_GT(views, rounds / 8);
}

}  // namespace
}  // namespace schafkopf
