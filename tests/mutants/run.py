"""Plant faults in the engine, one after the other, and expect that the rule tests turn red.

Usage: python tests/mutants/run.py [--list] [--check] [--ci] [--only NAME ...] [--few] [--jobs N]
                                   [--report [--again]]

Works on a copy in build/mutants; the checkout is not touched. Each fault is one exact replacement
in one file; a text that is not found exactly once is an error, so that a fault cannot fall silent.
Golden files and counts are left out: they would notice any change. Exits with 1 if a fault is not
found. Takes three seconds per fault after the first build, minutes where it stands in a header;
--ci plants four, --check builds nothing, --report writes WRITTEN.md and goes on with it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import operators
from planted import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import whole_files  # noqa: E402

TREE = ROOT / "build" / "mutants" / "tree"
BUILD = ROOT / "build" / "mutants" / "build"
COPIED = ["CMakeLists.txt", "cmake", "configs", "env", "tests"]
PAGE = Path(__file__).with_name("WRITTEN.md")
NOBODY, NOT_TRIED = "**nothing**", "not tried"
OPTIONS = [
    "-DCMAKE_BUILD_TYPE=Debug",
    "-DCMAKE_CXX_FLAGS=-O1",
    "-DSCHAFKOPF_TRAINING=OFF",
    "-DSCHAFKOPF_PYTHON=OFF",
    "-DSCHAFKOPF_BENCHMARKS=OFF",
    "-DSCHAFKOPF_TOGETHER=OFF",
]
# With --ci little is built again and much once.
CI_OPTIONS = [
    *OPTIONS,
    "-DCMAKE_CXX_FLAGS_DEBUG=",
    "-DCMAKE_CXX_FLAGS=-O0",
    "-DSCHAFKOPF_TOGETHER=ON",
]


# Four faults that every run of the tests can afford: a price, a duty, an auction, a secret.
# None stands in a header, and a few tests find them: TARGETS.
CI_FAULTS = [
    "win_with_60",
    "running_away_stays_secret",
    "follower_may_call",
    "view_names_the_partner",
]
# Executable of the tests: of all faults, of those of --ci.
TARGETS = {False: "schafkopf_rule_tests", True: "schafkopf_few_rule_tests"}


def call(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options
    )


def copy_tree(tree: Path, names: list[str]) -> None:
    """Bring a copy up to date; files that are equal keep their time, so that builds are short."""
    wanted = set()
    for name in names:
        source = ROOT / name
        files = [source] if source.is_file() else source.rglob("*")
        wanted |= {path.relative_to(ROOT) for path in files if path.is_file()}
    same_files(ROOT, tree, {path for path in wanted if not is_made(path)})


def is_made(path: Path) -> bool:
    """Whether a file is compiled: it is made again in the copy."""
    return path.suffix in (".so", ".pyc")


def same_files(source: Path, tree: Path, wanted: set[Path] | None = None) -> None:
    """Make the files of a tree those of another one, but for its folder build.

    wanted: relative paths, None = all files.
    """
    if wanted is None:
        wanted = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    for path in wanted:
        target = tree / path
        if target.exists() and target.read_bytes() == (source / path).read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, target)
    for old in tree.rglob("*"):
        path = old.relative_to(tree)
        if old.is_file() and path not in wanted and path.parts[0] != "build" and not is_made(path):
            old.unlink()


def build(target: str, jobs: int) -> None:
    """Build the rule tests of the copy; a fault that does not compile is an error."""
    result = call(["cmake", "--build", str(BUILD), "--target", target, f"-j{jobs}"])
    if result.returncode != 0:
        sys.exit(f"the copy does not build:\n{result.stdout[-3000:]}")


def red_tests(target: str) -> list[str]:
    """Names of the first failing tests; a crash or a test without end counts as one."""
    environment = dict(os.environ, SCHAFKOPF_TEST_SCALE="quick")
    binary = str(BUILD / "tests" / target)
    command = [binary, "--gtest_filter=-Golden.*:Perft.every*", "--gtest_fail_fast"]
    try:
        result = call(command, env=environment, timeout=300)
    except subprocess.TimeoutExpired:
        return ["no end"]
    lines = result.stdout.splitlines()
    names = {line.split("]")[1].split()[0] for line in lines if line.startswith("[  FAILED  ] ")}
    tests = sorted(name.rstrip(",") for name in names if "." in name)
    if not tests and result.returncode != 0:
        return [f"crash with code {result.returncode}"]
    return tests


def places(fault: Fault, root: Path) -> int:
    """How often the text of a fault stands in its file."""
    path = root / fault.file
    return path.read_text().count(fault.old) if path.exists() else 0


def finders(fault: Fault, target: str, jobs: int) -> list[str]:
    """Plant a fault, build, run the tests, take it back; returns which tests find it."""
    path = TREE / fault.file
    sound = path.read_text()
    path.write_text(sound.replace(fault.old, fault.new))
    try:
        build(target, jobs)
        tests = red_tests(target)
    finally:
        path.write_text(sound)
    print(f"{fault.name}: {', '.join(tests[:3]) if tests else 'NOT FOUND'}", flush=True)
    return tests


def key_of(fault: Fault) -> str:
    """What an outcome belongs to: another text is another fault."""
    text = "\0".join((fault.file, fault.old, fault.new))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def told() -> dict[str, str]:
    """Return what the page says: key of a fault, and the test that found it or ""."""
    rows = [line.strip("| ").split(" | ") for line in lines_of(PAGE) if line.startswith("| ")]
    known = {row[1]: row[3].strip("`") for row in rows[1:] if len(row) == 4}  # without the head
    return {key: "" if by == NOBODY else by for key, by in known.items() if by != NOT_TRIED}


def lines_of(page: Path) -> list[str]:
    return page.read_text().splitlines() if page.exists() else []


def report(known: Mapping[str, str]) -> str:
    """Return the page: each fault, and the test that found it."""
    keys = [key_of(fault) for fault in FAULTS]
    tried = [key for key in keys if key in known]
    lines = [
        "# Faults that were written",
        "",
        "`python tests/mutants/run.py --report` writes this page: one fault of `planted/` after "
        "the other is planted in a copy of the engine, and the tests of the rules are asked (quick "
        "scale; golden files and counts left out) until the first is red. What stands here as "
        "found is not tried again, unless with `--again`.",
        "",
        f"{sum(bool(known[key]) for key in tried)} of {len(tried)} were found"
        + (f", {len(keys) - len(tried)} have not been tried." if tried != keys else "."),
        "",
        "| fault | text | file | found by |",
        "|---|---|---|---|",
    ]
    for fault, key in zip(FAULTS, keys, strict=True):
        by = f"`{known[key]}`" if known.get(key) else NOBODY if key in known else NOT_TRIED
        lines.append(f"| {fault.name} | {key} | `{fault.file}` | {by} |")
    return "\n".join(lines) + "\n"


def chosen(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> list[Fault]:
    """The faults of the command line; ends the program where a text is not found exactly once."""
    only = CI_FAULTS if arguments.ci else arguments.only
    # what stands in a header last: everything is built again for it
    ordered = sorted(FAULTS, key=lambda fault: fault.file.endswith(".h"))
    faults = [fault for fault in ordered if not only or fault.name in only]
    names = [fault.name for fault in FAULTS]
    for name in only or []:
        if name not in names:
            parser.error(f"--only {name}: no such fault, allowed: {', '.join(names)}")
    stale = [
        f"{fault.name}: {fault.old!r} stands {places(fault, ROOT)} times in {fault.file}"
        for fault in faults
        if places(fault, ROOT) != 1
    ]
    if arguments.check:
        stale += [
            f"{fault.name} does not stand once in {fault.file}; draw anew: {operators.__file__}"
            for fault in operators.stored()
            if not operators.stands_once(fault)
        ]
        import drawn_run  # which imports this module

        stale += sorted(drawn_run.differences(operators.stored()))
        if "\n".join(lines_of(PAGE)) + "\n" != report(told()):
            stale.append(f"{PAGE.name} is older: python tests/mutants/run.py --report")
    if stale:
        sys.exit("\n".join(stale))
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description="Plant faults and expect red tests.")
    parser.add_argument("--list", action="store_true", help="name the faults and stop")
    parser.add_argument(
        "--check", action="store_true", help="only look for the texts, drawn ones too, and at pages"
    )
    parser.add_argument("--ci", action="store_true", help=f"four faults: {', '.join(CI_FAULTS)}")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these faults only")
    parser.add_argument("--few", action="store_true", help="the tests of --ci, built sooner")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="parallel compilers")
    parser.add_argument(
        "--report",
        action="store_true",
        help=f"write {PAGE.name} as it goes, and leave out what stands there as found",
    )
    parser.add_argument("--again", action="store_true", help="with --report: try all again")
    arguments = parser.parse_args()
    if arguments.report and (arguments.ci or arguments.few):
        parser.error("--report asks all tests: no --ci, no --few")
    if arguments.ci and arguments.only:
        parser.error("--ci has its own faults: no --only")
    if arguments.again and not arguments.report:
        parser.error("--again goes with --report")
    if arguments.jobs < 1:
        parser.error(f"--jobs {arguments.jobs}, allowed: integer from 1")
    faults = chosen(arguments, parser)
    if arguments.report and not arguments.again and not arguments.only:
        known = told()
        faults = [fault for fault in faults if not known.get(key_of(fault))]
    if arguments.list:
        print("\n".join(fault.name for fault in faults))
        return 0
    if arguments.check:
        print(f"{len(faults)} faults, {len(operators.stored())} drawn ones")
        return 0
    copy_tree(TREE, COPIED)
    options = CI_OPTIONS if arguments.ci else OPTIONS
    configured = call(["cmake", "-S", str(TREE), "-B", str(BUILD), "-G", "Ninja", *options])
    if configured.returncode != 0:
        sys.exit(configured.stdout)
    target = TARGETS[arguments.ci or arguments.few]
    build(target, arguments.jobs)
    if red := red_tests(target):
        sys.exit(f"red without a fault: {', '.join(red)}")
    missed = []
    for fault in faults:
        tests = finders(fault, target, arguments.jobs)
        if not tests:
            missed.append(fault.name)
        if arguments.report:  # at once: a run may be stopped at any time
            whole_files.write_text(PAGE, report({**told(), key_of(fault): (tests or [""])[0]}))
    print(f"{len(faults) - len(missed)} of {len(faults)} faults found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
