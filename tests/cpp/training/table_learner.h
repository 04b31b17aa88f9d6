// The trainer's loss, advantages and scaling on a game that is small enough for a table in place of
// the network. Games are those of small_games.h and what has their functions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "env/base/random.h"
#include "training/games/trajectory.h"
#include "training/learner/ppo_loss.h"

namespace schafkopf::test {

/// Logits and a value of an information set, with the state of Adam.
struct Entry {
  ActionMask legal;
  std::array<float, kNumActions> logits = {}, average = {};
  std::array<float, kMaxLegal> magnet_log = {};
  float value = 0.0F;
  // of the legal actions, then of the value
  std::array<double, kMaxLegal + 1> gradient = {}, first = {}, second = {};
  std::int64_t steps = 0;
  bool touched = false;
};
template <class Game>
using Table = std::map<decltype(Game().information_set()), Entry>;

inline std::vector<float> log_probs(const Entry& entry) {
  std::vector<float> logs(static_cast<std::size_t>(entry.legal.count()));
  masked_log_softmax(entry.logits.data(), entry.legal, logs.data());
  return logs;
}

/// What each seat wins; a game of two seats is one of zero sum.
template <class Game>
std::array<float, kNumSeats> payoffs_of(const Game& position) {
  if constexpr (requires { position.payoffs(); }) {
    return position.payoffs();
  } else {
    const auto payoff = static_cast<float>(position.payoff());
    return {payoff, -payoff, 0.0F, 0.0F};
  }
}

/// Every information set with equal logits.
template <class Game>
void fill(Table<Game>& table, const Game& position) {
  if (position.is_terminal()) return;
  if (position.is_chance()) {
    for (const int outcome : position.outcomes()) {
      Game next = position;
      next.deal(outcome);
      fill(table, next);
    }
    return;
  }
  table[position.information_set()].legal = position.legal();
  for (int n = 0; n < position.legal().count(); ++n) {
    Game next = position;
    next.play(position.legal().nth(n));
    fill(table, next);
  }
}

struct Recipe {
  int updates = 2000;
  int games = 1024;
  bool dmc = false;
  double exploration = 0.2;
  double learning_rate = 0.05, final_learning_rate = 0.001;
  double average_decay = 0.995;
  double magnet_kl = 0.3;
  int magnet_updates = 200;
  double entropy = 0.3;  // falls to a twentieth
  std::uint64_t seed = 11;
};

/// Self-play of a table.
template <class Game>
class TableLearner {
 public:
  explicit TableLearner(Recipe recipe, Game root = Game())
      : recipe_(recipe), root_(std::move(root)), rng_(recipe.seed) {
    fill(table_, root_);
  }

  const Table<Game>& train() {
    renew_magnet();
    for (int update = 0; update < recipe_.updates; ++update) {
      share_ = static_cast<double>(update) / recipe_.updates;
      collect();
      learn();
      follow_averages(update + 1);
      if ((update + 1) % recipe_.magnet_updates == 0) renew_magnet();
    }
    for (auto& [key, entry] : table_) entry.logits = entry.average;
    return table_;
  }

 private:
  void follow_averages(int update) {
    const double keep = std::min(recipe_.average_decay, update / (update + 9.0));
    for (auto& [key, entry] : table_) {
      for (std::size_t a = 0; a < entry.logits.size(); ++a) {
        entry.average[a] += static_cast<float>(1.0 - keep) * (entry.logits[a] - entry.average[a]);
      }
    }
  }

  void renew_magnet() {
    for (auto& [key, entry] : table_) {
      masked_log_softmax(entry.average.data(), entry.legal, entry.magnet_log.data());
    }
  }

  void collect() {
    decisions_.clear();
    entries_.clear();
    for (int game = 0; game < recipe_.games; ++game) play();
  }

  void play() {
    Game position = root_;
    std::vector<std::uint32_t> own;
    while (!position.is_terminal()) {
      if (position.is_chance()) {
        const std::vector<int> outcomes = position.outcomes();
        position.deal(
            outcomes[static_cast<std::size_t>(rng_.next_below(static_cast<int>(outcomes.size())))]);
        continue;
      }
      Entry& entry = table_.at(position.information_set());
      Decision decision;
      decision.legal = entry.legal;
      decision.seat = static_cast<std::uint8_t>(position.player());
      decision.value = entry.value;
      masked_log_softmax(entry.logits.data(), entry.legal, decision.behaviour_log.data());
      decision.action = entry.legal.nth(choose(decision));
      position.play(decision.action);
      own.push_back(static_cast<std::uint32_t>(decisions_.size()));
      decisions_.push_back(decision);
      entries_.push_back(&entry);
    }
    finish_game(decisions_, own, payoffs_of(position),
                {.reward_scale = static_cast<float>(Game::kPayoffScale), .reward_clip = 10.0F});
  }

  int choose(const Decision& decision) {
    const int count = decision.legal.count();
    const float* logs = decision.behaviour_log.data();
    if (recipe_.dmc) {
      if (rng_.next_unit() < recipe_.exploration) return rng_.next_below(count);
      return static_cast<int>(std::max_element(logs, logs + count) - logs);
    }
    double u = rng_.next_unit();
    for (int n = 0; n + 1 < count; ++n) {
      u -= std::exp(double{logs[n]});
      if (u < 0) return n;
    }
    return count - 1;
  }

  void learn() {
    BatchAdvantages sums;
    sums.add(decisions_);
    const Normalisation scaling = normalisations(sums, running_, Grouping::kAll)[0];
    const PpoCoefficients coefficients{
        .clip = 0.2F,
        .entropy = static_cast<float>(recipe_.entropy * std::max(1.0 - share_, 0.05)),
        .behaviour_kl = 0.0F,
        .magnet_kl = static_cast<float>(recipe_.magnet_kl),
        .value = 0.5F};
    const auto loss = recipe_.dmc ? action_value_gradient : ppo_gradient;
    const float scale = 1.0F / static_cast<float>(decisions_.size());
    PpoSums totals;
    std::array<float, kNumActions> gradient{};
    for (std::size_t i = 0; i < decisions_.size(); ++i) {
      const Decision& decision = decisions_[i];
      Entry& entry = *entries_[i];
      const PpoTarget target{.legal = decision.legal,
                             .action = decision.action,
                             .behaviour_log = decision.behaviour_log.data(),
                             .magnet_log = entry.magnet_log.data(),
                             .advantage = (decision.advantage - scaling.mean) * scaling.factor,
                             .value_target = recipe_.dmc ? decision.payoff : decision.value_target};
      const float slope = loss(coefficients, target, entry.logits.data(), entry.value, scale,
                               gradient.data(), totals);
      const int count = decision.legal.count();
      for (int n = 0; n < count; ++n) {
        entry.gradient[static_cast<std::size_t>(n)] += double{gradient[decision.legal.nth(n)]};
      }
      entry.gradient[static_cast<std::size_t>(count)] += double{slope};
      entry.touched = true;
    }
    for (auto& [key, entry] : table_) {
      if (entry.touched) step(entry);
    }
  }

  /// Adam, for each information set on its own clock.
  void step(Entry& entry) {
    const double rate =
        recipe_.learning_rate + (recipe_.final_learning_rate - recipe_.learning_rate) * share_;
    ++entry.steps;
    const int count = entry.legal.count();
    for (int n = 0; n <= count; ++n) {
      const std::size_t i = static_cast<std::size_t>(n);
      const double gradient = entry.gradient[i];
      entry.first[i] = 0.9 * entry.first[i] + 0.1 * gradient;
      entry.second[i] = 0.999 * entry.second[i] + 0.001 * gradient * gradient;
      const double steps = static_cast<double>(entry.steps);
      const double mean = entry.first[i] / (1.0 - std::pow(0.9, steps));
      const double square = entry.second[i] / (1.0 - std::pow(0.999, steps));
      float& weight = n == count ? entry.value : entry.logits[entry.legal.nth(n)];
      weight -= static_cast<float>(rate * mean / (std::sqrt(square) + 1e-8));
    }
    entry.gradient = {};
    entry.touched = false;
  }

  Recipe recipe_;
  Game root_;
  Rng rng_;
  Table<Game> table_;
  double share_ = 0.0;
  RunningSquares running_;
  std::vector<Decision> decisions_;
  std::vector<Entry*> entries_;
};

}  // namespace schafkopf::test
