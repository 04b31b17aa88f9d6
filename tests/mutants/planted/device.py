"""A game for each thread of a device (env/device), as this processor emulates it."""

from __future__ import annotations

from planted.fault import Fault

FAULTS = [
    Fault(
        "device_seats_share_a_hand",
        "env/device/thread_word.h",
        "(words[2] & at_seat(seat, 2)) | (words[3] & at_seat(seat, 3));",
        "(words[2] & at_seat(seat, 2)) | (words[2] & at_seat(seat, 3));",
    ),
    Fault(
        "device_draws_another_card",
        "env/device/card_trace.h",
        "for (; n > 0; --n) cards &= cards - 1;",
        "for (; n > 1; --n) cards &= cards - 1;",
    ),
    Fault(
        "device_goes_on_after_the_end",
        "env/device/card_trace.h",
        "while (state.num_played.v < state.next_stop.v) {",
        "while (state.num_played.v < 32) {",
    ),
]
