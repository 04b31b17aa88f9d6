"""Two builds of schafkopf_solver_bench in turn: positions, mean and median times, and their ratios.

A time is the least of all rounds, since other work on the machine only ever adds to it.

usage: python tests/bench/solver_compare.py BEFORE AFTER [--rounds 5] [--deals 300]
  BEFORE, AFTER   the program of two commits, built with the same flags
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from typing import NamedTuple

HEAD = (
    "| contract | question | positions before | after | ratio | mean ms before | after | ratio "
    "| median ms before | after | ratio |"
)


class Row(NamedTuple):
    """What is compared of a row of the program's table."""

    positions: float
    mean: float
    median: float
    answer: str  # mean answer and hash of the deals: the same in both programs


def rows(table: str) -> dict[tuple[str, str], Row]:
    """Rows of the table that the program prints, by contract and question."""
    found = {}
    for line in table.splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        values = Row(float(cells[8]), float(cells[4]), float(cells[5]), " ".join(cells[9:]))
        found[cells[1], cells[2]] = values
    return found


def table_of(program: str, deals: int) -> dict[tuple[str, str], Row]:
    """Run a program; ends this one where it is not one that prints the table."""
    command = [program, "--deals", str(deals)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(
            f"{done.stderr}solver_compare.py: {' '.join(command)} ended with {done.returncode}"
        )
    try:
        return rows(done.stdout)
    except (IndexError, ValueError):
        sys.exit(f"solver_compare.py: {program}: not the table of schafkopf_solver_bench")


def least(runs: list[dict[tuple[str, str], Row]]) -> dict[tuple[str, str], Row]:
    """Each row with its least times."""
    return {
        key: row._replace(
            mean=min(run[key].mean for run in runs), median=min(run[key].median for run in runs)
        )
        for key, row in runs[0].items()
    }


def report(before: dict[tuple[str, str], Row], after: dict[tuple[str, str], Row]) -> str:
    """Table of both. Raises ValueError where they did not solve the same or differ in answers."""
    lines = [HEAD, "|" + "---|" * (HEAD.count("|") - 1)]
    for key, old in before.items():
        if key not in after:
            raise ValueError(f"{' '.join(key)}: not in both")
        new = after[key]
        if new.answer != old.answer:
            raise ValueError(f"{' '.join(key)}: {old.answer} before, {new.answer} after")
        cells = [*key]
        for a, b, form in zip(old[:3], new[:3], (".0f", ".3f", ".4f"), strict=True):
            cells += [f"{a:{form}}", f"{b:{form}}", f"{b / a:.2f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    """Run the programs and print the comparison."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rounds", type=int, default=5, help="(default: %(default)s)")
    parser.add_argument("--deals", type=int, default=300, help="per contract (default: 300)")
    options = parser.parse_args()
    if options.rounds < 1 or options.deals < 1:
        parser.error("--rounds, --deals: allowed: at least 1")
    programs = (options.before, options.after)
    for program in programs:
        if shutil.which(program) is None:
            parser.error(f"{program}: no such program, allowed: a schafkopf_solver_bench")
    runs: dict[str, list[dict[tuple[str, str], Row]]] = {program: [] for program in programs}
    for _ in range(options.rounds):
        for program in programs:
            runs[program].append(table_of(program, options.deals))
    try:
        print(report(least(runs[options.before]), least(runs[options.after])))
    except ValueError as error:
        sys.exit(f"solver_compare.py: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
