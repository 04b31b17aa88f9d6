"""Cards by number and name, what the rules say about a few of them, and canonical cards.

A card is a number 0..31, 8 * suit + rank, or its name "EO". What asks the rules takes hands that
may be partial, so that a question needs no deal. Canonical cards are counted by the card map of a
seat (trump suit first), as the networks of this package see them.

>>> import schafkopf
>>> schafkopf.cards.callable_cards("EO GO HO SU H8 E9 S7 G10")
['EA', 'GA', 'SA']
>>> schafkopf.cards.card_points("SA S10 GO")
24
"""

from schafkopf._core import (
    callable_cards,
    card_maps,
    card_name,
    card_points,
    from_canonical,
    laufende,
    legal,
    mask_from_canonical,
    mask_to_canonical,
    parse_card,
    sorted_hand,
    to_canonical,
    trick_winner,
)

__all__ = [
    "callable_cards",
    "card_maps",
    "card_name",
    "card_points",
    "from_canonical",
    "laufende",
    "legal",
    "mask_from_canonical",
    "mask_to_canonical",
    "parse_card",
    "sorted_hand",
    "to_canonical",
    "trick_winner",
]
