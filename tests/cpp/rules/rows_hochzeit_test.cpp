// Hochzeit in all its forms (RULES C.3, D.2.4), row by row, in game notation.
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

// seat 1 has one trump, the H7
const char* const kOneTrump =
    "EO HO EU HU HA E9 G9 SA | H7 EA E10 EK GA G10 GK S7 |"
    " GO SO GU SU HK E8 G8 S10 | H10 H9 H8 E7 G7 SK S9 S8";
// seats 1 and 3 have one trump each
const char* const kTwoOffers =
    "EO HO EU HU HA H10 E9 G9 | H7 EA E10 EK GA G10 GK S7 |"
    " GO SO GU SU HK H9 E8 G8 | H8 E7 G7 SK S9 S8 SA S10";
// seat 1 has two trumps
const char* const kTwoTrumps =
    "EO HO EU HU HA E9 G9 SA | H7 H8 EA E10 EK GA G10 GK |"
    " GO SO GU SU E8 G8 S10 S7 | H10 HK H9 E7 G7 SK S9 S8";
// seat 0 has eight trumps, seat 1 one
const char* const kEightTrumps =
    "EO HO EU HU HA HK H10 H9 | H7 EA E10 EK GA G10 GK S7 |"
    " GO SO GU E8 G8 S10 E9 G9 | SU H8 E7 G7 SK S9 S8 SA";

Table hochzeit(const char* deal, Lines lines = {}, int dealer = 3) {
  lines.insert(lines.begin(), "hochzeit = \"before_auction\"");
  return {house(lines), deal, dealer};
}
/// The form of 003: the card goes face down, a non-trump comes back.
Table hidden(const char* deal, Lines lines = {}, int dealer = 3) {
  lines.push_back("hochzeit_card_open = false");
  lines.push_back("hochzeit_return_nontrump = true");
  return hochzeit(deal, lines, dealer);
}

// ---- 000 A1 2.1: openly, the first to grab it ----

TEST(Hochzeit, R_031_only_who_has_one_trump_may_offer_it) {
  Table table = hochzeit(kOneTrump);
  EXPECT_EQ(table.now(), "HZ_OFFER 1") << "seat 0 has five trumps and is not asked";
  EXPECT_TRUE(legal_is(table, "HZ_OFFER_1 HZ_NO_OFFER"));
  table.play("HZ_NO_OFFER");
  EXPECT_EQ(table.now(), "AUCTION_ROUND 0");
  EXPECT_EQ(Table(house(), kOneTrump).now(), "AUCTION_ROUND 0") << "hochzeit = off";
}

// OPEN-09: who grabs first = seat order from forehand, the Hochzeiter left out.
TEST(Hochzeit, R_031_the_open_card_goes_to_the_first_who_accepts) {
  Table table = hochzeit(kOneTrump);
  table.play("HZ_OFFER_1");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 0");
  EXPECT_TRUE(legal_is(table, "HZ_ACCEPT HZ_REFUSE"));
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_EQ(events_seen_by(table, seat), "1:HZ_OFFER_1 1:H7") << seat;
  }
  table.play("HZ_REFUSE");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 2");
  table.play("HZ_ACCEPT");
  EXPECT_EQ(table.now(), "HZ_RETURN 2");
}

// OPEN-09 with another forehand: seat 2 deals, seat 3 is asked before seat 0.
TEST(Hochzeit, R_031_the_question_goes_round_from_forehand) {
  Table table = hochzeit(kOneTrump, {}, 2);
  table.play("HZ_OFFER_1");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 3");
  table.play("HZ_REFUSE");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 0");
  table.play("HZ_REFUSE");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 2");
}

// OPEN-10: any card that he held before, not the one he was given. OPEN-11: the auction is over.
TEST(Hochzeit, R_031_one_of_his_cards_comes_back_and_the_game_is_fixed) {
  Table table = hochzeit(kOneTrump);
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT");
  EXPECT_TRUE(legal_is(table, "GO SO GU SU HK E8 G8 S10"));
  table.play("SU");
  EXPECT_EQ(table.now(), "PLAY 0");
  EXPECT_EQ(table.contract(), "HOCHZEIT");
  EXPECT_EQ(table.declarer(), 1);
  EXPECT_EQ(table.party(), "12");
  EXPECT_TRUE(table.game().partner_known());
  EXPECT_EQ(table.game().contract().called, kNoCard);
  EXPECT_EQ(table.game().hand(1), parse_cards("SU EA E10 EK GA G10 GK S7"));
  EXPECT_EQ(table.game().hand(2), parse_cards("GO SO GU H7 HK E8 G8 S10"));
  for (int seat = 0; seat < 4; ++seat) {
    const PlayerView view = table.game().view(seat);
    EXPECT_EQ((seat + view.declarer()) % 4, 1);
    EXPECT_EQ((seat + view.partner()) % 4, 2);
  }
}

TEST(Hochzeit, R_031_the_returned_card_is_known_to_two_seats) {
  Table one = hochzeit(kOneTrump), other = hochzeit(kOneTrump);
  one.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT E8");
  other.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT G8");
  EXPECT_TRUE(same_view(one, other, 0));
  EXPECT_TRUE(same_view(one, other, 3));
  EXPECT_FALSE(same_view(one, other, 1));
  EXPECT_FALSE(same_view(one, other, 2));
  const CardSet h7 = parse_cards("H7"), e8 = parse_cards("E8"), none;
  const CardSet given[] = {none, h7, e8, none}, received[] = {none, e8, h7, none};
  for (int seat = 0; seat < 4; ++seat) {
    const PlayerView view = one.game().view(seat);
    EXPECT_EQ(CardSet(view.order.given), given[seat]);
    EXPECT_EQ(CardSet(view.order.received), received[seat]);
  }
}

// D.1: neither who could have offered nor who refused shows.
TEST(Hochzeit, R_031_what_was_not_offered_and_not_accepted_leaves_no_trace) {
  // seat 1 with and without one trump; what seat 3 holds is the same
  const char* const two =
      "EO HO EU HU HA E9 G9 S7 | H7 HK EA E10 EK GA G10 GK |"
      " GO SO GU SU E8 G8 S10 SA | H10 H9 H8 E7 G7 SK S9 S8";
  Table could = hochzeit(kOneTrump), could_not = hochzeit(two);
  could.play("HZ_NO_OFFER PASS PASS PASS");
  could_not.play("PASS PASS PASS");
  ASSERT_EQ(could.now(), could_not.now());
  EXPECT_TRUE(same_view(could, could_not, 3));
  EXPECT_EQ(events_seen_by(could, 3), "0:PASS 1:PASS 2:PASS");

  // seat 0 refuses, or has no card to return; seats 1 and 3 hold the same
  const char* const seven =
      "EO HO EU HU HA HK H10 E8 | H7 EA E10 EK GA G10 GK S7 |"
      " GO SO GU H9 G8 S10 E9 G9 | SU H8 E7 G7 SK S9 S8 SA";
  Table refused = hidden(seven), cannot = hidden(kEightTrumps);
  refused.play("HZ_OFFER_1 HZ_REFUSE");
  cannot.play("HZ_OFFER_1");
  ASSERT_EQ(refused.now(), "HZ_ACCEPT 2");
  ASSERT_EQ(cannot.now(), "HZ_ACCEPT 2");
  EXPECT_TRUE(same_view(refused, cannot, 1));
  EXPECT_TRUE(same_view(refused, cannot, 3));
}

// 000 A2 1.2: base 20, Schneider and Schwarz 10 each; Laufende as in a Rufspiel.
TEST(Hochzeit, R_031_the_pair_wins_and_loses_together) {
  Table table = hochzeit(kOneTrump, {"claims_enabled = true"});
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT E8 CONCEDE_REST");
  EXPECT_EQ(table.payoffs(), (Payoffs{-40, 40, 40, -40}));
  table = hochzeit(kOneTrump, {"claims_enabled = true"});
  table.play("HZ_OFFER_1 HZ_ACCEPT E9 EO CONCEDE_REST");
  EXPECT_EQ(table.payoffs(), (Payoffs{-40, -40, 40, 40})) << "seats 0 and 1 conceded";
}

TEST(Hochzeit, R_031_the_others_may_give_kontra) {
  Table table = hochzeit(kOneTrump, {"kontra_window = \"before_second_card\""});
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT E8 EO");
  EXPECT_EQ(table.now(), "DOUBLE 3") << "seats 1 and 2 are the declarer party";
  table.play("NO_DOUBLE");
  EXPECT_EQ(table.now(), "DOUBLE 0");
  table.play("DOUBLE");
  EXPECT_EQ(table.now(), "DOUBLE 1");
}

// OPEN-13: a Partnerspiel that the Hochzeiter plays.
TEST(Hochzeit, R_031_the_hochzeiter_wins_the_stock) {
  DealContext context;
  context.stock = 40;
  Table table(house({"hochzeit = \"before_auction\"", "claims_enabled = true"}), kOneTrump, 3,
              context);
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT E8 CONCEDE_REST");
  EXPECT_EQ(table.game().settlement().stock_payoffs, (Payoffs{0, 40, 0, 0}));
}

// D.2: Legen comes first. B.2: three players have no partner games. B.1: the short deck has them.
TEST(Hochzeit, R_031_comes_after_legen_and_needs_four_players) {
  Table table = hochzeit(kOneTrump, {"legen = \"free\""});
  EXPECT_EQ(table.now(), "LEGEN 0");
  table.play("LAY NO_LAY NO_LAY NO_LAY");
  EXPECT_EQ(table.now(), "HZ_OFFER 1");

  const Lines short_deck = {"deck = \"short24\"", "hochzeit = \"before_auction\""};
  table = Table(house(short_deck), "EA E10 EK E9 GA H9 | | |");
  EXPECT_EQ(table.now(), "HZ_OFFER 0");
  Lines three = short_deck;
  three.push_back("players = 3");
  table = Table(house(three), "EA E10 EK E9 GA G10 GK H9 | |", 2);
  EXPECT_EQ(table.now(), "AUCTION_ROUND 0");
}

// The trump of the Hochzeit is that of the partner games.
TEST(Hochzeit, R_031_one_trump_with_the_usa_option) {
  Table table = hochzeit(kOneTrump, {"partner_trump_suit = \"S\""});
  EXPECT_EQ(table.now(), "HZ_OFFER 1") << "S7, not H7";
  table.play("HZ_OFFER_1");
  EXPECT_EQ(events_seen_by(table, 0), "1:HZ_OFFER_1 1:S7");
}

// ---- 003: face down, in turn, a non-trump back ----

TEST(Hochzeit, R_032_a_non_trump_comes_back) {
  Table table = hidden(kOneTrump);
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT");
  EXPECT_TRUE(legal_is(table, "E8 G8 S10"));
  table = hidden(kEightTrumps);
  table.play("HZ_OFFER_1");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 2") << "seat 0 has trumps only";
  table = hochzeit(kEightTrumps);
  table.play("HZ_OFFER_1");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 0") << "without the switch a trump may go back";
}

TEST(Hochzeit, R_032_the_hidden_card_is_seen_by_the_acceptor_only) {
  // the same table with H7 and H8 changed between seats 1 and 3
  const char* const changed =
      "EO HO EU HU HA E9 G9 SA | H8 EA E10 EK GA G10 GK S7 |"
      " GO SO GU SU HK E8 G8 S10 | H10 H9 H7 E7 G7 SK S9 S8";
  Table one = hidden(kOneTrump), other = hidden(changed);
  for (Table* table : {&one, &other}) table->play("HZ_OFFER_1");
  EXPECT_EQ(events_seen_by(one, 3), "1:HZ_OFFER_1");
  EXPECT_TRUE(same_view(one, other, 0));
  EXPECT_TRUE(same_view(one, other, 2));
  for (Table* table : {&one, &other}) table->play("HZ_REFUSE HZ_ACCEPT E8");
  EXPECT_TRUE(same_view(one, other, 0));
  EXPECT_FALSE(same_view(one, other, 2)) << "he took it";
  Table open = hochzeit(kOneTrump), open_changed = hochzeit(changed);
  for (Table* table : {&open, &open_changed}) table->play("HZ_OFFER_1");
  EXPECT_FALSE(same_view(open, open_changed, 0)) << "shown to all";
}

TEST(Hochzeit, R_032_seats_are_asked_in_turn_from_forehand) {
  Table table = hidden(kOneTrump, {}, 1);
  EXPECT_EQ(table.now(), "HZ_OFFER 1") << "the dealer is the last position";
  table.play("HZ_OFFER_1");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 2");
  table.play("HZ_REFUSE");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 3");
  table.play("HZ_ACCEPT");
  EXPECT_TRUE(legal_is(table, "E7 G7 SK S9 S8"));
  table.play("SK");
  EXPECT_EQ(table.party(), "13");
  EXPECT_EQ(table.now(), "PLAY 2");
}

// ---- 003: only when all have passed ----

Table late(const Lines& more = {}) {
  Lines lines = {"hochzeit = \"after_all_pass\""};
  lines.insert(lines.end(), more.begin(), more.end());
  return {house(lines), kOneTrump};
}

TEST(Hochzeit, R_033_after_all_have_passed) {
  Table table = late();
  EXPECT_EQ(table.now(), "AUCTION_ROUND 0");
  table.play("PASS PASS PASS PASS");
  EXPECT_EQ(table.now(), "HZ_OFFER 1");
  table.play("HZ_OFFER_1 HZ_ACCEPT E9");
  EXPECT_EQ(table.contract(), "HOCHZEIT");
  EXPECT_EQ(table.party(), "01");
  EXPECT_EQ(table.now(), "PLAY 0");
}

TEST(Hochzeit, R_033_not_when_somebody_plays) {
  Table table = late();
  table.play("PASS PASS PLAY PASS");
  EXPECT_EQ(table.now(), "NAME_CLASS 2");
}

TEST(Hochzeit, R_033_nobody_takes_it_then_all_have_passed) {
  Table table = late();
  table.play("PASS PASS PASS PASS HZ_OFFER_1 HZ_REFUSE HZ_REFUSE HZ_REFUSE");
  EXPECT_TRUE(table.game().is_terminal());
  EXPECT_EQ(table.payoffs(), (Payoffs{0, 0, 0, 0}));
  table = late({"all_pass = \"ramsch\""});
  table.play("PASS PASS PASS PASS HZ_OFFER_1 HZ_REFUSE HZ_REFUSE HZ_REFUSE");
  EXPECT_EQ(table.contract(), "RAMSCH");
  table = late({"all_pass = \"ramsch\""});
  table.play("PASS PASS PASS PASS HZ_NO_OFFER");
  EXPECT_EQ(table.contract(), "RAMSCH");
}

// ---- 000 A1 2.1.2: nobody accepts ----

TEST(Hochzeit, R_034_refused_by_all_the_card_goes_back_and_the_auction_begins) {
  Table table = hochzeit(kOneTrump);
  const std::string before = table.hand(1);
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_REFUSE HZ_REFUSE");
  EXPECT_EQ(table.now(), "AUCTION_ROUND 0");
  EXPECT_TRUE(legal_is(table, "PASS PLAY"));
  EXPECT_EQ(table.hand(1), before);
  for (int seat = 0; seat < 4; ++seat) {
    EXPECT_EQ(CardSet(table.game().view(seat).order.given), CardSet());
    EXPECT_EQ(events_seen_by(table, seat), "1:HZ_OFFER_1 1:H7") << "it stays known";
  }
  table.play("PLAY PASS PASS PASS");
  EXPECT_TRUE(can(table, "C_RUF"));
  table.play("C_RUF EA");
  EXPECT_EQ(table.contract(), "RUF");
  EXPECT_EQ(table.party(), "01");
}

TEST(Hochzeit, R_034_a_later_seat_may_offer_after_a_refusal) {
  Table table = hochzeit(kTwoOffers);
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_REFUSE HZ_REFUSE");
  EXPECT_EQ(table.now(), "HZ_OFFER 3");
  table.play("HZ_OFFER_1");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 0");
  table.play("HZ_REFUSE HZ_ACCEPT");
  EXPECT_EQ(table.now(), "HZ_RETURN 1");
  table.play("S7");
  EXPECT_EQ(table.declarer(), 3);
  EXPECT_EQ(table.party(), "13");
}

// ---- 003: two cards ----

// OPEN-08: exactly two trumps, both go, two cards come back.
TEST(Hochzeit, R_035_the_bauernhochzeit_changes_two_cards) {
  Table table = hochzeit(kTwoTrumps, {"bauernhochzeit = true"});
  EXPECT_EQ(table.now(), "HZ_OFFER 1");
  EXPECT_TRUE(legal_is(table, "HZ_OFFER_2 HZ_NO_OFFER"));
  table.play("HZ_OFFER_2");
  EXPECT_EQ(events_seen_by(table, 3), "1:HZ_OFFER_2 1:H7 1:H8");
  table.play("HZ_REFUSE HZ_ACCEPT");
  EXPECT_TRUE(legal_is(table, "GO SO GU SU E8 G8 S10 S7"));
  table.play("S10");
  EXPECT_EQ(table.now(), "HZ_RETURN 2");
  EXPECT_TRUE(legal_is(table, "GO SO GU SU E8 G8 S7"));
  table.play("S7");
  EXPECT_EQ(table.now(), "PLAY 0");
  EXPECT_EQ(table.contract(), "HOCHZEIT");
  EXPECT_EQ(table.party(), "12");
  EXPECT_EQ(table.game().hand(1), parse_cards("S10 S7 EA E10 EK GA G10 GK"));
  EXPECT_EQ(table.game().hand(2), parse_cards("GO SO GU SU E8 G8 H7 H8"));
}

TEST(Hochzeit, R_035_two_trumps_need_the_switch_and_one_trump_is_one_card) {
  EXPECT_EQ(hochzeit(kTwoTrumps).now(), "AUCTION_ROUND 0");
  Table table = hochzeit(kOneTrump, {"bauernhochzeit = true"});
  EXPECT_TRUE(legal_is(table, "HZ_OFFER_1 HZ_NO_OFFER"));
}

TEST(Hochzeit, R_035_who_accepts_needs_two_non_trumps) {
  const char* const deal =
      "EO HO EU HU HA HK H9 E9 | H7 H8 EA E10 EK GA G10 GK |"
      " GO SO GU SU E8 G8 S10 S7 | H10 G9 E7 G7 SK S9 S8 SA";
  Table table = hidden(deal, {"bauernhochzeit = true"});
  table.play("HZ_OFFER_2");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 2") << "seat 0 has one non-trump";
  table.play("HZ_ACCEPT");
  EXPECT_TRUE(legal_is(table, "E8 G8 S10 S7"));
  table = hidden(deal);
  EXPECT_EQ(table.now(), "HZ_OFFER 3") << "two trumps: off";
  table.play("HZ_OFFER_1");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 0") << "one card: one non-trump is enough";
}

TEST(Hochzeit, R_035_the_two_returned_cards_are_private) {
  Table one = hidden(kTwoTrumps, {"bauernhochzeit = true"});
  Table other = hidden(kTwoTrumps, {"bauernhochzeit = true"});
  one.play("HZ_OFFER_2 HZ_REFUSE HZ_ACCEPT S10 S7");
  other.play("HZ_OFFER_2 HZ_REFUSE HZ_ACCEPT E8 G8");
  EXPECT_TRUE(same_view(one, other, 0));
  EXPECT_TRUE(same_view(one, other, 3));
  EXPECT_FALSE(same_view(one, other, 1));
}

// ---- 003: a second Hochzeit ----

// OPEN-12: the fourth player may accept the second; the first pair is the declarer party.
TEST(Hochzeit, R_036_a_second_hochzeiter_and_the_fourth_player) {
  Table table = hochzeit(kTwoOffers, {"doppelte_hochzeit = true"});
  table.play("HZ_OFFER_1 HZ_ACCEPT E9");
  EXPECT_EQ(table.now(), "HZ_OFFER 3");
  EXPECT_TRUE(legal_is(table, "HZ_OFFER_1 HZ_NO_OFFER"));
  table.play("HZ_OFFER_1");
  EXPECT_EQ(table.now(), "HZ_ACCEPT 2");
  table.play("HZ_ACCEPT");
  EXPECT_EQ(table.now(), "HZ_RETURN 2");
  EXPECT_TRUE(legal_is(table, "GO SO GU SU HK H9 E8 G8"));
  table.play("G8");
  EXPECT_EQ(table.now(), "PLAY 0");
  EXPECT_EQ(table.declarer(), 1);
  EXPECT_EQ(table.party(), "01");
  EXPECT_EQ(table.game().hand(3), parse_cards("G8 E7 G7 SK S9 S8 SA S10"));
  EXPECT_EQ(table.game().hand(2), parse_cards("GO SO GU SU HK H9 E8 H8"));
}

TEST(Hochzeit, R_036_the_fourth_player_may_refuse) {
  Table table = hochzeit(kTwoOffers, {"doppelte_hochzeit = true"});
  table.play("HZ_OFFER_1 HZ_ACCEPT E9 HZ_OFFER_1 HZ_REFUSE");
  EXPECT_EQ(table.now(), "PLAY 0");
  EXPECT_EQ(table.party(), "01");
  EXPECT_EQ(table.game().hand(3), parse_cards("H8 E7 G7 SK S9 S8 SA S10"));
  table = hochzeit(kTwoOffers);
  table.play("HZ_OFFER_1 HZ_ACCEPT E9");
  EXPECT_EQ(table.now(), "PLAY 0") << "without the switch there is one Hochzeit";
}

// Another player with exactly one trump: no second one with two.
TEST(Hochzeit, R_036_the_second_hochzeit_is_one_card) {
  const char* const deal =
      "EO HO EU HU HA H10 E9 G9 | H7 EA E10 EK GA G10 GK S7 |"
      " GO SO GU SU HK E7 E8 G8 | H8 H9 G7 SK S9 S8 SA S10";
  Table table = hochzeit(deal, {"doppelte_hochzeit = true", "bauernhochzeit = true"});
  table.play("HZ_OFFER_1 HZ_ACCEPT E9");
  EXPECT_EQ(table.now(), "PLAY 0") << "seat 3 has two trumps";
  table = hochzeit(deal, {"doppelte_hochzeit = true", "bauernhochzeit = true"});
  table.play("HZ_NO_OFFER");
  EXPECT_TRUE(legal_is(table, "HZ_OFFER_2 HZ_NO_OFFER")) << "as the first one he may";
}

// 003: the price is that of one Hochzeit.
TEST(Hochzeit, R_036_the_price_does_not_change) {
  Table table = hochzeit(kTwoOffers, {"doppelte_hochzeit = true", "claims_enabled = true"});
  table.play("HZ_OFFER_1 HZ_ACCEPT E9 HZ_OFFER_1 HZ_ACCEPT G8 EO E9 HK CONCEDE_REST");
  EXPECT_EQ(table.payoffs(), (Payoffs{40, 40, -40, -40}));
}

// ---- 003: ranks below all solos ----

// OPEN-11: one round before the exchange; everybody may still enter with a single game.
TEST(Hochzeit, R_037_a_single_game_outbids_an_accepted_hochzeit) {
  Table table = hochzeit(kOneTrump, {"hochzeit_solo_override = true"});
  const std::string before = table.hand(1);
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT");
  EXPECT_EQ(table.now(), "HZ_OVERRIDE 0");
  EXPECT_TRUE(legal_is(table, "PASS PLAY"));
  table.play("PLAY PASS PASS PASS");
  EXPECT_EQ(table.now(), "NAME_CLASS 0");
  EXPECT_TRUE(legal_is(table, "C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT")) << "no Rufspiel";
  table.play("C_SOLO SUIT_H");
  EXPECT_EQ(table.contract(), "SOLO");
  EXPECT_EQ(table.party(), "0");
  EXPECT_EQ(table.hand(1), before) << "the cards stay";
}

TEST(Hochzeit, R_037_two_single_games_are_contested) {
  Table table = hochzeit(kOneTrump, {"hochzeit_solo_override = true"});
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT PLAY PASS PLAY PASS");
  EXPECT_EQ(table.now(), "AUCTION_RESOLVE 0");
  EXPECT_TRUE(legal_is(table, "YIELD C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  table.play("C_WENZ");
  EXPECT_EQ(table.now(), "AUCTION_RESOLVE 2");
  EXPECT_TRUE(legal_is(table, "PASS C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
  table.play("PASS");
  EXPECT_EQ(table.contract(), "WENZ");
}

TEST(Hochzeit, R_037_a_sie_outbids_it_too) {
  Table table = hochzeit("H7 EA E10 EK GA G10 GK S7 | EO GO HO SO EU GU HU SU | |",
                         {"hochzeit_solo_override = true"});
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT PASS PLAY PASS PASS");
  EXPECT_EQ(table.now(), "NAME_CLASS 1");
  EXPECT_TRUE(legal_is(table, "C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT C_SIE"));
}

TEST(Hochzeit, R_037_when_nobody_enters_the_hochzeit_goes_on) {
  Table table = hochzeit(kOneTrump, {"hochzeit_solo_override = true"});
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT PASS PASS PASS PASS");
  EXPECT_EQ(table.now(), "HZ_RETURN 2");
  table = hochzeit(kOneTrump);
  table.play("HZ_OFFER_1 HZ_REFUSE HZ_ACCEPT");
  EXPECT_EQ(table.now(), "HZ_RETURN 2") << "without the switch nobody is asked";
}

}  // namespace
}  // namespace schafkopf
