// Positions in text: what a seat knows, there and back.
#include "env/record/position.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/record/record_keys.h"
#include "env/rules/compiled_rules.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table.h"

namespace schafkopf::test {
namespace {

bool same_bytes(const PlayerView& a, const PlayerView& b) {
  return std::memcmp(&a, &b, sizeof(PlayerView)) == 0;
}

/// Plays one random game to the end; every decision's view is written and read.
void check_game(const CompiledRules& rules, const DealContext& context, std::uint64_t seed) {
  Rng random(seed);
  const int dealer = random.next_below(rules.seats());
  Game game(rules, deal_for(random.next(), rules.rules(), dealer, context), dealer, context);
  while (!game.is_terminal()) {
    const PlayerView view = game.view(game.current_player());
    const std::string text = position_json(view, rules);
    ASSERT_EQ(text.find('\n'), std::string::npos);
    ASSERT_TRUE(same_bytes(parse_position(text, legal_actions(view.cards), rules), view))
        << "seed " << seed << ", " << phase_name(game.phase()) << ": " << text;
    game.apply_unchecked(random_action(game, random));
  }
}

TEST(Position, is_the_view_byte_by_byte_under_every_preset) {
  for (const std::string_view name : preset_names()) {
    const auto rules = CompiledRules::load(std::string(name));
    for (int i = 0; i < scaled(5, 20, 400); ++i) {
      check_game(*rules, rules->first_context(), static_cast<std::uint64_t>(i));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Position, is_the_view_byte_by_byte_under_random_rules) {
  for (int i = 0; i < scaled(100, 500, 20'000); ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const CompiledRules rules(random_rules(seed));
    check_game(rules, random_context(seed, rules.rules()), seed);
    if (HasFatalFailure()) return;
  }
}

TEST(Position, rules_are_told_as_records_tell_them) {
  EXPECT_EQ(rules_json(*CompiledRules::load("research")), "\"research\"");
  for (int i = 0; i < scaled(20, 50, 1000); ++i) {
    const CompiledRules rules(random_rules(static_cast<std::uint64_t>(i)));
    EXPECT_EQ(parse_rules(rules_json(rules))->hash(), rules.hash()) << "seed " << i;
  }
  EXPECT_THROW((void)parse_rules("\"reserch\""), std::invalid_argument);
  EXPECT_THROW((void)parse_rules("3"), std::invalid_argument);
  EXPECT_THROW((void)parse_rules("\"research\", \"dealer\": 0"), std::invalid_argument);
}

TEST(Position, holds_nothing_that_the_seat_does_not_know) {
  // the same own hand, the other hands dealt anew
  const auto rules = CompiledRules::load("research");
  const Deal deal = random_deal(7);
  Deal other = deal;
  std::swap(other.first[1], other.first[3]);
  std::swap(other.second[2], other.second[3]);
  const Game game(*rules, deal, 3), changed(*rules, other, 3);
  ASSERT_EQ(game.current_player(), 0);
  EXPECT_EQ(position_json(game.view(0), *rules), position_json(changed.view(0), *rules));
}

TEST(Position, says_what_is_wrong_with_a_text) {
  const auto rules = CompiledRules::load("research");
  const auto error = [&](const std::string& json, const std::string& legal) {
    ActionMask mask;
    if (!legal.empty()) mask.add(*parse_action(legal));
    return error_of<std::invalid_argument>([&] { (void)parse_position(json, mask, *rules); });
  };
  const std::string good = R"({"seat":0,"phase":"PLAY","dealer":3,"hand":["EO"])";
  EXPECT_EQ(error(good + "}", "EO"), "no error");
  EXPECT_EQ(error(good + "}", ""), "legal: no action came, allowed: at least one");
  EXPECT_EQ(error(good + "}", "GO"), "legal: GO is not in the hand");
  EXPECT_EQ(error(R"({"seat":0,"phase":"PLAY","dealer":3})", "EO"), "hand: missing");
  EXPECT_EQ(error(good + R"(,"plays":[[1,"EO"]]})", "EO"), "hand: EO was played");
  EXPECT_EQ(error(good + R"(,"plays":[[1,"GO"],[2,"GO"]]})", "EO"), "plays: GO comes twice");
  EXPECT_EQ(error(good + R"(,"tricks":[1]})", "EO"),
            "tricks: 1 came, allowed: the winners of 0, null for a forgotten one");
  EXPECT_EQ(error(good + R"(,"leader":4})", "EO"), "leader: 4, allowed: an integer 0..3");
  EXPECT_EQ(error(good + R"(,"laeder":1})", "EO"),
            "unknown key \"laeder\", allowed: seat, phase, dealer, hand, contract, declarer, "
            "partner, bid, doubled, facts, said, plays, tricks, leader, laid, open, given, "
            "received, session, card_map; the nearest one is \"leader\"");
  EXPECT_EQ(error(good + R"(,"said":[[0,"PASS",0,"RAN"]]})", "EO"),
            "said: [0,\"PASS\",0,\"RAN\"], allowed: RAN_AWAY as the fourth");
  EXPECT_EQ(error(R"({"seat":0,"phase":"DEAL","dealer":3,"hand":["EO"]})", "EO"),
            "phase: \"DEAL\", allowed: the name of a phase, such as PLAY or AUCTION_ROUND");
  EXPECT_EQ(error(good + R"(,"contract":{"class":"SOLO","suit":"K"}})", "EO"),
            "contract: \"K\", allowed: E, G, H, S");
  EXPECT_EQ(error(good + R"(,"contract":{"class":"SOLO","siut":"E"}})", "EO"),
            "contract: unknown key \"siut\", allowed: class, suit, called, tout, renonce; the "
            "nearest one is \"suit\"");
  EXPECT_NE(error("{", "EO").find("no JSON"), std::string::npos);
  EXPECT_NE(error("[]", "EO").find("a position is a JSON object"), std::string::npos);
}

TEST(Position, of_a_pack_without_sevens_has_none) {
  const auto rules = house({"players = 3", "deck = \"short24\""});
  ActionMask mask;
  mask.add(*parse_action("EO"));
  EXPECT_EQ(error_of<std::invalid_argument>([&] {
              (void)parse_position(R"({"seat":0,"phase":"PLAY","dealer":2,"hand":["EO","E7"]})",
                                   mask, *rules);
            }),
            "hand: E7, allowed: cards of the deck");
}

// C.2: seat 0 called with a Renonce. D.5: the Solo was bid up to 80.
TEST(Position, tells_renonce_and_bid) {
  for (const auto& [rules_line, contract] :
       {std::pair{"renonce = \"announced\"", parse_contract("RUF")},
        std::pair{"solo_contest = \"steigern\"", parse_contract("SOLO")}}) {
    const auto rules = house({rules_line});
    Contract played;
    played.contract = contract.row->contract;
    played.declarer = 0;
    const bool calls = contract.row->contract == ContractClass::kRuf;
    played.called = calls ? *parse_card("EA") : kNoCard;
    played.renonce = calls;
    played.suit = Suit::kEichel;
    played.bid = calls ? 0 : 80;
    const Deal deal = deal_text(*rules, "EO GO HO SO GA G10 SA S10 | EA | E7 | E8", 3, {});
    const Game game = Game::with_contract(*rules, deal, 3, played);
    const PlayerView view = game.view(0);
    const std::string text = position_json(view, *rules);
    EXPECT_NE(text.find(calls ? "\"renonce\":true" : "\"bid\":80"), std::string::npos) << text;
    EXPECT_TRUE(same_bytes(parse_position(text, legal_actions(view.cards), *rules), view));
  }
}

TEST(Position, an_endgame_that_began_in_the_middle_of_the_cards_has_no_text) {
  const auto rules = CompiledRules::load("research");
  Position position;
  position.contract.contract = ContractClass::kWenz;
  position.contract.declarer = 0;
  position.hands = {parse_cards("EU"), parse_cards("GU"), parse_cards("HU"), parse_cards("SU")};
  position.captured[0] = CardSet::all() - parse_cards("EU GU HU SU");
  const Game game = Game::from_position(*rules, position);
  EXPECT_EQ(error_of<std::invalid_argument>([&] { (void)position_json(game.view(0), *rules); }),
            "a game that was entered in the middle of the cards has no position in text");
}

}  // namespace
}  // namespace schafkopf::test
