// The arithmetic of PPO: masked softmax, loss and its gradient, advantages per seat.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "env/base/random.h"
#include "training/games/trajectory.h"
#include "training/learner/ppo_loss.h"
#include "training/run/decision_loss.h"

namespace schafkopf {
namespace {

struct Example {
  std::array<float, kNumActions> logits{};
  std::array<float, kMaxLegal> behaviour{};
  PpoTarget target;
  float value = 0.3F;
};

Example make_example(float advantage, float drift) {
  Example example;
  Rng rng(7);
  std::array<float, kNumActions> old{};
  for (std::size_t i = 0; i < old.size(); ++i) {
    old[i] = static_cast<float>(rng.next_unit() - 0.5);
    example.logits[i] = old[i] + drift * static_cast<float>(rng.next_unit() - 0.5);
  }
  for (const Action action : {Action{3}, Action{17}, Action{90}}) example.target.legal.add(action);
  masked_log_softmax(old.data(), example.target.legal, example.behaviour.data());
  example.target.action = 17;
  example.target.behaviour_log = example.behaviour.data();
  example.target.advantage = advantage;
  example.target.value_target = -0.4F;
  example.target.weight = 2.0F;
  return example;
}

double loss(const PpoCoefficients& coefficients, const Example& example) {
  std::array<float, kNumActions> gradient{};
  PpoSums sums;
  (void)ppo_gradient(coefficients, example.target, example.logits.data(), example.value, 1.0F,
                     gradient.data(), sums);
  const auto weight = static_cast<double>(example.target.weight);
  return weight * (static_cast<double>(coefficients.ppo) * sums.policy -
                   static_cast<double>(coefficients.entropy) * sums.entropy +
                   static_cast<double>(coefficients.behaviour_kl) * sums.kl +
                   static_cast<double>(coefficients.magnet_kl) * sums.magnet +
                   static_cast<double>(coefficients.action_values) * sums.regret) +
         static_cast<double>(coefficients.value) * sums.value;
}

TEST(MaskedSoftmax, illegal_actions_have_no_part_in_it) {
  std::array<float, kNumActions> logits{};
  logits[5] = 100.0F;  // illegal
  logits[40] = std::log(3.0F);
  ActionMask legal;
  legal.add(2);
  legal.add(40);
  std::array<float, kMaxLegal> log_probs{};
  masked_log_softmax(logits.data(), legal, log_probs.data());
  EXPECT_NEAR(std::exp(log_probs[0]), 0.25F, 1e-6F);
  EXPECT_NEAR(std::exp(log_probs[1]), 0.75F, 1e-6F);
}

TEST(PpoLoss, gradient_is_the_slope_of_the_loss) {
  const PpoCoefficients coefficients{
      .clip = 0.2F, .entropy = 0.3F, .behaviour_kl = 0.4F, .value = 0.5F};
  for (const float advantage : {1.5F, -1.5F}) {
    for (const float drift : {0.1F, 3.0F}) {
      Example example = make_example(advantage, drift);
      std::array<float, kNumActions> gradient{};
      PpoSums sums;
      const float value_gradient = ppo_gradient(coefficients, example.target, example.logits.data(),
                                                example.value, 1.0F, gradient.data(), sums);
      constexpr float kStep = 1e-2F;  // float32: a smaller one loses the difference
      for (const std::size_t i : {3U, 17U, 90U, 5U}) {
        Example up = example, down = example;
        up.logits[i] += kStep;
        down.logits[i] -= kStep;
        const double slope = (loss(coefficients, up) - loss(coefficients, down)) / (2.0 * 0.01);
        EXPECT_NEAR(static_cast<double>(gradient[i]), slope, 5e-3)
            << "action " << i << ", advantage " << advantage << ", drift " << drift;
      }
      EXPECT_EQ(gradient[5], 0.0F);
      EXPECT_NEAR(value_gradient, 0.5F * 0.7F, 1e-6F);
    }
  }
}

TEST(PpoLoss, the_magnet_pulls_the_policy_towards_itself) {
  const float magnet[] = {std::log(0.2F), std::log(0.5F), std::log(0.3F)};
  Example example = make_example(-1.5F, 3.0F);
  example.target.magnet_log = magnet;
  const PpoCoefficients coefficients{
      .entropy = 0.3F, .behaviour_kl = 0.4F, .magnet_kl = 0.7F, .ppo = 0.5F};
  std::array<float, kNumActions> gradient{};
  PpoSums sums;
  (void)ppo_gradient(coefficients, example.target, example.logits.data(), example.value, 1.0F,
                     gradient.data(), sums);
  EXPECT_GT(sums.magnet, 0.01);
  for (int n = 0; n < 3; ++n) {
    const std::size_t i = example.target.legal.nth(n);
    Example up = example, down = example;
    up.logits[i] += 1e-2F;
    down.logits[i] -= 1e-2F;
    const double slope = (loss(coefficients, up) - loss(coefficients, down)) / (2.0 * 0.01);
    EXPECT_NEAR(static_cast<double>(gradient[i]), slope, 5e-3) << "action " << i;
  }
  const PpoCoefficients alone{
      .entropy = 0.0F, .behaviour_kl = 0.0F, .magnet_kl = 1.0F, .value = 0.0F, .ppo = 0.0F};
  for (int step = 0; step < 300; ++step) {
    sums = {};
    (void)ppo_gradient(alone, example.target, example.logits.data(), 0.0F, 1.0F, gradient.data(),
                       sums);
    for (std::size_t i = 0; i < gradient.size(); ++i) example.logits[i] -= gradient[i];
  }
  EXPECT_LT(sums.magnet, 1e-4);
}

TEST(DmcLoss, only_the_action_played_learns_and_only_its_return) {
  Example example = make_example(1.5F, 0.1F);
  example.logits[17] = 2.5F;
  const PpoCoefficients coefficients{.value = 0.5F, .value_huber = 2.0F};
  std::array<float, kNumActions> gradient{};
  PpoSums sums;
  const float value_gradient =
      action_value_gradient(coefficients, example.target, example.logits.data(), example.value,
                            0.25F, gradient.data(), sums);
  EXPECT_FLOAT_EQ(gradient[17], 0.25F * 2.0F * 2.0F);  // error 2.9, cut at 2; weight 2
  EXPECT_FLOAT_EQ(value_gradient, 0.25F * 0.5F * 0.7F);
  EXPECT_NEAR(sums.policy, 0.5 * 2.9 * 2.9, 1e-5);
  for (const std::size_t i : {3U, 90U, 5U}) EXPECT_EQ(gradient[i], 0.0F) << "action " << i;
}

TEST(PpoLoss, action_values_pull_towards_the_best_action) {
  const float worth[] = {-0.5F, 2.0F, 0.25F};
  Example example = make_example(1.5F, 0.1F);
  ASSERT_EQ(example.target.legal.count(), 3);
  example.target.action_values = worth;
  const PpoCoefficients coefficients{
      .entropy = 0.3F, .behaviour_kl = 0.4F, .ppo = 0.5F, .action_values = 2.0F};
  std::array<float, kNumActions> gradient{};
  PpoSums sums;
  (void)ppo_gradient(coefficients, example.target, example.logits.data(), example.value, 1.0F,
                     gradient.data(), sums);
  EXPECT_EQ(sums.labelled, 1);
  EXPECT_GT(sums.regret, 0.0);
  for (int n = 0; n < 3; ++n) {
    const std::size_t i = example.target.legal.nth(n);
    Example up = example, down = example;
    up.logits[i] += 1e-2F;
    down.logits[i] -= 1e-2F;
    const double slope = (loss(coefficients, up) - loss(coefficients, down)) / (2.0 * 0.01);
    EXPECT_NEAR(static_cast<double>(gradient[i]), slope, 5e-3) << "action " << i;
  }
  // alone they drive the policy to the action that is worth most
  const PpoCoefficients values_alone{
      .entropy = 0.0F, .behaviour_kl = 0.0F, .value = 0.0F, .ppo = 0.0F, .action_values = 1.0F};
  for (int step = 0; step < 300; ++step) {
    sums = {};
    (void)ppo_gradient(values_alone, example.target, example.logits.data(), 0.0F, 1.0F,
                       gradient.data(), sums);
    for (std::size_t i = 0; i < gradient.size(); ++i) example.logits[i] -= gradient[i];
  }
  EXPECT_LT(sums.regret, 0.02);
}

TEST(PpoLoss, large_value_errors_pull_no_harder_than_the_bound) {
  Example example = make_example(0.0F, 0.0F);
  example.target.value_target = 10.0F;
  const PpoCoefficients coefficients{.value = 0.5F, .value_huber = 2.0F};
  std::array<float, kNumActions> gradient{};
  PpoSums sums;
  EXPECT_FLOAT_EQ(ppo_gradient(coefficients, example.target, example.logits.data(), 0.0F, 1.0F,
                               gradient.data(), sums),
                  0.5F * -2.0F);
  EXPECT_DOUBLE_EQ(sums.value, 50.0);  // the loss that is told is the square
}

TEST(PpoLoss, ratio_outside_the_clip_range_gives_no_pull) {
  Example example = make_example(1.0F, 0.0F);
  example.logits[17] += 2.0F;  // ratio far above 1.2, advantage positive
  const PpoCoefficients coefficients{
      .clip = 0.2F, .entropy = 0.0F, .behaviour_kl = 0.0F, .value = 0.0F};
  std::array<float, kNumActions> gradient{};
  PpoSums sums;
  (void)ppo_gradient(coefficients, example.target, example.logits.data(), 0.0F, 1.0F,
                     gradient.data(), sums);
  EXPECT_EQ(sums.clipped, 1);
  EXPECT_EQ(gradient[17], 0.0F);
  EXPECT_EQ(gradient[3], 0.0F);
}

// What was bad is pushed down to the lower bound, and no further; what was bad and has become
// likelier is pushed down from wherever it is.
TEST(PpoLoss, a_bad_action_is_pushed_down_to_the_lower_bound) {
  const PpoCoefficients coefficients{
      .clip = 0.2F, .entropy = 0.0F, .behaviour_kl = 0.0F, .value = 0.0F};
  for (const float drift : {-2.0F, 2.0F}) {
    Example example = make_example(-1.0F, 0.0F);
    example.logits[17] += drift;
    std::array<float, kNumActions> gradient{};
    PpoSums sums;
    (void)ppo_gradient(coefficients, example.target, example.logits.data(), 0.0F, 1.0F,
                       gradient.data(), sums);
    if (drift < 0.0F) {
      EXPECT_EQ(sums.clipped, 1);
      EXPECT_NEAR(sums.policy, 0.8, 1e-6);  // -min(r A, 0.8 A)
      EXPECT_EQ(gradient[17], 0.0F);
    } else {
      EXPECT_EQ(sums.clipped, 0);
      EXPECT_GT(sums.policy, 1.2);
      EXPECT_GT(gradient[17], 0.0F);  // descent makes it rarer
    }
  }
}

// Every coefficient falls with the share of its own name: those of bids and of the magnet too.
TEST(DecisionLoss, falls_with_the_budget_in_every_phase) {
  TrainConfig config;
  config.entropy = 0.04;
  config.bidding_entropy = 0.08;
  config.behaviour_kl = 0.5;
  config.magnet_kl = 0.25;
  config.hold_kl = 2.0;
  config.value_huber = 3.0;
  const LossSchedule now{.solver_weight = 0.75,
                         .playout_weight = 0.125,
                         .entropy_share = 0.5,
                         .kl_share = 0.25,
                         .clip = 0.1};
  const DecisionLoss loss(config, now);
  for (const bool bidding : {false, true}) {
    for (const bool played_out : {false, true}) {
      Decision decision;
      decision.bidding = bidding;
      decision.played_out = played_out;
      const PpoCoefficients& of = loss.of(decision);
      EXPECT_FLOAT_EQ(of.clip, 0.1F);
      EXPECT_FLOAT_EQ(of.entropy, bidding ? 0.04F : 0.02F);
      EXPECT_FLOAT_EQ(of.behaviour_kl, 0.125F);
      EXPECT_FLOAT_EQ(of.magnet_kl, 0.0625F);
      EXPECT_FLOAT_EQ(of.action_values, played_out ? 0.125F : 0.75F);
      EXPECT_FLOAT_EQ(of.value_huber, 3.0F);
    }
  }
  Decision held;
  held.held = true;
  EXPECT_FLOAT_EQ(loss.of(held).behaviour_kl, 2.0F);  // it holds to the end
  EXPECT_FLOAT_EQ(loss.of(held).entropy, 0.0F);
  EXPECT_FLOAT_EQ(loss.of(held).ppo, 0.0F);
  EXPECT_FLOAT_EQ(loss.of(held).value_huber, 3.0F);
}

// Seats 0 and 2 decide in turn 0 2 0; payoffs +100, -50 (scale 50: rewards +2, -1).
// gamma 1, lambda 0.5. Seat 0: last advantage 2 - 0.5 = 1.5; first: (0.5 - 0.25) + 0.5 * 1.5 = 1.
// Seat 2: -1 - 0.75 = -1.75.
TEST(Advantages, run_over_each_seats_own_decisions) {
  std::vector<Decision> decisions(3);
  decisions[0].seat = 0;
  decisions[0].value = 0.25F;
  decisions[1].seat = 2;
  decisions[1].value = 0.75F;
  decisions[2].seat = 0;
  decisions[2].value = 0.5F;
  const std::vector<std::uint32_t> game = {0, 1, 2};
  const std::array<float, 4> payoffs = {100.0F, 0.0F, -50.0F, -50.0F};
  finish_game(decisions, game, payoffs,
              {.gamma = 1.0F, .lambda = 0.5F, .reward_scale = 50.0F, .reward_clip = 10.0F});
  EXPECT_FLOAT_EQ(decisions[2].advantage, 1.5F);
  EXPECT_FLOAT_EQ(decisions[0].advantage, 1.0F);
  EXPECT_FLOAT_EQ(decisions[1].advantage, -1.75F);
  EXPECT_FLOAT_EQ(decisions[0].value_target, 1.25F);
}

// The same game at gamma 0.5. Seat 0: last 2 - 0.5 = 1.5; first: (0.5 * 0.5 - 0.25) + 0.25 * 1.5.
TEST(Advantages, what_comes_later_counts_for_gamma) {
  std::vector<Decision> decisions(2);
  decisions[0].value = 0.25F;
  decisions[1].value = 0.5F;
  const std::vector<std::uint32_t> game = {0, 1};
  const std::array<float, 4> payoffs = {100.0F, 0.0F, -50.0F, -50.0F};
  finish_game(decisions, game, payoffs,
              {.gamma = 0.5F, .lambda = 0.5F, .reward_scale = 50.0F, .reward_clip = 10.0F});
  EXPECT_FLOAT_EQ(decisions[1].advantage, 1.5F);
  EXPECT_FLOAT_EQ(decisions[0].advantage, 0.375F);
}

TEST(Advantages, rewards_are_cut) {
  std::vector<Decision> decisions(1);
  const std::vector<std::uint32_t> game = {0};
  const std::array<float, 4> payoffs = {-5000.0F, 0.0F, 0.0F, 5000.0F};
  finish_game(decisions, game, payoffs, {});
  EXPECT_FLOAT_EQ(decisions[0].value_target, -10.0F);
}

TEST(Advantages, explained_variance_is_one_for_perfect_values) {
  std::vector<Decision> decisions(4);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    decisions[i].value = decisions[i].payoff = static_cast<float>(i);
    decisions[i].value_target = 7.0F;  // targets contain the value: they prove nothing
  }
  BatchAdvantages sums;
  sums.add(decisions);
  EXPECT_DOUBLE_EQ(sums.all.explained_variance(), 1.0);
}

TEST(Advantages, an_error_that_is_the_same_everywhere_leaves_nothing_unexplained) {
  std::vector<Decision> decisions(4);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    decisions[i].payoff = static_cast<float>(i);
    decisions[i].value = decisions[i].payoff + 2.0F;
  }
  BatchAdvantages sums;
  sums.add(decisions);
  EXPECT_DOUBLE_EQ(sums.all.explained_variance(), 1.0);
}

TEST(Advantages, of_no_decision_have_a_mean_and_explain_nothing) {
  const AdvantageSums none;
  EXPECT_EQ(none.mean(), 0.0);
  EXPECT_EQ(none.deviation(), 1.0);
  EXPECT_EQ(none.explained_variance(), 0.0);
}

// Two contracts with deviations 1 and 10: each gets its own factor; a rare third one that of all.
TEST(Advantages, are_normalised_by_contract) {
  std::vector<Decision> decisions;
  const auto add = [&](std::uint8_t group, float advantage) {
    decisions.emplace_back();
    decisions.back().group = group;
    decisions.back().advantage = advantage;
  };
  for (int i = 0; i < 400; ++i) {
    const float sign = i % 2 == 0 ? 1.0F : -1.0F;
    add(1, sign);
    add(6, 10.0F * sign + 3.0F);
  }
  add(7, 5.0F);
  BatchAdvantages sums;
  sums.add(decisions);
  const Normalisations own = normalisations(sums, {}, Grouping::kContract);
  const Normalisations same = normalisations(sums, {}, Grouping::kAll);
  EXPECT_NEAR(own[1].factor, 1.0F, 1e-3F);
  EXPECT_NEAR(own[6].factor, 0.1F, 1e-4F);
  EXPECT_NEAR(own[6].mean, 3.0F, 1e-4F);
  EXPECT_FLOAT_EQ(own[7].factor, same[0].factor);
  EXPECT_FLOAT_EQ(same[1].factor, same[6].factor);
  EXPECT_FLOAT_EQ(own[2].factor, own[1].factor);  // the other role of the contract
}

// Bids, before there is a contract, are a group as well; it takes a hundred decisions to be one.
TEST(Advantages, groups_of_a_hundred_decisions_have_a_scale_of_their_own) {
  std::vector<Decision> decisions;
  const auto add = [&](int count, std::uint8_t group, float advantage) {
    for (int i = 0; i < count; ++i) {
      decisions.emplace_back();
      decisions.back().group = group;
      decisions.back().advantage = i % 2 == 0 ? advantage : -advantage;
    }
  };
  add(100, 0, 2.0F);
  add(50, 3, 4.0F);  // both roles of a contract count together
  add(50, 4, 4.0F);
  add(98, 5, 8.0F);
  BatchAdvantages sums;
  sums.add(decisions);
  const Normalisations own = normalisations(sums, {}, Grouping::kContract);
  const Normalisations all = normalisations(sums, {}, Grouping::kAll);
  EXPECT_NEAR(own[0].factor, 0.5F, 1e-3F);
  EXPECT_NEAR(own[3].factor, 0.25F, 1e-3F);
  EXPECT_NEAR(own[4].factor, 0.25F, 1e-3F);
  EXPECT_FLOAT_EQ(own[5].factor, all[0].factor);
}

TEST(Advantages, are_scaled_by_role_over_many_updates) {
  EXPECT_EQ(advantage_group(0, true), 0);
  EXPECT_EQ(advantage_group(1, false), 1);
  EXPECT_EQ(advantage_group(kNumContractClasses, true), kNumGroups - 1);
  RunningSquares running;
  BatchAdvantages sums;
  for (int update = 0; update < 40; ++update) {
    std::vector<Decision> decisions;
    for (int i = 0; i < 100; ++i) {
      const float sign = i % 2 == 0 ? 1.0F : -1.0F;
      for (const bool declarer : {false, true}) {
        decisions.emplace_back();
        decisions.back().group = advantage_group(3, declarer);
        decisions.back().advantage = (declarer ? 6.0F : 2.0F) * sign + 1.0F;
      }
    }
    decisions.emplace_back();
    decisions.back().group = 9;  // too rare for a scale of its own
    decisions.back().advantage = 100.0F;
    sums = {};
    sums.add(decisions);
    running.add(sums);
  }
  const Normalisations by_role = normalisations(sums, running, Grouping::kRole);
  EXPECT_NEAR(by_role[advantage_group(3, false)].factor, 1.0F / std::sqrt(5.0F), 1e-3F);
  EXPECT_NEAR(by_role[advantage_group(3, true)].factor, 1.0F / std::sqrt(37.0F), 1e-3F);
  EXPECT_FLOAT_EQ(by_role[advantage_group(3, true)].mean, 0.0F);
  EXPECT_FLOAT_EQ(by_role[9].factor, by_role[0].factor);
}

TEST(Advantages, scales_of_roles_follow_what_advantages_become) {
  RunningSquares running;
  for (const float advantage : {8.0F, 1.0F}) {
    for (int update = 0; update < 150; ++update) {
      std::vector<Decision> decisions(200);
      for (Decision& decision : decisions) decision.advantage = advantage;
      BatchAdvantages sums;
      sums.add(decisions);
      running.add(sums);
    }
  }
  EXPECT_NEAR(normalisations({}, running, Grouping::kRole)[0].factor, 1.0F, 0.05F);
}

}  // namespace
}  // namespace schafkopf
