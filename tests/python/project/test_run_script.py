"""`./run` in a tree of its own, with stand-ins for the tools: what a copy or a move changes."""

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

# Says what it was asked for, and leaves the cache that CMake leaves.
CMAKE = """#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
import os, pathlib, sys
print("cmake", *sys.argv[1:], flush=True)
if "--preset" in sys.argv:
    folder = pathlib.Path("build", sys.argv[sys.argv.index("--preset") + 1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "CMakeCache.txt").write_text(
        f"CMAKE_HOME_DIRECTORY:INTERNAL={{os.getcwd()}}\\n"
        f"CMAKE_CACHEFILE_DIR:INTERNAL={{os.getcwd()}}/{{folder}}\\n"
    )
else:
    print("home", os.environ["VIRTUAL_ENV"] if "VIRTUAL_ENV" in os.environ else sys.prefix)
"""


@pytest.fixture
def tree(tmp_path):
    """A tree with `run`, a real .venv that lacks nothing, and CMake as above."""
    tree = tmp_path / "old place"
    (tree / "python").mkdir(parents=True)
    shutil.copy(ROOT / "run", tree)
    for name in ("requirements.txt", "requirements.lock", "requirements-torch.lock"):
        (tree / "python" / name).write_text("")
    place = tree / ".venv"
    venv.create(place, symlinks=True)
    version = f"Python {sys.version.split()[0]}\n"
    stamp = hashlib.sha256(version.encode()).hexdigest()
    for name in (".requirements-stamp", ".requirements-torch-stamp"):
        (place / name).write_text(f"{stamp}  -\n")
    program(place / "bin" / "cmake", CMAKE.format(python=place / "bin" / "python"))
    program(place / "bin" / "short", f"#!{place}/bin/python\nprint('short')\n")
    tools = tmp_path / "tools"
    tools.mkdir()
    program(tools / "dpkg-query", "#!/bin/sh\nprintf installed\n")
    return tree


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)


def build(tree, **variables):
    """`./run build`; returns what it said."""
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    environment["PATH"] = f"{tree.parent / 'tools'}:{environment['PATH']}"
    environment |= variables
    done = subprocess.run(
        [tree / "run", "build"], capture_output=True, text=True, env=environment, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def stale_files(tree):
    files = [tree / "build/release" / name for name in ("build.ninja", ".ninja_deps")]
    for file in files:
        file.write_text(f"{tree}/env/cards/card.h")
    return files


def test_a_tree_that_stays_keeps_its_build_folder_and_its_environment(tree):
    build(tree)
    files = stale_files(tree)
    said = build(tree)
    assert all(file.exists() for file in files)
    assert "configuring anew" not in said and ".venv was made in" not in said


@pytest.mark.parametrize("how", [shutil.move, shutil.copytree])
def test_a_tree_at_another_place_is_configured_anew_with_programs_of_its_own(tree, how):
    build(tree)
    stale_files(tree)
    new = tree.parent / "new"
    how(tree, new, **({"symlinks": True} if how is shutil.copytree else {}))
    said = build(new)
    assert f"build/release was configured as {tree}/build/release" in said
    assert [file.name for file in (new / "build/release").iterdir()] == ["CMakeCache.txt"]
    assert str(new) in (new / "build/release/CMakeCache.txt").read_text()
    assert f".venv was made in {tree}/.venv" in said
    assert f"home {new}/.venv" in said
    assert subprocess.check_output([new / ".venv/bin/short"], text=True) == "short\n"
    assert str(tree) not in (new / ".venv/bin/activate").read_text()
    assert "/.venv/bin/python" in (new / ".venv/bin/schafkopf").read_text()
    again = build(new)
    assert "configuring anew" not in again and ".venv was made in" not in again
    if how is shutil.copytree:  # the first one is as it was
        assert ".venv was made in" not in build(tree)
        assert (tree / "build/release/.ninja_deps").exists()


def test_the_source_tree_stands_before_a_copy_that_pip_installed(tree):
    build(tree)
    site = next((tree / ".venv/lib").glob("python*/site-packages"))
    (site / "schafkopf.py").write_text("print('a copy, without trainers')\n")
    (tree / "python" / "schafkopf.py").write_text("print('the tree')\n")
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [tree / ".venv/bin/python", "-c", "import schafkopf"]
    assert subprocess.check_output(command, text=True, env=alone) == "the tree\n"


# As commands do that work in several processes, each of which reads the program once more.
CLI = """
import multiprocessing

def main():
    print("main", flush=True)
    worker = multiprocessing.get_context("spawn").Process(target=print, args=("worker",))
    worker.start()
    worker.join()
    return worker.exitcode
"""


def test_processes_of_the_command_do_their_work_and_not_the_command_again(tree):
    build(tree)
    package = tree / "python" / "schafkopf"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "cli.py").write_text(CLI)
    (package / "__main__.py").write_text("from schafkopf.cli import main as program\n")
    command = [tree / ".venv" / "bin" / "schafkopf"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    said = subprocess.check_output(command, text=True, env=environment)
    assert said == "main\nworker\n"


def test_build_folders_below_others_are_noticed_too(tree):
    build(tree)
    nested = tree / "build/mutants/build"
    nested.mkdir(parents=True)
    cache = nested / "CMakeCache.txt"
    cache.write_text(
        f"CMAKE_HOME_DIRECTORY:INTERNAL={tree}/build/mutants/tree\n"
        f"CMAKE_CACHEFILE_DIR:INTERNAL={nested}\n"
    )
    assert "configuring anew" not in build(tree) and cache.exists()
    new = tree.parent / "new"
    shutil.move(tree, new)
    assert "build/mutants/build was configured as" in build(new)
    assert not (new / "build/mutants/build/CMakeCache.txt").exists()


def test_an_environment_that_is_a_link_is_left_alone(tree):
    shared = tree.parent / "shared"
    shutil.move(tree / ".venv", shared)
    (tree / ".venv").symlink_to(shared)
    program(shared / "bin" / "cmake", CMAKE.format(python=shared / "bin" / "python"))
    before = (shared / "bin" / "activate").read_text()
    assert ".venv was made in" not in build(tree)
    assert (shared / "bin" / "activate").read_text() == before
    assert not (shared / "bin" / "schafkopf").exists()


# Writes down how it was called; its configuration is one variable.
PIP = """
import os, sys
if sys.argv[1:3] == ["config", "list"]:
    print(os.environ["CONFIGURED"])
else:
    print(*sys.argv[1:], file=open("pip_calls", "a"))
"""


def pip_calls(tree, configured):
    pip = next((tree / ".venv").glob("lib/python*/site-packages")) / "pip"
    pip.mkdir()
    (pip / "__main__.py").write_text(PIP)
    (tree / "python/requirements.txt").write_text("torch==2.0 ; python_version > '3'  # words\n")
    for lock in ("requirements.lock", "requirements-torch.lock"):
        (tree / "python" / lock).write_text("# changed\n")
    build(tree, CONFIGURED=configured)
    build(tree, CONFIGURED=configured)  # installs nothing again
    return [line.split(" off ")[1] for line in (tree / "pip_calls").read_text().splitlines()]


def test_packages_are_installed_by_the_hashes_of_the_lock(tree):
    assert pip_calls(tree, ":env:.index-url='https://mirror.example'") == [
        "--no-deps --require-hashes -r python/requirements.lock",
        "--no-deps --require-hashes -r python/requirements-torch.lock",
    ]


@pytest.mark.parametrize("where", ["global.extra-index-url", ":env:.find-links"])
def test_torch_of_another_index_is_installed_without_hashes(tree, where):
    assert pip_calls(tree, f"{where}='https://example'") == [
        "--no-deps --require-hashes -r python/requirements.lock",
        "--constraint python/requirements.txt torch==2.0",
    ]


@pytest.mark.parametrize("command", ["build", "docs", "format", "sbom"])
def test_a_command_without_arguments_refuses_one(tree, command):
    done = subprocess.run(
        [tree / "run", command, "env"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert f"./run {command} takes no arguments" in done.stderr
    assert not (tree / "build").exists()


def asked(tree, *words, **variables):
    """Call `./run` with what builds nothing; returns its code and what it said."""
    done = subprocess.run(
        [tree / "run", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PATH": f"{tree.parent / 'tools'}:{os.environ['PATH']}"} | variables,
        timeout=60,
    )
    assert not (tree / "build").exists()
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    "words", [["test", "--fool"], ["test", "--full", "x"], ["long", "A.*", "B.*"], ["typo"]]
)
def test_a_call_that_cannot_be_meant_has_the_code_of_wrong_usage(tree, words):
    code, said = asked(tree, *words)
    assert code == 2 and said.strip().startswith("./run")


# The compiler was told so, after all that comes before it.
@pytest.mark.parametrize("jobs", ["0", "many", "-1", "1.5"])
def test_jobs_that_are_no_number_are_refused_before_anything_runs(tree, jobs):
    code, said = asked(tree, "build", JOBS=jobs)
    assert code == 2 and f"JOBS = {jobs}, allowed: integer from 1" in said


# Another one was taken instead, and said by its version alone.
@pytest.mark.parametrize("name", ["/nowhere/python3", "true"])
def test_an_interpreter_that_does_not_do_is_refused(tree, name):
    shutil.rmtree(tree / ".venv")
    code, said = asked(tree, "build", PYTHON=name)
    assert code == 2 and f"PYTHON = {name}, allowed: Python 3.10 to 3.14 with venv" in said
    assert not (tree / ".venv").exists()


# Some built for minutes before they said it, `long` took it for the name of a test.
@pytest.mark.parametrize("command", ["build", "docs", "format", "long", "sbom", "test"])
def test_help_of_a_command_without_options_is_what_the_help_says_of_it(tree, command):
    for option in ("-h", "--help"):
        code, said = asked(tree, command, option)
        assert code == 0 and said.startswith(f"  {command}")
        assert all(line.startswith("     ") for line in said.splitlines()[1:])


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("fuzz", "tests/fuzz/run.py"),
        ("sanitize", "tests/sanitize/run.py"),
        ("tidy", "tests/tidy.py"),
        ("coverage", "tests/covered.py"),
    ],
)
def test_help_of_a_program_needs_no_build(tree, command, program):
    script = (
        "set_up() { :; }; fuzzer_packages() { :; }; install_packages() { echo installs; }; "
        'configure() { echo configures; }; build() { echo builds; }; exec() { echo "$*"; exit; }'
    )
    assert (
        functions_of_run(tree, f"{script}; {command}_command --help")
        == f"python {program} --help\n"
    )


@pytest.mark.parametrize(("free", "advice"), [(1000, "is full"), (2_000_000, "build/log")])
def test_what_fails_on_a_full_disk_says_so(tree, free, advice):
    program(tree / ".venv/bin/cmake", "#!/bin/sh\nexit 1\n")
    program(
        tree.parent / "tools/df", f"#!/bin/sh\necho Filesystem\necho none 9000000 0 {free} 0% /\n"
    )
    with pytest.raises(AssertionError, match=advice) as failed:
        build(tree)
    assert ("is full" in str(failed.value)) == (free < 1024)


def test_minutes_that_are_no_number_are_refused_before_anything_runs(tree):
    environment = os.environ | {"SCHAFKOPF_TEST_MINUTES": "soon"}
    done = subprocess.run(
        [tree / "run", "test", "--full"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
    )
    assert done.returncode == 2
    assert "SCHAFKOPF_TEST_MINUTES = soon, allowed: a number of minutes" in done.stderr
    assert not (tree / "build").exists()


def functions_of_run(tree, script, **variables):
    """A script that has the functions of `./run`; what it said, both streams."""
    done = subprocess.run(
        ["bash", "-c", f". ./run help >/dev/null; sleep() {{ :; }}; mkdir -p build/log; {script}"],
        cwd=tree,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PATH": f"{tree.parent / 'tools'}:{os.environ['PATH']}", **variables},
        timeout=60,
    )
    return done.stdout


# A mirror that has what is asked for from a certain call on.
APT_GET = """#!/bin/sh
echo "$*" >>apt-calls
case $* in *install*) [ "$(grep -c install apt-calls)" -ge "$MIRROR_WORKS_FROM" ] || {
  echo "Err:1 404 Not Found"
  exit 100
} ;; esac
"""


@pytest.mark.parametrize(("works_from", "installs"), [(1, 1), (3, 3), (4, 3)])
def test_a_mirror_that_fails_for_a_moment_is_asked_again_with_new_lists(tree, works_from, installs):
    tools = tree.parent / "tools"
    program(tools / "apt-get", APT_GET)
    program(tools / "apt-cache", "#!/bin/sh\n")
    program(tools / "dpkg-query", "#!/bin/sh\n")
    program(tools / "sudo", '#!/bin/sh\n[ "$1" != -n ] || shift\nexec "$@"\n')
    said = functions_of_run(
        tree, "fuzzer_packages && echo there || echo missing", MIRROR_WORKS_FROM=str(works_from)
    )
    there = works_from <= 3
    assert said.splitlines()[-1] == ("there" if there else "missing")
    assert ("404 Not Found" in said) is not there
    calls = (tree / "apt-calls").read_text().splitlines()
    assert sum("install" in call for call in calls) == installs
    assert sum("update" in call for call in calls) == installs - 1


def test_the_end_of_a_run_repeats_what_failed_and_what_did_not_run(tree):
    said = functions_of_run(
        tree,
        """
        good() { echo fine; }
        bad() { echo "first finding"; echo "second finding" >&2; false; }
        absent() { say "no clang"; return "$not_run"; }
        broken() { fail "no build" "read above"; }
        check good "" good; check bad "look" bad; check absent "" absent; check broken "mend" broken
        echo; printf '%s\\n' "$passed $failed" "${left_out[@]}" "${failures[@]}"
        """,
    )
    assert said.split("\n\n")[-1].splitlines()[-1] == "  |   what to do: read above"
    end = said[said.index("1 2\n") :]
    assert end == (
        "1 2\nabsent (no clang)\n"
        "bad (what to do: look)\n  | first finding\n  | second finding\n"
        "broken (what to do: mend)\n  | \n  | ./run: no build\n  |   what to do: read above\n"
    )


# The preset `tidy` has the same folder, without the rooms that need Python or LibTorch: their files
# were left out from then on.
def test_tidy_looks_at_all_rooms_in_a_folder_that_the_preset_has_configured(tree):
    said = functions_of_run(
        tree,
        'install_packages() { :; }; configure() { printf "%s\\n" "$@"; }; tidy_folder tidy OFF',
    )
    wanted = {"-DSCHAFKOPF_PYTHON=ON", "-DSCHAFKOPF_TRAINING=ON", "-DCMAKE_CXX_CLANG_TIDY="}
    assert wanted <= set(said.splitlines())
