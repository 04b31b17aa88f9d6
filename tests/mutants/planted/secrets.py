"""What seats know (RULES B.3.7, D.1, E.2, E.4)."""

from __future__ import annotations

from planted.fault import Fault

FAULTS = [
    Fault(
        "view_names_the_partner",
        "env/game/game_view.cpp",
        "contract.partner_known || owns ? contract.partner : -1",
        "contract.partner",
    ),
    Fault(
        "silence_is_public",
        "env/game/doubling.cpp",
        "  if (action == kActionDouble) {\n    table.add_event(action);\n",
        "  table.add_event(action);\n  if (action == kActionDouble) {\n",
    ),
    Fault(
        "pushed_cards_are_public",
        "env/game/opening.cpp",
        "      table.add_secret(action);\n      return push(",
        "      table.add_event(action);\n      return push(",
    ),
    Fault(
        "refused_offer_is_public",
        "env/game/hochzeit.cpp",
        "      table.add_secret(action);\n      return ask_acceptance(",
        "      table.add_event(action);\n      return ask_acceptance(",
    ),
    Fault(
        "second_half_is_seen_while_laying",
        "env/game/game_view.cpp",
        "table_.phase > Phase::kLegen ? play.hand[seat] : opening::seen_hand(table_, seat).bits()",
        "play.hand[seat]",
    ),
    Fault(
        "asked_seat_is_seen",
        "env/game/game_view.cpp",
        "table_.phase == Phase::kDouble && !to_act ? Phase::kPlay : table_.phase",
        "table_.phase",
    ),
    Fault(
        "two_old_tricks_are_seen",
        "env/game/game_view.cpp",
        "const int first = std::max(tricks - 1, 0) * seats();",
        "const int first = std::max(tricks - 2, 0) * seats();",
    ),
]
