"""Wrong arguments from Python: a ValueError that names the argument and what is allowed."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import schafkopf
from schafkopf import cli

SOLO = schafkopf.Contract("SOLO", declarer=0, suit="H")
RUF = schafkopf.Contract("RUF", declarer=0, called="EA")
RUF_RESULT = {"declarer_party": [0, 2], "points": [50, 30, 20, 20], "tricks": [3, 2, 2, 1]}


def refused(words, call, error=ValueError):
    with pytest.raises(error, match=re.escape(words)) as caught:
        call()
    assert "incompatible" not in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"points": [60, 30, 20, 20]}, "points: 130 in all, allowed at most 120"),
        ({"tricks": [4, 2, 2, 1]}, "tricks: 9 in all, allowed at most 8"),
        ({"laufende": 20}, "laufende = 20, allowed in RUF: 0, 3, 4"),
        ({"doublings": 9}, "doublings = 9, allowed 0..4"),
        ({"declarer_party": [1, 2]}, "declarer, seat 0, is missing"),
        ({"declarer_party": 3}, "declarer_party: a value of type int came"),
        ({"legen": 10**20}, "legen = 100000000000000000000, allowed 0..4"),
        ({"points": [1.5]}, "points: a value of type float came"),
    ],
)
def test_results_that_no_deal_has_are_not_settled(changed, words):
    assert schafkopf.settle(schafkopf.Outcome(RUF, **RUF_RESULT))["won"]
    refused(words, lambda: schafkopf.settle(schafkopf.Outcome(RUF, **RUF_RESULT | changed)))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "--contract SOLO --declarer 0 --points 61 --laufende 30",
            "--laufende = 30, allowed 0..14",
        ),
        ("--contract WENZ --declarer 0 --points 61 --laufende 9", "--laufende = 9, allowed 0..4"),
        ("--contract SOLO --declarer 0 --points 120 --tricks 4", "120 points in 4 of 8 tricks"),
        ("--deposit", "no Stock"),
    ],
)
def test_the_command_settles_possible_results_only(line, words, capsys):
    assert cli.main(["rules", "settle", *line.split()]) == 2
    assert words in capsys.readouterr().err


HANDS = ["EK SA", "EA E10", "E9 E8", "E7 G7"]


def endgame(called, hands=HANDS, **changed):
    held = {card for hand in hands for card in hand.split()}
    names = [schafkopf.card_name(card) for card in range(32)]
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
    refused("WENZ: called card EA, allowed none", lambda: start("WENZ", called="EA"))
    refused("SOLO: bid = 90, allowed 0", lambda: start("SOLO", bid=90))


def test_actions_are_integers_or_names():
    game = schafkopf.Game(seed=1)
    for action, words in (
        (1.5, "action: a value of type float came"),
        (True, "action: a value of type bool came"),
        (None, "action: a value of type NoneType came"),
        (10**30, f"action = {10**30}, allowed 0..127"),
        (-1, "action = -1, allowed 0..127"),
    ):
        refused(words, lambda action=action: game.apply(action))
    game.apply(np.int32(game.legal_actions()[0]))
    refused("card = 32, allowed 0..31", lambda: schafkopf.card_name(32))


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
        (lambda: schafkopf.Game(seed=-1), "seed = -1, allowed 0..18446744073709551615"),
        (lambda: schafkopf.Game(seed=2**64), "allowed 0..18446744073709551615"),
        (lambda: schafkopf.Game(seed=1, dealer=7), "dealer = 7, allowed -1..3"),
        (lambda: schafkopf.Game(deal=3), "deal: a value of type int came"),
        (lambda: schafkopf.Contract("SOLO", bid=10**12), "bid = 1000000000000, allowed 0..120"),
        (lambda: schafkopf.Contract(3), "name: a value of type int came, allowed: a str"),
        (lambda: schafkopf.RuleSet(3), "preset: a value of type int came, allowed: a str"),
        (lambda: schafkopf.VectorEnv(1.5), "num_envs: a value of type float came"),
        (lambda: schafkopf.VectorEnv(2**40), "num_envs = 1099511627776, allowed"),
        (lambda: schafkopf.VectorEnv(2, seed=-1), "seed = -1, allowed 0..18446744073709551615"),
        (lambda: schafkopf.VectorEnv(2).reset(seed=-1), "seed = -1, allowed"),
        (lambda: schafkopf.Solver(-1), "table_bytes = -1, allowed 65536.."),
        (lambda: schafkopf.Solver(10**15), "table_bytes = 1000000000000000, allowed"),
        (lambda: schafkopf.Session(seed="x"), "seed: a value of type str came"),
        (lambda: schafkopf.Deal.random(1.5), "seed: a value of type float came"),
        (lambda: schafkopf.tournament("rules"), 'agents: the text "rules" came'),
        (lambda: schafkopf.tournament(["rules", "random"], seed=2**63), "below 2^63"),
        (lambda: schafkopf.exploit("random", threads=2000), "threads = 2000, allowed: 0"),
    ],
)
def test_arguments_are_named(call, words):
    refused(words, call)


def test_arguments_of_questions_about_cards_are_named():
    game = schafkopf.Game.with_contract(SOLO, seed=7)
    solver, sampler = schafkopf.Solver(), schafkopf.WorldSampler(game.view(0))
    refused("side: a value of type str came", lambda: solver.points(game, "x"))
    refused("side: a value of type float came", lambda: solver.points(game, [1.5]))
    refused("n: a value of type float came", lambda: sampler.sample(1.5))
    refused("n = 0, allowed 1..", lambda: sampler.sample(0))
    refused(
        "trick: 4 cards, allowed at most 3", lambda: schafkopf.legal("EA", "E7 E8 E9 EK", "RUF")
    )
    refused("E7 comes twice", lambda: schafkopf.legal("EA", "E7 E7", "RUF"))
    refused("EA is in the hand and in the trick", lambda: schafkopf.legal("EA", "EA", "RUF"))
    refused("E7 comes twice", lambda: schafkopf.trick_winner("E7 E7", "RUF"))
    refused("trick: 5 cards", lambda: schafkopf.trick_winner("E7 E8 E9 EK EA", "RUF"))


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


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (failing, KeyError),
        (lambda views: np.ones((len(views), 5), np.float32), ValueError),
        (lambda views: -np.ones((len(views), 128), np.float32), ValueError),
        (lambda views: (np.full((len(views), 128), np.nan), np.zeros(len(views))), ValueError),
        (lambda views: (np.ones((len(views), 128)) / 128, np.zeros(len(views))), ValueError),
        (lambda views: (np.ones((len(views), 3)), np.zeros(len(views))), ValueError),
    ],
)
def test_a_wrong_python_player_is_named_by_the_posterior(answer, error):
    game = schafkopf.Game.with_contract(SOLO, seed=7)
    while len(game.plays) < 17:
        game.apply(game.legal_actions()[0])
    view, player = game.view(game.current_player), Player(answer)
    for _ in range(2):
        with pytest.raises(error):
            schafkopf.ExactPosterior(view, player)
        with pytest.raises(error):
            schafkopf.inferred_worlds(view, player)


def test_the_package_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "schafkopf", "--version"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(schafkopf.__file__).parents[1],
    )
    assert (done.returncode, done.stdout.strip()) == (0, schafkopf.__version__)
