// Exact posterior and policy-based weights against brute force: every deal that replays to the
// view, weighted by what the others would have done in it.
#include "agents/worlds/posterior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agents/basic/random_agent.h"
#include "agents/maxims/rule_agent.h"
#include "agents/registry.h"
#include "agents/worlds/past_decisions.h"
#include "agents/worlds/playouts.h"
#include "env/record/history.h"
#include "tests/cpp/agents/all_worlds.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

using test::error_of;
using Distribution = std::map<World, double, test::WorldLess>;

double probability_of(BatchPolicy& policy, const PlayerView& view, const CompiledRules& rules,
                      Action action) {
  const CompiledRules* const list[] = {&rules};
  const RuleTable table{list, {}};
  ViewBatch batch{1, &view.cards, &view.order, &view.events, nullptr, &table};
  std::array<float, kNumActions> row{};
  policy.policy(batch, row, {});
  return static_cast<double>(row[action]);
}

/// F.1: a seat laid on a half of its hand that nobody else knows; the mean over all halves.
double laying_probability(const PublicHistory& history, std::size_t ply, const test::Hands& dealt,
                          BatchPolicy& policy) {
  const CompiledRules& rules = *history.rules;
  const auto seat = static_cast<std::size_t>(history.actions[ply].seat);
  double sum = 0.0;
  int halves = 0;
  test::subsets(dealt[seat], dealt[seat].count() / 2, {}, [&](CardSet half) {
    Deal deal;
    for (std::size_t other = 0; other < static_cast<std::size_t>(rules.seats()); ++other) {
      CardSet rest = dealt[other];
      while (deal.first[other].count() < dealt[other].count() / 2) {
        deal.first[other].add(rest.pop_lowest());
      }
      deal.second[other] = rest;
    }
    deal.first[seat] = half;
    deal.second[seat] = dealt[seat] - half;
    Game game(rules, deal, history.dealer, history.context);
    for (std::size_t i = 0; i < ply || game.current_player() != history.actions[ply].seat;) {
      const bool lays = i < ply && game.current_player() == history.actions[i].seat;
      game.apply(lays ? kActionLay : kActionNoLay);
      i += lays ? 1 : 0;
    }
    sum += probability_of(policy, game.view(history.actions[ply].seat), rules, kActionLay);
    ++halves;
  });
  return sum / halves;
}

/// Every world by replay, weighted ply by ply with the views that each seat would have had.
Distribution by_brute_force(const PlayerView& view, const CompiledRules& rules, BatchPolicy& policy,
                            const Belief& belief) {
  const PublicHistory history = public_history(view, rules);
  Distribution result;
  double total = 0.0;
  for (const World& world : test::AllWorlds(view, rules).find(5000)) {
    double weight = 1.0;
    for (std::size_t ply = 0; ply < history.actions.size(); ++ply) {
      const PublicAction& step = history.actions[ply];
      const bool shows = step.shown && ply > 0 && history.actions[ply - 1].action >= kNumCards &&
                         history.actions[ply - 1].action != kActionPlay &&
                         contract_of_action(history.actions[ply - 1].action).row == nullptr;
      if (step.seat == view.seat() || shows) continue;
      test::Hands dealt{};  // absolute seats
      for (int r = 0; r < rules.seats(); ++r) {
        dealt[static_cast<std::size_t>((view.seat() + r) % rules.seats())] =
            world.hands[static_cast<std::size_t>(r)] | CardSet(view.cards.played[r]);
      }
      const CardSet hand = dealt[static_cast<std::size_t>(step.seat)];
      const double p =
          step.action == kActionLay
              ? laying_probability(history, ply, dealt, policy)
              : probability_of(policy, view_at(history, ply, step.seat, hand), rules, step.action);
      weight *= std::pow(std::max(p, belief.floor), belief.alpha);
    }
    result[world] = weight;
    total += weight;
  }
  for (auto& [world, weight] : result) weight /= total;
  return result;
}

/// The same with silent answers, by the game alone: in every world all that the seats may do is tried, and
/// what leads to the view counts, whoever was asked on the way.
class AllCourses {
 public:
  AllCourses(const PlayerView& view, const CompiledRules& rules, BatchPolicy& policy,
             const Belief& belief)
      : view_(view),
        rules_(rules),
        policy_(policy),
        belief_(belief),
        history_(public_history(view, rules)) {}

  [[nodiscard]] Distribution posterior() {
    Distribution result;
    double total = 0.0;
    for (const World& world : test::AllWorlds(view_, rules_).find(5000)) {
      for (int r = 0; r < rules_.seats(); ++r) {
        dealt_[absolute(r)] =
            world.hands[static_cast<std::size_t>(r)] | CardSet(view_.cards.played[r]);
      }
      laying_ = -1;
      double weight = probability(begin(-1, {}));
      for (int r = 1; r < rules_.seats() && rules_.rules().legen != Legen::kOff; ++r) {
        weight *= laying(static_cast<int>(absolute(r)));
      }
      result[world] = weight;
      total += weight;
    }
    for (auto& [world, weight] : result) weight /= total;
    return result;
  }

 private:
  [[nodiscard]] std::size_t absolute(int seat) const {
    return static_cast<std::size_t>((view_.seat() + seat) % rules_.seats());
  }
  /// The deal with `half` as what `seat` sees while it may lay.
  [[nodiscard]] Game begin(int seat, CardSet half) const {
    Deal deal;
    for (std::size_t other = 0; other < static_cast<std::size_t>(rules_.seats()); ++other) {
      CardSet rest = dealt_[other];
      while (deal.first[other].count() < dealt_[other].count() / 2) {
        deal.first[other].add(rest.pop_lowest());
      }
      if (static_cast<int>(other) == seat) deal.first[other] = half;
      deal.second[other] = dealt_[other] - deal.first[other];
    }
    return {rules_, deal, history_.dealer, history_.context};
  }
  /// The mean over all halves, none of which others know (F.1).
  [[nodiscard]] double laying(int seat) {
    laying_ = seat;
    const CardSet hand = dealt_[static_cast<std::size_t>(seat)];
    double sum = 0.0;
    int halves = 0;
    test::subsets(hand, hand.count() / 2, {}, [&](CardSet half) {
      sum += probability(begin(seat, half));
      ++halves;
    });
    return std::pow(std::max(sum / halves, belief_.floor), belief_.alpha);
  }
  [[nodiscard]] bool is_past(const PlayerView& seen) const {
    for (int i = 0; i < seen.order.num_plays; ++i) {
      if (i >= view_.order.num_plays || seen.order.plays[i] != view_.order.plays[i]) return false;
    }
    for (int i = 0; i < seen.order.num_events; ++i) {
      if (i >= view_.order.num_events || seen.events.events[i] != view_.events.events[i])
        return false;
    }
    return true;
  }
  [[nodiscard]] double weight_of(const Game& game, Action action) {
    const int seat = game.current_player();
    const bool laying = game.phase() == Phase::kLegen;
    if (seat == view_.seat() || (laying ? seat != laying_ : laying_ >= 0)) return 1.0;
    const double p = probability_of(policy_, game.view(seat), rules_, action);
    return laying ? p : std::pow(std::max(p, belief_.floor), belief_.alpha);
  }
  [[nodiscard]] double probability(const Game& game) {
    const PlayerView seen = game.view(view_.seat());
    if (!is_past(seen)) return 0.0;
    if (laying_ >= 0 && game.phase() > Phase::kLegen) {
      return seen.order.legen == view_.order.legen ? 1.0 : 0.0;
    }
    if (game.current_player() == view_.seat() && std::memcmp(&seen, &view_, sizeof view_) == 0) {
      return 1.0;
    }
    double sum = 0.0;
    const ActionMask legal = game.legal_actions();
    for (int i = 0; i < legal.count(); ++i) {
      const Action action = legal.nth(i);
      if (game.phase() == Phase::kPlay && action != view_.play(game.num_plays()).card) continue;
      Game next = game;
      next.apply(action);
      const double rest = probability(next);
      if (rest > 0.0) sum += rest * weight_of(game, action);
    }
    return sum;
  }

  const PlayerView& view_;
  const CompiledRules& rules_;
  BatchPolicy& policy_;
  const Belief& belief_;
  PublicHistory history_;
  test::Hands dealt_{};  // absolute seats
  int laying_ = -1;      // the seat whose laying counts alone, -1 = all but laying counts
};

void expect_equal(const ExactPosterior& posterior, const Distribution& expected) {
  ASSERT_EQ(posterior.size(), expected.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < posterior.size(); ++i) {
    const auto found = expected.find(posterior.world(i));
    ASSERT_NE(found, expected.end());
    ASSERT_NEAR(posterior.probability(i), found->second, 1e-9);
    sum += posterior.probability(i);
  }
  ASSERT_NEAR(sum, 1.0, 1e-9);
}

/// Plays a game with an agent (random where it would be illegal to ask), and visits decisions.
template <class Visit>
void play(const CompiledRules& rules, BatchPolicy& policy, std::uint64_t seed, const Visit& visit) {
  Rng random(seed);
  const int dealer = random.next_below(rules.seats());
  Game game(rules, deal_for(random.next(), rules.rules(), dealer, rules.first_context()), dealer,
            rules.first_context());
  const CompiledRules* const list[] = {&rules};
  const RuleTable table{list, {}};
  while (!game.is_terminal()) {
    const PlayerView view = game.view(game.current_player());
    visit(game, view, random);
    ViewBatch batch{1, &view.cards, &view.order, &view.events, nullptr, &table};
    const RngKey key{seed, 0, 0, static_cast<std::uint32_t>(random.next() & 0xFFFF), 0};
    Action action = 0;
    policy.act(batch, std::span(&key, 1), std::span(&action, 1));
    game.apply(action);
  }
}

struct PolicyCase {
  const char* name;
  const char* preset;
  double random;  // share of random actions of the rule agent; above 1 = random agent
};

class ExactPosteriorOf : public ::testing::TestWithParam<PolicyCase> {};

TEST_P(ExactPosteriorOf, endgames_is_what_brute_force_over_all_deals_gives) {
  const auto rules = CompiledRules::load(GetParam().preset);
  std::unique_ptr<BatchPolicy> policy;
  if (GetParam().random > 1.0) {
    policy = std::make_unique<RandomAgent>();
  } else {
    policy = std::make_unique<RuleAgent>(GetParam().random);
  }
  int views = 0, informative = 0, told_by_silence = 0;
  for (int round = 0; round < test::scaled(12, 25, 200); ++round) {
    play(*rules, *policy, static_cast<std::uint64_t>(round),
         [&](const Game& game, const PlayerView& view, Rng& random) {
           const int left = rules->deck().count() - game.num_plays();
           if (game.phase() != Phase::kPlay || left > 3 * game.seats() + 1) return;
           if (random.next_below(2) != 0 || !shows_decisions(view, *rules)) return;
           Belief belief{
               .alpha = 1.0, .floor = random.next_below(4) == 0 ? 0.02 : 0.0, .silence = false};
           const Distribution heard = by_brute_force(view, *rules, *policy, belief);
           if (heard.empty()) return;
           expect_equal(ExactPosterior(view, *rules, *policy, belief), heard);
           belief.silence = true;
           const Distribution expected = AllCourses(view, *rules, *policy, belief).posterior();
           expect_equal(ExactPosterior(view, *rules, *policy, belief), expected);
           ++views;
           for (const auto& [world, p] : expected) {
             if (std::abs(p - heard.at(world)) < 1e-6) continue;
             ++told_by_silence;
             break;
           }
           const double uniform = 1.0 / static_cast<double>(expected.size());
           for (const auto& [world, p] : expected) {
             if (std::abs(p - uniform) < 1e-6) continue;
             ++informative;
             break;
           }
         });
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(views, 10);
  EXPECT_GT(informative, 3);
  // who never doubles by chance, or always does, tells nothing by silence
  const bool noisy = GetParam().random > 0.0 && GetParam().random < 1.0;
  EXPECT_GE(told_by_silence, noisy ? 3 : 0);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, ExactPosteriorOf,
    ::testing::Values(PolicyCase{"random", "official_1989", 2.0},
                      PolicyCase{"rules", "official_1989", 0.0},
                      PolicyCase{"noisy_rules", "official_1989", 0.3},
                      PolicyCase{"noisy_rules_tournament", "tournament_2024", 0.2},
                      PolicyCase{"noisy_rules_wikipedia", "wikipedia_extended", 0.2}),
    [](const auto& with) { return with.param.name; });

/// A position of a game between rule agents that make mistakes, with few worlds.
PlayerView endgame(const CompiledRules& rules, BatchPolicy& policy, std::uint64_t most = 3000) {
  PlayerView found{};
  for (std::uint64_t seed = 0; found.order.seats == 4 && found.order.num_plays == 0; ++seed) {
    play(rules, policy, seed, [&](const Game& game, const PlayerView& view, Rng&) {
      if (found.order.num_plays > 0 || game.phase() != Phase::kPlay || game.num_plays() < 16)
        return;
      const std::uint64_t count = WorldSampler(view, rules).count();
      if (count >= 100 && count <= most) found = view;
    });
  }
  return found;
}

TEST(ExactPosterior, marginals_and_draws_follow_the_probabilities) {
  const auto rules = CompiledRules::load("official_1989");
  RuleAgent policy(0.3);
  const PlayerView view = endgame(*rules, policy);
  const ExactPosterior posterior(view, *rules, policy);
  std::map<World, double, test::WorldLess> drawn;
  const int draws = test::scaled(20000, 100000, 1000000);
  for (int i = 0; i < draws; ++i) drawn[posterior.sample(static_cast<std::uint64_t>(i))] += 1.0;
  for (int seat = 0; seat < 4; ++seat) {
    double cards = 0.0;
    for (Card card = 0; card < kNumCards; ++card) {
      double expected = 0.0;
      for (std::size_t i = 0; i < posterior.size(); ++i) {
        if (posterior.world(i).hands[static_cast<std::size_t>(seat)].contains(card)) {
          expected += posterior.probability(i);
        }
      }
      double seen = 0.0;
      for (const auto& [world, number] : drawn) {
        if (world.hands[static_cast<std::size_t>(seat)].contains(card)) seen += number;
      }
      EXPECT_NEAR(posterior.holds(seat, card), expected, 1e-12);
      EXPECT_NEAR(seen / draws, expected, 5.0 * std::sqrt(0.25 / draws)) << seat << card_name(card);
      cards += posterior.holds(seat, card);
    }
    EXPECT_NEAR(cards, posterior.world(0).hands[static_cast<std::size_t>(seat)].count(), 1e-9);
  }
}

TEST(PolicyWeights, of_all_worlds_are_the_exact_posterior_and_alpha_tempers_them) {
  const auto rules = CompiledRules::load("official_1989");
  RuleAgent policy(0.3);
  const PlayerView view = endgame(*rules, policy);
  const ExactPosterior posterior(view, *rules, policy);
  std::vector<World> worlds;
  for (std::size_t i = 0; i < posterior.size(); ++i) worlds.push_back(posterior.world(i));
  const std::vector<double> exact = policy_weights(view, *rules, worlds, policy, Belief{});
  const std::vector<double> half =
      policy_weights(view, *rules, worlds, policy, Belief{.alpha = 0.5});
  const std::vector<double> none =
      policy_weights(view, *rules, worlds, policy, Belief{.alpha = 0.0});
  double total = 0.0;
  for (const double weight : exact) total += weight;
  EXPECT_EQ(*std::ranges::max_element(exact), 1.0);
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    EXPECT_NEAR(exact[i] / total, posterior.probability(i), 1e-9);
    EXPECT_NEAR(half[i], std::sqrt(exact[i]), 1e-9);
    EXPECT_EQ(none[i], 1.0);
  }
}

TEST(InferredWorlds, appear_as_often_as_their_weight_says_and_depend_on_the_key_alone) {
  const auto rules = CompiledRules::load("official_1989");
  RuleAgent policy(0.3);
  const PlayerView view = endgame(*rules, policy);
  const WorldSampler sampler(view, *rules);
  std::vector<World> drawn;
  for (std::uint64_t i = 0; i < 100; ++i) drawn.push_back(sampler.sample(draw_of(7, i)));
  const std::vector<double> weights = policy_weights(view, *rules, drawn, policy);
  std::map<World, double, test::WorldLess> share, kept;
  double total = 0.0;
  for (const double weight : weights) total += weight;
  for (std::size_t i = 0; i < drawn.size(); ++i) share[drawn[i]] += weights[i] / total;
  const std::vector<World> worlds = inferred_worlds(view, *rules, policy, 100, 1000, 7);
  ASSERT_EQ(worlds.size(), 1000U);
  EXPECT_EQ(worlds, inferred_worlds(view, *rules, policy, 100, 1000, 7));
  for (const World& world : worlds) kept[world] += 1.0;
  double gap = 0.0;
  for (const auto& [world, p] : share) gap = std::max(gap, std::abs(kept[world] - 1000.0 * p));
  EXPECT_LT(gap, 5.0);  // a world that was drawn k times is off by less than k
}

TEST(ExactPosterior, refuses_what_it_cannot_answer_and_says_why) {
  const auto rules = CompiledRules::load("official_1989");
  RuleAgent noisy(0.3), strict(0.0);
  const PlayerView view = endgame(*rules, noisy);
  const auto posterior = [&](const PlayerView& of, BatchPolicy& policy, const Belief& belief,
                             std::uint64_t most) {
    return error_of([&] { ExactPosterior(of, *rules, policy, belief, most); });
  };
  EXPECT_EQ(posterior(view, noisy, {}, 2'000'000), "no error");
  EXPECT_NE(posterior(view, noisy, {}, 10).find("allowed: 10"), std::string::npos);
  EXPECT_NE(posterior(view, noisy, {.alpha = 1.5}, 10).find("alpha"), std::string::npos);
  EXPECT_NE(posterior(view, noisy, {.floor = -0.1}, 10).find("floor"), std::string::npos);
  PlayerView exchanged = view;
  exchanged.order.given = 1;
  EXPECT_NE(posterior(exchanged, noisy, {}, 10).find("passed on in secret"), std::string::npos);
  EXPECT_FALSE(shows_decisions(exchanged, *rules));
  const auto oracle = make_agent("oracle");
  EXPECT_NE(posterior(view, *oracle, {}, 2'000'000).find("sees hidden hands: what it does depends"),
            std::string::npos);
  EXPECT_NE(error_of([&] { PlayoutTable(*oracle, *rules); }).find("it cannot play on from a view"),
            std::string::npos);
}

// F.1: seat 1 laid before a deal that begins with its contract.
TEST(ExactPosterior, of_a_deal_that_starts_at_card_play_with_cards_laid) {
  const auto rules = house({"legen = \"free\""});
  RuleAgent noisy(0.3);
  CardPlayStart start;
  start.contract = {.contract = ContractClass::kWenz, .declarer = 2};
  start.laid = {1};
  Game game = Game::with_contract(*rules, random_deal(3), 3, start);
  while (game.num_plays() < 21)
    game.apply(RuleAgent::choose(game.view(game.current_player()), *rules));
  const PlayerView view = game.view(game.current_player());
  ASSERT_TRUE(shows_decisions(view, *rules));
  const Game again = PastDecisions(view, *rules).game_of(WorldSampler(view, *rules).sample(1));
  const PlayerView seen = again.view(view.seat());
  EXPECT_EQ(std::memcmp(&seen, &view, sizeof(view)), 0);
  EXPECT_EQ(again.num_laid(), 1);
}

TEST(ExactPosterior, of_a_policy_that_never_acts_like_this_needs_a_floor) {
  const auto rules = CompiledRules::load("official_1989");
  RandomAgent random;
  RuleAgent strict(0.0);
  const PlayerView view = endgame(*rules, random);
  EXPECT_NE(error_of([&] { ExactPosterior(view, *rules, strict); }).find("floor"),
            std::string::npos);
  const ExactPosterior posterior(view, *rules, strict, {.floor = 0.02});
  for (std::size_t i = 0; i < posterior.size(); ++i) EXPECT_GT(posterior.probability(i), 0.0);
}

}  // namespace
}  // namespace schafkopf
