"""Wrong arguments from Python: a ValueError that names the argument and what is allowed."""

import itertools
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support.refusals import refused

import schafkopf
from schafkopf import _core as core
from schafkopf import cli, datasets, pictures, plots, report, tournaments

SOLO = schafkopf.Contract("SOLO", declarer=0, suit="H")
SEEDS = f"allowed: integer 0..{2**64 - 1}"
RUF = schafkopf.Contract("RUF", declarer=0, called="EA")
RUF_RESULT = {"declarer_party": [0, 2], "points": [50, 30, 20, 20], "tricks": [3, 2, 2, 1]}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"points": [60, 30, 20, 20]}, "points: 130 in all, allowed: at most 120"),
        ({"tricks": [4, 2, 2, 1]}, "tricks: 9 in all, allowed: at most 8"),
        ({"laufende": 20}, "laufende = 20, allowed: in RUF: 0, 3, 4"),
        ({"doublings": 9}, "doublings = 9, allowed: 0..0 in RUF (F.3: kontra_window"),
        ({"declarer_party": [1, 2]}, "declarer, seat 0, is missing"),
        ({"declarer_party": [0, 0]}, "declarer_party: seat 0 comes twice"),
        ({"announced": [3, 3]}, "announced: seat 3 comes twice"),
        ({"claimed_laufende": 15}, "claimed_laufende = 15, allowed: integer 0..14, None"),
        ({"declarer_party": 3}, "declarer_party = 3, allowed: list of integer 0..3, at most 4"),
        ({"legen": 10**20}, "legen = 100000000000000000000, allowed: integer 0..4"),
        ({"points": [1.5]}, "points = [1.5], allowed: list of integer 0..120, at most 4"),
    ],
)
def test_results_that_no_deal_has_are_not_settled(changed, words):
    assert schafkopf.settle(schafkopf.settlement.Outcome(RUF, **RUF_RESULT))["won"]
    refused(
        words, lambda: schafkopf.settle(schafkopf.settlement.Outcome(RUF, **RUF_RESULT | changed))
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "--contract SOLO --declarer 0 --points 61 --laufende 30",
            "--laufende = 30, allowed: 0..14",
        ),
        ("--contract WENZ --declarer 0 --points 61 --laufende 9", "--laufende = 9, allowed: 0..4"),
        ("--contract SOLO --declarer 0 --points 120 --tricks 4", "120 points in 4 of 8 tricks"),
        ("--deposit", "no Stock"),
    ],
)
def test_the_command_settles_possible_results_only(line, words, capsys):
    assert cli.main(["rules", "settle", *line.split()]) == 2
    assert words in capsys.readouterr().err


def ramsch(**changed):
    result = {"points": [40, 40, 40, 0], "tricks": [2, 2, 2, 2], "trumps_taken": [4, 4, 4, 2]}
    outcome = schafkopf.settlement.Outcome("RAMSCH", **result | changed)
    return schafkopf.settle(outcome, "official_1989"), outcome


def test_the_highest_trumps_of_a_ramsch_are_cards():
    settled, outcome = ramsch(highest_trump=["GU", "HU", "EO", None])
    assert settled["loser"] == 2
    assert outcome.highest_trump == ["GU", "HU", "EO", None]
    assert outcome.trumps_taken == [4, 4, 4, 2]
    assert ramsch(highest_trump=["GU", "EO", "HU", "H7"])[0]["loser"] == 1
    assert ramsch(highest_trump=["EO", 11, "-"])[0]["loser"] == 0
    refused(
        "highest_trump[3] = S9, allowed: a trump",
        lambda: ramsch(highest_trump=["EO", "GO", "HO", "S9"]),
    )
    refused("highest_trump[1] = EO comes twice", lambda: ramsch(highest_trump=["EO", "EO"]))
    refused(
        "highest_trump = 3, allowed: list of one card per seat", lambda: ramsch(highest_trump=3)
    )
    refused("card = 40, allowed: integer 0..31", lambda: ramsch(highest_trump=[40]))
    others = RUF_RESULT | {"highest_trump": ["EO"]}
    refused(
        "they decide ties of the Ramsch only",
        lambda: schafkopf.settle(schafkopf.settlement.Outcome(RUF, **others)),
    )


def test_a_price_is_not_made_of_numbers_that_were_left_out():
    refused(
        "points is missing",
        lambda: schafkopf.settlement.Outcome(SOLO, declarer_party=[0], tricks=[8]),
    )
    refused(
        "tricks is missing",
        lambda: schafkopf.settlement.Outcome(SOLO, declarer_party=[0], points=[90]),
    )
    assert schafkopf.settlement.Outcome("BETTEL", declarer_party=[0], tricks=[0, 8]).points == [
        0,
        0,
        0,
        0,
    ]
    solo = schafkopf.settlement.Outcome(
        {"class": "SOLO", "suit": "H"}, declarer_party=[0], points=[70, 50], tricks=[5, 3]
    )
    assert schafkopf.settle(solo, "course_002")["price"] == 50
    pot = schafkopf.games.DealContext(stock=40)
    refused("SOLO names no declarer", lambda: schafkopf.settle(solo, "course_002", pot))


HANDS = ["EK SA", "EA E10", "E9 E8", "E7 G7"]


def endgame(called, hands=HANDS, **changed):
    held = {card for hand in hands for card in hand.split()}
    names = [schafkopf.cards.card_name(card) for card in range(32)]
    rest = [name for name in names if name not in held]
    arguments = {"captured": [rest, [], [], []]} | changed
    return schafkopf.Game.from_position(
        schafkopf.Contract("RUF", declarer=0, called=called), hands, **arguments
    )


def test_positions_that_no_deal_reaches_are_refused():
    assert endgame("EA").current_player == 0
    for called in ("SA", "HA", "E7"):
        refused(f"called card {called} is not callable (C.1, R-027)", lambda c=called: endgame(c))
    refused("seat 0 both holds and has captured SA", lambda: endgame("EA", captured=[["SA"]]))
    refused("SA, which another seat has too", lambda: endgame("EA", captured=[[], "SA EU EO GU"]))
    refused("seat 3 holds 1 cards", lambda: endgame("EA", [*HANDS[:3], "E7"], captured=[]))


def test_contracts_that_the_rules_do_not_have_are_refused():
    def start(*name, **details):
        schafkopf.Game.with_contract(schafkopf.Contract(*name, declarer=0, **details), seed=1)

    refused("GEIER is not played under these rules", lambda: start("GEIER"))
    tout = schafkopf.Contract("WENZ", declarer=0, tout=True)
    schafkopf.Game.with_contract(tout, rules="official_1989", seed=1)
    without = {"preset": "official_1989", "tout_enabled": False}
    refused(
        "the Tout of WENZ is not played under these rules (J.1, tout_enabled)",
        lambda: schafkopf.Game.with_contract(tout, rules=without, seed=1),
    )
    refused("WENZ: called card EA, allowed: none", lambda: start("WENZ", called="EA"))
    refused("SOLO: bid = 90, allowed: 0", lambda: start("SOLO", suit="E", bid=90))


def test_a_contract_has_what_its_class_names_and_nothing_else():
    contract = schafkopf.Contract
    assert contract("SOLO", suit="E").suit == "E" and contract("WENZ").suit is None
    for name in ("SOLO", "SOLO_TOUT", "FARBWENZ", "FARBGEIER_TOUT"):
        needed = f"{name.removesuffix('_TOUT')} needs a suit, allowed: E, G, H, S"
        refused(needed, lambda name=name: contract(name))
        refused(needed, lambda name=name: schafkopf.Game.with_contract(name, seed=1))
    for name in ("WENZ", "RAMSCH", "BETTEL", "SIE"):
        refused(f'{name}: suit "H", allowed: none', lambda name=name: contract(name, suit="H"))
    refused("RUF needs a called card", lambda: contract("RUF", declarer=0))
    refused("RUF needs a called card", lambda: contract("RUF", declarer=0, called=None))
    refused('RUF: suit "E", allowed: none', lambda: contract("RUF", called="EA", suit="E"))
    refused("RAMSCH has no declarer", lambda: contract("RAMSCH", declarer=0))
    refused("BETTEL has no Tout form", lambda: contract("BETTEL", tout=True))
    refused("bid = 80, allowed: 0 in RUF", lambda: contract("RUF", called="EA", bid=80))
    refused("WENZ has no renonce", lambda: contract("WENZ", renonce=True))
    refused(
        'tout = "no", allowed: true, false',
        lambda: schafkopf.settlement.Outcome({"class": "WENZ", "tout": "no"}),
    )
    called = contract("RUF", declarer=1, called="GA", renonce=True)
    assert (
        called.renonce and repr(called) == "Contract('RUF', declarer=1, called='GA', renonce=True)"
    )


def test_questions_about_cards_need_the_trump_suit():
    for call in (
        lambda suit=None: schafkopf.cards.legal("SA", "H7", "SOLO", suit),
        lambda suit=None: schafkopf.cards.laufende("EO GO HO SO", "SOLO", suit),
        lambda suit=None: schafkopf.cards.trick_winner("SA H7", "SOLO", suit),
    ):
        refused("SOLO needs a suit", call)
        call("S")
    assert schafkopf.cards.trick_winner("SA H7", "SOLO", "H") == 1
    assert schafkopf.cards.trick_winner("SA H7", "SOLO", "E") == 0
    refused(
        'RUF: suit "S", allowed: none', lambda: schafkopf.cards.trick_winner("SA H7", "RUF", "S")
    )
    refused("WENZ: called card EA", lambda: schafkopf.cards.legal("EA", "", "WENZ", called="EA"))


def test_a_running_game_has_no_payoffs():
    game = schafkopf.Game(seed=1)
    refused("payoffs: the deal is not over, seat 0 is to act", game.payoffs)
    while not game.is_terminal:
        game.apply(game.legal_actions()[0])
    assert sum(game.payoffs()) == 0


GESPERRT = "EO HU HA EA E9 SA H7 H8"  # K-228, K-229


def test_a_renonce_call_is_callable_where_the_rules_have_it():
    assert schafkopf.cards.callable_cards(GESPERRT) == []
    for kind in ("announced", "unannounced"):
        rules = schafkopf.RuleSet("official_1989", renonce=kind)
        assert schafkopf.cards.callable_cards(GESPERRT, rules) == ["GA"]
        assert schafkopf.cards.callable_cards("EO HU HA EA E9 SA H7 G7", rules) == [
            "GA"
        ]  # as without Renonce
        assert schafkopf.cards.callable_cards("EO HU HA EA E9 SA GA H7", rules) == []
        assert schafkopf.cards.callable_cards("EO HU HA EA E9 S7 H7 H8", rules) == ["SA"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: schafkopf.Game(rule="research"),
            'Game: unknown keyword "rule", allowed: rules, deal',
        ),
        (lambda: schafkopf.Game(rule="research"), '; the nearest one is "rules"'),
        (lambda: schafkopf.Deal.random(1, rule="research"), 'Deal.random: unknown keyword "rule"'),
        (lambda: schafkopf.Session(sead=1), 'the nearest one is "seed"'),
        (lambda: schafkopf.games.League(8, rule="x"), 'League: unknown keyword "rule"'),
        (
            lambda: schafkopf.cards.callable_cards("EA", rule="x"),
            'callable_cards: unknown keyword "rule"',
        ),
        (
            lambda: schafkopf.cards.legal("EA", "", "WENZ", rule="x"),
            'legal: unknown keyword "rule"',
        ),
        (lambda: schafkopf.settle(None, rule="x"), 'settle: unknown keyword "rule"'),
        (lambda: schafkopf.Contract("WENZ", declerer=1), 'the nearest one is "declarer"'),
        (lambda: schafkopf.games.DealContext(bok=1), 'the nearest one is "bock"'),
        (lambda: schafkopf.settlement.Outcome(SOLO, point=[1]), 'Outcome: unknown keyword "point"'),
        (lambda: schafkopf.settlement.Outcome(SOLO, point=[1]), 'the nearest one is "points"'),
        (lambda: schafkopf.Game.with_contract(SOLO, sead=1), 'the nearest one is "seed"'),
        (lambda: schafkopf.Game.from_position(SOLO, HANDS, leeder=1), 'nearest one is "leader"'),
        (
            lambda: schafkopf.tournaments.run_tournament(settings=[], resum="x"),
            'the nearest one is "resume"',
        ),
        (lambda: schafkopf.exploit("random", thread=1), 'the nearest one is "threads"'),
        (lambda: schafkopf.replay({}, recrd=1), 'replay: unknown keyword "recrd"'),
    ],
)
def test_an_unknown_keyword_names_the_nearest_and_all(call, words):
    refused(words, call, TypeError)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: schafkopf.RuleSet("reserch"), 'the nearest one is "research"'),
        (
            lambda: schafkopf.RuleSet("research", kontra_windw="off"),
            'nearest one is "kontra_window"',
        ),
        (lambda: schafkopf.RuleSet("research", extends=1), "`schafkopf rules show` lists all"),
        (lambda: schafkopf.RuleSet("research", all_pass="ramsh"), 'the nearest one is "ramsch"'),
        (lambda: schafkopf.RuleSet("research", contracts=["RUFF"]), 'the nearest one is "RUF"'),
        (lambda: schafkopf.Game({"presett": "research"}, seed=1), 'the nearest one is "preset"'),
        (lambda: schafkopf.Contract("WENS"), 'the nearest one is "WENZ"'),
        (lambda: schafkopf.Game.with_contract({"class": "WENZ", "claled": 1}), 'one is "called"'),
        (lambda: schafkopf.games.DealContext(special_round="hadsh"), 'the nearest one is "hadsch"'),
        (lambda: schafkopf.actions.parse_action("PAS"), 'the nearest one is "PASS"'),
        (lambda: schafkopf.tournament(["rules", "random"], rule="x"), 'the nearest one is "rules"'),
        (lambda: schafkopf.make_agent("ruels"), 'the nearest one is "rules"'),
        (lambda: schafkopf.make_agent("pimc:world=3"), 'the nearest one is "worlds"'),
        (lambda: schafkopf.make_agent("pimc:question=clases"), 'the nearest one is "classes"'),
    ],
)
def test_an_unknown_name_or_value_names_the_nearest(call, words):
    refused(words, call)


def test_rules_without_a_name_are_none():
    for call in (lambda: schafkopf.Game("", seed=1), lambda: schafkopf.VectorEnv(1, rules="")):
        refused('rule set "", allowed: official_1989', call)


def test_an_unknown_switch_as_attribute_names_the_nearest():
    rules = schafkopf.RuleSet("research")
    for slip, right in {"plaers": "players", "deckk": "deck"}.items():
        words = f"no switch '{slip}'; the nearest one is \"{right}\""
        refused(words, lambda slip=slip: getattr(rules, slip), AttributeError)
    assert not hasattr(rules, "act")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("trian", ['COMMAND: "trian", allowed: play, serve, train', 'the nearest one is "train"']),
        ("replay --txt x", ["unrecognized arguments: --txt", 'the nearest one is "--text"']),
        ("rules setle", ['"setle", allowed: list, show', 'the nearest one is "settle"']),
        ("rules settle --deposti", ['the nearest one is "--deposit"']),
        (
            "tournament --agents rules random --track ful",
            ['--track: "ful", allowed: full, card_play'],
        ),
        ("tournament --agents rules random --block=3 --sead 4", ['the nearest one is "--seed"']),
        ("ladder extra", ["unrecognized arguments: extra"]),
        ("exploit rules --tricks 4", ["--tricks: 4, allowed: integer 2..3"]),
    ],
)
def test_the_command_line_names_the_nearest(line, words, capsys):
    with pytest.raises(SystemExit) as leave:
        cli.main(line.split())
    error = capsys.readouterr().err
    assert leave.value.code == 2
    for word in words:
        assert word in error, error


@pytest.mark.parametrize(
    ("line", "nearest"),
    [
        ("replay x --language fr", ""),
        ("replay x --language dee", "de"),
        ("play --sxxd 4", ""),
        ("play --sed 4", "--seed"),
        ("tr", ""),
        ("rlues list", "rules"),
    ],
)
def test_a_word_of_which_most_letters_are_others_is_not_near(line, nearest, capsys):
    with pytest.raises(SystemExit):
        cli.main(line.split())
    error = capsys.readouterr().err
    assert error.endswith(f'; the nearest one is "{nearest}"\n') or (
        not nearest and "nearest" not in error
    ), error


def test_a_short_name_that_there_is_not_names_no_other_short_one():
    for name in ("zz", "Dexx", "gfmes"):
        with pytest.raises(AttributeError) as caught:
            getattr(schafkopf, name)
        nearest = '; the nearest one is "games"' if name == "gfmes" else ""
        assert str(caught.value) == f"module 'schafkopf' has no attribute '{name}'{nearest}"


def test_actions_are_integers_or_names():
    game = schafkopf.Game(seed=1)
    for action, words in (
        (1.5, "action = 1.5, allowed: integer 0..127"),
        (True, "action = true, allowed: integer 0..127"),
        (None, "action = None, allowed: integer 0..127"),
        (10**30, f"action = {10**30}, allowed: integer 0..127"),
        (-1, "action = -1, allowed: integer 0..127"),
    ):
        refused(words, lambda action=action: game.apply(action))
    game.apply(np.int32(game.legal_actions()[0]))
    refused("card = 32, allowed: integer 0..31", lambda: schafkopf.cards.card_name(32))


@pytest.mark.parametrize("name", ["random", "rules", "pimc:1", "ismcts:10"])
def test_a_seat_that_is_not_to_act_is_not_asked(name):
    game = schafkopf.Game.with_contract(SOLO, seed=7)
    agent, views = schafkopf.make_agent(name), [game.view(seat) for seat in range(2)]
    assert int(agent.act(views[0])[0]) in game.legal_actions()
    refused("views[1]: the seat of this view is not to act", lambda: agent.act(np.stack(views)))
    while not game.is_terminal:
        game.apply(game.legal_actions()[0])
    assert agent.act(game.view(0)).shape == (1,)  # rows of finished games stand in every batch


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: schafkopf.Game(seed=-1), f"seed = -1, {SEEDS}"),
        (lambda: schafkopf.Game(seed=2**64), SEEDS),
        (lambda: schafkopf.Game(seed=1, dealer=7), "dealer = 7, allowed: integer -1..3"),
        (lambda: schafkopf.Game(deal=3), "deal = 3, allowed: a Deal or a list of hands"),
        (
            lambda: schafkopf.Contract("SOLO", suit="E", bid=10**12),
            "bid = 1000000000000, allowed: integer 0..120",
        ),
        (lambda: schafkopf.Contract(3), "name = 3, allowed: text"),
        (lambda: schafkopf.RuleSet(3), "preset = 3, allowed: text"),
        (lambda: schafkopf.VectorEnv(1.5), "num_envs = 1.5, allowed: integer 1..2147483647"),
        (lambda: schafkopf.VectorEnv(2**40), "num_envs = 1099511627776, allowed"),
        (lambda: schafkopf.VectorEnv(2, seed=-1), f"seed = -1, {SEEDS}"),
        (lambda: schafkopf.VectorEnv(2).reset(seed=-1), "seed = -1, allowed"),
        (lambda: schafkopf.Solver(-1), "table_bytes = -1, allowed: integer 65536.."),
        (lambda: schafkopf.Solver(10**15), "table_bytes = 1000000000000000, allowed"),
        (lambda: schafkopf.Session(seed="x"), f'seed = "x", {SEEDS}'),
        (lambda: schafkopf.Deal.random(1.5), f"seed = 1.5, {SEEDS}"),
        (lambda: schafkopf.tournament("rules"), 'agents: the text "rules" came'),
        (lambda: schafkopf.records.replay(None), "record = None, allowed: a dict"),
        (lambda: schafkopf.records.replayed_game([1]), "record = [1], allowed: a dict"),
        (lambda: schafkopf.records.text_of("x"), "record = 'x', allowed: a dict"),
        (lambda: next(schafkopf.read_records(None)), "path = None, allowed: the path of a file"),
        (lambda: list(schafkopf.records.read_entries(['{"a": 1}'])), "line 1: str came, allowed: "),
        (lambda: list(schafkopf.records.read_entries(b"x")), "line 1: int came, allowed: bytes"),
        (lambda: list(schafkopf.records.read_entries(None)), "lines: NoneType came, allowed: "),
        (
            lambda: list(schafkopf.records.read_entries(3)),
            "lines: int came, allowed: lines of bytes",
        ),
        (lambda: schafkopf.load_numpy(None), 'file: None came, allowed: a file, or "baseline"'),
        (lambda: schafkopf.load_torch(5), "file = 5, allowed: the path of a file"),
        (lambda: schafkopf.load_numpy(b"x"), "file = b'x', allowed: the path of a file"),
        (lambda: tournaments.run_tournament(None), "config: the file of a tournament is missing"),
        (lambda: tournaments.run_tournament(5), "config = 5, allowed: the path of a file"),
        (lambda: tournaments.run_tournament("x", out=5), "out = 5, allowed: the path of a folder"),
        (lambda: tournaments.run_tournament(resume=b"x"), "resume = b'x', allowed: the path"),
        (lambda: tournaments.read_games(None), "journal = None, allowed: the path of a file"),
        (lambda: tournaments.write_json({}, None), "path = None, allowed: the path of a file"),
        (lambda: tournaments.write_outputs({}, 5), "folder = 5, allowed: the path of a folder"),
        (lambda: report.write_html([], None), "path = None, allowed: the path of a file"),
        (lambda: pictures.write_replay("", []), 'path = "", allowed: the path of a file'),
        (lambda: plots.save_learning_curve("x", 5), "png_path = 5, allowed: the path of a file"),
        (lambda: schafkopf.train(out=5), "out = 5, allowed: the path of a folder"),
        (lambda: schafkopf.train(resume=["x"]), "resume = ['x'], allowed: the path of a folder"),
        (
            lambda: schafkopf.tournament(["rules", "random"], seed=2**64),
            f"seed = 18446744073709551616, {SEEDS}",
        ),
        (lambda: schafkopf.exploit("random", threads=2000), "threads = 2000, allowed: integer 0.."),
    ],
)
def test_arguments_are_named(call, words):
    refused(words, call)


@pytest.mark.parametrize("method", [schafkopf.Agent.act, schafkopf.Agent.policy])
def test_a_method_without_its_object_is_a_type_error(method):
    with pytest.raises(TypeError, match=r"self: schafkopf\._core\.Agent"):
        method()


def test_a_record_is_that_of_a_game():
    record_of = schafkopf.records.record_of
    refused("record_of: game: NoneType came, allowed: Game", lambda: record_of(None), TypeError)
    game = schafkopf.Game(seed=1)
    refused("record_of: deal: int came, allowed: Deal", lambda: record_of(game, 3), TypeError)


@pytest.mark.parametrize(
    ("place", "call"),
    [
        ("agents[0]", lambda: schafkopf.tournament([None, "rules"])),
        ('agents["a"]', lambda: schafkopf.tournament({"a": None, "b": "rules"})),
        ("players[0]", lambda: datasets.write_dataset("no", players=[None], games=8)),
        ('players["a"]', lambda: datasets.write_dataset("no", players={"a": None}, games=8)),
        ("agent", lambda: schafkopf.games.play_deals(None, 1)),
        ("agent", lambda: core.EngineSession(None)),
        ('agents["a"]', lambda: core.tournament_json("", agents={"a": None})),
        ("policy", lambda: schafkopf.search.inferred_worlds(schafkopf.Game(seed=1).view(0), None)),
        ("policy", lambda: schafkopf.search.ExactPosterior(schafkopf.Game(seed=1).view(0), None)),
        (
            "opponents[1]",
            lambda: schafkopf.VectorEnv(2, learner_seat=0, opponents=["rules", None, "rules"]),
        ),
        ("agent", lambda: schafkopf.VectorEnv(1, view_lines=True).agent_actions(None)),
    ],
)
def test_none_as_a_player_is_refused_in_one_way(place, call):
    refused(f"{place}: None came as a player; allowed: a name such as", call)


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("agent: int came as a player; ", lambda: core.EngineSession(3)),
        (
            "policy: int came",
            lambda: schafkopf.search.inferred_worlds(schafkopf.Game(seed=1).view(0), 3),
        ),
        (
            "policy: int came",
            lambda: schafkopf.search.ExactPosterior(schafkopf.Game(seed=1).view(0), 3),
        ),
        ("None came as a player; allowed: a name", lambda: schafkopf.make_agent(None)),
        (
            "policy: the class object came",
            lambda: schafkopf.search.ExactPosterior(schafkopf.Game(seed=1).view(0), object),
        ),
    ],
)
def test_what_is_no_player_is_named_with_its_argument(words, call):
    refused(words, call)


def test_the_opponent_is_an_option_with_a_name():
    def env(opponent):
        return schafkopf.VectorEnv(2, learner_seat=0, opponent=opponent)

    refused(f"opponent: int came as a player; {PLAYER}", lambda: env(3))
    refused("opponent: the class object came", lambda: env(object))
    refused('opponent: unknown agent "ruels", allowed: ', lambda: env("ruels"))


def test_arguments_of_questions_about_cards_are_named():
    game = schafkopf.Game.with_contract(SOLO, seed=7)
    solver, sampler = schafkopf.Solver(), schafkopf.WorldSampler(game.view(0))
    refused('side = "x", allowed: list of seats, None', lambda: solver.points(game, "x"))
    refused("side[0]: seat = 1.5, allowed: integer", lambda: solver.points(game, [1.5]))
    refused("n = 1.5, allowed: integer 1..", lambda: sampler.sample(1.5))
    refused("n = 0, allowed: integer 1..", lambda: sampler.sample(0))
    refused(
        "trick: 4 cards, allowed: at most 3",
        lambda: schafkopf.cards.legal("EA", "E7 E8 E9 EK", "RUF"),
    )
    refused("E7 comes twice", lambda: schafkopf.cards.legal("EA", "E7 E7", "RUF"))
    refused("EA is in the hand and in the trick", lambda: schafkopf.cards.legal("EA", "EA", "RUF"))
    refused("E7 comes twice", lambda: schafkopf.cards.trick_winner("E7 E7", "RUF"))
    refused("trick: 5 cards", lambda: schafkopf.cards.trick_winner("E7 E8 E9 EK EA", "RUF"))


class Player:
    """Takes the first legal action; its probabilities are what `answer` gives."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)

    def policy(self, views):
        return self.answer(views)


def failing(views):
    raise KeyError("boo")


def with_values(rows):
    return rows, np.zeros(len(rows))


NUMBERS = r" for CARD \w+ in row 0; allowed: numbers >= 0, and 0 on illegal actions"


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (failing, KeyError, "boo"),
        (lambda views: np.ones((len(views), 128)), ValueError, "must give"),
        (
            lambda views: with_values(-schafkopf.legal_mask(views).astype(float)),
            ValueError,
            "-1" + NUMBERS,
        ),
        (
            lambda views: with_values(np.full((len(views), 128), np.nan)),
            ValueError,
            "nan" + NUMBERS,
        ),
        (
            lambda views: with_values(np.ones((len(views), 128)) / 8),
            ValueError,
            r"0\.125" + NUMBERS,
        ),
        (
            lambda views: with_values(np.ones((len(views), 3))),
            ValueError,
            r"gave probabilities float64 \[\d+, 3\], allowed: \[\d+, 128\]",
        ),
    ],
)
def test_a_wrong_python_player_is_named_by_the_posterior(answer, error, words):
    game = schafkopf.Game.with_contract(SOLO, seed=7)
    while len(game.plays) < 17:
        game.apply(game.legal_actions()[0])
    view, player = game.view(game.current_player), Player(answer)
    named = words if error is KeyError else rf"python:Player: policy\(\) .*{words}"
    for _ in range(2):
        with pytest.raises(error, match=named):
            schafkopf.search.ExactPosterior(view, player)
        with pytest.raises(error, match=named):
            schafkopf.search.inferred_worlds(view, player)


def test_the_package_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "schafkopf", "--version"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(schafkopf.__file__).parents[1],
    )
    assert (done.returncode, done.stdout.strip()) == (0, schafkopf.__version__)


PLAYER = 'allowed: a name such as "rules", an Agent, or an object with act()'
CARD = "allowed: integer 0..31, or a name such as EA"
HAND = "EO EU EA E10 EK E9 E8 E7"
LISTS = {
    "opponents[1]: int came as a player": lambda: schafkopf.VectorEnv(
        2, learner_seat=0, opponents=["rules", 2, "rules"]
    ),
    'rules[1]: rule set "nope", allowed: official_1989': lambda: schafkopf.VectorEnv(
        2, rules=["research", "nope"]
    ),
    "deals[1]: deal = 3, allowed: a Deal": lambda: schafkopf.VectorEnv(
        2, deals=[schafkopf.Deal.random(1), 3]
    ),
    "contracts[1]: contract": lambda: schafkopf.VectorEnv(2, contracts=["WENZ", 3]),
    'hands[1]: cards[0]: "x" is no card': lambda: schafkopf.Deal([HAND, "x", "", ""]),
    f"hands[1]: cards[7]: card = 1.5, {CARD}": lambda: schafkopf.Deal(
        [HAND, [*range(8, 15), 1.5], "", ""]
    ),
    "hands[3]: cards = None, allowed: list of cards": lambda: schafkopf.Deal([HAND, "", "", None]),
    "deal[0]: cards[1]: card = {}, allowed": lambda: schafkopf.Game(deal=[["EO", {}]]),
    "order[1]: card = 32, allowed": lambda: schafkopf.Deal.from_order([0, 32]),
    f"captured[0]: cards[1]: card = None, {CARD}": lambda: endgame("EA", captured=[["SO", None]]),
    'exchange[1]: to = "x", allowed: integer 0..3': lambda: schafkopf.Game.with_contract(
        SOLO, seed=1, exchange=[(0, 1, "EO"), (1, "x", "EO")]
    ),
    "exchange[0]: step = [0, 1], allowed: a tuple": lambda: schafkopf.Game.with_contract(
        SOLO, seed=1, exchange=[(0, 1)]
    ),
    'owed[1]: games = "x", allowed: integer 0..7': lambda: schafkopf.games.DealContext(
        owed=[1, "x"]
    ),
    'side[1]: seat = "x", allowed: integer 0..3': lambda: schafkopf.Solver().points(
        schafkopf.Game.with_contract(SOLO, seed=34), [0, "x"]
    ),
    "highest_trump[1]: card = a value of type object": lambda: ramsch(
        highest_trump=["EO", object()]
    ),
    "trick[1]: card = 77, allowed": lambda: schafkopf.cards.trick_winner(["EO", 77], "WENZ"),
    "preset = 3, allowed: text": lambda: schafkopf.Game({"preset": 3}, seed=1),
    f"agents[1]: int came as a player; {PLAYER}": lambda: schafkopf.tournament(
        ["rules", 3], blocks=1
    ),
    f'agents["b"]: int came as a player; {PLAYER}': lambda: schafkopf.tournament(
        {"a": "rules", "b": 3}, blocks=1
    ),
    'players[1]: unknown agent "rulez"': lambda: schafkopf.replay_html(
        schafkopf.Game(seed=1), players=["rules", "rulez"]
    ),
}


@pytest.mark.parametrize("words", LISTS)
def test_a_wrong_element_of_a_list_is_named_with_its_place(words):
    refused(words, LISTS[words])


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("values[1]: str came, allowed: float", lambda: core.mean_interval([1.0, "x"])),
        ("values[0]: ndarray came, allowed: float", lambda: core.mean_interval(np.ones((2, 2)))),
        ("values[0]: complex came, allowed: float", lambda: core.mean_interval([1j, 2j])),
        ("settings[1]: int came, allowed: str", lambda: core.tournament_json("", settings=["", 3])),
        (
            "metadata['k']: int came, allowed: str",
            lambda: core.write_network("no", {}, {"k": 3}),
        ),
        ("metadata, key 3: int came, allowed: str", lambda: core.write_network("no", {}, {3: ""})),
    ],
)
def test_typed_lists_and_dicts_name_the_place_too(words, call):
    refused(words, call, TypeError)


def test_an_endgame_is_played_with_card_sets():
    one = core.endgame_list()[0]
    hands = one.deals()[0]
    assert one.game(hands).current_player == one.game(hands.tolist()).current_player
    for wrong, shown in (("x", '"x"'), (-1, "-1"), (2**40, "1099511627776")):
        changed = [*hands.tolist()[:1], wrong, *hands.tolist()[2:]]
        refused(f"hands[1]: cards = {shown}, allowed", lambda changed=changed: one.game(changed))
    refused("hands[4]: more than 4 seats", lambda: one.game([*hands, 0]))


def test_players_of_one_name_are_refused_by_the_replay_page():
    class Lowest:
        def act(self, views):
            return schafkopf.legal_mask(views).argmax(axis=1)

    game = schafkopf.Game("research", seed=1)
    while not game.is_terminal:
        game.apply(game.legal_actions()[0])
    with pytest.raises(ValueError, match='players: "python:Lowest" stands twice'):
        schafkopf.pictures.replay_html(game, players=[Lowest(), Lowest()])
    assert schafkopf.pictures.replay_html(game, seat=np.int64(1))
    with pytest.raises(ValueError, match=r"seat = '1', allowed: integer 0\.\.3, None"):
        schafkopf.pictures.replay_html(game, seat="1")


def test_numbers_of_numpy_are_numbers_of_a_record():
    game = schafkopf.Game("research", seed=1, dealer=2)
    while not game.is_terminal:
        game.apply(game.legal_actions()[0])
    record = schafkopf.records.record_of(game)
    same = {**record, "dealer": np.int64(record["dealer"]), "plays": np.array(record["plays"])}
    assert schafkopf.replay(same) == schafkopf.replay(record)
    with pytest.raises(ValueError, match=r"a record holds \{1\}, allowed: texts, numbers"):
        schafkopf.replay({**record, "dealer": {1}})


@pytest.mark.parametrize("key", [(1, 2), np.int64(1), b"plays"])
def test_a_record_with_a_key_that_is_no_text_is_refused(key):
    record = schafkopf.records.record_of(schafkopf.Game("research", seed=1))
    for wrong in ({**record, key: 1}, {**record, "session": {key: 1}}):
        with pytest.raises(ValueError, match=r"record: keys .* not \w+(\.int64)?, allowed: texts"):
            schafkopf.replay(wrong)


def holds_itself():
    value = []
    value.append(value)
    return value


def holds_itself_by_key():
    value = {}
    value["a"] = value
    return value


def deep():
    value = 0
    for _ in range(50_000):
        value = [value]
    return value


def many_times_the_same():
    value = [0]
    for _ in range(60):
        value = [value] * 10
    return value


@pytest.mark.parametrize("make", [holds_itself, holds_itself_by_key, deep, many_times_the_same])
@pytest.mark.parametrize(
    ("name", "take"),
    [
        ("seed", lambda value: schafkopf.Game(seed=value)),
        ("rule_index", lambda value: schafkopf.VectorEnv(2, rule_index=value)),
        ("all_pass", lambda value: schafkopf.RuleSet("research", all_pass=value)),
        ("declarer", lambda value: schafkopf.Contract("SOLO", declarer=value)),
        ("card", lambda value: core.card_name(value)),
    ],
)
def test_a_value_without_an_end_is_refused(name, take, make):
    with pytest.raises(ValueError, match=rf"^{name} = .*, allowed: ") as caught:
        take(make())
    assert len(str(caught.value)) < 400


def test_a_list_without_an_end_is_refused_in_a_moment():
    hostile = (many_times_the_same(), [0] * 20_000_000)
    started = time.process_time()
    for name, take in (
        ("seed", lambda value: schafkopf.Game(seed=value)),
        ("all_pass", lambda value: schafkopf.RuleSet("research", all_pass=value)),
    ):
        for value in hostile:
            with pytest.raises(ValueError, match=rf"^{name} = .*, allowed: "):
                take(value)
    assert time.process_time() - started < 1


def test_a_generator_that_would_never_be_asked_is_refused():
    for options in ({}, {"start": "deal"}):
        with pytest.raises(ValueError, match="a generator needs start at card play"):
            schafkopf.VectorEnv(1, generator="heuristic", **options)
    schafkopf.VectorEnv(1, generator="heuristic", generated_share=0.5)


@pytest.mark.parametrize("env", [-1, 3, 2**31, 2**70])
def test_a_row_that_there_is_not_is_named_with_those_that_there_are(env):
    games = schafkopf.VectorEnv(3)
    for ask in (games.get_game, lambda row: games.set_game(row, schafkopf.Game(seed=1))):
        with pytest.raises(ValueError, match=rf"env = {env}, allowed: integer 0..2"):
            ask(env)


def test_names_that_utf8_cannot_write_are_named():
    lone = "\ud800"
    with pytest.raises(ValueError, match="agents: a name: a text that UTF-8 cannot write"):
        schafkopf.tournament({lone: "rules", "b": "random"}, blocks=1)
    with pytest.raises(ValueError, match="UTF-8"):
        schafkopf.RuleSet(preset="research", **{lone: 1})


def test_a_context_of_another_type_is_named():
    for make in (schafkopf.Game, schafkopf.Deal.random):
        refused(
            "context: dict came, allowed: DealContext or None",
            lambda make=make: make(seed=1, context={"bock": 1}),
        )


@pytest.mark.parametrize("wrong", [float("nan"), 2, "no", [0], None])
def test_a_flag_is_true_or_false(wrong):
    for call in (
        lambda: schafkopf.Contract("SOLO", 0, suit="E", tout=wrong),
        lambda: schafkopf.Contract("RUF", 0, called="EA", renonce=wrong),
        lambda: schafkopf.cards.legal("EA", "", "RUF", called="EA", released=wrong),
    ):
        with pytest.raises(ValueError, match=r"(tout|renonce|released) = .*, allowed: true, false"):
            call()
    assert schafkopf.Contract("SOLO", 0, suit="E", tout=np.True_).tout


def test_cards_that_never_end_are_refused():
    for call in (
        lambda: schafkopf.Deal.from_order(itertools.repeat(0)),
        lambda: schafkopf.cards.callable_cards(itertools.repeat("EA")),
        lambda: schafkopf.cards.legal("EA", itertools.cycle(range(32)), "WENZ"),
    ):
        with pytest.raises(ValueError, match=r"\w+\[32\]: one card more than there are, allowed: "):
            call()
