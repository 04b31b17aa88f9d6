// Announcements by worlds: bids, doublings, and the suit of a solo.
#include "agents/search/pimc.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "agents/maxims/rule_agent.h"
#include "agents/registry.h"
#include "env/deal/deal.h"
#include "tests/cpp/agents/rule_choice.h"
#include "tests/cpp/agents/search_games.h"
#include "tests/cpp/support/table_notation.h"

namespace schafkopf {
namespace {

using search_games::chosen;

TEST(Pimc, bids_and_doubles_by_worlds_only_if_asked) {
  const auto rules = notation::rules_of({"kontra_window = \"before_first_card\""}, "research");
  auto bidder = make_agent("pimc:2,bidding=worlds,kontra=worlds");
  auto plain = make_agent("pimc:2");
  RuleAgent rule_agent;
  int different = 0, asked = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Game game(*rules, random_deal(seed), 3);
    while (!game.is_terminal() && game.phase() != Phase::kPlay) {
      const std::string by_rules = chosen(rule_agent, game);
      EXPECT_EQ(chosen(*plain, game), by_rules);
      const std::string by_worlds = chosen(*bidder, game);
      ASSERT_TRUE(game.legal_actions().contains(*parse_action(by_worlds))) << by_worlds;
      different += by_worlds != by_rules ? 1 : 0;
      ++asked;
      game.apply(*parse_action(by_worlds));
    }
  }
  EXPECT_GT(different, 0);
  EXPECT_LT(different, asked / 2) << "mostly the same opinion";
}

// G.8: a factor on all payoffs changes no opinion.
TEST(Pimc, a_bock_does_not_change_what_it_bids) {
  const auto rules = notation::rules_of(
      {"contracts = [\"WENZ\"]", "tout_enabled = false", "sie_enabled = false"}, "research");
  auto bidder = make_agent("pimc:80,bidding=worlds");
  const char* const hands =
      "EU EA E10 EK EO GA G10 HA|HU SU E7 E8 E9 GU G9 G7|G8 GK GO S9 S8 H7 H8 H9|"
      "HK HO H10 S7 SK SO S10 SA";
  for (int bock = 0; bock < 3; ++bock) {
    DealContext context;
    context.bock = static_cast<std::uint8_t>(bock);
    const Game game(*rules, rule_choice::deal_of(hands), 3, context);
    EXPECT_EQ(chosen(*bidder, game), "PLAY") << bock;
  }
}

// D.3: who has said SOLO names the suit that pays most over the worlds.
TEST(Pimc, R_055_names_the_suit_of_its_solo_by_worlds) {
  auto bidder = make_agent("pimc:4,bidding=worlds");
  const char* const hands = "EO GO HO SO EU GU EA E10|H7 H8 G7 G8 S7 S8 S9 E7|H9 HK|H10 HA";
  for (const char* contract : {"C_SOLO", "C_SOLO_TOUT"}) {
    notation::NotedTable table({}, hands);
    table.play("PLAY PASS PASS PASS").play(contract);
    ASSERT_EQ(table.asks(), "0 NAME_SUIT: SUIT_E SUIT_G SUIT_H SUIT_S");
    EXPECT_EQ(chosen(*bidder, table.game), "SUIT_E") << contract;
  }
}

// Of hands that are no solo the maxims and the worlds do not always name the same suit.
TEST(Pimc, R_055_the_suit_by_worlds_is_not_that_of_the_maxims) {
  auto bidder = make_agent("pimc:6,bidding=worlds");
  RuleAgent rule_agent;
  const auto rules = notation::rules_of({}, "research");
  int different = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Game game(*rules, random_deal(seed), 3);
    for (const char* action : {"PLAY", "PASS", "PASS", "PASS", "C_SOLO"}) {
      game.apply(*parse_action(action));
    }
    const std::string suit = chosen(*bidder, game);
    ASSERT_TRUE(game.legal_actions().contains(*parse_action(suit))) << suit;
    different += suit != chosen(rule_agent, game) ? 1 : 0;
  }
  EXPECT_GT(different, 0);
  EXPECT_LT(different, 20) << "mostly the same opinion";
}

// `pimc:30,bidding=worlds,version=1` is what the full game is measured against (agents/METHODS.md, section 7).
TEST(Pimc, R_055_earlier_versions_leave_the_suit_to_the_maxims) {
  for (const char* version : {"1", "2"}) {
    auto bidder = make_agent(std::string("pimc:6,bidding=worlds,version=") + version);
    RuleAgent rule_agent(0.0, version[0] == '1' ? RuleVersion::kFirst : RuleVersion::kSecond);
    const auto rules = notation::rules_of({}, "research");
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      Game game(*rules, random_deal(seed), 3);
      for (const char* action : {"PLAY", "PASS", "PASS", "PASS", "C_SOLO"}) {
        game.apply(*parse_action(action));
      }
      EXPECT_EQ(chosen(*bidder, game), chosen(rule_agent, game)) << seed;
    }
  }
}

// C.4: who has the Muss card calls down the cascade, where no ace can be called.
TEST(Pimc, R_040_a_game_by_duty_is_tried_with_the_cards_that_duty_may_call) {
  auto bidder = make_agent("pimc:2,bidding=worlds");
  for (const char* solo : {"false", "true"}) {
    const auto rules = notation::rules_of(
        {"all_pass = \"muss_spiel\"", std::string("muss_solo_allowed = ") + solo}, "research");
    int blocked = 0, calls = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
      Game game(*rules, random_deal(seed), 3);
      while (game.phase() == Phase::kAuctionRound) game.apply(kActionPass);
      const int seat = game.current_player();
      if (rules->callable(game.hand(seat).bits()) != 0) continue;
      ++blocked;
      while (game.phase() != Phase::kPlay) {
        const Action answer = *parse_action(chosen(*bidder, game));
        ASSERT_TRUE(game.legal_actions().contains(answer)) << seed << ' ' << action_name(answer);
        game.apply(answer);
      }
      calls += contract_row(game.contract().contract).by_duty ? 1 : 0;
    }
    EXPECT_GT(blocked, 3);
    EXPECT_GT(calls, solo == std::string("true") ? 0 : blocked - 1);
  }
}

// C.14: nobody takes a trick with the lowest cards of every suit.
TEST(Pimc, R_063_a_hand_of_lowest_cards_is_a_bettel) {
  auto bidder = make_agent("pimc:4,bidding=worlds");
  notation::NotedTable table({"contracts = [\"RUF\", \"BETTEL\"]"}, "E7 E8 E9 G7 G8 G9 S7 S8|||");
  EXPECT_EQ(chosen(*bidder, table.game), "PLAY");
  table.play("PLAY PASS PASS PASS");
  EXPECT_EQ(chosen(*bidder, table.game), "C_BETTEL");
}

}  // namespace
}  // namespace schafkopf
