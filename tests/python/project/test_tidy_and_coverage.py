"""What ./run tidy looks at, and the page of ./run coverage, over trees and counts made up here."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def tree(monkeypatch, tmp_path):
    """Return a tree with two sources that are compiled together, one alone, and a clang-tidy."""
    monkeypatch.syspath_prepend(str(ROOT / "tests"))
    import tidy

    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    monkeypatch.setenv("SCHAFKOPF_TIDY_CACHE", str(tmp_path / "stamps"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    (tmp_path / ".clang-tidy").write_text("Checks: x")
    build = tmp_path / "build" / "tidy"
    for folder in (build, tmp_path / "env", tmp_path / "tests", tmp_path / "bin"):
        folder.mkdir(parents=True)
    for name in ("env/a.cpp", "env/b.cpp", "env/alone.cpp", "tests/t.cpp"):
        (tmp_path / name).write_text('#include "env/h.h"\n' if name == "env/b.cpp" else "")
    (tmp_path / "env" / "h.h").write_text("")
    unit = build / "unit.cxx"
    unit.write_text(f'#include "{tmp_path}/env/a.cpp"\n#include "{tmp_path}/env/b.cpp"\n')
    rows = [unit, tmp_path / "env" / "alone.cpp", tmp_path / "tests" / "t.cpp"]
    commands = [
        {"directory": str(build), "file": str(row), "command": f"c++ {row}"} for row in rows
    ]
    (build / "compile_commands.json").write_text(json.dumps(commands))
    program = tmp_path / "bin" / "clang-tidy"
    program.write_text(
        "#!/bin/sh\n"
        '[ "$1" = --version ] && echo 1 && exit\n'
        f'for file; do :; done; echo "$file" >>{tmp_path}/asked\n'
        f'grep -q FAULT {tmp_path}/env/h.h && echo "$file: warning: fault"\nexit 0\n'
    )
    program.chmod(0o755)

    def run(*arguments):
        (tmp_path / "asked").write_text("")
        monkeypatch.setattr(sys, "argv", ["tidy.py", "--build", str(build), *arguments])
        code = tidy.main()
        asked = (tmp_path / "asked").read_text().split()
        return code, sorted(Path(name).name for name in asked)

    return tmp_path, run


def test_tidy_looks_at_what_is_compiled_in_one_go_once_and_not_at_tests(tree):
    folder, run = tree
    assert run() == (0, ["alone.cpp", "unit.cxx"])
    assert run() == (0, [])
    (folder / "env" / "h.h").write_text("int x;\n")
    assert run() == (0, ["unit.cxx"])


def test_tidy_looks_at_all_that_compiles_a_file_or_a_header(tree, capsys):
    folder, run = tree
    assert run(str(folder / "env" / "alone.cpp")) == (0, ["alone.cpp"])
    assert run("--without", "env/alone.cpp") == (0, ["unit.cxx"])
    (folder / "env" / "b.cpp").write_text('#include "env/h.h"\nint b;\n')
    assert run(str(folder / "env" / "h.h")) == (0, ["unit.cxx"])
    with pytest.raises(SystemExit):
        run(str(folder / "tests" / "t.cpp"))
    assert "no file of env, agents, bindings and training" in capsys.readouterr().err


def test_tidy_leaves_out_only_what_there_is(tree, capsys):
    _, run = tree
    with pytest.raises(SystemExit):
        run("--without", "env/gone.cpp")
    assert "--without env/gone.cpp: no such command, allowed: " in capsys.readouterr().err


def test_tidy_fails_again_until_a_finding_is_repaired(tree):
    folder, run = tree
    (folder / "env" / "h.h").write_text("FAULT\n")
    for _ in range(2):
        assert run("--jobs", "1")[0] == 1
    (folder / "env" / "h.h").write_text("")
    assert run("--jobs", "1")[0] == 0


# It was taken for clean, and not looked at again.
def test_a_tidy_that_is_killed_has_found_nothing_clean(tree, capsys):
    folder, run = tree
    program = folder / "bin" / "clang-tidy"
    sound = program.read_text()
    program.write_text('#!/bin/sh\n[ "$1" = --version ] && echo 1 && exit\nkill -9 $$\n')
    assert run("--jobs", "1")[0] == 1
    assert "unit.cxx: clang-tidy ended with -9" in capsys.readouterr().out
    program.write_text(sound)
    assert run() == (0, ["alone.cpp", "unit.cxx"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seconds", "nan"], "--seconds nan, allowed: above 0"),
        (["--seconds", "-1"], "--seconds -1.0, allowed: above 0"),
        (["--jobs", "0"], "--jobs 0, allowed: integer from 1"),
        (
            ["--build", "nowhere"],
            "--build nowhere: no compile_commands.json, allowed: a configured",
        ),
        (["env/alone.cpp", "env/typo.cpp"], "env/typo.cpp: no such file"),
    ],
)
def test_tidy_refuses_what_it_would_look_at_nothing_for(tree, monkeypatch, capsys, options, said):
    folder, run = tree
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as ended:
        run(*options)
    assert ended.value.code == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_tidy_names_a_file_that_nothing_compiles_beside_one_that_is_compiled(tree, capsys):
    folder, run = tree
    with pytest.raises(SystemExit):
        run(str(folder / "env" / "alone.cpp"), str(folder / "tests" / "t.cpp"))
    assert "tests/t.cpp: no file of env, agents" in capsys.readouterr().err


def test_tidy_without_its_program_says_what_installs_it(tree, monkeypatch):
    _, run = tree
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SystemExit, match="clang-tidy is not there"):
        run()


@pytest.fixture
def covered(monkeypatch, tmp_path):
    """Return the module that writes the page, over a tree of one source of each room."""
    monkeypatch.syspath_prepend(str(ROOT / "tests"))
    import covered

    for room in ("env", "agents"):
        (tmp_path / room / "part").mkdir(parents=True)
        (tmp_path / room / "part" / "one.cpp").write_text("a\nb\ndefault: c\nd\ne\n")
    monkeypatch.setattr(covered, "ROOT", tmp_path)
    monkeypatch.setattr(covered, "commit", lambda: "abc of today")
    return covered


def line(number, count, *branches):
    """Return a line of a report of gcovr."""
    return {
        "line_number": number,
        "count": count,
        "branches": [{"count": branch} for branch in branches],
    }


def test_the_page_adds_up_instances_of_a_template_and_gives_reasons_by_text(covered, monkeypatch):
    monkeypatch.setattr(covered, "LEFT", {"Cannot be": {"env/part/one.cpp": ("default:",)}})
    report = [
        {
            "file": "env/part/one.cpp",
            "lines": [line(1, 0, 0, 2), line(1, 3, 0, 1), *(line(n, 0) for n in (2, 3, 4, 5))],
        },
        {"file": "agents/part/one.cpp", "lines": [line(1, 1)]},
    ]
    page, counts = covered.page_of(report)
    assert counts["env"].lines == counts["env/part"].lines == [1, 5]
    assert counts["env"].branches == [1, 2]
    assert "| **env** | 1 of 5 | 20.0 | 1 of 2 | 50.0 |" in page
    assert "| agents/part | 1 of 1 | 100.0 | 0 of 0 | - |" in page
    assert "**Cannot be** (1 lines)\n\n* `env/part/one.cpp`: 3\n" in page
    assert "**Not tested** (3 lines)\n\n* `env/part/one.cpp`: 2, 4-5\n" in page


def test_files_that_lie_in_a_room_itself_have_a_row_of_their_own(covered):
    (covered.ROOT / "agents" / "two.cpp").write_text("a\nb\n")
    report = [
        {"file": "env/part/one.cpp", "lines": [line(1, 1)]},
        {"file": "agents/part/one.cpp", "lines": [line(1, 1), line(2, 1)]},
        {"file": "agents/two.cpp", "lines": [line(1, 1), line(2, 0)]},
    ]
    page, counts = covered.page_of(report)
    assert counts["agents"].lines == [3, 4] and counts["env"].lines == [1, 1]
    of_agents = [row for row in page.splitlines() if row.startswith(("| agents", "| **agents"))]
    assert of_agents == [
        "| **agents** | 3 of 4 | 75.0 | 0 of 0 | - |",
        "| agents/ (in none) | 1 of 2 | 50.0 | 0 of 0 | - |",
        "| agents/part | 2 of 2 | 100.0 | 0 of 0 | - |",
    ]
    assert "env/ (in none)" not in page


def test_a_reason_may_name_a_line_by_the_one_before_it(covered, monkeypatch):
    one = "env/part/one.cpp"
    monkeypatch.setattr(covered, "LEFT", {"Cannot be": {one: ("b\ndefault: c", "a\ne")}})
    report = [
        {"file": one, "lines": [line(n, 0) for n in (2, 3, 5)]},
        {"file": "agents/part/one.cpp", "lines": [line(1, 1)]},
    ]
    page, _ = covered.page_of(report)
    assert "**Cannot be** (1 lines)\n\n* `env/part/one.cpp`: 3\n" in page
    assert "**Not tested** (2 lines)\n\n* `env/part/one.cpp`: 2, 5\n" in page


def test_the_ends_of_a_function_that_ran_are_no_lines_without_a_test(covered):
    file = covered.ROOT / "env" / "part" / "one.cpp"
    file.write_text("int f() {\n  return 1;\n}\nint g() {\n  return 1;\n}\nclass A {\n};\n")
    ran = {1: 0, 2: 1, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0, 8: 0}
    report = [
        {"file": "env/part/one.cpp", "lines": [line(n, count) for n, count in ran.items()]},
        {"file": "agents/part/one.cpp", "lines": [line(1, 1)]},
    ]
    page, _ = covered.page_of(report)
    assert f"**{covered.EDGE}** (2 lines)\n\n* `env/part/one.cpp`: 1, 3\n" in page
    assert "**Not tested** (5 lines)\n\n* `env/part/one.cpp`: 4-8\n" in page


def test_a_reason_whose_text_is_gone_is_an_error(covered, monkeypatch, capsys):
    one = "env/part/one.cpp"
    monkeypatch.setattr(
        covered, "LEFT", {"Cannot be": {one: ("default:", "gone"), "no.cpp": ("",)}}
    )
    assert covered.stale_reasons(covered.ROOT) == [f"{one}: 'gone'", "no.cpp: ''"]
    monkeypatch.setattr(sys, "argv", ["covered.py", "--only-page"])
    with pytest.raises(SystemExit):
        covered.main()
    assert f"no such text: {one}: 'gone'" in capsys.readouterr().err


def test_every_reason_names_lines_that_stand_there(covered):
    assert covered.stale_reasons(ROOT) == []


def test_a_build_without_programs_or_counts_covers_nothing(covered, monkeypatch, tmp_path, capsys):
    build, page = tmp_path / "build", tmp_path / "page.md"
    monkeypatch.setattr(covered, "LEFT", {})
    monkeypatch.setattr(covered, "measure", lambda build: [])
    options = ["--build", str(build), "--page", str(page), "--only-page"]
    monkeypatch.setattr(sys, "argv", ["covered.py", *options])
    with pytest.raises(SystemExit):
        covered.main()
    assert f"--build {build}: no programs of tests, allowed: " in capsys.readouterr().err
    (build / "tests").mkdir(parents=True)
    (build / "tests" / "schafkopf_env_tests").touch()
    with pytest.raises(SystemExit):
        covered.main()
    assert "nothing was counted of env, agents" in capsys.readouterr().err
    assert not page.exists()
