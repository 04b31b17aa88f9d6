"""The docstrings of the compiled module in its stub, for editors and for the site.

What the bindings say at run time is what the stub says: `python tests/stub_docs.py` writes the
docstrings of schafkopf._core into python/schafkopf/_core.pyi, and `--check` fails if one is out of
date. What has no docstring at run time keeps what the stub says. Needs the module _core.
"""

from __future__ import annotations

import ast
import inspect
import operator
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from schafkopf import _core  # noqa: E402

STUB = ROOT / "python" / "schafkopf" / "_core.pyi"
Definition = ast.FunctionDef | ast.ClassDef


def runtime_doc(owner: Any, name: str) -> str:
    """Return the docstring of a member without the signatures that pybind11 puts before it."""
    found = inspect.getattr_static(owner, name, None)
    found = getattr(found, "__func__", found)  # of a static method
    text = inspect.cleandoc(getattr(found, "__doc__", None) or "")
    if isinstance(found, property) and found.__doc__ == operator.attrgetter.__doc__:
        return ""  # of the getter, not of the member
    if isinstance(found, (property, type)):
        return text
    text = re.sub(r"^Overloaded function\.\n", "", re.sub(rf"\A{name}\(.*\n?", "", text))
    parts = re.split(rf"^\d+\. {name}\(.*$", text, flags=re.MULTILINE)
    return "\n\n".join(dict.fromkeys(part.strip() for part in parts if part.strip()))


def definitions(body: Sequence[ast.stmt], owner: Any) -> Iterator[tuple[Definition, str]]:
    """Yield the definitions of the stub with their docstrings at run time."""
    seen: set[str] = set()
    for node in body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, ast.ClassDef) and hasattr(owner, node.name):
            yield node, runtime_doc(owner, node.name)
            yield from definitions(node.body, getattr(owner, node.name))
        elif not node.name.startswith("__") and node.name not in seen:  # the first of overloads
            yield node, runtime_doc(owner, node.name)
        seen.add(node.name)


def stale(text: str) -> list[tuple[Definition, str]]:
    """Return the definitions of a stub whose docstring differs, with what it should be."""
    found = definitions(ast.parse(text).body, _core)
    return [(node, doc) for node, doc in found if doc and ast.get_docstring(node) != doc]


def written(text: str) -> str:
    """Return the stub with the docstrings of the module."""
    lines = text.splitlines(keepends=True)
    for node, doc in reversed(stale(text)):
        indent = " " * (node.col_offset + 4)
        quoted = doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        quoted += "\n" if "\n" in doc or quoted.endswith('"') else ""
        block = "".join(f"{indent}{line}".rstrip() + "\n" for line in f'"""{quoted}"""'.split("\n"))
        first = node.body[0]
        is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        if isinstance(node, ast.ClassDef) and not ast.get_docstring(node):
            lines.insert(first.lineno - 1 - len(getattr(first, "decorator_list", [])), block)
        elif is_text:
            start, end = first.lineno - 1, first.end_lineno or first.lineno
            before = lines[start][: first.col_offset].rstrip()
            lines[start:end] = [f"{before}\n" if before else "", block]
    return "".join(lines)


def main(arguments: Sequence[str]) -> int:
    text = STUB.read_text(encoding="utf-8")
    if "--check" in arguments:
        for node, _ in stale(text):
            print(f"_core.pyi:{node.lineno}: {node.name}: run python tests/stub_docs.py")
        return 1 if stale(text) else 0
    STUB.write_text(written(text), encoding="utf-8")
    return subprocess.run(["ruff", "format", "-q", str(STUB)]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
