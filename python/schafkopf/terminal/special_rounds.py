"""Special rounds of a session in words, in German and English."""

from __future__ import annotations

from collections.abc import Sequence

from schafkopf import _core

# Mode of `special_round` -> title and what it means, each in German and English (RULES C.20).
_ROUNDS = {
    "bock": (("Bockrunde", "Bock round"), ("alles zählt doppelt", "everything counts twice")),
    "ramsch": (
        ("Ramschrunde", "Ramsch round"),
        ("jedes Spiel ist ein Ramsch", "every deal is a Ramsch"),
    ),
    "kreuzbock": (
        ("Kreuzbock", "Kreuzbock"),
        ("wer sich gegenübersitzt, spielt zusammen", "opposite seats play together"),
    ),
    "kreuzrunde": (
        ("Kreuzrunde", "Kreuzrunde"),
        (
            "statt eines Rufspiels spielen die zusammen, die sich gegenübersitzen",
            "instead of a Rufspiel opposite seats play together",
        ),
    ),
    "solo_wenz_ramsch": (
        ("Solo-Wenz-Ramsch-Runde", "Solo-Wenz-Ramsch round"),
        (
            "nur Solo und Wenz; passen alle, ist es ein Ramsch",
            "Solo and Wenz only; if all pass, it is a Ramsch",
        ),
    ),
    "soli_only": (("Solorunde", "Solo round"), ("nur Einzelspiele", "single games only")),
    "schieber": (
        ("Schieberrunde", "Schieberrunde"),
        (
            "wer das Paket der höchsten Ober nimmt, spielt ein Solo",
            "whoever takes the packet of the highest Ober plays a Solo",
        ),
    ),
    "teufel": (
        ("Teufelsrunde", "Teufelsrunde"),
        (
            "Vorhand nennt die Farbe ihres Solos vor dem Geben und bekommt vier hohe Trümpfe",
            "forehand names the suit of a Solo before the deal and gets four high trumps",
        ),
    ),
    "hadsch": (
        ("Hadschrunde", "Hadsch round"),
        (
            "Vorhand muss spielen, und das Kontra steht schon",
            "forehand must play, against a Kontra that stands already",
        ),
    ),
    "allgaeuer": (
        ("Allgäuer Runde", "Allgäuer Runde"),
        (
            "jeder schuldet ein Rufspiel, einen Wenz und ein Solo",
            "everybody owes a Rufspiel, a Wenz and a Solo",
        ),
    ),
    "strixner": (
        ("Strixner", "Strixner"),
        (
            "drei Stiche jeder für sich; wer den dritten macht, spielt ein Solo",
            "three tricks everybody alone; whoever takes the third plays a Solo",
        ),
    ),
    "zupf_solo": (
        ("Zupf-Solo-Runde", "Zupf-Solo round"),
        (
            "wer ein Solo spielt, gibt eine Karte her und zieht eine dafür",
            "whoever plays a Solo gives a card away and draws another",
        ),
    ),
}

_DEBTS = ("Rufspiel", "Wenz", "Solo")  # bits of DealContext.owed


def round_text(context: _core.DealContext) -> list[str]:
    """The special round of a deal in German and English: "Bockrunde, noch 3 Spiele: alles ...".

    Empty in a normal deal.
    """
    if context.special_round == "none":
        return []
    titles, meanings = _ROUNDS[context.special_round]
    left = context.games_left
    lengths = (
        ("letztes Spiel", "last game")
        if left == 1
        else (f"noch {left} Spiele", f"{left} games left")
    )
    if context.special_round == "bock" and not is_plain_bock(context):  # G.8: several at a time
        factor = _core.price_factor(context.bock)
        meanings = (f"alles zählt mal {factor}", f"everything counts x{factor}")
    return [
        f"{title}{f', {length}' if left else ''}: {meaning}"
        for title, length, meaning in zip(titles, lengths, meanings, strict=True)
    ]


def owed_text(context: _core.DealContext, names: Sequence[str]) -> list[str]:
    """What each player still owes in an Allgäuer Runde, in German and English (RULES C.20.9).

    Empty in other rounds.

    Args:
        names: by seat.
    """
    if context.special_round != "allgaeuer":
        return []
    told = []
    for nothing in ("nichts mehr", "nothing more"):
        debts = []
        for name, owed in zip(names, context.owed, strict=False):
            games = [game for bit, game in enumerate(_DEBTS) if owed >> bit & 1]
            debts.append(f"{name} {', '.join(games) or nothing}")
        told.append("; ".join(debts))
    return [f"es schulden noch: {told[0]}", f"still owed: {told[1]}"]


def is_plain_bock(context: _core.DealContext) -> bool:
    """Whether the Bock of a deal is that of its Bockrunde and no other, which its text says."""
    return context.special_round == "bock" and _core.price_factor(context.bock) == 2
