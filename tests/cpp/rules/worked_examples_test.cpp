// The worked examples of the rules (RULES K, tests/data/worked_examples.json) against the engine:
// every example is checked.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "env/deal/dealing.h"
#include "env/game/game.h"
#include "env/price/settle.h"
#include "env/session/session.h"
#include "tests/cpp/support/source_dir.h"

namespace schafkopf {
namespace {

using Json = nlohmann::json;

struct Example {
  std::string id;
  Json json;
};
void PrintTo(const Example& example, std::ostream* stream) { *stream << example.id; }

std::vector<Example> all_examples() {
  std::vector<Example> examples;
  std::ifstream file(source_dir() + "/tests/data/worked_examples.json");
  const Json document = Json::parse(file);
  for (const Json& example : document.at("examples")) {
    examples.push_back({example.at("id"), example});
  }
  return examples;
}

std::vector<Card> cards_of(const Json& texts) {
  std::vector<Card> cards;
  for (const Json& text : texts) cards.push_back(parse_card(text.get<std::string>()).value());
  return cards;
}

CardSet set_of(const Json& texts) {
  CardSet set;
  for (const Card card : cards_of(texts)) set.add(card);
  return set;
}

Suit suit_of_example(const Json& example) {
  const Json& suit = example.at("trump_suit");
  return suit.is_null() ? Suit::kHerz : suit_of(parse_card(suit.get<std::string>() + "A").value());
}

/// Rules of an example: the defaults with its own fields.
RuleSet rules_of_example(const Json& example) {
  RuleSet rules;
  const auto set_name = [&](const char* key) {
    if (example.contains(key)) set_field(rules, key, example.at(key).get<std::string>());
  };
  for (const char* key : {"deck", "tariff", "kontra_scope", "ramsch_virgin", "ramsch_march"}) {
    set_name(key);
  }
  const Json options = example.value("options", Json());
  if (options.is_object()) {
    if (options.contains("partner_suit") || options.contains("trump_suit")) {
      rules.partner_trump_suit = Suit::kSchellen;
    }
    if (!options.value("ramsch_herz", true)) rules.ramsch_trumps = RamschTrumps::kNoHerz;
  }
  rules.ramsch_payers = example.value("ramsch_payers", 1);
  rules.called_discard_window = example.value("called_discard_window", 1);
  return rules;
}

void expect_payoffs(const Settlement& settlement, const RuleSet& rules, const Json& expected) {
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    EXPECT_DOUBLE_EQ(static_cast<double>(settlement.payoffs[seat]) / rules.tariff.scale,
                     expected.at("payoffs").at(seat).get<double>())
        << "seat " << seat;
  }
}

void check_settlement(const Json& example) {
  RuleSet rules = rules_of_example(example);
  rules.solo_schneider_schwarz = example.at("solo_schneider_schwarz");
  rules.kontra_takeover = example.at("kontra_takeover_active");
  if (example.at("threshold") == "sixty") rules.muss_threshold = MussThreshold::kSixty;
  const NamedContract named = parse_contract(example.at("contract").get<std::string>());
  ASSERT_NE(named.row, nullptr);
  Outcome outcome;
  outcome.contract.contract = named.row->contract;
  outcome.contract.tout = named.tout;
  outcome.contract.bid = example.at("steigern_bid");
  const Json& expected = example.at("expected");
  int declarer = -1, opponent = -1;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const std::string role = expected.at("roles").at(static_cast<std::size_t>(seat));
    if (role == "declarer") declarer = seat;
    if (role == "opponent") opponent = seat;
    if (role != "opponent") {
      outcome.declarer_party = static_cast<std::uint8_t>(outcome.declarer_party | (1 << seat));
    }
  }
  outcome.contract.declarer = declarer;
  const int points = example.at("declarer_party_points");
  const auto d = static_cast<std::size_t>(declarer), o = static_cast<std::size_t>(opponent);
  outcome.points[d] = static_cast<std::uint8_t>(points);
  outcome.points[o] = static_cast<std::uint8_t>(kTotalPoints - points);
  outcome.tricks[d] = example.at("declarer_party_tricks");
  outcome.tricks[o] = example.at("opponent_tricks");
  outcome.laufende = example.at("laufende");
  const Json& claimed = example.at("laufende_claimed");
  if (!claimed.is_null()) outcome.claimed_laufende = claimed;
  outcome.level = example.at("doublings");
  outcome.legen = example.at("legen");
  outcome.defenders_doubled_last = rules.kontra_takeover;
  DealContext context;
  context.bock = example.at("bock");
  const Settlement settlement = settle(outcome, rules, context);
  EXPECT_EQ(settlement.won, expected.at("declarer_party_won").get<bool>());
  EXPECT_EQ(settlement.schneider, expected.at("schneider").get<bool>());
  EXPECT_EQ(settlement.schwarz, expected.at("schwarz").get<bool>());
  EXPECT_EQ(settlement.declarer_points, points);
  EXPECT_DOUBLE_EQ(static_cast<double>(settlement.price) / rules.tariff.scale,
                   expected.at("price_per_payer").get<double>());
  expect_payoffs(settlement, rules, expected);
}

void check_ramsch(const Json& example) {
  const RuleSet rules = rules_of_example(example);
  Outcome outcome;
  const ContractRow& row = *parse_contract("RAMSCH").row;
  outcome.contract.contract = row.contract;
  const TrumpList trumps = ordered_trumps(row, rules.partner_trump_suit);
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    outcome.points[seat] = example.at("points").at(seat);
    outcome.tricks[seat] = example.at("tricks").at(seat);
    if (example.at("trumps_in_tricks").is_null()) continue;
    outcome.trumps_taken[seat] = example.at("trumps_in_tricks").at(seat);
    const int strength = example.at("highest_trump_strength").at(seat);  // 14 = the Eichel-Ober
    outcome.highest_trump[seat] = trumps.cards[static_cast<std::size_t>(trumps.count - strength)];
  }
  const auto multiplier = example.at("multiplier").get<unsigned>();
  ASSERT_TRUE(std::has_single_bit(multiplier));
  outcome.legen = std::countr_zero(multiplier);
  expect_payoffs(settle(outcome, rules), rules, example.at("expected"));
}

void check_penalty(const Json& example) {
  const RuleSet rules = preset(example.at("preset").get<std::string>());
  const std::string infraction = example.at("infraction");
  const Json& expected = example.at("expected");
  if (infraction == "second_misdeal") {
    for (std::size_t place = 0; place < kNumSeats; ++place) {
      EXPECT_EQ(misdeal_penalty(rules, 0).at(place), expected.at("payoffs").at(place).get<int>());
    }
    return;
  }
  for (const char* name : {"SOLO", "WENZ"}) {
    Outcome outcome;
    outcome.contract.contract =
        parse_contract(infraction == "verspielt_rufspiel" ? "RUF" : name).row->contract;
    outcome.contract.declarer = 1;
    outcome.declarer_party = 0b0010;
    outcome.infraction = Infraction::kRevokeLate;
    outcome.offender = 0;
    expect_payoffs(settle(outcome, rules), rules, expected);
  }
}

/// One step of a Stock sequence: "RUF lost, declarer seat 0, partner seat 2, 50 points".
Outcome outcome_of_event(const std::string& event) {
  Outcome outcome;
  if (event == "all_pass_stock") {
    outcome.thrown_in = outcome.stock_deposit = true;
    return outcome;
  }
  const bool won = event.find(" won") != std::string::npos;
  const auto seat_after = [&](const std::string& word) {
    const std::size_t at = event.find(word);
    return at == std::string::npos ? -1 : event.at(at + word.size()) - '0';
  };
  outcome.contract.contract = parse_contract(event.substr(0, event.find(' '))).row->contract;
  const int named = seat_after("declarer seat ");
  outcome.contract.declarer = named >= 0 ? named : seat_after("by seat ");
  outcome.declarer_party = static_cast<std::uint8_t>(1 << outcome.contract.declarer);
  if (const int partner = seat_after("partner seat "); partner >= 0) {
    outcome.declarer_party = static_cast<std::uint8_t>(outcome.declarer_party | (1 << partner));
  }
  const auto d = static_cast<std::size_t>(outcome.contract.declarer);
  const std::size_t o =
      static_cast<std::size_t>(std::countr_one(std::uint32_t{outcome.declarer_party}));
  outcome.points[d] = won ? 70 : 50;
  outcome.points[o] = won ? 50 : 70;
  outcome.tricks[d] = outcome.tricks[o] = 4;
  return outcome;
}

void check_stock_sequence(const Json& example) {
  RuleSet rules = preset(example.at("preset").get<std::string>());
  if (example.at("id") == "K-165") rules.stock_games = StockGames::kBoth;
  DealContext context;
  for (const Json& step : example.at("steps")) {
    SCOPED_TRACE(step.dump());
    const Settlement settlement = settle(outcome_of_event(step.at("event")), rules, context);
    for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
      EXPECT_EQ(settlement.payoffs[seat] + settlement.stock_payoffs[seat],
                step.at("payoffs").at(seat).get<int>())
          << "seat " << seat;
      context.stock -= settlement.stock_payoffs[seat];
    }
    EXPECT_EQ(context.stock, step.at("stock_after").get<int>());
  }
}

void check_kreuz_party(const Json& example) {
  const auto party = [&](const char* key) {
    return example.at(key).is_null() ? -1 : example.at(key).get<int>();
  };
  EXPECT_EQ(kreuzbock_party(party("last_kontra_party"), party("first_legen_party"),
                            party("eichel_ober_party")),
            example.at("expected").at("declarer_party").get<int>());
}

void check_laufende(const Json& example) {
  RuleSet rules = rules_of_example(example);
  rules.laufende_min_ober = rules.laufende_min_wenz = example.at("minimum");
  if (!example.at("cap").is_null()) rules.laufende_cap = LaufendeCap::kPictures;
  const NamedContract named = parse_contract(example.at("contract").get<std::string>());
  EXPECT_EQ(laufende(parse_cards(example.at("one_party_holds").get<std::string>()),
                     named.row->contract, suit_of_example(example), rules),
            example.at("expected").at("laufende").get<int>());
}

void check_trick(const Json& example) {
  const std::vector<Card> trick = cards_of(example.at("trick"));
  const NamedContract named = parse_contract(example.at("contract").get<std::string>());
  EXPECT_EQ(
      trick_winner(trick, named.row->contract, suit_of_example(example), rules_of_example(example)),
      example.at("expected").at("winner_index").get<int>());
  EXPECT_EQ(points_of(set_of(example.at("trick"))), example.at("expected").at("points").get<int>());
}

void check_legal(const Json& example) {
  const NamedContract named = parse_contract(example.at("contract").get<std::string>());
  Card called = kNoCard;
  bool released = false;
  if (!example.at("called_card").is_null()) {
    called = parse_card(example.at("called_card").get<std::string>()).value();
    released = example.at("called_released");
  }
  EXPECT_EQ(to_string(legal(set_of(example.at("hand")), cards_of(example.at("trick")),
                            named.row->contract, suit_of_example(example), called, released,
                            rules_of_example(example))),
            to_string(set_of(example.at("expected").at("legal"))));
}

void check_callable(const Json& example) {
  RuleSet rules = rules_of_example(example);
  const CardSet hand = set_of(example.at("hand"));
  const std::string rule = example.at("rule");
  const CardSet expected = set_of(example.at("expected").at("callable"));
  if (rule == "muss_calls") {
    set_field(rules, "muss_blocked", example.at("options").at("mode").get<std::string>());
    const CompiledRules compiled(rules);
    EXPECT_EQ(to_string(CardSet(compiled.duty_calls(hand.bits(), rules.muss_blocked))),
              to_string(expected));
    return;
  }
  if (rule == "callable_aces") {
    EXPECT_EQ(to_string(callable_cards(hand, rules)), to_string(expected));
    return;
  }
  ASSERT_EQ(rule, "renonce_aces");
  EXPECT_EQ(to_string(callable_cards(hand, rules)), "") << "blocked without Renonce";
  for (const Renonce renonce : {Renonce::kAnnounced, Renonce::kUnannounced}) {
    rules.renonce = renonce;
    EXPECT_EQ(to_string(callable_cards(hand, rules)), to_string(expected));
    EXPECT_EQ(to_string(CardSet(CompiledRules(rules).callable(hand.bits()))), to_string(expected));
  }
}

/// A deal in which every seat can call an ace, so that every seat may say PLAY.
Deal deal_that_all_can_call(const RuleSet& rules) {
  for (std::uint64_t seed = 0;; ++seed) {
    const Deal deal = random_deal(seed);
    bool all = true;
    for (int seat = 0; seat < kNumSeats; ++seat) {
      all = all && !callable_cards(deal.hand(seat), rules).empty();
    }
    if (all) return deal;
  }
}

Action auction_action(const std::string& word) {
  const NamedContract named = parse_contract(word);
  if (named.row == nullptr) return parse_action(word).value();
  return named.tout ? named.row->tout_action : named.row->action;
}

void check_auction(const Json& example) {
  RuleSet rules;
  set_field(rules, "auction_style", example.at("style").get<std::string>());
  for (const Json& step : example.at("log")) {
    const NamedContract named = parse_contract(step.at(2).get<std::string>());
    if (named.row != nullptr) rules.contracts.add(named.row->contract);
  }
  const CompiledRules compiled(rules);
  for (int dealer = 0; dealer < kNumSeats; ++dealer) {
    Game game(compiled, deal_that_all_can_call(rules), dealer);
    for (const Json& step : example.at("log")) {
      ASSERT_EQ((game.current_player() - game.forehand() + 4) % 4, step.at(0).get<int>());
      game.apply(auction_action(step.at(2)));
    }
    const Json& expected = example.at("expected");
    while (game.phase() == Phase::kNameSuit || game.phase() == Phase::kCallCard) {
      game.apply(game.legal_actions().lowest());
    }
    if (expected.at("contract").is_null()) {
      EXPECT_TRUE(game.is_terminal());
      EXPECT_EQ(game.payoffs(), (std::array<std::int32_t, kNumSeats>{}));
      continue;
    }
    ASSERT_TRUE(game.has_contract());
    EXPECT_EQ(contract_name(game.contract().contract, game.contract().tout),
              expected.at("contract").get<std::string>());
    EXPECT_EQ((game.contract().declarer - game.forehand() + 4) % 4,
              expected.at("declarer").get<int>());
  }
}

/// The positions of `willing` say PLAY, then what the log says (D.5).
Game play_steigern(const Json& example, const CompiledRules& rules) {
  Game game(rules, deal_that_all_can_call(rules.rules()), 3);
  for (int position = 0; position < kNumSeats; ++position) {
    const bool willing = std::ranges::count(example.at("willing"), Json(position)) > 0;
    game.apply(willing ? kActionPlay : kActionPass);
  }
  for (const Json& step : example.at("log")) {
    EXPECT_EQ(game.current_player(), step.at(0).get<int>()) << step.dump();
    EXPECT_EQ(game.phase(), Phase::kSteigern) << step.dump();
    const bool yes = step.at(3);
    if (step.at(1) == "RAISE") {
      game.apply(yes ? static_cast<Action>(kActionRaise70 + (step.at(2).get<int>() - 70) / 10)
                     : kActionPass);
    } else {
      game.apply(yes ? kActionHold : kActionYield);
    }
  }
  return game;
}

void check_steigern(const Json& example) {
  RuleSet rules;
  rules.solo_contest = SoloContest::kSteigern;
  const CompiledRules compiled(rules);
  Game game = play_steigern(example, compiled);
  ASSERT_EQ(game.phase(), Phase::kNameClass) << "the log ends the contest";
  game.apply(parse_contract("WENZ").row->action);
  const Json& expected = example.at("expected");
  EXPECT_EQ(game.contract().declarer, expected.at("declarer").get<int>());
  EXPECT_EQ(game.contract().bid, expected.at("bid").get<int>());
  const int needed = expected.at("points_needed");
  for (const int points : {needed - 1, needed}) {
    Outcome outcome = game.outcome();
    const auto declarer = static_cast<std::size_t>(game.contract().declarer);
    outcome.points = {};
    outcome.points[declarer] = static_cast<std::uint8_t>(points);
    outcome.points[(declarer + 1) % kNumSeats] = static_cast<std::uint8_t>(kTotalPoints - points);
    outcome.tricks = {2, 2, 2, 2};
    EXPECT_EQ(settle(outcome, compiled).won, points == needed) << points;
  }
}

void check_session(const Json& example) {
  RuleSet rules = preset(example.at("preset").get<std::string>());
  const Json& expected = example.at("expected");
  if (expected.contains("games_per_player")) {
    EXPECT_EQ(session_length(CompiledRules(rules)), expected.at("games_per_player").get<int>());
    EXPECT_EQ(rules.participation_bonus, expected.at("bonus_points").get<int>());
    EXPECT_EQ(rules.participation_min_games, expected.at("bonus_min_games").get<int>());
    return;
  }
  rules.first_dealer = FirstDealer::kSeat0;
  Session session(std::make_shared<const CompiledRules>(rules), 1);
  for (std::size_t i = 0; i < 4; ++i) {
    Game game = session.next_game();
    EXPECT_EQ(game.dealer(), example.at("dealers_first_round").at(i).get<int>());
    EXPECT_EQ(game.forehand(), expected.at("forehands").at(i).get<int>());
    EXPECT_EQ(game.current_player(), game.forehand());
    for (int place = 0; place < kNumSeats; ++place) {
      EXPECT_EQ(may_cut(place, game.dealer(), false, rules),
                place == expected.at("cutters").at(i).get<int>());
    }
    while (!game.is_terminal()) game.apply(game.legal_actions().lowest());
    session.finish(game);
  }
}

void check_deal(const Json& example) {
  std::vector<Card> order(kNumCards);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Card>(i);
  const Deal deal = deal_from_order(order, preset(example.at("preset").get<std::string>()), 3);
  const auto set = [&](const char* key) {
    CardSet cards;
    for (const int card : example.at("expected").at(key)) cards.add(static_cast<Card>(card));
    return cards;
  };
  EXPECT_EQ(deal.hand(0), set("seat0"));
  EXPECT_EQ(deal.hand(1), set("seat1"));
  EXPECT_EQ(deal.hand(2), set("seat2"));
  EXPECT_EQ(deal.hand(3), set("seat3"));
  EXPECT_EQ(deal.first[0], set("first_half_seat0"));
  EXPECT_EQ(deal.second[3], set("dealer_last_half"));
}

const std::map<std::string, std::function<void(const Json&)>>& checks() {
  static const std::map<std::string, std::function<void(const Json&)>> table = {
      {"settlement", check_settlement},
      {"ramsch", check_ramsch},
      {"laufende", check_laufende},
      {"trick", check_trick},
      {"legal", check_legal},
      {"callable", check_callable},
      {"auction", check_auction},
      {"session", check_session},
      {"deal", check_deal},
      {"penalty", check_penalty},
      {"stock_sequence", check_stock_sequence},
      {"kreuz_party", check_kreuz_party},
      {"steigern", check_steigern},
  };
  return table;
}

class WorkedExamples : public testing::TestWithParam<Example> {};

TEST_P(WorkedExamples, K) {
  const Json& example = GetParam().json;
  SCOPED_TRACE(example.dump());
  checks().at(example.at("type").get<std::string>())(example);
}

INSTANTIATE_TEST_SUITE_P(Engine, WorkedExamples, testing::ValuesIn(all_examples()),
                         [](const testing::TestParamInfo<Example>& example) {
                           std::string name = example.param.id;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(WorkedExampleCount, all_are_checked) { EXPECT_EQ(all_examples().size(), 259U); }

}  // namespace
}  // namespace schafkopf
