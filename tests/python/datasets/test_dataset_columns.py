"""Columns of a dataset as arrays and tensors: the same dtypes everywhere, nothing rounded."""

import json
import re

import numpy as np
import pytest

import schafkopf
from schafkopf.datasets import import_games, write_dataset

pytest.importorskip("pyarrow")


def test_columns_have_the_same_dtype_with_and_without_missing_values(tmp_path):
    some = write_dataset(tmp_path / "a", players="random", games=60, rules="research")
    none = write_dataset(
        tmp_path / "b", players="rules", games=8, rules="research", start="card_play"
    )
    with_missing, whole = some.arrays(), none.arrays()
    assert (with_missing["won"] == -1).any() and not (whole["won"] == -1).any()
    for name in ("won", "declarer_points", "declarer_party", "dealer", "seed", "finished"):
        assert with_missing[name].dtype == whole[name].dtype, name
    assert whole["won"].dtype == np.int8
    unplayed = with_missing["won"] == -1
    assert (with_missing["declarer_points"][unplayed] == -1).all()
    for number in np.flatnonzero(~unplayed)[:10]:
        record = list(some.records())[number]
        assert schafkopf.replay(record)["won"] == with_missing["won"][number]


def test_what_a_game_does_not_have_is_shown_as_the_docstring_says(tmp_path):
    made = write_dataset(tmp_path / "made", players="rules", games=4, seed=3)
    records = [dict(record) for record in made.records()]
    records[1]["plays"] = records[1]["plays"][:6]  # not finished
    assert records[3]["plays"] == [] and records[3].pop("dealer") == 3  # thrown in
    file = tmp_path / "games.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    games = import_games(file, tmp_path / "imported").arrays()
    assert games["finished"].tolist() == [True, False, True, True]
    assert np.isnan(games["payoffs"][1]).all() and (games["payoffs"][3] == 0).all()
    assert games["dealer"].tolist() == [0, 1, 2, -1]
    assert games["declarer_party"][[1, 3]].tolist() == [0, 0] and games["declarer_party"][0]
    for name in ("won", "declarer_points"):
        assert games[name][[1, 3]].tolist() == [-1, -1]
    assert games["plays"].shape == (4, 32)
    assert (games["plays"][1, 6:] == 255).all() and (games["plays"][3] == 255).all()
    assert games["player_0"].tolist() == [""] * 4  # of imported games nobody knows


def test_values_of_actions_are_read_without_the_column_of_the_legal_ones(decisions):
    whole = decisions.arrays("decisions")
    for name in ("solver", "probabilities"):
        alone = decisions.arrays("decisions", [name])
        assert list(alone) == [name] and (alone[name] == whole[name]).all()


def test_seeds_are_never_rounded_where_some_games_have_none(tmp_path):
    torch = pytest.importorskip("torch", exc_type=ImportError)
    from schafkopf.adapters.torch import IterableGames

    made = write_dataset(tmp_path / "made", players="rules", games=4, seed=2**64 - 5)
    records = [dict(record) for record in made.records()]
    del records[1]["seed"]
    file = tmp_path / "games.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    imported = import_games(file, tmp_path / "imported")
    seeds = imported.arrays(columns=["seed"])["seed"].tolist()
    assert seeds == [record.get("seed") for record in records]
    (batch,) = IterableGames(imported, "games")
    bits = batch["seed"].numpy().view(np.uint64).tolist()
    assert bits == [record.get("seed", 0) for record in records]
    assert batch["won"].dtype == torch.int8


def test_columns_and_shards_that_are_none_are_refused_at_once(tmp_path):
    made = write_dataset(tmp_path / "made", players="rules", games=4)
    with pytest.raises(ValueError, match="shards: none, allowed"):
        made.arrays(shards=[])
    pytest.importorskip("torch", exc_type=ImportError)
    from schafkopf.adapters.torch import IterableGames

    with pytest.raises(ValueError, match="columns: none, allowed"):
        IterableGames(made, "games", [])
    with pytest.raises(ValueError, match="observation_version = 9"):
        IterableGames(made, "games", observation_version=9)


@pytest.mark.parametrize("columns", [5, [5], True])
def test_columns_that_are_no_names_are_told(tmp_path, columns):
    made = write_dataset(tmp_path / "made", players="random", games=4)
    with pytest.raises(ValueError, match=r"columns: .*allowed: "):
        made.arrays(columns=columns)
    with pytest.raises(ValueError, match=r"columns: .*allowed: "):
        made.table("games", 0, columns)
    pytest.importorskip("torch", exc_type=ImportError)
    from schafkopf.adapters.torch import IterableGames

    with pytest.raises(ValueError, match=r"columns: .*allowed: "):
        IterableGames(made, "games", columns)


def test_a_text_is_no_list_of_columns(tmp_path):
    made = write_dataset(tmp_path / "made", players="random", games=4)
    for read in (made.arrays, lambda columns: made.table("games", 0, columns)):
        with pytest.raises(ValueError, match='columns: the text "game" came, allowed: a list'):
            read(columns="game")
    columns = iter(["game", "payoffs"])
    assert made.table("games", 0, columns).column_names == ["game", "payoffs"]


@pytest.mark.parametrize("value", ["no", 1, None])
def test_the_flag_of_shuffling_is_true_or_false(tmp_path, value):
    pytest.importorskip("torch", exc_type=ImportError)
    from schafkopf.adapters.torch import IterableGames

    made = write_dataset(tmp_path / "made", players="random", games=4)
    said = re.escape(f"shuffle = {value!r}, allowed: true, false")
    with pytest.raises(ValueError, match=said):
        IterableGames(made, "games", shuffle=value)
    assert IterableGames(made, "games", shuffle=np.bool_(True)).shuffle is True


@pytest.mark.parametrize("shard", [2, -1, True, 0.0, "0", None, 2**70])
def test_a_shard_that_is_none_is_named_with_those_there_are(tmp_path, shard):
    made = write_dataset(tmp_path / "made", players="random", games=16, shard_games=8)
    said = re.escape(f"shard = {shard!r}, allowed: integer 0..1")
    with pytest.raises(ValueError, match=said):
        made.table("games", shard)
    with pytest.raises(ValueError, match=said):
        made.arrays(shards=[0, shard])


@pytest.mark.parametrize("shards", [0, "01", np.int64(0)])
def test_shards_are_a_list_of_numbers(tmp_path, shards):
    made = write_dataset(tmp_path / "made", players="random", games=16, shard_games=8)
    with pytest.raises(ValueError, match=r"shards: \w+ came, allowed: a list of numbers"):
        made.arrays(shards=shards)


@pytest.mark.parametrize(
    ("column", "stored"),
    [
        ("legal", "masks"),
        ("solver", "solver"),
        ("probabilities", "probabilities"),
        ("value", "probabilities"),
    ],
)
def test_a_column_that_is_not_stored_says_how_a_dataset_has_it(tmp_path, column, stored):
    made = write_dataset(tmp_path / "made", players="rules", games=4, store=["views"])
    hint = rf'"{column}".*allowed: game, .*; a dataset that was written with store = \["{stored}"\]'
    with pytest.raises(ValueError, match=hint):
        made.arrays("decisions", [column])
    pytest.importorskip("torch", exc_type=ImportError)
    from schafkopf.adapters.torch import IterableGames

    with pytest.raises(ValueError, match=hint):
        IterableGames(made, columns=[column])
    with pytest.raises(ValueError, match='"legla", allowed: game, '):
        IterableGames(made, columns=["legla"])


def test_observations_are_made_of_views_that_are_stored(tmp_path):
    pytest.importorskip("torch", exc_type=ImportError)
    from schafkopf.adapters.torch import IterableGames

    made = write_dataset(tmp_path / "made", players="rules", games=4, store=["masks"])
    with pytest.raises(ValueError, match=r'"observation", .*written with store = \["views"\] has'):
        IterableGames(made, columns=["observation"])
