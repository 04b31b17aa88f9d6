// Shuffling, cutting, dealing (RULES B.3, C.20).
#include "env/deal/deal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "env/base/random.h"
#include "env/deal/dealing.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Card> deck_in_order(const RuleSet& rules = {}) {
  std::vector<Card> order;
  for (const Card card : deck_of(rules)) order.push_back(card);
  return order;
}

CardSet cards(std::initializer_list<int> numbers) {
  CardSet set;
  for (const int number : numbers) set.add(static_cast<Card>(number));
  return set;
}

DealContext context_of(SpecialRound mode) {
  DealContext context;
  context.special_round = static_cast<std::uint8_t>(mode);
  return context;
}

RuleSet short_deck(int players) {
  RuleSet rules;
  rules.deck = Deck::kShort24;
  rules.players = players;
  return checked(rules);
}

CardSet all_hands(const Deal& deal) {
  CardSet all;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    EXPECT_TRUE((all & deal.hand(seat)).empty());
    EXPECT_TRUE(
        (deal.first[static_cast<std::size_t>(seat)] & deal.second[static_cast<std::size_t>(seat)])
            .empty());
    all = all | deal.hand(seat);
  }
  return all;
}

std::vector<int> sizes(const Deal& deal) {
  std::vector<int> list;
  for (int seat = 0; seat < kNumSeats; ++seat) list.push_back(deal.hand(seat).count());
  return list;
}

// Packets

TEST(Deal, R_009_forehand_gets_the_first_packet_of_2x4) {
  const Deal deal = deal_from_order(deck_in_order(), RuleSet{}, 2);
  EXPECT_EQ(to_string(deal.first[3]), "E7 E8 E9 EU");
  EXPECT_EQ(to_string(deal.second[3]), "H7 H8 H9 HU");
  EXPECT_EQ(to_string(deal.first[0]), "EO EK E10 EA");
  EXPECT_EQ(to_string(deal.second[2]), "SO SK S10 SA");
}

TEST(Deal, R_010_the_first_half_of_4x2_is_two_packets) {
  RuleSet rules;
  rules.deal_packets = DealPackets::k4x2;
  const Deal deal = deal_from_order(deck_in_order(), rules, 3);
  EXPECT_EQ(deal.first[0], cards({0, 1, 8, 9}));
  EXPECT_EQ(deal.second[0], cards({16, 17, 24, 25}));
  EXPECT_EQ(deal.first[3], cards({6, 7, 14, 15}));
}

TEST(Deal, R_004_the_short_deck_is_dealt_2x3) {
  const RuleSet rules = short_deck(4);
  EXPECT_EQ(rules.deal_packets, DealPackets::k2x3);
  const Deal deal = deal_from_order(deck_in_order(rules), rules, 3);
  EXPECT_EQ(to_string(deal.first[0]), "E9 EU EO");
  EXPECT_EQ(to_string(deal.second[0]), "H9 HU HO");
  EXPECT_EQ(all_hands(deal), kShortDeck);
}

TEST(Deal, R_006_three_players_get_eight_cards_each) {
  const RuleSet rules = short_deck(3);
  const Deal deal = deal_from_order(deck_in_order(rules), rules, 2);
  EXPECT_THAT(sizes(deal), ElementsAre(8, 8, 8, 0));
  EXPECT_EQ(to_string(deal.first[0]), "E9 EU EO EK");
  EXPECT_EQ(to_string(deal.first[1]), "E10 EA G9 GU");
}

TEST(Deal, R_024_deals_are_pure_functions_of_the_seed) {
  for (const RuleSet& rules : {RuleSet{}, short_deck(4), short_deck(3)}) {
    std::set<std::uint32_t> hands;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Deal deal = deal_for(seed, rules, 1, {});
      EXPECT_EQ(deal, deal_for(seed, rules, 1, {}));
      EXPECT_EQ(all_hands(deal), deck_of(rules));
      hands.insert(deal.hand(0).bits());
    }
    EXPECT_GT(hands.size(), 45U);
  }
  EXPECT_EQ(deal_for(9, RuleSet{}, 1, {}), random_deal(9));
}

TEST(Deal, B_3_3_every_card_goes_to_every_seat_equally_often) {
  const RuleSet rules = short_deck(3);
  std::array<int, 3> count{};
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Deal deal = deal_for(seed, rules, 0, {});
    for (std::size_t seat = 0; seat < 3; ++seat) {
      count[seat] += static_cast<int>(deal.hand(static_cast<int>(seat)).contains(4));
    }
  }
  for (const int times : count) EXPECT_NEAR(times, 1000, 110);
}

// Cut and knock

TEST(Cut, R_012_lifted_cards_go_below_the_rest) {
  const std::vector<Card> order = deck_in_order();
  const std::vector<Card> once = cut(order, std::vector<int>{5}, RuleSet{});
  EXPECT_EQ(once.front(), 5);
  EXPECT_EQ(once.back(), 4);
  EXPECT_EQ(cut(order, std::vector<int>{5, 27}, RuleSet{}), order);
  EXPECT_THAT(error_of([&] { (void)cut(order, {}, RuleSet{}); }), HasSubstr("R-012"));
}

TEST(Cut, R_013_another_player_cuts_for_an_absent_cutter) {
  const auto allowed = [](int dealer, bool absent, int players) {
    RuleSet rules;
    rules.players = players;
    std::string places;
    for (int place = 0; place < players; ++place) {
      if (may_cut(place, dealer, absent, rules)) places += static_cast<char>('0' + place);
    }
    return places;
  };
  EXPECT_EQ(allowed(0, false, 4), "3");
  EXPECT_EQ(allowed(0, true, 4), "2");  // neither dealer 0 nor forehand 1 nor the absent 3
  EXPECT_EQ(allowed(2, false, 5), "1");
  EXPECT_EQ(allowed(2, true, 5), "04");
}

TEST(Cut, R_014_three_cards_at_least_and_three_cuts_at_most) {
  const RuleSet rules = preset("wikipedia_pure");
  const std::vector<Card> order = deck_in_order();
  const auto message = [&](std::vector<int> lifted) {
    return error_of([&] { (void)cut(order, lifted, rules); });
  };
  EXPECT_EQ(message({3, 29, 10}), "no error");
  EXPECT_THAT(message({2}), HasSubstr("allowed: 3..29"));
  EXPECT_THAT(message({30}), HasSubstr("allowed: 3..29"));
  EXPECT_THAT(message({4, 4, 4, 4}), HasSubstr("4 cuts, allowed: 3"));
}

TEST(Cut, R_015_a_knock_changes_packets_and_direction_of_one_deal) {
  const RuleSet rules = preset("wikipedia_pure");
  const RuleSet knocked = knock(rules, DealPackets::k1x8, DealDirection::kCcw);
  const Deal deal = deal_from_order(deck_in_order(), knocked, 3);
  EXPECT_EQ(deal.hand(0), CardSet::suit(Suit::kEichel));  // forehand first
  EXPECT_EQ(deal.hand(3), CardSet::suit(Suit::kGras));    // then to the right
  EXPECT_EQ(deal.hand(1), CardSet::suit(Suit::kSchellen));
  EXPECT_THAT(error_of([] { (void)knock(RuleSet{}, DealPackets::k1x8, DealDirection::kCw); }),
              HasSubstr("knock_allowed"));
  EXPECT_THAT(error_of([&] { (void)knock(rules, DealPackets::k2x3, DealDirection::kCw); }),
              HasSubstr("do not fill"));
}

TEST(Cut, R_016_the_cutter_shuffles_again) {
  RuleSet rules;
  const CardOrder dealers = shuffled_deck(4, rules);
  rules.cutter_also_shuffles = true;
  const CardOrder shuffled = shuffled_deck(4, rules);
  std::vector<Card> both(shuffled.begin(), shuffled.end());
  EXPECT_FALSE(std::ranges::equal(both, dealers));
  std::ranges::sort(both);
  EXPECT_EQ(both, deck_in_order());
}

TEST(Cut, R_017_the_highest_card_deals_first) {
  const auto first = [](const std::string& drawn) {
    std::vector<Card> list;
    for (std::size_t at = 0; at < drawn.size(); at += 3) {
      list.push_back(parse_card(drawn.substr(at, 2)).value());
    }
    return first_dealer_by_high_card(list, RuleSet{});
  };
  EXPECT_EQ(first("EA SU HA GO"), 3);  // Ober before Unter before Herz
  EXPECT_EQ(first("EA H7 GA SA"), 1);  // a trump before the aces
  EXPECT_EQ(first("SA EK GA S7"), 2);  // equal ranks by suit (OPEN-05)
  EXPECT_EQ(first("EK GX"), 1);        // plain rank A 10 K 9 8 7
  EXPECT_THAT(error_of([&] { (void)first("EA EA"); }), HasSubstr("comes twice"));
}

TEST(Cut, R_021_a_second_misdeal_costs_60_and_pays_20_to_each) {
  EXPECT_THAT(misdeal_penalty(preset("tournament_2024"), 2), ElementsAre(20, 20, -60, 20, 0));
}

// Special rounds

TEST(SpecialDeal, C_20_6_the_high_packet_is_in_no_hand) {
  RuleSet rules;
  for (const auto& [k, packet] : {std::pair{2, "EO GO"}, {3, "EO GO HO"}, {4, "EO GO HO SO"}}) {
    rules.schieber_cards = k;
    const DealContext context = context_of(SpecialRound::kSchieber);
    EXPECT_EQ(to_string(high_packet(k)), packet);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const Deal deal = deal_for(seed, rules, 1, context);
      EXPECT_THAT(sizes(deal), ElementsAre(8, 8 - k, 8, 8));
      EXPECT_EQ(deal.first[1].count(), 4);
      EXPECT_EQ(all_hands(deal), kLongDeck - high_packet(k));
    }
  }
}

TEST(SpecialDeal, C_20_7_forehand_gets_four_fixed_cards_as_his_second_half) {
  const Deal deal = deal_for(3, RuleSet{}, 3, context_of(SpecialRound::kTeufel));
  EXPECT_EQ(to_string(deal.second[0]), "EU EO GO SO");
  EXPECT_THAT(sizes(deal), ElementsAre(8, 8, 8, 8));
  EXPECT_EQ(deal.first[0].count(), 4);
  EXPECT_EQ(all_hands(deal), kLongDeck);
  const Deal known =
      deal_from_order(deck_in_order(), RuleSet{}, 3, context_of(SpecialRound::kTeufel));
  EXPECT_EQ(to_string(known.first[0]), "E7 E8 E9 EK");
  EXPECT_EQ(to_string(known.second[1]), "HU HO HK H10");  // the second round leaves forehand out
}

TEST(SpecialDeal, C_20_11_the_zupf_draw_is_part_of_the_deal) {
  std::set<int> drawn;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Deal deal = deal_for(seed, RuleSet{}, 0, context_of(SpecialRound::kZupfSolo));
    drawn.insert(deal.zupf);
    Deal normal = deal;
    normal.zupf = 0;
    EXPECT_EQ(normal, random_deal(seed));
  }
  EXPECT_EQ(drawn, (std::set<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(SpecialDeal, a_high_packet_that_there_is_not_is_refused) {
  for (const int k : {-1, 1, 5, 9}) {
    EXPECT_EQ(error_of([&] { (void)high_packet(k); }),
              "high_packet: k = " + std::to_string(k) + ", allowed: 2..4");
  }
}

TEST(SpecialDeal, hands_of_special_rounds_are_checked) {
  RuleSet rules;
  for (const SpecialRound mode : {SpecialRound::kSchieber, SpecialRound::kTeufel}) {
    const DealContext context = context_of(mode);
    const Deal deal = deal_for(5, rules, 2, context);
    std::vector<std::vector<Card>> hands(4);
    for (std::size_t seat = 0; seat < 4; ++seat) {
      for (const Card card : deal.first[seat]) hands[seat].push_back(card);
      for (const Card card : deal.second[seat]) hands[seat].push_back(card);
    }
    const auto dealt = [&] {
      std::vector<std::span<const Card>> spans(hands.begin(), hands.end());
      return deal_from_hands(spans, rules, 2, context);
    };
    EXPECT_EQ(dealt(), deal);
    std::swap(hands[3].back(), hands[0].front());  // seat 3 is forehand
    const bool teufel = mode == SpecialRound::kTeufel;
    EXPECT_THAT(error_of(dealt), HasSubstr(teufel ? "seat 3 needs EU EO GO SO" : "no error"));
    hands[0].front() = parse_card("EO").value();
    EXPECT_THAT(error_of(dealt), HasSubstr(teufel ? "seat 3" : "EO is not among the cards dealt"));
  }
}

TEST(SpecialDeal, first_context_begins_the_special_round) {
  RuleSet rules;
  EXPECT_EQ(first_context(rules), DealContext{});
  rules.special_round = SpecialRound::kBock;
  EXPECT_EQ(first_context(rules).bock, 1);
  EXPECT_EQ(first_context(rules).games_left, 4);
  rules.special_round = SpecialRound::kAllgaeuer;
  EXPECT_EQ(first_context(rules).games_left, 12);
  EXPECT_THAT(first_context(rules).owed, ElementsAre(7, 7, 7, 7));
  rules.special_round_games = 6;
  EXPECT_EQ(first_context(rules).games_left, 6);
}

TEST(SpecialDeal, a_dealer_or_a_round_that_there_is_not_is_refused) {
  const RuleSet rules;
  std::vector<Card> order;
  for (const Card card : CardSet::all()) order.push_back(card);
  DealContext context;
  EXPECT_EQ(error_of([&] { (void)deal_from_order(order, rules, 9, context); }),
            "dealer = 9, allowed: 0..3");
  context.special_round = 99;
  for (const std::string& error :
       {error_of([&] { (void)deal_for(1, rules, 0, context); }),
        error_of([&] { (void)deal_from_order(order, rules, 0, context); })}) {
    EXPECT_EQ(error, "context: special_round = 99, allowed: 0.." +
                         std::to_string(kNumValues<SpecialRound> - 1));
  }
}

}  // namespace
}  // namespace schafkopf::test
