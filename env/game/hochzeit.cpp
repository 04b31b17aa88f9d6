// Hochzeit (RULES C.3; D.2, step 4; R-031..R-037): a trump is offered, shown or face down, the
// first that takes it is the partner and returns a card.
#include "env/game/game.h"

namespace schafkopf {
namespace {

constexpr std::uint8_t kSecond = 16;  // of hz_first_

}  // namespace

/// One trump, or two with `bauernhochzeit`; a second Hochzeit offers one (C.3).
ActionMask Game::offers_of(int seat) const {
  const int trumps = (hand(seat) & rules_->partner_trumps()).count();
  ActionMask mask;
  if (trumps == 1) mask.add(kActionHzOffer1);
  if (trumps == 2 && rules_->rules().bauernhochzeit && hz_first_ == 0) mask.add(kActionHzOffer2);
  return mask;
}

/// Cards that the acceptor may return: held before he took the offered ones (OPEN-10). A packet
/// that forehand left to the dealer is the dealer's own (OPEN-34).
std::uint32_t Game::returnable(int seat) const {
  const std::uint32_t packet = seat == dealer_ ? fixed_cards().bits() : 0;
  const std::uint32_t own = play_.hand[seat] & ~(given_[hz_offerer_] & ~packet);
  return rules_->rules().hochzeit_return_nontrump ? own & ~rules_->partner_trumps().bits() : own;
}

bool Game::may_accept(int seat) const { return CardSet(returnable(seat)).count() >= hz_cards_; }

ActionMask Game::legal_hochzeit() const {
  switch (phase_) {
    case Phase::kHzOffer: {
      ActionMask mask = offers_of(to_move_);
      mask.add(kActionHzNoOffer);
      return mask;
    }
    case Phase::kHzAccept:
      return ActionMask::of({kActionHzAccept, kActionHzRefuse});
    case Phase::kHzReturn:
      return ActionMask::cards(returnable(to_move_));
    default:  // kHzOverride
      return single_classes_for(to_move_).empty() ? ActionMask::of({kActionPass})
                                                  : ActionMask::of({kActionPass, kActionPlay});
  }
}

void Game::apply_hochzeit(Action action) {
  switch (phase_) {
    case Phase::kHzOffer:
      if (action == kActionHzNoOffer) {
        add_secret(action);
        ask_offer(position_of(to_move_) + 1);
      } else {
        add_event(action);
        offer(action == kActionHzOffer2 ? 2 : 1);
      }
      break;
    case Phase::kHzAccept:
      if (action == kActionHzAccept) {
        add_event(action);
        accept();
      } else {
        add_secret(action);
        ask_acceptance(position_of(to_move_) + 1);
      }
      break;
    case Phase::kHzReturn:
      add_secret(action);
      return_card(action);
      break;
    default:
      add_event(action);
      apply_override(action);
      break;
  }
}

/// Ask the positions from this one on that could offer; the others leave no trace (D.1).
void Game::ask_offer(int position) {
  hz_asked_ = true;
  for (; position < seats(); ++position) {
    const int seat = seat_at(position);
    const bool in_first =
        hz_first_ != 0 && (seat == (hz_first_ & 3) || seat == ((hz_first_ >> 2) & 3));
    if (in_first || offers_of(seat).empty()) continue;
    phase_ = Phase::kHzOffer;
    to_move_ = static_cast<std::uint8_t>(seat);
    return;
  }
  if (hz_first_ != 0) {
    finish_hochzeit();
  } else {
    no_hochzeit();
  }
}

void Game::offer(int cards) {
  hz_offerer_ = static_cast<std::int8_t>(to_move_);
  hz_cards_ = static_cast<std::uint8_t>(cards);
  if (rules_->rules().hochzeit_card_open) {
    for (const Card card : hand(to_move_) & rules_->partner_trumps()) add_event(card);
  }
  ask_acceptance(0);
}

void Game::ask_acceptance(int position) {
  for (; position < seats(); ++position) {
    const int seat = seat_at(position);
    const bool in_first =
        hz_first_ != 0 && (seat == (hz_first_ & 3) || seat == ((hz_first_ >> 2) & 3));
    if (seat == hz_offerer_ || in_first || !may_accept(seat)) continue;
    phase_ = Phase::kHzAccept;
    to_move_ = static_cast<std::uint8_t>(seat);
    return;
  }
  offer_refused();
}

/// Nobody took the card: it goes back, later positions may offer theirs. A second Hochzeit that the
/// fourth player refuses does not take place (OPEN-12).
void Game::offer_refused() {
  const int next = position_of(hz_offerer_) + 1;
  hz_offerer_ = -1;
  if (hz_first_ != 0) {
    finish_hochzeit();
  } else {
    ask_offer(next);
  }
}

void Game::accept() {
  partner_ = static_cast<std::int8_t>(to_move_);
  if (rules_->rules().hochzeit_solo_override && hz_first_ == 0) {
    phase_ = Phase::kHzOverride;
    said_play_ = 0;
    to_move_ = static_cast<std::uint8_t>(forehand());
    return;
  }
  begin_return();
}

/// OPEN-11: one round in which single games may still enter; then the Hochzeit is void.
void Game::apply_override(Action action) {
  const int position = position_of(to_move_);
  if (action == kActionPlay) said_play_ = static_cast<std::uint8_t>(said_play_ | (1 << position));
  if (position + 1 < seats()) {
    to_move_ = static_cast<std::uint8_t>(seat_at(position + 1));
    return;
  }
  if (said_play_ == 0) {
    begin_return();
    return;
  }
  partner_ = -1;
  hz_offerer_ = -1;
  naming_ = Naming::kSingles;
  end_round();
}

void Game::begin_return() {
  const std::uint32_t cards = (hand(hz_offerer_) & rules_->partner_trumps()).bits();
  move_cards(hz_offerer_, partner_, cards);
  phase_ = Phase::kHzReturn;
  to_move_ = static_cast<std::uint8_t>(partner_);
  to_pass_ = hz_cards_;
}

void Game::return_card(Card card) {
  move_cards(to_move_, hz_offerer_, CardSet::of(card).bits());
  if (--to_pass_ != 0) return;
  if (hz_first_ != 0 || !rules_->rules().doppelte_hochzeit) {
    finish_hochzeit();
    return;
  }
  hz_first_ = static_cast<std::uint8_t>(hz_offerer_ | (partner_ << 2) | kSecond);
  ask_offer(0);
}

void Game::no_hochzeit() {
  if (rules_->rules().hochzeit == HochzeitMode::kAfterAllPass) {
    all_passed();
  } else {
    start_auction();
  }
}

/// The first pair is the declarer party (C.3).
void Game::finish_hochzeit() {
  if (hz_first_ != 0) {
    hz_offerer_ = static_cast<std::int8_t>(hz_first_ & 3);
    partner_ = static_cast<std::int8_t>((hz_first_ >> 2) & 3);
  }
  Contract contract;
  contract.contract = row_of(Parties::kHochzeit).contract;
  contract.declarer = hz_offerer_;
  class_named_ = true;
  declarer_ = hz_offerer_;
  set_contract(contract);
}

}  // namespace schafkopf
