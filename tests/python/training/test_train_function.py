"""schafkopf.train drives the trainer from Python: events, TensorBoard, Ctrl-C, wrong keywords."""

import json
import os
import signal
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from support.training import trainers

torch = pytest.importorskip("torch", exc_type=ImportError)
trainers()

import schafkopf  # noqa: E402
from schafkopf import cli, training  # noqa: E402

SMALL = {
    "games_per_update": 64,
    "minibatch": 256,
    "width": 16,
    "workers": 1,
    "eval_minutes": 0,
    "time_limit_minutes": 0,
    "decisions_limit": 6000,
    "checkpoint_minutes": 0,
}


def rows_of(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def updates_in(events):
    return [event for event in events if event["event"] == "update"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run of a few updates, and its events."""
    folder, events = tmp_path_factory.mktemp("train") / "run", []
    result = schafkopf.train(SMALL, out=folder, callback=events.append)
    return folder, events, result


def test_each_update_is_an_event_with_the_line_of_the_metrics(run):
    folder, events, result = run
    rows = rows_of(folder)
    assert len(rows) == result["updates"] > 1
    for event, row in zip(updates_in(events), rows, strict=True):
        assert row.items() <= event.items()
        assert event["run_dir"] == str(folder) and event["share_done"] > 0
    assert events[-1] == {"event": "end", **result}
    assert not result["interrupted"] and [e["event"] for e in events].count("end") == 1


def test_what_was_trained_is_a_network_and_a_player(run):
    *_, result = run
    env = schafkopf.VectorEnv(8, seed=1, cards="canonical", view_lines=True)
    module = schafkopf.load_torch(result["model_path"])
    with torch.no_grad():
        logits, values = module(torch.from_numpy(env.observation))
    again, own = schafkopf.load_numpy(result["model_path"])(env.observation)
    np.testing.assert_allclose(logits.numpy(), again, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(values.numpy(), own, rtol=1e-4, atol=1e-3)
    legal = np.where(env.action_mask == 1, again, -np.inf).argmax(axis=1)
    played = env.agent_actions(schafkopf.make_agent(f"net:{result['model_path']}"))
    assert (played == legal).all()


def test_a_module_of_python_is_where_a_run_begins(tmp_path):
    module = schafkopf.new_torch("mlp:16x2")
    schafkopf.save_player(module, tmp_path / "start.safetensors")
    settings = SMALL | {"architecture": "mlp", "width": 16, "layers": 2, "decisions_limit": 1000}
    result = schafkopf.train(
        settings, out=tmp_path / "run", init=tmp_path / "start.safetensors", learning_rate=1e-8
    )
    trained = schafkopf.load_torch(result["model_path"])
    for (name, one), other in zip(trained.named_parameters(), module.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-6), name


def test_a_run_goes_on_where_it_ended(run, tmp_path):
    first = schafkopf.train(SMALL, out=tmp_path / "run")
    events = []
    more = schafkopf.train(resume=tmp_path / "run", callback=events.append, decisions_limit=12000)
    numbers = [event["update"] for event in updates_in(events)]
    assert numbers == list(range(first["updates"] + 1, more["updates"] + 1))
    assert [row["update"] for row in rows_of(tmp_path / "run")] == [*range(1, more["updates"] + 1)]
    done = schafkopf.train(resume=tmp_path / "run", callback=events.append)
    assert done["was_finished"] and events[-1]["was_finished"]


@pytest.mark.parametrize("ends", ["signal", "answer"])
def test_ctrl_c_ends_a_run_with_a_checkpoint(ends, tmp_path):
    def end(event):
        if event["event"] == "update" and event["update"] == 2:
            if ends == "answer":
                return True
            os.kill(os.getpid(), signal.SIGINT)
        return None

    result = schafkopf.train(SMALL, out=tmp_path / "run", callback=end)
    assert result["interrupted"] and result["updates"] in (2, 3)
    assert (tmp_path / "run" / "checkpoint.safetensors").is_file()
    assert not schafkopf.train(resume=tmp_path / "run")["interrupted"]


def test_ctrl_c_in_the_last_update_is_not_lost(tmp_path):
    def end(event):
        if event["event"] == "update" and event["share_done"] >= 1:
            os.kill(os.getpid(), signal.SIGINT)

    result = schafkopf.train(SMALL, out=tmp_path / "run", callback=end)
    assert result["stopped"] and not result["interrupted"]
    again = schafkopf.train(resume=tmp_path / "run")
    assert again["was_finished"] and not again["stopped"]


def test_an_exception_of_the_callback_comes_out(tmp_path):
    class Mine(Exception):
        pass

    def fail(event):
        raise Mine(event["event"])

    with pytest.raises(Mine, match="update"):
        schafkopf.train(SMALL, out=tmp_path / "run", callback=fail)
    assert schafkopf.train(resume=tmp_path / "run")["updates"] > 0


def test_tensorboard_has_every_number_beside_the_metrics(tmp_path):
    pytest.importorskip("tensorboard")  # ./run test installs it
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    folder = tmp_path / "run"
    schafkopf.train(SMALL, out=folder, tensorboard=True, decisions_limit=3000)
    schafkopf.train(resume=folder, tensorboard=True, decisions_limit=6000)
    rows = rows_of(folder)
    assert len(list(folder.glob("events.out.tfevents.*"))) == 2
    curves = EventAccumulator(str(folder)).Reload()
    for key in ("entropy", "value_loss", "decisions"):
        points = curves.Scalars(f"train/{key}")
        assert [point.step for point in points] == [row["update"] for row in rows]
        np.testing.assert_allclose([p.value for p in points], [row[key] for row in rows], rtol=1e-6)
    assert any(tag.startswith("declared/") for tag in curves.Tags()["scalars"])


def test_the_command_writes_the_same_curves(tmp_path, capsys, monkeypatch):
    pytest.importorskip("tensorboard")  # ./run test installs it
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    folder = tmp_path / "run"
    settings = [f"--set={key}={value}" for key, value in SMALL.items()]
    command = ["train", *settings, "--out", str(folder), "--no-tournament"]
    assert cli.main([*command, "--tensorboard"]) == 0
    points = EventAccumulator(str(folder)).Reload().Scalars("train/entropy")
    rows = rows_of(folder)
    assert [point.step for point in points] == [row["update"] for row in rows]
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    command[command.index(str(folder))] = str(tmp_path / "other")
    capsys.readouterr()
    assert cli.main([*command, "--tensorboard"]) != 0
    assert "pip install 'schafkopf[tensorboard]'" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_evaluations_have_a_group_of_their_own():
    written = {}

    class Writer:
        def add_scalar(self, name, value, step):
            written[name] = (value, step)

    row = {
        "update": 3,
        "eval_mean": 1.5,
        "eval_opponent": "rules",
        "kl": 0.1,
        "declared": {"SOLO": 0.2},
    }
    training.write_numbers(Writer(), row)
    assert written == {"eval/mean": (1.5, 3), "train/kl": (0.1, 3), "declared/SOLO": (0.2, 3)}


def test_numbers_within_dicts_and_lists_of_an_evaluation_are_written_too():
    written = {}

    class Writer:
        def add_scalar(self, name, value, step):
            written[name] = value

    row = {
        "update": 3,
        "eval_by": {"SOLO": {"declarer": {"games": 2, "mean": 4.5, "half_width": None}}},
        "eval_calibration": {"SOLO": {"games": 2, "won": 0.5}},
        "eval_others": [{"opponent": "random", "mean": 7.0}, {"opponent": "rules", "mean": 1.0}],
    }
    training.write_numbers(Writer(), row)
    assert written == {
        "eval_by/SOLO/declarer/games": 2,
        "eval_by/SOLO/declarer/mean": 4.5,
        "eval_calibration/SOLO/games": 2,
        "eval_calibration/SOLO/won": 0.5,
        "eval_others/0/mean": 7.0,
        "eval_others/1/mean": 1.0,
    }


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ({"widht": 16}, TypeError, 'nearest one is "width"'),
        ({"callbak": print}, TypeError, 'nearest one is "callback"'),
        ({"config": {"widht": 16}}, ValueError, 'nearest one is "width"'),
        ({"width": 0}, ValueError, "width = 0, allowed: integer 1..16384"),
        ({"width": "wide"}, ValueError, 'width = "wide", allowed: integer 1..16384'),
        ({"config": {"width": None}}, ValueError, "width = "),
        ({"learning_rate": [1, 2]}, ValueError, 'learning_rate = "1,2", allowed: number'),
        ({"config": 3}, ValueError, "config = 3, allowed: path of a TOML file, mapping"),
        ({"callback": 3}, ValueError, "callback = 3, allowed: a function"),
        ({"tensorboard": "no"}, ValueError, "tensorboard = 'no', allowed: true, false"),
        ({"config": "missing.toml"}, OSError, "missing.toml"),
        ({"resume": "nowhere"}, OSError, "nowhere: no folder of a training run"),
        ({"resume": "a", "out": "b"}, ValueError, "no config, no out"),
        ({"out": ""}, ValueError, 'out = "", allowed: the path'),
        ({"resume": ""}, ValueError, 'resume = "", allowed: the path'),
        ({"config": ""}, ValueError, 'config = "", allowed: path of a TOML file'),
    ],
)
def test_wrong_arguments_are_named_and_nothing_is_written(
    arguments, kind, text, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind) as caught:
        schafkopf.train(**arguments)
    assert text in str(caught.value)
    assert "--set" not in str(caught.value)  # which nobody here has written
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_a_run_is_refused(run):
    folder, *_ = run
    with pytest.raises(ValueError, match="holds a run already"):
        schafkopf.train(SMALL, out=folder)


# The name was looked for and the folder made later: of runs that began together one was refused.
def test_runs_that_begin_in_one_moment_get_folders_of_their_own(tmp_path, monkeypatch):
    begun = []

    def begin(out_dir, **_):
        begun.append(out_dir)
        if len(begun) == 1:
            schafkopf.train({})  # before the first has written anything
        return {}

    trainers = types.SimpleNamespace(config_fields=list, train=begin)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(training, "load_training", lambda: trainers)
    monkeypatch.setattr("time.strftime", lambda form: "noon")
    schafkopf.train({})
    assert begun == ["runs/noon", "runs/noon_2"]
    assert list(tmp_path.iterdir()) == [], "nothing came to stand in them"


def test_a_missing_package_is_named_before_anything_is_done(tmp_path):
    code = (
        "import sys; sys.modules['tensorboard'] = None; import schafkopf\n"
        "try: schafkopf.train({}, out='run', tensorboard=True)\n"
        "except ModuleNotFoundError as error: print(error)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout
    assert "pip install 'schafkopf[tensorboard]'" in said
    assert not Path(tmp_path / "run").exists()


# A thread that wanted the GIL while the interpreter went down was ended in the middle of C++.
@pytest.mark.parametrize("asks", ["None", "lambda event: None", "lambda event: time.sleep(0.001)"])
def test_the_interpreter_ends_while_a_daemon_thread_trains(tmp_path, asks):
    program = f"""
import threading, time, schafkopf
settings = {SMALL | {"decisions_limit": 10**9}}
def work():
    schafkopf.train(settings.copy(), callback={asks}, out={str(tmp_path / "run")!r})
threading.Thread(target=work, daemon=True).start()
while not __import__("pathlib").Path({str(tmp_path / "run" / "metrics.jsonl")!r}).exists():
    time.sleep(0.01)
time.sleep(0.5)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=240
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_pool_may_be_a_list(tmp_path):
    settings = SMALL | {"pool": ["rules", "random"], "pool_share": 0.3}
    done = schafkopf.train(settings, out=tmp_path / "run", decisions_limit=1)
    assert done["updates"] >= 1


def test_the_opponents_of_evaluations_may_be_a_list(tmp_path):
    settings = SMALL | {
        "eval_minutes": 1e-9,
        "eval_blocks": 2,
        "eval_opponent": ["rules", "random"],
    }
    schafkopf.train(settings, out=tmp_path / "run", decisions_limit=1)
    row = rows_of(tmp_path / "run")[-1]
    assert row["eval_opponent"] == "rules"
    assert [other["opponent"] for other in row["eval_others"]] == ["random"]


# Research rules have no Kontra: all that was ever seen of such a run was a loss of 0.
def test_a_run_that_learns_nothing_says_so(tmp_path):
    first = schafkopf.train(SMALL, out=tmp_path / "first", decisions_limit=1)
    settings = SMALL | {"decisions_limit": 1, "init": first["model_path"], "card_play_first": 0.0}
    done = schafkopf.train(settings, out=tmp_path / "run", learn="kontra")
    assert any("nothing is learned" in note and "kontra" in note for note in done["notes"])
    done = schafkopf.train(settings, out=tmp_path / "bidding", learn="bidding", generated_share=0.0)
    assert not any("nothing is learned" in note for note in done["notes"])
