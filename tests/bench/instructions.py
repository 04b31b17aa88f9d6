"""Instructions per decision, counted by callgrind: a speed that no busy machine disturbs.

Builds env/ portably (release, no -march=native) and the driver of the same tree, counts
two lengths of random play with configs/rules/research.toml and divides the difference, so that
set-up does not count. Compares with tests/bench/instructions_baseline.json: the state before the
rules were made complete. Exit 1 where a figure is more than --limit percent above it.

usage: python tests/bench/instructions.py [--tree FOLDER] [--only batch] [--annotate]
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path("tests/bench/instructions_driver.cpp")  # of the tree that is counted
BASELINE = ROOT / "tests/bench/instructions_baseline.json"
LENGTHS = {
    "batch": (100, 400),
    "views": (50, 200),
    "game": (1000, 4000),
}  # steps of 1,024 envs; deals
TOTAL = "Collected :"  # callgrind's line with the sum over all threads


def run(command: list[str], **options: object) -> str:
    """Output of a command; ends the program with its last lines where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        sys.exit(f"instructions.py: {' '.join(command)} failed:\n{tail}")
    return str(done.stdout + done.stderr)


def build(tree: Path, folder: Path) -> Path:
    """Path of the driver, built against env/ of this source tree."""
    options = ["TRAINING", "PYTHON", "TESTS", "BENCHMARKS", "NATIVE"]
    off = [f"-DSCHAFKOPF_{option}=OFF" for option in options]
    # nothing but the one library to link; and files that include what they use
    off += ["-DSCHAFKOPF_HEADER_ONLY=ON", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"]
    run(["cmake", "-S", str(tree), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", *off])
    run(["cmake", "--build", str(folder), "--target", "schafkopf_env", "-j", "2"])
    library = folder / "libschafkopf_env.a"
    driver = folder / "instructions_driver"
    flags = ["-std=c++20", "-O3", "-DNDEBUG", "-g", f"-I{tree}"]
    run(["c++", *flags, str(tree / DRIVER), str(library), "-lpthread", "-o", str(driver)])
    return driver


def count(driver: Path, mode: str, length: int) -> tuple[int, int]:
    """(instructions, decisions) of one run."""
    out = driver.parent / f"callgrind.{mode}.{length}"
    text = run(
        [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={out}",
            str(driver),
            mode,
            str(length),
        ]
    )
    lines = text.splitlines()
    decisions = next(int(line) for line in lines if line.isdigit())
    collected = next(line for line in lines if TOTAL in line)
    return int(collected.split(TOTAL)[1]), decisions


def per_decision(driver: Path, mode: str) -> float:
    """Instructions per decision of a kind of play, without set-up."""
    (few, before), (many, after) = (count(driver, mode, length) for length in LENGTHS[mode])
    return (many - few) / (after - before)


def commit_of(tree: Path) -> str:
    """Short id of the checked-out commit."""
    return run(["git", "-C", str(tree), "rev-parse", "--short", "HEAD"]).strip()


def compare(values: dict[str, float], limit: float) -> bool:
    """Print the figures beside the baseline; whether all are within the limit."""
    baseline = json.loads(BASELINE.read_text())
    print(f"instructions per decision, baseline {baseline['commit']}, limit +{limit:g} %")
    good = True
    for mode, value in values.items():
        before = baseline["value"][mode]
        growth = 100 * (value / before - 1)
        good = good and growth <= limit
        verdict = "ok" if growth <= limit else "ABOVE"
        print(f"  {mode:6} {before:8.1f} -> {value:8.1f}  {growth:+6.2f} %  {verdict}")
    return good


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--tree", type=Path, default=ROOT, help="source tree to count (default: this one)"
    )
    parser.add_argument("--build-dir", type=Path, help="default: build/instructions of the tree")
    parser.add_argument("--only", choices=list(LENGTHS), help="one kind of play")
    parser.add_argument(
        "--limit", type=float, default=5.0, help="percent above the baseline that is allowed"
    )
    parser.add_argument(
        "--annotate", action="store_true", help="also list where the instructions are spent"
    )
    parser.add_argument("--write-baseline", action="store_true", help="store the figures of --tree")
    given = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit(
            "instructions.py: valgrind is not installed; Debian, Ubuntu: apt-get install valgrind"
        )
    tree = given.tree.resolve()
    driver = build(tree, given.build_dir or tree / "build/instructions")
    modes = [given.only] if given.only else list(LENGTHS)
    values = {mode: round(per_decision(driver, mode), 2) for mode in modes}
    if given.annotate:
        for mode in modes:
            out = driver.parent / f"callgrind.{mode}.{LENGTHS[mode][1]}"
            print("\n".join(run(["callgrind_annotate", str(out)]).splitlines()[:60]))
    if given.write_baseline:
        text = json.dumps({"commit": commit_of(tree), "value": values}, indent=2)
        BASELINE.write_text(text + "\n")
        print(f"{BASELINE.relative_to(ROOT)}: {text}")
        return 0
    return 0 if compare(values, given.limit) else 1


if __name__ == "__main__":
    sys.exit(main())
