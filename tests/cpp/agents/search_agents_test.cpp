// Searching players: what a world pays, exact play over worlds, PIMC, information set tree search,
// the oracle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agents/game_player.h"
#include "agents/maxims/rule_agent.h"
#include "agents/registry.h"
#include "agents/search/beliefs.h"
#include "agents/search/card_search.h"
#include "agents/search/ismcts.h"
#include "agents/search/pimc.h"
#include "agents/tournament/tournament.h"
#include "agents/worlds/world_value.h"
#include "env/deal/deal.h"
#include "tests/cpp/agents/rule_choice.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table_notation.h"

namespace schafkopf {
namespace {

World true_world(const Game& game, int seat) {
  const FullView full = game.full_view(seat);
  World world;
  for (std::size_t s = 0; s < kNumSeats; ++s) world.hands[s] = CardSet(full.hands[s]);
  return world;
}

/// Payoffs in tariff units, relative to a seat.
std::array<double, kNumSeats> payoffs_from(const Game& game, int seat) {
  std::array<double, kNumSeats> payoffs{};
  for (int r = 0; r < game.seats(); ++r) {
    payoffs[static_cast<std::size_t>(r)] =
        static_cast<double>(game.payoffs()[static_cast<std::size_t>((seat + r) % game.seats())]) /
        game.rules().tariff_scale();
  }
  return payoffs;
}

/// Plays random deals; stops at the card number `stop` (or where the deal ends).
Game random_game(const CompiledRules& rules, std::uint64_t seed, int stop) {
  Rng random(seed);
  const int dealer = static_cast<int>(seed) % rules.seats();
  Game game(rules, deal_for(seed, rules.rules(), dealer, rules.first_context()), dealer,
            rules.first_context());
  while (!game.is_terminal() && !(game.phase() == Phase::kPlay && game.num_plays() >= stop)) {
    game.apply_unchecked(test::random_action(game, random));
  }
  return game;
}

ViewBatch batch_of(const PlayerView& view, const RuleTable& table) {
  return {.size = 1,
          .cards = &view.cards,
          .order = &view.order,
          .events = &view.events,
          .rule_index = nullptr,
          .rules = &table};
}

/// Probabilities that a player gives the actions of the seat to act.
std::vector<float> policy_of(BatchPolicy& player, const Game& game, bool show_all = true) {
  const PlayerView view = game.view(game.current_player());
  const FullView full = game.full_view(game.current_player());
  const CompiledRules* const rules[] = {&game.rules()};
  const RuleTable table{.rules = rules, .features = {}};
  ViewBatch batch = batch_of(view, table);
  if (player.sees_hidden_hands() && show_all) batch.full = &full;
  std::vector<float> probabilities(kNumActions), values(1);
  player.policy(batch, probabilities, values);
  return probabilities;
}

std::string chosen(BatchPolicy& player, const Game& game) {
  const std::vector<float> row = policy_of(player, game);
  return action_name(static_cast<int>(std::ranges::max_element(row) - row.begin()));
}

const std::vector<std::string>& rule_files() {
  static const std::vector<std::string> names = {"research", "official_1989_full",
                                                 "wikipedia_extended", "tournament_2024"};
  return names;
}

// ---- what a world pays ----

/// One random deal, from some card on in the true world; contracts that came to their end are counted.
void expect_pays_what_the_game_pays(const CompiledRules& rules, std::uint64_t seed,
                                    std::map<std::string, int>& contracts) {
  Game game = random_game(rules, seed, static_cast<int>(seed % 24));
  if (game.is_terminal() || !game.has_contract()) return;
  const int seat = game.current_player();
  const PlayerView view = game.view(seat);
  const World world = true_world(game, seat);
  PlayState<std::uint32_t> play = play_state_of(view, rules, world);
  Rng random(seed);
  const int level = game.doubling_level();
  while (!game.is_terminal() && game.doubling_level() == level) {
    const ActionMask mask = without_claims(game.legal_actions());
    const Action action = mask.nth(random.next_below(mask.count()));
    if (action < kNumCards) play_card(play, std::uint32_t{1} << action);
    game.apply_unchecked(action);
  }
  // later doublings are not in the view, and what a claim of Laufende says neither
  if (!game.is_terminal() || game.doubling_level() != level || rules.settles_by_claim()) return;
  const WorldValue value(view, rules, world);
  EXPECT_EQ(value.finished(play), payoffs_from(game, seat)) << rules.name() << ", seed " << seed;
  ++contracts[std::string(contract_name(game.contract().contract, game.contract().tout))];
}

TEST(WorldValue, pays_what_the_game_pays_after_the_last_card) {
  std::map<std::string, int> contracts;
  for (const std::string& name : rule_files()) {
    const auto rules = CompiledRules::load(name);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      expect_pays_what_the_game_pays(*rules, seed, contracts);
    }
  }
  EXPECT_GE(contracts.size(), 8U);
}

TEST(WorldValue, pays_what_the_game_pays_under_random_rules) {
  std::map<std::string, int> contracts;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::scaled(2000, 6000, 60000));
       ++seed) {
    RuleSet rules = test::random_rules(seed);
    rules.history_view = HistoryView::kFull;  // else a view does not have the cards of the past
    expect_pays_what_the_game_pays(CompiledRules(rules, "random"), seed, contracts);
  }
  EXPECT_GE(contracts.size(), 20U);
}

// Two seats with the same points and tricks and without a trump: the one that plays first loses.
TEST(WorldValue, R_045_the_last_tie_is_decided_by_the_seat_whoever_looks) {
  const auto rules = CompiledRules::load("tournament_2024");
  std::uint64_t seed = 0;
  Game game = random_game(*rules, seed, 0);
  while (game.is_terminal() || game.contract().contract != ContractClass::kRamsch) {
    game = random_game(*rules, ++seed, 0);
  }
  for (int viewer = 0; viewer < kNumSeats; ++viewer) {
    const PlayerView view = game.view(viewer);
    const World world = true_world(game, viewer);
    PlayState<std::uint32_t> play = play_state_of(view, *rules, world);
    play.taken[0] = parse_cards("HA H10 HK H9 H8 H7 S7 EO").bits();
    play.taken[1] = parse_cards("EA GA E10 E9 E8 E7 G9 G8").bits();
    play.taken[2] = parse_cards("SA GO HO SO EU GU HU SU").bits();
    play.taken[3] = parse_cards("G10 S10 EK GK SK G7 S9 S8").bits();
    const int forehand = (game.dealer() + 1 - viewer + kNumSeats) % kNumSeats;
    const bool first =
        (1 - forehand + kNumSeats) % kNumSeats < (3 - forehand + kNumSeats) % kNumSeats;
    const std::array<double, kNumSeats> payoffs = WorldValue(view, *rules, world).finished(play);
    EXPECT_LT(payoffs[first ? 1 : 3], 0.0) << "viewer " << viewer;
    EXPECT_GT(payoffs[first ? 3 : 1], 0.0) << "viewer " << viewer;
  }
}

TEST(WorldValue, classes_pay_what_points_of_the_class_pay) {
  const auto rules = CompiledRules::load("research");
  int checked = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Game game = random_game(*rules, seed, 0);
    if (game.is_terminal() || !game.has_contract() || game.contract().declarer < 0) continue;
    const int seat = game.current_player();
    const WorldValue value(game.view(seat), *rules, true_world(game, seat));
    if (value.tout()) continue;
    Rng random(seed);
    test::play_out(game, random);
    const Settlement settlement = game.settlement();
    const PayoffClass result = settlement.won ? (settlement.schwarz     ? PayoffClass::kAllTricks
                                                 : settlement.schneider ? PayoffClass::kWonSchneider
                                                                        : PayoffClass::kWon)
                                              : (settlement.schwarz     ? PayoffClass::kNoTrick
                                                 : settlement.schneider ? PayoffClass::kSchneider
                                                                        : PayoffClass::kLost);
    EXPECT_EQ(value.of_class(result), payoffs_from(game, seat)) << "seed " << seed;
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

// ---- exact play ----

/// What the seat to act is promised with open cards is paid if everybody plays with open cards.
TEST(Oracle, four_of_them_keep_the_value_of_the_deal) {
  OracleAgent oracle;
  CardSearch search;
  std::map<std::string, int> contracts;
  for (const char* const name : {"research", "wikipedia_extended"}) {
    const auto rules = notation::rules_of({"kontra_window = \"off\""}, name);
    for (int seed = 0; seed < test::scaled(30, 120, 600); ++seed) {
      Game game = random_game(*rules, static_cast<std::uint64_t>(seed), 10);
      if (game.is_terminal() || !game.has_contract()) continue;
      if (contract_row(game.contract().contract).goal == Goal::kFewestPoints) continue;
      const int seat = game.current_player();
      search.begin(game.view(seat), *rules);
      search.add(true_world(game, seat));
      const double promised = search.values().best();
      while (game.phase() == Phase::kPlay) game.apply(*parse_action(chosen(oracle, game)));
      if (!game.is_terminal()) continue;  // Laufende are claimed
      EXPECT_EQ(payoffs_from(game, seat)[0], promised) << name << ", seed " << seed;
      ++contracts[std::string(contract_name(game.contract().contract, game.contract().tout))];
    }
  }
  EXPECT_GE(contracts.size(), 3U);
}

TEST(Oracle, refuses_to_play_without_the_hidden_hands) {
  const auto rules = CompiledRules::load("research");
  Game game = random_game(*rules, 0, 4);
  for (std::uint64_t seed = 1; game.is_terminal(); ++seed) game = random_game(*rules, seed, 4);
  OracleAgent oracle;
  EXPECT_THROW((void)policy_of(oracle, game, false), std::invalid_argument);
  EXPECT_TRUE(oracle.sees_hidden_hands());
  EXPECT_FALSE(make_agent("pimc:2")->sees_hidden_hands());
}

// ---- PIMC ----

/// Two tricks before the end everything is known but who holds what: the choice is that over all
/// worlds.
TEST(Pimc, few_worlds_are_all_searched) {
  const auto rules = CompiledRules::load("research");
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Game game = random_game(*rules, seed, 26);
    if (game.is_terminal() || !game.has_contract()) continue;
    const PlayerView view = game.view(game.current_player());
    if (!CardSearch::can_search(view, *rules)) continue;
    const WorldSampler sampler(view, *rules);
    if (sampler.count() > 100) continue;
    CardSearch all;
    all.begin(view, *rules);
    sampler.enumerate([&](const World& world) { all.add(world); });
    PimcAgent player({.worlds = 100});
    const CardValues found = player.search(view, *rules);
    for (const Card card : found.legal) {
      EXPECT_NEAR(found.value[card], all.values().value[card], 1e-9);
    }
    // nothing is left to chance, so no lead is too small
    PimcAgent stubborn({.worlds = 100, .clear = 100.0});
    EXPECT_NEAR(found.value[*parse_action(chosen(stubborn, game))], found.best(), 1e-9);
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

TEST(Pimc, a_card_that_is_legal_by_the_view_and_in_no_hand_of_it_is_refused) {
  const auto rules = CompiledRules::load("research");
  Game game = random_game(*rules, 0, 12);
  for (std::uint64_t seed = 1; game.phase() != Phase::kPlay; ++seed) {
    game = random_game(*rules, seed, 12);
  }
  const int seat = game.current_player();
  PlayerView view = game.view(seat);
  view.cards.legal |= game.hand((seat + 1) % kNumSeats).bits();
  CardSearch search;
  search.begin(view, *rules);
  EXPECT_EQ(test::error_of<std::invalid_argument>([&] { search.add(true_world(game, seat)); }),
            "view: it shows what did not happen by these rules");
}

/// Games in the middle of the play with a choice and too many worlds to search all.
std::vector<Game> games_to_sample(const CompiledRules& rules, int number) {
  std::vector<Game> games;
  for (std::uint64_t seed = 0; std::ssize(games) < number; ++seed) {
    Game game = random_game(rules, seed, 12);
    if (game.is_terminal() || game.phase() != Phase::kPlay) continue;
    const PlayerView view = game.view(game.current_player());
    const bool choice = CardSet(view.cards.legal).count() > 1;
    if (choice && WorldSampler(view, rules).count() > 1000) games.push_back(std::move(game));
  }
  return games;
}

TEST(Pimc, the_error_of_a_lead_is_its_spread_over_worlds) {
  const auto rules = CompiledRules::load("research");
  for (const Game& game : games_to_sample(*rules, 5)) {
    const PlayerView view = game.view(game.current_player());
    const Card reference = CardSet(view.cards.legal).lowest();
    const WorldSampler sampler(view, *rules);
    constexpr int kWorlds = 20;
    CardSearch together, one;
    together.begin(view, *rules, reference);
    std::array<std::vector<double>, kNumCards> leads;
    for (std::uint64_t i = 0; i < kWorlds; ++i) {
      const World world = sampler.sample(i);
      together.add(world);
      one.begin(view, *rules);
      one.add(world);
      const CardValues alone = one.values();
      for (const Card card : alone.legal) {
        leads[card].push_back(alone.value[card] - alone.value[reference]);
      }
    }
    const CardValues found = together.values();
    for (const Card card : found.legal) {
      double mean = 0.0, variance = 0.0;
      for (const double lead : leads[card]) mean += lead / kWorlds;
      for (const double lead : leads[card]) variance += (lead - mean) * (lead - mean) / kWorlds;
      EXPECT_NEAR(found.value[card] - found.value[reference], mean, 1e-9);
      EXPECT_NEAR(found.error[card], std::sqrt(variance / kWorlds), 1e-6) << card_name(card);
    }
  }
}

TEST(Pimc, leaves_the_maxims_card_only_where_the_worlds_speak_clearly) {
  const auto rules = CompiledRules::load("research");
  RuleAgent maxims;
  PimcAgent best({.worlds = 8, .clear = 0.0}), usual({.worlds = 8}),
      stubborn({.worlds = 8, .clear = 100.0});
  int best_left = 0, usual_left = 0, stubborn_left = 0;
  for (const Game& game : games_to_sample(*rules, test::scaled(40, 120, 400))) {
    const std::string own = chosen(maxims, game);
    const PlayerView view = game.view(game.current_player());
    const CardValues values = best.search(view, *rules);
    const auto value = [&](const std::string& action) {
      return values.value[*parse_action(action)];
    };
    const std::string a = chosen(best, game), b = chosen(usual, game), c = chosen(stubborn, game);
    EXPECT_EQ(value(a), values.best());
    // the same worlds: each is the best card or that of the maxims
    EXPECT_TRUE(b == a || b == own) << b;
    EXPECT_TRUE(c == a || c == own) << c;
    best_left += a != own ? 1 : 0;
    usual_left += b != own ? 1 : 0;
    stubborn_left += c != own ? 1 : 0;
  }
  EXPECT_GT(best_left, usual_left);
  EXPECT_GT(usual_left, stubborn_left);
}

TEST(Pimc, plays_the_same_for_a_seed_and_in_any_batch) {
  const auto rules = CompiledRules::load("research");
  std::vector<Game> games;
  for (std::uint64_t seed = 0; games.size() < 8; ++seed) {
    Game game = random_game(*rules, seed, 14);
    if (!game.is_terminal() && game.has_contract()) games.push_back(game);
  }
  std::vector<CardsLine> cards(games.size());
  std::vector<OrderLine> order(games.size());
  std::vector<EventsLine> events(games.size());
  for (std::size_t i = 0; i < games.size(); ++i) {
    games[i].view(games[i].current_player(), cards[i], order[i], events[i]);
  }
  const CompiledRules* const set[] = {rules.get()};
  const RuleTable table{.rules = set, .features = {}};
  const ViewBatch batch{.size = games.size(),
                        .cards = cards.data(),
                        .order = order.data(),
                        .events = events.data(),
                        .rule_index = nullptr,
                        .rules = &table};
  for (const char* const spec : {"pimc:3", "ismcts:100"}) {
    std::vector<float> whole(games.size() * kNumActions), values(games.size());
    make_agent(spec)->policy(batch, whole, values);
    for (std::size_t i = 0; i < games.size(); ++i) {
      const std::vector<float> alone = policy_of(*make_agent(spec), games[i]);
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(),
                             whole.begin() + static_cast<std::ptrdiff_t>(i * kNumActions)))
          << spec << ", row " << i;
    }
  }
}

/// A world takes longer than a microsecond, so the limit leaves the first one and no other.
TEST(Pimc, a_time_limit_leaves_at_least_one_world) {
  const auto rules = CompiledRules::load("research");
  PimcAgent limited({.worlds = 1000, .milliseconds = 0.001}), first({.worlds = 1}),
      many({.worlds = 20});
  int told_apart = 0;
  for (const Game& game : games_to_sample(*rules, 5)) {
    const PlayerView view = game.view(game.current_player());
    const CardValues values = limited.search(view, *rules);
    EXPECT_TRUE(std::isfinite(values.best()));
    EXPECT_EQ(values.value, first.search(view, *rules).value);
    told_apart += values.value != many.search(view, *rules).value ? 1 : 0;
  }
  EXPECT_GT(told_apart, 0) << "one world says what twenty say";
}

// Seat 0 leads the last two tricks of a Solo and needs both; trumps are out but for HU and H9.
TEST(Pimc, draws_the_last_trump_before_it_cashes_the_ace) {
  const auto rules = notation::rules_of({}, "research");
  const Contract solo{
      .contract = parse_contract("SOLO").row->contract, .suit = Suit::kHerz, .declarer = 0};
  Position position = notation::endgame(solo, "HU EA | H9 E7 | S7 S8 | G7 G8", 0, 1);
  // the declarer has 52 points so far: HU is not enough
  position.captured[0] = parse_cards("GA G10 SA S10 E10 S9 G9 E9");
  position.captured[1] = position.captured[1] - position.captured[0];
  const Game game = Game::from_position(*rules, position);
  PimcAgent pimc({.worlds = 50});
  IsmctsAgent tree({.iterations = 2000});
  EXPECT_EQ(chosen(pimc, game), "CARD HU");
  EXPECT_EQ(chosen(tree, game), "CARD HU");
}

TEST(Pimc, bids_and_doubles_by_worlds_only_if_asked) {
  const auto rules = notation::rules_of({"kontra_window = \"before_first_card\""}, "research");
  auto bidder = make_agent("pimc:2,bidding=worlds,kontra=worlds");
  auto plain = make_agent("pimc:2");
  RuleAgent rule_agent;
  int different = 0, asked = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Game game(*rules, random_deal(seed), 3);
    while (!game.is_terminal() && game.phase() != Phase::kPlay) {
      const std::string by_rules = chosen(rule_agent, game);
      EXPECT_EQ(chosen(*plain, game), by_rules);
      const std::string by_worlds = chosen(*bidder, game);
      ASSERT_TRUE(game.legal_actions().contains(*parse_action(by_worlds))) << by_worlds;
      different += by_worlds != by_rules ? 1 : 0;
      ++asked;
      game.apply(*parse_action(by_worlds));
    }
  }
  EXPECT_GT(different, 0);
  EXPECT_LT(different, asked / 2) << "mostly the same opinion";
}

// G.8: a factor on all payoffs changes no opinion.
TEST(Pimc, a_bock_does_not_change_what_it_bids) {
  const auto rules = notation::rules_of(
      {"contracts = [\"WENZ\"]", "tout_enabled = false", "sie_enabled = false"}, "research");
  auto bidder = make_agent("pimc:80,bidding=worlds");
  const char* const hands =
      "EU EA E10 EK EO GA G10 HA|HU SU E7 E8 E9 GU G9 G7|G8 GK GO S9 S8 H7 H8 H9|"
      "HK HO H10 S7 SK SO S10 SA";
  for (int bock = 0; bock < 3; ++bock) {
    DealContext context;
    context.bock = static_cast<std::uint8_t>(bock);
    const Game game(*rules, rule_choice::deal_of(hands), 3, context);
    EXPECT_EQ(chosen(*bidder, game), "PLAY") << bock;
  }
}

// Of a position the game counts no Laufende, though each side has cards from the top of what is left.
TEST(Oracle, the_value_of_a_position_is_what_its_game_pays) {
  const auto rules = notation::rules_of({});
  const Contract wenz{.contract = parse_contract("WENZ").row->contract, .declarer = 0};
  for (const char* hands : {"S9|H8|GU|G9", "H7|S8|H9|SA"}) {
    Game game = Game::from_position(*rules, notation::endgame(wenz, hands, 0, 1));
    GamePlayer oracle(make_agent("oracle"), rules);
    const float first = oracle.policy(game).value;
    game.apply(without_claims(game.legal_actions()).lowest());
    const float second = oracle.policy(game).value;  // of seat 1, in the trick that has begun
    while (!game.is_terminal()) game.apply(without_claims(game.legal_actions()).lowest());
    const auto scale = static_cast<float>(rules->tariff_scale());
    EXPECT_EQ(first, static_cast<float>(game.payoffs()[0]) / scale) << hands;
    EXPECT_EQ(second, static_cast<float>(game.payoffs()[1]) / scale) << hands;
  }
}

// D.3: who has said SOLO names the suit that pays most over the worlds.
TEST(Pimc, R_064_names_the_suit_of_its_solo_by_worlds) {
  auto bidder = make_agent("pimc:4,bidding=worlds");
  const char* const hands = "EO GO HO SO EU GU EA E10|H7 H8 G7 G8 S7 S8 S9 E7|H9 HK|H10 HA";
  for (const char* contract : {"C_SOLO", "C_SOLO_TOUT"}) {
    notation::NotedTable table({}, hands);
    table.play("PLAY PASS PASS PASS").play(contract);
    ASSERT_EQ(table.asks(), "0 NAME_SUIT: SUIT_E SUIT_G SUIT_H SUIT_S");
    EXPECT_EQ(chosen(*bidder, table.game), "SUIT_E") << contract;
  }
}

// Of hands that are no solo the maxims and the worlds do not always name the same suit.
TEST(Pimc, R_064_the_suit_by_worlds_is_not_that_of_the_maxims) {
  auto bidder = make_agent("pimc:6,bidding=worlds");
  RuleAgent rule_agent;
  const auto rules = notation::rules_of({}, "research");
  int different = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Game game(*rules, random_deal(seed), 3);
    for (const char* action : {"PLAY", "PASS", "PASS", "PASS", "C_SOLO"}) {
      game.apply(*parse_action(action));
    }
    const std::string suit = chosen(*bidder, game);
    ASSERT_TRUE(game.legal_actions().contains(*parse_action(suit))) << suit;
    different += suit != chosen(rule_agent, game) ? 1 : 0;
  }
  EXPECT_GT(different, 0);
  EXPECT_LT(different, 20) << "mostly the same opinion";
}

// `pimc:30,bidding=worlds,version=1` is what the full game is measured against (agents/METHODS.md, section 7).
TEST(Pimc, R_064_earlier_versions_leave_the_suit_to_the_maxims) {
  for (const char* version : {"1", "2"}) {
    auto bidder = make_agent(std::string("pimc:6,bidding=worlds,version=") + version);
    RuleAgent rule_agent(0.0, version[0] == '1' ? RuleVersion::kFirst : RuleVersion::kSecond);
    const auto rules = notation::rules_of({}, "research");
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      Game game(*rules, random_deal(seed), 3);
      for (const char* action : {"PLAY", "PASS", "PASS", "PASS", "C_SOLO"}) {
        game.apply(*parse_action(action));
      }
      EXPECT_EQ(chosen(*bidder, game), chosen(rule_agent, game)) << seed;
    }
  }
}

// C.14: nobody takes a trick with the lowest cards of every suit.
TEST(Pimc, R_058_a_hand_of_lowest_cards_is_a_bettel) {
  auto bidder = make_agent("pimc:4,bidding=worlds");
  notation::NotedTable table({"contracts = [\"RUF\", \"BETTEL\"]"}, "E7 E8 E9 G7 G8 G9 S7 S8|||");
  EXPECT_EQ(chosen(*bidder, table.game), "PLAY");
  table.play("PLAY PASS PASS PASS");
  EXPECT_EQ(chosen(*bidder, table.game), "C_BETTEL");
}

// C.6: 25 points lie on the table. S7 leaves them, and EO takes nothing in the last trick.
TEST(Pimc, R_044_in_the_ramsch_a_trick_of_many_points_is_left) {
  notation::NotedTable table({"all_pass = \"ramsch\""},
                             notation::endgame({.contract = ContractClass::kRamsch, .declarer = -1},
                                               "S7 EO|EA G7|E10 G8|EK G9", 1, 1));
  table.play("1:EA 2:E10 3:EK");
  auto player = make_agent("pimc:10");
  EXPECT_EQ(chosen(*player, table.game), "CARD S7");
}

// C.6: the same, but what EO takes goes to the left neighbour in the end.
TEST(Pimc, R_054_in_the_schieberramsch_a_trick_of_many_points_is_taken) {
  notation::NotedTable table({"all_pass = \"ramsch\"", "ramsch_shift = true"},
                             notation::endgame({.contract = ContractClass::kRamsch, .declarer = -1},
                                               "S7 EO|EA G7|E10 G8|EK G9", 1, 1));
  table.play("1:EA 2:E10 3:EK");
  auto player = make_agent("pimc:10");
  EXPECT_EQ(chosen(*player, table.game), "CARD EO");
}

// ---- information set tree search ----

TEST(Ismcts, plays_its_most_visited_card_and_announces_as_the_rule_agent) {
  const auto rules = CompiledRules::load("research");
  IsmctsAgent player({.iterations = 50}), sharing({.iterations = 50, .shares = true});
  RuleAgent rule_agent;
  int with_a_choice = 0;
  for (const int stop : {0, 9, 30}) {
    for (std::uint64_t seed = 0; seed < (stop == 0 ? 6 : 40); ++seed) {  // many are thrown in
      Game game(*rules, random_deal(seed), 3);
      if (stop > 0) game = random_game(*rules, seed, stop);
      if (game.is_terminal()) continue;
      const PlayerView view = game.view(game.current_player());
      const CompiledRules* const list[] = {rules.get()};
      const RuleTable table{.rules = list, .features = {}};
      const RngKey key{.seed = seed};
      Action action = 0;
      player.act(batch_of(view, table), std::span(&key, 1), std::span(&action, 1));
      EXPECT_EQ(action_name(action), stop == 0 ? chosen(rule_agent, game) : chosen(player, game));
      if (stop > 0) {
        const std::vector<float> visits = policy_of(sharing, game);  // of the same search
        EXPECT_EQ(visits[action], *std::ranges::max_element(visits)) << "seed " << seed;
        with_a_choice += visits[action] < 1.0F ? 1 : 0;
        continue;
      }
      EXPECT_EQ(chosen(player, game), chosen(rule_agent, game));
    }
  }
  EXPECT_GT(with_a_choice, 0);
}

TEST(Ismcts, probabilities_are_those_of_the_card_that_it_plays) {
  const auto rules = CompiledRules::load("research");
  IsmctsAgent player({.iterations = 100});
  int searched = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Game game = random_game(*rules, seed, 8);
    if (game.is_terminal() || !game.has_contract()) continue;
    const PlayerView view = game.view(game.current_player());
    const CompiledRules* const list[] = {rules.get()};
    const RuleTable table{.rules = list, .features = {}};
    const RngKey key{.seed = seed};
    Action action = 0;
    player.act(batch_of(view, table), std::span(&key, 1), std::span(&action, 1));
    const std::vector<float> row = policy_of(player, game);
    EXPECT_EQ(row[action], 1.0F) << "seed " << seed << ": " << action_name(action);
    EXPECT_EQ(std::ranges::count(row, 0.0F), kNumActions - 1);
    ++searched;
  }
  EXPECT_GT(searched, 3);
}

TEST(Ismcts, probabilities_are_shares_of_visits_where_they_are_asked_for) {
  const auto rules = CompiledRules::load("research");
  constexpr int kIterations = 300;
  IsmctsAgent player({.iterations = kIterations}),
      sharing({.iterations = kIterations, .shares = true});
  int compared = 0, with_a_choice = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Game game = random_game(*rules, seed, 8);
    if (game.is_terminal() || !game.has_contract()) continue;
    const std::vector<float> row = policy_of(sharing, game), card = policy_of(player, game);
    const ActionMask legal = without_claims(game.legal_actions());
    float sum = 0.0F;
    int tried = 0;
    for (int a = 0; a < kNumActions; ++a) {
      const float share = row[static_cast<std::size_t>(a)];
      sum += share;
      if (!legal.contains(static_cast<Action>(a))) {
        EXPECT_EQ(share, 0.0F) << action_name(a);
      }
      const double visits = static_cast<double>(share) * kIterations;
      EXPECT_NEAR(visits, std::round(visits), 1e-3) << action_name(a);
      tried += share > 0.0F && share < 1.0F ? 1 : 0;
    }
    EXPECT_NEAR(sum, 1.0F, 1e-5);
    // every card is tried before one is tried again
    EXPECT_EQ(tried, legal.count() > 1 ? legal.count() : 0) << "seed " << seed;
    const auto played = std::ranges::max_element(card) - card.begin();
    EXPECT_EQ(row[static_cast<std::size_t>(played)], *std::ranges::max_element(row))
        << "seed " << seed;
    ++compared;
    with_a_choice += legal.count() > 1 ? 1 : 0;
  }
  EXPECT_GT(compared, 3);
  EXPECT_GT(with_a_choice, 0);
}

// ---- registry, every phase, strength ----

TEST(SearchAgents, names_make_the_same_player_again) {
  for (const char* const spec :
       {"pimc:worlds=30,version=3",
        "pimc:worlds=5,ms=20,clear=0.5,question=win,bidding=worlds,kontra=worlds,seed=7,version=1",
        "ismcts:iterations=500", "ismcts:iterations=10,exploration=1.5,shares=true,seed=3",
        "oracle:version=1"}) {
    EXPECT_EQ(make_agent(spec)->name(), spec);
  }
  EXPECT_EQ(make_agent("pimc:30")->name(), "pimc:worlds=30,version=3");
}

TEST(SearchAgents, mixed_beliefs_are_named_by_both_players) {
  const RuleAgent own(0.25);
  EXPECT_EQ(make_beliefs(Beliefs::kBoth, own)->name(),
            "the mean of " + own.name() + " and " + RuleAgent().name());
}

TEST(SearchAgents, wrong_parameters_are_named_with_what_is_allowed) {
  const auto error_of = [](const std::string& spec) -> std::string {
    try {
      (void)make_agent(spec);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  using testing::HasSubstr;
  EXPECT_THAT(error_of("pimc:0"), HasSubstr("worlds = 0, allowed: integer 1..100000"));
  EXPECT_THAT(error_of("pimc:many"), HasSubstr("worlds = \"many\", allowed: integer 1..100000"));
  EXPECT_THAT(error_of("pimc:ms=-1"), HasSubstr("ms = -1, allowed: number >= 0 (milliseconds)"));
  EXPECT_THAT(error_of("pimc:clear=-1"), HasSubstr("clear = -1, allowed: number 0..100"));
  EXPECT_THAT(error_of("pimc:clear=nan"), HasSubstr("clear"));
  EXPECT_THAT(error_of("pimc:question=points"), HasSubstr("allowed: classes, win"));
  EXPECT_THAT(error_of("ismcts:0"), HasSubstr("iterations = 0, allowed: integer 1..10000000"));
  EXPECT_THAT(error_of("ismcts:exploration=0"),
              HasSubstr("exploration = 0, allowed: number above 0"));
  EXPECT_THAT(error_of("oracle:4"), HasSubstr("oracle:4\": version = 4, allowed: integer 1..3"));
}

TEST(SearchAgents, act_legally_in_every_phase_of_every_preset) {
  const int deals = test::scaled(2, 6, 25);
  for (const std::string_view preset : preset_names()) {
    const auto rules = CompiledRules::load(std::string(preset));
    for (const char* const spec : {"pimc:1,bidding=worlds,kontra=worlds", "ismcts:20"}) {
      auto player = make_agent(spec);
      for (int seed = 0; seed < deals; ++seed) {
        Rng random(static_cast<std::uint64_t>(seed));
        Game game = random_game(*rules, static_cast<std::uint64_t>(seed), 12);
        while (!game.is_terminal()) {
          const std::string action = chosen(*player, game);
          ASSERT_TRUE(without_claims(game.legal_actions()).contains(*parse_action(action)))
              << preset << ", seed " << seed << ": " << action;
          game.apply(*parse_action(action));
        }
      }
    }
  }
}

TEST(SearchAgents, open_cards_beat_the_rule_agent) {
  TournamentOptions options;
  options.rules = CompiledRules::load("research");
  options.agents = {{"oracle"}, {"rules"}};
  options.track = Track::kCardPlay;
  options.blocks = test::scaled(4, 40, 200);
  options.threads = 2;
  const TournamentResult result = run_tournament(options);
  EXPECT_GT(result.one_against_three[0][1].mean, 0.0);
}

}  // namespace
}  // namespace schafkopf
