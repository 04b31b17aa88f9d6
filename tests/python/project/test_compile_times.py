"""Touching the functions of a phase compiles a part of env/game, not the engine."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PHASES = ["announcement", "auction", "claims", "contest", "doubling", "hochzeit", "opening"]
MOST_FILES = 5


def users_of(header: str) -> set[str]:
    """Paths of the files that include a header, directly or not."""
    files = {
        path.relative_to(ROOT).as_posix(): set(
            re.findall(r'^#include "(.+)"', path.read_text(encoding="utf-8"), re.MULTILINE)
        )
        for room in ("env", "agents", "training", "bindings", "tests/cpp", "tests/bench")
        for path in (ROOT / room).rglob("*")
        if path.suffix in (".h", ".cpp")
    }
    assert header in files, f"{header} does not exist"
    found, new = set(), {header}
    while new:
        new = {name for name, included in files.items() if included & new} - found
        found |= new
    return found


@pytest.mark.parametrize("phase", PHASES)
def test_the_functions_of_a_phase_are_known_in_their_sub_room_alone(phase):
    users = users_of(f"env/game/{phase}.h")
    assert users, f"nobody includes env/game/{phase}.h"
    assert not {name for name in users if not name.startswith("env/game/")}
    assert len({name for name in users if name.endswith(".cpp")}) <= MOST_FILES


def test_a_header_that_everybody_includes_is_noticed():
    assert len(users_of("env/game/game.h")) > 100
