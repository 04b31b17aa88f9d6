"""`schafkopf replay`: results of recorded games, or their differences to what is expected."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator

from schafkopf import _core, records

_LIBRARY = re.compile(r"\[json\.exception\.\w+\.\d+\] ")  # says nothing to a reader


def _lines(file: str) -> Iterator[tuple[int, str]]:
    if file != "-":
        yield from records.read_lines(file)
        return
    for number, line in enumerate(sys.stdin, 1):
        if line.strip():
            yield number, line


def run(options: argparse.Namespace) -> int:
    """Replay every line; a line that is no legal game is reported and the rest goes on."""
    name = "standard input" if options.file == "-" else options.file
    games = broken = differing = 0
    for number, line in _lines(options.file):
        games += 1
        try:
            if options.check:
                _, differences = _core.check_json(line, number)
                differing += bool(differences)
                for difference in differences:
                    print(f"{name}: line {number}: {difference}")
            elif options.text:
                print(_core.record_to_text(line, number))
            else:
                print(_core.replay_json(line, number))
        except ValueError as error:
            broken += 1
            text = _LIBRARY.sub("", str(error))
            print(f"schafkopf: {name}: {text}", file=sys.stderr)
    if games == 0:
        raise ValueError(f"{name}: no game in it")
    if options.check:
        plural = "" if games == 1 else "s"
        print(
            f"{games} game{plural}: {games - broken - differing} as expected, "
            f"{differing} differ, {broken} cannot be replayed"
        )
    return 1 if broken or differing else 0
