"""Players written in Python in tournaments."""

from __future__ import annotations

import pytest
from support.tournaments import Lowest, written

import schafkopf
from schafkopf.tournaments import run_tournament


class Broken(Lowest):
    """Raises as soon as it is asked."""

    def act(self, views):
        raise RuntimeError("broken")


def test_a_player_that_fails_at_once_leaves_nothing(tmp_path):
    out = tmp_path / "out"
    how = {"settings": ["agents=['rules']"], "agents": {"x": Broken()}, "out": out}
    with pytest.raises(RuntimeError, match="broken"):
        run_tournament(written(tmp_path), **how)
    assert not out.exists()
    out.mkdir()
    with pytest.raises(RuntimeError, match="broken"):
        run_tournament(written(tmp_path), **how)
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("track", ["full", "card_play", "bidding"])
def test_python_players_sit_in_every_track_and_format(track, tmp_path):
    players = {"mine": Lowest(), "rules": "rules"}
    result = schafkopf.tournament(
        players, blocks=6, track=track, formats=["1v3", "2v2"], journal=tmp_path / "games"
    )
    assert result["games"] == 6 * 14
    again = schafkopf.tournament(
        players,
        blocks=6,
        track=track,
        formats=["1v3", "2v2"],
        journal=tmp_path / "games",
        resume=True,
    )
    assert again == result


def test_python_players_join_those_of_a_file(tmp_path):
    result = run_tournament(
        written(tmp_path), settings=["blocks=4"], agents={"mine": Lowest()}, out=tmp_path / "out"
    )
    assert [agent["name"] for agent in result["agents"]] == ["rules", "random", "mine"]
    again = run_tournament(resume=tmp_path / "out", agents={"mine": Lowest()})
    assert again == result
