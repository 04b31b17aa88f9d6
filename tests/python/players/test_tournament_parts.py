"""Tournaments in parts: put together they are the tournament of one machine."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

import schafkopf
from schafkopf import tournament_parts
from schafkopf.tournaments import read_games, run_tournament

TOML = """
agents = ["rules", "random", "rules:version=1", { name = "other", spec = "random" }]
formats = ["1v3", "2v2"]
blocks = 5
tables = 3
"""


FULL = {"track": "full"}


@pytest.fixture
def no_cluster(monkeypatch):
    """Parts are played here, the last one first."""

    def here(work, numbers, address):
        assert address == "here"
        for number in reversed(list(numbers)):
            yield number, work(number)

    monkeypatch.setattr(tournament_parts, "over_ray", here)


@pytest.mark.parametrize("blocks", [1, 7])
def test_parts_give_the_result_of_the_whole(no_cluster, blocks):
    how = {"blocks": blocks, "track": "full", "seed": 4}
    whole = schafkopf.tournament(["rules", "random"], **how)
    parts = schafkopf.tournament(["rules", "random"], ray="here", **how)
    assert parts == whole
    assert parts.games.tobytes() == whole.games.tobytes()


def test_a_file_is_played_in_parts_with_its_tables_and_goes_on_here(no_cluster, tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(TOML)
    whole = run_tournament(file)
    seen = []
    parts = run_tournament(
        file,
        out=tmp_path / "out",
        ray="here",
        progress=lambda done, all_: seen.append((done, all_)),
    )
    assert parts == whole and seen[-1] == (5, 5)
    assert len(read_games(tmp_path / "out" / "games.journal")) == whole["games"]
    assert run_tournament(resume=tmp_path / "out") == whole


def test_more_tables_than_blocks_are_spread_too_and_progress_counts_blocks(no_cluster):
    players = ["rules", "random", "rules:version=1", "rules:random=0.2"]
    how, seen = {"blocks": 2, "tables": 7, "seed": 4, "formats": ["1v3"]}, []
    whole = schafkopf.tournament(players, **how)
    parts = schafkopf.tournament(
        players, ray="here", progress=lambda *done: seen.append(done), **how
    )
    assert parts == whole and parts.games.tobytes() == whole.games.tobytes()
    assert seen == [(2 * part // 7, 2) for part in range(1, 8)]


def test_a_full_disk_names_the_journal_of_the_parts(no_cluster, tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")

    class OnFullDisk(type(Path())):
        def open(self, *_):
            return open("/dev/full", "wb")

    def play(part):
        return b"{}\nrows"

    play.number, play.blocks = 2, 2
    with pytest.raises(OSError, match=r"games\.journal") as error:
        tournament_parts.play_parts(play, OnFullDisk(tmp_path / "games.journal"), "here")
    assert error.value.errno == errno.ENOSPC


def test_what_parts_cannot_play_is_refused(no_cluster, tmp_path):
    players = ["rules", "random"]
    with pytest.raises(ValueError, match=r"precision = 0\.5, allowed: 0"):
        schafkopf.tournament(players, ray="here", precision=0.5, blocks=4)
    with pytest.raises(ValueError, match="schedule = league"):
        schafkopf.tournament([*players, "rules:version=1"], ray="here", schedule="league", **FULL)
    with pytest.raises(ValueError, match='blocks = "x", allowed'):
        schafkopf.tournament(players, ray="here", blocks="x")
    with pytest.raises(ValueError, match="no resume"):
        schafkopf.tournament(players, ray="here", journal=tmp_path / "a", resume=True)
    with pytest.raises(ValueError, match="new folder"):
        run_tournament(tmp_path / "small.toml", ray="here")


def test_a_cluster_that_is_not_there_leaves_no_journal(monkeypatch, tmp_path):
    def nobody(work, numbers, address):
        raise ConnectionError("there is no such cluster")
        yield

    monkeypatch.setattr(tournament_parts, "over_ray", nobody)
    journal, players = tmp_path / "games.journal", ["rules", "random"]
    with pytest.raises(ConnectionError, match="no such cluster"):
        schafkopf.tournament(players, blocks=2, journal=journal, ray="there")
    assert not list(tmp_path.iterdir())


def test_a_journal_that_is_there_is_refused_and_stays(no_cluster, tmp_path):
    journal, players = tmp_path / "games.journal", ["rules", "random"]
    journal.write_text("of somebody else")
    with pytest.raises(ValueError, match=r"games\.journal exists already, allowed: a new file"):
        schafkopf.tournament(players, blocks=2, journal=journal, ray="here")
    assert journal.read_text() == "of somebody else"
