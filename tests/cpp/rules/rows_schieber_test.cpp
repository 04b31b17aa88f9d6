// Deals of the Schieber (RULES C.20.6), row by row.
#include "env/deal/deal.h"
#include "env/session/session.h"
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

// two cards: EO and GO are not dealt, the dealer (seat 3) has six cards
const char* const kTwoCards =
    "E7 E8 E9 G7 G8 G9 H7 H8 | HO SO EU GU HU SU HA H10 |"
    " EA E10 EK GA G10 GK HK H9 | S7 S8 S9 SK S10 SA";

Table schieber(const char* deal, const char* variant, int cards, Lines lines = {}) {
  lines.emplace_back("special_round = \"schieber\"");
  lines.push_back(std::string("schieber_variant = \"") + variant + '"');
  lines.push_back("schieber_cards = " + std::to_string(cards));
  return {house(lines), deal, 3};
}

// 000 A1 4.3, OPEN-33: forehand takes the cards up, pushes any two, and everybody pushes two on.
TEST(Schieber, R_075_the_taker_pushes_and_plays_a_solo) {
  Table table = schieber(kTwoCards, "take_or_push", 2);
  EXPECT_EQ(table.now(), "SCHIEBER 0");
  EXPECT_TRUE(legal_is(table, "TAKE_UP PUSH_ON"));
  EXPECT_EQ(table.game().hand(3).count(), 6);
  table.play("TAKE_UP");
  EXPECT_EQ(table.now(), "SCHIEBER_PUSH 0");
  EXPECT_TRUE(legal_is(table, "E7 E8 E9 G7 G8 G9 H7 H8 EO GO")) << "also the high cards";
  table.play("E7");
  EXPECT_TRUE(legal_is(table, "E8 E9 G7 G8 G9 H7 H8 EO GO"));
  table.play("G7");
  EXPECT_EQ(table.now(), "SCHIEBER_PUSH 1");
  EXPECT_TRUE(legal_is(table, "HO SO EU GU HU SU HA H10 E7 G7"));
  table.play("E7 SU");
  EXPECT_EQ(table.now(), "SCHIEBER_PUSH 2");
  EXPECT_TRUE(legal_is(table, "EA E10 EK GA G10 GK HK H9 E7 SU"));
  table.play("H9 E7");
  EXPECT_EQ(table.now(), "NAME_CLASS 0");
  EXPECT_TRUE(legal_is(table, "C_SOLO C_SOLO_TOUT"));
  EXPECT_EQ(table.game().hand(0), parse_cards("EO GO E8 E9 G8 G9 H7 H8"));
  EXPECT_EQ(table.game().hand(1), parse_cards("HO SO EU GU HU HA H10 G7"));
  EXPECT_EQ(table.game().hand(2), parse_cards("EA E10 EK GA G10 GK HK SU"));
  EXPECT_EQ(table.game().hand(3), parse_cards("S7 S8 S9 SK S10 SA H9 E7"));
  table.play("C_SOLO SUIT_H");
  EXPECT_EQ(table.contract(), "SOLO");
  EXPECT_EQ(table.party(), "0");
  EXPECT_EQ(table.now(), "PLAY 0");
}

TEST(Schieber, R_075_the_cards_go_on_until_somebody_takes_them) {
  Table table = schieber(kTwoCards, "take_or_push", 2);
  table.play("PUSH_ON PUSH_ON");
  EXPECT_EQ(table.now(), "SCHIEBER 2");
  EXPECT_TRUE(legal_is(table, "TAKE_UP PUSH_ON"));
  table.play("TAKE_UP GO HK");
  EXPECT_EQ(table.now(), "NAME_CLASS 2") << "the dealer keeps what comes";
  EXPECT_EQ(table.game().hand(0), parse_cards("E7 E8 E9 G7 G8 G9 H7 H8"));
  EXPECT_EQ(table.game().hand(3), parse_cards("S7 S8 S9 SK S10 SA GO HK"));
  table.play("C_SOLO SUIT_E");
  EXPECT_EQ(table.party(), "2");
  EXPECT_EQ(table.now(), "PLAY 0") << "forehand leads";
}

TEST(Schieber, R_075_the_dealer_must_play_when_nobody_takes_them) {
  Table table = schieber(kTwoCards, "take_or_push", 2);
  table.play("PUSH_ON PUSH_ON PUSH_ON");
  EXPECT_EQ(table.now(), "SCHIEBER 3");
  EXPECT_TRUE(legal_is(table, "TAKE_UP"));
  table.play("TAKE_UP");
  EXPECT_EQ(table.now(), "NAME_CLASS 3");
  EXPECT_TRUE(legal_is(table, "C_SOLO C_SOLO_TOUT"));
  EXPECT_EQ(table.game().hand(3), parse_cards("EO GO S7 S8 S9 SK S10 SA"));
}

TEST(Schieber, R_075_the_way_of_the_cards_begins_at_forehand) {
  const char* const deal =
      "EA E10 EK GA G10 GK HK H9 | S7 S8 S9 SK S10 SA |"
      " E7 E8 E9 G7 G8 G9 H7 H8 | HO SO EU GU HU SU HA H10";
  Table table(house({"special_round = \"schieber\""}), deal, 1);
  EXPECT_EQ(table.now(), "SCHIEBER 2");
  table.play("TAKE_UP E7 E8");
  EXPECT_EQ(table.now(), "SCHIEBER_PUSH 3");
  table.play("E7 E8");
  EXPECT_EQ(table.now(), "SCHIEBER_PUSH 0");
  table.play("E7 E8 C_SOLO SUIT_S");
  EXPECT_EQ(table.now(), "PLAY 2");
  EXPECT_EQ(table.game().hand(1), parse_cards("S7 S8 S9 SK S10 SA E7 E8"));
}

// Pushed cards are known to who pushed them and who got them.
TEST(Schieber, R_075_pushed_cards_are_private) {
  Table one = schieber(kTwoCards, "take_or_push", 2), other = one;
  one.play("TAKE_UP E7 G7");
  other.play("TAKE_UP E8 G8");
  EXPECT_FALSE(same_view(one, other, 1));
  EXPECT_TRUE(same_view(one, other, 2));
  EXPECT_TRUE(same_view(one, other, 3));
  EXPECT_EQ(CardSet(one.game().view(0).order.given), parse_cards("E7 G7"));
  EXPECT_EQ(CardSet(one.game().view(1).order.received), parse_cards("E7 G7"));
  // seat 1 pushes his own cards on: seats 2 and 3 cannot tell what he got
  one.play("HU SU");
  other.play("HU SU");
  EXPECT_TRUE(same_view(one, other, 2));
  EXPECT_TRUE(same_view(one, other, 3));
  one.play("HK H9 C_SOLO SUIT_H");
  other.play("HK H9 C_SOLO SUIT_H");
  EXPECT_TRUE(same_view(one, other, 2));
  EXPECT_TRUE(same_view(one, other, 3));
}

// 003: forehand alone takes two cards and commits himself to a Farbsolo.
TEST(Schieber, R_076_forehand_takes_two_cards_and_plays) {
  Table table = schieber(kTwoCards, "forehand_only", 2);
  EXPECT_EQ(table.now(), "SCHIEBER 0");
  EXPECT_TRUE(legal_is(table, "TAKE_UP PUSH_ON"));
  EXPECT_EQ(CardSet(table.game().view(0).cards.hand), parse_cards("E7 E8 E9 G7 G8 G9 H7 H8 EO GO"))
      << "he sees them before he decides";
  table.play("TAKE_UP E7 E8 E7 E8 E7 E8");
  EXPECT_EQ(table.now(), "NAME_CLASS 0") << "the suit is named after pushing";
  EXPECT_TRUE(legal_is(table, "C_SOLO C_SOLO_TOUT"));
  EXPECT_EQ(table.game().hand(0), parse_cards("E9 G7 G8 G9 H7 H8 EO GO"));
  EXPECT_EQ(table.game().hand(3), parse_cards("S7 S8 S9 SK S10 SA E7 E8"));
}

// OPEN-34: declined, the two Ober go to the dealer and the auction is a normal one.
TEST(Schieber, R_076_declined_the_cards_go_to_the_dealer) {
  Table table = schieber(kTwoCards, "forehand_only", 2);
  table.play("PUSH_ON");
  EXPECT_EQ(table.now(), "AUCTION_ROUND 0");
  EXPECT_EQ(table.game().hand(0), parse_cards("E7 E8 E9 G7 G8 G9 H7 H8"));
  EXPECT_EQ(table.game().hand(3), parse_cards("EO GO S7 S8 S9 SK S10 SA"));
  table.play("PLAY PASS PASS PASS");
  EXPECT_TRUE(legal_is(table, "C_RUF C_WENZ C_SOLO C_WENZ_TOUT C_SOLO_TOUT"));
}

// H.4: the Eichel-Ober that came with the declined packet was in no hand that was dealt.
TEST(Schieber, R_076_R_085_the_dealer_holds_the_old_one_of_a_declined_packet) {
  const Lines lines = {"special_round = \"schieber\"", "schieber_variant = \"forehand_only\"",
                       "schieber_cards = 2", "claims_enabled = true"};
  const auto rules = house(lines);
  Table table(rules, kTwoCards, 3);
  table.play("PUSH_ON PLAY PASS PASS PASS C_RUF EA");
  while (table.now() != "PLAY 0") table.play("NO_DOUBLE");
  table.play("CONCEDE_REST");
  SessionState state = begin_session(rules->rules(), 0);
  finish_deal(state, table.game(), rules->rules());
  EXPECT_EQ(state.old_one, 3);
}

// D.2: the Hochzeit belongs to the auction; who took the cards up has ended it.
TEST(Schieber, R_076_hochzeit_only_before_the_normal_auction) {
  const char* const deal =
      "H7 EA E10 EK GA G10 GK S7 | HO SO EU GU HU SU HA H10 |"
      " E7 E8 E9 G7 G8 G9 HK H9 | H8 S8 S9 SK S10 SA";
  Table table = schieber(deal, "forehand_only", 2, {"hochzeit = \"before_auction\""});
  Table taken = table;
  EXPECT_EQ(table.play("PUSH_ON").now(), "HZ_OFFER 0");
  EXPECT_EQ(taken.play("TAKE_UP EO GO EO GO EO GO").now(), "NAME_CLASS 0");
}

// OPEN-10, OPEN-34: a declined packet is the dealer's own, he may give it back in a Hochzeit; the
// offered card not.
TEST(Schieber, R_076_the_dealer_may_return_a_card_of_the_declined_packet) {
  const char* const deal =
      "H7 EA E10 EK GA G10 GK S7 | HO SO EU GU HU SU HA H10 |"
      " E7 E8 E9 G7 G8 G9 HK H9 | H8 S8 S9 SK S10 SA";
  Table table = schieber(deal, "forehand_only", 2, {"hochzeit = \"before_auction\""});
  table.play("PUSH_ON HZ_OFFER_1 HZ_REFUSE HZ_REFUSE HZ_ACCEPT");
  EXPECT_EQ(table.now(), "HZ_RETURN 3");
  EXPECT_TRUE(legal_is(table, "EO GO H8 S8 S9 SK S10 SA"));
  table.play("EO");
  EXPECT_EQ(table.game().hand(0), parse_cards("EO EA E10 EK GA G10 GK S7"));
}

// three cards: EO GO HO, the dealer has five
const char* const kThreeCards =
    "E7 E8 E9 G7 G8 G9 H7 H8 | SO EU GU HU SU HA H10 SA |"
    " EA E10 EK GA G10 GK HK H9 | S7 S8 S9 SK S10";

TEST(Schieber, R_077_with_three_cards_forehand_must_play) {
  Table table = schieber(kThreeCards, "forehand_only", 3);
  EXPECT_EQ(table.now(), "SCHIEBER 0");
  EXPECT_TRUE(legal_is(table, "TAKE_UP"));
  table.play("TAKE_UP");
  EXPECT_EQ(table.now(), "SCHIEBER_PUSH 0");
  EXPECT_EQ(table.game().hand(0), parse_cards("E7 E8 E9 G7 G8 G9 H7 H8 EO GO HO"));
  table.play("E7 E8 E9");
  EXPECT_EQ(table.now(), "SCHIEBER_PUSH 1");
  table.play("E7 E8 E9 E7 E8 E9");
  EXPECT_EQ(table.now(), "NAME_CLASS 0");
  EXPECT_EQ(table.game().hand(3), parse_cards("S7 S8 S9 SK S10 E7 E8 E9"));
}

// 000 A1 4.3 with three cards: take or push.
TEST(Schieber, R_077_three_cards_can_be_pushed_on) {
  Table table = schieber(kThreeCards, "take_or_push", 3);
  EXPECT_TRUE(legal_is(table, "TAKE_UP PUSH_ON"));
  table.play("PUSH_ON TAKE_UP");
  EXPECT_EQ(table.now(), "SCHIEBER_PUSH 1");
  EXPECT_EQ(table.game().hand(1).count(), 11);
  table.play("HO SU SA HO SU SA");
  EXPECT_EQ(table.now(), "NAME_CLASS 1");
  EXPECT_EQ(table.game().hand(3), parse_cards("S7 S8 S9 SK S10 HO SU SA"));
}

// four cards: all Ober, the dealer has four
const char* const kFourCards =
    "E7 E8 E9 G7 G8 G9 H7 H8 | EU GU HU SU HA H10 SA S10 |"
    " EA E10 EK GA G10 GK HK H9 | S7 S8 S9 SK";

// OPEN-76: class SOLO only.
TEST(Schieber, R_078_with_four_cards_the_suit_is_named_before_the_deal) {
  Table table = schieber(kFourCards, "forehand_only", 4);
  EXPECT_EQ(table.now(), "PREDEAL 0");
  EXPECT_TRUE(legal_is(table, "SUIT_E SUIT_G SUIT_H SUIT_S"));
  EXPECT_EQ(CardSet(table.game().view(0).cards.hand), parse_cards("EO GO HO SO"));
  for (int seat = 1; seat < 4; ++seat) {
    EXPECT_EQ(table.game().view(seat).cards.hand, 0u) << "nothing is dealt yet";
  }
  table.play("SUIT_G");
  EXPECT_EQ(table.now(), "SCHIEBER 0");
  EXPECT_TRUE(legal_is(table, "TAKE_UP"));
  table.play("TAKE_UP");
  EXPECT_EQ(table.now(), "SCHIEBER_PUSH 0");
  table.play("E7 E8 H7 H8 E7 E8 H7 H8 E7 E8 H7 H8");
  EXPECT_EQ(table.now(), "PLAY 0") << "nothing more is named";
  EXPECT_EQ(table.contract(), "SOLO");
  EXPECT_EQ(table.game().contract().suit, Suit::kGras);
  EXPECT_EQ(table.party(), "0");
  EXPECT_EQ(table.game().hand(0), parse_cards("EO GO HO SO E9 G7 G8 G9"));
  EXPECT_EQ(table.game().hand(3), parse_cards("S7 S8 S9 SK E7 E8 H7 H8"));
}

// OPEN-76: the suit is named first; forehand lays with the four dealt and the four high cards.
TEST(Schieber, R_078_legen_with_the_high_cards) {
  Table table = schieber(kFourCards, "forehand_only", 4, {"legen = \"free\""});
  table.play("SUIT_S");
  EXPECT_EQ(table.now(), "LEGEN 0");
  EXPECT_EQ(CardSet(table.game().view(0).cards.hand), parse_cards("E7 E8 E9 G7 EO GO HO SO"));
  table.play("NO_LAY");
  EXPECT_EQ(CardSet(table.game().view(1).cards.hand), parse_cards("EU GU HU SU"));
  table.play("NO_LAY NO_LAY LAY");
  EXPECT_EQ(table.now(), "SCHIEBER 0");
  EXPECT_EQ(table.game().num_laid(), 1);
}

TEST(Schieber, R_078_the_short_deck_is_refused) {
  EXPECT_THROW((void)house({"special_round = \"schieber\"", "deck = \"short24\""}),
               std::invalid_argument);
  EXPECT_THROW((void)house({"special_round = \"teufel\"", "deck = \"short24\""}),
               std::invalid_argument);
}

}  // namespace
}  // namespace schafkopf
