// The auction as a state machine (RULES D.2-D.6; R-087..R-097, R-101, R-105).
#include "env/game.h"

namespace schafkopf {

ActionMask Game::single_classes_for(int seat) const {
  ActionMask mask = rules_->single_classes();
  const CardSet fixed = rules_->fixed_hand();
  if (!fixed.empty() && play_.hand[seat] == fixed.bits()) mask.add(rules_->fixed_hand_action());
  return mask;
}

/// Whether PLAY is legal: some contract is available; a follower is bound to a single game (D.3).
bool Game::may_play(int seat, bool follower) const {
  if (!single_classes_for(seat).empty()) return true;
  return !follower && rules_->call_action() != 0 && rules_->callable(play_.hand[seat]) != 0;
}

namespace {

ActionMask intersection(const ActionMask& a, const ActionMask& b) {
  return {{a.words[0] & b.words[0], a.words[1] & b.words[1]}};
}

ActionMask with(ActionMask mask, Action action) {
  mask.add(action);
  return mask;
}

int rank_of_action(Action action, int call_rank) {
  const NamedContract named = contract_of_action(action);
  if (named.row == nullptr) return call_rank;  // PLAY, still unspecified
  return named.tout ? named.row->tout_rank : named.row->rank;
}

constexpr ActionMask kSuits = {{0, std::uint64_t{0xF} << (kActionSuitE - 64)}};

}  // namespace

ActionMask Game::legal_auction() const {
  const ActionMask pass = with({}, kActionPass);
  const ActionMask singles = single_classes_for(to_move_);
  const int position = position_of(to_move_);
  switch (phase_) {
    case Phase::kAuctionRound:
      return may_play(to_move_, said_play_ != 0) ? with(pass, kActionPlay) : pass;
    case Phase::kAuctionResolve: {
      if (named_ == 0) return with(singles, kActionYield);
      const int rank = rank_of_action(named_, rules_->call_rank());
      return with(intersection(singles, rules_->classes_from_rank(rank + 1)), kActionPass);
    }
    case Phase::kAuctionDirect: {
      if (!has_holder_) return may_play(to_move_, false) ? with(pass, kActionPlay) : pass;
      const int rank = rank_of_action(named_, rules_->call_rank());
      // D.4: an equal single game falls to the earlier position
      const bool equal_wins = named_ != kActionPlay && position < holder_;
      return with(intersection(singles, rules_->classes_from_rank(equal_wins ? rank : rank + 1)),
                  kActionPass);
    }
    case Phase::kNameClass: {
      const bool may_call = !only_singles_ && rules_->call_action() != 0 &&
                            rules_->callable(play_.hand[to_move_]) != 0;
      return may_call ? with(singles, rules_->call_action()) : singles;
    }
    case Phase::kNameSuit:
      return kSuits;
    case Phase::kCallCard:
      return ActionMask::cards(rules_->callable(play_.hand[to_move_]));
    default:
      return {};
  }
}

void Game::apply_auction(Action action) {
  add_event(action);
  switch (phase_) {
    case Phase::kAuctionRound:
      apply_round(action);
      break;
    case Phase::kAuctionResolve:
      apply_resolve(action);
      break;
    case Phase::kAuctionDirect:
      apply_direct(action);
      break;
    case Phase::kNameClass:
      named_ = action;
      ask_details();
      break;
    case Phase::kNameSuit:
      suit_ = static_cast<Suit>(action - kActionSuitE);
      suit_named_ = true;
      if (class_named_) {
        win_details();
      } else if (rules_->rules().auction_style == AuctionStyle::kDirect) {
        next_direct(position_of(to_move_));
      } else {
        after_naming();
      }
      break;
    case Phase::kCallCard:
      called_ = action;
      win_details();
      break;
    default:
      break;
  }
}

void Game::apply_round(Action action) {
  const int position = position_of(to_move_);
  if (action == kActionPlay) said_play_ = static_cast<std::uint8_t>(said_play_ | (1 << position));
  if (position + 1 < seats()) {
    to_move_ = static_cast<std::uint8_t>(seat_at(position + 1));
    return;
  }
  end_round();
}

void Game::end_round() {
  if (said_play_ == 0) {
    all_passed();
    return;
  }
  holder_ = static_cast<std::uint8_t>(std::countr_zero(said_play_));
  challenger_ = holder_;
  next_challenger();
}

/// Ask about the next position that said PLAY; without one the holder has won (D.3).
void Game::next_challenger() {
  const int later = said_play_ >> (challenger_ + 1);
  if (later == 0) {
    // who came later than the first is bound to a single game
    only_singles_ = std::countr_zero(said_play_) != holder_;
    win_auction();
    return;
  }
  challenger_ =
      static_cast<std::uint8_t>(challenger_ + 1 + std::countr_zero(static_cast<unsigned>(later)));
  phase_ = Phase::kAuctionResolve;
  // an unnamed holder speaks first, a named one has spoken
  to_move_ = static_cast<std::uint8_t>(seat_at(named_ == 0 ? holder_ : challenger_));
}

void Game::apply_resolve(Action action) {
  if (action == kActionPass) {
    next_challenger();
    return;
  }
  const bool challenger_took_over = action == kActionYield || named_ != 0;
  if (challenger_took_over) holder_ = challenger_;
  if (action == kActionYield) {
    next_challenger();
    return;
  }
  named_ = action;
  if (!name_suit_now()) after_naming();
}

/// The holder has a named class: the challenger answers, or the next one if he is the holder now.
void Game::after_naming() {
  if (holder_ == challenger_) {
    next_challenger();
    return;
  }
  phase_ = Phase::kAuctionResolve;
  to_move_ = static_cast<std::uint8_t>(seat_at(challenger_));
}

/// `suit_public_when_named`: the suit is named together with the class (D.3).
bool Game::name_suit_now() {
  suit_named_ = false;
  const ContractRow* row = contract_of_action(named_).row;
  if (!rules_->rules().suit_public_when_named || row->trump_suit != TrumpSuit::kAnnounced) {
    return false;
  }
  phase_ = Phase::kNameSuit;
  return true;
}

void Game::apply_direct(Action action) {
  const int position = position_of(to_move_);
  if (action == kActionPass) {
    active_ = static_cast<std::uint8_t>(active_ & ~(1 << position));
  } else {
    has_holder_ = true;
    holder_ = static_cast<std::uint8_t>(position);
    named_ = action;
    if (action != kActionPlay && name_suit_now()) return;
  }
  next_direct(position);
}

/// Pass the question on cyclically, skipping inactive seats and the holder (D.4).
void Game::next_direct(int from) {
  if (active_ == 0) {
    all_passed();
    return;
  }
  phase_ = Phase::kAuctionDirect;
  for (int step = 1; step <= seats(); ++step) {
    const int position = (from + step) % seats();
    if (((active_ >> position) & 1) == 0) continue;
    if (has_holder_ && position == holder_) continue;
    to_move_ = static_cast<std::uint8_t>(seat_at(position));
    return;
  }
  if (named_ == kActionPlay) named_ = 0;
  win_auction();
}

void Game::win_auction() {
  to_move_ = static_cast<std::uint8_t>(seat_at(holder_));
  if (named_ == 0) {
    phase_ = Phase::kNameClass;
    return;
  }
  ask_details();
}

/// The class is fixed: ask for the suit or the called card.
void Game::ask_details() {
  const NamedContract named = contract_of_action(named_);
  class_ = named.row->contract;
  tout_ = named.tout;
  declarer_ = static_cast<std::int8_t>(to_move_);
  class_named_ = true;
  if (named.row->parties == Parties::kCalledCard) {
    phase_ = Phase::kCallCard;
  } else if (named.row->trump_suit == TrumpSuit::kAnnounced && !suit_named_) {
    phase_ = Phase::kNameSuit;
  } else {
    win_details();
  }
}

void Game::win_details() { set_contract({class_, tout_, suit_, called_, declarer_, false, 0}); }

void Game::all_passed() {
  if (!rules_->plays_all_pass()) {
    thrown_in_ = true;
    finish();
    return;
  }
  Contract contract;
  contract.contract = rules_->all_pass_class();
  set_contract(contract);
}

}  // namespace schafkopf
