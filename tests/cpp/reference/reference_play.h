// Slow second reading of the rules, part 9: card play, abgekuerztes Spiel, offences (RULES E).
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/cpp/reference/reference_table.h"

namespace schafkopf::reference {

namespace detail {

/// The truth test of CLAIM_REST (OPEN-51). The claimer leads to every trick, so what the others may
/// answer depends on his card and their own hand only: each of them is looked at alone.
class ClaimTest {
 public:
  ClaimTest(const Table& table, int claimer) : table_(table), claimer_(claimer) {}

  /// True if some order of the claimer's cards wins every trick against every answer.
  [[nodiscard]] bool holds() {
    std::vector<std::set<Cards>> others;  // per opponent: hands that he may still have
    for (int step = 1; step < table_.seats; ++step) {
      Cards hand = table_.hand((claimer_ + step) % table_.seats);
      std::sort(hand.begin(), hand.end());
      others.push_back({hand});
    }
    Cards own = table_.hand(claimer_);
    std::sort(own.begin(), own.end());
    return wins_rest(own, others, table_.s.called);
  }

 private:
  bool wins_rest(const Cards& own, const std::vector<std::set<Cards>>& others,
                 const CalledCard& called) {
    if (own.empty()) return true;
    const auto key = std::make_pair(own, others);
    const auto known = lost_.find(key);
    if (known != lost_.end() && known->second == called.released) return false;
    for (const int card : reference_legal(own, {}, *table_.s.orders, called)) {
      std::vector<std::set<Cards>> after;
      if (!cannot_be_beaten(card, others, called, after)) continue;
      Cards rest = own;
      std::erase(rest, card);
      CalledCard next = called;
      if (contains(own, called.card) && card != called.card &&
          effective_suit(*table_.s.orders, card) == suit_letter(called.card)) {
        next.released = true;
      }
      if (wins_rest(rest, after, next)) return true;
    }
    lost_[key] = called.released;
    return false;
  }

  /// False if one of the hands has a legal card that beats the lead; else `after` = what is left.
  bool cannot_be_beaten(int lead, const std::vector<std::set<Cards>>& others,
                        const CalledCard& called, std::vector<std::set<Cards>>& after) const {
    const Orders& orders = *table_.s.orders;
    for (const std::set<Cards>& hands : others) {
      std::set<Cards> left;
      for (const Cards& hand : hands) {
        for (const int answer : reference_legal(hand, {lead}, orders, called)) {
          if (beats(orders, effective_suit(orders, lead), answer, lead)) return false;
          Cards rest = hand;
          std::erase(rest, answer);
          left.insert(rest);
        }
      }
      after.push_back(left);
    }
    return true;
  }

  const Table& table_;
  int claimer_;
  std::map<std::pair<Cards, std::vector<std::set<Cards>>>, bool> lost_;
};

/// All cards that lie in no completed trick, and all tricks still to come, go to `seat`.
inline void give_rest(Table& table, int seat) {
  const auto taker = static_cast<std::size_t>(seat);
  Cards& won = table.s.won[taker];
  won.insert(won.end(), table.s.trick.begin(), table.s.trick.end());
  table.s.trick.clear();
  for (Cards& hand : table.s.hands) {
    won.insert(won.end(), hand.begin(), hand.end());
    hand.clear();
  }
  const int completed = static_cast<int>(table.s.trick_winners.size());
  table.s.tricks_won[taker] += static_cast<int>(table.hand_size) - completed;
  table.s.stage = Stage::kSettle;
}

inline void claim_rest(Table& table, int claimer) {
  const bool holds = ClaimTest(table, claimer).holds();
  give_rest(table, holds ? claimer : table.next_opponent(claimer));
}

inline bool claims_open(const Table& table) {
  const std::string& name = table.s.contract.name;
  return table.rules.claims_enabled && !name.empty() && name != "RAMSCH" && !is_negative_game(name);
}

inline void take_trick(Table& table, int leader) {
  TableState& s = table.s;
  const int winner = (leader + trick_winner(*s.orders, s.trick)) % table.seats;
  const auto index = static_cast<std::size_t>(winner);
  s.won[index].insert(s.won[index].end(), s.trick.begin(), s.trick.end());
  ++s.tricks_won[index];
  s.trick_winners.push_back(winner);
  s.trick.clear();
  s.to_play = winner;
  const bool tout_lost = s.contract.tout && winner != s.declarer;
  const bool negative_lost = is_negative_game(s.contract.name) && winner == s.declarer;
  const bool decided = table.rules.early_termination && (tout_lost || negative_lost);
  if (decided || table.hand(winner).empty()) {
    s.stage = Stage::kSettle;
  } else if (table.mode == "strixner" && s.trick_winners.size() == 3) {
    s.stage = Stage::kForced;
  }
}

inline void lay_card(Table& table, int seat, int card) {
  TableState& s = table.s;
  const bool owner = seat == s.partner && s.called.card != kNoCalledCard;
  if (owner && card == s.called.card) s.partner_known = true;
  if (owner && s.trick.empty() && contains(table.hand(seat), s.called.card) &&
      card != s.called.card && effective_suit(*s.orders, card) == suit_letter(s.called.card)) {
    s.called.released = s.partner_known = true;  // runs away
  }
  std::erase(table.hand(seat), card);
  s.trick.push_back(card);
  ++s.cards_played;
  s.stage = Stage::kWindow;
  s.to_play = (seat + 1) % table.seats;
  if (static_cast<int>(s.trick.size()) == table.seats) take_trick(table, s.to_play);
}

}  // namespace detail

/// One card, or the end of the deal by a claim (E.5). False where it has not been answered yet.
inline bool play_card(Table& table) {
  const int seat = table.s.to_play;
  const Cards cards =
      reference_legal(table.hand(seat), table.s.trick, *table.s.orders, table.s.called);
  std::set<int> options(cards.begin(), cards.end());
  if (detail::claims_open(table)) {
    options.insert(kConcedeRest);
    if (table.s.trick.empty()) options.insert(kClaimRest);
  }
  const std::optional<int> answer = table.answer("PLAY", seat, std::move(options));
  if (!answer) return false;
  if (answer == kConcedeRest) {
    detail::give_rest(table, table.next_opponent(seat));
  } else if (answer == kClaimRest) {
    detail::claim_rest(table, seat);
  } else {
    detail::lay_card(table, seat, *answer);
  }
  return true;
}

/// Offences (E.6), told to the table during card play. True if the deal is over.
///
/// kind  WRONG_LEAD, REVOKE, REVOKE_LATE, CARD_COUNT or TALK
inline bool commit_offence(Table& table, std::string_view kind, int offender) {
  TableState& s = table.s;
  const std::string& policy = table.rules.infraction_policy;
  const std::string& name = s.contract.name;
  const bool on_the_spot = kind == "WRONG_LEAD" || kind == "REVOKE";
  if (kind == "TALK" && policy != "game_loss") return false;
  if (kind == "REVOKE" && policy == "tournament") return false;  // corrected
  s.offended = true;
  s.offender = offender;
  s.stage = Stage::kSettle;
  if (policy == "tournament" && kind == "REVOKE_LATE") {
    s.offence_fixed_price = true;
    return true;
  }
  const bool simple_loss = policy == "game_loss" || name == "RAMSCH" || is_negative_game(name);
  if (simple_loss) return true;
  if (on_the_spot) {  // what was won so far stays, the rest goes to the others
    s.offender = -1;
    detail::give_rest(table, table.next_opponent(offender));
    return true;
  }
  s.offence_schwarz = true;
  return true;
}

}  // namespace schafkopf::reference
