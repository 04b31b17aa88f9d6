// Poker games small enough to be solved: what the loss learns on them can be judged exactly.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "env/cards/action.h"

namespace schafkopf::test {

/// Position of a two-player zero-sum game with chance. Games derive from it, tables are keyed by
/// information_set().
class KuhnPoker {
 public:
  static constexpr const char* kName = "Kuhn";
  static constexpr double kUniformNashConv = 0.9166667;  // OpenSpiel, kuhn_poker
  static constexpr double kPayoffScale = 2.0;

  [[nodiscard]] bool is_chance() const { return dealt_ < 2; }
  [[nodiscard]] bool is_terminal() const;
  [[nodiscard]] int player() const { return static_cast<int>(history_.size()) % 2; }
  [[nodiscard]] ActionMask legal() const;
  /// Equally likely outcomes.
  [[nodiscard]] std::vector<int> outcomes() const;
  void deal(int card) { cards_[static_cast<std::size_t>(dealt_++)] = card; }
  void play(Action action) { history_ += static_cast<char>('0' + action); }
  /// What player 0 wins.
  [[nodiscard]] double payoff() const;
  [[nodiscard]] std::string information_set() const {
    return std::to_string(cards_[static_cast<std::size_t>(player())]) + history_;
  }

 private:
  std::array<int, 2> cards_ = {};
  int dealt_ = 0;
  std::string history_;  // 0 = pass, 1 = bet
};

/// Three ranks twice, two rounds with bets of 2 and 4, two raises a round, an open card between.
class LeducPoker {
 public:
  static constexpr const char* kName = "Leduc";
  static constexpr double kUniformNashConv = 4.7472222;  // OpenSpiel, leduc_poker
  static constexpr double kPayoffScale = 13.0;

  [[nodiscard]] bool is_chance() const { return dealt_ < 2 || (round_ == 1 && dealt_ < 3); }
  [[nodiscard]] bool is_terminal() const { return folded_ >= 0 || round_ == 2; }
  [[nodiscard]] int player() const { return to_act_; }
  [[nodiscard]] ActionMask legal() const;
  [[nodiscard]] std::vector<int> outcomes() const;
  void deal(int card) { cards_[static_cast<std::size_t>(dealt_++)] = card; }
  void play(Action action);
  [[nodiscard]] double payoff() const;
  [[nodiscard]] std::string information_set() const;

 private:
  static constexpr Action kFold = 0, kCall = 1, kRaise = 2;

  std::array<int, 3> cards_ = {};  // rank = card / 2; the third is open
  std::array<int, 2> stakes_ = {1, 1};
  int dealt_ = 0, round_ = 0, raises_ = 0, to_act_ = 0, folded_ = -1;
  bool acted_ = false;   // somebody has acted in this round
  std::string history_;  // / between the rounds
};

}  // namespace schafkopf::test
