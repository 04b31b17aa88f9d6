// Hand-made outcomes for tests of settlement and sessions.
#pragma once

#include <initializer_list>
#include <string>

#include "env/price/settle.h"
#include "env/session/session.h"

namespace schafkopf::test {

/// Outcome of a game: the declarer's party has `points` and `tricks`, the others the rest.
inline Outcome played_outcome(const std::string& contract, int declarer,
                              std::initializer_list<int> party, int points, int tricks = 4) {
  Outcome outcome;
  const NamedContract named = parse_contract(contract);
  outcome.contract.contract = named.row->contract;
  outcome.contract.tout = named.tout;
  outcome.contract.declarer = declarer;
  for (const int seat : party) {
    outcome.declarer_party = static_cast<std::uint8_t>(outcome.declarer_party | (1 << seat));
  }
  const auto first = static_cast<std::size_t>(party.size() == 0 ? 1 : *party.begin());
  std::size_t other = 0;
  while (((outcome.declarer_party >> other) & 1) != 0) ++other;
  outcome.points[first] = static_cast<std::uint8_t>(points);
  outcome.points[other] = static_cast<std::uint8_t>(kTotalPoints - points);
  outcome.tricks[first] = static_cast<std::uint8_t>(tricks);
  outcome.tricks[other] = static_cast<std::uint8_t>(kNumRanks - tricks);
  return outcome;
}

/// A deal that is thrown in, with or without a deposit into the Stock.
inline Outcome all_passed(bool stock_deposit = false) {
  Outcome outcome;
  outcome.thrown_in = outcome.all_passed = true;
  outcome.stock_deposit = stock_deposit;
  return outcome;
}

/// Enter a deal as its game would: settled in the context that the state hands to it.
inline void enter_deal(SessionState& state, const RuleSet& rules, const Outcome& outcome,
                       int old_one = -1) {
  schafkopf::enter_deal(state, rules, outcome, settle(outcome, rules, state.context), old_one);
}

}  // namespace schafkopf::test
