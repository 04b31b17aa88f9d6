// The one deal of a special round that is none: for whatever begins deals.
#pragma once

#include <algorithm>

#include "env/rules/deal_context.h"
#include "env/rules/special_round.h"

namespace schafkopf {

/// C.20.9: a deal of an Allgaeuer Runde in which nobody at the table owes a game is a normal one.
inline void leave_paid_round(DealContext& context) {
  if (special_round_row(context.mode()).announce != Announce::kOwed) return;
  if (std::ranges::any_of(context.owed, [](int owed) { return owed != 0; })) return;
  context.special_round = context.games_left = 0;
}

}  // namespace schafkopf
