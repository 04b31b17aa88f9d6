"""The page of a run of the suite: faults, subjects and what came of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from faults.elsewhere import ELSEWHERE
from faults.injected import FAULTS
from faults.subjects import SUBJECTS

_WHAT = {one.name: one.what for one in ELSEWHERE}


@dataclass(frozen=True)
class Row:
    """One fault that was put into one subject.

    Attributes:
        kind: "held", "LOST", "skipped" (it cannot be made here) or "missed" (nothing happened).
        text: what came of it.
    """

    subject: str
    fault: str
    kind: str
    text: str
    seconds: float

    def line(self) -> str:
        """Return it as a line."""
        return f"{self.kind:8}{self.subject:11} {self.fault:12}{self.seconds:6.1f} s  {self.text}"


def append(path: Path, row: Row) -> None:
    """Append a row to a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(row)) + "\n")


def read(path: Path) -> list[Row]:
    """Return all rows of a file."""
    return [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def put_in(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of faults that happened."""
    return [row for row in rows if row.kind in ("held", "LOST")]


def page(rows: Sequence[Row]) -> str:
    """Return the page of these rows."""
    happened, lost = put_in(rows), [row for row in rows if row.kind == "LOST"]
    parts = [
        "# Faults that were put in, and what came of them\n",
        "Written by `./run faults --rows FILE --report tests/faults/REPORT.md`, any number of "
        f"times with the same FILE: {len(happened)} faults, {len(lost)} of which lost something. A "
        "number is how often a fault was put in and everything held: nothing lost beyond the work "
        "in progress, the same bytes as undisturbed after going on, one message where the work had "
        "to end.\n",
        _table(rows),
        "## Subjects\n",
        *(f"* **{one.name}**: {one.what}" for one in SUBJECTS),
        "\n## Faults\n",
        *(f"* **{one.name}**: {one.what}" for one in FAULTS),
    ]
    inside = [row for row in rows if row.subject == "process"]
    if inside:
        parts += ["\n## Faults inside one process, by tests of their own\n"]
        parts += [
            f"* **{row.fault}**: {_WHAT[row.fault]}: {row.kind}, {row.text}" for row in inside
        ]
    for title, kind in (("Lost", "LOST"), ("Skipped", "skipped")):
        found = sorted({f"* {row.subject}, {row.fault}: {row.text}" for row in rows
                        if row.kind == kind})  # fmt: skip
        if found:
            parts += [f"\n## {title}\n", *found]
    refused = sorted({f"* {row.subject}: {row.text}" for row in rows if "refused by" in row.text})
    if refused:
        parts += ["\n## Damaged files without a copy, refused by name\n", *refused]
    return "\n".join(parts) + "\n"


def _table(rows: Sequence[Row]) -> str:
    names = [one.name for one in SUBJECTS if any(row.subject == one.name for row in rows)]
    lines = [f"| fault | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    for fault in FAULTS:
        cells = [_cell([r for r in rows if (r.subject, r.fault) == (n, fault.name)]) for n in names]
        if any(cells):
            lines.append(f"| {fault.name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(rows: Sequence[Row]) -> str:
    happened, lost = len(put_in(rows)), sum(row.kind == "LOST" for row in rows)
    if not rows:
        return ""
    if not happened:
        return "skipped" if any(row.kind == "skipped" for row in rows) else "missed"
    return f"**{lost} of {happened} lost**" if lost else str(happened)
