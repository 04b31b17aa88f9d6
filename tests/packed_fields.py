"""Check that the packed bytes of view lines are unpacked by name.

Which bits of a play, an event or a shared byte mean what stands in env/view/packed.h. Everybody
else asks the lines and the PlayerView (C++) or unpack_cards, unpack_plays and unpack_events
(Python). So the fields themselves are named only in the files below that fill, move or declare
them.

Usage: python tests/packed_fields.py [ROOT]. Prints file, line and field of each wrong line; exits
with 1 if there is one.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

CPP_ROOMS = ("env", "agents", "training", "bindings")
# C++: members of CardsLine that hold several fields, and the arrays of OrderLine and EventsLine;
# behind a point, so that variables may have these names.
CPP_FIELD = re.compile(
    r"(?:\.|->)(?P<field>declarer_leader|partner_level|seat_trick|(?<=cards\.)contract(?!_)"
    r"|(?<=order\.)plays|(?<=events\.)events)\b"
)
# The same bytes in a game, whose fields have plain names: bits taken out of an element.
CPP_BITS = re.compile(r"\b(?P<field>order|events)\[[^\]]*\]\)?\s*(?:&(?!&)|>>)")
CPP_FILES = {
    "env/game/game_view.cpp",  # fills the lines
    "env/view/row_sections.h",  # read them as indices of their tables
    "env/view/row_tricks.h",
    "env/record/position.cpp",  # fills them from a text
    "bindings/views.cpp",  # dtypes and the check of views made by hand
}
# Python: fields of the structured dtypes, unless they go straight to their function.
PYTHON_FIELD = re.compile(
    r"\[[\"'](?P<field>declarer_leader|partner_level|seat_trick|flags|plays)[\"']\]"
    r"|(?P<events>(?<!unpack_events\(view)\[[\"']events[\"']\](?=\s*\[|\s*$))"
)


def check(root: Path) -> list[str]:
    """Return one line "file:line: reason" for each packed field that is read by hand."""
    found = []
    for room in CPP_ROOMS:
        for path in sorted([*(root / room).rglob("*.h"), *(root / room).rglob("*.cpp")]):
            name = path.relative_to(root).as_posix()
            if name in CPP_FILES:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                code = line.split("//")[0]
                for match in [*CPP_FIELD.finditer(code), *CPP_BITS.finditer(code)]:
                    found.append(
                        f"{name}:{number}: {match['field']} is packed: ask the view for what it "
                        "means (env/view/view.h, env/view/packed.h)"
                    )
    for path in sorted((root / "python" / "schafkopf").rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for match in PYTHON_FIELD.finditer(line):
                found.append(
                    f"{path.relative_to(root).as_posix()}:{number}: {match['field'] or 'events'} "
                    "is packed: unpack_cards, unpack_plays and unpack_events know its fields"
                )
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    root = parser.parse_args().root
    if not root.is_dir():
        parser.error(f"{root}: no folder, allowed: the root of a tree")
    places = (*CPP_ROOMS, "python/schafkopf")
    if not any(path.is_file() for place in places for path in (root / place).rglob("*")):
        parser.error(f"{root}: no file of {', '.join(places)}, allowed: the root of a tree")
    found = check(root)
    for line in found:
        print(line, file=sys.stderr)
    print(f"packed fields: {len(found)} wrong lines" if found else "packed fields: read by name")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
