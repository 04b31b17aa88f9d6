"""Instructions per decision, counted by callgrind: a speed that no busy machine disturbs.

Builds env/ portably (release, no -march=native) and the driver of the same tree, counts two lengths
of random play with configs/rules/research.toml and divides the difference, so that set-up does not
count; each hot path by the kernels `scalar` and `avx2` (callgrind knows no AVX-512). Compares with
tests/bench/instructions_baseline.json, which holds the figures of the compiler that it names and,
as `before`, those of the commit before lanes. Exits with 1 where a figure is more than --limit
percent above its own; with another compiler nothing is compared.

usage: python tests/bench/instructions.py [--tree FOLDER] [--only batch] [--short] [--annotate]
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
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
    "uint8": (50, 200),
    "float32": (50, 200),
    "packed": (50, 200),
    "version4": (25, 100),
    "game": (1000, 4000),
    "deal": (1000, 20000),
}  # steps of 1,024 envs; deals
KERNELS = ("scalar", "avx2")
ONE_GAME = ("game", "deal")  # no kernel steps them
SHORTER = 5  # --short divides the lengths by this
LIMIT = 3.0  # percent above the stored figure
TOTAL = "Collected :"  # callgrind's line with the sum over all threads


def run(command: list[str], **options: object) -> str:
    """Output of a command; ends the program with its last lines where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        sys.exit(f"{Path(sys.argv[0]).name}: {' '.join(command)} failed:\n{tail}")
    return str(done.stdout + done.stderr)


def build(tree: Path, folder: Path, source: Path | None = None, native: bool = False) -> Path:
    """Path of a driver, built against env/ of this source tree.

    source   of the driver; without it the one that counts, of the same tree
    native   for the processor of this machine, else as wheels are
    """
    options = ["TRAINING", "PYTHON", "TESTS", "BENCHMARKS"]
    settings = [f"-DSCHAFKOPF_{option}=OFF" for option in options]
    settings += [f"-DSCHAFKOPF_NATIVE={'ON' if native else 'OFF'}"]
    # nothing but the one library to link; and files that include what they use
    settings += ["-DSCHAFKOPF_HEADER_ONLY=ON", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"]
    run(["cmake", "-S", str(tree), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", *settings])
    run(["cmake", "--build", str(folder), "--target", "schafkopf_env", "-j", "2"])
    library = folder / "libschafkopf_env.a"
    source = source or tree / DRIVER
    driver = folder / source.stem
    flags = ["-std=c++20", "-O3", "-DNDEBUG", "-g", f"-I{tree}"]
    flags += ["-march=native"] if native else []
    run(["c++", *flags, str(source), str(library), "-lpthread", "-o", str(driver)])
    return driver


def count(driver: Path, kernel: str, mode: str, length: int) -> tuple[int, int]:
    """(instructions, decisions) of one run."""
    out = driver.parent / f"callgrind.{kernel}.{mode}.{length}"
    text = run(
        [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={out}",
            str(driver),
            mode,
            str(length),
        ],
        env=dict(os.environ, SCHAFKOPF_KERNEL=kernel),
    )
    lines = text.splitlines()
    decisions = next(int(line) for line in lines if line.isdigit())
    collected = next(line for line in lines if TOTAL in line)
    return int(collected.split(TOTAL)[1]), decisions


def lengths_of(mode: str, short: bool) -> tuple[int, int]:
    """The two lengths of a kind of play."""
    few, many = LENGTHS[mode]
    return (few // SHORTER, many // SHORTER) if short else (few, many)


def per_decision(driver: Path, kernel: str, mode: str, short: bool) -> float:
    """Instructions per decision of a kind of play, without set-up."""
    (few, before), (many, after) = (
        count(driver, kernel, mode, length) for length in lengths_of(mode, short)
    )
    return round((many - few) / (after - before), 2)


def pairs_of(modes: list[str]) -> list[tuple[str, str]]:
    """(kernel, mode) of all that is counted."""
    return [
        (kernel, mode)
        for mode in modes
        for kernel in (KERNELS[:1] if mode in ONE_GAME else KERNELS)
    ]


def counted(driver: Path, pairs: list[tuple[str, str]], short: bool) -> dict[str, float]:
    """Instructions per decision by mode and kernel, counted by all processors."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        found = pool.map(lambda pair: per_decision(driver, pair[0], pair[1], short), pairs)
        return {
            f"{mode} {kernel}": value for (kernel, mode), value in zip(pairs, found, strict=True)
        }


def commit_of(tree: Path, name: str = "HEAD") -> str:
    """Short id of a commit, without a name the one that is checked out."""
    return run(["git", "-C", str(tree), "rev-parse", "--short", f"{name}^{{commit}}"]).strip()


def compiler() -> str:
    """What compiles: counts of another one are other counts."""
    return f"c++ {run(['c++', '-dumpfullversion']).strip().split('.')[0]}"


def compare(values: dict[str, float], short: bool, limit: float) -> bool:
    """Print the figures beside the stored ones; whether all are within the limit."""
    stored = json.loads(BASELINE.read_text())
    own = stored["short" if short else "long"]
    same = stored["compiler"] == compiler()
    against = f"those of {stored['commit']}, limit +{limit:g} %" if same else "no comparison"
    print(f"instructions per decision, {compiler()}; {against}")
    if not same:
        print(f"  the stored figures are of {stored['compiler']}")
    good = True
    for name, value in values.items():
        before = own.get(name)
        if before is None or not same:
            print(f"  {name:16} {value:8.1f}")
            continue
        growth = 100 * (value / before - 1)
        good = good and growth <= limit
        verdict = "ok" if growth <= limit else "ABOVE"
        print(f"  {name:16} {before:8.1f} -> {value:8.1f}  {growth:+6.2f} %  {verdict}")
    for mode, value in stored["before"]["value"].items():
        print(f"  before lanes ({stored['before']['commit']}), {mode}: {value:.1f}")
    return good


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--tree", type=Path, default=ROOT, help="source tree to count (default: this one)"
    )
    parser.add_argument("--build-dir", type=Path, help="default: build/instructions of the tree")
    parser.add_argument("--only", choices=list(LENGTHS), help="one kind of play")
    parser.add_argument("--short", action="store_true", help="a fifth of the lengths, as CI does")
    parser.add_argument(
        "--limit", type=float, default=LIMIT, help="percent above the stored figure that is allowed"
    )
    parser.add_argument(
        "--annotate", action="store_true", help="also list where the instructions are spent"
    )
    parser.add_argument("--write-baseline", action="store_true", help="store the figures of --tree")
    given = parser.parse_args()
    if given.write_baseline and (given.only or given.short):
        parser.error("--write-baseline stores all figures of both lengths: no --only, no --short")
    if shutil.which("valgrind") is None:
        sys.exit(
            "instructions.py: valgrind is not installed; Debian, Ubuntu: apt-get install valgrind"
        )
    tree = given.tree.resolve()
    driver = build(tree, given.build_dir or tree / "build/instructions")
    pairs = pairs_of([given.only] if given.only else list(LENGTHS))
    values = counted(driver, pairs, given.short)
    if given.annotate:
        for kernel, mode in pairs:
            length = lengths_of(mode, given.short)[1]
            out = driver.parent / f"callgrind.{kernel}.{mode}.{length}"
            print("\n".join(run(["callgrind_annotate", str(out)]).splitlines()[:60]))
    if given.write_baseline:
        stored = json.loads(BASELINE.read_text())
        stored |= {"commit": commit_of(tree), "compiler": compiler(), "long": values}
        stored["short"] = counted(driver, pairs, True)
        BASELINE.write_text(json.dumps(stored, indent=2) + "\n")
        print(BASELINE.read_text())
        return 0
    return 0 if compare(values, given.short, given.limit) else 1


if __name__ == "__main__":
    sys.exit(main())
