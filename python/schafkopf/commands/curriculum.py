"""`schafkopf curriculum`: runs of the trainer in a row, in segments."""

from __future__ import annotations

import argparse
import contextlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schafkopf import _core, curriculum, training_run
from schafkopf.commands.options import Commands, add_settings, as_given, as_number
from schafkopf.say import say, say_aside

TO_BE_CONTINUED = 75  # not finished; the same command goes on


def _minutes(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0.0 <= (value := as_number(text)) < math.inf:
            return value
    raise argparse.ArgumentTypeError(f"{as_given(text)}, allowed: a number of minutes >= 0")


class _Lines:
    """A progress line for each run."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.name = ""
        self.line: training_run.TrainingLine | None = None

    def __call__(self, name: str, state: Mapping[str, Any]) -> None:
        if self.line is None or name != self.name:
            self.end()
            self.name, self.line = name, training_run.TrainingLine(str(self.out / name))
        self.line(dict(state))

    def end(self) -> None:
        if self.line is not None:
            self.line.end()


def run(options: argparse.Namespace) -> int:
    """Run `schafkopf curriculum`."""
    lines = _Lines(Path(options.out))
    if ending := getattr(options, "ending", None):
        ending.last_words = "ended at once; the same command goes on from the last checkpoint"
    try:
        outcome = curriculum.curriculum(
            options.stages or curriculum.default_stages(),
            out=options.out,
            minutes=options.minutes,
            settings=options.settings,
            progress=lines,
            note=say_aside,
        )
    finally:
        lines.end()
    if outcome.finished:
        say(f"finished: {outcome.player}, for {_core.net_player(str(outcome.player))}")
        return 0
    ended = ending.ended if ending else None
    why = str(ended) if ended else "interrupted" if outcome.interrupted else "the segment is over"
    say_aside(f"{why} in {outcome.stage}; the same command goes on")
    if ended:
        return int(ended.exit_code)
    return training_run.INTERRUPTED if outcome.interrupted else TO_BE_CONTINUED


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "curriculum",
        help="train stages in a row, each from the best weights of the one before",
        description="Train stages one after the other, each from the best weights of the one "
        "before, and write a player. Stopped at any moment, the same command goes on. Exit code "
        f"{TO_BE_CONTINUED} where the segment ended before the last stage did.",
        epilog="Example: schafkopf curriculum --minutes 30 --out runs/stages.",
    )
    parser.add_argument(
        "stages",
        nargs="*",
        metavar="STAGE.toml",
        help="training files (default: those of the shipped player, "
        f"{', '.join(curriculum.STAGES)}: 8 to 9 hours of one core)",
    )
    parser.add_argument(
        "--out",
        default="runs/curriculum",
        metavar="DIR",
        help="a folder for each run and the player (default: %(default)s)",
    )
    parser.add_argument(
        "--minutes",
        type=_minutes,
        default=0.0,
        metavar="N",
        help="end this segment after so many minutes [number >= 0], 0 = go on to the end "
        "(default: 0)",
    )
    add_settings(parser, "stages")
    parser.set_defaults(run=run)
