"""The command line: exit codes, messages, files."""

import argparse
import errno
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.programs import ROOT, command, environment, in_shell, run
from support.record import RECORD
from support.training import needs_training

from schafkopf import cli, commands, report
from schafkopf.tournaments import read_games


def test_help_and_version():
    assert "tournament" in run("--help").stdout
    assert run("--version").stdout.strip().count(".") == 2
    assert run().returncode == 2


def test_the_help_of_each_command_has_an_example_that_it_takes():
    parser = cli._parser()
    of_program = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    for name, one in of_program.choices.items():
        example = re.match(rf"Example: schafkopf ({name} .*?)\.(?= |$)", one.epilog or "")
        assert example, name
        assert parser.parse_args(shlex.split(example[1])).command == name


def test_the_help_of_each_command_and_action_says_what_it_does():
    parsers = {"schafkopf": cli._parser()}
    while parsers:
        name, parser = parsers.popitem()
        assert parser.description, name
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers |= {f"{name} {word}": one for word, one in action.choices.items()}


def test_every_file_with_a_command_is_listed_and_says_what_runs():
    folder = ROOT / "python" / "schafkopf" / "commands"
    texts = {path.stem: path.read_text("utf-8") for path in folder.glob("*.py")}
    files = {name for name, text in texts.items() if re.search("^def add\\(", text, re.MULTILINE)}
    assert {one.__name__.rsplit(".", 1)[1] for one in commands.ALL} == files  # commands/__init__.py
    parser = cli._parser()
    of_program = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    for name, one in of_program.choices.items():
        assert callable(one.get_default("run")), f"{name}: set_defaults(run=run)"


def test_import_does_not_load_torch():
    code = "import sys, schafkopf; sys.exit('torch' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], env=environment(), check=False).returncode == 0
    )


def test_tournament_prints_a_table_and_writes_files(tmp_path):
    files = tmp_path / "t.json", tmp_path / "t.html"
    done = run(
        "tournament",
        "--agents",
        "rules",
        "random",
        "--blocks",
        20,
        "--json",
        files[0],
        "--html",
        files[1],
    )
    assert done.returncode == 0, done.stderr
    assert "rules" in done.stdout and "+-" in done.stdout
    assert json.loads(files[0].read_text())["blocks"] == 20
    assert "<table>" in files[1].read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tournament", "--agents", "rulez", "random"], ["rulez", "random, ", "rules"]),
        (["tournament", "--agents", "rules"], ["at least two"]),
        (["tournament", "--agents", "rules", "random", "--blocks", "0"], ["--blocks"]),
        (["tournament", "--agents", "rules", "random", "--track", "half"], ["card_play"]),
        (["tournament", "--agents", "rules", "random", "--rules", "house"], ["house", "research"]),
        (["tournament", "--agents", "rules", "random", "--json", "no/such/f"], ["no/such"]),
        (
            ["replay", "no_such_file.jsonl"],
            ["schafkopf: no_such_file.jsonl: there is no such file"],
        ),
        (["replay", "python"], ["schafkopf: python: it is a folder, allowed: a file of game"]),
        (["tournament", "no_such.toml"], ["schafkopf: no_such.toml: there is no such file"]),
        (["tournament", "python"], ["schafkopf: python: it is a folder, allowed: a tournament"]),
        (["trian"], ["trian", "train"]),
        (["train", "--resume", "a", "--out", "b"], ["--resume"]),
        (["train", "--resume", "no_such_run"], ["no_such_run", "no folder of a training run"]),
        (["train", "--resume", "python"], ["python", "no folder", "checkpoint.safetensors"]),
        (["train", "no_such.toml"], ["no_such.toml: there is no such file"]),
        (["train", "width=8"], ["width=8: there is no such file", "--set width=VALUE"]),
        (["train", "python"], ["python: it is a folder"]),
        (["bench", "--seconds", "0"], ["--seconds"]),
        (["bench", "--seconds", "nan"], ["--seconds: nan, allowed: 0.001..3600"]),
        (["bench", "--python-only", "foo"], ["foo: of the C++ benchmark"]),
        (["curriculum", "--minutes", "nan"], ["--minutes: nan, allowed: a number of minutes >= 0"]),
        (
            ["rules", "show", "--toml", "--changed"],
            ["--changed: --toml", "allowed: one of the two"],
        ),
        (["rules", "show", ""], ['"", allowed: a text that is not empty']),
        (["tournament", "--rules", "", "--agents", "rules", "random"], ['--rules: ""']),
        (["replay", ""], ['an argument "", allowed']),
        (["replay", "pyproject.toml", "--html", ""], ['--html ""']),
        (["replay", "pyproject.toml", "--html", "new/"], ["--html new/: it names a folder"]),
        (["play", "--out", "new/"], ["schafkopf: new/: it names a folder, allowed: a file"]),
        (["replay", "no\nsuch\x1b[31mfile"], ["schafkopf: no?such?file: there is no such file"]),
        (
            ["dataset", "write", "--out", "README.md/x", "--players", "rules", "--games", "9"],
            ["schafkopf: README.md/x: Not a directory"],
        ),
        (["replay", 300 * "a"], [f"schafkopf: {300 * 'a'}: File name too long"]),
        (["replay", "pyproject.toml", "--check", "--text"], ["three forms, allowed: one of them"]),
        (["exploit", "rules", "--train="], ['--train ""']),
        (
            ["dataset", "write", "--out", "pyproject.toml", "--players", "rules", "--games", "9"],
            ["pyproject.toml: it is a file, allowed: a new folder"],
        ),
        pytest.param(
            ["curriculum", "--out", "pyproject.toml"],
            ["pyproject.toml: it is a file"],
            marks=needs_training,
        ),
        (
            ["dataset", "write", "--players", "rules", "--games", "9", "--shard-games", "12"],
            ["--shard-games: 12, allowed: integer 8..1048576, a multiple of 8"],
        ),
        (["dataset", "import", "--shard-games", "4"], ["integer 8..1048576, a multiple of 8"]),
        (["replay", "pyproject.toml", "--seat", "4"], ["--seat: 4, allowed: integer 0..3"]),
        (["replay", "pyproject.toml", "--seat", "me"], ['--seat: "me", allowed: integer 0..3']),
        (
            ["rules", "settle", "--contract", "WENZ", "--points", "61", "many"],
            ['--points: "many", allowed: an integer'],
        ),
        (["bench", "--seconds", "long"], ['--seconds: "long", allowed: 0.001..3600']),
        (["train", "--seed", "-1"], [f"--seed: -1, allowed: integer 0..{2**64 - 1}"]),
        (["train", "--seed", str(2**64)], [f"{2**64}, allowed: integer 0..{2**64 - 1}"]),
        (
            ["tournament", "configs/tournament/default.toml", "--set", f"seed={10**20}"],
            [f"seed = {10**20}, allowed: integer 0..18446744073709551615"],
        ),
        (["dataset", "write", "--games", "1_0"], ['--games: "1_0", allowed: integer 1..']),
        (["play", "--deals", "\u0663"], ['--deals: "\u0663", allowed: integer 1..']),
        (["play", "--seat", "\u0661"], ['--seat = "\u0661", allowed: integer 0..3']),
        (["dataset", "write", "--workers", " 2"], ['--workers: " 2", allowed: integer 0..']),
        (["dataset", "write", "--workers", "+2"], ['--workers: "+2", allowed: integer 0..']),
        (["curriculum", "no.toml", "--minutes", "1_0"], ['--minutes: "1_0", allowed: a number']),
        (
            ["bench", "--seconds", "\u0661", "--python-only", "foo"],
            ['--seconds: "\u0661", allowed: 0.001..3600'],
        ),
        (
            ["rules", "settle", "--contract", "WENZ", "--points", "6_1"],
            ['--points: "6_1", allowed: an integer'],
        ),
    ],
)
def test_wrong_input_is_one_clear_line(monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(ROOT)  # in this process, which has loaded everything
    try:
        code = cli.main(arguments)
    except SystemExit as ended:  # of argparse
        code = ended.code
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    line = only_line(said.err)
    for word in words:
        assert word in line


def only_line(errors):
    """Return the line that says what is wrong; before it there is nothing but the usage."""
    *usage, line = errors.splitlines()
    assert line.startswith("schafkopf")
    assert not usage or usage[0].startswith("usage: schafkopf")
    assert not any(other.startswith(("schafkopf", "Traceback")) for other in usage)
    return line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["trian"], 'schafkopf: error: argument COMMAND: "trian", allowed: '),
        (["replay", "no_such_file.jsonl"], "schafkopf: no_such_file.jsonl: there is no such file"),
    ],
)
def test_the_program_ends_with_wrong_input_in_one_clear_line(arguments, said):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert only_line(done.stderr).startswith(said)


def test_replay_prints_results(tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(RECORD) + "\n\n" + json.dumps(RECORD) + "\n")
    done = run("replay", file)
    assert done.returncode == 0
    assert [json.loads(line)["to_move"] for line in done.stdout.splitlines()] == [0, 0]
    assert "EO" in run("replay", file, "--text").stdout
    assert run("replay", "-", input=json.dumps(RECORD)).stdout == done.stdout.splitlines()[0] + "\n"


def test_replay_check_lists_differences(tmp_path):
    file = tmp_path / "games.jsonl"
    right = RECORD | {"expect": {"trick_winners": [0]}}
    wrong = RECORD | {"expect": {"trick_winners": [1]}}
    file.write_text(json.dumps(right))
    assert run("replay", file, "--check").returncode == 0
    file.write_text(json.dumps(right) + "\n" + json.dumps(wrong))
    done = run("replay", file, "--check")
    assert done.returncode == 1
    assert "line 2" in done.stdout and "trick_winners" in done.stdout


def test_replay_of_nothing_is_wrong_input(tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_text("\n\n")
    for done in (run("replay", file), run("replay", file, "--check")):
        assert done.returncode == 2 and f"{file}: no game in it" in done.stderr and not done.stdout


@pytest.mark.parametrize("option", [(), ("--check",), ("--text",)])
def test_replay_of_a_file_without_a_game_that_can_be_replayed_is_wrong_input(tmp_path, option):
    file = tmp_path / "letter.txt"
    file.write_text("Dear reader,\nhere are no games.\n")
    done = run("replay", file, *option)
    assert done.returncode == 2 and f"{file}: line 1: no JSON" in done.stderr


def test_replay_goes_on_after_a_broken_line(tmp_path):
    file = tmp_path / "games.jsonl"
    illegal = RECORD | {"plays": ["EO", "E10"]}
    file.write_text("no json\n" + json.dumps(illegal) + "\n" + json.dumps(RECORD))
    done = run("replay", file)
    assert done.returncode == 1
    assert "json.exception" not in done.stderr
    assert "line 1" in done.stderr and "line 2" in done.stderr and "E10" in done.stderr
    assert len(done.stdout.splitlines()) == 1


def test_a_named_pipe_that_is_read_in_part_is_a_failure(tmp_path):
    file, pipe = tmp_path / "one.json", tmp_path / "page.html"
    file.write_text(json.dumps(RECORD))
    os.mkfifo(pipe)
    with subprocess.Popen(["head", "-c", "1", pipe], stdout=subprocess.DEVNULL) as reader:
        try:
            done = run("replay", file, "--html", pipe)
        finally:
            reader.kill()
    assert (done.returncode, done.stdout) == (cli.FAILED, "")
    assert done.stderr == f"schafkopf: [Errno 32] Broken pipe: '{pipe}'\n"


def of(error, cause=None, context=None):
    """Return an error that another one caused, or during which it was raised."""
    error.__cause__, error.__context__ = cause, context
    return error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError(), "not enough memory"),
        (MemoryError("3 GB"), "not enough memory: 3 GB"),
        (of(SystemError("f failed"), cause=MemoryError()), "not enough memory: f failed"),
        (of(SystemError("f failed"), context=MemoryError()), "not enough memory: f failed"),
        (SystemError("f returned NULL"), "internal error: f returned NULL"),
        (of(SystemError("f failed"), cause=KeyError()), "internal error: f failed"),
    ],
)
def test_only_what_lacks_memory_is_told_so(error, told, monkeypatch, capsys):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr(commands.tournament, "tournament", fails)
    assert cli.main(["tournament", "--agents", "rules", "random"]) == cli.FAILED
    assert capsys.readouterr().err == f"schafkopf: {told}\n"


def interrupt(arguments, cwd, works):
    """Send Ctrl-C as soon as `works` says that the work has begun."""
    process = subprocess.Popen(
        command(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=environment(),
    )
    try:
        deadline = time.monotonic() + 120
        while not works():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=120)
    finally:
        process.kill()
    return process.returncode, output, errors


def holds(path, text=b""):
    return lambda: path.is_file() and text in path.read_bytes()


@needs_training
def test_an_option_that_may_be_empty_is_taken(tmp_path):
    done = run("exploit", "rules", "--train", "pyproject.toml", "--control", "")
    assert "is not empty" not in done.stderr and "pyproject.toml: it is a file" in done.stderr


@pytest.mark.parametrize("option", [["--cont", ""], ["--cont="]])
@needs_training
def test_an_option_that_may_be_empty_may_be_shortened(option):
    done = run("exploit", "rules", "--train", "pyproject.toml", *option)
    assert "is not empty" not in done.stderr and "pyproject.toml: it is a file" in done.stderr


def test_a_value_that_ends_with_an_equals_sign_is_not_empty(tmp_path):
    (tmp_path / "rules=").write_text('preset = "research"\n')
    done = run("rules", "settle", f"--rules={tmp_path}/rules=", "--thrown-in")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["tournament", "--agents", "rules", "random", "--rules", "table.toml", "--json"],
        ["tournament", "--agents", "rules", "net:my.safetensors", "--html"],
        ["exploit", "random", "--rules", "table.toml", "--json"],
        ["exploit", "net:my.safetensors", "--json"],
        ["exploit", "random", "--train", "runs", "--init", "my.safetensors", "--json"],
        ["replay", "games.jsonl", "--player", "net:my.safetensors", "--html"],
        ["replay", "games.jsonl", "--html"],
    ],
)
def test_no_output_takes_the_place_of_a_file_that_is_read(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    there = ("my.safetensors", "table.toml", "games.jsonl")
    for name in there:
        Path(name).write_text("precious")
    read = next(Path(name) for name in there if name in " ".join(words))
    assert cli.main([*words, f"./{read}"]) == 2
    assert f"the file that is read and {words[-1]} name the same file" in capsys.readouterr().err
    assert read.read_text() == "precious"


def test_what_is_said_to_go_on_with_is_taken_for_names_like_options(tmp_path):
    pytest.importorskip("pyarrow")
    write = "dataset write --players random --games 8"
    done = run(*write.split(), "--out=-games", cwd=tmp_path)
    again = shlex.split(done.stderr.strip().rpartition(": ")[2])
    assert again[0] == "--resume" and done.returncode == 0, done.stderr
    assert run("dataset", "write", *again, cwd=tmp_path).returncode == 0
    done = run("play", "--seed", "1", "--out=-evening.jsonl", cwd=tmp_path, input="")
    for words in (line.partition(": schafkopf ")[2] for line in done.stdout.splitlines()[-2:]):
        assert run(*shlex.split(words), cwd=tmp_path, input="").returncode == 0, words


def test_ctrl_c_while_the_program_is_loaded_is_no_traceback():
    code = (
        "import sys, builtins\n"
        "load = builtins.__import__\n"
        "def stop(name, *rest, **kinds):\n"
        "    if name == 'schafkopf.commands': raise KeyboardInterrupt\n"
        "    return load(name, *rest, **kinds)\n"
        "builtins.__import__ = stop\n"
        "from schafkopf.__main__ import program\n"
        "sys.exit(program())\n"
    )
    environ = environment()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environ)
    assert (done.returncode, done.stderr) == (130, "schafkopf: interrupted\n")


def test_ctrl_c_ends_a_tournament_without_a_traceback(tmp_path):
    engine = tmp_path / "first.sh"
    engine.write_text(
        "while read -r word rest; do case $word in hello) echo hello 1 name First;;\n"
        "go) : > playing; legal=${rest##* legal }; echo bestaction ${legal%% *};; esac; done\n"
    )
    players = ["random", "engine:sh first.sh"]
    code, _, errors = interrupt(
        ["tournament", "--agents", *players, "--blocks", 10**6, "--threads", 1],
        tmp_path,
        holds(tmp_path / "playing"),
    )
    assert (code, errors) == (130, "schafkopf: interrupted\n")


def test_ctrl_c_ends_a_tournament_in_a_folder_with_its_games(tmp_path):
    (tmp_path / "long.toml").write_text(
        'agents = ["rules", "random"]\nformats = ["1v3"]\nblocks = 1000000\nblocks_at_once = 4\n'
    )
    journal = tmp_path / "out" / "games.journal"
    code, _, errors = interrupt(
        ["tournament", "long.toml", "--out", "out"],
        tmp_path,
        lambda: journal.is_file() and journal.stat().st_size > 4000,
    )
    assert code == 130
    assert errors.endswith("schafkopf: interrupted\n") and "Traceback" not in errors
    assert "--resume out" in errors and len(read_games(journal)) > 0


TINY = [
    "--set", "games_per_update=64", "--set", "minibatch=256", "--set", "width=32",
    "--set", "workers=1", "--set", "eval_minutes=0",
]  # fmt: skip


@needs_training
def test_train_writes_what_a_person_looks_at(tmp_path):
    out = tmp_path / "run"
    limits = ["--set", "decisions_limit=20000", "--set", "time_limit_minutes=0", "--seed", "3"]
    done = run("train", *TINY, *limits, "--out", out, "--blocks", 4)
    assert done.returncode == 0, done.stderr
    for name in (
        "model.safetensors",
        "learning_curve.png",
        "tournament.html",
        "tournament.json",
        "games.txt",
        "games.html",
        "index.html",
    ):
        assert (out / name).stat().st_size > 0
        assert str(out / name) in done.stdout
    assert len(json.loads((out / "tournament.json").read_text())) == 3
    assert (out / "games.txt").read_text().count("# Game ") == 5
    page = (out / "index.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 8 and f"--agents net:{out / 'model.safetensors'}" in page
    assert done.stdout.rstrip().splitlines()[-1].startswith(f"open {out / 'index.html'}: ")
    again = run("train", *TINY, *limits, "--out", out)
    assert again.returncode == 2 and str(out) in again.stderr


@needs_training
def test_ctrl_c_ends_training_with_a_checkpoint_that_resumes(tmp_path):
    out = tmp_path / "run"
    arguments = ["train", *TINY, "--set", "time_limit_minutes=10", "--out", out]
    code, _, errors = interrupt(arguments, tmp_path, holds(out / "metrics.jsonl", b"\n"))
    assert code == 130
    assert "Traceback" not in errors and "--resume" in errors
    assert (out / "checkpoint.safetensors").is_file()
    before = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    limit = before[-1]["decisions"] + 5000
    done = run(
        "train", "--resume", out, "--no-tournament",
        "--set", "time_limit_minutes=0", "--set", f"decisions_limit={limit}",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert lines[: len(before)] == before and len(lines) > len(before)
    assert [line["update"] for line in lines] == list(range(1, len(lines) + 1))
    assert lines[-1]["decisions"] >= limit


@needs_training
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--set", "widht=3"], ["widht", "width"]),
        (["--set", "width=wide"], ["width"]),
        (["--set", "rules=house"], ["house"]),
        (["--set", "rules=no_such.toml"], ["rules", "no_such.toml"]),
        (["--set", "eval_opponent=foo"], ["eval_opponent", "foo"]),
        (["--set", "eval_opponent=net:missing"], ["eval_opponent", "net:missing"]),
        (["--set", "generator=foo"], ["generator", "foo"]),
    ],
)
def test_wrong_training_input_is_one_clear_line(tmp_path, monkeypatch, capsys, arguments, words):
    from schafkopf import cli

    monkeypatch.chdir(tmp_path)  # in this process: loading torch takes longer than all the rest
    assert cli.main(["train", *arguments]) == 2
    errors = capsys.readouterr().err
    assert "Traceback" not in errors and "training in" not in errors
    for word in words:
        assert word in errors
    assert not (tmp_path / "runs").exists()


@needs_training
@pytest.mark.parametrize("players", [3, 4])
def test_short_decks_and_three_players_train_to_the_last_file(tmp_path, players):
    (tmp_path / "short.toml").write_text(
        f'preset = "research"\ndeck = "short24"\nplayers = {players}\n'
    )
    limits = ["--set", "decisions_limit=2000", "--set", "time_limit_minutes=0"]
    arguments = [*TINY, *limits, "--set", "rules=short.toml", "--out", "run", "--blocks", 2]
    done = run("train", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    games = (tmp_path / "run" / "games.txt").read_text()
    assert games.count("# Game ") == 5
    assert f"seat 2 trained{', seat 3 rules' if players == 4 else ''}\n" in games
    again = run("train", "--resume", "run", "--no-tournament", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "nothing to train" in again.stdout and "decisions/s" not in again.stdout


def run_code(code):
    return subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )


def test_without_trainers_train_says_how_to_get_them():
    done = run_code(
        "import sys; sys.modules['schafkopf._training'] = None\n"
        "from schafkopf.cli import main; sys.exit(main(['train']))"
    )
    assert done.returncode == 1
    assert "./run build" in done.stderr and "Traceback" not in done.stderr


@needs_training
def test_trainers_refuse_another_torch_than_they_were_built_with():
    done = run_code(
        "import sys, types; torch = types.ModuleType('torch'); torch.__version__ = '0.1'\n"
        "sys.modules['torch'] = torch\n"
        "import schafkopf._training"
    )
    assert "was built with torch" in done.stderr and "0.1" in done.stderr


def test_what_a_locale_has_no_letters_for_is_escaped():
    bare = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        command("rules", "show", "research"),
        capture_output=True,
        check=False,
        env=environment() | bare,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\xdf" in done.stdout and done.stdout.isascii()


@pytest.mark.parametrize(
    ("words", "streams", "code"),
    [
        ("tournament --agents rules random --blocks 1 --threads 1", "2>&-", 0),
        ("tournament --agents rules random --blocks 1 --threads 1", ">&-", 0),
        ("engine rules", "<&-", 0),
        ("play --seed 1 --fast --out records.jsonl", "<&-", 0),
        ("play --seed 1 --fast --out records.jsonl", ">&- </dev/null", 0),
    ],
)
def test_a_closed_stream_is_an_empty_one(tmp_path, monkeypatch, words, streams, code):
    monkeypatch.chdir(tmp_path)
    done = in_shell(words, streams)
    assert b"Traceback" not in done.stderr
    assert done.returncode == code, done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "words",
    [
        "--version",
        "--help",
        "train --help",
        "rules list --help",
        "rules list",
        "rules show --toml",  # longer than what is buffered
    ],
)
def test_a_full_disk_behind_what_is_printed_is_one_message(monkeypatch, words, unbuffered):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    done = in_shell(words, ">/dev/full")
    told = b"schafkopf: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, told)


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (
            "tournament --agents rules random --blocks 2 --threads 1 --json result.json",
            "result.json",
        ),
        ("exploit random --states 20 --json found.json", "found.json"),
    ],
)
def test_a_full_disk_behind_what_was_found_is_a_failure_after_the_work(
    tmp_path, monkeypatch, words, file
):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    monkeypatch.chdir(tmp_path)
    done = in_shell(words, ">/dev/full")
    assert done.returncode == 1
    told = "schafkopf: standard output: No space left on device"
    assert done.stderr.decode().splitlines()[-1] == told
    assert (tmp_path / file).read_text().startswith("{")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["rules", "check", "no.toml"], 2),
        (["rules", "check", "wrong.toml"], 1),
        (["replay", "games.jsonl", "--html", "page.html"], 1),
        (["replay", "wrong.toml"], 2),
    ],
)
def test_a_full_disk_behind_messages_changes_nothing_of_the_work(words, code, tmp_path):
    (tmp_path / "wrong.toml").write_text("no = 1\n")
    (tmp_path / "games.jsonl").write_text(f"{json.dumps(RECORD)}\n{{}}\n{json.dumps(RECORD)}\n")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command(*words), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=full
        )
    assert done.returncode == code
    assert "--html" not in words or (tmp_path / "page.html").is_file()


@pytest.mark.parametrize("option", ["--json", "--html"])
def test_a_tournament_is_told_where_its_file_cannot_be_written(
    tmp_path, monkeypatch, capsys, option
):
    def full(_, path):
        raise OSError(errno.ENOSPC, "No space left on device", path)

    monkeypatch.setattr(commands.tournament, "write_json", full)
    monkeypatch.setattr(report, "write_html", full)
    file = str(tmp_path / "result")
    words = ["tournament", "--agents", "rules", "random", "--blocks", "2", "--threads", "1"]
    assert cli.main([*words, option, file]) == cli.FAILED
    told = capsys.readouterr()
    assert "points per game" in told.out and "wrote" not in told.out
    assert told.err.endswith(f"schafkopf: {file}: No space left on device\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_disk_that_takes_the_beginning_of_an_output_is_a_failure(tmp_path, unbuffered):
    def little():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    with open(tmp_path / "rules.toml", "wb") as file:
        done = subprocess.run(
            command("rules", "show", "research", "--toml"),
            stdout=file,
            stderr=subprocess.PIPE,
            check=False,
            env=environment() | {"PYTHONUNBUFFERED": unbuffered},
            preexec_fn=little,
            timeout=240,
        )
    told = b"schafkopf: standard output: File too large\n"
    assert (done.returncode, done.stderr) == (1, told)


@pytest.mark.parametrize(
    "words",
    [
        "tournament --agents rules random --blocks 2 --json result.json",
        "exploit random --json found.json",
        "train --out made",
        "curriculum",
        "dataset write --players random --games 8 --out made",
    ],
)
def test_a_working_folder_that_was_removed_is_told(words, tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    done = subprocess.run(
        ["sh", "-c", 'rmdir "$1"; shift; exec "$@"', "-", folder, *command(*words.split())],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    told = "schafkopf: the folder one is in was removed, allowed: one that is there (cd)\n"
    assert (done.returncode, done.stderr) == (2, told)


def test_help_that_nobody_reads_to_its_end_is_no_error():
    done = in_shell("train --help", "| true; exit ${PIPESTATUS[0]}")
    assert done.returncode == 0 and done.stderr == b""


def test_files_are_written_though_nobody_reads_what_is_printed(tmp_path):
    words = "tournament --agents rules random --blocks 2 --json {0}/a.json --html {0}/a.html"
    command = (
        f"{sys.executable} -m schafkopf {words.format(tmp_path)} | true; exit ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.json"]


def test_a_full_disk_is_a_failure_and_no_wrong_input(monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device", "result.json")

    monkeypatch.setattr(commands.tournament, "tournament", full)
    words = ["tournament", "--agents", "rules", "random"]
    assert cli.main(words) == cli.FAILED
    assert "result.json" in capsys.readouterr().err
