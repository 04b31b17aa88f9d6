// What the numbers of a result may be under a rule set: for those who enter one by hand.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "env/cards/contract.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf {

/// A bound and what sets it, such as a switch with its value.
struct Limit {
  int most = 0;
  std::string because;
};

struct ResultLimits {
  int points = kTotalPoints;
  int tricks = 0;                // of a deal
  int bock = kMaxBock;           // factors 2
  Limit doublings;               // F.3
  Limit legen;                   // F.1
  Limit bid;                     // D.5
  Card highest_trump = kNoCard;  // kNoCard = the contract has no trumps
};

/// context  of the deal: in a Hadsch a Kontra stands, whatever the rules lead to
[[nodiscard]] ResultLimits result_limits(const Contract& contract, const CompiledRules& rules,
                                         const DealContext& context = {});

/// Least and most card points of so many tricks.
[[nodiscard]] std::pair<int, int> points_in_tricks(int tricks, const CompiledRules& rules);

/// Throws WrongArgument for "bid": points that nobody bids, or a contract without bids (D.5).
void check_bid(const ContractRow& row, int bid);

/// 2 for each doubling: each Kontra, each who laid, each Bock (F.1, F.3).
[[nodiscard]] constexpr std::int64_t price_factor(int times) { return std::int64_t{1} << times; }

/// Bit per seat of the declarer party. A partner that sits opposite need not be named.
///
/// Throws WrongArgument for "declarer" or "partner": one that is missing, has no place in the
/// contract or sits elsewhere.
[[nodiscard]] unsigned declarer_party(const Contract& contract, int partner,
                                      const CompiledRules& rules);

}  // namespace schafkopf
