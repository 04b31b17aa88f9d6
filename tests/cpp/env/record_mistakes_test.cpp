// Game records that are wrong: every mistake is named with its line, its key and what is allowed.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/record/record.h"
#include "tests/cpp/env/record_games.h"
#include "tests/cpp/support/errors.h"

namespace schafkopf {
namespace {

using test::error_of;
using test::Json;
using test::wenz_record;

struct Mistake {
  const char* what;
  std::function<void(Json&)> make;
  const char* message;
};

/// Each mistake, made in a record without one, is named with line 3, where the record stands.
void expect_named(const std::vector<Mistake>& mistakes) {
  ASSERT_EQ(error_of(wenz_record()), "no error");
  for (const Mistake& mistake : mistakes) {
    Json json = wenz_record();
    mistake.make(json);
    EXPECT_NE(error_of(json).find(mistake.message), std::string::npos)
        << mistake.what << ": " << error_of(json);
    EXPECT_EQ(error_of(json).find("line 3: "), 0U) << mistake.what << ": " << error_of(json);
  }
}

TEST(Record, unknown_keys_are_named_with_the_nearest_one) {
  expect_named({
      {"unknown key", [](Json& j) { j["dealr"] = 1; },
       "line 3: unknown key \"dealr\", allowed: rules, dealer, hands, "},
      {"a far key", [](Json& j) { j["xylophones"] = 1; }, "line 3: unknown key \"xylophones\""},
      {"contract key", [](Json& j) { j["contract"]["claled"] = "EA"; },
       "nearest one is \"called\""},
      {"contract key that cannot be printed", [](Json& j) { j["contract"]["\x1b[2J"] = 1; },
       "line 3: contract: unknown key \"\\x1b[2J\""},
      {"session key", [](Json& j) { j["session"] = {{"bok", 1}}; },
       "round_position; the nearest one is \"bock\""},
      {"session key without a value", [](Json& j) { j["session"] = {{"bok", nullptr}}; },
       "round_position; the nearest one is \"bock\""},
      {"session key that cannot be printed", [](Json& j) { j["session"] = {{"bo\x7f", 1}}; },
       "line 3: session: unknown key \"bo\\x7f\""},
  });
}

TEST(Record, unknown_rules_and_wrong_heads_are_named) {
  expect_named({
      {"no rules", [](Json& j) { j.erase("rules"); }, "line 3: rules: missing"},
      {"unknown preset", [](Json& j) { j["rules"] = "official"; }, "line 3: rules: preset = \"off"},
      {"unknown switch", [](Json& j) { j["rules"] = Json::parse(R"({"kontra_windw": "off"})"); },
       "the nearest one is \"kontra_window\""},
      {"dealer", [](Json& j) { j["dealer"] = 4; }, "line 3: dealer: 4, allowed: an integer 0..3"},
      {"a dealer where three play",
       [](Json& j) {
         j = Json::parse(R"({"rules": {"preset": "official_1989", "players": 3, "deck": "short24"},
           "hands": [["EO","GO","HO","SO","EA","E10","EK","E9"],
                     ["EU","GU","HU","SU","GA","G10","GK","G9"],
                     ["HA","H10","HK","H9","SA","S10","SK","S9"]], "auction": [], "dealer": 3})");
       },
       "dealer = 3, the rules have 3 seats"},
      {"version", [](Json& j) { j["version"] = 2; },
       "line 3: version: 2, allowed: an integer 1..1"},
      {"seed", [](Json& j) { j["seed"] = -1; }, "line 3: seed: -1, allowed"},
      {"id", [](Json& j) { j["id"] = 1; }, "line 3: id: 1, allowed: a text"},
      {"meta", [](Json& j) { j["meta"] = 1; }, "line 3: meta: 1, allowed: an object"},
  });
}

TEST(Record, wrong_cards_and_hands_are_named) {
  expect_named({
      {"no hands", [](Json& j) { j.erase("hands"); }, "line 3: hands: missing"},
      {"no card", [](Json& j) { j["hands"][2][3] = "Q7"; }, "line 3: hands: seat 2: \"Q7\""},
      {"card twice", [](Json& j) { j["hands"][2][3] = "EO"; },
       "line 3: hands: card EO comes twice"},
      {"short hand", [](Json& j) { j["hands"][1].erase(0); }, "line 3: hands: seat 1 has 7 cards"},
      {"three hands", [](Json& j) { j["hands"].erase(3); }, "line 3: hands: 3 hands"},
  });
}

TEST(Record, a_contract_that_does_not_fit_its_class_is_named) {
  expect_named({
      {"no contract", [](Json& j) { j.erase("contract"), j.erase("declarer"); },
       "line 3: auction: missing"},
      {"both", [](Json& j) { j["auction"] = Json::array(); }, "line 3: contract: stands beside"},
      {"class", [](Json& j) { j["contract"]["class"] = "WENS"; },
       "line 3: contract: class: \"WENS\""},
      {"no suit", [](Json& j) { j["contract"]["class"] = "SOLO"; }, "contract: SOLO needs a suit"},
      {"suit", [](Json& j) { j["contract"]["suit"] = "E"; }, "contract: WENZ has no suit"},
      {"suit name", [](Json& j) { j["contract"]["suit"] = "X"; }, "contract: suit: \"X\""},
      {"bid", [](Json& j) { j["contract"]["bid"] = 75; },
       "contract: bid: 75, allowed: 0, 70, 80 .. 120 (D.5, R-098)"},
      {"renonce", [](Json& j) { j["contract"]["renonce"] = true; },
       "contract: WENZ has no renonce (C.2)"},
      {"no declarer", [](Json& j) { j.erase("declarer"); }, "declarer: WENZ needs one"},
      {"blocked call", [](Json& j) { j["contract"] = {{"class", "RUF"}, {"called", "EA"}}; },
       "contract: RUF: called card EA is not callable"},
      {"partner", [](Json& j) { j["partner"] = 1; }, "line 3: partner: WENZ has none"},
  });
}

TEST(Record, rules_without_a_name_are_none) {
  expect_named({
      {"empty", [](Json& j) { j["rules"] = ""; },
       "rules: \"\", allowed: the name of a rule set, or an object"},
      {"empty preset", [](Json& j) { j["rules"] = {{"preset", ""}}; },
       "rules: preset: \"\", allowed: the name of a rule set"},
      {"a switch without a value", [](Json& j) { j["rules"] = {{"renonce", nullptr}}; },
       "rules: renonce: null, allowed: a number, a text, true or false"},
      {"an entry of a list without a value",
       [](Json& j) { j["rules"] = {{"bock_triggers", {nullptr}}}; },
       "rules: bock_triggers: null, allowed: a name"},
      {"a part of a tariff without a value",
       [](Json& j) { j["rules"] = {{"tariff", {{"ruf", nullptr}}}}; },
       "rules: tariff: ruf: null, allowed: a number"},
      {"a name of a tariff that cannot be shown",
       [](Json& j) { j["rules"] = {{"tariff", {{"name", std::string("a\0b", 3)}}}}; },
       "tariff.name = \"a\\x00b\", allowed: one line"},
  });
}

TEST(Record, a_contract_that_the_rules_do_not_have_is_named) {
  expect_named({
      {"class off", [](Json& j) { j["contract"]["class"] = "GEIER"; },
       "GEIER is not played under these rules, allowed: RUF, HOCHZEIT, MUSS, KREUZ, RAMSCH, SOLO"},
      {"tout off",
       [](Json& j) {
         j["rules"] = {{"preset", "official_1989"}, {"tout_enabled", false}};
         j["contract"]["tout"] = true;
       },
       "line 3: contract: the Tout form of WENZ is not played under these rules"},
  });
}

TEST(Record, wrong_cards_of_an_exchange_are_named) {
  expect_named({
      {"exchange", [](Json& j) { j["exchange"] = {{0, 1, {"EA"}}}; },
       "line 3: contract: exchange: seat 0 cannot give EA to seat 1"},
      {"exchange to itself", [](Json& j) { j["exchange"] = {{0, 0, {"EO"}}}; },
       "line 3: exchange: [0,0,[\"EO\"]], allowed: [from, to, [cards]]"},
      {"drawn card in a deal without Zupf-Solo",
       [](Json& j) {
         j.erase("contract"), j.erase("declarer");
         j["auction"] = Json::array();
         j["exchange"] = {{0, 1, {"EO"}}};
       },
       "line 3: exchange: beside an auction the one card that is drawn in a Zupf-Solo, from a seat "
       "that was dealt it (C.20.11)"},
  });
}

TEST(Record, who_cannot_lay_is_named) {
  expect_named({
      {"legen", [](Json& j) { j["legen"] = {1}; },
       "line 3: legen: seat 1 cannot lay there with legen = off (F.1, R-132, R-134)"},
      {"only forehand lays",
       [](Json& j) {
         j["rules"] = {{"preset", "official_1989"}, {"legen", "forehand_only"}};
         j["legen"] = {0, 1};
       },
       "line 3: legen: seat 1 cannot lay there with legen = forehand_only (F.1, R-132, R-134)"},
      {"laid in an auction without Legen",
       [](Json& j) {
         j.erase("contract"), j.erase("declarer");
         j["auction"] = Json::array();
         j["legen"] = {0};
       },
       "line 3: legen: seat 0 is not asked then: legen = off (F.1, R-132, R-134)"},
  });
}

TEST(Record, wrong_places_are_named) {
  expect_named({
      {"places", [](Json& j) { j["places"] = {0, 1, 2, 4}; },
       "line 3: places: allowed: at tables of five"},
      {"places in another order",
       [](Json& j) {
         j["rules"] = {{"preset", "official_1989"}, {"players", 5}};
         j["places"] = {0, 1, 3, 4};
       },
       "line 3: places: 3 after 1, allowed: 2: seats follow each other from the dealer's left"},
      {"places behind another dealer",
       [](Json& j) {
         j["rules"] = {{"preset", "official_1989"}, {"players", 5}};
         j["dealer"] = 1;
         j["places"] = {3, 4, 0, 1};
       },
       "line 3: places: dealer = 1, allowed: 3: who deals at a table of five has no seat"},
  });
}

TEST(Record, wrong_claims_are_named) {
  expect_named({
      {"claims", [](Json& j) { j["claims"] = {{0, "CLAIM_REST"}}; },
       "line 3: claims: entry 1: [0,\"CLAIM_REST\"], allowed: [seat, event, argument or null"},
      {"event", [](Json& j) { j["claims"] = {{0, "CLAIM", nullptr, 0}}; },
       "line 3: claims: entry 1: \"CLAIM\", allowed: EV_MISDEAL, INF_WRONG_LEAD"},
      {"event in the auction", [](Json& j) { j["claims"] = {{0, "PASS", nullptr, 0}}; },
       "line 3: claims: entry 1: \"PASS\", allowed"},
  });
}

TEST(Record, wrong_values_of_the_session_are_named) {
  expect_named({
      {"bock", [](Json& j) { j["session"] = {{"bock", -1}}; }, "session: bock: -1, allowed"},
      {"special round", [](Json& j) { j["session"] = {{"special_round", "hadsh"}}; },
       "session: special_round: \"hadsh\", allowed: none, bock, ramsch"},
      {"debts", [](Json& j) { j["session"] = {{"owed_games", {{"0", {"GEIER"}}}}}; },
       "session: owed_games: \"GEIER\", allowed: RUF, WENZ, SOLO"},
      {"debts of the fifth seat",
       [](Json& j) { j["session"] = {{"owed_games", {{"4", {"RUF"}}}}}; },
       "session: owed_games: seat \"4\", allowed: 0..3"},
      {"stock", [](Json& j) { j["session"] = {{"stock", 0.5}}; }, "session: stock = 0.5, allowed"},
      {"stock in words", [](Json& j) { j["session"] = {{"stock", "forty"}}; },
       "line 3: session: stock: \"forty\", allowed: an amount in tariff units"},
      {"round position",
       [](Json& j) {
         j.erase("contract"), j.erase("declarer");
         j["auction"] = Json::parse(R"([[0,"PASS"],[1,"PASS"],[2,"PASS"],[3,"PASS"]])");
         j["session"] = {{"round_position", 4}};
       },
       "line 3: session: round_position = 4, allowed: 0..3"},
  });
}

TEST(Record, wrong_doublings_and_plays_are_named) {
  expect_named({
      {"doubling", [](Json& j) { j["doublings"] = {{1, 32}}; },
       "doublings: 32, allowed: an integer"},
      {"play", [](Json& j) { j["plays"] = {"E1"}; }, "line 3: plays: \"E1\", allowed: a card"},
      {"not held", [](Json& j) { j["plays"] = {"EA"}; }, "line 3: trick 1, seat 0, card EA: "},
      {"revoke", [](Json& j) { j["plays"] = {"EO", "SU"}; }, "line 3: trick 1, seat 1, card SU: "},
      {"revoke, legal", [](Json& j) { j["plays"] = {"EO", "SU"}; }, "legal: EA"},
  });
}

TEST(Record, what_is_no_record_is_refused) {
  const auto error = [](const char* text) -> std::string {
    return test::error_of<std::invalid_argument>([&] { (void)parse_record(text, 5); });
  };
  EXPECT_EQ(error("{\"rules\": ").find("line 5: no JSON: "), 0U);
  EXPECT_EQ(error("[1]"), "line 5: a record is a JSON object");
  EXPECT_EQ(error(R"({"dealer": 1, "dealer": 2})"), "line 5: key \"dealer\" comes twice");
}

TEST(Record, mistakes_in_the_auction_name_step_seat_and_legal_actions) {
  Json json = wenz_record();
  json.erase("contract"), json.erase("declarer");
  const auto with = [&](const char* auction) {
    json["auction"] = Json::parse(auction);
    return error_of(json);
  };
  EXPECT_EQ(with(R"([[0,"PASS"],[1,"PLAY"],[2,"PASS"],[3,"PASS"],[1,"C_WENZ"]])"), "no error");
  EXPECT_EQ(with(R"([[0,"PASS"],[2,"PLAY"]])"),
            "line 3: auction: step 2, seat 2, PLAY: it is the turn of seat 1 (AUCTION_ROUND); "
            "legal: PASS, PLAY");
  EXPECT_EQ(with(R"([[0,"C_WENZ"]])"),
            "line 3: auction: step 1, seat 0, C_WENZ: not legal in AUCTION_ROUND; "
            "legal: PASS, PLAY");
  EXPECT_EQ(with(R"([[0,"PASS"],[1,"PLAY"],[2,"PASS"],[3,"PASS"],[1,"C_WENZ"],[1,"PASS"]])"),
            "line 3: auction: step 6, seat 1, PASS: the auction is over");
  EXPECT_EQ(with(R"([[0,"HZ_OFFER_1"]])"),
            "line 3: auction: step 1, seat 0, HZ_OFFER_1: not legal in AUCTION_ROUND; "
            "legal: PASS, PLAY");
  EXPECT_EQ(with(R"([[0,"LAY"]])"), "line 3: auction: step 1: LAY stands in `legen`");
  EXPECT_EQ(with(R"([[0,"CLAIM_REST"]])"),
            "line 3: auction: step 1: CLAIM_REST stands in `claims`");
  EXPECT_EQ(with(R"([[0,"DOUBLE"]])"), "line 3: auction: step 1: DOUBLE stands in `doublings`");
  EXPECT_EQ(with(R"([[0,"PASSE"]])").find("line 3: auction: step 1: \"PASSE\", allowed: "), 0U);
  json["plays"] = {"EO"};
  EXPECT_EQ(with(R"([[0,"PASS"]])"),
            "line 3: plays: card play has not begun, the auction stops at seat 1 "
            "(AUCTION_ROUND); legal: PASS, PLAY");
}

TEST(Record, one_made_by_hand_names_what_no_reader_makes) {
  const GameRecord whole = parse_record(wenz_record().dump());
  const auto expect_refused = [&whole](const std::function<void(GameRecord&)>& change,
                                       const std::string& message) {
    GameRecord record = whole;
    change(record);
    const auto error = [](const auto& call) {
      return test::error_of<std::invalid_argument>(call).substr(0, 300);
    };
    EXPECT_EQ(error([&] { (void)to_json(record); }).find(message), 0U)
        << message << ": " << error([&] { (void)to_json(record); });
    EXPECT_EQ(error([&] { (void)to_text(record); }).find(message), 0U) << message;
    EXPECT_EQ(error([&] { (void)replay(record); }).find(message), 0U) << message;
  };
  using Record = GameRecord;
  expect_refused([](Record& r) { r.contract->contract = static_cast<ContractClass>(200); },
                 "contract: class = 200, allowed: 0.." + std::to_string(kNumContractClasses - 1));
  expect_refused([](Record& r) { r.contract->suit = static_cast<Suit>(9); },
                 "contract: suit = 9, allowed: 0..3");
  expect_refused([](Record& r) { *r.contract = {.contract = ContractClass::kRuf, .called = 77}; },
                 "contract: called = 77, allowed: 0..31");
  expect_refused([](Record& r) { r.contract->declarer = 4; }, "declarer = 4, allowed: -1..3");
  expect_refused([](Record& r) { r.partner = -9; }, "partner = -9, allowed: -1..3");
  expect_refused([](Record& r) { r.dealer = -1; }, "dealer = -1, allowed: 0..3");
  expect_refused([](Record& r) { r.hands[2][3] = 32; }, "hands: card = 32, allowed: 0..31");
  expect_refused([](Record& r) { r.plays = {200}; }, "plays: card = 200, allowed: 0..31");
  expect_refused([](Record& r) { r.laid = {5}; }, "legen = 5, allowed: 0..3");
  expect_refused([](Record& r) { r.auction = {{1, 127}}; }, "auction: action = 127, allowed: 0..");
  expect_refused([](Record& r) { r.exchange = {{-1, 2, CardSet::of(3)}}; },
                 "exchange: from = -1, allowed: 0..3");
  expect_refused([](Record& r) { r.doublings = {{0, 32}}; },
                 "doublings: index of the card = 32, allowed: 0..31");
  expect_refused(
      [](Record& r) {
        r.claims = {
            {.kind = TableEvent::Kind::kInfraction, .infraction = static_cast<Infraction>(60)}};
      },
      "claims: infraction = 60, allowed: 1..5");
  expect_refused([](Record& r) { r.session.context.special_round = 99; },
                 "session: special_round = 99, allowed: 0..");
  expect_refused([](Record& r) { r.session.context.owed[1] = 8; },
                 "session: owed games = 8, allowed: 0..7");
  expect_refused([](Record& r) { r.session.queued = {{SpecialRound::kBock, -1}}; },
                 "session: games that wait = -1, allowed: 1..");
  expect_refused([](Record& r) { r.places = {0, 1, 2, 5}; }, "places = 5, allowed: 0..4");
  expect_refused(
      [](Record& r) {
        r.line = 7;
        r.dealer = 9;
      },
      "line 7: dealer = 9, allowed: 0..3");
}

TEST(Record, texts_of_one_made_by_hand_are_refused_where_they_are_read_or_written) {
  const GameRecord whole = parse_record(wenz_record().dump(), 7);
  const auto expect_refused = [&whole](const std::function<void(GameRecord&)>& change,
                                       const std::string& message) {
    GameRecord record = whole;
    change(record);
    const auto error = [](const auto& call) {
      return test::error_of<std::invalid_argument>(call).substr(0, 300);
    };
    EXPECT_EQ(error([&] { (void)to_json(record); }).find("line 7: " + message), 0U)
        << message << ": " << error([&] { (void)to_json(record); });
    EXPECT_EQ(error([&] { (void)to_text(record); }).find("line 7: " + message), 0U) << message;
    const std::string played = error([&] { (void)replay(record); });
    EXPECT_EQ(played.find(record.preset == whole.preset ? "no error" : "line 7: rules: "), 0U)
        << played;
  };
  using Record = GameRecord;
  expect_refused([](Record& r) { r.meta = "{"; }, "meta: no JSON: ");
  expect_refused([](Record& r) { r.expect = "[1]"; }, "expect: what `expect` holds is a JSON obj");
  expect_refused([](Record& r) { r.id = "\xff"; }, "id: invalid UTF-8 byte");
  expect_refused([](Record& r) { r.preset = "\xff"; }, "rules: invalid UTF-8 byte");
  GameRecord expects = whole;
  expects.expect = "{";
  EXPECT_EQ(test::error_of<std::invalid_argument>([&] {
              (void)differences(expects, replay(whole));
            }).find("line 7: expect: no JSON: "),
            0U);
}

}  // namespace
}  // namespace schafkopf
