// The maxims of the rule agent one by one (RULES I; METHODS section 6): what each speaks for, in
// game notation. Whole choices of the agent stand in agents_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "agents/maxims/doubling.h"
#include "agents/maxims/hand_strength.h"
#include "agents/maxims/maxims.h"
#include "agents/maxims/rule_agent.h"
#include "agents/worlds/answers.h"
#include "env/game/game.h"
#include "tests/cpp/agents/rule_choice.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/table_notation.h"

namespace schafkopf {
namespace {

using rule_choice::after;
using rule_choice::deal_of;
using rule_choice::plays;
using rule_choice::research;
using rule_choice::ruf;
using rule_choice::single;
using rule_choice::situation;

/// What a leaning says about a card, by its name.
double leaning(std::string_view name, const Situation& s, const char* card) {
  for (const std::span<const Maxim> list : card_maxim_lists()) {
    for (const Maxim& maxim : list) {
      for (const Leaning& one : maxim.leanings) {
        if (one.name == name) return one.value(s, *parse_card(card));
      }
    }
  }
  throw std::invalid_argument("no leaning " + std::string(name));
}

/// What the agent says or plays after these actions, and the maxim behind it.
Explanation explained(const std::string& hands, const std::string& actions,
                      const char* preset = "research") {
  const auto rules = CompiledRules::load(preset);
  Game game(*rules, deal_of(hands), 3);
  std::stringstream words(actions);
  for (std::string word; words >> word;) game.apply(*parse_action(word));
  return RuleAgent::explain(game.view(game.current_player()), *rules);
}

TEST(Maxims, a_view_that_shows_no_legal_card_is_refused) {
  const Deal deal = random_deal(1);
  for (const char* const name : {"WENZ", "SOLO"}) {
    const Game game = Game::with_contract(research(), deal, 3, single(name, 1));
    PlayerView view = game.view(0);
    const auto refusal = [&] {
      return test::error_of<std::invalid_argument>(
          [&] { (void)RuleAgent::choose(view, research()); });
    };
    EXPECT_EQ(refusal(), "no error");
    view.cards.legal = 0;
    EXPECT_EQ(refusal(),
              "a view in phase PLAY whose legal actions do not fit it: allowed: views as a game "
              "gives them, with its rules");
  }
}

// A Solo of seat 1; seat 0 leads.
const char* const kSolo =
    "E9 E8 GK G9 H7 SU S8 S7 | EO GO HO EU GU HA H10 EK |"
    " E10 SO HU HK S9 GA G10 H8 | EA E7 G8 G7 SA SK S10 H9";
// A Wenz of seat 1; seat 0 leads.
const char* const kWenz =
    "E9 E8 GK G9 H7 SU S8 S7 | EU GU HU EK HA H10 SA S10 |"
    " E10 SO EO HK S9 GA G10 H8 | EA E7 G8 G7 HO SK GO H9";
// A Rufspiel of seat 1 on EA, which seat 2 owns; seat 0 leads.
const char* const kRuf =
    "E10 E8 GU HK S10 G9 G8 H8 | EO HO EU HA H9 E9 S9 S8 |"
    " EA GA G10 GK GO HU H7 S7 | SO SU H10 EK E7 SA SK G7";

TEST(Maxims, R_187_R_190_every_maxim_of_the_rules_has_a_name) {
  const std::vector<MaximText> texts = all_maxims();
  for (int number = 1; number <= 28; ++number) {
    const std::string source =
        std::string("I-") + (number < 10 ? "0" : "") + std::to_string(number);
    const auto names_it = [&](const MaximText& text) {
      return text.source.find(source) != std::string_view::npos;
    };
    EXPECT_TRUE(std::ranges::any_of(texts, names_it)) << source;
  }
  for (const char* chapter : {"W 10.2", "W 10.3", "W 10.4", "W 10.5", "W 10.7", "W 10.8", "W 10.9",
                              "W 10.12", "W 10.14", "W 10.15", "W 11.1", "W 11.2", "W 11.5",
                              "W 11.8", "W 12.1", "W 12.3", "W 12.6", "W 12.14", "W 13.7"}) {
    const auto names_it = [&](const MaximText& text) {
      return (std::string(text.source) + ";").find(std::string(chapter) + ";") != std::string::npos;
    };
    EXPECT_TRUE(std::ranges::any_of(texts, names_it)) << chapter;
  }
  for (const MaximText& text : texts) {
    EXPECT_FALSE(text.name.empty() || text.source.empty()) << text.name;
    EXPECT_TRUE(text.sentence.ends_with('.')) << text.name;
  }
}

TEST(Maxims, every_decision_has_a_reason_and_is_the_choice_without_it) {
  for (const std::string_view name : preset_names()) {
    const auto rules = CompiledRules::load(std::string(name));
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      Game game(*rules, random_deal(seed), static_cast<int>(seed % 4));
      while (!game.is_terminal()) {
        const PlayerView view = game.view(game.current_player());
        const Explanation reason = RuleAgent::explain(view, *rules);
        ASSERT_EQ(reason.action, RuleAgent::choose(view, *rules)) << name << " deal " << seed;
        ASSERT_FALSE(reason.maxim.empty() || reason.source.empty() || reason.sentence.empty())
            << name << " deal " << seed << " " << phase_name(view.phase());
        game.apply(reason.action);
      }
    }
  }
}

TEST(Maxims, who_is_not_to_act_has_nothing_to_explain) {
  const Game game = after(kRuf, ruf(1, "EA"), "");
  EXPECT_TRUE(RuleAgent::explain(game.view(2), research()).maxim.empty());
}

// Auction

TEST(Maxims, R_187_I_01_the_red_ober_is_no_rogue_with_an_ace_a_void_or_a_sixth_trump) {
  const auto rogue = [](const char* hand) { return is_red_rogue(research(), parse_cards(hand)); };
  EXPECT_TRUE(rogue("HO EU H10 H9 H8 E9 G9 S9"));
  EXPECT_FALSE(rogue("HO EU H10 H9 H8 E9 G9 SA"));
  EXPECT_FALSE(rogue("HO EU H10 H9 H8 E9 E8 G9"));
  EXPECT_FALSE(rogue("HO EU H10 H9 H8 H7 E9 G9"));
  EXPECT_FALSE(rogue("GO EU H10 H9 H8 E9 G9 S9"));
  const Explanation reason = explained(
      "HO EU H10 H9 H8 E9 G9 S9 | EA GA G10 GK GO HU H7 S7 |"
      " E10 E8 GU HK S10 EO G8 HA | SO SU S8 EK E7 SA SK G7",
      "");
  EXPECT_EQ(reason.maxim, "pass_with_the_rogue");
  EXPECT_EQ(reason.action, kActionPass);
}

TEST(Maxims, R_187_I_02_the_suit_is_named_when_the_game_is_won) {
  const std::string hands =
      "EO GO HO EU S10 S9 S7 EA | GA G10 GK SO HU H7 H8 E9 |"
      " E10 E8 GU HK G9 G8 HA H9 | SU S8 H10 EK E7 SA SK G7";
  EXPECT_EQ(explained(hands, "").source, "I-04; I-05; METHODS 6");  // only that it plays
  EXPECT_EQ(explained(hands, "").action, kActionPlay);
  const Explanation suit = explained(hands, "PLAY PASS PASS PASS C_SOLO");
  EXPECT_EQ(suit.source, "I-02");
  EXPECT_EQ(action_name(suit.action), "SUIT_S");
}

TEST(Maxims, R_187_I_03_a_blocked_hand_says_so) {
  const Explanation reason = explained(
      "HO H9 EA GA SA E9 G9 S9 | G10 GK GO HU H7 S7 E10 E8 |"
      " GU HK S10 G8 H8 EO EU HA | SO SU H10 EK E7 SK G7 S8",
      "");
  EXPECT_EQ(reason.maxim, "pass_when_blocked");
}

TEST(Maxims, R_187_I_04_the_lead_is_worth_something_in_every_single_game) {
  for (const char* name : {"SOLO", "WENZ"}) {
    const ContractRow& row = *parse_contract(name).row;
    const CardSet hand = parse_cards("EO GO EU GU HA H10 EA E9");
    EXPECT_GT(single_win_chance(research(), row, Suit::kHerz, hand, true),
              single_win_chance(research(), row, Suit::kHerz, hand, false) + 0.01)
        << name;
  }
}

TEST(Maxims, R_187_I_05_a_good_wenz_is_played_although_the_other_unter_may_stand_together) {
  // seat 2 holds both missing Unter, which nobody can know
  const Explanation reason = explained(
      "EU GU EA E10 EK GA G10 S7 | GK GO HO H7 H8 E9 S9 S8 |"
      " HU SU HA H10 E8 G9 SK SO | EO E7 HK H9 G8 G7 SA S10",
      "PLAY PASS PASS PASS");
  EXPECT_EQ(action_name(reason.action), "C_WENZ");
}

// Rufspiel

TEST(Maxims, R_187_I_09_a_bare_plain_card_goes_first) {
  EXPECT_EQ(plays("H9 H8 E9 E8 G9 S10 S9 S8 | EA GA G10 GK GO HU H7 S7 |"
                  " E10 GU HK HA G8 EO EU H10 | SO SU HO EK E7 SA SK G7",
                  ruf(0, "EA"), ""),
            "G9 (lead_bare_card)");
}

TEST(Maxims, R_187_I_11_leading_the_own_call_weighs_against_every_card) {
  const Situation s =
      situation(after("E10 E8 GU HK S10 G9 G8 H8 | EA HO EU HA H9 E9 S9 S8 |"
                      " EO GA G10 GK GO HU H7 S7 | SO SU H10 EK E7 SA SK G7",
                      ruf(0, "EA"), ""));
  EXPECT_LT(leaning("never_search_himself", s, "E8"), -100.0);
  EXPECT_EQ(leaning("never_search_himself", s, "G8"), 0.0);
}

TEST(Maxims, R_187_I_11_the_own_call_is_led_once_nobody_else_has_a_trump) {
  const auto leads = [](const char* hands, RuleVersion version) {
    const Position position = notation::endgame(ruf(0, "EA"), hands, 0, 0);
    return rule_choice::choice(Game::from_position(research(), position), version);
  };
  const char* const none_left = "E10 G9 S9 | EA G10 S10 | E9 GK GA | E8 SK SA";
  EXPECT_EQ(leads(none_left, kNewestRules), "E10 (lead_the_own_call)");
  EXPECT_NE(leads(none_left, RuleVersion::kFirst).substr(0, 1), "E");
  const char* const one_left = "E10 G9 S9 | EA G10 S10 | E9 GK GA | E8 SK H7";
  EXPECT_NE(leads(one_left, kNewestRules).substr(0, 1), "E");
  // a plain card that nothing beats goes first
  const char* const with_an_ace = "E10 G9 SA | EA G10 S10 | E9 GK GA | E8 SK S9";
  EXPECT_EQ(leads(with_an_ace, kNewestRules).substr(0, 2), "SA");
}

TEST(Maxims, W_10_15_long_in_the_called_suit_or_with_its_bare_ten_nobody_searches) {
  EXPECT_EQ(plays(kRuf, ruf(1, "EA"), ""), "E8 (search_called_card)");
  const std::string four = plays(
      "E10 E8 EK E7 S10 G9 G8 H8 | EO HO EU HA H9 E9 S9 S8 |"
      " EA GA G10 GK GO HU H7 S7 | SO SU H10 GU HK SA SK G7",
      ruf(1, "EA"), "");
  EXPECT_EQ(four.find("search"), std::string::npos) << four;
  const std::string bare_ten = plays(
      "E10 H7 GU HK S10 G9 G8 H8 | EO HO EU HA H9 E9 S9 S8 |"
      " EA GA G10 GK GO HU E8 S7 | SO SU H10 EK E7 SA SK G7",
      ruf(1, "EA"), "");
  EXPECT_EQ(bare_ten.find("search"), std::string::npos) << bare_ten;
}

TEST(Maxims, W_10_2_defenders_do_not_draw_trumps) {
  const Situation s = situation(after(kRuf, ruf(1, "EA"), ""));
  EXPECT_LT(leaning("defenders_do_not_draw", s, "GU"), 0.0);
  EXPECT_EQ(leaning("defenders_do_not_draw", s, "G8"), 0.0);
}

TEST(Maxims, W_10_5_a_suit_that_a_friend_ruffs) {
  // seat 3 is void in Gras and took the first trick; seat 0 leads Gras to him later
  Situation s = situation(after(kSolo, single("SOLO", 1), ""));
  s.may_hold[3] = s.may_hold[3] - (CardSet::suit(Suit::kGras) - s.trumps);
  const Maxim* reason = nullptr;
  const Card card = choose_card(s, &reason);
  EXPECT_EQ(reason->name, "lead_to_friends_void");
  EXPECT_EQ(card_name(card), "G9");
}

// General card play

TEST(Maxims, R_187_I_14_fat_cards_are_not_thrown_to_the_unproven) {
  // seat 0, unproven, leads SO; seat 1 declares; seat 2 has H10 and H8
  const Situation s =
      situation(after("SO SU HK EK E7 SA SK G7 | EO HO EU HA H9 E9 S9 S8 |"
                      " H10 H8 E10 E8 G9 G8 S10 GU | EA GA G10 GK GO HU H7 S7",
                      ruf(1, "EA"), "SO H9"));
  EXPECT_LT(leaning("do_not_trust_the_unproven", s, "H10"), 0.0);
  EXPECT_EQ(leaning("do_not_trust_the_unproven", s, "H8"), 0.0);
}

TEST(Maxims, R_187_I_15_counted_trumps_let_plain_cards_win) {
  Situation s =
      situation(after("EO HO EU HA H9 EA S9 S8 | E9 GA G10 GK GO HU H7 S7 |"
                      " E10 E8 GU HK S10 G9 G8 H8 | SO SU H10 EK E7 SA SK G7",
                      single("SOLO", 0), ""));
  const Maxim* reason = nullptr;
  EXPECT_EQ(card_name(choose_card(s, &reason)), "EO");
  EXPECT_EQ(reason->name, "draw_with_top_trump");
  for (CardSet& held : s.may_hold) held = held - s.trumps;  // all of them have fallen
  EXPECT_EQ(card_name(choose_card(s, &reason)), "EA");
  EXPECT_EQ(reason->name, "cash_when_trumps_are_out");
}

TEST(Maxims, W_12_1_the_bare_ten_is_smeared_first) {
  EXPECT_EQ(plays("EO HO EU HA H9 E9 S9 H7 | EA GA G7 GK GO HU H8 S7 |"
                  " E10 E8 EK GU HK G9 G8 E7 | SO SU H10 G10 S10 SA SK S8",
                  single("SOLO", 0), "E9 EA E7"),
            "G10 (smear_the_bare_ten)");
}

TEST(Maxims, W_12_6_without_a_bare_ten_the_trick_gets_other_points) {
  EXPECT_EQ(plays("EO HO EU HA H9 E9 S9 H7 | EA GA G7 GK GO HU H8 S7 |"
                  " E10 E8 EK GU HK G9 G8 E7 | SO SU H10 G10 S10 SA SK S8",
                  single("SOLO", 0), "E9 EA E7")
                .substr(0, 1),
            "G");
  const std::string ten = plays(
      "EO HO EU HA H9 E9 S9 H7 | EA GA G7 GK GO HU H8 S7 |"
      " G10 E8 EK GU HK G9 G8 E7 | SO SU H10 E10 S10 S8 SK SA",
      single("SOLO", 0), "E9 EA E7");
  EXPECT_EQ(ten.substr(0, 3), "E10") << ten;
}

TEST(Maxims, R_187_I_17_nothing_beats_the_enemy_so_the_lowest_goes) {
  EXPECT_EQ(plays("EO HO EU HA H9 E9 S9 S8 | E10 GA G10 GK GO HU H7 S7 |"
                  " EA E8 GU HK S10 G9 G8 H8 | SO SU H10 EK E7 SA SK G7",
                  single("SOLO", 0), "EO H7 H8"),
            "SU (stay_low_when_beaten)");
}

TEST(Maxims, W_11_5_the_middle_hand_does_not_ruff_a_poor_trick) {
  // Solo of seat 1; seat 0 leads E8, seat 1 follows, seat 2 is void in Eichel
  const Situation s =
      situation(after("E9 E8 GK G9 H7 SU S8 S7 | EO GO HO EU GU HA H10 EK |"
                      " G8 SO HU HK S9 GA G10 H8 | EA E10 E7 G7 SA SK S10 H9",
                      single("SOLO", 1), "E8 EK"));
  EXPECT_LT(leaning("middle_hand_does_not_ruff", s, "H8"), 0.0);
  EXPECT_EQ(leaning("middle_hand_does_not_ruff", s, "G8"), 0.0);
}

TEST(Maxims, W_10_9_W_11_8_ober_and_aces_are_spared) {
  const Situation s = situation(after(kRuf, ruf(1, "EA"), "E8 E9"));
  EXPECT_EQ(s.legal, parse_cards("EA"));
  EXPECT_LT(leaning("spare_the_strong_card", s, "GO"), leaning("spare_the_strong_card", s, "H7"));
  EXPECT_LT(leaning("spare_the_strong_card", s, "GA"), leaning("spare_the_strong_card", s, "S7"));
}

TEST(Maxims, W_12_14_of_equal_cards_the_lowest) {
  const Situation lead = situation(after(kSolo, single("SOLO", 1), ""));
  EXPECT_GT(leaning("lowest_of_equals", lead, "S7"), leaning("lowest_of_equals", lead, "GK"));
  const Situation follow = situation(after(kSolo, single("SOLO", 1), "E8 EK E10"));
  EXPECT_GT(leaning("from_below", follow, "E7"), leaning("from_below", follow, "EA"));
}

TEST(Maxims, W_11_1_W_11_2_the_last_hand_takes_over_without_an_ober_or_unter) {
  const std::string card = plays(
      "EO GO HO EU HA H9 S9 S8 | H7 GA G10 GK EA E10 E9 S7 |"
      " H8 GU E8 E7 S10 G9 G8 EK | HK SU SO H10 HU SA SK G7",
      single("SOLO", 0), "H9 H7 H8");
  EXPECT_TRUE(card.starts_with("H10") || card.starts_with("HK")) << card;
}

TEST(Maxims, W_13_7_two_tricks_are_counted_out_together) {
  // one small trump is out: drawn first it cannot ruff the ace
  const Contract solo = single("SOLO", 0);
  const Game game = Game::from_position(
      research(), notation::endgame(solo, "H9 EA | H7 G7 | EK G8 | E8 S7", 0, 0));
  ASSERT_EQ(game.current_player(), 0);
  EXPECT_EQ(rule_choice::choice(game), "H9 (count_the_last_two)");
}

TEST(Maxims, W_13_7_two_tricks_are_counted_out_by_who_follows_too) {
  const auto plays_last = [](const char* hands, const char* cards, RuleVersion version) {
    Game game = Game::from_position(research(), notation::endgame(single("SOLO", 0), hands, 1, 0));
    std::stringstream words(cards);
    for (std::string word; words >> word;) game.apply(*parse_card(word));
    return rule_choice::choice(game, version);
  };
  // G10 is lost to GA if it is led, so it goes now and H9 ruffs the last trick
  const char* const last = "H9 G10 | S7 GA | S8 E7 | S9 E8";
  EXPECT_EQ(plays_last(last, "S7 S8 S9", kNewestRules), "G10 (count_the_last_two)");
  EXPECT_EQ(plays_last(last, "S7 S8 S9", RuleVersion::kFirst).substr(0, 2), "H9");
  // the others still have to play: seat 2 keeps its trump for the soloist's ten
  const char* const middle = "S9 E10 | S7 EK | H9 G7 | S8 G8";
  EXPECT_EQ(plays_last(middle, "S7", kNewestRules).substr(2), " (count_the_last_two)");
}

// Solo and Wenz

TEST(Maxims, W_10_4_long_way_short_suit) {
  const char* const long_suit = "S8";
  const char* const short_suit = "E8";
  const Situation next =
      situation(after("E8 GK G9 H7 SU S9 S8 S7 | EO GO HO EU GU HA H10 EK |"
                      " E10 SO HU HK E9 GA G10 H8 | EA E7 G8 G7 SA SK S10 H9",
                      single("SOLO", 1), ""));
  EXPECT_GT(leaning("long_way_short_suit", next, long_suit),
            leaning("long_way_short_suit", next, short_suit));
  const Situation last =
      situation(after("E8 GK G9 H7 SU S9 S8 S7 | EA E7 G8 G7 SA SK S10 H9 |"
                      " E10 SO HU HK E9 GA G10 H8 | EO GO HO EU GU HA H10 EK",
                      single("SOLO", 3), ""));
  EXPECT_LT(leaning("long_way_short_suit", last, long_suit),
            leaning("long_way_short_suit", last, short_suit));
}

TEST(Maxims, W_11_1_the_soloist_ruffs_low_and_keeps_his_highest_trumps_to_draw) {
  const char* const gras =
      "EK G10 H7 H9 HO H10 HA S8 | EU EO EA GU GO GK HU SU |"
      " E7 E9 G7 G8 G9 H8 S7 S10 | E8 E10 GA HK S9 SO SK SA";
  EXPECT_EQ(plays(gras, single("SOLO", 1, Suit::kGras), "H7"), "GK (spare_the_strong_card)");
  const char* const herz =
      "E9 EA G10 H7 H9 S7 SK S10 | EO GK GA HU HO HK SU SO |"
      " E7 E8 EU E10 G9 GU GO SA | EK G7 G8 H8 H10 HA S8 S9";
  EXPECT_EQ(plays(herz, single("SOLO", 1), "S10"), "HK (spare_the_strong_card)");
  EXPECT_EQ(plays(herz, single("SOLO", 1), "S10", RuleVersion::kSecond),
            "HK (ruff_with_a_small_trump)");
  EXPECT_EQ(plays(herz, single("SOLO", 1), "S10", RuleVersion::kFirst), "HU (weigh_the_trick)");
}

TEST(Maxims, W_11_1_the_soloist_ruffs_with_the_fattest_trump_that_is_no_picture) {
  const auto card = [](const char* own, const char* other, const char* table,
                       RuleVersion version = kNewestRules) {
    const std::string hands = std::string("E9 EA G10 H8 GO S7 SK S10 | EO GK GA HU HO SO ") + own +
                              " | E7 E8 EU E10 G9 GU SU SA | EK G7 G8 H10 HA S8 S9 " + other;
    return plays(hands, single("SOLO", 1), table, version).substr(0, 2);
  };
  // S10 on the table, nothing but Herz and pictures to take it
  EXPECT_EQ(card("HK H9", "H7", "S10"), "HK");
  EXPECT_EQ(card("H7 H9", "HK", "S10", RuleVersion::kSecond), "H7");
  // H8 is out, so H9 holds more often
  EXPECT_EQ(card("H7 H9", "HK", "S10"), "H9");
  // H8 of the hand before him stays below his small trumps, a picture above them
  EXPECT_EQ(card("HK H9", "H7", "S10", RuleVersion::kFirst), "HU");
}

TEST(Maxims, R_187_I_10_with_two_ober_the_soloist_drives_out_with_an_ober) {
  const auto leads = [](const char* own, const char* next, RuleVersion version) {
    const std::string hands = std::string("GO H10 H9 EU EA E9 S7 ") + own + " | EO " + next +
                              " H8 E10 EK GA G10 S8 | GU HU H7 E8 GK G9 SA S10 |"
                              " SU HA HK E7 G8 G7 SK S9";
    return plays(hands, single("SOLO", 0), "", version);
  };
  EXPECT_EQ(leads("HO", "SO", RuleVersion::kFirst), "EU (drive_out_trumps)");
  EXPECT_EQ(leads("HO", "SO", kNewestRules), "GO (drive_out_with_an_ober)");
  EXPECT_EQ(leads("SO", "HO", kNewestRules), "GO (drive_out_with_an_ober)");
  // one Ober alone stays at home
  const char* const one =
      "GO H10 H9 EU EA E9 S7 GU | EO SO H8 E10 EK GA G10 S8 | HO HU H7 E8 GK G9 SA S10 |"
      " SU HA HK E7 G8 G7 SK S9";
  EXPECT_EQ(plays(one, single("SOLO", 0), ""), "EU (drive_out_trumps)");
}

TEST(Maxims, R_187_I_10_on_a_wenz_one_of_two_unter_drives_the_higher_ones_out) {
  const char* const hands =
      "EK GU GK GA HU HA S10 SA | E8 EU EO G7 G10 H8 HO SK |"
      " E9 E10 EA G9 GO H9 H10 S7 | E7 G8 H7 HK S8 S9 SU SO";
  EXPECT_EQ(plays(hands, single("WENZ", 0), ""), "HU (drive_out_trumps)");
}

TEST(Maxims, R_187_I_18_R_187_I_23_a_suit_comes_again_against_a_solo_but_not_against_a_wenz) {
  const Situation solo = situation(after(kSolo, single("SOLO", 1), "E8 EK E10 EA"));
  EXPECT_GT(leaning("return_the_suit", solo, "E7"), leaning("return_the_suit", solo, "G8"));
  EXPECT_EQ(leaning("do_not_repeat_the_suit", solo, "E7"), 0.0);
  const Situation wenz = situation(after(kWenz, single("WENZ", 1), "E8 EK E10 EA"));
  EXPECT_LT(leaning("do_not_repeat_the_suit", wenz, "E7"),
            leaning("do_not_repeat_the_suit", wenz, "G8"));
  EXPECT_EQ(leaning("return_the_suit", wenz, "E7"), 0.0);
}

TEST(Maxims, R_187_I_22_of_two_aces_on_a_wenz_that_of_the_suit_that_was_not_led) {
  const char* const hands =
      "EA E10 EK GA GK S7 H7 H8 | E9 EO G10 GO S10 SK HK SU |"
      " E8 G9 G8 S9 S8 H9 HO SO | E7 EU GU HU G7 SA HA H10";
  EXPECT_EQ(plays(hands, single("WENZ", 3), "E10 E9 E8 E7"), "GA (lead_an_ace)");
}

TEST(Maxims, R_187_I_19_first_discards_of_a_friend_are_read_as_voids) {
  // seat 2 throws G8 on the first trick, seat 3 is on lead
  const Situation s =
      situation(after("E9 E8 GK G9 H7 SU S8 S7 | EO GO HO EU GU HA H10 EK |"
                      " G8 SO HU HK S9 GA G10 H8 | EA E10 E7 G7 SA SK S10 H9",
                      single("SOLO", 1), "E8 EK G8 EA"));
  EXPECT_GT(leaning("read_first_discards", s, "G7"), 0.0);
  EXPECT_EQ(leaning("read_first_discards", s, "SK"), 0.0);
}

TEST(Maxims, R_187_I_20_leading_from_under_the_ace_weighs_against_a_card) {
  const Situation s =
      situation(after("EA E8 GK G9 H7 SU S8 S7 | EO GO HO EU GU HA H10 H9 |"
                      " E10 SO HU HK S9 GA G10 H8 | EK E9 E7 G8 G7 SA SK S10",
                      single("SOLO", 1), ""));
  EXPECT_LT(leaning("not_from_under_the_ace", s, "E8"), 0.0);
  EXPECT_EQ(leaning("not_from_under_the_ace", s, "EA"), 0.0);
  EXPECT_EQ(leaning("not_from_under_the_ace", s, "G9"), 0.0);
}

TEST(Maxims, R_187_I_21_no_suit_that_lets_the_soloist_throw_a_loser) {
  // seat 1 threw GA on Eichel; seat 3 is on lead
  const Situation s =
      situation(after("E9 E8 GK G9 H7 SU S8 S7 | EO GO HO EU GU HA H10 GA |"
                      " E10 SO HU HK S9 EK G10 H8 | EA E7 G8 G7 SA SK S10 H9",
                      single("SOLO", 1), "E8 GA E10 EA"));
  EXPECT_LT(leaning("do_not_let_him_discard", s, "E7"), 0.0);
  EXPECT_EQ(leaning("do_not_let_him_discard", s, "G8"), 0.0);
}

TEST(Maxims, R_187_I_24_W_12_3_defenders_of_a_wenz_free_a_suit) {
  // seat 2 holds HU, is void in Eichel and has one Gras, two Schellen and four Herz
  const Situation s =
      situation(after("E9 E8 GK G9 H7 SU S8 S7 | EU GU EO EK HA H10 SA S10 |"
                      " HU G8 HK H8 H9 HO S9 SO | EA E10 E7 GA G10 G7 SK GO",
                      single("WENZ", 1), "E8 EK"));
  EXPECT_GT(leaning("free_a_suit", s, "G8"), leaning("free_a_suit", s, "S9"));
  EXPECT_GT(leaning("free_a_suit", s, "S9"), leaning("free_a_suit", s, "H8"));
}

// Kontra

TEST(Maxims, R_190_I_28_a_declarer_who_came_in_over_another_player_counts_as_strong) {
  const std::string solo_of_1 =
      " | EO GO EU GU SA S10 S9 EA | E10 E8 HU HK G9 G8 H9 GK | SU S8 H10 EK E7 SK S7 G7";
  const auto strong = [&](const std::string& forehand) {
    Game game(research(), deal_of(forehand + solo_of_1), 3);
    while (game.phase() != Phase::kPlay) {
      game.apply(RuleAgent::choose(game.view(game.current_player()), research()));
    }
    EXPECT_EQ(game.contract().declarer, 1);
    const PlayerView view = game.view(2);
    return declarer_is_strong(Situation(view, research()), view);
  };
  // forehand has a Rufspiel
  EXPECT_TRUE(strong("HO SO HA H8 H7 GA G10 E9"));
  Game alone(research(),
             deal_of("E10 E8 HU HK G9 G8 H9 GK | EO GO EU GU SA S10 S9 EA |"
                     " HO SO HA H8 H7 GA G10 E9 | SU S8 H10 EK E7 SK S7 G7"),
             3);
  for (const Action action : {kActionPass, kActionPlay, kActionPass, kActionPass}) {
    alone.apply(action);
  }
  while (alone.phase() != Phase::kPlay) {
    alone.apply(RuleAgent::choose(alone.view(alone.current_player()), research()));
  }
  EXPECT_FALSE(declarer_is_strong(Situation(alone.view(2), research()), alone.view(2)));
}

TEST(Maxims, R_188_I_25_I_28_a_strong_soloist_needs_a_trump_trick_more) {
  const Game game = after(
      "EO GO SO EU H7 H8 E7 E8 | HO SU HK HA H10 EA E10 G7 |"
      " GU HU EK E9 GA G10 GK G9 | H9 G8 SA S10 SK S9 S8 S7",
      single("SOLO", 1), "");
  const Situation s = situation(game);
  // EO and GO, then SO and EU after a small trump under HO; above H8 seven more are outside
  EXPECT_EQ(sure_trump_tricks(s), 4);
  EXPECT_TRUE(doubles_long_trumps(s, 3));
  EXPECT_TRUE(doubles_long_trumps(s, 4));
  EXPECT_FALSE(doubles_long_trumps(s, 5));
}

}  // namespace
}  // namespace schafkopf
