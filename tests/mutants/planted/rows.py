"""Rows of observations of many views at once."""

from __future__ import annotations

from planted.fault import Fault

FAULTS = [
    Fault(
        "voids_stay_with_the_place_in_the_trick",
        "env/view/row_lanes.h",
        "const W by = (plays >> 2) & all(0x18u);",
        "const W by = plays & all(0);",
    ),
    Fault(
        "the_first_game_named_counts",
        "env/view/row_lanes.h",
        "named = blend((all_if(names) & all(0xFFu)) << at, names << at, named);",
        "named = named | ((names & ~all_if((named >> at) & all(0xFFu))) << at);",
    ),
    Fault(
        "the_right_neighbour_is_packed_as_nobody",
        "env/view/row_lanes.h",
        "return one_hot - (one_hot >> 2) - ((one_hot >> 3) << 1);",
        "return one_hot - (one_hot >> 2) - ((one_hot >> 3) * 6u);",
    ),
    Fault(
        "a_row_keeps_what_others_wrote_behind_it",
        "env/vector/vector_env_step.cpp",
        "std::memcpy(place, section, bytes);",
        "std::memcpy(place, section, bytes / 2);",
    ),
    Fault(
        "a_new_deal_leaves_the_rules_that_others_wrote",
        "env/vector/vector_env_deals.cpp",
        "kNotePlaced | kNoteRules);",
        "kNotePlaced);",
    ),
]
