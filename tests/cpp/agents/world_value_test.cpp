// What a world pays: the same as the game whose cards it has, played to the end.
#include "agents/worlds/world_value.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "env/game/game.h"
#include "tests/cpp/agents/search_games.h"
#include "tests/cpp/agents/true_world.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf {
namespace {

using search_games::payoffs_from;
using search_games::random_game;
using test::true_world;

const std::vector<std::string>& rule_files() {
  static const std::vector<std::string> names = {"research", "official_1989_full",
                                                 "wikipedia_extended", "tournament_2024"};
  return names;
}

/// One random deal, from some card on in the true world; contracts that came to their end are counted.
void expect_pays_what_the_game_pays(const CompiledRules& rules, std::uint64_t seed,
                                    std::map<std::string, int>& contracts) {
  Game game = random_game(rules, seed, static_cast<int>(seed % 24));
  if (game.is_terminal() || !game.has_contract()) return;
  const int seat = game.current_player();
  const PlayerView view = game.view(seat);
  const World world = true_world(game, seat);
  PlayState<std::uint32_t> play = play_state_of(view, rules, world);
  Rng random(seed);
  const int level = game.doubling_level();
  while (!game.is_terminal() && game.doubling_level() == level) {
    const ActionMask mask = without_claims(game.legal_actions());
    const Action action = mask.nth(random.next_below(mask.count()));
    if (action < kNumCards) play_card(play, std::uint32_t{1} << action);
    game.apply_unchecked(action);
  }
  // later doublings are not in the view, and what a claim of Laufende says neither
  if (!game.is_terminal() || game.doubling_level() != level || rules.settles_by_claim()) return;
  const WorldValue value(view, rules, world);
  EXPECT_EQ(value.finished(play), payoffs_from(game, seat)) << rules.name() << ", seed " << seed;
  ++contracts[std::string(contract_name(game.contract().contract, game.contract().tout))];
}

TEST(WorldValue, pays_what_the_game_pays_after_the_last_card) {
  std::map<std::string, int> contracts;
  for (const std::string& name : rule_files()) {
    const auto rules = CompiledRules::load(name);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      expect_pays_what_the_game_pays(*rules, seed, contracts);
    }
  }
  EXPECT_GE(contracts.size(), 8U);
}

TEST(WorldValue, pays_what_the_game_pays_under_random_rules) {
  std::map<std::string, int> contracts;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::scaled(2000, 6000, 60000));
       ++seed) {
    RuleSet rules = test::random_rules(seed);
    rules.history_view = HistoryView::kFull;  // else a view does not have the cards of the past
    expect_pays_what_the_game_pays(CompiledRules(rules, "random"), seed, contracts);
  }
  EXPECT_GE(contracts.size(), 20U);
}

// Two seats with the same points and tricks and without a trump: the one that plays first loses.
TEST(WorldValue, R_045_the_last_tie_is_decided_by_the_seat_whoever_looks) {
  const auto rules = CompiledRules::load("tournament_2024");
  std::uint64_t seed = 0;
  Game game = random_game(*rules, seed, 0);
  while (game.is_terminal() || game.contract().contract != ContractClass::kRamsch) {
    game = random_game(*rules, ++seed, 0);
  }
  for (int viewer = 0; viewer < kNumSeats; ++viewer) {
    const PlayerView view = game.view(viewer);
    const World world = true_world(game, viewer);
    PlayState<std::uint32_t> play = play_state_of(view, *rules, world);
    play.taken[0] = parse_cards("HA H10 HK H9 H8 H7 S7 EO").bits();
    play.taken[1] = parse_cards("EA GA E10 E9 E8 E7 G9 G8").bits();
    play.taken[2] = parse_cards("SA GO HO SO EU GU HU SU").bits();
    play.taken[3] = parse_cards("G10 S10 EK GK SK G7 S9 S8").bits();
    const int forehand = (game.dealer() + 1 - viewer + kNumSeats) % kNumSeats;
    const bool first =
        (1 - forehand + kNumSeats) % kNumSeats < (3 - forehand + kNumSeats) % kNumSeats;
    const std::array<double, kNumSeats> payoffs = WorldValue(view, *rules, world).finished(play);
    EXPECT_LT(payoffs[first ? 1 : 3], 0.0) << "viewer " << viewer;
    EXPECT_GT(payoffs[first ? 3 : 1], 0.0) << "viewer " << viewer;
  }
}

TEST(WorldValue, classes_pay_what_points_of_the_class_pay) {
  const auto rules = CompiledRules::load("research");
  int checked = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Game game = random_game(*rules, seed, 0);
    if (game.is_terminal() || !game.has_contract() || game.contract().declarer < 0) continue;
    const int seat = game.current_player();
    const WorldValue value(game.view(seat), *rules, true_world(game, seat));
    if (value.tout()) continue;
    Rng random(seed);
    test::play_out(game, random);
    const Settlement settlement = game.settlement();
    const PayoffClass result = settlement.won ? (settlement.schwarz     ? PayoffClass::kAllTricks
                                                 : settlement.schneider ? PayoffClass::kWonSchneider
                                                                        : PayoffClass::kWon)
                                              : (settlement.schwarz     ? PayoffClass::kNoTrick
                                                 : settlement.schneider ? PayoffClass::kSchneider
                                                                        : PayoffClass::kLost);
    EXPECT_EQ(value.of_class(result), payoffs_from(game, seat)) << "seed " << seed;
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

}  // namespace
}  // namespace schafkopf
