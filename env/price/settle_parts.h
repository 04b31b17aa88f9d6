// The parts of a price, shared by the settlement and its words.
#pragma once

#include "env/cards/contract.h"
#include "env/deal/deal.h"
#include "env/price/settle.h"

namespace schafkopf {

/// How an infraction decides a deal (E.6; OPEN-53..56).
enum class Verdict : std::uint8_t {
  kPlayed,       // as the cards lie, the rest already with the opponents
  kLostSimple,   // the offender's party loses, neither Schneider nor Schwarz
  kLostSchwarz,  // the offender's party loses with Schwarz
  kFixed,        // the offender alone pays a fixed amount (004 4)
};
[[nodiscard]] Verdict verdict_of(const Outcome& outcome, const RuleSet& rules);

/// Whether Schneider and Schwarz are paid in a class (G.3, R-161).
[[nodiscard]] bool counts_schneider(const ContractRow& row, bool tout, const RuleSet& rules);

/// The parts of G.3, per payer.
struct PriceParts {
  int base = 0, schneider = 0, schwarz = 0, laufende = 0, kontra = 1, factor = 1, outer = 1;
  KontraScope scope = KontraScope::kAll;

  [[nodiscard]] std::int32_t total() const;  // at most kMostPrice
};
[[nodiscard]] PriceParts price_parts(const Outcome& outcome, const Settlement& result,
                                     const RuleSet& rules, const DealContext& context);

}  // namespace schafkopf
