"""The adapter to Gymnasium under Gymnasium's own checks and the conformance test."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import schafkopf

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env, data_equivalence  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

from schafkopf.adapters.conformance import check_vector_env  # noqa: E402
from schafkopf.adapters.gymnasium import (  # noqa: E402
    SchafkopfEnv,
    SchafkopfVectorEnv,
    register,
)

IDS = ["Schafkopf-v0", "SchafkopfCardPlay-v0"]
MODES = list(AutoresetMode)


def play_out(env, rng, seed=None):
    """Play a deal by random legal actions; return (reward, steps)."""
    _, info = env.reset(seed=seed)
    for steps in range(1, 100):
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        _, reward, terminated, truncated, info = env.step(action)
        assert not truncated
        if terminated:
            return reward, steps
    raise AssertionError("a deal of more than 99 decisions")


# The rules of a course that play for a Stock, in sessions of 16 deals.
SESSION = {"rules": "course_002", "session": True, "seed": 3, "opponent": "random"}


def legal_or_pass(masks):
    """Return the lowest legal action of each row: who may pass passes, so that there is a Stock."""
    return masks.argmax(axis=1)


def test_a_session_goes_on_from_reset_to_reset_and_is_paid_in_full():
    env = SchafkopfEnv(**SESSION)
    batch = schafkopf.VectorEnv(1, auto_reset="same_step", learner_seat=0, **SESSION)
    env.reset(), batch.reset()
    stocks, ends, deals = 0.0, [], 0
    while len(ends) < 3:
        action = legal_or_pass(batch.action_mask)
        _, _, ended, _, _ = batch.step(action)
        _, reward, terminated, _, info = env.step(action[0])
        assert terminated == ended[0] and info["session_end"] == batch.session_end[0]
        if not terminated:
            continue
        deals += 1
        assert reward == float(batch.rewards[0, 0]) + float(batch.stock_rewards[0, 0])
        stocks += abs(float(batch.stock_rewards[0, 0]))
        if info["session_end"]:
            ends.append(deals)
        _, info = env.reset()
        assert not info["session_end"]
    assert ends == [16, 32, 48]
    assert stocks > 0


# The seed that the first reset draws is that of the session: another one would begin it anew
def test_a_session_without_a_seed_goes_on_too():
    env = SchafkopfEnv(**{key: value for key, value in SESSION.items() if key != "seed"})
    rng, dealers = np.random.default_rng(1), []
    for _ in range(3):
        play_out(env, rng)
        dealers.append(env._env.get_game(0).dealer)
    assert [(dealer - dealers[0]) % 4 for dealer in dealers] == [0, 1, 2]


@pytest.mark.parametrize("mode", MODES)
def test_sessions_of_a_batch_tell_their_ends_and_are_paid_in_full(mode):
    env = SchafkopfVectorEnv(5, autoreset_mode=mode, **SESSION)
    singles = [SchafkopfEnv(**SESSION, first_env=row) for row in range(5)]
    _, info = env.reset()
    for single in singles:
        single.reset()
    fresh, ends = np.zeros(5, bool), np.zeros(5, int)
    for _ in range(1500):
        actions = legal_or_pass(info["action_mask"])
        _, rewards, ended, _, info = env.step(actions)
        assert info["session_end"].dtype == bool and info["_session_end"].all()
        ends += info["session_end"]
        for row, single in enumerate(singles):
            if mode is AutoresetMode.NEXT_STEP and fresh[row]:
                continue
            _, reward, terminated, _, seen = single.step(actions[row])
            assert (reward, terminated) == (rewards[row], ended[row])
            assert seen["session_end"] == info["session_end"][row]
            if terminated:
                single.reset()
        fresh = ended
        if mode is AutoresetMode.DISABLED and ended.any():
            _, info = env.reset(options={"reset_mask": ended})
    assert ends.min() > 1


def test_an_illegal_action_that_ends_a_deal_ends_its_session():
    env = SchafkopfEnv(**SESSION)
    _, info = env.reset()
    assert not info["session_end"]
    *_, terminated, _, info = env.step(int(info["action_mask"].argmin()))
    assert terminated and info["illegal_action"] and info["session_end"]


def test_the_end_of_a_session_is_in_the_final_info_too():
    env = SchafkopfVectorEnv(5, autoreset_mode=AutoresetMode.SAME_STEP, **SESSION)
    _, info = env.reset()
    ends, shown = 0, []
    for _ in range(300):
        _, _, ended, _, info = env.step(legal_or_pass(info["action_mask"]))
        shown.append((info["session_end"], info["session_end"].copy()))
        if ended.any():
            shown += [(row, row.copy()) for row in info["final_obs"][ended]]
            final = info["final_info"]
            assert (final["_session_end"] == ended).all()
            assert (final["session_end"] == info["session_end"] & ended).all()
            ends += final["session_end"].sum()
    assert ends > 2
    assert all((now == then).all() for now, then in shown)  # what was told stays


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("with_mask", [False, True])
def test_the_registered_ids_pass_check_env(name, with_mask):
    env = gymnasium.make(name, mask_in_observation=with_mask)
    assert env.spec.id == name
    check_env(env.unwrapped)  # every warning is an error here
    env.close()


def test_check_env_passes_with_other_options():
    for options in (
        {"observation": "uint8", "learner_seat": 3, "opponent": "random"},
        {"rules": "official_1989", "cards": "canonical", "observation_version": 2},
    ):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*not having a spec.*")
            check_env(SchafkopfEnv(**options))


def test_a_deal_is_paid_at_its_end_to_the_learner():
    env = gymnasium.make("Schafkopf-v0", opponent="random", learner_seat=2)
    rng = np.random.default_rng(1)
    results = [play_out(env, rng, seed=4 if deal == 0 else None) for deal in range(40)]
    assert len({reward for reward, _ in results}) > 3
    batch = schafkopf.VectorEnv(
        1, auto_reset="disabled", learner_seat=2, opponent="random", seed=4, observation="uint8"
    )
    rng = np.random.default_rng(1)
    for reward, _ in results:
        while not batch.terminated[0]:
            batch.step([rng.choice(np.flatnonzero(batch.action_mask[0]))])
        assert batch.rewards[0, 2] == np.float32(reward)
        batch.reset()


def test_an_illegal_action_ends_the_episode_or_raises():
    env = SchafkopfEnv(illegal_reward=-7.0)
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, _, info = env.step(illegal)
    assert (reward, terminated) == (-7.0, True) and "legal" in info["illegal_action"]
    with pytest.raises(ValueError, match=r"reset\(\) comes first"):
        env.step(0)
    env.reset()
    strict = SchafkopfEnv(illegal_action="raise")
    strict.reset(seed=1)
    with pytest.raises(schafkopf.IllegalAction):
        strict.step(illegal)
    for wrong in (128, -1):
        with pytest.raises(schafkopf.IllegalAction, match="actions are 0"):
            env.step(wrong)
    for wrong in (1.5, True, None, [64], "PASS"):
        with pytest.raises(ValueError, match=r"came, allowed: one integer 0\.\.127$"):
            env.step(wrong)
    assert env.step(np.array(int(info["action_mask"].argmin())))[2]  # illegal, nothing was stepped


@pytest.mark.parametrize("rules", schafkopf.preset_names())
def test_an_illegal_action_costs_more_than_any_deal_of_the_rules(rules):
    """Kontra, Legen and Bock multiply what a deal costs."""
    batch = schafkopf.VectorEnv(500, rules=rules, seed=1, observation="none", action_mask=False)
    batch.reset()
    worst = 0.0
    for _ in range(120):
        batch.step(batch.random_actions())
        worst = min(worst, batch.rewards.min())
    assert SchafkopfEnv(rules=rules)._illegal_reward < worst < -300
    half = schafkopf.RuleSet(rules).tariff + " half Laufende"
    less = SchafkopfEnv(rules={"preset": rules, "tariff": half})._illegal_reward
    more = SchafkopfEnv(rules={"preset": rules, "reuegeld": 5000})._illegal_reward
    assert less > SchafkopfEnv(rules=rules)._illegal_reward == more + 5000
    for several in ([rules, "research"], ["research", rules]):
        both = SchafkopfEnv(rules=several)._illegal_reward
        assert both == SchafkopfEnv(rules=rules)._illegal_reward


# Three pay the dearest contract with Schneider and Schwarz and 14 Laufende, four times for a Sie.
# Research: Brett (100). Official: a Durchmarsch (70), doubled by four at Legen and four times by
# Kontra.
@pytest.mark.parametrize(
    ("rules", "bound"),
    [
        ("research", 3 * 4 * (100 + 10 + 10 + 14 * 10)),
        ("official_1989_full", 3 * 4 * (70 + 10 + 10 + 14 * 10) * 2 ** (4 + 4)),
    ],
)
def test_an_illegal_action_costs_the_bound_that_is_documented(rules, bound):
    assert bound == {"research": 3_120, "official_1989_full": 706_560}[rules]
    assert SchafkopfEnv(rules=rules)._illegal_reward == -bound


def test_an_illegal_action_costs_more_where_the_tariff_of_the_rules_is_dearer():
    tariff = {"solo": 500, "laufende": 20, "tout_factor": 5}
    env = SchafkopfEnv(rules={"preset": "research", "tariff": tariff})
    assert env._illegal_reward == -3 * 5 * (500 + 10 + 10 + 14 * 20)


def test_an_illegal_action_costs_more_than_a_lost_deal():
    worst = np.inf
    batch = schafkopf.VectorEnv(2000, seed=1, observation="none", action_mask=False)
    batch.reset()
    for _ in range(40):
        batch.step(batch.random_actions())
        worst = min(worst, batch.rewards.min())
    assert SchafkopfEnv().unwrapped._illegal_reward < worst < -500
    for wrong in ("much", float("nan"), float("-inf")):
        with pytest.raises(ValueError, match=r"illegal_reward = .* allowed: a finite number"):
            SchafkopfEnv(illegal_reward=wrong)


def test_a_wrong_keyword_names_those_of_the_adapter():
    with pytest.raises(TypeError, match=r'SchafkopfEnv: .*the nearest one is "illegal_reward"'):
        gymnasium.make("Schafkopf-v0", illegal_rewards=1)
    with pytest.raises(TypeError, match=r'SchafkopfVectorEnv: .*nearest one is "autoreset_mode"'):
        SchafkopfVectorEnv(2, auto_reset_mode="NextStep")
    with pytest.raises(ValueError, match="allowed: NextStep, SameStep, Disabled"):
        SchafkopfVectorEnv(2, autoreset_mode="Sometimes")
    env = SchafkopfVectorEnv(2, autoreset_mode="same_step")  # as VectorEnv has it
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    for several in ([1, 2], (1, 2), np.array([1, 2])):
        with pytest.raises(ValueError, match="seed: one for each row came, allowed: one integer"):
            env.reset(seed=several)


def test_episodes_without_a_seed_differ_and_with_one_do_not():
    def first(**options):
        return SchafkopfEnv(**options).reset()[0].tobytes()

    assert len({first() for _ in range(4)}) == 4
    assert first(seed=5) == first(seed=5) == SchafkopfEnv().reset(seed=5)[0].tobytes()


def test_render_modes():
    text = gymnasium.make("Schafkopf-v0", render_mode="ansi")
    text.reset(seed=1)
    assert "AUCTION_ROUND: seat 0 to act" in text.render()
    pytest.importorskip("matplotlib")
    image = gymnasium.make("Schafkopf-v0", render_mode="rgb_array")
    image.reset(seed=1)
    before = image.render()
    image.step(image.unwrapped._env.random_actions()[0])
    after = image.render()
    assert before.shape == after.shape == (288, 720, 3) and before.dtype == np.uint8
    assert (before != after).any()
    assert (after[..., 0] == after[..., 2]).all() and after.min() < 100  # black on white
    for made in (SchafkopfEnv, SchafkopfVectorEnv):
        with pytest.raises(ValueError, match='render_mode = "window", allowed: ansi, rgb_array'):
            made(render_mode="window")


def test_a_batch_shows_the_game_of_every_row_as_its_mode_says():
    env = SchafkopfVectorEnv(3, render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == tuple(env._env.render(row) for row in range(3))
    assert len(set(env.render())) == 3
    assert SchafkopfVectorEnv(2).render() is None
    pytest.importorskip("matplotlib")
    env = SchafkopfVectorEnv(2, render_mode="rgb_array")
    env.reset(seed=1)
    assert [frame.shape for frame in env.render()] == [(288, 720, 3)] * 2


def test_a_picture_of_no_mode_is_warned_of():
    env = SchafkopfEnv()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match=r"without a render_mode shows nothing: give one to make"):
        assert env.render() is None


def test_batches_keep_their_modes_and_those_of_rendering():
    batches = [SchafkopfVectorEnv(2, autoreset_mode=mode) for mode in MODES]
    assert [batch.metadata["autoreset_mode"] for batch in batches] == MODES
    assert all(batch.metadata.items() >= SchafkopfEnv.metadata.items() for batch in batches)
    assert "autoreset_mode" not in SchafkopfVectorEnv.metadata


def test_registering_again_changes_nothing():
    before = [gymnasium.spec(name) for name in IDS]
    register()
    assert all(gymnasium.spec(name) is spec for name, spec in zip(IDS, before, strict=True))


def test_the_id_of_card_play_has_the_contracts_that_the_rule_agent_bids():
    made = gymnasium.make_vec("SchafkopfCardPlay-v0", num_envs=8, opponent="random", seed=1)
    batch = schafkopf.VectorEnv(
        8, start="card_play", generator="heuristic", learner_seat=0, opponent="random", seed=1
    )
    assert (made.reset()[0] == batch.reset()[0]).all()


def copied(value):
    return copy.deepcopy(value), value


def test_what_was_shown_stays():
    env = SchafkopfEnv(mask_in_observation=True, opponent="random")
    shown = [copied(env.reset(seed=1)), copied(env.action_masks())]
    for _ in range(4):
        shown += [copied(env.step(int(env.action_masks().argmax()))), copied(env.action_masks())]
        if env._env.terminated[0]:
            shown.append(copied(env.reset()))
    assert data_equivalence([then for then, _ in shown], [now for _, now in shown])


@pytest.mark.parametrize("mode", MODES)
def test_what_a_batch_has_shown_stays(mode):
    env = SchafkopfVectorEnv(5, autoreset_mode=mode, opponent="random", mask_in_observation=True)
    shown = [copied(env.reset(seed=1))]
    for _ in range(30):
        shown.append(copied(env.step(legal_or_pass(env._env.action_mask))))
        if mode is AutoresetMode.DISABLED and env._env.terminated.any():
            ended = env._env.terminated.copy()
            shown.append(copied(env.reset(options={"reset_mask": ended})))
    assert data_equivalence([then for then, _ in shown], [now for _, now in shown])
    assert sum(step[2].sum() for _, step in shown if len(step) == 5) > 2


def test_views_without_a_copy_lie_in_one_place():
    env = SchafkopfVectorEnv(4, copy=False, opponent="random", mask_in_observation=True)
    observation, info = env.reset(seed=1)
    later, *_, told = env.step(legal_or_pass(info["action_mask"]))
    assert np.shares_memory(observation["observation"], later["observation"])
    assert np.shares_memory(observation["action_mask"], later["action_mask"])
    assert np.shares_memory(info["action_mask"], told["action_mask"])


def test_numbers_of_a_step_are_those_of_python():
    env = SchafkopfEnv(opponent="random")
    _, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        _, *numbers, info = env.step(int(info["action_mask"].argmax()))
        assert [type(number) for number in numbers] == [float, bool, bool]
        terminated = numbers[1]


def test_observations_with_a_mask_have_the_space_of_those_without():
    alone, both = (SchafkopfEnv(mask_in_observation=with_mask) for with_mask in (False, True))
    assert both.observation_space["observation"] == alone.observation_space
    assert both.observation_space["action_mask"] == gymnasium.spaces.Box(0, 1, (128,), np.int8)


def test_a_seed_of_reset_is_that_of_the_draws_of_gymnasium():
    for env in (SchafkopfEnv(), SchafkopfVectorEnv(2)):
        env.reset(seed=5)
        assert env.np_random_seed == 5


def test_opponents_are_a_list_or_a_tuple():
    players = ["random", "rules", "random"]
    shown = [SchafkopfEnv(opponent=kind(players), seed=3) for kind in (list, tuple)]
    rngs = [np.random.default_rng(1) for _ in shown]
    for _ in range(5):
        assert len({play_out(env, rng) for env, rng in zip(shown, rngs, strict=True)}) == 1


# With the next deal the learner sits elsewhere: the seat that is paid is the one that played.
@pytest.mark.parametrize("mode", MODES)
def test_a_learner_who_rotates_is_paid_for_the_seat_that_it_had(mode):
    options = {"learner_seat": "rotate", "opponent": "random", "seed": 2}
    env = SchafkopfVectorEnv(1, autoreset_mode=mode, **options)
    env.reset()
    had, seats, paid = int(env._env.learner_seat[0]), [], []
    for _ in range(200):
        _, rewards, ended, _, _ = env.step(legal_or_pass(env._env.action_mask))
        if ended[0]:
            assert rewards[0] == env._env.rewards[0, had]
            seats.append(had), paid.append(env._env.rewards[0].copy())
            if mode is AutoresetMode.DISABLED:
                env.reset()
        had = int(env._env.learner_seat[0])
    assert set(seats) == {0, 1, 2, 3}
    assert any(len(set(amounts.tolist())) > 1 for amounts in paid)


def test_final_infos_are_those_of_the_rows_that_ended():
    env = SchafkopfVectorEnv(5, autoreset_mode=AutoresetMode.SAME_STEP, opponent="random")
    env.reset(seed=1)
    ended = np.zeros(5, bool)
    while not ended.any() or ended.all():
        _, _, ended, _, info = env.step(legal_or_pass(env._env.action_mask))
    assert (info["_final_info"] == ended).all()
    assert (info["final_info"]["_action_mask"] == ended).all()


def test_options_of_the_adapter_itself_and_wrong_ones_are_refused():
    with pytest.raises(TypeError, match="auto_reset cannot be given"):
        SchafkopfEnv(auto_reset="next_step")
    with pytest.raises(TypeError, match='nearest one is "rules"'):
        SchafkopfVectorEnv(2, rulez="research")
    with pytest.raises(ValueError, match="illegal_action"):
        SchafkopfEnv(illegal_action="ignore")
    with pytest.raises(ValueError, match="unknown options"):
        SchafkopfEnv().reset(options={"reset_mask": [True]})
    with pytest.raises(ValueError, match="no row is chosen"):
        SchafkopfVectorEnv(2).reset(options={"reset_mask": np.zeros(2, bool)})
    with pytest.raises(ValueError, match="no observation space"):
        SchafkopfEnv(observation="none")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("with_mask", [False, True])
def test_n_tables_play_as_n_single_environments(mode, with_mask):
    options = {"opponent": "rules", "learner_seat": 1, "mask_in_observation": with_mask}
    episodes = check_vector_env(
        lambda: SchafkopfVectorEnv(5, autoreset_mode=mode, **options),
        lambda row: SchafkopfEnv(first_env=row, **options),
        single_seed=lambda seed, row: seed,  # the number of the row makes the deals differ
        num_steps=60,
    )
    assert episodes >= 10


def test_conformance_holds_for_views_without_a_copy():
    check_vector_env(
        lambda: SchafkopfVectorEnv(4, copy=False, observation="uint8", opponent="random"),
        num_steps=40,
        copies=False,
    )
    with pytest.raises(AssertionError, match="same memory"):
        check_vector_env(lambda: SchafkopfVectorEnv(4, copy=False), num_steps=10)


def test_a_batch_without_a_number_has_one_game():
    env = SchafkopfVectorEnv(opponent="random")
    assert env.num_envs == 1 and env.reset(seed=1)[0].shape[0] == 1
    env.close()


def test_make_vec_gives_the_native_batch():
    env = gymnasium.make_vec("SchafkopfCardPlay-v0", num_envs=3, autoreset_mode="SameStep")
    assert isinstance(env.unwrapped, SchafkopfVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observations, info = env.reset(seed=3)
    assert observations in env.observation_space and env.single_action_space.n == 128
    while "final_obs" not in info:
        masks = info["action_mask"]
        actions = [env.single_action_space.sample(mask) for mask in masks]
        _, rewards, terminated, _, info = env.step(np.array(actions))
        assert rewards.dtype == np.float64 and (rewards[~terminated] == 0).all()
    assert (info["_final_obs"] == terminated).all()
    assert [row is not None for row in info["final_obs"]] == terminated.tolist()
    env.close()
    with pytest.raises(RuntimeError, match="closed"):
        env.unwrapped._env.step([0, 0, 0])


def test_wrappers_of_gymnasium_work():
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        SchafkopfVectorEnv(2, opponent="random", render_mode="ansi")
    )
    _, info = env.reset(seed=1)
    for _ in range(30):
        actions = [rng_action(mask) for mask in info["action_mask"]]
        _, rewards, terminated, _, info = env.step(np.array(actions))
        if terminated.any():
            break
    row = int(np.flatnonzero(terminated)[0])
    assert info["episode"]["r"][row] == rewards[row]
    assert len(env.render()) == 2 and isinstance(env.render()[0], str)


def rng_action(mask):
    return int(np.flatnonzero(mask)[-1])


def test_environments_pickle_and_copy():
    env = SchafkopfEnv(opponent="rules")
    env.reset(seed=3)
    env.step(int(np.flatnonzero(env._shown()[1]["action_mask"])[0]))
    for other in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert other._env == env._env and other.action_space == env.action_space
        rngs = np.random.default_rng(1), np.random.default_rng(1)
        assert play_out(other, rngs[0]) == play_out(copy.deepcopy(env), rngs[1])


def test_a_step_after_the_end_asks_for_reset_and_options_must_be_a_dict():
    env = SchafkopfEnv(opponent="random")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="reset: list came as options, allowed: a dict, None"):
        env.reset(options=["reset_mask"])
    terminated = False
    while not terminated:
        action = int(np.flatnonzero(env.unwrapped.action_masks())[0])
        *_, terminated, _, _ = env.step(action)
    with pytest.raises(ValueError, match=r"the episode is over: reset\(\) comes first"):
        env.step(32)
    env.reset()
    assert env.unwrapped.action_masks().any()
    env.close()
    with pytest.raises(RuntimeError, match="is closed"):
        env.step(32)


def test_a_bool_is_no_reward():
    with pytest.raises(ValueError, match="illegal_reward = True, allowed: a finite number"):
        SchafkopfEnv(illegal_reward=True)


@pytest.mark.parametrize("value", ["no", 1, None])
def test_flags_of_the_adapter_are_true_or_false(value):
    for made in (SchafkopfEnv, SchafkopfVectorEnv):
        with pytest.raises(ValueError, match=r"mask_in_observation = .*, allowed: true, false"):
            made(mask_in_observation=value)
    with pytest.raises(ValueError, match=r"copy = .*, allowed: true, false"):
        SchafkopfVectorEnv(2, copy=value)
