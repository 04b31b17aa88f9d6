"""Special rounds, Bock and sessions (RULES C.20, G.8, H)."""

from __future__ import annotations

from planted.fault import Fault

FAULTS = [
    Fault(
        "dealer_may_push_the_packet",
        "env/game/opening.cpp",
        "  return table.to_move == table.dealer;",
        "  return false;",
    ),
    Fault(
        "three_cards_may_be_declined",
        "env/game/opening.cpp",
        "return table.rule_set().schieber_cards > 2;",
        "return table.rule_set().schieber_cards > 3;",
    ),
    Fault(
        "schieber_pushes_one_card",
        "env/game/opening.cpp",
        "Push;\n  state.to_pass = static_cast<std::uint8_t>(table.rule_set().schieber_cards);",
        "Push;\n  state.to_pass = 1;",
    ),
    Fault(
        "schieber_dealer_gets_a_card_more",
        "env/deal/dealing.cpp",
        "const bool dealer = position == seats_of(rules) - 1;",
        "const bool dealer = position == seats_of(rules) - 2;",
    ),
    Fault(
        "teufel_may_be_tout",
        "env/game/opening.cpp",
        "return Next::name(table.forehand(), Naming::kSoloNoTout);",
        "return Next::name(table.forehand(), Naming::kSolo);",
    ),
    Fault(
        "strixner_after_two_tricks",
        "env/game/auction.cpp",
        "table.play.next_stop = 3 * table.play.seats;",
        "table.play.next_stop = 2 * table.play.seats;",
    ),
    Fault(
        "strixner_tout_without_all_tricks",
        "env/game/game.cpp",
        "took_all ? Naming::kSolo : Naming::kSoloNoTout",
        "Naming::kSolo",
    ),
    Fault(
        "hadsch_begins_undoubled",
        "env/game/doubling.cpp",
        "  state.level = 1;\n",
        "  state.level = 0;\n",
    ),
    Fault(
        "zupf_may_draw_the_gift",
        "env/game/announcement.cpp",
        "const std::uint32_t held = table.play.hand[state.target];",
        "const std::uint32_t held = table.play.hand[state.target] | CardSet::of(given).bits();",
    ),
    Fault(
        "zupf_draws_from_the_next",
        "env/game/announcement.cpp",
        "action - kActionTarget1 + 1) % table.seats()",
        "action - kActionTarget1 + 2) % table.seats()",
    ),
    Fault(
        "owed_wenz_is_a_solo",
        "env/game/auction.cpp",
        "(owed & kOwesWenz) != 0 ? wenz",
        "(owed & kOwesSolo) != 0 ? wenz",
    ),
    Fault(
        "soli_round_has_rufspiele",
        "env/rules/special_round.h",
        "{SpecialRound::kSoliOnly,       Opening::kAuction,       Announce::kSingles,",
        "{SpecialRound::kSoliOnly,       Opening::kAuction,       Announce::kAll,",
    ),
    Fault(
        "bock_is_not_stacked",
        "env/session/round_queue.cpp",
        "rules.bock_stacking == BockStacking::kMultiply",
        "rules.bock_stacking == BockStacking::kExtend",
    ),
    Fault(
        "throw_in_uses_up_bock",
        "env/session/round_queue.cpp",
        "    if (thrown_in) return;\n",
        "",
    ),
    Fault(
        "lost_re_starts_bock",
        "env/session/round_queue.cpp",
        "lost && outcome.level >= 1",
        "lost && outcome.level >= 2",
    ),
    Fault(
        "old_one_always_gives",
        "env/session/session.cpp",
        "begins && rules.last_round_dealer_old_one && state",
        "begins && state",
    ),
    Fault(
        "bock_counts_nothing",
        "env/price/settle.cpp",
        "parts.outer = 1 << (outcome.legen + context.bock);",
        "parts.outer = 1 << outcome.legen;",
    ),
]
