"""Tournament files: folders, kills, Parquet, reports, league days, Python players."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from support.programs import signalled

import schafkopf
from schafkopf import _core, cli, files, report
from schafkopf.commands.options import AGENTS
from schafkopf.tournaments import (
    TournamentResult,
    named_agents,
    read_games,
    run_tournament,
    toml_value,
    write_parquet,
)

ROOT = Path(__file__).resolve().parents[3]
CONFIGS = ROOT / "configs" / "tournament"
SMALL = """
agents = ["rules", "random"]
formats = ["1v3", "2v2"]
blocks = 40
"""


class Lowest:
    """Plays the lowest legal action and expects nothing."""

    name = "lowest"

    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)

    def policy(self, views):
        mask = schafkopf.legal_mask(views)
        best = np.zeros(mask.shape, np.float32)
        best[np.arange(len(best)), mask.argmax(axis=1)] = 1.0
        return best, np.zeros(len(best), np.float32)


def written(tmp_path, text=SMALL):
    file = tmp_path / "small.toml"
    file.write_text(text)
    return file


def test_values_become_toml():
    assert toml_value(["a", {"one": "b", "precision": 0.5}, True]) == (
        '["a", { one = "b", precision = 0.5 }, true]'
    )


def test_a_file_is_played_into_a_folder(tmp_path):
    result = run_tournament(written(tmp_path), settings=["seed=3"], out=tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"config.toml", "games.journal", "result.json", "report.html"} <= names
    assert json.loads((tmp_path / "out" / "result.json").read_text()) == result
    assert "seed = 3" in (tmp_path / "out" / "config.toml").read_text()
    assert len(result.games) == result["games"] == 40 * (2 * 4 + 6)
    assert result["two_against_two"][0][1]["mean"] > 0
    with pytest.raises(ValueError, match="not empty"):
        run_tournament(written(tmp_path), out=tmp_path / "out")


def test_resuming_a_finished_tournament_changes_nothing(tmp_path):
    first = run_tournament(written(tmp_path), out=tmp_path / "out")
    again = run_tournament(resume=tmp_path / "out", settings=["threads=1"])
    assert first == again
    assert (first.games["payoffs"] == again.games["payoffs"]).all()
    with pytest.raises(ValueError, match=r"seed: there 1, now 2"):
        run_tournament(resume=tmp_path / "out", settings=["seed=2"])
    with pytest.raises(ValueError, match="no config"):
        run_tournament(written(tmp_path), resume=tmp_path / "out")


def killed(arguments, out, length):
    """Play a tournament into `out` by the command, killed when its journal has so many bytes."""
    journal = out / "games.journal"
    done = signalled(signal.SIGKILL, journal, length, "tournament", *arguments, "--out", out)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return journal


def test_a_damaged_journal_costs_its_own_games_and_says_so(tmp_path):
    out, notes = tmp_path / "out", []
    expected = run_tournament(written(tmp_path), settings=["blocks_at_once=4"], out=out)
    journal = out / "games.journal"
    damaged = bytearray(journal.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    journal.write_bytes(damaged)
    with pytest.warns(RuntimeWarning, match=r": damaged at byte \d+: \d+ bytes are left out$"):
        kept = len(read_games(journal))
    assert 0.5 * expected["games"] < kept < expected["games"]
    assert run_tournament(resume=out, note=notes.append) == expected
    with pytest.warns(RuntimeWarning, match="damaged at byte"):  # those bytes stay there
        assert len(read_games(journal)) == expected["games"]
    assert len(notes) == 1 and f"{journal}: damaged at byte " in notes[0]
    with pytest.warns(RuntimeWarning, match="damaged at byte"):
        run_tournament(resume=out)


def test_two_runs_of_one_folder_at_a_time_are_refused(tmp_path):
    out = tmp_path / "out"
    first = run_tournament(written(tmp_path), out=out)
    refused = []

    def second(done, all_blocks):
        if not refused:
            with pytest.raises(ValueError, match="another run is playing this tournament") as error:
                run_tournament(resume=out, settings=["blocks=50"])
            assert "config.toml" not in str(error.value)  # which is in order
            refused.append(done)

    longer = run_tournament(resume=out, settings=["blocks=1000"], progress=second)
    assert refused and longer["blocks"] == 1000
    assert "blocks = 1000" in (out / "config.toml").read_text()
    assert run_tournament(resume=out) == longer != first


def test_changed_settings_stay_with_the_folder(tmp_path):
    out = tmp_path / "out"
    run_tournament(written(tmp_path), out=out)
    longer = run_tournament(resume=out, settings=["blocks=44"])
    assert run_tournament(resume=out) == longer
    before = (out / "config.toml").read_text()
    with pytest.raises(ValueError, match="seed: there 1, now 9"):
        run_tournament(resume=out, settings=["seed=9"])
    assert (out / "config.toml").read_text() == before


WRONG = [
    ("agents=['foo', 'random']", "foo"),
    ("agents=['net:no/such.safetensors', 'random']", r"no/such\.safetensors"),
    ("agents=['rules', 'rules']", "comes twice"),
    ("generator=chaos", "chaos"),
    ("rules=nix.toml", "nix"),
    ("contract_list=no.jsonl", r"contract_list = .*no\.jsonl"),
    ("against=nix", r"against = .nix. is none of the agents, allowed: rules, random"),
    ("pairings=[{one='rules', others='nix'}]", "nix"),
    (
        "pairings=[{one='rules', others='random', prec=1}]",
        r"unknown key .prec., allowed: one, others",
    ),
    ("formats=[]", "formats is empty"),
]


@pytest.mark.parametrize(("setting", "message"), WRONG)
def test_a_wrong_tournament_leaves_nothing_behind(tmp_path, setting, message, capsys):
    out = tmp_path / "runs" / "out"
    with pytest.raises(ValueError, match=message):
        run_tournament(written(tmp_path), settings=[setting], out=out)
    command = ["tournament", str(written(tmp_path)), "--set", setting, "--out", str(out)]
    assert cli.main(command) == 2
    assert "tournament in" not in capsys.readouterr().err
    assert not out.parent.exists()


def test_a_league_day_or_bidding_track_that_cannot_be_played_leaves_nothing(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(ValueError, match="league: 7 players, allowed: multiples of 4"):
        run_tournament(CONFIGS / "league_2024.toml", settings=["players=7"], out=out)
    with pytest.raises(ValueError, match='unknown agent "foo", allowed: '):
        settings = ["track=bidding", "card_player=foo"]
        run_tournament(written(tmp_path), settings=settings, out=out)
    assert not out.exists()


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


@pytest.mark.parametrize("value", ["no", 1, None])
def test_the_flag_of_going_on_is_true_or_false(tmp_path, value):
    journal = tmp_path / "games.jsonl"
    said = re.escape(f"resume = {value!r}, allowed: true, false")
    with pytest.raises(ValueError, match=said):
        schafkopf.tournament(["random", "rules"], blocks=1, journal=journal, resume=value)
    assert not journal.exists()


def test_what_a_kill_left_when_the_folder_had_begun_goes_with_resume(tmp_path):
    first = run_tournament(written(tmp_path), out=tmp_path / "out")
    left = tmp_path / "out" / ".config.toml.tmp-abcd_123"
    os.link(tmp_path / "out" / "config.toml", left)  # the file has its name, this one is there yet
    assert run_tournament(resume=tmp_path / "out") == first
    assert not left.exists()


def test_a_folder_can_be_resumed_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.toml").write_text('preset = "official_1989"\n')
    settings = ["rules=own.toml", "blocks=4"]
    first = run_tournament(written(tmp_path), settings=settings, out=tmp_path / "out")
    monkeypatch.chdir("/")
    assert run_tournament(resume=tmp_path / "out") == first


def test_options_change_a_file(tmp_path, capsys):
    out = tmp_path / "out"
    options = ["--blocks", "5", "--track", "full", "--seed", "8", "--threads", "1"]
    options += ["--rules", "official_1989", "--out", str(out)]
    assert cli.main(["tournament", str(written(tmp_path)), *options]) == 0
    result = json.loads((out / "result.json").read_text())
    assert (result["blocks"], result["track"], result["seed"]) == (5, "full", 8)
    assert result["rules"] == "official_1989"
    captured = capsys.readouterr()
    assert "5 blocks" in captured.out and f"tournament in {out}" in captured.err


@pytest.mark.parametrize(
    ("one", "other", "meant"),
    [
        ("rules", "rules:version=3", "rules:version=3"),
        ("ismcts", "ismcts:exploration=0.7,seed=0", "ismcts:iterations=2000"),
        ("net:baseline", "net:path=baseline,greedy=true", "net:baseline"),
    ],
)
def test_one_player_in_two_spellings_is_refused_unless_it_is_named_twice(one, other, meant):
    said = f'"{one}" and "{other}" are the same player, "{meant}"; equal players need names '
    with pytest.raises(ValueError, match=re.escape(said)):
        schafkopf.tournament([one, "random", other], blocks=2)
    assert len(named_agents({"a": one, "b": other})) == 2
    assert len(named_agents([one, "random"])) == 2


def test_wrong_files_and_folders_are_named(tmp_path, capsys):
    def error_of(*arguments):
        assert cli.main(["tournament", *map(str, arguments)]) == 2
        return capsys.readouterr().err

    latin = tmp_path / "latin.toml"
    latin.write_bytes("# für\n".encode("latin-1"))
    assert f"{latin}: no UTF-8" in error_of(latin)
    assert f"{tmp_path} is no folder of a tournament" in error_of("--resume", tmp_path)
    assert '"rules" comes twice' in error_of("--agents", "rules", "rules")
    with pytest.raises(ValueError, match="the text"):
        schafkopf.tournament("rules")
    out = tmp_path / "out"
    run_tournament(written(tmp_path), out=out)
    (out / "games.journal").unlink()
    (out / "games.journal").mkdir()
    with pytest.raises(RuntimeError, match=r"games\.journal: cannot open"):
        run_tournament(resume=out)
    with pytest.raises(OSError, match=r"cannot read the games .*games\.journal"):
        read_games(out / "games.journal")


def test_the_help_names_every_agent():
    kinds = [agent.split(":")[0] for agent in AGENTS.split(", ")]
    assert kinds == [agent["name"] for agent in _core.agent_names()]


def test_the_readme_has_a_line_for_every_agent():
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    chapter = readme.partition("</a>Players\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^\| `([\w+]+)[`:]", chapter, re.MULTILINE)
    assert lines == [agent["name"] for agent in _core.agent_names()]


def test_one_block_has_no_interval(tmp_path):
    result = schafkopf.tournament(
        ["rules", "random"], blocks=1, formats=["1v3", "2v2"], double_dummy=True
    )
    cell = result["one_against_three"][0][1]
    assert cell["half_width"] is cell["low"] is cell["high"] is None
    assert result["agents"][0]["rating"]["half_width"] is None
    assert "+-" not in result["text"] and "1 block, 14 games" in result["text"]
    page = report.to_html([result])
    assert "&plusmn;" not in page and "±" not in page
    assert "Errors with open cards" in page and "nan" not in page.lower()
    more = schafkopf.tournament(["rules", "random"], blocks=4, formats=["1v3", "2v2"])
    assert "points per game of one (row) against three (column)" in more["text"]
    assert "points per game of each of two (row) against two (column)" in more["text"]
    assert "amounts in Cent; 95 % intervals are over blocks" in more["text"]


def test_declarers_that_always_win_have_a_calibration():
    bins = [
        {"games": n, "expected_win_rate": 1.0, "win_rate": 1.0, "half_width": width}
        | {"expected_payoff": 10.0, "payoff": 10.0}
        for n, width in ((7, None), (1, 0.4))
    ]
    result = schafkopf.tournament(["rules", "random"], blocks=2)
    result["agents"][0]["calibration"] = bins
    assert "Calibration" in report.to_html([result])


def test_mistakes_in_files_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"small\.toml:5: unknown key .block., allowed: agents"):
        run_tournament(written(tmp_path, SMALL + "block = 4"))
    with pytest.raises(ValueError, match=r"unknown key .blokc.*nearest one is .blocks."):
        schafkopf.tournament(["rules", "random"], blokc=1)
    with pytest.raises(ValueError, match="3v1"):
        schafkopf.tournament(["rules", "random"], formats=["3v1"])
    with pytest.raises(FileNotFoundError):
        run_tournament(tmp_path / "missing.toml")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"settings": "blocks=2"}, 'settings: the text "blocks=2" came, allowed: a list of '),
        ({"agents": ["rules"]}, "agents: list came, allowed: a dict of names to players, None"),
    ],
)
def test_settings_and_agents_beside_a_file_that_are_none_are_named(tmp_path, wrong, message):
    with pytest.raises(ValueError, match=message):
        run_tournament(written(tmp_path), **wrong)


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


def test_precision_ends_a_pairing_and_pairings_can_be_chosen():
    result = schafkopf.tournament(
        {"rules": "rules", "random": "random", "weak": "rules:random=0.5"},
        blocks=5000,
        against="rules",
        precision=4.0,
        first_check=20,
    )
    assert len(result["pairings"]) == 2
    for pairing in result["pairings"]:
        assert pairing["points"]["half_width"] <= 4.0
        assert pairing["points"]["blocks"] < 5000
    played = sorted(pairing["points"]["blocks"] for pairing in result["pairings"])
    assert played[0] < played[1]
    assert f"{played[0]} to {played[1]} blocks of each pairing" in result["text"]
    assert f"{played[0]:,} to {played[1]:,} of each pairing" in report.to_html([result])
    assert result["one_against_three"][0][1] is None


def test_players_that_think_for_a_time_are_marked_as_not_reproducible():
    players = ["random", "pimc:1,ms=9999", "pimc:1"]
    result = schafkopf.tournament(players, blocks=1, track="card_play")
    marks = [agent.get("by_the_clock", False) for agent in result["agents"]]
    assert marks == [False, True, False]
    said = "pimc:1,ms=9999 thinks for a time: its games do not come again"
    assert said in result["text"] and result["text"].count("thinks for a time") == 1


def test_games_are_rows_that_give_the_figures():
    result = schafkopf.tournament(["rules", "random"], blocks=30, track="full")
    games = result.games[result.games["pairing"] == 0]
    seats = (games["seats"][:, None] >> np.arange(4)) & 1
    assert (games["payoffs"].sum(axis=1) == 0).all()
    mean = (games["payoffs"] * seats).sum() / len(games) / result["tariff_scale"]
    assert mean == pytest.approx(result["one_against_three"][0][1]["mean"])
    keys = _core.contract_keys()
    declared = [keys[c] for c in result.games["contract"] if c >= 0]
    assert declared.count("RUF") == sum(
        agent["contracts"].get("RUF", {"games": 0})["games"] for agent in result["agents"]
    )


def test_help_says_what_every_figure_of_a_result_is():
    result = schafkopf.tournament(
        ["rules", "random", "rules+endgame"],
        blocks=2,
        formats=["1v3", "2v2", "declarer"],
        double_dummy=True,
        threads=1,
    )
    words = set(re.findall(r"\w+", schafkopf.tournament.__doc__ + TournamentResult.__doc__))
    parts = [result, result["agents"][0], result["pairings"][0], result["difference"][0][1]]
    parts += [result["largest_cycle"], *result["agents"][0]["shares"]]
    assert set().union(*parts) - words == set()
    assert set(result.games.dtype.names) - words == set()
    assert "_core" not in words  # which is no place for users
    kinds = schafkopf.rules.CONTRACT_CLASSES
    assert _core.contract_keys() == [*kinds, *(f"{kind}_TOUT" for kind in kinds)]
    mean = {key: result[key][0][1]["mean"] for key in ("one_against_three", "difference")}
    other = result["one_against_three"][1][0]["mean"]
    assert mean["difference"] == pytest.approx((mean["one_against_three"] - other) / 2)


def test_parquet_has_one_row_per_game(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    result = schafkopf.tournament(["rules", "random"], blocks=5, double_dummy=True)
    write_parquet(result, tmp_path / "games.parquet")
    table = parquet.read_table(tmp_path / "games.parquet")
    assert table.num_rows == 5 * 2 * 4
    rows = table.to_pylist()
    assert {row["one"] for row in rows} == {"rules", "random"}
    assert all(row["contract"] for row in rows)
    assert all(sum(row[f"payoff_{seat}"] for seat in range(4)) == 0 for row in rows)
    assert sum(row["errors_0"] for row in rows) > 0


def test_parquet_takes_no_memory_for_the_names_of_every_game(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    long = "a" * 10_000
    result = schafkopf.tournament({long: "rules", "b": "random"}, blocks=20)
    monkeypatch.setattr("schafkopf.tournaments._NAME_BYTES", 500_000)  # 50 games at a time
    tracemalloc.start()  # NumPy tells it of its arrays
    write_parquet(result, tmp_path / "games.parquet")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 3_000_000  # 40,000 bytes for each of 160 games are 6 million, in one column
    table = parquet.read_table(tmp_path / "games.parquet")
    assert table.schema.field("one").type == "string"
    assert table["block"].to_pylist() == result.games["block"].tolist()
    rows = table.to_pylist()
    assert {row["one"] for row in rows} == {long, "b"}
    assert all(
        row[f"agent_{seat}"] == (row["one"] if row["seats_of_one"] >> seat & 1 else row["others"])
        for row in rows
        for seat in range(4)
    )


def test_random_tables_seat_different_agents(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    agents = {"a": "rules", "b": "rules:random=0.2", "c": "rules:random=0.5", "d": "random"}
    agents["e"] = Lowest()
    pairings = [{"one": name, "others": "a"} for name in "bcde"]
    result = schafkopf.tournament(agents, blocks=2, tables=20, pairings=pairings)
    assert result["table_games"] == 80
    assert all(agent["at_tables"]["blocks"] > 5 for agent in result["agents"])
    assert "points per game at random tables, 80 games" in result["text"]
    file = tmp_path / "games.parquet"
    write_parquet(result, file)
    rows = [row for row in parquet.read_table(file).to_pylist() if row["format"] == "table"]
    assert len(rows) == 80
    by_agent = dict.fromkeys("abcde", 0.0)
    for row in rows:
        players = [row[f"agent_{seat}"] for seat in range(4)]
        assert len(set(players)) == 4
        for seat, name in enumerate(players):
            by_agent[name] += row[f"payoff_{seat}"] / 4
    for agent in result["agents"]:
        points = agent["at_tables"]
        assert by_agent[agent["name"]] == pytest.approx(points["mean"] * points["blocks"])
    assert "Random tables" in report.to_html([result])


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = schafkopf.tournament(["rules", "random"], blocks=2)
    with pytest.raises(ModuleNotFoundError, match="pip install pyarrow"):
        write_parquet(result, tmp_path / "games.parquet")


def test_the_report_shows_every_part(tmp_path):
    result = schafkopf.tournament(
        {"mine": Lowest(), "rules": "rules", "<i>": "random"},
        blocks=6,
        track="full",
        formats=["1v3", "2v2"],
    )
    page = report.to_html([result], "A & B")
    for words in (
        "Ratings",
        "One against three",
        "Two against two",
        ">gain<",
        "By role",
        ">forehand",
    ):
        assert words in page
    for words in ("By contract and role", "What was declared", "Cycle check", "A &amp; B"):
        assert words in page
    assert "&lt;i&gt;" in page and "<i>" not in page
    assert page.count("<svg") == page.count("</svg>") >= 3
    assert "://" not in page and "<script" not in page
    assert "nan" not in page.lower()


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
    others = ", ".join(f'{{name = "{name}", spec = "random"}}' for name in "abc")
    for agents, some in (('["rules", "random"]', True), (f'["rules", {others}]', False)):
        out = tmp_path / f"league{some}"
        settings = ["players=4", f"agents={agents}"]
        result = run_tournament(CONFIGS / "league_2024.toml", settings=settings, out=out)
        assert ("intervals" in result["text"]) is some
        assert ("intervals over players" in (out / "report.html").read_text()) is some
        assert "points per game without the bonus" in result["text"]


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


@pytest.mark.parametrize(
    "spec, name",
    [
        ("net:runs/first/model.safetensors", "net:first/model"),
        ("net:./model.safetensors", "net:model"),
        ("net:runs/a/net.safetensors,temperature=0.5", "net:a/net,temperature=0.5"),
        ('net:"runs/a,b/net.safetensors",greedy=false', "net:a,b/net,greedy=false"),
        ("net+endgame:model.safetensors", "net+endgame:model.safetensors"),
        ("engine:./lowest.sh", "engine:./lowest.sh"),
        ("engine:perl examples/highest.pl --fast", "engine:perl examples/highest.pl --fast"),
    ],
)
def test_networks_have_a_short_name_and_programs_are_called_as_they_were_asked_for(spec, name):
    assert list(schafkopf.tournaments.named_agents([spec, "random"])) == [name, "random"]


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("*.toml")), ids=lambda file: file.stem)
def test_comments_of_a_shipped_file_name_every_value_that_a_key_may_have(file):
    named = {row["key"]: row["allowed"] for row in _core.tournament_fields() if row["names"]}
    text = file.read_text(encoding="utf-8")
    lines = re.findall(r"^# [^\n]*\[([^\]\n]*)\]\n(\w+) = ", text, re.MULTILINE)
    told = {key: allowed for allowed, key in lines if key in named}
    keys = set(re.findall(r"^(\w+) = ", text, re.MULTILINE))
    assert told == {key: named[key] for key in named.keys() & keys}
    assert told or file.stem == "baseline", "none of the keys is looked at"


def test_a_configuration_that_does_not_fit_its_games_is_named(tmp_path, capsys):
    (tmp_path / "a.toml").write_text('agents = ["rules", "random"]\nblocks = 2\nseed = 7\n')
    out = tmp_path / "out"
    assert cli.main(["tournament", str(tmp_path / "a.toml"), "--out", str(out)]) == 0
    config = out / "config.toml"
    text = config.read_text().rpartition(files.SEAL)[0]
    config.write_text(files.sealed(text.replace("seed = 7", "seed = 8")))
    capsys.readouterr()
    assert cli.main(["tournament", "--resume", str(out)]) == 2
    (first, *_) = [line for line in capsys.readouterr().err.splitlines() if "schafkopf: " in line]
    assert f"{config}: it does not fit its games: " in first and "games.journal" in first


# What is left of a file that was cut at the end of a line is a configuration too, with the default
# of what is missing; a bit may be one of a number.
def test_a_damaged_configuration_of_a_folder_is_refused_and_nothing_played(tmp_path, capsys):
    (tmp_path / "a.toml").write_text('agents = ["rules", "random"]\nblocks = 2\nseed = 7\n')
    out = tmp_path / "out"
    assert cli.main(["tournament", str(tmp_path / "a.toml"), "--out", str(out)]) == 0
    config = out / "config.toml"
    whole = config.read_text()
    before = {path: path.read_bytes() for path in out.iterdir() if path != config}
    ends = [place for place, letter in enumerate(whole) if letter == "\n"]
    damaged = [whole[:place] for place in [0, *ends[3::9], len(whole) - 1]]
    for text in [*damaged, whole.replace("blocks = 2", "blocks = 3")]:
        config.write_text(text)
        capsys.readouterr()
        assert cli.main(["tournament", "--resume", str(out)]) == 2
        assert f"schafkopf: {config}: its " in capsys.readouterr().err
    assert before == {path: path.read_bytes() for path in out.iterdir() if path != config}
    config.write_text(whole)
    assert cli.main(["tournament", "--resume", str(out)]) == 0
    assert config.read_text() == whole


# ---- what a researcher found ---------------------------------------------------------------------


def test_players_that_nearly_always_do_the_same_are_played_until_something_is_known():
    near = ["rules:version=2", "rules:version=3"]
    few = schafkopf.tournament(near, blocks=4, threads=1)["one_against_three"][0][1]
    assert few["mean"] == 0 and few["half_width"] is None
    result = schafkopf.tournament(near, precision=0.5, first_check=4, blocks=400, threads=1)
    for pairing in result["pairings"]:  # one block of fifteen is not 0
        assert pairing["points"]["blocks"] == 400 and pairing["points"]["half_width"] > 0.1


def test_a_share_is_won_by_the_side_of_the_player():
    result = schafkopf.tournament(["oracle", "random"], blocks=20, threads=1)
    rates = [
        {share["role"]: share["win_rate"] for share in agent["shares"] if "contract" not in share
         and "role" in share}
        for agent in result["agents"]
    ]  # fmt: skip
    for role in ("declarer", "partner", "defender"):
        assert rates[0][role] > rates[1][role], (role, rates)


def test_both_sides_of_a_table_of_two_and_two_have_shares():
    result = schafkopf.tournament(
        ["rules", "random"], blocks=20, threads=1, formats=["2v2"], double_dummy=True
    )
    games = [
        sum(share["games"] for share in agent["shares"] if "position" in share)
        for agent in result["agents"]
    ]
    assert games == [2 * result["games"]] * 2
    assert all(f"\n{name}  " in result["text"] for name in ("rules", "random"))


_SOMETIMES = """
import sys
print("hello 1 name Test" if sys.stdin.readline() else "", flush=True)
for line in sys.stdin:
    if line.startswith("go"):
        print("bestaction EO", flush=True)
"""


def test_failures_of_an_engine_are_still_told_after_a_resume_and_its_program_is_known(tmp_path):
    program, journal = tmp_path / "engine.py", tmp_path / "games.journal"
    program.write_text(_SOMETIMES)
    agents = [f"engine:failures=1000000,command={sys.executable} {program}", "random"]
    how = {"blocks": 2, "threads": 1, "journal": journal, "track": "card_play"}
    first = schafkopf.tournament(agents, **how)
    failures = sum(first["agents"][0]["engine"]["failures"].values())
    assert failures > 0 and "kept_failures" not in first
    again = schafkopf.tournament(agents, resume=True, **how)
    assert again["kept_failures"] == failures
    assert f"{failures} decisions drawn because a program failed" in again["text"]
    program.write_text(_SOMETIMES + "# another\n")
    with pytest.raises(ValueError, match="agent 1: there"):
        schafkopf.tournament(agents, resume=True, **how)


def test_ratings_are_as_far_apart_as_two_players_win_from_each_other():
    """With weights by its own spread a pairing would count the more the less it pays."""
    result = schafkopf.tournament(
        {"a": "rules", "b": "random"}, blocks=40, track="full", seed=3, threads=1
    )
    first, second = (agent["rating"] for agent in result["agents"])
    gained = result["difference"][0][1]
    assert first["mean"] - second["mean"] == pytest.approx(gained["mean"])
    assert first["half_width"] + second["half_width"] == pytest.approx(gained["half_width"])


def test_a_pairing_whose_blocks_were_alike_does_not_decide_how_wide_a_rating_is():
    result = schafkopf.tournament(
        {"a": "rules", "b": "random"}, blocks=2, track="card_play", seed=2, threads=1
    )
    assert [row["points"]["half_width"] is None for row in result["pairings"]] == [True, False]
    assert all(agent["rating"]["half_width"] > 50 for agent in result["agents"])


def test_a_journal_knows_the_bytes_of_its_contract_list(tmp_path):
    lists = tmp_path / "deals,1.jsonl"
    settings = {"agents": ["rules", "random"], "blocks": 1, "contract_list": str(lists)}
    settings |= {"track": "card_play", "journal": str(tmp_path / "games.journal")}

    def write(seed):
        solo = {"class": "SOLO", "suit": "E", "declarer": 0}
        lists.write_text(_core.record_json(schafkopf.Game.with_contract(solo, seed=seed)) + "\n")

    write(1)
    first = schafkopf.tournament(**settings)
    assert schafkopf.tournament(**settings, resume=True) == first
    write(2)
    with pytest.raises(ValueError, match="contract_list: there"):
        schafkopf.tournament(**settings, resume=True)


def test_more_pairings_than_a_game_can_name_are_refused():
    agents = {f"a{i}": "random" for i in range(255)}
    with pytest.raises(ValueError, match="pairings, allowed: at most 65535"):
        schafkopf.tournament(agents, formats=["1v3", "declarer"], blocks=1, track="card_play")


def test_agents_may_come_from_an_iterator():
    result = schafkopf.tournament(iter(["random", "rules"]), blocks=1)
    assert [agent["name"] for agent in result["agents"]] == ["random", "rules"]


def test_a_folder_of_its_own_is_no_other_with_resume(tmp_path, capsys):
    out = ["--resume", str(tmp_path / "a"), "--out", str(tmp_path / "b")]
    assert cli.main(["tournament", *out]) == cli.WRONG_INPUT
    assert "no --out" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_a_journal_is_a_path_or_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    schafkopf.tournament(["rules", "random"], blocks=1, journal=None)
    for wrong in (5, b"journal", True):
        with pytest.raises(ValueError, match=r"journal = .*, allowed: the path of a file"):
            schafkopf.tournament(["rules", "random"], blocks=1, journal=wrong)
    assert not list(tmp_path.iterdir())


def test_progress_needs_no_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    schafkopf.tournaments.ProgressLine("work")(1, 2)


# ---- a player in another spelling ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("begun", "asked"),
    [
        ("rules", "rules:random=0"),
        ("rules", "rules:version=3"),
        ("pimc:1", "pimc:version=3,worlds=1"),
        ("net:FILE", "net:path=./FILE,greedy=true"),
        ("net:FILE", "net:FOLDER/FILE"),
        ("net:baseline", 'net:"baseline"'),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_a_tournament_goes_on_with_a_player_in_another_spelling(
    tmp_path, monkeypatch, begun, asked, named
):
    monkeypatch.chdir(tmp_path)
    schafkopf.save_player(schafkopf.new_torch("mlp:8x1"), "a.safetensors")
    places = {"FOLDER": str(tmp_path), "FILE": "a.safetensors"}
    for word, place in places.items():
        begun, asked = begun.replace(word, place), asked.replace(word, place)
    how = {"track": "card_play", "formats": ["1v3"], "blocks": 1, "journal": "games"}
    first, again = (
        {"a": player, "b": "random"} if named else [player, "random"] for player in (begun, asked)
    )
    played = schafkopf.tournament(first, **how)
    games = Path("games").read_bytes()
    resumed = schafkopf.tournament(again, **how, resume=True)
    assert Path("games").read_bytes() == games
    assert [agent["name"] for agent in resumed["agents"]] == [
        agent["name"] for agent in played["agents"]
    ]
    assert resumed["one_against_three"] == played["one_against_three"]


@pytest.mark.parametrize(
    ("begun", "asked"),
    [
        ("rules", "rules:version=2"),
        ("pimc:1", "pimc:worlds=2"),
        ("pimc:1", "pimc:1,seed=4"),
        ("net:a.safetensors", "net:a.safetensors,greedy=false"),
        ("net:a.safetensors", "net:./b.safetensors"),
        ("random", "engine:command=sh -c 'read line; echo hello 1 name Idle; read line'"),
    ],
)
def test_a_tournament_does_not_go_on_with_another_player(tmp_path, monkeypatch, begun, asked):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):  # other weights, drawn
        schafkopf.save_player(schafkopf.new_torch("mlp:8x1"), f"{name}.safetensors")
    how = {"track": "card_play", "formats": ["1v3"], "blocks": 1, "journal": "games"}
    schafkopf.tournament({"a": begun, "b": "random"}, **how)
    with pytest.raises(ValueError, match="its games belong to another tournament"):
        schafkopf.tournament({"a": asked, "b": "random"}, **how, resume=True)


def test_names_that_settings_use_stay_those_of_the_call(tmp_path):
    how = {"formats": ["1v3"], "blocks": 1, "journal": str(tmp_path / "games")}
    schafkopf.tournament(["pimc:1", "random"], **how)
    with pytest.raises(ValueError, match="another tournament"):
        schafkopf.tournament(
            ["pimc:worlds=1", "random"], **how, resume=True, against="pimc:worlds=1"
        )


@pytest.mark.parametrize("line", ["", "{", "[1]", '{"options": {"agent 1": 1}}', "\xff"])
def test_a_journal_without_a_first_line_is_told_by_its_reader(tmp_path, line):
    (tmp_path / "games").write_text(line + "\n", encoding="latin-1")
    agents = {"a": "rules", "b": "random"}
    with pytest.raises(ValueError, match="games: no file of tournament games in the form"):
        schafkopf.tournament(agents, blocks=1, journal=tmp_path / "games", resume=True)


def test_progress_is_told_at_least_once_of_however_few_blocks():
    told = []
    for times in range(1, 21):
        schafkopf.tournament(
            ["random", "rules"], blocks=1, threads=1, progress=lambda *done: told.append(done)
        )
        assert told.count((1, 1)) >= times


# The table of a tournament of hours was lost with the folder.
@pytest.mark.parametrize("form", ["new", "resumed"])
def test_a_tournament_whose_folder_is_removed_meanwhile_tells_what_was_played(
    tmp_path, monkeypatch, capsys, form
):
    config, folder = tmp_path / "small.toml", tmp_path / "out"
    config.write_text('agents = ["rules", "random"]\nblocks = 2\nthreads = 1\n')
    words = [str(config), "--out", str(folder)]
    if form == "resumed":
        assert cli.main(["tournament", *words]) == 0
        words = ["--resume", str(folder)]
    capsys.readouterr()
    played = _core.tournament_json

    def removing(*args, **keywords):
        result = played(*args, **keywords)
        shutil.rmtree(folder)
        return result

    monkeypatch.setattr(_core, "tournament_json", removing)
    assert cli.main(["tournament", *words]) != 0
    told = capsys.readouterr()
    assert "points per game of one (row)" in told.out and "wrote" not in told.out
    assert told.err.splitlines()[-1].startswith(f"schafkopf: {folder / 'result.json'}: No such")
