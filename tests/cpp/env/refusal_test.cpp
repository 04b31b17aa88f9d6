// Why an action is illegal: the parts of a refusal, and their text.
#include "env/game/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "env/vector/vector_env.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

using testing::HasSubstr;

// seat 0 calls EA or SA, seat 1 has the aces E and G, seat 3 owns SA
const char* const kRefusedDeal =
    "EO HO EU HA H9 E9 S9 S8 | EA E10 EK GA G10 GK SU H7 |"
    " GO GU HU HK E8 E7 G9 G8 | SO H10 H8 SA S10 SK S7 G7";

Refusal refusal(const Table& table, const std::string& action) {
  const auto found = refusal_of(table.game(), action_of(action));
  EXPECT_TRUE(found) << action << " is legal";
  return found.value_or(Refusal{});
}

/// "searched R-115"
std::string ground(const Table& table, const std::string& action) {
  const Refusal found = refusal(table, action);
  return std::string(name_of(found.ground)) + ' ' + std::string(found.rule);
}

Table rufspiel(const std::string& plays, std::vector<std::string> switches = {}, int dealer = 3) {
  Table table(house(switches), kRefusedDeal, dealer);
  return table.play(plays);
}

TEST(Refusal, a_legal_action_has_none) {
  const Table table(house(), kRefusedDeal);
  EXPECT_FALSE(refusal_of(table.game(), kActionPass));
  EXPECT_EQ(table.game().why_illegal(kActionPass), "");
}

TEST(Refusal, a_searched_ace_is_named_in_parts_and_in_words) {
  const Table table = rufspiel("PASS PASS PLAY PASS C_RUF SA GO H8 EO H7 S9 SU GU", {}, 1);
  const Refusal found = refusal(table, "S7");
  EXPECT_EQ(found.seat, table.turn());
  EXPECT_EQ(found.phase, Phase::kPlay);
  EXPECT_EQ(found.action, action_of("S7"));
  EXPECT_EQ(found.ground, Ground::kSearched);
  EXPECT_EQ(found.rule, "R-115");
  EXPECT_EQ(to_string(found.cards), "SA");
  EXPECT_EQ(found.legal, table.game().legal_actions());
  EXPECT_EQ(table.game().why_illegal(action_of("S7")), to_string(found));
  EXPECT_THAT(to_string(found), HasSubstr("in phase PLAY: S7: the called card SA is searched, "
                                          "R-115; legal: SA"));
}

TEST(Refusal, every_duty_of_card_play_has_its_ground) {
  Table led = rufspiel("PASS PLAY PASS PASS C_RUF SA", {"runaway_enabled = false"}, 2);
  EXPECT_EQ(ground(led, "S7"), "call_suit R-118");
  EXPECT_EQ(ground(led, "EO"), "not_in_hand E.1");
  led.play("G7");
  EXPECT_EQ(ground(led, "GA"), "not_in_hand E.1");
  led.play("E9 GK");
  EXPECT_EQ(ground(led, "GO"), "follow R-112");
  const Table thrown = rufspiel("PLAY PASS PASS PASS C_RUF SA E9 EA E8");
  EXPECT_EQ(ground(thrown, "SA"), "bound R-116");
  const Table early =
      rufspiel("PLAY PASS PASS PASS C_RUF SA E9 EA E8", {"called_discard_window = 2"});
  EXPECT_EQ(ground(early, "SA"), "bound R-117");
  EXPECT_EQ(ground(early, "CLAIM_REST"), "no_answer E.5");
}

TEST(Refusal, what_is_to_be_followed_is_a_suit_or_trump) {
  const Table suit = rufspiel("PASS PLAY PASS PASS C_RUF SA G7", {}, 2);
  EXPECT_EQ(refusal(suit, "GO").reason, "not in the hand");
  const Table trump = rufspiel("PLAY PASS PASS PASS C_RUF SA EO");
  EXPECT_EQ(refusal(trump, "EA").reason, "trump was led and must be followed");
  const Table plain = rufspiel("PLAY PASS PASS PASS C_RUF SA E9");
  EXPECT_EQ(refusal(plain, "GA").reason, "the led suit must be followed");
}

// A new switch of card play must not be explained by another rule.
TEST(Refusal, the_reason_is_true_of_the_card_under_random_rules) {
  int cards = 0;
  for (int round = 0; round < test::scaled(50, 200, 2000); ++round) {
    const auto seed = static_cast<std::uint64_t>(round);
    const CompiledRules rules(test::random_rules(seed));
    const DealContext context = test::random_context(seed, rules.rules());
    Rng random(seed);
    Game game(rules, deal_for(seed, rules.rules(), 0, context), 0, context);
    for (; !game.is_terminal(); game.apply(test::random_action(game, random))) {
      if (game.phase() != Phase::kPlay) continue;
      const PlayState<std::uint32_t>& play = game.play_state();
      const CardSet hand(play.hand[play.turn]), led(play.led_group), called(play.bound);
      for (const Card card : hand - CardSet(legal_cards(play))) {
        const Refusal found = *refusal_of(game, card);
        const bool follows = play.on_table != 0 && !(hand & led).empty();
        ++cards;
        if (found.ground == Ground::kCallSuit) {
          ASSERT_TRUE(play.on_table == 0 && CardSet(play.call_group).contains(card));
        } else if (found.ground == Ground::kSearched) {
          ASSERT_TRUE(follows && !(hand & called & led).empty());
        } else if (found.ground == Ground::kFollow) {
          ASSERT_TRUE(follows && !led.contains(card));
        } else if (found.ground == Ground::kBound) {
          ASSERT_TRUE(!follows && called.contains(card));
        } else {
          ASSERT_EQ(found.ground, Ground::kHouseRule);
          ASSERT_NE(play.switches & ~kDiscardWindow, 0U) << to_string(found);
        }
      }
    }
  }
  EXPECT_GT(cards, 1000);
}

TEST(Refusal, what_may_not_be_called_has_its_ground) {
  Table table(house(), kRefusedDeal);
  table.play("PLAY PASS PASS PASS C_RUF");
  EXPECT_EQ(ground(table, "E9"), "held R-027");
  EXPECT_EQ(ground(table, "HA"), "held R-027");
  EXPECT_EQ(ground(table, "HK"), "trump R-027");
  EXPECT_EQ(ground(table, "GA"), "no_plain_card R-027");
  EXPECT_EQ(ground(table, "EK"), "other_rank R-027");
  EXPECT_EQ(to_string(refusal(table, "EK").cards), "EA SA");
  EXPECT_EQ(refusal(table, "EK").reason, "only EA or SA may be called now");
  EXPECT_EQ(ground(table, "PASS"), "no_answer C.1");
}

TEST(Refusal, who_must_play_calls_by_rows_of_his_own) {
  for (const auto& [blocked, row] :
       {std::pair("ten_cascade", "R-040"), std::pair("renonce_then_ten", "R-041")}) {
    const std::string switches = std::string("muss_blocked = \"") + blocked + '"';
    Table table(house({"all_pass = \"muss_spiel\"", switches}), kRefusedDeal);
    table.play("PASS PASS PASS PASS");
    ASSERT_EQ(table.now(), "CALL_CARD 0");
    EXPECT_EQ(ground(table, "E9"), std::string("held ") + row);
    EXPECT_EQ(ground(table, "EK"), std::string("other_rank ") + row);
    EXPECT_EQ(ground(table, "PASS"), "no_answer C.4");
  }
}

// C.20.9: a blocked debtor calls by the cascade, by which an ace of his own is no answer.
TEST(Refusal, a_blocked_debtor_calls_by_the_row_of_the_cascade) {
  const auto rules = house({"special_round = \"allgaeuer\""});
  Table table(rules, "EO HU HA EA E9 SA H7 H8 | E10 | S10 |", 3, rules->first_context());
  table.play("PASS PASS PASS PASS C_RUF");
  ASSERT_EQ(table.now(), "CALL_CARD 0");
  EXPECT_EQ(ground(table, "EK"), "other_rank R-040");
  EXPECT_EQ(refusal(table, "EK").reason, "only E10 or S10 may be called now");
}

TEST(Refusal, what_may_not_come_back_in_a_hochzeit_has_its_ground) {
  const char* const one_trump =
      "EO HO EU HA H9 E9 S9 S8 | EA E10 EK GA G10 GK S10 H7 |"
      " GO GU HU HK E8 E7 G9 G8 | SO H10 H8 SA SU SK S7 G7";
  for (const bool non_trump : {false, true}) {
    std::vector<std::string> switches = {"hochzeit = \"before_auction\""};
    if (non_trump) switches.emplace_back("hochzeit_return_nontrump = true");
    Table table(house(switches), one_trump);
    table.play("HZ_OFFER_1 HZ_ACCEPT");
    ASSERT_EQ(table.now(), "HZ_RETURN 0");
    EXPECT_EQ(ground(table, "GA"), "not_in_hand C.3");
    EXPECT_EQ(ground(table, "H7"), non_trump ? "trump_back R-032" : "offered OPEN-10");
    EXPECT_EQ(table.game().legal_actions().contains(action_of("EO")), !non_trump);
  }
}

TEST(Refusal, other_answers_have_the_chapter_of_the_phase) {
  Table table(house(), kRefusedDeal);
  EXPECT_EQ(ground(table, "C_WENZ"), "no_answer D.3");
  EXPECT_EQ(to_string(refusal(table, "EO")),
            "seat 0 in phase AUCTION_ROUND: EO: not legal now, D.3; legal: PASS, PLAY");
  const auto none = refusal_of(table.game(), 128);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->ground, Ground::kNoAction);
  EXPECT_EQ(to_string(*none),
            "seat 0 in phase AUCTION_ROUND: actions are 0..127; legal: PASS, PLAY");
}

// D.6: the last player chooses. C.20.11: only own cards are given away.
TEST(Refusal, questions_beside_auction_and_play_name_their_chapter_too) {
  Table last(house({"all_pass = \"last_chooses\""}), kRefusedDeal);
  last.play("PASS PASS PASS PASS");
  ASSERT_EQ(last.now(), "ALL_PASS_CHOICE 3");
  EXPECT_EQ(ground(last, "PLAY"), "no_answer D.6");
  const auto rules = house({"special_round = \"zupf_solo\""});
  Table zupf(rules, kRefusedDeal, 3, rules->first_context());
  zupf.play("PLAY PASS PASS PASS C_SOLO SUIT_H TARGET_+2");
  ASSERT_EQ(zupf.now(), "ZUPF_GIVE 0");
  EXPECT_EQ(ground(zupf, "EA"), "not_in_hand C.20");
}

TEST(Refusal, nothing_is_legal_when_the_deal_is_over) {
  Table table(house(), kRefusedDeal);
  table.play("PLAY PASS PASS PASS C_RUF EA").play_out();
  const Refusal found = refusal(table, "PASS");
  EXPECT_EQ(found.seat, -1);
  EXPECT_EQ(found.ground, Ground::kOver);
  EXPECT_TRUE(found.legal.empty());
  EXPECT_EQ(to_string(found), "the deal is over; no action is legal");
}

TEST(Refusal, the_game_throws_it) {
  Table table(house(), kRefusedDeal);
  try {
    table.play("C_WENZ");
    FAIL() << "C_WENZ was applied";
  } catch (const IllegalAction& error) {
    EXPECT_EQ(error.what(), table.game().why_illegal(action_of("C_WENZ")));
    EXPECT_EQ(error.refusal().action, action_of("C_WENZ"));
    EXPECT_EQ(error.env(), -1);
  }
}

TEST(Refusal, the_batch_throws_it_with_the_number_of_the_environment) {
  VectorEnvOptions options;
  options.num_envs = 3;
  options.rules = {house()};
  VectorEnv env(options);
  env.reset();
  const std::vector<Action> actions = {kActionPass, kActionPass, kActionDouble};
  try {
    env.step(actions);
    FAIL() << "DOUBLE was applied";
  } catch (const IllegalAction& error) {
    EXPECT_EQ(error.env(), 2);
    EXPECT_EQ(error.refusal().action, kActionDouble);
    EXPECT_EQ(error.refusal().legal, env.game(2).legal_actions());
    EXPECT_THAT(error.what(), HasSubstr("step: env 2, action 44: seat "));
  }
}

// E.5: conceding is legal by the rules; an env without claim_actions does not offer it.
TEST(Refusal, R_125_what_the_rules_allow_and_the_batch_does_not_is_masked) {
  VectorEnvOptions options;
  options.num_envs = 1;
  options.rules = {house({"claims_enabled = true"})};
  VectorEnv env(options);
  env.reset();
  while (env.game(0).phase() != Phase::kPlay) env.step_random();
  ASSERT_TRUE(can(env.game(0), "CONCEDE_REST"));
  try {
    env.step(std::vector<Action>{kActionConcedeRest});
    FAIL() << "CONCEDE_REST was applied";
  } catch (const IllegalAction& error) {
    EXPECT_EQ(error.refusal().ground, Ground::kMasked);
    EXPECT_EQ(error.refusal().action, kActionConcedeRest);
    EXPECT_THAT(error.what(), HasSubstr("masked, claim_actions = false"));
  }
}

}  // namespace
}  // namespace schafkopf
