"""Values of the library as HTML for notebooks: light, dark, and without a network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from schafkopf import _core, display
from schafkopf.keywords import names_keywords
from schafkopf.pictures import cards
from schafkopf.pictures.style import SHOWN_STYLE
from schafkopf.terminal import words
from schafkopf.terminal.scene import contract_row, scene_of_view

_SCHELLEN, _NO_SUIT = 3, 4  # trump_suit of a view


class Picture:
    """HTML that a notebook shows. `html` is the text; str() too."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        return self.html

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<Picture, {len(self.html)} characters>"


@names_keywords
def picture(value: Any) -> Picture:
    """Return a value as HTML that a notebook shows.

    Args:
        value: a Game (all hands), Deal, Contract or Outcome; a view (what its seat sees and no
            more); a card, a list of cards, or their names as one text; the dict of a tournament or
            of a league day.

    Raises:
        TypeError: nothing that has a picture;  ValueError: a card that is none.
    """
    for kinds, draw in _DRAWN:
        if isinstance(value, kinds):
            return Picture(_framed(draw(value)))
    raise _no_picture(type(value).__name__)


def _no_picture(came: str) -> TypeError:
    return TypeError(
        f"value is {came}, allowed: Game, Deal, Contract, Outcome, a view, cards, the result of a "
        "tournament"
    )


# ---- parts -------------------------------------------------------------------------------------


class _Drawing:
    """HTML and the cards that it refers to."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.cards: set[str] = set()

    def text(self, text: str, kind: str = "") -> None:
        self.parts.append(f"<p{_class(kind)}>{escape(text)}</p>")

    def hand(self, title: str, hand: Iterable[str], hidden: int = 0, note: str = "") -> None:
        """A line of cards; `hidden` of them show their backs."""
        shown = [*hand, *[cards.BACK] * hidden]
        self.cards.update(shown)
        head = f"<strong>{escape(title)}</strong>" + (f" <span>{escape(note)}</span>" * bool(note))
        pictures = "".join(self._card(card) for card in shown)
        self.parts.append(f'<div class="sk-line"><p>{head}</p><div>{pictures}</div></div>')

    def table(self, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        cells = "".join(f"<th>{escape(name)}</th>" for name in head)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows
        )
        self.parts.append(f"<table><tr>{cells}</tr>{body}</table>")

    def _card(self, card: str) -> str:
        title = "" if card == cards.BACK else words.card_title(card)
        label = f'role="img" aria-label="{title}"' if title else 'aria-hidden="true"'
        return f'<svg viewBox="0 0 100 160" {label}><use href="#sk-{card}"/></svg>'


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _framed(drawing: _Drawing) -> str:
    sprite = cards.sprite(drawing.cards) if drawing.cards else ""
    body = "".join(drawing.parts)
    return f'<div class="sk-shown"><style>{SHOWN_STYLE}</style>{sprite}{body}</div>'


def _sorted(hand: Iterable[str], game: _core.Game | None = None) -> list[str]:
    held = list(hand)
    if not held:
        return []
    if game is None or game.contract is None:
        groups = _core.sorted_hand(held)
    else:
        contract = game.contract
        named = contract_row(contract.name)["trump_suit"] == "announced"
        rules = _with_trumps_of(game.view(max(contract.declarer, 0)))
        groups = _core.sorted_hand(held, contract.name, contract.suit if named else None, rules)
    return [card for _, group in groups for card in group]


def _with_trumps_of(view: Any) -> _core.RuleSet:
    """Return rules whose partner games and Ramsch have the trump suit that a view shows; what else
    the rules are is nothing to the order of cards."""
    suit = int(view["cards"]["trump_suit"])
    switches = {"partner_trump_suit": "S"} if suit == _SCHELLEN else {}
    if suit == _NO_SUIT:  # R-052; in other games that have none the switch changes nothing
        switches["ramsch_trumps"] = "no_herz"
    return _core.RuleSet("research", **switches)


def _title(contract: _core.Contract | None, is_over: bool = False) -> str:
    if contract is None:
        return "thrown in" if is_over else "no game named yet"
    named = contract_row(contract.name)["trump_suit"] == "announced"
    text = words.title_of(contract, contract.suit if named else None)
    if contract.called:
        text += f" on the {words.card_title(contract.called)}"
    if contract.bid:
        text += f" for {contract.bid} points"
    if contract.renonce:
        text += " (Renonce)"
    return text + (f" by seat {contract.declarer}" if contract.declarer >= 0 else "")


# ---- what there is -----------------------------------------------------------------------------


def _draw_cards(value: str | Iterable[Any]) -> _Drawing:
    drawing = _Drawing()
    held = value.split() if isinstance(value, str) else list(value)
    cards = [_core.parse_card(card) for card in held]
    if isinstance(value, (set, frozenset)):  # has no order of its own
        cards.sort()
    names = [_core.card_name(card) for card in cards]
    drawing.hand("", names)
    return drawing


def _draw_contract(contract: _core.Contract) -> _Drawing:
    drawing = _Drawing()
    drawing.text(_title(contract), "sk-title")
    if contract.called:
        drawing.hand("", [contract.called])
    return drawing


def _draw_deal(deal: _core.Deal) -> _Drawing:
    drawing = _Drawing()
    for seat, hand in enumerate(deal.hands):
        drawing.hand(f"Seat {seat}", _sorted(hand))
    return drawing


def _draw_game(game: _core.Game) -> _Drawing:
    drawing = _Drawing()
    drawing.text(_title(game.contract, game.is_terminal), "sk-title")
    drawing.text(f"{game.rules_name}, {game.phase}, {len(game.plays)} cards played", "sk-soft")
    over = game.is_terminal
    for seat in range(game.seats):
        note = "to act" if seat == game.current_player else ""
        hand = game.dealt(seat) if over else game.hand(seat)
        drawing.hand(f"Seat {seat}", _sorted(hand, game), note=note)
    running = len(game.plays) % game.seats
    if running and not over:
        drawing.hand("Trick", [card for _, card in game.plays[-running:]])
    if over:
        steps = game.settlement_steps()
        drawing.parts.append("<ul>" + "".join(f"<li>{escape(s)}</li>" for s in steps) + "</ul>")
    return drawing


def _draw_view(view: Any) -> _Drawing:
    if view.dtype.names != _core.VIEW_DTYPE.names:
        kind = "a record of other fields" if view.dtype.names else f"an array of {view.dtype}"
        raise _no_picture(kind)
    if np.shape(view):
        raise TypeError("value is an array of views, allowed: one of them")
    told, scene = display.describe_view(view), scene_of_view(view)
    drawing = _Drawing()
    game = scene.game
    contract = told["contract"]
    title = "no game named yet"
    if contract and game:
        announced = game.row["trump_suit"] == "announced"
        title = words.game_title(
            contract,
            told["tout"],
            game.suit if announced else None,
            declared=bool(told["declarer"]),
        )
        title += f" on the {words.card_title(told['called'])}" if told["called"] else ""
        title += " (Renonce)" if game.renonce else ""
        title += f" by {told['declarer']}" if told["declarer"] else ""
    drawing.text(title, "sk-title")
    trick = "" if told["phase"] == "DONE" else f", trick {told['trick'] + 1}"
    known = f"seat {told['seat']}, {told['phase']}{trick}"
    partner = f", partner: {told['partner']}" if told["partner"] else ""
    drawing.text(known + partner, "sk-soft")
    suit = game.suit if game and game.row["trump_suit"] == "announced" else None
    rules = _with_trumps_of(view)
    groups = _core.sorted_hand(scene.hand, contract, suit, rules) if scene.hand else []
    drawing.hand("Hand", [card for _, group in groups for card in group])
    if scene.open_cards:
        drawing.hand("Open", scene.open_cards)
    on_table = [play.card for play in scene.on_table()]
    if on_table:
        drawing.hand("Trick", on_table)
    if told["legal"]:
        drawing.text(f"legal: {', '.join(told['legal'])}", "sk-soft")
    return drawing


_OUTCOME = ("declarer_party", "points", "tricks", "laufende", "doublings", "legen")


def _draw_outcome(outcome: _core.Outcome) -> _Drawing:
    drawing = _Drawing()
    played = outcome.contract
    drawing.text("thrown in" if played is None else _title(played), "sk-title")
    rows: list[tuple[str, object]] = [(key, getattr(outcome, key)) for key in _OUTCOME]
    if outcome.thrown_in:
        rows.append(("thrown_in", True))
    drawing.table(("", "value"), rows)
    return drawing


def _draw_tournament(result: Mapping[str, Any]) -> _Drawing:
    if {"agents", "ranking", "rules"} <= result.keys():
        return _draw_league(result)
    if not {"agents", "track", "rules"} <= result.keys():
        raise TypeError("value is a dict, allowed: the result of a tournament")
    drawing = _Drawing()
    drawing.text(f"Tournament, {str(result['track']).replace('_', ' ')}", "sk-title")
    drawing.text(f"{result['rules']}, {result['games']:,} games", "sk-soft")
    agents = sorted(result["agents"], key=lambda agent: -agent["rating"]["mean"])
    rows = [(agent["name"], *_interval(agent["rating"])) for agent in agents]
    drawing.table(("player", f"{result['tariff_unit']} per game", "95 %"), rows)
    return drawing


def _draw_league(result: Mapping[str, Any]) -> _Drawing:
    drawing = _Drawing()
    drawing.text("League day", "sk-title")
    drawing.text(f"{result['rules']}, {result['games']:,} games", "sk-soft")
    rows = [
        (
            row["rank"],
            f"player {row['player']}",
            row["agent"],
            f"{row['total']:+.15g}",
            f"{row['bonus']:.15g}",
        )
        for row in result["ranking"]
    ]
    unit = result["tariff_unit"]
    drawing.table(("rank", "player", "agent", f"total ({unit})", "of it bonus"), rows)
    return drawing


def _interval(estimate: Mapping[str, Any]) -> tuple[str, str]:
    half = estimate["half_width"]
    return f"{estimate['mean']:+.2f}", "" if half is None else f"\u00b1 {half:.2f}"


_DRAWN: tuple[tuple[Any, Any], ...] = (
    (_core.Game, _draw_game),
    (_core.Deal, _draw_deal),
    (_core.Contract, _draw_contract),
    (_core.Outcome, _draw_outcome),
    ((np.void, np.ndarray), _draw_view),
    (Mapping, _draw_tournament),
    ((str, list, tuple, set, frozenset), _draw_cards),
)
