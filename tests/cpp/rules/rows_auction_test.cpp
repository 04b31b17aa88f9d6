// Auction, Steigern and the ways out when all pass, row by row (RULES D), in game notation.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "env/game/game.h"
#include "tests/cpp/support/table_notation.h"

namespace schafkopf {
namespace {

using notation::amounts;
using notation::kAllPass;
using notation::kDeal;
using notation::NotedTable;
using notation::payoffs;

const char* const kSingles = "C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT";

// ---- two stages ----

// 000 2.2.1: in turn, beginning with forehand, wherever the dealer sits.
TEST(AuctionRows, R_087_seats_declare_in_turn_from_forehand) {
  NotedTable table({}, kDeal, 1);
  for (const int seat : {2, 3, 0, 1}) {
    EXPECT_EQ(table.asks(), std::to_string(seat) + " AUCTION_ROUND: PASS PLAY");
    table.play(seat == 1 ? "PLAY" : "PASS");
  }
  EXPECT_EQ(table.asks(), "1 NAME_CLASS: " + std::string(kSingles)) << "seat 1 can call no ace";
}

TEST(AuctionRows, R_087_three_players_declare_in_turn) {
  NotedTable table(
      {"deck = \"short24\"", "players = 3"},
      "EO HO EU HA H9 E9 S9 SU | EA E10 EK GA G10 GK GU HU | GO SO H10 HK SA S10 SK G9", 1);
  table.play("2:PASS 0:PASS 1:PLAY");
  EXPECT_EQ(table.asks(), "1 NAME_CLASS: " + std::string(kSingles)) << "no partner games";
}

// D.3: PLAY needs a game that the seat could play; PASS is asked nevertheless.
TEST(AuctionRows, R_087_who_can_play_nothing_can_only_pass) {
  NotedTable table({"contracts = [\"RUF\"]", "tout_enabled = false", "sie_enabled = false"}, kDeal);
  table.play("0:PASS");
  EXPECT_EQ(table.asks(), "1 AUCTION_ROUND: PASS");
  table.play("1:PASS");
  EXPECT_EQ(table.asks(), "2 AUCTION_ROUND: PASS PLAY");
  table.play("2:PLAY");
  EXPECT_EQ(table.asks(), "3 AUCTION_ROUND: PASS") << "who follows is bound to a single game";
}

// 000 A1 2.2
TEST(AuctionRows, R_087_with_renonce_a_blocked_seat_may_play) {
  NotedTable table({"contracts = [\"RUF\"]", "tout_enabled = false", "sie_enabled = false",
                    "renonce = \"announced\""},
                   kDeal);
  table.play("0:PASS");
  EXPECT_EQ(table.asks(), "1 AUCTION_ROUND: PASS PLAY");
  table.play("1:PLAY 2:PASS 3:PASS 1:C_RUF");
  EXPECT_EQ(table.asks(), "1 CALL_CARD: SA");
}

// 000 2.2.2: everybody declares, also after a PLAY, and only then the game is named (OPEN-39).
TEST(AuctionRows, R_088_later_seats_declare_before_a_game_is_named) {
  NotedTable table({}, kDeal);
  table.play("0:PLAY");
  EXPECT_EQ(table.asks(), "1 AUCTION_ROUND: PASS PLAY");
  table.play("1:PASS 2:PASS");
  EXPECT_EQ(table.asks(), "3 AUCTION_ROUND: PASS PLAY");
  table.play("3:PASS");
  EXPECT_EQ(table.asks(), "0 NAME_CLASS: C_RUF " + std::string(kSingles));
  EXPECT_EQ(table.events(2), "0:PLAY 1:PASS 2:PASS 3:PASS");
}

// 000 2.2.3, OPEN-40
TEST(AuctionRows, R_089_good_hands_the_game_on_to_the_next_who_plays) {
  NotedTable table({}, kDeal);
  table.play("0:PLAY 1:PASS 2:PLAY 3:PLAY");
  EXPECT_EQ(table.asks(), "0 AUCTION_RESOLVE: YIELD " + std::string(kSingles));
  table.play("0:YIELD");
  EXPECT_EQ(table.asks(), "2 AUCTION_RESOLVE: YIELD " + std::string(kSingles));
  table.play("2:YIELD");
  EXPECT_EQ(table.asks(), "3 NAME_CLASS: " + std::string(kSingles)) << "no Rufspiel for a follower";
  table.play("3:C_SOLO 3:SUIT_S");
  EXPECT_EQ(table.contract(), "SOLO S by 3");
}

TEST(AuctionRows, R_089_R_091_R_092_a_challenger_needs_a_higher_game) {
  NotedTable table({}, kDeal);
  table.play("0:PLAY 1:PASS 2:PLAY 3:PLAY 0:C_WENZ");
  EXPECT_EQ(table.asks(), "2 AUCTION_RESOLVE: PASS C_SOLO C_WENZ_TOUT C_SOLO_TOUT");
  table.play("2:C_SOLO");
  EXPECT_EQ(table.asks(), "3 AUCTION_RESOLVE: PASS C_WENZ_TOUT C_SOLO_TOUT")
      << "seat 0 has lost, an equal Solo belongs to seat 2";
  table.play("3:PASS");
  EXPECT_EQ(table.asks(), "2 NAME_SUIT: SUIT_E SUIT_G SUIT_H SUIT_S");
  table.play("2:SUIT_G");
  EXPECT_EQ(table.contract(), "SOLO G by 2");
  EXPECT_EQ(table.events(0), "0:PLAY 1:PASS 2:PLAY 3:PLAY 0:C_WENZ 2:C_SOLO 3:PASS 2:SUIT_G");
}

// 000 2.2.2: a named game is neither taken back nor raised.
TEST(AuctionRows, R_090_a_named_game_is_final) {
  NotedTable table({}, kDeal);
  table.play("0:PLAY 1:PASS 2:PASS 3:PLAY 0:C_SOLO 3:PASS");
  EXPECT_EQ(table.asks(), "0 NAME_SUIT: SUIT_E SUIT_G SUIT_H SUIT_S");
  EXPECT_THROW(table.play("C_SOLO_TOUT"), std::invalid_argument);
  table.play("0:SUIT_H");
  EXPECT_EQ(table.contract(), "SOLO H by 0");
  EXPECT_THROW(table.play("SUIT_E"), std::invalid_argument);
}

// 000 2.2.3: Herz has no precedence either.
TEST(AuctionRows, R_091_an_equal_solo_stays_with_the_earlier_seat_in_every_suit) {
  for (const char* suit : {"SUIT_E", "SUIT_G", "SUIT_H", "SUIT_S"}) {
    NotedTable table({"suit_public_when_named = true"}, kDeal);
    table.play("0:PLAY 1:PLAY 2:PASS 3:PASS 0:C_SOLO").play(std::string("0:") + suit);
    EXPECT_EQ(table.asks(), "1 AUCTION_RESOLVE: PASS C_WENZ_TOUT C_SOLO_TOUT") << suit;
  }
}

/// Every class that outbids `holder`, from the weakest in the order of the action table.
std::string outbid(const std::string& contracts, const std::string& holder) {
  NotedTable table({"contracts = [" + contracts + "]"}, kDeal);
  table.play("0:PLAY 1:PLAY 2:PASS 3:PASS 0:" + holder);
  return table.asks();
}

// 000 A1 1.5: Solo > Wenz > Geier > Farbwenz > Farbgeier > Bettel, the Touts above in that order.
TEST(AuctionRows, R_092_R_093_each_official_game_outbids_those_below_it) {
  const std::string contracts =
      "\"RUF\", \"SOLO\", \"WENZ\", \"GEIER\", \"FARBWENZ\", \"FARBGEIER\", \"BETTEL\"";
  const std::vector<std::string> order = {
      "C_BETTEL",         "C_FARBGEIER",     "C_FARBWENZ",   "C_GEIER",     "C_WENZ",     "C_SOLO",
      "C_FARBGEIER_TOUT", "C_FARBWENZ_TOUT", "C_GEIER_TOUT", "C_WENZ_TOUT", "C_SOLO_TOUT"};
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    std::string expected = "1 AUCTION_RESOLVE: PASS";
    for (std::size_t higher = i + 1; higher < order.size(); ++higher) {
      expected += ' ' + order[higher];
    }
    EXPECT_EQ(outbid(contracts, order[i]), expected) << order[i];
  }
  EXPECT_EQ(outbid(contracts, "C_SOLO_TOUT"), "1 AUCTION_RESOLVE: PASS");
}

// 003: Brett and Ramsch-Tout are one row above all simple games, the mixed variant is a Bettel.
TEST(AuctionRows, R_094_negative_games_and_their_open_forms_have_two_rows) {
  const std::string contracts =
      "\"RUF\", \"SOLO\", \"WENZ\", \"BETTEL\", \"BETTEL_MIX\", \"BETTEL_BRETT\", "
      "\"RAMSCH_TOUT\"";
  EXPECT_EQ(outbid(contracts, "C_BETTEL"),
            "1 AUCTION_RESOLVE: PASS C_WENZ C_SOLO C_RAMSCH_TOUT C_BETTEL_BRETT C_WENZ_TOUT "
            "C_SOLO_TOUT");
  EXPECT_EQ(outbid(contracts, "C_BETTEL_MIX"), outbid(contracts, "C_BETTEL"));
  EXPECT_EQ(outbid(contracts, "C_SOLO"),
            "1 AUCTION_RESOLVE: PASS C_RAMSCH_TOUT C_BETTEL_BRETT C_WENZ_TOUT C_SOLO_TOUT");
  EXPECT_EQ(outbid(contracts, "C_RAMSCH_TOUT"), "1 AUCTION_RESOLVE: PASS C_WENZ_TOUT C_SOLO_TOUT");
  EXPECT_EQ(outbid(contracts, "C_BETTEL_BRETT"), outbid(contracts, "C_RAMSCH_TOUT"));
}

// OPEN-26
TEST(AuctionRows, R_094_king_and_ten_games_rank_below_farbgeier) {
  const std::string contracts =
      "\"RUF\", \"SOLO\", \"FARBGEIER\", \"HABICHT\", \"EISENBAHNER\", \"FARBHABICHT\", "
      "\"FARBEISENBAHNER\", \"BETTEL\"";
  const std::string touts =
      " C_FARBEISENBAHNER_TOUT C_FARBHABICHT_TOUT C_EISENBAHNER_TOUT C_HABICHT_TOUT "
      "C_FARBGEIER_TOUT C_SOLO_TOUT";
  EXPECT_EQ(outbid(contracts, "C_BETTEL"),
            "1 AUCTION_RESOLVE: PASS C_FARBEISENBAHNER C_FARBHABICHT C_EISENBAHNER C_HABICHT "
            "C_FARBGEIER C_SOLO" +
                touts);
  EXPECT_EQ(outbid(contracts, "C_EISENBAHNER"),
            "1 AUCTION_RESOLVE: PASS C_HABICHT C_FARBGEIER C_SOLO" + touts);
  EXPECT_EQ(outbid(contracts, "C_FARBHABICHT_TOUT"),
            "1 AUCTION_RESOLVE: PASS C_EISENBAHNER_TOUT C_HABICHT_TOUT C_FARBGEIER_TOUT "
            "C_SOLO_TOUT");
}

const char* const kSieDeal =
    "EO GO HO SO EU GU HU SU | EA E10 EK E9 E8 E7 HA H7 |"
    " GA G10 GK G9 G8 G7 H10 H8 | SA S10 SK S9 S8 S7 HK H9";

// 000 1.3: above everything, with the eight cards only.
TEST(AuctionRows, R_092_sie_outbids_everything_and_needs_its_eight_cards) {
  NotedTable table({}, kSieDeal, 2);
  table.play("3:PLAY 0:PLAY 1:PASS 2:PASS");
  EXPECT_EQ(table.asks(), "3 AUCTION_RESOLVE: YIELD " + std::string(kSingles));
  table.play("3:C_SOLO_TOUT");
  EXPECT_EQ(table.asks(), "0 AUCTION_RESOLVE: PASS C_SIE");
}

// 004: Solo, Wenz and Rufspiel with their Touts; no Sie.
TEST(AuctionRows, R_095_the_tournament_offers_three_games) {
  NotedTable table({}, kDeal, 3, {}, "tournament_2024");
  table.play("0:PLAY 1:PASS 2:PASS 3:PASS");
  EXPECT_EQ(table.asks(), "0 NAME_CLASS: C_RUF " + std::string(kSingles));
  NotedTable eight({}, kSieDeal, 3, {}, "tournament_2024");
  eight.play("0:PLAY 1:PASS 2:PASS 3:PASS");
  EXPECT_EQ(eight.asks(), "0 NAME_CLASS: " + std::string(kSingles));
}

// 002 Praxistipp
TEST(AuctionRows, R_096_R_110_the_suit_stays_private_until_the_game_is_won) {
  NotedTable table({}, kDeal);
  table.play("0:PLAY 1:PASS 2:PLAY 3:PASS 0:C_SOLO 2:PASS");
  EXPECT_EQ(table.events(1), "0:PLAY 1:PASS 2:PLAY 3:PASS 0:C_SOLO 2:PASS");
  EXPECT_EQ(table.game.view(1).cards.trump_suit, 4);
  table.play("0:SUIT_G");
  EXPECT_EQ(table.game.view(1).cards.trump_suit, 1);
}

TEST(AuctionRows, R_096_by_agreement_the_suit_is_named_with_the_class) {
  NotedTable table({"suit_public_when_named = true"}, kDeal);
  table.play("0:PLAY 1:PASS 2:PLAY 3:PASS 0:C_SOLO");
  EXPECT_EQ(table.asks(), "0 NAME_SUIT: SUIT_E SUIT_G SUIT_H SUIT_S");
  table.play("0:SUIT_G");
  EXPECT_EQ(table.asks(), "2 AUCTION_RESOLVE: PASS C_WENZ_TOUT C_SOLO_TOUT");
  EXPECT_EQ(table.events(3), "0:PLAY 1:PASS 2:PLAY 3:PASS 0:C_SOLO 0:SUIT_G");
  NotedTable outbid = table;
  table.play("2:PASS");
  EXPECT_EQ(table.contract(), "SOLO G by 0") << "the suit is not asked for again";
  outbid.play("2:C_SOLO_TOUT 2:SUIT_E");
  EXPECT_EQ(outbid.contract(), "SOLO_TOUT E by 2");
}

// ---- direct ----

const Lines kDirect = {"auction_style = \"direct\""};

// 003, K-246
TEST(AuctionRows, R_097_the_earlier_seat_takes_an_equal_game_back) {
  NotedTable table(kDirect, kDeal);
  EXPECT_EQ(table.asks(), "0 AUCTION_DIRECT: PASS PLAY");
  table.play("0:PLAY");
  EXPECT_EQ(table.asks(), "1 AUCTION_DIRECT: PASS " + std::string(kSingles));
  table.play("1:C_WENZ");
  EXPECT_EQ(table.asks(), "2 AUCTION_DIRECT: PASS C_SOLO C_WENZ_TOUT C_SOLO_TOUT");
  table.play("2:PASS 3:PASS");
  EXPECT_EQ(table.asks(), "0 AUCTION_DIRECT: PASS " + std::string(kSingles));
  table.play("0:C_WENZ");
  EXPECT_EQ(table.asks(), "1 AUCTION_DIRECT: PASS C_SOLO C_WENZ_TOUT C_SOLO_TOUT");
  table.play("1:PASS");
  EXPECT_EQ(table.contract(), "WENZ by 0");
}

TEST(AuctionRows, R_097_who_passed_is_out_and_the_others_go_on_round_the_table) {
  NotedTable table(kDirect, kDeal);
  table.play("0:PASS 1:PLAY 2:C_WENZ 3:C_SOLO");
  EXPECT_EQ(table.asks(), "1 AUCTION_DIRECT: PASS C_SOLO C_WENZ_TOUT C_SOLO_TOUT");
  table.play("1:C_SOLO 2:PASS");
  EXPECT_EQ(table.asks(), "3 AUCTION_DIRECT: PASS C_WENZ_TOUT C_SOLO_TOUT");
  table.play("3:C_WENZ_TOUT 1:C_WENZ_TOUT 3:C_SOLO_TOUT 1:PASS");
  EXPECT_EQ(table.asks(), "3 NAME_SUIT: SUIT_E SUIT_G SUIT_H SUIT_S");
  table.play("3:SUIT_S");
  EXPECT_EQ(table.contract(), "SOLO_TOUT S by 3");
}

TEST(AuctionRows, R_097_an_unnamed_game_is_named_at_the_end) {
  NotedTable table(kDirect, kDeal);
  table.play("0:PLAY 1:PASS 2:PASS 3:PASS");
  EXPECT_EQ(table.asks(), "0 NAME_CLASS: C_RUF " + std::string(kSingles));
  table.play("0:C_RUF");
  EXPECT_EQ(table.asks(), "0 CALL_CARD: EA SA");
  NotedTable none(kDirect, kDeal);
  none.play(kAllPass);
  EXPECT_EQ(none.asks(), "done");
  EXPECT_EQ(none.contract(), "none");
}

// ---- Steigern ----

const Lines kSteigern = {"solo_contest = \"steigern\""};

// 000 A1 1.6.1
TEST(AuctionRows, R_098_the_later_seat_bids_and_the_earlier_one_holds) {
  NotedTable table(kSteigern, kDeal);
  table.play("0:PLAY 1:PASS 2:PLAY 3:PASS");
  EXPECT_EQ(table.asks(), "0 STEIGERN: YIELD HOLD");
  table.play("0:HOLD");
  EXPECT_EQ(table.asks(), "2 STEIGERN: PASS RAISE_70");
  table.play("2:RAISE_70");
  EXPECT_EQ(table.asks(), "0 STEIGERN: YIELD HOLD");
  table.play("0:HOLD");
  EXPECT_EQ(table.asks(), "2 STEIGERN: PASS RAISE_80");
  EXPECT_EQ(table.game.view(1).order.bid, 70);
  table.play("2:PASS");
  EXPECT_EQ(table.asks(), "0 NAME_CLASS: " + std::string(kSingles)) << "no Rufspiel any more";
  table.play("0:C_SOLO 0:SUIT_H");
  EXPECT_EQ(table.contract(), "SOLO H by 0 with 70");
  EXPECT_EQ(table.events(3),
            "0:PLAY 1:PASS 2:PLAY 3:PASS 0:HOLD 2:RAISE_70 0:HOLD 2:PASS 0:C_SOLO 0:SUIT_H");
}

TEST(AuctionRows, R_098_good_leaves_the_game_at_the_price_of_the_bid) {
  NotedTable free(kSteigern, kDeal);
  free.play("0:PLAY 1:PASS 2:PLAY 3:PASS 0:YIELD 2:C_WENZ");
  EXPECT_EQ(free.contract(), "WENZ by 2");
  NotedTable bid(kSteigern, kDeal);
  bid.play("0:PLAY 1:PASS 2:PLAY 3:PASS 0:HOLD 2:RAISE_70 0:HOLD 2:RAISE_80 0:YIELD 2:C_WENZ");
  EXPECT_EQ(bid.contract(), "WENZ by 2 with 80") << "the rank of the game is no matter (OPEN-46)";
  NotedTable kept(kSteigern, kDeal);
  kept.play("0:PLAY 1:PASS 2:PLAY 3:PASS 0:HOLD 2:PASS 0:C_WENZ");
  EXPECT_EQ(kept.contract(), "WENZ by 0");
}

// K-251: nobody can bid more than 120.
TEST(AuctionRows, R_098_who_holds_120_has_won) {
  NotedTable table(kSteigern, kDeal);
  table.play("0:PLAY 1:PASS 2:PLAY 3:PASS 0:HOLD");
  for (const char* bid : {"70", "80", "90", "100", "110", "120"}) {
    EXPECT_EQ(table.asks(), std::string("2 STEIGERN: PASS RAISE_") + bid) << "no jumps (OPEN-45)";
    table.play(std::string("2:RAISE_") + bid + " 0:HOLD");
  }
  table.play("0:C_WENZ");
  EXPECT_EQ(table.contract(), "WENZ by 0 with 120");
}

TEST(AuctionRows, R_098_by_agreement_bids_may_jump) {
  NotedTable table({"solo_contest = \"steigern\"", "steigern_jump = true"}, kDeal);
  table.play("0:PLAY 1:PASS 2:PLAY 3:PASS 0:HOLD");
  EXPECT_EQ(table.asks(),
            "2 STEIGERN: PASS RAISE_70 RAISE_80 RAISE_90 RAISE_100 RAISE_110 RAISE_120");
  table.play("2:RAISE_90 0:HOLD");
  EXPECT_EQ(table.asks(), "2 STEIGERN: PASS RAISE_100 RAISE_110 RAISE_120");
}

// D.5: a bid counts points, a Bettel none.
TEST(AuctionRows, R_098_after_a_bid_points_must_count) {
  const Lines lines = {"solo_contest = \"steigern\"",
                       "contracts = [\"RUF\", \"SOLO\", \"WENZ\", \"BETTEL\"]"};
  NotedTable table(lines, kDeal);
  table.play("0:PLAY 1:PASS 2:PLAY 3:PASS 0:HOLD");
  NotedTable bid = table;
  table.play("2:PASS");
  EXPECT_EQ(table.asks(), "0 NAME_CLASS: C_BETTEL " + std::string(kSingles));
  bid.play("2:RAISE_70 0:YIELD");
  EXPECT_EQ(bid.asks(), "2 NAME_CLASS: " + std::string(kSingles));
}

// 000 A1 1.6.2
TEST(AuctionRows, R_099_the_third_and_fourth_bid_the_next_step) {
  NotedTable table(kSteigern, kDeal);
  table.play("0:PLAY 1:PLAY 2:PLAY 3:PLAY 0:HOLD 1:RAISE_70 0:YIELD");
  EXPECT_EQ(table.asks(), "2 STEIGERN: PASS RAISE_80");
  table.play("2:RAISE_80 1:HOLD");
  EXPECT_EQ(table.asks(), "2 STEIGERN: PASS RAISE_90");
  table.play("2:PASS");
  EXPECT_EQ(table.asks(), "3 STEIGERN: PASS RAISE_90");
  table.play("3:RAISE_90 1:YIELD 3:C_WENZ");
  EXPECT_EQ(table.contract(), "WENZ by 3 with 90");
}

TEST(AuctionRows, R_099_who_took_the_game_over_is_not_asked_again_whether_he_plays_alone) {
  NotedTable table(kSteigern, kDeal);
  table.play("0:PLAY 1:PASS 2:PLAY 3:PLAY 0:YIELD");
  EXPECT_EQ(table.asks(), "3 STEIGERN: PASS RAISE_70");
  table.play("3:PASS 2:C_SOLO 2:SUIT_E");
  EXPECT_EQ(table.contract(), "SOLO E by 2");
  NotedTable second(kSteigern, kDeal);
  second.play("0:PLAY 1:PASS 2:PLAY 3:PLAY 0:HOLD 2:PASS");
  EXPECT_EQ(second.asks(), "3 STEIGERN: PASS RAISE_70") << "nobody has bid yet";
}

/// Settlement of a Solo that seat 2 got for a bid and took `points` with.
Settlement steigern_result(int bid, int points) {
  Outcome outcome;
  outcome.contract.contract = ContractClass::kSolo;
  outcome.contract.declarer = 2;
  outcome.contract.bid = bid;
  outcome.declarer_party = 0b0100;
  outcome.points = {static_cast<std::uint8_t>(kTotalPoints - points), 0,
                    static_cast<std::uint8_t>(points), 0};
  outcome.tricks = {4, 0, 4, 0};
  return settle(outcome, *notation::rules_of(kSteigern));
}

// 000 A1 1.6.3; OPEN-43, OPEN-44
TEST(AuctionRows, R_100_the_declarer_needs_one_point_more_than_the_bid) {
  for (const int bid : {70, 80, 90, 100, 110}) {
    EXPECT_FALSE(steigern_result(bid, bid).won) << bid;
    EXPECT_TRUE(steigern_result(bid, bid + 1).won) << bid;
  }
  EXPECT_FALSE(steigern_result(120, 119).won);
  EXPECT_TRUE(steigern_result(120, 120).won) << "121 cannot be had";
  EXPECT_FALSE(steigern_result(0, 60).won);
  EXPECT_TRUE(steigern_result(0, 61).won);
}

TEST(AuctionRows, R_100_only_who_lost_can_be_schneider) {
  EXPECT_EQ(amounts(steigern_result(100, 95).payoffs), "50 50 -150 50") << "95 against 100";
  EXPECT_EQ(amounts(steigern_result(70, 31).payoffs), "50 50 -150 50");
  EXPECT_EQ(amounts(steigern_result(70, 30).payoffs), "60 60 -180 60");
  EXPECT_EQ(amounts(steigern_result(70, 90).payoffs), "-50 -50 150 -50");
  EXPECT_EQ(amounts(steigern_result(70, 91).payoffs), "-60 -60 180 -60");
}

// ---- all pass ----

/// What an all-passed deal leads to.
NotedTable all_passed(const Lines& lines, const std::string& hands = kDeal) {
  NotedTable table(lines, hands);
  table.play(kAllPass);
  return table;
}

// 000 2.2.4
TEST(AuctionRows, R_101_all_pass_is_thrown_in_for_nothing) {
  const NotedTable table = all_passed({"all_pass = \"throw_in\""});
  EXPECT_EQ(table.asks(), "done");
  EXPECT_EQ(table.contract(), "none");
  EXPECT_TRUE(table.game.outcome().thrown_in);
  EXPECT_EQ(table.game.all_pass(), AllPass::kThrowIn);
  EXPECT_EQ(payoffs(table), "0 0 0 0");
  EXPECT_EQ(amounts(table.game.settlement().stock_payoffs), "0 0 0 0");
}

// 003
TEST(AuctionRows, R_102_all_pass_is_thrown_in_and_remembered_for_the_bock) {
  for (const AllPass rule : {AllPass::kBockGame, AllPass::kBockRound}) {
    const NotedTable table = all_passed(
        {rule == AllPass::kBockGame ? "all_pass = \"bock_game\"" : "all_pass = \"bock_round\""});
    EXPECT_EQ(table.asks(), "done");
    EXPECT_EQ(table.game.all_pass(), rule);
    EXPECT_EQ(payoffs(table), "0 0 0 0");
    EXPECT_EQ(amounts(table.game.settlement().stock_payoffs), "0 0 0 0");
  }
}

// 000 A1 3.2.1
TEST(AuctionRows, R_103_all_pass_puts_one_unit_of_everybody_into_the_stock) {
  const NotedTable table = all_passed({"all_pass = \"stock\""});
  EXPECT_EQ(table.asks(), "done");
  EXPECT_EQ(table.game.all_pass(), AllPass::kStock);
  EXPECT_EQ(payoffs(table), "0 0 0 0");
  EXPECT_EQ(amounts(table.game.settlement().stock_payoffs), "-10 -10 -10 -10");
  NotedTable three(
      {"deck = \"short24\"", "players = 3", "all_pass = \"stock\""},
      "EO HO EU HA H9 E9 S9 SU | EA E10 EK GA G10 GK GU HU | GO SO H10 HK SA S10 SK G9", 2);
  three.play("0:PASS 1:PASS 2:PASS");
  EXPECT_EQ(amounts(three.game.settlement().stock_payoffs), "-10 -10 -10 0");
}

// 000 A1 3.1.1, 3.2.1
TEST(AuctionRows, R_104_the_last_seat_chooses_ramsch_or_stock) {
  NotedTable ramsch({"all_pass = \"last_chooses\""}, kDeal, 1);
  ramsch.play("2:PASS 3:PASS 0:PASS 1:PASS");
  EXPECT_EQ(ramsch.asks(), "1 ALL_PASS_CHOICE: SAY_RAMSCH SAY_STOCK");
  NotedTable stock = ramsch;
  ramsch.play("1:SAY_RAMSCH");
  EXPECT_EQ(ramsch.contract(), "RAMSCH");
  EXPECT_EQ(ramsch.asks(), "2 PLAY: E7 E8 G8 G9 GU GO HU HK");
  stock.play("1:SAY_STOCK");
  EXPECT_EQ(stock.asks(), "done");
  EXPECT_EQ(amounts(stock.game.settlement().stock_payoffs), "-10 -10 -10 -10");
}

TEST(AuctionRows, R_104_the_choice_has_what_was_agreed) {
  NotedTable table = all_passed(
      {"all_pass = \"last_chooses\"", "last_chooses_options = [\"ramsch\", \"throw_in\"]"});
  EXPECT_EQ(table.asks(), "3 ALL_PASS_CHOICE: PASS SAY_RAMSCH");
  table.play("3:PASS");
  EXPECT_EQ(table.asks(), "done");
  EXPECT_EQ(amounts(table.game.settlement().stock_payoffs), "0 0 0 0");
  const NotedTable stock = all_passed(
      {"all_pass = \"last_chooses\"", "last_chooses_options = [\"stock\", \"throw_in\"]"});
  EXPECT_EQ(stock.asks(), "3 ALL_PASS_CHOICE: PASS SAY_STOCK");
}

// 002, 003, 004
TEST(AuctionRows, R_105_all_pass_is_a_ramsch_that_forehand_leads) {
  NotedTable table = all_passed({"all_pass = \"ramsch\""});
  EXPECT_EQ(table.contract(), "RAMSCH");
  EXPECT_EQ(table.asks(), "0 PLAY: E9 EU EO H9 HO HA S8 S9");
  table.play("0:E9");
  EXPECT_EQ(table.asks(), "1 PLAY: EK E10 EA") << "no question of doubling";
}

// 000 A1 3.3
TEST(AuctionRows, R_106_R_145_the_holder_of_the_muss_card_must_play) {
  NotedTable table = all_passed({"all_pass = \"muss_spiel\""});
  EXPECT_EQ(table.asks(), "0 CALL_CARD: EA SA");
  table.play("0:SA");
  EXPECT_EQ(table.contract(), "MUSS SA by 0");
  EXPECT_EQ(table.game.declarer_party(), 0b1001);
  table.play("0:EO");
  EXPECT_EQ(table.asks(), "1 PLAY: H7 SU") << "no Stoss (000 A1 3.3.3)";
  NotedTable other = all_passed({"all_pass = \"muss_spiel\"", "muss_card = \"GO\""});
  EXPECT_EQ(other.asks(), "2 CALL_CARD: EA GA");
  other.play("2:EA");
  EXPECT_EQ(other.contract(), "MUSS EA by 2");
  EXPECT_EQ(other.asks(), "0 PLAY: E9 EU EO H9 HO HA S8 S9") << "forehand leads";
}

// 000 A1 3.3.2, 003: who is blocked goes down the cascade.
TEST(AuctionRows, R_106_a_blocked_holder_calls_down_the_cascade) {
  const std::string hands =
      "EO HU HA EA E9 SA H7 H8 | GA G10 GK G9 G8 G7 GU SO |"
      " E10 EK E8 E7 S10 SK S9 S8 | GO HO EU SU H10 HK H9 S7";
  EXPECT_EQ(all_passed({"all_pass = \"muss_spiel\""}, hands).asks(), "0 CALL_CARD: E10 S10");
  EXPECT_EQ(all_passed({"all_pass = \"muss_spiel\"", "muss_blocked = \"renonce_then_ten\""}, hands)
                .asks(),
            "0 CALL_CARD: GA");
}

TEST(AuctionRows, R_106_by_agreement_the_muss_player_may_play_alone) {
  NotedTable table = all_passed({"all_pass = \"muss_spiel\"", "muss_solo_allowed = true"});
  EXPECT_EQ(table.asks(), "0 NAME_CLASS: C_RUF " + std::string(kSingles));
  NotedTable muss = table;
  table.play("0:C_SOLO 0:SUIT_H 0:EO");
  EXPECT_EQ(table.contract(), "SOLO H by 0");
  EXPECT_EQ(table.asks(), "1 DOUBLE: DOUBLE NO_DOUBLE") << "a single game has its Stoss";
  muss.play("0:C_RUF 0:EA");
  EXPECT_EQ(muss.contract(), "MUSS EA by 0");
}

// 003
TEST(AuctionRows, R_107_all_pass_is_a_kreuzbock_of_opposite_seats) {
  NotedTable table = all_passed({"all_pass = \"kreuzbock\"", "kontra_window = \"off\""});
  EXPECT_EQ(table.contract(), "KREUZ");
  EXPECT_EQ(table.game.declarer_party(), 0b0101) << "Eichel-Ober with seat 0";
  EXPECT_TRUE(table.game.partner_known());
  EXPECT_EQ(table.asks(), "0 PLAY: E9 EU EO H9 HO HA S8 S9");
  NotedTable other({"all_pass = \"kreuzbock\"", "kontra_window = \"off\""}, kDeal, 2);
  other.play("3:PASS 0:PASS 1:PASS 2:PASS");
  EXPECT_EQ(other.asks(), "3 PLAY: G7 H8 H10 S7 SO SK S10 SA");
  EXPECT_EQ(other.game.declarer_party(), 0b0101);
}

// B.2, OPEN-02: three players have no partner games to fall back on.
TEST(AuctionRows, R_101_R_106_R_107_three_players_throw_in_instead_of_a_partner_game) {
  for (const char* rule : {"muss_spiel", "kreuzbock"}) {
    NotedTable three(
        {"deck = \"short24\"", "players = 3", std::string("all_pass = \"") + rule + '"'},
        "EO HO EU HA H9 E9 S9 SU | EA E10 EK GA G10 GK GU HU | GO SO H10 HK SA S10 SK G9", 2);
    three.play("0:PASS 1:PASS 2:PASS");
    EXPECT_EQ(three.asks(), "done") << rule;
    EXPECT_TRUE(three.game.outcome().thrown_in) << rule;
  }
}

// 004 4: none of the resolutions leads back into the auction.
TEST(AuctionRows, R_108_after_all_have_passed_nobody_is_asked_to_play) {
  for (const char* rule : {"throw_in", "bock_game", "bock_round", "stock", "ramsch", "last_chooses",
                           "muss_spiel", "kreuzbock"}) {
    const NotedTable table = all_passed({std::string("all_pass = \"") + rule + '"'});
    EXPECT_FALSE(table.game.legal_actions().contains(kActionPlay)) << rule;
    EXPECT_NE(table.game.phase(), Phase::kAuctionRound) << rule;
    EXPECT_NE(table.game.phase(), Phase::kNameClass) << rule;
  }
}

// ---- actions and information ----

// D.1, typed from the table.
TEST(AuctionRows, R_109_action_numbers_are_those_of_the_table) {
  const std::vector<std::string> names = {"PASS",
                                          "PLAY",
                                          "YIELD",
                                          "HOLD",
                                          "RAISE_70",
                                          "RAISE_80",
                                          "RAISE_90",
                                          "RAISE_100",
                                          "RAISE_110",
                                          "RAISE_120",
                                          "LAY",
                                          "NO_LAY",
                                          "DOUBLE",
                                          "NO_DOUBLE",
                                          "HZ_OFFER_1",
                                          "HZ_OFFER_2",
                                          "HZ_NO_OFFER",
                                          "HZ_ACCEPT",
                                          "HZ_REFUSE",
                                          "SAY_RAMSCH",
                                          "SAY_STOCK",
                                          "JUNGFRAU",
                                          "NO_JUNGFRAU",
                                          "TAKE_UP",
                                          "PUSH_ON",
                                          "CLAIM_REST",
                                          "CONCEDE_REST",
                                          "TARGET_+1",
                                          "TARGET_+2",
                                          "TARGET_+3",
                                          "CLAIM_SCHWARZ",
                                          "CLAIM_NO_SCHWARZ",
                                          "CLAIM_LAUFENDE_0",
                                          "CLAIM_LAUFENDE_1",
                                          "CLAIM_LAUFENDE_2",
                                          "CLAIM_LAUFENDE_3",
                                          "CLAIM_LAUFENDE_4",
                                          "CLAIM_LAUFENDE_5",
                                          "CLAIM_LAUFENDE_6",
                                          "CLAIM_LAUFENDE_7",
                                          "CLAIM_LAUFENDE_8",
                                          "CLAIM_LAUFENDE_9",
                                          "CLAIM_LAUFENDE_10",
                                          "CLAIM_LAUFENDE_11",
                                          "CLAIM_LAUFENDE_12",
                                          "CLAIM_LAUFENDE_13",
                                          "CLAIM_LAUFENDE_14",
                                          "SUIT_E",
                                          "SUIT_G",
                                          "SUIT_H",
                                          "SUIT_S",
                                          "C_RUF",
                                          "C_BETTEL",
                                          "C_BETTEL_MIX",
                                          "C_FARBEISENBAHNER",
                                          "C_FARBHABICHT",
                                          "C_EISENBAHNER",
                                          "C_HABICHT",
                                          "C_FARBGEIER",
                                          "C_FARBWENZ",
                                          "C_GEIER",
                                          "C_WENZ",
                                          "C_SOLO",
                                          "C_RAMSCH_TOUT",
                                          "C_BETTEL_BRETT",
                                          "C_FARBEISENBAHNER_TOUT",
                                          "C_FARBHABICHT_TOUT",
                                          "C_EISENBAHNER_TOUT",
                                          "C_HABICHT_TOUT",
                                          "C_FARBGEIER_TOUT",
                                          "C_FARBWENZ_TOUT",
                                          "C_GEIER_TOUT",
                                          "C_WENZ_TOUT",
                                          "C_SOLO_TOUT",
                                          "C_SIE"};
  ASSERT_EQ(names.size(), 75U);
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(action_name(static_cast<int>(32 + i)), names[i]);
    EXPECT_EQ(parse_action(names[i]), static_cast<Action>(32 + i));
  }
  EXPECT_EQ(action_name(0), "CARD E7");
  EXPECT_EQ(action_name(31), "CARD SA");
}

// D.3: what is public at which moment.
TEST(AuctionRows, R_110_classes_are_public_at_once_and_calls_at_the_end) {
  NotedTable table({}, kDeal);
  table.play("0:PLAY 1:PLAY 2:PASS 3:PASS 0:YIELD");
  EXPECT_EQ(table.events(2), "0:PLAY 1:PLAY 2:PASS 3:PASS 0:YIELD");
  EXPECT_FALSE(table.game.view(2).has_contract());
  NotedTable call({}, kDeal);
  call.play("0:PLAY 1:PASS 2:PASS 3:PASS 0:C_RUF");
  EXPECT_EQ(call.game.view(2).cards.called_card, kNoCard);
  call.play("0:SA");
  EXPECT_EQ(call.game.view(2).cards.called_card, parse_card("SA"));
  EXPECT_EQ(call.game.view(2).declarer(), 2) << "seat 0 seen from seat 2";
  for (const int seat : {0, 1, 2}) {
    EXPECT_EQ(call.game.view(seat).partner(), kNoSeat) << "seat " << seat;
    EXPECT_FALSE(call.game.view(seat).has(kFlagOwnsCalled));
  }
  EXPECT_EQ(call.game.view(3).partner(), 0) << "the owner knows his party";
  EXPECT_TRUE(call.game.view(3).has(kFlagOwnsCalled));
}

// C.2: 000 says "Renonce", 002 does not.
TEST(AuctionRows, R_110_renonce_is_public_only_where_it_is_announced) {
  for (const bool announced : {true, false}) {
    NotedTable table({announced ? "renonce = \"announced\"" : "renonce = \"unannounced\""}, kDeal);
    table.play("0:PASS 1:PLAY 2:PASS 3:PASS 1:C_RUF 1:SA");
    EXPECT_EQ(table.game.view(0).has(kFlagRenonce), announced);
    EXPECT_EQ(table.game.view(0).cards.called_card, parse_card("SA"));
  }
}

// D.1: only the seat that is asked has a mask.
TEST(AuctionRows, R_109_R_110_only_the_seat_that_is_asked_sees_a_mask) {
  NotedTable table({}, kDeal);
  table.play("0:PASS");
  for (int seat = 0; seat < kNumSeats; ++seat) {
    EXPECT_EQ(legal_actions(table.game.view(seat).cards).empty(), seat != 1) << seat;
    EXPECT_EQ(table.game.view(seat).has(kFlagToAct), seat == 1) << seat;
  }
}

}  // namespace
}  // namespace schafkopf
