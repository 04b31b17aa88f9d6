"""Recorded games become a dataset."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import schafkopf
from schafkopf import cli
from schafkopf.datasets import Dataset, import_games

pyarrow = pytest.importorskip("pyarrow")
ROOT = Path(__file__).resolve().parents[3]


def content(folder):
    """Return name -> bytes of every file of a folder."""
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@pytest.fixture
def recorded(tmp_path):
    """A file of twelve games, one with what no column holds and one that is unfinished."""
    file = tmp_path / "games.jsonl"
    lines = (ROOT / "env" / "RECORD.md").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines if line.startswith('{"rules"')]
    records[1]["meta"] = {"players": ["Zenzi", "Vroni"]}
    file.write_text("".join(json.dumps(record) + "\n" for record in records * 6))
    return file, records * 6


def test_recorded_games_come_back_from_an_import(recorded, tmp_path, capsys):
    file, records = recorded
    out = tmp_path / "out"
    assert cli.main(["dataset", "import", str(file), "--out", str(out), "--shard-games", "8"]) == 0
    dataset = Dataset(out)
    assert list(dataset.records()) == records
    rows = dataset.arrays()
    assert (rows["finished"] == [True, False] * 6).all()
    assert np.isnan(rows["payoffs"][1]).all() and (rows["payoffs"][0] == 0).all()
    whole = content(out)
    (out / "games-00000.parquet").unlink()
    assert cli.main(["dataset", "import", "--resume", str(out)]) == 0
    assert content(out) == whole
    file.write_text(file.read_text() + json.dumps(records[0]) + "\n")
    assert cli.main(["dataset", "import", "--resume", str(out)]) == 2
    assert "games: there 12, now 13" in capsys.readouterr().err


def test_a_file_of_games_that_cannot_be_read_is_named(tmp_path, capsys):
    unreadable = "/proc/self/mem"  # a regular one, whose first byte is an error of reading
    if not Path(unreadable).exists():
        pytest.skip("no /proc")
    assert cli.main(["dataset", "import", unreadable, "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == f"schafkopf: {unreadable}: Input/output error\n"
    assert not (tmp_path / "out").exists()


def test_thousands_of_files_are_imported(recorded, tmp_path, monkeypatch, capsys):
    _, records = recorded
    sources = [tmp_path / f"{at:0>200}.jsonl" for at in range(3000)]
    for source in sources:
        source.write_text(json.dumps(records[0]) + "\n")
    out = tmp_path / "out"
    import_games(sources, out)
    assert (out / "dataset.json").stat().st_size > 2**20
    assert len(import_games([], out, resume=True)) == 3000
    assert cli.main(["dataset", "info", str(out)]) == 0
    told = capsys.readouterr().out
    assert f"{sources[9]} and 2990 more\n" in told and str(sources[10]) not in told
    monkeypatch.setattr("schafkopf.datasets.imports._MOST_NAMED", 1000)
    with pytest.raises(
        ValueError, match=r"^sources: 3000 files, whose names .* allowed: 1000; one"
    ):
        import_games(sources, tmp_path / "more")
    assert not (tmp_path / "more").exists()


def test_readable_text_is_imported(recorded, tmp_path):
    _, records = recorded
    file = tmp_path / "games.txt"
    file.write_text("\n".join(schafkopf.records.text_of(record) for record in records[:2]))
    dataset = schafkopf.datasets.import_games(file, tmp_path / "out")
    expected = [
        schafkopf.records.from_text(schafkopf.records.text_of(record)) for record in records[:2]
    ]
    assert list(dataset.records()) == expected


def test_a_damaged_game_is_named_and_nothing_is_written(recorded, tmp_path, capsys):
    file, records = recorded
    file.write_text(file.read_text() + '{"rules": "research", "hands": 3}\n')
    out = tmp_path / "out"
    arguments = ["dataset", "import", str(file), "--out", str(out)]
    assert cli.main(arguments) == 2
    assert f"{file}: line 13" in capsys.readouterr().err and not out.exists()
    assert cli.main([*arguments, "--skip-damaged"]) == 1
    assert len(Dataset(out)) == len(records)
    file.write_text(file.read_text() + "no game\n")
    assert cli.main(["dataset", "import", str(file), "--out", str(tmp_path / "no")]) == 2
    assert "(and 1 more damaged games); nothing was written" in capsys.readouterr().err
    file.write_text("")
    assert cli.main(["dataset", "import", str(file), "--out", str(tmp_path / "no")]) == 2
    assert "no game that can be replayed" in capsys.readouterr().err


def test_many_damaged_games_that_are_left_out_are_counted(recorded, tmp_path, capsys):
    file, records = recorded
    file.write_text(file.read_text() + '{"rules": "research", "hands": 3}\n' * 130)
    out = tmp_path / "out"
    assert cli.main(["dataset", "import", str(file), "--out", str(out), "--skip-damaged"]) == 1
    told = [line for line in capsys.readouterr().err.splitlines() if "left out" in line]
    assert len(told) == 101 and told[-1] == "schafkopf: left out: 30 more damaged games"
    assert len(Dataset(out)) == len(records)
