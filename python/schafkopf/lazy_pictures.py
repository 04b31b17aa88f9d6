"""Pictures of values, whose code is loaded when the first one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schafkopf import _core

if TYPE_CHECKING:
    from schafkopf.pictures.show import Picture


def picture(value: Any) -> Picture:
    """Return a value as HTML that a notebook shows.

    Args:
        value: a Game (all hands), Deal, Contract or Outcome, which show themselves too; a view
            (what its seat sees and no more); a card, a list of cards, or their names as one text;
            the dict of a tournament or of a league day.

    Raises:
        TypeError: nothing that has a picture;  ValueError: a card that is none.
    """
    from schafkopf.pictures.show import picture as draw

    return draw(value)


def replay_html(games: Any, **options: Any) -> str:
    """Return a web page of one file that shows games step by step.

    Args:
        games: one or many, records or Games.
        options: players, solver, names, seat, language: see schafkopf.pictures.replay_html.

    Raises:
        ValueError: no game, or one that cannot be replayed (names its number, from 1).
    """
    from schafkopf.pictures.replay import replay_html as page

    return page(games, **options)


def _repr_html_(self: Any) -> str:
    return picture(self).html


for _shown in (_core.Game, _core.Deal, _core.Contract, _core.Outcome):
    _shown._repr_html_ = _repr_html_  # type: ignore[union-attr]
