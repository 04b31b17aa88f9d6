#include "tests/cpp/training/small_games.h"

#include <algorithm>

namespace schafkopf::test {
namespace {

ActionMask mask_of(std::initializer_list<Action> actions) {
  ActionMask mask;
  for (const Action action : actions) mask.add(action);
  return mask;
}

}  // namespace

bool KuhnPoker::is_terminal() const {
  return history_ == "00" || history_ == "11" || history_ == "10" || history_ == "010" ||
         history_ == "011";
}

ActionMask KuhnPoker::legal() const { return mask_of({0, 1}); }

std::vector<int> KuhnPoker::outcomes() const {
  std::vector<int> cards;
  for (int card = 0; card < 3; ++card) {
    if (dealt_ == 0 || card != cards_[0]) cards.push_back(card);
  }
  return cards;
}

double KuhnPoker::payoff() const {
  if (history_ == "10") return 1.0;    // the second passes a bet
  if (history_ == "010") return -1.0;  // the first does
  const double stake = history_ == "00" ? 1.0 : 2.0;
  return cards_[0] > cards_[1] ? stake : -stake;
}

ActionMask LeducPoker::legal() const {
  const bool owes = stakes_[0] != stakes_[1];
  if (raises_ == 2) return mask_of({kFold, kCall});
  return owes ? mask_of({kFold, kCall, kRaise}) : mask_of({kCall, kRaise});
}

std::vector<int> LeducPoker::outcomes() const {
  std::vector<int> cards;
  for (int card = 0; card < 6; ++card) {
    const auto end = cards_.begin() + dealt_;
    if (std::find(cards_.begin(), end, card) == end) cards.push_back(card);
  }
  return cards;
}

void LeducPoker::play(Action action) {
  history_ += static_cast<char>('0' + action);
  const std::size_t own = static_cast<std::size_t>(to_act_);
  bool closes = false;
  if (action == kFold) {
    folded_ = to_act_;
  } else if (action == kCall) {
    closes = acted_;
    stakes_[own] = stakes_[1 - own];
  } else {
    stakes_[own] = stakes_[1 - own] + (round_ == 0 ? 2 : 4);
    ++raises_;
  }
  acted_ = true;
  to_act_ = 1 - to_act_;
  if (!closes) return;
  ++round_;
  raises_ = to_act_ = 0;
  acted_ = false;
  history_ += '/';
}

double LeducPoker::payoff() const {
  if (folded_ >= 0) return folded_ == 0 ? -stakes_[0] : stakes_[1];
  const auto strength = [&](std::size_t seat) {
    const int rank = cards_[seat] / 2;
    return rank == cards_[2] / 2 ? 10 : rank;
  };
  const int first = strength(0), second = strength(1);
  if (first == second) return 0.0;
  return first > second ? stakes_[1] : -stakes_[0];
}

std::string LeducPoker::information_set() const {
  const std::string open = dealt_ == 3 ? std::to_string(cards_[2] / 2) : "";
  return std::to_string(cards_[static_cast<std::size_t>(to_act_)] / 2) + open + ":" + history_;
}

}  // namespace schafkopf::test
