"""Blocks of games (env/lanes), found on a processor that has a kernel."""

from __future__ import annotations

from planted.fault import Fault

FAULTS = [
    Fault(
        "lanes_let_the_owner_run_away_unseen",
        "env/lanes/lane_step.h",
        "const W untouched = leaves | all_if(card & play.bound);",
        "const W untouched = all_if(card & play.bound);",
    ),
    Fault(
        "lanes_show_the_wrong_leader",
        "env/lanes/lane_step.h",
        "const W leader = (W::all(0) - play.on_table) & W::all(3);",
        "const W leader = (W::all(1) - play.on_table) & W::all(3);",
    ),
    Fault(
        "lanes_claim_in_the_middle_of_a_trick",
        "env/lanes/lane_step.h",
        "(W::all(2) | (~all_if(play.on_table) & W::all(1)));",
        "W::all(3);",
    ),
    Fault(
        "lanes_go_on_while_somebody_is_asked",
        "env/vector/vector_env_lanes.cpp",
        "same = game.phase() == Phase::kPlay &&",
        "same = !game.is_terminal() &&",
    ),
    Fault(
        "lanes_swap_two_games",
        "env/base/lane_word.h",
        "return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);",
        "return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 15, 14, 13);",
    ),
    Fault(
        "claims_are_played_as_cards",
        "env/vector/vector_env_step.cpp",
        "_mm_cmplt_epi8(answers, _mm_set1_epi8(kNumCards))",
        "_mm_cmplt_epi8(answers, _mm_set1_epi8(127))",
    ),
    Fault(
        "draws_lose_the_upper_word",
        "env/lanes/lane_step.h",
        "base = upper & 64;",
        "base = upper & 0;",
    ),
]
