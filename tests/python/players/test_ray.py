"""A local Ray plays what one process plays: datasets and tournaments with the same results."""

from __future__ import annotations

import pytest

import schafkopf
from schafkopf.datasets import write_dataset

ray = pytest.importorskip("ray")  # ./run test installs it
pytest.importorskip("pyarrow")
pytestmark = pytest.mark.filterwarnings("ignore")  # what Ray itself does
SETTINGS = {"players": ["rules", "random"], "games": 48, "shard_games": 16}


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """Two processors of this machine, one Ray for all tests: it takes some seconds to start."""
    memory = 100 * 2**20  # of the objects; by default a third of the machine's
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=memory)
    yield
    ray.shutdown()


def test_a_dataset_has_the_same_bytes(tmp_path):
    here = write_dataset(tmp_path / "here", **SETTINGS)
    there = write_dataset(tmp_path / "there", ray=True, **SETTINGS)
    names = sorted(file.name for file in here.folder.iterdir())
    assert names == sorted(file.name for file in there.folder.iterdir()) and len(names) == 5
    for file in here.folder.iterdir():
        assert file.read_bytes() == (there.folder / file.name).read_bytes()
    assert ray.is_initialized()  # whoever made the cluster ends it


def test_a_mistake_of_a_player_arrives_and_nothing_stays(tmp_path):
    class Broken:
        def act(self, views):
            raise ValueError("no idea")

    with pytest.raises(ValueError, match="no idea"):
        write_dataset(tmp_path / "out", players=Broken(), games=8, ray=True)
    assert not (tmp_path / "out").exists()


def test_a_tournament_has_the_same_result(tmp_path):
    how = {"blocks": 23, "track": "full", "seed": 4}
    here = schafkopf.tournament(["rules", "random"], **how)
    there = schafkopf.tournament(["rules", "random"], ray=True, **how)
    assert here == there and here.games.tobytes() == there.games.tobytes()
