// The doubling chain: windows, who may double, answers (RULES F.2, F.3; R-135..R-143).
#include "env/game.h"

namespace schafkopf {
namespace {

constexpr std::uint8_t kW0 = 1, kW1 = 2;
constexpr int kW2Shift = 4;

}  // namespace

bool Game::may_double(int seat) const {
  const RuleSet& rules = rules_->rules();
  if (closed_ || level_ >= rules_->max_doublings(contract_row(class_))) return false;
  if (rules.max_doublings_per_seat > 0 && doubled_[seat] >= rules.max_doublings_per_seat) {
    return false;
  }
  if (level_ == 0) return !in_declarer_party(seat);
  return in_declarer_party(seat) != declarers_doubled_last_;
}

/// Open the windows that are due before the next card, one after the other, until a seat is asked.
void Game::open_windows() {
  if (rules_->max_doublings(contract_row(class_)) == 0) return;
  const int n = seats();
  if (play_.num_played == 0 && rules_->asks_before_first_card() && (window_ & kW0) == 0) {
    window_ |= kW0;
    open_window(forehand(), n);
    if (ask_next()) return;
  }
  if (play_.num_played == 1 && rules_->asks_before_second_card() && (window_ & kW1) == 0) {
    window_ |= kW1;
    open_window((forehand() + 1) % n, n);
    if (ask_next()) return;
  }
  const auto turn = static_cast<int>(play_.turn);
  const auto own = static_cast<std::uint8_t>(1 << (kW2Shift + turn));
  if (rules_->asks_with_full_hand() && play_.played[turn] == 0 && (window_ & own) == 0) {
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

/// Ask the next seat that may double; silent seats leave no trace (D.1). False: nobody is left.
bool Game::ask_next() {
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
  if (answering_ >= 0) closed_ = true;  // a chain has ended (F.3)
  phase_ = Phase::kPlay;
  to_move_ = static_cast<std::uint8_t>(play_.turn);
  return false;
}

void Game::apply_double(Action action) {
  if (action == kActionDouble) {
    add_event(action);
    ++level_;
    ++doubled_[to_move_];
    declarers_doubled_last_ = in_declarer_party(to_move_);
    // E.2: a Re by the partner proves his party
    if (declarers_doubled_last_ && to_move_ != declarer_) partner_known_ = true;
    answering_ = static_cast<std::int8_t>(to_move_);
    asked_ = static_cast<std::uint8_t>((to_move_ + 1) % seats());
    left_to_ask_ = static_cast<std::uint8_t>(seats() - 1);
  }
  if (ask_next()) return;
  if (!closed_) open_windows();
  if (phase_ == Phase::kPlay) plan_stop();
}

}  // namespace schafkopf
