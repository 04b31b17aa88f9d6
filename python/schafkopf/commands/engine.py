"""`schafkopf engine`: a player for other programs, over standard input and output."""

from __future__ import annotations

import argparse
import io
import sys

from schafkopf import _core, files
from schafkopf.commands.options import AGENTS, Commands

MAX_LINE = files.MAX_CONFIG_BYTES + 1  # with its end; rules are the longest that a line carries


def run(options: argparse.Namespace) -> int:
    """Answer line by line until `quit` or the end of the input."""
    session = _core.EngineSession(options.agent)
    if isinstance(sys.stdin, io.TextIOWrapper):  # one wrong line is answered as one
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    for line in iter(lambda: sys.stdin.readline(MAX_LINE), ""):
        if len(line) == MAX_LINE and not line.endswith("\n"):
            raise ValueError(f"a line of more than {MAX_LINE - 1} characters")
        answer = session.answer(line.rstrip("\n"))
        if answer is not None:
            print(answer, flush=True)
        if session.is_over:
            break
    return 0


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "engine",
        help="a player for other programs, over standard input and output",
        description="Speak the engine protocol (agents/engine/PROTOCOL.md) on standard input and "
        "output: hello, rules, position, go, quit. A program that seats engines starts this "
        'command; here it is the player "engine:schafkopf engine AGENT".',
        epilog=f"Example: schafkopf engine net:baseline. Agents: {AGENTS}.",
    )
    parser.add_argument("agent", metavar="AGENT", help="who plays")
    parser.set_defaults(run=run)
