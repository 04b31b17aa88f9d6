"""The short form of `./run faults`: each fault once, each kind of work at least once; and the suite
itself finds work that is lost."""

import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))

from faults import __main__ as command  # noqa: E402
from faults import report, shim  # noqa: E402
from faults.elsewhere import ELSEWHERE  # noqa: E402
from faults.injected import FAULTS  # noqa: E402
from faults.running import Case  # noqa: E402
from faults.subjects import SUBJECTS, Subject  # noqa: E402

# The trainer starts soonest; of the others what is their own.
SHORT = {
    "training": [fault.name for fault in FAULTS if fault.name not in ("kill", "kill-worker")],
    "curriculum": ["kill-change"],
    "tournament": ["kill", "flip", "SIGTERM"],
    "league": ["kill-change"],
    "ladder": ["kill-change"],
    "dataset": ["kill-change", "flip"],
    "workers": ["kill-worker"],
    "table": ["kill-change"],
    "export": ["full"],
}
FAULT = {fault.name: fault for fault in FAULTS}
SUBJECT = {subject.name: subject for subject in SUBJECTS}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return shim.built(tmp_path_factory.mktemp("shim"))


@pytest.fixture(scope="module")
def cases(tmp_path_factory, library):
    made = {}

    def case_of(subject):
        if subject.name not in made:
            folder = tmp_path_factory.mktemp("faults") / subject.name
            made[subject.name] = Case(subject, folder, library)
        return made[subject.name]

    return case_of


@pytest.mark.parametrize(
    ("subject", "fault"), [(subject, fault) for subject in SHORT for fault in SHORT[subject]]
)
def test_nothing_is_lost(cases, subject, fault):
    if lacks := SUBJECT[subject].missing():
        pytest.skip(lacks)
    case = cases(SUBJECT[subject])
    for number in range(3):  # another moment or place where nothing happened
        row = command.put(case, FAULT[fault], seed=1, number=number)
        if row.kind != "missed":
            break
    if row.kind == "skipped":
        pytest.skip(row.text)
    assert row.kind == "held", row.text


# ---- the suite itself

CAREFUL = """
    import os, sys
    work, steps = sys.argv[1], 6
    os.makedirs(work, exist_ok=True)
    last = work + "/state"
    done = int(open(last).read()) if os.path.exists(last) else 0
    for i in range(done, steps):
        try:
            with open(last + ".new", "w") as file:
                file.write(str(i + 1))
            os.replace(last + ".new", last)
        except OSError as error:
            sys.exit(f"schafkopf: {last}: {error.strerror}")
"""
HASTY = CAREFUL.replace('last + ".new", "w"', 'last, "w"').replace(
    'os.replace(last + ".new", last)', "pass"
)
SPEECHLESS = CAREFUL.replace('sys.exit(f"schafkopf: {last}: {error.strerror}")', "sys.exit(1)")
LOUD = CAREFUL.replace('sys.exit(f"schafkopf: {last}: {error.strerror}")', "raise")
OTHERWISE = CAREFUL.replace("str(i + 1)", 'str(i + 1) + " " * (done > 0)')


def subject_of(program):
    run = (sys.executable, "-S", "-c", textwrap.dedent(program), "{work}")
    return Subject("made-up", "counts to six", run, run, "work", left_out=("*.new",))


@pytest.mark.parametrize(
    ("program", "fault", "kind", "words"),
    [
        (CAREFUL, "kill-change", "held", "as undisturbed"),
        (CAREFUL, "full", "held", "one message"),
        (CAREFUL, "short", "held", "as undisturbed"),
        (HASTY, "kill-change", "LOST", "Traceback"),
        (HASTY, "full", "LOST", "Traceback"),
        (OTHERWISE, "kill-change", "LOST", "other than undisturbed"),
        (SPEECHLESS, "full", "LOST", "0 messages"),
        (LOUD, "eio", "LOST", "Traceback"),
    ],
    ids=["careful", "full", "short", "hasty", "hasty_full", "otherwise", "speechless", "loud"],
)
def test_the_suite_finds_what_is_lost(tmp_path, library, program, fault, kind, words):
    if library is None:
        pytest.skip("no C compiler")
    case = Case(subject_of(program), tmp_path / "case", library)
    rows = [command.put(case, FAULT[fault], seed=1, number=number) for number in range(8)]
    found = [row for row in rows if row.kind == "LOST"]
    assert bool(found) == (kind == "LOST"), rows
    happened = [row for row in rows if row.kind in ("held", "LOST")]
    assert len(happened) >= 4 and {row.kind for row in rows} <= {"held", "LOST", "missed"}, rows
    assert any(words in row.text for row in found or happened), rows
    for row in rows:
        report.append(tmp_path / "rows", row)
    page = report.page(report.read(tmp_path / "rows"))
    assert page == report.page(rows)
    assert f"{len(happened)} faults, {len(found)} of which lost something" in page


@pytest.mark.parametrize("fault", ["kill-change", "full", "eio"])
def test_a_fault_that_did_not_happen_is_not_counted(tmp_path, library, fault):
    if library is None:
        pytest.skip("no C compiler")
    case = Case(subject_of(CAREFUL), tmp_path / "case", library)
    case.reference.changes *= 10**6  # the work is over long before
    row = command.put(case, FAULT[fault], seed=1, number=0)
    assert row.kind == "missed", row
    kept = report.Row("training", fault, "missed", row.text, row.seconds)
    page = report.page([kept])
    assert "0 faults, 0 of which lost something" in page and f"| {fault} | missed |" in page
    assert f"| {fault} | 1 |" in report.page([kept, replace(kept, kind="held")])


def test_faults_come_in_turn_and_none_is_listed_before_its_time():
    faults = [FAULT["kill"], FAULT["clock"]]
    assert not FAULT["clock"].repeats
    turns = command.rounds(faults, 3)
    assert next(turns) == (0, FAULT["kill"])  # a list of a million turns is a gigabyte
    assert [(i, fault.name) for i, fault in turns] == [(0, "clock"), (1, "kill"), (2, "kill")]


def test_the_tests_of_other_faults_are_there():
    for one in ELSEWHERE:
        for test in one.tests:
            file, _, name = test.partition("::")
            assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), test
