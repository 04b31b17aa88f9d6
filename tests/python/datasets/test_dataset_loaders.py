"""Decisions of datasets as batches of torch."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import schafkopf
from schafkopf.datasets import write_dataset

torch = pytest.importorskip("torch", exc_type=ImportError)
pyarrow = pytest.importorskip("pyarrow")
from schafkopf.adapters.torch import IterableGames  # noqa: E402


def test_a_loader_gives_every_decision_once_whatever_its_workers(decisions):
    expected = decisions.arrays("decisions")
    chosen = ["game", "decision", "action", "legal", "view", "observation", "solver"]
    for options in ({}, {"shuffle": True, "seed": 1}):
        found = []
        for rank in range(2):
            games = IterableGames(
                decisions, columns=chosen, batch_size=64, rank=rank, world_size=2, **options
            )
            loader = torch.utils.data.DataLoader(games, batch_size=None)
            found += list(loader)
        assert all(len(batch["game"]) <= 64 for batch in found)
        rows = {name: torch.cat([batch[name] for batch in found]).numpy() for name in chosen}
        order = np.lexsort((rows["decision"], rows["game"]))
        if options:
            assert (order != np.arange(len(order))).any()
        for name in ("game", "decision", "action", "solver"):
            assert (rows[name][order] == expected[name]).all()
        mask = schafkopf.legal_mask(expected["view"])
        assert rows["legal"].dtype == bool and (rows["legal"][order] == mask).all()
        assert (rows["observation"][order] == schafkopf.encode(expected["view"])).all()
        assert expected["view"].dtype == schafkopf.views.VIEW_DTYPE
        assert rows["view"].shape == (len(order), 192)
        assert rows["view"][order].tobytes() == expected["view"].tobytes()


def test_processes_that_would_get_no_shard_are_refused(decisions):
    shards = len(decisions.shards())
    assert IterableGames(decisions, rank=shards - 1, world_size=shards).world_size == shards
    with pytest.raises(ValueError, match=rf"world_size = {shards + 1}, allowed: at most {shards},"):
        IterableGames(decisions, world_size=shards + 1)


def test_a_loader_of_a_dataset_without_a_finished_shard_says_so(small):
    for file in small.glob("*.parquet"):
        file.unlink()
    with pytest.raises(ValueError, match="small: no shard is finished, allowed: resume it first"):
        IterableGames(small, "games")


@pytest.mark.filterwarnings("ignore:This DataLoader will create")  # where there is one core
@pytest.mark.parametrize(
    ("workers", "copied"),
    [
        ({}, False),
        ({"num_workers": 2, "persistent_workers": True}, False),
        ({"num_workers": 2, "persistent_workers": True}, True),
    ],
)
def test_an_epoch_has_an_order_of_its_own_also_in_workers_that_outlive_it(games, workers, copied):
    batches = IterableGames(games.folder, "games", ["game"], batch_size=50, shuffle=True)
    if copied:
        batches = pickle.loads(pickle.dumps(batches))
    loader = torch.utils.data.DataLoader(batches, batch_size=None, **workers)

    def order():
        return torch.cat([batch["game"] for batch in loader]).tolist()

    first = order()
    batches.set_epoch(1)
    assert batches.epoch == 1
    second = order()
    assert first != second and sorted(first) == sorted(second) == list(range(300))
    batches.set_epoch(0)
    assert order() == first


def test_a_copy_goes_on_in_the_epoch_of_its_original_and_then_has_its_own(games):
    batches = IterableGames(games, "games", ["game"])
    batches.set_epoch(3)
    copied = pickle.loads(pickle.dumps(batches))
    assert copied.epoch == 3
    copied.set_epoch(4)
    assert (batches.epoch, copied.epoch) == (3, 4)


def test_the_order_of_an_epoch_is_that_of_the_seed_in_shards_and_in_rows(games):
    def order(seed):
        batches = IterableGames(games, "games", ["game"], shuffle=True, seed=seed)
        return torch.cat([batch["game"] for batch in batches]).tolist()

    orders = [order(seed) for seed in range(4)]
    assert orders == [order(seed) for seed in range(4)]
    assert len({tuple(one) for one in orders}) == 4
    shards = [list(dict.fromkeys(game // 128 for game in one)) for one in orders]
    assert len({tuple(one) for one in shards}) > 1 and {len(one) for one in shards} == {3}
    within = {tuple(game for game in one if game < 128) for one in orders}
    assert len(within) == 4 and tuple(range(128)) not in within


@pytest.mark.parametrize("processes", [2, 3])  # of two, one gets two of the three shards
@pytest.mark.parametrize("seed", [0, 1, 2, 2**63])
def test_processes_share_the_shards_in_every_order(games, seed, processes):
    how = {"shuffle": True, "seed": seed, "world_size": processes}
    ranks = [IterableGames(games, "games", ["game"], rank=rank, **how) for rank in range(processes)]
    for epoch in range(3):
        found = []
        for batches in ranks:
            batches.set_epoch(epoch)
            found += [game for batch in batches for game in batch["game"].tolist()]
        assert sorted(found) == list(range(300))


def test_a_loader_counts_cards_as_networks_do(decisions):
    chosen = ["observation", "action", "legal", "probabilities", "solver", "view"]
    batches = IterableGames(decisions.folder, columns=chosen, cards="canonical")
    rows = {name: torch.cat([batch[name] for batch in batches]).numpy() for name in chosen}
    table = decisions.arrays("decisions")
    views, cards = table["view"], schafkopf.cards
    expected = schafkopf.encode(views, cards="canonical")
    assert (rows["observation"] == expected).all() and (expected != schafkopf.encode(views)).any()
    assert (cards.from_canonical(rows["action"], views) == table["action"]).all()
    assert (rows["action"] != table["action"]).any()
    for name in ("probabilities", "solver"):
        assert (cards.mask_from_canonical(rows[name], views) == table[name]).all()
    assert rows["legal"].dtype == bool
    assert rows["legal"][np.arange(len(views)), rows["action"]].all()
    assert (rows["view"].tobytes()) == views.tobytes()
    with pytest.raises(ValueError, match='cards = "canon", allowed: absolute, canonical'):
        IterableGames(decisions.folder, cards="canon")


@pytest.mark.parametrize("version", [1, 3])
def test_a_loader_makes_observations_of_the_rules_and_the_version(tmp_path, version):
    made = write_dataset(
        tmp_path / "made", players="random", games=8, rules="official_1989_full", store=["views"]
    )
    batches = IterableGames(made, columns=["observation"], observation_version=version)
    rows = torch.cat([batch["observation"] for batch in batches]).numpy()
    views = made.arrays("decisions", ["view"])["view"]
    assert (rows == schafkopf.encode(views, "official_1989_full", version=version)).all()


def test_rows_of_a_shard_have_an_order_of_their_own_in_every_epoch(games):
    batches = IterableGames(games, "games", ["game"], batch_size=128, shuffle=True)
    orders = {}
    for epoch in range(3):
        batches.set_epoch(epoch)
        for batch in batches:
            numbers = batch["game"].tolist()
            if len(numbers) == 128:
                orders[epoch, numbers[0] // 128] = tuple(number % 128 for number in numbers)
    assert len(orders) == len(set(orders.values())) == 6


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"rank": 2, "world_size": 2}, r"rank = 2, allowed: integer 0\.\.1"),
        ({"batch_size": 0}, r"batch_size = 0, allowed: integer 1\.\."),
    ],
)
def test_wrong_numbers_of_a_loader_are_named(games, wrong, words):
    with pytest.raises(ValueError, match=words):
        IterableGames(games, "games", **wrong)


def test_canonical_cards_need_views(games):
    with pytest.raises(ValueError, match=r'cards = "canonical" needs .*store = \["views"\]'):
        IterableGames(games.folder, "games", cards="canonical")


@pytest.mark.filterwarnings("ignore:This DataLoader will create")  # on one processor
def test_shards_are_shared_among_the_workers_of_a_loader(games):
    batches = IterableGames(games.folder, "games", ["game", "payoffs"], batch_size=50)
    loader = torch.utils.data.DataLoader(batches, batch_size=None, num_workers=2)
    numbers = torch.cat([batch["game"] for batch in loader])
    assert sorted(numbers.tolist()) == list(range(300))
    with pytest.raises(ValueError, match=r'"contract", allowed: game, seed'):
        IterableGames(games.folder, "games", ["contract"])
