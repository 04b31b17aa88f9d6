// The options of VectorEnv: skipped decisions, other players, starts, rule sets, sessions, buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "env/session/session.h"
#include "env/vector/contract_generator.h"
#include "env/vector/vector_env.h"
#include "env/vector/vector_env_fields.h"
#include "env/view/encoder.h"
#include "tests/cpp/support/aggregate.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

using testing::HasSubstr;

Returns returns_of(const VectorEnvOptions& options, int steps) {
  VectorEnv env(options);
  Returns returns;
  for (int step = 0; step < steps; ++step) {
    env.step_random();
    collect(env, returns);
  }
  return returns;
}

/// Every deal of `some` is in `all` with the same payoffs.
void expect_same_deals(const Returns& some, const Returns& all, std::size_t at_least) {
  std::size_t common = 0;
  for (const auto& [seed, payoffs] : some) {
    const auto found = all.find(seed);
    if (found == all.end()) continue;
    ++common;
    ASSERT_EQ(payoffs, found->second) << seed;
  }
  EXPECT_GE(common, at_least);
}

// Forced decisions

TEST(VectorEnvOptions, skipping_forced_decisions_plays_the_same_deals) {
  VectorEnvOptions options = small_options(100);
  options.auto_reset = AutoReset::kSameStep;
  const Returns all = returns_of(options, 300);
  options.skip_forced = true;
  VectorEnv env(options);
  Returns some;
  for (int step = 0; step < 200; ++step) {
    for (const ActionMask& mask : env.buffers().legal) EXPECT_GE(mask.count(), 2);
    env.step_random();
    collect(env, some);
  }
  expect_same_deals(some, all, 500);
  EXPECT_GT(env.num_decisions(), 100 * 200);  // forced ones count
}

TEST(VectorEnvOptions, deals_without_a_decision_are_dealt_again_and_counted) {
  // Seat 0 holds all eight highest trumps: SIE is decided before the first card.
  VectorEnvOptions options = small_options(3);
  const CardSet best = CardSet::rank(Rank::kOber) | CardSet::rank(Rank::kUnter);
  Deal sie;
  sie.first[0] = CardSet::rank(Rank::kOber);
  sie.second[0] = CardSet::rank(Rank::kUnter);
  CardSet rest = kLongDeck - best;
  for (std::size_t seat = 1; seat < 4; ++seat) {
    for (int i = 0; i < 4; ++i) sie.first[seat].add(rest.pop_lowest());
    for (int i = 0; i < 4; ++i) sie.second[seat].add(rest.pop_lowest());
  }
  const Deal other = random_deal(5);
  options.start = StartAt::kCardPlay;
  options.deals = {sie, other};
  options.contracts = {
      {.contract = ContractClass::kSie, .declarer = 0},
      {.contract = ContractClass::kWenz, .declarer = 1},
  };
  VectorEnv env(options);
  EXPECT_EQ(env.skipped_deals(), 2);  // rows 0 and 2
  const Game ended = Game::with_contract(*options.rules[0], sie, 0, options.contracts[0]);
  ASSERT_TRUE(ended.is_terminal());
  const double payoff = 2.0 * ended.payoffs()[0] / options.rules[0]->tariff_scale();
  EXPECT_EQ(env.skipped_return(),
            (std::array<double, 4>{payoff, -payoff / 3, -payoff / 3, -payoff / 3}));
  for (int row = 0; row < 3; ++row) EXPECT_EQ(env.game(row).dealt(0), other.hand(0));

  options.deals = {sie};
  options.contracts.resize(1);
  EXPECT_THAT(error_of([&] { VectorEnv never(options); }), HasSubstr("no decision"));
}

// Other players

TEST(VectorEnvOptions, a_learner_among_equal_players_sees_the_deals_of_self_play) {
  VectorEnvOptions options = small_options(60);
  options.auto_reset = AutoReset::kSameStep;
  const Returns all = returns_of(options, 300);
  for (const bool skip : {false, true}) {
    VectorEnvOptions learner = options;
    learner.learner_seat = 2;
    learner.opponent = std::make_shared<UniformPolicy>();
    learner.skip_forced = skip;
    VectorEnv env(learner);
    Returns some;
    for (int step = 0; step < 60; ++step) {
      for (const std::int8_t player : env.buffers().current_player) EXPECT_EQ(player, 2);
      env.step_random();
      collect(env, some);
    }
    expect_same_deals(some, all, 200);
  }
}

TEST(VectorEnvOptions, the_final_observation_is_the_learners_view_of_the_end) {
  VectorEnvOptions options = small_options(40);
  options.learner_seat = 3;
  options.opponent = std::make_shared<UniformPolicy>();
  options.observation = ObservationType::kUint8;
  options.view_lines = true;
  VectorEnv env(options);
  const auto size = static_cast<std::size_t>(observation_size());
  int ends = 0;
  for (int step = 0; step < 40; ++step) {
    env.step_random();
    const EnvBuffers& buffers = env.buffers();
    for (std::size_t i = 0; i < 40; ++i) {
      if (buffers.terminated[i] == 0) continue;
      ++ends;
      const PlayerView view = env.game(static_cast<int>(i)).view(3);
      std::vector<std::uint8_t> row(size);
      expand(ObservationForm{}, {&view.cards, &view.order, &view.events}, buffers.rule_features,
             row.data());
      EXPECT_TRUE(std::ranges::equal(row, buffers.final_observation.subspan(i * size, size)));
      EXPECT_TRUE(std::ranges::equal(row, buffers.observation_u8.subspan(i * size, size)));
      EXPECT_EQ(buffers.current_player[i], -1);
    }
  }
  EXPECT_GT(ends, 40);
}

class ThrowingPolicy : public UniformPolicy {
 public:
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    UniformPolicy::act(batch, keys, actions);
    for (std::size_t row = 0; row < batch.size; ++row) {
      if (keys[row].env >= 100 && keys[row].decision > 5) throw std::runtime_error("out of ideas");
    }
  }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<ThrowingPolicy>(*this);
  }
};

class CheatingPolicy : public UniformPolicy {
 public:
  void act(const ViewBatch&, std::span<const RngKey>, std::span<Action> actions) override {
    std::ranges::fill(actions, kActionLay);
  }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<CheatingPolicy>(*this);
  }
};

TEST(VectorEnvOptions, exceptions_of_opponents_reach_the_caller_from_every_thread) {
  for (const int threads : {1, 2, 8}) {
    VectorEnvOptions options = small_options(700);
    options.num_threads = threads;
    options.learner_seat = 0;
    options.opponent = std::make_shared<ThrowingPolicy>();
    VectorEnv env(options);
    std::string text = "no error";
    try {
      for (int step = 0; step < 10; ++step) env.step_random();
    } catch (const std::runtime_error& error) {
      text = error.what();
    }
    EXPECT_EQ(text, "out of ideas");
    env.reset(3);  // usable again
  }
  VectorEnvOptions options = small_options(4);
  options.learner_seat = 0;
  options.opponent = std::make_shared<CheatingPolicy>();
  EXPECT_THAT(error_of([&] { VectorEnv env(options); }),
              testing::AllOf(HasSubstr("opponent uniform: env 0, seat"), HasSubstr("LAY")));
}

TEST(VectorEnvOptions, bidding_only_ends_with_the_payoffs_of_the_players_of_the_cards) {
  VectorEnvOptions options = small_options(60);
  options.auto_reset = AutoReset::kSameStep;
  const Returns all = returns_of(options, 300);
  options.bidding_only = true;
  options.opponent = std::make_shared<UniformPolicy>();
  VectorEnv env(options);
  Returns some;
  for (int step = 0; step < 100; ++step) {
    for (const std::int8_t phase : env.buffers().phase) {
      EXPECT_LT(phase, static_cast<int>(Phase::kDouble));
    }
    env.step_random();
    collect(env, some);
  }
  expect_same_deals(some, all, 200);
}

// Starts

/// A Wenz of the seat left of the dealer.
class WenzGenerator : public ContractGenerator {
 public:
  [[nodiscard]] Contract generate(const CompiledRules&, const Deal&, int dealer,
                                  const RngKey&) const override {
    return {.contract = ContractClass::kWenz, .declarer = (dealer + 1) % 4};
  }
  [[nodiscard]] std::string name() const override { return "wenz"; }
};

TEST(VectorEnvOptions, generated_contracts_start_at_card_play) {
  VectorEnvOptions options = small_options(500);
  options.start = StartAt::kCardPlay;
  options.generator = std::make_shared<WenzGenerator>();
  VectorEnv env(options);
  for (int i = 0; i < 500; ++i) {
    EXPECT_TRUE(env.game(i).contract().contract == ContractClass::kWenz);
    EXPECT_EQ(env.game(i).contract().declarer, (i + 1) % 4);
  }
}

TEST(VectorEnvOptions, the_generated_share_is_drawn_per_episode) {
  VectorEnvOptions options = small_options(2000);
  options.generator = std::make_shared<WenzGenerator>();
  options.generated_share = 0.25;
  VectorEnv env(options);
  options.num_envs = 1500;
  options.first_env = 500;
  VectorEnv part(options);
  const auto generated = [](const VectorEnv& batch, int row) {
    return batch.game(row).has_contract();
  };
  int count = 0;
  for (int i = 0; i < 2000; ++i) count += static_cast<int>(generated(env, i));
  EXPECT_NEAR(count, 500, 100);
  for (int i = 0; i < 1500; ++i) EXPECT_EQ(generated(part, i), generated(env, 500 + i));
  env.reset();
  env.reset();
  int changed = 0;
  for (int i = 0; i < 1500; ++i)
    changed += static_cast<int>(generated(part, i) != generated(env, 500 + i));
  EXPECT_GT(changed, 300);
}

TEST(VectorEnvOptions, fixed_deals_go_round_by_row_and_episode) {
  VectorEnvOptions options = small_options(3);
  for (std::uint64_t seed = 0; seed < 5; ++seed) options.deals.push_back(random_deal(seed));
  VectorEnv env(options);
  for (int episode = 0; episode < 4; ++episode) {
    env.reset();
    for (int i = 0; i < 3; ++i) {
      const Deal& deal = options.deals[static_cast<std::size_t>((i + 3 * episode) % 5)];
      for (int seat = 0; seat < 4; ++seat) EXPECT_EQ(env.game(i).hand(seat), deal.hand(seat));
      EXPECT_EQ(env.game(i).dealer(), (i + episode) % 4);
    }
  }
}

// Rules and sessions

TEST(VectorEnvOptions, rows_may_play_by_different_rules) {
  VectorEnvOptions options = small_options(90);
  options.rules = {rules_named("research"), rules_named("tournament_2024"),
                   rules_named("wikipedia_pure")};
  for (int i = 0; i < 90; ++i) options.rule_index.push_back(static_cast<std::uint16_t>(i % 3));
  options.auto_reset = AutoReset::kSameStep;
  options.view_lines = true;
  options.observation = ObservationType::kUint8;
  VectorEnv mixed(options);
  const auto features = static_cast<std::size_t>(rule_feature_size());
  ASSERT_EQ(mixed.buffers().rule_features.size(), 3 * features);
  EXPECT_EQ(mixed.views().rules_of(4).hash(), options.rules[1]->hash());
  std::vector<VectorEnv> pure;
  for (std::size_t k = 0; k < 3; ++k) {
    VectorEnvOptions one = options;
    one.rules = {options.rules[k]};
    one.rule_index.clear();
    pure.emplace_back(one);
  }
  for (int step = 0; step < 100; ++step) {
    mixed.step_random();
    for (VectorEnv& env : pure) env.step_random();
    for (std::size_t i = 0; i < 90; ++i) {
      auto row = rows_of(mixed.buffers(), i, i + 1);
      auto expected = rows_of(pure[i % 3].buffers(), i, i + 1);
      row.erase("rule_index");
      expected.erase("rule_index");
      ASSERT_EQ(difference(expected, row), "") << "row " << i << ", step " << step;
    }
  }
}

TEST(VectorEnvOptions, sessions_follow_the_dealer_and_tell_their_end) {
  VectorEnvOptions options = small_options(3);
  options.session = true;
  options.auto_reset = AutoReset::kSameStep;
  VectorEnv env(options);
  Session session(options.rules[0], options.seed);
  const int length = session_length(*options.rules[0]);
  std::array<std::int64_t, kMaxPlaces> totals{};
  int deals = 0, ends = 0;
  while (deals < length) {
    if (env.key(0).decision == 0) {
      const Game game = session.next_game();
      EXPECT_EQ(game.dealer(), env.game(0).dealer());
      for (int seat = 0; seat < 4; ++seat) EXPECT_EQ(game.hand(seat), env.game(0).hand(seat));
    }
    Game game = env.game(0);
    std::vector<Action> actions(3);
    env.random_actions(actions);
    game.apply(actions[0]);
    env.step(actions);
    EXPECT_EQ(env.buffers().terminated[0] != 0, game.is_terminal());
    ends += env.buffers().session_end[0];
    if (!game.is_terminal()) continue;
    ++deals;
    session.finish(game);
    for (std::size_t seat = 0; seat < 4; ++seat) totals[seat] += game.payoffs()[seat];
    EXPECT_EQ(env.buffers().session_end[0] != 0, deals == length);
  }
  EXPECT_EQ(ends, 1);
  EXPECT_TRUE(session.is_over());
  EXPECT_EQ(session.totals(), totals);
}

// Where reset() is the way to the next deal it is one of the same session: dealer, Stock and rounds
// go on as they do by themselves.
TEST(VectorEnvOptions, sessions_go_on_over_resets_of_rows_that_are_over) {
  VectorEnvOptions options = small_options(3);
  options.rules = {rules_named("course_002")};
  options.session = true;
  options.auto_reset = AutoReset::kSameStep;
  VectorEnv by_itself(options);
  options.auto_reset = AutoReset::kDisabled;
  VectorEnv by_reset(options);
  std::vector<Action> actions(3);
  int ends = 0, stocks = 0;
  const auto over = [&](std::size_t row) { return by_reset.buffers().terminated[row]; };
  for (int step = 0; step < 6000; ++step) {
    by_itself.random_actions(actions);
    for (std::size_t row = 0; row < 3; ++row) {  // auctions in which all pass
      if (step % 60 < 40 && by_itself.buffers().legal[row].contains(kActionPass)) {
        actions[row] = kActionPass;
      }
    }
    by_itself.step(actions);
    by_reset.step(actions);
    for (std::size_t row = 0; row < 3; ++row) {
      ASSERT_EQ(by_itself.buffers().session_end[row], by_reset.buffers().session_end[row]);
      ends += by_reset.buffers().session_end[row];
    }
    const std::vector<std::uint8_t> mask{over(0), over(1), over(2)};
    if (mask != std::vector<std::uint8_t>(3)) by_reset.reset(std::nullopt, mask);
    for (int row = 0; row < 3; ++row) {
      ASSERT_EQ(by_itself.game(row).serialize(), by_reset.game(row).serialize()) << step;
      stocks += static_cast<int>(by_reset.game(row).context().stock > 0);
    }
  }
  EXPECT_GT(ends, 0);
  EXPECT_GT(stocks, 0);
  by_reset.reset(options.seed);
  by_itself.reset(options.seed);
  EXPECT_EQ(by_itself.game(0).serialize(), by_reset.game(0).serialize());
}

// A deal that is left begins a session anew, as the seed of one does.
TEST(VectorEnvOptions, a_reset_in_the_middle_of_a_deal_begins_a_session) {
  VectorEnvOptions options = small_options(1);
  options.rules = {rules_named("course_002")};
  options.session = true;
  options.auto_reset = AutoReset::kDisabled;
  VectorEnv env(options);
  const auto rich = [&] { return env.game(0).context().stock > 0; };
  std::vector<Action> actions(1);
  for (int step = 0; step < 1000 && !rich(); ++step) {
    if (env.buffers().terminated[0] != 0) {
      env.reset();
      continue;
    }
    env.random_actions(actions);
    if (env.buffers().legal[0].contains(kActionPass)) actions[0] = kActionPass;
    env.step(actions);
  }
  ASSERT_TRUE(rich());
  env.reset();
  EXPECT_FALSE(rich());
}

// Buffers

TEST(VectorEnvOptions, only_the_buffers_asked_for_exist) {
  VectorEnv env(small_options(10));
  const EnvBuffers& buffers = env.buffers();
  EXPECT_TRUE(buffers.cards.empty() && buffers.full.empty() && buffers.action_mask.empty());
  EXPECT_TRUE(buffers.observation_u8.empty() && buffers.observation_f32.empty());
  EXPECT_TRUE(buffers.final_observation.empty() && buffers.session_end.empty());
  EXPECT_TRUE(buffers.stock_rewards.empty());
  EXPECT_EQ(buffers.legal.size(), 10u);
  EXPECT_THAT(error_of([&] { (void)env.views(); }), HasSubstr("view_lines"));
}

TEST(VectorEnvOptions, the_helpers_of_these_tests_go_through_every_buffer) {
  const auto nothing = [](const std::string&, std::span<const std::byte>, std::size_t) {};
  EXPECT_EQ(for_each_row_buffer(EnvBuffers{}, nothing) + 1, num_members<EnvBuffers>())
      << "all but rule_features have a row for each env";
}

TEST(VectorEnvOptions, own_buffers_begin_at_cache_lines) {
  VectorEnvOptions options = small_options(5);
  options.learner_seat = 1;
  options.opponent = std::make_shared<UniformPolicy>();
  options.observation = ObservationType::kFloat32;
  options.action_mask = options.view_lines = options.full_view = options.session = true;
  VectorEnv env(options);
  for_each_row_buffer(env.buffers(),
                      [](const std::string& name, std::span<const std::byte> bytes, std::size_t) {
                        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64, 0u) << name;
                      });
}

TEST(VectorEnvOptions, the_caller_may_supply_buffers) {
  VectorEnvOptions options = small_options(20);
  options.view_lines = true;
  options.observation = ObservationType::kFloat32;
  std::vector<ActionMask> legal(20);
  std::vector<CardsLine> cards(20);
  std::vector<float> rewards(80, 5.0F);
  std::vector<float> observation(20 * static_cast<std::size_t>(observation_size()));
  EnvBuffers supplied;
  supplied.legal = legal;
  supplied.cards = cards;
  supplied.rewards = rewards;
  supplied.observation_f32 = observation;
  VectorEnv env(options, supplied);
  VectorEnv own(options);
  EXPECT_EQ(env.buffers().rewards.data(), rewards.data());
  for (int step = 0; step < 50; ++step) {
    env.step_random();
    own.step_random();
    ASSERT_EQ(difference(all_rows(own), all_rows(env)), "");
  }
  EXPECT_EQ(env.buffers().observation_f32[7], observation[7]);
  supplied.rewards = std::span(rewards).first(79);
  EXPECT_THAT(error_of([&] { VectorEnv bad(options, supplied); }),
              HasSubstr("buffer rewards has 79 elements, allowed: 80"));
  supplied.rewards = {};
  std::vector<std::uint8_t> mask(20 * 128);
  supplied.action_mask = mask;
  EXPECT_THAT(error_of([&] { VectorEnv bad(options, supplied); }),
              HasSubstr("buffer action_mask was supplied"));
}

TEST(VectorEnvOptions, float_observations_are_scaled_uint8_ones) {
  VectorEnvOptions options = small_options(50);
  options.observation = ObservationType::kUint8;
  VectorEnv bytes(options);
  options.observation = ObservationType::kFloat32;
  VectorEnv floats(options);
  for (int step = 0; step < 40; ++step) {
    bytes.step_random();
    floats.step_random();
  }
  const auto size = static_cast<std::size_t>(observation_size());
  for (const Section& section : observation_sections()) {
    for (std::size_t row = 0; row < 50; ++row) {
      for (int k = section.offset; k < section.offset + section.length; ++k) {
        const std::size_t at = row * size + static_cast<std::size_t>(k);
        ASSERT_FLOAT_EQ(floats.buffers().observation_f32[at],
                        static_cast<float>(bytes.buffers().observation_u8[at]) * section.scale)
            << section.name;
      }
    }
  }
}

// Bad options

TEST(VectorEnvOptions, the_table_has_every_option) {
  EXPECT_EQ(slots_of(VectorEnvOptions()).size(), num_members<VectorEnvOptions>())
      << "an option that vector_env_fields.h does not name is no keyword of Python";
}

TEST(VectorEnvOptions, bad_options_are_named_with_what_is_allowed) {
  const auto error_with = [](auto&& change) {
    VectorEnvOptions options = small_options(4);
    change(options);
    return error_of([&] { VectorEnv env(options); });
  };
  using Options = VectorEnvOptions;
  EXPECT_THAT(error_with([](Options& o) { o.num_envs = 0; }),
              HasSubstr("num_envs = 0, allowed: integer 1.."));
  EXPECT_THAT(error_with([](Options& o) { o.num_threads = 0; }),
              HasSubstr("num_threads = 0, allowed: integer 1..1024"));
  EXPECT_THAT(
      error_with([](Options& o) { o.observation_version = static_cast<ObservationVersion>(9); }),
      HasSubstr("observation_version = 9, allowed: integer 1..4"));
  EXPECT_THAT(error_with([](Options& o) { o.first_env = ~std::uint64_t{0} - 2; }),
              HasSubstr("first_env = 18446744073709551613, allowed: integer "
                        "0..18446744073709551612 with 4 environments"));
  EXPECT_THAT(error_with([](Options& o) { o.rules.clear(); }), HasSubstr("rule sets"));
  EXPECT_THAT(error_with([](Options& o) { o.rules[0] = nullptr; }), HasSubstr("rule set 0"));
  EXPECT_THAT(error_with([](Options& o) { o.rule_index = {0, 0, 1, 0}; }),
              HasSubstr("rule_index[2] = 1, allowed: integer 0..0"));
  EXPECT_THAT(error_with([](Options& o) { o.rule_index = {0}; }), HasSubstr("rule_index has 1"));
  EXPECT_THAT(error_with([](Options& o) { o.learner_seat = 4; }), HasSubstr("learner_seat = 4"));
  EXPECT_THAT(error_with([](Options& o) { o.learner_seat = 1; }), HasSubstr("opponent"));
  EXPECT_THAT(error_with([](Options& o) { o.bidding_only = true; }), HasSubstr("opponent"));
  EXPECT_THAT(error_with([](Options& o) { o.opponent = std::make_shared<UniformPolicy>(); }),
              HasSubstr("never be asked"));
  EXPECT_THAT(error_with([](Options& o) { o.start = StartAt::kCardPlay; }),
              HasSubstr("generator or contracts"));
  EXPECT_THAT(error_with([](Options& o) { o.generated_share = 0.5; }), HasSubstr("generator"));
  EXPECT_THAT(error_with([](Options& o) { o.generated_share = 1.5; }),
              HasSubstr("generated_share = 1.5, allowed: number 0..1"));
  EXPECT_THAT(error_with([](Options& o) { o.contracts.resize(1); }), HasSubstr("card play"));
  EXPECT_THAT(error_with([](Options& o) {
                o.deals = {random_deal(1)};
                o.deals[0].first[2] = o.deals[0].first[1];
              }),
              HasSubstr("deal 0"));
  EXPECT_THAT(error_with([](Options& o) {
                o.start = StartAt::kCardPlay;
                o.deals = {random_deal(1)};
                o.contracts = {{.contract = ContractClass::kWenz, .declarer = 7}};
              }),
              HasSubstr("contract 0: WENZ"));
}

}  // namespace
}  // namespace schafkopf::test
