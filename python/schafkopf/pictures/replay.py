"""Recorded games as one web page that needs nothing else: no network, no file beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from schafkopf import _core, files, records
from schafkopf.keywords import agent_at, flag, names_keywords, whole_or_none
from schafkopf.pictures import cards
from schafkopf.pictures.replay_data import OTHER, Encoder
from schafkopf.pictures.replay_words import LANGUAGES, WORDS
from schafkopf.pictures.style import REPLAY_STYLE, asset
from schafkopf.terminal import words

OPEN = -1
_SEATS = 4


@names_keywords
def replay_html(
    games: records.Record | _core.Game | Iterable[records.Record | _core.Game],
    *,
    players: Iterable[Any] | Mapping[str, Any] = (),
    solver: bool = False,
    names: Sequence[str] | None = None,
    seat: int | None = None,
    language: str = "de",
) -> str:
    """Return a web page that shows games step by step.

    The page is one file, opens without a network, and holds all cards of every game even where it
    shows those of a seat only.

    Args:
        games: one or many, records or Games; Games are shown with hands in the order of the cards.
        players: whose probabilities every decision gets: registry strings, Agents or objects with
            act(views), or a mapping from the name that the page shows.
        solver: whether every card gets the points of the declarer party that follow from it with
            open cards and best play; some milliseconds each.
        names: one for each seat; None = meta.players of a record, or the numbers of the seats.
        seat: whose cards are seen at the beginning, None = all are open; the page can change it.
        language: at the beginning, "de" or "en".

    Raises:
        ValueError: no games, an unknown player or language, a seat that a game does not have, or a
            game that cannot be replayed or has another number of seats than `names` (with its
            number, from 1).
    """
    if language not in LANGUAGES:
        raise ValueError(f"language = {language!r}, allowed: {', '.join(LANGUAGES)}")
    seat = whole_or_none("seat", seat, 0, _SEATS - 1)
    solver = flag("solver", solver)
    agents = agents_by_name(players)
    encoder = Encoder(agents, solver, names)
    encoded = []
    for number, game in enumerate(_several(games), 1):
        record = records.record_of(game) if isinstance(game, _core.Game) else game
        try:
            encoded.append(encoder.game(record))
        except ValueError as error:
            raise ValueError(f"game {number}: {error}") from error
    return page(encoded, encoder, list(agents), solver, seat, language)


def _several(games: Any) -> Iterable[records.Record | _core.Game]:
    single = isinstance(games, _core.Game | Mapping)
    if isinstance(games, (str, Path)) or not (single or isinstance(games, Iterable)):
        raise ValueError(
            f"games = {games!r:.60}, allowed: a Game, a record or many of them; "
            "schafkopf.records.read_records reads those of a file"
        )
    return iter([games] if single else games)


def agents_by_name(
    players: Iterable[Any] | Mapping[str, Any], option: str = ""
) -> dict[str, _core.Agent]:
    """Return players by the name that a page shows. Raises ValueError for an unknown one.

    Args:
        option: of a command, which errors name in place of an entry of `players`.
    """
    if isinstance(players, Mapping):
        return {name: agent_at(f'players["{name}"]', player) for name, player in players.items()}
    single = isinstance(players, str)
    if not single and not isinstance(players, Iterable):
        raise ValueError(f"players = {players!r:.60}, allowed: a player, a list or dict of them")
    listed = [players] if single else players
    made = [agent_at(option or f"players[{at}]", player) for at, player in enumerate(listed)]
    names = [agent.name for agent in made]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f'{option or "players"}: "{name}" stands twice, allowed: different names'
                + ("" if option else "; a mapping gives them")
            )
    return dict(zip(names, made, strict=True))


def write_replay(path: str | Path, games: Any, **options: Any) -> None:
    """Write the page of replay_html to a file, whole or not at all.

    Raises:
        ValueError: no path;  OSError: the file cannot be written;  else as replay_html.
    """
    path = files.given_path(path, "path")
    files.write_text(path, replay_html(games, **options))


def page(
    games: list[dict[str, Any]],
    encoder: Encoder,
    players: list[str],
    solver: bool,
    seat: int | None,
    language: str,
) -> str:
    """Return the page of encoded games. Raises ValueError where there are none."""
    if not games:
        raise ValueError("games: there is none")
    for number, game in enumerate(games, 1):
        if seat is not None and seat >= len(game["h"]):
            raise ValueError(f"seat = {seat}, allowed: 0..{len(game['h']) - 1} in game {number}")
    from markupsafe import Markup

    data = {
        "language": language,
        "seat": OPEN if seat is None else seat,
        "players": players,
        "solver": solver,
        "orders": encoder.orders,
        "games": games,
        **vocabulary(WORDS),
    }
    return str(
        _template().render(
            language=language,
            title=WORDS[language]["title"],
            style=Markup(REPLAY_STYLE),
            sprite=Markup(cards.sprite()),
            data=Markup(script_json(data)),
            script=Markup(asset("talk.js") + asset("replay.js")),
        )
    )


def script_json(value: Any) -> str:
    """Return JSON that may stand within <script>, whatever texts are in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def _template() -> Any:
    from jinja2 import Environment

    return Environment(autoescape=True).from_string(asset("replay.html.j2"))


def vocabulary(page_words: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Return what a page has to know of cards and actions, with its own words by language."""
    names = [_core.card_name(card) for card in range(32)]
    actions = [_core.action_name(action) for action in range(_core.NUM_ACTIONS)]
    named = {name: words.game_title(*_untout(name[2:])) for name in actions if name[:2] == "C_"}
    return {
        "words": page_words,
        "suits": words.SUITS,
        "actions": [*actions, *OTHER],
        "contracts": named,
        "cards": [
            {"name": name, "title": words.card_title(name), "points": _core.card_points([name])}
            for name in names
        ],
    }


def _untout(name: str) -> tuple[str, bool]:
    return name.removesuffix("_TOUT"), name.endswith("_TOUT")
