// The doubling chain: windows, who may double, answers (RULES F.2, F.3; R-135..R-146).
#include <bit>

#include "env/game/game.h"

namespace schafkopf {
namespace {

constexpr std::uint8_t kW0 = 1, kW1 = 2;
constexpr int kW2Shift = 4;

}  // namespace

/// In a Kreuzrunde both partners may double, so chains leave the window open (F.4).
bool Game::chains_close() const {
  return !(contract_row(class_).parties == Parties::kOppositeSeats && declarer_ >= 0 &&
           rules_->rules().kreuz_each_partner_doubles);
}

bool Game::may_double(int seat) const {
  const RuleSet& rules = rules_->rules();
  const ContractRow& row = contract_row(class_);
  if (closed_ || level_ >= rules_->max_doublings(row)) return false;
  if (rules.max_doublings_per_seat > 0 && doubled_[seat] >= rules.max_doublings_per_seat) {
    return false;
  }
  if (row.parties == Parties::kEveryone) return doubled_[seat] == 0;  // OPEN-23
  if (level_ == 0) return declarer_ < 0 || !in_declarer_party(seat);
  if (!chains_close()) return doubled_[seat] == 0;  // OPEN-59
  return in_declarer_party(seat) != declarers_doubled_last_;
}

/// Open the windows that are due before the next card, one after the other, until a seat is asked.
void Game::open_windows() {
  const ContractRow& row = contract_row(class_);
  if (rules_->max_doublings(row) == 0) return;
  const int n = seats();
  const int first = static_cast<int>(play_.turn);
  const unsigned played = play_.num_played - first_play_;
  // everybody for himself: before the second card, in whatever window the rules have (OPEN-23)
  const bool everyone = row.parties == Parties::kEveryone && rules_->has_windows();
  if (played == 0 && !everyone && rules_->asks_before_first_card() && (window_ & kW0) == 0) {
    window_ |= kW0;
    open_window(forehand(), n);  // by position, also where forehand does not lead (Strixner)
    if (ask_next()) return;
  }
  if (played == 1 && (everyone || rules_->asks_before_second_card()) && (window_ & kW1) == 0) {
    window_ |= kW1;
    open_window(first, n);
    if (ask_next()) return;
  }
  const auto turn = static_cast<int>(play_.turn);
  const auto own = static_cast<std::uint8_t>(1 << (kW2Shift + turn));
  const bool full_hand = std::popcount(play_.played[turn]) * n == first_play_;
  if (!everyone && rules_->asks_with_full_hand() && full_hand && (window_ & own) == 0) {
    window_ |= own;
    open_window(turn, 1);
    if (ask_next()) return;
  }
}

void Game::open_window(int first, int number) {
  asked_ = static_cast<std::uint8_t>(first);
  left_to_ask_ = static_cast<std::uint8_t>(number);
  answering_ = -1;
}

/// C.20.8: the game begins doubled by the defenders; the declarer party is asked once, before the
/// first card, then doubling is closed (OPEN-35).
void Game::open_doubled() {
  if (!contract_row(class_).doubling) {
    plan_stop();
    return;
  }
  level_ = 1;
  declarers_doubled_last_ = false;
  open_window(forehand(), seats());
  for (int seat = 0; seat < seats(); ++seat) {
    if (!in_declarer_party(seat)) answering_ = static_cast<std::int8_t>(seat);
  }
  if (!ask_next()) plan_stop();
}

/// Ask the next seat that may double; silent seats leave no trace (D.1). False: nobody is left.
bool Game::ask_next() {
  while (true) {
    while (left_to_ask_ > 0) {
      const int seat = asked_;
      asked_ = static_cast<std::uint8_t>((asked_ + 1) % seats());
      --left_to_ask_;
      if (!may_double(seat)) continue;
      if (answering_ >= 0 && in_declarer_party(seat) == in_declarer_party(answering_)) continue;
      phase_ = Phase::kDouble;
      to_move_ = static_cast<std::uint8_t>(seat);
      return true;
    }
    if (answering_ < 0) break;
    answering_ = -1;  // a chain has ended (F.3)
    if (chains_close()) {
      closed_ = true;
      break;
    }
    asked_ = window_asked_;  // F.4: the window goes on
    left_to_ask_ = window_left_;
  }
  phase_ = Phase::kPlay;
  to_move_ = static_cast<std::uint8_t>(play_.turn);
  return false;
}

void Game::apply_double(Action action) {
  if (action == kActionDouble) {
    add_event(action);
    ++level_;
    ++doubled_[to_move_];
    const ContractRow& row = contract_row(class_);
    // without a declarer the last doubler's party is the one that must win (C.5)
    if (row.parties == Parties::kOppositeSeats && declarer_ < 0) {
      party_ = static_cast<std::uint8_t>(0b0101 << (to_move_ & 1));
    }
    declarers_doubled_last_ = in_declarer_party(to_move_);
    // E.2: a Re by the partner proves his party
    if (declarers_doubled_last_ && to_move_ != declarer_) partner_known_ = true;
    if (row.parties != Parties::kEveryone) {
      if (answering_ < 0) {
        window_asked_ = asked_;
        window_left_ = left_to_ask_;
      }
      answering_ = static_cast<std::int8_t>(to_move_);
      asked_ = static_cast<std::uint8_t>((to_move_ + 1) % seats());
      left_to_ask_ = static_cast<std::uint8_t>(seats() - 1);
    }
  }
  if (ask_next()) return;
  if (!closed_) open_windows();
  if (phase_ == Phase::kPlay) plan_stop();
}

}  // namespace schafkopf
