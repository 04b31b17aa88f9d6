"""`schafkopf train` over the life of a run: ended, killed, resumed, finished, looked at."""

import contextlib
import fcntl
import html
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from support.programs import TRAINER, environment, needs_program
from support.training import SMALL, as_options, needs_training

from schafkopf import (
    _core,
    cli,
    plots,
    report_charts,
    run_page,
    tournaments,
    training,
    training_run,
)

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = SMALL | {"decisions_limit": 6000, "checkpoint_minutes": 0}


def settings(**changes):
    return as_options(SETTINGS | changes)


OUTPUTS = ("learning_curve.png", "tournament.json", "tournament.html", "games.txt", "games.html",
           "index.html")  # fmt: skip


def start(out, *options, **changes):
    return cli.main(["train", *settings(**changes), "--out", str(out), *map(str, options)])


def resume(folder, *options):
    return cli.main(["train", "--resume", str(folder), *map(str, options)])


def stamps(folder):
    return {path.name: (path.stat().st_mtime_ns, path.stat().st_ino) for path in folder.iterdir()}


@pytest.fixture(autouse=True)
def quick_curve(monkeypatch):
    """Drawing takes a second of CPU; test_cli.py and test_pages_browser.py look at real ones."""
    monkeypatch.setattr(
        plots, "save_learning_curve", lambda _, path, title: path.write_bytes(b"a picture")
    )
    for module in (plots, report_charts):
        monkeypatch.setattr(module, "drawn", lambda *_: ("", "no chart is drawn in this test"))


@pytest.fixture
def no_games(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a tournament was played unasked")

    monkeypatch.setattr(training_run, "tournament", refuse)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run with its tournament; not to be changed."""
    folder = tmp_path_factory.mktemp("train") / "lr=1,w=8"
    assert start(folder, "--blocks", 4) == 0
    return folder


def copy(folder, place):
    return Path(shutil.copytree(folder, place))  # times included


@needs_training
def test_resuming_a_finished_run_says_so_and_touches_nothing(finished, capsys, no_games):
    assert set(OUTPUTS) <= {path.name for path in finished.iterdir()}
    before = stamps(finished)
    capsys.readouterr()
    assert resume(finished) == 0
    said = capsys.readouterr().out
    assert "nothing to train" in said and "is finished" in said and "decisions/s" not in said
    for name in (*OUTPUTS, "model.safetensors"):
        assert str(finished / name) in said
    assert f"schafkopf train --resume {finished} --set decisions_limit=" in said
    assert stamps(finished) == before


@needs_training
def test_what_a_finished_run_lacks_is_made_and_nothing_else(
    finished, tmp_path, capsys, monkeypatch
):
    folder = copy(finished, tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr(training_run, "tournament", None)  # not needed
        for name in OUTPUTS[2:]:
            (folder / name).unlink()
            before = stamps(folder)
            assert resume(folder) == 0
            assert f"wrote {folder / name}" in capsys.readouterr().out
            assert {k: v for k, v in stamps(folder).items() if k != name} == before
        (folder / "learning_curve.png").unlink()
        assert resume(folder) == 0
        os.utime(folder / "learning_curve.png", ns=(0, 0))  # killed before it was drawn anew
        assert resume(folder) == 0
        assert f"wrote {folder / 'learning_curve.png'}\n" in capsys.readouterr().out
    expected = json.loads((folder / "tournament.json").read_text())
    (folder / "tournament.json").write_text('[{"track": "card_play"')  # torn
    assert resume(folder, "--blocks", 4) == 0
    assert f"wrote {folder / 'tournament.json'}" in capsys.readouterr().out
    assert json.loads((folder / "tournament.json").read_text())[0]["text"] == expected[0]["text"]
    assert not list(folder.glob("*.journal"))


@needs_training
def test_another_number_of_blocks_replaces_no_tournament_unasked(finished, capsys, no_games):
    before = stamps(finished)
    assert resume(finished, "--blocks", 4) == 0
    capsys.readouterr()
    assert resume(finished, "--blocks", 2) == 2
    error = capsys.readouterr().err
    assert f"--blocks 2: {finished / 'tournament.json'} holds a tournament" in error
    assert "4 blocks; move it away" in error
    assert stamps(finished) == before


@needs_training
@pytest.mark.parametrize("change", [["--seed", 5], ["--set", "seed=5"]])
def test_the_seed_of_a_run_stays(finished, capsys, no_games, change):
    before = stamps(finished)
    assert resume(finished, *change) == 2
    assert "the checkpoint has seed = 1, the run asks for 5" in capsys.readouterr().err
    assert stamps(finished) == before
    assert resume(finished, "--seed", 1) == 0


@needs_training
def test_after_damage_a_run_goes_on_from_the_checkpoint_before_and_says_so(
    finished, tmp_path, capsys, no_games
):
    folder = copy(finished, tmp_path / "run")
    last = folder / training_run.CHECKPOINT
    last.write_bytes(last.read_bytes()[:1000])
    assert resume(folder, "--no-tournament") == 0
    said = capsys.readouterr().err
    aside = folder / "checkpoint.damaged-1.safetensors"
    assert f"{last}: " in said and f"set aside in {aside}" in said and "Traceback" not in said
    assert f"the run goes on from {folder / training_run.BEFORE}, update " in said
    assert aside.stat().st_size == 1000
    assert (folder / "model.safetensors").read_bytes() == (
        finished / "model.safetensors"
    ).read_bytes()


@needs_training
def test_a_higher_limit_trains_on_and_plays_the_new_model(finished, tmp_path, capsys):
    folder = copy(finished, tmp_path / "run")
    model = (folder / "model.safetensors").read_bytes()
    assert resume(folder, "--set", "decisions_limit=9000", "--blocks", 2) == 0
    assert "trained" in capsys.readouterr().out
    assert (folder / "model.safetensors").read_bytes() != model
    played = json.loads((folder / "tournament.json").read_text())
    rows = plots.read_metrics(folder / "metrics.jsonl")
    assert [track["blocks"] for track in played] == [2, 2, 2]
    assert [track["updates"] for track in played] == [len(rows)] * 3
    assert [row["update"] for row in rows] == list(range(1, len(rows) + 1))


@needs_training
def test_a_folder_in_which_a_run_is_at_work_is_refused_by_name(finished, capsys):
    from schafkopf import _training

    before = stamps(finished)
    with _training.FolderLock(str(finished)):
        assert resume(finished, "--set", "decisions_limit=9000") == 2
        assert start(finished) == 2
    errors = capsys.readouterr().err
    assert errors.count(f"{finished}: another run is at work in this folder") == 2
    assert f"process {os.getpid()} on " in errors
    assert stamps(finished) == before


@needs_training
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_that_leaves_gives_no_folder_away(tmp_path):
    from schafkopf import _training

    folder = str(tmp_path / "run")
    with _training.FolderLock(folder) as held:
        child = os.fork()
        if child == 0:
            try:
                held.__exit__(None, None, None)
            finally:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        with (
            pytest.raises(ValueError, match="another run is at work"),
            _training.FolderLock(folder),
        ):
            pass
    with _training.FolderLock(folder):
        pass


def end_at(monkeypatch, update, number):
    """Send a signal to this process when the progress of an update is shown."""
    text = training_run.progress_text

    def with_signal(state):
        if state["updates"] == update:
            os.kill(os.getpid(), number)
        return text(state)

    monkeypatch.setattr(training_run, "progress_text", with_signal)
    monkeypatch.setattr(training_run, "LINE_SECONDS", 0.0)


@needs_training
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_a_signal_ends_training_with_a_checkpoint_that_goes_on_alike(
    finished, tmp_path, capsys, monkeypatch, number, code
):
    folder = tmp_path / "run"
    handlers = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    with monkeypatch.context() as patch:
        end_at(patch, 2, number)
        assert start(folder) == code
    assert [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == handlers
    said = capsys.readouterr()
    ended = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
    assert f"{ended}; schafkopf train --resume {folder} goes on" in said.err
    assert len(plots.read_metrics(folder / "metrics.jsonl")) == 2
    assert not (folder / "run.lock").exists() and not (folder / "tournament.json").exists()
    assert resume(folder, "--no-tournament") == 0
    for name in ("model.safetensors",):
        assert (folder / name).read_bytes() == (finished / name).read_bytes()


def changed(value, way, new):
    for key in way[:-1]:
        value = value[key]
    value[way[-1]] = new


@needs_training
@pytest.mark.parametrize(
    ("way", "new", "shown_by"),
    [
        (("agents",), [], ["index.html"]),  # a page without players
        (("games",), "x", []),
        (("agents", 0, "contracts"), {"SOLO": None}, ["index.html"]),
        (("agents", 0, "shares"), [{"contract": "SOLO"}], ["index.html"]),
        (("agents", 0, "rating"), {}, []),
    ],
)
def test_figures_of_a_tournament_that_a_page_cannot_show_are_damaged(
    finished, tmp_path, capsys, way, new, shown_by
):
    for page in ("tournament.html", "index.html"):
        folder = copy(finished, tmp_path / page)
        results = json.loads((folder / "tournament.json").read_text())
        changed(results[0], way, new)
        there = (folder / "tournament.json").stat()
        (folder / "tournament.json").write_text(json.dumps(results))
        os.utime(folder / "tournament.json", ns=(there.st_atime_ns, there.st_mtime_ns))
        (folder / page).unlink()
        code = resume(folder)
        error = capsys.readouterr().err
        assert code == (0 if page in shown_by else 2), (page, error)
        assert (f"{folder / 'tournament.json'}: damaged" in error) is (code == 2)
        assert (folder / page).exists() is (code == 0)


@needs_training
def test_counters_of_a_checkpoint_that_are_no_numbers_are_none(finished, tmp_path):
    folder = copy(finished, tmp_path / "run")
    assert training_run.checkpoint_counters(folder)["metrics"]["lines"] > 0
    path = folder / "checkpoint.safetensors"
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + size])
    for lines in ("1e999", "Infinity", "[" * 5000):
        head["__metadata__"]["counters"] = '{"metrics": {"lines": ' + lines + ', "sum": 0}}'
        text = json.dumps(head).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + size :])
        assert training_run.checkpoint_counters(folder) == {}
        training_run.check_one_run(folder)


@needs_training
@pytest.mark.parametrize("spelt", ["as before", "otherwise"])
def test_a_signal_in_the_tournament_keeps_its_games(finished, tmp_path, capsys, monkeypatch, spelt):
    folder = copy(finished, tmp_path / "run")
    expected = json.loads((folder / "tournament.json").read_text())
    (folder / "tournament.json").unlink()
    sent = []

    def end(*_):
        if not sent:
            sent.append(signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(training_run, "ProgressLine", lambda track: end)
        assert resume(folder, "--blocks", 4) == 143
    assert f"schafkopf train --resume {folder} goes on" in capsys.readouterr().err
    assert not (folder / "tournament.json").exists()
    (journal,) = folder.glob("tournament_card_play-*.journal")
    kept = len(tournaments.read_games(journal))
    assert kept > 0
    monkeypatch.chdir(tmp_path)
    assert resume(folder if spelt == "as before" else "run", "--blocks", 4) == 0
    again = json.loads((folder / "tournament.json").read_text())
    assert [track["text"] for track in again] == [track["text"] for track in expected]
    assert not list(folder.glob("*.journal"))


@needs_training
def test_a_library_call_honours_keyboard_interrupt(tmp_path):
    training = training_run.load_training()

    def stop(state):
        raise KeyboardInterrupt

    pairs = [f"{key}={value}" for key, value in SETTINGS.items()]
    result = training.train(settings=pairs, out_dir=str(tmp_path / "run"), progress=stop)
    assert result["interrupted"] and result["updates"] == 1


@needs_training
def test_damaged_metrics_are_set_aside_and_said(finished, tmp_path, capsys, no_games):
    folder = copy(finished, tmp_path / "run")
    file = folder / "metrics.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], lines[1][:40], *lines[1:]]) + "\n")
    (folder / "learning_curve.png").unlink()
    assert resume(folder) == 0
    aside = folder / "metrics.damaged-1.jsonl"
    assert f"{file}: 1 damaged line set aside in {aside}" in capsys.readouterr().err
    assert aside.read_text() == lines[1][:40] + "\n"
    assert file.read_text().splitlines() == lines


def flipped(line):
    """A line of metrics with a bit of a digit flipped: it is one still."""
    place = line.index('"entropy":') + len('"entropy":')
    assert line[place].isdigit()
    return line[:place] + chr(ord(line[place]) ^ 1) + line[place + 1 :]


@needs_training
def test_a_flipped_bit_in_the_metrics_is_named_when_it_is_read_and_when_the_run_goes_on(
    finished, tmp_path, capsys, no_games
):
    folder = copy(finished, tmp_path / "run")
    file = folder / "metrics.jsonl"
    lines = file.read_text().splitlines()
    assert plots.read_metrics(file) == [json.loads(line) for line in lines]
    changed = [lines[0], flipped(lines[1]), *lines[2:]]
    file.write_text("\n".join(changed) + "\n")
    kept = [lines[0], *lines[2:]]
    with pytest.warns(RuntimeWarning, match=re.escape(f"{file}:2: damaged, its checksum")):
        assert plots.read_metrics(file) == [json.loads(line) for line in kept]
    assert resume(folder) == 0
    aside = folder / "metrics.damaged-1.jsonl"
    assert f"{file}: line 2 is damaged, set aside in {aside}" in capsys.readouterr().err
    assert aside.read_text().splitlines() == [changed[1]]
    assert plots.read_metrics(file) == [json.loads(line) for line in kept]
    assert resume(folder) == 0 and "damaged" not in capsys.readouterr().err


@needs_training
def test_damaged_metrics_of_which_no_line_is_known_are_said(finished, tmp_path):
    folder = copy(finished, tmp_path / "run")
    file = folder / "metrics.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join(map(flipped, lines)) + "\n")
    with pytest.warns(RuntimeWarning, match="the checksum of its lines is another one"):
        assert len(plots.read_metrics(file)) == len(lines)
    file.write_text(lines[0] + "\n")
    with pytest.warns(RuntimeWarning, match=f"damaged, 1 of {len(lines)} lines are there"):
        assert len(plots.read_metrics(file)) == 1
    (folder / "checkpoint.safetensors").write_bytes(b"\xff" * 100)  # nothing to compare with
    assert len(plots.read_metrics(file)) == 1


@needs_training
@pytest.mark.parametrize("how", ["cut", "flipped", "missing"])
def test_the_tournament_is_played_without_a_damaged_checkpoint_at_ten_percent(
    finished, tmp_path, capsys, how
):
    folder = copy(finished, tmp_path / "run")
    file = folder / "checkpoint_10pct.safetensors"
    content = bytearray(file.read_bytes())
    file.unlink()
    if how != "missing":
        content[len(content) * 3 // 4] ^= 4
        file.write_bytes(content[: len(content) // 2] if how == "cut" else content)
    (folder / "tournament.json").unlink()
    capsys.readouterr()
    assert resume(folder, "--blocks", 4) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "10pct" in line]
    assert len(said) == 1 and f"{file}: " in said[0], said
    assert said[0].endswith("; the tournament is played without it")
    played = json.loads((folder / "tournament.json").read_text())
    before = json.loads((finished / "tournament.json").read_text())
    assert "at 10 %" in json.dumps(before[0]) and "at 10 %" not in json.dumps(played)
    assert not list(folder.glob("*.journal"))


@needs_training
def test_output_that_nobody_reads_any_more_does_not_end_training(tmp_path, monkeypatch):
    class Gone:
        def isatty(self):
            return False

        def write(self, text):
            raise OSError(5, "Input/output error")

        flush = write

    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", Gone())
        patch.setattr(sys, "stdout", Gone())
        assert start(tmp_path / "run", "--no-tournament") == 0
    assert (tmp_path / "run" / "learning_curve.png").is_file()


def result_of(folder, **changed):
    """Return what a training returns, as far as its page and its last words read it."""
    numbers = dict.fromkeys(("updates", "decisions", "games", "seconds", "workers"), 60)
    said = {"model_path": str(folder / "model.safetensors"), "rules": "research"}
    states = {"interrupted": False, "was_finished": False, "higher_limits": ["decisions_limit=120"]}
    speed = {"decisions_per_second_per_core": 60_000.0}
    return numbers | said | states | speed | changed


def test_shares_of_the_time_of_a_run_add_up_to_all_of_it(tmp_path):
    shares = {"env_share": 0.02, "act_share": 0.25, "update_share": 0.5}
    said = training_run.summary_text(result_of(tmp_path, **shares)).splitlines()[1]
    assert [float(word) for word in re.findall(r"([0-9.]+) %", said)] == [2.0, 25.0, 50.0, 23.0]


@pytest.mark.parametrize(
    ("rules", "track", "command"),
    [
        ("research", "card_play", "schafkopf tournament --agents {player} rules"),
        ("research", "full", "schafkopf tournament --agents {player} rules --track full"),
        ("my rules.toml", "full",
         "schafkopf tournament --agents {player} rules --track full --rules 'my rules.toml'"),
    ],
)  # fmt: skip
def test_the_page_of_a_run_measures_as_the_run_was_played(tmp_path, rules, track, command):
    played = tournaments.tournament(agents=["random", "rules"], blocks=2, track=track)
    page = html.unescape(run_page.to_html(tmp_path, result_of(tmp_path, rules=rules), [played]))
    player = f"net:{tmp_path / 'model.safetensors'}"
    said = re.findall(r"schafkopf tournament [^<\n]*", page)
    assert said == [command.format(player=player)]


def test_the_live_line_is_cut_to_the_window_and_ended(monkeypatch):
    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    names = ("updates", "decisions", "games", "decisions_per_second", "games_per_second", "kl")
    state = dict.fromkeys((*names, "entropy", "seconds_left"), 1.0)
    state |= {"eval_mean": None, "share_done": 0.5}
    with os.fdopen(follower, "w") as terminal, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        line = training_run.TrainingLine("run")
        line(state)
        line(state)
        line.end()
        line.end()
    said = ""
    with contextlib.suppress(OSError):  # the other side is closed
        while part := os.read(leader, 10_000).decode():
            said += part
    os.close(leader)
    first, *lines = said.split("\r")[:-1]  # \r before each line, and before \n in a terminal
    assert first.startswith("training in run") and said.endswith("\033[K\r\n")
    shown = [part.removesuffix("\033[K") for part in lines if "update" in part]
    assert len(shown) == 2 and all(len(part) == 59 for part in shown), shown


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_new_run_does_not_replace_a_file_that_no_run_wrote(tmp_path, capsys, name):
    (tmp_path / name).write_text("of a site")
    assert start(tmp_path, decisions_limit=1) == 2
    said = capsys.readouterr().err
    assert f"{name}: it is there already" in said and "allowed: another folder" in said
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "of a site"


def test_blocks_without_a_tournament_are_refused(tmp_path, capsys):
    assert start(tmp_path / "run", "--no-tournament", "--blocks", 2) == 2
    assert "--blocks are those of the tournament, allowed: without" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@needs_training
def test_unknown_settings_name_the_nearest(tmp_path, capsys):
    for setting, words in {
        "minutes=1": ['unknown key "minutes"', 'the nearest one is "time_limit_minutes"'],
        "critic=oracel": ['the nearest one is "oracle"', "shared, separate, oracle"],
        "epochs=many": ['epochs = "many", allowed: integer 1..100'],
    }.items():
        assert cli.main(["train", "--set", setting, "--out", str(tmp_path / "run")]) == 2
        error = capsys.readouterr().err
        assert all(word in error for word in words), error
    file = tmp_path / "wrong.toml"
    file.write_text("seed = 1\n\n[run]\nseed = 2\n")
    assert cli.main(["train", str(file), "--out", str(tmp_path / "run")]) == 2
    assert f"{file}:3: unknown section [run]" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.toml"]


def program(*arguments):
    return subprocess.Popen(
        [str(TRAINER), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=environment(),
    )  # fmt: skip


@needs_training
def test_without_matplotlib_a_run_goes_on_and_says_what_to_install(
    finished, tmp_path, capsys, monkeypatch
):
    folder = copy(finished, tmp_path / "run")
    for name in ("learning_curve.png", "index.html"):
        (folder / name).unlink()
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert resume(folder) == 0
    advice = "pip install matplotlib, or pip install 'schafkopf[plots]'"
    said = capsys.readouterr()
    assert f"no learning curve: matplotlib is not installed: {advice}" in said.err
    assert f"open {folder / 'index.html'}: " in said.out
    assert not (folder / "learning_curve.png").exists()
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert advice.replace("'", "&#39;") in page and "<details open>" in page


@needs_training
def test_the_page_of_a_run_says_how_to_play_against_it_and_links_what_is_there(finished):
    page = (finished / "index.html").read_text(encoding="utf-8")
    said = html.unescape(page)
    player = f'net:"{finished / "model.safetensors"}"'  # its folder is called lr=1,w=8
    assert f"schafkopf play --agents '{player}'" in said
    assert _core.make_agent(player).name == player
    assert f"schafkopf train --resume {finished} --set decisions_limit=" in said
    for name in (*OUTPUTS[:-1], "metrics.jsonl", "model.safetensors"):
        assert f'href="{name}"' in page
    assert page.count("points per game (Cent)") >= 3
    replays = (finished / "games.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', replays, re.DOTALL)[1])
    assert len(data["games"]) == 5 and data["players"] == ["trained", "rules"]


@needs_training
def test_the_default_run_measures_strength(tmp_path):
    training = training_run.load_training()
    text = training.config_toml(training_run.default_config(), [])
    assert "\neval_minutes = 0.75\n" in text and "\neval_blocks = 3000\n" in text
    assert start(tmp_path / "run", "--no-tournament", eval_minutes=0.75, eval_blocks=10) == 0
    rows = plots.read_metrics(tmp_path / "run" / "metrics.jsonl")
    assert [row["update"] for row in rows if "eval_mean" in row] == [1, len(rows)]
    assert rows[-1]["eval_unit"] == "Cent"
    assert all(row["eval_half_width"] > 0 for row in (rows[0], rows[-1]))


@needs_program
def test_the_program_without_python_tells_wrong_input_from_failures(tmp_path):
    for arguments, words in (
        ([], "OPTIONS"),
        (["--bogus"], "--bogus"),
        (["nosuch.toml"], "nosuch.toml: there is no such file"),
        (["--resume", "nosuch"], "nosuch: no folder of a training run"),
        (["--resume", tmp_path], "no folder of a training run (it has no checkpoint)"),
        (["--resume", ""], '--resume "", allowed: a text that is not empty'),
        ([""], 'config "", allowed: a text that is not empty'),
        (["--export", "", "--player", "x"], "--export"),
        (["--set", "epochs=many", "--out", tmp_path / "run"], "epochs"),
    ):
        process = program(*arguments)
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 2, (arguments, errors)
        assert words in errors, output
    process = program("--help")
    assert process.communicate(timeout=60) and process.returncode == 0
    assert not list(tmp_path.iterdir())


# `timeout` sends its signal to the command and to the group of it. Where the machine stands still
# between the two they are of two moments, but not again and again.
@needs_program
def test_the_program_takes_a_signal_that_comes_again_in_the_same_moment_for_one(tmp_path):
    for attempt in range(5):
        run = tmp_path / f"run{attempt}"
        process = program("--out", run, *settings(decisions_limit=10**9))
        while not (run / "checkpoint.safetensors").is_file():  # it has begun
            assert process.poll() is None
            time.sleep(0.01)
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.02)
        output, errors = process.communicate(timeout=240)
        if process.returncode != -signal.SIGTERM:
            break
    assert process.returncode == 143, errors
    assert f"go on with: schafkopf_train --resume {run}" in output


@needs_program
def test_the_program_goes_on_where_the_reader_of_its_output_has_gone(tmp_path):
    process = program("--out", tmp_path / "run", *settings(decisions_limit=2000))
    process.stdout.close()
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert (tmp_path / "run" / "model.safetensors").is_file()


def expect_of_another_run(checkpoint, capsys, beside, words):
    """Check that the command and the function refuse to go on, and change nothing."""
    folder = checkpoint.parent
    for go_on in (resume, lambda folder: training.train(resume=folder)):
        before = stamps(folder)
        capsys.readouterr()
        try:
            code, said = go_on(folder), capsys.readouterr().err
        except ValueError as error:
            code, said = 2, str(error)
        assert code == 2
        assert f"{checkpoint}: of another run than {beside} beside it, " in said
        assert words in said
        assert stamps(folder) == before


@needs_training
def test_a_checkpoint_of_another_run_is_refused_by_its_settings(tmp_path, capsys):
    for seed in (1, 2):
        assert start(tmp_path / str(seed), "--no-tournament", seed=seed) == 0
    one, other = (tmp_path / name / "checkpoint.safetensors" for name in "12")
    kept = one.read_bytes()
    shutil.copy(other, one)
    expect_of_another_run(
        one, capsys, "config.toml", "seed = 2, in config.toml 1; allowed: the two files of one run"
    )
    one.write_bytes(kept)
    (one.parent / "config.toml").unlink()  # the trainer writes it again
    assert resume(one.parent, "--no-tournament") == 0


@needs_training
def test_a_checkpoint_of_another_run_with_the_same_settings_is_refused_by_its_metrics(
    tmp_path, capsys
):
    for name in "12":
        assert start(tmp_path / name, "--no-tournament") == 0
    one, other = (tmp_path / name / "checkpoint.safetensors" for name in "12")
    kept = one.read_bytes()
    shutil.copy(other, one)
    expect_of_another_run(
        one,
        capsys,
        "metrics.jsonl",
        "allowed: the two files of one run, or no metrics.jsonl: the run then goes",
    )
    one.write_bytes(kept)
    assert resume(one.parent, "--no-tournament") == 0
    shutil.copy(other, one)
    (one.parent / "metrics.jsonl").unlink()
    capsys.readouterr()
    assert resume(one.parent, "--no-tournament") == 0
    assert "lines are lost; the run goes on without them" in capsys.readouterr().err


@needs_training
@pytest.mark.parametrize("left_out", [slice(1, 2), slice(0, 2), slice(-1, None)])
def test_metrics_that_lack_lines_or_have_later_ones_are_those_of_their_run(
    finished, tmp_path, capsys, no_games, left_out
):
    folder = copy(finished, tmp_path / "run")
    file = folder / "metrics.jsonl"
    lines = file.read_text().splitlines()
    update = f'"update":{len(lines)},'
    assert update in lines[-1]
    later = [lines[-1].replace(update, f'"update":{len(lines) + more},') for more in (1, 2)]
    del lines[left_out]
    file.write_text("\n".join([*lines, *later]) + "\n")  # killed before the next checkpoint
    assert resume(folder) == 0
    assert f"{file}: " in capsys.readouterr().err


@needs_training
def test_a_config_that_was_edited_is_told_and_not_taken(tmp_path, capsys):
    assert start(tmp_path / "run", "--no-tournament") == 0
    config = tmp_path / "run" / "config.toml"
    written = config.read_text()
    config.write_text(written.replace("games_per_update = 64", "games_per_update = 32"))
    capsys.readouterr()
    assert resume(tmp_path / "run", "--no-tournament") == 0
    told = "the run goes on by its checkpoint: games_per_update = 64, not 32"
    assert f"{config}: {told}\n" in capsys.readouterr().err
    assert config.read_text() == written


# A full disk, or a kill, between the two files of a run that goes on with other settings.
@needs_training
def test_of_settings_that_are_asked_for_anew_none_is_told_to_be_left_out(tmp_path, capsys):
    run = tmp_path / "run"
    assert start(run, "--no-tournament") == 0
    config = run / "config.toml"
    config.write_text(config.read_text().replace("limit = 6000", "limit = 8000"))
    again = copy(run, tmp_path / "again")
    capsys.readouterr()
    assert resume(run, "--no-tournament", "--set", "decisions_limit=8000") == 0
    assert "goes on by its checkpoint" not in capsys.readouterr().err
    events = []
    training.train(resume=again, decisions_limit=8000, callback=events.append)
    assert "note" not in [event["event"] for event in events]
    assert "limit = 8000" in config.read_text()


@needs_training
def test_damage_in_the_settings_of_a_checkpoint_is_no_other_run(tmp_path, capsys):
    assert start(tmp_path / "run", "--no-tournament") == 0
    checkpoint = tmp_path / "run" / "checkpoint.safetensors"
    content = checkpoint.read_bytes()
    assert content.count(b"\\nseed = 1\\n") == 1
    checkpoint.write_bytes(content.replace(b"\\nseed = 1\\n", b"\\nseed = 3\\n"))
    capsys.readouterr()
    assert resume(tmp_path / "run", "--no-tournament") == 0
    assert f"{checkpoint}: damaged" in capsys.readouterr().err


@needs_training
def test_a_checkpoint_starts_no_program_unasked(tmp_path):
    training = training_run.load_training()
    started = tmp_path / "it-ran"
    script = Path(__file__).parents[3] / "python" / "examples" / "engines" / "lowest.sh"
    engine = f"engine:sh -c 'touch {started}; exec sh {script}'"
    small = ["workers=1", "games_per_update=8", "minibatch=64", "width=8", "layers=1"]
    small += ["decisions_limit=1", "time_limit_minutes=0", "eval_minutes=0"]
    run = str(tmp_path / "run")
    training.train(settings=[*small, f"teacher={engine}"], out_dir=run)
    started.unlink()
    with pytest.raises(ValueError, match=r"teacher = .engine:sh.*which starts a program"):
        training.train(resume_dir=run, settings=["decisions_limit=2"])
    assert not started.exists()
    training.train(resume_dir=run, settings=["decisions_limit=2", f"teacher={engine}"])
    training.train(resume_dir=run, settings=["decisions_limit=3", "teacher="])
