// Rules of a whole deal: auction, duties of card play, doubling, early ends, endgames, bytes.
#include "env/game/game.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "env/base/random.h"
#include "env/base/wrong_argument.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

std::shared_ptr<const CompiledRules> rules_with(const PlainTable& changes,
                                                const std::string& base = "research") {
  RuleSet rules = preset(base);
  rules.claims_enabled = false;
  for (const auto& [key, value] : changes) {
    std::visit([&](const auto& scalar) { set_field(rules, key, PlainValue(scalar)); }, value);
  }
  return std::make_shared<const CompiledRules>(rules, "test");
}

// seat 0 holds a Rufspiel (calls EA or SA), seat 1 the aces E and G, seat 2 little, seat 3 trumps
const char* const kDeal =
    "EO HO EU HA H9 E9 S9 S8 | EA E10 EK GA G10 GK SU H7 |"
    " GO GU HU HK E8 E7 G9 G8 | SO H10 H8 SA S10 SK S7 G7";

TEST(Game, R_024_deal_follows_the_deck_order) {
  std::vector<Card> order(32);
  for (std::size_t i = 0; i < 32; ++i) order[i] = static_cast<Card>(i);
  const Deal deal = deal_from_order(order, preset("official_1989"), 3);
  EXPECT_EQ(to_string(deal.hand(0)), "E7 E8 E9 EU H7 H8 H9 HU");
  EXPECT_EQ(to_string(deal.first[0]), "E7 E8 E9 EU");
  EXPECT_EQ(to_string(deal.second[3]), "SO SK S10 SA");
}

TEST(Game, R_087_R_088_every_seat_declares_once) {
  const auto rules = rules_with({});
  Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  EXPECT_EQ(game.phase(), Phase::kAuctionRound);
  EXPECT_EQ(game.current_player(), 0);
  play(game, "PLAY PASS PASS");
  EXPECT_EQ(game.current_player(), 3);
  EXPECT_EQ(to_string(game.legal_actions()), "PASS, PLAY");
  play(game, "PASS");
  EXPECT_EQ(game.phase(), Phase::kNameClass);
  EXPECT_EQ(game.current_player(), 0);
}

TEST(Game, R_027_callable_aces_are_offered) {
  const auto rules = rules_with({});
  Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  play(game, "PLAY PASS PASS PASS C_RUF");
  EXPECT_EQ(game.phase(), Phase::kCallCard);
  EXPECT_EQ(to_string(game.legal_actions()), "EA, SA");
}

TEST(Game, R_028_blocked_seat_cannot_choose_rufspiel) {
  const auto rules = rules_with({});
  Game game(*rules,
            deal_text(*rules,
                      "EO HO EU HA H9 EA SA S8 | E9 E10 EK GA G10 GK SU H7 |"
                      " GO GU HU HK E8 E7 G9 G8 | SO H10 H8 S9 S10 SK S7 G7",
                      3, {}),
            3);
  play(game, "PLAY PASS PASS PASS");
  EXPECT_FALSE(game.legal_actions().contains(action_of("C_RUF")));
}

TEST(Game, R_089_follower_challenges_and_holder_yields) {
  const auto rules = rules_with({});
  Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  play(game, "PLAY PASS PLAY PASS");
  EXPECT_EQ(game.phase(), Phase::kAuctionResolve);
  EXPECT_EQ(game.current_player(), 0);
  play(game, "YIELD");
  EXPECT_EQ(game.phase(), Phase::kNameClass);
  EXPECT_EQ(game.current_player(), 2);
  EXPECT_FALSE(game.legal_actions().contains(action_of("C_RUF")));
}

TEST(Game, R_091_R_092_only_a_higher_game_outbids) {
  const auto rules = rules_with({});
  Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  play(game, "PLAY PASS PLAY PLAY C_WENZ");
  EXPECT_EQ(game.current_player(), 2);
  EXPECT_FALSE(game.legal_actions().contains(action_of("C_WENZ")));
  play(game, "C_SOLO");
  EXPECT_EQ(game.current_player(), 3);
  EXPECT_EQ(to_string(game.legal_actions()), "PASS, C_WENZ_TOUT, C_SOLO_TOUT");
  play(game, "PASS");
  EXPECT_EQ(game.phase(), Phase::kNameSuit);
  EXPECT_EQ(game.current_player(), 2);
}

TEST(Game, R_097_direct_auction_gives_the_game_back_to_the_earlier_seat) {
  const auto rules = rules_with({{"auction_style", std::string("direct")}});
  Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  play(game, "PLAY PASS C_WENZ PASS C_WENZ PASS");
  EXPECT_EQ(game.contract().contract, ContractClass::kWenz);
  EXPECT_EQ(game.contract().declarer, 0);
}

TEST(Game, R_101_all_pass_is_thrown_in) {
  const auto rules = rules_with({});
  Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  play(game, "PASS PASS PASS PASS");
  EXPECT_TRUE(game.is_terminal());
  EXPECT_EQ(game.payoffs(), (std::array<std::int32_t, 4>{0, 0, 0, 0}));
}

TEST(Game, has_no_payoffs_or_settlement_before_its_end) {
  const auto rules = rules_with({});
  Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  play(game, "PASS PASS PASS");
  EXPECT_EQ(test::error_of<std::invalid_argument>([&] { (void)game.payoffs(); }),
            "payoffs: the deal is not over, seat 3 is to act");
  EXPECT_EQ(test::error_of<std::invalid_argument>([&] { (void)game.settlement(); }),
            "settlement: the deal is not over, seat 3 is to act");
  static_assert(!std::is_constructible_v<Game, CompiledRules, Deal, int>, "rules outlive a game");
  static_assert(std::is_constructible_v<Game, CompiledRules&, Deal, int>);
}

template <class Rules>
constexpr bool kEntersGames = requires(Rules&& rules, const Deal& deal, const Position& position) {
  Game::with_contract(std::forward<Rules>(rules), deal, 0, Contract{});
  Game::with_contract(std::forward<Rules>(rules), deal, 0, CardPlayStart{});
  Game::from_position(std::forward<Rules>(rules), position);
  Game::deserialize(std::forward<Rules>(rules), std::vector<std::uint8_t>{});
};
template <class Rules>
constexpr bool kEntersSomeGame = requires(Rules&& rules, const Deal& deal) {
  Game::with_contract(std::forward<Rules>(rules), deal, 0, Contract{});
} || requires(Rules&& rules, const Deal& deal) {
  Game::with_contract(std::forward<Rules>(rules), deal, 0, CardPlayStart{});
} || requires(Rules&& rules, const Position& position) {
  Game::from_position(std::forward<Rules>(rules), position);
} || requires(Rules&& rules) {
  Game::deserialize(std::forward<Rules>(rules), std::vector<std::uint8_t>{});
};

TEST(Game, is_entered_with_rules_that_outlive_it) {
  static_assert(kEntersGames<const CompiledRules&> && kEntersGames<CompiledRules&>);
  static_assert(!kEntersSomeGame<CompiledRules> && !kEntersSomeGame<const CompiledRules>);
}

TEST(Game, R_105_all_pass_is_ramsch) {
  const auto rules = rules_with({{"all_pass", std::string("ramsch")}});
  Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  play(game, "PASS PASS PASS PASS");
  EXPECT_EQ(game.phase(), Phase::kPlay);
  EXPECT_EQ(game.contract().contract, ContractClass::kRamsch);
}

TEST(Game, R_115_the_searched_ace_must_be_played) {
  const auto rules = rules_with({});
  Game game(*rules, deal_text(*rules, kDeal, 1, {}), 1);  // seat 2 leads
  play(game, "PASS PASS PLAY PASS C_RUF SA GO H8 EO H7");
  EXPECT_EQ(game.current_player(), 0);
  play(game, "S9 SU GU");
  EXPECT_EQ(to_string(game.legal_actions()), "SA");
  EXPECT_NE(game.why_illegal(action_of("S7")).find("R-115"), std::string::npos);
}

TEST(Game, R_119_R_121_the_owner_runs_away_and_is_known) {
  const auto rules = rules_with({});
  Game game(*rules, deal_text(*rules, kDeal, 2, {}), 2);  // seat 3 leads and owns SA S10 SK S7
  play(game, "PASS PLAY PASS PASS C_RUF SA");
  EXPECT_EQ(game.current_player(), 3);
  EXPECT_FALSE(game.partner_known());
  play(game, "S7");
  EXPECT_TRUE(game.partner_known());
  EXPECT_EQ(game.view(1).partner(), 2);
  EXPECT_TRUE(game.view(1).has(kFlagRanAway));
}

TEST(Game, R_118_the_call_suit_is_led_with_the_ace_only) {
  const auto rules = rules_with({{"runaway_enabled", false}});
  Game game(*rules, deal_text(*rules, kDeal, 2, {}), 2);
  play(game, "PASS PLAY PASS PASS C_RUF SA");
  EXPECT_EQ(to_string(game.legal_actions()), "G7, H8, H10, SO, SA");
}

TEST(Game, R_135_R_138_stoss_and_answer_before_the_second_card) {
  const auto rules = rules_with({{"kontra_window", std::string("before_second_card")}});
  Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  play(game, "PLAY PASS PASS PASS C_RUF SA EO");
  EXPECT_EQ(game.phase(), Phase::kDouble);
  EXPECT_EQ(game.current_player(), 1);
  EXPECT_EQ(game.view(3).phase(), Phase::kPlay) << "silence must not show who is asked";
  play(game, "NO_DOUBLE DOUBLE");  // seat 2 doubles; seat 3 owns the ace and is not asked first
  EXPECT_EQ(game.current_player(), 3);
  play(game, "DOUBLE");
  EXPECT_TRUE(game.partner_known());
  EXPECT_EQ(game.doubling_level(), 2);
  play(game, "NO_DOUBLE NO_DOUBLE");
  EXPECT_EQ(game.phase(), Phase::kPlay);
  EXPECT_EQ(game.current_player(), 1);
}

TEST(Game, R_070_sie_is_not_played_out) {
  const auto rules = rules_with({});
  Game game(*rules,
            deal_text(*rules,
                      "EO GO HO SO EU GU HU SU | E7 E8 E9 EK E10 EA G7 G8 |"
                      " G9 GK G10 GA H7 H8 H9 HK | H10 HA S7 S8 S9 SK S10 SA",
                      3, {}),
            3);
  play(game, "PLAY PASS PASS PASS C_SIE");
  EXPECT_TRUE(game.is_terminal());
  EXPECT_EQ(game.payoffs(), (std::array<std::int32_t, 4>{1560, -520, -520, -520}));
}

TEST(Game, R_067_a_lost_trick_ends_the_tout) {
  const auto rules = rules_with({});
  Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  play(game, "PLAY PASS PASS PASS C_SOLO_TOUT SUIT_H S9 SU GO SA");
  EXPECT_TRUE(game.is_terminal());
  EXPECT_LT(game.payoffs()[0], 0);
}

TEST(Game, R_109_illegal_actions_are_named_and_change_nothing) {
  const auto rules = rules_with({});
  Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  const auto before = game.serialize();
  EXPECT_THAT(test::error_of<std::invalid_argument>([&] { game.apply(action_of("C_SOLO")); }),
              ::testing::HasSubstr("C_SOLO"));
  EXPECT_EQ(game.serialize(), before);
}

TEST(Game, every_random_game_keeps_the_invariants) {
  const std::vector<std::shared_ptr<const CompiledRules>> variants = {
      rules_with({}), rules_with({{"all_pass", std::string("ramsch")}}),
      rules_with({{"auction_style", std::string("direct")},
                  {"kontra_window", std::string("full_hand")},
                  {"kontra_ask_before_first", true}}),
      rules_with({{"kontra_window", std::string("before_first_card")},
                  {"max_doublings_partner", std::int64_t{8}}}),
      rules_with({{"early_termination", false},
                  {"partner_trump_suit", std::string("S")},
                  {"suit_public_when_named", true},
                  {"kontra_window", std::string("before_second_card")}})};
  const int games = test::scaled(300, 3000, 20000);
  for (std::size_t v = 0; v < variants.size(); ++v) {
    for (int i = 0; i < games; ++i) {
      const auto seed = episode_seed(v, 7, static_cast<std::uint64_t>(i));
      Rng rng(seed);
      Game game(*variants[v], random_deal(seed), i % 4);
      while (!game.is_terminal()) {
        ASSERT_NO_THROW(game.check_invariants());
        const ActionMask mask = without_claims(game.legal_actions());
        game.apply(mask.nth(rng.next_below(mask.count())));
      }
      ASSERT_NO_THROW(game.check_invariants());
      const Game copy = Game::deserialize(*variants[v], game.serialize());
      ASSERT_EQ(copy.payoffs(), game.payoffs());
    }
  }
}

TEST(Game, damaged_bytes_are_refused) {
  const auto rules = rules_with({});
  const Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  auto bytes = game.serialize();
  bytes[40] ^= 1;
  EXPECT_THROW((void)Game::deserialize(*rules, bytes), std::invalid_argument);
  const auto other = rules_with({{"tout_enabled", false}});
  EXPECT_THROW((void)Game::deserialize(*other, game.serialize()), std::invalid_argument);
}

TEST(Game, C_19_a_sie_has_no_position_since_it_is_laid_down_at_once) {
  const auto rules = rules_with({});
  Position position;
  position.contract = {.contract = ContractClass::kSie, .declarer = 0};
  EXPECT_EQ(test::error_of([&] { (void)Game::from_position(*rules, position); }),
            "SIE: allowed: no position: it is laid down at once (C.19)");
}

TEST(Game, endgame_from_position_counts_the_points_so_far) {
  const auto rules = rules_with({});
  Position position;
  position.contract = {.contract = ContractClass::kSolo, .suit = Suit::kHerz, .declarer = 0};
  position.hands = {parse_cards("EO"), parse_cards("SA"), parse_cards("S10"), parse_cards("SK")};
  CardSet rest = CardSet::all();
  for (const CardSet hand : position.hands) rest = rest - hand;
  position.captured[1] = rest;
  Game game = Game::from_position(*rules, position);
  play(game, "EO SA S10 SK");
  EXPECT_TRUE(game.is_terminal());
  EXPECT_EQ(game.outcome().points[0], 28);
  EXPECT_LT(game.payoffs()[0], 0);
}

// C.5: nobody has declared; whoever doubled last, or laid first, and the seat opposite.
TEST(Game, R_042_an_endgame_of_opposite_seats_has_the_pair_of_the_seat_that_is_named) {
  const auto rules = rules_with({});
  for (int seat = 0; seat < kNumSeats; ++seat) {
    Position position;
    position.contract = {.contract = ContractClass::kKreuz, .declarer = -1};
    position.partner = seat;
    position.hands = {parse_cards("EO"), parse_cards("SA"), parse_cards("S10"), parse_cards("SK")};
    for (const CardSet hand : position.hands) position.captured[1] = position.captured[1] | hand;
    position.captured[1] = CardSet::all() - position.captured[1];
    const Game game = Game::from_position(*rules, position);
    EXPECT_EQ(game.outcome().declarer_party, seat % 2 == 0 ? 0b0101 : 0b1010) << "seat " << seat;
    for (int viewer = 0; viewer < kNumSeats; ++viewer) {
      EXPECT_EQ(game.view(viewer).cards.flags & kFlagOwnsCalled, 0) << "no card is called";
    }
  }
}

TEST(Game, a_position_that_no_deal_has_is_refused_by_its_member) {
  const auto rules = rules_with({});
  Position position;
  position.contract = {.contract = ContractClass::kWenz, .declarer = 0};
  position.hands = {parse_cards("EU"), parse_cards("GU"), parse_cards("HU"), parse_cards("SU")};
  position.captured[1] = CardSet::all() - parse_cards("EU GU HU SU");
  const auto error = [&] {
    return test::error_of([&] { (void)Game::from_position(*rules, position); });
  };
  EXPECT_EQ(error(), "no error");
  position.leader = 4;
  EXPECT_EQ(error(), "position: leader = 4, allowed: 0..3");
  position.leader = 0;
  position.captured[1].add(parse_card("GU").value());
  EXPECT_EQ(error(), "position: seat 1 both holds and has captured GU");
}

TEST(Game, a_contract_of_no_class_or_suit_is_refused_before_a_table_is_asked) {
  const auto rules = rules_with({});
  const Deal deal = deal_text(*rules, "EO|||", 3, {});
  const auto error = [&](const Contract& contract) {
    return test::error_of([&] { (void)Game::with_contract(*rules, deal, 3, contract); });
  };
  EXPECT_EQ(error({.contract = static_cast<ContractClass>(99), .declarer = 0}),
            "contract = 99, allowed: the classes of ContractClass, 0.." +
                std::to_string(kNumContractClasses - 1));
  EXPECT_EQ(error({.contract = ContractClass::kSolo, .suit = static_cast<Suit>(9), .declarer = 0}),
            "suit = 9, allowed: 0..3");
}

// C.3: a number that is no seat became one of 8 bits, and a Solo had a partner.
TEST(Game, a_partner_of_no_seat_is_refused) {
  const auto rules = rules_with({});
  const Deal deal = deal_text(*rules, "EO|||", 3, {});
  CardPlayStart start;
  start.contract = {.contract = ContractClass::kSolo, .declarer = 1};
  for (const int partner : {-256, -9, 0, 256}) {
    start.partner = partner;
    EXPECT_EQ(test::error_of([&] { (void)Game::with_contract(*rules, deal, 3, start); }),
              "SOLO: partner = " + std::to_string(partner) +
                  ", allowed: none (-1): only a Hochzeit has an accepted partner (C.3)");
  }
}

// C.2: what is called without a card of its suit, where the rules have that.
TEST(Game, a_renonce_is_refused_where_nobody_could_announce_it) {
  const auto rules = rules_with({});
  const Deal deal = deal_text(*rules, "EO|||", 3, {});
  const Contract solo{.contract = ContractClass::kSolo, .declarer = 1, .renonce = true};
  EXPECT_EQ(
      test::error_of([&] { (void)Game::with_contract(*rules, deal, 3, solo); }),
      "SOLO: renonce, allowed: in a partner game of free choice with renonce = announced (C.2)");
  const auto announced = rules_with({{"renonce", "announced"}, {"all_pass", "muss_spiel"}});
  Contract muss{.contract = ContractClass::kMuss, .called = parse_card("EA").value()};
  muss.declarer = 0;
  muss.renonce = true;
  EXPECT_EQ(
      test::error_of([&] { (void)Game::with_contract(*announced, deal, 3, muss); }),
      "MUSS: renonce, allowed: in a partner game of free choice with renonce = announced (C.2)");
}

// C.2: a Renonce has no card of the called suit.
TEST(Game, R_029_a_renonce_on_a_suit_that_the_declarer_holds_is_refused) {
  const auto rules = rules_with({{"renonce", "announced"}});
  Contract ruf{.contract = ContractClass::kRuf, .called = parse_card("EA").value()};
  ruf.declarer = 0;
  ruf.renonce = true;
  const auto error = [&](const std::string& hands) {
    const Deal deal = deal_text(*rules, hands, 3, {});
    return test::error_of([&] { (void)Game::with_contract(*rules, deal, 3, ruf); });
  };
  EXPECT_EQ(error("EO GO HO SO GA G10 SA S10 | EA | E7 | E8"), "no error");
  EXPECT_EQ(error("EO GO HO EU HU HA E9 E7 | EA | |"),
            "RUF: renonce on EA, but the declarer holds E7 E9 (C.2, R-029)");

  Position position;
  position.contract = ruf;
  position.partner = 1;
  position.hands = {parse_cards("E9 HA"), parse_cards("EA HK"), parse_cards("E7 E8"),
                    parse_cards("GA G7")};
  position.captured[0] = CardSet::all() - position.hands[0] - position.hands[1] -
                         position.hands[2] - position.hands[3];
  const auto error_there = [&] {
    return test::error_of([&] { (void)Game::from_position(*rules, position); });
  };
  EXPECT_EQ(error_there(), "RUF: renonce on EA, but the declarer holds E9 (C.2, R-029)");
  std::swap(position.hands[0], position.hands[3]);
  EXPECT_EQ(error_there(), "no error");
}

// C.4: who must play calls by a row of his own.
TEST(Game, R_040_a_call_that_no_duty_allows_is_refused_by_its_row) {
  const auto rules = rules_with({{"all_pass", "muss_spiel"}});
  const Deal deal = deal_text(*rules, "EO HU HA EA E9 SA H7 H8|||", 3, {});
  Contract muss{.contract = ContractClass::kMuss, .called = parse_card("GA").value()};
  muss.declarer = 0;
  EXPECT_EQ(test::error_of([&] { (void)Game::with_contract(*rules, deal, 3, muss); }),
            "MUSS: called card GA is not callable (C.4, R-040); callable: E10 S10");
}

// E.6
TEST(Game, an_infraction_that_there_is_not_is_refused) {
  const auto rules = rules_with({});
  const Deal deal = deal_text(*rules, "EO|||", 3, {});
  const Contract solo{.contract = ContractClass::kSolo, .declarer = 1};
  Game game = Game::with_contract(*rules, deal, 3, solo);
  EXPECT_THAT(test::error_of([&] { game.infract(0, static_cast<Infraction>(77)); }),
              testing::StartsWith("infraction: allowed: during card play"));
  EXPECT_FALSE(game.is_terminal());
}

// C.3: the acceptor gives a card back, which is not the offered trump.
TEST(Game, R_031_R_032_a_hochzeit_has_its_partner_and_no_card_comes_back) {
  const auto rules = rules_with({{"hochzeit", "before_auction"}}, "official_1989");
  const Deal deal = deal_text(*rules, "HK|||", 3, {});
  CardPlayStart start;
  start.contract = {.contract = ContractClass::kHochzeit, .declarer = 0};
  const auto error = [&] {
    return test::error_of([&] { (void)Game::with_contract(*rules, deal, 3, start); });
  };
  EXPECT_EQ(error(), "HOCHZEIT: partner = -1, allowed: the seat that accepted (C.3, R-031)");
  start.partner = 2;
  start.exchange = {{0, 2, parse_cards("HK")}, {2, 0, parse_cards("HK")}};
  EXPECT_EQ(
      error(),
      "exchange: HK comes back to seat 0, which passed it on; no card comes back (C.3, C.20)");
}

TEST(Game, C_20_6_C_20_7_a_special_round_needs_its_pack_and_its_cards) {
  const auto rules = rules_with({});
  const auto short_deck = rules_with({{"deck", "short24"}});
  const auto error = [](const CompiledRules& played, const Deal& deal, SpecialRound mode) {
    DealContext context;
    context.special_round = static_cast<std::uint8_t>(mode);
    context.games_left = 4;
    return test::error_of([&] { (void)Game(played, deal, 3, context); });
  };
  EXPECT_EQ(error(*short_deck, deal_for(1, short_deck->rules(), 3, {}), SpecialRound::kSchieber),
            "context: special_round = schieber needs deck = long32 (C.20.6, C.20.7)");
  for (const SpecialRound mode : {SpecialRound::kSchieber, SpecialRound::kTeufel}) {
    DealContext context;
    context.special_round = static_cast<std::uint8_t>(mode);
    Deal deal = deal_for(1, rules->rules(), 3, context);
    EXPECT_EQ(error(*rules, deal, mode), "no error");
    const bool teufel = mode == SpecialRound::kTeufel;
    if (teufel) {  // forehand and the next seat exchange a card
      const Card fixed = parse_card("SO").value(), other = deal.second[1].lowest();
      deal.second[0].remove(fixed), deal.second[0].add(other);
      deal.second[1].remove(other), deal.second[1].add(fixed);
    } else {  // an Ober of the packet for a card that was dealt
      deal.first[1].remove(deal.first[1].lowest());
      deal.first[1].add(parse_card("EO").value());
    }
    EXPECT_EQ(error(*rules, deal, mode),
              teufel ? "hand of forehand needs EU EO GO SO (C.20.7); it is E7 E8 EU EO G9 GO G10 H8"
                     : "hands: a Schieber deal leaves out EO GO (C.20.6), it leaves out EA GO");
  }
}

TEST(Game, E_6_an_offender_sits_at_the_table) {
  const auto rules = rules_with({});
  Game game(*rules, deal_text(*rules, kDeal, 3, {}), 3);
  EXPECT_EQ(test::error_of([&] { game.infract(4, Infraction::kTalk); }),
            "infraction: seat = 4, allowed: 0..3");
  EXPECT_EQ(game.infraction(), Infraction::kNone);
}

TEST(Deal, random_deals_are_uniform_over_card_and_seat) {
  std::array<std::array<int, 8>, 32> where{};  // card -> seat * 2 + half
  const int deals = 40000;
  for (int i = 0; i < deals; ++i) {
    const Deal deal = random_deal(episode_seed(1, 2, static_cast<std::uint64_t>(i)));
    CardSet seen;
    for (std::size_t seat = 0; seat < 4; ++seat) {
      ASSERT_EQ(deal.first[seat].count(), 4);
      ASSERT_EQ(deal.second[seat].count(), 4);
      seen = seen | deal.hand(static_cast<int>(seat));
      for (const Card card : deal.first[seat]) ++where[card][2 * seat];
      for (const Card card : deal.second[seat]) ++where[card][2 * seat + 1];
    }
    ASSERT_EQ(seen, CardSet::all());
  }
  // 256 binomial cells (n = 40000, p = 1/8, sd 66): 5 sd
  for (const auto& row : where) {
    for (const int count : row) EXPECT_NEAR(count, deals / 8, 5 * 66);
  }
}

TEST(Deal, the_map_from_seed_to_deal_is_final) {
  EXPECT_EQ(to_string(random_deal(1).hand(0)), "E8 E9 E10 EA G8 GO G10 H10");
  EXPECT_EQ(to_string(random_deal(12345).first[3]), "E8 G7 GK H8");
}

TEST(PartialHands, numbers_that_are_no_class_suit_or_card_are_named) {
  const RuleSet rules = preset("research");
  const CardSet hand = CardSet::of(3);
  const std::vector<Card> trick = {7}, wrong = {7, 32};
  const auto solo = ContractClass::kSolo, none = static_cast<ContractClass>(77);
  const auto suit = Suit::kHerz, no_suit = static_cast<Suit>(4);
  const auto of_legal = [&](auto contract, auto trumps, const auto& table, Card called) {
    return test::error_of<WrongArgument>(
        [&] { (void)legal(hand, table, contract, trumps, called, false, rules); });
  };
  EXPECT_EQ(of_legal(solo, suit, trick, kNoCard), "no error");
  const std::string of_class = "contract = 77, allowed: the classes of ContractClass, 0.." +
                               std::to_string(kNumContractClasses - 1);
  EXPECT_EQ(of_legal(none, suit, trick, kNoCard), of_class);
  EXPECT_EQ(of_legal(solo, no_suit, trick, kNoCard), "suit = 4, allowed: 0..3");
  EXPECT_EQ(of_legal(solo, suit, wrong, kNoCard), "trick: card = 32, allowed: 0..31");
  EXPECT_EQ(of_legal(ContractClass::kRuf, suit, trick, 40), "called: card = 40, allowed: 0..31");
  EXPECT_EQ(test::error_of([&] { (void)laufende(hand, none, suit, rules); }), of_class);
  EXPECT_EQ(test::error_of([&] { (void)trick_winner(trick, none, suit, rules); }), of_class);
  EXPECT_EQ(test::error_of([&] { (void)trick_winner(wrong, solo, suit, rules); }),
            "trick: card = 32, allowed: 0..31");
}

}  // namespace
}  // namespace schafkopf
