"""Folders that a command made: links in them lead nothing out, and pipes and devices in them are
never waited for."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from support.rights import closed
from support.training import needs_training

from schafkopf import cli, defence, files, gates, ladder, training, training_run
from schafkopf.commands import train as train_command
from schafkopf.tournaments import run_tournament

TOURNAMENT = 'agents = ["rules", "random"]\nblocks = 2\nseed = 7\n'
WRITTEN = ("result.json", "report.html")
PRECIOUS = "precious"
KINDS = ("pipe", "device", "link", "dangling")
HASH = "0" * 64


def put(kind, path, elsewhere):
    """Put something that is no regular file in the place of a file."""
    path.unlink(missing_ok=True)
    if kind == "folder":
        path.mkdir()
        return
    elsewhere.write_text(PRECIOUS)
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to({"device": "/dev/zero", "link": elsewhere}.get(kind, f"{elsewhere}-no"))


def is_untouched(elsewhere):
    made = elsewhere.with_name(f"{elsewhere.name}-no")
    return not made.exists() and elsewhere.is_file() and elsewhere.read_text() == PRECIOUS


def ran(*words):
    """Run a command that may take half a minute, not for ever."""
    command = [sys.executable, "-m", "schafkopf", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def is_one_line(done, words):
    (line,) = done.stderr.splitlines()
    return done.returncode != 0 and words in line


@pytest.fixture(scope="module")
def made_tournament(tmp_path_factory):
    """The folder of a tournament that is over; read only."""
    folder = tmp_path_factory.mktemp("tournament")
    (folder / "a.toml").write_text(TOURNAMENT)
    run_tournament(folder / "a.toml", out=folder / "out")
    return folder / "out"


@pytest.fixture
def played(made_tournament, tmp_path):
    return shutil.copytree(made_tournament, tmp_path / "out")


@pytest.fixture(scope="module")
def made_dataset(tmp_path_factory):
    """A dataset of two shards; read only."""
    pytest.importorskip("pyarrow")
    from schafkopf.datasets import write_dataset

    folder = tmp_path_factory.mktemp("dataset") / "out"
    write_dataset(folder, players="random", games=16, shard_games=8)
    return folder


@pytest.fixture
def dataset(made_dataset, tmp_path):
    return shutil.copytree(made_dataset, tmp_path / "out")


# ---- tournaments ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_resumed_tournament_writes_into_its_folder_alone(played, tmp_path, kind):
    before = {path.name: path.read_bytes() for path in played.iterdir()}
    names = [name for name in before if name not in ("config.toml", "games.journal")]
    assert set(names) >= set(WRITTEN)
    for name in names:
        put(kind, played / name, tmp_path / "elsewhere")
    done = ran("tournament", "--resume", played)
    assert done.returncode == 0, done.stderr
    assert is_untouched(tmp_path / "elsewhere")
    assert {path.name: path.read_bytes() for path in played.iterdir()} == before
    assert not any(path.is_symlink() for path in played.iterdir())


def test_a_changed_setting_is_written_into_the_folder_alone(played, tmp_path):
    elsewhere = tmp_path / "elsewhere.toml"
    shutil.move(played / "config.toml", elsewhere)
    before = elsewhere.read_text()
    (played / "config.toml").symlink_to(elsewhere)
    assert ran("tournament", "--resume", played, "--set", "blocks=3").returncode == 0
    assert elsewhere.read_text() == before and not (played / "config.toml").is_symlink()
    assert "blocks = 3" in (played / "config.toml").read_text()


@pytest.mark.parametrize("kind", ["device", "link", "dangling", "own"])
def test_a_journal_that_is_a_link_is_refused(played, tmp_path, kind):
    if kind == "own":  # the games of this very tournament, elsewhere
        shutil.move(played / "games.journal", tmp_path / "games")
        (played / "games.journal").symlink_to(tmp_path / "games")
    else:
        put(kind, played / "games.journal", tmp_path / "elsewhere")
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    with pytest.raises(ValueError, match=r"games\.journal: it is a link, allowed: a regular file"):
        run_tournament(resume=played, settings=["blocks=3"])
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert "blocks = 2" in (played / "config.toml").read_text()


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_a_configuration_that_is_no_regular_file_is_told_as_such(played, tmp_path, kind):
    put(kind, played / "config.toml", tmp_path / "elsewhere")
    for command in ("tournament", "ladder"):
        done = ran(command, "--resume", played)
        assert is_one_line(done, "config.toml: no regular file, allowed: "), done.stderr


@pytest.mark.parametrize("name", WRITTEN)
def test_a_folder_in_the_place_of_a_result_is_told_before_the_games(played, tmp_path, name):
    put("folder", played / name, tmp_path)
    before = (played / "games.journal").read_bytes()
    with pytest.raises(ValueError, match=rf"{name}: it is a folder, allowed: a regular file"):
        run_tournament(resume=played, settings=["blocks=3"])
    assert (played / "games.journal").read_bytes() == before
    assert "blocks = 2" in (played / "config.toml").read_text()


def test_a_folder_without_a_configuration_is_told_as_before(tmp_path):
    with pytest.raises(ValueError, match=r"no folder of a tournament: there is no config\.toml"):
        run_tournament(resume=tmp_path)


def test_times_of_a_ladder_that_are_no_regular_file_are_counted_anew(tmp_path):
    (tmp_path / "config.toml").write_text("")
    times = tmp_path / ladder.TIMES
    for kind in ("pipe", "device"):
        put(kind, times, tmp_path / "elsewhere")
        told = []
        with ladder.counted(times, told.append):
            pass
        assert "no regular file" in told[0] and "counted from now on" in told[0]
        assert set(json.loads(times.read_text())) == {"seconds", "cpu"}


# ---- gates and training --------------------------------------------------------------------------


def test_gates_write_into_their_folder_alone(tmp_path, monkeypatch):
    folder, elsewhere = tmp_path / "gates", tmp_path / "elsewhere"
    folder.mkdir()
    gate = next(gate for gate in gates.GATES if gate.track == gates.CARDS)
    put("link", folder / gates.folder_of(gate), elsewhere)
    with pytest.raises(ValueError, match="it is a link, allowed: a regular file"):
        gates.play(gate, folder, blocks=2)
    guarded = next(gate for gate in gates.GATES if gate.track == gates.DEFENCE)
    deals = f"deals_{guarded.contract}_{guarded.blocks}_of_{guarded.seed}.jsonl"
    put("dangling", folder / deals, elsewhere)
    written = []
    monkeypatch.setattr(defence, "write_deals", lambda path, *_, **__: written.append(path))
    monkeypatch.setattr(defence, "defence", lambda *_, **__: {"blocks": 2})
    with pytest.raises(KeyError):
        gates.play(guarded, folder, blocks=2)
    assert written == [folder / deals] and not os.path.lexists(folder / deals)
    assert is_untouched(elsewhere)


def test_what_is_made_of_a_run_goes_into_its_folder(tmp_path):
    folder, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    folder.mkdir()
    made = train_command._Outputs(folder)
    for kind in KINDS:
        put(kind, folder / "index.html", elsewhere)
        made.make("index.html", lambda path: files.write_text(path, "new"))
        assert (folder / "index.html").read_text() == "new"
        assert not (folder / "index.html").is_symlink() and is_untouched(elsewhere)


def test_a_run_with_linked_metrics_is_refused(tmp_path):
    (tmp_path / training_run.CHECKPOINT).write_bytes(b"")
    put("link", tmp_path / training_run.METRICS, tmp_path / "elsewhere")
    done = ran("train", "--resume", tmp_path)
    assert is_one_line(done, f"{training_run.METRICS}: it is a link"), done.stderr
    assert is_untouched(tmp_path / "elsewhere")


# ---- datasets ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_resumed_dataset_writes_into_its_folder_alone(dataset, tmp_path, kind):
    before = {path.name: path.read_bytes() for path in dataset.iterdir()}
    put(kind, dataset / "games-00001.parquet", tmp_path / "elsewhere")
    done = ran("dataset", "write", "--resume", dataset)
    assert done.returncode == 0, done.stderr
    assert is_untouched(tmp_path / "elsewhere")
    assert {path.name: path.read_bytes() for path in dataset.iterdir()} == before
    assert not any(path.is_symlink() for path in dataset.iterdir())


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
@pytest.mark.parametrize("name", ["dataset.json", "checksums.sha256"])
def test_what_says_what_a_dataset_is_must_be_a_regular_file(dataset, tmp_path, name, kind):
    put(kind, dataset / name, tmp_path / "elsewhere")
    done = ran("dataset", "write", "--resume", dataset)
    assert is_one_line(done, f"{name}: no regular file"), done.stderr


def test_checksums_that_are_a_link_stay_readable_and_are_replaced(dataset, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    shutil.move(dataset / "checksums.sha256", elsewhere)
    before = elsewhere.read_bytes()
    (dataset / "checksums.sha256").symlink_to(elsewhere)
    (dataset / "games-00000.parquet").unlink()
    assert ran("dataset", "write", "--resume", dataset).returncode == 0
    assert elsewhere.read_bytes() == before == (dataset / "checksums.sha256").read_bytes()
    assert not (dataset / "checksums.sha256").is_symlink()


def test_a_pipe_in_a_dataset_without_checksums_is_not_waited_for(dataset, tmp_path):
    (dataset / "checksums.sha256").unlink()  # as a folder of an older version
    put("pipe", dataset / "games-00001.parquet", tmp_path / "elsewhere")
    assert ran("dataset", "write", "--resume", dataset).returncode == 0
    assert (dataset / "games-00001.parquet").is_file()


def test_a_shard_that_is_a_pipe_is_not_read(dataset, tmp_path):
    from schafkopf.datasets import Dataset
    from schafkopf.datasets.settings import sha256

    path = dataset / "games-00001.parquet"
    for kind in ("pipe", "device"):
        put(kind, path, tmp_path / "elsewhere")
        with pytest.raises(ValueError, match=r"games-00001\.parquet: no regular file"):
            Dataset(dataset).table("games", 1)
        with pytest.raises(ValueError, match=r"games-00001\.parquet: no regular file"):
            sha256(path)


def test_checksums_have_a_size(dataset, tmp_path):
    from schafkopf.datasets import write_dataset
    from schafkopf.datasets.checksums import MAX_CHECKSUM_BYTES, MOST_FILES

    with (dataset / "checksums.sha256").open("ab") as file:
        file.truncate(MAX_CHECKSUM_BYTES + 1)
    with pytest.raises(ValueError, match=r"checksums\.sha256: longer .*, allowed: 16777216 bytes"):
        write_dataset(dataset, resume=True)
    with pytest.raises(ValueError, match=r"200000 files, allowed: .* shard_games"):
        write_dataset(tmp_path / "new", players="random", games=1_600_000, shard_games=8)
    assert not (tmp_path / "new").exists()
    longest = f"{HASH}  decisions-{'9' * 12}.parquet\n"
    assert MOST_FILES * len(longest) <= MAX_CHECKSUM_BYTES


# ---- long names ----------------------------------------------------------------------------------


def test_results_with_the_longest_names_are_written(tmp_path, capsys):
    most = os.pathconf(tmp_path, "PC_NAME_MAX")
    json_file, page = tmp_path / ("j" * (most - 5) + ".json"), tmp_path / ("h" * most)
    play = ["tournament", "--agents", "rules", "random", "--blocks", "2"]
    assert cli.main([*play, "--json", str(json_file), "--html", str(page)]) == 0
    assert json.loads(json_file.read_text())["blocks"] == 2 and page.stat().st_size
    capsys.readouterr()
    assert cli.main([*play, "--json", str(tmp_path / ("j" * (most + 1)))]) == 2
    told = capsys.readouterr()
    assert f"a name of {most + 1} bytes, allowed: {most}" in told.err and not told.out


@pytest.mark.parametrize("command", ["play", "serve"])
def test_records_whose_table_has_no_room_for_its_name_are_refused(tmp_path, command):
    most = os.pathconf(tmp_path, "PC_NAME_MAX")
    out = tmp_path / ("x" * (most - 6) + "l")
    done = ran(command, "--out", out)
    assert is_one_line(done, f".table: a name of {most + 1} bytes, allowed: {most}"), done.stderr
    assert not list(tmp_path.iterdir())


def test_records_of_a_long_name_are_kept(tmp_path):
    out = tmp_path / ("x" * 236 + ".jsonl")
    command = [sys.executable, "-m", "schafkopf", "play", "--out", str(out), "--deals", "1"]
    done = subprocess.run(
        command, input="quit\n", capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0 and "too long" not in done.stdout + done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [out.name, f"{out.name}.table"]


# A stage of a curriculum and the tournaments of a run are looked up in folders that a command made.
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_a_run_was_is_not_waited_for(tmp_path, kind):
    for name in ("config.toml", "tournament.json"):
        put(kind, tmp_path / name, tmp_path / "elsewhere")
    assert training_run.other_settings(tmp_path, "", []) == {}
    assert training_run.played_tournaments(tmp_path, {"updates": 1}) == []


# ---- rights --------------------------------------------------------------------------------------


def refused(capsys, *words):
    """The one line that a command says of wrong files."""
    capsys.readouterr()
    assert cli.main([*map(str, words)]) == cli.WRONG_INPUT
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_closed_folder_of_a_dataset_is_told_as_closed(dataset, capsys):
    with closed(dataset):
        for words in (("info", dataset), ("write", "--resume", dataset)):
            told = refused(capsys, "dataset", *words)
            assert told == f"schafkopf: {dataset / 'dataset.json'}: Permission denied"
    with closed(dataset.parent):
        told = refused(capsys, "dataset", "info", dataset)
        assert told == f"schafkopf: {dataset}: Permission denied"


def test_a_closed_folder_of_a_tournament_is_told_as_closed(played, capsys):
    with closed(played):
        told = refused(capsys, "tournament", "--resume", played)
    assert told == f"schafkopf: {played / 'config.toml'}: Permission denied"


@pytest.mark.parametrize("mode", [0, 0o444])
def test_games_that_may_not_be_written_on_are_wrong_files(played, capsys, mode):
    journal = played / "games.journal"
    with closed(journal, mode):
        told = refused(capsys, "tournament", "--resume", played)
    assert told == f"schafkopf: {journal}: Permission denied"


@needs_training
def test_a_closed_run_and_a_closed_configuration_are_told_as_closed(tmp_path, capsys):
    (tmp_path / "run").mkdir()
    (tmp_path / "a.toml").write_text("seed = 1\n")
    for path, words in (
        (tmp_path / "run" / "checkpoint.safetensors", ("--resume", tmp_path / "run")),
        (tmp_path / "a.toml", (tmp_path / "a.toml", "--out", tmp_path / "new")),
    ):
        with closed(tmp_path / ("run" if path.parent.name == "run" else path.name)):
            told = refused(capsys, "train", *words)
        assert str(path) in told and told.endswith(": Permission denied")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("new", ["", "a", "a/b"])
def test_a_folder_that_takes_no_files_is_refused_alike_by_all_commands(tmp_path, capsys, new):
    pytest.importorskip("pyarrow")
    place = tmp_path / "place"
    place.mkdir()
    (tmp_path / "a.toml").write_text(TOURNAMENT)
    folder = place / new
    with closed(place, 0o555):
        for words in (
            ("tournament", tmp_path / "a.toml"),
            ("ladder", "--short"),
            ("dataset", "write", "--players", "random", "--games", 8),
            ("gates", "--short", "--only", "pimc"),
        ):
            told = refused(capsys, *words, "--out", folder)
            assert told == f"schafkopf: {folder}: no permission to write to the folder {place}"
    assert not list(place.iterdir())


@needs_training
@pytest.mark.parametrize("new", ["", "a", "a/b"])
def test_a_folder_that_takes_no_files_is_refused_as_early_by_all_that_train(tmp_path, capsys, new):
    place = tmp_path / "place"
    place.mkdir()
    folder = place / new
    told = f"{folder}: no permission to write to the folder {place}"
    response = ("--train", folder, "--seeds", 1, "--decisions", 1000)
    (tmp_path / "a.toml").write_text("seed = 1\n")
    with closed(place, 0o555):
        for words in (
            ("train", "--out", folder),
            ("curriculum", tmp_path / "a.toml", "--out", folder),
            ("exploit", "rules", *response),
        ):
            assert refused(capsys, *words) == f"schafkopf: {told}"
        with pytest.raises(PermissionError, match=re.escape(told)):
            training.train(out=folder)
    assert not list(place.iterdir())


@needs_training
def test_a_folder_below_a_file_is_refused_as_a_wrong_name(tmp_path, capsys):
    (tmp_path / "a").touch()
    folder = tmp_path / "a" / "b" / "c"
    told = refused(capsys, "train", "--out", folder)
    assert told == f"schafkopf: {folder}: Not a directory"
