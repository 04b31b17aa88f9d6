#include "agents/cfr.h"

#include <algorithm>

#include "agents/nash_conv.h"

namespace schafkopf {

CfrPlus::CfrPlus(const EndgameTree& tree)
    : tree_(&tree),
      current_(uniform_profile(tree)),
      regrets_(tree.num_actions()),
      sums_(tree.num_actions()),
      action_values_(tree.num_actions()) {}

void CfrPlus::run(int updates, const Checkpoint& checkpoint) {
  for (int i = 0; i < updates; ++i) {
    ++updates_;
    for (int seat = 0; seat < tree_->rules().seats(); ++seat) update_seat(seat, checkpoint);
    add_to_average();
  }
}

void CfrPlus::update_seat(int seat, const Checkpoint& checkpoint) {
  seat_ = seat;
  std::fill(action_values_.begin(), action_values_.end(), 0.0);
  for (std::size_t at = 0; at < tree_->num_words(); at = tree_->end_of(at)) {
    if (checkpoint) checkpoint();
    (void)walk(at, tree_->deal_weight());
  }
  for (const EndgameInfoSet& set : tree_->info_sets()) {
    if (set.seat == seat) match_regrets(set);
  }
}

/// Value of the seat below a node, weighted by chance and the other seats.
double CfrPlus::walk(std::size_t at, double reach) {
  if (tree_->is_end(at)) return reach * tree_->payoff_at(at)[static_cast<std::size_t>(seat_)];
  const EndgameInfoSet& set = tree_->info_set_at(at);
  const bool own = set.seat == seat_;
  std::size_t child = EndgameTree::first_child(at);
  double sum = 0.0;
  for (std::uint32_t i = 0; i < set.num_actions; ++i, child = tree_->end_of(child)) {
    const std::size_t action = set.first_action + i;
    const double p = current_[action];
    if (own) {
      const double value = walk(child, reach);
      action_values_[action] += value;
      sum += p * value;
    } else if (p > 0.0) {
      sum += walk(child, reach * p);
    }
  }
  return sum;
}

/// Regrets of one information set after a pass, and the strategy that follows from them.
void CfrPlus::match_regrets(const EndgameInfoSet& set) {
  const std::size_t end = set.first_action + set.num_actions;
  double mean = 0.0, positive = 0.0;
  for (std::size_t i = set.first_action; i < end; ++i) mean += current_[i] * action_values_[i];
  for (std::size_t i = set.first_action; i < end; ++i) {
    regrets_[i] = std::max(0.0, regrets_[i] + action_values_[i] - mean);
    positive += regrets_[i];
  }
  for (std::size_t i = set.first_action; i < end; ++i) {
    current_[i] = positive > 0.0 ? regrets_[i] / positive : 1.0 / set.num_actions;
  }
}

/// Own reach comes from the own choice before, which has a smaller number (perfect recall).
void CfrPlus::add_to_average() {
  std::vector<double>& reach = action_values_;  // free between passes: reach after each action
  for (const EndgameInfoSet& set : tree_->info_sets()) {
    const double before = set.parent < 0 ? 1.0 : reach[static_cast<std::size_t>(set.parent)];
    for (std::size_t i = set.first_action; i < set.first_action + set.num_actions; ++i) {
      reach[i] = before * current_[i];
      sums_[i] += updates_ * reach[i];
    }
  }
}

EndgameProfile CfrPlus::average() const {
  EndgameProfile average = uniform_profile(*tree_);
  for (const EndgameInfoSet& set : tree_->info_sets()) {
    double sum = 0.0;
    const std::size_t end = set.first_action + set.num_actions;
    for (std::size_t i = set.first_action; i < end; ++i) sum += sums_[i];
    if (!(sum > 0.0)) continue;
    for (std::size_t i = set.first_action; i < end; ++i) average[i] = sums_[i] / sum;
  }
  return average;
}

}  // namespace schafkopf
