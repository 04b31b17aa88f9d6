// Slow second reading of the rules, part 8: Kontra, Re and what follows (RULES F.2-F.5).
#pragma once

#include <string>
#include <vector>

#include "tests/cpp/reference/reference_table.h"

namespace schafkopf::reference {

namespace detail {

/// F.4: in a Kreuzrunde every seat may double once, the own party too; not in a Kreuzbock, which
/// has no declarer.
inline bool each_partner_doubles(const Table& table) {
  return table.mode == "kreuzrunde" && table.s.contract.name == "KREUZ" && table.s.declarer >= 0 &&
         table.rules.kreuz_each_partner_doubles;
}

inline bool may_double(const Table& table, int seat) {
  const Doubling& doubling = table.s.doubling;
  const int most = is_partner_game(table.s.contract.name) ? table.rules.max_doublings_partner
                                                          : table.rules.max_doublings_solo;
  if (doubling.closed || doubling.level >= most) return false;
  const int own = doubling.count[static_cast<std::size_t>(seat)];
  const int per_seat = table.rules.max_doublings_per_seat;
  if (per_seat > 0 && own >= per_seat) return false;
  if (doubling.level == 0) return !table.plays_with_declarer(seat);
  if (each_partner_doubles(table)) return own == 0;
  return !table.same_party(seat, doubling.last_doubler);
}

inline void double_once(Table& table, int seat) {
  Doubling& doubling = table.s.doubling;
  ++doubling.level;
  doubling.last_doubler = seat;
  ++doubling.count[static_cast<std::size_t>(seat)];
  if (seat == table.s.partner) table.s.partner_known = true;
}

/// RESPONSE of F.3: the other party, clockwise from the doubler's left; a doubling ends it, except in
/// a Kreuzrunde (F.4).
inline void respond(Table& table, int doubler) {
  for (int step = 1; step < table.seats; ++step) {
    const int seat = (doubler + step) % table.seats;
    if (table.same_party(seat, doubler) || !may_double(table, seat)) continue;
    if (table.ask("DOUBLE", seat, {kDouble, kNoDouble}) == kNoDouble) continue;
    double_once(table, seat);
    respond(table, seat);
    if (!each_partner_doubles(table)) return;
  }
}

/// C.20.8: the defenders of a Hadsch have doubled, the declarer party is asked for Re once.
inline void hadsch_re(Table& table) {
  Doubling& doubling = table.s.doubling;
  doubling.level = 1;
  doubling.last_doubler = table.next_opponent(table.s.declarer);
  for (int position = 0; position < table.seats; ++position) {
    const int seat = table.seat_at(position);
    if (!table.plays_with_declarer(seat) || !may_double(table, seat)) continue;
    if (table.ask("DOUBLE", seat, {kDouble, kNoDouble}) == kNoDouble) continue;
    double_once(table, seat);
    respond(table, seat);
    break;
  }
  doubling.closed = true;
}

/// OPEN-23: before the second card every seat of a Ramsch may double once.
inline void ramsch_window(Table& table) {
  for (int step = 0; step < table.seats; ++step) {
    const int seat = (table.s.to_play + step) % table.seats;
    if (table.ask("DOUBLE", seat, {kDouble, kNoDouble}) == kDouble) double_once(table, seat);
  }
}

/// Seats that are asked before the next card, in order (F.2); empty = no window here.
inline std::vector<int> asked_seats(const Table& table) {
  std::vector<int> asked;
  const std::string& window = table.rules.kontra_window;
  if (window == "off") return asked;
  const int played = table.s.cards_played - table.s.cards_before_contract;
  if (played == 0 && (window == "before_first_card" || table.rules.kontra_ask_before_first)) {
    for (int position = 0; position < table.seats; ++position) {
      asked.push_back(table.seat_at(position));
    }
  }
  if (played == 1 && window == "before_second_card") {  // the leader comes last
    for (int step = 0; step < table.seats; ++step) {
      asked.push_back((table.s.to_play + step) % table.seats);
    }
  }
  if (window == "full_hand" && played < table.seats) asked.push_back(table.s.to_play);
  return asked;
}

}  // namespace detail

/// The questions before the next card.
inline void doubling_window(Table& table) {
  table.s.stage = Stage::kCard;
  const std::string& name = table.s.contract.name;
  const int played = table.s.cards_played - table.s.cards_before_contract;
  if (name.empty() || !table.s.doubling_open) return;
  if (name == "RAMSCH") {
    const bool open = table.rules.ramsch_kontra && table.rules.kontra_window != "off";
    if (open && played == 1) detail::ramsch_window(table);
    return;
  }
  if (name == "MUSS" && !table.rules.muss_kontra) return;
  if (table.mode == "hadsch") {
    if (played == 0) detail::hadsch_re(table);
    return;
  }
  for (const int seat : detail::asked_seats(table)) {
    if (!detail::may_double(table, seat)) continue;
    if (table.ask("DOUBLE", seat, {kDouble, kNoDouble}) == kNoDouble) continue;
    detail::double_once(table, seat);
    detail::respond(table, seat);
    if (!detail::each_partner_doubles(table)) table.s.doubling.closed = true;
  }
}

}  // namespace schafkopf::reference
