"""Stages in a row: `schafkopf curriculum`."""

import json
import re
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.programs import run, signalled

from schafkopf import _core, cli, curriculum
from schafkopf.networks import new_torch, save_player

ROOT = Path(__file__).resolve().parents[3]
SMALL = """
games_per_update = 64
minibatch = 512
width = 16
layers = 1
workers = 1
time_limit_minutes = 0
card_play_first = 0
decisions_limit = {decisions}
generated_share = {share}
eval_minutes = {evaluated}
eval_blocks = 4
"""


@pytest.fixture
def stages(tmp_path):
    pytest.importorskip("torch")
    files = []
    for name, decisions, share in (("cards", 12000, 1.0), ("joint", 9000, 0.4)):
        files.append(tmp_path / f"{name}.toml")
        files[-1].write_text(SMALL.format(decisions=decisions, share=share, evaluated=0))
    return files


def stamps(folder):
    """When each file that training writes into the folders of its stages was written."""
    files = [*folder.glob("*/*.safetensors"), *folder.glob("*/metrics.jsonl")]
    return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in files}


def test_help_names_the_hours_that_the_stages_of_the_shipped_player_took(capsys):
    page = (ROOT / "agents" / "BASELINE.md").read_text(encoding="utf-8")
    took = re.search(r"^\| how long \| (.*)", page, re.MULTILINE)[1]
    minutes = [int(stage) for stage in re.findall(r"(\d+) minutes", took)]
    assert len(minutes) == len(curriculum.STAGES)
    with pytest.raises(SystemExit):
        cli.main(["curriculum", "--help"])
    hours = sum(minutes) // 60
    assert f"{hours} to {hours + 1} hours" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"stages": "cards.toml"}, 'stages: the text "cards.toml" came, allowed: a list of TOML'),
        ({"stages": Path("cards.toml")}, "stages: the text"),
        ({"minutes": None}, "minutes = None, allowed: number >= 0"),
        ({"minutes": "5"}, "minutes = '5', allowed: number >= 0"),
        ({"minutes": float("nan")}, "minutes = nan, allowed: number >= 0"),
    ],
)
def test_stages_and_minutes_of_another_type_are_named(tmp_path, given, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        curriculum.curriculum(**{"stages": ["cards.toml"], "out": tmp_path / "x", **given})
    assert not (tmp_path / "x").exists()


def test_each_stage_starts_from_the_weights_of_the_one_before(stages, tmp_path):
    seen = []
    outcome = curriculum.curriculum(
        stages, out=tmp_path / "runs", progress=lambda name, state: seen.append(name)
    )
    assert outcome.finished and not outcome.interrupted
    assert sorted(set(seen)) == ["1_cards", "2_joint"] and seen == sorted(seen)
    config = (tmp_path / "runs" / "2_joint" / "config.toml").read_text()
    assert f'init = "{tmp_path / "runs" / "1_cards"}' in config
    assert 'init = ""' in (tmp_path / "runs" / "1_cards" / "config.toml").read_text()
    assert outcome.player == tmp_path / "runs" / "player.safetensors"
    from schafkopf import make_agent

    assert make_agent(f"net:{outcome.player}").name == f"net:{outcome.player}"


# Segments of no length: each ends after one update.
def test_segments_give_the_player_that_one_go_gives(stages, tmp_path, capsys):
    whole = curriculum.curriculum(stages, out=tmp_path / "whole").player.read_bytes()
    command = ["curriculum", *map(str, stages), "--out", str(tmp_path / "parts")]
    codes = []
    while not codes or codes[-1] == 75:
        codes.append(cli.main([*command, "--minutes", "1e-9"]))
        assert len(codes) < 100
    assert codes[-1] == 0 and len(codes) > 6
    assert (tmp_path / "parts" / "player.safetensors").read_bytes() == whole
    text = capsys.readouterr()
    assert "the segment is over" in text.err and "the same command goes on" in text.err
    assert "finished: " in text.out
    before = stamps(tmp_path / "parts")
    assert len([path for path in before if path.name == "checkpoint.safetensors"]) == 2
    assert cli.main([*command, "--minutes", "0"]) == 0  # to the end; nothing is trained again
    assert stamps(tmp_path / "parts") == before
    assert (tmp_path / "parts" / "player.safetensors").read_bytes() == whole


def test_ctrl_c_in_the_last_update_of_a_stage_begins_no_other_one(stages, tmp_path):
    def end(name, state):
        if state["share_done"] >= 1:
            raise KeyboardInterrupt

    outcome = curriculum.curriculum(stages, out=tmp_path / "runs", progress=end)
    assert outcome.interrupted and not outcome.finished and outcome.stage.name == "1_cards"
    assert not (tmp_path / "runs" / "2_joint").exists()
    outcome = curriculum.curriculum(stages, out=tmp_path / "runs", progress=end)
    assert outcome.finished  # there is no other one to begin


def test_minutes_have_sixty_seconds_each(stages, tmp_path, monkeypatch):
    times = iter([1000.0, 1119.9, 1120.1])  # of the start, and after two updates
    clock = SimpleNamespace(monotonic=lambda: next(times))
    monkeypatch.setattr(curriculum, "time", clock)
    seen = []
    outcome = curriculum.curriculum(
        stages, out=tmp_path / "runs", minutes=2, progress=lambda name, _: seen.append(name)
    )
    assert not outcome.finished and not outcome.interrupted
    assert seen == ["1_cards", "1_cards"]


def test_other_stages_are_refused_and_other_settings_told(stages, tmp_path):
    folder = tmp_path / "runs"
    player = curriculum.curriculum(stages, out=folder).player
    before = player.read_bytes()
    with pytest.raises(ValueError, match=r"holds 1_cards, 2_joint of other stages"):
        curriculum.curriculum(stages[1:], out=folder)
    notes = []
    curriculum.curriculum(stages, out=folder, note=notes.append)
    curriculum.curriculum(stages, out=folder, settings=["workers=0"], note=notes.append)
    assert notes == []  # left open: whatever the machine had
    curriculum.curriculum(stages, out=folder, settings=["learning_rate=1e-5"], note=notes.append)
    assert [note.split("; ")[1] for note in notes] == [
        "other values are asked of learning_rate"
    ] * 2
    assert player.read_bytes() == before


def test_a_killed_stage_goes_on_and_gives_the_same_player(stages, tmp_path):
    stages[0].write_text(SMALL.format(decisions=80000, share=1.0, evaluated=0))
    whole = curriculum.curriculum(stages, out=tmp_path / "whole").player.read_bytes()
    words = ["curriculum", *map(str, stages), "--out", str(tmp_path / "killed")]
    metrics = tmp_path / "killed" / "1_cards" / "metrics.jsonl"
    killed = signalled(signal.SIGKILL, metrics, 0, *words)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not (tmp_path / "killed" / "player.safetensors").exists()
    done = run(*words)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "killed" / "player.safetensors").read_bytes() == whole


# Between two stages no run holds its folder: the second process would train the next one.
def test_a_folder_in_which_stages_are_trained_is_refused_by_name(stages, tmp_path, capsys):
    from schafkopf import _training

    folder = tmp_path / "runs"
    with _training.FolderLock(str(folder)):
        assert cli.main(["curriculum", *map(str, stages), "--out", str(folder)]) == 2
        assert [path.name for path in folder.iterdir()] == ["run.lock"]
    assert f"{folder}: another run is at work in this folder" in capsys.readouterr().err
    assert not folder.exists()


def test_damage_in_a_stage_that_is_finished_is_said(stages, tmp_path, capsys):
    command = ["curriculum", *map(str, stages), "--out", str(tmp_path / "runs")]
    assert cli.main(command) == 0
    metrics = tmp_path / "runs" / "1_cards" / "metrics.jsonl"
    lines = metrics.read_text().splitlines(keepends=True)
    metrics.write_text("{" + "".join(lines))
    assert cli.main(command) == 0
    assert f"{metrics}: line 1 is damaged" in capsys.readouterr().err
    metrics.write_text("{" + "".join(lines[1:]))
    with pytest.warns(RuntimeWarning, match="metrics"):
        curriculum.curriculum(stages, out=tmp_path / "runs")


def test_evaluated_stages_hand_on_their_best_weights(stages, tmp_path):
    stages[0].write_text(SMALL.format(decisions=12000, share=1.0, evaluated=0.001))
    outcome = curriculum.curriculum(stages, out=tmp_path / "runs")
    assert outcome.finished
    config = (tmp_path / "runs" / "2_joint" / "config.toml").read_text()
    assert f'init = "{tmp_path / "runs" / "1_cards" / "best.safetensors"}"' in config
    lines = (tmp_path / "runs" / "1_cards" / "metrics.jsonl").read_text().splitlines()
    assert any("eval_mean" in json.loads(line) for line in lines)


# The last weights stood in for the best ones without a word, in the player too.
@pytest.mark.parametrize("stage", ["1_cards", "2_joint"])
@pytest.mark.parametrize("gone", [True, False])
def test_best_weights_that_are_lost_are_named_and_not_replaced(
    stages, tmp_path, capsys, stage, gone
):
    for file in stages:
        file.write_text(SMALL.format(decisions=9000, share=1.0, evaluated=0.001))
    runs = tmp_path / "runs"
    command = ["curriculum", *map(str, stages), "--out", str(runs)]
    assert cli.main(command) == 0
    player, best = (runs / "player.safetensors").read_bytes(), runs / stage / "best.safetensors"
    copy = best.read_bytes()
    if stage == "1_cards":  # the next one begins from it
        shutil.rmtree(runs / "2_joint")
    best.unlink() if gone else best.write_bytes(copy[:-40])
    capsys.readouterr()
    for _ in range(2):
        assert cli.main(command) == 2
        said = capsys.readouterr().err.splitlines()[-1]
        assert said.startswith(f"schafkopf: {best}: gone, or set aside as damaged, and the run ")
        assert f"a copy of {runs / stage / 'model.safetensors'} in its place" in said
        assert (runs / "player.safetensors").read_bytes() == player
    best.write_bytes(copy)
    assert cli.main(command) == 0
    assert (runs / "player.safetensors").read_bytes() == player


def test_best_weights_that_no_stage_needs_any_more_may_be_gone(stages, tmp_path):
    stages[0].write_text(SMALL.format(decisions=9000, share=1.0, evaluated=0.001))
    player = curriculum.curriculum(stages, out=tmp_path / "runs").player.read_bytes()
    (tmp_path / "runs" / "1_cards" / "best.safetensors").unlink()
    assert curriculum.curriculum(stages, out=tmp_path / "runs").player.read_bytes() == player


@pytest.mark.parametrize(
    ("text", "options", "refused"),
    [
        ("width = 0", [], "width = 0, allowed: "),
        ("widht = 5", [], "widht"),
        (None, [], "missing.toml"),
        ("width = 16", ["--minutes", "-1"], "--minutes"),
        ("width = 16", ["--set", "layers=0"], "layers = 0, allowed: "),
        (
            "layers = 1\nwidth = 32",
            [],
            "the run has mlp:32x1 on observation 1 (544 inputs), allowed: the same",
        ),
        (
            "layers = 1\nwidth = 16\nrules = 'resaerch'",
            [],
            'missing.toml: rules = "resaerch": rule set "resaerch"',
        ),
        ("layers = 1\nwidth = 16\ninput_sections = 'hand'", [], "(32 inputs), allowed: the same"),
        ("layers = 1\nwidth = 16\npool = 'foo'", [], 'unknown agent "foo", allowed: '),
        ("layers = 1\nwidth = 16\ngenerator = 'foo'", [], 'missing.toml: generator = "foo": '),
        (
            "layers = 1\nwidth = 16\ninput_sections = 'hands'",
            [],
            "missing.toml:3: input_sections = \"hands\": unknown input section 'hands', allowed: ",
        ),
        (
            "layers = 1\nwidth = 16\nclone_records = 'gone.jsonl'",
            [],
            'missing.toml: clone_records = "gone.jsonl": ',
        ),
        ("layers = 1\nwidth = 16\neval_opponent = 'foo'", [], 'unknown agent "foo", allowed: '),
        (
            "layers = 1\nwidth = 16\nteacher = 'rules;random'\nteacher_share = 0.5",
            [],
            'teacher = "rules;random": unknown agent "rules;random", allowed: ',
        ),
    ],
)
def test_a_wrong_later_stage_is_refused_before_the_first_is_trained(
    stages, tmp_path, capsys, text, options, refused
):
    wrong = tmp_path / "missing.toml"
    if text is not None:
        wrong.write_text(text)
    command = ["curriculum", str(stages[0]), str(wrong), "--out", str(tmp_path / "runs"), *options]
    try:
        code = cli.main(command)
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert refused in capsys.readouterr().err
    assert not list(tmp_path.glob("runs/*/config.toml"))


def test_a_player_whose_quoted_file_has_a_semicolon_is_one(tmp_path):
    pytest.importorskip("torch")
    player = save_player(new_torch("mlp:8x1"), tmp_path / "net;work.safetensors")
    stage = tmp_path / "cards.toml"
    share = "pool_share = 0.5\n"
    stage.write_text(
        f"{SMALL.format(decisions=1, share=1.0, evaluated=0)}{share}pool = 'rules;{player}'\n"
    )
    assert curriculum.curriculum([stage], out=tmp_path / "runs").finished


def test_the_default_stages_are_those_of_the_shipped_player():
    names = ["cards", "joint", "refine", "refine_again", "deduce", "deduce_again"]
    assert [stage.stem for stage in curriculum.default_stages()] == names
    assert all(stage.is_file() for stage in curriculum.default_stages())
    with pytest.raises(ValueError, match="stages: none, allowed: at least one"):
        curriculum.curriculum([], out="nowhere")
    with pytest.raises(ValueError, match="minutes = -1, allowed: number >= 0"):
        curriculum.curriculum(["x.toml"], out="nowhere", minutes=-1)


def test_the_stages_of_one_phase_say_which_they_learn():
    pytest.importorskip("torch")
    from schafkopf import training_run

    folder = curriculum.default_stages()[0].parent
    for name, phase in (("cards", "all"), ("bidding", "bidding"), ("kontra", "kontra")):
        text = training_run.load_training().config_toml(str(folder / f"{name}.toml"), [])
        assert f'learn = "{phase}"' in text


def test_no_recipe_cuts_what_a_solo_tout_pays_that_nobody_doubles():
    tomllib = pytest.importorskip("tomllib")  # Python 3.11
    default = curriculum.training_run.default_config()
    recipes = sorted(Path(default).parent.glob("*.toml"))
    assert len(recipes) > 10
    for recipe in recipes:
        values = tomllib.loads(Path(default).read_text()) | tomllib.loads(recipe.read_text())
        won = _core.Outcome(
            _core.Contract("SOLO", 0, "H", tout=True),
            declarer_party=[0],
            points=[120, 0, 0, 0],
            tricks=[8, 0, 0, 0],
            laufende=8,
        )
        most = max(_core.settle(won, rules=values["rules"])["payoffs"])
        assert values["reward_clip"] * values["reward_scale"] > most, recipe.name


def test_bids_are_learned_by_regression_first_and_then_by_ppo_too(stages, tmp_path):
    folder = Path(curriculum.training_run.default_config()).parent
    after = [folder / name for name in ("bidding_values.toml", "bidding.toml")]
    small = SMALL.format(decisions=3000, share=1.0, evaluated=0).split("\n")
    small = [f"--set={line.replace(' ', '')}" for line in small if line]
    line = ["curriculum", *map(str, [stages[0], *after]), "--out", str(tmp_path / "run")]
    share = "--set=generated_share=0.5"
    assert cli.main([*line, *small, share, "--set=observation=1", "--set=critic=oracle"]) == 0
    rows = {}
    for name in ("1_cards", "2_bidding_values", "3_bidding"):
        metrics = (tmp_path / "run" / name / "metrics.jsonl").read_text()
        rows[name] = [json.loads(line) for line in metrics.splitlines()]
    assert "playout_weight" not in rows["1_cards"][-1]
    values, after = rows["2_bidding_values"], rows["3_bidding"]
    assert [row["playout_weight"] for row in values] == [1.0] * len(values)  # to its end
    assert min(row["played_out_share"] for row in values) > 0.3
    assert after[0]["playout_weight"] == 1.0 and "playout_weight" not in after[-1]  # runs down
    assert 0 < after[0]["played_out_share"] < 0.5 * values[0]["played_out_share"]
