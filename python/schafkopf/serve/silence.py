"""Who cannot double is asked too, or the waiting would tell who holds the called card.

RULES F.3 and E.2: which party somebody belongs to is hidden until the called card falls, and a seat
that may not double leaves no trace. The engine asks only those who may; the people at a table would
see whom they do not wait for, another person or an agent.
"""

from __future__ import annotations

from schafkopf.terminal.scene import public_scene
from schafkopf.terminal.table import Deal


class SilentQuestions:
    """Who has still to say no in the window of doubling that is open, or has just been closed.

    Args:
        people: places of the people. One alone has nobody to hide from: agents look at views.
    """

    def __init__(self, people: list[int]) -> None:
        self._alone = people[0] if len(people) == 1 else None
        self._window: tuple[int, int, int] | None = None  # deal, cards played, doublings
        self._left: list[int] = []  # places still to be asked, agents and the declarer too
        self._declarer: int | None = None

    def follow(self, deal: Deal) -> None:
        """Look at the deal after each action."""
        game, scene = deal.game, public_scene(deal.game)
        window = (deal.number, len(game.plays), scene.doublings)
        if window == self._window:
            return
        self._window, self._left = None, []
        if scene.game is None or not scene.game.called or scene.partner_known:
            return
        own = _with_full_hand(deal)
        if game.phase != "DOUBLE" and not own:
            return
        self._window = window
        self._left = [deal.places[seat] for seat in [*_together(deal), *own]]
        self._declarer = None if scene.game.declarer is None else deal.places[scene.game.declarer]

    def asked(self, deal: Deal) -> int | None:
        """Place of the person or agent who has to say no before the deal goes on."""
        before = self._left
        if deal.game.phase == "DOUBLE":  # those before the one who is asked in earnest
            earnest = deal.places[deal.game.current_player]
            before = before[: before.index(earnest)] if earnest in before else []
        silent = (p for p in before if p not in (self._alone, self._declarer))
        return next(silent, None)

    def heard(self, place: int) -> None:
        """Somebody has answered, in earnest or not; whoever was to be asked before has been."""
        if place in self._left:
            del self._left[: self._left.index(place) + 1]


def _together(deal: Deal) -> list[int]:
    """Seats as the engine asks them one after the other: from who has doubled on, else from the
    next card on. Nobody where each is asked before the own first card alone (F.2)."""
    game, scene, rules = deal.game, public_scene(deal.game), deal.table.rules
    doubled = [event["seat"] for event in game.events if event["action"] == "DOUBLE"]
    if doubled:
        return [(doubled[-1] + step) % game.seats for step in range(1, game.seats)]
    asks = game.doubling_level or (not game.plays and rules.kontra_ask_before_first)
    if rules.kontra_window == "full_hand" and not asks:
        return []
    table = scene.on_table()
    first = (table[0].seat + len(table)) % game.seats if table else game.forehand
    return [(first + step) % game.seats for step in range(game.seats)]


def _with_full_hand(deal: Deal) -> list[int]:
    """The seat that may give the first doubling before its first card, which is the next one."""
    game, rules = deal.game, deal.table.rules
    plays = len(game.plays)
    if rules.kontra_window != "full_hand" or plays >= game.seats:
        return []
    if not game.max_doublings or game.doubling_level:
        return []
    return [(game.forehand + plays) % game.seats]
