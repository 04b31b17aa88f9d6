"""clang-tidy over C++ files, what changed last first; what was clean is not looked at again.

Usage: python tests/tidy.py [--seconds S] [--jobs N] [--build DIR] [--without FILE] [FILE ...]

What the build folder compiles in one go is looked at in one go, so a folder that compiles the files
of a sub-room together takes less. A pass is clean for the text of what it compiles, of all headers
of this tree in it, of .clang-tidy and of its compile command: the stamps lie in
~/.cache/schafkopf/tidy (SCHAFKOPF_TIDY_CACHE), beside every checkout, as those of a compiler cache.
With --seconds none is begun after that time, and the rest is counted. Without FILE: all of env,
agents, bindings and training that the folder compiles; with a header as FILE, all that includes it.
Exits with 1 if something was found.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("env/", "agents/", "bindings/", "training/")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def cache_folder() -> Path:
    """Return where the stamps lie."""
    given = os.environ.get("SCHAFKOPF_TIDY_CACHE")
    return Path(given) if given else Path.home() / ".cache" / "schafkopf" / "tidy"


def included(file: Path, seen: dict[Path, bytes]) -> dict[Path, bytes]:
    """Return a file and the headers of this tree that it includes, with their bytes."""
    if file in seen or not file.is_file():
        return seen
    seen[file] = file.read_bytes()
    for name in INCLUDE.findall(seen[file].decode(errors="replace")):
        for place in (ROOT / name, file.parent / name):
            included(place.resolve(), seen)
    return seen


def key_of(file: Path, command: str, version: str) -> str:
    """Return what the stamp of a file is called: a hash of all that a pass depends on."""
    digest = hashlib.sha256(version.encode())
    digest.update((ROOT / ".clang-tidy").read_bytes())
    digest.update(command.replace(str(ROOT), ".").encode())
    for path, text in sorted(included(file, {}).items()):
        text = text.replace(str(ROOT).encode(), b".")  # generated files name others by their paths
        digest.update(f"{os.path.relpath(path, ROOT)}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()


def commands_of(build: Path) -> dict[str, str]:
    """Return the compile commands of the sources of this tree, by their relative paths."""
    rows = json.loads((build / "compile_commands.json").read_text())
    commands = {}
    for row in rows:
        path = (Path(row["directory"]) / row["file"]).resolve()
        if path.is_relative_to(ROOT):
            commands[str(path.relative_to(ROOT))] = row.get("command", "")
    return commands


def last_changed_first(files: dict[str, list[str]]) -> list[str]:
    """Return files in the order of the last commit of what they compile, not committed first."""
    call = ["git", "-C", str(ROOT), "log", "-n", "400", "--format=", "--name-only"]
    log = subprocess.run(call, text=True, capture_output=True, check=False).stdout.split()
    status = ["git", "-C", str(ROOT), "status", "--porcelain"]
    now = subprocess.run(status, text=True, capture_output=True, check=False).stdout.splitlines()
    place: dict[str, int] = {}
    for name in [*(line[3:] for line in now), *log]:
        place.setdefault(name, len(place))
    last = len(place)
    return sorted(files, key=lambda file: (min(place.get(one, last) for one in files[file]), file))


def sources_of(file: str) -> list[str]:
    """Return the sources of this tree that a compile command of a file compiles."""
    if not file.startswith("build/"):
        return [file]
    names = [Path(name) for name in INCLUDE.findall((ROOT / file).read_text())]
    return [str(name.relative_to(ROOT)) for name in names if name.is_relative_to(ROOT)]


def of_rooms(names: list[str]) -> bool:
    """Return whether sources are of the rooms that are looked at."""
    return bool(names) and all(name.startswith(ROOMS) for name in names)


def look_at(file: str, build: Path) -> str:
    """Return what clang-tidy finds in a file, "" = nothing."""
    call = ["clang-tidy", "-p", str(build), "--quiet", str(ROOT / file)]
    result = subprocess.run(call, text=True, capture_output=True, check=False)
    if result.returncode == 0 and "warning:" not in result.stdout:
        return ""
    if result.returncode == 0:
        return result.stdout
    return f"{result.stdout}{result.stderr}{file}: clang-tidy ended with {result.returncode}"


def main() -> int:
    parser = argparse.ArgumentParser(description="clang-tidy with stamps of what was clean.")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "tidy")
    parser.add_argument("--without", action="append", default=[], metavar="FILE")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    if not arguments.seconds > 0:
        parser.error(f"--seconds {arguments.seconds}, allowed: above 0")
    if arguments.jobs < 1:
        parser.error(f"--jobs {arguments.jobs}, allowed: integer from 1")
    if not (arguments.build / "compile_commands.json").is_file():
        parser.error(
            f"--build {arguments.build}: no compile_commands.json, allowed: a configured folder"
        )
    for file in arguments.files:
        if not Path(file).is_file():
            parser.error(f"{file}: no such file, allowed: sources and headers of this tree")
    if shutil.which("clang-tidy") is None:
        sys.exit("tidy.py: clang-tidy is not there: ./run tidy installs it")
    version = subprocess.run(
        ["clang-tidy", "--version"], text=True, capture_output=True, check=True
    ).stdout
    commands = commands_of(arguments.build)
    sources = {file: sources_of(file) for file in commands}
    sources = {file: names for file, names in sources.items() if of_rooms(names)}
    for file in arguments.without:
        if file not in sources:
            parser.error(f"--without {file}: no such command, allowed: files compiled alone")
    asked = {Path(file).resolve() for file in arguments.files}
    of_each = {file: included(ROOT / file, {}).keys() for file in sources}
    for path in sorted(asked):
        if not any(path in files for files in of_each.values()):
            parser.error(
                f"{path}: no file of env, agents, bindings and training is compiled with it"
            )
    wanted = [file for file in sources if not asked or asked & of_each[file]]
    wanted = [file for file in wanted if file not in arguments.without]
    if not wanted:
        parser.error(
            f"--build {arguments.build}: no file of env, agents, bindings and training is left"
        )
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    stamps = {
        file: folder / key_of(ROOT / file, commands.get(file, ""), version) for file in wanted
    }
    todo = [file for file in wanted if not stamps[file].exists()]
    todo = last_changed_first({file: sources[file] for file in todo})
    end = time.monotonic() + arguments.seconds
    found, looked_at = 0, 0

    def look(file: str) -> tuple[str, str | None]:
        return file, look_at(file, arguments.build) if time.monotonic() < end else None

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as workers:
        for file, text in workers.map(look, todo):
            if text is None:
                continue
            looked_at += 1
            if text:
                found += 1
                print(text, flush=True)
            else:
                stamps[file].touch()
    clean = len(wanted) - len(todo)
    left = len(todo) - looked_at
    print(
        f"clang-tidy: {looked_at} files, {found} with findings; {clean} clean before, {left} left"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
