// Game: construction, cards, results. The auction is in auction.cpp, doubling in doubling.cpp,
// views in game_view.cpp, bytes and checks in game_bytes.cpp.
#include "env/game.h"

#include <stdexcept>
#include <string>

#include "env/assert.h"
#include "env/card_map.h"

namespace schafkopf {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument(text); }

std::uint32_t suit_bits(int suit) { return CardSet::suit(static_cast<Suit>(suit)).bits(); }

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
    : Game(rules, dealer, context, Blank{}) {
  CardSet seen;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const CardSet hand = deal.hand(seat);
    const int size = seat < seats() ? rules.cards_per_hand() : 0;
    if (hand.count() != size || !(hand & seen).empty() || !(hand - rules.deck()).empty()) {
      refuse("hand of seat " + std::to_string(seat) + " (" + to_string(hand) + ") needs " +
             std::to_string(size) + " cards of the deck that no other seat holds");
    }
    seen = seen | hand;
    play_.hand[seat] = hand.bits();
  }
  phase_ = rules.rules().auction_style == AuctionStyle::kDirect ? Phase::kAuctionDirect
                                                                : Phase::kAuctionRound;
  active_ = static_cast<std::uint8_t>((1 << seats()) - 1);
  to_move_ = static_cast<std::uint8_t>(forehand());
}

Game Game::with_contract(const CompiledRules& rules, const Deal& deal, int dealer,
                         const Contract& contract, const DealContext& context) {
  Game game(rules, deal, dealer, context);
  const ContractRow& row = contract_row(contract.contract);
  const std::string name(contract_name(contract.contract, contract.tout));
  if (row.by_duty || row.parties == Parties::kHochzeit || row.parties == Parties::kOppositeSeats) {
    refuse("contract " + name + " is not built; built are called, single and everyone's games");
  }
  if (contract.tout && row.tout_action == 0) refuse(name + ": this class has no Tout (C.18)");
  const bool has_declarer = row.parties != Parties::kEveryone;
  const int most = has_declarer ? game.seats() - 1 : -1;
  if (contract.declarer < (has_declarer ? 0 : -1) || contract.declarer > most) {
    refuse(name + ": declarer = " + std::to_string(contract.declarer) + ", allowed " +
           (has_declarer ? "0.." + std::to_string(most) : std::string("none (-1)")));
  }
  if (row.parties == Parties::kCalledCard) {
    const CardSet aces(rules.callable(game.play_.hand[contract.declarer]));
    if (contract.called >= kNumCards || !aces.contains(contract.called)) {
      refuse(name + ": called card " + card_name(contract.called) +
             " is not callable (C.1, R-027); callable: " + to_string(aces));
    }
  }
  if (row.goal == Goal::kFixedHand &&
      game.play_.hand[contract.declarer] != trumps_of(row, Suit::kHerz).bits()) {
    refuse(name + ": the declarer must hold " + to_string(trumps_of(row, Suit::kHerz)) + " (C.19)");
  }
  game.set_contract(contract);
  return game;
}

Game Game::from_position(const CompiledRules& rules, const Position& position) {
  Game game(rules, position.dealer, DealContext{}, Blank{});
  CardSet seen;
  const int size = position.hands[0].count();
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const auto s = static_cast<std::size_t>(seat);
    const CardSet hand = position.hands[s], won = position.captured[s];
    if (hand.count() != (seat < game.seats() ? size : 0) || !((hand | won) & seen).empty() ||
        !(hand & won).empty()) {
      refuse("position: seat " + std::to_string(seat) +
             " needs as many cards as the others, none twice; it has " + to_string(hand));
    }
    seen = seen | hand | won;
    game.play_.hand[seat] = hand.bits();
    game.play_.taken[seat] = won.bits();
    // who played them is not known: shown as played by the winner, so that unseen cards are right
    game.play_.played[seat] = won.bits();
  }
  if (size == 0 || seen != rules.deck()) {
    refuse("position: hands and captured cards must be the whole deck; missing: " +
           to_string(rules.deck() - seen));
  }
  if (position.leader < 0 || position.leader >= game.seats()) {
    refuse("position: leader = " + std::to_string(position.leader));
  }
  game.from_position_ = true;
  game.closed_ = true;
  game.play_.num_played = static_cast<std::uint32_t>(rules.deck().count() - size * game.seats());
  for (int seat = 0; seat < game.seats(); ++seat) {
    if (position.captured[static_cast<std::size_t>(seat)].count() % game.seats() != 0) {
      refuse("position: seat " + std::to_string(seat) + " has captured no whole number of tricks");
    }
  }
  game.set_contract(position.contract);
  if (position.partner >= 0) {
    game.party_ = static_cast<std::uint8_t>(game.party_ | (1 << position.partner));
    game.owner_ = static_cast<std::int8_t>(position.partner);
    game.partner_known_ = true;
  }
  game.play_.turn = static_cast<std::uint32_t>(position.leader);
  game.to_move_ = static_cast<std::uint8_t>(position.leader);
  return game;
}

Contract Game::contract() const { return {class_, tout_, suit_, called_, declarer_, false, 0}; }

/// Every phase but PLAY.
ActionMask Game::legal_answers() const {
  if (is_terminal()) return {};
  if (phase_ != Phase::kDouble) return legal_auction();
  ActionMask mask;
  mask.add(kActionDouble);
  mask.add(kActionNoDouble);
  return mask;
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

void Game::set_contract(const Contract& contract) {
  const ContractRow& row = contract_row(contract.contract);
  has_contract_ = true;
  class_ = contract.contract;
  tout_ = contract.tout;
  declarer_ = static_cast<std::int8_t>(contract.declarer);
  const int trump_suit = rules_->trump_suit(class_, contract.suit);
  suit_ = trump_suit < 0 ? Suit::kHerz : static_cast<Suit>(trump_suit);
  const PlayConstants& words = rules_->play(class_, suit_);
  play_.trumps = words.trumps;
  play_.top = words.top;
  play_.second = words.second;
  play_.low_tens = words.low_tens;
  play_.run_min = rules_->run_min();
  play_.window = rules_->discard_window();
  if (declarer_ >= 0) party_ = static_cast<std::uint8_t>(1 << declarer_);
  if (row.parties == Parties::kCalledCard) {
    called_ = contract.called;
    play_.bound = CardSet::of(called_).bits();
    play_.call_group = suit_bits(called_ >> 3) & ~play_.trumps;
    for (int seat = 0; seat < seats(); ++seat) {
      if ((play_.hand[seat] & play_.bound) != 0) owner_ = static_cast<std::int8_t>(seat);
    }
    if (owner_ < 0) play_.bound = 0;  // an endgame in which it has been played
    if (owner_ >= 0) party_ = static_cast<std::uint8_t>(party_ | (1 << owner_));
  }
  if (row.goal == Goal::kFixedHand) {
    finish();
    return;
  }
  start_play();
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
  play_.turn = static_cast<std::uint32_t>(forehand());
  to_move_ = static_cast<std::uint8_t>(forehand());
  plan_stop();
  if (!closed_) open_windows();
}

/// Card number at which apply_card must look: next card while windows may open, next trick while a
/// lost trick decides, else the end of the deal.
void Game::plan_stop() {
  const ContractRow& row = contract_row(class_);
  const bool windows = !closed_ && play_.num_played < play_.seats && rules_->has_windows() &&
                       rules_->max_doublings(row) > 0;
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
}

Outcome Game::outcome() const {
  Outcome outcome;
  outcome.contract = contract();
  outcome.thrown_in = thrown_in_ || !has_contract_;
  outcome.declarer_party = party_;
  outcome.level = level_;
  outcome.defenders_doubled_last = level_ > 0 && !declarers_doubled_last_;
  outcome.forehand = forehand();
  if (!has_contract_) return outcome;
  const ContractRow& row = contract_row(class_);
  CardSet party;
  for (int seat = 0; seat < seats(); ++seat) {
    const auto s = static_cast<std::size_t>(seat);
    const CardSet won(play_.taken[seat]);
    outcome.points[s] = static_cast<std::uint8_t>(points_of(won));
    outcome.tricks[s] = static_cast<std::uint8_t>(won.count() / seats());
    if (in_declarer_party(seat)) party = party | dealt(seat);
    if (row.goal != Goal::kFewestPoints) continue;
    const TrumpList& trumps = rules_->trumps(class_, suit_);
    // the list goes on into the partner suit even if that is plain (ramsch_trumps = no_herz)
    const CardSet trumps_won = won & CardSet(play_.trumps);
    outcome.trumps_taken[s] = static_cast<std::uint8_t>(trumps_won.count());
    for (int i = trumps.count - 1; i >= 0; --i) {
      if (trumps_won.contains(trumps.cards[static_cast<std::size_t>(i)])) {
        outcome.highest_trump[s] = static_cast<std::uint8_t>(trumps.count - i);
      }
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
  if (!is_terminal()) return {};
  return settlement().payoffs;
}

Event Game::event(int i) const {
  const std::uint16_t packed = events_[i];
  return {static_cast<Action>(packed & 0x7F), static_cast<std::uint8_t>((packed >> 8) & 3),
          static_cast<std::uint8_t>((packed >> 10) & 31), (packed & 0x80) != 0};
}

void Game::add_event(Action action, bool flag) {
  SCHAFKOPF_ASSERT(num_events_ < 32);
  events_[num_events_++] = static_cast<std::uint16_t>(action | (flag ? 0x80 : 0) | (to_move_ << 8) |
                                                      (num_plays_ << 10) | 0x8000);
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
  return CardSet(
      callable_aces(hand.bits(), trumps_of(calling_row(), rules.partner_trump_suit).bits()));
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
