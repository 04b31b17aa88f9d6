"""Files of a dataset in the place of others: each is refused by its name, none gives its games."""

from __future__ import annotations

import json
import os
import re
import shutil

import pytest

from schafkopf import cli
from schafkopf.datasets import Dataset, import_games, write_dataset

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
SETTINGS = {"players": ["rules", "random"], "games": 40, "shard_games": 16, "store": ["views"]}
KINDS = ("games", "decisions")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Two datasets that differ in their seed; read only."""
    folder = tmp_path_factory.mktemp("shards")
    write_dataset(folder / "a", seed=1, **SETTINGS)
    write_dataset(folder / "b", seed=2, **SETTINGS)
    return folder


@pytest.fixture
def copied(made, tmp_path):
    return shutil.copytree(made / "a", tmp_path / "x")


def of_before(file, statistics=True):
    """Write a file as versions did that put no place into it."""
    table = parquet.read_table(file)
    mark = {"schafkopf": "schafkopf-dataset-1"}
    parquet.write_table(table.replace_schema_metadata(mark), file, write_statistics=statistics)


def refused(file, what, kind):
    with pytest.raises(ValueError, match=re.escape(f"{file}: ") + what):
        Dataset(file.parent).arrays(kind, columns=["game"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", [1, 2])
def test_a_shard_in_the_place_of_another_is_refused(copied, kind, other):
    file = copied / f"{kind}-00000.parquet"
    shutil.copy(copied / f"{kind}-0000{other}.parquet", file)
    refused(file, f"it is shard {other} of the dataset, not 0; allowed: ", kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_shard_of_another_seed_is_refused(made, copied, kind, capsys):
    file = copied / f"{kind}-00001.parquet"
    shutil.copy(made / "b" / file.name, file)
    refused(file, r"it was written for another dataset\.json", kind)
    (copied / "checksums.sha256").unlink()
    assert cli.main(["dataset", "info", str(copied)]) == 2
    assert f"{file}: it was written for another" in capsys.readouterr().err


def test_a_manifest_of_another_seed_is_refused(made, copied):
    shutil.copy(made / "b" / "dataset.json", copied)
    for kind in KINDS:
        refused(copied / f"{kind}-00000.parquet", "it was written for another", kind)
    with pytest.raises(ValueError, match="it was written for another"):
        next(Dataset(copied).records())


def test_the_same_manifest_in_other_spaces_is_the_same(made, copied):
    manifest = copied / "dataset.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text())))
    assert len(Dataset(copied).arrays(columns=["game"])["game"]) == 40


@pytest.mark.parametrize("statistics", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_files_of_before_are_read_and_their_games_are_counted(copied, kind, statistics):
    for file in copied.glob("*.parquet"):
        of_before(file, statistics)
    (copied / "checksums.sha256").unlink()  # of the files as they are written now
    games = Dataset(copied).arrays("games", columns=["game"])["game"]
    assert games.tolist() == list(range(40))
    assert set(Dataset(copied).arrays("decisions", columns=["game"])["game"]) == set(range(40))
    file = copied / f"{kind}-00000.parquet"
    shutil.copy(copied / f"{kind}-00001.parquet", file)
    refused(file, r"it has games 16\.\.31, not 0\.\.15; allowed: ", kind)


def test_a_file_of_too_few_games_is_refused(copied):
    file = copied / "games-00001.parquet"
    table = parquet.read_table(file)
    parquet.write_table(table.take([*range(15)]), file)
    refused(file, "it has 15 games, not 16; allowed: ", "games")
    twice = table.take([*range(15), 0])
    parquet.write_table(twice, file)
    refused(file, r"it has games 16\.\.30, not 16\.\.31", "games")


def test_an_imported_dataset_knows_its_shards(made, tmp_path):
    source = tmp_path / "games.jsonl"
    records = Dataset(made / "a").records()
    source.write_text("".join(json.dumps(record) + "\n" for record in records))
    out = tmp_path / "imported"
    assert cli.main(["dataset", "import", str(source), "--out", str(out), "--shard-games=8"]) == 0
    assert Dataset(out).arrays(columns=["game"])["game"].tolist() == list(range(40))
    file = out / "games-00003.parquet"
    shutil.copy(out / "games-00000.parquet", file)
    refused(file, "it is shard 0 of the dataset, not 3", "games")


# One bit in the statistics of a column ended the process: std::terminate out of Arrow.
def test_no_single_bit_of_a_shard_is_read_as_if_it_were_whole(tmp_path):
    write_dataset(tmp_path / "d", players="rules", games=8, shard_games=8, store=["views"])
    file = tmp_path / "d" / "games-00000.parquet"
    whole = file.read_bytes()
    said = set()
    for place in range(4, len(whole), 61):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        file.write_bytes(damaged)
        dataset = Dataset(tmp_path / "d")
        for read in (dataset.check, dataset.arrays, dataset.records):
            with pytest.raises((ValueError, OSError), match=r"games-00000\.parquet: ") as caught:
                list(read() or ())
            said.add("damaged: its bytes are not" in str(caught.value))
    assert said == {True, False}  # what Arrow cannot open at all is said as before
    file.write_bytes(whole)
    dataset = Dataset(tmp_path / "d")
    dataset.check()
    assert len(dataset.arrays()["seed"]) == 8
    file.write_bytes(whole[:-1])  # what changes while a dataset is read is seen
    with pytest.raises(ValueError, match="games-00000"):
        dataset.arrays()


def test_impossible_cells_are_told_with_file_and_game(tmp_path):
    write_dataset(tmp_path / "d", players="rules", games=16, shard_games=8)
    file = tmp_path / "d" / "games-00001.parquet"
    table = parquet.read_table(file)
    (tmp_path / "d" / "checksums.sha256").unlink()
    for column, wrong in (("hands", b"\xff" * 32), ("plays", b"\x28"), ("seats", 0), ("more", "[")):
        rows = table.to_pylist()
        rows[1][column] = wrong
        parquet.write_table(pyarrow.Table.from_pylist(rows, schema=table.schema), file)
        with pytest.raises(ValueError, match=r"games-00001\.parquet: game 9: "):
            list(Dataset(tmp_path / "d").records())


def test_check_looks_again_at_a_file_that_was_read_whole(tmp_path):
    """A disk loses bits without a new time of the file."""
    write_dataset(tmp_path / "d", players="rules", games=8, shard_games=8)
    file, dataset = tmp_path / "d" / "games-00000.parquet", Dataset(tmp_path / "d")
    dataset.arrays()
    then, whole = file.stat(), file.read_bytes()
    damaged = bytearray(whole)
    damaged[whole.rindex(b"parquet-cpp")] ^= 1  # who wrote it: Arrow reads it all the same
    file.write_bytes(damaged)
    os.utime(file, ns=(then.st_atime_ns, then.st_mtime_ns))
    with pytest.raises(ValueError, match=r"games-00000\.parquet: damaged: its bytes are not"):
        dataset.check()


def test_a_file_of_the_same_size_that_changes_while_a_dataset_is_read_is_seen(tmp_path):
    write_dataset(tmp_path / "d", players="rules", games=8, shard_games=8)
    file, dataset = tmp_path / "d" / "games-00000.parquet", Dataset(tmp_path / "d")
    dataset.arrays()
    whole = file.read_bytes()
    damaged = bytearray(whole)
    damaged[whole.rindex(b"parquet-cpp")] ^= 1
    file.write_bytes(damaged)
    with pytest.raises(ValueError, match=r"games-00000\.parquet: damaged: its bytes are not"):
        dataset.arrays()


def test_a_dataset_that_is_open_reads_shards_that_are_written_anew_meanwhile(copied):
    files = [copied / f"{kind}-00001.parquet" for kind in KINDS]
    sums = copied / "checksums.sha256"
    whole = sums.read_text()
    sums.write_text(re.sub(r"\w{64}(?=  \w+-00001)", "0" * 64, whole))  # of other bytes
    kept = [file.rename(copied.parent / file.name) for file in files]
    dataset = Dataset(copied)
    assert len(dataset.arrays()["game"]) == 24
    for file, now in zip(kept, files, strict=True):
        file.rename(now)
    sums.write_text(whole)
    assert len(dataset.arrays()["game"]) == 40


def test_a_shard_that_the_manifest_does_not_have_is_none(copied):
    for kind in KINDS:
        for other in ("00003", "00007"):  # the next one, and a later one
            shutil.copy(copied / f"{kind}-00000.parquet", copied / f"{kind}-{other}.parquet")
    dataset = Dataset(copied)
    assert dataset.shards() == [0, 1, 2] and len(dataset.arrays()["game"]) == 40


def test_progress_of_a_resumed_dataset_counts_what_is_there(copied, tmp_path):
    (copied / "games-00001.parquet").unlink()
    told = []
    write_dataset(copied, resume=True, progress=lambda *numbers: told.append(numbers))
    assert told[0] == (24, 40) and told[-1] == (40, 40)
    source = tmp_path / "games.jsonl"
    source.write_text("".join(json.dumps(record) + "\n" for record in Dataset(copied).records()))
    import_games(source, tmp_path / "y", shard_games=16)
    (tmp_path / "y" / "games-00001.parquet").unlink()
    told.clear()
    again = import_games(source, tmp_path / "y", resume=True, progress=lambda *n: told.append(n))
    assert told == [(24, 40), (40, 40)] and len(again) == 40
