"""Whether the lines of a metrics.jsonl are as written: the checkpoint of the run has their sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schafkopf import _core

_WORD = 2**64


@dataclass(frozen=True)
class Sums:
    """Of the lines at the checkpoint, as training/run/metrics_file.h has them.

    Attributes:
        sum: of their checksums;  places: of checksum times place, from 1.
    """

    lines: int
    sum: int
    places: int


@dataclass(frozen=True)
class Damage:
    """What is wrong: the only changed line, 0 if it is not one, and a text to go behind a name."""

    line: int
    text: str


def written(counters: Mapping[str, Any]) -> Sums | None:
    """Return the sums in the counters of a checkpoint, None where there are none to read."""
    try:
        sums = counters["metrics"]
        return Sums(int(sums["lines"]), int(sums["sum"]), int(sums["places"]))
    except (ValueError, TypeError, KeyError):
        return None  # none, an older one, or damaged, which is said where it is read


def damage(lines: Sequence[bytes], written: Sums) -> Damage | None:
    """Return what is wrong with lines, None if they are as written; later ones are not known."""
    if len(lines) < written.lines:
        return Damage(0, f": damaged, {len(lines)} of {written.lines} lines are there")
    checksums = [_core.checksum_of(line) for line in lines[: written.lines]]
    by_place = sum(place * checksum for place, checksum in enumerate(checksums, 1))
    change = (sum(checksums) - written.sum) % _WORD
    change_by_place = (by_place - written.places) % _WORD
    if change == change_by_place == 0:
        return None
    for place in range(1, written.lines + 1 if change else 0):
        if change * place % _WORD == change_by_place:
            return Damage(place, f":{place}: damaged, its checksum is another one; left out")
    return Damage(0, ": damaged, the checksum of its lines is another one")
