"""README.md is true: its Python lines and its commands run in order, what it names exists."""

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.training import trainers

from schafkopf import cli

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON_BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHELL_LINES = [
    re.split(r"\s+#", line)[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
]
COMMANDS = list(dict.fromkeys(line for line in SHELL_LINES if not line.startswith("./run ")))
IN_TEXT = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", README, flags=re.DOTALL))
OPTIONAL = (
    r"^(?:import |from schafkopf\.adapters\.)"
    r"(gymnasium|pettingzoo|pyspiel|pyarrow|torchrl|torch\b|minari)"
)
TINY = "--set games_per_update=64 --set minibatch=256 --set workers=1 --set eval_minutes=0"

# What takes more than seconds is tried with less; all other commands run as they stand.
SHORT_FORMS = {
    "schafkopf exploit rules": "--endgames 1 --updates 5 --states 2 --worlds 2",
    "schafkopf tournament configs/tournament/ratings.toml --out runs/field": (
        "--set blocks=4 --set tables=2 --set first_check=2"
    ),
    "schafkopf tournament configs/tournament/league_2024.toml": "--set players=4",
    "schafkopf train configs/train/eight_minutes.toml --set width=128 --out runs/small": (
        f"{TINY} --set width=32 --set time_limit_minutes=0 --set decisions_limit=2000 "
        "--no-tournament"
    ),
    "schafkopf train --resume runs/small": "--set decisions_limit=4000 --no-tournament",
}
# Other tests try these; here only their options are read.
ELSEWHERE = {
    "schafkopf dataset export runs/games --minari schafkopf/rules-v0 --licence CC0-1.0": (
        "test_adapters_minari.py exports into a folder of its own, not into that of the user"
    ),
    "schafkopf ladder --short": "a minute of CPU; test_ladder.py plays a smaller one",
    "schafkopf serve --rules course_002 --seats 0 2": (
        "test_serve_connections.py serves, and ends it"
    ),
    "source .venv/bin/activate": "test_run_script.py looks for the command in .venv/bin",
}


def test_readme_has_python_lines():
    assert PYTHON_BLOCKS


@pytest.mark.parametrize("block", PYTHON_BLOCKS, ids=range(len(PYTHON_BLOCKS)))
def test_python_lines_of_the_readme_run(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "schafkopf.train(" in block:
        trainers()
    if "import jax" in block:  # in a process of its own: JAX warns of every fork once it is loaded
        if importlib.util.find_spec("jax") is None:
            pytest.skip("no jax")
        subprocess.run([sys.executable, "-c", block], check=True)
        return
    for package in re.findall(OPTIONAL, block, re.MULTILINE):
        pytest.importorskip(package)  # ./run test installs them
    exec(compile(block, "block of README.md", "exec"), {})


def options_of(arguments):
    """Read the arguments of `schafkopf`; wrong ones end the test."""

    try:
        return cli._parser().parse_args(arguments)
    except SystemExit:
        pytest.fail(f"schafkopf {' '.join(arguments)}: no such options")


@pytest.fixture(scope="module")
def fresh_clone(tmp_path_factory):
    """A folder with what the commands find in a fresh clone, and the command itself."""
    folder = tmp_path_factory.mktemp("clone")
    for part in ("configs", "python"):
        (folder / part).symlink_to(ROOT / part)
    command = folder / "bin" / "schafkopf"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m schafkopf "$@"\n')
    command.chmod(0o755)
    return folder


@pytest.mark.parametrize("command", [one for one in COMMANDS if one not in ELSEWHERE])
def test_commands_of_the_readme_run_in_their_order(command, fresh_clone):
    if command.startswith("schafkopf dataset"):
        pytest.importorskip("pyarrow")
    if command.startswith("schafkopf train"):
        pytest.importorskip("torch", exc_type=ImportError)
        trainers()
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "python"),
        "PATH": f"{fresh_clone / 'bin'}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["bash", "-c", f"{command} {SHORT_FORMS.get(command, '')}"],
        cwd=fresh_clone,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("command", [one for one in ELSEWHERE if one.startswith("schafkopf ")])
def test_options_of_commands_that_other_tests_run_are_known(command):
    options_of(shlex.split(command)[1:])


def test_no_form_is_for_a_command_that_is_gone():
    assert SHORT_FORMS.keys() | ELSEWHERE.keys() <= set(COMMANDS)
    for reason in ELSEWHERE.values():
        (name,) = re.findall(r"\btest_\w+\.py", reason)
        assert [*Path(__file__).parents[1].rglob(name)], name
    for command, less in SHORT_FORMS.items():
        options_of(shlex.split(command)[1:] + shlex.split(less))


def run_help():
    """Return what `./run help` says about each command."""
    text = subprocess.run(
        [ROOT / "run", "help"], capture_output=True, text=True, check=True
    ).stdout.split("\n\n")[1]
    return dict(re.findall(r"^  (\w+) (.*(?:\n {5,}.*)*)", text, re.MULTILINE))


def test_run_does_what_its_help_and_the_readme_name():
    help_text = run_help()
    script = (ROOT / "run").read_text(encoding="utf-8")
    patterns = re.findall(r"^  (\w[^)]*)\) ", script.split("\ncase $command")[1], re.M)
    cases = {name for pattern in patterns for name in re.findall(r"(?<![\w-])\w+", pattern)}
    assert set(help_text) == cases
    used = {line.split()[1] for line in SHELL_LINES if line.startswith("./run ")}
    used |= {words.split()[1] for words in IN_TEXT if words.startswith("./run ")}
    assert used <= cases
    listed = re.search(r"`\./run help`\nlists the other commands: (.*?)\.", README, re.DOTALL)
    assert listed
    named = {words.split()[0] for words in re.findall(r"`([^`]+)`", listed[1])}
    assert named | {"train", "help"} == cases
    assert "--full" in help_text["test"]


def test_programs_files_and_presets_in_the_text_exist():
    presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
    workflows = {preset["name"] for preset in presets["workflowPresets"]}
    seen = 0
    for words in IN_TEXT:
        program, *arguments = words.split()
        if program == "python":
            assert (ROOT / arguments[0]).is_file(), words
        elif program == "cmake":
            assert arguments[:2] == ["--workflow", "--preset"] and arguments[2] in workflows
        elif program == "schafkopf" and arguments and not re.search(r"[A-Z]{2}", words):
            with_required = {
                "serve": [],
                "tournament": [],
                "ladder": [],
                "gates": [],
                "curriculum": [],
                "train": [],
            }
            assert arguments[0] in with_required, words
            options_of(arguments)
        elif re.fullmatch(r"[\w./]+/[\w./]*", words) and not words.startswith(("runs/", ".venv")):
            place = [ROOT, ROOT / "python", ROOT / "tests", ROOT / "configs"]
            assert any((folder / words).exists() for folder in place) or built(words), words
        else:
            continue
        seen += 1
    assert seen > 10


def built(words):
    return words.startswith("build/")


def test_the_map_names_folders_and_files_that_exist():
    rows = re.findall(r"^\| `([\w/]+?)/?` \| .*? \| (.*) \|$", README, re.MULTILINE)
    rooms = {path.name for path in ROOT.iterdir() if path.is_dir()} & {
        "env", "agents", "training", "bindings", "python", "configs", "tests",
    }  # fmt: skip
    rows = [(room, start) for room, start in rows if (ROOT / room).is_dir()]
    assert {room.split("/")[0] for room, _ in rows} == rooms
    for room in ("env", "agents"):  # every folder of theirs has a row
        folders = {f"{room}/{path.name}" for path in (ROOT / room).iterdir() if path.is_dir()}
        assert folders <= {name for name, _ in rows}
    for room, start in rows:
        for name in re.findall(r"`([^`]+)`", start):
            assert (ROOT / room / name).exists(), f"{room}/{name}"
    for target in re.findall(r"\]\((?!http)([^)#]+)", README):
        assert (ROOT / target).exists(), target
