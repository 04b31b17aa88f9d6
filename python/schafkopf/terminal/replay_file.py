"""The file of a sitting: game records, one JSON object per line, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from schafkopf import files
from schafkopf.records import Record


class ReplayFile:
    """A new file of records. It never replaces a file that it has not made itself.

    Args:
        path: where it will stand.
        is_ours: whether it is the file of this sitting, which goes on.

    Raises:
        ValueError: there is such a file already;  OSError: the folder does not exist or cannot be
            written to.
    """

    def __init__(self, path: str | Path, is_ours: bool = False) -> None:
        self.path = Path(path)
        self._made = is_ours
        if not is_ours and os.path.lexists(self.path):
            raise ValueError(f"{self.path}: there is such a file already; it is never overwritten")
        files.check_folder(self.path)

    def write(self, records: Sequence[Record]) -> Path:
        """Write all records so far in one step; returns where.

        If another program has made a file of this name meanwhile, the name gets a number.
        """
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        try:
            with files.beside(self.path, text.encode("utf-8")) as name:
                self._put(name)
        except OSError as error:
            raise files.named(error, self.path) from error
        return self.path

    def _put(self, name: str) -> None:
        if self._made:
            os.replace(name, self.path)
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
