#include "env/game/doubling.h"

#include "env/base/bits.h"

namespace schafkopf::doubling {
namespace {

constexpr std::uint8_t kW0 = 1, kW1 = 2;
constexpr int kW2Shift = 4;

/// In a Kreuzrunde both partners may double, so chains leave the window open (F.4).
bool chains_close(const TableState& table) {
  return !(table.row().parties == Parties::kOppositeSeats && table.contract.declarer >= 0 &&
           table.rule_set().kreuz_each_partner_doubles);
}

bool may_double(const DoublingState& state, const TableState& table, int seat) {
  const RuleSet& rules = table.rule_set();
  const ContractRow& row = table.row();
  if (state.closed || state.level >= table.rules->max_doublings(row)) return false;
  if (rules.max_doublings_per_seat > 0 && state.doubled[seat] >= rules.max_doublings_per_seat) {
    return false;
  }
  if (row.parties == Parties::kEveryone) return state.doubled[seat] == 0;  // OPEN-23
  if (state.level == 0) return table.contract.declarer < 0 || !table.contract.in_party(seat);
  if (!chains_close(table)) return state.doubled[seat] == 0;  // OPEN-59
  return table.contract.in_party(seat) != state.declarers_doubled_last;
}

void open_window(DoublingState& state, int first, int number) {
  state.asked = static_cast<std::uint8_t>(first);
  state.left_to_ask = static_cast<std::uint8_t>(number);
  state.answering = -1;
}

/// Ask the next seat that may double; silent seats leave no trace (D.1). False: nobody is left.
bool ask_next(DoublingState& state, TableState& table) {
  const ContractState& contract = table.contract;
  while (true) {
    while (state.left_to_ask > 0) {
      const int seat = state.asked;
      state.asked = static_cast<std::uint8_t>((state.asked + 1) % table.seats());
      --state.left_to_ask;
      if (!may_double(state, table, seat)) continue;
      if (state.answering >= 0 && contract.in_party(seat) == contract.in_party(state.answering)) {
        continue;
      }
      table.ask(Phase::kDouble, seat);
      return true;
    }
    if (state.answering < 0) break;
    if (chains_close(table)) {
      state.answering = -1;  // a chain has ended (F.3)
      state.closed = true;
      break;
    }
    // F.4: first the answers to the doubler of the window go on. Of his two opponents the second is
    // left at most; all other answers that were broken off are of seats that have doubled.
    const int n = table.seats(), first = (state.window_asked + n - 1) % n;
    if (state.answering != first) {
      state.answering = static_cast<std::int8_t>(first);
      state.asked = static_cast<std::uint8_t>((first + n - 1) % n);
      state.left_to_ask = 1;
      continue;
    }
    state.answering = -1;
    state.asked = state.window_asked;  // then the window goes on
    state.left_to_ask = state.window_left;
  }
  state.window_asked = state.window_left = 0;  // of no window: two games that are alike are equal
  table.ask(Phase::kPlay, static_cast<int>(table.play.turn));
  return false;
}

void raise_level(DoublingState& state, TableState& table) {
  ContractState& contract = table.contract;
  const int seat = table.to_move;
  ++state.level;
  ++state.doubled[seat];
  const ContractRow& row = table.row();
  // without a declarer the last doubler's party is the one that must win (C.5)
  if (row.parties == Parties::kOppositeSeats && contract.declarer < 0) {
    contract.party = static_cast<std::uint8_t>(0b0101 << (seat & 1));
  }
  state.declarers_doubled_last = contract.in_party(seat);
  // E.2: a Re by the partner proves his party
  if (state.declarers_doubled_last && seat != contract.declarer) contract.partner_known = true;
  if (row.parties == Parties::kEveryone) return;
  if (state.answering < 0) {
    state.window_asked = state.asked;
    state.window_left = state.left_to_ask;
  }
  state.answering = static_cast<std::int8_t>(seat);
  state.asked = static_cast<std::uint8_t>((seat + 1) % table.seats());
  state.left_to_ask = static_cast<std::uint8_t>(table.seats() - 1);
}

}  // namespace

void open_windows(DoublingState& state, TableState& table) {
  const ContractRow& row = table.row();
  const CompiledRules& rules = *table.rules;
  if (!rules.has_windows() || state.closed || rules.max_doublings(row) == 0) return;
  const int n = table.seats(), turn = static_cast<int>(table.play.turn);
  const unsigned played = table.play.num_played - table.first_play;
  // everybody for himself: before the second card, in whatever window the rules have (OPEN-23)
  const bool everyone = row.parties == Parties::kEveryone;
  if (played == 0 && !everyone && rules.asks_before_first_card() && (state.windows & kW0) == 0) {
    state.windows |= kW0;
    // by position, also where forehand does not lead (Strixner)
    open_window(state, table.forehand(), n);
    if (ask_next(state, table)) return;
  }
  if (played == 1 && (everyone || rules.asks_before_second_card()) && (state.windows & kW1) == 0) {
    state.windows |= kW1;
    open_window(state, turn, n);
    if (ask_next(state, table)) return;
  }
  const auto own = static_cast<std::uint8_t>(1 << (kW2Shift + turn));
  const bool full_hand = count_bits(table.play.played[turn]) * n == table.first_play;
  if (!everyone && rules.asks_with_full_hand() && full_hand && (state.windows & own) == 0) {
    state.windows |= own;
    open_window(state, turn, 1);
    if (ask_next(state, table)) return;
  }
}

void open_doubled(DoublingState& state, TableState& table) {
  if (!table.row().doubling) return;
  state.level = 1;
  state.declarers_doubled_last = false;
  open_window(state, table.forehand(), table.seats());
  for (int seat = 0; seat < table.seats(); ++seat) {
    if (!table.contract.in_party(seat)) state.answering = static_cast<std::int8_t>(seat);
  }
  (void)ask_next(state, table);
}

ActionMask legal() { return ActionMask::of({kActionDouble, kActionNoDouble}); }

void apply(DoublingState& state, TableState& table, Action action) {
  if (action == kActionDouble) {
    table.add_event(action);
    raise_level(state, table);
  }
  if (!ask_next(state, table)) open_windows(state, table);
}

}  // namespace schafkopf::doubling
