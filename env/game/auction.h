// The auction (RULES D.3, D.6): who plays, what he names, what is played when all pass. The
// contests of several players stand in contest.h.
#pragma once

#include "env/cards/action.h"
#include "env/game/auction_round.h"
#include "env/game/auction_state.h"
#include "env/game/next.h"
#include "env/game/table_state.h"

namespace schafkopf::auction {

/// The first question, or what the mode of the deal has in the place of an auction (C.20).
[[nodiscard]] Next begin(TableState& table);
/// A seat names a game without an auction, or after it.
[[nodiscard]] Next begin_naming(AuctionState& state, TableState& table, int seat, Naming naming);
/// `positions` want to play and may name `naming`.
[[nodiscard]] Next contest(AuctionState& state, TableState& table, std::uint8_t positions,
                           Naming naming);
/// Nobody plays (D.6).
[[nodiscard]] Next all_passed(AuctionState& state, TableState& table);

[[nodiscard]] ActionMask legal(const AuctionState& state, const TableState& table);
[[nodiscard]] Next apply(AuctionState& state, TableState& table, Action action);

/// Single games that a seat may announce in the mode of the deal.
[[nodiscard]] ActionMask single_classes(const TableState& table, int seat);
/// Cards that a seat may call in a row: as in the auction, or by duty.
[[nodiscard]] std::uint32_t callable_in(const TableState& table, const ContractRow& row, int seat);
/// The contest has been won: the holder names his game, or its details.
[[nodiscard]] Next win(AuctionState& state, TableState& table);

}  // namespace schafkopf::auction
