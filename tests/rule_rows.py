"""Which rows of the rules specification have tests, read off the names of the tests.

A test is named after the rows that it proves (`R_115_...`, `R_087_R_088_...`), or stands in the
worked examples that name a row. `python tests/rule_rows.py` writes tests/RULE_ROWS.md,
`python tests/rule_rows.py --check` fails if that file is out of date.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
PAGE = TESTS / "RULE_ROWS.md"
ROWS = TESTS / "data" / "rule_rows.json"
SOURCES = ("cpp/*.cpp", "cpp/training/*.cpp", "python/*.py")
TEST_NAME = re.compile(
    r"(?:TEST(?:_[PF])?\(\s*(\w+)\s*,\s*(\w*R_\d{3}\w*)\s*\))|(?:def (test_\w*[Rr]_\d{3}\w*)\()"
)


def tests_by_row() -> dict[str, list[str]]:
    """Names of the tests of each row, sorted."""
    found: dict[str, set[str]] = {}
    for pattern in SOURCES:
        for path in sorted(TESTS.glob(pattern)):
            for suite, name, python_name in TEST_NAME.findall(path.read_text(encoding="utf-8")):
                title = python_name or f"{suite}.{name}"
                for number in re.findall(r"[Rr]_(\d{3})", name or python_name):
                    found.setdefault(f"R-{number}", set()).add(title)
    return {row: sorted(names) for row, names in found.items()}


def page() -> str:
    """The table as Markdown."""
    rows = json.loads(ROWS.read_text(encoding="utf-8"))
    tests = tests_by_row()
    proved = sum(row["id"] in tests for row in rows)
    lines = [
        "# Rows of the rules and their tests",
        "",
        "Written by `python tests/rule_rows.py` from the names of the tests; not edited by hand.",
        f"{proved} of {len(rows)} rows have a test named after them.",
        "",
        "| row | rule | source | tests |",
        "| --- | --- | --- | --- |",
    ]
    for row in rows:
        names = ", ".join(f"`{name}`" for name in tests.get(row["id"], [])) or "-"
        lines.append(f"| {row['id']} | {row['feature']} | {row['seed']} | {names} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    text = page()
    if "--check" in sys.argv[1:]:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        print("tests/RULE_ROWS.md is out of date: run python tests/rule_rows.py", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
