"""League days: ranking lists, totals, and going on after a kill."""

from __future__ import annotations

import json
import re
import signal

import pytest
from support.programs import signalled
from support.tournaments import CONFIGS, Lowest

import schafkopf
from schafkopf import cli, report
from schafkopf.tournaments import run_tournament


def test_a_league_day_prints_the_ranking_list(tmp_path):
    out = tmp_path / "league"
    result = run_tournament(CONFIGS / "league_2024.toml", settings=["players=16"], out=out)
    assert result["games"] == 2 * 4 * 16
    assert result["ranking"][0]["rank"] == 1
    assert sorted(row["player"] for row in result["ranking"]) == list(range(1, 17))
    best = result["ranking"][0]
    assert f"\n    1  {best['player']:>6}  {best['agent']}" in result["text"]
    assert "\namounts in points; the total includes the bonus\n" in result["text"]
    page = (out / "report.html").read_text()
    assert "Ranking list" in page and f"<td>player {best['player']}</td>" in page
    assert run_tournament(resume=out) == result
    with pytest.raises(ValueError, match=r"players: there 16, now 20"):
        run_tournament(resume=out, settings=["players=20"])


# B.2: at a table of five who gives sits out
@pytest.mark.parametrize("places", [4, 5])
def test_points_of_a_league_are_per_game_that_a_player_played(places):
    rules = schafkopf.RuleSet("tournament_2024", players=places)
    result = schafkopf.tournament(
        ["rules", "random"],
        schedule="league",
        track="full",
        rules=rules,
        players=2 * places,
        seed=3,
    )
    for agent in result["agents"]:
        own = [row for row in result["ranking"] if row["agent"] == agent["name"]]
        assert {row["games"] for row in own} == {32}
        paid = sum(row["total"] - row["bonus"] for row in own)
        assert agent["points"]["mean"] == pytest.approx(paid / (32 * len(own)))


# G.2: amounts may be halves
def test_pages_of_a_league_day_have_its_totals_as_they_are():
    halves = {"base": "tournament_2024", "name": "halves", "ruf": 10.5, "ramsch": 10.5}
    result = schafkopf.tournament(
        ["rules", "random"],
        schedule="league",
        track="full",
        rules={"preset": "tournament_2024", "session_rounds": 1, "tariff": halves},
        players=8,
    )
    totals = [row["total"] for row in result["ranking"]]
    assert any(total % 1 for total in totals)
    for page in (report.league_html(result), schafkopf.picture(result).html):
        shown = re.findall(r"<td[^>]*>([+-]?[0-9.]+)</td>", page)
        assert [float(text) for text in shown if text[0] in "+-"] == totals
    result["ranking"][0] |= {"total": 1234567.5, "bonus": 0.5}
    for page in (report.league_html(result), schafkopf.picture(result).html):
        assert ">+1234567.5<" in page and ">0.5<" in page


def test_a_league_day_speaks_of_intervals_only_where_it_has_some(tmp_path):
    others = [f'{{name = "{name}", spec = "random"}}' for name in "abc"]
    for number, some in ((1, True), (2, True), (3, False)):  # of three, one has two players
        agents = ", ".join(['"rules"', *others[:number]])
        out = tmp_path / f"league{number}"
        settings = ["players=4", f"agents=[{agents}]"]
        result = run_tournament(CONFIGS / "league_2024.toml", settings=settings, out=out)
        assert ("intervals" in result["text"]) is some
        assert ("intervals over players" in (out / "report.html").read_text()) is some
        assert "points per game without the bonus" in result["text"]


def killed(arguments, out, length):
    """Play a tournament into `out` by the command, killed when its journal has so many bytes."""
    journal = out / "games.journal"
    done = signalled(signal.SIGKILL, journal, length, "tournament", *arguments, "--out", out)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return journal


def test_a_killed_league_day_goes_on_to_the_same_result(tmp_path):
    file, players = CONFIGS / "league_2024.toml", "players=4000"
    expected = run_tournament(file, settings=[players])
    out = tmp_path / "killed"
    journal = killed([str(file), "--set", players], out, 100_000)
    kept = journal.read_bytes()
    assert len(kept) > 100_000
    assert not (out / "result.json").exists()
    done = []
    resumed = run_tournament(resume=out, progress=lambda games, most: done.append(games))
    assert done[0] > 1000
    assert resumed == expected
    whole = journal.read_bytes()
    assert whole.startswith(kept[:-1000])  # a torn game at the end was played again
    assert len(whole) > len(kept)
    assert json.loads((out / "result.json").read_text()) == resumed
    assert cli.main(["tournament", "--resume", str(out)]) == 0


def test_a_stopped_league_day_of_python_players_goes_on(tmp_path):
    file, settings = CONFIGS / "league_2024.toml", ["players=16", 'agents=["rules", "random"]']
    players = {"mine": Lowest()}
    expected = run_tournament(file, settings=settings, agents=players)

    def stop(games, most):
        raise KeyboardInterrupt

    out = tmp_path / "stopped"
    with pytest.raises(KeyboardInterrupt):
        run_tournament(file, settings=settings, agents=players, out=out, progress=stop)
    assert not (out / "result.json").exists()
    assert run_tournament(resume=out, agents=players) == expected
