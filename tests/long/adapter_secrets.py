"""Pairs of deals that a seat cannot tell apart, through every adapter that is installed.

`./run secrets --adapters` is this: FOLDER/seed-S.jsonl has one line for each finished part, and a
part that is there is not compared again, so that a run may be stopped at any time. Leaves with 1
where an adapter shows something else: which, the rules, the actions, both deals.
"""

from __future__ import annotations

import argparse
import importlib
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))
from support import secret_pairs  # noqa: E402

PART = 500
Done = dict[str, Any]


def is_there(adapter: secret_pairs.Adapter) -> bool:
    """Return whether the packages of an adapter can be imported."""
    try:
        for package in adapter.packages:
            importlib.import_module(package)
    except ImportError:
        return False
    return True


def compared(task: tuple[int, int, int, list[str]]) -> Done:
    """Compare a part; "found" is what an adapter shows, "" if nothing."""
    seed, part, size, names = task
    asked, seconds = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0)
    begun = time.process_time()
    for pair in secret_pairs.random_pairs(size, [seed, part]):
        for name in names:
            began = time.process_time()
            try:
                asked[name] += secret_pairs.check(secret_pairs.ADAPTERS[name], pair)
            except AssertionError as error:
                return {"part": part, "found": f"{name}: {error}"}
            seconds[name] += time.process_time() - began
    spent = {name: round(value, 3) for name, value in seconds.items()}
    total = round(time.process_time() - begun, 3)
    return {"part": part, "pairs": size, "asked": asked, "seconds": total, "of": spent, "found": ""}


def finished(journal: Path, size: int, names: list[str]) -> dict[int, Done]:
    """Return the parts of a journal; the torn line of a killed run goes.

    Raises:
        ValueError: it has parts of another size, or of other adapters.
    """
    lines = journal.read_text().splitlines(keepends=True) if journal.exists() else []
    if lines and not lines[-1].endswith("\n"):
        journal.write_text("".join(lines := lines[:-1]))
    parts = [json.loads(line) for line in lines]
    for one in parts:
        if one["pairs"] != size or sorted(one["asked"]) != sorted(names):
            raise ValueError(f"{journal}: parts of {one['pairs']} pairs through "
                             f"{', '.join(one['asked'])}: go on with those, or take another --seed"
                             )  # fmt: skip
    return {one["part"]: one for one in parts}


def results(
    tasks: list[tuple[int, int, int, list[str]]], processes: int, seconds: float
) -> Iterator[Done]:
    """Compare the parts in turn, until the time is over."""
    end = time.monotonic() + seconds
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for done in pool.imap(compared, tasks):
            yield done
            if time.monotonic() > end:
                return


def main() -> int:
    """Compare; exit code 1 where an adapter shows a secret, 2 where the options are wrong."""
    parser = argparse.ArgumentParser(prog="./run secrets --adapters", description=__doc__)
    add = parser.add_argument
    add("--pairs", type=int, default=10_000, metavar="N",
        help="to reach, those of earlier calls counted (%(default)s); each goes through every "
        "adapter")  # fmt: skip
    add("--seed", type=int, default=0, metavar="S", help="another seed has other pairs")
    add("--seconds", type=float, default=float("inf"), metavar="T",
        help="end after the part in which they are over")  # fmt: skip
    add("--processes", type=int, default=os.cpu_count() or 1, metavar="P", help="(%(default)s)")
    add("--folder", type=Path, default=ROOT / "build" / "adapter_secrets", metavar="DIR",
        help="of the journal (%(default)s)")  # fmt: skip
    add("--part", type=int, default=PART, metavar="N", help="pairs of a part (%(default)s)")
    add("--adapter", action="append", choices=list(secret_pairs.ADAPTERS), metavar="A",
        help=f"only this one: {', '.join(secret_pairs.ADAPTERS)}")  # fmt: skip
    options = parser.parse_args()
    for name in ("pairs", "processes", "part"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} {getattr(options, name)}, allowed: integer from 1")
    if not options.seconds > 0:
        parser.error(f"--seconds {options.seconds}, allowed: above 0")
    chosen = options.adapter or list(secret_pairs.ADAPTERS)
    names = [name for name in chosen if is_there(secret_pairs.ADAPTERS[name])]
    for name in options.adapter or []:
        if name not in names:
            needed = ", ".join(secret_pairs.ADAPTERS[name].packages)
            parser.error(f"--adapter {name}: {needed} cannot be imported here")
    options.folder.mkdir(parents=True, exist_ok=True)
    journal = options.folder / f"seed-{options.seed}.jsonl"
    try:
        parts = finished(journal, options.part, names)
    except ValueError as error:
        parser.error(str(error))
    wanted = range(-(-options.pairs // options.part))
    tasks = [(options.seed, i, options.part, names) for i in wanted if i not in parts]
    for done in results(tasks, options.processes, options.seconds) if tasks else ():
        if done["found"]:
            print(done["found"])
            return 1
        parts[done["part"]] = done
        with journal.open("a") as file:
            file.write(json.dumps(done) + "\n")
    pairs = sum(one["pairs"] for one in parts.values())
    asked = sum(sum(one["asked"].values()) for one in parts.values())
    spent = sum(one["seconds"] for one in parts.values())
    for name in names:
        count = sum(one["asked"][name] for one in parts.values())
        per_pair = 1000 * sum(one["of"][name] for one in parts.values()) / max(count, 1)
        print(f"{name:22} {count:10,} pairs, {per_pair:6.2f} ms of a processor each")
    print(f"{pairs:,} of {options.pairs:,} pairs, {asked:,} comparisons, no secret; "
          f"{pairs / max(spent, 1e-9):.1f} pairs per second of a processor")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
