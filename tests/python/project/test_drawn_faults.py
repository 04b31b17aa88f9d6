"""The mutation operators of tests/mutants, and the stamps of tests/tidy.py."""

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SOURCE = """// a comment with a < b and 7
int settle(int points, bool won) {
  total += points;
  if (points >= 61 && won) return points + 1;
  const std::string text = "x < 3";
  return std::max(points, 30);
}
constexpr int twice(int points) {
  return points * 2;
}
"""


@pytest.fixture
def operators(monkeypatch, tmp_path):
    """Return the module, over a tree of one source."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "mutants"))
    sys.modules.pop("operators", None)
    import operators

    (tmp_path / "env").mkdir()
    (tmp_path / "env" / "one.cpp").write_text(SOURCE)
    monkeypatch.setattr(operators, "ROOT", tmp_path)
    return operators


def test_operators_change_code_and_neither_comments_nor_texts(operators):
    found = {(fault.old, fault.new) for fault in operators.candidates("env/one.cpp")}
    assert found == {
        ("total += points;", ""),
        ("points >= 61 && won", "points > 61 && won"),
        ("points >= 61 && won", "points >= 62 && won"),
        ("points >= 61 && won", "points >= 61 || won"),
        ("points + 1", "points - 1"),
        ("points + 1", "points + 2"),
        ("std::max(points, 30)", "std::min(points, 30)"),
        ("std::max(points, 30)", "std::max(points, 31)"),
    }


def test_a_seed_draws_the_same_faults_which_do_not_touch(operators):
    drawn = operators.draw(3, [], {"env": 3})
    assert drawn == operators.draw(3, [], {"env": 3}) != operators.draw(4, [], {"env": 3})
    assert all(operators.stands_once(fault) for fault in drawn)
    assert len({fault.name for fault in drawn}) == 3
    with pytest.raises(ValueError, match="env: 9 faults are wanted, the operators make 3"):
        operators.draw(3, [], {"env": 9})
    kept = random.Random(1).sample(drawn, 2)
    assert operators.draw(5, kept, {"env": 3})[:2] == kept


def test_what_is_no_fault_is_not_drawn_again(operators):
    first, *kept = operators.draw(3, [], {"env": 3})
    (other,) = set(operators.draw(3, kept, {"env": 3}, [first])) - set(kept)
    assert (other.old, other.new) != (first.old, first.new) and other.name != first.name


def test_what_the_compiler_refuses_is_replaced_by_the_next_draw(operators, monkeypatch):
    monkeypatch.setattr(operators, "QUOTAS", {"env": 3})
    first, *others = operators.draw(3, [], {"env": 3})
    asked = []

    def refuses(fault):
        asked.append((fault.old, fault.new))
        return "error: always true" if (fault.old, fault.new) == (first.old, first.new) else ""

    drawn = operators.draw_compiling(3, [], [], refuses)
    assert len(drawn) == 3 and set(others) <= set(drawn) and first not in drawn
    assert len(asked) == 4  # what was kept is not asked again


def test_the_compiler_is_asked_with_the_warnings_of_the_source(operators, tmp_path):
    (fault,) = [one for one in operators.candidates("env/one.cpp") if one.new == "points - 1"]
    source = tmp_path / "env" / "one.cpp"
    source.write_text(
        SOURCE.replace("  total += points;\n", "").split("const std")[0] + "return 0;}"
    )
    words = "g++ -Wunused-value -o one.o -c one.cpp"
    commands = [{"file": str(source), "command": words, "directory": str(tmp_path)}]
    assert operators.refused(fault, commands) == ""
    bad = operators.replace(fault, new="points, 1")
    assert "left operand of comma operator has no effect" in operators.refused(bad, commands)
    assert operators.refused(bad, []) == ""


def test_page_outcomes_and_changes_are_of_what_is_drawn(operators, monkeypatch, tmp_path):
    import drawn_run

    faults = operators.draw(3, [], {"env": 3})
    for name in ("OUTCOMES", "PAGE", "JOURNAL"):
        monkeypatch.setattr(drawn_run, name, tmp_path / name)
    monkeypatch.setattr(drawn_run, "CHANGES", {faults[0].name: "a price is another one"})
    monkeypatch.setattr(drawn_run, "stored", lambda: faults)
    monkeypatch.setattr(sys, "argv", ["drawn_run.py", "--report"])
    drawn_run.OUTCOMES.write_text("[]")
    rows = [
        {"key": drawn_run.key_of(fault), "name": fault.name, "by": "a test", "seconds": 1.0}
        for fault in faults
    ]
    drawn_run.JOURNAL.write_text("".join(json.dumps(row) + "\n" for row in rows[:2]))
    assert drawn_run.main() == 0
    (missing,) = drawn_run.differences(faults)
    assert missing.startswith(f"{faults[2].name}: drawn, and not tried")
    drawn_run.JOURNAL.write_text(json.dumps(rows[2]) + "\n")  # the others are known already
    assert drawn_run.main() == 0 and drawn_run.differences(faults) == []
    assert f"* `{faults[0].name}`" in drawn_run.PAGE.read_text()
    gone = drawn_run.differences(faults[1:])
    assert [text.split(":")[0] for text in gone] == [
        faults[0].name,
        faults[0].name,
        "PAGE is older",
    ]
    assert "in OUTCOMES, and not drawn" in gone[0] and "in changes.json, and not drawn" in gone[1]


def test_the_suites_that_include_a_header_are_asked_first(operators, monkeypatch):
    import drawn_run

    monkeypatch.setattr(drawn_run, "ROOT", ROOT)
    fault = operators.Drawn("", "logic", "env/session/league.cpp", "", "a", "b", "")
    assert drawn_run.suites_near(fault, "env") == ["League"]
    filters = [command[1] for command in drawn_run.commands(fault)]
    near = filters.index("--gtest_filter=*League.*:*League/*" + drawn_run.LEFT_OUT)
    assert near < filters.index("--gtest_filter=*" + drawn_run.LEFT_OUT)


def tried(monkeypatch, codes, command, text=""):
    """Ask a command for fault 7; codes: what it ends with, by the fault that is on."""
    import drawn_run

    asked = []

    def call(words, **options):
        asked.append(int(options["env"]["SCHAFKOPF_FAULT"]))
        return subprocess.CompletedProcess(words, codes[asked[-1]], stdout=text)

    monkeypatch.setattr(drawn_run.run, "call", call)
    return drawn_run.first_red(7, [command], set()), asked


PYTEST, PROGRAM = [sys.executable, "-m", "pytest"], ["schafkopf_env_tests"]


@pytest.mark.parametrize(
    ("command", "code", "found"),
    [
        (PYTEST, 0, ""),
        (PYTEST, 1, "FAILED test_game.py::test_a"),
        (PYTEST, 2, "FAILED test_game.py::test_a"),
        (PROGRAM, 1, "FAILED test_game.py::test_a"),
        (PROGRAM, -signal.SIGXCPU, "no end (schafkopf_env_tests)"),
        (PYTEST, 4, None),
        (PYTEST, 5, None),
        (PYTEST, 127, None),
        (PROGRAM, 126, None),
        (PROGRAM, 127, None),
    ],
)
def test_a_fault_is_found_by_a_test_and_not_where_none_ran(
    operators, monkeypatch, command, code, found
):
    import drawn_run

    text = "FAILED test_game.py::test_a\n"
    if found is None:
        with pytest.raises(drawn_run.NoAnswer, match=f"code {code} of"):
            tried(monkeypatch, {0: 0, 7: code}, command, text)
    else:
        assert tried(monkeypatch, {0: 0, 7: code}, command, text) == (found, [0, 7])


@pytest.mark.parametrize("code", [1, 4, 127])
def test_what_is_not_green_without_a_fault_is_asked_for_none(operators, monkeypatch, code):
    with pytest.raises(SystemExit, match="without a fault"):
        tried(monkeypatch, {0: code}, PYTEST)


def test_what_was_green_without_a_fault_is_not_asked_again(operators, monkeypatch):
    import drawn_run

    numbers, green = [], set()
    monkeypatch.setattr(drawn_run, "red", lambda number, _: numbers.append(number) or "")
    for number in (7, 8):
        assert drawn_run.first_red(number, [PYTEST, PROGRAM], green) == ""
    assert numbers == [0, 7, 0, 7, 8, 8]


def test_a_fault_without_an_answer_is_tried_again_and_is_no_success(
    operators, monkeypatch, tmp_path, capsys
):
    import drawn_run

    faults = operators.draw(3, [], {"env": 3})
    for name in ("OUTCOMES", "JOURNAL"):
        monkeypatch.setattr(drawn_run, name, tmp_path / name)
    drawn_run.OUTCOMES.write_text("[]")
    monkeypatch.setattr(drawn_run, "stored", lambda: faults)
    monkeypatch.setattr(drawn_run, "stands_once", lambda _: True)
    monkeypatch.setattr(drawn_run, "copy_planted", lambda _: None)
    monkeypatch.setattr(drawn_run, "build", lambda *_: None)
    monkeypatch.setattr(drawn_run, "commands", lambda _: [PYTEST])
    codes = {0: 0} | {drawn_run.number_of(fault): 1 for fault in faults}
    codes[drawn_run.number_of(faults[1])] = 5
    monkeypatch.setattr(
        drawn_run.run,
        "call",
        lambda words, **options: subprocess.CompletedProcess(
            words, codes[int(options["env"]["SCHAFKOPF_FAULT"])], stdout=""
        ),
    )
    monkeypatch.setattr(sys, "argv", ["drawn_run.py", "--rooms", "env"])
    assert drawn_run.main() == 1
    said = capsys.readouterr().out
    assert f"{faults[1].name}: NO ANSWER, code 5" in said and "2 of 2 drawn faults found" in said
    assert drawn_run.key_of(faults[1]) not in drawn_run.outcomes()
    codes[drawn_run.number_of(faults[1])] = 1
    assert drawn_run.main() == 0
    assert "3 of 3 drawn faults found" in capsys.readouterr().out


def test_a_planted_fault_stands_behind_its_switch(operators, tmp_path):
    import drawn_run

    (tmp_path / "env" / "base").mkdir()
    (tmp_path / "CMakeLists.txt").write_text("")
    faults = operators.draw(3, [], {"env": 3})
    drawn_run.plant(tmp_path, faults)
    planted = (tmp_path / "env" / "one.cpp").read_text()
    for fault in faults:
        number = drawn_run.number_of(fault)
        assert f"schafkopf_planted_fault {'!=' if not fault.new else '=='} {number}" in planted
        assert fault.old in planted and fault.new in planted


def test_a_file_is_looked_at_again_when_a_header_of_it_changes(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "tests"))
    import tidy

    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    (tmp_path / ".clang-tidy").write_text("Checks: x")
    (tmp_path / "env").mkdir()
    source, header = tmp_path / "env" / "a.cpp", tmp_path / "env" / "b.h"
    source.write_text('#include "env/b.h"\n#include <vector>\n')
    header.write_text('#include "c.h"\n')
    (tmp_path / "env" / "c.h").write_text("int c;\n")
    before = tidy.key_of(source, "c++", "19")
    assert tidy.key_of(source, "c++", "19") == before
    (tmp_path / "env" / "c.h").write_text("int d;\n")
    after = tidy.key_of(source, "c++", "19")
    (tmp_path / ".clang-tidy").write_text("Checks: y")
    keys = [before, after, tidy.key_of(source, "c++", "19"), tidy.key_of(source, "c++", "20")]
    assert len(set(keys)) == 4


def test_the_page_of_written_faults_says_who_found_them_and_is_read_again(
    operators, monkeypatch, tmp_path
):
    import run

    monkeypatch.setattr(run, "PAGE", tmp_path / "page.md")
    assert run.told() == {}
    first, second, third = run.FAULTS[:3]
    known = {run.key_of(first): "Rows.R_001_a", run.key_of(second): ""}
    page = run.report(known)
    assert f"1 of 2 were found, {len(run.FAULTS) - 2} have not been tried." in page
    for fault, by in ((first, "`Rows.R_001_a`"), (second, "**nothing**"), (third, "not tried")):
        assert f"| {fault.name} | {run.key_of(fault)} | `{fault.file}` | {by} |" in page
    run.PAGE.write_text(page)
    assert run.told() == known
    assert run.report({run.key_of(fault): "T.a" for fault in run.FAULTS}).count("| not tried") == 0


def test_the_faults_of_ci_stand_in_sources_that_are_built_alone(operators):
    import run

    files = {fault.name: fault.file for fault in run.FAULTS}
    assert {Path(files[name]).suffix for name in run.CI_FAULTS} == {".cpp"}


CHECK = """
import pathlib, sys
import run
run.PAGE = pathlib.Path(sys.argv.pop())
sys.exit(run.main())
"""


def test_a_written_fault_whose_file_is_gone_stands_nowhere(operators, tmp_path):
    import run

    assert run.places(run.FAULTS[0], ROOT) == 1
    assert run.places(run.FAULTS[0], tmp_path) == 0


def called(operators, monkeypatch, tmp_path, *arguments):
    """Call operators.py over what is drawn; where nothing is configured."""
    drawn = tmp_path / "drawn.json"
    if not drawn.exists():
        faults = operators.draw(3, [], {"env": 3})
        drawn.write_text(json.dumps([operators.asdict(fault) for fault in faults]))
    monkeypatch.setattr(operators, "DRAWN", drawn)
    monkeypatch.setattr(operators, "EQUAL", tmp_path / "equal.json")
    monkeypatch.setattr(sys, "argv", ["operators.py", *arguments])
    with pytest.raises(SystemExit) as ended:
        operators.main()
    return ended.value.code


# It stood in equal.json at once and in drawn.json still, and twice after the next call.
def test_an_equal_fault_is_written_where_another_one_can_be_drawn(operators, monkeypatch, tmp_path):
    name = operators.draw(3, [], {"env": 3})[0].name
    said = called(operators, monkeypatch, tmp_path, "--equal", name, "no input can tell")
    assert "not configured" in said
    assert not (tmp_path / "equal.json").exists()


@pytest.mark.parametrize("option", [["--drop", "typo"], ["--equal", "typo", "a reason"]])
def test_a_fault_that_is_not_drawn_cannot_be_dropped(
    operators, monkeypatch, tmp_path, capsys, option
):
    assert called(operators, monkeypatch, tmp_path, *option) == 2
    assert f"{option[0]} typo: no such fault, allowed: " in capsys.readouterr().err


def test_the_check_names_a_page_of_written_faults_that_is_older(tmp_path):
    folder, page = ROOT / "tests" / "mutants", tmp_path / "WRITTEN.md"
    text = (folder / page.name).read_text(encoding="utf-8")
    for written, said in ((text, ""), (text[: text.rindex("| ")], "WRITTEN.md is older: ")):
        page.write_text(written, encoding="utf-8")
        command = [sys.executable, "-c", CHECK, "--check", page]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert (done.returncode, done.stderr[: len(said)]) == (int(bool(said)), said)
