"""Objects that do something while they are read: grow, change their dict, raise, go in circles."""

import gc
import itertools
import pathlib
import weakref

import numpy as np
import pytest

import schafkopf
from schafkopf import _core


class Index:
    """An integer that does something when it is asked for its number."""

    def __init__(self, run):
        self.run = run

    def __index__(self):
        self.run()
        return 1


def interrupted():
    raise KeyboardInterrupt


class Interrupted:
    def __array__(self, *_, **__):
        raise KeyboardInterrupt


class bool_:  # by this name values are taken for those of NumPy
    def __bool__(self):
        raise ZeroDivisionError


def test_a_list_that_is_longer_than_it_says_is_refused():
    class Longer(list):
        def __len__(self):
            return 4

    result = {"points": [30] * 4, "tricks": [2] * 4}
    with pytest.raises(ValueError, match="highest_trump"):
        schafkopf.settlement.Outcome("RAMSCH", highest_trump=Longer([None] * 100_000), **result)


def test_a_dict_that_is_changed_by_its_values_is_read_as_it_was():
    for number in range(50):
        changed = {}

        def clear(changed=changed):
            changed.clear()
            _ = [f"x{i}" * 3 for i in range(2000)]

        for key in range(3):
            changed["".join(["a_long_key_", str(number), str(key)])] = Index(clear)
        with pytest.raises(ValueError, match="num_threads"):
            schafkopf.VectorEnv(2, num_threads={"a": changed})


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step(Interrupted()),
        lambda env: env.step([Index(interrupted), 0]),
        lambda env: schafkopf.Contract("SOLO", suit="E", declarer=Index(interrupted)),
        lambda env: schafkopf.Game(seed=Index(interrupted)),
        lambda env: env.step_random(Index(interrupted)),
    ],
)
def test_ctrl_c_while_an_argument_is_read_is_no_wrong_argument(call):
    env = schafkopf.VectorEnv(2)
    env.reset()
    before = env.snapshot()
    with pytest.raises(KeyboardInterrupt):
        call(env)
    assert env.snapshot() == before


@pytest.mark.parametrize(
    "call",
    [
        lambda: schafkopf.RuleSet("research", tout_enabled=bool_()),
        lambda: schafkopf.Contract("SOLO", suit="E", tout=bool_()),
        lambda: schafkopf.VectorEnv(2, session=bool_()),
    ],
)
def test_what_a_truth_value_raises_passes_on(call):
    with pytest.raises(ZeroDivisionError):
        call()


class Player:
    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)


def late_posterior(player):
    game = schafkopf.Game.with_contract({"class": "SOLO", "suit": "H", "declarer": 0}, seed=3)
    while len(game.plays) < 24 or game.phase != "PLAY":
        game.apply(next(action for action in game.legal_actions() if action not in (57, 58)))
    return schafkopf.search.ExactPosterior(game.view(game.current_player), player, floor=0.01)


@pytest.mark.parametrize(
    "keep", [_core.make_agent, _core.EngineSession, late_posterior], ids=lambda keep: keep.__name__
)
def test_a_player_that_holds_what_asks_it_is_collected(keep):
    player = Player()
    player.kept = keep(player)
    gone = weakref.ref(player)
    del player
    gc.collect()
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: schafkopf.Deal(itertools.repeat(["EA"])),
        lambda: schafkopf.Game(deal=itertools.repeat(["EA"])),
        lambda: schafkopf.Game.with_contract("RAMSCH", laid=itertools.repeat(0)),
        lambda: schafkopf.Game.with_contract("RAMSCH", exchange=itertools.repeat((0, 1, ["EA"]))),
        lambda: _core.ReplayedGames().game(1, itertools.repeat(0)),
    ],
)
def test_a_list_without_an_end_is_refused_by_name(call):
    with pytest.raises(
        ValueError, match=r"^(hands|deal|laid|exchange|actions): more than \d+ elements, allowed: "
    ):
        call()


def test_arrays_that_hide_entries_are_refused_wherever_they_are_read():
    view = schafkopf.Game(seed=1).view(0)
    views, hidden = np.array([view]), "a masked array that hides entries came, allowed: "
    masks = np.ma.array(np.ones((1, 128)), mask=True)
    with pytest.raises(ValueError, match=f"masks: {hidden}"):
        schafkopf.cards.mask_to_canonical(masks, views)
    with pytest.raises(ValueError, match=f"actions: {hidden}"):
        schafkopf.cards.to_canonical(np.ma.array([0, 1], mask=[1, 0]), 1)
    with pytest.raises(ValueError, match=f"views: {hidden}"):
        _core.encode(np.ma.array(views, mask=True))
    assert (_core.encode(np.ma.array(views)) == _core.encode(views)).all()  # hides none


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: schafkopf.encode(schafkopf.Game(seed=1).view(0), dtype=np.int64), "dtype"),
        (lambda: schafkopf.RuleSet(players=np.int64), "players"),
        (lambda: schafkopf.Game(seed=1).apply(np.int64), "action"),
        (lambda: schafkopf.cards.card_name(np.int64), "card"),
        (lambda: schafkopf.Game(pathlib.Path, seed=1), "rules"),
    ],
)
def test_a_class_as_value_is_refused_by_the_arguments_name(call, name):
    with pytest.raises(ValueError, match=rf"{name}.* (a value of type type|type came), allowed: "):
        call()


def test_one_number_as_hands_is_refused_by_name():
    solo = schafkopf.Contract("SOLO", declarer=0, suit="H")
    with pytest.raises(ValueError, match="hands = 1, allowed: list of cards for each seat"):
        schafkopf.Game.from_position(solo, hands=np.array(1), leader=0)
    with pytest.raises(ValueError, match="hands: more than 4 seats"):
        schafkopf.Game.from_position(solo, hands=[["EA"]] * 5, leader=0)
    with pytest.raises(ValueError, match="name: a text that UTF-8 cannot write"):
        _core.preset_title("\udc80")
