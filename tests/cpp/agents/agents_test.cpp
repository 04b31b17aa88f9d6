// Players: maxims and bids of the rule agent in game notation, the random agent, the registry.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "agents/basic/random_agent.h"
#include "agents/maxims/bidding.h"
#include "agents/maxims/doubling.h"
#include "agents/maxims/hand_strength.h"
#include "agents/maxims/maxims.h"
#include "agents/maxims/rule_agent.h"
#include "agents/network/net_agent.h"
#include "agents/registry.h"
#include "agents/work/spec_value.h"
#include "env/game/game.h"
#include "env/rules/rules.h"
#include "tests/cpp/agents/rule_choice.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table_notation.h"

namespace schafkopf {
namespace {

using rule_choice::choice;
using rule_choice::deal_of;
using rule_choice::plays;
using rule_choice::research;
using rule_choice::ruf;
using rule_choice::single;

// seat 0: declarer of a Rufspiel on EA; seat 1 owns it; seats 2 and 3 defend.
const char* const kHands =
    "EO HO EU HA H9 E9 S9 S8 | EA GA G10 GK GO HU H7 S7 |"
    " E10 E8 GU HK S10 G9 G8 H8 | SO SU H10 EK E7 SA SK G7";

TEST(RuleAgent, R_187_I_06_declarer_draws_trumps_from_the_top) {
  EXPECT_EQ(plays(kHands, ruf(0, "EA"), ""), "EO (draw_with_top_trump)");
}

TEST(RuleAgent, R_187_I_07_low_trump_follows_the_high_one) {
  EXPECT_EQ(plays("EO HK H9 H8 E9 S9 S8 G9 | EA GA G10 GK GO HU H7 S7 |"
                  " E10 E8 GU HA S10 G8 HO EU | SO SU H10 EK E7 SA SK G7",
                  ruf(0, "EA"), "EO H7 GU H10"),
            "H8 (low_trump_after_high)");
}

TEST(RuleAgent, R_187_I_10_rather_an_unter_than_too_small_a_trump) {
  EXPECT_EQ(plays(kHands, ruf(0, "EA"), "EO H7 H8 SU"), "EU (unter_rather_than_too_small)");
}

TEST(RuleAgent, R_187_I_08_partner_leads_his_highest_trump) {
  // seat 1 calls EA of seat 0, which leads
  EXPECT_EQ(plays("EA GO HU H7 G9 G8 S8 S7 | EO HO EU HA H9 E9 GK S9 |"
                  " E10 E8 GU HK S10 GA G10 H8 | SO SU H10 EK E7 SA SK G7",
                  ruf(1, "EA"), ""),
            "GO (partner_leads_highest_trump)");
}

TEST(RuleAgent, R_187_I_11_declarer_never_leads_the_suit_he_called_into_trumps) {
  int leads_with_a_choice = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Deal deal = random_deal(seed);
    const ContractChoice call = best_call(research(), deal.hand(0), true);
    if (!call.possible()) continue;
    Contract contract = call.contract;
    contract.declarer = 0;
    Game game = Game::with_contract(research(), deal, 3, contract);
    const CardSet called_suit = CardSet::suit(suit_of(contract.called)) -
                                CardSet::rank(Rank::kOber) - CardSet::rank(Rank::kUnter);
    const CardSet trumps(research().play(contract.contract, contract.suit).trumps);
    bool fallen = false;
    while (!game.is_terminal()) {
      const Action card = RuleAgent::choose(game.view(game.current_player()), research());
      const bool leads = game.current_player() == 0 && game.num_plays() % 4 == 0;
      const bool had_choice = !(game.hand(0) - called_suit).empty();
      CardSet other_trumps;
      for (int seat = 1; seat < 4; ++seat) other_trumps = other_trumps | (game.hand(seat) & trumps);
      if (leads && had_choice && !fallen && !other_trumps.empty()) {
        EXPECT_FALSE(called_suit.contains(card)) << "seed " << seed << " " << card_name(card);
        ++leads_with_a_choice;
      }
      fallen = fallen || card == contract.called;
      game.apply(card);
    }
  }
  EXPECT_GT(leads_with_a_choice, 0);
}

TEST(RuleAgent, R_187_I_12_owner_of_four_runs_away) {
  EXPECT_EQ(plays("EA EK E8 E7 G9 G8 S8 H7 | EO HO EU HA H9 E9 GK S9 |"
                  " E10 GO GU HK S10 GA G10 H8 | SO SU H10 HU S7 SA SK G7",
                  ruf(1, "EA"), ""),
            "E7 (run_away)");
}

TEST(RuleAgent, R_187_I_13_defender_searches_the_called_ace) {
  EXPECT_EQ(plays("E10 E8 GU HK S10 G9 G8 H8 | EO HO EU HA H9 E9 S9 S8 |"
                  " EA GA G10 GK GO HU H7 S7 | SO SU H10 EK E7 SA SK G7",
                  ruf(1, "EA"), ""),
            "E8 (search_called_card)");
}

TEST(RuleAgent, R_187_I_14_no_smear_to_an_unproven_partner) {
  // seat 0 (unproven) leads a trump, seat 1 declares; seat 2 keeps the fat H10 from an SO on top
  const std::string card = plays(
      "SO SU HK EK E7 SA SK G7 | EO HO EU HA H9 E9 S9 S8 |"
      " H10 H8 E10 E8 G9 G8 S10 GU | EA GA G10 GK GO HU H7 S7",
      ruf(1, "EA"), "SO H9");
  EXPECT_EQ(card.substr(0, 2), "H8") << card;
}

TEST(RuleAgent, R_187_I_16_smears_a_trick_that_is_surely_ours) {
  // Solo of seat 0: seat 1's ace wins against the soloist, seat 3 is last and void
  EXPECT_EQ(plays("EO HO EU HA H9 E9 S9 H7 | EA GA G7 GK GO HU H8 S7 |"
                  " E10 E8 EK GU HK G9 G8 E7 | SO SU H10 G10 S10 SA SK S8",
                  single("SOLO", 0), "E9 EA E7")
                .substr(0, 3),
            "G10");
}

TEST(RuleAgent, R_187_I_17_stays_low_under_a_higher_trump) {
  // EO lies: seat 1, partner of nobody, gives its smallest trump and no Ober
  EXPECT_EQ(plays("EO HO EU HA H9 E9 S9 S8 | EK GA G10 GK GO HU H7 S7 |"
                  " EA E8 GU HK S10 G9 G8 H8 | SO SU H10 E10 E7 SA SK G7",
                  ruf(0, "EA"), "EO")
                .substr(0, 2),
            "H7");
}

TEST(RuleAgent, W_11_8_takes_with_the_ace_when_it_is_last) {
  EXPECT_EQ(plays("E9 GO HU H7 G9 G8 S8 S7 | E10 HO EU HA H9 GA GK S9 |"
                  " E8 EO GU HK S10 SA G10 H8 | EA EK E7 SO SU H10 SK G7",
                  single("SOLO", 1), "E9 E10 E8")
                .substr(0, 2),
            "EA");
}

TEST(RuleAgent, R_187_I_22_an_ace_belongs_on_a_Wenz) {
  EXPECT_EQ(plays("EA E8 GO HK H7 G9 S8 S7 | EU GU SA S10 HA H10 GA G8 |"
                  " E10 EO HU HO S9 GK G10 H8 | EK E9 E7 SO SU SK G7 H9",
                  single("WENZ", 1), ""),
            "EA (lead_an_ace)");
}

TEST(RuleAgent, R_187_I_20_defender_does_not_lead_from_under_his_ace) {
  const std::string card = plays(
      "EA E8 GK G9 H7 SU S8 S7 | EO GO HO EU GU HA H10 H9 |"
      " E10 SO HU HK S9 GA G10 H8 | EK E9 E7 G8 G7 SA SK S10",
      single("SOLO", 1), "");
  EXPECT_NE(card.substr(0, 2), "E8") << card;
}

TEST(RuleAgent, C_06_ramsch_ducks_with_the_highest_card_below) {
  const auto rules = CompiledRules::load("tournament_2024");
  Contract ramsch;
  ramsch.contract = parse_contract("RAMSCH").row->contract;
  Game game = Game::with_contract(*rules,
                                  deal_of("EK GO HU H7 G9 G8 S8 S7 | E10 E8 E7 HA H9 GA GK S9 |"
                                          " EA EO GU HK S10 SA G10 H8 | E9 EU HO SO SU H10 SK G7"),
                                  3, ramsch);
  game.apply(*parse_card("EK"));
  EXPECT_EQ(choice(game), "E8 (highest_card_below)");
}

TEST(RuleAgent, R_054_in_the_schieberramsch_tricks_are_taken) {
  const Contract ramsch{.contract = parse_contract("RAMSCH").row->contract};
  const auto second_hand = [&](const CompiledRules& rules) {
    Game game = Game::with_contract(rules,
                                    deal_of("EK GO HU H7 G9 G8 S8 S7 | EA E8 EO GU HK S10 SA G10 |"
                                            " E10 H8 E7 HA H9 GA GK S9 | E9 EU HO SO SU H10 SK G7"),
                                    3, ramsch);
    game.apply(*parse_card("EK"));
    return choice(game);
  };
  EXPECT_EQ(second_hand(*CompiledRules::load("tournament_2024")), "E8 (highest_card_below)");
  EXPECT_EQ(second_hand(*notation::rules_of({"all_pass = \"ramsch\"", "ramsch_shift = true"})),
            "EA (win_what_pays)");
}

TEST(RuleAgent, R_054_wins_the_schieberramsch_against_three_random_players) {
  const auto rules = notation::rules_of({"all_pass = \"ramsch\"", "ramsch_shift = true"});
  const Contract ramsch{.contract = parse_contract("RAMSCH").row->contract};
  double payoff = 0.0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Rng random(seed);
    Game game = Game::with_contract(*rules, random_deal(seed), 3, ramsch);
    const int seat = static_cast<int>(seed % kNumSeats);
    while (!game.is_terminal()) {
      const ActionMask mask = game.legal_actions();
      game.apply(game.current_player() == seat ? RuleAgent::choose(game.view(seat), *rules)
                                               : mask.nth(random.next_below(mask.count())));
    }
    payoff += game.settlement().payoffs[static_cast<std::size_t>(seat)];
  }
  EXPECT_GT(payoff / 400.0, 0.0);
  RecordProperty("payoff", std::to_string(payoff / 400.0));
}

TEST(RuleAgent, R_188_I_25_sure_trump_tricks_need_lower_trumps_under_higher_ones) {
  const auto sure = [](const std::string& hands) {
    const Game game = Game::with_contract(research(), deal_of(hands), 3, single("SOLO", 1));
    return sure_trump_tricks(Situation(game.view(0), research()));
  };
  const std::string others = " | SO SU HK EK E7 SA SK G7 | H10 H8 E10 E8 G9 G8 S10 GU | ";
  EXPECT_EQ(sure("EO GO HO EA E9 GA S9 S8" + others + "HA H9 G10 GK EU HU H7 S7"), 3);
  EXPECT_EQ(sure("GO H7 EA E9 GA S9 S8 H9" + others + "HA EO G10 GK EU HU HO S7"), 1);
  EXPECT_EQ(sure("GO EA E9 GA S9 S8 G10 GK" + others + "HA EO H7 H9 EU HU HO S7"), 0);
}

/// What seat `seat` answers when it is asked for Kontra after the lead of seat 0.
std::string answers_kontra(const std::string& hands, const Contract& contract, int seat,
                           const char* lead) {
  const auto rules = CompiledRules::load("official_1989");
  Game game = Game::with_contract(*rules, deal_of(hands), 3, contract);
  game.apply(*parse_card(lead));
  while (game.phase() == Phase::kDouble && game.current_player() != seat) {
    game.apply(kActionNoDouble);
  }
  return game.phase() == Phase::kDouble ? action_name(RuleAgent::choose(game.view(seat), *rules))
                                        : "not asked";
}

/// What the rule agent says to a Solo of seat 0 that was bid for so many points, once these actions
/// were played and `seat` is asked.
std::string answers_bid(const std::string& hands, int bid,
                        std::initializer_list<const char*> actions, int seat) {
  RuleSet switches = preset("official_1989");
  switches.solo_contest = SoloContest::kSteigern;
  const CompiledRules rules(switches);
  Contract contract = single("SOLO", 0);
  contract.bid = bid;
  Game game = Game::with_contract(rules, deal_of(hands), 3, contract);
  for (const char* action : actions) game.apply(*parse_action(action));
  if (game.phase() != Phase::kDouble || game.current_player() != seat) return "not asked";
  return action_name(RuleAgent::choose(game.view(seat), rules));
}

// D.5: who has promised 120 points is sure of fewer games than who has promised none.
TEST(RuleAgent, R_188_a_re_asks_for_the_points_that_were_bid) {
  const std::string hands =
      "EO GO HO EU HA H10 EA E10 | GU HU SU HK SO H9 EK E9 | H8 H7 GA G10 GK G9 G8 G7 |"
      " E8 E7 SA S10 SK S9 S8 S7";
  EXPECT_EQ(answers_bid(hands, 0, {"H10", "DOUBLE"}, 0), "DOUBLE");
  EXPECT_EQ(answers_bid(hands, 120, {"H10", "DOUBLE"}, 0), "NO_DOUBLE");
}

// I-28: three sure trump tricks are enough against a soloist who has promised nothing.
TEST(RuleAgent, R_188_I_28_kontra_asks_for_a_trump_trick_more_where_points_were_bid) {
  const std::string hands =
      "HO SU HK HA H10 EA E10 G7 | EO GO SO H7 H8 H9 E7 E8 | GU HU EK E9 GA G10 GK G9 |"
      " EU G8 SA S10 SK S9 S8 S7";
  EXPECT_EQ(answers_bid(hands, 0, {"G7"}, 1), "DOUBLE");
  EXPECT_EQ(answers_bid(hands, 90, {"G7"}, 1), "NO_DOUBLE");
}

TEST(RuleAgent, R_188_I_25_kontra_against_a_solo_with_three_sure_trump_tricks) {
  const std::string before = "HO SU HK HA H10 EA E10 G7 | ";
  EXPECT_EQ(answers_kontra(before + "EO GO SO EU H7 H8 E7 E8 | GU HU EK E9 GA G10 GK G9 |"
                                    " H9 G8 SA S10 SK S9 S8 S7",
                           single("SOLO", 0), 1, "G7"),
            "DOUBLE");
  EXPECT_EQ(answers_kontra(before + "EO H8 EU G8 H7 E8 E7 E9 | GU HU EK GO GA G10 GK G9 |"
                                    " H9 SO SA S10 SK S9 S8 S7",
                           single("SOLO", 0), 1, "G7"),
            "NO_DOUBLE");
}

TEST(RuleAgent, R_189_I_26_kontra_against_a_wenz_with_two_unter_the_lead_and_aces) {
  const std::string rest =
      " | EU SU EA E10 HA H10 SK S9 | E9 E8 E7 EO G7 G8 G9 S10 |"
      " EK HO HK H9 H8 H7 S8 S7";
  EXPECT_EQ(answers_kontra("GU HU GA G10 GK GO SA SO" + rest, single("WENZ", 1), 0, "GA"),
            "DOUBLE");
  EXPECT_EQ(answers_kontra("GU GA G10 GK GO SA SO H7 | EU SU EA E10 HA H10 SK S9 |"
                           " E9 E8 E7 EO G7 G8 G9 S10 | HU EK HO HK H9 H8 S8 S7",
                           single("WENZ", 1), 0, "GA"),
            "NO_DOUBLE");
}

TEST(RuleAgent, R_190_I_27_kontra_against_a_rufspiel_with_five_trumps_and_no_called_suit) {
  const std::string lead = "EA E10 E7 HU H7 GA S9 S7 | ";  // owner of the called ace
  EXPECT_EQ(answers_kontra(lead + "HO EU HA H9 H8 E9 S10 S8 | EO GO GU HK H10 G9 G8 SK |"
                                  " SO SU EK E8 G10 GK G7 SA",
                           ruf(1, "EA"), 2, "GA"),
            "DOUBLE");
  EXPECT_EQ(answers_kontra(lead + "HO EU HA H9 H8 E9 S10 S8 | EO GO GU HK E8 G9 G8 SK |"
                                  " SO SU EK H10 G10 GK G7 SA",
                           ruf(1, "EA"), 2, "GA"),
            "NO_DOUBLE");
}

TEST(RuleAgent, plays_whole_deals_of_every_preset_with_legal_actions_only) {
  for (const std::string_view name : preset_names()) {
    const auto rules = CompiledRules::load(std::string(name));
    int contracts = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      Game game(*rules, random_deal(seed), static_cast<int>(seed % 4));
      while (!game.is_terminal()) {
        const PlayerView view = game.view(game.current_player());
        ASSERT_NO_THROW(game.apply(RuleAgent::choose(view, *rules)))
            << name << " seed " << seed << " " << phase_name(view.phase());
      }
      contracts += game.has_contract() ? 1 : 0;
    }
    EXPECT_GT(contracts, 100) << name;
  }
}

// Bids

HandFeatures features(const char* contract, const char* hand, Suit suit = Suit::kHerz) {
  const ContractRow& row = *parse_contract(contract).row;
  return hand_features(research().play(row.contract, suit), parse_cards(hand), false);
}

TEST(Bidding, counts_of_a_hand) {
  const HandFeatures hand = features("SOLO", "EO GO HU HA H7 GA G10 E9");
  EXPECT_EQ(hand.trumps, 5);
  EXPECT_EQ(hand.tops, 2);
  EXPECT_EQ(hand.seconds, 1);
  EXPECT_TRUE(hand.best);
  EXPECT_EQ(hand.aces, 1);
  EXPECT_EQ(hand.guarded_tens, 1);
  EXPECT_EQ(hand.losers, 1);
  EXPECT_EQ(hand.voids, 1);
  EXPECT_EQ(features("WENZ", "EO GO HU HA H7 GA G10 E9").trumps, 1);
}

/// What the hand says in forehand and, if it plays, what it names.
std::string bid(const std::string& hand) {
  CardSet rest = CardSet::all() - parse_cards(hand);
  Deal deal;
  deal.second[0] = parse_cards(hand);
  for (std::size_t seat = 0; seat < 4; ++seat) {
    for (int i = deal.second[seat].count(); i < 8; ++i) deal.second[seat].add(rest.pop_lowest());
    for (int i = 0; i < 4; ++i) deal.first[seat].add(deal.second[seat].pop_lowest());
  }
  Game game(research(), deal, 3);
  std::string said;
  while (game.phase() != Phase::kPlay && !game.is_terminal()) {
    const bool mine = game.current_player() == 0;
    const Action action = mine ? RuleAgent::choose(game.view(0), research()) : Action{kActionPass};
    if (mine && !said.empty()) said += ' ';
    if (mine) said += action_name(action);
    game.apply(action);
    if (action == kActionPass && mine) break;
  }
  return said;
}

TEST(Bidding, R_187_I_03_without_strength_or_a_suit_to_call_the_hand_passes) {
  EXPECT_EQ(bid("SU H9 E10 EK G9 G8 S8 S7"), "PASS");
  EXPECT_EQ(bid("HO H9 EA GA SA E9 G9 S9"), "PASS");  // gesperrt
}
TEST(Bidding, R_027_rufspiel_with_five_trumps_calls_the_short_suit_without_a_ten) {
  EXPECT_EQ(bid("EO HO EU HA H9 E9 S10 S8"), "PLAY C_RUF CARD EA");
}
TEST(Bidding, R_055_solid_solo) {
  EXPECT_EQ(bid("EO GO HO EU S10 S9 S7 EA"), "PLAY C_SOLO SUIT_S");
}
TEST(Bidding, R_057_wenz_with_three_unter_and_aces) {
  EXPECT_EQ(bid("EU HU SU EA E10 GA G9 S7"), "PLAY C_WENZ");
}
TEST(Bidding, R_070_sie_is_announced_when_held) {
  EXPECT_EQ(bid("EO GO HO SO EU GU HU SU"), "PLAY C_SIE");
}
TEST(Bidding, R_187_I_01_the_red_ober_alone_is_a_rogue) {
  const CardSet rogue = parse_cards("HO EU H10 H9 H8 E9 G9 S9");
  const CardSet with_ace = parse_cards("HO EU H10 H9 H8 E9 G9 SA");
  const CardSet with_old_one = parse_cards("EO EU H10 H9 H8 E9 G9 S9");
  const double chance = call_win_chance(research(), rogue, false);
  EXPECT_LT(chance, call_win_chance(research(), with_ace, false) - 0.1);
  EXPECT_LT(chance, call_win_chance(research(), with_old_one, false) - 0.05);
}
TEST(Bidding, tout_only_on_hands_that_hardly_lose_a_trick) {
  const ContractRow& solo = *parse_contract("SOLO").row;
  const auto chance = [&](const char* hand) {
    return all_tricks_chance(research(), solo, Suit::kHerz, parse_cards(hand), true);
  };
  EXPECT_GT(chance("EO GO HO SO EU HU HA EA"), 0.5);
  EXPECT_LT(chance("EO GO HU HA H10 H9 GA E9"), 0.1);
  EXPECT_EQ(chance("GO HO SO EU GU HA H10 H9"), 0.0);  // the highest trump is out
}

// Random agent and registry

TEST(RandomAgent, distribution_is_uniform_over_the_legal_actions) {
  const Game game = Game::with_contract(research(), deal_of(kHands), 3, ruf(0, "EA"));
  const PlayerView view = game.view(0);
  const std::array<const CompiledRules*, 1> rules{&research()};
  const RuleTable table{rules, {}};
  const ViewBatch batch{1, &view.cards, &view.order, &view.events, nullptr, &table};
  std::vector<float> chances(kNumActions);
  const std::unique_ptr<BatchPolicy> agent = make_agent("random");
  agent->policy(batch, chances, {});
  const ActionMask mask = without_claims(game.legal_actions());
  for (int action = 0; action < kNumActions; ++action) {
    const float expected = mask.contains(static_cast<Action>(action)) ? 1.0f / 8.0f : 0.0f;
    EXPECT_FLOAT_EQ(chances[static_cast<std::size_t>(action)], expected) << action;
  }
  std::array<int, kNumActions> counts{};
  for (std::uint32_t n = 0; n < 8000; ++n) {
    const RngKey key{1, 2, 3, n, 0};
    Action action = 0;
    agent->act(batch, {&key, 1}, {&action, 1});
    ++counts[action];
  }
  for (const Card card : game.hand(0)) EXPECT_NEAR(counts[card], 1000, 150) << card_name(card);
}

std::string spec_error(const std::string& spec) {
  return test::error_of<std::invalid_argument>([&] { (void)make_agent(spec); });
}

TEST(Registry, names_what_it_knows) {
  EXPECT_NE(spec_error("ruels").find(
                "unknown agent \"ruels\", allowed: random, rules, pimc, ismcts, oracle, net"),
            std::string::npos);
  EXPECT_EQ(spec_error("rules:speed=3"),
            "agent \"rules:speed=3\": unknown parameter \"speed\", allowed: random, "
            "version");
  EXPECT_EQ(spec_error("rules:random=much"),
            "agent \"rules:random=much\": random = \"much\", allowed: number 0..1");
  EXPECT_EQ(spec_error("rules:random=2"),
            "agent \"rules:random=2\": random = 2, allowed: number 0..1");
  EXPECT_NE(spec_error("net").find("path is missing"), std::string::npos);
  EXPECT_EQ(spec_error("net:w.safetensors,greedy=maybe"),
            "agent \"net:w.safetensors,greedy=maybe\": greedy = \"maybe\", allowed: true, false");
  EXPECT_EQ(spec_error("random:x=1"), "agent \"random:x=1\": random takes no parameters");
  EXPECT_EQ(spec_error("oracle:worlds=1"),
            "agent \"oracle:worlds=1\": unknown parameter \"worlds\", allowed: version");
  EXPECT_EQ(spec_error("net+endgame:baseline,greedy=false"),  // "seed" is another word
            "agent \"net+endgame:baseline,greedy=false\": unknown parameter \"greedy\", allowed: "
            "path, trick, worlds, clear, seed, beliefs");
  EXPECT_THROW((void)make_generator("heuristc"), std::invalid_argument);
  std::vector<std::string> generators;
  for (const RegistryEntry& entry : generator_names()) generators.emplace_back(entry.name);
  EXPECT_EQ(generators, (std::vector<std::string>{"heuristic", "mixed"}));
  EXPECT_EQ(rule_version(2), RuleVersion::kSecond);
  EXPECT_EQ(test::error_of([] { (void)rule_version(4); }), "version = 4, allowed: integer 1..3");
  EXPECT_THROW((void)make_generator("heuristic:noise=-1"), std::invalid_argument);
  EXPECT_THROW((void)make_generator("mixed:single=0.9,all_pass=0.2"), std::invalid_argument);
}

TEST(Registry, refuses_a_parameter_that_comes_twice) {
  EXPECT_EQ(spec_error("pimc:1,question=win,question=classes"),
            "agent \"pimc:1,question=win,question=classes\": question is given twice");
  EXPECT_EQ(spec_error("pimc:1,worlds=3"), "agent \"pimc:1,worlds=3\": worlds is given twice");
}

TEST(Registry, names_where_a_parameter_is_missing_behind_its_sign) {
  EXPECT_EQ(spec_error("net:"),
            "agent \"net:\": nothing stands behind \"net:\", allowed: key=value, or no \":\"");
  EXPECT_EQ(
      spec_error("pimc:1,"),
      "agent \"pimc:1,\": nothing stands behind \"pimc:1,\", allowed: key=value, or no \",\"");
}

TEST(Registry, names_the_range_of_what_is_no_number) {
  for (const std::string value : {"\"abc\"", "99999999999999", "1.5", "\"\""}) {
    const std::string text = value.front() == '"' ? value.substr(1, value.size() - 2) : value;
    EXPECT_EQ(spec_error("pimc:worlds=" + text), "agent \"pimc:worlds=" + text +
                                                     "\": worlds = " + value +
                                                     ", allowed: integer 1..100000 (per decision)");
  }
  EXPECT_NE(
      spec_error("ismcts:seed=-1").find("seed = -1, allowed: integer 0..18446744073709551615"),
      std::string::npos);
  EXPECT_NE(make_agent("ismcts:seed=18446744073709551615")->name().find("=18446744073709551615"),
            std::string::npos);
}

TEST(Registry, first_parameter_stands_without_its_key) {
  EXPECT_EQ(make_agent("rules:0.25")->name(), "rules:random=0.25,version=3");
  EXPECT_EQ(make_agent("rules")->name(), "rules:version=3");
  EXPECT_EQ(make_generator("heuristic:0.5")->name(), "heuristic:noise=0.5");
  EXPECT_EQ(make_generator("mixed")->name(), "mixed:single=0.55,tout=0.4,all_pass=0.15");
}

TEST(Registry, a_value_in_quotes_holds_commas_and_equals_signs) {
  const auto values_of = [](const std::string& spec) {
    std::string text;
    for (const auto& [key, value] : parse_spec(spec, "path").parameters) {
      text += fmt::format("{}:{} ", key, value);
    }
    return text;
  };
  EXPECT_EQ(values_of("net:\"a=1,b/x\",greedy=false"), "path:a=1,b/x greedy:false ");
  EXPECT_EQ(values_of("net:greedy=false,path=\"a,b\""), "greedy:false path:a,b ");
  EXPECT_EQ(values_of("net:runs/lr=1/x,greedy=false"), "path:runs/lr=1/x greedy:false ");
  EXPECT_EQ(values_of("net:a\"b"), "path:a\"b ");
  for (const std::string value :
       {"a", "a=b", "a,b=c", "runs/x=1,y", "a\"b", "\"a\"", "a\",\"=b\"\"c"}) {
    EXPECT_EQ(values_of("net:" + spec_value(value)), "path:" + value + " ");
    EXPECT_EQ(players_in("net:" + spec_value(value) + ";rules").size(), 2U) << value;
  }
  const auto refusal = [&](const std::string& spec) {
    return test::error_of<std::invalid_argument>([&] { (void)values_of(spec); });
  };
  EXPECT_EQ(refusal("net:\"a,b"), "\"a,b has no closing quote");
  EXPECT_EQ(refusal("net:\"a\"b"), "\"b\" stands behind a closing quote, allowed: a comma");
}

TEST(Registry, the_player_of_a_file_is_never_the_shipped_one) {
  EXPECT_EQ(net_player("runs/a"), "net:runs/a");
  EXPECT_EQ(net_player("lr=1,w=2"), "net:\"lr=1,w=2\"");
  EXPECT_EQ(net_player("baseline"), "net:./baseline");
}

TEST(Registry, every_documented_agent_without_a_file_can_be_made_and_cloned) {
  for (const RegistryEntry& entry : agent_names()) {
    EXPECT_FALSE(entry.description.empty());
    EXPECT_EQ(entry.sees_hidden_hands, entry.name == "oracle");
    if (entry.name.starts_with("net") || entry.name == "engine") continue;
    const std::unique_ptr<BatchPolicy> agent =
        make_agent(entry.name == "endgame" ? "endgame:rules" : entry.name);
    EXPECT_EQ(agent->sees_hidden_hands(), entry.sees_hidden_hands);
    EXPECT_EQ(agent->clone()->name(), agent->name());
    EXPECT_EQ(make_agent(agent->name())->name(), agent->name());
    EXPECT_EQ(parse_spec(agent->name(), "").name, entry.name);
  }
}

TEST(RuleAgent, random_share_mixes_the_distribution) {
  const Game game = Game::with_contract(research(), deal_of(kHands), 3, ruf(0, "EA"));
  const PlayerView view = game.view(0);
  const std::array<const CompiledRules*, 1> rules{&research()};
  const RuleTable table{rules, {}};
  const ViewBatch batch{1, &view.cards, &view.order, &view.events, nullptr, &table};
  std::vector<float> chances(kNumActions);
  make_agent("rules:0.4")->policy(batch, chances, {});
  EXPECT_NEAR(chances[*parse_card("EO")], 0.65f, 1e-6);
  EXPECT_NEAR(chances[*parse_card("S8")], 0.05f, 1e-6);
  make_agent("rules")->policy(batch, chances, {});
  EXPECT_EQ(chances[*parse_card("EO")], 1.0f);
}

}  // namespace
}  // namespace schafkopf
