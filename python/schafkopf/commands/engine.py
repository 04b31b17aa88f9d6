"""`schafkopf engine`: a player for other programs, over standard input and output."""

from __future__ import annotations

import argparse
import sys

from schafkopf import _core
from schafkopf.commands.options import AGENTS, Commands


def run(options: argparse.Namespace) -> int:
    """Answer line by line until `quit` or the end of the input."""
    session = _core.EngineSession(options.agent)
    for line in sys.stdin:
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
