// The trainer's loss on stand-alone endgames of two tricks (agents/exploit/endgames.h), with a table
// for the network: how far what it learns can be exploited, and how far the shipped network can.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "agents/exploit/endgame_tree.h"
#include "agents/exploit/endgames.h"
#include "agents/exploit/nash_conv.h"
#include "agents/registry.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/training/table_learner.h"

namespace schafkopf {
namespace {

using test::Recipe;
using test::scaled;
using test::TableLearner;

/// An endgame behind the functions of small_games.h: first chance deals, then cards are chosen.
class EndgamePosition {
 public:
  static constexpr double kPayoffScale = 50.0;

  EndgamePosition() = default;
  explicit EndgamePosition(const EndgameTree& tree) : tree_(&tree) {
    auto deals = std::make_shared<std::vector<std::size_t>>();
    for (std::size_t at = 0; at < tree.num_words(); at = tree.end_of(at)) deals->push_back(at);
    deals_ = std::move(deals);
  }

  [[nodiscard]] bool is_chance() const { return !dealt_; }
  [[nodiscard]] bool is_terminal() const { return dealt_ && tree_->is_end(at_); }
  [[nodiscard]] std::vector<int> outcomes() const {
    std::vector<int> numbers(deals_->size());
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  void deal(int number) {
    at_ = (*deals_)[static_cast<std::size_t>(number)];
    dealt_ = true;
  }
  [[nodiscard]] int player() const { return tree_->info_set_at(at_).seat; }
  [[nodiscard]] std::size_t information_set() const { return tree_->info_set_id(at_); }
  [[nodiscard]] ActionMask legal() const {
    const EndgameInfoSet& set = tree_->info_set_at(at_);
    ActionMask mask;
    for (std::size_t i = 0; i < set.num_actions; ++i)
      mask.add(tree_->card_of(set.first_action + i));
    return mask;
  }
  void play(Action card) {
    std::size_t action = tree_->info_set_at(at_).first_action;
    at_ = EndgameTree::first_child(at_);
    for (; tree_->card_of(action) != card; ++action) at_ = tree_->end_of(at_);
  }
  [[nodiscard]] std::array<float, kNumSeats> payoffs() const {
    std::array<float, kNumSeats> payoffs{};
    for (std::size_t seat = 0; seat < payoffs.size(); ++seat) {
      payoffs[seat] = static_cast<float>(tree_->payoff_at(at_)[seat]);
    }
    return payoffs;
  }

 private:
  const EndgameTree* tree_ = nullptr;
  std::shared_ptr<const std::vector<std::size_t>> deals_;
  std::size_t at_ = 0;
  bool dealt_ = false;
};

EndgameProfile profile_of(const test::Table<EndgamePosition>& table, const EndgameTree& tree) {
  EndgameProfile profile = uniform_profile(tree);
  for (const auto& [number, entry] : table) {
    const EndgameInfoSet& set = tree.info_sets()[number];
    const std::vector<float> logs = test::log_probs(entry);
    for (std::size_t i = 0; i < set.num_actions; ++i) {
      const Action card = tree.card_of(set.first_action + i);
      int rank = 0;
      while (entry.legal.nth(rank) != card) ++rank;
      profile[set.first_action + i] = std::exp(double{logs[static_cast<std::size_t>(rank)]});
    }
  }
  return profile;
}

/// A kind of endgame, and how many updates bring its learner within a twentieth; 0: as few as elsewhere
/// show that it learns.
struct Kind {
  int number;
  int full, longest;
};

/// One endgame of a kind.
class Endgames : public testing::TestWithParam<Kind> {
 protected:
  static std::shared_ptr<const CompiledRules> rules() { return CompiledRules::load("research"); }
  static Endgame endgame() {
    return endgame_list(*rules(), 2, 1, 1)[static_cast<std::size_t>(GetParam().number)];
  }
  EndgameTree tree_{rules(), endgame()};
  double uniform_ = nash_conv(tree_, uniform_profile(tree_)).total();
};

TEST_P(Endgames, ppo_comes_within_a_twentieth_of_uniform) {
  constexpr int kFew = 60;
  const int updates = std::max(kFew, scaled(0, 0, GetParam().full, GetParam().longest));
  const Recipe recipe{.updates = updates,
                      .games = 4096,
                      .average_decay = 0.98,
                      .magnet_updates = 80,
                      .entropy = 0.1};
  TableLearner<EndgamePosition> learner(recipe, EndgamePosition(tree_));
  const double found = nash_conv(tree_, profile_of(learner.train(), tree_)).total();
  RecordProperty("NashConv", std::to_string(found));
  RecordProperty("uniform", std::to_string(uniform_));
  EXPECT_GT(uniform_, 0.5);
  // a few updates must have left equal chances, with which it begins
  EXPECT_LE(found, (updates == kFew ? 0.9 : 0.05) * uniform_);
}

INSTANTIATE_TEST_SUITE_P(EachKind, Endgames,
                         testing::Values(Kind{0, 600, 600}, Kind{1, 700, 700}, Kind{2, 300, 300},
                                         Kind{3, 0, 1000}, Kind{4, 500, 500}),
                         [](const auto& test) { return std::to_string(test.param.number); });

// It has learned what the cards of a real deal tell, and these are dealt without: it need not be near
// an equilibrium, and is further from it than equal chances in one of them.
TEST(EndgamesOfTheShippedNetwork, are_reported) {
  const auto rules = CompiledRules::load("research");
  const auto network = make_agent("net:baseline");
  double found = 0, uniform = 0;
  for (const Endgame& endgame : endgame_list(*rules, 2, 1, 1)) {
    const EndgameTree tree(rules, endgame);
    const double own = nash_conv(tree, schafkopf::profile_of(*network, tree)).total();
    RecordProperty(endgame.kind, std::to_string(own));
    EXPECT_GE(own, 0.0);
    found += own;
    uniform += nash_conv(tree, uniform_profile(tree)).total();
  }
  RecordProperty("NashConv", std::to_string(found));
  RecordProperty("uniform", std::to_string(uniform));
  EXPECT_LT(found, uniform);
}

}  // namespace
}  // namespace schafkopf
