"""Plant all drawn faults at once, behind a switch, and ask the tests to find one after the other.

Usage: python tests/mutants/drawn_run.py [--rooms ROOM ...] [--part I/N] [--only NAME ...]

Works on a copy in build/mutants/drawn, which is built once: the variable SCHAFKOPF_FAULT of the
environment says which fault is on. Each outcome is a line of build/mutants/drawn.jsonl, and what
stands there is not tried again, so that a run may be stopped at any time, or cut in parts; --report
writes tests/mutants/DRAWN.md of what is there. Exits with 1 if less than 95 % were found.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import run
from operators import ROOT, Drawn, stands_once, stored

HOME = ROOT / "build" / "mutants" / "drawn"
BUILD = HOME / "tree" / "build" / "release"
JOURNAL = ROOT / "build" / "mutants" / "drawn.jsonl"
PAGE = Path(__file__).with_name("DRAWN.md")
COPIED = [
    *("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "pyproject.toml", "run"),
    *("cmake", "configs", "env", "agents", "training", "bindings", "python", "tests"),
]
# As ./run builds the release, so that the compiler cache has the tests; what faults are planted in
# is compiled with less effort, and may warn.
OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DSCHAFKOPF_NATIVE=ON", "-DSCHAFKOPF_WERROR=ON"]
PLANTED_TARGETS = """
foreach(target schafkopf_env schafkopf_agents schafkopf_maxims schafkopf_training _core _training)
  if(TARGET ${target})
    target_compile_options(${target} PRIVATE -O1 -w)
  endif()
endforeach()
"""
SWITCH = "schafkopf_planted_fault"
TIME_LIMIT = 600  # seconds of one test program; more counts as found

# What each room's faults must be found by, one after the other, the likeliest first: names of test
# programs, or files of tests/python.
PROGRAMS = {
    "env": ["rules", "env", "differential"],
    "agents": ["agents"],
    "training": ["training"],
    "bindings": [],
}
PYTHON = {
    "action_arrays": ["test_step_actions", "test_vector_env_torch"],
    "agents": ["test_agents", "test_tournaments", "test_tournament_parts"],
    "card_maps": ["test_card_index"],
    "cards": ["test_game", "test_public_names"],
    "game": ["test_game", "test_house_rules"],
    "keywords": ["test_keyword_docs", "test_wrong_input"],
    "league": ["test_pickles", "test_tournaments"],
    "python_player": ["test_vector_env_players", "test_agents"],
    "rule_tables": ["test_public_names", "test_rules_command", "test_datasets"],
    "sampling": ["test_sample"],
    "search": ["test_search", "test_pickles"],
    "settlement": ["test_house_rules", "test_rules_command"],
    "training": ["test_train_function"],
    "vector_env": ["test_vector_env", "test_vector_env_armour", "test_wrong_input"],
}
REST = ["test_game", "test_vector_env", "test_agents", "test_pickles", "test_wrong_input"]


def key_of(fault: Drawn) -> str:
    """What an outcome belongs to: another text is another fault."""
    text = "\0".join((fault.file, fault.before, fault.old, fault.new, fault.after))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def number_of(fault: Drawn) -> int:
    """What the switch says for a fault: the same in every draw, so that builds stay short."""
    return int(key_of(fault)[:7], 16)


def switched(fault: Drawn) -> str:
    """Return the text with both: what stands there, and the fault where it is on."""
    number = number_of(fault)
    if fault.operator == "statement":
        return f"{fault.before}if ({SWITCH} != {number}) {fault.old}{fault.after}"
    new, old = fault.new, fault.old
    if fault.before.rstrip().endswith(("if (", "while (")):
        new, old = f"static_cast<bool>({new})", f"static_cast<bool>({old})"
    return f"{fault.before}({SWITCH} == {number} ? ({new}) : ({old})){fault.after}"


def plant(tree: Path, faults: list[Drawn]) -> None:
    """Write all faults into the copy, and the switch."""
    texts: dict[Path, str] = {}
    for fault in faults:
        path = tree / fault.file
        text = texts.setdefault(path, path.read_text())
        sound = fault.before + fault.old + fault.after
        assert text.count(sound) == 1, fault.name
        texts[path] = text.replace(sound, switched(fault))
    for path, text in texts.items():
        path.write_text(f'extern "C" int {SWITCH};\n{text}')
    with (tree / "CMakeLists.txt").open("a") as cmake:
        cmake.write(PLANTED_TARGETS)
    (tree / "env" / "base" / "planted_fault.cpp").write_text(  # read before any other constant
        f'#include <cstdlib>\nextern "C" {{ int {SWITCH} = 0; }}\n'
        "[[gnu::constructor(101)]] static void read_planted_fault() {\n"
        '  const char* text = std::getenv("SCHAFKOPF_FAULT");\n'
        f"  if (text != nullptr) {SWITCH} = std::atoi(text);\n}}\n"
    )


def copy_planted(faults: list[Drawn]) -> None:
    """Bring the copy up to date; files that are equal keep their time, so that builds are short."""
    fresh, tree = HOME / "fresh", HOME / "tree"
    run.copy_tree(fresh, COPIED)
    plant(fresh, faults)
    tree.mkdir(parents=True, exist_ok=True)
    run.same_files(fresh, tree)


def commands(fault: Drawn) -> list[list[str]]:
    """Return the test commands of a fault, in order."""
    room, stem = fault.file.split("/")[0], Path(fault.file).stem
    filters = "--gtest_filter=-Golden.*:Perft.every*"
    programs = [
        [f"{BUILD}/tests/schafkopf_{name}_tests", filters, "--gtest_fail_fast", "--gtest_brief=1"]
        for name in PROGRAMS[room]
    ]
    if room != "bindings":
        return programs
    files = list(dict.fromkeys([*PYTHON.get(stem, []), *REST]))
    first = [f"tests/python/{name}.py" for name in files]
    return [[sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *first]]


def first_red(number: int, all_commands: list[list[str]]) -> str:
    """Return what found the fault: a test, a crash, a run without end; "" if nothing did."""
    tree = HOME / "tree"
    environment = dict(os.environ, SCHAFKOPF_TEST_SCALE="quick", SCHAFKOPF_FAULT=str(number))
    environment["PYTHONPATH"] = str(tree / "python")
    for command in all_commands:
        try:
            result = subprocess.run(
                command,
                cwd=tree,
                env=environment,
                text=True,
                errors="replace",
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=TIME_LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"no end ({Path(command[0]).name})"
        if result.returncode != 0:
            lines = [line for line in result.stdout.splitlines() if "FAILED" in line]
            return lines[0][:120] if lines else f"code {result.returncode}"
    return ""


def outcomes() -> dict[str, dict[str, str]]:
    """Return the lines of the journal by key; the last one of a killed run may be cut."""
    found = {}
    for line in JOURNAL.read_text().splitlines() if JOURNAL.exists() else []:
        try:
            outcome = json.loads(line)
        except ValueError:
            continue
        found[outcome["key"]] = outcome
    return found


def report(faults: list[Drawn]) -> str:
    """Return the page: rooms, operators, and what survived."""
    known = outcomes()
    tried = [fault for fault in faults if key_of(fault) in known]
    missed = [fault for fault in tried if not known[key_of(fault)]["by"]]
    lines = [
        "# Faults drawn by mutation operators\n",
        "Written by `python tests/mutants/drawn_run.py --report`. What is drawn stands in "
        "`drawn.json`, the operators in `operators.py`.\n",
        "| room | drawn | tried | found |",
        "|---|---|---|---|",
    ]
    for room in PROGRAMS:
        here = [fault for fault in faults if fault.file.startswith(f"{room}/")]
        lines.append(
            f"| {room} | {len(here)} | {sum(fault in tried for fault in here)} | "
            f"{sum(fault in tried and fault not in missed for fault in here)} |"
        )
    lines.append("\n## Not found\n")
    for fault in missed:
        lines.append(f"* `{fault.name}` in `{fault.file}`: `{fault.old}` became `{fault.new}`")
    return "\n".join([*lines, "" if missed else "None of those tried.\n"])


def chosen(arguments: argparse.Namespace, faults: list[Drawn]) -> list[Drawn]:
    """Return the faults to try."""
    part, parts = (int(number) for number in arguments.part.split("/"))
    known = outcomes()
    return [
        fault
        for number, fault in enumerate(faults, 1)
        if fault.file.split("/")[0] in arguments.rooms
        and number % parts == part % parts
        and (not arguments.only or fault.name in arguments.only)
        and key_of(fault) not in known
    ]


def build(rooms: list[str], jobs: int) -> None:
    """Build what the rooms need; a fault that does not compile is an error."""
    needs_torch = "ON" if {"training", "bindings"} & set(rooms) else "OFF"
    parts = {"TRAINING": needs_torch, "PYTHON": needs_torch, "BENCHMARKS": "OFF"}
    options = [*OPTIONS, *(f"-DSCHAFKOPF_{name}={value}" for name, value in parts.items())]
    targets = sorted({f"schafkopf_{name}_tests" for room in rooms for name in PROGRAMS[room]})
    targets += ["_core", "_training"] if "bindings" in rooms else []
    python = f"-DPython_EXECUTABLE={sys.executable}"
    environment = dict(os.environ, CCACHE_BASEDIR=str(BUILD.parents[1]), CCACHE_NOHASHDIR="1")
    for command in (
        ["cmake", "-S", str(HOME / "tree"), "-B", str(BUILD), "-G", "Ninja", python, *options],
        ["cmake", "--build", str(BUILD), f"-j{jobs}", "--target", *targets],
    ):
        result = run.call(command, env=environment)
        if result.returncode != 0:
            sys.exit(f"the copy does not build:\n{result.stdout[-6000:]}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Ask the tests for the drawn faults.")
    parser.add_argument("--rooms", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS))
    parser.add_argument("--part", default="1/1", metavar="I/N", help="the I-th of N parts")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these faults only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="parallel compilers")
    parser.add_argument("--report", action="store_true", help="write the page and stop")
    parser.add_argument("--plant", action="store_true", help="write the copy and stop")
    arguments = parser.parse_args()
    faults = stored()
    stale = [fault.name for fault in faults if not stands_once(fault)]
    if stale:
        sys.exit(f"stale: {', '.join(stale)}; draw anew: python tests/mutants/operators.py")
    if arguments.report:
        PAGE.write_text(report(faults))
        return 0
    copy_planted(faults)
    if arguments.plant:
        return 0
    build(arguments.rooms, arguments.jobs)
    for room in arguments.rooms:
        sample = next(fault for fault in faults if fault.file.startswith(f"{room}/"))
        if red := first_red(0, commands(sample)):
            sys.exit(f"{room} is red without a fault: {red}")
    for fault in chosen(arguments, faults):
        begin = time.monotonic()
        by = first_red(number_of(fault), commands(fault))
        outcome = {"key": key_of(fault), "name": fault.name, "by": by}
        outcome["seconds"] = round(time.monotonic() - begin, 1)
        with JOURNAL.open("a") as journal:
            journal.write(json.dumps(outcome) + "\n")
        print(f"{fault.name}: {by or 'NOT FOUND'}", flush=True)
    known = [outcome["by"] for outcome in outcomes().values()]
    print(f"{sum(map(bool, known))} of {len(known)} drawn faults found")
    return 0 if sum(map(bool, known)) >= 0.95 * len(known) else 1


if __name__ == "__main__":
    sys.exit(main())
