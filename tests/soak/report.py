"""The page of a soak: its parts, what was worked, and how everything that is measured changes."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from soak import verdict

SAMPLES = "samples.csv"
WORDS = {
    "flat": "the change is within the limit, with its interval",
    "open": "the interval is wider than the limit: more time is needed",
    "grows": "beyond the limit for certain",
    "falls": "slower, beyond the limit, for certain",
}


def of_folders(folders: Sequence[Path]) -> list[dict[str, float]]:
    """Return the samples of several folders, their parts numbered in this order."""
    rows: list[dict[str, float]] = []
    for folder in folders:
        before = max((int(row["part"]) for row in rows), default=0)
        own = verdict.read_rows(folder / SAMPLES)
        rows += [{**row, "part": before + int(row["part"])} for row in own]
    return rows


def write_samples(path: Path, rows: Sequence[verdict.Row]) -> None:
    """Write samples as they are read."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, verdict.columns(rows), lineterminator="\n")
        table.writeheader()
        table.writerows({key: f"{value:g}" if key in ("part", "handles", "threads") else value
                         for key, value in row.items()} for row in rows)  # fmt: skip


def page(rows: Sequence[verdict.Row], note: str = "") -> str:
    """Return the page of these samples, with a note on how they were taken."""
    parts = verdict.parts_of(rows)
    hours = sum(part[-1]["seconds"] for part in parts) / 3600
    lines = [
        "# Memory, handles, threads and speed over hours of the same work",
        "",
        "Written by `./run soak --judge FOLDER ... --report tests/soak/REPORT.md` from the samples "
        f"of {len(parts)} parts, {hours:.1f} hours together; a sample a minute, fewer where each "
        "work once took longer, all in `samples.csv` beside this page. Each part is a process of "
        "its own that steps, solves, searches, plays tournaments, writes datasets, serves a table "
        "and trains in a loop (`work.py`).",
        *(["", note] if note else []),
        "",
        "| part | hours | of processor | samples | memory at a quarter, MB | at the end "
        "| handles | threads |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(_part_line(part) for part in parts),
        "",
        "## Changes in an hour",
        "",
        f"Within parts, over all of them together, without the first {verdict.WARM_UP:.0%} of "
        "each; a part counts by the hours of a processor that it worked. Speed is work in a second "
        "of the processor, as if the machine had been equally busy throughout each part "
        "(`verdict.at_equal_share`): what runs beside it takes caches. How busy it was is told by "
        "the share of a processor and, where a part has it, by the speed of a work that is none of "
        "ours (`work.reference`).",
        "",
        "| what | verdict | mean | change in an hour | limit |",
        "|---|---|---:|---:|---:|",
    ]
    found = verdict.slopes(rows)
    lines += [
        f"| {one.name} | {one.kind} | {one.mean:,.2f} | {one.per_hour:+.3f} ± {one.half_width:.3f} "
        f"| {one.limit:+.3g} |"
        for one in found
    ]
    kinds = [kind for kind in WORDS if any(one.kind == kind for one in found)]
    lines += ["", *(f"* **{kind}**: {WORDS[kind]}" for kind in kinds)]
    return "\n".join(lines) + "\n"


def _part_line(part: Sequence[verdict.Row]) -> str:
    last = part[-1]
    quarter = next(row for row in part if row["seconds"] >= verdict.WARM_UP * last["seconds"])
    worked = f"{last['cpu_s'] / 3600:.2f}" if "cpu_s" in last else ""
    spans = []
    for name in ("handles", "threads"):
        low, high = (int(of(row[name] for row in part)) for of in (min, max))
        spans.append(str(low) if low == high else f"{low} to {high}")
    return (
        f"| {int(last['part'])} | {last['seconds'] / 3600:.2f} | {worked} | {len(part)} | "
        f"{quarter['rss_mb']:.1f} | {last['rss_mb']:.1f} | {' | '.join(spans)} |"
    )
