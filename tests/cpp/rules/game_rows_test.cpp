// Auction, play and doubling of a Rufspiel table row by row (RULES D, E, F), in game notation.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "env/game/game.h"
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

/// official_1989 without claims, and what the lines of a rule file change.
std::shared_ptr<const CompiledRules> rules_with(const Lines& lines = {}) {
  std::string text = "preset = \"official_1989\"\nclaims_enabled = false\n";
  for (const std::string& line : lines) text += line + '\n';
  return std::make_shared<const CompiledRules>(parse_rules(text, "test.toml"), "test");
}

// seat 0 can call SA, which seat 3 holds; seat 3 deals, seat 0 leads
const char* const kDealtHands =
    "EO HO EU HA H9 E9 S9 S8 | EA E10 EK GA G10 GK SU H7 |"
    " GO GU HU HK E8 E7 G9 G8 | SO H10 H8 SA S10 SK S7 G7";
const char* const kRufspiel = "PLAY PASS PASS PASS C_RUF SA";

Game game_of(const CompiledRules& rules, const std::string& actions = "") {
  Game game(rules, deal_text(rules, kDealtHands, 3, {}), 3);
  play(game, actions);
  return game;
}

// ---- table and auction ----

TEST(Table, R_005_four_players_hold_eight_cards_each) {
  const auto rules = rules_with();
  const Game game = game_of(*rules);
  EXPECT_EQ(game.seats(), 4);
  for (int seat = 0; seat < 4; ++seat) EXPECT_EQ(game.hand(seat).count(), 8);
}

// 003: only with the extension that the sources do not define.
TEST(Table, R_008_two_players_are_refused) {
  try {
    (void)rules_with({"players = 2"});
    FAIL() << "two players were accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("test.toml:3: players = 2, allowed: 3, 4, 5"),
              std::string::npos)
        << error.what();
  }
}

// 000 2.2.2
TEST(Auction, R_090_who_plays_cannot_take_it_back) {
  const auto rules = rules_with();
  Game game = game_of(*rules, "PLAY PASS PASS PASS");
  EXPECT_FALSE(can(game, "PASS"));
  game = game_of(*rules, "PLAY PASS PLAY PASS C_WENZ PASS");
  EXPECT_EQ(game.contract().contract, parse_contract("WENZ").row->contract);
  EXPECT_EQ(game.phase(), Phase::kPlay);
}

// 002 Praxistipp
TEST(Auction, R_096_the_suit_is_named_after_winning) {
  const auto late = rules_with();
  Game game = game_of(*late, "PLAY PASS PLAY PASS C_SOLO");
  EXPECT_EQ(game.phase(), Phase::kAuctionResolve);
  EXPECT_EQ(game.current_player(), 2);
  play(game, "PASS");
  EXPECT_EQ(game.phase(), Phase::kNameSuit);
  const auto at_once = rules_with({"suit_public_when_named = true"});
  game = game_of(*at_once, "PLAY PASS PLAY PASS C_SOLO");
  EXPECT_EQ(game.phase(), Phase::kNameSuit);
  EXPECT_EQ(game.current_player(), 0);
}

// 000 1.4.2
TEST(Auction, R_055_every_suit_can_be_named_for_a_solo) {
  const auto rules = rules_with();
  const Game game = game_of(*rules, "PLAY PASS PASS PASS C_SOLO");
  EXPECT_EQ(game.hand(0) & parse_cards("GA G10 GK G9 G8 G7"), CardSet());
  for (const char* suit : {"SUIT_E", "SUIT_G", "SUIT_H", "SUIT_S"}) EXPECT_TRUE(can(game, suit));
}

// 004 4
TEST(Auction, R_108_nothing_is_negotiated_after_all_have_passed) {
  const auto rules = rules_with({"all_pass = \"ramsch\""});
  const Game game = game_of(*rules, "PASS PASS PASS PASS");
  EXPECT_EQ(game.phase(), Phase::kPlay);
  EXPECT_EQ(game.legal_actions().count(), game.hand(0).count()) << "cards and nothing else";
  const auto thrown = rules_with();
  EXPECT_TRUE(game_of(*thrown, "PASS PASS PASS PASS").is_terminal());
}

// ---- play ----

// 000 3.1.1
TEST(Play, R_111_forehand_leads_then_the_winner_and_a_played_card_lies) {
  const auto rules = rules_with({"kontra_window = \"off\""});
  Game game = game_of(*rules, kRufspiel);
  EXPECT_EQ(game.current_player(), 0);
  play(game, "H9");
  EXPECT_NE(game.why_illegal(parse_action("H9").value()), "");
  EXPECT_THROW(play(game, "H9"), std::invalid_argument);
  play(game, "H7 GO H8");
  EXPECT_EQ(game.current_player(), 2);
  play(game, "E7");
  EXPECT_EQ(game.current_player(), 3);
}

// 000 3.3.2-4: tricks stay with the seat that won them, in the order in which they were played.
TEST(Play, R_123_R_124_tricks_can_be_looked_up) {
  const auto rules = rules_with({"kontra_window = \"off\""});
  Game game = game_of(*rules, kRufspiel);
  play(game, "H9 H7 GO H8 E7 G7 E9 EA");
  EXPECT_EQ(game.captured(2), parse_cards("H9 H7 GO H8"));
  EXPECT_EQ(game.captured(1), parse_cards("E7 G7 E9 EA"));
  EXPECT_EQ(game.captured(0), CardSet());
  const std::vector<std::string> first = {"H9", "H7", "GO", "H8"};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(card_name(game.played_card(i)), first[static_cast<std::size_t>(i)]);
    EXPECT_EQ(game.played_by(i), i);
  }
  EXPECT_EQ(game.view(0).order.num_plays, 8);
}

// ---- doubling ----

// 002, 003
TEST(Doubling, R_136_kontra_before_the_first_card) {
  const auto rules = rules_with({"kontra_window = \"before_first_card\""});
  Game game = game_of(*rules, kRufspiel);
  EXPECT_EQ(game.phase(), Phase::kDouble);
  EXPECT_EQ(game.num_plays(), 0);
  EXPECT_EQ(game.current_player(), 1);
  play(game, "NO_DOUBLE NO_DOUBLE EO");
  EXPECT_EQ(game.phase(), Phase::kPlay) << "the window is closed after the first card";
}

// 002, 003: the doubler still holds his eight cards.
TEST(Doubling, R_137_kontra_with_eight_cards) {
  const auto rules = rules_with({"kontra_window = \"full_hand\""});
  Game game = game_of(*rules, kRufspiel);
  EXPECT_EQ(game.phase(), Phase::kPlay) << "the declarer has nothing to double";
  play(game, "EO");
  EXPECT_EQ(game.current_player(), 1);
  EXPECT_EQ(game.phase(), Phase::kDouble);
  play(game, "NO_DOUBLE H7");
  EXPECT_EQ(game.current_player(), 2);
  EXPECT_EQ(game.phase(), Phase::kDouble);
  play(game, "DOUBLE NO_DOUBLE NO_DOUBLE HU H8");
  EXPECT_EQ(game.doubling_level(), 1);
  EXPECT_EQ(game.phase(), Phase::kPlay);
}

/// Doublings that are possible one after the other before the second card.
int longest_chain(const CompiledRules& rules, const std::string& contract) {
  Game game = game_of(rules, contract + " EO");
  while (game.phase() == Phase::kDouble) play(game, can(game, "DOUBLE") ? "DOUBLE" : "NO_DOUBLE");
  return game.doubling_level();
}

// 000 4.2.3-4
TEST(Doubling, R_139_stoss_re_supra_resupra) {
  const auto rules = rules_with();
  EXPECT_EQ(longest_chain(*rules, kRufspiel), 4);
  EXPECT_EQ(rules->rules().doubling_names[2], "Supra");
  EXPECT_EQ(rules->rules().doubling_names[3], "Resupra");
}

// 000 A2 4.5
TEST(Doubling, R_140_hirsch_and_bock_by_agreement) {
  const auto rules = rules_with({"max_doublings_partner = 6"});
  EXPECT_EQ(longest_chain(*rules, kRufspiel), 6);
  EXPECT_EQ(rules->rules().doubling_names[5], "Bock");
}

// 000 4.2.5: two on each side.
TEST(Doubling, R_141_single_games_have_two_doublings_on_each_side) {
  const auto rules = rules_with({"max_doublings_partner = 8"});
  const std::string solo = "PLAY PASS PASS PASS C_SOLO SUIT_H";
  EXPECT_EQ(longest_chain(*rules, solo), 4);
  Game game = game_of(*rules, solo + " EO DOUBLE DOUBLE");
  EXPECT_NE(game.current_player(), 0) << "the soloist does not answer himself";
}

// 004 4
TEST(Doubling, R_142_the_tournament_has_one_contra_and_one_retour) {
  const RuleSet tournament = preset("tournament_2024");
  const CompiledRules rules(tournament, "tournament_2024");
  EXPECT_EQ(longest_chain(rules, kRufspiel), 2);
  EXPECT_EQ(longest_chain(rules, "PLAY PASS PASS PASS C_SOLO SUIT_H"), 2);
}

}  // namespace
}  // namespace schafkopf
