"""Integers of the functions of C++: what is none, or too large for C++, is named as any other."""

import numpy as np
import pytest
from support.refusals import refused

import schafkopf
from schafkopf import _core as core

SOLO = schafkopf.Contract("SOLO", declarer=0, suit="H")
LEAGUE = schafkopf.games.League(8, seed=4)
GAME = LEAGUE.next_game(0, 0)
VIEW = schafkopf.Game.with_contract(SOLO, seed=7).view(0)
MOST = 2**31 - 1
HANDS = schafkopf.Deal.random(1).hands
HAND = HANDS[0]
PARTS = {"settings": ["blocks=8", "tables=4"], "agents": {"a": "rules", "b": "random"}}


def part(block, table):
    return core.tournament_part("", block, table, **PARTS)


FUNCTIONS = {
    "action_name": ("action", "0..127", core.action_name),
    "phase_name": ("phase", "0..22", core.phase_name),
    "next_game": ("sitting", "0..1", lambda n: LEAGUE.next_game(n, 0)),
    "next_game, table": ("table", "0..1", lambda n: LEAGUE.next_game(0, n)),
    "finish": ("sitting", "0..1", lambda n: LEAGUE.finish(n, 0, GAME)),
    "finish, table": ("table", "0..1", lambda n: LEAGUE.finish(0, n, GAME)),
    "players_at": ("sitting", "0..1", lambda n: LEAGUE.players_at(n, 0)),
    "players_at, table": ("table", "0..1", lambda n: LEAGUE.players_at(0, n)),
    "is_over": ("sitting", "0..1", lambda n: LEAGUE.is_over(n, 0)),
    "is_over, table": ("table", "0..1", lambda n: LEAGUE.is_over(0, n)),
    "with_contract": (
        "partner",
        "-1..3",
        lambda n: schafkopf.Game.with_contract(SOLO, seed=1, partner=n),
    ),
    "declarer_party": ("partner", "-1..3", lambda n: core.declarer_party(SOLO, n)),
    "points_in_tricks": ("tricks", "0..8", core.points_in_tricks),
    "payable_run": ("run", "0..32", lambda n: core.payable_run(SOLO, n)),
    "price_factor": ("doublings", "0..62", core.price_factor),
    "observation_sections": ("version", "1..4", core.observation_sections),
    "observation_table": ("version", "1..4", core.observation_table),
    "rule_feature_sections": ("version", "1..4", core.rule_feature_sections),
    "observation_size": ("version", "1..4", core.observation_size),
    "encode": ("version", "1..4", lambda n: core.encode(VIEW, version=n)),
    "make_agent": ("num_threads", "0..1024", lambda n: core.make_agent("rules", n)),
    "explain": ("version", "1..3", lambda n: core.explain(VIEW, version=n)),
    "maxims": ("version", "1..3", core.maxims),
    "tournament_part": ("first_block", "0..8", lambda n: part(n, 0)),
    "tournament_part, table": ("first_table", "0..4", lambda n: part(0, n)),
    "table_agents": ("seed", f"0..{2**64 - 1}", lambda n: core.table_agents(n, 0, 4)),
    "table_agents, block": ("block", f"0..{MOST}", lambda n: core.table_agents(0, n, 4)),
    "table_agents, agents": ("agents", f"3..{MOST}", lambda n: core.table_agents(0, 0, n, 3)),
    "table_agents, seats": ("seats", "1..4", lambda n: core.table_agents(0, 0, 4, n)),
    "replay_json": ("line_number", f"0..{MOST}", lambda n: core.replay_json("", n)),
    "check_json": ("line_number", f"0..{MOST}", lambda n: core.check_json("", n)),
    "record_to_text": ("line_number", f"0..{MOST}", lambda n: core.record_to_text("", n)),
    "replay_game": ("line_number", f"0..{MOST}", lambda n: core.replay_game("", n)),
    "view_at": ("ply", "0..0", lambda n: GAME.view_at(n, 0, HAND)),
    "view_at, seat": ("seat", "0..3", lambda n: GAME.view_at(0, n, HAND)),
    "infract": ("seat", "0..3", lambda n: GAME.infract(n, "INF_REVOKE")),
    "DealContext": ("stock", "0..1000000000", lambda n: schafkopf.games.DealContext(stock=n)),
    "DealContext, bock": ("bock", "0..16", lambda n: schafkopf.games.DealContext(bock=n)),
    "DealContext, games": (
        "games_left",
        "0..255",
        lambda n: schafkopf.games.DealContext(games_left=n),
    ),
    "Deal": ("zupf", "0..7", lambda n: schafkopf.Deal(HANDS, zupf=n)),
    "endgame_list": ("tricks", "2..3", lambda n: core.endgame_list(tricks=n)),
    "endgame_list, each": ("endgames", f"1..{MOST}", lambda n: core.endgame_list(endgames=n)),
    "search_cards": ("worlds", "1..100000", lambda n: core.search_cards(VIEW, worlds=n)),
    "text_to_record": ("first_line", f"0..{MOST}", lambda n: core.text_to_record("", n)),
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (2**70, str(2**70)),
        (-(2**40), str(-(2**40))),
        (True, "true"),
        (1.5, "1.5"),
        ("1", '"1"'),
        (None, "None"),
        (np.timedelta64(1, "s"), "a value of type timedelta64"),
    ],
)
def test_an_integer_is_named_with_what_came_and_its_range(function, number, shown):
    name, allowed, call = FUNCTIONS[function]
    refused(f"{name} = {shown}, allowed: integer {allowed}", lambda: call(number))


@pytest.mark.parametrize("function", sorted(FUNCTIONS.keys() - {"table_agents"}))
def test_an_integer_beyond_32_bits_is_too_large(function):
    name, allowed, call = FUNCTIONS[function]
    refused(f"{name} = 1099511627776, allowed: integer {allowed}", lambda: call(2**40))


def test_integers_of_numpy_are_integers():
    assert core.action_name(np.int64(32)) == core.action_name(32)
    assert core.price_factor(np.uint8(3)) == 8
    assert LEAGUE.players_at(np.int32(1), np.int8(0)) == LEAGUE.players_at(1, 0)
    assert core.table_agents(np.uint64(2**64 - 1), 0, 4) == core.table_agents(2**64 - 1, 0, 4)


@pytest.mark.parametrize(
    ("laid", "words"),
    [
        ([0, 2**40], "laid[1]: seat = 1099511627776, allowed: integer 0..3"),
        ([4], "laid[0]: seat = 4, allowed: integer 0..3"),
        ([0, -1], "laid[1]: seat = -1, allowed: integer 0..3"),
        ([True], "laid[0]: seat = true, allowed: integer 0..3"),
        ([None], "laid[0]: seat = None, allowed: integer 0..3"),
        ([1, "x"], 'laid[1]: seat = "x", allowed: integer 0..3'),
        (2, "laid = 2, allowed: list of seats"),
        ("01", 'laid = "01", allowed: list of seats'),
    ],
)
def test_seats_that_laid_are_seats(laid, words):
    refused(words, lambda: schafkopf.Game.with_contract(SOLO, seed=1, laid=laid))


def test_an_integer_that_is_missing_is_named():
    refused("price_factor: doublings is missing, allowed: int", core.price_factor, TypeError)
    refused("League.is_over: table is missing, allowed: int", lambda: LEAGUE.is_over(0), TypeError)
    refused("Game.view_at: hand is missing", lambda: GAME.view_at(0, 0), TypeError)
    refused(
        'League.next_game: unknown keyword "tabel", allowed: sitting, table; the nearest one is',
        lambda: LEAGUE.next_game(0, tabel=0),
        TypeError,
    )


def test_a_class_and_a_text_without_utf_8_are_no_integers():
    for wrong, came in (
        (int, "a value of type type"),
        ("\ud800", "a text that UTF-8 cannot write"),
    ):
        with pytest.raises(ValueError, match=f"seed = {came}, allowed: integer 0"):
            schafkopf.Session(seed=wrong)
        with pytest.raises(ValueError, match=f"blocks = {came}, allowed: "):
            schafkopf.tournament(["random", "rules"], blocks=wrong)
