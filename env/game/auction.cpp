#include "env/game/auction.h"

#include "env/game/auction_round.h"
#include "env/game/contest.h"

namespace schafkopf::auction {
namespace {

/// Debts of an Allgaeuer Runde (DealContext::owed).
constexpr std::uint8_t kOwesRuf = 1, kOwesWenz = 2, kOwesSolo = 4;

/// A game without a declarer who named it.
Next play_without_auction(TableState& table, Parties parties) {
  Contract contract;
  contract.contract = row_of(parties).contract;
  table.contract.name(contract);
  return Next::to(Next::Step::kContract);
}

/// C.20.10: three tricks with the trumps of the partner game, everybody for himself.
Next start_three_tricks(TableState& table) {
  table.set_words(table.rules->play(calling_row().contract, table.rule_set().partner_trump_suit));
  table.phase = Phase::kPlay;
  table.play.turn = static_cast<std::uint32_t>(table.forehand());
  table.play.next_stop = 3 * table.play.seats;
  return Next::answer();
}

// What a seat may name

/// Action that names the game with a called partner, 0 if the mode has none.
Action call_action(const TableState& table) {
  if (table.has_mode()) {
    const Announce announce = table.mode().announce;
    if (announce == Announce::kOwed) return calling_row().action;
    if (announce != Announce::kAll) return 0;
  }
  return table.rules->call_action();
}

/// The seat must play a called game that it owes, blocked or not (OPEN-36).
bool owes_call(const AuctionState& state, const TableState& table, int seat) {
  return state.naming == Naming::kOwed && (table.context.owed[seat] & kOwesRuf) != 0;
}

/// Forehand of a Hadsch must play; without single games he must call (OPEN-35).
bool must_call(const TableState& table, int seat) {
  return table.mode().opening == Opening::kForehandPlays && single_classes(table, seat).empty();
}

// Not inlined, so that the first rounds of an auction stay short.
[[gnu::noinline]] std::uint32_t callable_cards(const AuctionState& state, const TableState& table,
                                               int seat) {
  const CompiledRules& rules = *table.rules;
  const std::uint32_t hand = table.play.hand[seat];
  if (state.naming == Naming::kDuty) return rules.duty_calls(hand, rules.rules().muss_blocked);
  if (owes_call(state, table, seat)) return rules.duty_calls(hand, MussBlocked::kTenCascade);
  const std::uint32_t cards = rules.callable(hand);
  return cards == 0 && must_call(table, seat) ? rules.duty_calls(hand, MussBlocked::kTenCascade)
                                              : cards;
}

bool may_call(const AuctionState& state, const TableState& table, int seat) {
  if (call_action(table) == 0) return false;
  if (table.has_mode()) {
    const SpecialRoundRow& row = table.mode();
    if (row.announce == Announce::kOwed && (table.context.owed[seat] & kOwesRuf) == 0) return false;
    if (row.opposite_seats) return true;  // nobody is called, nobody is blocked (C.5)
  }
  return callable_cards(state, table, seat) != 0;
}

/// Whether PLAY is legal: some contract is available; a follower is bound to a single game (D.3).
bool may_play(const AuctionState& state, const TableState& table, int seat, bool follower) {
  return !single_classes(table, seat).empty() || (!follower && may_call(state, table, seat));
}

ActionMask legal_naming(const AuctionState& state, const TableState& table) {
  const int seat = table.to_move;
  ActionMask mask;
  switch (state.naming) {
    case Naming::kSolo:
      return table.rules->classes_of(Family::kSolo);
    case Naming::kSoloNoTout:
      return ActionMask::of({row_of(Family::kSolo).action});
    case Naming::kDuty:
      if (table.rule_set().muss_solo_allowed) mask = single_classes(table, seat);
      mask.add(calling_row().action);
      return mask;
    case Naming::kSingles:
      mask = single_classes(table, seat);
      // a bid promises points (D.5)
      return table.contract.bid > 0 ? mask & table.rules->counting_classes() : mask;
    case Naming::kAny:
    case Naming::kOwed:
      break;
  }
  mask = single_classes(table, seat);
  if (may_call(state, table, seat)) mask.add(call_action(table));
  return mask;
}

ActionMask legal_last_choice(const TableState& table) {
  ActionMask mask;
  const EnumSet<LastChoice>& options = table.rule_set().last_chooses_options;
  if (options.contains(LastChoice::kRamsch)) mask.add(kActionSayRamsch);
  if (options.contains(LastChoice::kStock)) mask.add(kActionSayStock);
  if (options.contains(LastChoice::kThrowIn)) mask.add(kActionPass);
  return mask;
}

// The winner names his game

/// Suit and called card are fixed.
Next win_details(TableState& table) {
  table.contract.details_public = true;
  // C.20.11: a card is exchanged before the game begins
  const bool draws =
      table.mode().draws_a_card && !table.contract.tout && table.row().family == Family::kSolo;
  return Next::to(draws ? Next::Step::kExchange : Next::Step::kContract);
}

/// The class is fixed: ask for the suit or the called card.
Next ask_details(const AuctionState& state, TableState& table) {
  const NamedContract named = contract_of_action(state.named);
  const ContractRow* row = named.row;
  if (row->parties == Parties::kCalledCard && state.naming == Naming::kDuty) row = &duty_row();
  if (row->parties == Parties::kCalledCard && table.mode().opposite_seats) {
    row = &row_of(Parties::kOppositeSeats);
  }
  table.contract.row = row->contract;
  table.contract.tout = named.tout;
  table.contract.declarer = static_cast<std::int8_t>(table.to_move);
  table.contract.class_public = true;
  if (row->parties == Parties::kCalledCard) {
    table.phase = Phase::kCallCard;
    return Next::answer();
  }
  if (row->trump_suit == TrumpSuit::kAnnounced && !table.contract.suit_named) {
    table.phase = Phase::kNameSuit;
    return Next::answer();
  }
  return win_details(table);
}

Next apply_suit(AuctionState& state, TableState& table, Action action) {
  table.contract.suit = static_cast<Suit>(action - kActionSuitE);
  table.contract.suit_named = true;
  state.suits = 0xF;
  if (table.contract.class_public) return win_details(table);
  return state.has_holder ? next_direct(state, table, table.position_of(table.to_move))
                          : after_naming(state, table);
}

Next apply_call(const AuctionState& state, TableState& table, Card card) {
  const CardSet plain =
      (table.hand(table.to_move) & CardSet::suit(suit_of(card))) - table.rules->partner_trumps();
  table.contract.called = card;
  table.contract.renonce = state.naming == Naming::kAny &&
                           table.rule_set().renonce == Renonce::kAnnounced && plain.empty();
  return win_details(table);
}

// All pass (D.6)

Next apply_last_choice(TableState& table, Action action) {
  if (action == kActionSayRamsch) return play_without_auction(table, Parties::kEveryone);
  return Next::throw_in(action == kActionSayStock ? AllPass::kStock : AllPass::kThrowIn);
}

/// C.4: the holder of the Muss card must call a partner.
Next begin_duty(AuctionState& state, TableState& table) {
  for (int seat = 0; seat < table.seats(); ++seat) {
    if (!table.hand(seat).contains(table.rule_set().muss_card)) continue;
    const Next next = begin_naming(state, table, seat, Naming::kDuty);
    if (table.rule_set().muss_solo_allowed) return next;
    state.named = calling_row().action;
    return ask_details(state, table);
  }
  return Next::answer();
}

/// C.20.9: the first position that owes a game must play one of those it owes.
Next begin_owed(AuctionState& state, TableState& table) {
  for (int position = 0; position < table.seats(); ++position) {
    const int seat = table.seat_at(position);
    if (table.context.owed[seat] == 0) continue;
    return begin_naming(state, table, seat, Naming::kOwed);
  }
  return Next::throw_in(AllPass::kThrowIn);  // of bytes alone: without debts no such deal begins
}

Next resolve_all_pass(AuctionState& state, TableState& table, AllPass rule) {
  switch (rule) {
    case AllPass::kThrowIn:
    case AllPass::kBockGame:
    case AllPass::kBockRound:
    case AllPass::kStock:
      return Next::throw_in(rule);
    case AllPass::kRamsch:
      return play_without_auction(table, Parties::kEveryone);
    case AllPass::kLastChooses:
      table.ask(Phase::kAllPassChoice, table.seat_at(table.seats() - 1));
      return Next::answer();
    case AllPass::kMussSpiel:
      return begin_duty(state, table);
    case AllPass::kKreuzbock:
      return play_without_auction(table, Parties::kOppositeSeats);
  }
  return Next::throw_in(rule);
}

}  // namespace

ActionMask single_classes(const TableState& table, int seat) {
  const CompiledRules& rules = *table.rules;
  ActionMask mask = rules.single_classes();
  if (table.has_mode()) {
    const Announce announce = table.mode().announce;
    const ActionMask &solo = rules.classes_of(Family::kSolo),
                     &wenz = rules.classes_of(Family::kWenz);
    if (announce == Announce::kSoloAndWenz) mask = mask & (solo | wenz);
    if (announce == Announce::kOwed) {
      // owed games may be played whether `contracts` has them or not, the fixed hand pays nothing
      const std::uint8_t owed = table.context.owed[seat];
      return ((owed & kOwesSolo) != 0 ? solo : ActionMask{}) |
             ((owed & kOwesWenz) != 0 ? wenz : ActionMask{});
    }
  }
  const CardSet fixed = rules.fixed_hand();
  if (!fixed.empty() && table.play.hand[seat] == fixed.bits()) mask.add(rules.fixed_hand_action());
  return mask;
}

std::uint32_t callable_in(const TableState& table, const ContractRow& row, int seat) {
  const CompiledRules& rules = *table.rules;
  const std::uint32_t hand = table.play.hand[seat];
  if (row.by_duty) return rules.duty_calls(hand, rules.rules().muss_blocked);
  const std::uint32_t cards = rules.callable(hand);
  // who won the auction calls as usual, who must play down the cascade: a contract tells not which
  const bool owes = table.mode().announce == Announce::kOwed;
  if (owes) return cards | rules.duty_calls(hand, MussBlocked::kTenCascade);
  if (cards != 0 || !must_call(table, seat)) return cards;
  return rules.duty_calls(hand, MussBlocked::kTenCascade);
}

Next begin(TableState& table) {
  table.to_move = static_cast<std::uint8_t>(table.forehand());
  switch (table.mode().opening) {
    case Opening::kEveryone:
      return play_without_auction(table, Parties::kEveryone);
    case Opening::kOpposite:
      return play_without_auction(table, Parties::kOppositeSeats);
    case Opening::kForehandPlays:
      return Next::name(table.forehand(), Naming::kAny);
    case Opening::kThreeTricks:
      return start_three_tricks(table);
    case Opening::kAuction:
    case Opening::kPackets:     // declined
    case Opening::kFixedCards:  // has named its game
      break;
  }
  table.phase = table.auction_phase();
  return Next::answer();
}

Next begin_naming(AuctionState& state, TableState& table, int seat, Naming naming) {
  state.naming = naming;
  table.to_move = static_cast<std::uint8_t>(seat);
  state.holder = static_cast<std::uint8_t>(table.position_of(seat));
  state.named = 0;
  if (table.contract.suit_named && naming == Naming::kSoloNoTout) {  // said before the deal
    state.named = row_of(Family::kSolo).action;
    return ask_details(state, table);
  }
  table.phase = Phase::kNameClass;
  // a forced player without any game
  return legal_naming(state, table).empty() ? Next::throw_in(AllPass::kThrowIn) : Next::answer();
}

Next contest(AuctionState& state, TableState& table, std::uint8_t positions, Naming naming) {
  state.said_play = positions;
  state.naming = naming;
  return end_round(state, table);
}

Next win(AuctionState& state, TableState& table) {
  table.to_move = static_cast<std::uint8_t>(table.seat_at(state.holder));
  if (state.named != 0) return ask_details(state, table);
  table.phase = Phase::kNameClass;
  return Next::answer();
}

Next all_passed(AuctionState& state, TableState& table) {
  state.all_passed = true;
  const SpecialRoundRow& row = table.mode();
  if (row.all_pass_is_ramsch) return play_without_auction(table, Parties::kEveryone);
  if (row.announce == Announce::kOwed) return begin_owed(state, table);
  const AllPass rule = table.rule_set().all_pass;
  const bool partners = rule == AllPass::kMussSpiel || rule == AllPass::kKreuzbock;
  const bool impossible = row.announce == Announce::kSingles && partners;  // C.20.5
  return resolve_all_pass(state, table, impossible ? AllPass::kThrowIn : rule);
}

ActionMask legal(const AuctionState& state, const TableState& table) {
  constexpr ActionMask pass = {{std::uint64_t{1} << kActionPass, 0}};
  const int seat = table.to_move;
  switch (table.phase) {
    case Phase::kAuctionRound:
      return may_play(state, table, seat, state.said_play != 0) ? kPassOrPlay : pass;
    case Phase::kAuctionResolve:
      if (state.named == 0) return single_classes(table, seat) | ActionMask::of({kActionYield});
      return higher_classes(state, table, seat, false) | pass;
    case Phase::kAuctionDirect:
      if (!state.has_holder) return may_play(state, table, seat, false) ? kPassOrPlay : pass;
      // D.4: an equal single game falls to the earlier position
      return higher_classes(state, table, seat, table.position_of(seat) < state.holder) | pass;
    case Phase::kSteigern:
      return legal_steigern(state, table);
    case Phase::kNameClass:
      return legal_naming(state, table);
    case Phase::kNameSuit:
      return {{0, std::uint64_t{state.suits} << (kActionSuitE - 64)}};
    case Phase::kCallCard:
      return ActionMask::cards(callable_cards(state, table, seat));
    case Phase::kAllPassChoice:
      return legal_last_choice(table);
    default:
      return {};
  }
}

Next apply(AuctionState& state, TableState& table, Action action) {
  if (table.phase == Phase::kAuctionRound && others_answer(table)) {
    answer_round(state, table, action);
    return Next::answer();
  }
  table.add_event(action);
  switch (table.phase) {
    case Phase::kAuctionRound:
      say(state, table.seats() - 1, action);
      return end_round(state, table);
    case Phase::kAuctionResolve:
      return apply_resolve(state, table, action);
    case Phase::kAuctionDirect:
      return apply_direct(state, table, action);
    case Phase::kSteigern:
      return apply_steigern(state, table, action);
    case Phase::kNameClass:
      state.named = action;
      return ask_details(state, table);
    case Phase::kNameSuit:
      return apply_suit(state, table, action);
    case Phase::kCallCard:
      return apply_call(state, table, action);
    default:
      return apply_last_choice(table, action);
  }
}

}  // namespace schafkopf::auction
