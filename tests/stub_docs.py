"""The docstrings of the compiled module in its stub, for editors and for the site.

What the bindings say at run time is what the stub says: `python tests/stub_docs.py` writes the
docstrings of schafkopf._core into python/schafkopf/_core.pyi, and `--check` fails if one is out of
date. What has no docstring at run time keeps what the stub says. Needs the module _core.

`--check` fails as well if a public function, method or class of the package that has parameters
says nothing of what it raises, unless it is one of RAISE_NOTHING.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import importlib
import inspect
import operator
import re
import subprocess
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

import schafkopf  # noqa: E402
from schafkopf import _core, files  # noqa: E402

STUB = ROOT / "python" / "schafkopf" / "_core.pyi"
Definition = ast.FunctionDef | ast.ClassDef
# Public and with parameters, but nothing is looked at: they are what the package itself gives.
RAISE_NOTHING = {
    "best_response.text_of",
    "display.card_names",
    "gates.folder_of",
    "gates.judged",
    "gates.judged_bidding",
    "house_rules.short_text",
    "house_rules.title",
    "house_rules.value_text",
    "house_rules.with_path_as_text",
    "ladder.page",
    "ladder.steps",
    "networks.NetworkShape.reads",
    "networks.NumpyNetwork",
    "pictures.Picture",
    "plots.curve_charts",
    "plots.points_unit",
    "tournaments.ProgressLine",
}


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


class Public(NamedTuple):
    """A public function, method or class."""

    name: str  # behind "schafkopf."
    takes: bool  # whether it has parameters
    doc: str


def takes_parameters(thing: Any, name: str) -> bool:
    """Return whether a function has parameters besides `self`, as pybind11 or Python writes it."""
    written = re.search(rf"^{name}\((?:self: [\w.]+)?(?:, )?(.*)\) -> ", thing.__doc__ or "", re.M)
    if written is not None:
        return bool(written[1])
    try:
        return bool(set(inspect.signature(thing).parameters) - {"self"})
    except ValueError:
        return False  # of Python itself: a class that has no constructor


def of_class(name: str, kind: type) -> Iterator[Public]:
    """Yield a class and its public methods, those of bases in this package too."""
    constructor = vars(kind).get("__init__")
    none = constructor is None or isinstance(constructor, types.WrapperDescriptorType)
    fields = dataclasses.is_dataclass(kind) or none  # which take anything
    doc = f"{kind.__doc__}{getattr(constructor, '__doc__', '')}"
    yield Public(name, not fields and takes_parameters(constructor, "__init__"), doc)
    for base in kind.__mro__:
        if not base.__module__.startswith("schafkopf"):
            continue
        for member, value in vars(base).items():
            method = getattr(value, "__func__", value)
            if member[0] == "_" or not callable(method):
                continue
            if inspect.getattr_static(kind, member) is value:  # not of a base that it hides
                takes = takes_parameters(method, member)
                yield Public(f"{name}.{member}", takes, method.__doc__ or "")


def public() -> Iterator[Public]:
    """Yield what the modules of the package offer, each once."""
    names = ["schafkopf", *(module.__name__ for module in schafkopf._BY_SUBJECT)]
    seen: set[int] = set()
    for module_name in [*names, *(f"schafkopf.{name}" for name in schafkopf._LOADED_WHEN_NAMED)]:
        module = importlib.import_module(module_name)
        own = [name for name, one in vars(module).items() if _is_own(name, one, module_name)]
        for name in getattr(module, "__all__", own):
            thing = getattr(module, name)
            if not callable(thing) or id(thing) in seen:
                continue
            seen.add(id(thing))
            place = f"{module_name}.{name}".removeprefix("schafkopf.")
            if isinstance(thing, type):
                yield from of_class(place, thing)
            else:
                yield Public(place, takes_parameters(thing, name), thing.__doc__ or "")


def _is_own(name: str, thing: Any, module: str) -> bool:
    return name[0] != "_" and getattr(thing, "__module__", "") == module


def without_raises(things: Iterable[Public]) -> list[str]:
    """Return what does not say what it raises and takes parameters, and what stands among
    RAISE_NOTHING without need."""
    silent = {thing.name for thing in things if thing.takes and "Raises" not in thing.doc}
    return sorted(silent ^ RAISE_NOTHING)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, name what is old")
    options = parser.parse_args(arguments)
    text = STUB.read_text(encoding="utf-8")
    if options.check:
        old, silent = stale(text), without_raises(public())
        for node, _ in old:
            print(f"_core.pyi:{node.lineno}: {node.name}: run python tests/stub_docs.py")
        for name in silent:
            print(
                f"schafkopf.{name}: its docstring has no Raises, or RAISE_NOTHING need not name it"
            )
        return 1 if old or silent else 0
    try:
        files.write_text(STUB, written(text))
    except OSError as error:
        sys.exit(f"stub_docs.py: {STUB}: {error.strerror}")
    return subprocess.run(["ruff", "format", "-q", str(STUB)]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
