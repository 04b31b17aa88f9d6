// Game: which phase is on, cards, results. How a deal is entered stands in game_entry.cpp, views in
// game_view.cpp, bytes and checks in game_bytes.cpp.
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
#include "env/game/opening.h"
#include "env/game/refusal.h"
#include "env/price/settle.h"

namespace schafkopf {

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
    case Phase::kAuctionRound:
    case Phase::kAuctionResolve:
    case Phase::kAuctionDirect:
    case Phase::kSteigern:
    case Phase::kNameClass:
    case Phase::kNameSuit:
    case Phase::kCallCard:
    case Phase::kAllPassChoice:  // auction::is_on
    case Phase::kPlay:
    case Phase::kDone:
      break;
  }
  return {};
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
    case Phase::kAuctionRound:
    case Phase::kAuctionResolve:
    case Phase::kAuctionDirect:
    case Phase::kSteigern:
    case Phase::kNameClass:
    case Phase::kNameSuit:
    case Phase::kCallCard:
    case Phase::kAllPassChoice:  // auction::is_on
    case Phase::kDone:
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
      const Card highest = table_.rules->trumps(contract.row, contract.suit).cards[0];
      int holder = -1;
      for (int seat = 0; seat < seats(); ++seat) {
        if (hand(seat).contains(highest)) holder = seat;
      }
      const auto party_of = [](int seat) { return seat < 0 ? seat : seat & 1; };
      // nobody has doubled yet (doubling::apply)
      const int party = kreuzbock_party(-1, party_of(opening_.first_laid), party_of(holder));
      if (party >= 0) contract.party = static_cast<std::uint8_t>(0b0101 << party);
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
  outcome.points = bytes_of(points);
  outcome.tricks = bytes_of(tricks);
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
