"""Prices (RULES G)."""

from __future__ import annotations

from planted.fault import Fault

FAULTS = [
    Fault(
        "win_with_60",
        "env/price/settle.cpp",
        "kMajority = 61",
        "kMajority = 60",
    ),
    Fault(
        "schneider_free_with_30",
        "env/price/settle.cpp",
        "schneider_lost = 30",
        "schneider_lost = 29",
    ),
    Fault(
        "muss_needs_61",
        "env/price/settle.cpp",
        "row.by_duty && rules.muss_threshold == MussThreshold::kSixty",
        "row.by_duty && rules.muss_threshold == MussThreshold::kNormal",
    ),
    Fault(
        "partner_pays_with_the_defenders",
        "env/price/settle.cpp",
        "const int declarer = (outcome.declarer_party >> seat) & 1;\n    result.payoffs",
        "const int declarer = seat == outcome.contract.declarer ? 1 : 0;\n    result.payoffs",
    ),
    Fault(
        "single_game_pays_three",
        "env/price/settle.cpp",
        "row.is_single() ? seats - 1 : 1",
        "row.is_single() ? 3 : 1",
    ),
    Fault(
        "points_of_four_without_ober",
        "env/cards/four_sets.h",
        "(twos << 1) + aces + ober",
        "(twos << 1) + aces",
    ),
    Fault(
        "three_players_have_tricks_of_four",
        "env/game/game.cpp",
        "seats() == kNumSeats ? cards >> 2 : thirds_of(cards)",
        "cards >> 2",
    ),
    Fault(
        "laufende_without_the_top",
        "env/price/settle.cpp",
        "held ? ~party.bits() : party.bits()",
        "~party.bits()",
    ),
    Fault(
        "laufende_beyond_all_trumps",
        "env/price/settle.cpp",
        "return std::min(run, trumps.count);",
        "return run;",
    ),
    Fault(
        "laufende_minimum",
        "env/price/settle.cpp",
        "run >= minimum ?",
        "run > minimum ?",
    ),
    Fault(
        "laufende_of_a_wenz_beyond_the_unter",
        "env/price/settle.cpp",
        "if (pictures) cap = 4;",
        "if (pictures) cap = 8;",
    ),
    Fault(
        "over_claim_is_free",
        "env/price/settle.h",
        "claimed > payable ? 2 * payable - claimed : claimed",
        "claimed > payable ? payable : claimed",
    ),
    Fault(
        "short_solo_has_no_schneider",
        "env/price/settle.cpp",
        "rules.solo_schneider_schwarz || rules.deck == Deck::kShort24",
        "rules.solo_schneider_schwarz || rules.deck == Deck::kLong32",
    ),
    Fault(
        "hochzeit_is_not_doubled",
        "env/price/settle.cpp",
        "      return tariff.hochzeit_factor;",
        "      return 1;",
    ),
    Fault(
        "sie_costs_a_tout",
        "env/price/settle.cpp",
        "      return tariff.sie_factor;",
        "      return tariff.tout_factor;",
    ),
    Fault(
        "stock_is_the_declarers",
        "env/price/settle.cpp",
        "rules.stock_owner == StockOwner::kParty ?",
        "rules.stock_owner == StockOwner::kDeclarer ?",
    ),
    Fault(
        "lost_stock_stays",
        "env/price/settle.cpp",
        "result.won ? stock : -std::min(stock, kMaxStock - stock)",
        "result.won ? stock : 0",
    ),
    Fault(
        "winner_pays_reuegeld",
        "env/price/settle.cpp",
        "if (!result.won && outcome.contract.declarer >= 0) {",
        "if (result.won && outcome.contract.declarer >= 0) {",
    ),
]
