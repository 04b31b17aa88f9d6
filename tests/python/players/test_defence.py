"""Defenders compared on the same contracts of the same declarer."""

import json

import numpy as np
import pytest

import schafkopf
from schafkopf import _core, defence


@pytest.fixture(scope="module")
def deals(tmp_path_factory):
    path = tmp_path_factory.mktemp("deals") / "solos.jsonl"
    defence.write_deals(path, "SOLO", 40, seed=5)
    return path


def test_deals_have_the_contract_and_more_of_them_begin_with_the_same(deals, tmp_path):
    lines = deals.read_text().splitlines()
    assert len(lines) == 40
    for line in lines:
        record = json.loads(line)
        assert record["contract"]["class"] == "SOLO" and record["plays"] == []
        assert "tout" not in record["contract"]
    assert len(set(lines)) == 40
    defence.write_deals(tmp_path / "many.jsonl", "SOLO", 400, seed=5)
    many = (tmp_path / "many.jsonl").read_text().splitlines()
    assert len(set(many)) == 400 and many[:40] == lines
    defence.write_deals(tmp_path / "few.jsonl", "SOLO", 7, seed=5)
    assert (tmp_path / "few.jsonl").read_text().splitlines() == lines[:7]


def test_touts_are_left_out_of_the_deals_of_their_class(tmp_path, monkeypatch):
    contracts = [schafkopf.Contract("SOLO", 0, "H", tout=tout) for tout in (True, False)]
    dealt = [schafkopf.Deal.random(seed) for seed in (1, 2)]

    def batch(number, **_):
        return schafkopf.VectorEnv(number, start="card_play", deals=dealt, contracts=contracts)

    monkeypatch.setattr(defence, "VectorEnv", batch)
    monkeypatch.setattr(defence, "_AT_ONCE", 2)
    defence.write_deals(tmp_path / "solos.jsonl", "SOLO", 2)
    lines = [json.loads(line) for line in (tmp_path / "solos.jsonl").read_text().splitlines()]
    assert [line["hands"] for line in lines] == [schafkopf.Deal.random(2).hands] * 2


# G.2: amounts may be halves
def test_what_is_conceded_is_in_tariff_units_where_the_games_count_halves(deals):
    halves = {"tariff": {"base": "10/20/50", "name": "halves", "ruf": 10.5}}  # no Ruf is played
    how = {"declarer": "rules", "deals": deals, "blocks": 8}
    found = defence.defence("rules", "random", rules=halves, **how)
    assert found == defence.defence("rules", "random", rules={"tariff": "10/20/50"}, **how)


def test_defenders_that_play_at_random_concede_more(deals):
    found = defence.defence("rules", "random", declarer="rules", deals=deals, blocks=40)
    assert found["low"] > 0 and found["blocks"] == 40
    assert found["won"]["player"] < found["won"]["opponent"]
    conceded = found["conceded"]
    assert found["mean"] == pytest.approx(conceded["opponent"]["mean"] - conceded["player"]["mean"])


def test_the_same_defenders_concede_the_same(deals):
    found = defence.defence("rules", "rules", declarer="random", deals=deals, blocks=20)
    assert found["mean"] == 0 and found["half_width"] is None  # all deals were alike


# As in a tournament: deals in which both do the same tell nothing of how much the others differ.
def test_defenders_who_mostly_do_the_same_have_the_interval_of_a_tournament(deals):
    newer, older = "rules:version=3", "rules:version=1"
    found = defence.defence(newer, older, declarer="random", deals=deals, blocks=40)
    games = schafkopf.tournament(
        {"declarer": "random", "player": newer, "opponent": older},
        pairings=[
            {"one": "declarer", "others": name, "both_directions": False}
            for name in ("player", "opponent")
        ],
        formats=["declarer"],
        contract_list=str(deals),
        blocks=40,
        calibration=False,
    ).games
    paid = games["payoffs"][np.arange(80), games["declarer"]]
    less = paid[games["pairing"] == 1] - paid[games["pairing"] == 0]
    assert 2 <= np.count_nonzero(less) <= 20
    assert found["half_width"] == pytest.approx(_core.mean_interval(less.astype(float))[1])


def test_a_journal_is_gone_on_with(deals, tmp_path):
    how = {"declarer": "rules", "deals": deals, "journal": tmp_path / "games"}
    defence.defence("rules", "random", blocks=10, **how)
    size = (tmp_path / "games").stat().st_size
    more = defence.defence("rules", "random", blocks=20, **how)
    assert (tmp_path / "games").stat().st_size > size
    assert more == defence.defence("rules", "random", declarer="rules", deals=deals, blocks=20)


@pytest.mark.parametrize(
    ("contract", "rules", "refused"),
    [
        ("SOLI", "research", r"contract = 'SOLI', allowed: RUF, .*SOLO"),
        ("SOLO_TOUT", "research", "contract = 'SOLO_TOUT', allowed"),
        ("RUF", "research", "contract = .RUF.: one of the others is the declarer.s partner"),
        ("BETTEL", "research", "of .* deals have it under the rules research"),
        ("RAMSCH", "wikipedia_extended", "of .* deals have it"),
    ],
)
def test_a_contract_that_does_not_come_is_refused(tmp_path, contract, rules, refused):
    with pytest.raises(ValueError, match=refused):
        defence.write_deals(tmp_path / "x.jsonl", contract, 2, rules=rules)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", ["", None])
def test_deals_without_a_file_are_refused_before_they_are_looked_for(monkeypatch, path):
    monkeypatch.delattr(defence, "VectorEnv")
    with pytest.raises(ValueError, match=r'path = (""|None), allowed: the path of a file'):
        defence.write_deals(path, "SOLO", 2)


# One team would have played fewer deals than the other.
def test_a_precision_at_which_a_team_is_done_is_refused_before_the_games(deals):
    how = {"declarer": "rules", "deals": deals, "blocks": 40}
    with pytest.raises(ValueError, match=r"precision = 28, allowed: 0, as both teams play every"):
        defence.defence("random", "rules", precision=28, **how)
    assert defence.defence("random", "rules", precision=0, **how)["blocks"] == 40


def test_too_few_deals_are_an_error_that_names_the_file(deals):
    with pytest.raises(ValueError, match="blocks = 50, allowed: at most 40"):
        defence.defence("rules", "random", declarer="rules", deals=deals, blocks=50)
    with pytest.raises(ValueError, match=r'unknown key "thread".* nearest one is "threads"'):
        defence.defence("rules", "random", declarer="rules", deals=deals, blocks=2, thread=1)


@pytest.mark.parametrize("path", [None, "", 3])
def test_a_list_of_deals_and_a_journal_that_are_no_paths_are_named(
    deals, tmp_path, monkeypatch, path
):
    (tmp_path / "None").write_bytes(deals.read_bytes())  # what None is called is no file meant
    monkeypatch.chdir(tmp_path)
    how = {"declarer": "rules", "blocks": 2}
    with pytest.raises(ValueError, match=r"^deals = .*, allowed: the path of a file"):
        defence.defence("rules", "random", deals=path, **how)
    if path == 3:
        with pytest.raises(ValueError, match=r"^journal = 3, allowed: the path of a file"):
            defence.defence("rules", "random", deals=deals, journal=path, **how)


def test_a_setting_that_the_comparison_makes_is_refused_by_name(deals):
    how = {"declarer": "rules", "deals": deals, "blocks": 2}
    with pytest.raises(ValueError, match=r"^calibration, track: cannot be given"):
        defence.defence("rules", "random", track="full", calibration=True, **how)
    with pytest.raises(ValueError, match=r"^agents: cannot be given"):
        defence.defence("rules", "random", agents=["rules", "random"], **how)
