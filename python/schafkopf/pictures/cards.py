"""Cards of the German pattern as SVG: drawn once as symbols, put together by reference.

A card is 100 x 160 units. Its left column has the letter of the rank and the suit sign, so that a
card shows what it is where others cover the rest of it; an Unter has the sign low, as on paper.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from schafkopf.pictures import drawings
from schafkopf.pictures.drawings import INKS, RANKS, SUITS

WIDTH, HEIGHT = 100, 160
BACK = "back"
CARDS = tuple(suit + rank for suit in SUITS for rank in RANKS)

_LETTER = (17.5, 35)  # baseline of the letter in the middle of the left column
_SIGN = 26  # its size in the left column
_SIGN_HIGH, _SIGN_LOW = 56, 139  # its middle
_PIP = 26

# Middles of the pips of a number card, in columns and rows as on paper.
_LEFT, _MIDDLE, _RIGHT = 46, 65.5, 85
_PIPS: dict[str, tuple[tuple[float, float], ...]] = {
    "7": (
        *((x, y) for x in (_LEFT, _RIGHT) for y in (28, 80, 132)),
        (_MIDDLE, 54),
    ),
    "8": (
        *((x, y) for x in (_LEFT, _RIGHT) for y in (28, 80, 132)),
        (_MIDDLE, 54),
        (_MIDDLE, 106),
    ),
    "9": (
        *((x, y) for x in (_LEFT, _RIGHT) for y in (23, 61, 99, 137)),
        (_MIDDLE, 80),
    ),
    "10": (
        *((x, y) for x in (_LEFT, _RIGHT) for y in (23, 61, 99, 137)),
        (_MIDDLE, 42),
        (_MIDDLE, 118),
    ),
}


def _use(name: str, middle_x: float, middle_y: float, size: float) -> str:
    x, y = middle_x - size / 2, middle_y - size / 2
    return f'<use href="#sk-{name}" x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}"/>'


def _symbol(name: str, box: str, body: str) -> str:
    return f'<symbol id="sk-{name}" viewBox="{box}">{body}</symbol>'


def _paper(fill: str) -> str:
    return (
        f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="9" fill="{fill}" '
        'stroke="var(--sk-edge,#8d8676)" stroke-width="1.6"/>'
    )


def _middle(suit: str, rank: str) -> tuple[list[str], str]:
    """Names of the symbols that the middle of a card needs, and its drawing."""
    if rank in _PIPS:
        return [suit], "".join(_use(suit, x, y, _PIP) for x, y in _PIPS[rank])
    if rank == "A":
        vine = drawings.VINE.replace("INK", INKS[suit])
        return [suit], vine + _use(suit, 65.5, 47, 54) + _use(suit, 65.5, 113, 54)
    figure = (
        f'<use href="#sk-{rank}" width="{WIDTH}" height="{HEIGHT}" color="{drawings.COATS[suit]}"/>'
    )
    return [rank], figure


def _card(card: str) -> tuple[list[str], str]:
    """Names of the symbols that a card needs, and its own symbol."""
    box = f"0 0 {WIDTH} {HEIGHT}"
    if card == BACK:
        return [], _symbol(BACK, box, _paper("var(--sk-back,#7d2f38)") + drawings.BACK_PATTERN)
    suit, rank = card[0], card[1:]
    needs, middle = _middle(suit, rank)
    x, y = _LETTER
    narrow = ' textLength="29" lengthAdjust="spacingAndGlyphs"' if rank == "10" else ""
    letter = (
        f'<text x="{x}" y="{y}" text-anchor="middle" font-size="34" font-weight="700" '
        f'font-family="system-ui,Segoe UI,Arial,sans-serif" fill="{INKS[suit]}"{narrow}>'
        f"{rank}</text>"
    )
    sign = _use(suit, x, _SIGN_LOW if rank == "U" else _SIGN_HIGH, _SIGN)
    body = _paper("var(--sk-paper,#fffdf6)") + letter + sign + middle
    return [suit, *needs], _symbol(card, box, body)


@cache
def symbols(cards: frozenset[str]) -> str:
    """Return the symbols of some cards and of what they refer to, without an <svg> around them."""
    parts = {}
    for card in (*CARDS, BACK):
        if card in cards:
            needs, parts[card] = _card(card)
            for name in needs:
                parts.setdefault(f"-{name}", drawings.part(name))
    return "".join(parts[name] for name in sorted(parts))


def sprite(cards: Iterable[str] = (*CARDS, BACK)) -> str:
    """Return an invisible <svg> that defines cards; card_svg and others refer to it.

    Args:
        cards: names as "EO"; "back" is the back.

    Raises:
        ValueError: a name that is none.
    """
    wanted = frozenset(_checked(card) for card in cards)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0" aria-hidden="true" '
        f'style="position:absolute;width:0;height:0;min-width:0">{symbols(wanted)}</svg>'
    )


def card_svg(card: str) -> str:
    """Return one card as an SVG image that needs nothing else.

    Args:
        card: name as "EO"; "back" is the back.

    Raises:
        ValueError: a name that is none.
    """
    card = _checked(card)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{drawings.title(card)}">'
        f'<defs>{symbols(frozenset([card]))}</defs><use href="#sk-{card}"/></svg>'
    )


def _checked(card: str) -> str:
    if card != BACK and card not in CARDS:
        raise ValueError(f"card = {card!r}, allowed: names as EO, H10, S7, and {BACK}")
    return card
