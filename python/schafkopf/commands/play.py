"""`schafkopf play`: a person at the table, in the terminal, against any agents."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import secrets
import shlex
import sys
from pathlib import Path
from typing import Any, TextIO

from schafkopf import files
from schafkopf.commands.options import Commands
from schafkopf.commands.table_options import (
    FIRST,
    NAMES,
    add_table_options,
    at_a_new_table,
    chosen_rules,
    kept_again,
    place_of,
    table_of,
)
from schafkopf.house_rules import rule_set
from schafkopf.say import harmless
from schafkopf.terminal.console import Console, Leave, leaving_on_signals, undisturbed
from schafkopf.terminal.kept import (
    KeptTable,
    TableFile,
    TableThere,
    records_beside,
    table_again,
)
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.screen import Screen, wants_colours, window_columns
from schafkopf.terminal.sitting import Sitting
from schafkopf.terminal.table import Table

PAUSE_S = 0.5
INTERRUPTED = 130
_KEPT_OPTIONS = ("rules", "agents", "seat", "seed", "deals", "out")  # a table that goes on
_NEIGHBOURS = {
    3: ("You", "Left", "Right"),
    4: ("You", "Left", "Across", "Right"),
    5: ("You", "Left", "Far left", "Far right", "Right"),
}


def _names(players: int, me: int) -> list[str]:
    return [_NEIGHBOURS[players][(place - me) % players] for place in range(players)]


def _table(options: argparse.Namespace) -> Table:
    rules = rule_set(chosen_rules(options))
    players = int(rules.players)
    me = place_of("--seat", FIRST if options.seat is None else options.seat, players)
    return table_of(options, rules, [me], _names(players, me))


def run(options: argparse.Namespace) -> int:
    """Play until the session is over or the person leaves; the records are written in any case."""
    if options.resume is None:
        table = _table(options)
        return at_a_new_table(
            options.out, lambda records, file: _sit(options, table, records, file, None)
        )
    with TableFile(Path(options.resume)) as file:
        kept = kept_again(options, file, _KEPT_OPTIONS)
        table = table_again(kept, file.path)
        if (people := kept.specs.count(None)) > 1:
            raise ValueError(
                f"{file.path}: {people} people sit there, allowed: one; schafkopf serve --resume "
                "opens it in the browser"
            )
        table = dataclasses.replace(table, names=_names(len(table.names), table.me))
        records = ReplayFile(kept.out, records_beside(file.path))
        return _sit(options, table, records, file, kept)


def _sit(
    options: argparse.Namespace,
    table: Table,
    records: ReplayFile,
    file: TableFile,
    kept: KeptTable | None,
) -> int:
    _forgive_bytes(sys.stdin, sys.stdout)
    console = Console(sys.stdin, sys.stdout)
    pause_s = PAUSE_S if console.is_terminal and not options.fast else 0.0
    columns = window_columns if sys.stdout.isatty() else None
    screen = Screen(sys.stdout, wants_colours(sys.stdout), pause_s, columns)
    deals, played = (kept.deals, kept.actions) if kept else (options.deals, [])
    try:
        sitting = Sitting(table, screen, console, records, deals, played)
    except ValueError as error:
        raise ValueError(f"{file.path}: {error}; it may be of another version") from None
    tokens = kept.tokens if kept else [secrets.token_urlsafe(16)]  # for a browser, see serve
    host, port = (kept.host, kept.port) if kept else ("127.0.0.1", 0)
    names = kept.names if kept else list(NAMES[: len(table.names)])
    sitting.keep = lambda: file.write(sitting.kept(names, tokens, host, port))
    if kept is None:
        try:
            sitting.keep()
        except TableThere:
            raise
        except OSError:  # a full disk: told when the first cards are dealt
            pass
    exit_code = 0
    with leaving_on_signals(), console.silent():
        try:
            sitting.play()
        except Leave as leave:
            exit_code = leave.exit_code
        except KeyboardInterrupt:
            exit_code = INTERRUPTED
        finally:
            _save(sitting, file, screen if console.is_terminal else None)
    return exit_code


def _save(sitting: Sitting, file: TableFile, screen: Screen | None) -> None:
    """Write the records, whatever happened; the screen may be gone.

    Args:
        file: of the table, which goes when its last deal is over.
        screen: None: what is said goes where it is no terminal, in lines as long as they are.
    """
    with undisturbed():
        told: list[str] = []
        try:
            told += sitting.save().splitlines()
            if sitting.is_over and file.is_held:
                file.path.unlink(missing_ok=True)
            elif file.is_held:
                with contextlib.suppress(OSError):
                    sitting.keep()  # the records may have another name now
        finally:
            with contextlib.suppress(OSError):
                for line in told:
                    screen.line(line) if screen else print(harmless(line))
                if file.is_held:
                    _tell_again(file.path, screen)
                sys.stdout.flush()


def _tell_again(path: Path, screen: Screen | None) -> None:
    command = f"schafkopf play --resume {shlex.quote(files.as_argument(path))}"
    text = "The same table again:"
    screen.command(text, command) if screen else print(harmless(f"{text} {command}"))


def _forgive_bytes(*streams: TextIO | Any) -> None:
    """Bytes that are no text, and letters that the terminal lacks, become question marks."""
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "play",
        help="sit at the table yourself, in the terminal",
        description="Play a session against agents. Cards are named in German, in full, by code or "
        "by a clear beginning (Eichel-Ober, ei o, EO); at the table ? explains the rest: hints of "
        "the agents, the last trick, the score, the rules. Whenever you leave (quit, Ctrl-C, "
        "Ctrl-D), the deals so far are written, the running one too: see them again with "
        "`schafkopf replay --text FILE`; --resume goes on with the table, after a kill too.",
        epilog="Example: schafkopf play --rules tournament_2024 --agents rules rules random "
        "--seat 2 --seed 1 --deals 8 --out evening.jsonl. `schafkopf rules list` names the rules; "
        "agents are named as in tournaments.",
    )
    add_table_options(parser, "your left", "shown at the start", "after")
    parser.add_argument("--seat", help=f"your place, from 0 (default: {FIRST})")
    parser.set_defaults(run=run)
    parser.set_defaults(takes_empty=("resume",))  # which kept_again refuses
