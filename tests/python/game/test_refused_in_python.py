"""Wrong input at the doors that are written in Python: what came, what is allowed, nothing left."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.refusals import refused

import schafkopf
from schafkopf import _core
from schafkopf.house_rules import short_text
from schafkopf.keywords import names_keywords


def test_a_name_with_a_slip_is_named():
    for slip, right in {"tournement": "tournament", "VectorEnvs": "VectorEnv"}.items():
        refused(
            f'the nearest one is "{right}"', lambda n=slip: getattr(schafkopf, n), AttributeError
        )
    with pytest.raises(AttributeError, match=r"no attribute 'zzzzzzzzz'$"):
        _ = schafkopf.zzzzzzzzz


def test_keywords_of_a_class_are_named_without_self():
    class Reader:
        @names_keywords
        def __init__(self, folder, *, shuffle=False):
            pass

    words = (
        'Reader: unknown keyword "shufle", allowed: folder, shuffle; the nearest one is "shuffle"'
    )
    refused(words, lambda: Reader("here", shufle=True), TypeError)


@pytest.mark.parametrize(
    ("work", "takes"),
    [
        (lambda **how: schafkopf.tournament({"a": "rules", "b": "random"}, **how), "two numbers"),
        (lambda **how: schafkopf.exploit("random", endgames=1, **how), "two numbers"),
        (
            lambda **how: schafkopf.exploitation.local_best_response("random", states=2, **how),
            "two numbers",
        ),
        (
            lambda **how: schafkopf.bidding.calibration("rules", "rules", blocks=1, **how),
            "two numbers",
        ),
        (
            lambda **how: schafkopf.curriculum.curriculum(["1.toml"], out="run", **how),
            "a name and a dict",
        ),
        (
            lambda **how: schafkopf.best_response.best_response("rules", out="run", **how),
            "a name and a dict",
        ),
    ],
)
def test_progress_that_is_no_function_is_refused_before_the_work(
    work, takes, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for wrong in (5, "print", True):
        words = f"progress = {wrong!r}, allowed: a function of {takes}, None"
        refused(words, lambda wrong=wrong: work(progress=wrong))
    assert not list(tmp_path.iterdir())


def test_progress_of_a_tournament_file_that_is_no_function_leaves_no_folder(tmp_path):
    file, out = tmp_path / "two.toml", tmp_path / "out"
    file.write_text('agents = ["rules", "random"]\nblocks = 1\n')
    words = "progress = 5, allowed: a function of two numbers, None"
    refused(words, lambda: schafkopf.tournaments.run_tournament(file, out=out, progress=5))
    assert not out.exists()


def test_progress_of_a_dataset_that_is_no_function_leaves_no_folder(tmp_path):
    pytest.importorskip("pyarrow")
    words = "progress = 5, allowed: a function of two numbers, None"
    datasets, folder = schafkopf.datasets, tmp_path / "games"
    refused(words, lambda: datasets.write_dataset(folder, players=["random"], games=2, progress=5))
    refused(words, lambda: datasets.import_games(["games.jsonl"], folder, progress=5))
    assert not list(tmp_path.iterdir())
    written = datasets.write_dataset(folder, players=["random"], games=2, workers=1)
    refused(words, lambda: written.check(replay=True, progress=5))


def test_what_is_to_be_told_of_work_and_is_no_function_is_refused_before_it(tmp_path):
    pytest.importorskip("pyarrow")
    players, file, folder = ["rules", "random"], tmp_path / "two.toml", tmp_path / "out"
    file.write_text('agents = ["rules", "random"]\nblocks = 1\n')
    run, datasets = schafkopf.tournaments.run_tournament, schafkopf.datasets
    write = datasets.write_dataset
    for name, takes in (("note", "a text"), ("started", "a path")):
        words = f"{name} = 5, allowed: a function of {takes}, None"
        how = {name: 5}
        refused(words, lambda how=how: run(file, out=folder, **how))
        refused(words, lambda how=how: write(folder, players=players, games=8, **how))
    words = "note = 5, allowed: a function of a text, None"
    journal = tmp_path / "games.journal"
    refused(words, lambda: schafkopf.tournament(players, blocks=1, journal=journal, note=5))
    refused(words, lambda: datasets.import_games([file], folder, note=5))
    refused(words, lambda: schafkopf.curriculum.curriculum([file], out=folder, note=5))
    words = "damaged = 5, allowed: a function of a text, None"
    refused(words, lambda: datasets.import_games([file], folder, damaged=5))
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("wrong", [3, 1, b"there", ["there"]])
def test_a_cluster_that_is_no_address_is_refused_before_the_work(tmp_path, wrong):
    pytest.importorskip("pyarrow")
    players, file, folder = ["rules", "random"], tmp_path / "two.toml", tmp_path / "out"
    file.write_text('agents = ["rules", "random"]\nblocks = 1\n')
    words = f"ray = {wrong!r}, allowed: the address of a Ray cluster, true, false"
    run, write = schafkopf.tournaments.run_tournament, schafkopf.datasets.write_dataset
    journal = tmp_path / "games.journal"
    refused(words, lambda: schafkopf.tournament(players, blocks=1, journal=journal, ray=wrong))
    refused(words, lambda: run(file, out=folder, ray=wrong))
    refused(words, lambda: write(folder, players=players, games=8, ray=wrong))
    assert list(tmp_path.iterdir()) == [file]


def test_a_batch_asks_players_of_every_form():
    env = schafkopf.VectorEnv(64, view_lines=True)
    env.reset(seed=3)
    asked = env.agent_actions(schafkopf.make_agent("rules"))
    for player in ("rules", "rules", schafkopf.make_agent(schafkopf.make_agent("rules"))):
        assert (env.agent_actions(player) == asked).all()
    assert (env.agent_actions(Lowest()) == Lowest().act(env.views())).all()
    refused("int came as a player; allowed: a name", lambda: env.agent_actions(5))
    refused('the nearest one is "rules"', lambda: env.agent_actions("rulez"))
    env.close()
    refused("closed", lambda: env.agent_actions("rules"), RuntimeError)


def test_arrays_of_a_batch_are_written_and_not_replaced():
    env = schafkopf.VectorEnv(2)
    shown = env.observation
    for name in ("observation", "rewards", "full_view"):
        refused(
            f"env.{name}[...] = values writes into the array",
            lambda n=name: setattr(env, n, np.zeros(2)),
            AttributeError,
        )
        refused(
            f"{name}: the environment shows it, allowed: close(), which lets all of them go",
            lambda n=name: delattr(env, n),
            AttributeError,
        )
    env.observation[...] = 1
    env.extra = 5
    del env.extra
    env.note = "an attribute of one's own"
    assert env.observation is shown and (shown == 1).all() and env.note


def test_bytes_come_as_bytearray_and_memoryview_too():
    env = schafkopf.VectorEnv(4, seed=2)
    kept, start = env.snapshot(), env.running_seed.copy()
    for form in (bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)):
        env.reset(seed=7)
        env.restore(form(kept))
        assert (env.running_seed == start).all()
    game = schafkopf.Game(seed=1)
    assert schafkopf.Game.deserialize(bytearray(game.serialize())) == game


NO_BYTES = "data: {} came, allowed: bytes, bytearray, memoryview"


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (NO_BYTES.format("NoneType"), lambda env: env.restore(None)),
        (NO_BYTES.format("str"), lambda env: env.restore("x")),
        (NO_BYTES.format("int"), lambda env: schafkopf.Game.deserialize(5)),
        ("VectorEnv.set_game: game: int came, allowed: Game", lambda env: env.set_game(0, 1)),
        ("VectorEnv.set_game: game is missing, allowed: Game", lambda env: env.set_game(0)),
        ("Session.finish: game: str came, allowed: Game", lambda _: schafkopf.Session().finish("")),
        ("Solver.points: game: int came, allowed: Game", lambda _: schafkopf.Solver().points(1)),
        ("read_network: path: int came, allowed: str", lambda _: _core.read_network(8)),
        ("observation_size: 2 arguments came, allowed: v", lambda _: _core.observation_size(1, 2)),
    ],
)  # fmt: skip
def test_an_argument_of_another_type_is_named(words, call):
    refused(words, lambda: call(schafkopf.VectorEnv(2, view_lines=True)), TypeError)


def test_modes_of_gymnasium_are_modes_of_a_batch():
    modes = pytest.importorskip("gymnasium.vector").AutoresetMode
    for mode, name in zip(modes, ("next_step", "same_step", "disabled"), strict=True):
        assert schafkopf.VectorEnv(2, auto_reset=mode) == schafkopf.VectorEnv(2, auto_reset=name)
        assert f"auto_reset='{name}'" in repr(schafkopf.VectorEnv(2, auto_reset=mode))


def test_a_batch_says_what_it_is():
    env = schafkopf.VectorEnv(2, rules="tournament_2024", deals=[schafkopf.Deal.random(1)])
    assert repr(env) == "VectorEnv(2, rules='tournament_2024')"
    env.close()
    assert repr(env) == "VectorEnv(2, rules='tournament_2024', closed)"


class Lowest:
    """A player; the class itself is none."""

    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"rules": schafkopf.RuleSet("research")}, 'rules=RuleSet("research")'),
        (
            {"rules": schafkopf.RuleSet("official_1989_full", all_pass="ramsch")},
            'rules=RuleSet("official_1989_full", all_pass="ramsch")',
        ),
        (
            {"rules": {"preset": "research", "claims_enabled": False}},
            'rules=RuleSet("research", claims_enabled=False)',
        ),
        (
            {"rules": ["research", schafkopf.RuleSet("course_002")], "rule_index": [0, 1]},
            "rules=['research', RuleSet(\"course_002\")], rule_index=[0, 1]",
        ),
        (
            {"learner_seat": 0, "opponents": ["random", schafkopf.make_agent("rules"), Lowest()]},
            "learner_seat=0, opponents=['random', 'rules:version=3', <Lowest>]",
        ),
        ({"learner_seat": 0, "opponent": Lowest()}, "learner_seat=0, opponent=<Lowest>"),
        (
            {"seed": np.int64(5), "num_threads": np.int64(1), "rules": np.str_("course_002")},
            "seed=5, num_threads=1, rules='course_002'",
        ),
        ({"rule_index": np.zeros(2, np.uint16), "generator": None}, "rule_index=[0, 0]"),
    ],
)
def test_a_batch_says_what_makes_it_another_one(options, shown):
    assert repr(schafkopf.VectorEnv(2, **options)) == f"VectorEnv(2, {shown})"


def test_long_options_of_a_batch_are_cut_short():
    rules = [schafkopf.RuleSet("research", laufende_min_wenz=1 + at % 4) for at in range(20)]
    text = repr(schafkopf.VectorEnv(2, rules=rules, rule_index=[0] * 2))
    assert len(text) < 230 and "\n" not in text and text.endswith("..., rule_index=[0, 0])")


@pytest.mark.parametrize("preset", ["", *schafkopf.preset_names()])
def test_the_short_text_of_rules_makes_them_again(preset):
    rules = schafkopf.RuleSet(preset, all_pass="ramsch", tariff="10/50")
    again = eval(short_text(rules), {"RuleSet": schafkopf.RuleSet})
    assert again == rules


class NoMethod:
    act = 3


def test_players_that_are_none():
    refused("NoMethod came as a player; allowed: a name", lambda: schafkopf.make_agent(NoMethod()))
    refused("progress = 3, allowed: a function", lambda: schafkopf.tournament([], progress=3))
    for deals in (0, "rules"):
        refused("deals = ", lambda n=deals: schafkopf.games.play_deals("rules", n))
    refused("agents = 5, allowed: a list or a dict", lambda: schafkopf.tournament(5))
    run = schafkopf.tournaments.run_tournament
    refused("config: the file of a tournament is missing", run)


def test_a_class_is_no_player_but_its_objects_are(tmp_path):
    words = "the class Lowest came, allowed: an object of it, Lowest()"
    env, tournament = schafkopf.VectorEnv, schafkopf.tournament
    refused(f"opponent: {words}", lambda: env(2, opponent=Lowest, learner_seat=0))
    three = ["rules", Lowest, "rules"]
    refused(f"opponents: {words}", lambda: env(2, opponents=three, learner_seat=0))
    refused(f"agents: {words}", lambda: tournament([Lowest, "rules"], blocks=1))
    alone = "the class Lowest came as a player, allowed: an object of it, Lowest()"
    refused(alone, lambda: schafkopf.make_agent(Lowest))
    refused(alone, lambda: schafkopf.exploitation.exploit(Lowest))
    refused(f"agents: {words}", lambda: tournament({"me": Lowest, "b": "rules"}, blocks=1))
    refused("observation: the class float32 came", lambda: env(2, observation=np.float32))
    assert tournament([Lowest(), "rules"], blocks=1)["blocks"] == 1
    pytest.importorskip("pyarrow")
    for players in (Lowest, [Lowest], {"me": Lowest}):
        refused(
            f"players: {words}",
            lambda p=players: schafkopf.datasets.write_dataset(tmp_path / "x", players=p, games=8),
        )
    assert list(tmp_path.iterdir()) == []


def test_games_of_no_tournament_are_not_written(tmp_path):
    write = schafkopf.tournaments.write_parquet
    refused("result: dict without games came", lambda: write({}, tmp_path / "x.parquet"))
    assert list(tmp_path.iterdir()) == []


def test_weights_that_are_not_there(tmp_path):
    refused("architecture = None, allowed: a text", lambda: schafkopf.new_torch(None))
    module = schafkopf.new_torch("mlp:8x1")
    refused("schafkopf.save_player writes a network", lambda: schafkopf.make_agent(module))
    for load in (schafkopf.load_numpy, schafkopf.load_torch):
        refused('"net:baseline" is a player', lambda load=load: load("net:baseline"))
        words = 'the nearest one is "baseline"; allowed: a file, or "baseline"'
        refused(words, lambda load=load: load("baselin"), FileNotFoundError)
    refused('the nearest one is "baseline"', lambda: schafkopf.make_agent("net:basline"))
    with pytest.raises(ValueError, match=r"No such file or directory$"):
        schafkopf.make_agent("net:runs/mine/model.safetensors")


def test_a_module_reads_rows_of_its_own_type():
    torch = pytest.importorskip("torch")
    module = schafkopf.new_torch("mlp:8x1")
    rows = torch.zeros((2, module.shape.row_length))
    for wrong in (torch.float64, torch.uint8, torch.int64):
        refused(f"observation: {wrong} [2, 736] came", lambda t=wrong: module(rows.to(t)))
    assert module(rows)[0].shape == (2, 128)
    assert module.double()(rows.double())[0].dtype == torch.float64
    with torch.autocast("cpu", torch.bfloat16):
        assert module.float()(rows)[0].dtype == torch.bfloat16


def test_a_player_is_written_with_texts_alone(tmp_path):
    pytest.importorskip("torch")
    module = schafkopf.new_torch("mlp:8x1")
    file = tmp_path / "x.safetensors"
    refused(
        "metadata = {'run': 1}, allowed: a mapping of texts",
        lambda: schafkopf.save_player(module, file, metadata={"run": 1}),
        TypeError,
    )
    assert list(tmp_path.iterdir()) == []
    refused(
        'input_sections: the text "hand" came', lambda: schafkopf.new_torch(input_sections="hand")
    )


def test_datasets(tmp_path):
    pytest.importorskip("pyarrow")
    from schafkopf import datasets

    folder = tmp_path / "games"
    refused(
        "players = 7, allowed: a player", lambda: datasets.write_dataset(folder, players=7, games=8)
    )
    assert not folder.exists()
    games = datasets.write_dataset(folder, players="random", games=np.int64(8), store=["views"])
    for column, store in {"probabilities": "probabilities", "legal": "masks"}.items():
        refused(
            f'"{column}" is not in decisions',
            lambda c=column: games.arrays("decisions", [c]),
        )
        refused(f'store = ["{store}"] has it', lambda c=column: games.arrays("decisions", [c]))


BARE = """
import importlib, os, sys, schafkopf

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {packages!r}:
            raise ModuleNotFoundError(f"No module named {{name}}", name=name)

sys.meta_path.insert(0, Nothing())
env = schafkopf.VectorEnv(2)
result = schafkopf.tournament(["random", "rules"], blocks=1)
write = lambda: schafkopf.datasets.write_dataset("games", players="random", games=8)
doors = {{
    "gymnasium": lambda: env.action_space,
    "torch": lambda: schafkopf.VectorEnv(2, arrays="torch"),
    "torch ": lambda: schafkopf.new_torch(),
    "tensorboard": lambda: schafkopf.train(out="run", tensorboard=True),
    "parquet": lambda: schafkopf.tournaments.write_parquet(result, "x.parquet"),
    "parquet ": write,
    "ray": lambda: schafkopf.tournament(["random", "rules"], blocks=1, ray=True),
}}
ADAPTERS = "gymnasium pettingzoo openspiel torchrl rllib sb3 pgx torch minari"
for name in ADAPTERS.split():
    doors[f"{{name}}  "] = lambda name=name: importlib.import_module(f"schafkopf.adapters.{{name}}")
for extra, door in doors.items():
    try:
        print(extra, "opens")
        door()
    except ModuleNotFoundError as error:
        how = f", or pip install 'schafkopf[{{extra.strip()}}]' where pip installed schafkopf"
        assert "is not installed: pip install " in str(error) and how in str(error), extra
    else:
        raise AssertionError(extra)
assert os.listdir() == [], os.listdir()
"""
OPTIONAL = {"gymnasium", "h5py", "matplotlib", "minari", "pettingzoo", "pyarrow", "pyspiel", "ray"}
OPTIONAL |= {
    "jax",
    "pgx",
    "open_spiel",
    "sb3_contrib",
    "stable_baselines3",
    "tensorboard",
    "torch",
    "torchrl",
}


def test_every_door_names_the_extra_that_it_lacks(tmp_path):
    code = BARE.format(packages=sorted(OPTIONAL))
    path = {"PYTHONPATH": str(Path(schafkopf.__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_deals_are_not_played_by_who_sees_hidden_hands():
    with pytest.raises(ValueError) as caught:
        schafkopf.games.play_deals("oracle", 1)
    assert str(caught.value).endswith("sees hidden hands, allowed: players that see views alone")
    assert "full_view" not in str(caught.value)
