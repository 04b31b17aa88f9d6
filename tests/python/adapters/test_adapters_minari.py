"""Minari: episodes come back as the seats saw the games, and as the environment has them."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import schafkopf
from schafkopf import _core, cli
from schafkopf.datasets import Dataset, write_dataset

gymnasium = pytest.importorskip("gymnasium")
minari = pytest.importorskip("minari", exc_type=ImportError)  # ./run test installs it
pytest.importorskip("h5py")
pytest.importorskip("pyarrow")

from schafkopf.adapters.gymnasium import SchafkopfEnv  # noqa: E402
from schafkopf.adapters.minari import _opponent, export_minari  # noqa: E402

PASS = _core.parse_action("PASS")
GAMES = 40


@pytest.fixture(autouse=True)
def storage(tmp_path, monkeypatch):
    """Minari's folder of this test."""
    folder = tmp_path / "minari"
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder))
    return folder


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """Games of one player in two shards; read only."""
    folder = tmp_path_factory.mktemp("minari") / "games"
    return write_dataset(
        folder, players="rules", games=GAMES, shard_games=32, seed=3, store=["views", "masks"]
    )


def test_every_seat_of_every_game_is_an_episode_with_its_decisions(games, storage):
    done = []
    export_minari(
        games,
        "cards/all-v0",
        author=["A", "B"],
        author_email="a@b.c",
        licence="CC0",
        progress=lambda *numbers: done.append(numbers),
    )
    assert done == [(number, GAMES) for number in range(1, GAMES + 1)]
    exported = minari.load_dataset("cards/all-v0")
    assert exported.env_spec.kwargs["learner_seat"] == "rotate"
    wrote = json.loads((storage / "cards" / "all-v0" / "data" / "metadata.json").read_text())
    assert sorted(wrote["author"]) == ["A", "B"] and wrote["author_email"] == ["a@b.c"]
    assert wrote["requirements"] == [f"schafkopf[gymnasium]=={schafkopf.__version__}"]
    assert "may not have had" not in wrote["description"]
    table, rows = games.arrays("decisions"), games.arrays("games")
    assert exported.total_steps == len(table["game"])
    assert len(exported) == GAMES * 4  # everybody is asked at least once
    told = list(exported.storage.get_episode_metadata(range(len(exported))))
    asked = schafkopf.legal_mask(table["view"])
    seen = schafkopf.encode(table["view"])
    for number, (episode, about) in enumerate(zip(exported, told, strict=True)):
        game, seat = divmod(number, 4)
        assert (about["game"], about["seat"], about["player"]) == (game, seat, "rules")
        assert about["contract"] == rows["contract"][game]
        assert int(about["deal_seed"]) == rows["seed"][game]
        own = (table["game"] == game) & (table["seat"] == seat)
        assert (episode.actions == table["action"][own]).all()
        assert episode.actions.dtype == np.int64
        assert (episode.observations["observation"][:-1] == seen[own]).all()
        assert (episode.observations["action_mask"][:-1] == asked[own]).all()
        assert np.flatnonzero(episode.observations["action_mask"][-1]).tolist() == [PASS]
        assert episode.rewards[-1] == rows["payoffs"][game, seat] and not episode.rewards[:-1].any()
        assert episode.terminations.tolist() == [False] * (own.sum() - 1) + [True]
        assert not episode.truncations.any()
        decisions = episode.infos["decision"].tolist()
        assert decisions == [*table["decision"][own], (table["game"] == game).sum()]


STOCK = {"preset": "official_1989", "all_pass": "stock", "reuegeld": 7}


@pytest.mark.parametrize(
    ("rules", "options"),
    [
        ("research", {"observation": "uint8"}),
        ("wikipedia_extended", {"observation": "uint8", "observation_version": 2}),
        (STOCK, {"observation": "uint8", "observation_version": 3}),
    ],
)
def test_episodes_are_those_of_the_recovered_environment(games, tmp_path, rules, options):
    if rules != "research":
        form = {"games": 24, "seed": 3, "store": ["views"]}
        games = write_dataset(tmp_path / "games", players="rules", rules=rules, **form)
    exported = export_minari(games, "one-v0", seat=2, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from the source tree the package is not "installed"
        env = exported.recover_environment()
    assert env.spec.id == "Schafkopf-v0" and env.spec.kwargs["opponent"] == "rules"
    assert env.observation_space == exported.observation_space
    assert exported.observation_space["observation"].dtype == np.uint8
    played = 0
    for game, episode in enumerate(exported):
        if game % 8 == 0:  # as SCHEMA.md numbers the games
            table = SchafkopfEnv(**env.spec.kwargs, seed=3, first_env=game // 8)
        observation, _ = table.reset()
        for step in range(len(episode)):
            for name, seen in observation.items():
                assert (episode.observations[name][step] == seen).all(), (name, step)
            observation, reward, terminated, _, _ = table.step(episode.actions[step])
            assert (reward, terminated) == (episode.rewards[step], episode.terminations[step])
        for name, seen in observation.items():
            assert (episode.observations[name][-1] == seen).all(), name
        played += len(episode)
    assert played == exported.total_steps > 7 * len(games)


def test_the_environment_is_recovered_where_numbers_are_those_of_numpy(games):
    exported = export_minari(games, "two-v0", seat=np.int64(1), observation_version=np.int32(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from the source tree the package is not "installed"
        kwargs = exported.recover_environment().spec.kwargs
    assert (kwargs["learner_seat"], kwargs["observation_version"]) == (1, 2)


def test_metadata_say_who_and_what_does_not_fit(tmp_path, storage, capsys):
    folder = str(tmp_path / "games")
    made = write_dataset(
        folder, players=["rules", "random"], games=8, store="views", start="card_play",
        generator="mixed", rules={"preset": "research", "laufende_min_wenz": 3},
    )  # fmt: skip
    command = ["dataset", "export", folder, "--minari", "mixed-v1", "--author", "Zenzi"]
    assert cli.main([*command, "--licence", "CC-BY-4.0", "--code-permalink", "https://a.b"]) == 0
    assert "32 episodes, 256 steps" in capsys.readouterr().out
    told = json.loads((storage / "mixed-v1" / "data" / "metadata.json").read_text())
    assert told["author"] == ["Zenzi"] and told["license"] == "CC-BY-4.0"
    assert told["algorithm_name"] == "rules, random" and told["code_permalink"] == "https://a.b"
    assert "the other seats decide" in told["description"]
    assert "may not have had" in told["description"]
    mixed = minari.load_dataset("mixed-v1")
    seated = zip(*(made.arrays()[f"player_{seat}"] for seat in range(4)), strict=True)
    told = mixed.storage.get_episode_metadata(range(len(mixed)))
    assert [one["player"] for one in told] == [name for names in seated for name in names]
    spec = mixed.env_spec
    assert spec.kwargs["generator"] == "mixed"
    assert spec.id == "SchafkopfCardPlay-v0" and spec.kwargs["rules"]["laufende_min_wenz"] == 3
    assert "opponent" not in spec.kwargs
    registered = gymnasium.spec("SchafkopfCardPlay-v0").kwargs
    assert "rules" not in registered and "mask_in_observation" not in registered
    assert sorted(path.name for path in storage.iterdir()) == ["mixed-v1"]


def test_a_player_that_consists_of_files_is_no_opponent_elsewhere():
    player = {"name": "A", "spec": "rules", "files": {}}
    assert _opponent(SimpleNamespace(players=[player])) == "rules"
    assert _opponent(SimpleNamespace(players=[player | {"files": {"a.pt": "0"}}])) is None


def test_an_id_that_is_there_is_refused_and_stays(games, storage, capsys):
    export_minari(games, "twice-v0", seat=0)
    before = {path: path.read_bytes() for path in storage.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match=r"twice-v0.*has it already.*another name or version"):
        export_minari(games, "twice-v0", seat=1)
    assert cli.main(["dataset", "export", str(games.folder), "--minari", "twice-v0"]) == 2
    assert "has it already" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in storage.rglob("*") if path.is_file()} == before


def test_nothing_stays_of_an_export_that_fails(games, storage):
    def stop(done, of):
        if done == GAMES // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_minari(games, "space/half-v0", progress=stop)
    assert list(storage.iterdir()) == []


@pytest.mark.parametrize("room", [10, 1000, 7000])  # KB, of 7,500
def test_a_disk_without_room_is_an_error_that_leaves_nothing(games, storage, room):
    code = "import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (1024 * {0}, 1024 * {0})); "
    code += "import sys; from schafkopf.cli import main; sys.exit(main())"
    words = ("dataset", "export", games.folder, "--minari", "cards/full-v0")
    command = [sys.executable, "-c", code.format(room), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    place = storage / "cards" / "full-v0"
    assert done.stderr == f"schafkopf: {place}: File too large\n" and done.returncode == 1
    assert not list(storage.iterdir())


@pytest.mark.parametrize(
    ("wrong", "kind", "text"),
    [
        ({"dataset_id": "no version"}, ValueError, "allowed: name-v0 or namespace/name-v0"),
        ({"dataset_id": "a/name-v0"}, ValueError, "a namespace of two letters or more"),
        ({"dataset_id": "noversion"}, ValueError, "allowed: name-v0 or namespace/name-v0"),
        ({"seat": 4}, ValueError, "seat = 4, allowed: integer 0..3, None"),
        ({"observation": "float64"}, ValueError, "float64"),
        ({"observation_version": 9}, ValueError, "observation_version = 9"),
        ({"saet": 1}, TypeError, 'nearest one is "seat"'),
    ],
)
def test_wrong_arguments_are_named_and_nothing_is_written(games, storage, wrong, kind, text):
    with pytest.raises(kind) as caught:
        export_minari(games, **{"dataset_id": "name-v0"} | wrong)
    assert text in str(caught.value)
    assert not storage.exists() or list(storage.iterdir()) == []


@pytest.mark.parametrize("impossible", ["{}/file", "{}/file/below", "", "/proc/none"])
def test_an_impossible_folder_of_minari_is_named(games, tmp_path, monkeypatch, capsys, impossible):
    (tmp_path / "file").touch()
    folder = impossible.format(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", folder)
    said = f'MINARI_DATASETS_PATH = "{folder}", where Minari keeps its datasets: '
    with pytest.raises(OSError, match=r", allowed: a folder that can be written to") as caught:
        export_minari(games, "name-v0")
    assert said in str(caught.value)
    assert cli.main(["dataset", "export", str(games.folder), "--minari", "name-v0"]) == 2
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_datasets_without_views_and_unfinished_ones_are_refused(games, tmp_path):
    bare = write_dataset(tmp_path / "bare", players="random", games=8)
    with pytest.raises(ValueError, match="no views are stored"):
        export_minari(bare, "bare-v0")
    part = write_dataset(
        tmp_path / "part", players="random", games=16, shard_games=8, store="views"
    )
    (part.folder / "games-00001.parquet").unlink()
    with pytest.raises(ValueError, match="8 games are missing"):
        export_minari(part.folder, "part-v0")


def test_a_missing_package_is_named():
    code = "import sys; sys.modules['minari'] = None; import schafkopf.adapters.minari"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'schafkopf[minari]'" in done.stderr


# G.7: passing is not free where everybody then pays into the Stock
def test_what_the_stock_costs_is_in_the_rewards_as_in_the_environment(tmp_path):
    rules = {"preset": "official_1989", "all_pass": "stock"}
    games = write_dataset(
        tmp_path / "games", players=["rules"], games=64, rules=rules, store=["views"], seed=2
    )
    export_minari(games, "cards/stock-v0", seat=0, author="A", author_email="a@b.c", licence="CC0")
    exported = minari.load_dataset("cards/stock-v0")
    paid, contracts = {}, games.arrays("games")["contract"]
    for episode, about in zip(
        exported, exported.storage.get_episode_metadata(range(len(exported))), strict=True
    ):
        if not contracts[about["game"]]:
            paid[about["game"]] = episode.rewards.sum()
    assert len(paid) > 3 and set(paid.values()) == {-10.0}


# security.md: a dataset starts no program, whoever wrote it
def test_a_player_of_the_manifest_that_is_a_program_is_not_started(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    folder = tmp_path / "d"
    write_dataset(folder, players="rules", games=8, shard_games=8, store=["views"])
    manifest = folder / "dataset.json"
    started = tmp_path / "started"
    manifest.write_text(
        manifest.read_text().replace('"spec": "rules"', f'"spec": "engine:touch {started}"')
    )
    assert str(started) in manifest.read_text()
    assert _opponent(Dataset(folder).settings) is None
    with pytest.raises(ValueError, match=r"another dataset\.json than the one beside it"):
        export_minari(folder, "schafkopf/program-v0")
    assert not started.exists()
