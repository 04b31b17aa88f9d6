"""What one person may know of a running deal, with seats as at the table and cards by name.

A Scene comes from the PlayerView of a seat and from nothing else; who sits out (the dealer at a
table of five) gets the public facts alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from schafkopf import _core, display
from schafkopf.terminal import words


@dataclass(frozen=True)
class Said:
    """A public event: `marked` is the flag of the called card that ran away."""

    seat: int
    action: str
    marked: bool
    cards_before: int


@dataclass(frozen=True)
class Played:
    number: int  # of the card in this deal, from 0
    seat: int
    card: str


@dataclass(frozen=True)
class Announced:
    """The game that is played, as far as it is public."""

    name: str
    tout: bool
    declarer: int | None
    suit: str | None  # trump suit, announced or implied
    called: str | None
    bid: int
    renonce: bool

    @property
    def row(self) -> dict[str, Any]:
        return contract_row(self.name)

    @property
    def title(self) -> str:
        """Name with the trump suit, where that is named: "Eichel-Solo"."""
        suit = self.suit if self.row["trump_suit"] == "announced" else None
        return words.game_title(self.name, self.tout, suit, self.declarer is not None)

    @property
    def is_complete(self) -> bool:
        """Whether everything that makes the game is named."""
        if self.row["parties"] == "called_card" and self.called is None:
            return False
        return self.row["trump_suit"] != "announced" or self.suit is not None


@dataclass(frozen=True)
class Scene:
    """One moment; seats are absolute."""

    me: int | None
    seats: int
    dealer: int
    phase: str
    hand: tuple[str, ...] = ()
    legal: tuple[int, ...] = ()
    said: tuple[Said, ...] = ()
    plays: tuple[Played, ...] = ()
    num_plays: int = 0
    leader: int | None = None
    captured: tuple[frozenset[str], ...] = ()
    game: Announced | None = None
    partner: int | None = None
    partner_known: bool = False
    owns_called: bool = False
    doublings: int = 0
    laid: int = 0
    bock: int = 0
    special_round: str = "none"
    open_cards: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    received: tuple[str, ...] = ()

    def on_table(self) -> list[Played]:
        """Cards of the trick that is not complete."""
        return self._of_trick(self.num_plays // self.seats)

    def last_trick(self) -> list[Played]:
        """Cards of the last complete trick; empty before the first one is."""
        trick = self.num_plays // self.seats - 1
        return self._of_trick(trick) if trick >= 0 else []

    def earlier_trick(self) -> list[Played]:
        """Cards of the complete trick before the last one; empty where that is forgotten."""
        trick = self.num_plays // self.seats - 2
        return self._of_trick(trick) if trick >= 0 else []

    def winner(self, trick: list[Played]) -> int | None:
        """Seat that has the cards of a trick; None where nobody took it."""
        for seat, cards in enumerate(self.captured):
            if trick and trick[-1].card in cards:
                return seat
        return None

    def _of_trick(self, trick: int) -> list[Played]:
        first = trick * self.seats
        return [play for play in self.plays if first <= play.number < first + self.seats]


@cache
def _contract_rows() -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in _core.contract_table()}


def contract_row(name: str) -> dict[str, Any]:
    """Row of the contract table."""
    return _contract_rows()[name]


# Claims on demand (RULES G.5), after the cards.
_SETTLED = {
    action
    for action in range(_core.NUM_ACTIONS)
    if _core.action_name(action).startswith(("CLAIM_SCHWARZ", "CLAIM_NO_SCHWARZ", "CLAIM_LAUFENDE"))
}


def _names(bits: Any) -> tuple[str, ...]:
    return tuple(display.card_names(int(bits)))


def scene_of_view(view: Any) -> Scene:
    """The scene that a view shows: a record of VIEW_DTYPE."""
    cards, order = view["cards"], view["order"]
    known = _core.unpack_cards(cards)
    me, seats = int(known["seat"]), int(order["seats"])

    def seat_of(field: str) -> int | None:
        relative = int(known[field])
        return None if relative == display.NO_SEAT else (me + relative) % seats

    def at_table(relative: int) -> int:
        return (me + relative) % seats

    num_plays = int(order["num_plays"])
    events = _core.unpack_events(view["events"])[: int(order["num_events"])].tolist()
    said = [
        Said(
            at_table(seat),
            _core.action_name(action),
            marked,
            # claims after the cards: an event has no room for the number of all of them
            num_plays if action in _SETTLED else cards_before,
        )
        for action, seat, cards_before, marked, _ in events
    ]
    plays = [
        Played(number, at_table(seat), _core.card_name(card))
        for number, (card, seat, seen) in enumerate(_core.unpack_plays(order)[:num_plays].tolist())
        if seen
    ]
    legal = _core.legal_mask(view)[0]
    captured = [frozenset[str]()] * seats
    for relative in range(seats):
        captured[at_table(relative)] = frozenset(_names(cards["captured"][relative]))
    return Scene(
        me=me,
        seats=seats,
        dealer=at_table(int(order["dealer"])),
        phase=_core.phase_name(int(cards["phase"])),
        hand=_names(cards["hand"]),
        legal=tuple(action for action in range(_core.NUM_ACTIONS) if legal[action]),
        said=tuple(said),
        plays=tuple(plays),
        num_plays=num_plays,
        leader=seat_of("leader"),
        captured=tuple(captured),
        game=_announced(view, known, seat_of("declarer")),
        partner=seat_of("partner"),
        partner_known=bool(known["partner_known"]),
        owns_called=bool(known["owns_called"]),
        doublings=int(known["doubling_level"]),
        laid=int(order["legen"]),
        bock=int(order["bock"]),
        special_round=display.special_round_name(order),
        open_cards=_names(order["open"]),
        given=_names(order["given"]),
        received=_names(order["received"]),
    )


def _announced(view: Any, known: Any, declarer: int | None) -> Announced | None:
    cards, contract = view["cards"], int(known["contract"])
    if contract < 0:
        return None
    suit, called = int(cards["trump_suit"]), int(cards["called_card"])
    return Announced(
        name=_core.CONTRACT_CLASSES[contract],
        tout=bool(known["tout"]),
        declarer=declarer,
        suit=display.SUITS[suit] if suit < len(display.SUITS) else None,
        called=None if called == display.NO_CARD else _core.card_name(called),
        bid=int(view["order"]["bid"]),
        renonce=bool(known["renonce"]),
    )


def public_scene(game: _core.Game) -> Scene:
    """The scene of somebody who sits out: what everybody at the table sees."""
    said = [
        Said(event["seat"], event["action"], event["ran_away"], event["cards_before"])
        for event in game.events
        if not event["secret"]
    ]
    plays = [Played(number, seat, card) for number, (seat, card) in enumerate(game.plays)]
    told = scene_of_view(game.view((game.current_player + 1) % game.seats))  # of who is not asked
    knows = told.partner_known or (told.game is not None and told.game.row["parties"] == "hochzeit")
    return Scene(
        me=None,
        seats=game.seats,
        dealer=game.dealer,
        phase=told.phase,
        said=tuple(said),
        plays=tuple(plays),
        num_plays=len(plays),
        captured=tuple(frozenset(game.captured(seat)) for seat in range(game.seats)),
        game=told.game,
        partner=told.partner if knows else None,
        partner_known=told.partner_known,
        doublings=game.doubling_level,
        laid=game.num_laid,
        open_cards=tuple(game.open_cards),
    )
