"""German names of cards and games, and the cards that somebody means by a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from schafkopf import _core

SUITS = {"E": "Eichel", "G": "Gras", "H": "Herz", "S": "Schellen"}
RANKS = {
    "A": "Sau",
    "10": "Zehn",
    "K": "König",
    "O": "Ober",
    "U": "Unter",
    "9": "Neun",
    "8": "Acht",
    "7": "Sieben",
}
# Other spellings, folded (see fold); the letters of the codes are added below.
_SUIT_SPELLINGS = {
    "E": ("eichel", "eicheln", "acorns"),
    "G": ("gras", "gruen", "grun", "laub", "blatt", "blau", "leaves"),
    "H": ("herz", "rot", "hearts"),
    "S": ("schellen", "schell", "schelln", "kugel", "bumpel", "karo", "bells"),
}
_RANK_SPELLINGS = {
    "A": ("sau", "as", "ass", "daus", "ace"),
    "10": ("10", "10er", "zehn", "zehner", "z", "x", "ten"),
    "K": ("koenig", "konig", "king"),
    "O": ("ober",),
    "U": ("unter", "wenz"),
    "9": ("9", "9er", "neun", "neuner", "nine"),
    "8": ("8", "8er", "acht", "achter", "eight"),
    "7": ("7", "7er", "sieben", "siebener", "seven"),
}
_NICKNAMES = {
    "deralte": "EO",
    "derblaue": "GO",
    "derrote": "HO",
    "diealte": "EA",
    "dieblaue": "GA",
    "diegruene": "GA",
    "diebumpel": "SA",
    "dierunde": "SA",
    "diekugel": "SA",
    "diegeldsau": "SA",
}
_GAMES = {"RUF": "Rufspiel", "MUSS": "Muss-Spiel", "KREUZ": "Kreuzbock"}
_DECLARED = {"KREUZ": "Kreuzspiel"}  # of a Kreuzrunde; a Kreuzbock has no declarer


def fold(text: str) -> str:
    """Text as it is compared: lower case, umlauts as ae oe ue, letters and digits only."""
    text = text.casefold().replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    return "".join(letter for letter in text if letter.isalnum())


def card_title(card: str) -> str:
    """ "EO" -> "Eichel-Ober"."""
    return f"{SUITS[card[0]]}-{RANKS[card[1:]]}"


def game_title(
    name: str, tout: bool = False, suit: str | None = None, declared: bool = False
) -> str:
    """ "SOLO", suit "E" -> "Eichel-Solo"; "FARBWENZ", suit "G" -> "Gras-Wenz".

    Args:
        declared: somebody plays it.
    """
    titles = _GAMES | _DECLARED if declared else _GAMES
    title = titles.get(name, "-".join(part.capitalize() for part in name.split("_")))
    if suit is not None:
        kind = title.removeprefix("Farb")  # "Farbwenz" -> "Wenz"
        title = f"{SUITS[suit]}-{kind[:1].upper()}{kind[1:]}"
    return f"{title}-Tout" if tout else title


def title_of(contract: _core.Contract, suit: str | None = None) -> str:
    """Return the title of a contract that is played."""
    return game_title(contract.name, contract.tout, suit, contract.declarer >= 0)


def suit_words(suit: str) -> tuple[str, ...]:
    """Folded spellings of a suit, its letter included."""
    return (suit.lower(), *_SUIT_SPELLINGS[suit])


def _rank_words(rank: str) -> tuple[str, ...]:
    return (rank.lower(), *_RANK_SPELLINGS[rank])


def _starts(words: Sequence[str], part: str) -> bool:
    if part.isdigit():  # "1" is no beginning of "10"
        return part in words
    return any(word.startswith(part) for word in words)


def exact_card(text: str) -> str | None:
    """The card whose code or whole name this is, in any spelling; "T" is a ten as in records."""
    folded = fold(text)
    if folded in _NICKNAMES:
        return _NICKNAMES[folded]
    for suit in SUITS:
        for start in suit_words(suit):
            if not folded.startswith(start):
                continue
            rest = folded[len(start) :]
            for rank in RANKS:
                if rest in _rank_words(rank) or (rest == "t" and rank == "10"):
                    return suit + rank
    return None


def cards_meant(text: str, among: Iterable[str]) -> list[str]:
    """The cards of a list that a beginning can mean.

    "ei o", "eichel-o" and "eio" begin Eichel-Ober; "gras" means every Gras, "sau" every Sau. A
    number alone means no card: it looks like the answer to a numbered question.
    """
    cards = list(among)
    if fold(text).isdigit():
        return []
    exact = exact_card(text)
    if exact is not None:
        return [card for card in cards if card == exact]
    parts = [fold(part) for part in re.split(r"[\s_-]+", text.strip()) if fold(part)]
    if not parts or len(parts) > 2:
        return []
    if len(parts) == 2:
        splits = [(parts[0], parts[1])]
    else:
        splits = [(parts[0][:cut], parts[0][cut:]) for cut in range(len(parts[0]) + 1)]
    return [
        card
        for card in cards
        if any(
            _starts(suit_words(card[0]), suit) and _starts(_rank_words(card[1:]), rank)
            for suit, rank in splits
        )
    ]
