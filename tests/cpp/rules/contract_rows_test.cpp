// Trumps, card order and duties of every contract (RULES C, E), in game notation.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "env/cards/contract.h"
#include "env/game/game.h"

namespace schafkopf {
namespace {

std::vector<Card> card_list(const std::string& text) {
  std::vector<Card> cards;
  std::stringstream words(text);
  for (std::string word; words >> word;) cards.push_back(parse_card(word).value());
  return cards;
}

ContractClass class_of(const std::string& name) { return parse_contract(name).row->contract; }

struct Ordered {
  std::string contract;
  Suit suit = Suit::kHerz;
  RuleSet rules = {};
};

int winner(const std::string& trick, const Ordered& order) {
  return trick_winner(card_list(trick), class_of(order.contract), order.suit, order.rules);
}

/// Each card beats the next one, whichever of the two is led.
void expect_falling(const std::string& cards, const Ordered& order) {
  const std::vector<Card> list = card_list(cards);
  for (std::size_t i = 0; i + 1 < list.size(); ++i) {
    const std::string high = card_name(list[i]), low = card_name(list[i + 1]);
    EXPECT_EQ(winner(high + " " + low, order), 0) << order.contract << ": " << high << ", " << low;
    EXPECT_EQ(winner(low + " " + high, order), 1) << order.contract << ": " << low << ", " << high;
  }
}

/// The trumps, strongest first, and no other card: the last one beats the best plain card led.
void expect_trumps(const std::string& trumps, const std::string& plain_cards,
                   const Ordered& order) {
  expect_falling(trumps, order);
  const std::string last = card_name(card_list(trumps).back());
  for (const Card plain : card_list(plain_cards)) {
    EXPECT_EQ(winner(card_name(plain) + " " + last, order), 1) << order.contract;
    EXPECT_EQ(winner(last + " " + card_name(plain), order), 0) << order.contract;
  }
  const ContractRow& row = contract_row(class_of(order.contract));
  EXPECT_EQ(static_cast<std::size_t>(row.num_trumps), card_list(trumps).size()) << order.contract;
}

std::string legal_cards(const std::string& hand, const std::string& trick, const Ordered& order,
                        const std::string& called = "", bool released = false) {
  return to_string(legal(parse_cards(hand), card_list(trick), class_of(order.contract), order.suit,
                         called.empty() ? kNoCard : parse_card(called).value(), released,
                         order.rules));
}

const std::string kPictures = "EO GO HO SO EU GU HU SU ";

// ---- trumps and order ----

TEST(Cards, R_023_there_are_no_sixes) {
  for (const char* six : {"E6", "G6", "H6", "S6"}) EXPECT_FALSE(parse_card(six)) << six;
  EXPECT_EQ(CardSet::all().count(), 32);
}

// 000 1.3-1.4
TEST(Trumps, R_025_rufspiel_has_ober_unter_and_herz) {
  expect_trumps(kPictures + "HA H10 HK H9 H8 H7", "EA GA SA", {"RUF"});
  for (const std::string suit : {"E", "G", "S"}) {
    expect_falling(
        suit + "A " + suit + "10 " + suit + "K " + suit + "9 " + suit + "8 " + suit + "7", {"RUF"});
  }
}

// 001 1.4.2
TEST(Trumps, R_026_usa_option_makes_schellen_trump_and_herz_plain) {
  Ordered order{"RUF"};
  order.rules.partner_trump_suit = Suit::kSchellen;
  expect_trumps(kPictures + "SA S10 SK S9 S8 S7", "EA GA HA", order);
  EXPECT_EQ(to_string(callable_cards(parse_cards("H9 S9 E9 EA"), order.rules)), "HA");
}

TEST(Trumps, R_055_solo_adds_the_named_suit) {
  expect_trumps(kPictures + "SA S10 SK S9 S8 S7", "EA GA HA", {"SOLO", Suit::kSchellen});
  expect_trumps(kPictures + "EA E10 EK E9 E8 E7", "GA HA SA", {"SOLO", Suit::kEichel});
  expect_falling("HA H10 HK H9 H8 H7", {"SOLO", Suit::kGras});
}

TEST(Trumps, R_057_wenz_has_the_unter_and_the_ober_stands_below_the_king) {
  expect_trumps("EU GU HU SU", "EA GA HA SA", {"WENZ"});
  expect_falling("HA H10 HK HO H9 H8 H7", {"WENZ"});
}

TEST(Trumps, R_058_geier_has_the_ober_and_the_unter_stands_below_the_king) {
  expect_trumps("EO GO HO SO", "EA GA HA SA", {"GEIER"});
  expect_falling("SA S10 SK SU S9 S8 S7", {"GEIER"});
}

TEST(Trumps, R_059_farbwenz) {
  expect_trumps("EU GU HU SU GA G10 GK GO G9 G8 G7", "EA HA SA", {"FARBWENZ", Suit::kGras});
  expect_falling("EA E10 EK EO E9 E8 E7", {"FARBWENZ", Suit::kGras});
}

TEST(Trumps, R_060_farbgeier) {
  expect_trumps("EO GO HO SO EA E10 EK EU E9 E8 E7", "GA HA SA", {"FARBGEIER", Suit::kEichel});
  expect_falling("GA G10 GK GU G9 G8 G7", {"FARBGEIER", Suit::kEichel});
}

// OPEN-24
TEST(Trumps, R_061_habicht_has_the_kings) {
  expect_trumps("EK GK HK SK", "EA GA HA SA", {"HABICHT"});
  expect_falling("HA H10 HO HU H9 H8 H7", {"HABICHT"});
  expect_trumps("EK GK HK SK SA S10 SO SU S9 S8 S7", "EA GA HA", {"FARBHABICHT", Suit::kSchellen});
}

// OPEN-25
TEST(Trumps, R_062_eisenbahner_has_the_tens) {
  expect_trumps("E10 G10 H10 S10", "EA GA HA SA", {"EISENBAHNER"});
  expect_falling("HA HK HO HU H9 H8 H7", {"EISENBAHNER"});
  expect_trumps("E10 G10 H10 S10 HA HK HO HU H9 H8 H7", "EA GA SA",
                {"FARBEISENBAHNER", Suit::kHerz});
}

// 000 A1 1.4
TEST(Trumps, R_063_bettel_has_no_trumps_and_the_ten_below_the_unter) {
  for (const std::string contract : {"BETTEL", "BETTEL_BRETT"}) {
    EXPECT_EQ(contract_row(class_of(contract)).num_trumps, 0);
    for (const std::string suit : {"E", "G", "H", "S"}) {
      expect_falling(suit + "A " + suit + "K " + suit + "O " + suit + "U " + suit + "10 " + suit +
                         "9 " + suit + "8 " + suit + "7",
                     {contract});
    }
    EXPECT_EQ(winner("H7 EA GA SA", {contract}), 0);
  }
}

TEST(Trumps, R_065_ramsch_tout_has_the_trumps_of_the_rufspiel) {
  expect_trumps(kPictures + "HA H10 HK H9 H8 H7", "EA GA SA", {"RAMSCH_TOUT"});
}

TEST(Trumps, R_066_mixed_bettel_has_ober_and_unter_only) {
  expect_trumps("EO GO HO SO EU GU HU SU", "EA GA HA SA", {"BETTEL_MIX"});
  expect_falling("HA H10 HK H9 H8 H7", {"BETTEL_MIX"});
}

TEST(Trumps, R_044_ramsch_has_the_trumps_of_the_rufspiel) {
  expect_trumps(kPictures + "HA H10 HK H9 H8 H7", "EA GA SA", {"RAMSCH"});
}

// 002
TEST(Trumps, R_052_ramsch_without_herz_trump) {
  Ordered order{"RAMSCH"};
  order.rules.ramsch_trumps = RamschTrumps::kNoHerz;
  expect_falling(kPictures, order);
  expect_falling("HA H10 HK H9 H8 H7", order);
  EXPECT_EQ(winner("EA H7 HA GA", order), 0);
  EXPECT_EQ(legal_cards("HA H7 EU", "EO", order), "EU");
}

// ---- tricks and duties ----

// 000 3.2.3
TEST(Trick, R_114_the_highest_trump_or_else_the_highest_card_of_the_led_suit_wins) {
  EXPECT_EQ(winner("S7 EA SA S10", {"RUF"}), 2);
  EXPECT_EQ(winner("S7 H7 SA EA", {"RUF"}), 1);
  EXPECT_EQ(winner("H7 SU EO GU", {"RUF"}), 2);
  EXPECT_EQ(winner("SA SO S10 SK", {"WENZ"}), 0);
}

// 000 3.2.1
TEST(Duties, R_112_trumps_follow_trumps_and_not_their_own_suit) {
  EXPECT_EQ(legal_cards("SU S9 HA EA", "SA", {"RUF"}), "S9");
  EXPECT_EQ(legal_cards("SU S9 HA EA", "H7", {"RUF"}), "HA SU");
  EXPECT_EQ(legal_cards("SU SO S9", "SA", {"WENZ"}), "S9 SO");
}

// 000 3.2.2: no duty to ruff or to overtake.
TEST(Duties, R_113_without_the_led_suit_any_card_may_go) {
  EXPECT_EQ(legal_cards("EO HA GA G7", "SA", {"RUF"}), "EO G7 GA HA");
  EXPECT_EQ(legal_cards("EO H7", "GO", {"RUF"}), "EO H7");
}

// 000 3.2.5: who ran away has an ordinary ace.
TEST(Duties, R_120_after_running_away_the_ace_is_free) {
  EXPECT_EQ(legal_cards("EA E10 E9", "E7", {"RUF"}, "EA"), "EA");
  EXPECT_EQ(legal_cards("EA E10 E9", "E7", {"RUF"}, "EA", true), "E9 E10 EA");
  EXPECT_EQ(legal_cards("EA G9 G7", "S7", {"RUF"}, "EA", true), "EA G7 G9");
}

// 000 A1 3.3.2
TEST(Duties, R_122_a_called_ten_has_the_duties_of_a_called_ace) {
  const Ordered muss{"MUSS"};
  EXPECT_EQ(legal_cards("S10 SK S9 H7", "S7", muss, "S10"), "S10");
  EXPECT_EQ(legal_cards("S10 EA H7", "GA", muss, "S10"), "EA H7");
  EXPECT_EQ(legal_cards("S10 SK S9 H7", "", muss, "S10"), "H7 S10");
  EXPECT_EQ(legal_cards("S10 SK S9 S8 H7", "", muss, "S10"), "H7 S8 S9 SK S10");
}

}  // namespace
}  // namespace schafkopf
