// Slow second reading of the rules, part 6: Hochzeit in all its forms (RULES C.3, D.2 step 4).
#pragma once

#include <set>
#include <vector>

#include "tests/cpp/reference/reference_auction.h"

namespace schafkopf::reference {

namespace detail {

/// Trumps of the hand in a partner game.
inline Cards partner_trumps(const Table& table, int seat) {
  const Orders orders = orders_of({"HOCHZEIT", false, '-'}, order_options(table.rules));
  Cards trumps;
  for (const int card : table.hand(seat)) {
    if (contains(orders.trumps, card)) trumps.push_back(card);
  }
  return trumps;
}

/// Cards that the acceptor may give back (OPEN-10), before he has taken anything.
inline Cards returnable(const Table& table, int seat) {
  Cards cards = table.hand(seat);
  if (table.rules.hochzeit_return_nontrump) {
    const Cards trumps = partner_trumps(table, seat);
    std::erase_if(cards, [&](int card) { return contains(trumps, card); });
  }
  return cards;
}

/// First of `others` who accepts `count` cards, or -1.
inline int find_acceptor(Table& table, const std::vector<int>& others, std::size_t count) {
  for (const int seat : others) {
    if (returnable(table, seat).size() < count) continue;  // can only refuse: not asked
    const int answer = table.ask("HZ_ACCEPT", seat, {kHochzeitAccept, kHochzeitRefuse});
    if (answer == kHochzeitAccept) return seat;
  }
  return -1;
}

inline void move_card(Table& table, int card, int from, int to) {
  std::erase(table.hand(from), card);
  table.hand(to).push_back(card);
}

/// The trumps go to the acceptor, as many of his own cards come back.
inline void exchange(Table& table, int offerer, int acceptor) {
  const Cards given = partner_trumps(table, offerer);
  Cards choice = returnable(table, acceptor);
  Cards back;
  while (back.size() < given.size()) {
    const int card = table.ask("HZ_RETURN", acceptor, std::set<int>(choice.begin(), choice.end()));
    std::erase(choice, card);
    back.push_back(card);
  }
  for (const int card : given) move_card(table, card, offerer, acceptor);
  for (const int card : back) move_card(table, card, acceptor, offerer);
}

/// Doppelte Hochzeit: one of the other two seats with a single trump may offer it to the fourth.
inline void second_hochzeit(Table& table, int first, int acceptor) {
  std::vector<int> rest;
  for (int position = 0; position < table.seats; ++position) {
    const int seat = table.seat_at(position);
    if (seat != first && seat != acceptor) rest.push_back(seat);
  }
  for (const int seat : rest) {
    if (partner_trumps(table, seat).size() != 1) continue;
    if (table.ask("HZ_OFFER", seat, {kHochzeitNoOffer, kHochzeitOffer1}) == kHochzeitNoOffer) {
      continue;
    }
    const int fourth = seat == rest[0] ? rest[1] : rest[0];
    if (find_acceptor(table, {fourth}, 1) < 0) continue;
    exchange(table, seat, fourth);
    return;
  }
}

/// Seats that want a single game instead of the accepted Hochzeit (OPEN-11).
inline std::vector<int> overriding_seats(Table& table) {
  std::vector<int> entered;
  for (int position = 0; position < table.seats; ++position) {
    const int seat = table.seat_at(position);
    std::set<int> options = {kPass};
    if (has_single_class(table, seat, false)) options.insert(kPlay);
    if (table.ask("HZ_OVERRIDE", seat, options) == kPlay) entered.push_back(seat);
  }
  return entered;
}

}  // namespace detail

/// Step 4 of D.2; true if the deal has a game now.
inline bool hochzeit(Table& table) {
  for (int position = 0; position < table.seats; ++position) {
    const int offerer = table.seat_at(position);
    const std::size_t trumps = detail::partner_trumps(table, offerer).size();
    std::set<int> options = {kHochzeitNoOffer};
    if (trumps == 1) options.insert(kHochzeitOffer1);
    if (trumps == 2 && table.rules.bauernhochzeit) options.insert(kHochzeitOffer2);
    if (options.size() == 1) continue;  // no offer to make: not asked
    if (table.ask("HZ_OFFER", offerer, options) == kHochzeitNoOffer) continue;
    std::vector<int> others;
    for (int other = 0; other < table.seats; ++other) {
      if (other != position) others.push_back(table.seat_at(other));
    }
    const int acceptor = detail::find_acceptor(table, others, trumps);
    if (acceptor < 0) continue;  // the card goes back
    if (table.rules.hochzeit_solo_override) {
      const std::vector<int> entered = detail::overriding_seats(table);
      if (!entered.empty()) {
        resolve(table, entered, true);
        return true;
      }
    }
    detail::exchange(table, offerer, acceptor);
    if (table.rules.doppelte_hochzeit) detail::second_hochzeit(table, offerer, acceptor);
    table.s.partner = acceptor;
    table.fix_contract({"HOCHZEIT", false, '-'}, offerer);
    return true;
  }
  return false;
}

}  // namespace schafkopf::reference
