"""What people enter by hand: records, results, positions and sessions that no deal can have."""

import json
import time

import numpy as np
import pytest

import schafkopf
from schafkopf import _core

DEAL = {
    "rules": "research",
    "dealer": 3,
    "hands": [
        ["EO", "E9", "E8", "E7", "EA", "EK", "E10", "EU"],
        ["GO", "G9", "G8", "G7", "GA", "GK", "G10", "GU"],
        ["HO", "H9", "H8", "H7", "HA", "HK", "H10", "HU"],
        ["SO", "S9", "S8", "S7", "SA", "SK", "S10", "SU"],
    ],
}


def record(**keys):
    return json.dumps(DEAL | {"auction": [[seat, "PASS"] for seat in range(4)]} | keys)


def test_a_key_that_comes_twice_is_refused_in_a_text_as_in_json():
    text = _core.record_to_text(record(session={"stock": 5}))
    line = next(line for line in text.splitlines() if line.startswith("session:"))
    twice = text.replace(line, 'session: {"stock": 5, "stock": 10}')
    with pytest.raises(ValueError, match='key "stock" comes twice'):
        _core.text_to_record(twice)


def test_a_number_beyond_63_bits_is_named_as_it_stands_there():
    with pytest.raises(ValueError, match="runaway_min_others = 18446744073709551615, allowed"):
        _core.replay_json(record(rules={"preset": "research", "runaway_min_others": 2**64 - 1}))


def test_a_long_round_that_waits_is_read_as_it_was_written():
    session = {"bock": 1, "special_round": "bock", "games_left": 5, "queued": [["ramsch", 314]]}
    result = _core.replay_json(record(session=session))
    assert ["ramsch", 314] in json.loads(result)["session"]["queued"]


@pytest.mark.parametrize("mode", ["schieber", "kreuzbock"])
def test_a_round_that_the_rules_do_not_have_cannot_wait(mode):
    short = {"preset": "research", "players": 3, "deck": "short24"}
    hands = [[card for card in hand if card[1:] not in ("7", "8")] for hand in DEAL["hands"]]
    cards = [card for hand in hands for card in hand]
    three = [cards[:8], cards[8:16], cards[16:]]
    with pytest.raises(ValueError, match="session: queued = "):
        _core.replay_json(
            record(
                rules=short,
                dealer=2,
                hands=three,
                auction=[[seat, "PASS"] for seat in range(3)],
                session={"queued": [[mode, 3]]},
            )
        )


def test_negative_games_have_no_bid():
    contract = {"class": "BETTEL", "bid": 70}
    with pytest.raises(ValueError, match=r"BETTEL has no bid \(D.5\)"):
        _core.replay_json(json.dumps(DEAL | {"contract": contract, "declarer": 0, "plays": []}))


def test_a_game_that_is_laid_down_at_once_has_no_position():
    hands = [["EA"], ["GA"], ["HA"], ["SA"]]
    rules = schafkopf.RuleSet("official_1989_full")
    with pytest.raises(ValueError, match="SIE: allowed: no position"):
        schafkopf.Game.from_position(
            {"class": "SIE", "declarer": 3}, hands, leader=0, dealer=3, rules=rules
        )


def test_results_have_no_doubling_that_no_game_has():
    rules = schafkopf.RuleSet("official_1989_full", ramsch_kontra=True, kontra_window="off")
    assert _core.result_limits("RAMSCH", rules)["doublings"][0] == 0
    rules = schafkopf.RuleSet("official_1989_full", ramsch_kontra=True)
    assert _core.result_limits("RAMSCH", rules)["doublings"][0] == 4


def test_numbers_of_tricks_that_no_deal_has_are_refused():
    assert _core.points_in_tricks(8) == (120, 120)
    for tricks in (-1, 9):
        with pytest.raises(ValueError, match=f"tricks = {tricks}, allowed: integer 0..8"):
            _core.points_in_tricks(tricks)


def test_a_rule_file_of_long_numbers_is_refused_at_once(tmp_path):
    file = tmp_path / "r.toml"
    file.write_text("".join(f"a{i} = 99999999999999999999\n" for i in range(4000)))
    begin = time.monotonic()
    with pytest.raises(ValueError, match=r"r.toml:17: .* is not representable"):
        schafkopf.RuleSet(str(file))
    assert time.monotonic() - begin < 10


def test_a_file_that_is_missing_is_the_error_that_python_has_for_it(tmp_path):
    with pytest.raises(FileNotFoundError):
        schafkopf.RuleSet(str(tmp_path / "none.toml"))


def test_no_ober_and_no_unter_is_called():
    for card in ("EO", "SU"):
        with pytest.raises(
            ValueError, match=f"RUF: called card {card}, allowed: a card of a plain"
        ):
            schafkopf.Contract("RUF", 0, called=card)


def test_where_nothing_can_be_called_the_error_says_none():
    deal = ["EO E9 EA E7 GA G9 SA S9", "GO H9 E8 E10", "HO", "SO"]
    rest = [
        card for card in map(schafkopf.cards.card_name, range(32)) if card not in " ".join(deal)
    ]
    hands = [hand.split() for hand in deal]
    for hand in hands:
        while len(hand) < 8:
            hand.append(rest.pop())
    with pytest.raises(ValueError, match=r"is not callable .*; callable: none$"):
        schafkopf.Game.with_contract(schafkopf.Contract("RUF", 0, called="EA"), deal=hands)


def test_the_kontra_of_a_hadsch_is_priced_whatever_the_rules_lead_to():
    hadsch = schafkopf.games.DealContext(special_round="hadsch", games_left=1)
    for seed in range(20):
        game = schafkopf.Game("research", seed=seed, context=hadsch)
        while not game.is_terminal:
            game.apply(game.legal_actions()[0])
        if game.outcome().doublings == 0:
            continue
        priced = schafkopf.settle(game.outcome(), "research", hadsch)
        assert priced["payoffs"] == game.payoffs()
        with pytest.raises(ValueError, match="doublings"):
            schafkopf.settle(game.outcome(), "research")
        return
    raise AssertionError("no game with its Kontra")


def test_in_a_hadsch_the_first_to_double_are_those_who_play():
    """C.20.8: it begins doubled, so a Re of the owner of the called card comes first (F.3)."""
    rules = schafkopf.RuleSet("official_1989", special_round="hadsch")
    places = _core.observation_sections(4)
    for seed in range(300):
        game = schafkopf.Game(rules, seed=seed, dealer=3)
        if "C_RUF" not in game.legal_names():
            continue
        game.apply("C_RUF")
        game.apply(game.legal_names()[0])
        called = game.contract.called
        owner = next(seat for seat in range(4) if called in game.hand(seat))
        while game.phase == "DOUBLE":
            doubles = game.current_player == owner and game.doubling_level == 1
            game.apply("DOUBLE" if doubles else "NO_DOUBLE")
        if game.doubling_level == 2:
            break
    assert game.doubling_level == 2
    row = np.ravel(_core.encode(game.view(0), rules=rules, version=4))
    lacks = row[places["lacks"]].reshape(3, 32)
    assert lacks[owner - 1, _core.parse_card(called)] == 0
