"""Rates of several works that are measured in turn, round by round, and ratios of the rounds.

A ratio is the median of those of the rounds, so that other work on the machine touches both sides
of it.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

Measure = Callable[[float], float]  # takes CPU seconds and returns a rate
Rounds = list[dict[str, float]]  # of each round the rates by name


@dataclass(frozen=True)
class Ratio:
    """A quantity of the rounds divided by another one of the same round."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{number(self.median)} ({number(self.low)} to {number(self.high)})"


def number(value: float) -> str:
    """Return three digits, or all before the point."""
    for limit, digits in ((100, 0), (10, 1), (0.1, 2)):
        if abs(value) >= limit:
            return f"{value:,.{digits}f}"
    return f"{value:.3f}"


def amount(rate: float) -> str:
    """Return a rate with its thousands or millions, "12.30 M"."""
    return f"{rate / 1e6:.2f} M" if rate >= 1e6 else f"{rate / 1e3:.1f} k"


def cpu_rate(work: Callable[[], int], seconds: float) -> float:
    """Return what `work` does per CPU second of this thread."""
    done, start = 0, time.thread_time()
    while True:
        done += work()
        spent = time.thread_time() - start
        if spent >= seconds:
            return done / spent


def in_turn(measures: Mapping[str, Measure], rounds: int, seconds: float) -> Rounds:
    """Measure one after the other, and that some times."""
    return [{name: measure(seconds) for name, measure in measures.items()} for _ in range(rounds)]


@contextlib.contextmanager
def on_core(core: int) -> Iterator[None]:
    """Stay on one core, and go back to those from before."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def check_amounts(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End the program where no page could be written, or a measurement would never end."""
    if options.rounds < 1:
        parser.error(f"--rounds = {options.rounds}, allowed: integer from 1")
    if not 0 < options.seconds < math.inf:
        parser.error(f"--seconds = {options.seconds}, allowed: a number above 0")
    if options.out is not None and not options.out.parent.is_dir():
        parser.error(f"--out {options.out}: no such folder, allowed: a file in one that is there")


def median(rounds: Rounds, name: str) -> float:
    return statistics.median(one[name] for one in rounds)


def ratio(rounds: Rounds, name: str, reference: str) -> Ratio:
    """Return the rates of `name` divided by those of the reference."""
    ratios = [one[name] / one[reference] for one in rounds]
    return Ratio(statistics.median(ratios), min(ratios), max(ratios))
