"""What a seat may know, as bytes with names: the lines of a view, and what shares bytes in them.

A view is a record of VIEW_DTYPE, three lines of 64 bytes: cards, order, events. Game.view gives it,
VectorEnv(view_lines=True) shows it for a batch, and players get it. Seats in it count from the
viewer on, clockwise; so do those of a record of FULL_VIEW_DTYPE, the hidden truth for critics:
hands[0] is the viewer's.
"""

from schafkopf._core import (
    CARDS_DTYPE,
    EVENTS_DTYPE,
    FULL_VIEW_DTYPE,
    NO_SEAT,
    ORDER_DTYPE,
    VIEW_DTYPE,
    VIEW_VERSION,
    unpack_cards,
    unpack_events,
    unpack_plays,
)

__all__ = [
    "CARDS_DTYPE",
    "EVENTS_DTYPE",
    "FULL_VIEW_DTYPE",
    "NO_SEAT",
    "ORDER_DTYPE",
    "VIEW_DTYPE",
    "VIEW_VERSION",
    "unpack_cards",
    "unpack_events",
    "unpack_plays",
]
