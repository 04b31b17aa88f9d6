"""Check that every room includes and imports only what it may (the table ROOMS below is the law).

    env <- agents <- training;  bindings sees all three;  python sees the compiled modules only

The sub-rooms of env, agents and training have an order of their own (SUB_ROOMS): a file sees its
own and those before it. No two files of a room share a name, nor do two files of a room of tests
define one, and README's map has the same order.

Usage: python tests/layering.py [ROOT]. Prints file, line and reason of each wrong line; exits with
1 if there is one. The compiler does not enforce the direction, because system headers are found
without linking.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

# Which library an angle include belongs to, by its first characters; a name without a dot is the
# standard library.
LIBRARIES = {
    "fmt/": "fmt",
    "toml++/": "toml++",
    "toml.hpp": "toml++",
    "nlohmann/": "nlohmann_json",
    "Eigen/": "Eigen",
    "unsupported/Eigen/": "Eigen",
    "CLI/": "CLI11",
    "torch/": "torch",
    "ATen/": "torch",
    "c10/": "torch",
    "caffe2/": "torch",
    "pybind11/": "pybind11",
    "Python.h": "pybind11",
    "gtest/": "GoogleTest",
    "gmock/": "GoogleTest",
    "benchmark/": "Google Benchmark",
    "immintrin.h": "intrinsics",
    "x86intrin.h": "intrinsics",
    "arm_neon.h": "intrinsics",
    "unistd.h": "POSIX",
    "fcntl.h": "POSIX",
    "signal.h": "POSIX",
    "poll.h": "POSIX",
    "pthread.h": "POSIX",
    "spawn.h": "POSIX",
    "sched.h": "POSIX",
    "sys/": "POSIX",
    "cxxabi.h": "C++ ABI",
}
C_HEADERS = {
    "assert.h",
    "math.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "time.h",
}


@dataclass(frozen=True)
class Room:
    """What the files of one folder may include.

    rooms      other rooms, besides its own
    libraries  allowed in every file
    sources    allowed in .cpp files only: library -> patterns of the files that may (sub-room/name)
    headers    standard headers that its headers may not include
    inner      headers that count as .cpp files, because only .cpp files may include them
    """

    rooms: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()


STREAMS = ("iostream",)
SOURCES = ("*.h", "*.cpp", "*.cu")
ROOMS = {
    "env": Room(
        libraries=("intrinsics",),
        sources={
            "fmt": ("*",),
            "toml++": ("rules/toml_reader.cpp", "rules/toml_library.cpp"),
            "nlohmann_json": ("record/*",),
            "POSIX": ("base/*",),
        },
        headers=STREAMS,
        inner=("env/record/json_values.h",),
    ),
    "agents": Room(
        rooms=("env",),
        libraries=("Eigen", "intrinsics"),
        sources={"fmt": ("*",), "nlohmann_json": ("*",), "POSIX": ("*",)},
        headers=STREAMS,
    ),
    "training": Room(
        rooms=("env", "agents"),
        libraries=("torch",),
        sources={
            "fmt": ("*",),
            "nlohmann_json": ("*",),
            "POSIX": ("*",),
            "CLI11": ("main.cpp",),
        },
    ),
    "bindings": Room(
        rooms=("env", "agents", "training"),
        libraries=("pybind11", "fmt", "C++ ABI"),
    ),
}
# Folders of a room, lowest first; "" is the room's own folder.
SUB_ROOMS = {
    "env": (
        "base",
        "cards",
        "rules",
        "deal",
        "price",
        "view",
        "game",
        "session",
        "record",
        "lanes",
        "device",
        "vector",
    ),
    "agents": (
        "work",
        "basic",
        "solver",
        "network",
        "worlds",
        "maxims",
        "search",
        "engine",
        "",
        "tournament",
        "exploit",
    ),
    "training": ("work", "learner", "games", "config", "run", ""),
}
# The second implementation of the rules knows the cards and nothing else of the engine.
REFERENCE_FILES = "tests/cpp/reference/*"
REFERENCE_MAY_INCLUDE = "env/cards/card.h"

# Python: what a module of the package may import at its top level. Everything else is imported
# where it is used, so that `import schafkopf` works with NumPy alone and never loads torch.
PACKAGE_IMPORTS = {"schafkopf", "numpy"}
# Modules that are loaded by those who ask for what they are about, with what they import.
LATE_IMPORTS = {"torch_network.py": {"torch"}}
# An adapter is loaded by those who have its package.
ADAPTERS = "adapters"
ADAPTER_IMPORTS = {
    "gymnasium.py": {"gymnasium"},
    "pettingzoo.py": {"gymnasium", "pettingzoo"},
    "openspiel.py": {"pyspiel"},
    "openspiel_states.py": {"pyspiel"},
    "conformance.py": {"gymnasium"},
    "torchrl.py": {"torch", "tensordict", "torchrl"},
    "sb3.py": {"stable_baselines3"},
    "rllib.py": {"gymnasium", "ray"},
    "torch.py": {"torch"},
    "minari.py": {"gymnasium", "minari"},
    "pgx.py": {"jax", "pgx"},
}
# The web application is loaded by the command that serves it.
SERVE = "serve"
SERVE_IMPORTS = {"app.py": {"starlette"}, "guard.py": {"starlette"}}
# The library imports no command and no adapter; the files of the console may import commands.
COMMANDS = "commands"
CONSOLE = ("cli.py", "__main__.py")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# What stands at the beginning of a line of C++ and gives something a name; GoogleTest asks for
# PrintTo by its parameters.
DEFINED = re.compile(
    r"(?=[\w\[])(?:\[\[\w+\]\] )?(?:(?:inline|static|constexpr|constinit|const) )*"
    r"(?:(?:struct|class|enum class|enum|union) (?P<type>\w+)(?= final| :|:| \{|\{)"
    r"|[\w:<>,&* ]+?[ &*](?P<name>\w+)(?:\(| =|\{|;|\[))"
)
ALIAS = re.compile(r"using (?P<name>\w+) = ")  # twice the same is none too many
NO_NAMES = ("TEST", "INSTANTIATE", "TYPED_", "using ", "namespace ", "return ")
OVERLOADED = {"PrintTo"}


def library_of(name: str) -> str | None:
    """Return the library of an angle include: "std" is the standard library, None unknown."""
    for prefix, library in LIBRARIES.items():
        if name == prefix or (prefix.endswith("/") and name.startswith(prefix)):
            return library
    return "std" if "." not in name or name in C_HEADERS else None


def wrong_room_include(path: Path, room: str, name: str) -> str | None:
    """Return what is wrong with `#include "name"` in a file of `room`, or None."""
    target = name.split("/")[0]
    if "/" not in name or target not in ROOMS:
        return f'"{name}" is not written from the repository root (as "env/cards/card.h")'
    allowed = (room, *ROOMS[room].rooms)
    if target not in allowed:
        return f"{room} may not include {target}; allowed rooms: {', '.join(allowed)}"
    sub_rooms, own, seen = SUB_ROOMS.get(target, ()), path.parent.name, Path(name).parent.name
    own, seen = (part if part != target else "" for part in (own, seen))
    if target == room and own in sub_rooms and seen in sub_rooms[sub_rooms.index(own) + 1 :]:
        below = ", ".join(sub_rooms[: sub_rooms.index(own)])
        return f"{room}/{own} may not include {room}/{seen}; below it: {below}"
    if path.suffix == ".h" and name in ROOMS[target].inner:
        return f"only .cpp files may include {name}"
    if room == "bindings" and target == "training" and not path.name.startswith("training"):
        return "_core must not see training; only bindings/training* may"
    return None


def wrong_library_include(path: Path, room: str, name: str) -> str | None:
    """Return what is wrong with `#include <name>` in a file of `room`, or None."""
    law, library = ROOMS[room], library_of(name)
    inside = path.as_posix().rsplit(f"/{room}/", 1)[-1]
    is_header = path.suffix == ".h" and f"{room}/{inside}" not in law.inner
    if library == "std":
        forbidden = is_header and name in law.headers
        return f"a header of {room} may not include <{name}>" if forbidden else None
    if library is None:
        return f"<{name}> belongs to no library that tests/layering.py knows"
    if library in law.libraries:
        return None
    patterns = law.sources.get(library)
    if patterns is None:
        known = sorted({*law.libraries, *law.sources})
        return f"{room} may not include {library}; allowed: {', '.join(known)}"
    if is_header:
        return f"{library} may stand in .cpp files of {room} only"
    if not any(fnmatch(inside, pattern) for pattern in patterns):
        return f"{library} may stand only in files of {room} named {', '.join(patterns)}"
    return None


def check_cpp(root: Path) -> list[str]:
    """Return one line "file:line: reason" for each wrong include of the C++ rooms."""
    found = []
    for room in ROOMS:
        for path in sorted(path for kind in SOURCES for path in (root / room).rglob(kind)):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                check = wrong_room_include if match[1] == '"' else wrong_library_include
                reason = check(path, room, match[2])
                if reason:
                    found.append(f"{path.relative_to(root)}:{number}: {reason}")
    return found


def check_places(root: Path) -> list[str]:
    """Return one line for each file outside the sub-rooms and each name that a room has twice."""
    found = []
    for room, sub_rooms in SUB_ROOMS.items():
        names: dict[str, Path] = {}
        for path in sorted(path for kind in SOURCES for path in (root / room).rglob(kind)):
            inside, where = path.relative_to(root / room), path.relative_to(root)
            folder = "" if inside.parent == Path() else inside.parent.as_posix()
            if folder not in sub_rooms:
                allowed = ", ".join(sub_rooms)
                found.append(f"{where}:1: {room} has no folder {folder or '.'}; it has: {allowed}")
            other = names.setdefault(path.name, where)
            if other != where:
                found.append(f"{where}:1: {other} has the same name")
    for path in sorted((root / "tests" / "python").glob("test_*.py")):
        subjects = sorted(one.parent.name for one in path.parent.glob("*/test_*.py"))
        allowed = ", ".join(dict.fromkeys(subjects))
        where = path.relative_to(root)
        found.append(f"{where}:1: a test stands in the folder of its subject; allowed: {allowed}")
    return found


def check_test_names(root: Path) -> list[str]:
    """Return one line for each name that a second file of a room of tests defines.

    Neighbours are compiled together, and a new file makes others neighbours.
    """
    found = []
    for folder in sorted(path for path in (root / "tests" / "cpp").glob("*") if path.is_dir()):
        names: dict[str, tuple[Path, str]] = {}
        for path in sorted(path for kind in ("*.h", "*.cpp") for path in folder.glob(kind)):
            where = path.relative_to(root)
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                alias = ALIAS.match(line)
                match = None if line.startswith(NO_NAMES) else DEFINED.match(line)
                name = alias["name"] if alias else match and (match["type"] or match["name"])
                if not name or name in OVERLOADED:
                    continue
                other, text = names.setdefault(name, (where, line))
                if other.stem != where.stem and not (alias and text == line):
                    found.append(f"{where}:{number}: {other} has the name {name} too")
    return found


def check_map(root: Path) -> list[str]:
    """Return what differs between the sub-rooms in README's map and SUB_ROOMS."""
    readme = root / "README.md"
    if not readme.exists():
        return []
    listed = re.findall(
        r"^\| `(env|agents|training)/(\w*)/?` \|", readme.read_text("utf-8"), re.MULTILINE
    )
    found = []
    for room, sub_rooms in SUB_ROOMS.items():
        there = tuple(sub_room for name, sub_room in listed if name == room)
        if there != sub_rooms:
            found.append(f"README.md:1: the map lists {room}: {there}, SUB_ROOMS {sub_rooms}")
    return found


def check_reference(root: Path) -> list[str]:
    """Return one line for each include that shows the reference rules more than the cards."""
    found = []
    for path in sorted(root.glob(REFERENCE_FILES)):
        if path.name.endswith("_test.cpp"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if match and match[2].split("/")[0] in ROOMS and match[2] != REFERENCE_MAY_INCLUDE:
                where = f"{path.relative_to(root)}:{number}"
                found.append(f"{where}: may include only {REFERENCE_MAY_INCLUDE} of the engine")
    return found


def is_type_checking(node: ast.stmt) -> bool:
    """Return whether `node` is `if TYPE_CHECKING:`, whose body never runs."""
    names = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
    return isinstance(node, ast.If) and ast.unparse(node.test) in names


def top_level_imports(tree: ast.Module) -> list[tuple[int, str, str]]:
    """Return (line, package, full name) of each import that runs when the module is imported."""
    found: list[tuple[int, str, str]] = []
    open_nodes: list[ast.AST] = list(tree.body)
    while open_nodes:
        node = open_nodes.pop(0)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.If) and is_type_checking(node):
            open_nodes += node.orelse
        elif isinstance(node, ast.Import):
            found += [(node.lineno, name.name.split(".")[0], name.name) for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = "schafkopf" if node.level else (node.module or "").split(".")[0]
            found += [
                (node.lineno, package, f"{node.module or ''}.{name.name}") for name in node.names
            ]
        else:
            open_nodes += ast.iter_child_nodes(node)
    return found


def check_python(root: Path) -> list[str]:
    """Return one line for each import of the package that `import schafkopf` cannot afford."""
    found = []
    for path in sorted((root / "python" / "schafkopf").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        own = {ADAPTERS: ADAPTER_IMPORTS, SERVE: SERVE_IMPORTS}.get(path.parent.name, LATE_IMPORTS)
        adapts = own.get(path.name, set())
        for line, package, name in top_level_imports(tree):
            if package in adapts:
                continue
            where = f"{path.relative_to(root)}:{line}"
            late = {"_training", *(Path(late).stem for late in LATE_IMPORTS)} & {*name.split(".")}
            if late:
                found.append(f"{where}: import {late.pop()} where it is used: it loads torch")
            elif package not in PACKAGE_IMPORTS and package not in sys.stdlib_module_names:
                found.append(f"{where}: import {package} where it is used; at the top only NumPy")
    return found


def imported_names(tree: ast.Module) -> list[tuple[int, str]]:
    """Return (line, full name) of each import, wherever it stands."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, name.name) for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(["schafkopf"] * bool(node.level) + [node.module or ""]).strip(".")
            found += [(node.lineno, f"{start}.{name.name}") for name in node.names]
    return found


def check_commands(root: Path) -> list[str]:
    """Return one line for each import of a command or an adapter by the library."""
    found = []
    package = root / "python" / "schafkopf"
    for path in sorted(package.rglob("*.py")):
        own = path.relative_to(package).parts[0]
        if own in (COMMANDS, *CONSOLE):
            continue
        for line, name in imported_names(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{path.relative_to(root)}:{line}"
            if name.split(".")[:2] == ["schafkopf", COMMANDS]:
                found.append(f"{where}: the library imports no command; move what it needs out")
            if name.split(".")[:2] == ["schafkopf", ADAPTERS] and own != ADAPTERS:
                found.append(f"{where}: the library imports no adapter; they import it")
    return found


def check(root: Path) -> list[str]:
    """Return every wrong include and import of the tree at `root`."""
    checks = (
        check_cpp,
        check_places,
        check_test_names,
        check_map,
        check_reference,
        check_python,
        check_commands,
    )
    return [line for one in checks for line in one(root)]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parents[1])
    root = parser.parse_args().root
    if not root.is_dir():
        parser.error(f"{root}: no folder, allowed: the root of a tree")
    places = (*ROOMS, "python/schafkopf", "tests")
    if not any(path.is_file() for place in places for path in (root / place).rglob("*")):
        parser.error(f"{root}: no file of {', '.join(places)}, allowed: the root of a tree")
    found = check(root)
    for line in found:
        print(line, file=sys.stderr)
    print(
        f"layering: {len(found)} wrong lines"
        if found
        else "layering: every room keeps to its place"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
