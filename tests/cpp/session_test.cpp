// Consecutive deals (RULES H, K.12).
#include "env/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "vector_env_helpers.h"

namespace schafkopf::test {
namespace {

using testing::HasSubstr;

std::shared_ptr<const CompiledRules> rules_with(std::string_view key, const FieldValue& value) {
  RuleSet rules = rules_named("research")->rules();
  set_field(rules, key, value);
  return std::make_shared<const CompiledRules>(checked(rules));
}

/// All pass: thrown in where the rules say so.
Game thrown_in(const Session& session) {
  Game game = session.next_game();
  while (!game.is_terminal()) game.apply(without_claims(game.legal_actions()).lowest());
  return game;
}

Game played(const Session& session) {
  Game game = session.next_game();
  while (!game.is_terminal()) {
    const ActionMask mask = without_claims(game.legal_actions());
    game.apply(mask.contains(kActionPlay) ? kActionPlay : mask.nth(mask.count() - 1));
  }
  return game;
}

TEST(Session, K_258_the_dealer_moves_to_the_left_neighbour) {
  Session session(rules_with("first_dealer", std::string("seat0")), 1);
  for (const int forehand : {1, 2, 3, 0, 1}) {
    EXPECT_EQ(session.next_game().forehand(), forehand);
    session.finish(session.num_deals() % 2 == 0 ? played(session) : thrown_in(session));
  }
}

TEST(Session, B_3_5_the_first_dealer_is_drawn) {
  std::set<int> dealers;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    dealers.insert(Session(rules_named("research"), seed).dealer());
  }
  EXPECT_EQ(dealers, (std::set<int>{0, 1, 2, 3}));
}

TEST(Session, R_178_a_round_has_four_deals_and_session_rounds_end_it) {
  Session session(rules_with("session_rounds", std::int64_t{2}), 5);
  std::array<std::int64_t, 4> totals{};
  for (int deal = 0; deal < 8; ++deal) {
    EXPECT_EQ(session.round(), deal / 4);
    const Game game = played(session);
    for (std::size_t seat = 0; seat < 4; ++seat) totals[seat] += game.payoffs()[seat];
    session.finish(game);
    EXPECT_EQ(session.totals(), totals);
    EXPECT_EQ(totals[0] + totals[1] + totals[2] + totals[3], 0);
  }
  EXPECT_TRUE(session.is_over());
  EXPECT_THAT(error_of([&] { (void)session.next_game(); }), HasSubstr("8 deals"));
}

TEST(Session, R_179_the_tournament_plays_2_x_4_rounds_of_4_games) {
  EXPECT_EQ(session_length(*rules_named("tournament_2024")), 32);
}

TEST(Session, OPEN_47_whether_a_throw_in_counts_for_the_round_is_a_switch) {
  for (const bool counts : {true, false}) {
    Session session(rules_with("thrown_in_counts", counts), 5);
    session.finish(thrown_in(session));
    EXPECT_EQ(session.num_deals(), 1);
    EXPECT_EQ(session.num_thrown_in(), 1);
    EXPECT_EQ(session.state().num_counted, counts ? 1 : 0);
  }
}

TEST(Session, only_the_finished_deal_of_the_session_is_entered) {
  Session session(rules_named("research"), 5);
  EXPECT_THAT(error_of([&] { session.finish(session.next_game()); }), HasSubstr("not over"));
  const Session other(rules_named("research"), 6);
  EXPECT_THAT(error_of([&] { session.finish(played(other)); }), HasSubstr("not deal 0"));
  EXPECT_EQ(session.num_deals(), 0);
}

}  // namespace
}  // namespace schafkopf::test
