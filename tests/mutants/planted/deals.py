"""Cards, table and deal (RULES A, B)."""

from __future__ import annotations

from planted.fault import Fault

FAULTS = [
    Fault(
        "five_players_hold_six_cards",
        "env/rules/rules_check.cpp",
        "const int seats = std::min(rules.players, kNumSeats);",
        "const int seats = rules.players == 5 ? 5 : std::min(rules.players, kNumSeats);",
    ),
    Fault(
        "three_players_may_call",
        "env/rules/rules_check.cpp",
        "if (result.players == 3) remove_partner_games(result);",
        "if (result.players == 2) remove_partner_games(result);",
    ),
    Fault(
        "halves_are_exchanged",
        "env/deal/dealing.cpp",
        "? deal_.first : deal_.second)[s]",
        "? deal_.second : deal_.first)[s]",
    ),
    Fault(
        "counterclockwise_is_clockwise",
        "env/deal/dealing.cpp",
        "DealDirection::kCcw ? seats - 1 : 1",
        "DealDirection::kCw ? seats - 1 : 1",
    ),
    Fault(
        "packets_of_two_are_of_four",
        "env/deal/dealing.cpp",
        "    case DealPackets::k3x2:\n      return 2;",
        "    case DealPackets::k3x2:\n      return 4;",
    ),
    Fault(
        "misdeal_costs_once",
        "env/deal/dealing.cpp",
        "-amount * (rules.players - 1) : amount",
        "-amount : amount",
    ),
    Fault(
        "left_neighbour_cuts",
        "env/deal/dealing.cpp",
        "(dealer + rules.players - 1) % rules.players",
        "(dealer + 1) % rules.players",
    ),
    Fault(
        "dealer_is_forehand",
        "env/game/table_state.h",
        "int forehand() const { return wrapped(dealer + 1); }",
        "int forehand() const { return dealer; }",
    ),
]
