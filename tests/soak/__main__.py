"""`./run soak`: works for hours and records memory, handles, threads and speed; then the verdict.

A folder takes any number of parts: the next call appends one with the next number.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from soak import report, verdict, work
from soak.report import SAMPLES


def memory_mb() -> float:
    """Return what this process has in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measured() -> dict[str, float]:
    """Return what must stay as it is."""
    return {
        "rss_mb": round(memory_mb(), 3),
        "handles": len(os.listdir("/proc/self/fd")),
        "threads": len(os.listdir("/proc/self/task")),
    }


class Meter:
    """How much of each work is done in a second of the processor, which a busy machine does not
    change as it changes the clock."""

    def __init__(self, names: list[str]) -> None:
        self.done = dict.fromkeys(names, 0.0)
        self.spent = dict.fromkeys(names, 0.0)

    def do(self, name: str, piece: Callable[[], float]) -> None:
        """Do a piece of work and count it."""
        begin = time.process_time()
        self.done[name] += piece()
        self.spent[name] += time.process_time() - begin

    def taken(self) -> dict[str, float]:
        """Return the speeds since the last call."""
        speeds = {
            f"{name}_per_cpu_s": round(self.done[name] / self.spent[name], 4)
            for name in self.done
            if self.spent[name] > 0
        }
        self.done, self.spent = (dict.fromkeys(self.done, 0.0) for _ in range(2))
        return speeds


def soak(
    folder: Path, seconds: float, pieces: dict[str, work.Work], every: float = 60.0
) -> list[dict[str, float]]:
    """Work for so long, append a sample to the file of the folder every so many seconds, and return
    the samples of all parts."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / SAMPLES
    rows = verdict.read_rows(path) if path.exists() else []
    part = 1 + max((int(row["part"]) for row in rows), default=0)
    columns = ["part", "seconds", "cpu_s", *measured(), *(f"{name}_per_cpu_s" for name in pieces)]
    if rows and not rows[0].keys() <= set(columns):
        raise ValueError(f"{path}: its columns are of other work, allowed: another folder")
    meter = Meter(list(pieces))
    begin = last = time.monotonic()
    begin_cpu = time.process_time()
    with path.open("a", newline="", encoding="utf-8") as file:
        # without a line that a kill tore, and a head without samples
        file.truncate(path.read_bytes().rfind(b"\n") + 1 if rows else 0)
        table = csv.DictWriter(file, columns)
        if not rows:
            table.writeheader()
        while last - begin < seconds:
            for name, piece in pieces.items():
                meter.do(name, partial(work.done, piece, folder / "work"))
            if time.monotonic() - last < every:
                continue
            last = time.monotonic()
            passed = {
                "seconds": round(last - begin, 1),
                "cpu_s": round(time.process_time() - begin_cpu, 1),
            }
            row = {"part": part, **passed, **measured(), **meter.taken()}
            table.writerow(row)
            file.flush()
            rows.append({key: float(value) for key, value in row.items()})
    return rows


def main() -> int:
    """Work and judge; exit code 1 where something grows or slows down for certain."""
    parser = argparse.ArgumentParser(prog="./run soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=2.0, metavar="H",
                        help="of this part (default: %(default)s)")  # fmt: skip
    parser.add_argument("--folder", type=Path, default=Path("results/soak"), metavar="F",
                        help="of the samples (default: %(default)s)")  # fmt: skip
    parser.add_argument("--judge", type=Path, nargs="+", metavar="F",
                        help="no work: judge the parts of these folders together")  # fmt: skip
    parser.add_argument("--report", type=Path, metavar="FILE",
                        help="write a page (Markdown), and all samples beside it")  # fmt: skip
    parser.add_argument("--note", default="", metavar="TEXT",
                        help="of that page: how the parts were run")  # fmt: skip
    options = parser.parse_args()
    if not options.hours > 0:
        parser.error(f"--hours = {options.hours}, allowed: above 0")
    if options.report is not None and not options.report.parent.is_dir():
        parser.error(
            f"--report {options.report}: no such folder, allowed: a file in one that is there"
        )
    if options.judge:
        try:
            rows = report.of_folders(options.judge)
        except (OSError, ValueError, KeyError) as error:
            parser.error(f"--judge: no samples of a soak: {error}")
    else:
        rows = soak(options.folder, 3600.0 * options.hours, work.available())
    if not rows:
        print("no sample: one is taken every minute", file=sys.stderr)
        return 1
    found = verdict.slopes(rows)
    print(f"{len(rows)} samples in {len(verdict.parts_of(rows))} parts")
    for one in found:
        print(one.line())
    if options.report:
        options.report.write_text(report.page(rows, options.note), encoding="utf-8")
        report.write_samples(options.report.with_name(SAMPLES), rows)
        print(f"wrote {options.report}, {options.report.with_name(SAMPLES)}")
    return 1 if any(one.kind in ("grows", "falls") for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
