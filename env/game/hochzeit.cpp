#include "env/game/hochzeit.h"

#include "env/game/auction.h"

namespace schafkopf::hochzeit {
namespace {

constexpr std::uint8_t kSecond = 16;  // of HochzeitState::first

bool in_first(const HochzeitState& state, int seat) {
  return state.first != 0 && (seat == (state.first & 3) || seat == ((state.first >> 2) & 3));
}

CardSet trumps_of(const TableState& table, int seat) {
  return table.hand(seat) & table.rules->partner_trumps();
}

/// One trump, or two with `bauernhochzeit`; a second Hochzeit offers one (C.3).
ActionMask offers_of(const HochzeitState& state, const TableState& table, int seat) {
  const int trumps = trumps_of(table, seat).count();
  ActionMask mask;
  if (trumps == 1) mask.add(kActionHzOffer1);
  if (trumps == 2 && table.rule_set().bauernhochzeit && state.first == 0) mask.add(kActionHzOffer2);
  return mask;
}

/// Cards that the acceptor may return: held before he took the offered ones (OPEN-10). A packet
/// that forehand left to the dealer is the dealer's own (OPEN-34).
std::uint32_t returnable(const HochzeitState& state, const TableState& table, int seat) {
  const std::uint32_t packet = seat == table.dealer ? table.fixed_cards().bits() : 0;
  const std::uint32_t own = table.play.hand[seat] & ~(table.given[state.offerer] & ~packet);
  return table.rule_set().hochzeit_return_nontrump ? own & ~table.rules->partner_trumps().bits()
                                                   : own;
}

bool may_accept(const HochzeitState& state, const TableState& table, int seat) {
  return CardSet(returnable(state, table, seat)).count() >= state.cards;
}

/// The first pair is the declarer party (C.3).
Next finish(HochzeitState& state, TableState& table) {
  if (state.first != 0) {
    state.offerer = static_cast<std::int8_t>(state.first & 3);
    table.contract.partner = static_cast<std::int8_t>((state.first >> 2) & 3);
  }
  Contract contract;
  contract.contract = row_of(Parties::kHochzeit).contract;
  contract.declarer = state.offerer;
  table.contract.name(contract);
  table.contract.class_public = true;
  return Next::to(Next::Step::kContract);
}

/// Ask the positions from this one on that could offer; the others leave no trace (D.1).
Next ask_offer(HochzeitState& state, TableState& table, int position) {
  state.asked = true;
  for (; position < table.seats(); ++position) {
    const int seat = table.seat_at(position);
    if (in_first(state, seat) || offers_of(state, table, seat).empty()) continue;
    table.ask(Phase::kHzOffer, seat);
    return Next::answer();
  }
  if (state.first != 0) return finish(state, table);
  const bool after = table.rule_set().hochzeit == HochzeitMode::kAfterAllPass;
  return Next::to(after ? Next::Step::kAllPassed : Next::Step::kAuction);
}

/// Nobody took the card: it goes back, later positions may offer theirs. A second Hochzeit that the
/// fourth player refuses does not take place (OPEN-12).
Next offer_refused(HochzeitState& state, TableState& table) {
  const int next = table.position_of(state.offerer) + 1;
  state.offerer = -1;
  return state.first != 0 ? finish(state, table) : ask_offer(state, table, next);
}

Next ask_acceptance(HochzeitState& state, TableState& table, int position) {
  for (; position < table.seats(); ++position) {
    const int seat = table.seat_at(position);
    if (seat == state.offerer || in_first(state, seat) || !may_accept(state, table, seat)) continue;
    table.ask(Phase::kHzAccept, seat);
    return Next::answer();
  }
  return offer_refused(state, table);
}

Next offer(HochzeitState& state, TableState& table, int cards) {
  state.offerer = static_cast<std::int8_t>(table.to_move);
  state.cards = static_cast<std::uint8_t>(cards);
  if (table.rule_set().hochzeit_card_open) {
    for (const Card card : trumps_of(table, table.to_move)) table.add_event(card);
  }
  return ask_acceptance(state, table, 0);
}

Next begin_return(HochzeitState& state, TableState& table) {
  const int partner = table.contract.partner;
  table.move_cards(state.offerer, partner, trumps_of(table, state.offerer).bits());
  table.ask(Phase::kHzReturn, partner);
  state.to_return = state.cards;
  return Next::answer();
}

Next accept(HochzeitState& state, TableState& table) {
  table.contract.partner = static_cast<std::int8_t>(table.to_move);
  if (!table.rule_set().hochzeit_solo_override || state.first != 0) {
    return begin_return(state, table);
  }
  state.entered = 0;
  table.ask(Phase::kHzOverride, table.forehand());
  return Next::answer();
}

/// OPEN-11: one round in which single games may still enter; then the Hochzeit is void.
Next apply_override(HochzeitState& state, TableState& table, Action action) {
  const int position = table.position_of(table.to_move);
  if (action == kActionPlay) {
    state.entered = static_cast<std::uint8_t>(state.entered | (1 << position));
  }
  if (position + 1 < table.seats()) {
    table.to_move = static_cast<std::uint8_t>(table.seat_at(position + 1));
    return Next::answer();
  }
  if (state.entered == 0) return begin_return(state, table);
  table.contract.partner = -1;
  state.offerer = -1;
  return Next::contest(state.entered, Naming::kSingles);
}

Next return_card(HochzeitState& state, TableState& table, Card card) {
  table.move_cards(table.to_move, state.offerer, CardSet::of(card).bits());
  if (--state.to_return != 0) return Next::answer();
  if (state.first != 0 || !table.rule_set().doppelte_hochzeit) return finish(state, table);
  state.first = static_cast<std::uint8_t>(state.offerer | (table.contract.partner << 2) | kSecond);
  return ask_offer(state, table, 0);
}

}  // namespace

Next begin(HochzeitState& state, TableState& table) { return ask_offer(state, table, 0); }

ActionMask legal(const HochzeitState& state, const TableState& table) {
  switch (table.phase) {
    case Phase::kHzOffer: {
      ActionMask mask = offers_of(state, table, table.to_move);
      mask.add(kActionHzNoOffer);
      return mask;
    }
    case Phase::kHzAccept:
      return ActionMask::of({kActionHzAccept, kActionHzRefuse});
    case Phase::kHzReturn:
      return ActionMask::cards(returnable(state, table, table.to_move));
    default:  // kHzOverride
      return auction::single_classes(table, table.to_move).empty()
                 ? ActionMask::of({kActionPass})
                 : ActionMask::of({kActionPass, kActionPlay});
  }
}

Next apply(HochzeitState& state, TableState& table, Action action) {
  switch (table.phase) {
    case Phase::kHzOffer:
      if (action == kActionHzNoOffer) {
        table.add_secret(action);
        return ask_offer(state, table, table.position_of(table.to_move) + 1);
      }
      table.add_event(action);
      return offer(state, table, action == kActionHzOffer2 ? 2 : 1);
    case Phase::kHzAccept:
      if (action == kActionHzAccept) {
        table.add_event(action);
        return accept(state, table);
      }
      table.add_secret(action);
      return ask_acceptance(state, table, table.position_of(table.to_move) + 1);
    case Phase::kHzReturn:
      table.add_secret(action);
      return return_card(state, table, action);
    default:
      table.add_event(action);
      return apply_override(state, table, action);
  }
}

}  // namespace schafkopf::hochzeit
