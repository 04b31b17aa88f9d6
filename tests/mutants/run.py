"""Plant faults in the engine, one after the other, and expect that the rule tests turn red.

Usage: python tests/mutants/run.py [--list] [--only NAME ...] [--jobs N]

Works on a copy in build/mutants; the checkout is not touched. Each fault is one exact replacement
in one file; a text that is not found exactly once is an error, so that a fault cannot fall silent.
The golden files are left out: they would notice any change. Exits with 1 if a fault is not found.
Takes about half a minute per fault and core; not part of ./run test.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "build" / "mutants" / "tree"
BUILD = ROOT / "build" / "mutants" / "build"
COPIED = ["CMakeLists.txt", "cmake", "configs", "env", "tests"]
OPTIONS = [
    "-DCMAKE_BUILD_TYPE=Release",
    "-DCMAKE_CXX_FLAGS_RELEASE=-O1",
    "-DSCHAFKOPF_TRAINING=OFF",
    "-DSCHAFKOPF_PYTHON=OFF",
    "-DSCHAFKOPF_BENCHMARKS=OFF",
]


@dataclass(frozen=True)
class Fault:
    """One planted fault: `old` becomes `new` in `file`."""

    name: str
    file: str
    old: str
    new: str


FAULTS = [
    Fault("win_with_60", "env/settle.cpp", "kMajority = 61", "kMajority = 60"),
    Fault("schneider_free_with_30", "env/settle.cpp", "schneider_lost = 30", "schneider_lost = 29"),
    Fault("laufende_minimum", "env/settle.cpp", "run >= minimum ?", "run > minimum ?"),
    Fault(
        "called_ace_is_discarded",
        "env/play.h",
        "return hand & ~(bound_card(state, hand) & early);",
        "return hand | (bound_card(state, hand) & early);",
    ),
    Fault(
        "searched_ace_stays",
        "env/play.h",
        "return blend(all_if(searched), searched, follow);",
        "return blend(all_if(searched), follow, follow);",
    ),
    Fault(
        "runs_away_with_2_others",
        "env/play.h",
        "all_at_least(count(others), state.run_min)",
        "all_at_least(count(others) + word_like(hand, 1u), state.run_min)",
    ),
    Fault(
        "kontra_times_3",
        "env/settle.cpp",
        "parts.kontra = 1 << outcome.level;",
        "parts.kontra = 1 + 2 * outcome.level;",
    ),
    Fault(
        "partner_pays_with_the_defenders",
        "env/settle.cpp",
        "(declarer ? sign : -sign) * share",
        "(seat == outcome.contract.declarer ? sign : -sign) * share",
    ),
    Fault(
        "dealer_is_forehand",
        "env/game.h",
        "int forehand() const { return (dealer_ + 1) % seats(); }",
        "int forehand() const { return dealer_; }",
    ),
    Fault(
        "next_seat_leads",
        "env/play.h",
        "state.turn = blend(full, state.winner, next & ~all_equal(next, state.seats));",
        "state.turn = next & ~all_equal(next, state.seats);",
    ),
    Fault(
        "view_names_the_partner",
        "env/game_view.cpp",
        "partner_known_ || owns ? owner_ : -1",
        "owner_",
    ),
    Fault(
        "silence_is_public",
        "env/doubling.cpp",
        "  if (action == kActionDouble) {\n    add_event(action);\n",
        "  add_event(action);\n  if (action == kActionDouble) {\n",
    ),
    Fault(
        "equal_game_falls_to_the_later_seat",
        "env/auction.cpp",
        "named_ != kActionPlay && position < holder_",
        "named_ != kActionPlay && position > holder_",
    ),
    Fault("ramsch_tie_falls_to_the_dealer", "env/settle.cpp", "seats - position,", "position,"),
    Fault(
        "leader_is_asked_first",
        "env/doubling.cpp",
        "open_window((forehand() + 1) % n, n);",
        "open_window(forehand(), n);",
    ),
]


def call(command: list[str], **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options
    )


def copy_tree() -> None:
    """Bring the copy up to date; files that are equal keep their time, so that builds are short."""
    wanted = set()
    for name in COPIED:
        source = ROOT / name
        files = (
            [source] if source.is_file() else [path for path in source.rglob("*") if path.is_file()]
        )
        for path in files:
            target = TREE / path.relative_to(ROOT)
            wanted.add(target)
            if target.exists() and target.read_bytes() == path.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    for path in TREE.rglob("*"):
        if path.is_file() and path not in wanted:
            path.unlink()


def build(jobs: int) -> None:
    """Build the rule tests of the copy; a fault that does not compile is an error."""
    result = call(["cmake", "--build", str(BUILD), "--target", "schafkopf_rule_tests", f"-j{jobs}"])
    if result.returncode != 0:
        sys.exit(f"the copy does not build:\n{result.stdout[-3000:]}")


def red_tests() -> list[str]:
    """Names of the failing tests; a crash counts as one."""
    environment = dict(os.environ, SCHAFKOPF_TEST_SCALE="quick")
    binary = str(BUILD / "tests" / "schafkopf_rule_tests")
    result = call([binary, "--gtest_filter=-Golden.*:Perft.*"], env=environment, timeout=600)
    lines = result.stdout.splitlines()
    names = {line.split("]")[1].split()[0] for line in lines if line.startswith("[  FAILED  ] ")}
    tests = sorted(name for name in names if "." in name)
    if not tests and result.returncode != 0:
        return [f"crash with code {result.returncode}"]
    return tests


def is_found(fault: Fault, jobs: int) -> bool:
    path = TREE / fault.file
    sound = path.read_text()
    if sound.count(fault.old) != 1:
        sys.exit(
            f"{fault.name}: {fault.old!r} stands {sound.count(fault.old)} times in {fault.file}"
        )
    path.write_text(sound.replace(fault.old, fault.new))
    try:
        build(jobs)
        tests = red_tests()
    finally:
        path.write_text(sound)
    more = f" and {len(tests) - 3} more" if len(tests) > 3 else ""
    print(f"{fault.name}: {', '.join(tests[:3]) + more if tests else 'NOT FOUND'}", flush=True)
    return bool(tests)


def main() -> int:
    parser = argparse.ArgumentParser(description="Plant faults and expect red tests.")
    parser.add_argument("--list", action="store_true", help="name the faults and stop")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these faults only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="parallel compilers")
    arguments = parser.parse_args()
    faults = [fault for fault in FAULTS if not arguments.only or fault.name in arguments.only]
    if arguments.only and len(faults) != len(set(arguments.only)):
        parser.error(f"unknown fault; known: {', '.join(fault.name for fault in FAULTS)}")
    if arguments.list:
        print("\n".join(fault.name for fault in faults))
        return 0
    copy_tree()
    configured = call(["cmake", "-S", str(TREE), "-B", str(BUILD), "-G", "Ninja", *OPTIONS])
    if configured.returncode != 0:
        sys.exit(configured.stdout)
    build(arguments.jobs)
    if red := red_tests():
        sys.exit(f"red without a fault: {', '.join(red)}")
    missed = [fault.name for fault in faults if not is_found(fault, arguments.jobs)]
    print(f"{len(faults) - len(missed)} of {len(faults)} faults found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
