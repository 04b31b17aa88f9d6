// Results that a person enters by hand, and their price. What the price does not depend on may be
// left out; what is wrong or missing is a WrongArgument with the name of the member.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "env/cards/card.h"
#include "env/deal/deal.h"
#include "env/price/settle.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf {

/// Points and tricks are one number, of the declarer party; one per seat where everybody plays
/// alone.
struct EnteredResult {
  std::string contract;        // "SOLO_TOUT"; empty = the deal was thrown in
  bool stock_deposit = false;  // thrown in, and everybody pays into the Stock
  std::optional<int> declarer, partner;
  std::optional<std::vector<int>> points, tricks;
  std::optional<std::vector<int>> trumps_taken;    // ties of the Ramsch
  std::optional<std::vector<Card>> highest_trump;  // the same; kNoCard = none
  int laufende = 0;                                // top run, before minimum and cap
  int doublings = 0;
  int legen = 0;
  int bock = 0;
  int stock = 0;  // tariff units
  int bid = 0;
  int forehand = 0;
  std::vector<int> announced;  // seats that announced the Jungfrau
  std::optional<int> claimed_laufende;
  std::optional<bool> claimed_schwarz;
  Infraction infraction = Infraction::kNone;
  std::optional<int> offender;
};

/// What settle() takes, and the price in words, one step per line.
struct PricedResult {
  Outcome outcome;
  DealContext context;
  std::vector<std::string> steps;
};

/// Throws WrongArgument naming the member, for what no deal under these rules has and for a number
/// that is missing although the price depends on it.
[[nodiscard]] PricedResult price_result(const EnteredResult& entered, const CompiledRules& rules);

}  // namespace schafkopf
