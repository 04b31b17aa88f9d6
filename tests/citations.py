"""Whether every citation of the rules and of the other pages leads to a place in the repository.

Code, tests, messages, settings and pages cite env/RULES.md by chapter (E.3, C.20.8), row (R-115,
R-018..R-021), open point (OPEN-51), maxim (I-13), example (K-163) and disagreement (L-17), and
agents/METHODS.md, env/DESIGN.md and env/PERFORMANCE.md by section or row. An anchor of a page is
`<a id="..."></a>`; links of pages to pages are checked with their anchors too.

`python tests/citations.py` lists what leads nowhere, with file and line, and fails if there is any.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "RULES": "env/RULES.md",
    "METHODS": "agents/METHODS.md",
    "DESIGN": "env/DESIGN.md",
    "PERFORMANCE": "env/PERFORMANCE.md",
}
EXAMPLES = "tests/data/worked_examples.json"
ROWS, OPEN_POINTS = 190, 77
SUFFIXES = {".cpp", ".h", ".py", ".pyi", ".toml", ".md", ".txt", ".cmake", ".json", ".ipynb", ""}
# Tests of the checks cite on purpose what does not exist; golden files and generated pages of test
# names say nothing by themselves.
LEFT_OUT = (
    "tests/corpus/",
    "tests/python/project/test_citations.py",
    "tests/python/project/test_rule_rows.py",
    "tests/golden/",
)
MADE = ("build", "runs", "__pycache__")  # folders that git does not list

ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
LINK = re.compile(r"\]\(([^)\s#]*)#([^)\s]+)\)")
# A line break inside a comment or a sentence, with what begins the next line.
BREAK = re.compile(r'\n[ \t]*(?:///?|#+|\*|>)?[ \t]*"?')
NUMBERED = re.compile(
    r"\b(?P<kind>R|OPEN|I|L|K)-(?P<first>\d{2,})"
    r"(?:(?:\.\.|-| to )(?:(?P=kind)-)?(?P<last>\d+))?\b(?!-)"
)
CHAPTER = re.compile(r"(?<![\w./])[A-M]\.\d+(?:\.\d+)*(?!\w|\.\w)")
CHAPTERS = re.compile(
    r"\b(?:RULES|chapters?)\s+\(?"
    r"(?P<list>[A-M]\b(?!-\d)[\d.]*(?:(?:, | and | to |-)[A-M]\b[\d.]*)*)"
)
SECTION = re.compile(
    r"\b(?P<page>METHODS|DESIGN|PERFORMANCE|STYLE)(?:\.md)?\b\)?[,:]?\s+(?P<what>sections?\s+|rows?\s+)?"
    r"(?P<list>\d+(?:(?:, | and | to |-)\d+)*)"
)
EXAMPLE_IN_NAME = re.compile(r"(?<![^\W_])K_(\d{3})(?=_)")


@dataclass(frozen=True)
class Citation:
    """Something that text cites: a page and an anchor of it."""

    page: str
    anchor: str
    offset: int


def _numbers(first: str, last: str | None) -> Iterator[str]:
    """Numbers of a range with their leading zeros."""
    for number in range(int(first), int(last or first) + 1):
        yield str(number).zfill(len(first))


def citations_in(text: str) -> Iterator[Citation]:
    """All citations of a text. Line breaks with the signs of comments count as spaces."""
    flat = BREAK.sub(lambda found: " " * len(found.group()), text)
    for found in NUMBERED.finditer(flat):
        page = EXAMPLES if found["kind"] == "K" else PAGES["RULES"]
        for number in _numbers(found["first"], found["last"]):
            yield Citation(page, f"{found['kind']}-{number}", found.start())
    for found in EXAMPLE_IN_NAME.finditer(flat):
        yield Citation(EXAMPLES, f"K-{found[1]}", found.start())
    for found in CHAPTER.finditer(flat):
        yield Citation(PAGES["RULES"], found.group(), found.start())
    for found in CHAPTERS.finditer(flat):
        for letter in re.findall(r"[A-M]\b(?!\.\d)", found["list"]):
            yield Citation(PAGES["RULES"], letter, found.start())
    for found in SECTION.finditer(flat):
        what = "row" if (found["what"] or "").startswith("row") else "section"
        page = PAGES.get(found["page"], f"{found['page']}.md")
        for number in re.findall(r"\d+", found["list"]):
            yield Citation(page, f"{what}-{number}", found.start())


def anchors_in(text: str) -> list[str]:
    """Anchors of a page in their order."""
    return ANCHOR.findall(text)


def dangling(text: str, anchors: Mapping[str, Collection[str]]) -> list[tuple[int, str]]:
    """Line and complaint of each citation that leads nowhere."""
    faults = []
    for citation in citations_in(text):
        line = text.count("\n", 0, citation.offset) + 1
        known = anchors.get(citation.page)
        if known is None:
            faults.append((line, f"{citation.anchor} of {citation.page}: there is no such page"))
        elif citation.anchor not in known:
            faults.append((line, f"{citation.anchor}: {citation.page} has no such anchor"))
    return sorted(set(faults))


def dangling_links(
    text: str, page: str, anchors_of: Callable[[str], Collection[str] | None]
) -> list[tuple[int, str]]:
    """Line and complaint of each link to an anchor that is not there."""
    faults = []
    for found in LINK.finditer(text):
        target, anchor = found.groups()
        if target.startswith(("http:", "https:")):
            continue
        path = page
        if target:
            file = (ROOT / page).parent.joinpath(target).resolve()
            path = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else ""
        known = anchors_of(path)
        if known is None or anchor not in known:
            line = text.count("\n", 0, found.start()) + 1
            faults.append((line, f"link to {target}#{anchor}: there is no such anchor"))
    return faults


def rule_page_faults(text: str, rows: int = ROWS, points: int = OPEN_POINTS) -> list[str]:
    """What is wrong with the rows and open points of the rules page.

    Each stands there once, and each open point is named by the chapter that it belongs to.
    """
    anchors = Counter(anchors_in(text))
    wanted = [f"R-{n:03d}" for n in range(1, rows + 1)]
    wanted += [f"OPEN-{n:02d}" for n in range(1, points + 1)]
    faults = [
        f"{name}: stands there {anchors[name]} times" for name in wanted if anchors[name] != 1
    ]
    numbered = [name for name in anchors if re.fullmatch(r"(?:R|OPEN)-\d+", name)]
    faults += [
        f"{name}: is not one of {rows} rows or {points} points"
        for name in numbered
        if name not in wanted
    ]
    faults += [
        f"{name}: anchor stands there twice"
        for name, n in anchors.items()
        if n > 1 and name not in wanted
    ]
    chapters = text.partition('<a id="L.2"></a>')[0]
    faults += [
        f"{name}: no chapter names it"
        for name in wanted
        if name.startswith("OPEN") and not re.search(rf"\({name}\b|{name}[),;]", chapters)
    ]
    return faults


def _listed(root: Path) -> list[str]:
    """Files of the repository, those that are not committed yet included; where git does not have
    them (a copied tree) all but hidden ones and what is built and played there."""
    command = ["git", "ls-files", "-coz", "--exclude-standard"]
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout
        names = [os.fsdecode(name) for name in listed.split(b"\0") if name]
        if PAGES["RULES"] in names:
            return names
    names = []
    for folder, below, files in os.walk(root):
        below[:] = [name for name in below if not name.startswith(".") and name not in MADE]
        names += [Path(folder, name).relative_to(root).as_posix() for name in files]
    return names


def _files() -> list[str]:
    """Text files of the repository."""
    return [
        name
        for name in sorted(set(_listed(ROOT)))
        if Path(name).suffix in SUFFIXES
        and not name.startswith(LEFT_OUT)
        and (ROOT / name).is_file()
    ]


def _anchors_of(path: str) -> Collection[str] | None:
    """Anchors of a page of the repository, None without the page."""
    file = ROOT / path
    return anchors_in(file.read_text(encoding="utf-8")) if file.is_file() else None


def faults() -> list[str]:
    """Everything in the repository that leads nowhere, one line each."""
    anchors: dict[str, Collection[str]] = {}
    for page in PAGES.values():
        known = _anchors_of(page)
        if known is not None:
            anchors[page] = frozenset(known)
    examples = json.loads((ROOT / EXAMPLES).read_text(encoding="utf-8"))["examples"]
    anchors[EXAMPLES] = {example["id"] for example in examples}
    lines = []
    for name in _files():
        text = (ROOT / name).read_text(encoding="utf-8")
        found = dangling(text, anchors)
        if name.endswith(".md"):
            found += dangling_links(text, name, _anchors_of)
        lines += [f"{name}:{line}: {complaint}" for line, complaint in found]
    rules = PAGES["RULES"]
    lines += [
        f"{rules}: {fault}"
        for fault in rule_page_faults((ROOT / rules).read_text(encoding="utf-8"))
    ]
    return lines


def main() -> int:
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    lines = faults()
    for line in lines:
        print(line, file=sys.stderr)
    if lines:
        print("what to do: cite what is there, or write it there", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
