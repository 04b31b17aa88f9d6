"""One player in two spellings: a tournament goes on with its players as it was begun with them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schafkopf import _core, files
from schafkopf.programs import starts_program

_HEADER_BYTES = 2**20
_FILES = re.compile(r"( <bytes [0-9a-f]{16}>)*$")  # behind a registry string in a journal


def as_begun(agents: Mapping[str, Any], journal: Path, by_place: bool) -> dict[str, Any]:
    """Return agents with the spellings of a journal for those that mean the same there: its engine
    goes by the letters.

    Args:
        by_place: the agents came without names of their own: their names are those of before, too.
    """
    begun = _begun_agents(journal)
    taken: dict[str, Any] = {}
    for place, (name, player) in enumerate(agents.items()):
        there_name, there = name, begun.get(name)
        if by_place and place < len(begun):
            there_name, there = list(begun.items())[place]
        if not isinstance(player, str) or there is None:
            taken[name] = player
        elif _is_written(player, there):
            taken[there_name] = player
        else:
            same = _are_same(player, there)
            taken[there_name if same else name] = there if same else player
    return taken if len(taken) == len(agents) else dict(agents)


def _begun_agents(journal: Path) -> dict[str, str]:
    """Return the players in the first line of a journal by their names, none where it cannot be
    read, which the engine says."""
    try:
        with files.opened_regular(journal) as file:
            options = json.loads(file.readline(_HEADER_BYTES))["options"]
        keys = sorted((key for key in options if re.fullmatch(r"agent \d+", key)), key=_number)
        pairs = [_FILES.sub("", options[key]).partition(" = ") for key in keys]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}
    return {name: player for name, _, player in pairs}


def _number(key: str) -> int:
    return int(key.rpartition(" ")[2])


def _is_written(player: str, there: str) -> bool:
    """Whether the engine writes a registry string so: with its version."""
    return re.fullmatch(re.escape(player) + r"([:,]version=\d+)?", there) is not None


def _are_same(player: str, there: str) -> bool:
    """Whether a registry string means what one of a journal does."""
    if starts_program(player) or starts_program(there):
        return False
    try:
        if _core.player_files(player) != _core.player_files(there):
            return False  # of a journal from elsewhere nothing else is opened
        return _meaning(player) == _meaning(there)
    except (ValueError, RuntimeError, OSError):
        return False  # which the tournament says


def _meaning(player: str) -> str:
    """Return the name of a player without those of its files: their bytes are compared."""
    name = _core.make_agent(player).name
    for value in _core.spec_values(name):
        if os.path.isfile(value):
            name = re.sub(rf'(?<=[:,=])("?){re.escape(value)}\1(?=,|$)', "FILE", name)
    return name
