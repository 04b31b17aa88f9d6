"""Figures of a tournament, its games as rows and Parquet, its report, its progress."""

from __future__ import annotations

import re
import sys
import tracemalloc

import numpy as np
import pytest
from support.tournaments import Lowest

import schafkopf
from schafkopf import _core, report
from schafkopf.tournaments import TournamentResult, read_games, write_parquet


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


def test_parquet_has_payoffs_in_tariff_units_where_the_games_count_halves(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    rules = {"tariff": {"base": "tournament_2024", "name": "halves", "ruf": 10.5}}
    result = schafkopf.tournament(["rules", "random"], blocks=2, rules=rules)
    assert result["tariff_scale"] == 2
    write_parquet(result, tmp_path / "games.parquet")
    table = parquet.read_table(tmp_path / "games.parquet")
    paid = np.stack([table[f"payoff_{seat}"].to_numpy() for seat in range(4)], axis=1)
    assert (paid == result.games["payoffs"] / 2).all() and paid.any()


def test_parquet_is_named_where_a_journal_is_read(tmp_path):
    pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "games.parquet"
    write_parquet(schafkopf.tournament(["rules", "random"], blocks=1), file)
    refused = f"{re.escape(str(file))}: a Parquet file, allowed: a journal, as games.journal of "
    with pytest.raises(ValueError, match=refused):
        read_games(file)
    file.write_bytes(b"PAR")
    with pytest.raises(
        ValueError, match=r"games\.parquet: (first line|no file of tournament games)"
    ):
        read_games(file)


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


def test_progress_needs_no_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    schafkopf.tournaments.ProgressLine("work")(1, 2)


def test_progress_is_told_at_least_once_of_however_few_blocks():
    told = []
    for times in range(1, 21):
        schafkopf.tournament(
            ["random", "rules"], blocks=1, threads=1, progress=lambda *done: told.append(done)
        )
        assert told.count((1, 1)) >= times
