"""Manifests of datasets that come from elsewhere."""

from __future__ import annotations

import json

import pytest

from schafkopf.datasets import Dataset, write_dataset

pyarrow = pytest.importorskip("pyarrow")


def manifest_with(folder, **changed):
    path = folder / "dataset.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))
    return folder


@pytest.mark.parametrize(
    "changed",
    [
        {"games": 0}, {"games": 10**18}, {"games": "8"}, {"games": True}, {"shard_games": 0},
        {"seed": -1}, {"rules": []}, {"players": [{"name": 1, "spec": ""}]}, {"players": "random"},
        {"players": [{"name": "x", "spec": ""}]},
        {"players": [{"name": "x", "spec": "", "files": []}]},
        {"store": ["everything"]}, {"source": [{"name": "x"}]}, {"start": None},
    ],
)  # fmt: skip
def test_a_manifest_that_is_none_is_refused(small, changed):
    (key,) = changed
    with pytest.raises(ValueError, match=rf"dataset\.json: {key} is none of a dataset"):
        Dataset(manifest_with(small, **changed))


def test_a_manifest_of_many_games_takes_no_time(small):
    found = Dataset(manifest_with(small, games=10**12, shard_games=1))
    assert found.shards() == [0] and found.missing == 10**12 - 1
    assert repr(found) == f"Dataset({str(small)!r}, games={10**12})"


def test_a_dataset_that_goes_on_starts_no_program_unasked(small, tmp_path):
    started = tmp_path / "it-ran"
    spec = f"engine:touch {started}"
    player = {"name": "a", "spec": spec, "files": {}}
    manifest_with(small, players=[player], games=16)
    with pytest.raises(ValueError, match=r'player "a" is "engine:.*it is given again with resume'):
        write_dataset(small, resume=True)
    assert not started.exists()
