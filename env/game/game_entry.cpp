// How a deal is entered: at its beginning, at card play with a given contract, in an endgame; and what
// is refused there.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "env/base/refuse.h"
#include "env/game/auction.h"
#include "env/game/game.h"
#include "env/game/laid.h"
#include "env/game/opening.h"
#include "env/rules/paid_round.h"

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
  leave_paid_round(table_.context);
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

bool Game::begins_for_all() const {
  const bool asks_forehand = table_.phase == Phase::kLegen ||
                             table_.phase == Phase::kAuctionRound ||
                             table_.phase == Phase::kAuctionDirect;
  // who may offer a Hochzeit before the auction lies in the hands; packets and fixed cards have rounds
  const bool usual = seats() == kNumSeats && rules().rules().deck == Deck::kLong32 &&
                     !table_.has_mode() && !hochzeit_.asked;
  return asks_forehand && usual && table_.entry == Entry::kDeal && table_.num_events == 0;
}

namespace {

/// As memcpy, of words of 16 bytes; GCC would take 8.
template <std::size_t kBytes>
void copy_words(void* to, const void* from) {
  using Word = std::uint64_t __attribute__((vector_size(16)));
  static_assert(kBytes % 8 == 0);
  auto* const target = static_cast<std::uint8_t*>(to);
  const auto* const source = static_cast<const std::uint8_t*>(from);
  std::size_t at = 0;
  for (; at + sizeof(Word) <= kBytes; at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, source + at, sizeof word);
    std::memcpy(target + at, &word, sizeof word);
  }
  std::memcpy(target + at, source + at, kBytes - at);
}

}  // namespace

void Game::begin_anew(const Game& first, const Deal& deal) {
  // events that the last deal did not come to are as empty here as there: two lines of the caches
  constexpr int kReached = 32;
  constexpr std::size_t kEvents = offsetof(TableState, events) + kReached * sizeof(std::uint16_t);
  constexpr std::size_t kRest = offsetof(TableState, contract);
  static_assert(offsetof(Game, table_) == 0 && kEvents < kRest);
  if (table_.num_events > kReached) [[unlikely]] {
    *this = first;
  } else {
    copy_words<kEvents>(this, &first);
    copy_words<sizeof(Game) - kRest>(reinterpret_cast<std::uint8_t*>(this) + kRest,
                                     reinterpret_cast<const std::uint8_t*>(&first) + kRest);
  }
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    table_.play.hand[seat] = (deal.first[seat] | deal.second[seat]).bits();
    table_.first_half[seat] = deal.first[seat].bits();
  }
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
  check_numbers(contract.contract, contract.suit);
  return contract_row(contract.contract);
}

/// What a refusal begins with.
std::string name_of_contract(const Contract& contract) {
  return std::string(contract_name(contract.contract, contract.tout));
}

/// Throws for a contract that no deal under these rules can have.
void check_contract(const CompiledRules& rules, const Contract& contract, const ContractRow& row) {
  if (contract.tout && row.tout_action == 0)
    refuse(name_of_contract(contract) + ": this class has no Tout (C.18)");
  if (row.is_partner_game() && rules.seats() != kNumSeats) {
    refuse(name_of_contract(contract) + " needs four seats (B.2)");
  }
  const int least =
      row.parties == Parties::kEveryone || row.parties == Parties::kOppositeSeats ? -1 : 0;
  const int most = row.parties == Parties::kEveryone ? -1 : rules.seats() - 1;
  if (contract.declarer < least || contract.declarer > most) {
    refuse(name_of_contract(contract) + ": declarer = " + std::to_string(contract.declarer) +
           ", allowed: " +
           (most < 0 ? std::string("none (-1)")
                     : std::to_string(least) + ".." + std::to_string(most)));
  }
  const bool steigern = rules.rules().solo_contest == SoloContest::kSteigern;
  const bool bid_fits =
      contract.bid == 0 || (steigern && contract.bid >= 70 && contract.bid <= 120 &&
                            contract.bid % 10 == 0 && row.takes_bid());
  if (!bid_fits) {
    refuse(name_of_contract(contract) + ": bid = " + std::to_string(contract.bid) +
           ", allowed: 0, and with solo_contest = steigern 70, 80 .. 120 in single games "
           "but negative ones (D.5, R-098)");
  }
  const bool calls = row.parties == Parties::kCalledCard;
  if (!calls && contract.called != kNoCard) {
    refuse(name_of_contract(contract) + ": called card " + card_name(contract.called) +
           ", allowed: none: only partner games call one (C.1)");
  }
  if (contract.renonce && (!calls || row.by_duty || rules.rules().renonce != Renonce::kAnnounced)) {
    refuse(name_of_contract(contract) +
           ": renonce, allowed: in a partner game of free choice with renonce = announced (C.2)");
  }
  if (calls && contract.called >= kNumCards) {
    refuse(name_of_contract(contract) + " needs a called card (C.1, R-027)");
  }
}

/// Throws for a Renonce of a declarer who holds cards of the called suit.
void check_renonce(const CompiledRules& rules, const Contract& contract, CardSet hand) {
  if (!contract.renonce) return;
  const CardSet plain = (hand & CardSet::suit(suit_of(contract.called))) - rules.partner_trumps();
  if (plain.empty()) return;
  refuse(name_of_contract(contract) + ": renonce on " + card_name(contract.called) +
         ", but the declarer holds " + to_string(plain) + " (C.2, R-029)");
}

/// Throws for a start that no deal can have.
void check_start(const CompiledRules& rules, const CardPlayStart& start, const ContractRow& row) {
  const Contract& contract = start.contract;
  check_contract(rules, contract, row);
  const bool partner_fits =
      start.partner >= 0 && start.partner < rules.seats() && start.partner != contract.declarer;
  if (needs_partner(row) && !partner_fits) {
    refuse(name_of_contract(contract) + ": partner = " + std::to_string(start.partner) +
           ", allowed: the seat that accepted (C.3, R-031)");
  }
  if (!needs_partner(row) && start.partner != -1) {
    refuse(name_of_contract(contract) + ": partner = " + std::to_string(start.partner) +
           ", allowed: none (-1): only a Hochzeit has an accepted partner (C.3)");
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
    refuse("position: leader = " + std::to_string(position.leader) + ", allowed: 0.." +
           std::to_string(rules.seats() - 1));
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
      refuse(name_of_contract(start.contract) + ": called card " +
             card_name(start.contract.called) + " is not callable (" +
             (row.by_duty ? "C.4, R-040" : "C.1, R-027") +
             "); callable: " + (cards.empty() ? std::string("none") : to_string(cards)));
    }
    check_renonce(rules, start.contract, game.hand(declarer));
  }
  if (row.goal == Goal::kFixedHand && game.hand(start.contract.declarer) != rules.fixed_hand()) {
    refuse(name_of_contract(start.contract) + ": the declarer must hold " +
           to_string(rules.fixed_hand()) + " (C.19)");
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
  if (row.parties == Parties::kCalledCard) {
    const auto declarer = static_cast<std::size_t>(position.contract.declarer);
    check_renonce(rules, position.contract, position.hands[declarer]);
  }
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

}  // namespace schafkopf
