"""The file of a sitting: game records, one JSON object per line, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from schafkopf import files
from schafkopf.records import Record

_LONGEST = 2**28  # characters of a file whose records may be ours


class ReplayFile:
    """A new file of records. It never replaces a file that it has not made itself.

    Args:
        path: where it will stand.
        goes_on: whether the sitting is one that goes on, and a file that is there may have its
            records. A file that has anything else in it stays, and the name gets a number.

    Raises:
        ValueError: there is such a file already;  OSError: the folder does not exist or cannot be
            written to.
    """

    def __init__(self, path: str | Path, goes_on: bool = False) -> None:
        self.path = Path(path)
        self._made = False
        self._goes_on = goes_on
        if not goes_on and os.path.lexists(self.path):
            raise ValueError(f"{self.path}: there is such a file already; it is never overwritten")
        files.check_folder(self.path)

    def write(self, records: Sequence[Record]) -> Path:
        """Write all records so far in one step; returns where.

        If another program has made a file of this name meanwhile, the name gets a number.
        """
        if self._goes_on and not self._made:
            self._made = _is_older(self.path, records)
        text = "".join(_line(record) + "\n" for record in records)
        place = os.path.realpath(self.path) if self._made else self.path  # a link stays one
        try:
            with files.beside(place, text.encode("utf-8")) as name:
                self._put(name)
        except OSError as error:
            raise files.named(error, self.path) from error
        return self.path

    def _put(self, name: str) -> None:
        if self._made:
            os.replace(name, os.path.realpath(self.path))
            return
        first, number = self.path, 1
        while True:
            try:
                files.put_new(name, self.path)
                self._made = True
                return
            except FileExistsError:
                number += 1
                self.path = first.with_name(f"{first.stem}-{number}{first.suffix}")


def _is_older(path: Path, records: Sequence[Record]) -> bool:
    """Whether a file is there with nothing but an earlier state of these records."""
    try:
        if not os.path.isfile(path):  # a pipe would be waited for
            return False
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read(_LONGEST).split("\n")
    except (OSError, ValueError):
        return False
    if not lines or lines.pop() or len(lines) > len(records):
        return False
    told = [_line(record) for record in records]
    return lines[:-1] == told[: len(lines) - 1] and (
        lines[-1:] == told[len(lines) - 1 : len(lines)]
        or _is_beginning(lines[-1], records[len(lines) - 1])
    )


def _is_beginning(line: str, record: Record) -> bool:
    """Whether a line is the record of the same deal when it was not over yet."""
    try:
        before = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(before, dict) or _line(before) != line:
        return False
    meta = before.pop("meta", None)
    if not isinstance(meta, dict) or meta.pop("unfinished", None) is not True:
        return False
    now = {**record, "meta": {k: v for k, v in record["meta"].items() if k != "unfinished"}}
    return meta == now["meta"] and all(_goes_on(before[key], now.get(key)) for key in before)


def _goes_on(before: object, now: object) -> bool:
    if isinstance(before, list) and isinstance(now, list):
        return now[: len(before)] == before
    return before == now


def _line(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False)
