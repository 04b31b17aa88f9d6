"""Contracts (RULES C)."""

from __future__ import annotations

from planted.fault import Fault

FAULTS = [
    Fault(
        "own_ace_is_called",
        "env/rules/calling.cpp",
        "if ((hand & card) == 0 && ",
        "if (",
    ),
    Fault(
        "blocked_hand_may_call",
        "env/rules/calling.cpp",
        "  return cards_to_call(hand, trumps, Rank::kAss, true);",
        "  return cards_to_call(hand, trumps, Rank::kAss, true) | void_aces(hand, trumps);",
    ),
    Fault(
        "king_is_called_before_the_ten",
        "env/rules/calling.cpp",
        "{Rank::k10, Rank::kKoenig, Rank::k9,",
        "{Rank::kKoenig, Rank::k10, Rank::k9,",
    ),
    Fault(
        "ten_is_called_before_a_renonce",
        "env/rules/calling.cpp",
        "  if (aces != 0) return aces;\n  const std::uint32_t tens",
        "  const std::uint32_t tens",
    ),
    Fault(
        "renonce_is_announced_wrongly",
        "env/game/auction.cpp",
        "table.rule_set().renonce == Renonce::kAnnounced",
        "table.rule_set().renonce == Renonce::kUnannounced",
    ),
    Fault(
        "hochzeit_returns_a_trump",
        "env/game/hochzeit.cpp",
        "table.rule_set().hochzeit_return_nontrump ? own &",
        "table.rule_set().hochzeit_return_nontrump && false ? own &",
    ),
    Fault(
        "hochzeit_returns_the_offered_card",
        "env/game/hochzeit.cpp",
        "table.play.hand[seat] & ~(table.given[state.offerer] & ~packet);",
        "table.play.hand[seat];",
    ),
    Fault(
        "hochzeit_with_two_trumps",
        "env/game/hochzeit.cpp",
        "if (trumps == 1) mask",
        "if (trumps == 1 || trumps == 2) mask",
    ),
    Fault(
        "bauernhochzeit_is_always_allowed",
        "env/game/hochzeit.cpp",
        "table.rule_set().bauernhochzeit && state.first == 0",
        "state.first == 0",
    ),
    Fault(
        "offer_goes_round_from_the_offerer",
        "env/game/hochzeit.cpp",
        "return ask_acceptance(state, table, 0);",
        "return ask_acceptance(state, table, table.position_of(table.to_move) + 1);",
    ),
    Fault(
        "hochzeit_cannot_be_overridden",
        "env/game/hochzeit.cpp",
        "!table.rule_set().hochzeit_solo_override || state.first != 0",
        "!table.rule_set().hochzeit_solo_override || state.first == 0",
    ),
    Fault(
        "second_pair_declares",
        "env/game/hochzeit.cpp",
        "state.offerer = static_cast<std::int8_t>(state.first & 3);",
        "state.offerer = static_cast<std::int8_t>(state.offerer & 3);",
    ),
    Fault(
        "muss_holder_is_another_seat",
        "env/game/auction.cpp",
        "if (!table.hand(seat).contains(table.rule_set().muss_card)) continue;",
        "if (table.hand(seat).contains(table.rule_set().muss_card)) continue;",
    ),
    Fault(
        "kreuz_partner_sits_left",
        "env/game/game.cpp",
        "static_cast<std::int8_t>((declarer + 2) % seats())",
        "static_cast<std::int8_t>((declarer + 1) % seats())",
    ),
    Fault(
        "ramsch_keeps_herz",
        "env/rules/compiled_rules.cpp",
        "rules.ramsch_trumps == RamschTrumps::kNoHerz",
        "rules.ramsch_trumps == RamschTrumps::kHerz",
    ),
    Fault(
        "march_with_90",
        "env/price/settle.cpp",
        "seat.points >= kSchneider)",
        "seat.points >= kSchneider - 1)",
    ),
    Fault(
        "jungfrau_counts_four_times",
        "env/price/settle.cpp",
        "kAllDouble && virgins > 0) result.multiplier *= 2;",
        "kAllDouble && virgins > 0) result.multiplier *= 4;",
    ),
    Fault(
        "second_jungfrau_counts_nothing",
        "env/price/settle.cpp",
        "result.multiplier <<= virgins;",
        "result.multiplier <<= virgins > 0 ? 1 : 0;",
    ),
    Fault(
        "announced_jungfrau_fails_without_trick",
        "env/price/settle.cpp",
        "announced && outcome.tricks[from] > 0",
        "announced && outcome.tricks[from] == 0",
    ),
    Fault(
        "two_payers_are_crossed",
        "env/price/settle.cpp",
        "    pay(list[0], list[3]);\n    pay(list[1], list[2]);",
        "    pay(list[0], list[2]);\n    pay(list[1], list[3]);",
    ),
    Fault(
        "schieberramsch_goes_right",
        "env/price/settle.cpp",
        "(seat + seats - 1) % seats : seat)",
        "(seat + 1) % seats : seat)",
    ),
    Fault(
        "ramsch_tie_falls_to_the_dealer",
        "env/price/settle.cpp",
        "seats - position,",
        "position,",
    ),
    Fault(
        "bettel_ten_is_high",
        "env/rules/compiled_rules.cpp",
        "row.plain_order == PlainOrder::kLowTen) words",
        "row.plain_order != PlainOrder::kLowTen && false) words",
    ),
    Fault(
        "brett_lies_open_too_early",
        "env/game/game.cpp",
        "brett_reveal == BrettReveal::kAfterFirstTrick",
        "brett_reveal == BrettReveal::kBeforeFirstCard",
    ),
    Fault(
        "geier_plays_unter",
        "env/cards/contract.cpp",
        '"GEIER",          {kO, kO}',
        '"GEIER",          {kU, kU}',
    ),
    Fault(
        "sie_needs_seven_cards",
        "env/rules/compiled_rules.cpp",
        "i < std::min(cards_per_hand_, order.count)",
        "i < std::min(cards_per_hand_, order.count) - 1",
    ),
    Fault(
        "tout_may_lose_a_trick",
        "env/price/settle.cpp",
        "result.won = defender_tricks == 0;",
        "result.won = defender_tricks <= 1;",
    ),
    Fault(
        "bettel_may_take_a_trick",
        "env/price/settle.cpp",
        "result.won = tricks == 0;",
        "result.won = tricks <= 1;",
    ),
]
