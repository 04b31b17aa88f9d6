"""Whether what was measured stays as it is: slopes over all parts, with 95 % intervals."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from schafkopf import _core

WARM_UP = 0.25  # share of each part that is left out, in which caches and pools are filled
BLOCKS = 12  # means of so many samples in a row make one value: neighbours are not independent
LEAST_FITTED = 20  # samples of a part of which something is fitted
# What may be lost or gained in an hour and is still called flat.
RSS_MB, HANDLES, THREADS, SPEED = 4.0, 0.5, 0.5, -0.05
REFERENCE = "reference_per_cpu_s"  # of a work that is none of the project's
Row = Mapping[str, float]


@dataclass(frozen=True)
class Slope:
    """How a quantity changes in an hour.

    Attributes:
        kind: "flat", "grows" or "falls" (beyond the limit for certain), "open" (the interval is
            wider than the limit: more time is needed).
    """

    name: str
    mean: float
    per_hour: float
    half_width: float
    limit: float
    kind: str

    def line(self) -> str:
        """Return it as a line."""
        return (
            f"{self.kind:6}{self.name:22}{self.mean:12.2f}  {self.per_hour:+10.3f} +- "
            f"{self.half_width:.3f} per hour, limit {self.limit:+g}"
        )


def read_rows(path: Path) -> list[dict[str, float]]:
    """Return the samples of all parts; a line that a kill tore is left out."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if line.endswith("\n")))
    return [
        {key: float(value) for key, value in row.items() if value}
        for row in rows
        if None not in row and None not in row.values()
    ]


def slopes(rows: Sequence[Row]) -> list[Slope]:
    """Return the slope of every column that is judged."""
    speeds = [name for name in columns(rows) if name.endswith("_per_cpu_s") and name != REFERENCE]
    found = [
        slope(rows, "rss_mb", RSS_MB),
        slope(rows, "handles", HANDLES),
        slope(rows, "threads", THREADS),
    ]
    return found + [
        slope(at_equal_share(rows, name), name, SPEED * mean_of(rows, name)) for name in speeds
    ]


def columns(rows: Sequence[Row]) -> list[str]:
    """Return what the samples have, one part more than another."""
    return list(dict.fromkeys(name for row in rows for name in row))


def at_equal_share(rows: Sequence[Row], name: str) -> list[Row]:
    """Return the rows with a speed as if the machine had been equally busy throughout each part.

    What runs beside it takes caches and half of a core from every second of the processor. How
    much that costs is what a least-squares fit by time, share of a processor and speed of the
    reference (where a part has it) says for each part behind its warm-up; its slope in time stays.
    """
    adjusted: list[Row] = []
    for part in parts_of(rows):
        beside = _beside(part)
        usable = {row["seconds"] for row, known in zip(part, beside, strict=True) if known}
        warm = [(time, value) for time, value in _warm(part, name) if time in usable]
        if len(warm) < LEAST_FITTED:
            adjusted += part
            continue
        times, values = np.array(warm).T
        kept = set(times)
        known = np.array(
            [of for row, of in zip(part, beside, strict=True) if row["seconds"] in kept]
        )
        known, usual = known - known.mean(axis=0), known.mean(axis=0)
        fit = np.linalg.lstsq(np.c_[np.ones_like(times), times, known], values, rcond=None)[0]
        adjusted += [
            {**row, name: row[name] - float(fit[2:] @ (np.array(of) - usual))}
            if name in row and of
            else row
            for row, of in zip(part, beside, strict=True)
        ]
    return adjusted


def _beside(part: Sequence[Row]) -> list[list[float]]:
    """Return what each sample says of what ran beside it: share of a processor, and the speed of
    the reference where all samples have one; nothing where the share is not known."""
    spans = np.diff([0.0, *(row["seconds"] for row in part)])
    used = np.diff([0.0, *(row.get("cpu_s", math.nan) for row in part)])
    with np.errstate(divide="ignore", invalid="ignore"):  # samples of one moment
        shares = used / spans
    names = [REFERENCE] if all(REFERENCE in row for row in part) else []
    return [
        [float(share), *(row[name] for name in names)] if math.isfinite(share) else []
        for row, share in zip(part, shares, strict=True)
    ]


def mean_of(rows: Sequence[Row], name: str) -> float:
    """Return the mean of a column behind the warm-up."""
    values = [value for part in parts_of(rows) for _, value in _warm(part, name)]
    return sum(values) / len(values) if values else 0.0


def slope(rows: Sequence[Row], name: str, limit: float) -> Slope:
    """Return how a column changes in an hour, within parts: each begins anew.

    A part counts by the seconds of the processor that it worked: one that had four minutes of
    them in two hours has hardly worked when the clock says that it slowed down.

    limit: what is still flat; the sign says which direction is a loss.
    """
    changes: list[float] = []
    weights: list[float] = []
    for part in parts_of(rows):
        values = _blocks(_warm(part, name))
        half = len(values) // 2
        for i in range(half):
            (time, value), (later, then) = values[i], values[i + len(values) - half]
            changes.append(3600.0 * (then - value) / (later - time))
            weights.append(worked(part) / half)
    mean, half_width = _interval(changes, weights)
    sign = math.copysign(1.0, limit)
    if sign * mean - half_width > abs(limit):
        kind = "grows" if sign > 0 else "falls"
    else:
        kind = "flat" if sign * mean + half_width <= abs(limit) else "open"
    return Slope(name, mean_of(rows, name), mean, half_width, limit, kind)


def worked(part: Sequence[Row]) -> float:
    """Return the seconds of the processor that a part had, of the clock where it does not say."""
    return part[-1].get("cpu_s", part[-1]["seconds"])


def _interval(values: Sequence[float], weights: Sequence[float]) -> tuple[float, float]:
    """Return a weighted mean and half its 95 % interval, by as many values as the weights let
    count: Kish's effective number (Survey Sampling, 1965)."""
    if len(values) < 2:
        return (values[0] if values else 0.0), math.inf
    if min(values) == max(values):  # as handles are, which do not vary
        return values[0], 0.0
    if sum(weights) == 0:  # of parts whose seconds of the processor round to none
        weights = [1.0] * len(values)
    known, shares = np.array(values), np.array(weights) / sum(weights)
    mean, count = float(shares @ known), float(1.0 / (shares @ shares))
    whole = int(count + 1e-9)
    if whole < 2:
        return mean, math.inf
    spread = float(shares @ (known - mean) ** 2) * whole / (whole - 1)
    plain = 1.0 + np.arange(whole)  # whose interval has Student's t for as many values
    return mean, _core.mean_interval(list(plain))[1] * math.sqrt(spread / plain.var(ddof=1))


def parts_of(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the samples of each part."""
    numbers = sorted({row["part"] for row in rows})
    return [[row for row in rows if row["part"] == number] for number in numbers]


def _warm(part: Sequence[Row], name: str) -> list[tuple[float, float]]:
    end = WARM_UP * part[-1]["seconds"]
    return [(row["seconds"], row[name]) for row in part if row["seconds"] > end and name in row]


def _blocks(values: list[tuple[float, float]]) -> list[tuple[float, float]]:
    size = max(1, len(values) // BLOCKS)
    cut = [values[i : i + size] for i in range(0, len(values) - size + 1, size)]
    return [
        (sum(time for time, _ in block) / size, sum(value for _, value in block) / size)
        for block in cut
    ]
