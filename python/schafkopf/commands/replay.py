"""`schafkopf replay`: results of recorded games, differences to `expect`, or a page to look at."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from schafkopf import _core, files, records
from schafkopf.commands.options import AGENTS, Commands, files_of, whole_number
from schafkopf.say import harmless, say_aside, spelled_out


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
        with files.naming(name):
            yield from records.read_entries(lines)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


_MOST_TOLD = 10  # damaged games of a file in which there is no other
_MOST_HELD = 1000  # damaged games after these that are told when another one comes


def run(options: argparse.Namespace) -> int:
    """Replay every game; one that is damaged or not legal is reported and the rest goes on.

    Where none can be replayed the file is wrong input.
    """
    name = "standard input" if options.file == "-" else options.file
    if sum(map(bool, (options.html, options.check, options.text))) > 1:
        raise ValueError("--html, --check and --text are three forms, allowed: one of them")
    of_a_page = (options.player, options.solver, options.language)
    if not options.html and (any(of_a_page) or options.seat is not None):
        raise ValueError("--player, --solver, --seat and --language need --html FILE")
    page = _Page(options) if options.html else None
    games = broken = differing = 0
    held: list[str] = []
    with _lines(options.file) as lines:
        for entry in _entries(lines, name):
            games += 1
            try:
                if entry.mistake:
                    raise ValueError(entry.mistake)
                differences = _replay(entry, options, page)
            except ValueError as error:
                broken += 1
                told = f"schafkopf: {name}: {error}"
                if broken < games or broken <= _MOST_TOLD:
                    say_aside(told)
                elif len(held) < _MOST_HELD:
                    held.append(told)
                continue
            if held:
                for told in held:
                    say_aside(told)
                _say_untold(name, broken - _MOST_TOLD - len(held))
                held.clear()
            differing += bool(differences)
            for difference in differences:
                print(harmless(f"{name}: line {entry.line}: {difference}"))
    if games == 0:
        raise ValueError(f"{name}: no game in it")
    if page is not None:
        page.write()
    if options.check:
        plural = "" if games == 1 else "s"
        print(
            f"{games} game{plural}: {games - broken - differing} as expected, "
            f"{differing} differ, {broken} cannot be replayed"
        )
    if broken == games:
        _say_untold(name, broken - _MOST_TOLD)
        return 2
    return 1 if broken or differing else 0


def _say_untold(name: str, number: int) -> None:
    if number > 0:
        say_aside(f"schafkopf: {name}: {number} more games or lines are damaged")


class _Page:
    """The page of --html, to which games are added one by one."""

    def __init__(self, options: argparse.Namespace) -> None:
        from schafkopf.pictures import replay, replay_data

        files.check_outputs(
            {"--html": options.html}, read=[options.file, *files_of("", options.player)]
        )
        self._options = options
        self._players = replay.agents_by_name(options.player, "--player")
        self._encoder = replay_data.Encoder(self._players, options.solver)
        self._games: list[dict[str, Any]] = []

    def add(self, entry: records.Entry) -> None:
        _core.replay_game(entry.json, entry.line)  # the error names the line
        self._games.append(self._encoder.game(files.parse_json(entry.json, f"line {entry.line}")))

    def write(self) -> None:
        from schafkopf.pictures import replay

        if not self._games:
            return
        options = self._options
        text = replay.page(
            self._games,
            self._encoder,
            list(self._players),
            options.solver,
            options.seat,
            options.language or "de",
        )
        files.write_text(options.html, text)
        count = len(self._games)
        print(harmless(f"{count} game{'' if count == 1 else 's'} in {options.html}"))


def _replay(
    entry: records.Entry, options: argparse.Namespace, page: _Page | None = None
) -> list[str]:
    """Print the result of a game or add it to a page; or return its differences to `expect`."""
    if page is not None:
        page.add(entry)
        return []
    if options.check:
        return list(_core.check_json(entry.json, entry.line)[1])
    if options.text:
        print(spelled_out(_core.record_to_text(entry.json, entry.line)))
    else:
        print(spelled_out(_core.replay_json(entry.json, entry.line)))
    return []


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "replay",
        help="replay recorded games",
        description="Replay game records and print one result per line. A file holds JSON lines, "
        "or games in readable text one after the other, as games.txt of a training does; "
        "env/RECORD.md describes both.",
        epilog="Example: schafkopf replay evening.jsonl --html evening.html --player net:baseline "
        "--solver.",
    )
    parser.add_argument("file", help="file of game records, - = standard input")
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare with the object `expect` of each game and print the differences only; "
        "exit code 1 if there are any",
    )
    parser.add_argument("--text", action="store_true", help="print readable games, not JSON")
    form = parser.add_argument_group("a page to look at")
    form.add_argument(
        "--html",
        metavar="FILE",
        help="write one web page that plays the games step by step; it holds all cards of every "
        "game and needs no network",
    )
    form.add_argument(
        "--player",
        action="append",
        default=[],
        metavar="AGENT",
        help=f"show what this player would do in each decision; may be repeated: {AGENTS}",
    )
    form.add_argument(
        "--solver",
        action="store_true",
        help="show the points that each card leads to with open cards and best play",
    )
    form.add_argument(
        "--seat",
        type=whole_number(0, 3),
        metavar="SEAT",
        help="begin with the cards of this seat only",
    )
    form.add_argument("--language", choices=("de", "en"), help="default: de")
    parser.set_defaults(run=run)
