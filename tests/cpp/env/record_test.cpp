// Game records: JSON lines and text are exact inverses of each other and of the game; replay finds
// the recorded results and names what is wrong.
#include "env/record/record.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/cpp/env/record_games.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/record_limits.h"
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

using test::compile;
using test::error_of;
using test::for_many_games;
using test::Json;
using test::names_the_question;
using test::Played;
using test::random_game;
using test::wenz_record;

// Random games

TEST(Record, json_and_record_are_exact_inverses) {
  for_many_games([](const Played& played) {
    GameRecord record = record_of(played.game, played.deal);
    record.id = "a \"name\"\nof two lines";
    record.seed = 18446744073709551615u;
    record.meta = R"({"b":[1,2.5],"a":{"x":null}})";
    record.expect = R"({"won":true})";
    const std::string line = to_json(record);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(parse_record(line), record);
    EXPECT_EQ(to_json(parse_record(line)), line);
    record.line = 7;
    EXPECT_EQ(parse_record(line, 7), record);
  });
}

TEST(Record, text_and_record_are_exact_inverses) {
  for_many_games([](const Played& played) {
    GameRecord record = record_of(played.game, played.deal);
    record.id = "two\nlines: # and -> more";
    record.seed = 3;
    record.meta = R"({"b":[1,2.5]})";
    const std::string text = to_text(record);
    EXPECT_EQ(parse_text(text), record) << text;
    EXPECT_EQ(to_text(parse_text(text)), text);
  });
}

TEST(Record, replay_rebuilds_the_game_and_its_payoffs) {
  int doubled = 0, thrown_in = 0, alone = 0, early = 0;
  for_many_games([&](const Played& played) {
    const ReplayedGame replayed = replay_game(record_of(played.game, played.deal));
    const bool exact = names_the_question(played.game);
    if (exact) {
      EXPECT_EQ(replayed.game.serialize(), played.game.serialize());
    }
    EXPECT_EQ(replayed.deal, played.deal);
    EXPECT_TRUE(replayed.result.finished);
    EXPECT_EQ(replayed.result.settlement.payoffs, played.game.payoffs());
    Game again(*played.rules, played.deal, played.game.dealer());
    for (const Action action : replayed.actions) again.apply(action);
    if (exact) {
      EXPECT_EQ(again.serialize(), played.game.serialize());
    }
    doubled += played.game.doubling_level() > 0 ? 1 : 0;
    thrown_in += replayed.result.thrown_in ? 1 : 0;
    alone += replayed.result.everyone_alone ? 1 : 0;
    early += !replayed.result.ended.empty() && !replayed.result.thrown_in ? 1 : 0;
  });
  EXPECT_GT(doubled, 0);
  EXPECT_GT(thrown_in, 0);
  EXPECT_GT(alone, 0);
  EXPECT_GT(early, 0);
}

TEST(Record, partial_games_stop_where_they_stopped) {
  int compared = 0;
  for (int number = 0; number < 60; ++number) {
    const auto seed = static_cast<std::uint64_t>(11 + number / 15);
    const int actions = 3 * (number % 15);
    const Played played = random_game(CompiledRules::load("official_1989"), seed, actions);
    const Game& game = played.game;
    if (game.is_terminal()) continue;
    const ReplayResult result = replay(record_of(game, played.deal));
    EXPECT_FALSE(result.finished);
    EXPECT_EQ(result.trick_winners.size(), static_cast<std::size_t>(game.num_plays() / 4));
    const ActionMask legal = without_claims(game.legal_actions());
    if (game.phase() == Phase::kDouble || legal.count() == 1) continue;
    EXPECT_EQ(result.to_move, game.current_player()) << seed << ", " << actions;
    EXPECT_EQ(result.legal.size(), static_cast<std::size_t>(legal.count()));
    const Json json = Json::parse(result_json(result));
    EXPECT_TRUE(json.contains("legal") && json.contains("to_move"));
    EXPECT_FALSE(json.contains("payoffs"));
    ++compared;
  }
  EXPECT_GT(compared, 5);
}

TEST(Record, automatic_answers_may_be_left_out) {
  int left_out = 0;
  for_many_games([&](const Played& played) {
    GameRecord record = record_of(played.game, played.deal);
    Game game(*played.rules, played.deal, played.game.dealer());
    std::vector<AuctionStep> kept;
    for (const AuctionStep& step : record.auction) {
      while (game.phase() == Phase::kLegen) {
        const bool lays =
            std::ranges::find(record.laid, game.current_player()) != record.laid.end();
        game.apply(lays ? kActionLay : kActionNoLay);
      }
      if (game.legal_actions().count() > 1) kept.push_back(step);
      game.apply(step.action);
    }
    left_out += static_cast<int>(record.auction.size() - kept.size());
    record.auction = kept;
    const ReplayedGame replayed = replay_game(record);
    EXPECT_EQ(replayed.game.payoffs(), played.game.payoffs());
    if (names_the_question(played.game)) {
      EXPECT_EQ(replayed.game.serialize(), played.game.serialize());
    }
  });
  EXPECT_GT(left_out, 0);
}

TEST(Record, games_entered_at_card_play_have_a_contract_instead_of_an_auction) {
  const auto rules = CompiledRules::load("official_1989");
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Contract contract;
    contract.contract = parse_contract(seed % 2 == 0 ? "SOLO" : "WENZ").row->contract;
    contract.tout = seed % 3 == 0;
    contract.declarer = static_cast<int>(seed % 4);
    if (seed % 2 == 0) contract.suit = static_cast<Suit>(seed % 4);
    const Deal deal = random_deal(seed);
    Game game = Game::with_contract(*rules, deal, 2, contract);
    while (!game.is_terminal()) game.apply(game.legal_actions().lowest());
    const GameRecord record = record_of(game, deal);
    ASSERT_TRUE(record.contract.has_value());
    EXPECT_EQ(parse_record(to_json(record)), record);
    EXPECT_EQ(parse_text(to_text(record)), record);
    EXPECT_EQ(replay_game(record).game.serialize(), game.serialize());
  }
}

// Hand-made games

// 002, "Ergebnis 60 und/oder 120 Augen": the cards after the first lost trick are known.
TEST(Record, R_177_a_tout_that_is_played_out_and_lost_without_a_point_starts_a_bock) {
  Json json = Json::parse(R"({
    "rules": {"preset": "official_1989", "bock_triggers": ["POINTS_120"]},
    "hands": [["E7","E8","G7","G8","H7","H8","S7","S8"],
              ["EU","EA","E10","GA","G10","HA","H10","SA"],
              ["GU","EK","EO","GK","GO","HK","HO","S10"],
              ["HU","SU","E9","G9","H9","S9","SK","SO"]],
    "contract": {"class": "WENZ", "tout": true}, "declarer": 0,
    "plays": ["E7","EA","EK","E9"]})");
  EXPECT_EQ(replay(parse_record(json.dump())).session.context.bock, 0) << "it stops there";
  for (const char* card :
       {"E10", "EO", "HU",  "E8", "G9", "G7", "GA", "GK", "G10", "GO", "SU", "G8",  "H9", "H7",
        "HA",  "HK", "H10", "HO", "S9", "H8", "EU", "GU", "SK",  "S7", "SA", "S10", "SO", "S8"}) {
    json["plays"].push_back(card);
  }
  const ReplayResult result = replay(parse_record(json.dump()));
  EXPECT_EQ(result.points[0], 0);
  EXPECT_FALSE(result.settlement.won);
  EXPECT_EQ(result.session.context.bock, 1);
  json["rules"]["early_termination"] = false;
  EXPECT_EQ(replay(parse_record(json.dump())).session.context.bock, 1);
}

TEST(Record, the_dealer_is_the_last_seat_unless_it_is_named) {
  Json json = Json::parse(R"({"rules": {"preset": "official_1989", "players": 3, "deck": "short24"},
    "hands": [["EO","GO","HO","SO","EA","E10","EK","E9"], ["EU","GU","HU","SU","GA","G10","GK","G9"],
              ["HA","H10","HK","H9","SA","S10","SK","S9"]], "auction": []})");
  EXPECT_EQ(parse_record(json.dump()).dealer, 2);
  json["dealer"] = 1;
  EXPECT_EQ(parse_record(json.dump()).dealer, 1);
  EXPECT_EQ(parse_record(wenz_record().dump()).dealer, 3);
}

TEST(Record, E_5_cards_after_a_lost_tout_are_checked_and_counted) {
  Json json = wenz_record();
  json["contract"]["tout"] = true;
  // seat 1 wins the Eichel trick and loses the Schellen trick
  const std::vector<std::string> plays = {"E9", "EA", "E7", "H7", "S7", "G7", "SA", "SO"};
  json["plays"] = plays;
  ReplayResult result = replay(parse_record(json.dump()));
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.ended, "WENZ_TOUT lost");
  EXPECT_EQ(result.trick_winners, (std::vector<int>{1, 3}));
  const auto payoffs = result.settlement.payoffs;
  EXPECT_EQ(payoffs, (std::array<std::int32_t, kNumSeats>{180, -540, 180, 180}));  // (50+4*10)*2
  for (const char* card : {"S10", "E10", "SU", "G8"}) json["plays"].push_back(card);
  result = replay(parse_record(json.dump()));
  EXPECT_EQ(result.ended, "WENZ_TOUT lost");
  EXPECT_EQ(result.trick_winners, (std::vector<int>{1, 3, 1}));
  EXPECT_EQ(result.points[1], 11 + 10 + 10 + 2);
  EXPECT_EQ(result.settlement.declarer_points, 33);
  EXPECT_EQ(result.settlement.payoffs, payoffs);
  EXPECT_EQ(parse_text(to_text(parse_record(json.dump()))), parse_record(json.dump()));
  json["plays"].push_back("S9");  // seat 1 is on lead
  EXPECT_EQ(error_of(json).substr(0, 38), "line 3: trick 4, seat 1, card S9: not ")
      << error_of(json);
}

TEST(Record, C_19_sie_is_over_before_the_first_card) {
  Json json = wenz_record();
  json["hands"] = {{"EO", "GO", "HO", "SO", "EU", "GU", "HU", "SU"},
                   {"E10", "EK", "E9", "E8", "EA", "GA", "HA", "S7"},
                   {"E7", "G10", "GK", "G9", "G8", "G7", "H10", "HK"},
                   {"H9", "H8", "H7", "SA", "S10", "SK", "S9", "S8"}};
  json["contract"] = {{"class", "SIE"}};
  json["declarer"] = 0;
  const ReplayResult result = replay(parse_record(json.dump()));
  EXPECT_EQ(result.ended, "SIE won");
  EXPECT_EQ(result.settlement.payoffs[0], 1560);
  json["plays"] = {"EO"};
  EXPECT_EQ(error_of(json), "line 3: trick 1, card EO: the deal is over after 0 cards");
}

TEST(Record, F_2_doublings_are_applied_where_they_were_said) {
  Json json = wenz_record();
  json["plays"] = {"E9"};
  json["doublings"] = Json::parse("[[2, 1], [1, 1], [0, 1]]");
  const ReplayedGame replayed = replay_game(parse_record(json.dump()));
  EXPECT_EQ(replayed.game.doubling_level(), 3);
  EXPECT_EQ(replayed.game.phase(), Phase::kPlay);
  EXPECT_EQ(replayed.result.legal, (std::vector<std::string>{"EA"}));
  json["doublings"] = Json::parse("[[1, 1]]");
  EXPECT_EQ(error_of(json).find("line 3: doublings: seat 1 is not asked before card 1"), 0U);
  json["doublings"] = Json::parse("[[2, 9]]");
  EXPECT_NE(error_of(json).find("only 1 cards were played"), std::string::npos);
}

// What stands between and after the cards, and around the deal

TEST(Record, R_125_conceding_the_rest_gives_it_to_the_opponents) {
  Json json = wenz_record();
  json["plays"] = {"E9", "EA", "E7", "H7"};
  json["claims"] = {{1, "CONCEDE_REST", nullptr, 4}};
  const GameRecord record = parse_record(json.dump());
  const ReplayResult result = replay(record);
  EXPECT_EQ(result.ended, "CONCEDE_REST of seat 1");
  EXPECT_EQ(result.settlement.declarer_points, 11);
  EXPECT_EQ(result.settlement.payoffs[1], -3 * (50 + 10 + 4 * 10));  // Schneider, four Laufende
  EXPECT_EQ(parse_text(to_text(record)), record);
  json["claims"] = {{2, "CONCEDE_REST", nullptr, 4}};
  EXPECT_EQ(error_of(json),
            "line 3: claims: entry 1, seat 2, CONCEDE_REST before card 4: seat 1 is to act in "
            "PLAY; legal: EU, GU, GA, HU, HA, S7, SU, CLAIM_REST, CONCEDE_REST (E.5, R-125)");
  json["claims"] = {{1, "CONCEDE_REST", nullptr, 4}};
  json["plays"].push_back("EU");
  EXPECT_EQ(error_of(json), "line 3: trick 2, card EU: the deal is over after 4 cards");
  json["claims"] = {{1, "CONCEDE_REST", nullptr, 9}};
  EXPECT_NE(error_of(json).find("before card 9: only 5 cards were played (E.5, R-125)"),
            std::string::npos);
}

TEST(Record, what_happens_at_the_table_stands_in_its_order_and_where_it_can_happen) {
  Json json = wenz_record();
  json["plays"] = {"E9", "EA", "E7", "H7"};
  const auto with = [&json](const char* claims) {
    json["claims"] = Json::parse(claims);
    return error_of(json);
  };
  EXPECT_EQ(with(R"([[2, "INF_TALK", null, 4], [1, "INF_TALK", null, 3]])"),
            "line 3: claims: entry 2: [1,\"INF_TALK\",null,3], allowed: events in the order in "
            "which they happened");
  EXPECT_EQ(with(R"([[2, "INF_TALK", null, 0], [3, "EV_MISDEAL", null, 0]])"),
            "line 3: claims: entry 2, seat 3, EV_MISDEAL before card 0: a misdeal comes before "
            "everything else (B.3.6, R-018..R-021)");
  EXPECT_EQ(with(R"([[1, "CLAIM_SCHWARZ", null, 4]])"),
            "line 3: claims: entry 1, seat 1, CLAIM_SCHWARZ before card 4: seat 1 is to act in "
            "PLAY; legal: EU, GU, GA, HU, HA, S7, SU, CLAIM_REST, CONCEDE_REST (G.5, "
            "R-165..R-167)");
  EXPECT_EQ(with(R"([[1, "CARD EA", null, 4]])"),
            "line 3: claims: entry 1, seat 1, CARD EA before card 4: seat 1 is to act in PLAY; "
            "legal: EU, GU, GA, HU, HA, S7, SU, CLAIM_REST, CONCEDE_REST (C.20.10)");
  json.erase("contract"), json.erase("declarer"), json.erase("plays");
  json["auction"] = Json::array();
  EXPECT_EQ(with(R"([[2, "INF_TALK", null, 0]])"),
            "line 3: claims: entry 1, seat 2, INF_TALK before card 0: infraction: allowed: during "
            "card play with a contract only, INF_WRONG_LEAD .. INF_TALK (E.6, R-127..R-131)");
}

// C.20.11: seat 0 gives E7 to seat 2 and draws the lowest of SU HA H10 HK H9 H8 H7 S7 by index.
TEST(Record, R_083_the_card_drawn_in_a_Zupf_Solo_is_recorded_and_drawn_again) {
  const auto rules = house({"special_round = \"zupf_solo\""});
  Table table(rules,
              "EO GO HO SO EU GU HU E7 | E8 E9 EK E10 EA G7 G8 G9 |"
              " SU HA H10 HK H9 H8 H7 S7 | GK G10 GA S8 S9 SK S10 SA",
              3);
  table.play("PLAY PASS PASS PASS C_SOLO SUIT_H TARGET_+2 E7").play_out();
  GameRecord record = record_of(table.game());
  const auto drawn = [](const char* card) {
    return std::vector<Exchange>{{2, 0, parse_cards(card)}};
  };
  EXPECT_EQ(record.exchange, drawn("H7"));
  EXPECT_EQ(parse_record(to_json(record)), record);
  EXPECT_EQ(parse_text(to_text(record)), record);
  EXPECT_EQ(replay_game(record).game.serialize(), table.game().serialize());
  record.plays.clear();
  record.exchange = drawn("SU");
  EXPECT_TRUE(replay_game(record).game.hand(0).contains(parse_card("SU").value()));
  const auto refused = [&](int from, int to, const char* card, bool given = true) {
    GameRecord other = record;
    other.exchange = {{from, to, parse_cards(card)}};
    if (!given) other.auction.pop_back();
    EXPECT_EQ(test::error_of([&] { (void)replay(other); }),
              fmt::format("exchange: seat {} has drawn no card from seat {} by this auction, "
                          "allowed: what its TARGET and the card given for it lead to (C.20.11)",
                          to, from));
  };
  refused(1, 0, "EA");            // he was not the target
  refused(2, 1, "SU");            // nor did he draw
  refused(2, 0, "SU", false);     // nor yet, before he has given one
  record.exchange = drawn("EA");  // a card of seat 1
  EXPECT_EQ(test::error_of([&] { (void)replay(record); }),
            "exchange: beside an auction the one card that is drawn in a Zupf-Solo, from a seat "
            "that was dealt it (C.20.11)");
}

TEST(Record, R_128_a_revoke_is_an_event_with_its_seat) {
  Json json = wenz_record();
  json["plays"] = {"E9", "EA", "E7", "H7"};
  json["claims"] = {{2, "INF_REVOKE_LATE", nullptr, 4}};
  const ReplayResult result = replay(parse_record(json.dump()));
  EXPECT_EQ(result.ended, "INF_REVOKE_LATE of seat 2");
  EXPECT_TRUE(result.settlement.won);
  json["claims"] = {{2, "INF_REVOKE_LATE", nullptr, 4}, {1, "INF_TALK", nullptr, 4}};
  EXPECT_EQ(error_of(json),
            "line 3: claims: entry 2, seat 1, INF_TALK before card 4: the deal is over (E.6, "
            "R-127..R-131)");
}

TEST(Record, R_021_the_second_misdeal_in_a_row_costs_the_dealer) {
  Json json = wenz_record();
  json.erase("contract"), json.erase("declarer");
  json["rules"] = "tournament_2024";
  json["auction"] = Json::array();
  json["claims"] = {{3, "EV_MISDEAL", nullptr, 0}};
  EXPECT_EQ(replay(parse_record(json.dump())).to_move, 0);  // dealt again
  json["claims"].push_back({3, "EV_MISDEAL", nullptr, 0});
  const GameRecord record = parse_record(json.dump());
  const ReplayResult result = replay(record);
  EXPECT_EQ(result.settlement.payoffs, (std::array<std::int32_t, kNumSeats>{20, 20, 20, -60}));
  EXPECT_EQ(result.ended, "second misdeal (R-021)");
  EXPECT_EQ(parse_text(to_text(record)), record);
  json["auction"] = Json::parse(R"([[0, "PASS"]])");
  EXPECT_EQ(error_of(json),
            "line 3: claims: the second misdeal in a row ends the deal (B.3.6, R-021)");
  json["auction"] = Json::array();
  json["claims"].push_back({3, "EV_MISDEAL", nullptr, 0});
  EXPECT_EQ(error_of(json).find("line 3: claims: entry 3, seat 3, EV_MISDEAL"), 0u);
  json["claims"][0][0] = 2;
  EXPECT_EQ(error_of(json),
            "line 3: claims: entry 1, seat 2, EV_MISDEAL before card 0: only the dealer, before "
            "the first card (B.3.6, R-018..R-021)");
}

TEST(Record, R_165_laufende_are_claimed_after_the_last_card) {
  Json json = wenz_record();
  json["rules"] = {{"preset", "official_1989"}, {"laufende_by_claim", true}};
  json["contract"]["tout"] = true;
  json["plays"] = {"E9", "EA", "E7", "H7", "S7", "G7", "SA", "SO"};  // the Tout is lost
  const ReplayResult open = replay(parse_record(json.dump()));
  EXPECT_FALSE(open.finished);
  EXPECT_EQ(open.to_move, 2);  // the next winner clockwise
  EXPECT_EQ(open.legal.size(), 15U);
  for (const char* claim :
       {R"([[2, "CLAIM_LAUFENDE_4", null, 8]])", R"([[2, "CLAIM_LAUFENDE", 4, 8]])"}) {
    json["claims"] = Json::parse(claim);
    const ReplayResult result = replay(parse_record(json.dump()));
    EXPECT_EQ(result.settlement.payoffs[1], -3 * (50 + 4 * 10) * 2);
    EXPECT_EQ(parse_record(to_json(parse_record(json.dump()))), parse_record(json.dump()));
  }
  json["plays"].push_back("S10");  // recorded beyond the end
  EXPECT_EQ(replay(parse_record(json.dump())).settlement.payoffs[2], 180);
}

TEST(Record, C_3_a_hochzeit_entered_at_card_play_has_its_partner_and_exchange) {
  Json json = wenz_record();
  json["rules"] = {{"preset", "official_1989"}, {"hochzeit", "before_auction"}};
  json["hands"][0][7] = "HK";  // E8 for the HK: seat 2 has one trump
  json["hands"][2][7] = "E8";
  json["contract"] = {{"class", "HOCHZEIT"}};
  json["declarer"] = 2;
  EXPECT_EQ(error_of(json), "line 3: partner: HOCHZEIT needs the seat that accepted (R-031)");
  json["partner"] = 0;
  json["exchange"] = Json::parse(R"([[2, 0, ["H10"]], [0, 2, ["E9"]]])");
  json["plays"] = {"H10"};
  const GameRecord record = parse_record(json.dump());
  const ReplayedGame replayed = replay_game(record);
  EXPECT_TRUE(replayed.game.hand(2).contains(*parse_card("E9")));
  EXPECT_EQ(record_of(replayed.game, replayed.deal).exchange.size(), 2U);
  EXPECT_EQ(replay_game(record_of(replayed.game, replayed.deal)).game.serialize(),
            replayed.game.serialize());
  EXPECT_EQ(parse_record(to_json(record)), record);
  EXPECT_EQ(parse_text(to_text(record)), record);
  json["exchange"] = Json::parse(R"([[2, 0, ["H10"]]])");
  EXPECT_NE(error_of(json).find("seat 0 has 9 cards after it, needs 8"), std::string::npos);
}

TEST(Record, G_7_what_the_session_hands_in_and_out_is_recorded) {
  Json json = wenz_record();
  json.erase("contract"), json.erase("declarer");
  json["rules"] = {{"preset", "official_1989"}, {"all_pass", "stock"}};
  json["auction"] = Json::parse(R"([[0,"PASS"],[1,"PASS"],[2,"PASS"],[3,"PASS"]])");
  json["session"] = Json::parse(R"({"stock": 40, "queued": [["ramsch", 4]], "bock": 1,
                                    "special_round": "bock", "games_left": 3,
                                    "round_position": 2})");
  const GameRecord record = parse_record(json.dump());
  const ReplayResult result = replay(record);
  const int unit = -result.settlement.stock_payoffs[0];
  EXPECT_GT(unit, 0);
  EXPECT_EQ(result.session.context.stock, 40 + 4 * unit);
  EXPECT_EQ(result.session.round_position, 3);
  EXPECT_EQ(result.session.queued, record.session.queued);
  EXPECT_EQ(result.session.context.games_left, 3);  // a thrown-in deal uses up no Bock (G.8)
  const Json out = Json::parse(result_json(result))["session"];
  EXPECT_EQ(out["special_round"], "bock");
  EXPECT_EQ(out["queued"], Json::parse(R"([["ramsch", 4]])"));
  EXPECT_EQ(parse_text(to_text(record)), record);
}

TEST(Record, places_of_a_table_of_five_are_kept) {
  Json json = wenz_record();
  json["rules"] = {{"preset", "official_1989"}, {"players", 5}};
  json["places"] = {3, 4, 0, 1};
  const GameRecord record = parse_record(json.dump());
  EXPECT_EQ(record.places, (std::vector<int>{3, 4, 0, 1}));
  EXPECT_EQ(parse_record(to_json(record)), record);
  EXPECT_EQ(parse_text(to_text(record)), record);
}

TEST(Record, cards_may_be_written_in_every_notation) {
  Json json = wenz_record();
  json["hands"][0][4] = "ez";
  json["hands"][2][1] = "GX";
  EXPECT_EQ(error_of(json), "no error");
  EXPECT_EQ(parse_record(json.dump()), parse_record(wenz_record().dump()));
}

TEST(Record, shipped_rules_are_played_with_built_values_and_keep_their_name) {
  Json json = wenz_record();
  for (const std::string_view name : preset_names()) {
    json["rules"] = name;
    EXPECT_EQ(error_of(json), "no error") << name;
    EXPECT_EQ(parse_record(json.dump()).preset, name);
  }
  json["rules"] = {{"preset", "course_002"}, {"tariff", "5/20"}};
  EXPECT_EQ(error_of(json), "no error");
}

TEST(Record, half_units_are_written_as_numbers) {
  const Played played = random_game(
      compile({"", {{"tariff", "5/20 half Laufende"}, {"laufende_min_ober", std::int64_t{1}}}}), 1);
  ASSERT_EQ(played.rules->tariff_scale(), 2);
  ReplayResult result = replay(record_of(played.game, played.deal));
  result.settlement.payoffs = {15, -15, 10, -10};
  EXPECT_NE(result_json(result).find("\"payoffs\":[7.5,-7.5,5,-5]"), std::string::npos)
      << result_json(result);
  GameRecord record = record_of(played.game, played.deal);
  record.session.context.stock = 5;
  EXPECT_NE(to_json(record).find("\"stock\":2.5"), std::string::npos) << to_json(record);
  EXPECT_EQ(parse_record(to_json(record)), record);
}

TEST(Record, expect_is_compared_key_by_key) {
  Json json = wenz_record();
  json["plays"] = {"E9", "EA", "E7", "H7"};
  json["expect"] = {{"trick_winners", {1}}, {"points", {0, 11, 0, 0}}, {"to_move", 2}};
  GameRecord record = parse_record(json.dump());
  EXPECT_EQ(differences(record, replay(record)),
            (std::vector<std::string>{"to_move: expected 2, got 1"}));
  json["expect"] = {{"trick_winner", {1}}};
  record = parse_record(json.dump(), 3);
  EXPECT_THROW((void)differences(record, replay(record)), std::invalid_argument);
}

// Recorded games

TEST(Record, real_games_replay_with_their_recorded_results) {
  const char* path = std::getenv("SCHAFKOPF_REAL_GAMES");
  if (path == nullptr) {
    GTEST_SKIP() << "SCHAFKOPF_REAL_GAMES is not set: path of a file with recorded games";
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  int games = 0;
  for (std::string line; std::getline(file, line); ++games) {
    const GameRecord record = parse_record(line, games + 1);
    ASSERT_FALSE(record.expect.empty());
    EXPECT_EQ(differences(record, replay(record)), std::vector<std::string>{}) << line;
    EXPECT_EQ(parse_text(to_text(record)).plays, record.plays);
    EXPECT_EQ(parse_record(to_json(record), games + 1), record);
  }
  EXPECT_GE(games, 251);
}

TEST(Record, an_endgame_position_has_no_record) {
  const auto rules = CompiledRules::load("official_1989");
  Position position;
  position.contract.contract = parse_contract("WENZ").row->contract;
  position.contract.declarer = 0;
  position.hands = {parse_cards("EU"), parse_cards("GU"), parse_cards("HU"), parse_cards("SU")};
  position.captured[1] = CardSet::all() - parse_cards("EU GU HU SU");
  const Game endgame = Game::from_position(*rules, position);
  EXPECT_EQ(test::error_of([&] { (void)record_of(endgame); }),
            "an endgame position has no record: its deal is unknown");
  DealContext context;
  context.bock = 1;
  EXPECT_EQ(record_of(Game(*rules, random_deal(1), 0, context)).session.context, context);
  EXPECT_THROW((void)record_of(Game(*rules, random_deal(1), 0), random_deal(2)),
               std::invalid_argument);
  EXPECT_EQ(replay(record_of(Game(*rules, random_deal(1), 0))).to_move, 1);
}

}  // namespace
}  // namespace schafkopf
