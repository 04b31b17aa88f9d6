"""Plant all drawn faults at once, behind a switch, and ask the tests to find one after the other.

Usage: python tests/mutants/drawn_run.py [--rooms ROOM ...] [--part I/N] [--only NAME ...]

Works on a copy in build/mutants/drawn, which is built once: the variable SCHAFKOPF_FAULT of the
environment says which fault is on. Each outcome is a line of build/mutants/drawn.jsonl, and what
stands there or in outcomes.json is not tried again, so that a run may be stopped at any time, or
cut in parts; --report writes both into tests/mutants/outcomes.json, and DRAWN.md of it. Every
command of tests is asked once without a fault, and has to be green then. Exits with 1 if less than
95 % were found, or a command ran no test.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import run
import whole_files
from operators import ROOT, Drawn, equal_ones, stands_once, stored

HOME = ROOT / "build" / "mutants" / "drawn"
BUILD = HOME / "tree" / "build" / "release"
JOURNAL = ROOT / "build" / "mutants" / "drawn.jsonl"
PAGE = Path(__file__).with_name("DRAWN.md")
OUTCOMES = Path(__file__).with_name("outcomes.json")  # of what is drawn: name, key, by
COPIED = [
    *("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "pyproject.toml", "run"),
    *("cmake", "configs", "env", "agents", "training", "bindings", "python", "tests"),
]
# As ./run builds the release, so that the compiler cache has the tests; what faults are planted in
# is compiled with less effort, and may warn.
OPTIONS = ["-DCMAKE_BUILD_TYPE=Release", "-DSCHAFKOPF_NATIVE=ON", "-DSCHAFKOPF_WERROR=ON"]
OPTIONS += ["-DSCHAFKOPF_BENCHMARKS=OFF"]
PLANTED_TARGETS = """
foreach(target schafkopf_env schafkopf_agents schafkopf_maxims schafkopf_training _core _training)
  if(TARGET ${target})
    target_compile_options(${target} PRIVATE -O1 -w)
  endif()
endforeach()
"""
LEFT_OUT = "-Golden.*:Perft.every*"  # they would notice any change
SWITCH = "schafkopf_planted_fault"
# Seconds of processor of one test program, and of pytest; more counts as found: without end.
TIME_LIMIT, PYTHON_LIMIT = 60, 200
# Exit codes of what ran no test: of bash (not to be started, not there), of pytest (wrong usage as
# a file that is not there, nothing collected). They say nothing about a fault.
NOT_STARTED, NO_TESTS = (126, 127), (4, 5)

WRITE = "./run mutants --report"
TRY = f"./run mutants --only NAME, then {WRITE}"

# What each room's faults must be found by, one after the other: names of test programs, first the
# suites of files that include the header of the source, and then files of tests/python, those of a
# source or its folder before those of its room.
PROGRAMS = {
    "env": ["rules", "env", "differential", "agents"],
    "agents": ["agents"],
    "training": ["training"],
    "bindings": [],
}
PYTHON = {
    "bindings/action_arrays": ["batch/test_step_actions", "batch/test_vector_env_torch"],
    "bindings/agents": [
        "players/test_agents",
        "players/test_tournament_settings",
        "players/test_tournament_players",
        "players/test_tournament_resume",
        "players/test_tournament_results",
        "players/test_tournament_parts",
    ],
    "bindings/card_maps": ["game/test_card_index"],
    "bindings/cards": ["game/test_game", "project/test_public_names"],
    "bindings/deal": ["batch/test_sample", "game/test_wrong_input"],
    "bindings/game": ["game/test_game", "game/test_house_rules"],
    "bindings/keywords": ["project/test_keyword_docs", "game/test_wrong_input"],
    "bindings/league": ["game/test_pickles", "players/test_league_days"],
    "bindings/python_player": ["batch/test_vector_env_players", "players/test_agents"],
    "bindings/rule_tables": [
        "game/test_rule_tables",
        "players/test_engine_answers",
        "project/test_public_names",
        "commands/test_rules_command",
        "datasets/test_datasets",
        "datasets/test_dataset_imports",
    ],
    "bindings/rules": ["game/test_house_rules", "commands/test_rules_command"],
    "bindings/sampling": ["batch/test_sample"],
    "bindings/search": ["players/test_search", "game/test_pickles"],
    "bindings/session": ["game/test_pickles", "game/test_house_rules"],
    "bindings/settlement": ["game/test_house_rules", "commands/test_rules_command"],
    "bindings/training": ["training/test_train_function"],
    "bindings/vector_env": [
        "batch/test_vector_env",
        "batch/test_vector_env_armour",
        "game/test_wrong_input",
    ],
    "bindings/views": ["batch/test_vector_env", "game/test_wrong_input"],
    "agents/tournament/calibration": ["players/test_bidding"],
    "env/record/entered_result": ["commands/test_rules_command"],
    "training/config/programs": ["training/test_train"],
    "env/vector": ["batch/test_vector_env_players"],
}
PYTHON_OF_ROOM = {
    "env": ["game/test_game", "batch/test_vector_env", "commands/test_rules_command"],
    "agents": [
        "players/test_agents",
        "players/test_search",
        "players/test_tournament_settings",
        "players/test_tournament_results",
        "players/test_tournament_resume",
        "players/test_tournament_players",
        "players/test_league_days",
    ],
    "training": ["training/test_train_function"],
    "bindings": [
        "game/test_game",
        "batch/test_vector_env",
        "players/test_agents",
        "game/test_pickles",
        "game/test_wrong_input",
    ],
}


# What a fault that no test found at first would change for a user, by its name.
CHANGES = json.loads(Path(__file__).with_name("changes.json").read_text())


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


def suites_near(fault: Drawn, room: str) -> list[str]:
    """Return the suites of a room of tests whose files include the header of a fault's source.

    If there is none: whose files include a header of its folder.
    """
    source = Path(fault.file)
    texts = [path.read_text() for path in sorted((ROOT / "tests/cpp" / room).glob("*_test.cpp"))]
    of_folder = sorted((ROOT / source.parent).glob("*.h"))
    own = [header for header in of_folder if source.stem.startswith(header.stem)]
    for headers in (own, of_folder):
        lines = [f'#include "{header.relative_to(ROOT)}"' for header in headers]
        near = [text for text in texts if any(line in text for line in lines)]
        if near:
            break
    suites = re.findall(r"^TEST(?:_[FP])?\((\w+),", "\n".join(near), re.MULTILINE)
    return list(dict.fromkeys(suites))


def commands(fault: Drawn) -> list[list[str]]:
    """Return the test commands of a fault, in order."""
    room = fault.file.split("/")[0]
    near, programs = [], []
    for name in PROGRAMS[room]:
        program = f"{BUILD}/tests/schafkopf_{name}_tests"
        options = ["--gtest_fail_fast", "--gtest_brief=1"]
        if suites := suites_near(fault, name):
            tests = ":".join(f"*{suite}.*:*{suite}/*" for suite in suites)
            near.append([program, f"--gtest_filter={tests}{LEFT_OUT}", *options])
        programs.append([program, f"--gtest_filter=*{LEFT_OUT}", *options])
    source = str(Path(fault.file).with_suffix(""))
    folder = str(Path(fault.file).parent)
    names = dict.fromkeys([*PYTHON.get(source, []), *PYTHON.get(folder, []), *PYTHON_OF_ROOM[room]])
    files = [f"tests/python/{name}.py" for name in names]
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files]
    return [*near, *programs, pytest]


class NoAnswer(Exception):
    """A command ran no test."""


def red(number: int, command: Sequence[str]) -> str:
    """Return what a command found with a fault on: a test, a crash, no end; "" if nothing.

    Raises NoAnswer.
    """
    tree = HOME / "tree"
    environment = dict(os.environ, SCHAFKOPF_TEST_SCALE="quick", SCHAFKOPF_FAULT=str(number))
    environment["PYTHONPATH"] = str(tree / "python")
    is_python = command[0] == sys.executable
    limit = PYTHON_LIMIT if is_python else TIME_LIMIT
    result = run.call(
        ["bash", "-c", f'ulimit -t {limit}; exec "$@"', "bash", *command],
        cwd=tree,
        env=environment,
        errors="replace",
    )
    if result.returncode in (*NOT_STARTED, *(NO_TESTS if is_python else ())):
        said = result.stdout.strip()[-300:]
        raise NoAnswer(f"code {result.returncode} of {' '.join(command)}: {said}")
    if result.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"no end ({Path(command[0]).name})"
    if result.returncode == 0:
        return ""
    lines = re.findall(r"^(?:ERROR |FAILED |.*\[  FAILED).*", result.stdout, re.MULTILINE)
    return lines[0][:120] if lines else f"code {result.returncode}"


def first_red(number: int, all_commands: list[list[str]], green: set[tuple[str, ...]]) -> str:
    """Return what found the fault, "" if nothing did.

    green: commands that are green without a fault; each other one is asked for that before.
    """
    for command in all_commands:
        if tuple(command) not in green:
            try:
                found = red(0, command)
            except NoAnswer as error:
                sys.exit(f"without a fault no test ran: {error}")
            if found:
                sys.exit(f"red without a fault: {found} ({' '.join(command)})")
            green.add(tuple(command))
        if found := red(number, command):
            return found
    return ""


def told() -> dict[str, dict[str, str]]:
    """Return the outcomes that the page is of, by key."""
    return {outcome["key"]: outcome for outcome in json.loads(OUTCOMES.read_text())}


def outcomes() -> dict[str, dict[str, str]]:
    """Return these and the lines of the journal; the last one of a killed run may be cut."""
    found = told()
    for line in JOURNAL.read_text().splitlines() if JOURNAL.exists() else []:
        try:
            outcome = json.loads(line)
        except ValueError:
            continue
        found[outcome["key"]] = outcome
    return found


def differences(faults: list[Drawn]) -> list[str]:
    """Return what the page, the outcomes and changes.json have otherwise than drawn.json."""
    drawn, known = {key_of(fault): fault.name for fault in faults}, told()
    return [
        *(f"{drawn[key]}: drawn, and not tried: {TRY}" for key in drawn.keys() - known.keys()),
        *(
            f"{known[key]['name']}: in {OUTCOMES.name}, and not drawn: {WRITE}"
            for key in known.keys() - drawn.keys()
        ),
        *(
            f"{name}: in changes.json, and not drawn: take it out"
            for name in CHANGES.keys() - set(drawn.values())
        ),
        *([] if PAGE.read_text() == report(faults, known) else [f"{PAGE.name} is older: {WRITE}"]),
    ]


def report(faults: list[Drawn], known: dict[str, dict[str, str]]) -> str:
    """Return the page: rooms, what survived, and what turned out to be no fault."""
    tried = [fault for fault in faults if key_of(fault) in known]
    missed = [fault for fault in tried if not known[key_of(fault)]["by"]]
    lines = [
        "# Faults drawn by mutation operators\n",
        "Written by `python tests/mutants/drawn_run.py --report`. What is drawn stands in "
        "`drawn.json`, the operators in `operators.py`.\n",
        "| room | drawn | tried | found |",
        "|---|---|---|---|",
    ]
    for room in [*PROGRAMS, ""]:
        here = [fault for fault in faults if fault.file.startswith(room)]
        asked = [fault for fault in here if fault in tried]
        found = len([fault for fault in asked if fault not in missed])
        lines.append(f"| {room or 'all'} | {len(here)} | {len(asked)} | {found} |")
    at_first = [fault for fault in tried if fault not in missed and fault.name in CHANGES]
    for title, some in (("Not found", missed), ("Found since a test was written", at_first)):
        lines.append(f"\n## {title}\n")
        lines += [
            f"* `{fault.name}` {became(fault)}: {CHANGES.get(fault.name, 'not looked into yet')}"
            for fault in some
        ]
        lines += [] if some else ["None of those tried."]
    lines += [
        "\n## Equal\n",
        "Drawn, and no fault: no input can tell these from the sources. Others were drawn "
        "instead.\n",
    ]
    lines += [f"* `{fault.name}` {became(fault)}: {reason}" for fault, reason in equal_ones()]
    return "\n".join(lines) + "\n"


def became(fault: Drawn) -> str:
    """Return what the fault is, on one line."""
    old, new = (" ".join(text.split()) for text in (fault.old, fault.new))
    change = f"`{old}` became `{new}`" if new else f"without `{old}`"
    return f"in `{fault.file}`, {change}"


def chosen(arguments: argparse.Namespace, faults: list[Drawn]) -> list[Drawn]:
    """Return the faults to try."""
    part, parts = arguments.part
    known = outcomes()
    return [
        fault
        for number, fault in enumerate(faults, 1)
        if fault.file.split("/")[0] in arguments.rooms
        and number % parts == part % parts
        and (not arguments.only or fault.name in arguments.only)
        and (arguments.only or arguments.again or key_of(fault) not in known)
    ]


def share_of(text: str) -> tuple[int, int]:
    """Return I and N of "I/N"."""
    number, _, parts = text.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r}, allowed: I/N with I from 1 to N")
    return int(number), int(parts)


def build(rooms: list[str], jobs: int) -> None:
    """Build what the rooms need; a fault that does not compile is an error."""
    targets = sorted({f"schafkopf_{name}_tests" for room in rooms for name in PROGRAMS[room]})
    targets += ["_core", *(["_training"] if {"training", "bindings"} & set(rooms) else [])]
    python = f"-DPython_EXECUTABLE={sys.executable}"
    environment = dict(os.environ, CCACHE_BASEDIR=str(BUILD.parents[1]), CCACHE_NOHASHDIR="1")
    for command in (
        ["cmake", "-S", str(HOME / "tree"), "-B", str(BUILD), "-G", "Ninja", python, *OPTIONS],
        ["cmake", "--build", str(BUILD), f"-j{jobs}", "--target", *targets],
    ):
        result = run.call(command, env=environment)
        if result.returncode != 0:
            sys.exit(f"the copy does not build:\n{result.stdout[-6000:]}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Ask the tests for the drawn faults.")
    parser.add_argument("--rooms", nargs="+", default=list(PROGRAMS), choices=list(PROGRAMS))
    parser.add_argument(
        "--part", type=share_of, default=(1, 1), metavar="I/N", help="the I-th of N"
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these faults only, once more")
    parser.add_argument(
        "--again", action="store_true", help="also those of which it is known who finds them"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="parallel compilers")
    parser.add_argument("--report", action="store_true", help="write the page and stop")
    parser.add_argument(
        "--built", action="store_true", help="the copy is built: for parts at the same time"
    )
    parser.add_argument("--plant", action="store_true", help="write the copy and stop")
    arguments = parser.parse_args()
    faults = stored()
    names = {fault.name for fault in faults}
    for name in arguments.only or []:
        if name not in names:
            parser.error(f"--only {name}: no such fault, allowed: those of {PAGE.name}")
    if arguments.jobs < 1:
        parser.error(f"--jobs {arguments.jobs}, allowed: integer from 1")
    stale = [fault.name for fault in faults if not stands_once(fault)]
    if stale:
        sys.exit(f"stale: {', '.join(stale)}; draw anew: python tests/mutants/operators.py")
    if arguments.report:
        known = outcomes()
        tried = [known[key_of(fault)] for fault in faults if key_of(fault) in known]
        rows = [{key: one[key] for key in ("name", "key", "by")} for one in tried]
        whole_files.write_text(OUTCOMES, json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
        whole_files.write_text(PAGE, report(faults, known))
        return 0
    if not arguments.built:
        copy_planted(faults)
    if arguments.plant:
        return 0
    if not arguments.built:
        build(arguments.rooms, arguments.jobs)
    green: set[tuple[str, ...]] = set()
    unanswered = 0
    for fault in chosen(arguments, faults):
        begin = time.monotonic()
        try:
            by = first_red(number_of(fault), commands(fault), green)
        except NoAnswer as error:  # it is tried again by the next call
            unanswered += 1
            print(f"{fault.name}: NO ANSWER, {error}", flush=True)
            continue
        seconds = round(time.monotonic() - begin, 1)
        outcome = {"key": key_of(fault), "name": fault.name, "by": by, "seconds": seconds}
        with JOURNAL.open("a") as journal:
            journal.write(json.dumps(outcome) + "\n")
        print(f"{fault.name}: {by or 'NOT FOUND'}", flush=True)
    known = outcomes()
    tried = [known[key_of(fault)] for fault in faults if key_of(fault) in known]
    found = sum(bool(outcome["by"]) for outcome in tried)
    print(f"{found} of {len(tried)} drawn faults found")
    return 0 if found >= 0.95 * len(tried) and not unanswered else 1


if __name__ == "__main__":
    sys.exit(main())
