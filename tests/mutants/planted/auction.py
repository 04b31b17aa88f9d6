"""Auction (RULES D)."""

from __future__ import annotations

from planted.fault import Fault

FAULTS = [
    Fault(
        "follower_may_call",
        "env/game/auction.cpp",
        "(!follower && may_call(state, table, seat))",
        "may_call(state, table, seat)",
    ),
    Fault(
        "follower_is_not_bound",
        "env/game/contest.cpp",
        "if (!first || state.firm) state.naming",
        "if (state.firm) state.naming",
    ),
    Fault(
        "equal_game_falls_to_the_later_seat",
        "env/game/contest.cpp",
        "const bool equal_wins = state.has_holder && position < state.holder;",
        "const bool equal_wins = state.has_holder && position > state.holder;",
    ),
    Fault(
        "steigern_starts_at_60",
        "env/game/contest.cpp",
        "kFirstBid = 70,",
        "kFirstBid = 60,",
    ),
    Fault(
        "steigern_bid_is_enough",
        "env/price/settle.cpp",
        "std::min(outcome.contract.bid + 1, kTotalPoints)",
        "std::min(outcome.contract.bid, kTotalPoints)",
    ),
    Fault(
        "steigern_may_always_jump",
        "env/game/contest.cpp",
        "steigern_jump ? kLastBid : least",
        "steigern_jump ? least : kLastBid",
    ),
    Fault(
        "herz_solo_over_herz_solo",
        "env/game/contest.cpp",
        "is_plain_solo(state.named) &&\n      table.contract.suit != Suit::kHerz &&",
        "is_plain_solo(state.named) &&",
    ),
    Fault(
        "forehand_chooses_when_all_pass",
        "env/game/auction.cpp",
        "table.seat_at(table.seats() - 1)",
        "table.seat_at(0)",
    ),
    Fault(
        "all_pass_stock_is_free",
        "env/price/settle.cpp",
        "if (!outcome.stock_deposit || stock",
        "if (outcome.stock_deposit || stock",
    ),
    Fault(
        "suit_is_named_too_late",
        "env/game/contest.cpp",
        "rules.suit_public_when_named || (",
        "false || (",
    ),
    Fault(
        "nobody_is_last_to_answer",
        "env/game/auction_round.h",
        "return table.to_move != table.dealer;",
        "return table.to_move <= table.dealer;",
    ),
]
