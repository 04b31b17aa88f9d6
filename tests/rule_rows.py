"""Which rows of the rules (env/RULES.md, chapter M) have tests, read off the names of the tests.

A test is named after the rows that it proves: `R_115_...`, `R_087_R_088_...`; tests of the slow
reference (reference_*) prove nothing about the engine and are not counted. Rows without a test
stand in tests/data/rule_rows_without_test.json: `no_effect` with the reason, and `waiting`, which
may only get shorter.

`python tests/rule_rows.py` writes tests/RULE_ROWS.md and takes rows that have got a test off
`waiting`; `python tests/rule_rows.py --check` fails if the page is out of date or a row has neither
a test nor a place in that file.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import whole_files

TESTS = Path(__file__).resolve().parent
PAGE = TESTS / "RULE_ROWS.md"
RULES = TESTS.parent / "env" / "RULES.md"
WITHOUT_TEST = TESTS / "data" / "rule_rows_without_test.json"
SOURCES = ("cpp/*/*.cpp", "python/*/test_*.py")
CPP_TEST = re.compile(r"^TEST(?:_[PF])?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)
PYTHON_TEST = re.compile(r"^\s*def (test_\w+)\(", re.MULTILINE)
ROW = re.compile(r"(?:^|_)[Rr]_(\d{3})(?=_|$)")
LINE = re.compile(r'^\| <a id="(R-\d{3})"></a>(.*) \|$', re.MULTILINE)


def rows_in(text: str) -> list[dict[str, str]]:
    """Rows of chapter M, in the order of the page."""
    keys = ("rule", "contracts", "switches", "chapter", "source")
    found = []
    for line in LINE.finditer(text):
        row, *cells = [cell.strip() for cell in line.group(2).split(" | ")]
        if row != line.group(1) or len(cells) != len(keys):
            raise ValueError(f"{line.group(1)}: a row has its number and {', '.join(keys)}")
        found.append({"id": row, **dict(zip(keys, cells, strict=True))})
    return found


def rows_of(test: str) -> list[str]:
    """Rows that the name of a test names."""
    return [f"R-{number}" for number in ROW.findall(test)]


def tests_in(text: str, python: bool) -> list[tuple[str, list[str]]]:
    """Tests of a file with the rows of each; none of a test that googletest leaves out."""
    if python:
        return [(name, rows_of(name)) for name in PYTHON_TEST.findall(text)]
    return [
        (f"{suite}.{name}", [] if "DISABLED_" in (suite[:9], name[:9]) else rows_of(name))
        for suite, name in CPP_TEST.findall(text)
    ]


def tests_by_row() -> dict[str, list[str]]:
    """Names of the tests of each row, sorted."""
    found: dict[str, set[str]] = {}
    for path in (path for pattern in SOURCES for path in sorted(TESTS.glob(pattern))):
        if path.name.startswith("reference_"):
            continue
        for title, rows in tests_in(path.read_text(encoding="utf-8"), path.suffix == ".py"):
            for row in rows:
                found.setdefault(row, set()).add(title)
    return {row: sorted(names) for row, names in found.items()}


def faults(
    rows: Collection[str],
    tested: Collection[str],
    no_effect: Collection[str],
    waiting: Collection[str],
) -> list[str]:
    """What is wrong with the lists, one line each."""
    placed = {*tested, *no_effect, *waiting}
    lines = [f"{row}: no test is named after this row" for row in rows if row not in placed]
    lines += [f"{row}: waits for a test, but has one" for row in waiting if row in tested]
    lines += [
        f"{row}: waits for a test, but has no engine effect" for row in waiting if row in no_effect
    ]
    return lines + [f"{row}: there is no such row" for row in sorted(placed.difference(rows))]


def page(rows: list[dict[str, str]], tests: dict[str, list[str]], without: dict[str, Any]) -> str:
    """The table as Markdown."""
    proved = sum(row["id"] in tests for row in rows)
    idle = sum(row["id"] in without["no_effect"] and row["id"] not in tests for row in rows)
    waiting = len(rows) - proved - idle
    lines = [
        "# Rows of the rules and their tests",
        "",
        "Written by `python tests/rule_rows.py` from the names of the tests; not edited by hand.",
        f"{proved} of {len(rows)} rows have a test named after them; {idle} have no effect in the "
        + ("engine." if waiting == 0 else f"engine; {waiting} wait for a test."),
        "",
        "| row | rule | source | tests |",
        "| --- | --- | --- | --- |",
    ]
    for row in rows:
        names = ", ".join(f"`{name}`" for name in tests.get(row["id"], []))
        reason = without["no_effect"].get(row["id"], "waits for a test")
        link = f"[{row['id']}](../env/RULES.md#{row['id']})"
        lines.append(f"| {link} | {row['rule']} | {row['source']} | {names or reason} |")
    return "\n".join(lines) + "\n"


def without_test_text(without: dict[str, Any]) -> str:
    """The file of the rows without a test, one row per line."""
    return json.dumps(without, ensure_ascii=False, indent=1) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, name what is old")
    check = parser.parse_args().check
    rows = rows_in(RULES.read_text(encoding="utf-8"))
    without = json.loads(WITHOUT_TEST.read_text(encoding="utf-8"))
    tests = tests_by_row()
    if not check:
        without["waiting"] = [row for row in without["waiting"] if row not in tests]
        whole_files.write_text(WITHOUT_TEST, without_test_text(without))
        whole_files.write_text(PAGE, page(rows, tests, without))
    lines = faults([row["id"] for row in rows], tests, without["no_effect"], without["waiting"])
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page(rows, tests, without):
        lines.append("tests/RULE_ROWS.md is out of date")
    for line in lines:
        print(line, file=sys.stderr)
    if lines and check:
        print("what to do: python tests/rule_rows.py, or write the missing test", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
