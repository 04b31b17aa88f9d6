"""Line and branch coverage of env and agents: runs the C++ tests of a counting build, and a page.

Usage: python tests/covered.py [--build DIR] [--page FILE] [--only-page] [--least PERCENT]

Each program of tests runs once, at quick scale (the corpus of the fuzz targets is among their
tests); the lines of each file as HTML lie in DIR/html. The page has a row for each sub-room, and
what never ran with the reason, which is looked up by the text of the line (tests/covered_left.py),
so that it holds when lines move. What has no reason there is listed as not tested. Exits with 1
where a test fails, a room has fewer lines covered than --least (95) or a reason names a text that
no longer stands in its file.

Not counted as branches: where an exception could leave a call, and what the compiler adds itself.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from covered_left import LEFT

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("env", "agents")
NOT_TESTED = "Not tested"
IN_NONE = " (in none)"  # sub-room of what lies in a room itself
EDGE = (
    "First or last line of a function that ran: the compiler counts an inlined copy, or what is "
    "cleared away when an exception passes, apart from it"
)


@dataclass
class Count:
    """What ran, of how many."""

    lines: list[int] = field(default_factory=lambda: [0, 0])
    branches: list[int] = field(default_factory=lambda: [0, 0])

    def add(self, other: Count) -> None:
        """Add the counts of a part."""
        for own, more in ((self.lines, other.lines), (self.branches, other.branches)):
            own[0] += more[0]
            own[1] += more[1]

    def row(self, name: str) -> str:
        """Return a row of the table."""
        cells = [name]
        for ran, of in (self.lines, self.branches):
            cells += [f"{ran} of {of}", f"{100 * ran / of:.1f}" if of else "-"]
        return "| " + " | ".join(cells) + " |"


def run_tests(build: Path, programs: list[Path]) -> bool:
    """Run every program of tests once; what the last run counted is removed."""
    for file in build.rglob("*.gcda"):
        file.unlink()
    environment = {**os.environ, "SCHAFKOPF_TEST_SCALE": "quick"}

    def passes(program: Path) -> bool:
        call = [str(program), "--gtest_brief=1"]
        return subprocess.run(call, cwd=ROOT, env=environment, check=False).returncode == 0

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        return all(list(workers.map(passes, programs)))


def measure(build: Path) -> list[dict[str, Any]]:
    """Return the files of gcovr's report, and write its pages."""
    report = build / "coverage.json"
    pages = build / "html"
    pages.mkdir(exist_ok=True)
    call = ["gcovr", "--root", str(ROOT), "--object-directory", str(build), str(build)]
    for room in ROOMS:
        call += ["--filter", f"{room}/"]
    call += ["--exclude-throw-branches", "--exclude-unreachable-branches"]
    call += ["--merge-mode-functions=separate", "--json", str(report)]
    call += ["--html-details", str(pages / "index.html"), "-j", str(os.cpu_count() or 1)]
    subprocess.run(call, cwd=ROOT, check=True)
    files: list[dict[str, Any]] = json.loads(report.read_text())["files"]
    return files


def lines_of(file: dict[str, Any]) -> dict[int, tuple[int, list[int]]]:
    """Return line -> how often it ran, and each of its branches; templates are added up."""
    lines: dict[int, tuple[int, list[int]]] = {}
    for line in file["lines"]:
        branches = [branch["count"] for branch in line["branches"]]
        ran, before = lines.get(line["line_number"], (0, []))
        if len(before) == len(branches):
            branches = [old + new for old, new in zip(before, branches, strict=True)]
        elif not branches:
            branches = before
        lines[line["line_number"]] = (ran + line["count"], branches)
    return lines


def normal(text: str) -> str:
    """Return lines without what stands around them."""
    return "\n".join(line.strip() for line in text.splitlines())


def stale_reasons(root: Path) -> list[str]:
    """Return the reasons whose text is not, or no longer, in its file."""
    stale = []
    for places in LEFT.values():
        for name, parts in places.items():
            file = root / name
            text = normal(file.read_text()) if file.exists() else ""
            stale += [f"{name}: {part!r}" for part in parts if not text or part not in text]
    return stale


def reason_of(name: str, text: list[str], number: int) -> str:
    """Return why a line of a file is not covered; a part of several lines ends with this one."""
    for reason, places in LEFT.items():
        for part in places.get(name, ()):
            first = max(0, number - 1 - part.count("\n"))
            if part in normal("\n".join(text[first:number])):
                return reason
    return NOT_TESTED


def is_edge(text: str, number: int, lines: dict[int, tuple[int, list[int]]]) -> bool:
    """Return whether a line opens or closes a function whose next or last line ran."""
    opens = text[:1] not in ("", " ", "}") and text.endswith("{")
    opens = opens and not text.startswith(("class ", "struct ", "namespace"))
    if not opens and text.strip() not in ("}", "};"):
        return False
    beside = [n for n in lines if (n > number) == opens and n != number]
    return bool(beside) and lines[(min if opens else max)(beside)][0] > 0


def ranges(numbers: list[int]) -> str:
    """Return `3, 7-9` for lines."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts)


def commit() -> str:
    """Return which commit this tree is of."""
    call = ["git", "-C", str(ROOT), "log", "-1", "--format=%h of %cs"]
    return subprocess.run(call, text=True, capture_output=True, check=True).stdout.strip()


def page_of(files: list[dict[str, Any]]) -> tuple[str, dict[str, Count]]:
    """Return the page, and the counts of rooms and sub-rooms."""
    counts: dict[str, Count] = collections.defaultdict(Count)
    left: dict[str, dict[str, list[int]]] = {}
    for file in sorted(files, key=lambda file: file["file"]):
        name = file["file"]
        lines = lines_of(file)
        branches = [ran for _, each in lines.values() for ran in each]
        count = Count(
            [sum(ran > 0 for ran, _ in lines.values()), len(lines)],
            [sum(ran > 0 for ran in branches), len(branches)],
        )
        folder, room = str(Path(name).parent), name.split("/")[0]
        for place in (room, f"{room}/{IN_NONE}" if folder == room else folder):
            counts[place].add(count)
        text = (ROOT / name).read_text().splitlines()
        for number in sorted(line for line, (ran, _) in lines.items() if ran == 0):
            edge = is_edge(text[number - 1], number, lines)
            reason = EDGE if edge else reason_of(name, text, number)
            left.setdefault(reason, {}).setdefault(name, []).append(number)
    rows = ["| sub-room | lines | % | branches | % |", "|---|---:|---:|---:|---:|"]
    for room in ROOMS:
        rows.append(counts[room].row(f"**{room}**"))
        rows += [counts[name].row(name) for name in sorted(counts) if name.startswith(room + "/")]
    parts = [HEAD.format(commit=commit()), "\n".join(rows), LEFT_HEAD]
    for reason in [EDGE, *LEFT, NOT_TESTED]:
        if reason not in left:
            continue
        number = sum(len(lines) for lines in left[reason].values())
        parts.append(f"**{reason}** ({number} lines)")
        places = [f"* `{name}`: {ranges(lines)}" for name, lines in left[reason].items()]
        parts.append("\n".join(places))
    return "\n\n".join(parts) + "\n", counts


HEAD = """# Coverage of env and agents

`./run coverage` writes this page (commit {commit}). The C++ tests of reference, rules,
differential, env and agents run at quick scale, the corpus of the fuzz targets among them; what
only Python or a training run reaches counts as not covered. The rooms are compiled as `./run` does,
with counters (`-O2`, without assertions), the tests without: a template that only a test uses is
not in the table. Branches are those of gcc without the edges along which an exception could leave a
call (gcovr's `--exclude-throw-branches`) and without those that the compiler adds itself
(`--exclude-unreachable-branches`). The lines of each file: `build/coverage/html/index.html`."""

LEFT_HEAD = "## Lines that never ran"


def main() -> int:
    parser = argparse.ArgumentParser(description="Line and branch coverage of env and agents.")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "coverage")
    parser.add_argument("--page", type=Path, default=ROOT / "tests" / "COVERAGE.md")
    parser.add_argument("--only-page", action="store_true", help="of the counts of the last run")
    parser.add_argument("--least", type=float, default=95, help="percent of lines of each room")
    arguments = parser.parse_args()
    if stale := stale_reasons(ROOT):
        parser.error("tests/covered_left.py: no such text: " + "; ".join(stale))
    programs = sorted((arguments.build / "tests").glob("schafkopf_*_tests"))
    if not programs:
        parser.error(f"--build {arguments.build}: no programs of tests, allowed: a counting build")
    passed = arguments.only_page or run_tests(arguments.build, programs)
    page, counts = page_of(measure(arguments.build))
    if missing := [room for room in ROOMS if not counts[room].lines[1]]:
        parser.error(f"--build {arguments.build}: nothing was counted of {', '.join(missing)}")
    arguments.page.write_text(page)
    enough = True
    for room in ROOMS:
        ran, of = counts[room].lines
        enough &= 100 * ran >= arguments.least * of
        print(f"{room}: {ran} of {of} lines, {100 * ran / of:.1f} %")
    if not passed:
        print("tests failed: what they would have covered is missing", file=sys.stderr)
    return 0 if passed and enough else 1


if __name__ == "__main__":
    sys.exit(main())
