"""Legen and Kontra (RULES F)."""

from __future__ import annotations

from planted.fault import Fault

FAULTS = [
    Fault(
        "legen_goes_on_after_silence",
        "env/game/opening.cpp",
        "(mode == Legen::kSequential && laid)",
        "(mode == Legen::kSequential)",
    ),
    Fault(
        "legen_counts_nothing",
        "env/price/settle.cpp",
        "result.multiplier = 1 << (outcome.level + outcome.legen + context.bock);",
        "result.multiplier = 1 << (outcome.level + context.bock);",
    ),
    Fault(
        "dealer_lays_on_the_first_half",
        "env/game/opening.cpp",
        "    case LegenDealerCards::kLast:\n      return hand - first;",
        "    case LegenDealerCards::kLast:\n      return first;",
    ),
    Fault(
        "leader_is_asked_first",
        "env/game/doubling.cpp",
        "open_window(state, turn, n);",
        "open_window(state, table.forehand(), n);",
    ),
    Fault(
        "one_doubling_more",
        "env/game/doubling.cpp",
        "state.level >= table.rules->max_doublings(row)",
        "state.level > table.rules->max_doublings(row)",
    ),
    Fault(
        "seat_doubles_once_more",
        "env/game/doubling.cpp",
        "state.doubled[seat] >= rules.max_doublings_per_seat",
        "state.doubled[seat] > rules.max_doublings_per_seat",
    ),
    Fault(
        "re_takes_over",
        "env/price/settle.cpp",
        "rules.kontra_takeover && outcome.defenders_doubled_last",
        "rules.kontra_takeover && !outcome.defenders_doubled_last",
    ),
    Fault(
        "muss_has_no_kontra",
        "env/rules/compiled_rules.cpp",
        "return rules_.muss_kontra ? rules_.max_doublings_partner : 0;",
        "return 0;",
    ),
    Fault(
        "kreuzrunde_closes_after_a_chain",
        "env/game/doubling.cpp",
        "    if (chains_close(table)) {",
        "    if (contract.fixed) {",
    ),
    Fault(
        "kontra_times_3",
        "env/price/settle.cpp",
        "parts.kontra = 1 << outcome.level;",
        "parts.kontra = 1 + 2 * outcome.level;",
    ),
    Fault(
        "kontra_doubles_laufende",
        "env/price/settle.cpp",
        "value = (base + schneider + schwarz) * times + laufende;",
        "value = (base + schneider + schwarz + laufende) * times;",
    ),
]
