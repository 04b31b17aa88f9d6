// The rule agent and the random agent in every phase and contract: whole deals under random rule
// sets and all special rounds, and the answers of the rule agent in game notation.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "agents/basic/random_agent.h"
#include "agents/maxims/bidding.h"
#include "agents/maxims/rule_agent.h"
#include "agents/maxims/situation.h"
#include "agents/registry.h"
#include "agents/tournament/tournament.h"
#include "env/game/game.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf {
namespace {

/// How often each kind of decision with a choice was met, by agent (0 = rules, 1 = random).
struct Met {
  std::array<std::array<int, kNumPhases>, 2> phases{};
  std::array<int, kNumContractClasses> contracts{};
  int before_contract = 0;
};

/// Even seats play by the rules, odd ones at random, or the other way round.
void play_deal(const CompiledRules& rules, std::uint64_t seed, const DealContext& context,
               Met& met) {
  const int dealer = static_cast<int>(seed % static_cast<std::uint64_t>(rules.seats()));
  Game game(rules, deal_for(seed, rules.rules(), dealer, context), dealer, context);
  RuleAgent by_rules;
  RandomAgent at_random;
  std::uint32_t decision = 0;
  while (!game.is_terminal()) {
    const int seat = game.current_player();
    const std::size_t agent = (static_cast<std::uint64_t>(seat) + seed / 2) % 2;
    const PlayerView view = game.view(seat);
    const RngKey key{seed, 0, 0, decision++, static_cast<std::uint32_t>(seat)};
    Action action = 0;
    const ViewBatch batch{1, &view.cards, &view.order, &view.events, nullptr, nullptr};
    if (agent == 0) {
      action = RuleAgent::choose(view, rules);
    } else {
      at_random.act(batch, std::span(&key, 1), std::span(&action, 1));
    }
    ASSERT_TRUE(game.legal_actions().contains(action))
        << phase_name(game.phase()) << ": " << action_name(action) << " of "
        << to_string(game.legal_actions());
    if (without_claims(game.legal_actions()).count() > 1) {
      ++met.phases[agent][static_cast<std::size_t>(game.phase())];
    }
    met.before_contract += game.phase() == Phase::kPlay && !game.has_contract() ? 1 : 0;
    game.apply(action);
  }
  if (game.has_contract()) ++met.contracts[static_cast<std::size_t>(game.contract().contract)];
}

TEST(AgentsInEveryPhase, whole_deals_under_random_rules) {
  const int rule_sets = test::scaled(800, 4000, 40000);
  Met met;
  for (int i = 0; i < rule_sets; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const CompiledRules rules(test::random_rules(seed));
    for (std::uint64_t deal = 0; deal < 12; ++deal) {
      SCOPED_TRACE("rule set " + std::to_string(seed) + " deal " + std::to_string(deal));
      play_deal(rules, 1000 * seed + deal, test::random_context(seed + deal, rules.rules()), met);
      if (testing::Test::HasFailure()) return;
    }
  }
  const int least = test::scaled(1, 10, 10);
  for (std::size_t phase = 0; phase < kNumPhases; ++phase) {
    if (static_cast<Phase>(phase) == Phase::kDone) continue;
    const std::string name(phase_name(static_cast<Phase>(phase)));
    EXPECT_GE(met.phases[0][phase], least) << name << " by the rule agent";
    EXPECT_GE(met.phases[1][phase], least) << name << " at random";
  }
  for (const ContractRow& row : contract_table()) {
    if (row.goal == Goal::kFixedHand) continue;  // one deal in ten million
    EXPECT_GE(met.contracts[static_cast<std::size_t>(row.contract)], 5) << row.name;
  }
  EXPECT_GT(met.before_contract, 100);
}

TEST(AgentsInEveryPhase, all_special_rounds) {
  const auto preset = CompiledRules::load("wikipedia_extended");
  for (int mode = 0; mode < kNumValues<SpecialRound>; ++mode) {
    RuleSet rules = preset->rules();
    rules.special_round = static_cast<SpecialRound>(mode);
    const CompiledRules compiled(checked(rules));
    Met met;
    for (std::uint64_t deal = 0; deal < 60; ++deal) {
      SCOPED_TRACE("special round " + std::to_string(mode) + " deal " + std::to_string(deal));
      play_deal(compiled, deal, compiled.first_context(), met);
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(met.phases[0][static_cast<std::size_t>(Phase::kPlay)], 100);
  }
}

// Answers in game notation

RuleSet rules_with(const std::vector<std::pair<std::string, PlainValue>>& switches,
                   const std::string& preset = "official_1989") {
  RuleSet rules = CompiledRules::load(preset)->rules();
  for (const auto& [key, value] : switches) set_field(rules, key, value);
  return checked(rules);
}

/// "EO GO ... | ... | ... | ..." = hands of seats 0..3, in the order they are dealt.
Deal halves_of(const std::string& text) {
  Deal deal;
  std::stringstream parts(text);
  std::string part;
  for (std::size_t seat = 0; std::getline(parts, part, '|'); ++seat) {
    std::stringstream words(part);
    const std::size_t all = static_cast<std::size_t>(parse_cards(part).count());
    std::size_t n = 0;
    for (std::string word; words >> word; ++n) {
      (n < all / 2 ? deal.first : deal.second)[seat].add(*parse_card(word));
    }
  }
  return deal;
}

std::string answer(const Game& game) {
  return action_name(RuleAgent::choose(game.view(game.current_player()), game.rules()));
}

/// Actions in order: "PASS EA".
void apply_all(Game& game, const std::string& actions) {
  std::stringstream words(actions);
  for (std::string word; words >> word;) game.apply(*parse_action(word));
}

// Forehand is seat 0, seat 3 deals.

TEST(RuleAnswers, lays_with_a_strong_half_and_not_with_a_weak_one) {
  const CompiledRules rules(rules_with({{"legen", std::string("free")}}));
  Game game(rules,
            halves_of("EO GO HA H10 E9 G7 S9 S8 | EA GA G10 GK HO HU H7 S7 |"
                      " E10 E8 GU HK S10 G9 G8 H8 | SO SU EU H9 EK E7 SA SK"),
            3);
  EXPECT_EQ(answer(game), "LAY");
  game.apply(kActionNoLay);
  EXPECT_EQ(answer(game), "NO_LAY");  // EA GA G10 GK
}

TEST(RuleAnswers, takes_the_packet_with_trumps_and_pushes_it_on_without) {
  const CompiledRules rules(rules_with({{"special_round", std::string("schieber")},
                                        {"schieber_variant", std::string("take_or_push")},
                                        {"schieber_cards", std::int64_t{2}}}));
  const DealContext& context = rules.first_context();
  Game strong(rules,
              halves_of("HO SO EU GU HA H10 E9 G7 | EA GA G10 GK S9 HU H7 S7 |"
                        " E10 E8 S8 HK S10 G9 G8 H8 | SU H9 EK E7 SA SK"),
              3, context);
  EXPECT_EQ(answer(strong), "TAKE_UP");
  strong.apply(kActionTakeUp);
  EXPECT_EQ(answer(strong), "CARD E9");
  strong.apply(*parse_action("CARD E9"));
  EXPECT_EQ(answer(strong), "CARD G7");
  Game weak(rules,
            halves_of("E7 E8 G7 G8 S7 S8 H7 H8 | EA GA G10 GK S9 HU HA H10 |"
                      " E10 E9 HO HK S10 G9 SO EU | SU H9 EK GU SA SK"),
            3, context);
  EXPECT_EQ(answer(weak), "PUSH_ON");
}

TEST(RuleAnswers, offers_a_hochzeit_takes_it_when_strong_and_returns_a_plain_card) {
  const CompiledRules rules(rules_with({{"hochzeit", std::string("before_auction")}}));
  Game game(rules,
            halves_of("H7 E9 E8 E7 G8 G7 S8 S7 | H9 GA G10 GK G9 SK S10 H8 |"
                      " EO GO HO EU GU HA H10 S9 | SO SU HU HK EK E10 SA EA"),
            3);
  EXPECT_EQ(answer(game), "HZ_OFFER_1");
  game.apply(kActionHzOffer1);
  EXPECT_EQ(answer(game), "HZ_REFUSE");  // H9 H8 and plain cards
  game.apply(kActionHzRefuse);
  EXPECT_EQ(answer(game), "HZ_ACCEPT");
  game.apply(kActionHzAccept);
  EXPECT_EQ(answer(game), "CARD S9");
}

TEST(RuleAnswers, raises_while_the_hand_makes_the_points) {
  const CompiledRules rules(rules_with({{"solo_contest", std::string("steigern")}}));
  Game game(rules,
            halves_of("EO SO EU HU HA H10 H9 EA | GO HO GU SU GA G10 GK G9 |"
                      " E10 E9 S9 HK S10 G8 G7 H8 | H7 E8 EK E7 SA SK S8 S7"),
            3);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(answer(game), "PLAY");
    game.apply(kActionPlay);
  }
  apply_all(game, "PASS PASS");
  ASSERT_EQ(game.phase(), Phase::kSteigern);
  EXPECT_EQ(answer(game), "HOLD");
  game.apply(kActionHold);
  int raises = 0;
  while (game.phase() == Phase::kSteigern) {
    const Action action = RuleAgent::choose(game.view(game.current_player()), rules);
    raises += action >= kActionRaise70 && action < kActionLay ? 1 : 0;
    game.apply(action);
  }
  EXPECT_GE(raises, 1);
  EXPECT_LE(raises, 5);  // nobody promises 120 points with such hands
}

TEST(RuleAnswers, defenders_stay_below_the_declarer_of_a_negative_game) {
  const auto rules = CompiledRules::load("wikipedia_extended");
  const Contract bettel{.contract = parse_contract("BETTEL").row->contract, .declarer = 0};
  // seat 0 leads E9 of E9 E7: seat 1 goes below it with the highest card that stays below
  Game game =
      Game::with_contract(*rules,
                          halves_of("E9 E7 G7 G8 G9 S7 S8 H7 | EA E8 GA G10 GK HO HU S9 |"
                                    " E10 EK GU HK S10 EO GO H8 | SO SU EU H9 SA SK HA H10"),
                          3, bettel);
  while (game.phase() == Phase::kDouble) game.apply(kActionNoDouble);
  game.apply(*parse_action("CARD E9"));
  while (game.phase() == Phase::kDouble) game.apply(kActionNoDouble);
  EXPECT_EQ(answer(game), "CARD E8");
}

TEST(RuleAnswers, claims_what_is_due_on_every_deal) {
  const CompiledRules rules(rules_with(
      {{"laufende_by_claim", true}, {"schwarz_by_claim", true}, {"claims_enabled", false}}));
  int claims = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Game game(rules, random_deal(seed), 3);
    while (!game.is_terminal()) {
      game.apply(RuleAgent::choose(game.view(game.current_player()), rules));
    }
    if (!game.has_contract()) continue;
    const Settlement settlement = game.settlement();
    const Outcome outcome = game.outcome();
    if (outcome.claimed_laufende < 0) continue;
    ++claims;
    // an early end leaves cards that nobody has seen: then less is claimed, never more
    const bool seen_all = game.num_plays() == kNumCards;
    if (seen_all) {
      EXPECT_EQ(outcome.claimed_laufende, settlement.laufende) << "deal " << seed;
    }
    EXPECT_LE(outcome.claimed_laufende, settlement.laufende) << "deal " << seed;
    if (outcome.claimed_schwarz >= 0 && seen_all) {
      EXPECT_EQ(outcome.claimed_schwarz == 1, settlement.schwarz) << "deal " << seed;
    }
  }
  EXPECT_GT(claims, 100);
}

TEST(RuleAnswers, forgotten_tricks_do_no_harm) {
  const CompiledRules rules(
      rules_with({{"history_view", std::string("last_trick")}, {"claims_enabled", false}}));
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Game game(rules, random_deal(seed), 3);
    while (!game.is_terminal()) {
      const PlayerView view = game.view(game.current_player());
      if (game.phase() == Phase::kPlay) {
        const Situation s(view, rules);
        for (int seat = 1; seat < 4; ++seat) {
          const int absolute = (game.current_player() + seat) % 4;
          EXPECT_EQ(s.num_held[static_cast<std::size_t>(seat)], game.hand(absolute).count());
        }
      }
      game.apply(RuleAgent::choose(view, rules));
    }
  }
}

TEST(RuleAnswers, opposite_seats_are_friends_without_a_declarer) {
  RuleSet switches = rules_with({{"special_round", std::string("kreuzbock")}}, "course_002");
  const CompiledRules rules(switches);
  const DealContext& context = rules.first_context();
  const Game game(rules, random_deal(5), 3, context);
  ASSERT_EQ(game.contract().declarer, -1);
  const Situation s(game.view(0), rules);
  EXPECT_EQ(s.side[1], Side::kEnemy);
  EXPECT_EQ(s.side[2], Side::kFriend);
  EXPECT_EQ(s.side[3], Side::kEnemy);
}

// Strength: the rule agent against three random ones and the other way round

TEST(AgentsInEveryPhase, rules_beat_random_under_every_kind_of_rules) {
  const int blocks = test::scaled(40, 200, 1000);
  const auto expect_better = [&](std::shared_ptr<const CompiledRules> rules,
                                 const std::string& label) {
    TournamentOptions options;
    options.track = Track::kFull;
    options.agents = {{"rules"}, {"random"}};
    options.rules = std::move(rules);
    options.blocks = blocks;
    options.threads = 1;
    const Estimate difference = run_tournament(options).difference[0][1];
    EXPECT_GT(difference.mean - difference.half_width, 0.0) << label;
  };
  for (const char* name : {"research", "official_1989_full", "wikipedia_extended", "wikipedia_pure",
                           "course_002", "tournament_2024"}) {
    expect_better(CompiledRules::load(name), name);
  }
  RuleSet rules = CompiledRules::load("official_1989_full")->rules();
  rules.deck = Deck::kShort24;
  expect_better(std::make_shared<const CompiledRules>(checked(rules)), "short deck");
  rules.players = 3;
  expect_better(std::make_shared<const CompiledRules>(checked(rules)), "three players");
}

TEST(AgentsInEveryPhase, rules_beat_random_in_every_special_round) {
  const int blocks = test::scaled(60, 200, 1000);
  const auto preset = CompiledRules::load("course_002");
  for (int mode = 0; mode < kNumValues<SpecialRound>; ++mode) {
    TournamentOptions options;
    options.track = Track::kFull;
    RuleSet rules = preset->rules();
    rules.special_round = static_cast<SpecialRound>(mode);
    options.agents = {{"rules"}, {"random"}};
    options.rules = std::make_shared<const CompiledRules>(checked(rules));
    options.blocks = blocks;
    options.threads = 1;
    const Estimate difference = run_tournament(options).difference[0][1];
    EXPECT_GT(difference.mean - difference.half_width, 0.0)
        << names_of(SpecialRound{})[static_cast<std::size_t>(mode)];
  }
}

}  // namespace
}  // namespace schafkopf
