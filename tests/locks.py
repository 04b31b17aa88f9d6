"""Locks of what `./run` installs: every package with the hashes of its files, for all Pythons.

python/requirements*.txt names what is wanted; the file .lock beside each has what pip installs,
with --require-hashes and --no-deps. `--write` resolves anew against PyPI with uv, which must be on
the path (pip install uv); without it the locks are compared with the requirements.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import whole_files
from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement

PYTHON = Path(__file__).resolve().parents[1] / "python"
TORCH = "requirements-torch.lock"
OF_TORCH = re.compile(r"torch|triton|nvidia-.*|cuda-.*")  # what only PyPI's build of torch needs
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
HEAD = "# Written by `python tests/locks.py --write` from {}; do not edit.\n"

# File of requirements: locks that are installed beside it, whose versions it takes. What stands in
# the first two of them is installed before it, and not named again.
BESIDE = {
    "requirements.txt": (),
    "requirements-adapters.txt": ("requirements.lock", TORCH),
    "requirements-docs.txt": ("requirements.lock", TORCH, "requirements-adapters.lock"),
    "requirements-notebook.txt": ("requirements.lock", TORCH, "requirements-adapters.lock",
                                  "requirements-docs.lock"),
    "requirements-wheel.txt": ("requirements.lock", TORCH, "requirements-adapters.lock",
                               "requirements-docs.lock"),
    "requirements-tidy.txt": ("requirements.lock", TORCH),
    "requirements-coverage.txt": ("requirements.lock", TORCH),
    "requirements-bench.txt": ("requirements.lock", TORCH, "requirements-adapters.lock"),
    "requirements-rllib.txt": ("requirements.lock", TORCH),
    "requirements-peers.txt": ("requirements.lock", TORCH),
    "requirements-device.txt": ("requirements.lock",),  # what TORCH has of it is for one build only
}  # fmt: skip
# The oldest Python of its pinned packages; the others: 3.10.
FIRST_PYTHON = dict.fromkeys(
    ("requirements-bench.txt", "requirements-rllib.txt", "requirements-peers.txt"), "3.11"
)


@dataclass(frozen=True)
class Locked:
    """One pinned package of a lock, and where it is installed."""

    name: str
    version: str
    marker: Marker | None
    hashes: int
    text: str


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(text: str) -> list[Locked]:
    """The packages of a lock as uv and pip-tools write it."""
    found = []
    for block in re.split(r"\n(?=\S)", "\n" + text):
        block = block.strip("\n")
        if not block or block.startswith("#"):
            continue
        requirement = Requirement(block.split(" \\\n", 1)[0])
        (pin,) = requirement.specifier
        hashes = len(re.findall(r"--hash=sha256:[0-9a-f]{64}\b", block))
        found.append(
            Locked(normal(requirement.name), pin.version, requirement.marker, hashes, block)
        )
    return found


def wanted(text: str) -> list[Requirement]:
    lines = (line.split("#", 1)[0].strip() for line in text.splitlines())
    return [Requirement(line) for line in lines if line]


def holds(marker: Marker | None, version: str) -> bool:
    """Whether a line counts for this Python, on Linux of x86_64."""
    environment = default_environment() | {
        "python_version": version,
        "python_full_version": f"{version}.1",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "platform_machine": "x86_64",
        "sys_platform": "linux",
    }
    return marker is None or marker.evaluate(
        {name: str(text) for name, text in environment.items()}
    )


def lock_of(file: str) -> str:
    return file.replace(".txt", ".lock")


def pythons(lock: str) -> tuple[str, ...]:
    """The Pythons that a lock is for."""
    first = FIRST_PYTHON.get(lock.replace(".lock", ".txt"), VERSIONS[0])
    return VERSIONS[VERSIONS.index(first) :]


def complaints(folder: Path = PYTHON) -> list[str]:
    """Where locks and requirements differ."""
    wrong = [f"{name} is not there" for name in BESIDE if not (folder / name).is_file()]
    for path in sorted(folder.glob("requirements*.txt")):
        if path.name not in BESIDE:
            wrong.append(f"{path.name} is not in tests/locks.py")
            continue
        own = lock_of(path.name)
        names = {own, TORCH, *BESIDE[path.name]}
        if gone := sorted(name for name in names if not (folder / name).is_file()):
            wrong += [
                f"{name} is not there" for name in gone if f"{name} is not there" not in wrong
            ]
            continue
        locks = {name: locked((folder / name).read_text()) for name in sorted(names)}
        wrong += [f"{own}: {one.name} has no hash" for one in locks[own] if not one.hashes]
        for version in pythons(own):
            pins: dict[str, set[str]] = {}
            for name, packages in locks.items():
                for one in packages:
                    if version in pythons(name) and holds(one.marker, version):
                        pins.setdefault(one.name, set()).add(one.version)
            wrong += [
                f"{path.name}, Python {version}: {name} is locked as {' and '.join(sorted(those))}"
                for name, those in pins.items()
                if len(those) > 1
            ]
            for wish in wanted(path.read_text()):
                if not holds(wish.marker, version):
                    continue
                those = pins.get(normal(wish.name), set())
                if not any(wish.specifier.contains(pin) for pin in those):
                    has = " and ".join(sorted(those)) or "nothing"
                    wrong.append(f"{path.name}, Python {version}: {wish} has {has} in the lock")
    return wrong


def constraints(lock: str) -> str:
    """The pins of a lock, for the Pythons that it is resolved for."""
    first = pythons(lock)[0]
    lines = []
    for one in locked((PYTHON / lock).read_text()):
        marker = f"({one.marker}) and " if one.marker else ""
        lines.append(f"{one.name}=={one.version} ; {marker}python_version >= '{first}'\n")
    return "".join(lines)


def resolve(uv: str, file: str, folder: Path) -> str:
    beside = []
    for lock in BESIDE[file]:
        (folder / lock).write_text(constraints(lock), encoding="utf-8")
        beside += ["--constraint", str(folder / lock)]
    words = "--universal --generate-hashes --no-annotate --quiet --no-header --no-python-downloads"
    words += (
        f" --python-version {pythons(lock_of(file))[0]} --default-index https://pypi.org/simple"
    )
    command = [uv, "pip", "compile", *words.split(), *beside, str(PYTHON / file)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def write(uv: str, only: list[str]) -> None:
    for file in only or BESIDE:
        with tempfile.TemporaryDirectory() as folder:
            packages = locked(resolve(uv, file, Path(folder)))
        before = {
            one.name for name in BESIDE[file][:2] for one in locked((PYTHON / name).read_text())
        }
        parts = {lock_of(file): [one for one in packages if one.name not in before]}
        if not BESIDE[file]:
            own = parts["requirements.lock"]
            parts[TORCH] = [one for one in own if OF_TORCH.fullmatch(one.name)]
            parts["requirements.lock"] = [one for one in own if not OF_TORCH.fullmatch(one.name)]
        for name, those in parts.items():
            text = HEAD.format(f"python/{file}") + "".join(f"{one.text}\n" for one in those)
            whole_files.write_text(PYTHON / name, text)
            print(f"{name}: {len(those)} packages, {sum(one.hashes for one in those)} hashes")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="resolve anew")
    parser.add_argument("--uv", default="uv", help="the program uv")
    parser.add_argument("files", nargs="*", help="requirements*.txt to resolve, default: all")
    options = parser.parse_args()
    for file in options.files:
        if file not in BESIDE:
            parser.error(f"{file}, allowed: {', '.join(BESIDE)}")
        if not options.write:
            parser.error(f"{file} without --write, which resolves them")
    if options.write and shutil.which(options.uv) is None:
        parser.error(f"--uv {options.uv}: no such program; it is installed by: pip install uv")
    if options.write:
        write(options.uv, options.files)
    wrong = complaints()
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
