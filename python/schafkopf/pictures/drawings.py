"""The drawings that cards are put together from: suit signs, figures, the back.

All are the project's own, in the traditional colours. Signs stand in a box of 24 x 24 around 0,
figures in that of a card, with the colour of the suit as currentColor.
"""

from __future__ import annotations

from schafkopf.terminal import words

SUITS = "EGHS"
RANKS = ("7", "8", "9", "U", "O", "K", "10", "A")

# Letters of the ranks; on paper each has a contrast of 4.5 and more.
INKS = {"E": "#5c3a12", "G": "#1d6a33", "H": "#b5171f", "S": "#8a5600"}
COATS = {"E": "#704a22", "G": "#1d6a33", "H": "#b5171f", "S": "#e3a51f"}  # of the figures

_DARK, _GOLD, _SKIN, _RED, _GREEN = "#33260f", "#f0b323", "#f3cfa8", "#c4232a", "#2f8f46"

_SIGNS = {
    "E": (
        '<path d="M-1-8V-11.5H1.6V-8" fill="#6d4a1c"/>'
        f'<path d="M-6.6-1C-6.8 5-3 8.8 0 11.8C3 8.8 6.8 5 6.6-1Z" fill="#d9922b" '
        f'stroke="{_DARK}"/>'
        '<path d="M-3.2 1.2C-3.2 4.4-2.3 6.4-1 8" fill="none" stroke="#f7d489" stroke-width="1.7"/>'
        f'<path d="M-8.2-1C-8.6-6.4-4.2-9 0-9S8.6-6.4 8.2-1Z" fill="#4c7a35" stroke="{_DARK}"/>'
        '<path d="M-5.6-3.2h.1M-2-3.2h.1M2-3.2h.1M5.6-3.2h.1M-3.8-6h.1M0-6h.1M3.8-6h.1" '
        'fill="none" stroke="#c9dc9a" stroke-width="1.7" stroke-linecap="round"/>'
    ),
    "G": (
        '<path d="M0 3V11.5" fill="none" stroke="#1d6a33" stroke-width="2.4" '
        'stroke-linecap="round"/>'
        f'<path d="M0-11.6C2.6-7 10.4-4.4 10.4 2C10.4 7.4 4.2 8.8 0 4.8C-4.2 8.8-10.4 7.4-10.4 2'
        f'C-10.4-4.4-2.6-7 0-11.6Z" fill="{_GREEN}" stroke="#123f1f"/>'
        '<path d="M0-6.5V4.6M0 .8L5-2M0 .8L-5-2" fill="none" stroke="#bfe3b4" stroke-width="1.3"/>'
    ),
    "H": (
        f'<path d="M0 11.2C-4 6-11 .4-11-5C-11-8.6-8.4-10.8-5.6-10.8C-3.2-10.8-1-9.4 0-7'
        f'C1-9.4 3.2-10.8 5.6-10.8C8.4-10.8 11-8.6 11-5C11 .4 4 6 0 11.2Z" fill="{_RED}" '
        'stroke="#6d0c12"/>'
        '<path d="M-7.6-4.6C-7.6-6.6-6.4-7.6-4.8-7.7" fill="none" stroke="#f7b0a4" '
        'stroke-width="1.7" stroke-linecap="round"/>'
    ),
    "S": (
        f'<path d="M-2.2-9.4C-2.2-12.4 2.2-12.4 2.2-9.4" fill="none" stroke="{_DARK}" '
        'stroke-width="1.6"/>'
        f'<circle cy="1" r="10" fill="{_GOLD}" stroke="{_DARK}"/>'
        f'<path d="M-9.9-.8H9.9V2.6H-9.9Z" fill="{_RED}" stroke="{_DARK}" stroke-width=".8"/>'
        f'<path d="M0 2.6V9.4" stroke="{_DARK}" stroke-width="1.7"/>'
        f'<circle cy="6" r="2" fill="{_DARK}"/>'
        '<path d="M-6.2-3.6C-5.2-5.6-3.6-6.6-1.6-7" fill="none" stroke="#fdeebb" '
        'stroke-width="1.7" stroke-linecap="round"/>'
    ),
}

_LINE = f'stroke="{_DARK}" stroke-width="1.8" stroke-linejoin="round"'


def _face(y: float) -> str:
    """A head whose middle is y."""
    return (
        f'<circle cx="66" cy="{y}" r="12.5" fill="{_SKIN}" {_LINE}/>'
        f'<path d="M61.5 {y - 1.5}h.1M70.5 {y - 1.5}h.1" fill="none" stroke="{_DARK}" '
        'stroke-width="2.8" stroke-linecap="round"/>'
    )


def _moustache(y: float, colour: str) -> str:
    return (
        f'<path d="M58 {y + 6}Q62 {y + 2} 66 {y + 4.5}Q70 {y + 2} 74 {y + 6}" fill="none" '
        f'stroke="{colour}" stroke-width="2.8" stroke-linecap="round"/>'
    )


def _coat(top: float, hem: float) -> str:
    """A coat of the suit's colour with a belt and golden buttons, from shoulders to hem."""
    belt = top + (hem - top) * 0.58
    return (
        f'<path d="M56 {top}H76Q86 {top + 3} 88 {top + 14}L92 {hem}H40L44 {top + 14}'
        f'Q46 {top + 3} 56 {top}Z" fill="currentColor" {_LINE}/>'
        f'<path d="M58 {top}L66 {top + 11}L74 {top}Z" fill="#fff6dc" {_LINE}/>'
        f'<path d="M43.5 {belt}H88.8L89.6 {belt + 8}H42.6Z" fill="#fff6dc" {_LINE}/>'
        f'<path d="M66 {top + 17}v.1M66 {top + 26}v.1" fill="none" stroke="#fff6dc" '
        'stroke-width="4.4" stroke-linecap="round"/>'
    )


def _legs(top: float) -> str:
    return (
        f'<path d="M52 {top}H64V148H50ZM68 {top}H80L82 148H68Z" fill="#fff6dc" {_LINE}/>'
        f'<path d="M46 152Q46 145 52 145H64V152ZM68 152V145H80Q86 145 86 152Z" fill="{_DARK}"/>'
    )


# An Ober lifts his sabre and wears a plume; an Unter carries a halberd with the point down and a
# cap; a king sits in an ermine coat under his crown.
_FIGURES = {
    "O": (
        f'<path d="M89 62L82 7Q90 14 92 30L95 61Z" fill="#d8dde3" {_LINE}/>'
        f"{_legs(118)}{_coat(56, 122)}"
        f'<path d="M84 60Q96 66 93 76L87 80Q79 76 80 66Z" fill="currentColor" {_LINE}/>'
        f'<path d="M84 66L98 61" stroke="{_GOLD}" stroke-width="5" stroke-linecap="round"/>'
        f'<circle cx="91" cy="67" r="5.5" fill="{_SKIN}" {_LINE}/>'
        f"{_face(43)}{_moustache(43, _DARK)}"
        f'<path d="M47 36Q66 25 85 36Q82 40 66 37Q50 40 47 36Z" fill="currentColor" {_LINE}/>'
        f'<path d="M54 32Q54 19 66 19T78 32Q66 27 54 32Z" fill="currentColor" {_LINE}/>'
        f'<path d="M56 29Q38 27 37 9Q49 9 60 22Z" fill="#fff6dc" {_LINE}/>'
    ),
    "U": (
        f'<path d="M90 40L90 138" stroke="#7b4f22" stroke-width="4.4" stroke-linecap="round"/>'
        f'<path d="M90 152L84 136Q90 130 96 136ZM88 132L76 126V116L88 120Z" fill="#d8dde3" '
        f"{_LINE}/>"
        f"{_legs(114)}{_coat(60, 116)}"
        f'<path d="M83 66Q95 72 94 88L86 92Q80 84 80 72Z" fill="currentColor" {_LINE}/>'
        f'<circle cx="90" cy="90" r="5.5" fill="{_SKIN}" {_LINE}/>'
        f'{_face(46)}<path d="M62.5 51.5Q66 54.5 69.5 51.5" fill="none" {_LINE}/>'
        f'<path d="M52 41Q50 24 66 24T80 41Q66 34 52 41Z" fill="currentColor" {_LINE}/>'
        f'<path d="M52 41Q66 33.5 80 41L81 46Q66 39 51 46Z" fill="{_GOLD}" {_LINE}/>'
    ),
    "K": (
        f'<path d="M38 151Q36 78 52 66H80Q96 78 94 151Z" fill="currentColor" {_LINE}/>'
        f'<path d="M57 66Q60 110 54 151H78Q72 110 75 66Z" fill="#fff6dc" {_LINE}/>'
        f'<path d="M62 92h.1M70 104h.1M61 116h.1M70 128h.1M61 140h.1" fill="none" '
        f'stroke="{_DARK}" stroke-width="3" stroke-linecap="round"/>'
        f'<path d="M87 150V86" stroke="{_GOLD}" stroke-width="4.6" stroke-linecap="round"/>'
        f'<circle cx="87" cy="80" r="6.5" fill="{_GOLD}" {_LINE}/>'
        f'<circle cx="87" cy="106" r="5.5" fill="{_SKIN}" {_LINE}/>'
        f'<path d="M53 48Q53 78 66 80T79 48Z" fill="#e9e2d0" {_LINE}/>'
        f"{_face(46)}{_moustache(46, '#e9e2d0')}"
        f'<path d="M50 37L47 12L57 22L66 7L75 22L85 12L82 37Q66 31 50 37Z" fill="{_GOLD}" {_LINE}/>'
        f'<path d="M57 29h.1M66 27h.1M75 29h.1" fill="none" stroke="{_RED}" stroke-width="4.4" '
        'stroke-linecap="round"/>'
    ),
}

# The stem between the two signs of a Sau, which is the deuce of the pack.
VINE = (
    '<path d="M65.5 80C40 76 40 62 48 58M65.5 80C91 84 91 98 83 102" fill="none" stroke="INK" '
    'stroke-width="2.4" stroke-linecap="round"/>'
)

_LOZENGES = "".join(
    f"M{x} {y}l7 9.5l-7 9.5l-7-9.5Z"
    for row, y in enumerate(range(14, 134, 19))
    for x in ((25, 50, 75) if row % 2 == 0 else (37.5, 62.5))
)
BACK_PATTERN = (
    '<rect x="7" y="7" width="86" height="146" rx="5" fill="none" stroke="#f3dfc1" '
    f'stroke-width="2"/><path d="{_LOZENGES}" transform="translate(0 1.5)" fill="#f3dfc1" '
    'fill-opacity=".62"/>'
)


def part(name: str) -> str:
    """Return the symbol of a suit ("E") or of a figure ("O")."""
    if name in _SIGNS:
        return f'<symbol id="sk-{name}" viewBox="-12 -12 24 24">{_SIGNS[name]}</symbol>'
    return f'<symbol id="sk-{name}" viewBox="0 0 100 160">{_FIGURES[name]}</symbol>'


def title(card: str) -> str:
    """ "EO" -> "Eichel-Ober"; the back is "Karte"."""
    return words.card_title(card) if card[:1] in SUITS and card[1:] in RANKS else "Karte"
