#include "env/game/announcement.h"

#include <bit>

namespace schafkopf::announcement {
namespace {

Next ask_virgin(TableState& table, int position) {
  if (position == table.seats()) return Next::to(Next::Step::kPlay);
  table.ask(Phase::kJungfrau, table.seat_at(position));
  return Next::answer();
}

Next exchange(const AnnouncementState& state, TableState& table, Card given) {
  const std::uint32_t held = table.play.hand[state.target];
  table.move_cards(table.to_move, state.target, CardSet::of(given).bits());
  // from the cards that the target held before the gift (OPEN-38)
  const int number = state.drawn % std::popcount(held);
  table.move_cards(state.target, table.to_move, std::uint32_t{1} << nth_bit(held, number));
  return Next::to(Next::Step::kContract);
}

}  // namespace

Next begin_exchange(TableState& table) {
  table.phase = Phase::kZupfTarget;
  return Next::answer();
}

Next begin(TableState& table) {
  const bool asked = table.row().parties == Parties::kEveryone &&
                     table.rule_set().ramsch_virgin_announced && table.entry == Entry::kDeal;
  return asked ? ask_virgin(table, 0) : Next::to(Next::Step::kPlay);
}

ActionMask legal(const TableState& table) {
  ActionMask mask;
  switch (table.phase) {
    case Phase::kZupfTarget:
      for (int step = 1; step < table.seats(); ++step) {
        mask.add(static_cast<Action>(kActionTarget1 + step - 1));
      }
      return mask;
    case Phase::kZupfGive:
      return ActionMask::cards(table.play.hand[table.to_move]);
    default:
      mask.add(kActionJungfrau);
      mask.add(kActionNoJungfrau);
      return mask;
  }
}

Next apply(AnnouncementState& state, TableState& table, Action action) {
  const int seat = table.to_move;
  switch (table.phase) {
    case Phase::kZupfTarget:
      table.add_event(action);
      state.target =
          static_cast<std::uint8_t>((seat + action - kActionTarget1 + 1) % table.seats());
      table.phase = Phase::kZupfGive;
      return Next::answer();
    case Phase::kZupfGive:
      table.add_secret(action);
      return exchange(state, table, action);
    default:
      if (action == kActionJungfrau) {
        table.add_event(action);
        state.virgins = static_cast<std::uint8_t>(state.virgins | (1 << seat));
      } else {
        table.add_secret(action);
      }
      return ask_virgin(table, table.position_of(seat) + 1);
  }
}

}  // namespace schafkopf::announcement
