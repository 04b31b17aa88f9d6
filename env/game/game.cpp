// Game: how a deal is entered, which phase is on, cards, results. Views stand in game_view.cpp,
// bytes and checks in game_bytes.cpp.
#include "env/game/game.h"

#include <string>

#include "env/base/refuse.h"
#include "env/cards/card_map.h"
#include "env/cards/four_sets.h"
#include "env/game/announcement.h"
#include "env/game/auction.h"
#include "env/game/claims.h"
#include "env/game/doubling.h"
#include "env/game/hochzeit.h"
#include "env/game/laid.h"
#include "env/game/opening.h"
#include "env/game/refusal.h"

namespace schafkopf {
namespace {

[[noreturn]] void refuse_context(const char* what, int value, int most) {
  refuse("context: " + std::string(what) + " = " + std::to_string(value) + ", allowed: 0.." +
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

/// Modes that a table cannot play are switched off in rule sets; here a context may ask for one.
void check_mode(const CompiledRules& rules, SpecialRound mode) {
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

}  // namespace

Game::Game(const CompiledRules& rules, int dealer, const DealContext& context, Blank) {
  if (dealer < 0 || dealer >= rules.seats()) {
    refuse("dealer = " + std::to_string(dealer) + ", allowed: 0.." +
           std::to_string(rules.seats() - 1));
  }
  table_.rules = &rules;
  table_.play.seats = static_cast<std::uint32_t>(rules.seats());
  table_.context = context;
  table_.dealer = static_cast<std::uint8_t>(dealer);
}

Game::Game(const CompiledRules& rules, const Deal& deal, int dealer, const DealContext& context)
    : Game(rules, deal, dealer, context, Entered{}) {
  go_on(opening::begin(table_));
}

Game::Game(const CompiledRules& rules, const Deal& deal, int dealer, const DealContext& context,
           Entered)
    : Game(rules, dealer, context, Blank{}) {
  check_context(context);
  check_mode(rules, special_round());
  // a high packet is kept back: forehand gets it, the dealer so many cards fewer (C.20.6)
  const bool packet = table_.mode().opening == Opening::kPackets;
  const int kept_back = packet ? rules.rules().schieber_cards : 0;  // no branch on the dealer
  CardSet seen;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const CardSet hand = deal.hand(seat);
    const int size = (seat < seats() ? rules.cards_per_hand() : 0) -
                     (kept_back & -static_cast<int>(seat == dealer));
    if (hand.count() != size || !(hand & seen).empty() || !(hand - rules.deck()).empty()) {
      refuse("hand of seat " + std::to_string(seat) + " (" + to_string(hand) + ") needs " +
             std::to_string(size) + " cards of the deck that no other seat holds");
    }
    seen = seen | hand;
    table_.play.hand[seat] = hand.bits();
    table_.first_half[seat] = deal.first[static_cast<std::size_t>(seat)].bits();
  }
  check_fixed_cards(deal.hand(forehand()), rules.deck() - seen);
  announcement_.drawn = deal.zupf;
  table_.aside = (rules.deck() - seen).bits();
  auction_.active = static_cast<std::uint8_t>((1 << seats()) - 1);
  table_.to_move = static_cast<std::uint8_t>(forehand());
}

void Game::check_fixed_cards(CardSet forehand_hand, CardSet missing) const {
  const CardSet fixed = table_.fixed_cards();
  if (table_.mode().opening == Opening::kPackets && missing != fixed) {
    refuse("hands: a Schieber deal leaves out " + to_string(fixed) + " (C.20.6), it leaves out " +
           to_string(missing));
  }
  if (table_.mode().opening == Opening::kFixedCards && !(fixed - forehand_hand).empty()) {
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

/// Row of a contract. Throws for what is no class or suit, before a table is asked.
const ContractRow& row_of(const Contract& contract) {
  if (static_cast<int>(contract.contract) >= kNumContractClasses) {
    refuse("contract = " + std::to_string(static_cast<int>(contract.contract)) +
           ", allowed: the classes of ContractClass, 0.." +
           std::to_string(kNumContractClasses - 1));
  }
  if (static_cast<int>(contract.suit) >= kNumSuits) {
    refuse("suit = " + std::to_string(static_cast<int>(contract.suit)) + ", allowed: 0.." +
           std::to_string(kNumSuits - 1));
  }
  return contract_row(contract.contract);
}

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
    refuse(name + ": declarer = " + std::to_string(contract.declarer) + ", allowed: " +
           (most < 0 ? std::string("none (-1)")
                     : std::to_string(least) + ".." + std::to_string(most)));
  }
  const bool steigern = rules.rules().solo_contest == SoloContest::kSteigern;
  const bool bid_fits =
      contract.bid == 0 || (steigern && contract.bid >= 70 && contract.bid <= 120 &&
                            contract.bid % 10 == 0 && row.takes_bid());
  if (!bid_fits) {
    refuse(name + ": bid = " + std::to_string(contract.bid) +
           ", allowed: 0, and with solo_contest = steigern 70, 80 .. 120 in single games "
           "but negative ones (D.5, R-098)");
  }
  const bool calls = row.parties == Parties::kCalledCard;
  if (!calls && contract.called != kNoCard) {
    refuse(name + ": called card " + card_name(contract.called) +
           ", allowed: none: only partner games call one (C.1)");
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
           ", allowed: the seat that accepted (C.3, R-031)");
  }
  if (!needs_partner(row) && start.partner >= 0) {
    refuse(name + ": partner = " + std::to_string(start.partner) +
           ", allowed: only with an accepted partner (C.3)");
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
      refuse(of_seat + " holds " + std::to_string(hand.count()) +
             " cards, allowed: " + std::to_string(needed) + " as seat 0 has");
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
    refuse("position: hands and captured cards do not make the whole deck, missing: " +
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
         ", allowed: " + allowed);
}

}  // namespace

Game Game::with_contract(const CompiledRules& rules, const Deal& deal, int dealer,
                         const CardPlayStart& start, const DealContext& context) {
  // the mode has had its say: what it changed stands in the contract and the exchange
  check_context(context);
  DealContext plain = context;
  plain.special_round = 0;
  Game game(rules, deal, dealer, plain, Entered{});
  game.table_.context = context;
  const ContractRow& row = row_of(start.contract);
  check_start(rules, start, row);
  check_laid(rules.rules(), dealer, start.laid);
  for (const int seat : start.laid) {
    if (game.opening_.laid++ == 0) game.opening_.first_laid = static_cast<std::int8_t>(seat);
    game.table_.to_move = static_cast<std::uint8_t>(seat);
    game.table_.add_event(kActionLay);
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
    const CardSet cards(auction::callable_in(game.table_, row, declarer));
    if (!cards.contains(start.contract.called)) {
      refuse(name + ": called card " + card_name(start.contract.called) +
             " is not callable (C.1, R-027); callable: " + to_string(cards));
    }
  }
  if (row.goal == Goal::kFixedHand && game.hand(start.contract.declarer) != rules.fixed_hand()) {
    refuse(name + ": the declarer must hold " + to_string(rules.fixed_hand()) + " (C.19)");
  }
  game.table_.entry = Entry::kCardPlay;
  game.table_.contract.partner = static_cast<std::int8_t>(start.partner);
  game.go_on(game.set_contract(start.contract));
  return game;
}

void Game::enter_exchange(const Exchange& step) {
  const bool seats_fit = step.from >= 0 && step.from < seats() && step.to >= 0 &&
                         step.to < seats() && step.from != step.to;
  if (!seats_fit || step.cards.empty() || !(step.cards - hand(step.from)).empty()) {
    refuse("exchange: seat " + std::to_string(step.from) + " cannot give " + to_string(step.cards) +
           " to seat " + std::to_string(step.to));
  }
  if (const CardSet back = step.cards & given(step.to); !back.empty()) {
    refuse("exchange: " + to_string(back) + " comes back to seat " + std::to_string(step.to) +
           ", which passed it on; no card comes back (C.3, C.20)");
  }
  table_.move_cards(step.from, step.to, step.cards.bits());
}

Game Game::from_position(const CompiledRules& rules, const Position& position) {
  const ContractRow& row = row_of(position.contract);
  check_contract(rules, position.contract, row);
  if (row.goal == Goal::kFixedHand) {
    refuse(std::string(row.name) + ": allowed: no position: it is laid down at once (C.19)");
  }
  check_cards(rules, position);
  check_partner(rules, position, row);
  Game game(rules, position.dealer, DealContext{}, Blank{});
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const auto s = static_cast<std::size_t>(seat);
    PlayState<std::uint32_t>& play = game.table_.play;
    play.hand[seat] = position.hands[s].bits();
    game.table_.first_half[seat] = position.hands[s].bits();
    play.taken[seat] = position.captured[s].bits();
    // who played them is not known: shown as played by the winner, so that unseen cards are right
    play.played[seat] = position.captured[s].bits();
  }
  game.table_.entry = Entry::kPosition;
  game.doubling_.closed = true;
  game.table_.play.num_played =
      static_cast<std::uint32_t>(rules.deck().count() - position.hands[0].count() * game.seats());
  game.go_on(game.set_contract(position.contract));
  ContractState& contract = game.table_.contract;
  if (position.partner >= 0 && contract.opposite_pairs) {
    contract.party = static_cast<std::uint8_t>(0b0101 << (position.partner & 1));
  } else if (position.partner >= 0) {
    contract.party = static_cast<std::uint8_t>(contract.party | (1 << position.partner));
    contract.owner = static_cast<std::int8_t>(position.partner);
    contract.partner = contract.owner;
    contract.partner_known = true;
  }
  game.table_.play.turn = static_cast<std::uint32_t>(position.leader);
  game.table_.to_move = static_cast<std::uint8_t>(position.leader);
  return game;
}

// Which phase is on

void Game::go_through(Next next) {
  while (next.step != Next::Step::kAnswer) next = begin_step(next);
}

Next Game::begin_step(Next next) {
  // what most deals come through: tests that can be foretold, where a table of jumps could not
  if (next.step == Next::Step::kAuction) return auction::begin(table_);
  if (next.step == Next::Step::kContract) return set_contract(table_.contract.value());
  if (next.step == Next::Step::kPlay) {
    start_play();
    return Next::answer();
  }
  switch (next.step) {
    case Next::Step::kAnswer:
    case Next::Step::kAuction:
    case Next::Step::kContract:
    case Next::Step::kPlay:
      break;
    case Next::Step::kHochzeit:
      return hochzeit::begin(hochzeit_, table_);
    case Next::Step::kContest:
      return auction::contest(auction_, table_, next.seat, next.naming);
    case Next::Step::kNaming:
      return auction::begin_naming(auction_, table_, next.seat, next.naming);
    case Next::Step::kAllPassed:
      if (table_.rule_set().hochzeit == HochzeitMode::kAfterAllPass && table_.mode().hochzeit &&
          !hochzeit_.asked) {
        return hochzeit::begin(hochzeit_, table_);
      }
      return auction::all_passed(auction_, table_);
    case Next::Step::kExchange:
      return announcement::begin_exchange(table_);
    case Next::Step::kThrowIn:
      throw_in(next.how);
      break;
  }
  return Next::answer();
}

/// Every phase but PLAY.
ActionMask Game::legal_answers() const {
  if (auction::is_on(table_.phase)) return auction::legal(auction_, table_);  // most questions
  switch (table_.phase) {
    case Phase::kPredeal:
    case Phase::kLegen:
    case Phase::kSchieber:
    case Phase::kSchieberPush:
      return opening::legal(table_);
    case Phase::kHzOffer:
    case Phase::kHzAccept:
    case Phase::kHzReturn:
    case Phase::kHzOverride:
      return hochzeit::legal(hochzeit_, table_);
    case Phase::kZupfTarget:
    case Phase::kZupfGive:
    case Phase::kJungfrau:
      return announcement::legal(table_);
    case Phase::kDouble:
      return doubling::legal();
    case Phase::kClaimSettle:
      return claims::legal_settlement(claims_, table_);
    default:
      return {};
  }
}

/// Everything but a card in PLAY.
void Game::apply_other(Action action) {
  if (auction::is_on(table_.phase)) return go_on(auction::apply(auction_, table_, action));
  switch (table_.phase) {
    case Phase::kPredeal:
    case Phase::kLegen:
    case Phase::kSchieber:
    case Phase::kSchieberPush:
      return go_on(opening::apply(opening_, table_, action));
    case Phase::kHzOffer:
    case Phase::kHzAccept:
    case Phase::kHzReturn:
    case Phase::kHzOverride:
      return go_on(hochzeit::apply(hochzeit_, table_, action));
    case Phase::kZupfTarget:
    case Phase::kZupfGive:
    case Phase::kJungfrau:
      return go_on(announcement::apply(announcement_, table_, action));
    case Phase::kDouble:
      doubling::apply(doubling_, table_, action);
      if (table_.phase == Phase::kPlay) plan_stop();
      return;
    case Phase::kPlay:
      claims::lay_down(claims_, table_, action);
      return finish();
    case Phase::kClaimSettle:
      claims::apply_settlement(claims_, table_, action);
      return finish();
    default:
      return;
  }
}

void Game::apply(Action action) {
  if (!legal_actions().contains(action)) {
    if (const auto refusal = refusal_of(*this, action)) throw IllegalAction(*refusal);
  }
  apply_unchecked(action);
}

std::string Game::why_illegal(Action action) const {
  const auto refusal = refusal_of(*this, action);
  return refusal ? to_string(*refusal) : std::string();
}

// From the contract to the end

Next Game::set_contract(const Contract& contract) {
  ContractState& named = table_.contract;
  const CompiledRules& rules = *table_.rules;
  const ContractRow& row = contract_row(contract.contract);
  named.name(contract);
  const int trump_suit = rules.trump_suit(named.row, named.suit);
  named.suit = trump_suit < 0 ? Suit::kHerz : static_cast<Suit>(trump_suit);
  named.fixed = true;
  named.details_public = true;
  named.open_hand = row.open_hand;
  table_.set_words(rules.play(named.row, named.suit));
  // in Ramsch and games against all tricks nothing is claimed (OPEN-52)
  table_.claims_rest =
      static_cast<std::uint8_t>(rules.rules().claims_enabled && row.goal == Goal::kMajority);
  find_parties(row);
  if (row.goal != Goal::kFixedHand) return announcement::begin(table_);
  finish();
  return Next::answer();
}

void Game::find_parties(const ContractRow& row) {
  ContractState& contract = table_.contract;
  PlayState<std::uint32_t>& play = table_.play;
  const int declarer = contract.declarer;
  if (declarer >= 0) contract.party = static_cast<std::uint8_t>(1 << declarer);
  switch (row.parties) {
    case Parties::kCalledCard:
      play.bound = CardSet::of(contract.called).bits();
      play.call_group = CardSet::suit(suit_of(contract.called)).bits() & ~play.trumps;
      for (int seat = 0; seat < seats(); ++seat) {
        if ((play.hand[seat] & play.bound) != 0) contract.owner = static_cast<std::int8_t>(seat);
      }
      if (contract.owner < 0) play.bound = 0;  // an endgame in which it has been played
      contract.partner = contract.owner;
      break;
    case Parties::kHochzeit:
      contract.partner_known = true;
      break;
    case Parties::kOppositeSeats: {
      contract.partner_known = true;
      contract.opposite_pairs = declarer < 0;
      if (declarer >= 0) contract.partner = static_cast<std::int8_t>((declarer + 2) % seats());
      if (declarer >= 0) break;
      // C.5: who laid first, else who holds the highest trump, until somebody doubles
      const Card highest = table_.rules->trumps(contract.row, contract.suit).cards[0];
      int first = opening_.first_laid;
      for (int seat = 0; first < 0 && seat < seats(); ++seat) {
        if (hand(seat).contains(highest)) first = seat;
      }
      if (first >= 0) contract.party = static_cast<std::uint8_t>(0b0101 << (first & 1));
      break;
    }
    case Parties::kAlone:
    case Parties::kEveryone:
      break;
  }
  if (contract.partner >= 0) {
    contract.party = static_cast<std::uint8_t>(contract.party | (1 << contract.partner));
  }
}

void Game::start_play() {
  const ContractState& contract = table_.contract;
  const PlayState<std::uint32_t>& play = table_.play;
  const int trump_suit = table_.rules->trump_suit(contract.row, contract.suit);
  const auto maps =
      choose_card_maps(CardSet(play.top | play.second), trump_suit < 0 ? kNumSuits : trump_suit,
                       contract.called == kNoCard ? kNumSuits : contract.called >> 3,
                       std::span(play.hand).first(static_cast<std::size_t>(seats())));
  std::ranges::copy(maps, table_.card_maps);
  // the winner of the last trick leads, where tricks came before the contract (C.20.10)
  if (table_.first_play == 0) table_.play.turn = static_cast<std::uint32_t>(forehand());
  table_.ask(Phase::kPlay, static_cast<int>(play.turn));
  if (table_.mode().opening == Opening::kForehandPlays && table_.entry != Entry::kPosition) {
    doubling::open_doubled(doubling_, table_);
    if (table_.phase == Phase::kPlay) plan_stop();
    return;
  }
  plan_stop();
  doubling::open_windows(doubling_, table_);
}

/// Card number at which apply_card must look: next card while windows may open, next trick while a
/// lost trick decides, else the end of the deal.
void Game::plan_stop() {
  PlayState<std::uint32_t>& play = table_.play;
  const CompiledRules& rules = *table_.rules;
  const ContractRow& row = table_.row();
  const bool windows = !doubling_.closed && rules.has_windows() &&
                       play.num_played - table_.first_play < play.seats &&
                       rules.max_doublings(row) > 0;
  // no branch on the game, which nobody can foretell
  const int may_decide =
      static_cast<int>(table_.contract.tout) | static_cast<int>(row.goal == Goal::kNoTrick);
  const bool one_trick_decides = rules.rules().early_termination && may_decide != 0;
  const std::uint32_t end = static_cast<std::uint32_t>(rules.deck().count());
  if (windows) {
    play.next_stop = play.num_played + 1;
  } else if (one_trick_decides) {
    play.next_stop = play.num_played + play.seats - play.on_table;
  } else {
    play.next_stop = end;
  }
}

/// E.2, OPEN-49: running away proves the party at once.
void Game::run_away() {
  table_.contract.ran_away = true;
  table_.contract.partner_known = true;
  table_.add_event(table_.contract.called, true);
}

void Game::stop_here() {
  const PlayState<std::uint32_t>& play = table_.play;
  if (play.num_played >= static_cast<std::uint32_t>(table_.rules->deck().count())) {
    finish();
    return;
  }
  const int turn = static_cast<int>(play.turn);
  if (!has_contract()) {  // C.20.10: three tricks are played, their last winner must play
    table_.first_play = table_.num_plays;
    const bool took_all = captured(turn).count() == num_plays();
    go_on(Next::name(turn, took_all ? Naming::kSolo : Naming::kSoloNoTout));
    return;
  }
  if (play.on_table == 0 && table_.rule_set().early_termination) {
    const bool declarer_won = turn == table_.contract.declarer;
    const bool no_trick = table_.row().goal == Goal::kNoTrick;
    if ((table_.contract.tout && !declarer_won) || (no_trick && declarer_won)) {
      finish();
      return;
    }
  }
  plan_stop();
  doubling::open_windows(doubling_, table_);
}

void Game::throw_in(AllPass how) {
  auction_.how = how;
  auction_.thrown_in = true;
  finish();
}

void Game::infract(int seat, Infraction infraction) {
  if (claims::infract(claims_, table_, seat, infraction)) finish();
}

namespace {

/// x / 3 of numbers of cards, also side by side.
template <class Words>
constexpr Words thirds_of(Words x) {
  return (x * 43u) >> 7;
}
static_assert([] {
  for (unsigned cards = 0; cards <= kNumCards; ++cards) {
    if (thirds_of(cards) != cards / 3) return false;
  }
  return true;
}());

}  // namespace

/// The deal is over, but for what is asked after it (G.5).
void Game::finish() {
  table_.phase = Phase::kDone;
  if (table_.contract.called != kNoCard) table_.contract.partner_known = true;
  if (!table_.rules->settles_by_claim()) return;
  (void)claims::ask_settlement(claims_, table_, settlement().won);
}

Outcome Game::outcome() const {
  Outcome outcome;
  outcome.contract = contract();
  outcome.thrown_in = auction_.thrown_in || !has_contract();
  outcome.stock_deposit = outcome.thrown_in && all_pass() == AllPass::kStock;
  outcome.all_passed = auction_.all_passed;
  outcome.declarer_party = declarer_party();
  outcome.level = doubling_level();
  outcome.legen = num_laid();
  outcome.defenders_doubled_last = doubling_level() > 0 && !doubling_.declarers_doubled_last;
  outcome.forehand = forehand();
  outcome.announced = announcement_.virgins;
  outcome.claimed_laufende = claims_.laufende;
  outcome.claimed_schwarz = claims_.schwarz;
  outcome.offender = claims_.offender;
  outcome.infraction = claims_.infraction;
  if (!has_contract()) return outcome;
  const ContractState& contract = table_.contract;
  const ContractRow& row = table_.row();
  // a seat that is not there has won nothing
  const FourSets won = load_four(table_.play.taken);
  const FourSets points = points_of(won), cards = count_cards(won);
  const FourSets tricks = seats() == kNumSeats ? cards >> 2 : thirds_of(cards);
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    outcome.points[seat] = static_cast<std::uint8_t>(points[seat]);
    outcome.tricks[seat] = static_cast<std::uint8_t>(tricks[seat]);
  }
  if (row.goal == Goal::kFewestPoints) {
    for (int seat = 0; seat < seats(); ++seat) {
      add_trumps_taken(outcome, static_cast<std::size_t>(seat),
                       captured(seat) & CardSet(table_.play.trumps),
                       table_.rules->trumps(contract.row, contract.suit));
    }
  }
  if (row.goal == Goal::kFixedHand) {
    const auto declarer = static_cast<std::size_t>(contract.declarer);
    outcome.points[declarer] = kTotalPoints;
    outcome.tricks[declarer] = static_cast<std::uint8_t>(rules().cards_per_hand());
  }
  if (table_.entry != Entry::kPosition) {
    const FourSets at_start = load_four(table_.play.hand) | load_four(table_.play.played);
    outcome.laufende = payable_laufende(outcome.contract,
                                        CardSet(cards_of_seats(at_start, contract.party)), rules());
  }
  return outcome;
}

void Game::check_over(const char* asked) const {
  if (is_terminal()) return;
  refuse(asked + std::string(": the deal is not over, seat ") + std::to_string(current_player()) +
         " is to act");
}

Settlement Game::settlement() const {
  check_over("settlement");
  return settle(outcome(), rules(), context());
}

std::array<std::int32_t, kNumSeats> Game::payoffs() const {
  check_over("payoffs");
  return settlement().payoffs;
}

CardSet Game::open_cards() const {
  if (!table_.contract.open_hand) return {};
  const bool after_trick = table_.rule_set().brett_reveal == BrettReveal::kAfterFirstTrick;
  const bool shown = !after_trick || table_.play.num_played >= table_.play.seats;
  return shown ? hand(table_.contract.declarer) : CardSet{};
}

}  // namespace schafkopf
