"""CPU seconds that compiling takes: per file, per target, in all; LibTorch's part apart.

Compiles every file of a configured and built folder once more, one after the other, without the
compiler cache and into a temporary folder, and sums user and system time of the compilers. A busy
machine disturbs that little. Linking is not counted.

usage: python tests/bench/compile_times.py [--build build/release] [--dearest N] [PATTERN ...]

PATTERN: parts of paths of object files ("env/game", "_core.dir"); without one, all files of a full
build.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TORCH_TARGETS = {"schafkopf_training", "schafkopf_train", "_training", "schafkopf_training_tests"}
# built by tests/mutants/run.py alone
NOT_IN_ALL = {"schafkopf_rule_tests", "schafkopf_few_rule_tests"}


def target_of(output: str) -> str:
    """Name of the target of an object file, "schafkopf_env" of ".../schafkopf_env.dir/..."."""
    return output.split(".dir/")[0].rsplit("/", 1)[-1]


def seconds(entry: dict[str, str], folder: str) -> float:
    """User and system time of one compiler; ends the program where it fails."""
    command = shlex.split(entry["command"])
    command[command.index("-o") + 1] = str(Path(folder) / "out.o")
    errors = Path(folder) / "errors"
    with errors.open("w") as file:
        compiler = subprocess.Popen(command, cwd=entry["directory"], stderr=file)
        _, status, used = os.wait4(compiler.pid, 0)
    if status != 0:
        sys.exit(f"compile_times.py: {entry['output']} failed:\n{errors.read_text()[-2000:]}")
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="CPU seconds that compiling takes.")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="parts of object paths")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", metavar="FOLDER")
    parser.add_argument("--dearest", type=int, default=20, metavar="N", help="files to list")
    arguments = parser.parse_args()
    commands = arguments.build / "compile_commands.json"
    if not commands.exists():
        parser.error(f"{commands} does not exist: build first (./run build)")
    wanted = [
        entry
        for entry in json.loads(commands.read_text())
        if target_of(entry["output"]) not in NOT_IN_ALL
        and (not arguments.patterns or any(part in entry["output"] for part in arguments.patterns))
    ]
    if not wanted:
        parser.error(f"no object file of {commands} matches {' '.join(arguments.patterns)}")

    files: dict[str, float] = {}
    targets: defaultdict[str, float] = defaultdict(float)
    with tempfile.TemporaryDirectory() as folder:
        for entry in wanted:
            files[entry["output"]] = seconds(entry, folder)
            targets[target_of(entry["output"])] += files[entry["output"]]
    for output, used in sorted(files.items(), key=lambda item: -item[1])[: arguments.dearest]:
        print(f"{used:8.2f}  {output}")
    print()
    for name, used in sorted(targets.items(), key=lambda item: -item[1]):
        print(f"{used:8.1f}  {name}")
    torch = sum(used for name, used in targets.items() if name in TORCH_TARGETS)
    print(f"{sum(files.values()):8.1f}  all {len(files)} files, {torch:.1f} of it with LibTorch")
    return 0


if __name__ == "__main__":
    sys.exit(main())
