// What starts a Bock or a special round, and how long it lasts (RULES C.20, G.8, H.5).
#include "env/session/round_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cpp/support/session_helpers.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Outcome doubled(Outcome outcome, int level) {
  outcome.level = level;
  return outcome;
}

Outcome won() { return played_outcome("RUF", 0, {0, 2}, 70); }
Outcome solo_lost() {
  Outcome outcome = played_outcome("SOLO", 1, {1}, 50);
  outcome.contract.suit = Suit::kGras;
  return outcome;
}

void set_trigger(RuleSet& rules, RoundEvent event, SpecialRound mode) {
  rules.special_round_triggers[static_cast<std::size_t>(event)] = mode;
}

/// Modes of the next deals, as "bock x2 3" = name, factor, games left; each deal is `won()`.
std::vector<std::string> next_modes(SessionState& state, const RuleSet& rules, int deals) {
  std::vector<std::string> modes;
  for (int deal = 0; deal < deals; ++deal) {
    std::string mode(name_of(state.context.mode()));
    if (state.context.bock > 0) mode += " x" + std::to_string(1 << state.context.bock);
    if (state.context.games_left > 0) mode += " " + std::to_string(state.context.games_left);
    modes.push_back(mode);
    enter_deal(state, rules, won());
  }
  return modes;
}

// Events

EnumSet<RoundEvent> events(const Outcome& outcome, const RuleSet& rules = {}) {
  return events_of(outcome, settle(outcome, rules));
}

TEST(RoundEvents, R_177_each_event_has_its_games) {
  using enum RoundEvent;
  const auto is = [](const Outcome& outcome, EnumSet<RoundEvent> expected) {
    return events(outcome).bits() == expected.bits();
  };
  EXPECT_TRUE(is(all_passed(), {kAllPass}));
  EXPECT_TRUE(is(won(), {}));
  EXPECT_TRUE(is(solo_lost(), {kSoloLost}));
  EXPECT_TRUE(is(played_outcome("RUF", 0, {0, 2}, 60), {kPoints6060}));
  EXPECT_TRUE(is(played_outcome("RUF", 0, {0, 2}, 120, 7), {kPoints120}));
  EXPECT_TRUE(is(played_outcome("RUF", 0, {0, 2}, 0, 1), {kPoints120}));
  EXPECT_TRUE(is(played_outcome("RUF", 0, {0, 2}, 120, 8), {kPoints120, kSchwarz}));
  EXPECT_TRUE(is(doubled(played_outcome("RUF", 0, {0, 2}, 50), 1), {kKontraGameLost}));
  EXPECT_TRUE(is(doubled(won(), 1), {}));
  EXPECT_TRUE(is(doubled(won(), 2), {kReGame}));
  EXPECT_TRUE(is(played_outcome("BETTEL", 0, {0}, 20, 1), {kSoloLost}));
}

// 002, "Ergebnis 60 und/oder 120 Augen": the points of a Tout that was played to its end count too.
TEST(RoundEvents, R_177_a_played_out_tout_has_points_a_stopped_one_only_those_of_its_tricks) {
  using enum RoundEvent;
  EXPECT_TRUE(events(played_outcome("SOLO_TOUT", 0, {0}, 60, 4)).contains(kPoints6060));
  EXPECT_TRUE(events(played_outcome("SOLO_TOUT", 0, {0}, 0, 0)).contains(kPoints120));
  EXPECT_TRUE(events(played_outcome("SOLO_TOUT", 0, {0}, 120, 8)).contains(kPoints120));
  Outcome stopped = played_outcome("SOLO_TOUT", 0, {0}, 0, 0);
  stopped.points = {0, 25, 0, 0};
  stopped.tricks = {0, 1, 0, 0};
  EXPECT_FALSE(events(stopped).contains(kPoints120));
  stopped.points = {60, 11, 0, 0};
  EXPECT_FALSE(events(stopped).contains(kPoints6060));
}

TEST(RoundEvents, R_177_schwarz_counts_only_where_it_is_paid) {
  Outcome outcome = played_outcome("SOLO", 0, {0}, 120, 8);
  EXPECT_TRUE(events(outcome).contains(RoundEvent::kSchwarz));
  RuleSet rules;
  rules.solo_schneider_schwarz = false;
  EXPECT_FALSE(events(outcome, rules).contains(RoundEvent::kSchwarz));
  outcome.claimed_schwarz = 0;
  EXPECT_FALSE(events(outcome).contains(RoundEvent::kSchwarz));
}

TEST(RoundEvents, R_084_a_herz_solo_and_an_all_pass_game_are_events) {
  Outcome outcome = played_outcome("SOLO", 0, {0}, 70);
  outcome.contract.suit = Suit::kHerz;
  EXPECT_TRUE(events(outcome).contains(RoundEvent::kHerzSoloPlayed));
  outcome.contract.suit = Suit::kGras;
  EXPECT_FALSE(events(outcome).contains(RoundEvent::kHerzSoloPlayed));
  outcome = played_outcome("FARBWENZ", 0, {0}, 70);
  outcome.contract.suit = Suit::kHerz;
  EXPECT_FALSE(events(outcome).contains(RoundEvent::kHerzSoloPlayed));
  outcome = played_outcome("RAMSCH", -1, {}, 70);
  EXPECT_FALSE(events(outcome).contains(RoundEvent::kAllPass));  // a Ramsch round
  outcome.all_passed = true;
  EXPECT_TRUE(events(outcome).contains(RoundEvent::kAllPass));
}

// Bock (G.8)

TEST(Bock, R_071_a_round_of_double_games_and_then_normal_play) {
  RuleSet rules;
  rules.special_round = SpecialRound::kBock;
  SessionState state = begin_session(rules, 0);
  EXPECT_EQ(state.context, first_context(rules));
  EXPECT_THAT(next_modes(state, rules, 5),
              ElementsAre("bock x2 4", "bock x2 3", "bock x2 2", "bock x2 1", "none"));
  EXPECT_EQ(state.totals[0], 4 * 20 + 10);
}

TEST(Bock, R_177_a_trigger_starts_a_round_or_one_game) {
  RuleSet rules;
  rules.bock_triggers = {RoundEvent::kSoloLost, RoundEvent::kPoints120};
  SessionState state = begin_session(rules, 0);
  enter_deal(state, rules, solo_lost());
  EXPECT_THAT(next_modes(state, rules, 5),
              ElementsAre("bock x2 4", "bock x2 3", "bock x2 2", "bock x2 1", "none"));
  rules.bock_length = BockLength::kGame;
  enter_deal(state, rules, played_outcome("SOLO", 0, {0}, 0, 1));  // two triggers, one Bock
  EXPECT_THAT(next_modes(state, rules, 2), ElementsAre("bock x2 1", "none"));
}

TEST(Bock, OPEN_68_a_trigger_during_a_bock_makes_it_longer) {
  RuleSet rules;
  rules.bock_triggers = {RoundEvent::kSoloLost};
  SessionState state = begin_session(rules, 0);
  enter_deal(state, rules, solo_lost());
  enter_deal(state, rules, solo_lost());
  EXPECT_THAT(next_modes(state, rules, 2), ElementsAre("bock x2 7", "bock x2 6"));
}

TEST(Bock, OPEN_68_multiply_gives_another_factor) {
  RuleSet rules;
  rules.bock_triggers = {RoundEvent::kSoloLost};
  rules.bock_stacking = BockStacking::kMultiply;
  SessionState state = begin_session(rules, 0);
  enter_deal(state, rules, solo_lost());
  enter_deal(state, rules, won());
  enter_deal(state, rules, solo_lost());
  EXPECT_THAT(next_modes(state, rules, 5),
              ElementsAre("bock x4 4", "bock x4 3", "bock x2 2", "bock x2 1", "none"));
  for (int deal = 0; deal < 100; ++deal) enter_deal(state, rules, solo_lost());
  EXPECT_LE(state.context.bock, kMaxBocks);
}

TEST(Bock, G_8_a_thrown_in_deal_uses_up_no_bock_game) {
  RuleSet rules;
  rules.special_round = SpecialRound::kBock;
  SessionState state = begin_session(rules, 0);
  enter_deal(state, rules, all_passed());
  EXPECT_EQ(state.context.games_left, 4);
}

TEST(Bock, R_102_all_pass_makes_the_next_games_count_double) {
  RuleSet rules;
  rules.all_pass = AllPass::kBockGame;
  SessionState state = begin_session(rules, 0);
  enter_deal(state, rules, all_passed());
  EXPECT_THAT(next_modes(state, rules, 2), ElementsAre("bock x2 1", "none"));
  rules.all_pass = AllPass::kBockRound;
  enter_deal(state, rules, all_passed());
  EXPECT_THAT(next_modes(state, rules, 2), ElementsAre("bock x2 4", "bock x2 3"));
}

// Special rounds

TEST(SpecialRounds, H_5_a_mode_lasts_its_games_and_then_normal_play_resumes) {
  RuleSet rules;
  rules.special_round = SpecialRound::kSchieber;
  SessionState state = begin_session(rules, 0);
  EXPECT_THAT(next_modes(state, rules, 5),
              ElementsAre("schieber 4", "schieber 3", "schieber 2", "schieber 1", "none"));
  rules.special_round_games = 2;
  state = begin_session(rules, 0);
  EXPECT_THAT(next_modes(state, rules, 3), ElementsAre("schieber 2", "schieber 1", "none"));
}

TEST(SpecialRounds, OPEN_47_a_throw_in_is_a_game_of_the_round_if_it_counts) {
  RuleSet rules;
  rules.special_round = SpecialRound::kSoliOnly;
  for (const bool counts : {true, false}) {
    rules.thrown_in_counts = counts;
    SessionState state = begin_session(rules, 0);
    enter_deal(state, rules, all_passed());
    EXPECT_EQ(state.context.games_left, counts ? 3 : 4);
  }
}

TEST(SpecialRounds, R_084_an_event_starts_its_mode_with_the_next_deal) {
  RuleSet rules;
  set_trigger(rules, RoundEvent::kAllPass, SpecialRound::kKreuzbock);
  set_trigger(rules, RoundEvent::kSoloLost, SpecialRound::kRamsch);
  SessionState state = begin_session(rules, 0);
  EXPECT_EQ(state.context.mode(), SpecialRound::kNone);
  enter_deal(state, rules, all_passed());
  EXPECT_EQ(next_modes(state, rules, 4).back(), "kreuzbock 1");
  enter_deal(state, rules, solo_lost());
  EXPECT_THAT(next_modes(state, rules, 5),
              ElementsAre("ramsch 4", "ramsch 3", "ramsch 2", "ramsch 1", "none"));
}

TEST(SpecialRounds, OPEN_73_triggers_during_a_round_are_queued) {
  RuleSet rules;
  rules.special_round_games = 2;
  rules.bock_triggers = {RoundEvent::kReGame};
  set_trigger(rules, RoundEvent::kAllPass, SpecialRound::kHadsch);
  set_trigger(rules, RoundEvent::kSoloLost, SpecialRound::kTeufel);
  SessionState state = begin_session(rules, 0);
  enter_deal(state, rules, all_passed());
  enter_deal(state, rules, doubled(won(), 2));
  enter_deal(state, rules, solo_lost());  // the last game of the round
  EXPECT_EQ(state.rounds.num_queued, 1);
  EXPECT_THAT(next_modes(state, rules, 7),
              ElementsAre("bock x2 4", "bock x2 3", "bock x2 2", "bock x2 1", "teufel 2",
                          "teufel 1", "none"));
}

TEST(SpecialRounds, OPEN_73_a_mode_that_waits_already_gets_longer) {
  RuleSet rules;
  rules.special_round = SpecialRound::kHadsch;
  set_trigger(rules, RoundEvent::kSoloLost, SpecialRound::kTeufel);
  SessionState state = begin_session(rules, 0);
  for (int deal = 0; deal < 4; ++deal) enter_deal(state, rules, solo_lost());
  EXPECT_EQ(state.context.mode(), SpecialRound::kTeufel);
  EXPECT_EQ(state.context.games_left, 16);
}

TEST(SpecialRounds, R_084_a_round_can_be_started_by_hand) {
  RuleSet rules;
  SessionState state = begin_session(rules, 0);
  start_special_round(state, rules, SpecialRound::kStrixner);
  EXPECT_EQ(state.context.mode(), SpecialRound::kStrixner);
  start_special_round(state, rules, SpecialRound::kZupfSolo);
  EXPECT_EQ(next_modes(state, rules, 5).back(), "zupf_solo 4");
  EXPECT_THAT(error_of([&] { start_special_round(state, rules); }), HasSubstr("none"));
  set_trigger(rules, RoundEvent::kManual, SpecialRound::kBock);
  EXPECT_NO_THROW(start_special_round(state, rules));
  RuleSet three;
  three.deck = Deck::kShort24;
  three.players = 3;
  EXPECT_THAT(error_of([&] { start_special_round(state, three, SpecialRound::kKreuzbock); }),
              HasSubstr("kreuzbock"));
  EXPECT_THAT(error_of([&] { start_special_round(state, three, SpecialRound::kTeufel); }),
              HasSubstr("long32"));
}

TEST(SpecialRounds, C_20_6_a_round_that_the_rules_refuse_is_impossible) {
  RuleSet rules;
  RoundQueue rounds;
  rounds.mode = static_cast<std::uint16_t>(SpecialRound::kSchieber);
  rounds.games_left = 4;
  EXPECT_EQ(why_impossible(rounds, rules), "");
  rules.deck = Deck::kShort24;
  EXPECT_EQ(why_impossible(rounds, rules), "a special round that these rules do not have");
}

TEST(SpecialRounds, R_081_every_player_pays_three_debts_in_twelve_games) {
  RuleSet rules;
  rules.special_round = SpecialRound::kAllgaeuer;
  SessionState state = begin_session(rules, 0);
  EXPECT_EQ(state.context, first_context(rules));
  enter_deal(state, rules, played_outcome("RUF", 0, {0, 1}, 70));
  enter_deal(state, rules, played_outcome("WENZ_TOUT", 1, {1}, 70));  // pays the Wenz
  enter_deal(state, rules, played_outcome("SOLO", 0, {0}, 50));
  EXPECT_THAT(state.context.owed, ElementsAre(2, 5, 7, 7));
  EXPECT_EQ(state.context.games_left, 9);
  for (const auto& [contract, places] :
       {std::pair{"RUF", "123"}, {"WENZ", "023"}, {"SOLO", "123"}}) {
    for (const char place : std::string(places)) {
      EXPECT_EQ(state.context.mode(), SpecialRound::kAllgaeuer);
      enter_deal(state, rules, played_outcome(contract, place - '0', {place - '0'}, 70));
    }
  }
  EXPECT_EQ(state.context.mode(), SpecialRound::kNone);
  EXPECT_THAT(state.context.owed, ElementsAre(0, 0, 0, 0));
}

TEST(SpecialRounds, R_081_debts_stay_with_the_place_at_a_table_of_five) {
  RuleSet rules;
  rules.players = 5;
  rules.special_round = SpecialRound::kAllgaeuer;
  rules.first_dealer = FirstDealer::kSeat0;
  SessionState state = begin_session(rules, 0);
  EXPECT_EQ(state.context.games_left, 15);
  enter_deal(state, rules, played_outcome("SOLO", 0, {0}, 70));  // seat 0 is place 1
  EXPECT_THAT(state.context.owed, ElementsAre(7, 7, 7, 7));      // place 1 sits out now
  enter_deal(state, rules, played_outcome("SOLO", 0, {0}, 70));  // place 2
  EXPECT_THAT(state.context.owed, ElementsAre(7, 7, 7, 3));      // places 3 4 0 1
  EXPECT_THAT(state.rounds.owed, ElementsAre(7, 3, 3, 7, 7));
}

}  // namespace
}  // namespace schafkopf::test
