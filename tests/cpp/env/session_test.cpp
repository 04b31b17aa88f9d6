// Consecutive deals (RULES H, K.12).
#include "env/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "env/base/random.h"
#include "env/deal/dealing.h"
#include "tests/cpp/support/session_helpers.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const CompiledRules> rules_but(std::string_view key, const PlainValue& value) {
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

TEST(Session, K_258_R_011_the_dealer_moves_to_the_left_neighbour) {
  Session session(rules_but("first_dealer", std::string("seat0")), 1);
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
  Session session(rules_but("session_rounds", std::int64_t{2}), 5);
  std::array<std::int64_t, kMaxPlaces> totals{};
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
    Session session(rules_but("thrown_in_counts", counts), 5);
    session.finish(thrown_in(session));
    EXPECT_EQ(session.num_deals(), 1);
    EXPECT_EQ(session.num_thrown_in(), 1);
    EXPECT_EQ(session.state().num_counted, counts ? 1 : 0);
  }
}

TEST(Session, R_017_the_highest_card_of_the_first_deal_s_seed_deals) {
  RuleSet rules;
  rules.first_dealer = FirstDealer::kHighCard;
  std::set<int> dealers;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const CardOrder deck = shuffled_deck(draw(seed, RngStream::kDealer, 0), rules);
    const std::vector<Card> drawn(deck.begin(), deck.begin() + rules.players);
    const int dealer = begin_session(rules, seed).dealer;
    EXPECT_EQ(dealer, first_dealer_by_high_card(drawn, rules)) << seed;
    dealers.insert(dealer);
  }
  EXPECT_EQ(dealers, (std::set<int>{0, 1, 2, 3}));
}

// Misdeals (B.3.6)

TEST(Misdeal, R_018_R_019_R_020_the_same_dealer_deals_other_cards) {
  Session session(rules_named("research"), 3);
  const Game before = session.next_game();
  for (int misdeal = 1; misdeal <= 3; ++misdeal) {
    EXPECT_THAT(session.misdeal(), testing::Each(0));
    const Game again = session.next_game();
    EXPECT_EQ(again.dealer(), before.dealer());
    EXPECT_NE(again.dealt(0), before.dealt(0));
    EXPECT_EQ(session.num_deals(), 0);
    EXPECT_EQ(session.state().num_redeals, misdeal);
  }
  session.finish(played(session));
  EXPECT_EQ(session.dealer(), (before.dealer() + 1) % 4);
}

TEST(Misdeal, R_021_the_second_one_in_a_row_costs_the_dealer_60_and_ends_the_deal) {
  const RuleSet rules = preset("tournament_2024");
  SessionState state = begin_session(rules, 0);
  state.dealer = 2;
  EXPECT_THAT(enter_misdeal(state, rules), testing::Each(0));
  EXPECT_EQ(state.dealer, 2);
  EXPECT_THAT(enter_misdeal(state, rules), ElementsAre(20, 20, -60, 20, 0));
  EXPECT_EQ(state.dealer, 3);
  EXPECT_EQ(state.num_counted, 1);
  EXPECT_THAT(state.totals, ElementsAre(20, 20, -60, 20, 0));
  EXPECT_THAT(enter_misdeal(state, rules), testing::Each(0));  // another dealer begins anew
  enter_deal(state, rules, played_outcome("RUF", 0, {0, 1}, 70));
  state.dealer = 3;
  EXPECT_THAT(enter_misdeal(state, rules), testing::Each(0));  // a good deal lies between them
}

TEST(Misdeal, a_session_with_misdeals_can_stand_between_two_deals) {
  const RuleSet rules = preset("tournament_2024");
  SessionState state = begin_session(rules, 0);
  for (int misdeal = 0; misdeal < 5; ++misdeal) {
    enter_misdeal(state, rules);
    EXPECT_EQ(why_impossible(rules, state), "") << misdeal;
  }
  EXPECT_EQ(state.num_counted, 2);
  state.num_redeals = 1;  // two penalties need two redeals
  EXPECT_EQ(why_impossible(rules, state), "games of the places");
  state.num_redeals = 3;
  state.misdeals = 4;
  EXPECT_EQ(why_impossible(rules, state), "misdeals");
  const RuleSet lenient = rules_named("research")->rules();
  SessionState redealt = begin_session(lenient, 0);
  enter_misdeal(redealt, lenient);
  EXPECT_EQ(why_impossible(lenient, redealt), "");
  redealt.num_deals = redealt.num_counted = 1;  // no penalty ends a deal under these rules
  EXPECT_NE(why_impossible(lenient, redealt), "");
}

// Account (G.7, G.9, H)

TEST(Account, R_103_R_174_the_stock_goes_from_deal_to_deal) {
  RuleSet rules;
  rules.all_pass = AllPass::kStock;
  SessionState state = begin_session(rules, 0);
  enter_deal(state, rules, all_passed(true));
  enter_deal(state, rules, all_passed(true));
  EXPECT_EQ(state.context.stock, 80);
  EXPECT_THAT(state.totals, ElementsAre(-20, -20, -20, -20, 0));
  enter_deal(state, rules, played_outcome("RUF", 0, {0, 2}, 50));
  EXPECT_EQ(state.context.stock, 160);
  enter_deal(state, rules, played_outcome("SOLO", 1, {1}, 70));
  EXPECT_EQ(state.context.stock, 160);
  enter_deal(state, rules, played_outcome("RUF", 3, {0, 3}, 70));
  EXPECT_EQ(state.context.stock, 0);
  EXPECT_THAT(state.totals, ElementsAre(-20 - 90 - 50 + 10, -20 + 10 + 150 - 10, -20 - 10 - 50 - 10,
                                        -20 + 10 - 50 + 170, 0));
}

TEST(Account, OPEN_66_what_is_left_of_the_stock_is_split_at_the_end) {
  RuleSet rules;
  rules.all_pass = AllPass::kStock;
  rules.session_rounds = 1;
  SessionState state = begin_session(rules, 0);
  for (int deal = 0; deal < 4; ++deal) {
    EXPECT_EQ(state.context.stock, 40 * deal);
    enter_deal(state, rules, all_passed(true));
  }
  EXPECT_TRUE(is_over(rules, state));
  EXPECT_EQ(state.context.stock, 0);
  EXPECT_THAT(state.totals, testing::Each(0));
}

TEST(Account, OPEN_66_what_cannot_be_split_goes_to_the_first_places) {
  RuleSet rules;
  rules.session_rounds = 1;
  SessionState state = begin_session(rules, 0);
  state.context.stock = 10;
  state.num_counted = 3;
  Outcome outcome = played_outcome("RAMSCH", -1, {}, 60);
  outcome.points = {30, 30, 30, 30};
  outcome.tricks = {2, 2, 2, 2};
  outcome.forehand = 3;  // nearest to forehand loses: seat 3 (OPEN-18)
  enter_deal(state, rules, outcome);
  EXPECT_THAT(state.totals, ElementsAre(20 + 3, 20 + 3, 20 + 2, -60 + 2, 0));
  EXPECT_EQ(state.context.stock, 0);
}

TEST(Account, R_176_the_reuegeld_lies_in_a_kitty_that_nobody_wins) {
  RuleSet rules;
  rules.reuegeld = 30;
  SessionState state = begin_session(rules, 0);
  enter_deal(state, rules, played_outcome("SOLO", 1, {1}, 50));
  enter_deal(state, rules, played_outcome("RUF", 0, {0, 1}, 50));
  EXPECT_EQ(state.kitty, 60);
  EXPECT_THAT(state.totals, ElementsAre(50 - 10 - 30, -150 - 10 - 30, 50 + 10, 50 + 10, 0));
}

TEST(Account, R_180_the_bonus_is_for_those_who_played_enough_games) {
  RuleSet rules = preset("tournament_2024");
  rules.tariff = named_tariff("5/20 half Laufende");  // amounts in halves
  SessionState state = begin_session(rules, 0);
  state.num_played = {15, 16, 32, 0, 0};
  EXPECT_THAT(participation_bonus(rules, state), ElementsAre(0, 200, 200, 0, 0));
}

TEST(Account, R_180_the_bonus_is_added_after_the_last_game) {
  const RuleSet rules = preset("tournament_2024");
  SessionState state = begin_session(rules, 0);
  for (int deal = 0; deal < 31; ++deal) {
    enter_deal(state, rules, played_outcome("RUF", 0, {0, 1}, deal % 2 == 0 ? 70 : 50));
  }
  EXPECT_THAT(state.totals, ElementsAre(10, 10, -10, -10, 0));
  enter_deal(state, rules, played_outcome("RUF", 0, {0, 1}, 50));
  EXPECT_TRUE(is_over(rules, state));
  EXPECT_THAT(state.totals, ElementsAre(100, 100, 100, 100, 0));
}

// Tables of five and three (B.2)

TEST(Tables, R_007_the_dealer_of_five_sits_out) {
  RuleSet rules;
  rules.players = 5;
  SessionState state = begin_session(rules, 0);
  state.dealer = 3;
  EXPECT_THAT(places_of(rules, 3), ElementsAre(4, 0, 1, 2));
  EXPECT_EQ(dealer_seat(rules, 3), 3);  // the fourth active player has the dealer's part
  enter_deal(state, rules, played_outcome("SOLO", 1, {1}, 70));  // seat 1 = place 0
  EXPECT_THAT(state.totals, ElementsAre(150, -50, -50, 0, -50));
  EXPECT_EQ(state.dealer, 4);
  enter_deal(state, rules, all_passed(true));  // only active players deposit
  EXPECT_THAT(state.totals, ElementsAre(140, -60, -60, -10, -50));
  EXPECT_THAT(state.num_played, ElementsAre(1, 1, 1, 0, 1));
  EXPECT_EQ(session_length(rules), 20);
  EXPECT_EQ(round_position(rules, state), 2);
}

TEST(Tables, R_006_three_players_play_rounds_of_three) {
  RuleSet rules;
  rules.deck = Deck::kShort24;
  rules.players = 3;
  SessionState state = begin_session(rules, 0);
  EXPECT_THAT(places_of(rules, 0), ElementsAre(0, 1, 2, -1));
  EXPECT_EQ(session_length(rules), 12);
  state.dealer = 2;
  enter_deal(state, rules, played_outcome("SOLO", 1, {1}, 70));
  EXPECT_EQ(state.dealer, 0);
  EXPECT_THAT(state.totals, ElementsAre(-50, 100, -50, 0, 0));
}

// Last round (H.4)

TEST(LastRound, R_085_the_last_holder_of_the_old_one_in_a_rufspiel_deals_it) {
  RuleSet rules;
  rules.session_rounds = 2;
  rules.last_round_dealer_old_one = true;
  rules.first_dealer = FirstDealer::kSeat0;
  SessionState state = begin_session(rules, 0);
  const auto enter = [&](const char* contract, int old_one) {
    enter_deal(state, rules, played_outcome(contract, 0, {0}, 70), old_one);
  };
  enter("RUF", 1);
  enter("RUF", 2);
  enter("SOLO", 0);  // not a Rufspiel
  EXPECT_FALSE(in_last_round(rules, state));
  EXPECT_EQ(state.dealer, 3);
  enter("WENZ", 3);
  EXPECT_TRUE(in_last_round(rules, state));
  EXPECT_EQ(state.dealer, 2);
  enter("RUF", 0);
  EXPECT_EQ(state.dealer, 3);  // n deals that start with him
}

TEST(LastRound, OPEN_72_without_a_rufspiel_the_rotation_goes_on) {
  RuleSet rules;
  rules.session_rounds = 2;
  rules.last_round_dealer_old_one = true;
  rules.first_dealer = FirstDealer::kSeat0;
  SessionState state = begin_session(rules, 0);
  for (int deal = 0; deal < 4; ++deal) {
    enter_deal(state, rules, played_outcome("SOLO", 0, {0}, 70), 2);
  }
  EXPECT_EQ(state.dealer, 0);
}

TEST(LastRound, R_085_without_the_switch_the_holder_of_the_old_one_waits_for_his_turn) {
  RuleSet rules;
  rules.session_rounds = 2;
  rules.first_dealer = FirstDealer::kSeat0;
  SessionState state = begin_session(rules, 0);
  for (int deal = 0; deal < 4; ++deal) {
    enter_deal(state, rules, played_outcome("RUF", 0, {0}, 70), 2);
  }
  EXPECT_TRUE(in_last_round(rules, state));
  EXPECT_EQ(state.dealer, 0);
}

TEST(LastRound, R_086_it_counts_double_or_allows_single_games_only) {
  RuleSet rules;
  rules.session_rounds = 2;
  for (const LastRoundMode mode :
       {LastRoundMode::kNormal, LastRoundMode::kDouble, LastRoundMode::kSoliOnly}) {
    rules.last_round_mode = mode;
    SessionState state = begin_session(rules, 0);
    for (int deal = 0; deal < 8; ++deal) {
      const bool last = deal >= 4;
      EXPECT_EQ(state.context.bock, last && mode == LastRoundMode::kDouble ? 1 : 0);
      const bool soli = last && mode == LastRoundMode::kSoliOnly;
      EXPECT_EQ(state.context.mode(), soli ? SpecialRound::kSoliOnly : SpecialRound::kNone);
      EXPECT_EQ(state.context.games_left, soli ? 8 - deal : 0);
      enter_deal(state, rules, played_outcome("SOLO", 0, {0}, 70));
    }
  }
}

// Agreements and records

TEST(Agreements, R_186_everything_that_is_agreed_before_play_is_a_switch) {
  RuleSet rules = preset("course_002");
  // 002 "Vor dem Spielbeginn": tariff, Kontra, all-pass rule, Laufende, Übernahme, variants
  set_field(rules, "tariff", std::string("5/10/15 Solo 20"));
  set_field(rules, "kontra_window", std::string("full_hand"));
  set_field(rules, "all_pass", std::string("ramsch"));
  set_field(rules, "laufende_min_wenz", std::int64_t{3});
  set_field(rules, "max_doublings_partner", std::int64_t{2});
  set_field(rules, "kontra_takeover", true);
  set_field(rules, "contracts", PlainList{"RUF", "SOLO", "WENZ", "GEIER"});
  EXPECT_EQ(settle(played_outcome("RUF", 0, {0, 1}, 70), rules).price, 5);
  EXPECT_NO_THROW(validate(rules));
}

TEST(SessionRecord, a_state_is_rebuilt_from_what_a_record_says) {
  RuleSet rules;
  rules.special_round = SpecialRound::kRamsch;
  rules.special_round_triggers[static_cast<std::size_t>(RoundEvent::kManual)] =
      SpecialRound::kHadsch;
  SessionState state = begin_session(rules, 5);
  state.context.stock = 70;
  enter_deal(state, rules, played_outcome("RAMSCH", -1, {}, 70));
  start_special_round(state, rules);
  const SessionState rebuilt = resume_session(
      rules, state.dealer, state.context,
      std::span(state.rounds.queue).first(state.rounds.num_queued), round_position(rules, state));
  EXPECT_EQ(rebuilt.context, state.context);
  EXPECT_EQ(rebuilt.rounds, state.rounds);
  EXPECT_EQ(rebuilt.dealer, state.dealer);
  EXPECT_THAT(error_of([&] { (void)resume_session(rules, 4, {}); }), HasSubstr("dealer = 4"));
  EXPECT_THAT(error_of([&] { (void)resume_session(rules, 0, {.special_round = 77}); }),
              HasSubstr("special_round = 77"));
  EXPECT_THAT(error_of([&] { (void)resume_session(rules, 0, {}, {}, 4); }),
              HasSubstr("round_position = 4"));
}

TEST(SessionRecord, visiting_a_state_reaches_every_number) {
  SessionState state;
  int next = 0;
  visit_session(state, [&](auto& value) {
    value = static_cast<std::remove_reference_t<decltype(value)>>(++next);
  });
  std::vector<std::int64_t> values;
  visit_session(std::as_const(state), [&](const auto& value) { values.emplace_back(value); });
  SessionState copy;
  std::size_t at = 0;
  visit_session(copy, [&](auto& value) {
    value = static_cast<std::remove_reference_t<decltype(value)>>(values[at++]);
  });
  EXPECT_EQ(copy, state);
  // every number got another value, and no byte but the two reserved ones belongs to none
  std::size_t bytes = 2;
  visit_session(state, [&](const auto& value) { bytes += sizeof(value); });
  EXPECT_EQ(bytes, sizeof(SessionState));
}

TEST(Session, only_the_finished_deal_of_the_session_is_entered) {
  Session session(rules_named("research"), 5);
  EXPECT_THAT(error_of([&] { session.finish(session.next_game()); }), HasSubstr("not over"));
  const Session other(rules_named("research"), 6);
  EXPECT_THAT(error_of([&] { session.finish(played(other)); }), HasSubstr("not deal 0"));
  EXPECT_EQ(session.num_deals(), 0);
}

TEST(Session, a_deal_of_the_session_whose_contract_was_given_is_not_entered) {
  Session session(rules_named("research"), 5);
  const Game next = session.next_game();
  Deal deal;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const auto s = static_cast<std::size_t>(seat);
    deal.first[s] = next.first_half(seat);
    deal.second[s] = next.dealt(seat) - next.first_half(seat);
  }
  const Contract solo{.contract = ContractClass::kSolo, .suit = Suit::kHerz, .declarer = 0};
  Game given = Game::with_contract(session.rules(), deal, next.dealer(), solo, next.context());
  while (!given.is_terminal()) given.apply(without_claims(given.legal_actions()).lowest());
  EXPECT_THAT(error_of([&] { session.finish(given); }),
              HasSubstr("how its contract came, allowed: those of next_game()"));
  EXPECT_EQ(session.num_deals(), 0);
}

TEST(Session, a_state_that_no_session_has_is_refused_with_what_is_allowed) {
  SessionState state;
  state.dealer = 99;
  EXPECT_EQ(error_of([&] { Session(rules_named("research"), 5, state); }),
            "session: no session of these rules can stand here: the dealer; allowed: the state of "
            "one, or of begin_session");
}

}  // namespace
}  // namespace schafkopf::test
