// Game: construction, cards, results. The auction is in auction.cpp, doubling in doubling.cpp,
// views in game_view.cpp, bytes and checks in game_bytes.cpp.
#include "env/game/game.h"

#include <stdexcept>
#include <string>

#include "env/base/assert.h"
#include "env/cards/card_map.h"

namespace schafkopf {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument(text); }

std::uint32_t suit_bits(int suit) { return CardSet::suit(static_cast<Suit>(suit)).bits(); }

[[noreturn]] void refuse_context(const char* what, int value, int most) {
  refuse("context: " + std::string(what) + " = " + std::to_string(value) + ", allowed 0.." +
         std::to_string(most));
}

void check_context(const DealContext& context) {
  if (context.special_round >= kNumValues<SpecialRound>) {
    refuse_context("special_round", context.special_round, kNumValues<SpecialRound> - 1);
  }
  if (context.stock < 0 || context.stock > kMaxStock) {
    refuse_context("stock", context.stock, kMaxStock);
  }
  if (context.bock > kMaxBock) refuse_context("bock", context.bock, kMaxBock);
  for (const std::uint8_t owed : context.owed) {
    if (owed > kOwesAll) refuse_context("owed", owed, kOwesAll);
  }
}

}  // namespace

Game::Game(const CompiledRules& rules, int dealer, const DealContext& context, Blank)
    : play_{}, rules_(&rules), context_(context), dealer_(static_cast<std::uint8_t>(dealer)) {
  if (dealer < 0 || dealer >= rules.seats()) {
    refuse("dealer = " + std::to_string(dealer) + ", allowed 0.." +
           std::to_string(rules.seats() - 1));
  }
  play_.seats = static_cast<std::uint32_t>(rules.seats());
}

Game::Game(const CompiledRules& rules, const Deal& deal, int dealer, const DealContext& context)
    : Game(rules, deal, dealer, context, Entered{}) {
  begin();
}

Game::Game(const CompiledRules& rules, const Deal& deal, int dealer, const DealContext& context,
           Entered)
    : Game(rules, dealer, context, Blank{}) {
  check_context(context);
  check_mode(rules, special_round());
  // a high packet is kept back: forehand gets it, the dealer so many cards fewer (C.20.6)
  const bool packet = round_row().opening == Opening::kPackets;
  CardSet seen;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const CardSet hand = deal.hand(seat);
    int size = seat < seats() ? rules.cards_per_hand() : 0;
    if (packet && seat == dealer) size -= rules.rules().schieber_cards;
    if (hand.count() != size || !(hand & seen).empty() || !(hand - rules.deck()).empty()) {
      refuse("hand of seat " + std::to_string(seat) + " (" + to_string(hand) + ") needs " +
             std::to_string(size) + " cards of the deck that no other seat holds");
    }
    seen = seen | hand;
    play_.hand[seat] = hand.bits();
    first_half_[seat] = deal.first[static_cast<std::size_t>(seat)].bits();
  }
  check_fixed_cards(deal.hand(forehand()), rules.deck() - seen);
  zupf_ = deal.zupf;
  aside_ = (rules.deck() - seen).bits();
  active_ = static_cast<std::uint8_t>((1 << seats()) - 1);
  to_move_ = static_cast<std::uint8_t>(forehand());
}

/// Modes that a table cannot play are switched off in rule sets; here a context may ask for one.
void Game::check_mode(const CompiledRules& rules, SpecialRound mode) {
  if (mode == SpecialRound::kNone) return;
  const SpecialRoundRow& row = special_round_row(mode);
  const bool partners = row.opposite_seats || row.announce == Announce::kOwed;
  if (partners && rules.seats() != kNumSeats) {
    refuse("context: special_round = " + std::string(name_of(mode)) + " needs four seats (B.2)");
  }
  const bool fixed = row.opening == Opening::kPackets || row.opening == Opening::kFixedCards;
  if (fixed && rules.rules().deck == Deck::kShort24) {
    refuse("context: special_round = " + std::string(name_of(mode)) +
           " needs deck = long32 (C.20.6, C.20.7)");
  }
}

void Game::check_fixed_cards(CardSet forehand_hand, CardSet missing) const {
  const CardSet fixed = fixed_cards();
  if (round_row().opening == Opening::kPackets && missing != fixed) {
    refuse("hands: a Schieber deal leaves out " + to_string(fixed) + " (C.20.6), it leaves out " +
           to_string(missing));
  }
  if (round_row().opening == Opening::kFixedCards && !(fixed - forehand_hand).empty()) {
    refuse("hand of forehand needs " + to_string(fixed) + " (C.20.7); it is " +
           to_string(forehand_hand));
  }
}

Game Game::with_contract(const CompiledRules& rules, const Deal& deal, int dealer,
                         const Contract& contract, const DealContext& context) {
  CardPlayStart start;
  start.contract = contract;
  return with_contract(rules, deal, dealer, start, context);
}

namespace {

bool needs_partner(const ContractRow& row) { return row.parties == Parties::kHochzeit; }

/// Throws for a contract that no deal under these rules can have.
void check_contract(const CompiledRules& rules, const Contract& contract, const ContractRow& row) {
  const std::string name(contract_name(contract.contract, contract.tout));
  if (contract.tout && row.tout_action == 0) refuse(name + ": this class has no Tout (C.18)");
  if (row.is_partner_game() && rules.seats() != kNumSeats) {
    refuse(name + " needs four seats (B.2)");
  }
  const int least =
      row.parties == Parties::kEveryone || row.parties == Parties::kOppositeSeats ? -1 : 0;
  const int most = row.parties == Parties::kEveryone ? -1 : rules.seats() - 1;
  if (contract.declarer < least || contract.declarer > most) {
    refuse(name + ": declarer = " + std::to_string(contract.declarer) + ", allowed " +
           (most < 0 ? std::string("none (-1)")
                     : std::to_string(least) + ".." + std::to_string(most)));
  }
  const bool steigern = rules.rules().solo_contest == SoloContest::kSteigern;
  const bool bid_fits =
      contract.bid == 0 || (steigern && contract.bid >= 70 && contract.bid <= 120 &&
                            contract.bid % 10 == 0 && row.is_single());
  if (!bid_fits) {
    refuse(name + ": bid = " + std::to_string(contract.bid) +
           ", allowed 0, and with solo_contest = steigern 70, 80 .. 120 in single games (D.5, "
           "R-098)");
  }
  const bool calls = row.parties == Parties::kCalledCard;
  if (!calls && contract.called != kNoCard) {
    refuse(name + ": called card " + card_name(contract.called) +
           ", allowed none: only partner games call one (C.1)");
  }
  if (calls && contract.called >= kNumCards) {
    refuse(name + " needs a called card (C.1, R-027)");
  }
}

/// Throws for a start that no deal can have.
void check_start(const CompiledRules& rules, const CardPlayStart& start, const ContractRow& row) {
  const Contract& contract = start.contract;
  const std::string name(contract_name(contract.contract, contract.tout));
  check_contract(rules, contract, row);
  const bool partner_fits =
      start.partner >= 0 && start.partner < rules.seats() && start.partner != contract.declarer;
  if (needs_partner(row) && !partner_fits) {
    refuse(name + ": partner = " + std::to_string(start.partner) +
           ", allowed the seat that accepted (C.3, R-031)");
  }
  if (!needs_partner(row) && start.partner >= 0) {
    refuse(name + ": partner = " + std::to_string(start.partner) +
           ", allowed only with an accepted partner (C.3)");
  }
}

/// Throws for hands that do not fit together.
void check_cards(const CompiledRules& rules, const Position& position) {
  const int size = position.hands[0].count();
  CardSet seen;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const auto s = static_cast<std::size_t>(seat);
    const CardSet hand = position.hands[s], won = position.captured[s];
    const std::string of_seat = "position: seat " + std::to_string(seat);
    const int needed = seat < rules.seats() ? size : 0;
    if (hand.count() != needed) {
      refuse(of_seat + " holds " + std::to_string(hand.count()) + " cards, needed are " +
             std::to_string(needed) + " as seat 0 has");
    }
    if (!(hand & won).empty()) {
      refuse(of_seat + " both holds and has captured " + to_string(hand & won));
    }
    if (!((hand | won) & seen).empty()) {
      refuse(of_seat + " has " + to_string((hand | won) & seen) + ", which another seat has too");
    }
    if (won.count() % rules.seats() != 0) {
      refuse(of_seat + " has captured no whole number of tricks");
    }
    seen = seen | hand | won;
  }
  if (size == 0 || seen != rules.deck()) {
    refuse("position: hands and captured cards must be the whole deck; missing: " +
           to_string(rules.deck() - seen));
  }
  if (position.leader < 0 || position.leader >= rules.seats()) {
    refuse("position: leader = " + std::to_string(position.leader));
  }
}

/// Seat that holds a card, -1 if it has been played.
int holder_of(const Position& position, Card card) {
  for (int seat = 0; seat < kNumSeats; ++seat) {
    if (position.hands[static_cast<std::size_t>(seat)].contains(card)) return seat;
  }
  return -1;
}

/// Throws for a partner that the declarer cannot have, or none where no hand shows him.
void check_partner(const CompiledRules& rules, const Position& position, const ContractRow& row) {
  const Contract& contract = position.contract;
  int shown = -1;         // the partner that must be, if there is one
  bool is_shown = false;  // none need be named
  switch (row.parties) {
    case Parties::kCalledCard:
      shown = holder_of(position, contract.called);
      is_shown = shown >= 0;
      break;
    case Parties::kHochzeit:
      break;
    case Parties::kOppositeSeats: {
      const Card top = rules.trumps(contract.contract, contract.suit).cards[0];
      if (contract.declarer >= 0) shown = (contract.declarer + 2) % rules.seats();
      is_shown = shown >= 0 || holder_of(position, top) >= 0;
      break;
    }
    case Parties::kAlone:
    case Parties::kEveryone:
      is_shown = true;
      shown = -1;
      break;
  }
  const int partner = position.partner;
  if (partner < 0 && is_shown) return;
  const bool nobody = row.parties == Parties::kAlone || row.parties == Parties::kEveryone;
  const bool seat = partner >= 0 && partner < rules.seats() && partner != contract.declarer;
  if (seat && !nobody && (shown < 0 || partner == shown)) return;
  const std::string allowed = nobody       ? "none (-1)"
                              : shown >= 0 ? std::to_string(shown) + " or none (-1)"
                                           : "a seat besides the declarer's";
  refuse("position: partner = " + std::to_string(partner) + " in " + std::string(row.name) +
         ", allowed " + allowed);
}

}  // namespace

Game Game::with_contract(const CompiledRules& rules, const Deal& deal, int dealer,
                         const CardPlayStart& start, const DealContext& context) {
  // the mode has had its say: what it changed stands in the contract and the exchange
  check_context(context);
  DealContext plain = context;
  plain.special_round = 0;
  Game game(rules, deal, dealer, plain, Entered{});
  game.context_ = context;
  const ContractRow& row = contract_row(start.contract.contract);
  check_start(rules, start, row);
  for (const int seat : start.laid) {
    if (seat < 0 || seat >= game.seats()) refuse("legen: seat " + std::to_string(seat));
    if (game.laid_++ == 0) game.first_laid_ = static_cast<std::int8_t>(seat);
    game.to_move_ = static_cast<std::uint8_t>(seat);
    game.add_event(kActionLay);
  }
  for (const Exchange& step : start.exchange) game.enter_exchange(step);
  const std::string name(contract_name(start.contract.contract, start.contract.tout));
  for (int seat = 0; seat < game.seats(); ++seat) {
    if (game.hand(seat).count() == rules.cards_per_hand()) continue;
    refuse("exchange: seat " + std::to_string(seat) + " has " +
           std::to_string(game.hand(seat).count()) + " cards after it, needs " +
           std::to_string(rules.cards_per_hand()));
  }
  if (row.parties == Parties::kCalledCard) {
    const int declarer = start.contract.declarer;
    const CardSet cards(game.callable_in(row, declarer));
    if (!cards.contains(start.contract.called)) {
      refuse(name + ": called card " + card_name(start.contract.called) +
             " is not callable (C.1, R-027); callable: " + to_string(cards));
    }
  }
  if (row.goal == Goal::kFixedHand && game.hand(start.contract.declarer) != rules.fixed_hand()) {
    refuse(name + ": the declarer must hold " + to_string(rules.fixed_hand()) + " (C.19)");
  }
  game.direct_start_ = true;
  game.details_public_ = true;
  game.partner_ = static_cast<std::int8_t>(start.partner);
  game.set_contract(start.contract);
  return game;
}

/// Cards that a seat may call in a row: as in the auction, or by duty.
std::uint32_t Game::callable_in(const ContractRow& row, int seat) const {
  const std::uint32_t hand = play_.hand[seat];
  if (row.by_duty) return rules_->duty_calls(hand, rules_->rules().muss_blocked);
  const std::uint32_t cards = rules_->callable(hand);
  const bool owes = round_row().announce == Announce::kOwed;
  if (cards != 0 || !(owes || must_call(seat))) return cards;
  return rules_->duty_calls(hand, MussBlocked::kTenCascade);
}

void Game::enter_exchange(const Exchange& step) {
  const bool seats_fit = step.from >= 0 && step.from < seats() && step.to >= 0 &&
                         step.to < seats() && step.from != step.to;
  if (!seats_fit || step.cards.empty() || !(step.cards - hand(step.from)).empty()) {
    refuse("exchange: seat " + std::to_string(step.from) + " cannot give " + to_string(step.cards) +
           " to seat " + std::to_string(step.to));
  }
  if (const CardSet back = step.cards & CardSet(given_[step.to]); !back.empty()) {
    refuse("exchange: " + to_string(back) + " comes back to seat " + std::to_string(step.to) +
           ", which passed it on; no card comes back (C.3, C.20)");
  }
  move_cards(step.from, step.to, step.cards.bits());
}

Game Game::from_position(const CompiledRules& rules, const Position& position) {
  const ContractRow& row = contract_row(position.contract.contract);
  check_contract(rules, position.contract, row);
  check_cards(rules, position);
  check_partner(rules, position, row);
  Game game(rules, position.dealer, DealContext{}, Blank{});
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const auto s = static_cast<std::size_t>(seat);
    game.play_.hand[seat] = position.hands[s].bits();
    game.first_half_[seat] = position.hands[s].bits();
    game.play_.taken[seat] = position.captured[s].bits();
    // who played them is not known: shown as played by the winner, so that unseen cards are right
    game.play_.played[seat] = position.captured[s].bits();
  }
  game.from_position_ = true;
  game.closed_ = true;
  game.play_.num_played =
      static_cast<std::uint32_t>(rules.deck().count() - position.hands[0].count() * game.seats());
  game.set_contract(position.contract);
  if (position.partner >= 0 && game.no_declarer_pairs_) {
    game.party_ = static_cast<std::uint8_t>(0b0101 << (position.partner & 1));
  } else if (position.partner >= 0) {
    game.party_ = static_cast<std::uint8_t>(game.party_ | (1 << position.partner));
    game.owner_ = static_cast<std::int8_t>(position.partner);
    game.partner_ = game.owner_;
    game.partner_known_ = true;
  }
  game.play_.turn = static_cast<std::uint32_t>(position.leader);
  game.to_move_ = static_cast<std::uint8_t>(position.leader);
  return game;
}

Contract Game::contract() const {
  return {class_, tout_, suit_, called_, declarer_, renonce_, bid_};
}

/// Every phase but PLAY.
ActionMask Game::legal_answers() const {
  switch (phase_) {
    case Phase::kPredeal:
    case Phase::kLegen:
    case Phase::kSchieber:
    case Phase::kSchieberPush:
      return legal_opening();
    case Phase::kHzOffer:
    case Phase::kHzAccept:
    case Phase::kHzReturn:
    case Phase::kHzOverride:
      return legal_hochzeit();
    case Phase::kZupfTarget:
    case Phase::kZupfGive:
    case Phase::kJungfrau:
      return legal_announcement();
    case Phase::kDouble: {
      ActionMask mask;
      mask.add(kActionDouble);
      mask.add(kActionNoDouble);
      return mask;
    }
    case Phase::kClaimSettle:
      return legal_settlement();
    case Phase::kDone:
      return {};
    default:
      return legal_auction();
  }
}

/// Everything but a card in PLAY.
void Game::apply_other(Action action) {
  switch (phase_) {
    case Phase::kPredeal:
    case Phase::kLegen:
    case Phase::kSchieber:
    case Phase::kSchieberPush:
      return apply_opening(action);
    case Phase::kHzOffer:
    case Phase::kHzAccept:
    case Phase::kHzReturn:
    case Phase::kHzOverride:
      return apply_hochzeit(action);
    case Phase::kZupfTarget:
    case Phase::kZupfGive:
    case Phase::kJungfrau:
      return apply_announcement(action);
    case Phase::kDouble:
      return apply_double(action);
    case Phase::kPlay:
      return apply_claim(action);
    case Phase::kClaimSettle:
      return apply_settlement(action);
    case Phase::kDone:
      return;
    default:
      return apply_auction(action);
  }
}

void Game::apply(Action action) {
  const std::string why = legal_actions().contains(action) ? std::string() : why_illegal(action);
  if (!why.empty()) refuse(why);
  apply_unchecked(action);
}

namespace {

/// The rule that forbids a card of the own hand, in words.
std::string card_reason(const PlayState<std::uint32_t>& state, std::uint32_t card) {
  const std::uint32_t hand = state.hand[state.turn];
  if ((hand & card) == 0) return "not in the hand";
  const CardSet called(hand & state.bound);
  if (state.on_table == 0) {
    return "the called suit may be led only with " + to_string(called) + ", R-118";
  }
  if ((hand & state.led_group) != 0) {
    if ((hand & state.led_group & state.bound) != 0) {
      return "the called ace " + to_string(called) + " is searched, R-115";
    }
    return "the led suit must be followed, R-112";
  }
  return "the called ace may not be discarded yet, R-116";
}

}  // namespace

std::string Game::why_illegal(Action action) const {
  const ActionMask mask = legal_actions();
  if (mask.contains(action)) return {};
  if (is_terminal()) return "the deal is over; no action is legal";
  std::string text =
      "seat " + std::to_string(to_move_) + " in phase " + std::string(phase_name(phase_)) + ": ";
  if (phase_ == Phase::kPlay && action < kNumCards) {
    text += card_name(action) + ": " + card_reason(play_, CardSet::of(action).bits());
  } else {
    text += action_name(action) + " is not legal";
  }
  return text + "; legal: " + to_string(mask);
}

void Game::set_words(const PlayConstants& words) {
  play_.trumps = words.trumps;
  play_.top = words.top;
  play_.second = words.second;
  play_.low_tens = words.low_tens;
  play_.run_min = rules_->run_min();
  play_.window = rules_->discard_window();
}

void Game::set_contract(const Contract& contract) {
  const ContractRow& row = contract_row(contract.contract);
  has_contract_ = true;
  open_hand_ = row.open_hand;
  details_public_ = true;
  class_ = contract.contract;
  tout_ = contract.tout;
  bid_ = static_cast<std::uint8_t>(contract.bid);
  renonce_ = contract.renonce;
  declarer_ = static_cast<std::int8_t>(contract.declarer);
  const int trump_suit = rules_->trump_suit(class_, contract.suit);
  suit_ = trump_suit < 0 ? Suit::kHerz : static_cast<Suit>(trump_suit);
  set_words(rules_->play(class_, suit_));
  // in Ramsch and games against all tricks nothing is claimed (OPEN-52)
  claims_ =
      static_cast<std::uint8_t>(rules_->rules().claims_enabled && row.goal == Goal::kMajority);
  find_parties(row, contract);
  if (row.goal == Goal::kFixedHand) {
    finish();
    return;
  }
  announce();
}

void Game::find_parties(const ContractRow& row, const Contract& contract) {
  if (declarer_ >= 0) party_ = static_cast<std::uint8_t>(1 << declarer_);
  switch (row.parties) {
    case Parties::kCalledCard:
      called_ = contract.called;
      play_.bound = CardSet::of(called_).bits();
      play_.call_group = suit_bits(called_ >> 3) & ~play_.trumps;
      for (int seat = 0; seat < seats(); ++seat) {
        if ((play_.hand[seat] & play_.bound) != 0) owner_ = static_cast<std::int8_t>(seat);
      }
      if (owner_ < 0) play_.bound = 0;  // an endgame in which it has been played
      partner_ = owner_;
      break;
    case Parties::kHochzeit:
      partner_known_ = true;
      break;
    case Parties::kOppositeSeats: {
      partner_known_ = true;
      no_declarer_pairs_ = declarer_ < 0;
      if (declarer_ >= 0) partner_ = static_cast<std::int8_t>((declarer_ + 2) % seats());
      if (declarer_ >= 0) break;
      // C.5: who laid first, else who holds the highest trump, until somebody doubles
      int first = first_laid_;
      for (int seat = 0; first < 0 && seat < seats(); ++seat) {
        if (hand(seat).contains(rules_->trumps(class_, suit_).cards[0])) first = seat;
      }
      if (first >= 0) party_ = static_cast<std::uint8_t>(0b0101 << (first & 1));
      break;
    }
    case Parties::kAlone:
    case Parties::kEveryone:
      break;
  }
  if (partner_ >= 0) party_ = static_cast<std::uint8_t>(party_ | (1 << partner_));
}

int Game::choose_card_map(int seat) const {
  const int trump_suit = rules_->trump_suit(class_, suit_);
  return schafkopf::choose_card_map(
      CardSet(play_.top | play_.second), trump_suit < 0 ? kNumSuits : trump_suit,
      called_ == kNoCard ? kNumSuits : called_ >> 3, CardSet(play_.hand[seat]));
}

void Game::start_play() {
  for (int seat = 0; seat < seats(); ++seat) {
    card_maps_[seat] = static_cast<std::uint8_t>(choose_card_map(seat));
  }
  phase_ = Phase::kPlay;
  // the winner of the last trick, where tricks came before the contract (C.20.10)
  if (first_play_ == 0) play_.turn = static_cast<std::uint32_t>(forehand());
  to_move_ = static_cast<std::uint8_t>(play_.turn);
  if (round_row().opening == Opening::kForehandPlays && !direct_start_ && !from_position_) {
    open_doubled();
    return;
  }
  plan_stop();
  if (!closed_) open_windows();
}

/// Card number at which apply_card must look: next card while windows may open, next trick while a
/// lost trick decides, else the end of the deal.
void Game::plan_stop() {
  const ContractRow& row = contract_row(class_);
  const bool windows = !closed_ && play_.num_played - first_play_ < play_.seats &&
                       rules_->has_windows() && rules_->max_doublings(row) > 0;
  const bool one_trick_decides =
      (tout_ || row.goal == Goal::kNoTrick) && rules_->rules().early_termination;
  const std::uint32_t end = static_cast<std::uint32_t>(rules_->deck().count());
  if (windows) {
    play_.next_stop = play_.num_played + 1;
  } else if (one_trick_decides) {
    play_.next_stop = play_.num_played + play_.seats - play_.on_table;
  } else {
    play_.next_stop = end;
  }
}

/// E.2, OPEN-49: running away proves the party at once.
void Game::run_away() {
  ran_away_ = true;
  partner_known_ = true;
  add_event(called_, true);
}

void Game::stop_here() {
  if (play_.num_played >= static_cast<std::uint32_t>(rules_->deck().count())) {
    finish();
    return;
  }
  if (!has_contract_) {  // C.20.10: three tricks are played, their last winner must play
    first_play_ = num_plays_;
    const bool took_all = captured(static_cast<int>(play_.turn)).count() == num_plays_;
    begin_naming(static_cast<int>(play_.turn), took_all ? Naming::kSolo : Naming::kSoloNoTout);
    return;
  }
  if (play_.on_table == 0 && rules_->rules().early_termination) {
    const ContractRow& row = contract_row(class_);
    const bool declarer_won = static_cast<int>(play_.turn) == declarer_;
    if ((tout_ && !declarer_won) || (row.goal == Goal::kNoTrick && declarer_won)) {
      finish();
      return;
    }
  }
  plan_stop();
  if (!closed_) open_windows();
}

void Game::finish() {
  phase_ = Phase::kDone;
  if (called_ != kNoCard) partner_known_ = true;
  if (rules_->settles_by_claim()) ask_settlement();
}

Outcome Game::outcome() const {
  Outcome outcome;
  outcome.contract = contract();
  outcome.thrown_in = thrown_in_ || !has_contract_;
  outcome.stock_deposit = outcome.thrown_in && all_pass_ == AllPass::kStock;
  outcome.all_passed = all_passed_;
  outcome.declarer_party = party_;
  outcome.level = level_;
  outcome.legen = laid_;
  outcome.defenders_doubled_last = level_ > 0 && !declarers_doubled_last_;
  outcome.forehand = forehand();
  outcome.announced = virgins_;
  outcome.claimed_laufende = claimed_laufende_;
  outcome.claimed_schwarz = claimed_schwarz_;
  outcome.offender = offender_;
  outcome.infraction = infraction_;
  if (!has_contract_) return outcome;
  const ContractRow& row = contract_row(class_);
  CardSet party;
  for (int seat = 0; seat < seats(); ++seat) {
    const auto s = static_cast<std::size_t>(seat);
    const CardSet won(play_.taken[seat]);
    outcome.points[s] = static_cast<std::uint8_t>(points_of(won));
    outcome.tricks[s] = static_cast<std::uint8_t>(won.count() / seats());
    if (in_declarer_party(seat)) party = party | start_hand(seat);
    if (row.goal == Goal::kFewestPoints) {
      add_trumps_taken(outcome, s, won & CardSet(play_.trumps), rules_->trumps(class_, suit_));
    }
  }
  if (row.goal == Goal::kFixedHand) {
    outcome.points[static_cast<std::size_t>(declarer_)] = kTotalPoints;
    outcome.tricks[static_cast<std::size_t>(declarer_)] =
        static_cast<std::uint8_t>(rules_->cards_per_hand());
  }
  if (!from_position_) outcome.laufende = payable_laufende(outcome.contract, party, *rules_);
  return outcome;
}

Settlement Game::settlement() const { return settle(outcome(), *rules_, context_); }

std::array<std::int32_t, kNumSeats> Game::payoffs() const {
  if (!is_terminal()) {
    refuse("payoffs: the deal is not over, seat " + std::to_string(to_move_) + " is to act");
  }
  return settlement().payoffs;
}

Event Game::event(int i) const {
  const std::uint16_t packed = events_[i];
  return {static_cast<Action>(packed & 0x7F), static_cast<std::uint8_t>((packed >> 8) & 3),
          static_cast<std::uint8_t>((packed >> 10) & 31), (packed & 0x80) != 0,
          (packed & 0x8000) == 0};
}

void Game::add_event(Action action, bool flag) {
  SCHAFKOPF_ASSERT(num_events_ < kMaxEvents);
  events_[num_events_++] = static_cast<std::uint16_t>(action | (flag ? 0x80 : 0) | (to_move_ << 8) |
                                                      ((num_plays_ & 31) << 10) | 0x8000);
}

void Game::add_secret(Action action) {
  add_event(action);
  events_[num_events_ - 1] &= 0x7FFF;
  ++num_secret_;
}

CardSet Game::open_cards() const {
  if (!open_hand_) return {};
  const bool after_trick = rules_->rules().brett_reveal == BrettReveal::kAfterFirstTrick;
  const bool shown = !after_trick || play_.num_played >= play_.seats;
  return shown ? hand(declarer_) : CardSet{};
}

// Free functions on partial hands

namespace {

PlayState<std::uint32_t> bare_state(ContractClass contract, Suit trump_suit, const RuleSet& rules) {
  const ContractRow& row = contract_row(contract);
  const bool partner = row.trump_suit == TrumpSuit::kPartnerSuit;
  const Suit suit = partner ? rules.partner_trump_suit : trump_suit;
  CardSet trumps = trumps_of(row, suit);
  if (row.goal == Goal::kFewestPoints && rules.ramsch_trumps == RamschTrumps::kNoHerz) {
    trumps = trumps_of(contract_row(contract), suit) &
             (CardSet::rank(row.trump_ranks[0]) | CardSet::rank(row.trump_ranks[1]));
  }
  PlayState<std::uint32_t> state{};
  state.trumps = trumps.bits();
  if (row.num_trump_ranks > 0) state.top = CardSet::rank(row.trump_ranks[0]).bits();
  if (row.num_trump_ranks > 1) state.second = CardSet::rank(row.trump_ranks[1]).bits();
  if (row.plain_order == PlainOrder::kLowTen) state.low_tens = CardSet::rank(Rank::k10).bits();
  state.seats = 8;  // never full: the caller counts
  return state;
}

/// Lay the trick on the table of a bare state: seats do not matter to what may follow.
void lay(PlayState<std::uint32_t>& state, std::span<const Card> trick) {
  for (std::size_t i = 0; i < trick.size(); ++i) {
    const std::uint32_t card = CardSet::of(trick[i]).bits();
    const std::uint32_t group = group_of(state, card);
    if (i == 0) state.led_group = group;
    if (i == 0 || (card & state.beaters) != 0) {
      state.beaters = beaters_of(state, card, group);
      state.winner = static_cast<std::uint32_t>(i);
    }
    ++state.on_table;
  }
}

}  // namespace

CardSet legal(CardSet hand, std::span<const Card> trick, ContractClass contract, Suit trump_suit,
              Card called, bool released, const RuleSet& rules) {
  PlayState<std::uint32_t> state = bare_state(contract, trump_suit, rules);
  state.hand[0] = hand.bits();
  state.run_min =
      rules.runaway_enabled ? static_cast<std::uint32_t>(rules.runaway_min_others) : 32u;
  state.window = static_cast<std::uint32_t>(rules.called_discard_window);
  if (called != kNoCard && !released) {
    state.bound = CardSet::of(called).bits();
    state.call_group = suit_bits(called >> 3) & ~state.trumps;
  }
  lay(state, trick);
  return CardSet(legal_cards(state));
}

CardSet callable(CardSet hand, const RuleSet& rules) {
  const CardSet trumps = trumps_of(calling_row(), rules.partner_trump_suit);
  return CardSet(callable_cards(hand.bits(), trumps.bits(), rules.renonce));
}

int laufende(CardSet party, ContractClass contract, Suit trump_suit, const RuleSet& rules) {
  return payable_laufende({.contract = contract, .suit = trump_suit}, party, CompiledRules(rules));
}

int trick_winner(std::span<const Card> trick, ContractClass contract, Suit trump_suit,
                 const RuleSet& rules) {
  PlayState<std::uint32_t> state = bare_state(contract, trump_suit, rules);
  lay(state, trick);
  return static_cast<int>(state.winner);
}

}  // namespace schafkopf
