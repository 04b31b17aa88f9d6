"""Options that several commands have."""

from __future__ import annotations

import argparse
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
AGENTS = "random, rules, pimc:WORLDS, ismcts, oracle, net:FILE, net+endgame:FILE, net+search:FILE"


def number(minimum: int):  # type: ignore[no-untyped-def]
    def parse(text: str) -> int:
        value = int(text)
        if value < minimum:
            raise argparse.ArgumentTypeError(f"{value}, allowed from {minimum}")
        if value >= 2**63:
            raise argparse.ArgumentTypeError(f"{value}, allowed from {minimum} to {2**63 - 1}")
        return value

    parse.__name__ = "whole number"
    return parse


def add_settings(parser: argparse._ActionsContainer, what: str) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="settings",
        help=f"change one key of the {what}; may be repeated",
    )


def add_folders(parser: argparse.ArgumentParser, what: str, name: str) -> None:
    parser.add_argument("--out", metavar="DIR", help=f"new folder (default: runs/{name})")
    parser.add_argument("--resume", metavar="DIR", help=f"go on with the {what} in this folder")
