"""`./run faults`: puts faults into running work and reports what came of them."""

from __future__ import annotations

import argparse
import itertools
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from faults import report, shim
from faults.elsewhere import ELSEWHERE
from faults.injected import FAULTS, Fault
from faults.running import Case, Lost, Missed, Skipped
from faults.subjects import SUBJECTS, Subject

SECONDS = 300.0  # of the form without --long
LONG = 25  # times that each fault is put into each subject


def rounds(faults: list[Fault], times: int) -> Iterator[tuple[int, Fault]]:
    """Give what is put into a subject in turn: every fault once before one comes again."""
    return ((i, fault) for i in range(times) for fault in faults if i == 0 or fault.repeats)


def put(case: Case, fault: Fault, seed: int, number: int) -> report.Row:
    """Put a fault into a case and return what came of it."""
    case.rng.seed(f"{seed} {case.subject.name} {fault.name} {number}")
    began = time.monotonic()
    try:
        kind, text = "held", fault.put(case)
    except Skipped as skipped:
        kind, text = "skipped", str(skipped)
    except Missed as missed:
        kind, text = "missed", str(missed)
    except Lost as lost:
        kind, text = "LOST", str(lost)
    text = text.replace(f"{case.place}/", "")
    return report.Row(case.subject.name, fault.name, kind, text, time.monotonic() - began)


Named = TypeVar("Named", Subject, Fault)


def chosen(
    parser: argparse.ArgumentParser, names: list[str] | None, known: Sequence[Named]
) -> list[Named]:
    """Return the subjects or faults of these names, all without one."""
    by_name = {one.name: one for one in known}
    for name in names or []:
        if name not in by_name:
            parser.error(f'"{name}", allowed: {", ".join(by_name)}')
    return [by_name[name] for name in names] if names else list(known)


def tried(
    subjects: list[Subject], faults: list[Fault], times: int, seconds: float, seed: int
) -> Iterator[report.Row]:
    """Put faults into subjects in turn, until everything was put in or the time is over."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        library = shim.built(Path(folder))
        for i, subject in enumerate(subjects):
            end = began + seconds * (i + 1) / len(subjects)
            if lacks := subject.missing():
                for fault in faults:
                    yield report.Row(subject.name, fault.name, "skipped", lacks, 0.0)
                continue
            try:
                case = Case(subject, Path(folder) / subject.name, library)
            except Lost as lost:
                yield report.Row(subject.name, "none", "LOST", str(lost), 0.0)
                continue
            for number, fault in rounds(faults, times):
                if time.monotonic() > end and number > 0:
                    break
                yield put(case, fault, seed, number)


def elsewhere() -> Iterator[report.Row]:
    """Run the tests of faults inside one process."""
    for one in ELSEWHERE:
        began = time.monotonic()
        wrong = one.run()
        kind, text = ("LOST", wrong) if wrong else ("held", f"{len(one.tests)} tests passed")
        yield report.Row("process", one.name, kind, text, time.monotonic() - began)


def main() -> int:
    """Put the faults in; exit code 1 where something was lost."""
    parser = argparse.ArgumentParser(prog="./run faults", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="N",
                        help="about so long; every fault comes once (%(default)s)")  # fmt: skip
    parser.add_argument("--long", action="store_true",
                        help=f"every fault {LONG} times, as long as it takes")  # fmt: skip
    parser.add_argument("--subject", action="append", metavar="S",
                        help=f"only this one: {', '.join(s.name for s in SUBJECTS)}")  # fmt: skip
    parser.add_argument("--fault", action="append", metavar="F",
                        help=f"only this one: {', '.join(f.name for f in FAULTS)}")  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, metavar="N",
                        help="of moments and places (%(default)s)")  # fmt: skip
    parser.add_argument("--rows", type=Path, metavar="FILE",
                        help="append what came of each; the report is of all of it")  # fmt: skip
    parser.add_argument("--report", type=Path, metavar="FILE", help="write a page (Markdown)")
    options = parser.parse_args()
    if not options.seconds > 0:
        parser.error(f"--seconds = {options.seconds}, allowed: above 0")
    for name, file in (("--rows", options.rows), ("--report", options.report)):
        if file is not None and not file.parent.is_dir():
            parser.error(f"{name} {file}: no such folder, allowed: a file in one that is there")
    subjects = chosen(parser, options.subject, SUBJECTS)
    faults = chosen(parser, options.fault, FAULTS)
    seconds = float("inf") if options.long else options.seconds
    times = LONG if options.long else 1_000_000
    # what is started inherits it: somebody who runs this behind other work may have it ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rows = []
    everything = options.subject is None and options.fault is None
    put_in = tried(subjects, faults, times, seconds, options.seed)
    for row in itertools.chain(put_in, elsewhere() if everything else ()):
        rows.append(row)
        print(row.line(), flush=True)
        if options.rows:
            report.append(options.rows, row)
    if options.rows:
        rows = report.read(options.rows)
    lost = [row for row in rows if row.kind == "LOST"]
    print(f"{len(report.put_in(rows))} faults put in, {len(lost)} lost something")
    if options.report:
        options.report.write_text(report.page(rows), encoding="utf-8")
        print(f"wrote {options.report}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
