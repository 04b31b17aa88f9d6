// Several players want to play: the contest of ranks (RULES D.3), the direct auction (D.4), bidding
// for points (D.5).
#include <bit>

#include "env/game/game.h"

namespace schafkopf {
namespace {

constexpr int kFirstBid = 70, kLastBid = 120, kBidStep = 10;

int rank_of_action(Action action, int call_rank) {
  const NamedContract named = contract_of_action(action);
  if (named.row == nullptr) return call_rank;  // PLAY, still unspecified
  return named.tout ? named.row->tout_rank : named.row->rank;
}

bool is_plain_solo(Action action) {
  const NamedContract named = contract_of_action(action);
  return named.row != nullptr && !named.tout && named.row->family == Family::kSolo;
}

Action raise_to(int bid) {
  return static_cast<Action>(kActionRaise70 + (bid - kFirstBid) / kBidStep);
}

}  // namespace

/// Classes that outrank the named one, or equal it where that is enough; a Herz-Solo may outrank
/// the other Solos (`herz_solo_precedence`).
ActionMask Game::higher_classes(int seat, bool equal_wins) const {
  const bool unnamed = named_ == kActionPlay;
  const int rank = rank_of_action(named_, rules_->call_rank());
  const ActionMask singles = single_classes_for(seat);
  ActionMask mask = singles & rules_->classes_from_rank(equal_wins && !unnamed ? rank : rank + 1);
  if (rules_->rules().herz_solo_precedence && is_plain_solo(named_) && suit_ != Suit::kHerz &&
      singles.contains(named_)) {
    mask.add(named_);
  }
  return mask;
}

// Ranks (D.3)

void Game::end_round() {
  if (said_play_ == 0) {
    all_passed();
    return;
  }
  holder_ = static_cast<std::uint8_t>(std::countr_zero(said_play_));
  challenger_ = holder_;
  named_ = 0;
  next_challenger();
}

/// Ask about the next position that said PLAY; without one the holder has won (D.3).
void Game::next_challenger() {
  const int later = said_play_ >> (challenger_ + 1);
  if (later == 0) {
    // who came later than the first is bound to a single game, everybody after a bid
    const bool first = std::countr_zero(said_play_) == holder_;
    if (!first || firm_) naming_ = Naming::kSingles;
    win_auction();
    return;
  }
  challenger_ =
      static_cast<std::uint8_t>(challenger_ + 1 + std::countr_zero(static_cast<unsigned>(later)));
  if (rules_->rules().solo_contest == SoloContest::kSteigern) {
    phase_ = Phase::kSteigern;
    raise_ = 0;
    if (!firm_) {
      to_move_ = static_cast<std::uint8_t>(seat_at(holder_));
    } else {
      ask_challenger();
    }
    return;
  }
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
  challenge(action, false);
  if (!name_suit_now()) after_naming();
}

/// A class is named over what was named before.
void Game::challenge(Action action, bool equal_wins) {
  // over another Solo only a Herz-Solo counts, over a Herz-Solo of a later seat too
  const bool same =
      rules_->rules().herz_solo_precedence && named_ == action && is_plain_solo(action);
  const bool only_herz = same && (!equal_wins || suit_ == Suit::kHerz);
  suits_ = only_herz ? 1 << static_cast<int>(Suit::kHerz) : 0xF;
  named_ = action;
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

/// The suit is named together with the class: `suit_public_when_named`, and a Solo where Herz has
/// precedence (D.3).
bool Game::name_suit_now() {
  suit_named_ = false;
  const RuleSet& rules = rules_->rules();
  const ContractRow* row = contract_of_action(named_).row;
  const bool now =
      rules.suit_public_when_named || (rules.herz_solo_precedence && is_plain_solo(named_));
  if (!now || row->trump_suit != TrumpSuit::kAnnounced) {
    suits_ = 0xF;
    return false;
  }
  phase_ = Phase::kNameSuit;
  return true;
}

// Direct (D.4)

void Game::apply_direct(Action action) {
  const int position = position_of(to_move_);
  if (action == kActionPass) {
    active_ = static_cast<std::uint8_t>(active_ & ~(1 << position));
  } else {
    const bool equal_wins = has_holder_ && position < holder_;
    has_holder_ = true;
    holder_ = static_cast<std::uint8_t>(position);
    challenge(action, equal_wins);
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

// Steigern (D.5)

ActionMask Game::legal_steigern() const {
  const ActionMask singles = single_classes_for(to_move_);
  const bool points = !(singles & rules_->counting_classes()).empty();
  const bool is_holder = position_of(to_move_) == holder_;
  ActionMask mask;
  if (is_holder) {
    mask.add(kActionYield);
    if (raise_ == 0 ? !singles.empty() : points) mask.add(kActionHold);
    return mask;
  }
  mask.add(kActionPass);
  const int least = bid_ == 0 ? kFirstBid : bid_ + kBidStep;
  const int most = rules_->rules().steigern_jump ? kLastBid : least;
  for (int bid = least; points && bid <= most; bid += kBidStep) mask.add(raise_to(bid));
  return mask;
}

void Game::ask_challenger() {
  if (bid_ >= kLastBid) {
    next_challenger();
    return;
  }
  to_move_ = static_cast<std::uint8_t>(seat_at(challenger_));
}

void Game::apply_steigern(Action action) {
  if (action == kActionPass) {
    next_challenger();
    return;
  }
  if (action >= kActionRaise70 && action < kActionRaise70 + 6) {
    raise_ = static_cast<std::uint8_t>(kFirstBid + kBidStep * (action - kActionRaise70));
    to_move_ = static_cast<std::uint8_t>(seat_at(holder_));
    return;
  }
  firm_ = true;
  if (raise_ != 0) bid_ = raise_;
  raise_ = 0;
  if (action == kActionHold) {
    ask_challenger();
    return;
  }
  holder_ = challenger_;
  next_challenger();
}

}  // namespace schafkopf
