// Whole sessions played at random under every special round, table size and round rule: accounts
// add up, contexts follow each other, VectorEnv plays the same deals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "env/session/session.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

struct Table {
  std::string name;
  RuleSet rules;
};
void PrintTo(const Table& table, std::ostream* stream) { *stream << table.name; }

/// Rules in which sessions hand over as much as they can.
RuleSet busy_rules(const std::string& name) {
  RuleSet rules = preset(name);
  rules.claims_enabled = false;
  rules.reuegeld = 5;
  rules.bock_triggers = {RoundEvent::kSoloLost, RoundEvent::kSchwarz, RoundEvent::kPoints6060};
  rules.stock_games = StockGames::kBoth;
  rules.participation_bonus = 7;
  rules.participation_min_games = 3;
  rules.last_round_dealer_old_one = true;
  return rules;
}

std::vector<Table> tables() {
  std::vector<Table> list;
  for (int i = 0; i < kNumValues<SpecialRound>; ++i) {
    RuleSet rules = busy_rules("official_1989_full");
    rules.special_round = static_cast<SpecialRound>(i);
    list.push_back({std::string(name_of(rules.special_round)), rules});
  }
  for (int i = 1; i < kNumValues<AllPass>; ++i) {
    RuleSet rules = busy_rules("official_1989");
    rules.all_pass = static_cast<AllPass>(i);
    rules.last_round_mode = LastRoundMode::kDouble;
    rules.special_round_triggers[static_cast<std::size_t>(RoundEvent::kSoloLost)] =
        static_cast<SpecialRound>(2 + i);
    list.push_back({"all_pass_" + std::string(name_of(rules.all_pass)), rules});
  }
  RuleSet rules = busy_rules("official_1989");
  rules.deck = Deck::kShort24;
  rules.last_round_mode = LastRoundMode::kSoliOnly;
  list.push_back({"short_deck", rules});
  rules.players = 5;
  list.push_back({"short_deck_of_five", rules});
  rules.special_round = SpecialRound::kAllgaeuer;
  list.push_back({"allgaeuer_of_five", rules});
  rules.special_round = SpecialRound::kNone;
  rules.players = 3;
  list.push_back({"three", rules});
  rules = busy_rules("wikipedia_extended");
  rules.players = 5;
  list.push_back({"five", rules});
  return list;
}

class SessionPlay : public testing::TestWithParam<Table> {};

Game play_out(Game game, Rng& rng) {
  while (!game.is_terminal()) {
    const ActionMask mask = game.legal_actions();
    game.apply(mask.nth(rng.next_below(mask.count())));
  }
  return game;
}

TEST_P(SessionPlay, R_005_R_006_R_007_R_084_accounts_stock_and_kitty_add_up) {
  const auto rules = std::make_shared<const CompiledRules>(checked(GetParam().rules));
  const RuleSet& switches = rules->rules();
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Session session(rules, seed);
    Rng rng(seed);
    while (!session.is_over()) {
      const SessionState before = session.state();
      const Game game = play_out(session.next_game(), rng);
      ASSERT_EQ(game.context(), before.context);
      ASSERT_EQ(game.seats(), switches.players == 3 ? 3 : 4);
      ASSERT_NO_THROW(game.check_invariants());
      const auto payoffs = game.payoffs();
      ASSERT_EQ(std::accumulate(payoffs.begin(), payoffs.end(), 0), 0);
      session.finish(game);
      const auto& totals = session.totals();
      const std::int64_t sum = std::accumulate(totals.begin(), totals.end(), std::int64_t{0});
      const auto bonus = participation_bonus(switches, session.state());
      const int paid = session.is_over() ? std::accumulate(bonus.begin(), bonus.end(), 0) : 0;
      ASSERT_EQ(sum + session.stock() + session.kitty(), paid);
      ASSERT_GE(session.stock(), 0);
      if (switches.players < 5 || session.is_over()) continue;
      const auto place = static_cast<std::size_t>(before.dealer);
      ASSERT_EQ(totals[place], before.totals[place]);  // the dealer sits out (OPEN-03)
    }
    EXPECT_EQ(session.state().num_counted, session_length(switches));
    EXPECT_EQ(session.stock(), 0);
  }
}

TEST_P(SessionPlay, R_081_R_084_vector_env_plays_the_deals_of_the_session) {
  VectorEnvOptions options;
  options.num_envs = 2;
  options.seed = 11;
  options.rules = {std::make_shared<const CompiledRules>(checked(GetParam().rules))};
  options.session = true;
  options.auto_reset = AutoReset::kSameStep;
  VectorEnv env(options);
  Session session(options.rules[0], options.seed);
  std::vector<Action> actions(2);
  while (!session.is_over()) {
    if (env.key(0).decision == 0) {
      const Game game = session.next_game();
      ASSERT_EQ(game.dealer(), env.game(0).dealer());
      ASSERT_EQ(game.context(), env.game(0).context());
      for (int seat = 0; seat < 4; ++seat) ASSERT_EQ(game.dealt(seat), env.game(0).dealt(seat));
    }
    Game game = env.game(0);
    env.random_actions(actions);
    game.apply(actions[0]);
    env.step(actions);
    if (game.is_terminal()) session.finish(game);
  }
  EXPECT_NE(env.buffers().session_end[0], 0);
}

TEST(SessionPlayDebts, R_081_after_an_allgaeuer_runde_everybody_has_played_all_three_games) {
  for (const int players : {4, 5}) {
    RuleSet switches = preset("official_1989");
    switches.players = players;
    switches.claims_enabled = false;
    switches.special_round = SpecialRound::kAllgaeuer;
    const auto rules = std::make_shared<const CompiledRules>(checked(switches));
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Session session(rules, seed);
      Rng rng(seed);
      std::set<std::pair<int, Family>> played;
      for (int deal = 0; deal < 3 * players; ++deal) {
        const Game game = play_out(session.next_game(), rng);
        const auto declarer = static_cast<std::size_t>(game.contract().declarer);
        if (game.context().mode() == SpecialRound::kAllgaeuer) {
          played.emplace(session.places()[declarer], contract_row(game.contract().contract).family);
        }
        session.finish(game);
      }
      // of five, one may have sat out whenever his last debts could still be paid
      const auto most = static_cast<std::size_t>(3 * players);
      EXPECT_GE(played.size(), players == 4 ? most : most - 3) << "seed " << seed;
      EXPECT_LE(played.size(), most);
      EXPECT_EQ(session.state().context.mode(), SpecialRound::kNone);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, SessionPlay, testing::ValuesIn(tables()),
                         [](const testing::TestParamInfo<Table>& table) {
                           return table.param.name;
                         });

TEST(Session, a_state_that_no_session_reaches_is_refused) {
  const auto rules = CompiledRules::load("research");
  SessionState state = Session(rules, 1).state();
  EXPECT_EQ(error_of([&] { (void)Session(rules, 1, state); }), "no error");
  state.context.special_round = 99;
  EXPECT_THAT(error_of([&] { (void)Session(rules, 1, state); }), testing::StartsWith("session: "));
}

}  // namespace
}  // namespace schafkopf::test
