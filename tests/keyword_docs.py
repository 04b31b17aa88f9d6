"""The keywords of VectorEnv, exploit, local_best_response and calibration in docstrings and types.

What a keyword means, its range and its default stand in the tables of fields of the engine
(env/vector/vector_env_fields.h, agents/exploit/exploit_fields.h,
agents/tournament/calibration_fields.h). `python tests/keyword_docs.py` writes them into the
sections "Args:", and the types of VectorEnv's keywords into options.py; `python
tests/keyword_docs.py --check` fails if one is out of date. Both need the module _core, which
`./run build` makes.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from schafkopf import _core, files  # noqa: E402

# file, beginning of the definition, table
PLACES = (
    ("vector_env.py", "class VectorEnv(", _core.vector_env_fields),
    ("exploitation.py", "def exploit(", lambda: _core.fields("exploit")),
    ("bidding.py", "def calibration(", lambda: _core.fields("calibration")),
    ("exploitation.py", "def local_best_response(", lambda: _core.fields("local_best_response")),
)
ENTRY = re.compile(r"^ {8}(?P<keys>\S[^:\n]*): .*\n(?: {9,}.*\n)*", re.MULTILINE)

# Types of the keywords that no number or text holds, by what is allowed.
OBJECTS = {
    "rules": "RulesLike | list[RulesLike] | tuple[RulesLike, ...]",
    "rule_index": "Sequence[int] | NDArray[np.integer[Any]]",
    "generator": "str | None",
    "deals": "list[Deal] | tuple[Deal, ...]",
    "contracts": "list[ContractLike] | tuple[ContractLike, ...]",
    "opponent": "str | Player | None",
    "opponents": "list[str | Player] | tuple[str | Player, ...]",
    "learner_seat": 'int | np.integer[Any] | Literal["rotate"]',
}
# What does as well as the names: gymnasium.vector.AutoresetMode, whose package may not be there.
ALSO = {"auto_reset": "Enum"}
PLAIN = {"integer": "int | np.integer[Any]", "number": "float", "true,": "bool"}
# What adapters set themselves, and the classes without and with them.
OF_BATCHES = ("auto_reset", "action_mask", "learner_seat", "opponent", "opponents")
OPTIONS = ("class GameOptions(", "class VectorEnvOptions(")


def entry(row: dict[str, Any]) -> str:
    """Return the lines of one keyword."""
    default = f" (default: {row['default']})" if row["key"] != "num_envs" else ""
    return textwrap.fill(
        f"{row['key']}: {row['meaning']} [{row['allowed']}]{default}",
        width=100,
        initial_indent=" " * 8,
        subsequent_indent=" " * 12,
        break_long_words=False,
        break_on_hyphens=False,
    )


def written(text: str, definition: str, rows: Sequence[dict[str, Any]]) -> str:
    """Return a file with the keywords of one definition as its table has them."""
    start = text.index("    Args:\n", text.index(definition)) + len("    Args:\n")
    match = re.compile(r"(?: {8}.*\n)+").match(text, start)
    assert match, definition
    keys = {row["key"] for row in rows}
    lines = "".join(entry(row) + "\n" for row in rows)
    arguments, placed = "", False
    for old in ENTRY.finditer(match[0]):
        if old["keys"] not in keys:
            arguments += old[0]
        elif not placed:
            arguments, placed = arguments + lines, True
    return text[:start] + (arguments if placed else arguments + lines) + text[match.end() :]


def type_of(row: dict[str, Any]) -> str:
    """Return the type of a keyword as Python writes it."""
    if row["key"] in OBJECTS:
        return OBJECTS[row["key"]]
    if row["names"]:
        names = f"Literal[{', '.join(f'{json.dumps(name)}' for name in row['names'])}]"
        return " | ".join((names, *([ALSO[row["key"]]] if row["key"] in ALSO else ())))
    return PLAIN[row["allowed"].split()[0]]


def typed(text: str, rows: Sequence[dict[str, Any]]) -> str:
    """Return options.py with the keywords of VectorEnv as its table has them."""
    for definition in OPTIONS:
        start = text.index('"""\n', text.index(definition)) + len('"""\n')
        body = re.compile(r"(?:\n? {4}.*\n)*").match(text, start)
        assert body, definition
        keys = [row for row in rows if row["key"] != "num_envs"]
        own = [row for row in keys if (row["key"] in OF_BATCHES) == (definition != OPTIONS[0])]
        lines = "".join(f"    {row['key']}: {type_of(row)}\n" for row in own)
        text = f"{text[:start]}\n{lines}{text[body.end() :]}"
    return text


def pages() -> dict[Path, str]:
    """Return what the files of PLACES are to hold, and options.py."""
    path = ROOT / "python" / "schafkopf" / "options.py"
    texts = {path: typed(path.read_text(encoding="utf-8"), _core.vector_env_fields())}
    for name, definition, fields in PLACES:
        path = ROOT / "python" / "schafkopf" / name
        text = texts.get(path) or path.read_text(encoding="utf-8")
        texts[path] = written(text, definition, fields())
    return texts


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, name what is old")
    check = parser.parse_args(arguments).check
    stale = [p for p, text in pages().items() if p.read_text(encoding="utf-8") != text]
    for path in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is out of date: python tests/keyword_docs.py")
        else:
            try:
                files.write_text(path, pages()[path])
            except OSError as error:
                sys.exit(f"keyword_docs.py: {path}: {error.strerror}")
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
