"""Datasets that several files of tests read."""

from __future__ import annotations

import pytest

from schafkopf.datasets import write_dataset


@pytest.fixture(scope="session")
def games(tmp_path_factory):
    """300 games of two players in three shards; read only."""
    folder = tmp_path_factory.mktemp("datasets") / "games"
    return write_dataset(folder, players=["rules", "random"], games=300, shard_games=128, seed=3)


@pytest.fixture(scope="session")
def decisions(tmp_path_factory):
    """20 games with everything that can be stored; read only."""
    folder = tmp_path_factory.mktemp("datasets") / "decisions"
    everything = ("views", "masks", "probabilities", "solver")
    return write_dataset(folder, players="rules", games=20, shard_games=16, store=everything)


@pytest.fixture
def small(tmp_path):
    return write_dataset(tmp_path / "small", players="random", games=8, shard_games=8).folder
