"""Options that several commands have."""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from schafkopf import _core

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
AGENTS = (
    "random, rules, pimc:WORLDS, ismcts, oracle, net:FILE, net+endgame:FILE, rules+endgame, "
    "endgame:PLAYER, net+search:FILE, engine:COMMAND"
)


def field(table: str, key: str) -> dict[str, Any]:
    """Return a key of a table of options (_core.fields): meaning, allowed, names, default."""
    return next(row for row in _core.fields(table) if row["key"] == key)


def add_field(
    parser: argparse.ArgumentParser,
    table: str,
    key: str,
    *,
    default: object = None,
    note: str | None = None,
    also: Mapping[str, Any] | None = None,
) -> None:
    """Add --KEY, with type, range and help of the key in a table of options.

    Args:
        default: what stands for an option that is left out.
        note: how the help calls the default; without it the default of the table.
        also: texts that this command takes besides, with what they stand for.
    """
    row = field(table, key)
    allowed = ", ".join([*(also or ()), row["allowed"]])

    def parse(text: str) -> object:
        if also and text in also:
            return also[text]
        try:
            return _core.read_field(table, key, text)
        except _core.WrongArgument as error:
            wrong = f"{as_given(text)}, allowed: {allowed}" if also else error.text.lstrip(" =")
            raise argparse.ArgumentTypeError(wrong) from None

    fallback = note or f"default: {row['default']}"
    parser.add_argument(
        f"--{key}",
        type=parse,
        default=row["default"] if default is None and note is None else default,
        metavar="|".join(row["names"]) or ("NAME" if isinstance(row["default"], str) else "N"),
        help=f"{row['meaning']} [{allowed}] ({fallback})".replace("%", "%%"),
    )


_INTEGER = re.compile("-?[0-9]+")
_NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|-?(inf|nan)")


def as_integer(text: str) -> int:
    """Return a text as an integer, by the digits that the tables take: int() reads "1_0", " 1 "
    and digits of other scripts too. Raises ValueError."""
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text)


def as_number(text: str) -> float:
    """Return a text as a number, as as_integer. Raises ValueError."""
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    return float(text)


def as_given(text: str) -> str:
    """Return a number as it is and another text between quotation marks, as the tables do."""
    return text if _NUMBER.fullmatch(text) else f'"{text}"'


def integer(text: str) -> int:
    """The type of an option whose range is looked at elsewhere."""
    try:
        return as_integer(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{as_given(text)}, allowed: an integer") from None


def whole_number(least: int, most: int = 2**31 - 1, step: int = 1) -> Callable[[str], int]:
    """Return the type of an option that belongs to no table: an integer least..most.

    Args:
        step: of which it is a multiple.
    """
    also = f", a multiple of {step}" if step > 1 else ""

    def parse(text: str) -> int:
        try:
            value = as_integer(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most or value % step:
            allowed = f"allowed: integer {least}..{most}{also}"
            raise argparse.ArgumentTypeError(f"{as_given(text)}, {allowed}")
        return value

    return parse


def files_of(rules: str, agents: Iterable[str]) -> list[str]:
    """Return what rules and agents may be read from, for files.check_outputs."""
    read = [] if rules in _core.preset_names() else [rules]
    for agent in agents:
        with contextlib.suppress(ValueError):  # which says more where the agent is made
            read += _core.spec_values(agent)
    return read


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


def add_ray(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ray",
        nargs="?",
        const=True,
        default=False,
        metavar="ADDRESS",
        help="play on the machines of this Ray cluster; without an address that of this machine, "
        "or a new one",
    )
