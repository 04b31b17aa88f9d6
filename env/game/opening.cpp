#include "env/game/opening.h"

namespace schafkopf::opening {
namespace {

constexpr ActionMask kSuits = {{0, std::uint64_t{0xF} << (kActionSuitE - 64)}};

bool forehand_only(const TableState& table) {
  return table.rule_set().schieber_variant == SchieberVariant::kForehandOnly;
}

/// Ways to go on when these steps are over.
Next before_auction(const TableState& table) {
  const bool offers =
      table.rule_set().hochzeit == HochzeitMode::kBeforeAuction && table.mode().hochzeit;
  return Next::to(offers ? Next::Step::kHochzeit : Next::Step::kAuction);
}

// Schieber (C.20.6)

/// Ask a position for the intact packet. Forehand alone has it in hand when it decides (003).
Next ask_packet(TableState& table, int position) {
  table.ask(Phase::kSchieber, table.seat_at(position));
  if (forehand_only(table)) table.take_aside(table.to_move);
  return Next::answer();
}

/// The dealer must play with an intact packet; forehand with more than two cards (003).
bool packet_must_be_taken(const TableState& table) {
  if (forehand_only(table)) return table.rule_set().schieber_cards > 2;
  return table.to_move == table.dealer;
}

Next take_packet(OpeningState& state, TableState& table) {
  const int seat = table.to_move;
  table.take_aside(seat);
  table.contract.declarer = static_cast<std::int8_t>(seat);
  if (seat == table.dealer) return Next::name(seat, Naming::kSolo);  // nobody is left to push to
  table.phase = Phase::kSchieberPush;
  state.to_pass = static_cast<std::uint8_t>(table.rule_set().schieber_cards);
  return Next::answer();
}

Next apply_packet(OpeningState& state, TableState& table, Action action) {
  if (action == kActionTakeUp) return take_packet(state, table);
  if (!forehand_only(table)) return ask_packet(table, table.position_of(table.to_move) + 1);
  // OPEN-34: the packet goes straight to the dealer, then a normal auction
  table.move_cards(table.to_move, table.dealer, table.fixed_cards().bits());
  return before_auction(table);
}

Next pass_cards_on(OpeningState& state, TableState& table) {
  const int next = table.seat_at(table.position_of(table.to_move) + 1);
  table.take_aside(next);
  if (next != table.dealer) {
    table.to_move = static_cast<std::uint8_t>(next);
    state.to_pass = static_cast<std::uint8_t>(table.rule_set().schieber_cards);
    return Next::answer();
  }
  return Next::name(table.contract.declarer,
                    table.contract.suit_named ? Naming::kSoloNoTout : Naming::kSolo);
}

Next push(OpeningState& state, TableState& table, Card card) {
  const std::uint32_t bit = CardSet::of(card).bits();
  table.play.hand[table.to_move] &= ~bit;
  table.given[table.to_move] |= bit;
  table.aside |= bit;
  return --state.to_pass == 0 ? pass_cards_on(state, table) : Next::answer();
}

// Legen (F.1)

Next after_legen(TableState& table) {
  if (table.has_mode()) {
    const Opening opening = table.mode().opening;
    if (opening == Opening::kPackets) return ask_packet(table, 0);
    if (opening == Opening::kFixedCards) return Next::name(table.forehand(), Naming::kSoloNoTout);
  }
  return before_auction(table);
}

Next begin_legen(TableState& table) {
  if (table.rule_set().legen == Legen::kOff) return after_legen(table);
  table.ask(Phase::kLegen, table.forehand());
  return Next::answer();
}

Next apply_legen(OpeningState& state, TableState& table, Action action) {
  const bool laid = action == kActionLay;
  if (laid) {
    table.add_event(action);
    if (state.laid++ == 0) state.first_laid = static_cast<std::int8_t>(table.to_move);
  }
  const Legen mode = table.rule_set().legen;
  const int next = table.position_of(table.to_move) + 1;
  const bool goes_on = mode == Legen::kFree || (mode == Legen::kSequential && laid);
  if (!goes_on || next >= table.seats()) return after_legen(table);
  table.to_move = static_cast<std::uint8_t>(table.seat_at(next));
  return Next::answer();
}

}  // namespace

/// The order of a deal is that of D.2; steps that the rules leave out fall through.
Next begin(TableState& table) {
  if (!table.names_suit_before_deal()) return begin_legen(table);
  table.ask(Phase::kPredeal, table.forehand());
  return Next::answer();
}

ActionMask legal(const TableState& table) {
  switch (table.phase) {
    case Phase::kPredeal:
      return kSuits;
    case Phase::kLegen:
      return ActionMask::of({kActionLay, kActionNoLay});
    case Phase::kSchieber:
      return packet_must_be_taken(table) ? ActionMask::of({kActionTakeUp})
                                         : ActionMask::of({kActionTakeUp, kActionPushOn});
    default:
      return ActionMask::cards(table.play.hand[table.to_move]);
  }
}

Next apply(OpeningState& state, TableState& table, Action action) {
  switch (table.phase) {
    case Phase::kPredeal:
      table.add_event(action);
      table.contract.suit = static_cast<Suit>(action - kActionSuitE);
      table.contract.suit_named = true;
      return begin_legen(table);
    case Phase::kLegen:
      return apply_legen(state, table, action);
    case Phase::kSchieber:
      table.add_event(action);
      return apply_packet(state, table, action);
    default:
      table.add_secret(action);
      return push(state, table, action);
  }
}

CardSet seen_hand(const TableState& table, int seat) {
  const CardSet hand = table.hand(seat), first(table.first_half[seat]);
  const bool gets_fixed = seat == table.forehand() && table.names_suit_before_deal();
  if (table.phase == Phase::kPredeal) return gets_fixed ? table.fixed_cards() : CardSet{};
  if (gets_fixed) return first | table.fixed_cards();  // OPEN-76
  // at a table of five the dealer sits out: all four decide on the first half (OPEN-03)
  if (seat != table.dealer || table.rule_set().players > kNumSeats) return first;
  switch (table.rule_set().legen_dealer_cards) {
    case LegenDealerCards::kFirst:
      return first;
    case LegenDealerCards::kLast:
      return hand - first;
    case LegenDealerCards::kAll:
      return hand;
  }
  return hand;
}

}  // namespace schafkopf::opening
