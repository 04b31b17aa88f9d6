// Slow second reading of the rules, part 7: set-up of a deal, Legen, Schieber and the other special
// rounds, announcements before the first card (RULES C.20, D.2, F.1).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/cpp/reference/reference_auction.h"

namespace schafkopf::reference {

namespace detail {

/// The packet that a Schieber leaves out of the deal (C.20.6).
inline Cards high_packet(const ReferenceRules& rules) {
  Cards packet = cards_from("EO GO HO SO");
  packet.resize(static_cast<std::size_t>(rules.schieber_cards));
  return packet;
}

inline bool suit_stands_before_deal(const Table& table) {
  const bool schieber_four = table.mode == "schieber" && table.rules.schieber_cards == 4 &&
                             table.rules.schieber_variant == "forehand_only";
  return schieber_four || table.mode == "teufel";
}

inline void legen(Table& table) {
  const std::string& who = table.rules.legen;
  bool all_laid = true;
  for (int position = 0; position < table.seats; ++position) {
    if (who == "off" || (who == "forehand_only" && position > 0)) return;
    if (who == "sequential" && !all_laid) return;
    const int seat = table.seat_at(position);
    if (table.ask("LEGEN", seat, {kLay, kNoLay}) == kNoLay) {
      all_laid = false;
      continue;
    }
    ++table.s.lays;
    if (table.s.first_layer < 0) table.s.first_layer = seat;
  }
}

}  // namespace detail

/// Steps 1 and 2 of D.2, and which way the deal goes on in its round (C.20).
inline void set_up(Table& table) {
  const int forehand = table.seat_at(0);
  if (detail::suit_stands_before_deal(table)) {
    table.s.suit_before_deal = suit_of_action(table.ask("PREDEAL", forehand, all_suit_actions()));
  }
  detail::legen(table);
  if (table.mode == "schieber") {
    table.s.stage = Stage::kSchieber;
  } else if (table.mode == "ramsch") {
    table.fix_contract({"RAMSCH", false, '-'}, -1);
  } else if (table.mode == "kreuzbock") {
    table.fix_contract({"KREUZ", false, '-'}, -1);
  } else if (table.mode == "teufel") {
    table.fix_contract({"SOLO", false, table.s.suit_before_deal}, forehand);
  } else if (table.mode == "hadsch") {
    table.s.stage = Stage::kForced;
  } else if (table.mode == "strixner") {  // three tricks without a game first
    table.s.orders =
        std::make_shared<const Orders>(orders_of({"RUF", false, '-'}, order_options(table.rules)));
    table.s.to_play = forehand;
    table.s.start_hands = table.s.hands;
    table.s.stage = Stage::kWindow;
  } else {
    table.s.stage = Stage::kHochzeit;
  }
}

/// From the taker on every position hands on as many cards as the packet has; the dealer keeps
/// them.
inline void push_cards(Table& table, int taker_position) {
  for (int position = taker_position; position < table.seats - 1; ++position) {
    const int seat = table.seat_at(position);
    Cards choice = table.hand(seat);
    Cards pushed;
    for (int i = 0; i < table.rules.schieber_cards; ++i) {
      const int card =
          table.ask("SCHIEBER_PUSH", seat, std::set<int>(choice.begin(), choice.end()));
      std::erase(choice, card);
      pushed.push_back(card);
    }
    table.hand(seat) = choice;
    for (const int card : pushed) table.hand(table.seat_at(position + 1)).push_back(card);
  }
}

/// Step 3 of D.2 (C.20.6).
inline void schieber(Table& table) {
  const Cards packet = detail::high_packet(table.rules);
  const int last = table.seats - 1;
  const bool forehand_only = table.rules.schieber_variant == "forehand_only";
  int taker = 0;  // a position
  if (forehand_only) {
    std::set<int> options = {kTakeUp};
    if (table.rules.schieber_cards == 2) options.insert(kPushOn);
    if (table.ask("SCHIEBER", table.seat_at(0), options) == kPushOn) {
      Cards& dealers = table.hand(table.seat_at(last));
      dealers.insert(dealers.end(), packet.begin(), packet.end());
      table.s.stage = Stage::kHochzeit;  // a normal deal from here on
      return;
    }
  } else {
    while (true) {
      std::set<int> options = {kTakeUp};
      if (taker < last) options.insert(kPushOn);
      if (table.ask("SCHIEBER", table.seat_at(taker), options) == kTakeUp) break;
      ++taker;
    }
  }
  const int seat = table.seat_at(taker);
  for (const int card : packet) table.hand(seat).push_back(card);
  push_cards(table, taker);
  Contract solo{"SOLO", false, table.s.suit_before_deal};
  if (solo.suit == '-') {
    std::set<int> options = {kNameSolo};
    if (table.rules.tout_enabled) options.insert(kNameSoloTout);
    solo.tout = table.ask("NAME_CLASS", seat, options) == kNameSoloTout;
    solo.suit = suit_of_action(table.ask("NAME_SUIT", seat, all_suit_actions()));
  }
  table.fix_contract(solo, seat);
}

namespace detail {

/// Hadsch: forehand names any game; gesperrt without a single game he calls as in the Muss-Spiel.
inline void name_hadsch(Table& table) {
  const int seat = table.seat_at(0);
  if (!has_single_class(table, seat, false) && !table.can_play_ruf(seat)) {
    forced_game(table, seat);
  } else {
    name_contract(table, seat, {}, true);
  }
}

/// Strixner: who won the third trick plays a Farbsolo.
inline void name_strixner(Table& table) {
  const int seat = table.s.to_play;
  std::set<int> options = {kNameSolo};
  const bool all_three = table.s.tricks_won[static_cast<std::size_t>(seat)] == 3;
  if (all_three && table.rules.tout_enabled) options.insert(kNameSoloTout);
  const bool tout = table.ask("NAME_CLASS", seat, options) == kNameSoloTout;
  const char suit = suit_of_action(table.ask("NAME_SUIT", seat, all_suit_actions()));
  table.fix_contract({"SOLO", tout, suit}, seat);
}

/// Zupf-Solo: one card to another seat, one of that seat's old cards back (C.20.11).
inline void zupf(Table& table) {
  const int seat = table.s.declarer;
  std::set<int> targets;
  for (int step = 1; step < table.seats; ++step) targets.insert(kTargetPlus1 + step - 1);
  const int answer = table.ask("ZUPF_TARGET", seat, targets);
  const int target = (seat + answer - kTargetPlus1 + 1) % table.seats;
  const Cards& own = table.hand(seat);
  const int given = table.ask("ZUPF_GIVE", seat, std::set<int>(own.begin(), own.end()));
  Cards old = table.hand(target);
  std::sort(old.begin(), old.end());
  const int drawn = old.at(static_cast<std::size_t>(table.zupf));
  std::erase(table.hand(seat), given);
  std::erase(table.hand(target), drawn);
  table.hand(seat).push_back(drawn);
  table.hand(target).push_back(given);
}

inline void ask_jungfrau(Table& table) {
  for (int position = 0; position < table.seats; ++position) {
    const int seat = table.seat_at(position);
    if (table.ask("JUNGFRAU", seat, {kJungfrau, kNoJungfrau}) == kJungfrau) {
      table.s.jungfrau.insert(seat);
    }
  }
}

}  // namespace detail

/// Forehand of a Hadsch, or the winner of a Strixner's third trick.
inline void forced_naming(Table& table) {
  if (table.mode == "hadsch") {
    detail::name_hadsch(table);
  } else {
    detail::name_strixner(table);
  }
}

/// Step 8 of D.2 without the Re question of a Hadsch.
inline void announce(Table& table) {
  const std::string& name = table.s.contract.name;
  if (table.mode == "zupf_solo" && name == "SOLO" && !table.s.contract.tout) detail::zupf(table);
  if (name == "RAMSCH" && table.rules.ramsch_virgin_announced) detail::ask_jungfrau(table);
  if (table.s.cards_played == 0) table.s.start_hands = table.s.hands;
  table.s.stage = name == "SIE" ? Stage::kSettle : Stage::kWindow;
}

}  // namespace schafkopf::reference
