// Offered Hochzeiten in what a seat has seen (RULES C.3).
#pragma once

#include <span>
#include <vector>

#include "env/cards/card.h"
#include "env/rules/rules.h"
#include "env/view/view.h"

namespace schafkopf {

/// An offered Hochzeit. Seats as in the events: relative to who sees them.
struct Offer {
  int seat = 0;
  int trumps = 0;  // that are offered, 1 or 2
  CardSet shown;   // those of them that were shown
  int acceptor = -1;
  int overrides = 0;  // answers of the round in which single games may enter
  bool is_void = false;
  bool exchanged = false;  // the trumps have changed hands
};

/// The offers of an auction in order, each with what became of it.
[[nodiscard]] std::vector<Offer> offers_of(std::span<const SeenEvent> events, const RuleSet& rules,
                                           int seats);

}  // namespace schafkopf
