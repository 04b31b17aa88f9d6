"""`schafkopf replay`: results of recorded games, or their differences to what is expected."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterable, Iterator

from schafkopf import _core, files, records
from schafkopf.commands.options import Commands


@contextlib.contextmanager
def _lines(file: str) -> Iterator[Iterable[bytes]]:
    if file != "-":
        files.check_input(file, "a file of game records")
        with open(file, "rb") as stream:
            yield stream
    elif hasattr(sys.stdin, "buffer"):
        yield sys.stdin.buffer
    else:  # put in the place of a real one
        yield (line.encode("utf-8", "surrogateescape") for line in sys.stdin)


def _entries(lines: Iterable[bytes], name: str) -> Iterator[records.Entry]:
    try:
        yield from records.read_entries(lines)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def run(options: argparse.Namespace) -> int:
    """Replay every game; one that is damaged or not legal is reported and the rest goes on."""
    name = "standard input" if options.file == "-" else options.file
    games = broken = differing = 0
    with _lines(options.file) as lines:
        for entry in _entries(lines, name):
            games += 1
            try:
                if entry.mistake:
                    raise ValueError(entry.mistake)
                differences = _replay(entry, options)
            except ValueError as error:
                broken += 1
                print(f"schafkopf: {name}: {error}", file=sys.stderr)
                continue
            differing += bool(differences)
            for difference in differences:
                print(f"{name}: line {entry.line}: {difference}")
    if games == 0:
        raise ValueError(f"{name}: no game in it")
    if options.check:
        plural = "" if games == 1 else "s"
        print(
            f"{games} game{plural}: {games - broken - differing} as expected, "
            f"{differing} differ, {broken} cannot be replayed"
        )
    return 1 if broken or differing else 0


def _replay(entry: records.Entry, options: argparse.Namespace) -> list[str]:
    """Print the result of a game, or return its differences to what is expected."""
    if options.check:
        return list(_core.check_json(entry.json, entry.line)[1])
    if options.text:
        print(_core.record_to_text(entry.json, entry.line))
    else:
        print(_core.replay_json(entry.json, entry.line))
    return []


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "replay",
        help="replay recorded games",
        description="Replay game records and print one result per line. A file holds JSON lines, "
        "or games in readable text one after the other, as games.txt of a training does; "
        "env/RECORD.md describes both.",
    )
    parser.add_argument("file", help="file of game records, - = standard input")
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare with the object `expect` of each game and print the differences only; "
        "exit code 1 if there are any",
    )
    parser.add_argument("--text", action="store_true", help="print readable games, not JSON")
    parser.set_defaults(run=run)
