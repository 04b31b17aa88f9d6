"""The engine alone, for the page on speed: phases, memory, threads, an earlier commit.

All by the driver of page_driver.cpp, whose processes answer in turn (served.py).
"""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import instructions
import numpy as np
import turns
from served import NoAnswer, Server

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "page"
SOURCE = Path(__file__).with_name("page_driver.cpp")
FORMS_OF_BUILD = ("portable", "native")
FORMS = {
    "none": "no rows",
    "mask": "byte masks",
    "views": "view lines",
    "uint8": "uint8 rows",
    "float32": "float32 rows",
    "packed": "packed rows",
    "version4": "float32 rows of version 4",
}
EXPANDED = ("uint8", "float32")  # rows that are timed without games
KERNELS = ("scalar", "avx2", "avx512")
PHASES = ("auction", "naming and the like", "card play", "end and next deal")
GAMES = 1024
STEPS = 240  # from the deal on
REPEATS = 3  # of them in a round
WARM_UP = 60  # of them until rows are in all phases
LARGE = 128 << 20  # bytes, past all caches
SMALL = 1 << 20
SIZES = (256, 1024, 4096)
MANY = 65536
RULES = {
    "research": "research",
    "cards": "research, from the first card on",
    "mix": "seven presets, 19 classes",
}
Array = Any  # of NumPy


def drivers(commit: str | None, short: bool) -> dict[str, Path]:
    """Return form of build -> driver: this tree and, "old ..." before it, that of a commit.

    short   only those whose library is there already
    """
    folders = {
        "portable": (ROOT, ROOT / "build" / "instructions"),
        "native": (ROOT, FOLDER / "native"),
    }
    if commit is not None:
        tree = old_tree(commit)
        for form in FORMS_OF_BUILD:
            folders[f"old {form}"] = (tree, FOLDER / f"{commit}-{form}")
    found = {}
    for name, (tree, folder) in folders.items():
        if not short or (folder / "libschafkopf_env.a").exists():
            print(f"building: {name}", flush=True)
            found[name] = instructions.build(tree, folder, SOURCE, native="native" in name)
    return found


def old_tree(commit: str | None) -> Path:
    """Return a folder with the files of a commit."""
    tree = FOLDER / f"{commit}-tree"
    if not tree.exists():
        packed = subprocess.run(
            ["git", "-C", str(ROOT), "archive", str(commit)], check=True, stdout=subprocess.PIPE
        )
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
            files.extractall(tree, filter="data")
    return tree


# ---- phases --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Phases:
    """Nanoseconds of a decision by phase, and share of all time."""

    mean: float
    ns: tuple[float, ...]
    shares: tuple[float, ...]


def phases(steps: Array) -> Phases:
    """Tell the time of steps apart by what their rows were at: least squares.

    Args:
        steps: [rounds, steps, 5], nanoseconds and rows of each of PHASES; the rows are the same in
            all rounds, of whose times the medians count.
    """
    times, rows = np.median(steps[:, :, 0], axis=0), steps[0, :, 1:]
    ns = np.linalg.lstsq(rows, times, rcond=None)[0]
    late = rows[WARM_UP:].sum(axis=0)  # as rows are in the long run
    mean = times[WARM_UP:].sum() / late.sum()
    return Phases(float(mean), tuple(ns), tuple(late * ns / (late @ ns)))


def phase_servers(stack: ExitStack, built: Mapping[str, Path], core: int) -> dict[str, Server]:
    """Return build and kernel -> server, for the kernels that this processor has."""
    found = {}
    for form in FORMS_OF_BUILD:
        for kernel in KERNELS if form == "portable" else KERNELS[-1:]:
            if form not in built:
                continue
            server = stack.enter_context(Server([str(built[form])], core, SCHAFKOPF_KERNEL=kernel))
            try:
                server.ask("phases none 64 1")
            except NoAnswer:
                continue  # not on this processor
            found[f"{form}, {kernel}"] = server
    return found


def phase_table(built: Mapping[str, Path], core: int, rounds: int) -> str:
    lines = [
        f"| build, kernel | rows | ns per decision | {' | '.join(PHASES)} |",
        "|---|---|---" + "|---" * len(PHASES) + "|",
    ]
    with ExitStack() as stack:
        servers = phase_servers(stack, built, core)
        seen: dict[tuple[str, str], list[Array]] = {}
        for _ in range(rounds * REPEATS):
            for name, server in servers.items():
                for form in FORMS:
                    said = server.ask(f"phases {form} {GAMES} {STEPS}")
                    seen.setdefault((name, form), []).append(
                        np.array(said, float).reshape(-1, 1 + len(PHASES))
                    )
    for (name, form), steps in seen.items():
        lines.append(phase_row(f"{name} | {FORMS[form]}", phases(np.array(steps))))
    return "\n".join(lines)


def phase_row(name: str, found: Phases) -> str:
    parts = [
        f"{turns.number(ns)} ({share:.0%})"
        for ns, share in zip(found.ns, found.shares, strict=True)
    ]
    return f"| {name} | {turns.number(found.mean)} | {' | '.join(parts)} |"


# ---- memory --------------------------------------------------------------------------------------


def memory_table(driver: Path, core: int, rounds: int, seconds: float) -> str:
    """Return bytes per second of each form of rows beside those of plain stores."""
    measures: dict[str, turns.Measure] = {}
    with Server([str(driver)], core) as server:
        for how in ("fill", "stream"):
            for size in (SMALL, LARGE):
                measures[f"{how} {size}"] = partial(server.rate, f"fill {how} {size}")
        for form in EXPANDED:
            for size in (SMALL, LARGE):
                measures[f"expand {form} {size}"] = partial(server.rate, f"expand {form} {size}")
        for form in FORMS:
            for games in (GAMES, MANY):
                question = f"rate research {form} {games} 1"
                measures[f"{form} {games}"] = partial(server.rate, question)
        seen = turns.in_turn(measures, rounds, seconds)
        size_of = {form: float(server.ask(f"bytes {form}")[0]) for form in FORMS}
    return memory_rows(seen, size_of)


def memory_rows(seen: turns.Rounds, size_of: Mapping[str, float]) -> str:
    stores = ", ".join(
        f"{words} {turns.median(seen, name) / 1e9:.1f} GB/s"
        for name, words in (
            (f"fill {SMALL}", "1 MB by memset"),
            (f"stream {SMALL}", "1 MB by streaming stores"),
            (f"fill {LARGE}", "128 MB by memset"),
            (f"stream {LARGE}", "128 MB by streaming stores"),
        )
    )
    expanded = []
    for form in EXPANDED:
        for size in (SMALL, LARGE):
            name = f"expand {form} {size}"
            expanded.append(
                f"{form} into {size >> 20} MB {turns.median(seen, name) / 1e9:.1f} GB/s"
            )
        expanded[-1] += f", {turns.ratio(seen, name, f'stream {LARGE}')} times streaming stores"
    lines = [
        f"Filling: {stores}.",
        "",
        f"Expanding view lines and nothing else: {', '.join(expanded)}.",
        "",
        f"| rows | bytes per decision | {GAMES:,} games: ns | GB/s | of memset, 1 MB "
        f"| {MANY:,} games: ns | GB/s | of memset, 128 MB | of streaming stores, 128 MB "
        f"| rate, {MANY:,} v. {GAMES:,} games |",
        "|---" * 10 + "|",
    ]
    for form, width in size_of.items():
        few, many = f"{form} {GAMES}", f"{form} {MANY}"
        cells = [FORMS[form], f"{width:,.0f}"]
        for name, filled in ((few, SMALL), (many, LARGE)):
            rate = turns.median(seen, name)
            cells += [turns.number(1e9 / rate), turns.number(rate * width / 1e9)]
            cells.append(f"{turns.ratio(seen, name, f'fill {filled}').median * width:.0%}")
        cells.append(f"{turns.ratio(seen, many, f'stream {LARGE}').median * width:.0%}")
        cells.append(str(turns.ratio(seen, many, few)))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


# ---- threads -------------------------------------------------------------------------------------


def thread_table(driver: Path, rounds: int, seconds: float) -> str:
    """Return decisions per second of the clock by one thread and by two."""
    cores = os.sched_getaffinity(0)
    if len(cores) < 2:
        return "Not run: this process may use one core."
    questions = [
        (form, games, threads)
        for form in ("none", "views", "packed")
        for games in SIZES
        for threads in (1, 2)
    ]
    with Server([str(driver)], None) as server:
        measures: dict[str, turns.Measure] = {}
        for form, games, threads in questions:
            question = f"rate research {form} {games} {threads}"
            measures[f"{form} {games} {threads}"] = partial(server.wall_rate, question)
        seen = turns.in_turn(measures, rounds, seconds)
    lines = ["| rows | games | one thread | two threads | ratio |", "|---|---|---|---|---|"]
    for form, games, threads in questions:
        if threads == 2:
            one, two = f"{form} {games} 1", f"{form} {games} 2"
            rates = " | ".join(turns.amount(turns.median(seen, name)) for name in (one, two))
            said = turns.ratio(seen, two, one)
            lines.append(f"| {FORMS[form]} | {games:,} | {rates} | {said} |")
    return "\n".join(lines)


# ---- an earlier commit ---------------------------------------------------------------------------


def against_table(built: Mapping[str, Path], core: int, rounds: int, seconds: float) -> str:
    """Return old and new in turn, for every build, rule sets and form of rows that both have."""
    lines = [
        "| build | rules | rows | ns before | ns now | times as fast (lowest to highest) |",
        "|---|---|---|---|---|---|",
    ]
    for form in FORMS_OF_BUILD:
        if f"old {form}" not in built or form not in built:
            lines.append(f"| {form} | not run: not built | | | | |")
            continue
        with (
            Server([str(built[f"old {form}"])], core) as old,
            Server([str(built[form])], core) as new,
        ):
            asked = [(rules, rows) for rules in RULES for rows in FORMS if has_rows(old, rows)]
            measures: dict[str, turns.Measure] = {}
            for rules, rows in asked:
                question = f"rate {rules} {rows} {GAMES} 1"
                measures[f"old {rules} {rows}"] = partial(old.rate, question)
                measures[f"new {rules} {rows}"] = partial(new.rate, question)
            seen = turns.in_turn(measures, rounds, seconds)
            lines += against_rows(form, asked, seen)
    return "\n".join(lines)


def has_rows(server: Server, rows: str) -> bool:
    try:
        server.ask(f"bytes {rows}")
    except NoAnswer:
        return False
    return True


def against_rows(form: str, asked: Sequence[tuple[str, str]], seen: turns.Rounds) -> list[str]:
    lines = []
    for rules, rows in asked:
        old, new = f"old {rules} {rows}", f"new {rules} {rows}"
        ns = " | ".join(turns.number(1e9 / turns.median(seen, name)) for name in (old, new))
        said = turns.ratio(seen, new, old)
        lines.append(f"| {form} | {RULES[rules]} | {FORMS[rows]} | {ns} | {said} |")
    return lines


def mix_of(driver: Path) -> str:
    """Return the kernel that a driver takes by itself, and what its mix plays."""
    with Server([str(driver)], None) as server:
        kernel, classes, presets = server.ask("about")
    return f"kernel {kernel}; the mix plays {classes} classes of contract under {presets} presets"
