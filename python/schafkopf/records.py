"""Game records: dicts in the JSON-lines form, their replay and their readable text."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from schafkopf import _core, files
from schafkopf._core import RECORD_VERSION
from schafkopf.files.json_text import MAX_LEVELS
from schafkopf.keywords import names_keywords

__all__ = [
    "RECORD_VERSION",
    "Entry",
    "from_text",
    "read_entries",
    "read_records",
    "record_of",
    "replay",
    "replayed_game",
    "text_of",
]

Record = dict[str, Any]

MAX_LINE_BYTES = 2**24  # as the engine allows
MAX_TEXT_BYTES = 2**28  # of games in readable text, which are divided as a whole
_HELD_LINE_BYTES = 100  # that a line takes in memory beside its text

_JSON = re.compile(rb"\s*\{")
_TEXT = re.compile(rb"\s*[a-z]+( \d+)?(, seat \d+)?\s*:")  # "rules: research", "hand 0: ..."
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f]")


def _line(record: Record) -> str:
    if not isinstance(record, dict):
        raise ValueError(f"record = {record!r:.60}, allowed: a dict, as record_of gives it")
    try:
        return json.dumps(record, default=_plain, allow_nan=False)
    except RecursionError:
        raise ValueError(f"a record is nested too deeply, allowed: {MAX_LEVELS} levels") from None
    except TypeError as error:  # "keys must be str, ..., not tuple": the rest goes to _plain
        raise ValueError(f"record: {error}, allowed: texts as keys") from None
    except _NoValue:
        raise
    except ValueError:
        parts = ({key: value} for key, value in record.items())
        wrong = next(part for part in parts if not _is_json(part))
        if _is_json(wrong, allow_nan=True):
            told = "a number that is not finite, allowed: finite numbers"
        elif _holds_itself(wrong):
            told = f"itself, allowed: lists and mappings of at most {MAX_LEVELS} levels"
        else:
            told = "a number of too many digits, allowed: those of 64 bits"
        (key,) = wrong
        name = "a key" if isinstance(key, int) else key  # it may be the one with the digits
        raise ValueError(f"{name}: holds {told}") from None


def _holds_itself(value: Any) -> bool:
    try:
        with suppress(ValueError):  # of a number
            json.dumps(value, default=_plain, check_circular=False)
    except RecursionError:
        return True
    return False


class _NoValue(ValueError):
    """A value that no record holds."""


def _is_json(value: Any, allow_nan: bool = False) -> bool:
    try:
        json.dumps(value, default=_plain, allow_nan=allow_nan)
    except ValueError:
        return False
    return True


def _plain(value: Any) -> Any:
    """Return a number or an array of NumPy as JSON has them. Raises ValueError: it is neither."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise _NoValue(
        f"a record holds {value!r:.60}, allowed: texts, numbers, bools, None, lists and mappings"
    )


@names_keywords
def replay(record: Record) -> dict[str, Any]:
    """Replay a game record through the engine.

    Args:
        record: keys as in a line of the JSON-lines form: rules, dealer, hands, legen, auction or
            contract with declarer (and partner, exchange), doublings, plays, claims, session,
            places.

    Returns:
        trick_winners, points, tricks, declarer_party, won, payoffs, session (carried out) ...;
        legal and to_move where the plays stop early (record_of says when that is a later question
        than the one at which the game was).

    Raises:
        ValueError: unknown key, impossible card or illegal play; names trick, seat, card and the
            legal cards.
    """
    result: dict[str, Any] = json.loads(_core.replay_json(_line(record)))
    return result


@names_keywords
def replayed_game(record: Record) -> _core.Game:
    """Return the game at the end of a record, as record_of explains of unfinished ones.

    Raises ValueError as replay.
    """
    return _core.replay_game(_line(record))


@names_keywords
def record_of(game: _core.Game, deal: _core.Deal | None = None) -> Record:
    """Return the record of a game at any moment; `deal` keeps the order of the hands.

    Questions that are answered silently are not recorded. Of an unfinished game replayed_game may
    then stop at a later question: one that is open (whether to lay or to double) is answered with
    no, an action without alternative is done. For the game as it stands: copy() or pickle.

    Raises:
        ValueError: a game of Game.from_position, whose deal nobody knows.
    """
    if not isinstance(game, _core.Game):
        raise TypeError(f"record_of: game: {type(game).__name__} came, allowed: Game")
    if not isinstance(deal, _core.Deal | None):
        raise TypeError(f"record_of: deal: {type(deal).__name__} came, allowed: Deal, None")
    record: Record = json.loads(_core.record_json(game, deal))
    return record


def text_of(record: Record) -> str:
    """Return a record as text that a person reads. Raises ValueError as replay."""
    return _core.record_to_text(_line(record))


def from_text(text: str) -> Record:
    """Return the record of a text. Raises ValueError naming the line of the text."""
    record: Record = json.loads(_core.text_to_record(text))
    return record


@dataclass(frozen=True)
class Entry:
    """One game of a file, or what is wrong with it.

    Attributes:
        line: where it begins, from 1.
        json: the record as a JSON line, "" where there is a mistake. What stands in JSON lines is
            looked at when it is parsed, by read_records.
        mistake: of text, or bytes that are no UTF-8; names the line, "" = none.
    """

    line: int
    json: str = ""
    mistake: str = ""


def read_entries(lines: Iterable[bytes]) -> Iterator[Entry]:
    """Yield the games of JSON lines or of readable text, whichever it is; damaged ones too.

    Games in readable text follow each other as `games.txt` of a training has them. The first line
    that is one or the other decides.

    Args:
        lines: of a file opened in binary mode, so that a bad byte damages one line only.

    Raises:
        ValueError: lines that are no bytes, text in UTF-16, a line longer than any record, as much
            text without a game.
    """
    numbered = enumerate(_without_marks(_lines_of(lines)), 1)
    held: list[tuple[int, bytes]] = []
    room = MAX_LINE_BYTES
    for number, line in numbered:
        held.append((number, line))
        room -= len(line) + _HELD_LINE_BYTES
        if room < 0:
            raise ValueError(f"no game in the first {number} lines")
        if _JSON.match(line):
            break
        if _TEXT.match(line):
            return (yield from _text_games(chain(held, numbered)))
    for number, line in chain(held, numbered):
        if not line.strip():
            continue
        text, mistake = _decoded(number, line)
        yield Entry(number, "" if mistake else text, mistake)


@names_keywords
def read_records(path: str | Path) -> Iterator[Record]:
    """Yield the records of a file, JSON lines or readable text.

    Raises:
        OSError: the file cannot be read;  ValueError: no path; names file and line of a damaged
            game.
    """
    if not files.path_text(path, "path"):
        raise ValueError(f"path = {path!r}, allowed: the path of a file")
    with open(path, "rb") as file:
        for entry in _named(path, read_entries(file)):
            if entry.mistake:
                raise ValueError(f"{path}: {entry.mistake}")
            record = files.parse_json(entry.json, f"{path}:{entry.line}")
            if not isinstance(record, dict):
                raise ValueError(f"{path}:{entry.line}: a record is a JSON object")
            yield record


def _named(path: str | Path, entries: Iterator[Entry]) -> Iterator[Entry]:
    try:
        with files.naming(path):
            yield from entries
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _lines_of(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines, none of which takes more memory than one may: a device never ends."""
    readline = getattr(lines, "readline", None)
    if readline is None and not isinstance(lines, Iterable):
        raise ValueError(
            f"lines: {type(lines).__name__} came, allowed: lines of bytes, as a file opened in "
            "binary mode has them"
        )
    if readline is None:
        yield from lines
        return
    number = 1
    while line := readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES:
            raise ValueError(
                f"line {number}: longer than a line may be, allowed: {MAX_LINE_BYTES} bytes"
            )
        yield line
        number += 1


def _without_marks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines without marks of UTF-8: of files that were put together each may begin with one."""
    for number, line in enumerate(lines):
        if not isinstance(line, bytes):
            raise ValueError(
                f"line {number + 1}: {type(line).__name__} came, allowed: bytes, as a file opened "
                "in binary mode has them"
            )
        if number == 0 and line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise ValueError("text in UTF-16, allowed: UTF-8")
        yield line.removeprefix(codecs.BOM_UTF8)


def _decoded(number: int, line: bytes) -> tuple[str, str]:
    """(text of a line without its end, mistake in it); in the text of a mistaken one stand signs
    that nobody reads, in place of those that are none."""
    line = line.rstrip(b"\r\n")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        place = len(line[: error.start].decode("utf-8")) + 1
        mistake = f"no UTF-8 text: byte 0x{line[error.start]:02x} at column {place}"
        return _CONTROL.sub("?", line.decode("utf-8", "replace")), f"line {number}: {mistake}"
    control = _CONTROL.search(text)
    if control is not None:
        place = control.start() + 1
        mistake = f"control character U+{ord(control[0]):04X} at column {place}"
        return _CONTROL.sub("?", text), f"line {number}: {mistake}"
    return text, ""


def _begin(decoded: Sequence[tuple[str, str]], first: int) -> int:
    """Return the line in which a game begins: titles before its first line are its own."""
    while first > 1 and decoded[first - 2][0].strip()[:1] in ("", "#"):
        first -= 1
    return first


def _text_games(lines: Iterable[tuple[int, bytes]]) -> Iterator[Entry]:
    decoded, room = [], MAX_TEXT_BYTES
    for number, line in lines:
        room -= len(line) + _HELD_LINE_BYTES
        if room < 0:
            raise ValueError(f"line {number}: more text than is read at once, allowed: JSON lines")
        decoded.append(_decoded(number, line))
    games = _core.split_text("".join(text + "\n" for text, _ in decoded)) or [(1, "")]
    bounds = [1, *(_begin(decoded, first) for first, _ in games[1:]), len(decoded) + 1]
    for (first, text), begin, end in zip(games, bounds[:-1], bounds[1:], strict=True):
        damaged = next((wrong for _, wrong in decoded[begin - 1 : end - 1] if wrong), "")
        if damaged:
            yield Entry(first, mistake=damaged)
            continue
        try:
            yield Entry(first, _core.text_to_record(text, first))
        except ValueError as error:
            yield Entry(first, mistake=str(error))
