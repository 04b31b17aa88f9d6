"""VectorEnv: shapes, no copies, lifetime, errors, determinism, reset modes."""

import gc
import threading
import time

import numpy as np
import pytest
from support.refusals import refused

import schafkopf

F = schafkopf.observations.observation_size()
BUFFERS = ("legal", "action_mask", "observation", "rewards", "phase", "current_player")


def random_run(env, steps):
    """Step by the engine's sampler; return every buffer after each step as bytes."""
    seen = []
    for _ in range(steps):
        env.step(env.random_actions())
        seen.append(b"".join(getattr(env, name).tobytes() for name in BUFFERS))
    return seen


def test_shapes_and_dtypes():
    env = schafkopf.VectorEnv(8, view_lines=True, full_view=True, observation="float32")
    observation, info = env.reset(seed=4)
    assert observation.shape == (8, F) and observation.dtype == np.float32
    assert env.action_mask.shape == (8, 128) and env.action_mask.dtype == np.uint8
    assert env.legal.shape == (8, 2) and env.legal.dtype == np.uint64
    assert env.rewards.shape == (8, 4) and env.rewards.dtype == np.float32
    assert env.terminated.shape == (8,) and env.terminated.dtype == bool
    assert env.cards.shape == env.order.shape == env.events.shape == env.full_view.shape == (8, 64)
    assert env.current_player.dtype == env.phase.dtype == np.int8
    assert env.running_seed.dtype == np.uint64 and env.rule_index.dtype == np.uint16
    assert info["action_mask"] is env.action_mask
    bits = env.legal[:, :, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    assert (bits.reshape(8, 128) == env.action_mask).all()


def test_observation_version_2_holds_version_1_and_more():
    options = {"rules": "wikipedia_extended", "seed": 3, "view_lines": True}
    one = schafkopf.VectorEnv(16, **options)
    two = schafkopf.VectorEnv(16, observation_version=2, **options)
    slices = schafkopf.observation_sections(2)
    assert two.observation.shape == (16, schafkopf.observations.observation_size(2))
    assert {row["name"] for row in schafkopf.observations.observation_table(2)} == set(slices)
    assert set(schafkopf.observation_sections()) < set(slices)
    for _ in range(30):
        for name, part in schafkopf.observation_sections().items():
            assert (one.observation[:, part] == two.observation[:, slices[name]]).all(), name
        rows = schafkopf.encode(two.views(), "wikipedia_extended", version=2)
        assert (rows == two.observation).all()
        actions = one.random_actions()
        one.step(actions)
        two.step(actions)
    with pytest.raises(ValueError, match=r"observation_version = 5, allowed: integer 1\.\.4"):
        schafkopf.VectorEnv(1, observation_version=5)
    with pytest.raises(ValueError, match="version = 0, allowed"):
        schafkopf.observations.observation_size(0)


def test_the_default_observation_is_scaled_for_a_network():
    env = schafkopf.VectorEnv(256, seed=1, view_lines=True, auto_reset="same_step")
    whole = schafkopf.VectorEnv(256, seed=1, observation="uint8", auto_reset="same_step")
    scale = np.ones(F, np.float32)
    for row in schafkopf.observations.observation_table():
        scale[row["offset"] : row["offset"] + row["length"]] = row["scale"]
    for _ in range(40):
        assert env.observation.dtype == np.float32 and whole.observation.dtype == np.uint8
        assert env.observation.min() >= 0 and env.observation.max() <= 3
        assert (env.observation == whole.observation * scale).all()
        assert (schafkopf.encode(env.views()) == env.observation).all()
        assert (schafkopf.encode(env.views(), dtype="uint8") == whole.observation).all()
        actions = env.random_actions()
        env.step(actions)
        whole.step(actions)


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_the_final_observation_has_the_type_of_the_others(dtype):
    env = schafkopf.VectorEnv(2, observation=dtype, learner_seat=0, opponent="random")
    assert env.final_observation.dtype == dtype and env.final_observation.shape == (2, F)
    assert env.reset()[1]["final_obs"] is env.final_observation


def test_buffers_not_asked_for_are_none():
    env = schafkopf.VectorEnv(2, observation="none", action_mask=False)
    assert env.observation is None and env.action_mask is None and env.cards is None


def test_arrays_are_views_of_the_engine():
    env = schafkopf.VectorEnv(4)
    before = env.current_player.copy()
    address = env.observation.__array_interface__["data"][0]
    observation, rewards, terminated, truncated, info = env.step(env.random_actions())
    assert (env.current_player != before).any()
    assert observation.__array_interface__["data"][0] == address
    assert address % 64 == 0
    assert rewards is env.rewards and terminated is env.terminated
    assert not truncated.any() and truncated is env.truncated
    assert not observation.flags.owndata
    assert info["current_player"] is env.current_player


def test_arrays_outlive_the_environment():
    env = schafkopf.VectorEnv(64)
    mask, observation = env.action_mask, env.observation
    copies = mask.copy(), observation.copy()
    del env
    gc.collect()
    other = schafkopf.VectorEnv(64, seed=9)
    other.step(other.random_actions())
    assert (mask == copies[0]).all() and (observation == copies[1]).all()


def test_view_lines_have_names():
    env = schafkopf.VectorEnv(4, view_lines=True)
    cards = env.cards.view(schafkopf.views.CARDS_DTYPE)[:, 0]
    assert np.shares_memory(cards, env.cards)
    assert [bin(int(hand)).count("1") for hand in cards["hand"]] == [8] * 4
    views = env.views()
    assert views.dtype == schafkopf.views.VIEW_DTYPE
    assert (schafkopf.legal_mask(views) == env.action_mask).all()
    assert (schafkopf.encode(views) == env.observation).all()


@pytest.mark.parametrize(
    ("actions", "came"),
    [
        (np.zeros(4, np.float32), r"float32 \[4\]"),
        (np.zeros(5, np.int32), r"int32 \[5\]"),
        (np.zeros((4, 1), np.int32), r"int32 \[4, 1\]"),
        (None, "NoneType"),
    ],
)
def test_wrong_actions_name_what_came_and_what_is_needed(actions, came):
    env = schafkopf.VectorEnv(4)
    with pytest.raises(ValueError, match=came) as caught:
        env.step(actions)
    assert "4 integers: an array [4]" in str(caught.value)


@pytest.mark.parametrize("wrong", [-1, 31, 127, 128, 2**30])
def test_one_illegal_action_steps_nothing(wrong):
    env = schafkopf.VectorEnv(16, seed=2)
    actions = env.random_actions()
    actions[11] = wrong
    before = env.snapshot(), env.observation.copy()
    with pytest.raises(ValueError, match="env 11") as caught:
        env.step(actions)
    assert "PLAY" in str(caught.value) and "PASS" in str(caught.value)
    assert env.snapshot() == before[0] and (env.observation == before[1]).all()


def test_non_contiguous_actions_are_read_in_order():
    env, other = schafkopf.VectorEnv(8, seed=3), schafkopf.VectorEnv(8, seed=3)
    actions = env.random_actions()
    wide = np.zeros((8, 2), np.int32)
    wide[:, 0] = actions
    env.step(actions)
    other.step(wide[:, 0])
    assert (env.observation == other.observation).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"auto_reset": "never"}, ["auto_reset", "next_step"]),
        ({"observation": "int8"}, ["observation", "float32"]),
        ({"rules": []}, ["rules"]),
        ({"rule_index": [0, 1]}, ["rule_index", "0..0"]),
        ({"seed": -1}, ["seed"]),
        ({"opponent": 3}, ["int", "act()"]),
        ({"opponent": "no_such_agent"}, ["no_such_agent", "random"]),
        ({"generator": "no_such_generator"}, ["no_such_generator"]),
        ({"num_threads": "two"}, ['num_threads = "two"', "1..1024"]),
    ],
)
def test_wrong_options_are_named(options, words):
    with pytest.raises(ValueError) as caught:
        schafkopf.VectorEnv(2, **options)
    for word in words:
        assert word in str(caught.value)


def test_an_unknown_option_is_a_type_error():
    with pytest.raises(TypeError, match="num_workers"):
        schafkopf.VectorEnv(2, num_workers=3)


def test_threads_and_batch_split_change_nothing():
    whole = random_run(schafkopf.VectorEnv(60, seed=5, num_threads=1), 80)
    assert whole == random_run(schafkopf.VectorEnv(60, seed=5, num_threads=3), 80)
    parts = [schafkopf.VectorEnv(20, seed=5, first_env=first) for first in (0, 20, 40)]
    env = schafkopf.VectorEnv(60, seed=5)
    for _ in range(80):
        env.step(env.random_actions())
        for part in parts:
            part.step(part.random_actions())
        for name in BUFFERS:
            joined = np.concatenate([getattr(part, name) for part in parts])
            assert (joined == getattr(env, name)).all(), name


def test_step_random_equals_random_actions():
    env, other = schafkopf.VectorEnv(32, seed=6), schafkopf.VectorEnv(32, seed=6)
    env.step_random(50)
    for _ in range(50):
        other.step(other.random_actions())
    assert env.snapshot() == other.snapshot()
    out = np.empty(32, np.int32)
    assert env.random_actions(out) is out
    with pytest.raises(ValueError, match=r"int32 \[32\]"):
        env.random_actions(np.empty(32, np.int64))


def run_to_end(env):
    while not env.terminated.any():
        env.step(env.random_actions())


def test_next_step_mode_shows_the_terminal_row_once():
    env = schafkopf.VectorEnv(1, seed=1, auto_reset="next_step")
    run_to_end(env)
    assert env.current_player[0] == -1
    assert env.rewards[0].sum() == 0
    assert (env.rewards == env.episode_return).all()
    env.step(np.array([77], np.int32))  # ignored
    assert env.current_player[0] >= 0 and not env.terminated[0] and not env.rewards.any()


def test_same_step_mode_goes_on_at_once():
    env = schafkopf.VectorEnv(1, seed=1, auto_reset="same_step")
    seed = env.running_seed[0]
    run_to_end(env)
    assert env.current_player[0] >= 0
    assert env.episode_seed[0] == seed != env.running_seed[0]


def test_disabled_mode_waits_for_reset():
    env = schafkopf.VectorEnv(2, seed=1, auto_reset="disabled")
    run_to_end(env)
    mask = env.terminated.copy()
    assert mask.any() and not mask.all()
    with pytest.raises(ValueError, match="reset it first, by the option reset_mask of reset"):
        env.step(env.random_actions())
    env.reset(options={"reset_mask": mask})
    assert not env.terminated.any()
    env.step(env.random_actions())


def test_each_row_plays_one_deal_where_those_that_are_over_stay():
    env = schafkopf.VectorEnv(50, seed=1, auto_reset="disabled", view_lines=True)
    seeds, payoffs = env.running_seed.copy(), np.full((50, 4), np.nan)
    over, steps = np.zeros(50, bool), 0
    while not over.all():
        shown = env.views().copy()
        actions = np.where(over, -1, env.random_actions())
        _, rewards, terminated, _, _ = env.step(actions)
        assert (env.views()[over] == shown[over]).all() and not terminated[over].any()
        payoffs[terminated], steps = rewards[terminated], steps + 1
        over |= terminated
    assert steps > 20 and (env.episode_seed == seeds).all() and (env.running_seed == seeds).all()
    assert (payoffs == env.episode_return).all()
    with pytest.raises(ValueError, match=r"env 0 is over.*or let it stay by the action -1"):
        env.step(np.zeros(50, np.int64))


def test_a_step_in_which_rows_stay_tells_no_end_and_the_loop_of_its_docstring_ends():
    env = schafkopf.VectorEnv(20, seed=2, auto_reset="disabled")
    steps, ends, all_at_once = 0, 0, False
    while (env.current_player >= 0).any():
        env.step(np.where(env.current_player < 0, -1, env.random_actions()))
        steps, ends = steps + 1, ends + int(env.terminated.sum())
        all_at_once |= bool(env.terminated.all())
        assert steps < 1000
    assert ends == 20 and not all_at_once
    shown = [array.copy() for array in (env.observation, env.legal, env.episode_return)]
    env.step(np.full(20, -1))
    assert not env.terminated.any() and not env.rewards.any() and (env.current_player < 0).all()
    for array, before in zip((env.observation, env.legal, env.episode_return), shown, strict=True):
        assert (array == before).all()
    words = schafkopf.VectorEnv.step.__doc__
    assert "while (env.current_player >= 0).any():" in words


@pytest.mark.parametrize("auto_reset", ["same_step", "next_step", "disabled"])
def test_a_row_that_is_not_over_does_not_stay(auto_reset):
    env = schafkopf.VectorEnv(2, seed=1, auto_reset=auto_reset)
    with pytest.raises(schafkopf.IllegalAction, match="action -1"):
        env.step(np.full(2, -1))


def test_partial_reset_leaves_the_others_alone():
    env = schafkopf.VectorEnv(4, seed=8)
    env.step(env.random_actions())
    before = env.running_seed.copy()
    env.reset(options={"reset_mask": np.array([False, True, False, True])})
    assert (env.running_seed != before).tolist() == [False, True, False, True]
    with pytest.raises(ValueError, match=r"reset_mask.*int64 \[4\].*bool \[4\]"):
        env.reset(options={"reset_mask": np.zeros(4, np.int64)})
    with pytest.raises(ValueError, match="reset_mask"):
        env.reset(options={"mask": None})
    for wrong in (
        [0, 1, 0, 1],
        [True] * 3,
        [[True], [False]],
        "1010",
        3,
        [True, None, True, False],
    ):
        with pytest.raises(ValueError, match=r"reset_mask: .* came, allowed: bool \[4\]"):
            env.reset(options={"reset_mask": wrong})


def test_a_reset_mask_comes_in_every_form_that_step_takes():
    torch = pytest.importorskip("torch")
    rows = [False, True, False, True]
    for form in (list, tuple, np.array, torch.tensor):
        env = schafkopf.VectorEnv(4, seed=8)
        before = env.running_seed.copy()
        env.step(env.random_actions())
        env.reset(options={"reset_mask": form(rows)})
        assert (env.running_seed != before).tolist() == rows


def test_a_mask_of_rows_may_be_of_bytes_too_where_it_is_an_array():
    torch = pytest.importorskip("torch")
    rows = [0, 1, 0, 2]
    for mask in (np.array(rows, np.uint8), torch.tensor(rows, dtype=torch.uint8)):
        env = schafkopf.VectorEnv(4, seed=8, view_lines=True)
        before = env.running_seed.copy()
        env.step(env.random_actions())
        env.reset(options={"reset_mask": mask})
        assert (env.running_seed != before).tolist() == [False, True, False, True]
        actions = env.agent_actions("random", mask)
        assert not actions[[0, 2]].any()
        assert env.action_mask[[1, 3], actions[[1, 3]]].all()


@pytest.mark.parametrize("number", [-1, 200, 10**12])
def test_an_illegal_action_has_the_number_that_came(number):
    env = schafkopf.VectorEnv(2, seed=1)
    with pytest.raises(schafkopf.IllegalAction) as caught:
        env.step([number, number])
    assert caught.value.action == number


def test_a_seed_restarts_the_episodes():
    env = schafkopf.VectorEnv(4, seed=1)
    first = env.reset(seed=7)[0].copy()
    env.step_random(100)
    assert (env.reset(seed=7)[0] == first).all()
    assert (env.reset()[0] != first).any()


def test_snapshot_goes_on_with_the_same_games():
    env = schafkopf.VectorEnv(16, seed=3)
    env.step_random(30)
    saved = env.snapshot()
    seen = random_run(env, 20)
    env.restore(saved)
    assert random_run(env, 20) == seen
    with pytest.raises(ValueError, match="the snapshot is damaged or cut off"):
        env.restore(saved[:-3])


def test_games_can_be_taken_and_put():
    env = schafkopf.VectorEnv(4, seed=3)
    env.step_random(10)
    game = env.get_game(2)
    assert game.current_player == env.current_player[2]
    claims = [
        schafkopf.actions.parse_action("CLAIM_REST"),
        schafkopf.actions.parse_action("CONCEDE_REST"),
    ]
    without_claims = game.legal_mask()
    without_claims[claims] = 0  # a batch leaves them out unless asked
    assert without_claims.tolist() == env.action_mask[2].tolist()
    env.set_game(0, game)
    assert (env.observation[0] == env.observation[2]).all()
    with pytest.raises(ValueError, match="env = 4"):
        env.get_game(4)
    other = schafkopf.Game("wikipedia_pure", seed=1)
    with pytest.raises(ValueError, match=r"plays rule set research .*, the game wikipedia_pure"):
        env.set_game(0, other)


def test_different_rules_per_row():
    env = schafkopf.VectorEnv(4, rules=["research", "wikipedia_pure"], rule_index=[0, 1, 1, 0])
    assert env.rule_index.tolist() == [0, 1, 1, 0]
    assert env.rule_features.shape[0] == 2
    assert env.get_game(1).rules_name == "wikipedia_pure"


def test_fixed_deals_and_contracts_start_at_card_play():
    deal = schafkopf.Deal.random(5)
    contract = {"class": "SOLO", "suit": "E", "declarer": 1}
    env = schafkopf.VectorEnv(3, start="card_play", deals=[deal], contracts=[contract])
    assert set(env.phase.tolist()) == {env.phase[0]}
    assert schafkopf.actions.phase_name(int(env.phase[0])) == "PLAY"
    assert env.get_game(2).contract == schafkopf.Contract("SOLO", declarer=1, suit="E")


class LowestLegal:
    """Plays the legal action with the lowest number."""

    name = "lowest"

    def __init__(self):
        self.threads = set()

    def act(self, views):
        self.threads.add(threading.get_ident())
        return schafkopf.legal_mask(views).argmax(axis=1)


def returns_of_lowest(env, steps, seats):
    """Step these seats by the lowest legal actions; seed -> return of every deal that ended."""
    returns = {}
    for _ in range(steps):
        assert set(env.current_player.tolist()) <= seats | {-1}
        env.step(env.action_mask.argmax(axis=1).astype(np.int32))
        for row in np.flatnonzero(env.terminated):
            returns[int(env.episode_seed[row])] = env.episode_return[row].tolist()
    return returns


@pytest.mark.parametrize("num_threads", [1, 3])
def test_a_python_object_takes_the_other_seats(num_threads):
    options = {"seed": 2, "auto_reset": "same_step", "start": "card_play"}
    options |= {"generator": "heuristic"}  # with bids, the lowest action is a pass
    player = LowestLegal()
    env = schafkopf.VectorEnv(
        192, learner_seat=1, opponent=player, num_threads=num_threads, **options
    )
    returns = returns_of_lowest(env, 30, {1})
    assert len(player.threads) == num_threads
    alone = returns_of_lowest(schafkopf.VectorEnv(192, **options), 80, {0, 1, 2, 3})
    both = returns.keys() & alone.keys()
    assert len(both) >= 192
    assert {seed: returns[seed] for seed in both} == {seed: alone[seed] for seed in both}
    assert any(any(returns[seed]) for seed in both)


class Broken:
    def __init__(self, answer):
        self.answer = answer

    def act(self, views):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (KeyError("mine"), KeyError, "mine"),
        (np.zeros(1, np.float32), ValueError, "float32"),
        (np.full(1000, 32), ValueError, r"\[1000\]"),
        ("PASS", ValueError, "python:Broken"),
    ],
)
def test_errors_of_a_python_player_arrive(answer, error, words):
    with pytest.raises(error, match=words):
        env = schafkopf.VectorEnv(8, learner_seat=0, opponent=Broken(answer), num_threads=2)
        env.step(env.random_actions())


def test_a_second_thread_gets_an_error_not_a_race():
    asked, go_on = threading.Event(), threading.Event()

    class Waits:
        thread = None

        def act(self, views):
            if threading.current_thread() is self.thread and not asked.is_set():
                asked.set()
                go_on.wait(60)
            return schafkopf.legal_mask(views).argmax(axis=1)

    player, done = Waits(), []
    env = schafkopf.VectorEnv(4, learner_seat=0, opponent=player)
    thread = threading.Thread(target=lambda: done.append(env.step_random(4)), daemon=True)
    player.thread = thread
    thread.start()
    try:
        assert asked.wait(60)
        with pytest.raises(RuntimeError, match="in use"):
            env.step_random()
    finally:
        go_on.set()
        thread.join(60)
    assert len(done) == 1 and not thread.is_alive()
    env.step_random()  # free again


def test_the_gil_is_free_while_stepping():
    env = schafkopf.VectorEnv(4096, seed=1)
    stamps = []
    running, done = threading.Event(), threading.Event()

    def stamp():
        while not done.is_set():
            stamps.append(time.monotonic())
            running.set()
            time.sleep(0.001)

    thread = threading.Thread(target=stamp, daemon=True)
    thread.start()
    try:
        assert running.wait(60)
        before = time.monotonic()
        env.step_random(200)  # some tenths of a second
        after = time.monotonic()
    finally:
        done.set()
        thread.join(60)
    assert sum(before < moment < after for moment in stamps) > 10
    assert env.num_decisions > 0 and env.num_deals > 0


def test_torch_takes_the_buffers_without_a_copy():
    torch = pytest.importorskip("torch")
    env = schafkopf.VectorEnv(4)
    tensor = torch.from_numpy(env.observation)
    assert tensor.data_ptr() == env.observation.__array_interface__["data"][0]
    assert torch.from_dlpack(env.rewards).data_ptr() == env.rewards.ctypes.data


def test_observation_version_3_shows_the_order_of_play_by_name():
    options = {"rules": "wikipedia_extended", "seed": 4, "view_lines": True}
    env = schafkopf.VectorEnv(16, observation_version=3, **options)
    two = schafkopf.VectorEnv(16, observation_version=2, **options)
    slices, old = (
        schafkopf.observation_sections(3),
        schafkopf.observation_sections(2),
    )
    assert env.observation.shape == (16, schafkopf.observations.observation_size(3))
    assert slices["rules"].stop - slices["rules"].start == sum(
        part.stop - part.start for part in schafkopf.observations.rule_feature_sections(3).values()
    )
    shown = 0
    for _ in range(60):
        for name in {*slices} & {*old} - {
            "contract",
            "phase",
            "trump_suit",
            "called_suit",
            "rules",
        }:
            np.testing.assert_array_equal(
                env.observation[:, slices[name]], two.observation[:, old[name]], err_msg=name
            )
        plays = schafkopf.views.unpack_plays(env.order.view(schafkopf.views.ORDER_DTYPE)[:, 0])
        for row in range(16):
            expected = np.zeros((8, 32), np.uint8)
            for number, play in enumerate(plays[row][plays[row]["known"]]):
                expected[number // 4, play["card"]] = 1
                shown += 1
            cards = env.observation[row, slices["trick_cards"]].reshape(8, 32)
            np.testing.assert_array_equal(cards, expected)
        actions = env.random_actions()
        env.step(actions)
        two.step(actions)
    assert shown > 1000
    view = schafkopf.Game("research", seed=1).view(0)
    for dtype in ("uint8", "float32"):
        assert schafkopf.encode(view, dtype=dtype, version=3).shape == (
            1,
            schafkopf.observations.observation_size(3),
        )


# J.1: a batch plays what Game.with_contract does, and refuses what it refuses
def test_contracts_that_the_rules_do_not_have_are_refused():
    deals = [schafkopf.Deal.random(seed) for seed in range(2)]
    contracts = [schafkopf.Contract("WENZ", 0), schafkopf.Contract("BETTEL", 0)]
    with pytest.raises(ValueError, match=r"contracts\[1\]: BETTEL is not played under these rules"):
        schafkopf.VectorEnv(
            2, rules="research", start="card_play", deals=deals, contracts=contracts
        )


def test_a_batch_renders_what_it_allows():
    games = schafkopf.VectorEnv(1, seed=3), schafkopf.VectorEnv(1, seed=3, claim_actions=True)
    claims = 0
    for _ in range(200):
        plain, claiming = (env.render(0) for env in games)
        assert "CLAIM_REST" not in plain and "CONCEDE_REST" not in plain
        claims += "CLAIM_REST" in claiming
        action = games[0].random_actions()
        for env in games:
            env.step(action)
    assert claims > 0


def test_a_game_of_other_rules_is_named_with_its_row_and_theirs():
    env = schafkopf.VectorEnv(4, seed=1)
    other = schafkopf.Game("official_1989", seed=1)
    refused("set_game: env 2 plays rule set research", lambda: env.set_game(2, other))
    refused("the game official_1989", lambda: env.set_game(2, other))
