"""Options of the programs that check: what is wrong is named before anything is built or run."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


PATHS = os.environ | {"PYTHONPATH": f"{ROOT / 'tests'}:{ROOT / 'python'}"}


def call(*words, folder=ROOT, env=None):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60, env=env)


def of_run(*names):
    """Return the text of these functions of ./run."""
    text = (ROOT / "run").read_text(encoding="utf-8")
    found = [
        re.search(rf"^{name}\(\) \{{.*?^\}}", text, re.MULTILINE | re.DOTALL) for name in names
    ]
    return "\n".join(match[0] for match in found)


@pytest.mark.parametrize(
    ("program", "options", "message"),
    [
        ("tests/fuzz/run.py", ["--seconds", "0"], "--seconds 0, allowed: integer from 1"),
        ("tests/fuzz/run.py", ["--jobs", "-1"], "--jobs -1, allowed: integer from 1"),
        ("tests/long/adapter_secrets.py", ["--part", "0"], "--part 0, allowed: integer from 1"),
        ("tests/long/adapter_secrets.py", ["--processes", "0"], "--processes 0, allowed: integer"),
        # no time is over for them
        ("tests/bench/page.py", ["--seconds", "nan"], "--seconds = nan, allowed: a number above 0"),
        ("tests/bench/page.py", ["--seconds", "inf"], "--seconds = inf, allowed: a number above 0"),
        ("tests/bench/adapters.py", ["--seconds", "nan"], "--seconds = nan, allowed: a number"),
        ("tests/faults/__main__.py", ["--seconds", "nan"], "--seconds = nan, allowed: above 0"),
        ("tests/soak/__main__.py", ["--hours", "nan"], "--hours = nan, allowed: above 0"),
        ("tests/soak/__main__.py", ["--hours", "-1"], "--hours = -1.0, allowed: above 0"),
        ("tests/long/adapter_secrets.py", ["--seconds", "nan"], "--seconds nan, allowed: above 0"),
        # what was measured for minutes was lost
        ("tests/bench/page.py", ["--out", "nowhere/a.md"], "--out nowhere/a.md: no such folder"),
        ("tests/bench/adapters.py", ["--out", "nowhere/a.md"], "--out nowhere/a.md: no such"),
        (
            "tests/faults/__main__.py",
            ["--report", "nowhere/a.md"],
            "--report nowhere/a.md: no such",
        ),
        ("tests/faults/__main__.py", ["--rows", "nowhere/a"], "--rows nowhere/a: no such folder"),
        ("tests/soak/__main__.py", ["--report", "nowhere/a.md"], "--report nowhere/a.md: no such"),
        ("tests/mutants/drawn_run.py", ["--only", "typo"], "--only typo: no such fault"),
        ("tests/mutants/drawn_run.py", ["--jobs", "0"], "--jobs 0, allowed: integer from 1"),
        ("tests/mutants/run.py", ["--jobs", "0"], "--jobs 0, allowed: integer from 1"),
        ("tests/mutants/run.py", ["--only", "typo"], "--only typo: no such fault, allowed: "),
        ("tests/mutants/run.py", ["--ci", "--only", "win_with_60"], "--ci has its own faults"),
        ("tests/mutants/run.py", ["--again", "--ci"], "--again goes with --report"),
        ("tests/mutants/drawn_run.py", ["--part", "1/0"], "'1/0', allowed: I/N"),
        ("tests/mutants/drawn_run.py", ["--part", "x"], "'x', allowed: I/N"),
        ("tests/mutants/drawn_run.py", ["--part", "3/2"], "'3/2', allowed: I/N"),
    ],
)
def test_wrong_options_of_long_checks_are_named(program, options, message):
    program = ["-m", Path(program).parent.name] if "__main__" in program else [program]
    done = call(sys.executable, *program, *options, env=PATHS)
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr


# They wrote their pages, and the last one compiled into a folder of the name `--help`.
@pytest.mark.parametrize(
    "program", ["rule_pages", "rule_rows", "stub_docs", "keyword_docs", "trainers_by_pip"]
)
def test_programs_that_write_refuse_options_that_they_do_not_have(program):
    done = call(sys.executable, f"tests/{program}.py", "--chek")
    assert done.returncode == 2 and "arguments: --chek" in done.stderr
    help_text = call(sys.executable, f"tests/{program}.py", "--help").stdout
    assert help_text.startswith(f"usage: {program}.py ")


def test_help_of_programs_begins_with_a_whole_sentence():
    seen = 0
    for program in [*(ROOT / "tests").rglob("*.py"), *(ROOT / "python" / "examples").glob("*.py")]:
        text = program.read_text(encoding="utf-8")
        if re.search(r"description=.*__doc__.*\[0\]", text):  # the first line of the docstring
            first = ast.get_docstring(ast.parse(text)).splitlines()[0]
            assert first.endswith("."), f"{program.relative_to(ROOT)}: {first}"
            seen += 1
    assert seen > 10


# It built and ran all the same.
def test_the_old_processor_refuses_options_that_it_does_not_have():
    done = call(sys.executable, "tests/bench/old_processor.py", "--chek")
    assert done.returncode == 2 and "arguments: --chek" in done.stderr


# It wrote a file without any preset.
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-DOUTPUT={}/a.cpp", "-DRULES_DIR={}"], "no rule file, allowed: configs/rules"),
        (["-DOUTPUT={}/a.cpp"], "RULES_DIR = , allowed: configs/rules"),
        (["-DRULES_DIR=configs/rules"], "OUTPUT = , allowed: the file that is written"),
    ],
)
def test_presets_are_embedded_from_a_folder_that_has_some(tmp_path, options, said):
    if shutil.which("cmake") is None:
        pytest.skip("needs CMake")
    options = [option.format(tmp_path) for option in options]
    done = call("cmake", *options, "-P", "cmake/embed_presets.cmake")
    assert done.returncode != 0 and said in " ".join(done.stderr.split())
    assert not (tmp_path / "a.cpp").exists()


def test_the_script_that_embeds_presets_warns_of_nothing(tmp_path):
    if shutil.which("cmake") is None:
        pytest.skip("needs CMake")
    options = [f"-DOUTPUT={tmp_path}/a.cpp", "-DRULES_DIR=configs/rules"]
    done = call("cmake", *options, "-P", "cmake/embed_presets.cmake")
    assert (done.returncode, done.stderr) == (0, "")
    assert '{"research", R"toml(' in (tmp_path / "a.cpp").read_text(encoding="utf-8")


# It took the option for an interpreter that does not start.
def test_help_of_wheels_is_its_help():
    done = call(sys.executable, "tests/wheels.py", "--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: ./run wheel [-h] [PYTHON ...]")
    done = call(sys.executable, "tests/wheels.py", "--pyhton")
    assert done.returncode == 2 and "arguments: --pyhton" in done.stderr


# They found nothing wrong in a tree that is not there, and took an option for one.
@pytest.mark.parametrize("program", ["layering", "one_wording", "packed_fields"])
def test_checks_of_a_tree_refuse_what_is_none(program, tmp_path):
    done = call(sys.executable, f"tests/{program}.py", str(tmp_path / "nowhere"))
    assert done.returncode == 2 and done.stdout == ""
    assert "nowhere: no folder, allowed: the root of a tree" in done.stderr
    done = call(sys.executable, f"tests/{program}.py", "--chek")
    assert done.returncode == 2 and "arguments: --chek" in done.stderr


# A room by another name, or the folder above the tree, had nothing wrong in it.
@pytest.mark.parametrize("program", ["layering", "one_wording", "packed_fields"])
def test_checks_of_a_tree_refuse_one_without_a_file_to_look_at(program, tmp_path):
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "game.cpp").write_text("#include <torch/torch.h>\n")
    done = call(sys.executable, f"tests/{program}.py", str(tmp_path))
    assert done.returncode == 2 and done.stdout == ""
    assert f"{tmp_path}: no file of env, agents, training, bindings" in done.stderr
    assert "allowed: the root of a tree" in done.stderr


# The tests of C++ refuse it; here the quick forms ran, and passed.
@pytest.mark.parametrize(("scale", "code"), [("lnog", 4), ("long", 0), ("", 0)])
def test_a_size_of_tests_that_there_is_not_is_refused(scale, code):
    test = "tests/python/project/test_summary.py"
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--co", test]
    done = call(*words, env=PATHS | {"SCHAFKOPF_TEST_SCALE": scale})
    assert done.returncode == code, done.stdout
    said = f"SCHAFKOPF_TEST_SCALE = {scale}, allowed: quick, normal, full, long"
    assert (said in done.stderr) == (code == 4)


def test_a_bill_of_materials_is_no_folder(tmp_path):
    for place in (tmp_path, tmp_path / "file" / "bill.json"):
        (tmp_path / "file").touch()
        done = call(sys.executable, "tests/dependencies.py", "--sbom", str(place))
        assert done.returncode == 2 and "Traceback" not in done.stderr
        assert f"--sbom {place}: " in " ".join(done.stderr.split())


def test_a_folder_without_samples_is_no_soak(tmp_path):
    line = [sys.executable, "-m", "soak", "--judge", str(tmp_path / "nowhere")]
    done = call(*line, folder=ROOT / "tests")
    assert done.returncode == 2
    assert "--judge: no samples of a soak" in done.stderr and "nowhere" in done.stderr


@pytest.mark.parametrize(
    ("options", "called"),
    [
        ("", "--threads N --folder build/decisions"),
        ("--threads 3", "--folder build/decisions --threads 3"),
        ("--folder f --threads 3 --seed 5", "--folder f --threads 3 --seed 5"),
    ],
)
def test_options_of_long_checks_replace_those_that_run_gives(options, called):
    stubs = """
set_up() { :; }
configure() { :; }
build() { :; }
werror() { :; }
nproc() { printf N; }
exec() { shift; printf '%s\\n' "$*"; exit; }
"""
    script = f"{of_run('asks_for_help', 'long_check')}\n{stubs}\nlong_check decisions {options}"
    done = call("bash", "-c", script)
    assert (done.stdout.strip(), done.stderr) == (called, "")


RLLIB = "build/rllib/bin/python tests/long/adapter_secrets.py"


@pytest.mark.parametrize(
    ("options", "called"),
    [
        ("--pairs 2", ["python --pairs 2", f"{RLLIB} --pairs 2 --adapter rllib --folder F/rllib"]),
        ("--adapter batch", ["python --adapter batch"]),
        ("--adapter rllib", [f"{RLLIB} --adapter rllib --folder F/rllib"]),  # in .venv it is not
        ("--adapter=rllib --folder x", [f"{RLLIB} --adapter=rllib --folder x --folder x/rllib"]),
    ],
)
def test_secrets_of_rllib_are_looked_for_where_it_is_installed(options, called):
    stubs = """
set_up() { :; }
adapter_packages() { :; }
build_release() { :; }
own_environment() { :; }
python() { shift; echo "python $*"; }
exec() { echo "$*"; exit; }
"""
    functions = of_run("asks_for_help", "secrets_command")
    script = f"{functions}\n{stubs}\nsecrets_command --adapters {options}"
    done = call("bash", "-c", script)
    said = done.stdout.replace("build/adapter_secrets", "F").splitlines()
    assert (said, done.stderr) == (called, "")


@pytest.mark.parametrize("name", ["decisions", "secrets"])
def test_help_of_long_checks_builds_nothing(name):
    done = call(
        "bash",
        "-c",
        f"{of_run('help', 'help_of', 'asks_for_help', 'long_check')}\nlong_check {name} --help",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"  {name} [options]") and "--threads T" in done.stdout


def test_a_filter_that_no_long_test_has_is_refused():
    rooms = ("reference", "rules", "differential", "env", "agents")
    programs = [ROOT / f"build/release/tests/schafkopf_{room}_tests" for room in rooms]
    if not all(program.is_file() for program in programs):
        pytest.skip("the tests in C++ are not built")
    stubs = """
set -euo pipefail
set_up() { :; }
build_release() { :; }
refuse() { echo "$1" >&2; exit 2; }
"""
    done = call("bash", "-c", f"{of_run('long_command')}\n{stubs}\nlong_command Typo.*")
    assert done.returncode == 2 and done.stderr.strip() == 'no test is called "Typo.*"'
    two = call("bash", "-c", f"{of_run('long_command')}\n{stubs}\nlong_command a b")
    assert two.returncode == 2 and "takes one argument" in two.stderr


@pytest.mark.parametrize("code", [0, 1])
def test_the_gates_in_their_short_form_leave_nothing_behind(tmp_path, code):
    stub = f"export TMPDIR={tmp_path}; python() {{ echo said; return {code}; }}"
    done = call("bash", "-c", f"{of_run('gates_short')}\n{stub}\ngates_short")
    assert (done.returncode, done.stdout) == (code, "said\n" * code)
    assert list(tmp_path.iterdir()) == []


def test_advice_of_run_names_files_that_are_there():
    checks = r'^ +check (?:"[^"]*"|[\w-]+) (?:\\\n +)?"([^"]*)"'
    advice = re.findall(checks, (ROOT / "run").read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for text in advice for name in re.findall(r"\btests/[\w/.]+", text)}
    assert len(advice) > 10 and "tests/layering.py" in named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
