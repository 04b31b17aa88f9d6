"""Game records: dicts in the JSON-lines form, their replay and their readable text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schafkopf import _core, files

Record = dict[str, Any]


def _line(record: Record) -> str:
    try:
        return json.dumps(record)
    except RecursionError:
        raise ValueError("a record is nested too deeply") from None


def replay(record: Record) -> dict[str, Any]:
    """Replay a game record through the engine.

    Args:
        record: keys as in a line of the JSON-lines form: rules, dealer, hands, legen, auction or
            contract with declarer (and partner, exchange), doublings, plays, claims, session,
            places.

    Returns:
        trick_winners, points, tricks, declarer_party, won, payoffs, session (carried out) ...;
        legal and to_move where the plays stop early.

    Raises:
        ValueError: unknown key, impossible card or illegal play; names trick, seat, card and the
            legal cards.
    """
    result: dict[str, Any] = json.loads(_core.replay_json(_line(record)))
    return result


def replayed_game(record: Record) -> _core.Game:
    """Return the game at the end of a record. Raises ValueError as replay."""
    return _core.replay_game(_line(record))


def record_of(game: _core.Game, deal: _core.Deal | None = None) -> Record:
    """Return the record of a game at any moment; `deal` keeps the order of the hands."""
    record: Record = json.loads(_core.record_json(game, deal))
    return record


def text_of(record: Record) -> str:
    """Return a record as text that a person reads. Raises ValueError as replay."""
    return _core.record_to_text(_line(record))


def from_text(text: str) -> Record:
    """Return the record of a text. Raises ValueError naming the line of the text."""
    record: Record = json.loads(_core.text_to_record(text))
    return record


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line) of a JSON-lines file, without blank lines.

    Raises:
        OSError: the file cannot be read;  ValueError: it is not UTF-8 text.
    """
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text ({error.reason})") from error


def read_records(path: str | Path) -> Iterator[Record]:
    """Yield the records of a JSON-lines file. Raises ValueError naming file and line."""
    for number, line in read_lines(path):
        record = files.parse_json(line, f"{path}:{number}")
        if not isinstance(record, dict):
            raise ValueError(f"{path}:{number}: a record is a JSON object")
        yield record
