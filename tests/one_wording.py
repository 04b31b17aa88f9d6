"""Check that errors say what is allowed in one wording.

Every refusal reads "WHAT = VALUE, allowed: RANGE OR NAMES", as the tables of fields write it
(env/base/field.h). Looked for are texts between quotation marks in C++ and Python that say the same
in other words: "allowed 0..3", "must be", "needed is". Documentation, comments and docstrings may
say it as they like.

Usage: python tests/one_wording.py [ROOT]. Prints file, line and text of each wrong message; exits
with 1 if there is one.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

CPP_ROOMS = ("env", "agents", "training", "bindings")
PYTHON_ROOMS = ("python/schafkopf",)
# what begins the words in another form
OTHER_FORM = re.compile(
    r"[,;:(] allowed(?!:)\b|^allowed (?!:)|\bbytes allowed\b"
    r"|\ballowed (?:is|are|here)\b|\b(?:must|should|has to|have to) be\b(?! (?:followed|lifted))"
    r"|\b(?:is|are) needed\b|\bneeded (?:is|are)\b|[,;:] needed:"
    r"|\b(?:valid|possible) (?:values|options|names)\b"
    r"|\b(?:options|choices): |\bexpected one of\b|\bpermitted\b"
)
# what is no refusal of a value: the list of keys that a documentation has
NO_REFUSAL = re.compile(r"not allowed|unit, allowed, names|then what is allowed|allowed values")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def _without_comments(code: str) -> str:
    """Return C++ with blanks for comments and raw texts, which are documentation here."""

    def blank(match: re.Match[str]) -> str:
        text = match[0]
        return text if text.startswith('"') else re.sub(r"[^\n]", " ", text)

    pattern = r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/'
    return re.sub(pattern, blank, code, flags=re.DOTALL)


def cpp_texts(code: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each literal; neighbours that C++ joins are one."""
    code = _without_comments(code)
    begin, text, end = 0, "", -1
    for match in LITERAL.finditer(code):
        if code[match.start() - 1] == "'":  # the character '"'
            continue
        if end >= 0 and not code[end : match.start()].strip():
            text += match[1]
        else:
            if end >= 0:
                yield code.count("\n", 0, begin) + 1, text
            begin, text = match.start(), match[1]
        end = match.end()
    if end >= 0:
        yield code.count("\n", 0, begin) + 1, text


def python_texts(code: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each literal that is no docstring; values in an f-string are {}."""
    tree = ast.parse(code)
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else "{}" for p in node.values]
            skipped |= {id(part) for part in node.values}
            yield node.lineno, "".join(map(str, parts))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in skipped
        ):
            yield node.lineno, node.value


def wrong(text: str) -> bool:
    """Return whether a text says what is allowed in another form."""
    return bool(OTHER_FORM.search(NO_REFUSAL.sub("", text)))


def check(root: Path) -> list[str]:
    """Return one line "file:line: text" for each message in another form."""
    found = []
    for rooms, suffixes, texts in (
        (CPP_ROOMS, (".h", ".cpp"), cpp_texts),
        (PYTHON_ROOMS, (".py",), python_texts),
    ):
        for room in rooms:
            for path in sorted((root / room).rglob("*")):
                if path.suffix not in suffixes:
                    continue
                name = path.relative_to(root).as_posix()
                for line, text in texts(path.read_text(encoding="utf-8")):
                    if wrong(text):
                        found.append(f'{name}:{line}: "{text}": write "..., allowed: ..."')
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    root = parser.parse_args().root
    if not root.is_dir():
        parser.error(f"{root}: no folder, allowed: the root of a tree")
    places = (*CPP_ROOMS, *PYTHON_ROOMS)
    if not any(path.is_file() for place in places for path in (root / place).rglob("*")):
        parser.error(f"{root}: no file of {', '.join(places)}, allowed: the root of a tree")
    found = check(root)
    for line in found:
        print(line, file=sys.stderr)
    print(f"messages: {len(found)} in another form" if found else "messages: one wording")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
