"""What the gates found, as a page and as data."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from schafkopf import _core, bidding, files
from schafkopf.intervals import interval_text
from schafkopf.training_run import MAX_RESULT_BYTES, TRACKS

RESULT, PAGE = "gates.json", "gates.md"
SEEDS = "seeds and deals"  # what the intervals of several runs are over


def machine() -> str:
    """Return the processor and the number of cores."""
    return f"{processor()}, {os.cpu_count()} cores"


def processor() -> str:
    """Return what the processor is called."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    return name


def commit() -> str:
    """Return the commit of the source tree, with "+" if files differ from it; "" elsewhere."""
    root = Path(__file__).resolve().parents[2]
    if not (root / "env" / "RULES.md").is_file():  # an installed package, perhaps in another tree
        return ""
    try:
        where = ["git", "-C", str(root)]
        head = subprocess.run(
            [*where, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run(
            [*where, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head + ("+" if changed else "")


def page(rows: list[dict[str, Any]], short: bool, seed: int) -> str:
    """Return the results as a page in Markdown."""
    words = {True: "yes", False: "no", None: "-"}
    lines = [
        "# Gates",
        "",
        f"schafkopf {_core.__version__}; research rules, contracts of `heuristic:noise=0`.",
        "",
        "Points per game, mean of both directions, 95 % over deals, over seeds and deals where "
        "several runs are trained; milliseconds of an unforced decision of the player alone on one "
        "core: the mean in a batch, and within how many 95 % of those that are asked one by one "
        "are made." + (" A short form: nothing is judged." if short else ""),
        "",
        "| | player | against | track | points | deals | ms | 95 % | passed | goal |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['name']} | `{row['player']}` | `{row['opponent']}` | {row['track']} | "
        f"{interval_text(row)} | {row['blocks']} | "
        f"{_milliseconds(row, 'milliseconds')} | {_milliseconds(row, 'milliseconds_95')} | "
        f"{words[row['passed']]} | {words[row['goal']]} |"
        for row in rows
    ]
    for row in rows:
        if "calibration" in row:
            lines += _calibration(row)
        if "defence" in row:
            lines += _defence(row)
        if "trained" in row:
            lines += _trained(row)
    lines += [
        "",
        "## Where",
        "",
        "Seconds: of the last call, which goes on where the one before ended.",
        "",
        "| | deals of seed | seconds | commit | machine |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['name']}, `{row['player']}` | {row.get('seed', seed)} | "
        f"{row.get('seconds', 0):.0f} | {row['commit'] or 'unknown'} | {row['machine']} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _calibration(row: dict[str, Any]) -> list[str]:
    found = row["calibration"]
    lines = [
        "",
        f"## {row['name'].capitalize()} of `{row['player']}` among `{row['opponent']}`",
        "",
        f"The points above are what its words bring over the opponent's. Expected by "
        f"{found['by']}; thrown in {100 * found['thrown_in']:.1f} %, with the opponent's words "
        f"{100 * found['thrown_in_with_opponents_words']:.1f} %; extinct: "
        f"{', '.join(found['extinct']) or 'none'}.",
    ]
    for title, table in (
        ("Declared by the player", bidding.own_rows(found)),
        (
            "Declared with the opponent's words and the player's cards",
            bidding.opponents_rows(found),
        ),
    ):
        head, *body = ([cell.replace("+-", "±") for cell in cells] for cells in table)
        lines += ["", f"{title}:", "", f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        lines += [f"| {' | '.join(cells)} |" for cells in body]
    return lines


def _defence(row: dict[str, Any]) -> list[str]:
    found = row["defence"]
    conceded = {name: interval_text(found["conceded"][name]) for name in ("player", "opponent")}
    return [
        "",
        f"## {row['contract']} of `{row['declarer']}`",
        "",
        f"The declarer gets {conceded['player']} points a game from three `{row['player']}` (wins "
        f"{100 * found['won']['player']:.1f} %), {conceded['opponent']} from three "
        f"`{row['opponent']}` (wins {100 * found['won']['opponent']:.1f} %); the points above are "
        "the difference on the same deals.",
    ]


def _milliseconds(row: dict[str, Any], key: str) -> str:
    """Rows that an earlier version found have no share of slow decisions."""
    return "-" if row.get(key) is None else f"{row[key]:.3g}"


def _trained(row: dict[str, Any]) -> list[str]:
    found = row["trained"]
    lines = ["", f"## {row['name'].capitalize()}", ""]
    seeds = len(found["runs"])
    over = found.get("over", "seeds alone")
    if over != SEEDS and seeds > 1:
        lines += [
            "Found by an earlier version: the interval over its runs is by the spread between "
            "seeds alone, without the luck of the deals, which all of them share.",
            "",
        ]
    if "arms" not in found:
        lines += ["| seed | decisions | minutes | points, 95 % over deals |", "|---|---|---|---|"]
        lines += [
            f"| {run.get('seed', number)} | {run['decisions'] / 1e6:.1f} M | "
            f"{run['seconds'] / 60:.1f} | {interval_text(run)} |"
            for number, run in enumerate(found["runs"], 1)
        ]
        if "over_seeds" in found:
            lines.append(f"| all | | | {interval_text(found['over_seeds'])} over {over} |")
        return lines
    lines += [
        f"{seeds} seeds of each, the same number of decisions; 95 % over {over}. Over the recipe: "
        "what the arm has over the runs of the recipe with the same seeds.",
        "",
        "| arm | settings | seconds | card play | over the recipe | full game | over the recipe |",
        "|---|---|---|---|---|---|---|",
    ]
    for arm in found["arms"]:
        cells = [
            interval_text(figure)
            for track in TRACKS
            for figure in (arm[track], arm[track]["over_recipe"])
        ]
        settings = ", ".join(f"`{setting}`" for setting in arm["settings"]) or "-"
        lines.append(f"| {arm['arm']} | {settings} | {arm['seconds']:.0f} | {' | '.join(cells)} |")
    return lines


def write(rows: list[dict[str, Any]], folder: Path, short: bool, seed: int) -> None:
    """Write the figures and the page into the folder.

    What the file has beside them stays: figures of the other form, as those of a calibration are in
    no journal, and lines of other versions, which follow on the page.
    """
    named, there = {row["gate"] for row in rows}, read(folder)
    rows = [*rows, *(row for row in there if row["short"] == short and row["gate"] not in named)]
    kept = [row for row in there if row["short"] != short]
    files.write_text(
        folder / RESULT, json.dumps([*rows, *kept], indent=1, allow_nan=False) + "\n", owned=True
    )
    files.write_text(folder / PAGE, page(rows, short, seed), owned=True)


def read(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of an earlier call, none where there was none.

    Raises:
        ValueError: the file is damaged.
    """
    path = folder / RESULT
    if not path.is_file():
        return []
    try:
        rows: list[dict[str, Any]] = files.parse_json(files.own_text(path, MAX_RESULT_BYTES), path)
        if not all(isinstance(row["gate"], str) and row["short"] in (True, False) for row in rows):
            raise TypeError("gate or short")
        page(rows, short=False, seed=0)  # every figure is there, and is what a page shows
        return rows
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: damaged; without it the journals give the same again") from error
