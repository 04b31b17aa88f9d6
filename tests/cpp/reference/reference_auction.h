// Slow second reading of the rules, part 5: both auctions, Steigern, naming, all pass (RULES
// D.3-D.6).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/cpp/reference/reference_table.h"

namespace schafkopf::reference {

/// A game as named in the auction: nothing yet, or a class and, where the rules ask for it at once,
/// its suit.
struct Named {
  int action = 0;
  char suit = '-';
};

namespace detail {

/// Twice the rank of D.3; a Herz-Solo stands half a rank higher where it has precedence.
inline int strength(const Table& table, const ClassRow& row, char suit) {
  const bool solo = std::string_view(row.name) == "SOLO" && !row.tout;
  return 2 * row.rank + (table.rules.herz_solo_precedence && solo && suit == 'H' ? 1 : 0);
}
inline int strength(const Table& table, const Named& named) {
  return strength(table, class_row(named.action), named.suit);
}

inline bool suit_is_named_at_once(const Table& table, const ClassRow& row) {
  const std::string name = row.name;
  const bool solo = name == "SOLO" && !row.tout;
  return needs_suit(name) &&
         (table.rules.suit_public_when_named || (table.rules.herz_solo_precedence && solo));
}

/// Suit actions with which the class reaches at least `least`.
inline std::set<int> suits_reaching(const Table& table, const ClassRow& row, int least) {
  std::set<int> suits;
  for (const int suit : all_suit_actions()) {
    if (strength(table, row, suit_of_action(suit)) >= least) suits.insert(suit);
  }
  return suits;
}

/// Single classes of the seat that reach at least `least`.
inline std::set<int> classes_reaching(const Table& table, int seat, int least) {
  std::set<int> actions;
  for (const ClassRow& row : table.single_classes(seat)) {
    if (strength(table, row, 'H') >= least) actions.insert(row.action);
  }
  return actions;
}

/// Completes a named class by its suit if that has to be named at once.
inline Named with_suit(Table& table, int seat, int action, int least) {
  Named named{action, '-'};
  const ClassRow& row = class_row(action);
  if (suit_is_named_at_once(table, row)) {
    named.suit = suit_of_action(table.ask("NAME_SUIT", seat, suits_reaching(table, row, least)));
  }
  return named;
}

}  // namespace detail

/// What remains to be named once the game belongs to `seat`: class, suit, called card (D.2 step 7).
///
/// cards  what a Rufspiel may call; `ruf_name` is RUF, or MUSS
inline void name_contract(Table& table, int seat, Named named, bool ruf_allowed, const Cards& cards,
                          const std::string& ruf_name = "RUF") {
  if (named.action == 0) {
    std::set<int> options;
    for (const ClassRow& row : table.single_classes(seat)) {
      if (table.s.bid == 0 || !is_negative_game(row.name)) options.insert(row.action);
    }
    if (ruf_allowed) options.insert(kNameRuf);
    named.action = table.ask("NAME_CLASS", seat, options);
  }
  const ClassRow& row = class_row(named.action);
  Contract contract{row.name, row.tout, named.suit};
  if (needs_suit(contract.name) && contract.suit == '-') {
    contract.suit = suit_of_action(table.ask("NAME_SUIT", seat, all_suit_actions()));
  }
  if (contract.name != "RUF") {
    table.fix_contract(contract, seat);
  } else if (table.mode == "kreuzrunde") {
    table.fix_contract({"KREUZ", false, '-'}, seat);
  } else {
    const int called = table.ask("CALL_CARD", seat, std::set<int>(cards.begin(), cards.end()));
    table.fix_contract({ruf_name, false, '-'}, seat, called);
  }
}

inline void name_contract(Table& table, int seat, Named named, bool ruf_allowed) {
  name_contract(table, seat, named, ruf_allowed && table.can_play_ruf(seat), table.callable(seat));
}

// ---- nobody plays (D.6, C.4, C.5, C.20) ---------------------------------------------------------

/// The holder of the Muss card must play (C.4).
inline void muss_game(Table& table) {
  for (int seat = 0; seat < table.seats; ++seat) {
    if (!contains(table.hand(seat), table.rules.muss_card)) continue;
    const Cards calls = muss_calls(table.hand(seat), table.rules.partner_trump_suit,
                                   table.rules.muss_blocked, table.rules.short_deck);
    const Named named{table.rules.muss_solo_allowed ? 0 : kNameRuf, '-'};
    name_contract(table, seat, named, true, calls, "MUSS");
    return;
  }
  throw std::logic_error("nobody holds the Muss card");
}

/// Must name a game and may call by the cascade when gesperrt (Allgaeuer, C.20.9).
inline void forced_game(Table& table, int seat) {
  const Cards calls = muss_calls(table.hand(seat), table.rules.partner_trump_suit, "ten_cascade",
                                 table.rules.short_deck);
  name_contract(table, seat, {}, table.enabled(seat, "RUF"), calls);
}

inline void nobody_plays(Table& table) {
  std::string result = table.rules.all_pass;
  if (table.mode == "solo_wenz_ramsch") result = "ramsch";
  const bool partner_game = result == "muss_spiel" || result == "kreuzbock";
  if (table.mode == "soli_only" && partner_game) result = "throw_in";
  if (table.mode == "allgaeuer") {
    for (int position = 0; position < table.seats; ++position) {
      const int seat = table.seat_at(position);
      if (!table.context.owed[static_cast<std::size_t>(seat)].empty()) {
        forced_game(table, seat);
        return;
      }
    }
  }
  if (result == "last_chooses") {
    std::set<int> options;
    if (table.rules.last_chooses_options.contains("ramsch")) options.insert(kSayRamsch);
    if (table.rules.last_chooses_options.contains("stock")) options.insert(kSayStock);
    if (table.rules.last_chooses_options.contains("throw_in")) options.insert(kPass);
    const int answer = table.ask("ALL_PASS_CHOICE", table.seat_at(table.seats - 1), options);
    result = answer == kSayRamsch ? "ramsch" : answer == kSayStock ? "stock" : "throw_in";
  }
  if (result == "ramsch") {
    table.fix_contract({"RAMSCH", false, '-'}, -1);
  } else if (result == "muss_spiel") {
    muss_game(table);
  } else if (result == "kreuzbock") {
    table.fix_contract({"KREUZ", false, '-'}, -1);
  } else {  // thrown in, with or without a Bock or a payment into the Stock
    table.s.stock_paid = result == "stock";
    table.throw_in();
  }
}

// ---- two stages (D.3, D.5) ----------------------------------------------------------------------

/// Rank mode of D.3: `willing` have said PLAY. Only single games if `single_only`.
inline void resolve_by_rank(Table& table, const std::vector<int>& willing, bool single_only) {
  int holder = willing[0];
  Named named;
  for (std::size_t i = 1; i < willing.size(); ++i) {
    const int challenger = willing[i];
    if (named.action == 0) {
      std::set<int> options = detail::classes_reaching(table, holder, 0);
      options.insert(kYield);
      const int answer = table.ask("AUCTION_RESOLVE", holder, options);
      if (answer == kYield) {
        holder = challenger;
        continue;
      }
      named = detail::with_suit(table, holder, answer, 0);
    }
    const int least = detail::strength(table, named) + 1;
    std::set<int> options = detail::classes_reaching(table, challenger, least);
    options.insert(kPass);
    const int answer = table.ask("AUCTION_RESOLVE", challenger, options);
    if (answer == kPass) continue;
    holder = challenger;
    named = detail::with_suit(table, challenger, answer, least);
  }
  name_contract(table, holder, named, holder == willing[0] && !single_only);
}

inline bool has_single_class(const Table& table, int seat, bool only_positive) {
  for (const ClassRow& row : table.single_classes(seat)) {
    if (!only_positive || !is_negative_game(row.name)) return true;
  }
  return false;
}

/// Bidding of points (D.5).
inline void resolve_by_steigern(Table& table, const std::vector<int>& willing) {
  int holder = willing[0], bid = 0;
  bool firm = false;
  for (std::size_t i = 1; i < willing.size(); ++i) {
    const int challenger = willing[i];
    if (!firm) {
      std::set<int> options = {kYield};
      if (has_single_class(table, holder, false)) options.insert(kHold);
      firm = true;
      if (table.ask("STEIGERN", holder, options) == kYield) {
        holder = challenger;
        continue;
      }
    }
    while (bid < 120) {
      const int next = bid == 0 ? 70 : bid + 10;
      std::set<int> options = {kPass};
      if (has_single_class(table, challenger, true)) {
        const int most = table.rules.steigern_jump ? 120 : next;
        for (int offer = next; offer <= most; offer += 10) {
          options.insert(kRaise70 + (offer - 70) / 10);
        }
      }
      const int answer = table.ask("STEIGERN", challenger, options);
      if (answer == kPass) break;
      bid = 70 + 10 * (answer - kRaise70);
      std::set<int> replies = {kYield};
      if (has_single_class(table, holder, true)) replies.insert(kHold);
      if (table.ask("STEIGERN", holder, replies) == kYield) {
        holder = challenger;
        break;
      }
    }
  }
  table.s.bid = bid;
  name_contract(table, holder, {}, false);
}

/// The contest among those who said PLAY.
inline void resolve(Table& table, const std::vector<int>& willing, bool single_only) {
  if (willing.size() >= 2 && table.rules.solo_contest == "steigern") {
    resolve_by_steigern(table, willing);
  } else {
    resolve_by_rank(table, willing, single_only);
  }
}

/// Seats that want to play; none = all have passed.
inline std::vector<int> auction_round(Table& table) {
  std::vector<int> willing;
  for (int position = 0; position < table.seats; ++position) {
    const int seat = table.seat_at(position);
    std::set<int> options = {kPass};
    if (has_single_class(table, seat, false) || (willing.empty() && table.can_play_ruf(seat))) {
      options.insert(kPlay);
    }
    if (table.ask("AUCTION_ROUND", seat, options) == kPlay) willing.push_back(seat);
  }
  return willing;
}

// ---- direct (D.4) -------------------------------------------------------------------------------

/// Next active position after `last` that does not hold the game, or -1.
inline int next_speaker(const std::vector<bool>& active, int last, int holder) {
  const int seats = static_cast<int>(active.size());
  for (int step = 1; step <= seats; ++step) {
    const int candidate = (last + step) % seats;
    if (active[static_cast<std::size_t>(candidate)] && candidate != holder) return candidate;
  }
  return -1;
}

/// True if somebody holds the game at the end; false = all have passed.
inline bool direct_auction(Table& table) {
  std::vector<bool> active(static_cast<std::size_t>(table.seats), true);
  const int ruf = 2 * class_row(kNameRuf).rank;
  int holder = -1;  // a position
  int height = 0;
  Named named;
  int position = next_speaker(active, -1, holder);
  while (position >= 0) {
    const int seat = table.seat_at(position);
    std::set<int> options;
    int least = 0;
    if (holder < 0) {
      if (table.can_play_ruf(seat) || has_single_class(table, seat, false)) options.insert(kPlay);
    } else {  // higher, or as high from an earlier position
      least = height > ruf && position < holder ? height : height + 1;
      options = detail::classes_reaching(table, seat, least);
    }
    options.insert(kPass);
    const int answer = table.ask("AUCTION_DIRECT", seat, options);
    if (answer == kPass) {
      active[static_cast<std::size_t>(position)] = false;
    } else if (answer == kPlay) {
      holder = position;
      height = ruf;
    } else {
      holder = position;
      named = detail::with_suit(table, seat, answer, least);
      height = detail::strength(table, named);
    }
    position = next_speaker(active, position, holder);
  }
  if (holder < 0) return false;
  name_contract(table, table.seat_at(holder), named, true);
  return true;
}

/// Step 5 of D.2; true if the deal has a game.
inline bool auction(Table& table) {
  const bool direct = table.rules.auction_style == "direct" && table.mode != "allgaeuer";
  if (direct) return direct_auction(table);
  const std::vector<int> willing = auction_round(table);
  if (willing.empty()) return false;
  resolve(table, willing, false);
  return true;
}

}  // namespace schafkopf::reference
