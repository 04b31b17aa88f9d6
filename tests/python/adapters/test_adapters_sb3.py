"""The adapter to Stable-Baselines3: its own check of environments, and what MaskablePPO asks."""

import numpy as np
import pytest

import schafkopf

pytest.importorskip("torch", exc_type=ImportError)
pytest.importorskip("gymnasium")
pytest.importorskip("stable_baselines3")
maskable = pytest.importorskip("sb3_contrib.common.maskable.utils")

import gymnasium  # noqa: E402
from stable_baselines3.common.env_checker import check_env  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor  # noqa: E402

import schafkopf.adapters.gymnasium  # noqa: E402
from schafkopf.adapters.sb3 import SchafkopfVecEnv  # noqa: E402


def test_the_single_environment_passes_check_env_of_sb3():
    tables = gymnasium.make("Schafkopf-v0", opponent="random")
    check_env(tables.unwrapped)


def test_sessions_tell_their_ends_and_are_paid_in_full():
    options = {"rules": "course_002", "session": True, "seed": 3, "opponent": "random"}
    tables = SchafkopfVecEnv(4, **options)
    batch = schafkopf.VectorEnv(4, auto_reset="same_step", learner_seat=0, **options)
    tables.reset(), batch.reset()
    stocks, ends = 0.0, 0
    for _ in range(500):
        actions = batch.action_mask.argmax(axis=1)  # PASS where there is one
        batch.step(actions)
        _, rewards, ended, infos = tables.step(actions)
        assert (rewards == (batch.rewards + batch.stock_rewards)[:, 0]).all()
        for row in np.flatnonzero(ended):
            assert infos[row]["episode"]["r"] == rewards[row]
            assert infos[row]["session_end"] == batch.session_end[row]
        stocks += np.abs(batch.stock_rewards[:, 0]).sum()
        ends += batch.session_end.sum()
    assert ends > 1 and stocks > 0


def test_tables_play_the_deals_of_the_batch():
    tables = SchafkopfVecEnv(8, opponent="random", learner_seat=2, reward_scale=0.5)
    tables.seed(4)
    seen = tables.reset()
    batch = schafkopf.VectorEnv(
        8, opponent="random", learner_seat=2, seed=4, auto_reset="same_step"
    )
    batch.reset()
    rng = np.random.default_rng(1)
    lengths, ended = np.zeros(8, int), 0
    for _ in range(60):
        assert seen in gymnasium.vector.utils.batch_space(tables.observation_space, 8)
        assert (seen == batch.observation).all()
        masks = np.stack(tables.env_method("action_masks"))
        assert (masks == batch.action_mask.astype(bool)).all() and masks.dtype == bool
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        seen, rewards, dones, infos = tables.step(actions)
        batch.step(actions)
        lengths += 1
        assert (rewards == batch.rewards[:, 2] * np.float32(0.5)).all()
        assert (dones == batch.terminated).all() and rewards.dtype == np.float32
        for env, info in enumerate(infos):
            assert ("terminal_observation" in info) == dones[env]
            if dones[env]:
                assert (info["terminal_observation"] == batch.final_observation[env]).all()
                assert info["episode"] == {"r": batch.rewards[env, 2], "l": lengths[env]}
        lengths[dones] = 0
        ended += dones.sum()
    assert ended >= 8


def test_what_the_tables_gave_stays_while_they_go_on():
    tables = SchafkopfVecEnv(8, opponent="random", seed=1)
    given, ends = [tables.reset()], 0
    copies = [given[0].copy()]
    for _ in range(40):
        masks = tables.action_masks()
        seen, _, dones, infos = tables.step(masks.argmax(axis=1))
        ended = [info["terminal_observation"] for info in infos if info]
        given += [masks, seen, dones, *ended]
        copies += [array.copy() for array in (masks, seen, dones, *ended)]
        ends += len(ended)
    assert ends > 1
    assert all((array == copy).all() for array, copy in zip(given, copies, strict=True))


def test_resets_go_on_with_the_deals_of_the_seed_that_was_given():
    tables = SchafkopfVecEnv(3, opponent="random")
    tables.seed(4)
    batch = schafkopf.VectorEnv(3, opponent="random", learner_seat=0, seed=4)
    deals = []
    for _ in range(3):
        deals.append(tables.reset())
        batch.reset()
        assert (deals[-1] == batch.observation).all()
    assert (deals[0] != deals[1]).any() and (deals[1] != deals[2]).any()
    assert len({SchafkopfVecEnv(3).reset().tobytes() for _ in range(2)}) == 2  # without a seed


def test_decisions_are_counted_from_the_last_reset():
    tables = SchafkopfVecEnv(2, start="card_play", generator="heuristic", seed=1)
    tables.reset()
    tables.step(tables.action_masks().argmax(axis=1))
    tables.reset()
    for _ in range(8):
        infos = tables.step(tables.action_masks().argmax(axis=1))[-1]
    assert [info["episode"]["l"] for info in infos] == [8, 8]


def test_attributes_and_methods_are_those_of_the_chosen_tables():
    tables = SchafkopfVecEnv(3, start="card_play", generator="heuristic", seed=1)
    tables.reset()
    tables.set_attr("render_mode", "ansi")
    assert tables.get_attr("render_mode", [0, 2]) == ["ansi", "ansi"]
    assert tables.env_is_wrapped(VecMonitor) == [False] * 3
    masks, texts = tables.action_masks(), tables.env_method("render")
    assert len(set(texts)) == 3 and (masks[0] != masks[2]).any()
    assert tables.env_method("render", indices=[2, 0]) == [texts[2], texts[0]]
    chosen = np.stack(tables.env_method("action_masks", indices=[2, 0]))
    assert (chosen == masks[[2, 0]]).all()


def test_a_rotating_learner_meets_a_player_of_its_own_in_each_seat():
    options = {"learner_seat": "rotate", "start": "card_play", "generator": "heuristic", "seed": 6}
    players = ["rules", "random", "rules"]
    tables = SchafkopfVecEnv(16, opponent=players, **options)
    batch = schafkopf.VectorEnv(16, opponents=players, auto_reset="same_step", **options)
    batch.reset()
    assert (tables.reset() == batch.observation).all()
    met = set()
    for _ in range(32):
        actions = tables.action_masks().argmax(axis=1)
        seats = batch.learner_seat.copy()  # before the step: of the deal that goes on
        seen, rewards, dones, infos = tables.step(actions)
        batch.step(actions)
        assert (seen == batch.observation).all() and rewards.dtype == np.float32
        for env in np.flatnonzero(dones):
            assert rewards[env] == infos[env]["episode"]["r"] == batch.rewards[env, seats[env]]
            met.add(int(seats[env]))
        assert (rewards[~dones] == 0).all()
    assert met == {0, 1, 2, 3}


def test_maskable_algorithms_find_the_masks_also_under_wrappers():
    tables = VecMonitor(SchafkopfVecEnv(3, opponent="random", seed=1))
    tables.reset()
    assert maskable.is_masking_supported(tables)
    assert maskable.get_action_masks(tables).shape == (3, 128)
    env = gymnasium.make("Schafkopf-v0", opponent="random")
    assert maskable.is_masking_supported(DummyVecEnv([lambda: env]))
    _, info = env.reset(seed=1)
    assert (env.get_wrapper_attr("action_masks")() == info["action_mask"]).all()


@pytest.mark.parametrize("options", [{"deal": 3}, [{}, {"deal": 3}]])
def test_options_of_the_next_reset_are_refused_once(options):
    tables = SchafkopfVecEnv(2, opponent="random")
    tables.set_options(options)
    with pytest.raises(ValueError, match=r"unknown options \['deal'\], allowed: none"):
        tables.reset()
    tables.reset()
    tables.set_options({})
    tables.reset()


def test_wrong_options_and_actions_are_named():
    with pytest.raises(TypeError, match="auto_reset cannot be given"):
        SchafkopfVecEnv(2, auto_reset="next_step")
    with pytest.raises(TypeError, match='nearest one is "rules"'):
        SchafkopfVecEnv(2, rulez="research")
    with pytest.raises(ValueError, match="no observation space"):
        SchafkopfVecEnv(2, observation="none")
    tables = SchafkopfVecEnv(2)
    seen = tables.reset()
    illegal = (~tables.action_masks()).argmax(axis=1)
    with pytest.raises(schafkopf.IllegalAction):
        tables.step(illegal)
    assert (tables._games.observation == seen).all()
    with pytest.raises(AttributeError, match='"fly", allowed: action_masks, render'):
        tables.env_method("fly")
    with pytest.raises(ValueError, match="the tables share render_mode"):
        tables.set_attr("render_mode", "ansi", indices=[0])
    tables.close()
    tables.close()
    with pytest.raises(RuntimeError, match="closed"):
        tables.reset()
