// Game records as text that a person reads and writes, and a game as it is displayed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/record/record.h"
#include "tests/cpp/env/record_games.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

using test::for_many_games;
using test::Json;
using test::Played;
using test::wenz_record;

TEST(RecordText, several_games_in_one_file_begin_with_their_first_lines) {
  const std::string game = to_text(parse_record(wenz_record().dump()));
  const std::string file = "# first\n" + game + "\n# second\r\n" + game + game + "# end\n";
  const std::vector<TextGame> games = split_text(file);
  ASSERT_EQ(games.size(), 3u);
  const int lines = static_cast<int>(std::ranges::count(game, '\n'));
  for (int i = 0; i < 3; ++i) {
    const TextGame& found = games[static_cast<std::size_t>(i)];
    EXPECT_EQ(parse_text(found.text, found.first_line), parse_text(game));
    EXPECT_EQ(found.first_line, 2 + i * lines + (i > 0 ? 2 : 0));
  }
  EXPECT_TRUE(split_text("# nothing\n\n").empty());
  EXPECT_EQ(split_text("rubbish").size(), 1u);
  EXPECT_EQ(split_text(game.substr(0, game.size() - 1)).size(), 1u);
  try {
    (void)parse_text("\nrulse: research\n", 41);
    FAIL() << "a word that is none";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "text line 42: unknown word \"rulse\"; the nearest one is \"rules\"");
  }
  // what is wrong with the game and with no line of it names the line where the game begins
  for (const auto& [first_line, words] : {std::pair{41, "game at line 41: rules"}, {0, "rules"}}) {
    try {
      (void)parse_text("dealer: 3\n", first_line);
      FAIL() << "a game without rules";
    } catch (const std::invalid_argument& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(words)) << error.what();
    }
  }
}

TEST(RecordText, a_person_can_read_it) {
  Json json = wenz_record();
  json["plays"] = {"E9", "EA", "E7", "H7", "EU"};
  json["doublings"] = Json::parse("[[2, 1]]");
  EXPECT_EQ(to_text(parse_record(json.dump())),
            "rules: official_1989\n"
            "dealer: 3\n"
            "hand 0: EO GO HO SO | E10 EK E9 E8\n"
            "hand 1: EU GU HU SU | EA GA HA S7\n"
            "hand 2: E7 G10 GK G9 | G8 G7 H10 HK\n"
            "hand 3: H9 H8 H7 SA | S10 SK S9 S8\n"
            "contract: WENZ by 1\n"
            "doublings: 2 before card 1\n"
            "trick 1, seat 0: E9 EA E7 H7 -> seat 1, 11 points\n"
            "trick 2, seat 1: EU\n"
            "next: seat 2: G7, G8, G9, GK, G10, HK, H10\n");
}

TEST(RecordText, what_does_not_follow_from_the_cards_is_refused) {
  Json json = wenz_record();
  json["plays"] = {"E9", "EA", "E7", "H7"};
  const std::string text = to_text(parse_record(json.dump()));
  const auto error = [&](const std::string& from, const std::string& to) -> std::string {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return test::error_of<std::invalid_argument>([&] { (void)parse_text(changed); });
  };
  EXPECT_EQ(error("-> seat 1, 11 points", ""), "no error");
  EXPECT_EQ(error("-> seat 1, 11 points", "-> seat 1"), "no error");
  for (const char* half : {"-> sea", "->", "-> seat 1, 1", "-> seat 1, 11 point"}) {
    EXPECT_EQ(error("-> seat 1, 11 points", half).find("text line 8: \"trick 1, seat 0: E9 EA"), 0U)
        << half;
  }
  EXPECT_EQ(error("E9 EA E7 H7 ->", "e9 Ea e7 h7 ->"), "no error");
  const std::size_t next = text.find("next: seat 1: ");
  ASSERT_NE(next, std::string::npos) << text;
  std::string lower = text;
  for (std::size_t i = text.find(": ", next + 5); i < lower.size(); ++i) {
    lower[i] = static_cast<char>(std::tolower(lower[i]));
  }
  EXPECT_EQ(to_text(parse_text(lower)), text);
  EXPECT_EQ(error("dealer: 3", "# the dealer is the last seat\n\ndealer: 3"), "no error");
  EXPECT_EQ(error("11 points", "10 points").find("text line 8: \"trick 1, seat 0: E9 EA E7 H7"),
            0U);
  EXPECT_EQ(error("trick 1, seat 0", "trick 1, seat 2").find("text line 8: "), 0U);
  EXPECT_NE(error("trick 1, seat 0", "trick 1, seat 2").find(": \"trick 1, seat 0: E9 EA"),
            std::string::npos);
  EXPECT_EQ(error("trick 1, seat 0", "trick 9, seat 0"), "text line 8: trick 9, allowed: 1..1");
  EXPECT_EQ(error("dealer", "daeler"),
            "text line 2: unknown word \"daeler\"; the nearest one is \"dealer\"");
  EXPECT_EQ(error("dealer: 3", "dealer: x"), "text line 2: \"x\" is no number");
  EXPECT_EQ(error("hand 1", "hand 2"), "text line 4: \"hand 1\" expected");
  EXPECT_EQ(error("by 1", "for 1"),
            "text line 7: \"for\", allowed: on, in, bid, renonce, by, with");
  EXPECT_EQ(error("dealer: 3", "dealer: 3\ndealer: 3"), "text line 3: \"dealer\" comes twice");
  EXPECT_NE(error("EA E7", "EU E7").find("trick 1, seat 1, card EU"), std::string::npos);
}

TEST(RecordText, what_a_line_does_not_say_in_its_form_is_refused_with_the_form) {
  Json json = wenz_record();
  json["plays"] = {"E9"};
  const std::string text = to_text(parse_record(json.dump()));
  const auto error = [&](const std::string& line) {
    std::string changed = text;
    changed.replace(changed.find("contract: WENZ by 1\n"), 20, line + "\n");
    return test::error_of<std::invalid_argument>([&] { (void)parse_text(changed); });
  };
  EXPECT_EQ(error("contract: WENZ by 1\nlegen:"), "no error");
  EXPECT_EQ(error("contract: WENZ by"),
            "text line 7: allowed: CLASS [on CARD] [in SUIT] [bid N] [renonce] [by SEAT] [with "
            "SEAT]");
  EXPECT_EQ(error("exchange: 2 0 H10"), "text line 7: allowed: SEAT to SEAT CARD CARD ..., ...");
  EXPECT_EQ(error("claims: 2 CLAIM_REST"),
            "text line 7: allowed: SEAT EVENT before card INDEX, ...");
  EXPECT_EQ(error("doublings: 2 at 1"), "text line 7: allowed: SEAT before card INDEX, ...");
}

// C.2: blocked on both other aces, seat 0 calls the Eichel-Ass without a card of Eichel. D.5: bids.
TEST(RecordText, contracts_are_written_with_called_card_renonce_and_bid) {
  Json json = wenz_record();
  json["contract"] = {{"class", "SOLO"}, {"suit", "E"}, {"bid", 80}};
  json["rules"] = {{"preset", "official_1989"}, {"solo_contest", "steigern"}};
  const auto round_trip = [](const Json& written) {
    const GameRecord record = parse_record(written.dump());
    const std::string text = to_text(record);
    EXPECT_EQ(parse_text(text), record);
    EXPECT_EQ(parse_record(to_json(record)), record);
    const std::size_t begin = text.find("contract");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(round_trip(json), "contract: SOLO in E bid 80 by 1");
  json["rules"] = {{"preset", "official_1989"}, {"renonce", "announced"}};
  json["hands"] = Json::parse(R"([["EO","GO","HO","SO","GA","G10","SA","S10"],
                                  ["EU","GU","HU","SU","EA","E10","HA","S7"],
                                  ["E7","E8","GK","G9", "G8","G7","H10","HK"],
                                  ["H9","H8","H7","EK","E9","SK","S9","S8"]])");
  json["contract"] = {{"class", "RUF"}, {"called", "EA"}, {"renonce", true}};
  json["declarer"] = 0;
  EXPECT_EQ(round_trip(json), "contract: RUF on EA renonce by 0");
}

TEST(RecordText, a_contract_that_there_is_not_has_no_text) {
  Contract contract;
  contract.contract = static_cast<ContractClass>(99);
  EXPECT_EQ(test::error_of([&] { (void)contract_text(contract); }),
            "contract = 99, allowed: the classes of ContractClass, 0..18");
  contract.contract = ContractClass::kSolo;
  contract.suit = static_cast<Suit>(4);
  EXPECT_EQ(test::error_of([&] { (void)contract_text(contract); }), "suit = 4, allowed: 0..3");
}

TEST(RecordText, display_shows_hands_table_and_legal_actions) {
  Json json = wenz_record();
  json["plays"] = {"E9", "EA", "E7", "H7", "EU"};
  const ReplayedGame replayed = replay_game(parse_record(json.dump()));
  EXPECT_EQ(display(replayed.game),
            "WENZ by seat 1 | dealer 3\n"
            "seat 0  E10 EK EO E8 GO HO SO              0 points\n"
            "seat 1  GU HU SU GA HA S7                 11 points\n"
            "seat 2* G10 GK G9 G8 G7 H10 HK             0 points\n"
            "seat 3  H9 H8 SA S10 SK S9 S8              0 points\n"
            "trick 2: 1:EU\n"
            "PLAY: seat 2 to act, legal: G7, G8, G9, GK, G10, HK, H10, CONCEDE_REST");
  json = wenz_record();
  json["rules"] = {{"preset", "official_1989"}, {"legen", "free"}};
  json.erase("contract"), json.erase("declarer");
  json["auction"] = Json::array();
  json["legen"] = {1, 3};
  EXPECT_NE(display(replay_game(parse_record(json.dump())).game).find("laid 2 times | dealer 3"),
            std::string::npos);
  for_many_games([](const Played& played) { EXPECT_FALSE(display(played.game).empty()); }, 25);
  for_many_games([](const Played& played) {
    EXPECT_NE(display(played.game).find("over, payoffs: "), std::string::npos);
  });
}

// E.2: the event bears the called card, which its owner did not call.
TEST(RecordText, display_tells_who_ran_away) {
  Table table(house({"kontra_window = \"before_second_card\""}),
              "SA S10 SK S9 EA E7 G7 HA | S8 EO GO HO SO EU GU HU | |");
  table.play("PASS PLAY PASS PASS C_RUF SA S9");
  ASSERT_EQ(table.now(), "DOUBLE 2");
  EXPECT_NE(display(table.game()).find("1 CARD SA, 0 runs away from SA\n"), std::string::npos)
      << display(table.game());
}

// F.2: who is asked after the first card sees it.
TEST(RecordText, display_shows_the_trick_in_which_a_doubling_is_asked_for) {
  const auto rules = CompiledRules::load("official_1989");
  const Contract wenz{.contract = ContractClass::kWenz, .declarer = 0};
  Game game = Game::with_contract(*rules, random_deal(1), 3, wenz);
  game.apply(without_claims(game.legal_actions()).lowest());
  ASSERT_EQ(game.phase(), Phase::kDouble);
  const std::string trick = "trick 1: 0:" + card_name(game.played_card(0));
  EXPECT_NE(display(game).find(trick + "\nDOUBLE: seat 1 to act"), std::string::npos)
      << display(game);
}

}  // namespace
}  // namespace schafkopf
