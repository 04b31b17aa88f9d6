"""The adapter to PettingZoo under PettingZoo's own tests."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import schafkopf

pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

with warnings.catch_warnings():  # the suite imports a game of its own in a way that it calls old
    warnings.filterwarnings("ignore", "The old environment creation API", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test
    from pettingzoo.utils.conversions import aec_to_parallel

from schafkopf.adapters import pettingzoo as adapter

# The suite knows by a list of names which environments have observations with masks.
KNOWN_NAMES = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
)
THREE = {"preset": "research", "players": 3, "deck": "short24"}
OPTIONS = [
    {},
    {"rules": "official_1989", "observation": "uint8", "observation_version": 2},
    {"start": "card_play", "generator": "heuristic", "cards": "canonical"},
]


@pytest.fixture
def suite():
    with warnings.catch_warnings():
        for text in KNOWN_NAMES:
            warnings.filterwarnings("ignore", text)
        yield


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_api(options, suite, capsys):
    api_test(adapter.env(**options), num_cycles=200)
    assert "Passed API test" in capsys.readouterr().out


def test_a_session_goes_on_from_reset_to_reset_and_is_paid_in_full():
    options = {"rules": "course_002", "session": True, "seed": 3}
    env = adapter.raw_env(**options)
    batch = schafkopf.VectorEnv(1, auto_reset="same_step", action_mask=True, **options)
    batch.reset()
    stocks, ends = 0.0, []
    for deal in range(33):
        env.reset()
        assert not any(env.infos.values())
        while env.agents and not any(env.terminations.values()):
            action = batch.action_mask[0].argmax()  # PASS where there is one
            batch.step([action])
            env.step(action)
        paid = batch.rewards[0] + batch.stock_rewards[0]
        assert [env.rewards[agent] for agent in env.possible_agents] == paid.tolist()
        stocks += np.abs(batch.stock_rewards[0]).sum()
        assert {info["session_end"] for info in env.infos.values()} == {bool(batch.session_end[0])}
        ends += [deal + 1] * bool(batch.session_end[0])
    assert ends == [16, 32]
    assert stocks > 0


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_seeds(options):
    seed_test(lambda: adapter.env(**options), num_cycles=100)


def test_render_modes(capsys):
    pytest.importorskip("matplotlib")
    render_test(adapter.env)
    assert "AUCTION_ROUND: seat 0 to act" in capsys.readouterr().out
    with pytest.raises(ValueError, match='render_mode = "window", allowed: human, ansi'):
        adapter.env(render_mode="window")


def test_a_person_sees_the_deal_and_the_game_after_every_action(capsys):
    env = adapter.env(render_mode="human", start="card_play", generator="heuristic", seed=1)
    env.reset()
    table = env.unwrapped._table
    for _ in range(3):
        assert capsys.readouterr().out == table.text() + "\n"
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert capsys.readouterr().out and env.render() is None


def test_a_picture_of_no_mode_is_warned_of():
    env = adapter.raw_env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match=r"without a render_mode shows nothing: give one to env"):
        assert env.render() is None


def play(env, rng):
    """Play a deal; return (seats, actions) and the rewards of the agents at the end."""
    steps, rewards = [], {}
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        assert not truncated
        if terminated:
            rewards[agent] = reward
            env.step(None)
            continue
        assert reward == 0
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        steps.append((agent, action))
        env.step(action)
    return steps, rewards


def test_games_and_payoffs_are_those_of_the_engine():
    env = adapter.env()
    rng = np.random.default_rng(3)
    for deal in range(20):
        env.reset(seed=8 if deal == 0 else None)
        game = env.unwrapped._table.game.copy()
        steps, rewards = play(env, rng)
        for agent, action in steps:
            assert agent == f"player_{game.current_player}"
            game.apply(action)
        assert list(rewards.values()) == [pytest.approx(amount) for amount in game.payoffs()]
        assert list(rewards) == env.possible_agents and not env.agents


def test_resets_go_on_with_the_deals_of_the_seed_that_was_given():
    env, batch = adapter.env(), schafkopf.VectorEnv(1, seed=8)
    shown = []
    for seed in (8, None, None):
        env.reset(seed=seed)
        batch.reset()
        first = env.observe(env.agent_selection)["observation"]
        assert (first == batch.observation[0]).all()
        shown.append(first.tobytes())
    assert len(set(shown)) == 3


@pytest.mark.parametrize("cards", ["absolute", "canonical"])
def test_an_agent_observes_what_its_seat_may_know(cards):
    options = {"start": "card_play", "generator": "heuristic", "claim_actions": True}
    env = adapter.env(cards=cards, **options)
    env.reset(seed=5)
    game = env.unwrapped._table.game.copy()
    for seat, agent in enumerate(env.agents):
        seen = env.observe(agent)
        assert (seen["observation"] == schafkopf.encode(game.view(seat), cards=cards)[0]).all()
        assert seen["action_mask"].any() == (seat == game.current_player)
        assert seen in env.observation_space(agent)


def until_the_end(env):
    """Play a deal to its end by the lowest legal actions, without the last steps of its agents."""
    while not all(env.terminations.values()):
        table = env.unwrapped._table
        assert env.agent_selection == table.acting
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))


def test_the_mask_of_a_deal_that_is_over_holds_pass_alone():
    env = adapter.env()
    env.reset(seed=1)
    until_the_end(env)
    for agent in env.agents:
        masked = np.flatnonzero(env.observe(agent)["action_mask"])
        assert [schafkopf.actions.action_name(int(action)) for action in masked] == ["PASS"]


def test_what_an_agent_observed_stays():
    env = adapter.env()
    env.reset(seed=1)
    seen = env.observe(env.agent_selection)
    then = {key: array.copy() for key, array in seen.items()}
    until_the_end(env)
    assert all((seen[key] == then[key]).all() for key in seen)


def test_a_list_of_rules_is_shown_as_the_one_that_is_chosen():
    both = ["research", "official_1989_full"]
    chosen, alone = adapter.env(rules=both, rule_index=[1]), adapter.env(rules=both[1])
    for env in (chosen, alone):
        env.reset(seed=1)
    for agent in alone.agents:
        of_both = (env.observe(agent)["observation"] for env in (chosen, alone))
        assert np.array_equal(*of_both)


def test_three_players_are_three_agents():
    env = adapter.env(rules=THREE)
    env.reset(seed=1)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    _, rewards = play(env, np.random.default_rng(1))
    assert len(rewards) == 3


def test_a_first_reset_without_a_seed_draws_one():
    shown = set()
    for _ in range(4):
        env = adapter.env()
        env.reset()
        shown.add(env.observe("player_0")["observation"].tobytes())
    assert len(shown) == 4


def test_every_agent_has_a_space_of_actions_and_infos_of_its_own():
    env = adapter.env()
    env.reset(seed=1)
    for seed, agent in enumerate(env.agents):
        assert env.action_space(agent) is env.action_space(agent)
        env.action_space(agent).seed(seed)
        env.infos[agent]["of"] = agent
    drawn = [env.action_space(agent).sample() for agent in env.agents]
    alone = schafkopf.VectorEnv(1).single_action_space
    for seed, action in enumerate(drawn):
        alone.seed(seed)
        assert action == alone.sample()
    assert [info["of"] for info in env.infos.values()] == env.agents
    for space in (env.observation_space, env.action_space):
        with pytest.raises(KeyError, match="player_9"):
            space("player_9")


def test_a_seat_that_waits_observes_the_rules_that_are_played():
    rules = "official_1989_full"
    env = adapter.env(rules=rules)
    env.reset(seed=1)
    game = env.unwrapped._table.game
    for seat, agent in enumerate(env.agents):
        wanted = schafkopf.encode(game.view(seat), rules)[0]
        assert (env.observe(agent)["observation"] == wanted).all()


def test_what_is_over_takes_no_action_and_tells_of_no_session():
    env = adapter.env()
    assert env.unwrapped.agents == []  # until reset
    env.reset(seed=1)
    until_the_end(env)
    assert not any(env.infos.values())
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(0)
    assert len(env.agents) == 4
    env.step(None)
    assert env.agents == ["player_1", "player_2", "player_3"]


def test_a_table_whose_seats_act_in_turn_is_not_parallel():
    with pytest.raises(AssertionError, match="Parallel environment"):
        aec_to_parallel(adapter.env())


def test_a_table_pickles_and_copies():
    env = adapter.raw_env(rules="official_1989", cards="canonical")
    env.reset(seed=3)
    for _ in range(3):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    for other in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        alone = copy.deepcopy(env)
        rngs = np.random.default_rng(1), np.random.default_rng(1)
        for _ in range(2):  # the deals after it are the same as well
            assert play(other, rngs[0]) == play(alone, rngs[1])
            assert not other.agents
            other.reset(), alone.reset()


def test_wrong_actions_and_options_are_named():
    env = adapter.env()
    with pytest.raises(Exception, match="reset"):
        env.step(0)  # the wrapper of PettingZoo says that reset comes first
    env.reset(seed=1)
    mask = env.observe(env.agent_selection)["action_mask"]
    with pytest.raises(schafkopf.IllegalAction):
        env.step(int(np.flatnonzero(mask == 0)[0]))
    env.step(int(np.flatnonzero(mask)[0]))  # nothing was stepped before
    with pytest.raises(ValueError, match=r"action: 1\.5 came, allowed: one integer"):
        env.step(1.5)
    with pytest.raises(ValueError, match="agent = 'player_9', allowed: player_0, player_1"):
        env.observe("player_9")
    with pytest.raises(TypeError, match="opponent cannot be given"):
        adapter.env(opponent="rules")
    with pytest.raises(TypeError, match='nearest one is "rules"'):
        adapter.env(rulez="research")


def test_a_closed_table_is_closed():
    env = adapter.env()
    env.reset(seed=1)
    env.close()
    env.close()
    for call in (lambda: env.step(0), lambda: env.observe("player_0"), env.reset):
        with pytest.raises(RuntimeError, match="closed"):
            call()
