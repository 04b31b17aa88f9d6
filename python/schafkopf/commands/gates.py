"""`schafkopf gates`: what the shipped player is held to, figure by figure."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from schafkopf import files, gates, gates_page
from schafkopf.commands.options import Commands, whole_number
from schafkopf.say import say_aside
from schafkopf.tournaments import ProgressLine


def _found(folder: Path, short: bool) -> dict[str, dict[str, Any]]:
    """What earlier calls found; figures of few deals never stand among others."""
    return {row["gate"]: row for row in gates_page.read(folder) if row["short"] == short}


def run(options: argparse.Namespace) -> int:
    """Run `schafkopf gates`."""
    chosen = [gate for gate in gates.GATES if options.only in f"{gate.name} {gate.player}"]
    if not chosen:
        names = "; ".join(sorted({gate.name for gate in gates.GATES}))
        raise ValueError(f'--only "{options.only}": part of no gate, allowed: part of {names}')
    if options.short and options.blocks:
        raise ValueError("--short has its own number of deals: no --blocks")
    gates.check_can_train(chosen)
    folder = Path(options.out)
    files.make_folder(folder)
    blocks = gates.SHORT_BLOCKS if options.short else options.blocks
    say_aside(f"games in {folder}; the same command goes on after Ctrl-C")
    order = [gates.folder_of(gate) for gate in gates.GATES]
    found = _found(folder, bool(blocks))
    for gate in chosen:
        title = f"{gate.player} against {gate.opponent}"
        row = gates.play(gate, folder, blocks, ProgressLine(title))
        found |= _found(folder, bool(blocks))  # what another process found meanwhile
        found[row["gate"]] = {**row, "short": bool(blocks)}
        rows = [found[name] for name in order if name in found]
        gates_page.write(rows, folder, bool(blocks), gates.SEED)
    print((folder / gates_page.PAGE).read_text(encoding="utf-8"), end="")
    played = [found[gates.folder_of(gate)] for gate in chosen]
    failed = [row["name"] for row in played if row["passed"] is False]
    if failed:
        say_aside(f"schafkopf: not passed: {'; '.join(failed)}")
    return 1 if failed else 0


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "gates",
        help="what the shipped player is held to: figure, interval, cost, passed or not",
        description="Play the shipped player against players whose versions stand still, on "
        "reserved deals, train what is judged by training, and say of each line whether it is "
        "passed. Hours; in parts that go on, and the page keeps what was found. "
        "Exit code 1 if a line is not passed.",
        epilog="Example: schafkopf gates --short --out runs/gates.",
    )
    parser.add_argument("--short", action="store_true", help="a few deals of each, nothing judged")
    parser.add_argument(
        "--blocks", type=whole_number(2), default=0, help="deals of each instead of its own number"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="lines with this in the name")
    parser.add_argument(
        "--out",
        default="runs/gates",
        metavar="DIR",
        help="games and results (default: %(default)s)",
    )
    parser.set_defaults(run=run)
