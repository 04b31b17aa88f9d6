// The network that looks ahead: against a slow search that plays every world and card by itself.
#include "agents/search/net_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "agents/network/mlp_network.h"
#include "agents/network/net_agent.h"
#include "agents/registry.h"
#include "agents/search/endgame.h"
#include "agents/search/world_choice.h"
#include "agents/worlds/past_decisions.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "tests/cpp/agents/random_weights.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/temporary_file.h"

namespace schafkopf {
namespace {

using testing::HasSubstr;

const NetworkShape& shape() {
  static const NetworkShape small = make_network_shape(32, 2);
  return small;
}

WeightsFile weights_with_oracle() {
  WeightsFile weights = test::random_weights(shape());
  test::add_critic(weights, shape(), true);
  return weights;
}

/// A batch of one row; claims are no part of playouts.
struct Asked {
  Asked(const Game& game, int seat) : view(game.view(seat)), full(game.full_view(seat)) {
    view.cards.flags =
        static_cast<std::uint8_t>(view.cards.flags & ~(kFlagClaimRest | kFlagConcedeRest));
    rules[0] = &game.rules();
    table = {rules, {}};
    batch = {.size = 1,
             .cards = &view.cards,
             .order = &view.order,
             .events = &view.events,
             .rules = &table,
             .full = &full};
  }
  PlayerView view;
  FullView full;
  const CompiledRules* rules[1];
  RuleTable table;
  ViewBatch batch;
};

Action greedy_action(BatchPolicy& policy, const Game& game) {
  Asked asked(game, game.current_player());
  asked.batch.full = nullptr;
  std::vector<float> row(kNumActions);
  policy.policy(asked.batch, row, {});
  return static_cast<Action>(std::ranges::max_element(row) - row.begin());
}

/// Games of random play that have got where they are wanted, at a seat for which `fits` holds.
///
/// reached  whether a game of this seed goes no further
template <class Reached, class Fits>
std::vector<Game> games_at(const CompiledRules& rules, std::size_t wanted, const Reached& reached,
                           const Fits& fits) {
  std::vector<Game> games;
  for (std::uint64_t seed = 0; games.size() < wanted; ++seed) {
    Rng random(seed);
    const int dealer = static_cast<int>(seed) % rules.seats();
    Game game(rules, deal_for(seed, rules.rules(), dealer, rules.first_context()), dealer,
              rules.first_context());
    for (std::uint64_t actions = 0; !game.is_terminal() && !reached(game, seed, actions);
         ++actions) {
      game.apply_unchecked(test::random_action(game, random));
    }
    if (!game.is_terminal() && fits(game.view(game.current_player()), rules)) games.push_back(game);
  }
  return games;
}

/// Games on their way, at a seat that the search is for.
std::vector<Game> positions(const CompiledRules& rules, int plays, std::size_t wanted) {
  const auto reached = [plays](const Game& game, std::uint64_t, std::uint64_t) {
    return game.phase() == Phase::kPlay && game.num_plays() >= plays;
  };
  return games_at(rules, wanted, reached, NetSearchAgent::searches);
}

constexpr int kEndgame = 7;  // trick from which kExact plays with open cards here

/// Payoffs of all seats if everybody plays best with open cards, by going through every course.
std::array<std::int32_t, kNumSeats> open_payoffs(const Game& game) {
  if (game.is_terminal()) return game.payoffs();
  const auto seat = static_cast<std::size_t>(game.current_player());
  std::array<std::int32_t, kNumSeats> best{};
  best[seat] = std::numeric_limits<std::int32_t>::min();
  for (Action card = 0; card < kNumCards; ++card) {
    if (!game.legal_actions().contains(card)) continue;
    Game next = game;
    next.apply(card);
    const auto payoffs = open_payoffs(next);
    if (payoffs[seat] > best[seat]) best = payoffs;
  }
  return best;
}

/// Who plays on in the slow search, whom it believes, and who judges what it finds.
struct SlowPlayers {
  WeightsFile weights = weights_with_oracle();
  std::unique_ptr<BatchPolicy> player = make_net_agent(make_mlp_network(weights, "w"), "w", true);
  std::unique_ptr<BatchPolicy> believed =
      make_net_agent(make_mlp_network(weights, "w"), "w", false);
  std::unique_ptr<CriticNetwork> critic = make_mlp_critic(weights, "w");
};

/// Goes through all worlds of a position, one game at a time. Players and game must outlive it.
class SlowSearch {
 public:
  SlowSearch(SlowPlayers& players, const Game& real, SearchLeaf leaf)
      : players_(players),
        real_(real),
        leaf_(leaf),
        seat_(real.current_player()),
        view_(real.view(seat_)),
        posterior_(view_, real.rules(), *players.believed, kCautious),
        past_(view_, real.rules()) {}
  SlowSearch(const SlowSearch&) = delete;
  SlowSearch& operator=(const SlowSearch&) = delete;

  /// Mean payoff of a card over all worlds by their probabilities.
  [[nodiscard]] double value(Card card) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < posterior_.size(); ++i) {
      Game game = past_.game_of(posterior_.world(i));
      game.apply(card);
      while (!game.is_terminal() && !at_leaf(game)) {
        game.apply(greedy_action(*players_.player, game));
      }
      sum += posterior_.probability(i) * judge(game);
    }
    return sum;
  }

 private:
  [[nodiscard]] bool at_leaf(const Game& game) const {
    if (leaf_ == SearchLeaf::kCritic) return game.current_player() == seat_;
    return leaf_ == SearchLeaf::kExact && game.num_plays() >= 4 * (kEndgame - 1) &&
           contract_row(game.contract().contract).goal != Goal::kFewestPoints;
  }
  [[nodiscard]] double judge(const Game& game) const {
    const auto seat = static_cast<std::size_t>(seat_);
    if (game.is_terminal()) {
      return static_cast<double>(game.payoffs()[seat]) / real_.rules().tariff_scale();
    }
    if (leaf_ == SearchLeaf::kExact) {
      return static_cast<double>(open_payoffs(game)[seat]) / real_.rules().tariff_scale();
    }
    std::vector<float> judged(1);
    players_.critic->values(Asked(game, seat_).batch, judged);
    return static_cast<double>(judged[0]);
  }

  SlowPlayers& players_;
  const Game& real_;
  SearchLeaf leaf_;
  int seat_;
  PlayerView view_;
  ExactPosterior posterior_;
  PastDecisions past_;
};

class NetSearchBy : public testing::TestWithParam<SearchLeaf> {};

TEST_P(NetSearchBy, leaf_is_the_mean_over_all_worlds_where_they_are_few) {
  const auto rules = CompiledRules::load("research");
  NetSearchAgent agent(weights_with_oracle(), "w",
                       {.worlds = 10000,
                        .top = 32,
                        .leaf = GetParam(),
                        .beliefs = Beliefs::kOwn,
                        .endgame = kEndgame});
  SlowPlayers players;
  int compared = 0;
  for (const Game& game : positions(*rules, 22, 12)) {
    const PlayerView view = game.view(game.current_player());
    const SlowSearch slow(players, game, GetParam());
    for (const auto& [card, value, error] : agent.search(view, *rules)) {
      EXPECT_NEAR(value, slow.value(static_cast<Card>(card)), 1e-3);
      ++compared;
    }
  }
  EXPECT_GT(compared, 24);
}

INSTANTIATE_TEST_SUITE_P(Leaves, NetSearchBy,
                         testing::Values(SearchLeaf::kCritic, SearchLeaf::kPlayout,
                                         SearchLeaf::kExact),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(NetSearch, compares_the_most_probable_cards_and_plays_the_best_of_them) {
  const auto rules = CompiledRules::load("research");
  const auto net = make_net_agent(make_mlp_network(weights_with_oracle(), "w"), "w", false);
  NetSearchAgent agent(weights_with_oracle(), "w",
                       {.worlds = 20, .top = 2, .clear = 0.0, .endgame = 9});
  int other_than_net = 0;
  for (const Game& game : positions(*rules, 5, 20)) {
    Asked asked(game, game.current_player());
    asked.batch.full = nullptr;
    const auto cards = agent.search(asked.view, *rules);
    ASSERT_EQ(cards.size(), 2u);
    std::vector<float> chances(kNumActions), row(kNumActions), value(1);
    net->policy(asked.batch, chances, {});
    for (const Card card : CardSet(asked.view.cards.legal)) {
      const Action better = card == cards[1].action ? cards[0].action : cards[1].action;
      if (card != cards[0].action) {
        EXPECT_LE(chances[card], chances[better]);
      }
    }
    agent.policy(asked.batch, row, value);
    const auto& best = cards[0].value >= cards[1].value ? cards[0] : cards[1];
    EXPECT_EQ(row[best.action], 1.0F);
    EXPECT_EQ(static_cast<double>(value[0]), static_cast<double>(static_cast<float>(best.value)));
    other_than_net += best.action == cards[1].action ? 1 : 0;
  }
  EXPECT_GT(other_than_net, 2);
}

// The lead of a card must exceed its standard error as many times as `clear` says.
TEST(NetSearch, leaves_the_networks_card_only_where_the_worlds_are_clear) {
  const auto rules = CompiledRules::load("research");
  const auto changed = [&](double clear) {
    NetSearchAgent agent(weights_with_oracle(), "w", {.worlds = 12, .clear = clear, .endgame = 9});
    int count = 0;
    for (const Game& game : positions(*rules, 5, 40)) {
      const auto cards = agent.search(game.view(game.current_player()), *rules);
      const auto& chosen = agent.clearly_best(cards);
      const double lead = chosen.value - cards[0].value;
      EXPECT_EQ(cards[0].error, 0.0);
      EXPECT_TRUE(chosen.action == cards[0].action || lead > clear * chosen.error);
      count += chosen.action != cards[0].action ? 1 : 0;
    }
    return count;
  };
  const int at_once = changed(0.0), clearly = changed(1.5);
  EXPECT_GT(at_once, clearly);
  EXPECT_GT(clearly, 0);
  EXPECT_EQ(changed(100.0), 0);
}

// From its trick on it is the endgame player with the network in front.
TEST(NetSearch, plays_endgames_as_the_endgame_player) {
  const auto rules = CompiledRules::load("research");
  NetSearchAgent agent(weights_with_oracle(), "w", {.worlds = 1, .endgame_worlds = 9});
  EndgameAgent endgame(make_net_agent(make_mlp_network(weights_with_oracle(), "w"), "w", true), "e",
                       {.trick = 4, .worlds = 9});
  for (const int plays : {13, 18, 23}) {
    for (const Game& game : positions(*rules, plays, 8)) {
      EXPECT_EQ(greedy_action(agent, game), greedy_action(endgame, game));
    }
  }
}

// More worlds are possible than are weighed one by one: some are drawn, the likelier ones stay.
TEST(NetSearch, draws_worlds_by_what_the_others_did_where_there_are_many) {
  const auto rules = CompiledRules::load("research");
  int drawn = 0;
  for (const Game& game : positions(*rules, 5, 12)) {
    const PlayerView view = game.view(game.current_player());
    const auto values_with = [&](int number) {
      NetSearchAgent agent(
          weights_with_oracle(), "w",
          {.worlds = 6, .drawn = number, .exact = 1, .beliefs = Beliefs::kRules, .endgame = 9});
      std::vector<double> values;
      for (const auto& card : agent.search(view, *rules)) values.push_back(card.value);
      return values;
    };
    EXPECT_EQ(values_with(0), values_with(24)) << "four times as many";
    drawn += values_with(0) != values_with(200) ? 1 : 0;
  }
  EXPECT_GT(drawn, 3);
}

TEST(NetSearch, is_a_function_of_the_view_and_the_seed) {
  const auto rules = CompiledRules::load("research");
  const auto values_of = [&](NetSearchAgent& agent, const Game& game) {
    std::vector<double> values;
    for (const auto& card : agent.search(game.view(game.current_player()), *rules)) {
      values.push_back(card.value);
    }
    return values;
  };
  NetSearchAgent agent(weights_with_oracle(), "w", {.worlds = 8}),
      other(weights_with_oracle(), "w", {.worlds = 8, .seed = 1});
  int differs = 0;
  for (const Game& game : positions(*rules, 3, 6)) {
    const auto first = values_of(agent, game);
    EXPECT_EQ(values_of(agent, game), first);
    differs += values_of(other, game) != first ? 1 : 0;
  }
  EXPECT_GT(differs, 3);
}

/// Auctions on their way, at a seat whose announcement can be played out.
std::vector<Game> auctions(const CompiledRules& rules, std::size_t wanted) {
  const auto reached = [](const Game&, std::uint64_t seed, std::uint64_t actions) {
    return actions >= seed % 4;
  };
  return games_at(rules, wanted, reached, NetSearchAgent::plays_out);
}

TEST(NetSearch, leaves_bidding_to_the_network_unless_told_to_play_bids_out) {
  const auto rules = CompiledRules::load("research");
  const auto net = make_agent("net:baseline"), agent = make_agent("net+search:baseline"),
             playing_out = make_agent("net+search:baseline,bids=playout,bid_worlds=12,clear=0");
  int other_than_net = 0;
  for (const Game& game : auctions(*rules, 30)) {
    const Action own = greedy_action(*net, game);
    EXPECT_EQ(greedy_action(*agent, game), own);
    other_than_net += greedy_action(*playing_out, game) != own ? 1 : 0;
  }
  EXPECT_GT(other_than_net, 3);
}

TEST(NetSearch, says_what_is_clearly_best_of_what_it_played_out) {
  const auto rules = CompiledRules::load("research");
  NetSearchAgent agent(weights_with_oracle(), "w",
                       {.clear = 0.0, .bids = SearchedBids::kPlayout, .bid_worlds = 6});
  const auto net = make_net_agent(make_mlp_network(weights_with_oracle(), "w"), "w", true);
  for (const Game& game : auctions(*rules, 20)) {
    const auto found = agent.search(game.view(game.current_player()), *rules);
    EXPECT_EQ(found.front().action, greedy_action(*net, game));
    EXPECT_EQ(greedy_action(agent, game), agent.clearly_best(found).action);
  }
}

TEST(NetSearch, an_announcement_is_worth_what_the_network_makes_of_it_in_the_drawn_worlds) {
  for (const char* name : {"research", "official_1989"}) {  // the second doubles
    const auto rules = CompiledRules::load(name);
    NetSearchAgent agent(weights_with_oracle(), "w",
                         {.top = 32, .bids = SearchedBids::kPlayout, .bid_worlds = 5});
    const auto player = make_net_agent(make_mlp_network(weights_with_oracle(), "w"), "w", true);
    for (const Game& real : auctions(*rules, 6)) {
      const int seat = real.current_player();
      const PlayerView view = real.view(seat);
      const PastDecisions past(view, *rules);
      for (const auto& [action, value, error] : agent.search(view, *rules)) {
        double sum = 0.0;
        WorldSource(view, *rules, 5, 0).visit([&](const World& world) {
          Game game = past.game_of(world);
          game.apply(action);
          while (!game.is_terminal()) game.apply(greedy_action(*player, game));
          sum += game.payoffs()[static_cast<std::size_t>(seat)];
          return true;
        });
        EXPECT_NEAR(value, sum / 5 / rules->tariff_scale(), 1e-9)
            << name << " " << action_name(action);
      }
    }
  }
}

TEST(NetSearch, refuses_to_search_what_is_neither_cards_nor_an_auction) {
  const auto rules = CompiledRules::load("research");
  Game game = positions(*rules, 3, 1).front();
  while (without_claims(game.legal_actions()).count() > 1) {
    game.apply(without_claims(game.legal_actions()).lowest());
  }
  NetSearchAgent agent(weights_with_oracle(), "w", {});
  EXPECT_THROW((void)agent.search(game.view(game.current_player()), *rules), std::invalid_argument);
}

TEST(NetSearch, stands_in_the_registry_and_names_wrong_parameters) {
  const test::TemporaryFile file("net_search.safetensors");
  const std::string path = file.path();
  const auto error_of = [&](const std::string& parameters) -> std::string {
    try {
      (void)make_agent("net+search:" + path + parameters);
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(error_of(""), HasSubstr("No such file"));
  write_weights(path, weights_with_oracle());
  for (const char* const parameters :
       {"",
        ",worlds=5,drawn=50,exact=100,top=2,leaf=critic,beliefs=both,clear=2,endgame=5,"
        "endgame_worlds=7,seed=3"}) {
    const auto agent = make_agent("net+search:" + path + parameters);
    EXPECT_EQ(agent->name(), "net+search:" + path + parameters);
    EXPECT_EQ(agent->clone()->name(), agent->name());
  }
  EXPECT_THAT(error_of(",worlds=0"), HasSubstr("worlds = 0, allowed: integer 1..10000"));
  EXPECT_THAT(error_of(",worlds=9,drawn=8"),
              HasSubstr("drawn = 8, allowed: 0, or at least worlds = 9"));
  EXPECT_THAT(error_of(",exact=-1"), HasSubstr("exact = -1, allowed: integer 0..2000000"));
  EXPECT_THAT(error_of(",top=33"), HasSubstr("top = 33, allowed: integer 1..32"));
  EXPECT_THAT(error_of(",leaf=net"), HasSubstr("allowed: critic, playout, exact"));
  WeightsFile bare = test::random_weights(shape());
  bare.tensors.erase("value.weight");
  bare.tensors.erase("value.bias");
  write_weights(path, bare);
  EXPECT_THAT(error_of(",leaf=critic"), HasSubstr("there is no critic"));
  EXPECT_EQ(error_of(""), "");
}

}  // namespace
}  // namespace schafkopf
