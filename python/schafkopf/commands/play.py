"""`schafkopf play`: a person at the table, in the terminal, against any agents."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable
from typing import Any, TextIO

from schafkopf.commands.options import Commands, whole_number
from schafkopf.commands.table_options import add_table_options, default_file, table_of
from schafkopf.house_rules import rule_set
from schafkopf.terminal.console import Console, Leave, leaving_on_signals, undisturbed
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.screen import Screen, wants_colours, window_columns
from schafkopf.terminal.sitting import Sitting
from schafkopf.terminal.table import Table

PAUSE_S = 0.5
INTERRUPTED = 130
_NEIGHBOURS = {
    3: ("You", "Left", "Right"),
    4: ("You", "Left", "Across", "Right"),
    5: ("You", "Left", "Far left", "Far right", "Right"),
}


def _table(options: argparse.Namespace) -> Table:
    rules = rule_set(options.rules)
    players = int(rules.players)
    if options.seat >= players:
        raise ValueError(f"--seat = {options.seat}, allowed: 0..{players - 1} under these rules")
    neighbours = _NEIGHBOURS[players]
    names = [neighbours[(place - options.seat) % players] for place in range(players)]
    return table_of(options, rules, [options.seat], names)


def run(options: argparse.Namespace) -> int:
    """Play until the session is over or the person leaves; the records are written in any case."""
    table = _table(options)
    file = ReplayFile(options.out or default_file())
    _forgive_bytes(sys.stdin, sys.stdout)
    console = Console(sys.stdin, sys.stdout)
    pause_s = PAUSE_S if console.is_terminal and not options.fast else 0.0
    columns = window_columns if sys.stdout.isatty() else None
    screen = Screen(sys.stdout, wants_colours(sys.stdout), pause_s, columns)
    sitting = Sitting(table, screen, console, file, options.deals)
    exit_code = 0
    with leaving_on_signals(), console.silent():
        try:
            sitting.play()
        except Leave as leave:
            exit_code = leave.exit_code
        except KeyboardInterrupt:
            exit_code = INTERRUPTED
        finally:
            _save(sitting, screen.line if console.is_terminal else print)
    return exit_code


def _save(sitting: Sitting, tell: Callable[[str], None]) -> None:
    """Write the file, whatever happened; the screen may be gone."""
    with undisturbed():
        text = sitting.save()
        with contextlib.suppress(OSError):
            for line in text.splitlines():
                tell(line)
            sys.stdout.flush()


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
        "`schafkopf replay --text FILE`.",
        epilog="Example: schafkopf play --rules tournament_2024 --agents rules rules random "
        "--seat 2 --seed 1 --deals 8 --out evening.jsonl. `schafkopf rules list` names the rules; "
        "agents are named as in tournaments.",
    )
    add_table_options(parser, "your left", "shown at the start", "after")
    parser.add_argument(
        "--seat",
        type=whole_number(0, 4),
        default=0,
        help="your place, from 0 (default: %(default)s)",
    )
    parser.set_defaults(run=run)
