// What a card is worth in the true deal when the network plays on: values, and what learns of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "agents/registry.h"
#include "env/base/random.h"
#include "env/cards/card_map.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/training/collected_games.h"
#include "training/games/card_playouts.h"
#include "training/games/collector.h"
#include "training/learner/learner.h"
#include "training/learner/ppo_loss.h"

namespace schafkopf {
namespace {

using test::collector_options;
using test::Games;
using test::make_learner;
using test::research;

/// Plays a game on with one question at a time: what seat after seat draws from the network.
float played_on(Learner& learner, Game game, RngKey key, int seat) {
  while (!game.is_terminal()) {
    const ActionMask legal = without_claims(game.legal_actions());
    const int to_move = game.current_player();
    Action action = legal.lowest();
    if (legal.count() > 1) {
      PlayerView view = game.view(to_move);
      std::vector<float> logits(kNumActions), value(1), probabilities(kNumActions);
      learner.forward(0, {&view, 1}, {}, logits, value);
      double sum = 0;
      for (int n = 0; n < legal.count(); ++n) {
        const Action canonical = to_canonical_action(legal.nth(n), view.order.card_map);
        sum += std::exp(static_cast<double>(logits[canonical]));
        probabilities[legal.nth(n)] = std::exp(logits[canonical]);
      }
      for (float& p : probabilities) p /= static_cast<float>(sum);
      key.decision = static_cast<std::uint32_t>(game.num_plays() + game.num_events());
      key.seat = static_cast<std::uint32_t>(to_move);
      action = sample_action(probabilities, unit_interval(draw(key)));
    }
    game.apply(action);
  }
  const auto scale = static_cast<float>(game.rules().tariff_scale());
  return static_cast<float>(game.payoffs()[std::size_t(seat)]) / scale;
}

TEST(CardPlayouts, values_are_payoffs_of_games_that_the_network_plays_on) {
  VectorEnvOptions env_options;
  env_options.num_envs = 12;
  env_options.rules = {research()};
  env_options.seed = 8;
  env_options.generated_share = 1.0;
  env_options.generator = make_generator("heuristic");
  const VectorEnv env(env_options);
  Learner learner = make_learner();
  CardPlayouts playouts(env_options.rules[0]);
  Batch batch;
  std::vector<RngKey> keys;
  std::vector<Game> games;
  for (int i = 0; i < 12; ++i) {
    Game game = env.game(i);
    for (int n = 0; n < 2 * i; ++n) game.apply(game.legal_actions().lowest());
    const ActionMask legal = without_claims(game.legal_actions());
    if (legal.count() < 2) continue;
    const int seat = game.current_player();
    batch.views.push_back(game.view(seat));
    Decision& decision = batch.decisions.emplace_back();
    decision.legal = to_canonical(legal, batch.views.back().order.card_map);
    decision.seat = static_cast<std::uint8_t>(seat);
    keys.push_back({.seed = mix64(static_cast<std::uint64_t>(i)), .env = 7, .episode = 1});
    games.push_back(game);
    playouts.add(batch, static_cast<std::uint32_t>(batch.size() - 1), game, keys.back());
  }
  ASSERT_GE(games.size(), 4U);
  const AdvantageSettings settings{.reward_scale = 20.0F, .reward_clip = 2.0F};
  PhaseActor actor;
  playouts.finish(learner, 0, actor, settings, batch);
  std::set<float> found;
  bool cut = false;
  for (std::size_t d = 0; d < games.size(); ++d) {
    const Decision& decision = batch.decisions[d];
    EXPECT_TRUE(decision.played_out);
    for (int n = 0; n < decision.legal.count(); ++n) {
      Game game = games[d];
      game.apply(from_canonical_action(decision.legal.nth(n), batch.views[d].order.card_map));
      const float payoff = played_on(learner, game, keys[d], decision.seat) / 20.0F;
      const float value = batch.action_values[decision.action_values + std::size_t(n)];
      EXPECT_FLOAT_EQ(value, std::clamp(payoff, -2.0F, 2.0F)) << d << " " << n;
      cut = cut || std::abs(payoff) > 2.0F;
      found.insert(value);
    }
  }
  EXPECT_GT(found.size(), 3U);
  EXPECT_TRUE(cut);
}

// The last seat of the last but one trick decides what remains: its value is what came of it.
TEST(Collector, plays_out_the_cards_of_the_true_deal) {
  CollectorOptions options = collector_options(60);
  options.playout_share = 1.0;
  Collector with(options), without(options);
  with.set_playing_out(true);
  const Games played(with), plain(without);
  ASSERT_EQ(played.batch.size(), plain.batch.size());
  int decided = 0;
  for (std::size_t i = 0; i < played.batch.size(); ++i) {
    const Decision& decision = played.batch.decisions[i];
    const PlayerView& view = played.batch.views[i];
    ASSERT_EQ(decision.action, plain.batch.decisions[i].action);  // the games are the same
    EXPECT_FALSE(plain.batch.decisions[i].played_out);
    ASSERT_EQ(decision.played_out, view.phase() == Phase::kPlay);
    if (!decision.played_out || view.trick_number() != 6 || view.cards_on_table() != 3) continue;
    ++decided;
    bool found = false;
    for (int n = 0; n < decision.legal.count(); ++n) {
      if (decision.legal.nth(n) != decision.action) continue;
      found = true;
      const float value = played.batch.action_values[decision.action_values + std::size_t(n)];
      EXPECT_FLOAT_EQ(value, decision.payoff);
    }
    EXPECT_TRUE(found) << "decision " << i;
  }
  EXPECT_GT(decided, 10);
  EXPECT_GT(played.stats.playout_seconds, 0.0);
}

TEST(Collector, playouts_lead_the_policy_to_what_they_found) {
  CollectorOptions options = collector_options(60);
  options.playout_share = 0.3;
  Collector collector(options);
  collector.set_playing_out(true);
  const Games played(collector);
  Learner learner = make_learner();
  const PpoCoefficients values_alone{
      .entropy = 0.0F, .behaviour_kl = 0.0F, .value = 0.0F, .ppo = 0.0F, .action_values = 1.0F};
  const auto regret_of_step = [&] {
    PpoSums sums;
    const float scale = 1.0F / static_cast<float>(played.batch.size());
    learner.accumulate(0, played.batch.views, {}, [&](const NetworkOutputs& outputs) {
      for (std::size_t i = 0; i < played.batch.size(); ++i) {
        const Decision& decision = played.batch.decisions[i];
        const PpoTarget target{
            .legal = decision.legal,
            .action = decision.action,
            .behaviour_log = decision.behaviour_log.data(),
            .action_values = decision.played_out
                                 ? &played.batch.action_values[decision.action_values]
                                 : nullptr};
        outputs.values_grad[i] =
            ppo_gradient(values_alone, target, outputs.logits + i * kNumActions, outputs.values[i],
                         scale, outputs.logits_grad + i * kNumActions, sums);
      }
    });
    (void)learner.step(0.01, 1.0);
    return sums.regret / sums.labelled;
  };
  const double before = regret_of_step();
  double after = 0;
  for (int step = 0; step < 60; ++step) after = regret_of_step();
  EXPECT_LT(after, 0.5 * before);
}

TEST(Collector, plays_out_a_share_of_what_is_not_solved) {
  CollectorOptions options = collector_options(200);
  options.playout_share = 0.1;
  options.full_view = true;
  options.solver_trick = 6;
  Collector collector(options);
  collector.set_playing_out(true);
  collector.set_solving(true);
  const Games played(collector);
  double early = 0, chosen = 0;
  for (std::size_t i = 0; i < played.batch.size(); ++i) {
    const Decision& decision = played.batch.decisions[i];
    const bool solved = played.batch.views[i].trick_number() + 1 >= 6;
    if (solved) {
      EXPECT_FALSE(decision.played_out);
      continue;
    }
    ++early;
    chosen += decision.played_out ? 1 : 0;
  }
  EXPECT_NEAR(chosen / early, 0.1, 0.03);
}

}  // namespace
}  // namespace schafkopf
