"""Players that are other programs: a file that a command wrote starts none of them unasked.

Such a file may come from elsewhere, and nobody reads it before it is used. A configuration that a
person names (a tournament or training file, the command line, an argument) starts what it says.
"""

from __future__ import annotations

_ENGINE = "engine"  # of the registry: the player whose parameter is a command


def starts_program(spec: str) -> bool:
    """Return whether a registry string names a player that is another program."""
    return spec.partition(":")[0] == _ENGINE


def refuse_program(spec: str, place: str, allowed: str) -> None:
    """Refuse a player of a file that would start a program.

    Args:
        place: file and key;  allowed: how a person says that it may.

    Raises:
        ValueError: names the place and the player.
    """
    if starts_program(spec):
        raise ValueError(f'{place} is "{spec}", which starts a program; allowed: {allowed}')
