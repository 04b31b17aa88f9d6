// What comes before the auction (RULES D.2, steps 1 to 3): the suit named before the deal, Legen,
// the packets of the Schieber; and how a special round opens (C.20).
#include <bit>

#include "env/deal/deal.h"
#include "env/game/game.h"

namespace schafkopf {
namespace {

constexpr ActionMask kSuits = {{0, std::uint64_t{0xF} << (kActionSuitE - 64)}};

}  // namespace

/// The order of a deal is that of D.2; steps that the rules leave out fall through.
void Game::begin() {
  if (names_suit_before_deal()) {
    phase_ = Phase::kPredeal;
    to_move_ = static_cast<std::uint8_t>(forehand());
    return;
  }
  begin_legen();
}

bool Game::names_suit_before_deal() const {
  if (context_.special_round == 0) return false;
  const Opening opening = round_row().opening;
  const RuleSet& rules = rules_->rules();
  return opening == Opening::kFixedCards ||
         (opening == Opening::kPackets &&
          rules.schieber_variant == SchieberVariant::kForehandOnly && rules.schieber_cards == 4);
}

/// Cards of the high packet, or those that forehand gets before the deal; public.
CardSet Game::fixed_cards() const { return undealt_packet(rules_->rules(), context_); }

ActionMask Game::legal_opening() const {
  switch (phase_) {
    case Phase::kPredeal:
      return kSuits;
    case Phase::kLegen:
      return ActionMask::of({kActionLay, kActionNoLay});
    case Phase::kSchieber:
      return packet_must_be_taken() ? ActionMask::of({kActionTakeUp})
                                    : ActionMask::of({kActionTakeUp, kActionPushOn});
    default:
      return ActionMask::cards(play_.hand[to_move_]);
  }
}

void Game::apply_opening(Action action) {
  switch (phase_) {
    case Phase::kPredeal:
      add_event(action);
      suit_ = static_cast<Suit>(action - kActionSuitE);
      suit_named_ = true;
      begin_legen();
      break;
    case Phase::kLegen:
      apply_legen(action);
      break;
    case Phase::kSchieber:
      add_event(action);
      apply_packet(action);
      break;
    default:
      add_secret(action);
      push(action);
      break;
  }
}

// Legen (F.1)

void Game::begin_legen() {
  if (rules_->rules().legen == Legen::kOff) {
    after_legen();
    return;
  }
  phase_ = Phase::kLegen;
  to_move_ = static_cast<std::uint8_t>(forehand());
}

void Game::apply_legen(Action action) {
  const bool laid = action == kActionLay;
  if (laid) {
    add_event(action);
    if (laid_++ == 0) first_laid_ = static_cast<std::int8_t>(to_move_);
  }
  const Legen mode = rules_->rules().legen;
  const int next = position_of(to_move_) + 1;
  const bool goes_on = mode == Legen::kFree || (mode == Legen::kSequential && laid);
  if (goes_on && next < seats()) {
    to_move_ = static_cast<std::uint8_t>(seat_at(next));
  } else {
    after_legen();
  }
}

/// What a seat has seen of its cards: before the deal the fixed ones, while laying one half.
CardSet Game::seen_hand(int seat) const {
  const CardSet hand(play_.hand[seat]), first(first_half_[seat]);
  const bool gets_fixed = seat == forehand() && names_suit_before_deal();
  if (phase_ == Phase::kPredeal) return gets_fixed ? fixed_cards() : CardSet{};
  if (gets_fixed) return first | fixed_cards();  // OPEN-76
  // at a table of five the dealer sits out: all four decide on the first half (OPEN-03)
  if (seat != dealer_ || rules_->rules().players > kNumSeats) return first;
  switch (rules_->rules().legen_dealer_cards) {
    case LegenDealerCards::kFirst:
      return first;
    case LegenDealerCards::kLast:
      return hand - first;
    case LegenDealerCards::kAll:
      return hand;
  }
  return hand;
}

void Game::after_legen() {
  if (context_.special_round != 0) {
    switch (round_row().opening) {
      case Opening::kPackets:
        ask_packet(0);
        return;
      case Opening::kFixedCards:
        begin_naming(forehand(), Naming::kSoloNoTout);
        return;
      default:
        break;
    }
  }
  before_auction();
}

// Schieber (C.20.6)

void Game::move_cards(int from, int to, std::uint32_t cards) {
  play_.hand[from] &= ~cards;
  play_.hand[to] |= cards;
  given_[from] |= cards;
  received_[to] |= cards;
}

/// Ask a position for the intact packet. Forehand alone has it in hand when it decides (003).
void Game::ask_packet(int position) {
  phase_ = Phase::kSchieber;
  to_move_ = static_cast<std::uint8_t>(seat_at(position));
  if (rules_->rules().schieber_variant != SchieberVariant::kForehandOnly) return;
  play_.hand[to_move_] |= aside_;
  received_[to_move_] |= aside_;
  aside_ = 0;
}

/// The dealer must play with an intact packet; forehand with more than two cards (003).
bool Game::packet_must_be_taken() const {
  const RuleSet& rules = rules_->rules();
  if (rules.schieber_variant == SchieberVariant::kForehandOnly) return rules.schieber_cards > 2;
  return to_move_ == dealer_;
}

void Game::apply_packet(Action action) {
  const bool forehand_only = rules_->rules().schieber_variant == SchieberVariant::kForehandOnly;
  if (action == kActionTakeUp) {
    take_packet();
  } else if (forehand_only) {
    decline_packet();
  } else {
    ask_packet(position_of(to_move_) + 1);
  }
}

void Game::take_packet() {
  play_.hand[to_move_] |= aside_;
  received_[to_move_] |= aside_;
  aside_ = 0;
  declarer_ = static_cast<std::int8_t>(to_move_);
  if (to_move_ == dealer_) {  // nobody is left to push to
    begin_naming(to_move_, Naming::kSolo);
    return;
  }
  phase_ = Phase::kSchieberPush;
  to_pass_ = static_cast<std::uint8_t>(rules_->rules().schieber_cards);
}

/// OPEN-34: the packet goes straight to the dealer, then a normal auction.
void Game::decline_packet() {
  move_cards(to_move_, dealer_, fixed_cards().bits());
  before_auction();
}

void Game::push(Card card) {
  const std::uint32_t bit = CardSet::of(card).bits();
  play_.hand[to_move_] &= ~bit;
  given_[to_move_] |= bit;
  aside_ |= bit;
  if (--to_pass_ == 0) pass_cards_on();
}

void Game::pass_cards_on() {
  const int next = seat_at(position_of(to_move_) + 1);
  play_.hand[next] |= aside_;
  received_[next] |= aside_;
  aside_ = 0;
  if (next != dealer_) {
    to_move_ = static_cast<std::uint8_t>(next);
    to_pass_ = static_cast<std::uint8_t>(rules_->rules().schieber_cards);
    return;
  }
  begin_naming(declarer_, suit_named_ ? Naming::kSoloNoTout : Naming::kSolo);
}

// Ways to open

void Game::before_auction() {
  if (rules_->rules().hochzeit == HochzeitMode::kBeforeAuction && round_row().hochzeit) {
    ask_offer(0);
    return;
  }
  start_auction();
}

void Game::start_auction() {
  to_move_ = static_cast<std::uint8_t>(forehand());
  switch (round_row().opening) {
    case Opening::kEveryone:
      play_everyone();
      return;
    case Opening::kOpposite:
      play_opposite();
      return;
    case Opening::kForehandPlays:
      begin_naming(forehand(), Naming::kAny);
      return;
    case Opening::kThreeTricks:
      start_three_tricks();
      return;
    case Opening::kAuction:
    case Opening::kPackets:     // declined
    case Opening::kFixedCards:  // has named its game
      break;
  }
  // debts are paid in a two-stage auction (OPEN-36)
  const bool direct = rules_->rules().auction_style == AuctionStyle::kDirect &&
                      round_row().announce != Announce::kOwed;
  phase_ = direct ? Phase::kAuctionDirect : Phase::kAuctionRound;
}

/// C.20.10: three tricks with the trumps of the partner game, everybody for himself.
void Game::start_three_tricks() {
  set_words(rules_->play(calling_row().contract, rules_->rules().partner_trump_suit));
  phase_ = Phase::kPlay;
  play_.turn = static_cast<std::uint32_t>(forehand());
  play_.next_stop = 3 * play_.seats;
}

}  // namespace schafkopf
