"""What a seat may know, as bytes with names: the lines of a view, and what shares bytes in them.

A view is a record of VIEW_DTYPE, three lines of 64 bytes: cards, order, events. Game.view gives it,
VectorEnv(view_lines=True) shows it for a batch, and players get it. Seats in it count from the
viewer on, clockwise; so do those of a record of FULL_VIEW_DTYPE, the hidden truth for critics:
hands[0] is the viewer's.

Byte 47 of the order line has no name, nor have bytes 34 to 63 of a FULL_VIEW_DTYPE: they are kept
free for later, and 0 as the engine gives them. Nobody reads them, and NumPy does not keep them:
where it joins records (np.array([view, view]), np.concatenate) byte 47 is left out and a view has
191 bytes; astype(VIEW_DTYPE) makes it 192 again, with anything in that byte. Views are the same
whose fields are.
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
