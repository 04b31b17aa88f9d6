// The slow reference against the worked examples of the rules (tests/data/worked_examples.json,
// RULES K) and against hand-made deals for what K leaves out: asking order of doublings, early end,
// Davonlaufen.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/cpp/reference/reference_deals.h"
#include "tests/cpp/reference/reference_rules.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/source_dir.h"

namespace schafkopf::reference {
namespace {

using Json = nlohmann::json;

std::vector<Json> examples_of(const std::string& type) {
  const std::string path = source_dir() + "/tests/data/worked_examples.json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<Json> result;
  const Json document = Json::parse(file);
  for (const Json& example : document.at("examples")) {
    if (example.at("type") == type) result.push_back(example);
  }
  return result;
}

/// The tariff table of RULES G.2, all amounts times `scale` (2 = half units).
ReferenceTariff tariff_named(std::string name, int scale) {
  const std::string half = " half Laufende";
  const bool half_laufende = name.ends_with(half);
  if (half_laufende) name.resize(name.size() - half.size());
  const std::map<std::string, ReferenceTariff> table = {
      {"official_pfennig", {10, 20, 50, 10, 10, 10, 30, 60, 60, 30, 20, 70, 2, 4, 1, {}}},
      {"10/20/30 Solo 50", {10, 10, 50, 10, 10, 10, 50, 100, 100, 50, 10, 70, 2, 4, 1, {}}},
      {"5/10/15 Solo 20", {5, 5, 20, 5, 5, 5, 20, 40, 40, 20, 5, 30, 2, 4, 1, {}}},
      {"5/20", {5, 5, 20, 5, 5, 5, 20, 40, 40, 20, 5, 30, 2, 4, 2, {}}},
      {"10/20", {10, 10, 20, 10, 10, 10, 20, 40, 40, 20, 10, 40, 2, 4, 2, {}}},
      {"10/50", {10, 10, 50, 10, 10, 10, 50, 100, 100, 50, 10, 70, 2, 4, 2, {}}},
      {"10/20/50", {20, 20, 50, 10, 10, 10, 50, 100, 100, 50, 10, 70, 2, 4, 2, {}}},
      {"tournament_2024", {10, 0, 20, 10, 10, 10, 0, 0, 0, 0, 10, 20, 2, 0, 1, {}}},
  };
  ReferenceTariff tariff = table.at(name);
  for (int* amount : {&tariff.ruf, &tariff.hochzeit, &tariff.solo, &tariff.schneider,
                      &tariff.schwarz, &tariff.laufende, &tariff.bettel, &tariff.bettel_brett,
                      &tariff.ramsch_tout, &tariff.bettel_mix, &tariff.ramsch, &tariff.march}) {
    *amount *= scale;
  }
  if (half_laufende) tariff.laufende /= 2;
  return tariff;
}

/// "SOLO_TOUT" -> SOLO, tout; "RAMSCH_TOUT" is a class of its own.
Contract contract_named(std::string name, char suit = '-') {
  const bool tout = name != "RAMSCH_TOUT" && name.ends_with("_TOUT");
  if (tout) name.resize(name.size() - 5);
  return {name, tout, suit};
}

int class_action(const std::string& text) {
  const Contract contract = contract_named(text);
  for (const ClassRow& row : kClassRows) {
    if (contract.name == row.name && contract.tout == row.tout) return row.action;
  }
  throw std::invalid_argument("no class " + text);
}

char suit_of_example(const Json& example) {
  const Json& suit = example.at("trump_suit");
  return suit.is_null() ? '-' : suit.get<std::string>()[0];
}

OrderOptions options_of_example(const Json& example) {
  OrderOptions options;
  options.short_deck = example.value("deck", "long32") == "short24";
  const Json given = example.value("options", Json());
  if (given.is_object()) {
    if (given.contains("partner_suit")) options.partner_trump_suit = 'S';
    options.ramsch_herz = given.value("ramsch_herz", true);
  }
  return options;
}

Cards cards_of(const Json& texts) {
  Cards cards;
  for (const Json& text : texts) cards.push_back(card_from(text.get<std::string>()));
  return cards;
}

std::set<int> as_set(const Cards& cards) { return {cards.begin(), cards.end()}; }

TEST(ReferenceExamples, K_settlement_agrees) {
  int checked = 0;
  for (const Json& example : examples_of("settlement")) {
    SCOPED_TRACE(example.dump());
    ReferenceRules rules;
    rules.tariff = tariff_named(example.at("tariff"), 2);
    rules.short_deck = example.value("deck", "long32") == "short24";
    rules.solo_schneider_schwarz = example.at("solo_schneider_schwarz");
    rules.kontra_scope = example.at("kontra_scope");
    rules.kontra_takeover = example.at("kontra_takeover_active");
    Ending end;
    end.declarer_points = example.at("declarer_party_points");
    end.declarer_tricks = example.at("declarer_party_tricks");
    end.opponent_tricks = example.at("opponent_tricks");
    end.threshold_sixty = example.at("threshold") == "sixty";
    end.steigern_bid = example.at("steigern_bid");
    end.last_doubler_defending = rules.kontra_takeover;
    end.laufende = example.at("laufende");
    const Json& claimed = example.at("laufende_claimed");
    if (!claimed.is_null()) end.laufende_claimed = claimed.get<int>();
    end.level = example.at("doublings");
    end.legen = example.at("legen");
    end.bock = example.at("bock");
    const Verdict verdict =
        settle_declarer_game(contract_named(example.at("contract")), rules, end);
    const Json& expected = example.at("expected");
    EXPECT_EQ(verdict.declarer_won, expected.at("declarer_party_won").get<bool>());
    EXPECT_EQ(verdict.schneider, expected.at("schneider").get<bool>());
    EXPECT_EQ(verdict.schwarz, expected.at("schwarz").get<bool>());
    EXPECT_DOUBLE_EQ(verdict.price / 2.0, expected.at("price_per_payer").get<double>());
    std::vector<bool> in_party;
    for (const Json& role : expected.at("roles")) in_party.push_back(role != "opponent");
    const std::vector<int> payoffs = share(verdict, in_party);
    for (std::size_t seat = 0; seat < payoffs.size(); ++seat) {
      EXPECT_DOUBLE_EQ(payoffs[seat] / 2.0, expected.at("payoffs").at(seat).get<double>());
    }
    ++checked;
  }
  EXPECT_EQ(checked, 142);
}

TEST(ReferenceExamples, K_ramsch_agrees) {
  int checked = 0;
  for (const Json& example : examples_of("ramsch")) {
    SCOPED_TRACE(example.dump());
    ReferenceRules rules;
    rules.tariff = tariff_named(example.at("tariff"), 1);
    rules.ramsch_virgin = example.at("ramsch_virgin");
    rules.ramsch_march = example.at("ramsch_march");
    rules.ramsch_payers = example.at("ramsch_payers");
    std::vector<RamschTake> takes(4);
    for (std::size_t seat = 0; seat < 4; ++seat) {
      takes[seat].points = example.at("points").at(seat);
      takes[seat].tricks = example.at("tricks").at(seat);
      takes[seat].position = static_cast<int>(seat);
      if (example.at("trumps_in_tricks").is_null()) continue;
      takes[seat].trumps = example.at("trumps_in_tricks").at(seat);
      takes[seat].highest_trump = example.at("highest_trump_strength").at(seat);
    }
    EXPECT_EQ(settle_ramsch(takes, rules, example.at("multiplier")),
              example.at("expected").at("payoffs").get<std::vector<int>>());
    ++checked;
  }
  EXPECT_EQ(checked, 17);
}

TEST(ReferenceExamples, K_laufende_agrees) {
  int checked = 0;
  for (const Json& example : examples_of("laufende")) {
    SCOPED_TRACE(example.dump());
    const Contract contract = contract_named(example.at("contract"), suit_of_example(example));
    const int cap = example.at("cap").is_null() ? 0 : example.at("cap").get<int>();
    EXPECT_EQ(count_laufende(orders_of(contract, options_of_example(example)).trumps,
                             cards_from(example.at("one_party_holds").get<std::string>()),
                             example.at("minimum"), cap),
              example.at("expected").at("laufende").get<int>());
    ++checked;
  }
  EXPECT_EQ(checked, 15);
}

TEST(ReferenceExamples, K_trick_winner_agrees) {
  int checked = 0;
  for (const Json& example : examples_of("trick")) {
    SCOPED_TRACE(example.dump());
    const Contract contract = contract_named(example.at("contract"), suit_of_example(example));
    const Orders orders = orders_of(contract, options_of_example(example));
    const Cards trick = cards_of(example.at("trick"));
    EXPECT_EQ(trick_winner(orders, trick), example.at("expected").at("winner_index").get<int>());
    EXPECT_EQ(card_points(trick), example.at("expected").at("points").get<int>());
    ++checked;
  }
  EXPECT_EQ(checked, 22);
}

TEST(ReferenceExamples, K_legal_cards_agree) {
  int checked = 0;
  for (const Json& example : examples_of("legal")) {
    SCOPED_TRACE(example.dump());
    const Contract contract = contract_named(example.at("contract"), suit_of_example(example));
    CalledCard called;
    if (!example.at("called_card").is_null()) {
      called.card = card_from(example.at("called_card").get<std::string>());
      called.released = example.at("called_released");
    }
    called.discard_window = example.at("called_discard_window");
    const Cards legal = reference_legal(cards_of(example.at("hand")), cards_of(example.at("trick")),
                                        orders_of(contract, options_of_example(example)), called);
    EXPECT_EQ(as_set(legal), as_set(cards_of(example.at("expected").at("legal"))));
    ++checked;
  }
  EXPECT_EQ(checked, 24);
}

TEST(ReferenceExamples, K_callable_cards_agree) {
  int checked = 0;
  for (const Json& example : examples_of("callable")) {
    SCOPED_TRACE(example.dump());
    const Cards hand = cards_of(example.at("hand"));
    const Json options = example.at("options").is_null() ? Json::object() : example.at("options");
    const char trump_suit = options.contains("trump_suit") ? 'S' : 'H';
    const std::string rule = example.at("rule");
    Cards cards;
    if (rule == "callable_aces") cards = callable_aces(hand, trump_suit);
    if (rule == "renonce_aces") cards = renonce_aces(hand, trump_suit);
    if (rule == "muss_calls") {
      cards = muss_calls(hand, trump_suit, options.at("mode").get<std::string>());
    }
    EXPECT_EQ(as_set(cards), as_set(cards_of(example.at("expected").at("callable"))));
    ++checked;
  }
  EXPECT_EQ(checked, 11);
}

/// Hands in which every seat can call an ace.
std::vector<Cards> hands_that_all_can_call() {
  Random random(7);
  while (true) {
    std::vector<Cards> hands = random_hands(random);
    if (std::all_of(hands.begin(), hands.end(),
                    [](const Cards& hand) { return !callable_aces(hand, 'H').empty(); })) {
      return hands;
    }
  }
}

ReferenceRules all_contracts() {
  ReferenceRules rules;
  rules.contracts.clear();
  for (const ClassRow& row : kClassRows) {
    if (!row.tout && row.action != kNameSie) rules.contracts.emplace_back(row.name);
  }
  return rules;
}

int auction_action(const std::string& word) {
  if (word == "PASS") return kPass;
  if (word == "PLAY") return kPlay;
  if (word == "YIELD") return kYield;
  return class_action(word);
}

TEST(ReferenceExamples, K_auctions_agree) {
  int checked = 0;
  for (const Json& example : examples_of("auction")) {
    SCOPED_TRACE(example.dump());
    ReferenceRules rules = all_contracts();
    rules.auction_style = example.at("style");
    const int dealer = 1 + checked % 3;
    ReferenceGame game(rules, hands_that_all_can_call(), dealer);
    for (const Json& step : example.at("log")) {
      ASSERT_EQ((game.to_act() - dealer - 1 + 4) % 4, step.at(0).get<int>());
      game.apply(auction_action(step.at(2)));
    }
    const Json& expected = example.at("expected");
    while (!game.finished() && game.contract().name.empty()) {  // suit or called card
      ASSERT_TRUE(game.phase() == "NAME_SUIT" || game.phase() == "CALL_CARD");
      game.apply(*game.legal().begin());
    }
    if (expected.at("contract").is_null()) {
      EXPECT_TRUE(game.finished());
      EXPECT_EQ(game.payoffs(), std::vector<int>(4, 0));
    } else {
      const Contract contract = contract_named(expected.at("contract"));
      EXPECT_EQ(game.contract().name, contract.name);
      EXPECT_EQ(game.contract().tout, contract.tout);
      EXPECT_EQ((game.declarer() - dealer - 1 + 4) % 4, expected.at("declarer").get<int>());
    }
    ++checked;
  }
  EXPECT_EQ(checked, 10);
}

TEST(ReferenceExamples, K_steigern_agrees) {
  int checked = 0;
  for (const Json& example : examples_of("steigern")) {
    SCOPED_TRACE(example.dump());
    ReferenceRules rules;
    rules.solo_contest = "steigern";
    const int dealer = 1 + checked % 3;
    ReferenceGame game(rules, hands_that_all_can_call(), dealer);
    const std::vector<int> willing = example.at("willing");
    for (int position = 0; position < 4; ++position) {
      game.apply(std::find(willing.begin(), willing.end(), position) == willing.end() ? kPass
                                                                                      : kPlay);
    }
    for (const Json& step : example.at("log")) {
      ASSERT_EQ(game.phase(), "STEIGERN");
      ASSERT_EQ((game.to_act() - dealer - 1 + 4) % 4, step.at(0).get<int>());
      const bool yes = step.at(3);
      const int raise = kRaise70 + (step.at(2).get<int>() - 70) / 10;
      game.apply(step.at(1) == "RAISE" ? (yes ? raise : kPass) : (yes ? kHold : kYield));
    }
    const Json& expected = example.at("expected");
    EXPECT_EQ(game.phase(), "NAME_CLASS");
    EXPECT_EQ((game.to_act() - dealer - 1 + 4) % 4, expected.at("declarer").get<int>());
    game.apply(kNameSolo);
    game.apply(kSuitE);
    EXPECT_EQ(game.bid(), expected.at("bid").get<int>());
    Ending end;
    end.steigern_bid = game.bid();
    end.declarer_tricks = end.opponent_tricks = 4;
    end.declarer_points = expected.at("points_needed");
    EXPECT_TRUE(settle_declarer_game(game.contract(), rules, end).declarer_won);
    --end.declarer_points;
    EXPECT_FALSE(settle_declarer_game(game.contract(), rules, end).declarer_won);
    ++checked;
  }
  EXPECT_EQ(checked, 5);
}

TEST(ReferenceExamples, K_kreuz_party_agrees) {
  int checked = 0;
  for (const Json& example : examples_of("kreuz_party")) {
    SCOPED_TRACE(example.dump());
    const auto party = [&](const char* key) {
      return example.at(key).is_null() ? -1 : example.at(key).get<int>();
    };
    EXPECT_EQ(kreuz_player_party(party("last_kontra_party"), party("first_legen_party"),
                                 party("eichel_ober_party")),
              example.at("expected").at("declarer_party").get<int>());
    ++checked;
  }
  EXPECT_EQ(checked, 4);
}

TEST(ReferenceExamples, K_penalties_agree) {
  const std::map<std::string, std::vector<int>> paid = {
      {"verspielt_rufspiel", verspielt("RUF", 4, 0, 1)},
      {"verspielt_solo_or_wenz", verspielt("WENZ", 4, 0, 1)},
      {"second_misdeal", second_misdeal(4, 0, 20)}};
  int checked = 0;
  for (const Json& example : examples_of("penalty")) {
    EXPECT_EQ(paid.at(example.at("infraction")),
              example.at("expected").at("payoffs").get<std::vector<int>>());
    ++checked;
  }
  EXPECT_EQ(checked, 3);
}

/// "RUF lost, declarer seat 0, partner seat 2, 50 points" or "SOLO won by seat 1": class, who, how.
std::vector<int> payoffs_with_stock(const std::string& event, int stock,
                                    const ReferenceRules& rules) {
  const int unit = rules.tariff.stock_unit;
  if (event == "all_pass_stock") return std::vector<int>(4, -unit);
  const Contract contract{event.substr(0, event.find(' ')), false, '-'};
  const auto seat_after = [&](const std::string& word) {
    const std::size_t place = event.find(word + " seat ");
    return place == std::string::npos ? -1 : event[place + word.size() + 6] - '0';
  };
  const bool partner_game = is_partner_game(contract.name);
  const int declarer = seat_after(partner_game ? "declarer" : "by");
  Ending end;
  end.declarer_tricks = end.opponent_tricks = 4;
  end.declarer_points = event.find(" won") != std::string::npos ? 61 : 50;
  const Verdict verdict = settle_declarer_game(contract, rules, end);
  std::vector<bool> party;
  for (int seat = 0; seat < 4; ++seat) {
    party.push_back(seat == declarer || (partner_game && seat == seat_after("partner")));
  }
  std::vector<int> payoffs = share(verdict, party);
  if (!plays_for_stock(contract.name, declarer, rules)) return payoffs;
  const std::vector<int> moved = settle_stock(stock, verdict.declarer_won, declarer, party, rules);
  for (std::size_t seat = 0; seat < 4; ++seat) payoffs[seat] += moved[seat];
  return payoffs;
}

TEST(ReferenceExamples, K_stock_sequences_agree) {
  int checked = 0;
  for (const Json& example : examples_of("stock_sequence")) {
    ReferenceRules rules;
    if (example.at("preset") == "course_002") {
      rules.tariff = tariff_named("10/20/30 Solo 50", 1);
      rules.stock_owner = "party";
    }
    if (example.at("note").get<std::string>().find("both") != std::string::npos) {
      rules.stock_games = "both";
    }
    int stock = 0;
    for (const Json& step : example.at("steps")) {
      SCOPED_TRACE(step.dump());
      const std::vector<int> payoffs = payoffs_with_stock(step.at("event"), stock, rules);
      EXPECT_EQ(payoffs, step.at("payoffs").get<std::vector<int>>());
      stock -= std::accumulate(payoffs.begin(), payoffs.end(), 0);
      EXPECT_EQ(stock, step.at("stock_after").get<int>());
    }
    ++checked;
  }
  EXPECT_EQ(checked, 3);
}

/// Equal shares of every suit; seat 1 declares RUF on the ace of seat 3 in the tests below.
std::vector<Cards> plain_hands() {
  return {cards_from("EO SU H7 E10 EK GA G9 S7"), cards_from("GO EU HA H8 E7 G10 SA S10"),
          cards_from("HO GU H10 H9 E8 GK G8 SK"), cards_from("SO HU HK EA E9 G7 S9 S8")};
}

FixedContract ruf_by_seat_one() { return {{"RUF", false, '-'}, 1, card_from("EA"), true}; }

TEST(ReferenceDoubling, F_2_window_after_the_first_card_asks_opponents_leader_last) {
  ReferenceGame game(ReferenceRules(), plain_hands(), 3, ruf_by_seat_one());
  ASSERT_EQ(game.phase(), "PLAY");
  game.apply(card_from("S7"));
  ASSERT_EQ(game.phase(), "DOUBLE");
  EXPECT_EQ(game.to_act(), 2);
  game.apply(kNoDouble);
  EXPECT_EQ(game.to_act(), 0);
  game.apply(kNoDouble);
  EXPECT_EQ(game.phase(), "PLAY");
  EXPECT_EQ(game.to_act(), 1);
}

TEST(ReferenceDoubling, F_3_chain_runs_clockwise_and_closes_the_window) {
  ReferenceGame game(ReferenceRules(), plain_hands(), 3, ruf_by_seat_one());
  game.apply(card_from("S7"));
  game.apply(kDouble);  // seat 2
  EXPECT_EQ(game.to_act(), 3);
  game.apply(kNoDouble);
  EXPECT_EQ(game.to_act(), 1);
  game.apply(kDouble);
  EXPECT_EQ(game.to_act(), 2);
  game.apply(kDouble);
  EXPECT_EQ(game.to_act(), 3);
  game.apply(kDouble);  // level 4 = limit
  EXPECT_EQ(game.phase(), "PLAY");
  EXPECT_EQ(game.level(), 4);
}

TEST(ReferenceDoubling, F_2_full_hand_asks_only_before_the_own_first_card) {
  ReferenceRules rules;
  rules.kontra_window = "full_hand";
  ReferenceGame game(rules, plain_hands(), 3, ruf_by_seat_one());
  std::vector<int> asked;
  while (game.trick_winners().empty()) {
    if (game.phase() == "DOUBLE") asked.push_back(game.to_act());
    game.apply(game.phase() == "DOUBLE" ? kNoDouble : *game.legal().begin());
  }
  EXPECT_EQ(asked, (std::vector<int>{0, 2}));
  EXPECT_EQ(game.phase(), "PLAY");
}

TEST(ReferenceDoubling, F_3_a_seat_at_its_limit_is_not_asked_again) {
  ReferenceRules rules;
  rules.max_doublings_per_seat = 1;
  ReferenceGame game(rules, plain_hands(), 3, ruf_by_seat_one());
  game.apply(card_from("S7"));
  game.apply(kDouble);          // seat 2
  game.apply(kDouble);          // seat 3
  EXPECT_EQ(game.to_act(), 0);  // not seat 2 after it
  game.apply(kNoDouble);
  EXPECT_EQ(game.phase(), "PLAY");
}

TEST(ReferencePlay, E_5_lost_tout_ends_with_the_lost_trick_and_costs_the_same) {
  const FixedContract tout{{"SOLO", true, 'S'}, 0, kNoCalledCard, false};
  ReferenceRules rules;
  ReferenceGame stopped(rules, plain_hands(), 3, tout);
  rules.early_termination = false;
  ReferenceGame full(rules, plain_hands(), 3, tout);
  for (ReferenceGame* game : {&stopped, &full}) {
    while (!game->finished()) game->apply(*game->legal().rbegin());
  }
  EXPECT_NE(stopped.trick_winners().back(), 0);
  EXPECT_EQ(full.trick_winners().size(), 8U);
  EXPECT_LT(stopped.trick_winners().size(), 8U);
  EXPECT_EQ(stopped.payoffs(), full.payoffs());
  EXPECT_EQ(stopped.payoffs()[0], -300);  // 50 x 2 from each: no Laufende, no Schneider
}

TEST(ReferencePlay, C_19_sie_is_paid_at_once) {
  std::vector<Cards> hands = {
      cards_from("EO GO HO SO EU GU HU SU"), cards_from("EA E10 EK E9 E8 E7 GA G10"),
      cards_from("GK G9 G8 G7 HA H10 HK H9"), cards_from("H8 H7 SA S10 SK S9 S8 S7")};
  ReferenceGame game(ReferenceRules(), hands, 3);
  for (const int action : {kPlay, kPass, kPass, kPass}) game.apply(action);
  ASSERT_EQ(game.phase(), "NAME_CLASS");
  EXPECT_EQ(game.legal(), (std::set<int>{93, 94, 104, 105, 106}));  // gesperrt: no Rufspiel
  game.apply(kNameSie);
  EXPECT_TRUE(game.finished());
  EXPECT_EQ(game.payoffs(), (std::vector<int>{1560, -520, -520, -520}));
}

std::vector<RamschTake> takes_of(const std::vector<int>& points, const std::vector<int>& tricks) {
  std::vector<RamschTake> takes(4);
  for (std::size_t seat = 0; seat < 4; ++seat) {
    takes[seat].points = points[seat];
    takes[seat].tricks = tricks[seat];
    takes[seat].position = static_cast<int>((seat + 2) % 4);  // forehand is seat 2
  }
  return takes;
}

TEST(ReferenceRamsch, C_6_full_tie_goes_to_the_seat_nearer_to_forehand) {
  const ReferenceRules rules;
  EXPECT_EQ(settle_ramsch(takes_of({50, 10, 10, 50}, {3, 1, 1, 3}), rules, 1),
            (std::vector<int>{20, 20, 20, -60}));
}

TEST(ReferenceRamsch, C_6_two_payers_pay_best_and_second_best) {
  ReferenceRules rules;
  rules.ramsch_payers = 2;
  EXPECT_EQ(settle_ramsch(takes_of({0, 30, 50, 40}, {0, 2, 3, 3}), rules, 2),
            (std::vector<int>{80, 40, -80, -40}));  // the Jungfrau receives double
}

TEST(ReferenceRamsch, C_6_shifted_tricks_count_for_the_left_neighbour) {
  ReferenceRules rules;
  rules.all_pass = "ramsch";
  for (const bool shift : {false, true}) {
    rules.ramsch_shift = shift;
    // Seat 0 holds the eight highest trumps and takes everything.
    ReferenceGame game(
        rules,
        {cards_from("EO GO HO SO EU GU HU SU"), cards_from("EA E10 EK E9 E8 E7 GA G10"),
         cards_from("GK G9 G8 G7 HA H10 HK H9"), cards_from("H8 H7 SA S10 SK S9 S8 S7")},
        3);
    for (int i = 0; i < 4; ++i) game.apply(kPass);
    EXPECT_EQ(game.contract().name, "RAMSCH");
    while (!game.finished()) game.apply(*game.legal().begin());
    EXPECT_EQ(game.points()[0], 120);
    EXPECT_EQ(game.payoffs(), shift ? (std::vector<int>{-70, 210, -70, -70})
                                    : (std::vector<int>{210, -70, -70, -70}));
  }
}

TEST(ReferenceAuction, D_3_a_follower_without_a_single_game_can_only_pass) {
  ReferenceRules rules;
  rules.contracts = {"RUF"};
  ReferenceGame game(rules, hands_that_all_can_call(), 3);
  EXPECT_EQ(game.legal(), (std::set<int>{kPass, kPlay}));
  game.apply(kPlay);
  EXPECT_EQ(game.to_act(), 1);
  EXPECT_EQ(game.legal(), (std::set<int>{kPass}));
}

TEST(ReferenceAuction, D_3_a_challenger_must_outrank_and_a_follower_never_gets_the_rufspiel) {
  ReferenceGame game(ReferenceRules(), hands_that_all_can_call(), 3);
  for (const int action : {kPlay, kPlay, kPlay, kPass}) game.apply(action);
  EXPECT_EQ(game.legal(), (std::set<int>{kYield, 93, 94, 104, 105}));
  game.apply(kYield);
  EXPECT_EQ(game.to_act(), 1);  // now the holder, challenged by seat 2
  EXPECT_EQ(game.legal(), (std::set<int>{kYield, 93, 94, 104, 105}));
  game.apply(94);
  EXPECT_EQ(game.to_act(), 2);
  EXPECT_EQ(game.legal(), (std::set<int>{kPass, 104, 105}));
  game.apply(kPass);
  EXPECT_EQ(game.phase(), "NAME_SUIT");
  EXPECT_EQ(game.to_act(), 1);
}

TEST(ReferenceAuction, D_3_a_last_follower_who_was_given_way_names_a_single_game) {
  ReferenceGame game(ReferenceRules(), hands_that_all_can_call(), 3);
  for (const int action : {kPlay, kPass, kPass, kPlay, kYield}) game.apply(action);
  EXPECT_EQ(game.phase(), "NAME_CLASS");
  EXPECT_EQ(game.to_act(), 3);
  EXPECT_EQ(game.legal(), (std::set<int>{93, 94, 104, 105}));
}

TEST(ReferencePlay, E_3_running_away_frees_the_called_ace) {
  // Seat 0 owns the called EA with E10 E9 E8; seat 2 declares with the EK.
  const std::vector<Cards> hands = {
      cards_from("EA E10 E9 E8 H7 G7 S7 S8"), cards_from("E7 EO GO HA HK GA G10 SA"),
      cards_from("EK HO SO EU GU H10 SK S10"), cards_from("HU SU H9 H8 GK G9 G8 S9")};
  ReferenceRules rules;
  const int called_ace = card_from("EA");
  const FixedContract ruf{{"RUF", false, '-'}, 2, called_ace, false};
  ReferenceGame game(rules, hands, 3, ruf);
  EXPECT_EQ(game.partner(), 0);
  EXPECT_EQ(game.legal().size(), 8U);
  game.apply(card_from("E8"));
  EXPECT_TRUE(game.released());
  game.apply(card_from("E7"));
  game.apply(card_from("EK"));
  game.apply(card_from("HU"));
  game.apply(card_from("S9"));  // seat 3 leads Schellen
  EXPECT_EQ(game.legal(), as_set(cards_from("S7 S8")));

  rules.runaway_enabled = false;
  ReferenceGame bound(rules, hands, 3, ruf);
  EXPECT_EQ(bound.legal(), as_set(cards_from("EA H7 G7 S7 S8")));
}

TEST(ReferenceScoring, F_5_takeover_moves_the_threshold_until_the_re) {
  ReferenceRules rules;
  const Contract solo{"SOLO", false, 'E'};
  Ending end;
  end.declarer_points = 60;
  end.declarer_tricks = end.opponent_tricks = 4;
  end.level = 1;
  end.last_doubler_defending = true;
  EXPECT_FALSE(settle_declarer_game(solo, rules, end).declarer_won);
  rules.kontra_takeover = true;
  EXPECT_TRUE(settle_declarer_game(solo, rules, end).declarer_won);
  EXPECT_EQ(settle_declarer_game(solo, rules, end).price, 100);
  end.last_doubler_defending = false;
  EXPECT_FALSE(settle_declarer_game(solo, rules, end).declarer_won);
}

TEST(ReferenceScoring, G_3_kontra_scope_chooses_what_is_doubled) {
  ReferenceRules rules;
  const Contract solo{"SOLO", false, 'E'};
  Ending end;
  end.declarer_points = 95;
  end.declarer_tricks = 7;
  end.opponent_tricks = 1;
  end.level = 1;
  end.laufende = 3;
  EXPECT_EQ(settle_declarer_game(solo, rules, end).price, (50 + 10 + 30) * 2);
  rules.kontra_scope = "no_laufende";
  EXPECT_EQ(settle_declarer_game(solo, rules, end).price, (50 + 10) * 2 + 30);
  rules.kontra_scope = "base_only";
  EXPECT_EQ(settle_declarer_game(solo, rules, end).price, 50 * 2 + 10 + 30);
}

void play_at_random(Random& random, ReferenceGame& game) {
  while (!game.finished()) {
    ASSERT_FALSE(game.legal().empty());
    game.apply(pick(random, game.legal()));
  }
}

void expect_sane_end(const ReferenceGame& game) {
  const std::vector<int>& payoffs = game.payoffs();
  EXPECT_EQ(std::accumulate(payoffs.begin(), payoffs.end(), 0), 0);
  const std::vector<int> points = game.points();
  if (game.trick_winners().size() == 8) {
    EXPECT_EQ(std::accumulate(points.begin(), points.end(), 0), 120);
  }
}

TEST(ReferencePlay, G_random_deals_under_random_rules_are_zero_sum_with_120_points) {
  Random random(11);
  std::set<std::string> seen;
  const int deals = test::scaled(1000, 4000, 4000);
  for (int deal = 0; deal < deals; ++deal) {
    ReferenceRules rules = random_rules(random);
    if (deal % 2 == 0) rules.contracts = all_contracts().contracts;
    ReferenceGame game(rules, random_hands(random), deal % 4);
    play_at_random(random, game);
    expect_sane_end(game);
    seen.insert(game.contract().name);
  }
  EXPECT_GE(seen.size(), 14U);  // thrown in, Rufspiel, Ramsch and most single games
}

TEST(ReferencePlay, G_random_deals_from_given_contracts_are_zero_sum_with_120_points) {
  Random random(12);
  for (const char* name : {"RUF", "SOLO", "WENZ", "SIE", "RAMSCH"}) {
    for (int deal = 0; deal < 300; ++deal) {
      const ReferenceRules rules = random_rules(random);
      std::vector<Cards> hands;
      const FixedContract fixed = random_contract(random, rules, name, false, hands);
      ReferenceGame game(rules, hands, deal % 4, fixed);
      play_at_random(random, game);
      expect_sane_end(game);
      EXPECT_EQ(game.trick_winners().size(), std::string(name) == "SIE" ? 0U : 8U);
    }
  }
}

}  // namespace
}  // namespace schafkopf::reference
