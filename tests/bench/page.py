"""`./run bench --page`: the page on speed, tests/bench/SPEED.md, by one run.

Ratios to peers from pip; time and share of every phase; memory; instructions; an earlier commit,
built and timed in turn; threads. Rows that are compared are measured in turn in every round, and a
ratio is the median of those of the rounds.

usage: ./run bench --page [--against COMMIT] [--rounds N] [--seconds S] [--core N] [--short]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import instructions
import page_engine
import page_peers
import turns

from schafkopf.commands.bench import machine

PAGE = page_engine.ROOT / "tests" / "bench" / "SPEED.md"
BEFORE_LANES = "27d49c9"
LEAST_ROUNDS = 7
NOT_BUILT = "Not run: the driver is not built (`./run bench --page` builds it)."

TEXT = """# Speed

`./run bench --page{arguments}` wrote this page in one run; what is written here by hand would be
lost. What the layout is and what is aimed at: [env/PERFORMANCE.md](../../env/PERFORMANCE.md).

{machine}, Python {python}, {compiler}, commit {commit}; {mix}.
{releases}.

One core (number {core}), CPU time, {rounds} rounds of {seconds:g} s for every row. In a round the
rows of a table are measured in turn; figures are medians of the rounds, ratios medians of those of
the rounds, beside the lowest and the highest. Play is random and legal, finished games are dealt
anew in the same step, so that games are at different stages; drawing the action is inside.
"Portable" is a build as wheels are, "native" one for this processor.

## Peers

The games differ (Leduc hold'em shows 34 features and has 3 actions, CartPole 4 and 2, Schafkopf 736
and 128); what is beside a peer does the same kind of work. From Python, in this process or, for Pgx
and EnvPool (1,024 tables, one thread), in one that answers between our rows. Pgx draws its actions
in the compiled step, EnvPool gets them from NumPy; a step of EnvPool that only starts the next
episode is not counted.

{peers}

## Phases

{games:,} games, research rules, nanoseconds per decision. Every step is timed alone, {steps} steps
of the same games from their deal on in every round. What a row costs in each phase is the least
squares fit of the steps' times to how many rows were at what, its share of the time that of the
steps after the first {warm_up}, when games are at all stages. A row is at the end where its step
ended the deal: last card, payment and next deal. Rows written belong to the step that leads to
them.

{phases}

## Memory

Research rules, native build. Bytes are all that a step writes of its row; the rates contain the
whole step, so the shares are those of a writer that plays as well.

{memory}

## Instructions per decision

Counted by callgrind in a portable build, which no other work disturbs; `./run count`, and CI within
{limit:g} %, compare with the stored figures.

{instructions}

## Before and now

{against}

## Threads

Native build, research rules, decisions per second of the clock.

{threads}
"""


def instruction_table(count_now: bool) -> str:
    """Return the stored figures of all hot paths, and beside them those of this tree."""
    stored = json.loads(instructions.BASELINE.read_text(encoding="utf-8"))
    now: dict[str, float] = {}
    why = "not counted: --short"
    if count_now and shutil.which("valgrind") is None:
        why = "not counted: no valgrind"
    elif count_now:
        root = page_engine.ROOT
        driver = instructions.build(root, root / "build" / "instructions")
        pairs = instructions.pairs_of(list(instructions.LENGTHS))
        now = instructions.counted(driver, pairs, short=True)
    return instruction_rows(stored, now, why)


def instruction_rows(stored: dict[str, dict[str, float]], now: dict[str, float], why: str) -> str:
    lines = [
        f"| path, kernel | stored ({stored['commit']}, {stored['compiler']}) | now | change |",
        "|---|---|---|---|",
    ]
    for name, before in stored["short"].items():
        cells = [name, f"{before:,.0f}", why, ""]
        if name in now:
            cells[2:] = [f"{now[name]:,.0f}", f"{100 * (now[name] / before - 1):+.1f} %"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def sections(options: argparse.Namespace, core: int) -> dict[str, str]:
    """Measure all; return part of the page -> text."""
    rounds, seconds = options.rounds, options.seconds
    root = page_engine.ROOT  # a name may be another commit tomorrow: folders are called by ids
    commit = None if options.short else instructions.commit_of(root, options.against)
    built = page_engine.drivers(commit, options.short)
    native = built.get("native")
    parts: dict[str, Callable[[], str]] = {
        "peers": lambda: page_peers.measure(core, rounds, seconds, not options.short),
        "phases": lambda: page_engine.phase_table(built, core, rounds) if built else NOT_BUILT,
        "memory": lambda: (
            page_engine.memory_table(native, core, rounds, seconds) if native else NOT_BUILT
        ),
        "instructions": lambda: instruction_table(not options.short),
        "against": lambda: against_text(commit, built, core, rounds, seconds),
        "threads": lambda: (
            page_engine.thread_table(native, rounds, seconds) if native else NOT_BUILT
        ),
        "mix": lambda: page_engine.mix_of(native) if native else "the drivers are not built",
    }
    found = {}
    for name, part in parts.items():
        print(f"measuring: {name}", flush=True)
        found[name] = part()
    return found


def against_text(
    commit: str | None, built: dict[str, Path], core: int, rounds: int, seconds: float
) -> str:
    if commit is None:
        return "Not run: no commit was named."
    table = page_engine.against_table(built, core, rounds, seconds)
    games = f"{page_engine.GAMES:,} games"
    return f"{games}, commit {commit} and this tree in turn, nanoseconds per decision.\n\n{table}"


def page(options: argparse.Namespace, arguments: Sequence[str], core: int) -> str:
    """Measure and return the page."""
    found = sections(options, core)
    return TEXT.format(
        **found,
        arguments="".join(f" {argument}" for argument in arguments),
        machine=machine(),
        python=sys.version.split()[0],
        compiler=instructions.compiler(),
        commit=instructions.commit_of(page_engine.ROOT),
        releases=page_peers.releases(),
        core=core,
        rounds=options.rounds,
        seconds=options.seconds,
        games=page_engine.GAMES,
        steps=page_engine.STEPS,
        warm_up=page_engine.WARM_UP,
        limit=instructions.LIMIT,
    )


def options_of(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./run bench --page", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--out", type=Path, help="(default tests/bench/SPEED.md)")
    parser.add_argument("--rounds", type=int, default=9, help="of each table (default 9)")
    parser.add_argument("--seconds", type=float, default=0.2, help="of a row (default 0.2)")
    parser.add_argument("--core", type=int, help="that does the work (default: the last one)")
    parser.add_argument(
        "--against",
        default=BEFORE_LANES,
        metavar="COMMIT",
        help="built and timed beside this tree (default %(default)s, the one before lanes)",
    )
    parser.add_argument(
        "--short",
        action="store_true",
        help="to try the program in seconds: one short round of what is installed and built; "
        "needs --out",
    )
    options = parser.parse_args(arguments)
    if options.short:
        if options.out is None:
            parser.error("--short gives no page to keep: name a file with --out")
        options.rounds, options.seconds = 1, 0.001
    elif options.out is None and options.rounds < LEAST_ROUNDS:
        parser.error(f"--rounds = {options.rounds}, allowed for the page: from {LEAST_ROUNDS}")
    turns.check_amounts(parser, options)
    options.out = options.out or PAGE
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    options = options_of(given)
    cores = os.sched_getaffinity(0)
    core = max(cores) if options.core is None else options.core
    if core not in cores:
        sys.exit(f"--core = {core}, allowed: {', '.join(map(str, sorted(cores)))}")
    text = page(options, given, core)
    options.out.write_text(text, encoding="utf-8")
    print(f"wrote {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
