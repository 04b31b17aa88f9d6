// Between the contract and the first card (RULES D.2, step 8): the exchange of a Zupf-Solo and the
// announced Jungfrau.
#include <bit>

#include "env/game/game.h"

namespace schafkopf {

ActionMask Game::legal_announcement() const {
  ActionMask mask;
  switch (phase_) {
    case Phase::kZupfTarget:
      for (int step = 1; step < seats(); ++step)
        mask.add(static_cast<Action>(kActionTarget1 + step - 1));
      return mask;
    case Phase::kZupfGive:
      return ActionMask::cards(play_.hand[to_move_]);
    default:
      mask.add(kActionJungfrau);
      mask.add(kActionNoJungfrau);
      return mask;
  }
}

void Game::apply_announcement(Action action) {
  switch (phase_) {
    case Phase::kZupfTarget:
      add_event(action);
      asked_ = static_cast<std::uint8_t>((to_move_ + action - kActionTarget1 + 1) % seats());
      phase_ = Phase::kZupfGive;
      break;
    case Phase::kZupfGive: {
      add_secret(action);
      const std::uint32_t held = play_.hand[asked_];
      move_cards(to_move_, asked_, CardSet::of(action).bits());
      // from the cards that the target held before the gift (OPEN-38)
      const int number = zupf_ % std::popcount(held);
      move_cards(asked_, to_move_, std::uint32_t{1} << nth_bit(held, number));
      win_details();
      break;
    }
    default: {
      const bool announced = action == kActionJungfrau;
      if (announced) {
        add_event(action);
        virgins_ = static_cast<std::uint8_t>(virgins_ | (1 << to_move_));
      } else {
        add_secret(action);
      }
      ask_virgin(position_of(to_move_) + 1);
      break;
    }
  }
}

/// What is said once the contract is fixed; then the first card (OPEN-21).
void Game::announce() {
  const bool asked = contract_row(class_).parties == Parties::kEveryone &&
                     rules_->rules().ramsch_virgin_announced && !direct_start_ && !from_position_;
  if (asked) {
    ask_virgin(0);
  } else {
    start_play();
  }
}

void Game::ask_virgin(int position) {
  if (position == seats()) {
    start_play();
    return;
  }
  phase_ = Phase::kJungfrau;
  to_move_ = static_cast<std::uint8_t>(seat_at(position));
}

}  // namespace schafkopf
