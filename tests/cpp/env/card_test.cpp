// Cards and card sets: names, points, parsing (RULES A.3, A.4).
#include "env/cards/card.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>

#include "env/base/random.h"
#include "env/cards/action.h"
#include "env/cards/four_sets.h"

namespace schafkopf {
namespace {

Card card(const char* name) { return parse_card(name).value(); }

// 000 1.2.1: 32 cards, four suits of eight, each with a name of its own that parses back.
TEST(Card, R_001_thirty_two_cards_with_distinct_names) {
  std::set<std::string> names;
  for (Card c : CardSet::all()) {
    names.insert(card_name(c));
    EXPECT_EQ(parse_card(card_name(c)), c);
  }
  EXPECT_EQ(names.size(), 32u);
  EXPECT_EQ(to_string(CardSet::suit(Suit::kHerz)), "H7 H8 H9 HU HO HK H10 HA");
}

// 000 1.2.1: A 11, 10 10, K 4, O 3, U 2, the rest 0; 30 points per suit, 120 in the deck.
TEST(Card, R_002_card_points) {
  EXPECT_EQ(points_of(card("EA")), 11);
  EXPECT_EQ(points_of(card("G10")), 10);
  EXPECT_EQ(points_of(card("HK")), 4);
  EXPECT_EQ(points_of(card("SO")), 3);
  EXPECT_EQ(points_of(card("EU")), 2);
  EXPECT_EQ(points_of(parse_cards("E9 E8 E7")), 0);
  EXPECT_EQ(points_of(CardSet::suit(Suit::kSchellen)), 30);
  EXPECT_EQ(points_of(CardSet::all()), kTotalPoints);
}

TEST(Card, R_002_sets_of_four_seats_are_counted_as_each_alone) {
  for (std::uint32_t round = 0; round < 1000; ++round) {
    std::uint32_t words[kNumSeats];
    for (std::uint32_t seat = 0; seat < kNumSeats; ++seat) {
      words[seat] = static_cast<std::uint32_t>(mix64(4 * round + seat));
    }
    if (round == 0) std::ranges::fill(words, CardSet::all().bits());
    const FourSets sets = load_four(words), points = points_of(sets), counts = count_cards(sets);
    for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
      const CardSet alone(words[seat]);
      EXPECT_EQ(points[seat], static_cast<std::uint32_t>(points_of(alone))) << to_string(alone);
      EXPECT_EQ(counts[seat], static_cast<std::uint32_t>(alone.count())) << to_string(alone);
    }
    const auto bytes = bytes_of(points);
    for (std::size_t seat = 0; seat < kNumSeats; ++seat) EXPECT_EQ(bytes[seat], points[seat]);
    for (unsigned seats = 0; seats < 16; ++seats) {
      std::uint32_t held = 0;
      for (unsigned seat = 0; seat < kNumSeats; ++seat) {
        if ((seats >> seat & 1) != 0) held |= words[seat];
      }
      EXPECT_EQ(cards_of_seats(sets, seats), held);
    }
  }
}

TEST(Card, R_002_points_of_a_set_are_the_sum_over_its_cards) {
  for (Card first : CardSet::all()) {
    for (Card second : CardSet::all() - CardSet::of(first)) {
      const CardSet pair = CardSet::of(first) | CardSet::of(second);
      EXPECT_EQ(points_of(pair), points_of(first) + points_of(second)) << to_string(pair);
    }
  }
}

// 000 1.4.1: E > G > H > S is the order of the suit indices.
TEST(Card, R_003_suits_are_indexed_from_eichel_to_schellen) {
  EXPECT_EQ(card("E7"), 0);
  EXPECT_EQ(card("G7"), 8);
  EXPECT_EQ(card("H7"), 16);
  EXPECT_EQ(card("S7"), 24);
  EXPECT_EQ(card("SA"), 31);
}

// 000 A1 5: no 7 and no 8 in the short deck; the points stay 120.
TEST(Card, R_004_short_deck) {
  EXPECT_EQ(kShortDeck.count(), 24);
  EXPECT_EQ(to_string(kShortDeck & CardSet::suit(Suit::kGras)), "G9 GU GO GK G10 GA");
  EXPECT_EQ(points_of(kShortDeck), kTotalPoints);
}

TEST(CardSet, takes_cards_out_in_index_order) {
  CardSet set = parse_cards("SA EO H10");
  EXPECT_EQ(set.count(), 3);
  EXPECT_EQ(card_name(set.pop_lowest()), "EO");
  EXPECT_EQ(card_name(set.pop_lowest()), "H10");
  EXPECT_EQ(card_name(set.pop_lowest()), "SA");
  EXPECT_TRUE(set.empty());
}

TEST(CardSet, adds_removes_and_subtracts) {
  CardSet set = parse_cards("EO GO");
  set.add(card("HO"));
  set.remove(card("EO"));
  EXPECT_EQ(to_string(set), "GO HO");
  EXPECT_EQ(to_string(set - parse_cards("HO S7")), "GO");
}

TEST(ParseCard, reads_lower_case_and_every_way_to_write_ten) {
  for (const char* text : {"H10", "h10", "HX", "HT", "HZ", "hz"}) {
    EXPECT_EQ(parse_card(text), card("H10")) << text;
  }
}

TEST(ParseCard, gives_nothing_for_what_is_no_card) {
  for (const char* text : {"", "E", "X7", "E6", "E1", "EOO", "E 7"}) {
    EXPECT_EQ(parse_card(text), std::nullopt) << text;
  }
}

TEST(ParseAction, reads_a_card_in_every_notation) {
  for (const char* text : {"H10", "CARD H10", "CARD hx", "CARD hz"}) {
    EXPECT_EQ(parse_action(text), card("H10")) << text;
  }
  for (const char* text : {"CARD", "CARD ", "CARD H1", "CARD PASS"}) {
    EXPECT_EQ(parse_action(text), std::nullopt) << text;
  }
}

TEST(ParseCards, names_the_word_that_is_wrong) {
  try {
    (void)parse_cards("EO Q7");
    FAIL() << "Q7 was taken for a card";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("\"Q7\""), std::string::npos) << error.what();
  }
  try {
    (void)parse_cards("EO GO eo");
    FAIL() << "EO was taken twice";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("EO comes twice"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace schafkopf
