"""Tournaments in parts that know nothing of each other, spread over machines by Ray.

Each part keeps a journal; put together they are the journal of the whole tournament, from which
the engine takes its result as after a resume.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schafkopf import _core, files
from schafkopf.crew import over_ray

MOST_PARTS = 256


@dataclass(frozen=True)
class Parts:
    """How a tournament is cut.

    Attributes:
        toml: its file, "" if there is none.
        how: keywords of _core.tournament_json: file, settings, agents, keywords.
        blocks, tables: in all.
    """

    toml: str
    how: dict[str, Any]
    blocks: int
    tables: int

    @property
    def number(self) -> int:
        """Number of parts."""
        return min(MOST_PARTS, max(self.blocks, self.tables))

    def __call__(self, part: int) -> bytes:
        """Play a part; return its journal."""
        limits = {
            key: [total * (part + end) // self.number for end in (0, 1)]
            for key, total in (("blocks", self.blocks), ("tables", self.tables))
        }
        for key, total in (("blocks", self.blocks), ("tables", self.tables)):
            if total and limits[key][1] == 0:  # a part without any would be another tournament
                limits[key] = [1, 1]
        ends = {key: last for key, (_, last) in limits.items()} | {"threads": 1}
        how = dict(self.how)
        if self.toml:
            how["settings"] = [*how["settings"], *(f"{key}={value}" for key, value in ends.items())]
        else:
            how["keywords"] = how["keywords"] | ends
        with tempfile.TemporaryDirectory() as folder:
            journal = Path(folder) / "games.journal"
            _core.tournament_part(
                self.toml, limits["blocks"][0], limits["tables"][0], journal=str(journal), **how
            )
            return journal.read_bytes()


def play_parts(
    parts: Parts,
    journal: Path,
    ray: str | bool,
    progress: Callable[[int, int], object] | None = None,
) -> None:
    """Play all parts and write the journal of the whole, as a new file; none where no part comes.

    Args:
        progress: called with (blocks done, blocks) behind each part, as if all parts were alike.

    Raises:
        ValueError: what the engine refuses, a journal that is there; RuntimeError: a machine
            played with other agents, rules or versions;  OSError: the journal cannot be written,
            names it.
    """
    try:
        with files.naming(journal):
            journal.open("xb").close()
    except FileExistsError:
        raise ValueError(f"{journal} exists already, allowed: a new file") from None
    header, done = b"", 0
    try:
        with closing(over_ray(parts, range(parts.number), ray)) as answers:
            for _, content in answers:
                first, _, pieces = content.partition(b"\n")
                if header and first != header:
                    raise RuntimeError(
                        f"a machine played another tournament: {_other(header, first)}"
                    )
                with files.naming(journal), journal.open("ab") as file:
                    file.write(pieces if header else content)
                header = first
                done += 1
                if progress:
                    progress(parts.blocks * done // parts.number, parts.blocks)
    except BaseException:
        if not header:  # nothing was played
            journal.unlink(missing_ok=True)
        raise


def _other(header: bytes, first: bytes) -> str:
    """Return what differs between the first lines of two journals."""
    there, now = (json.loads(line)["options"] for line in (header, first))
    keys = [key for key in {**there, **now} if there.get(key) != now.get(key)]
    return "; ".join(f"{key}: first {there.get(key)}, then {now.get(key)}" for key in keys)
