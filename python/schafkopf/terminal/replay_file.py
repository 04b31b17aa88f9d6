"""The file of a sitting: game records, one JSON object per line, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schafkopf import files
from schafkopf.records import Record

_MARK_BYTES = 100  # that an unfinished record has more than the same one later, at most


class ReplayFile:
    """A new file of records. It replaces nothing but an earlier state of what it is to hold.

    Args:
        path: where it will stand.
        first: of a sitting that goes on, the name that its records had at first; numbers follow
            it. A file that is there may have them. None = a new sitting, and there must be none.

    Raises:
        ValueError: there is such a file already, or the name is that of a folder;  OSError: the
            folder does not exist or cannot be written to.
    """

    def __init__(self, path: str | Path, first: Path | None = None) -> None:
        files.refuse_name_of_folder(path)
        self.path = Path(path)
        self._first = first or self.path
        self._made = False
        self._goes_on = first is not None
        self._before: int | None = None  # rights of the file before it held a running deal
        if not self._goes_on and os.path.isdir(self.path):
            raise ValueError(f"{self.path}: it is a folder, allowed: a new file")
        if not self._goes_on and os.path.lexists(self.path):
            raise ValueError(f"{self.path}: there is such a file already; it is never overwritten")
        files.check_folder(self.path)

    def write(self, records: Sequence[Record]) -> Path:
        """Write all records so far in one step; returns where.

        Where the name has a file with anything else in it, it gets a number.
        """
        content = "".join(_line(record) + "\n" for record in records).encode("utf-8")
        try:
            while not self._put(content, records):
                self.path = self._next_name()
        except OSError as error:
            raise files.named(error, self.path) from error
        self._made = True
        return self.path

    def _put(self, content: bytes, records: Sequence[Record]) -> bool:
        """Write the file; False where the name is taken."""
        if self._made or (self._goes_on and _is_older(self.path, content, records)):
            place = os.path.realpath(self.path)  # a link stays one
            with files.beside(place, content, exactly=self._rights(place, records)) as name:
                os.replace(name, place)
            return True
        rights = self._rights(os.fspath(self.path), records)
        with files.beside(self.path, content, exactly=rights) as name:
            try:
                files.put_new(name, self.path)
            except FileExistsError:
                return False
            return True

    def _rights(self, path: str, records: Sequence[Record]) -> int | None:
        """Rights of the file, None = those that it has, or any new one: who reads it sees all
        hands, and only the owner may see those of a deal that is not over."""
        if records and _is_running(records[-1]):
            if self._before is None:
                self._before = files.rights_of(path)
            return files.OWNER_ONLY
        before, self._before = self._before, None
        return before

    def _next_name(self) -> Path:
        first, numbered = self._first, self.path.stem.removeprefix(f"{self._first.stem}-")
        number = int(numbered) if self.path != first and numbered.isdecimal() else 1
        return first.with_name(f"{first.stem}-{number + 1}{first.suffix}")


def _is_running(record: Any) -> bool:
    meta = record.get("meta") if isinstance(record, dict) else None
    return isinstance(meta, dict) and meta.get("unfinished") is True


def _is_older(path: Path, content: bytes, records: Sequence[Record]) -> bool:
    """Whether a file is there with nothing but an earlier state of these records."""
    try:
        if not os.path.isfile(path):  # a pipe would be waited for
            return False
        if os.path.getsize(path) > len(content) + _MARK_BYTES:
            return False
        lines = path.read_bytes().decode("utf-8").split("\n")
    except (OSError, ValueError):
        return False
    if lines.pop() or len(lines) > len(records):
        return False
    if not lines:  # the name was taken, and nothing written
        return True
    *finished, last = lines
    return finished == [_line(record) for record in records[: len(finished)]] and (
        last == _line(records[len(finished)]) or _is_beginning(last, records[len(finished)])
    )


def _is_beginning(line: str, record: Record) -> bool:
    """Whether a line is the record of the same deal when it was not over yet."""
    try:
        before = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(before, dict) or _line(before) != line:
        return False
    meta = before.get("meta")
    if not isinstance(meta, dict) or meta.pop("unfinished", None) is not True:
        return False
    now = {**record, "meta": {k: v for k, v in record["meta"].items() if k != "unfinished"}}
    return all(key in now and _goes_on(before[key], now[key]) for key in before)


def _goes_on(before: Any, now: Any) -> bool:
    """Whether a list has only become longer, and anything else is the same."""
    if isinstance(before, list) and isinstance(now, list):
        now = now[: len(before)]
    return json.dumps(before) == json.dumps(now)


def _line(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False)
