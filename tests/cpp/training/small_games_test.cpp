// PPO towards a magnet, and deep Monte Carlo, on games whose equilibria are known: the loss, the
// advantages and their scaling are those of the trainer, a table stands for the network.
#include "tests/cpp/training/small_games.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/cpp/support/scale.h"
#include "tests/cpp/training/table_learner.h"

namespace schafkopf {
namespace {

using test::KuhnPoker;
using test::LeducPoker;
using test::Recipe;
using test::scaled;
using test::Table;
using test::TableLearner;

/// Probabilities of the legal actions.
using Policy = std::map<std::string, std::vector<double>>;

template <class Game>
Policy policy_of(const Table<Game>& table) {
  Policy policy;
  for (const auto& [key, entry] : table) {
    for (const float log : log_probs(entry)) policy[key].push_back(std::exp(double{log}));
  }
  return policy;
}

/// The highest action for certain.
template <class Game>
Policy greedy_policy_of(const Table<Game>& table) {
  Policy policy = policy_of<Game>(table);
  for (auto& [key, probs] : policy) {
    const auto best = std::max_element(probs.begin(), probs.end()) - probs.begin();
    std::fill(probs.begin(), probs.end(), 0.0);
    probs[static_cast<std::size_t>(best)] = 1.0;
  }
  return policy;
}

/// Exact value of a best response, by walking the whole tree.
template <class Game>
class BestResponse {
 public:
  BestResponse(const Policy& policy, int player) : policy_(policy), player_(player) {
    collect(Game(), 1.0);
  }
  double value() { return value_of(Game()); }

 private:
  struct Reached {
    Game position;
    double reach;  // of chance and the other player
  };

  const std::vector<double>& probs(const Game& position) const {
    return policy_.at(position.information_set());
  }

  void collect(const Game& position, double reach) {
    if (position.is_terminal()) return;
    if (position.is_chance()) {
      const std::vector<int> outcomes = position.outcomes();
      for (const int outcome : outcomes) {
        Game next = position;
        next.deal(outcome);
        collect(next, reach / static_cast<double>(outcomes.size()));
      }
      return;
    }
    const bool own = position.player() == player_;
    if (own) sets_[position.information_set()].push_back({position, reach});
    for (int n = 0; n < position.legal().count(); ++n) {
      Game next = position;
      next.play(position.legal().nth(n));
      collect(next, own ? reach : reach * probs(position)[static_cast<std::size_t>(n)]);
    }
  }

  Game after(const Game& position, int n) const {
    Game next = position;
    next.play(position.legal().nth(n));
    return next;
  }

  int best_action(const std::string& key) {
    if (const auto known = best_.find(key); known != best_.end()) return known->second;
    const std::vector<Reached>& reached = sets_.at(key);
    int best = 0;
    double highest = -1e300;
    for (int n = 0; n < reached.front().position.legal().count(); ++n) {
      double sum = 0.0;
      for (const Reached& at : reached) sum += at.reach * value_of(after(at.position, n));
      if (sum > highest) {
        highest = sum;
        best = n;
      }
    }
    return best_[key] = best;
  }

  double value_of(const Game& position) {
    if (position.is_terminal()) return player_ == 0 ? position.payoff() : -position.payoff();
    double sum = 0.0;
    if (position.is_chance()) {
      const std::vector<int> outcomes = position.outcomes();
      for (const int outcome : outcomes) {
        Game next = position;
        next.deal(outcome);
        sum += value_of(next) / static_cast<double>(outcomes.size());
      }
      return sum;
    }
    if (position.player() == player_) {
      return value_of(after(position, best_action(position.information_set())));
    }
    for (int n = 0; n < position.legal().count(); ++n) {
      sum += probs(position)[static_cast<std::size_t>(n)] * value_of(after(position, n));
    }
    return sum;
  }

  const Policy& policy_;
  int player_;
  std::map<std::string, std::vector<Reached>> sets_;
  std::map<std::string, int> best_;
};

template <class Game>
double nash_conv(const Policy& policy) {
  return BestResponse<Game>(policy, 0).value() + BestResponse<Game>(policy, 1).value();
}

template <class Game>
class SmallGames : public testing::Test {};
using BothGames = testing::Types<KuhnPoker, LeducPoker>;
TYPED_TEST_SUITE(SmallGames, BothGames);

TYPED_TEST(SmallGames, equal_chances_are_as_far_from_an_equilibrium_as_others_found) {
  Table<TypeParam> table;
  fill(table, TypeParam());
  EXPECT_NEAR(nash_conv<TypeParam>(policy_of<TypeParam>(table)), TypeParam::kUniformNashConv, 1e-6);
}

TYPED_TEST(SmallGames, ppo_towards_a_magnet_comes_within_a_tenth_of_uniform) {
  const Recipe recipe{.updates = scaled(300, 2000, 2000)};
  TableLearner<TypeParam> trainer(recipe);
  const double found = nash_conv<TypeParam>(policy_of<TypeParam>(trainer.train()));
  this->RecordProperty("NashConv", std::to_string(found));
  EXPECT_LE(found, (recipe.updates < 2000 ? 0.3 : 0.1) * TypeParam::kUniformNashConv);
}

// It plays what it holds best, and the equilibria of these games are mixed: no bound to hold but
// that it has learned something.
TYPED_TEST(SmallGames, deep_monte_carlo_learns_and_is_reported) {
  const Recipe recipe{.updates = 600, .dmc = true};
  TableLearner<TypeParam> trainer(recipe);
  const double found = nash_conv<TypeParam>(greedy_policy_of<TypeParam>(trainer.train()));
  this->RecordProperty("NashConv", std::to_string(found));
  EXPECT_LE(found, 0.8 * TypeParam::kUniformNashConv);
}

}  // namespace
}  // namespace schafkopf
