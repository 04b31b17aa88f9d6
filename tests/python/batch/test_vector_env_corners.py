"""Batches at their edges: rows that ended, ends of sessions, games and deals that do not fit."""

import copy

import numpy as np
import pytest

import schafkopf

STOCK = {"all_pass": "stock", "session_rounds": 2, "participation_bonus": 30}
PASS = schafkopf.actions.parse_action("PASS")


class Lowest:
    """Plays the lowest legal action; there is one in every row that it is asked about."""

    def act(self, views):
        mask = schafkopf.legal_mask(views)
        assert mask.any(axis=1).all()
        return mask.argmax(axis=1)


@pytest.mark.parametrize("cards", ["absolute", "canonical"])
def test_a_player_of_python_is_asked_about_rows_with_a_decision_only(cards):
    env = schafkopf.VectorEnv(16, view_lines=True, cards=cards, seed=1)
    env.reset()
    ended = 0
    for _ in range(200):
        actions = env.agent_actions(Lowest())
        over = env.current_player < 0
        assert (actions[over] == PASS).all()
        ended += int(over.sum())
        chosen = np.arange(16) % 2 == 0
        assert (env.agent_actions(Lowest(), chosen)[~chosen] == 0).all()
        env.step(actions)
    assert ended > 0


def test_info_is_a_dict_of_its_own_each_time():
    env = schafkopf.VectorEnv(2)
    _, info = env.reset()
    names = set(info)
    for _ in range(2):  # of reset, and of step
        del info["legal"]
        info["mine"] = 1
        info = env.step(env.random_actions())[4]
        assert set(info) == names


def test_info_has_what_the_docstring_of_step_names():
    names = {"action_mask", "legal", "current_player", "phase", "episode_return"}
    learner = {"final_obs", "learner_seat", "episode_learner_seat"}
    played = {"learner_seat": 0, "opponent": "random"}
    for options, added in (
        ({}, set()),
        (played, learner),
        ({"session": True}, {"session_end"}),
        (played | {"session": True}, learner | {"session_end"}),
    ):
        env = schafkopf.VectorEnv(2, **options)
        for info in (env.reset()[1], env.step(env.random_actions())[4]):
            assert set(info) == names | added
            for name, array in info.items():
                assert array is getattr(env, {"final_obs": "final_observation"}.get(name, name))


def test_steps_below_zero_are_refused():
    env = schafkopf.VectorEnv(2)
    with pytest.raises(ValueError, match=r"steps = -5, allowed: integer 0\.\.2147483647"):
        env.step_random(-5)


def test_a_game_with_a_stock_that_the_rules_lack_is_copied_at_its_end_too():
    rules = schafkopf.RuleSet("research", all_pass="ramsch")
    env = schafkopf.VectorEnv(1, rules=rules)
    contract = {"class": "RUF", "called": "EA", "declarer": 0}
    hands = [schafkopf.Deal.random(seed).hands for seed in range(200)]
    for cards in hands:
        try:
            game = schafkopf.Game.with_contract(
                contract, rules, deal=cards, context=schafkopf.games.DealContext(stock=500)
            )
            break
        except ValueError:  # he cannot call it
            continue
    env.set_game(0, game)
    while not env.terminated[0]:
        env.step(env.random_actions())
    assert env.stock_rewards is None
    assert (copy.deepcopy(env).rewards == env.rewards).all()


def test_fixed_deals_and_a_triggered_round_that_deals_otherwise_are_refused():
    rules = schafkopf.RuleSet("research", special_round_triggers={"ALL_PASS": "teufel"})
    deals = [schafkopf.Deal.random(1)]
    with pytest.raises(ValueError, match="fixed deals with special_round_triggers of teufel"):
        schafkopf.VectorEnv(2, rules=rules, session=True, deals=deals)
    schafkopf.VectorEnv(2, rules=rules, deals=deals)  # without sessions nothing is triggered


def test_all_that_a_session_pays_of_the_stock_stands_in_the_rows():
    rules = schafkopf.RuleSet("research", **STOCK)
    env = schafkopf.VectorEnv(1, rules=rules, session=True, seed=5)
    env.reset()
    session = schafkopf.Session(rules, seed=5)
    paid, of_stock = np.zeros(4), []
    while not session.is_over:
        game = session.next_game()
        passes = len(of_stock) % 2 == 0  # every other deal is thrown in
        while not game.is_terminal:
            drawn = int(env.random_actions()[0])
            action = PASS if passes and PASS in game.legal_actions() else drawn
            game.apply(action)
            env.step([action])
        session.finish(game)
        paid += env.rewards[0] + env.stock_rewards[0]
        of_stock.append(env.stock_rewards[0].tolist())
        assert bool(env.session_end[0]) is session.is_over
        copy = schafkopf.VectorEnv(1, rules=rules, session=True)
        copy.restore(env.snapshot())
        assert (copy.stock_rewards == env.stock_rewards).all()
        env.step([PASS])
    assert min(of_stock[0]) < 0 < min(of_stock[-1])  # paid in, and shared at the end
    bonus = [rules.participation_bonus] * 4  # in the session's account alone
    assert (paid + bonus).tolist() == session.totals


def test_random_actions_write_into_no_array_that_is_read_only():
    env = schafkopf.VectorEnv(2)
    env.reset()
    out = np.zeros(2, np.int32)
    out.setflags(write=False)
    with pytest.raises(ValueError, match=r"out: int32 \[2\] came, allowed: .* can be written"):
        env.random_actions(out)
    assert not out.any()


def test_the_version_of_rows_is_called_as_its_argument():
    env = schafkopf.VectorEnv(1, view_lines=True)
    env.reset()
    with pytest.raises(ValueError, match=r"version = 0, allowed: integer 1\.\.4") as caught:
        schafkopf.encode(env.views(), version=0)
    assert "observation_version" not in str(caught.value)
