"""What the engine answers where Python would repeat a rule: order and points of cards, limits of a
result, parties."""

import pytest

import schafkopf
from schafkopf import _core


def test_a_hand_is_sorted_as_a_player_sorts_it():
    hand = "E7 EO GU HA H7 S10 SK G10 GA"
    assert _core.sorted_hand(hand) == [
        ("trump", ["EO", "GU", "HA", "H7"]),
        ("E", ["E7"]),
        ("G", ["GA", "G10"]),
        ("S", ["S10", "SK"]),
    ]
    assert _core.sorted_hand(hand, "SOLO", "S")[0] == ("trump", ["EO", "GU", "S10", "SK"])
    assert _core.sorted_hand(hand, "SOLO")[0] == ("trump", ["EO", "GU"])  # not named yet
    assert _core.sorted_hand("E10 EO EU E9 EK EA", "BETTEL") == [
        ("E", ["EA", "EK", "EO", "EU", "E10", "E9"])
    ]
    rules = schafkopf.RuleSet("research", partner_trump_suit="S")
    assert _core.sorted_hand("S7 H7", rules=rules) == [("trump", ["S7"]), ("H", ["H7"])]


def test_card_points_are_those_of_the_engine():
    assert _core.card_points([]) == 0
    assert _core.card_points("EA E10 EK EO EU E9") == 11 + 10 + 4 + 3 + 2
    assert _core.card_points(range(32)) == 120


def test_limits_of_a_result_follow_the_rules():
    rules = {"preset": "official_1989_full", "legen": "forehand_only"}
    limits = _core.result_limits(schafkopf.Contract("SOLO", suit="E"), rules)
    assert (limits["points"], limits["tricks"], limits["bock"]) == (120, 8, 16)
    assert limits["doublings"] == (4, "max_doublings_solo = 4")
    assert limits["legen"] == (1, 'legen = "forehand_only"')
    assert limits["bid"] == (0, 'solo_contest = "rank"')
    assert limits["highest_trump"] == "EO"
    bettel = _core.result_limits("BETTEL", "official_1989_full")
    assert bettel["highest_trump"] is None
    short = {"preset": "research", "players": 3, "deck": "short24"}
    assert _core.result_limits("RAMSCH", short)["doublings"] == (0, "ramsch_kontra = false")
    assert _core.points_in_tricks(1, "research") == (0, 44)
    assert _core.points_in_tricks(8, short) == (120, 120)


def test_the_declarer_party_follows_the_contract():
    def party(name, declarer=0, partner=-1, rules="research"):
        called = "EA" if name == "RUF" else None
        suit = "E" if name == "SOLO" else None
        contract = schafkopf.Contract(name, declarer, suit=suit, called=called)
        return _core.declarer_party(contract, partner, rules)

    assert party("SOLO", 2) == [2]
    assert party("RUF", 3, 1) == [1, 3]
    assert party("KREUZ", 1) == party("KREUZ", 1, 3) == [1, 3]
    assert party("RAMSCH", -1) == []
    for arguments, words in (
        (("RUF", 0), "partner is missing"),
        (("RUF", 0, 0), "the declarer's own seat"),
        (("RUF", -1), "declarer is missing"),
        (("RUF", 0, 4), "partner = 4, allowed: a seat 0..3"),
        (("KREUZ", 0, 1), "sits opposite, seat 2"),
        (("SOLO", 0, 1), "partner does not belong here"),
        (("RUF", 0, 1, {"preset": "research", "players": 3, "deck": "short24"}), "R-006"),
    ):
        with pytest.raises(ValueError, match=words):
            party(*arguments)
