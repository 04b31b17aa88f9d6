"""Why an action is illegal: parts of a refusal, and the exception that carries it."""

import pickle

import numpy as np
import pytest

import schafkopf

HANDS = [
    "SO HA H10 HK H9 EK GK S10",
    "GU HU H7 EA E10 G9 G7 SA",
    "EO GO HO SU H8 E9 E7 G10",
    "EU E8 GA G8 SK S9 S8 S7",
]
RUF_GA = {"class": "RUF", "called": "GA", "declarer": 2}
PLAY = next(number for number in range(23) if schafkopf.actions.phase_name(number) == "PLAY")


def test_a_refusal_says_in_parts_why_an_action_is_illegal():
    game = schafkopf.Game.with_contract(RUF_GA, deal=HANDS, dealer=3)
    for card in ("GK", "G7", "G10"):
        game.apply(card)
    assert game.refusal("GA") is None and game.why_illegal("GA") == ""
    refusal = game.refusal("G8")
    assert (refusal.seat, refusal.phase) == (3, "PLAY")
    assert (refusal.ground, refusal.rule) == ("searched", "R-115")
    assert refusal.action == schafkopf.actions.parse_action("G8")
    assert refusal.legal == game.legal_actions()
    assert refusal.reason == "the called card GA is searched" and refusal.cards == ["GA"]
    assert str(refusal) == game.why_illegal("G8")
    assert game.refusal("PASS").ground == "no_answer"


PARTS = ("seat", "phase", "action", "ground", "reason", "rule", "cards", "legal")


def test_an_illegal_action_raises_its_refusal():
    game = schafkopf.Game.with_contract(RUF_GA, deal=HANDS, dealer=3)
    before = game.serialize()
    with pytest.raises(schafkopf.IllegalAction) as caught:
        game.apply("PASS")
    error, refusal = caught.value, game.refusal("PASS")
    assert isinstance(error, ValueError) and str(error) == str(refusal)
    assert [getattr(error, part) for part in PARTS] == [getattr(refusal, part) for part in PARTS]
    assert error.env is None and game.serialize() == before
    again = pickle.loads(pickle.dumps(error))
    assert (again.rule, again.legal, str(again)) == (error.rule, error.legal, str(error))


@pytest.mark.parametrize("cards", ["absolute", "canonical"])
def test_an_illegal_action_of_a_batch_names_its_row(cards):
    env = schafkopf.VectorEnv(3, rules="research", seed=1, cards=cards)
    env.reset()
    while env.phase[1] != PLAY or env.action_mask[1, :32].sum() == 8:
        env.step(env.random_actions())
    actions = env.random_actions()
    actions[1] = np.flatnonzero(env.action_mask[1, :32] == 0)[0]
    with pytest.raises(schafkopf.IllegalAction) as caught:
        env.step(actions)
    error = caught.value
    assert (error.env, error.seat, error.phase) == (1, env.current_player[1], "PLAY")
    assert error.action == actions[1] and error.reason in str(error)
    assert error.legal == list(np.flatnonzero(env.action_mask[1]))
    actions[1] = -7
    with pytest.raises(schafkopf.IllegalAction) as caught:
        env.step(actions)
    assert (caught.value.action, caught.value.ground) == (-7, "no_action")


def test_a_claim_that_is_switched_off_is_masked():
    env = schafkopf.VectorEnv(1, seed=1)
    env.reset()
    while "CONCEDE_REST" not in env.get_game(0).legal_names():
        env.step(env.random_actions())
    with pytest.raises(schafkopf.IllegalAction, match="claim_actions = false") as caught:
        env.step([schafkopf.actions.parse_action("CONCEDE_REST")])
    assert caught.value.ground == "masked"
    assert caught.value.action not in caught.value.legal
