// Several players want to play: the contest of ranks (RULES D.3), the direct auction (D.4), bidding
// for points (D.5). Inside of the auction.
#pragma once

#include "env/cards/action.h"
#include "env/game/auction_state.h"
#include "env/game/next.h"
#include "env/game/table_state.h"

namespace schafkopf::auction {

/// Classes that outrank the named one, or equal it where that is enough; a Herz-Solo may outrank
/// the other Solos (`herz_solo_precedence`).
[[nodiscard]] ActionMask higher_classes(const AuctionState& state, const TableState& table,
                                        int seat, bool equal_wins);

/// Every position has spoken: those in `said_play` contest the game.
[[nodiscard]] Next end_round(AuctionState& state, TableState& table);
[[nodiscard]] Next apply_resolve(AuctionState& state, TableState& table, Action action);
/// The holder has a named class: the challenger answers, or the next one if he is the holder now.
[[nodiscard]] Next after_naming(AuctionState& state, TableState& table);

[[nodiscard]] Next apply_direct(AuctionState& state, TableState& table, Action action);
/// Pass the question on cyclically, skipping inactive seats and the holder (D.4).
[[nodiscard]] Next next_direct(AuctionState& state, TableState& table, int from);

[[nodiscard]] ActionMask legal_steigern(const AuctionState& state, const TableState& table);
[[nodiscard]] Next apply_steigern(AuctionState& state, TableState& table, Action action);

}  // namespace schafkopf::auction
