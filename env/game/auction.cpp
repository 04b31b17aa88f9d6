// The auction (RULES D.3, D.6): who plays, what he names, what is played when all pass. The
// contests of several players stand in contest.cpp.
#include "env/game/game.h"

namespace schafkopf {
namespace {

/// Debts of an Allgaeuer Runde (DealContext::owed).
constexpr std::uint8_t kOwesRuf = 1, kOwesWenz = 2, kOwesSolo = 4;

}  // namespace

// What a seat may name

/// Single games that a seat may announce in the mode of the deal.
ActionMask Game::single_classes_for(int seat) const {
  ActionMask mask = rules_->single_classes();
  if (context_.special_round != 0) {
    const Announce announce = round_row().announce;
    const ActionMask &solo = rules_->classes_of(Family::kSolo),
                     &wenz = rules_->classes_of(Family::kWenz);
    if (announce == Announce::kSoloAndWenz) mask = mask & (solo | wenz);
    if (announce == Announce::kOwed) {
      // owed games may be played whether `contracts` has them or not, the fixed hand pays nothing
      const std::uint8_t owed = context_.owed[seat];
      return ((owed & kOwesSolo) != 0 ? solo : ActionMask{}) |
             ((owed & kOwesWenz) != 0 ? wenz : ActionMask{});
    }
  }
  const CardSet fixed = rules_->fixed_hand();
  if (!fixed.empty() && play_.hand[seat] == fixed.bits()) mask.add(rules_->fixed_hand_action());
  return mask;
}

/// Action that names the game with a called partner, 0 if the mode has none.
Action Game::legal_call_action() const {
  if (context_.special_round != 0) {
    const Announce announce = round_row().announce;
    if (announce == Announce::kOwed) return calling_row().action;
    if (announce != Announce::kAll) return 0;
  }
  return rules_->call_action();
}

/// The seat must play a called game that it owes, blocked or not (OPEN-36).
bool Game::owes_call(int seat) const {
  return naming_ == Naming::kOwed && (context_.owed[seat] & kOwesRuf) != 0;
}

/// Forehand of a Hadsch must play; without single games he must call (OPEN-35).
bool Game::must_call(int seat) const {
  return round_row().opening == Opening::kForehandPlays && single_classes_for(seat).empty();
}

bool Game::may_call(int seat) const {
  if (legal_call_action() == 0) return false;
  if (context_.special_round != 0) {
    const SpecialRoundRow& row = round_row();
    if (row.announce == Announce::kOwed && (context_.owed[seat] & kOwesRuf) == 0) return false;
    if (row.opposite_seats) return true;  // nobody is called, nobody is blocked (C.5)
  }
  return callable_cards(seat) != 0;
}

std::uint32_t Game::callable_cards(int seat) const {
  const std::uint32_t hand = play_.hand[seat];
  if (naming_ == Naming::kDuty) return rules_->duty_calls(hand, rules_->rules().muss_blocked);
  if (owes_call(seat)) return rules_->duty_calls(hand, MussBlocked::kTenCascade);
  const std::uint32_t cards = rules_->callable(hand);
  return cards == 0 && must_call(seat) ? rules_->duty_calls(hand, MussBlocked::kTenCascade) : cards;
}

/// Whether PLAY is legal: some contract is available; a follower is bound to a single game (D.3).
bool Game::may_play(int seat, bool follower) const {
  return !single_classes_for(seat).empty() || (!follower && may_call(seat));
}

ActionMask Game::legal_naming() const {
  const int seat = to_move_;
  ActionMask mask;
  switch (naming_) {
    case Naming::kSolo:
      return rules_->classes_of(Family::kSolo);
    case Naming::kSoloNoTout:
      return ActionMask::of({row_of(Family::kSolo).action});
    case Naming::kDuty:
      if (rules_->rules().muss_solo_allowed) mask = single_classes_for(seat);
      mask.add(calling_row().action);
      return mask;
    case Naming::kSingles:
      mask = single_classes_for(seat);
      // a bid promises points (D.5)
      return bid_ > 0 ? mask & rules_->counting_classes() : mask;
    case Naming::kAny:
    case Naming::kOwed:
      break;
  }
  mask = single_classes_for(seat);
  if (may_call(seat)) mask.add(legal_call_action());
  return mask;
}

ActionMask Game::legal_auction() const {
  const ActionMask pass = ActionMask::of({kActionPass});
  const ActionMask play = ActionMask::of({kActionPass, kActionPlay});
  switch (phase_) {
    case Phase::kAuctionRound:
      return may_play(to_move_, said_play_ != 0) ? play : pass;
    case Phase::kAuctionResolve:
      if (named_ == 0) return single_classes_for(to_move_) | ActionMask::of({kActionYield});
      return higher_classes(to_move_, false) | pass;
    case Phase::kAuctionDirect:
      if (!has_holder_) return may_play(to_move_, false) ? play : pass;
      // D.4: an equal single game falls to the earlier position
      return higher_classes(to_move_, position_of(to_move_) < holder_) | pass;
    case Phase::kSteigern:
      return legal_steigern();
    case Phase::kNameClass:
      return legal_naming();
    case Phase::kNameSuit:
      return {{0, std::uint64_t{suits_} << (kActionSuitE - 64)}};
    case Phase::kCallCard:
      return ActionMask::cards(callable_cards(to_move_));
    case Phase::kAllPassChoice: {
      ActionMask mask;
      const EnumSet<LastChoice>& options = rules_->rules().last_chooses_options;
      if (options.contains(LastChoice::kRamsch)) mask.add(kActionSayRamsch);
      if (options.contains(LastChoice::kStock)) mask.add(kActionSayStock);
      if (options.contains(LastChoice::kThrowIn)) mask.add(kActionPass);
      return mask;
    }
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
    case Phase::kSteigern:
      apply_steigern(action);
      break;
    case Phase::kNameClass:
      named_ = action;
      ask_details();
      break;
    case Phase::kNameSuit:
      suit_ = static_cast<Suit>(action - kActionSuitE);
      suit_named_ = true;
      suits_ = 0xF;
      if (class_named_) {
        win_details();
      } else if (has_holder_) {
        next_direct(position_of(to_move_));
      } else {
        after_naming();
      }
      break;
    case Phase::kCallCard:
      called_ = action;
      renonce_ =
          naming_ == Naming::kAny && rules_->rules().renonce == Renonce::kAnnounced &&
          ((hand(to_move_) & CardSet::suit(suit_of(action))) - rules_->partner_trumps()).empty();
      win_details();
      break;
    default:
      apply_last_choice(action);
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

// The winner names his game

void Game::begin_naming(int seat, Naming naming) {
  naming_ = naming;
  to_move_ = static_cast<std::uint8_t>(seat);
  holder_ = static_cast<std::uint8_t>(position_of(seat));
  named_ = 0;
  if (suit_named_ && naming == Naming::kSoloNoTout) {  // everything was said before the deal
    named_ = row_of(Family::kSolo).action;
    ask_details();
    return;
  }
  phase_ = Phase::kNameClass;
  if (legal_naming().empty()) throw_in(AllPass::kThrowIn);  // a forced player without any game
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
  const ContractRow* row = named.row;
  if (row->parties == Parties::kCalledCard && naming_ == Naming::kDuty) row = &duty_row();
  if (row->parties == Parties::kCalledCard && round_row().opposite_seats) {
    row = &row_of(Parties::kOppositeSeats);
  }
  class_ = row->contract;
  tout_ = named.tout;
  declarer_ = static_cast<std::int8_t>(to_move_);
  class_named_ = true;
  if (row->parties == Parties::kCalledCard) {
    phase_ = Phase::kCallCard;
  } else if (row->trump_suit == TrumpSuit::kAnnounced && !suit_named_) {
    phase_ = Phase::kNameSuit;
  } else {
    win_details();
  }
}

void Game::win_details() {
  details_public_ = true;
  // C.20.11: a card is exchanged before the game begins
  const bool draws =
      round_row().draws_a_card && !tout_ && contract_row(class_).family == Family::kSolo;
  if (draws && phase_ != Phase::kZupfGive) {
    phase_ = Phase::kZupfTarget;
    return;
  }
  set_contract({class_, tout_, suit_, called_, declarer_, renonce_, bid_});
}

// All pass (D.6)

void Game::all_passed() {
  const RuleSet& rules = rules_->rules();
  if (rules.hochzeit == HochzeitMode::kAfterAllPass && round_row().hochzeit && !hz_asked_) {
    ask_offer(0);
    return;
  }
  all_passed_ = true;
  const SpecialRoundRow& row = round_row();
  if (row.all_pass_is_ramsch) {
    play_everyone();
    return;
  }
  if (row.announce == Announce::kOwed) {
    begin_owed();
    return;
  }
  const bool partners =
      rules.all_pass == AllPass::kMussSpiel || rules.all_pass == AllPass::kKreuzbock;
  const bool impossible = row.announce == Announce::kSingles && partners;  // C.20.5
  resolve_all_pass(impossible ? AllPass::kThrowIn : rules.all_pass);
}

void Game::resolve_all_pass(AllPass rule) {
  switch (rule) {
    case AllPass::kThrowIn:
    case AllPass::kBockGame:
    case AllPass::kBockRound:
    case AllPass::kStock:
      throw_in(rule);
      break;
    case AllPass::kRamsch:
      play_everyone();
      break;
    case AllPass::kLastChooses:
      to_move_ = static_cast<std::uint8_t>(seat_at(seats() - 1));
      phase_ = Phase::kAllPassChoice;
      break;
    case AllPass::kMussSpiel:
      begin_duty();
      break;
    case AllPass::kKreuzbock:
      play_opposite();
      break;
  }
}

void Game::apply_last_choice(Action action) {
  if (action == kActionSayRamsch) {
    play_everyone();
  } else {
    throw_in(action == kActionSayStock ? AllPass::kStock : AllPass::kThrowIn);
  }
}

void Game::throw_in(AllPass how) {
  all_pass_ = how;
  thrown_in_ = true;
  finish();
}

void Game::play_everyone() {
  Contract contract;
  contract.contract = row_of(Parties::kEveryone).contract;
  set_contract(contract);
}

void Game::play_opposite() {
  Contract contract;
  contract.contract = row_of(Parties::kOppositeSeats).contract;
  set_contract(contract);
}

/// C.4: the holder of the Muss card must call a partner.
void Game::begin_duty() {
  for (int seat = 0; seat < seats(); ++seat) {
    if (!hand(seat).contains(rules_->rules().muss_card)) continue;
    begin_naming(seat, Naming::kDuty);
    if (rules_->rules().muss_solo_allowed) return;
    named_ = calling_row().action;
    ask_details();
    return;
  }
}

/// C.20.9: the first position that owes a game must play one of those it owes.
void Game::begin_owed() {
  for (int position = 0; position < seats(); ++position) {
    const int seat = seat_at(position);
    if (context_.owed[seat] == 0) continue;
    begin_naming(seat, Naming::kOwed);
    return;
  }
  throw_in(AllPass::kThrowIn);
}

}  // namespace schafkopf
