// Random games for the tests of searching players, and what such a player answers in one of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "agents/worlds/worlds.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/view/policy.h"
#include "env/view/view.h"
#include "tests/cpp/support/random_play.h"

namespace schafkopf::search_games {

/// Plays random deals; stops at the card number `stop` (or where the deal ends).
[[nodiscard]] inline Game random_game(const CompiledRules& rules, std::uint64_t seed, int stop) {
  Rng random(seed);
  const int dealer = static_cast<int>(seed) % rules.seats();
  Game game(rules, deal_for(seed, rules.rules(), dealer, rules.first_context()), dealer,
            rules.first_context());
  while (!game.is_terminal() && !(game.phase() == Phase::kPlay && game.num_plays() >= stop)) {
    game.apply_unchecked(test::random_action(game, random));
  }
  return game;
}

/// Games in the middle of the play with a choice and too many worlds to search all.
[[nodiscard]] inline std::vector<Game> games_to_sample(const CompiledRules& rules, int number) {
  std::vector<Game> games;
  for (std::uint64_t seed = 0; std::ssize(games) < number; ++seed) {
    Game game = random_game(rules, seed, 12);
    if (game.is_terminal() || game.phase() != Phase::kPlay) continue;
    const PlayerView view = game.view(game.current_player());
    const bool choice = CardSet(view.cards.legal).count() > 1;
    if (choice && WorldSampler(view, rules).count() > 1000) games.push_back(std::move(game));
  }
  return games;
}

/// Payoffs in tariff units, relative to a seat.
[[nodiscard]] inline std::array<double, kNumSeats> payoffs_from(const Game& game, int seat) {
  std::array<double, kNumSeats> payoffs{};
  for (int r = 0; r < game.seats(); ++r) {
    payoffs[static_cast<std::size_t>(r)] =
        static_cast<double>(game.payoffs()[static_cast<std::size_t>((seat + r) % game.seats())]) /
        game.rules().tariff_scale();
  }
  return payoffs;
}

[[nodiscard]] inline ViewBatch batch_of(const PlayerView& view, const RuleTable& table) {
  return {.size = 1,
          .cards = &view.cards,
          .order = &view.order,
          .events = &view.events,
          .rule_index = nullptr,
          .rules = &table};
}

/// Probabilities that a player gives the actions of the seat to act.
[[nodiscard]] inline std::vector<float> policy_of(BatchPolicy& player, const Game& game,
                                                  bool show_all = true) {
  const PlayerView view = game.view(game.current_player());
  const FullView full = game.full_view(game.current_player());
  const CompiledRules* const rules[] = {&game.rules()};
  const RuleTable table{.rules = rules, .features = {}};
  ViewBatch batch = batch_of(view, table);
  if (player.sees_hidden_hands() && show_all) batch.full = &full;
  std::vector<float> probabilities(kNumActions), values(1);
  player.policy(batch, probabilities, values);
  return probabilities;
}

/// The action that it thinks most of.
[[nodiscard]] inline std::string chosen(BatchPolicy& player, const Game& game) {
  const std::vector<float> row = policy_of(player, game);
  return action_name(static_cast<int>(std::ranges::max_element(row) - row.begin()));
}

}  // namespace schafkopf::search_games
