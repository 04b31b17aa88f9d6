"""Games as values: the seed of a deal and the actions since, in arrays."""

import numpy as np
import pytest

import schafkopf
from schafkopf import _core

STOCK = {"preset": "official_1989", "all_pass": "stock"}


def arrays(games, number, seed=1):
    rng = np.random.default_rng(seed)
    return {
        "seeds": rng.integers(0, 2**63, number).astype(np.uint64),
        "actions": np.zeros((number, games.longest), np.uint8),
        "counts": np.zeros(number, np.int32),
        "seats": np.full(number, -1, np.int32),
    }


def paid_in(game):
    """What each seat got and paid, from and into the Stock too, once the game is over."""
    if not game.is_terminal:
        return [0.0] * 4
    settled = schafkopf.settlement.game_settlement(game)
    return [sum(paid) for paid in zip(settled["payoffs"], settled["stock_payoffs"], strict=True)]


@pytest.mark.parametrize("generator", [None, "heuristic"])
@pytest.mark.parametrize("rules", ["research", "wikipedia_extended", "official_1989", STOCK])
def test_rows_show_what_the_game_shows(rules, generator):
    games = _core.ReplayedGames(rules, generator)
    given = arrays(games, 32)
    rng = np.random.default_rng(2)
    for _ in range(games.longest + 1):
        shown = games.show(**given)
        for i in range(32):
            done = given["actions"][i, : given["counts"][i]]
            game = games.game(int(given["seeds"][i]), done.tolist())
            seat = int(shown["current_player"][i])
            assert shown["views"][i] == game.view(seat)
            assert bool(shown["terminated"][i]) == game.is_terminal
            assert game.is_terminal or seat == game.current_player
            assert game.dealer == int(given["seeds"][i]) % 4
            assert shown["rewards"][i].tolist() == paid_in(game)
        live = shown["terminated"] == 0
        if not live.any():
            break
        legal = np.where(live[:, None], shown["legal"], np.uint64(1))
        chosen = schafkopf.sample(np.zeros((32, 128), np.float32), legal, rng)
        given["actions"][live, given["counts"][live]] = chosen[live]
        given["counts"][live] += 1
    assert not live.any() and shown["rewards"].any(axis=1).sum() > 3


def test_what_is_not_legal_ends_the_actions():
    games = _core.ReplayedGames()
    legal = games.game(5, []).legal_actions()
    wrong = next(a for a in range(128) if a not in legal)
    for actions in ([wrong], [wrong, legal[0]], [255, legal[0]]):
        given = arrays(games, 1)
        given["seeds"][0] = 5
        given["actions"][0, : len(actions)] = actions
        given["counts"][0] = len(actions)
        game = games.game(5, [])
        assert games.show(**given)["views"][0] == game.view(game.forehand)
    assert games.game(5, [legal[0], wrong, legal[0]]) == games.game(5, [legal[0]])


def test_counts_out_of_range_do_no_harm():
    games = _core.ReplayedGames()
    given = arrays(games, 3)
    plain = games.show(**given)
    given["counts"][:] = [-5, 2**31 - 1, 0]
    given["actions"][1] = 255
    assert (games.show(**given)["views"] == plain["views"]).all()


@pytest.mark.parametrize("seat", [-9, 99, 4])
def test_a_seat_that_there_is_not_is_refused_with_its_place(seat):
    games = _core.ReplayedGames()
    given = arrays(games, 3)
    given["seats"][1] = seat
    with pytest.raises(ValueError, match=rf"seats\[1\] = {seat}, allowed: -1\.\.3"):
        games.show(**given)


def test_no_games_are_no_rows():
    games = _core.ReplayedGames()
    assert games.show(**arrays(games, 0))["views"].shape == (0,)
    with pytest.raises(
        ValueError, match=r"actions: uint8 \[2, 52\] came, allowed: uint8 \[0, 52\]"
    ):
        games.show(**arrays(games, 0) | {"actions": arrays(games, 2)["actions"]})


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("seeds", np.zeros(2, np.int64), r"seeds: int64 \[2\] came, allowed: uint64 \[B\]"),
        ("seeds", [1, 2], r"seeds: list came, allowed: uint64 \[B\]"),
        (
            "seeds",
            np.zeros((2, 1), np.uint64),
            r"seeds: uint64 \[2, 1\] came, allowed: uint64 \[B\]",
        ),
        (
            "actions",
            np.zeros(104, np.uint8),
            r"actions: uint8 \[104\] came, allowed: uint8 \[2, 52\]",
        ),
        ("actions", np.zeros((2, 3), np.uint8), r"actions: .*, allowed: uint8 \[2, 52\]"),
        ("counts", np.zeros(3, np.int32), r"counts: int32 \[3\] came, allowed: int32 \[2\]"),
        ("seats", None, r"seats: NoneType came, allowed: int32 \[2\]"),
        ("seats", np.ma.array(np.zeros(2, np.int32), mask=[0, 1]), "seats: a masked array"),
    ],
)
def test_wrong_arrays_are_named(name, value, words):
    games = _core.ReplayedGames()
    with pytest.raises(ValueError, match=words):
        games.show(**arrays(games, 2) | {name: value})
