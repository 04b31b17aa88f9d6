// Card play row by row (RULES E.1 to E.4), in game notation.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "env/game/game.h"
#include "tests/cpp/support/table_notation.h"

namespace schafkopf {
namespace {

using notation::kDeal;
using notation::NotedTable;

const Lines kNoKontra = {"kontra_window = \"off\""};
const char* const kRuf = "0:C_RUF 0:SA";

Lines and_line(Lines lines, const std::string& line) {
  lines.push_back(line);
  return lines;
}

/// Seat 0 plays, everybody else passes.
NotedTable table_of_contract(const std::string& contract, int dealer = 3,
                             const Lines& lines = kNoKontra, const std::string& hands = kDeal) {
  NotedTable table(lines, hands, dealer);
  for (int i = 0; i < kNumSeats; ++i) {
    table.play(table.game.current_player() == 0 ? "PLAY" : "PASS");
  }
  table.play(contract);
  return table;
}

// ---- the trick ----

// 000 3.1.1: forehand leads, whoever plays; then the winner of the trick.
TEST(PlayRows, R_111_forehand_leads_and_then_the_winner) {
  NotedTable table = table_of_contract(kRuf, 1);
  EXPECT_EQ(table.asks(), "2 PLAY: E7 E8 G8 G9 GU GO HU HK");
  table.play("2:E7");
  EXPECT_EQ(table.asks(), "3 PLAY: G7 H8 H10 S7 SO SK S10");
  table.play("3:G7");
  EXPECT_EQ(table.asks(), "0 PLAY: E9");
  table.play("0:E9");
  EXPECT_EQ(table.asks(), "1 PLAY: EK E10 EA");
  table.play("1:EA");
  EXPECT_EQ(table.asks(), "1 PLAY: EK E10 GK G10 GA H7 SU");
  EXPECT_THROW(table.play("EA"), std::invalid_argument) << "was liegt, liegt";
  table.play("1:H7 2:HK 3:H10 0:EO");
  EXPECT_EQ(table.asks(), "0 PLAY: EU H9 HO HA S8 S9");
}

TEST(PlayRows, R_111_three_players_have_tricks_of_three) {
  NotedTable table(
      {"deck = \"short24\"", "players = 3", "kontra_window = \"off\""},
      "EO HO EU HA H9 E9 S9 SU | EA E10 EK GA G10 GK GU HU | GO SO H10 HK SA S10 SK G9", 2);
  table.play("0:PLAY 1:PASS 2:PASS 0:C_SOLO 0:SUIT_H 0:H9");
  EXPECT_EQ(table.asks(), "1 PLAY: GU HU");
  table.play("1:GU");
  EXPECT_EQ(table.asks(), "2 PLAY: GO HK H10 SO");
  table.play("2:H10");
  EXPECT_EQ(table.asks(), "1 PLAY: EK E10 EA GK G10 GA HU");
  EXPECT_EQ(to_string(table.game.captured(1)), "GU H9 H10");
}

// 000 3.2.1: trump follows trump, and a trump is not of its printed suit.
TEST(PlayRows, R_112_the_led_suit_or_trump_must_be_followed) {
  NotedTable ruf = table_of_contract(kRuf);
  ruf.play("0:EO");
  EXPECT_EQ(ruf.asks(), "1 PLAY: H7 SU");
  ruf.play("1:SU");
  EXPECT_EQ(ruf.asks(), "2 PLAY: GU GO HU HK") << "no need to beat the Eichel-Ober";
  NotedTable wenz = table_of_contract("0:C_WENZ 0:EO");
  EXPECT_EQ(wenz.asks(), "1 PLAY: EK E10 EA") << "the Ober is an Eichel";
  wenz.play("1:EK");
  EXPECT_EQ(wenz.asks(), "2 PLAY: E7 E8");
  NotedTable unter = table_of_contract("0:C_WENZ 0:EU");
  EXPECT_EQ(unter.asks(), "1 PLAY: SU");
  unter.play("1:SU");
  EXPECT_EQ(unter.asks(), "2 PLAY: GU HU");
  NotedTable solo = table_of_contract("0:C_SOLO 0:SUIT_S 0:H9");
  EXPECT_EQ(solo.asks(), "1 PLAY: H7");
  solo.play("1:H7");
  EXPECT_EQ(solo.asks(), "2 PLAY: HK") << "Ober and Unter are trumps";
}

// 000 3.2.2: neither must a void seat ruff, nor may it be forbidden to.
TEST(PlayRows, R_113_a_void_seat_may_play_anything) {
  NotedTable wenz = table_of_contract("0:C_WENZ 0:EU 1:SU 2:HU");
  EXPECT_EQ(wenz.asks(), "3 PLAY: G7 H8 H10 S7 SO SK S10 SA");
  NotedTable solo = table_of_contract("0:C_SOLO 0:SUIT_H 0:S9");
  EXPECT_EQ(solo.asks(), "1 PLAY: EK E10 EA GK G10 GA H7 SU");
  solo.play("1:H7");
  EXPECT_EQ(solo.asks(), "2 PLAY: E7 E8 G8 G9 GU GO HU HK") << "over, under or beside";
}

struct Trick {
  const char* cards;
  ContractClass contract;
  Suit suit;
  int winner;
};

// 000 3.2.3 with the orders of section C.
TEST(PlayRows, R_114_each_game_has_its_own_order) {
  using enum ContractClass;
  const std::vector<Trick> tricks = {
      {"E7 EA E10 S7", kRuf, Suit::kHerz, 1},        {"E7 EA H7 E10", kRuf, Suit::kHerz, 2},
      {"SU HU GU EU", kRuf, Suit::kHerz, 3},         {"EU SO HO HA", kRuf, Suit::kHerz, 2},
      {"E9 GA SA E8", kRuf, Suit::kHerz, 0},         {"S7 HA SA S10", kSolo, Suit::kSchellen, 2},
      {"HA SU S7 EU", kSolo, Suit::kSchellen, 3},    {"EO EK EA E10", kWenz, Suit::kHerz, 2},
      {"EO E9 E8 E7", kWenz, Suit::kHerz, 0},        {"EK EO SU EA", kWenz, Suit::kHerz, 2},
      {"G9 GU GK SO", kGeier, Suit::kHerz, 3},       {"G9 GU G8 EU", kGeier, Suit::kHerz, 1},
      {"EA G7 E10 GO", kFarbwenz, Suit::kGras, 3},   {"G7 SU GA EO", kFarbwenz, Suit::kGras, 1},
      {"EA G7 EU GU", kFarbgeier, Suit::kGras, 3},   {"G9 GO GU GK", kHabicht, Suit::kHerz, 3},
      {"G9 GU GO G8", kHabicht, Suit::kHerz, 2},     {"GA GK S10 GO", kEisenbahner, Suit::kHerz, 2},
      {"GO GK GU G9", kEisenbahner, Suit::kHerz, 1}, {"E10 E9 EU E7", kBettel, Suit::kHerz, 2},
      {"E10 E9 E8 HA", kBettel, Suit::kHerz, 0},     {"EU EO EK E10", kBettelBrett, Suit::kHerz, 2},
      {"E7 HA E9 E8", kRamschTout, Suit::kHerz, 1},  {"EA HA E10 EK", kBettelMix, Suit::kHerz, 0},
      {"HA SU H10 H9", kBettelMix, Suit::kHerz, 1},
  };
  const RuleSet rules;
  for (const Trick& row : tricks) {
    std::vector<Card> cards;
    std::stringstream words(row.cards);
    for (std::string word; words >> word;) cards.push_back(parse_card(word).value());
    EXPECT_EQ(trick_winner(cards, row.contract, row.suit, rules), row.winner)
        << contract_name(row.contract, false) << ' ' << row.cards;
  }
}

// ---- the called ace ----

// 000 3.2.4
TEST(PlayRows, R_115_the_searched_ace_falls) {
  NotedTable table = table_of_contract(kRuf);
  table.play("0:S9 1:GA 2:E7");
  EXPECT_EQ(table.asks(), "3 PLAY: SA");
  table.play("3:SA");
  EXPECT_EQ(table.asks(), "3 PLAY: G7 H8 H10 S7 SO SK S10") << "the duties end with the ace";
}

TEST(PlayRows, R_115_only_a_lead_of_its_suit_searches_the_ace) {
  NotedTable table = table_of_contract(kRuf);
  table.play("0:E9 1:EA 2:E7 3:S7 1:GA 2:G8");
  EXPECT_EQ(table.asks(), "3 PLAY: G7");
  table.play("3:G7");
  EXPECT_EQ(table.asks(), "0 PLAY: EU EO H9 HO HA S8 S9");
  table.play("0:S8");
  EXPECT_EQ(table.asks(), "1 PLAY: EK E10 GK G10 H7 SU");
}

/// RUF with SA by seat 0, who leads, with these cards left.
NotedTable last_cards(const std::string& hands, int window) {
  const Contract contract = {
      .contract = ContractClass::kRuf, .called = parse_card("SA").value(), .declarer = 0};
  return NotedTable(and_line(kNoKontra, "called_discard_window = " + std::to_string(window)),
                    notation::endgame(contract, hands, 0, 0));
}

// 000 3.2.4: only in the last trick; 004 4: from the second-to-last trick on.
TEST(PlayRows, R_116_R_117_the_called_ace_is_kept_until_the_end) {
  for (const int window : {1, 2}) {
    NotedTable table = last_cards("EA E9 E8 | G8 G9 GK | G7 GA G10 | SA SK H7", window);
    table.play("0:EA 1:G8 2:G7");
    EXPECT_EQ(table.asks(), "3 PLAY: H7 SK") << "three cards left, window " << window;
    table.play("3:SK 0:E9 1:G9 2:G10");
    EXPECT_EQ(table.asks(), window == 1 ? "3 PLAY: H7" : "3 PLAY: H7 SA");
    NotedTable last = table;
    last.play("3:H7");
    EXPECT_EQ(last.asks(), "3 PLAY: SA");
  }
}

TEST(PlayRows, R_116_the_ace_may_go_in_the_last_trick) {
  NotedTable table = last_cards("EA | G8 | G7 | SA", 1);
  table.play("0:EA 1:G8 2:G7");
  EXPECT_EQ(table.asks(), "3 PLAY: SA");
}

// 004 4
TEST(PlayRows, R_117_the_tournament_lets_the_ace_go_one_trick_earlier) {
  EXPECT_EQ(preset("tournament_2024").called_discard_window, 2);
  for (const char* name : {"official_1989", "course_002", "wikipedia_pure"}) {
    EXPECT_EQ(preset(name).called_discard_window, 1) << name;
  }
}

// 000 3.2.5: seat 3 leads with the ace and two more Schellen.
TEST(PlayRows, R_118_with_two_others_only_the_ace_is_led_of_its_suit) {
  const std::string hands =
      "EO HO EU HA H9 E9 S9 S8 | EA E10 EK GA G10 GK SU H7 |"
      " GO GU HU HK E8 S7 G9 G8 | SO H10 H8 SA S10 SK E7 G7";
  EXPECT_EQ(table_of_contract(kRuf, 2, kNoKontra, hands).asks(), "3 PLAY: E7 G7 H8 H10 SO SA");
  EXPECT_EQ(table_of_contract(kRuf, 2, and_line(kNoKontra, "runaway_min_others = 2"), hands).asks(),
            "3 PLAY: E7 G7 H8 H10 SO SK S10 SA");
  EXPECT_EQ(table_of_contract("0:C_WENZ", 2, kNoKontra, hands).asks(),
            "3 PLAY: E7 G7 H8 H10 SO SK S10 SA");
}

TEST(PlayRows, R_118_R_119_without_davonlaufen_three_others_do_not_help) {
  EXPECT_EQ(table_of_contract(kRuf, 2, and_line(kNoKontra, "runaway_enabled = false")).asks(),
            "3 PLAY: G7 H8 H10 SO SA");
  EXPECT_EQ(table_of_contract(kRuf, 2).asks(), "3 PLAY: G7 H8 H10 S7 SO SK S10 SA");
}

// 004: Ober and Unter of the suit do not count.
TEST(PlayRows, R_119_pictures_of_the_suit_are_no_others) {
  const std::string hands =
      "EO HO EU HA H9 E9 S9 S8 | EA E10 EK GA G10 GK S7 H7 |"
      " GO GU HU HK E8 E7 G9 G8 | SO H10 H8 SA S10 SK SU G7";
  EXPECT_EQ(table_of_contract(kRuf, 2, kNoKontra, hands).asks(), "3 PLAY: G7 H8 H10 SU SO SA");
}

// "At that moment": one of the three has been discarded before.
TEST(PlayRows, R_119_the_three_others_must_still_be_held) {
  NotedTable table = table_of_contract(kRuf);
  table.play("0:E9 1:EA 2:E7 3:S7 1:GA 2:G8 3:G7 0:H9 0:HA 1:H7 2:HK 3:SO");
  EXPECT_EQ(table.asks(), "3 PLAY: H8 H10 SA");
}

// 000 3.2.5, 3.3.2
TEST(PlayRows, R_120_R_121_after_running_away_the_ace_is_an_ordinary_card) {
  NotedTable table = table_of_contract(kRuf, 2);
  EXPECT_FALSE(table.game.partner_known());
  table.play("3:S7");
  EXPECT_TRUE(table.game.partner_known());
  EXPECT_TRUE(table.game.view(1).has(kFlagRanAway));
  EXPECT_EQ(table.game.view(1).partner(), 2) << "seat 3 seen from seat 1";
  table.play("0:S9 1:SU 2:E7 1:EA 2:E8");
  EXPECT_EQ(table.asks(), "3 PLAY: G7 H8 H10 SO SK S10 SA") << "may be discarded";
  table.play("3:G7 0:E9 1:H7 2:HK 3:H8 0:EO 0:S8 1:EK 2:G8");
  EXPECT_EQ(table.asks(), "3 PLAY: SK S10 SA") << "need not be played a second time";
  table.play("3:SK");
  EXPECT_EQ(table.asks(), "3 PLAY: H10 SO S10 SA");
}

// 000 2.3.1, OPEN-49: nobody but the owner knows before the ace lies on the table.
TEST(PlayRows, R_121_the_partner_is_known_when_the_ace_falls) {
  NotedTable table = table_of_contract(kRuf);
  table.play("0:S9 1:GA 2:E7");
  for (const int seat : {0, 1, 2}) EXPECT_EQ(table.game.view(seat).partner(), kNoSeat) << seat;
  EXPECT_EQ(table.game.view(3).partner(), 0);
  EXPECT_FALSE(table.game.partner_known());
  table.play("3:SA");
  EXPECT_TRUE(table.game.partner_known());
  EXPECT_EQ(table.game.view(0).partner(), 3);
  EXPECT_EQ(table.game.view(1).partner(), 2);
  EXPECT_EQ(table.game.view(2).partner(), 1);
}

// OPEN-49: a Re of the secret partner shows him, a Kontra shows nothing about the others.
TEST(PlayRows, R_121_a_re_of_the_secret_partner_shows_him) {
  NotedTable table = table_of_contract(kRuf, 3, {"kontra_window = \"before_second_card\""});
  table.play("0:EO 1:DOUBLE");
  EXPECT_FALSE(table.game.partner_known());
  NotedTable declarer = table;
  table.play("3:DOUBLE");
  EXPECT_TRUE(table.game.partner_known());
  EXPECT_EQ(table.game.view(2).partner(), 1);
  declarer.play("3:NO_DOUBLE 0:DOUBLE");
  EXPECT_FALSE(declarer.game.partner_known());
}

// 000 A1 3.3.2: seat 0 must play and is blocked; seat 2 holds the Ten or King that is called.
TEST(PlayRows, R_122_a_called_ten_is_searched_kept_and_runs_away) {
  const std::string hands =
      "EO HU HA EA E9 SA H7 H8 | GA G10 GK G9 G8 G7 GU SO |"
      " E10 EK E8 E7 S10 SK S9 S8 | GO HO EU SU H10 HK H9 S7";
  const Lines lines = and_line(kNoKontra, "all_pass = \"muss_spiel\"");
  NotedTable table(lines, hands);
  table.play("0:PASS 1:PASS 2:PASS 3:PASS 0:E10");
  NotedTable kept = table;
  table.play("0:E9 1:G7");
  EXPECT_EQ(table.asks(), "2 PLAY: E10");
  kept.play("0:EO 1:GU");
  EXPECT_EQ(kept.asks(), "2 PLAY: E7 E8 EK S8 S9 SK S10");
  NotedTable lead(lines, hands, 1);
  lead.play("2:PASS 3:PASS 0:PASS 1:PASS 0:E10");
  EXPECT_EQ(lead.asks(), "2 PLAY: E7 E8 EK E10 S8 S9 SK S10");
  lead.play("2:E7");
  EXPECT_TRUE(lead.game.partner_known());
  NotedTable stay(and_line(lines, "runaway_enabled = false"), hands, 1);
  stay.play("2:PASS 3:PASS 0:PASS 1:PASS 0:E10");
  EXPECT_EQ(stay.asks(), "2 PLAY: E10 S8 S9 SK S10");
}

TEST(PlayRows, R_122_a_called_king_is_searched) {
  NotedTable table(and_line(kNoKontra, "all_pass = \"muss_spiel\""),
                   "EO HU HA EA E10 SA S10 H8 | GA G10 GK G9 G8 G7 GU SO |"
                   " EK E9 E8 E7 SK S9 S8 S7 | GO HO EU SU H10 HK H9 H7");
  table.play("0:PASS 1:PASS 2:PASS 3:PASS");
  EXPECT_EQ(table.asks(), "0 CALL_CARD: EK SK");
  table.play("0:EK 0:EA 1:G7");
  EXPECT_EQ(table.asks(), "2 PLAY: EK");
}

// ---- what may be looked up ----

/// Cards in the order of play that a seat can still see, with the seat that played them.
std::string seen_plays(const NotedTable& table, int seat) {
  std::string text;
  for (const std::uint8_t play : table.game.view(seat).order.plays) {
    if ((play & 0x80) == 0) continue;
    if (!text.empty()) text += ' ';
    text += std::to_string((seat + ((play >> 5) & 3)) % kNumSeats) + ':' + card_name(play & 31);
  }
  return text;
}

CardSet seen_played(const NotedTable& table, int seat) {
  CardSet all;
  for (const std::uint32_t cards : table.game.view(seat).cards.played) all = all | CardSet(cards);
  return all;
}

const char* const kThreeTricks = "0:E9 1:EA 2:E7 3:S7 1:GA 2:G8 3:G7 0:H9 0:HA 1:H7 2:HK 3:SO";

// 000 3.3.4
TEST(PlayRows, R_123_with_last_trick_only_the_last_and_the_running_trick_are_seen) {
  NotedTable table =
      table_of_contract(kRuf, 3, and_line(kNoKontra, "history_view = \"last_trick\""));
  table.play(kThreeTricks);
  for (int seat = 0; seat < kNumSeats; ++seat) {
    EXPECT_EQ(seen_plays(table, seat), "0:HA 1:H7 2:HK 3:SO") << seat;
    EXPECT_EQ(seen_played(table, seat), parse_cards("HA H7 HK SO")) << seat;
  }
  table.play("3:SA 0:S9");
  EXPECT_EQ(seen_plays(table, 2), "0:HA 1:H7 2:HK 3:SO 3:SA 0:S9");
  EXPECT_EQ(seen_played(table, 2), parse_cards("HA H7 HK SO SA S9"));
}

TEST(PlayRows, R_123_R_124_with_full_history_every_trick_is_seen) {
  NotedTable table = table_of_contract(kRuf);
  table.play(kThreeTricks).play("3:SA");
  EXPECT_EQ(seen_plays(table, 1), std::string(kThreeTricks) + " 3:SA");
  EXPECT_EQ(seen_played(table, 1), parse_cards("E9 EA E7 S7 GA G8 G7 H9 HA H7 HK SO SA"));
}

// 000 3.3.2: each seat keeps its own tricks, partner or not.
TEST(PlayRows, R_124_tricks_are_kept_by_the_seat_that_won_them) {
  NotedTable table = table_of_contract(kRuf);
  table.play(kThreeTricks);
  const CardsLine& cards = table.game.view(2).cards;
  EXPECT_EQ(CardSet(cards.captured[3]), parse_cards("E9 EA E7 S7")) << "seat 1 seen from seat 2";
  EXPECT_EQ(CardSet(cards.captured[2]), parse_cards("GA G8 G7 H9"));
  EXPECT_EQ(CardSet(cards.captured[1]), parse_cards("HA H7 HK SO"));
  EXPECT_EQ(CardSet(cards.captured[0]), CardSet());
  EXPECT_EQ(points_of(table.game.captured(3)), 11 + 0 + 4 + 3);
}

}  // namespace
}  // namespace schafkopf
