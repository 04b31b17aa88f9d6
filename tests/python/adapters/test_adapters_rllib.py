"""The adapter to RLlib under RLlib's own check, and RLlib's action masking on it.

RLlib pins an older Gymnasium, so it has an environment of its own (python/requirements-rllib.txt):
`./run test --full` makes it in build/rllib and runs this file there. SCHAFKOPF_TEST_SCALE=long
trains until PPO is above random players (40 seconds).
"""

import math

import numpy as np
import pytest

import schafkopf

pytest.importorskip("torch", exc_type=ImportError)
pytest.importorskip("ray.rllib", exc_type=ImportError)

import ray
import torch
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from support.examples import LONG, example, gain

from schafkopf.adapters.rllib import SchafkopfEnv

pytestmark = pytest.mark.filterwarnings("ignore")  # what RLlib says about its own parts
OPTIONS = [
    {},
    {"observation": "uint8", "observation_version": 2, "rules": "official_1989"},
    {"rules": {"preset": "research", "players": 3, "deck": "short24"}},
]


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_check_multiagent_environments_passes(options):
    check_multiagent_environments(SchafkopfEnv(options))


def test_deals_are_those_of_the_engine():
    env = SchafkopfEnv({"reward_scale": 2.0, "claim_actions": True})  # as Game has them
    rng = np.random.default_rng(3)
    for deal in range(20):
        seen, _ = env.reset(seed=8 if deal == 0 else None)
        game = env._table.game.copy()
        done = False
        while not done:
            ((agent, shown),) = seen.items()
            assert agent == f"player_{game.current_player}"
            assert shown in env.get_observation_space(agent)
            assert (shown["observations"] == schafkopf.encode(game.view(game.current_player))).all()
            assert (shown["action_mask"] == game.legal_mask()).all()
            action = int(rng.choice(np.flatnonzero(shown["action_mask"])))
            game.apply(action)
            seen, rewards, terminated, truncated, _ = env.step({agent: action})
            done = terminated["__all__"]
            assert (done or rewards == {agent: 0.0}) and not any(truncated.values())
        assert list(rewards.values()) == [2 * amount for amount in game.payoffs()]
        assert set(seen) == set(env.agents) and all(terminated[agent] for agent in env.agents)
        assert set(truncated) == set(terminated)
        for seat, agent in enumerate(env.agents):
            assert (seen[agent]["observations"] == schafkopf.encode(game.view(seat))).all()
        with pytest.raises(ValueError, match=r"the deal is over: reset\(\) comes first"):
            env.step({"player_0": 0})


def test_resets_go_on_with_the_deals_of_the_seed_that_was_given():
    env, batch = SchafkopfEnv(), schafkopf.VectorEnv(1, seed=8)
    shown = []
    for seed in (8, None, None):
        seen, _ = env.reset(seed=seed)
        batch.reset()
        ((agent, first),) = seen.items()
        assert agent == f"player_{batch.current_player[0]}"
        assert (first["observations"] == batch.observation[0]).all()
        shown.append(first["observations"].tobytes())
    assert len(set(shown)) == 3


def test_a_session_goes_on_tells_its_end_and_is_paid_in_full():
    options = {"rules": "course_002", "session": True, "seed": 3}
    env = SchafkopfEnv(options)
    batch = schafkopf.VectorEnv(1, auto_reset="same_step", action_mask=True, **options)
    batch.reset()
    stocks, ends = 0.0, []
    for deal in range(33):
        seen, _ = env.reset()
        done = False
        while not done:
            action = int(batch.action_mask[0].argmax())  # PASS where there is one
            batch.step([action])
            seen, rewards, terminated, _, infos = env.step({next(iter(seen)): action})
            done = terminated["__all__"]
        paid = batch.rewards[0] + batch.stock_rewards[0]
        assert [rewards[agent] for agent in env.agents] == paid.tolist()
        stocks += np.abs(batch.stock_rewards[0]).sum()
        assert infos == {agent: {"session_end": batch.session_end[0]} for agent in env.agents}
        ends += [deal + 1] * bool(batch.session_end[0])
    assert ends == [16, 32]
    assert stocks > 0


def test_an_illegal_action_ends_the_deal_and_wrong_calls_are_named():
    env = SchafkopfEnv({"illegal_reward": -7.0})
    with pytest.raises(ValueError, match=r"reset\(\) comes first"):
        env.step({"player_0": 0})
    with pytest.raises(ValueError, match=r"reset: unknown options \['sede'\], allowed: none"):
        env.reset(options={"sede": 1})
    seen, _ = env.reset(seed=1, options={})
    ((agent, shown),) = seen.items()
    other = next(name for name in env.agents if name != agent)
    with pytest.raises(ValueError, match=f"allowed: of {agent} alone"):
        env.step({other: 0})
    with pytest.raises(schafkopf.IllegalAction, match=r"actions are 0\.\.127"):
        env.step({agent: 128})
    illegal = int(shown["action_mask"].argmin())
    _, rewards, terminated, _, infos = env.step({agent: illegal})
    assert rewards[agent] == -7.0 and rewards[other] == 0.0 and terminated["__all__"]
    assert "legal" in infos[agent]["illegal_action"]
    with pytest.raises(TypeError, match="opponent cannot be given"):
        SchafkopfEnv({"opponent": "rules"})
    with pytest.raises(TypeError, match='nearest one is "rules"'):
        SchafkopfEnv({"rulez": "research"})


@pytest.mark.parametrize(
    ("options", "fine"),
    [
        ({}, -3120.0),
        ({"rules": "official_1989_full"}, -706_560.0),
        ({"rules": "course_002", "session": True, "illegal_reward": -7.0}, -7.0),
    ],
)
def test_an_illegal_action_costs_what_its_rules_say_and_the_deal_is_over(options, fine):
    given = {"reward_scale": 0.5, **options}
    env = SchafkopfEnv(given)
    assert given == {"reward_scale": 0.5, **options}  # RLlib makes other environments of it
    ((agent, shown),) = env.reset(seed=1)[0].items()
    illegal = int(shown["action_mask"].argmin())
    _, rewards, _, _, infos = env.step({agent: illegal})
    assert rewards == dict.fromkeys(env.agents, 0.0) | {agent: fine / 2}
    assert infos[agent].get("session_end", False) is options.get("session", False)
    with pytest.raises(ValueError, match=r"the deal is over: reset\(\) comes first"):
        env.step({agent: int(shown["action_mask"].argmax())})


def test_a_table_is_shown_until_it_is_closed():
    env = SchafkopfEnv()
    env.reset(seed=1)
    assert " to act, legal: " in env.render()
    env.close()
    env.close()
    with pytest.raises(RuntimeError, match="closed"):
        env.reset()


def test_an_env_runner_plays_masked_deals_to_their_end():
    config = example("rllib_ppo").config().env_runners(num_envs_per_env_runner=1)
    runner = MultiAgentEnvRunner(config=config)
    episodes = runner.sample(num_episodes=6, random_actions=False)
    assert len(episodes) == 6
    for episode in episodes:
        assert episode.is_terminated and episode.env_t == 32
        returns = [episode.agent_episodes[agent].get_return() for agent in episode.agent_ids]
        assert sum(returns) == pytest.approx(0, abs=1e-4)
        for agent in episode.agent_ids:
            steps = episode.agent_episodes[agent]
            masks, actions = steps.get_observations()["action_mask"][:-1], steps.get_actions()
            assert len(masks) == len(actions) == 8
            assert masks[np.arange(8), actions].all()
    runner.stop()


@pytest.fixture
def one_processor():
    """Ray for this process alone, and no waiting for a second processor that is busy."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    example("rllib_ppo").start_ray()
    yield
    ray.shutdown()
    torch.set_num_threads(before)


def test_ppo_learns_in_self_play(one_processor):
    ppo = example("rllib_ppo")
    algorithm = ppo.config(seed=1).build_algo()
    module = algorithm.get_module(ppo.POLICY)
    before = {name: weight.clone() for name, weight in module.named_parameters()}
    updates = 8 if LONG else 1
    rows = list(ppo.train(algorithm, iterations=updates))
    assert [row["decisions"] for row in rows] == [8192 * (update + 1) for update in range(updates)]
    assert all(math.isfinite(number) for row in rows for number in row.values())
    same = [name for name, weight in module.named_parameters() if weight.equal(before[name])]
    assert not same, f"not learned: {same}"
    if LONG:
        mean, half = gain(ppo.Network(module).choose)
        assert mean > half, f"{mean:+.2f} +- {half:.2f} points per game above random"
    algorithm.stop()
