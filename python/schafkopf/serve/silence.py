"""People who cannot double are asked too, or the waiting would tell who holds the called card.

RULES F.3 and E.2: which party somebody belongs to is hidden until the called card falls, and a seat
that may not double leaves no trace. The engine asks only those who may; at a table with several
people the others would see whom they do not wait for.
"""

from __future__ import annotations

from schafkopf.terminal.scene import public_scene
from schafkopf.terminal.table import Deal

NO_DOUBLE = "NO_DOUBLE"


class SilentQuestions:
    """Who has still to say no in the window of doubling that is open, or has just been closed.

    Args:
        people: places of the people.
    """

    def __init__(self, people: list[int]) -> None:
        self._people = people
        self._window: tuple[int, int, int] | None = None  # deal, cards played, doublings
        self._order: list[int] = []  # places in the order in which they are asked
        self._unheard: set[int] = set()

    def follow(self, deal: Deal) -> None:
        """Look at the deal after each action."""
        game = deal.game
        if game.phase != "DOUBLE":
            if self._window is None or self._window[:2] != (deal.number, len(game.plays)):
                self._close()
            return
        scene = public_scene(game)
        window = (deal.number, len(game.plays), scene.doublings)
        if window == self._window:
            return
        self._close()
        if scene.game is None or not scene.game.called or scene.partner_known:
            return
        self._window = window
        self._order = [deal.places[seat] for seat in _order(deal)]
        declarer = deal.places[scene.game.declarer] if scene.game.declarer is not None else None
        if len(self._people) > 1:
            self._unheard = {p for p in self._people if p in self._order and p != declarer}

    def asked(self, deal: Deal) -> int | None:
        """Place of the person who has to say no before the deal goes on."""
        if not self._unheard:
            return None
        before = self._order
        if deal.game.phase == "DOUBLE":  # those before the one who is asked in earnest
            before = before[: before.index(deal.places[deal.game.current_player])]
        return next((place for place in before if place in self._unheard), None)

    def heard(self, place: int) -> None:
        """Somebody has answered, in earnest or not."""
        self._unheard.discard(place)

    def _close(self) -> None:
        self._window, self._order, self._unheard = None, [], set()


def _order(deal: Deal) -> list[int]:
    """Seats as the engine asks them: from who has doubled on, else from the next card on."""
    game, scene = deal.game, public_scene(deal.game)
    doubled = [event["seat"] for event in game.events if event["action"] == "DOUBLE"]
    if doubled:
        return [(doubled[-1] + step) % game.seats for step in range(1, game.seats)]
    table = scene.on_table()
    first = (table[0].seat + len(table)) % game.seats if table else game.forehand
    return [(first + step) % game.seats for step in range(game.seats)]
