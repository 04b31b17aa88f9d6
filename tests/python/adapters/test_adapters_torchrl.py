"""The adapter to TorchRL under TorchRL's own check of specs."""

import pytest

import schafkopf

torch = pytest.importorskip("torch", exc_type=ImportError)
pytest.importorskip("torchrl")

from torchrl.envs import ActionMask as MaskOfState  # noqa: E402
from torchrl.envs import (  # noqa: E402
    Compose,
    GymEnv,
    ParallelEnv,
    RewardSum,
    SerialEnv,
    TransformedEnv,
)
from torchrl.envs.utils import check_env_specs  # noqa: E402

from schafkopf.adapters.torchrl import ActionMask, SchafkopfEnv  # noqa: E402

ALL_SEATS = {"opponent": None}
OPTIONS = [
    {},
    ALL_SEATS,
    {"observation": "uint8", "observation_version": 2, "learner_seat": 3, "opponent": "random"},
    {"start": "card_play", "generator": "heuristic", "cards": "canonical", **ALL_SEATS},
    {"opponent": ["rules", "random", "rules"], "learner_seat": "rotate"},
    {"rules": "course_002", "session": True, "opponent": "random"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_check_env_specs_passes(options):
    for num_envs in (1, 5):
        env = SchafkopfEnv(num_envs, **options)
        check_env_specs(env, break_when_any_done="both", seed=3)
        env.close()


@pytest.mark.parametrize("opponent", [None, "random"])
def test_specs_hold_where_torch_has_another_default_dtype(opponent):
    torch.set_default_dtype(torch.float64)
    try:
        check_env_specs(SchafkopfEnv(3, opponent=opponent))
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("opponent", [None, "random"])
def test_sessions_go_on_tell_their_ends_and_are_paid_in_full(opponent):
    options = {"rules": "course_002", "session": True, "seed": 3}
    env = SchafkopfEnv(3, opponent=opponent, **options)
    if opponent is not None:
        options |= {"opponent": opponent, "learner_seat": 0}
    batch = schafkopf.VectorEnv(3, auto_reset="same_step", action_mask=True, **options)
    batch.reset()
    state = env.reset()
    stocks, ends = 0.0, 0
    for _ in range(800):
        actions = batch.action_mask.argmax(axis=1)  # PASS where there is one
        batch.step(actions)
        state = env.step(state.set("action", torch.tensor(actions)))["next"]
        paid = batch.rewards + batch.stock_rewards
        shown = state["reward"].numpy()
        assert (shown == (paid if opponent is None else paid[:, :1])).all()
        assert (state["session_end"][:, 0].numpy() == batch.session_end).all()
        stocks += abs(batch.stock_rewards[:, 0]).sum()
        ends += int(batch.session_end.sum())
        if state["done"].any():
            state = env.reset(state.set("_reset", state["done"]))
    assert ends > 1 and stocks > 0


@pytest.mark.parametrize("opponent", [None, "rules"])
def test_rollouts_until_all_deals_are_over_leave_out_tables_that_are_done(opponent):
    torch.manual_seed(2)
    env = SchafkopfEnv(5, opponent=opponent, seed=2)
    rollout = env.rollout(100, break_when_any_done=False, break_when_all_done=True)
    done, reward = rollout["next", "done"][..., 0], rollout["next", "reward"]
    assert done[:, -1].all()
    assert rollout.shape[1] < 100
    first = done.int().argmax(dim=1)
    assert len(set(first.tolist())) > 1
    seats = {} if opponent is None else {"learner_seat": 0, "opponent": opponent}
    batch = schafkopf.VectorEnv(5, auto_reset="disabled", seed=2, **seats)
    batch.reset()
    for step in range(rollout.shape[1]):
        stays = first < step
        batch.step(torch.where(stays, -1, rollout["action"][:, step]).numpy())
        for row in range(5):
            at = min(step, int(first[row]))
            seen = rollout["next", "observation"][row, step].numpy()
            assert (seen == batch.observation[row]).all()
            assert bool(done[row, step]) == (batch.current_player[row] < 0)
            assert (reward[row, step] == reward[row, at]).all()
            if step <= first[row]:
                paid = batch.rewards[row] if opponent is None else batch.rewards[row, :1]
                assert (reward[row, step].numpy() == paid).all()


def test_tables_that_are_left_out_stay_done_and_others_cannot_be_left_out():
    torch.manual_seed(2)
    env = SchafkopfEnv(3, opponent="rules", seed=2)
    state = env.reset()
    while not state["done"].any():
        state = env.rand_step(state)["next"]
    ended = state["done"][:, 0]
    assert not ended.all()
    seen = env.step(env.rand_action(state.clone()).set("_step", ~ended))["next"]
    assert seen["done"][ended].all()
    assert (seen["reward"][ended] == 0).all()
    assert (seen["observation"][ended] == state["observation"][ended]).all()
    games = [env._games.get_game(row) for row in range(3)]
    chosen = torch.arange(3) == ended.int().argmax()  # tables whose deals go on are left out
    state = env.rand_action(seen.clone()).set("_step", chosen)
    with pytest.raises(ValueError, match=r"_step: table \d is left out .* allowed: "):
        env.step(state)
    assert games == [env._games.get_game(row) for row in range(3)]


def test_packed_rows_are_allowed_and_named_where_none_are_asked_for():
    env = SchafkopfEnv(3, observation="packed", seed=1)
    check_env_specs(env, seed=3)
    seen = env.rollout(5, break_when_any_done=False)["observation"]
    assert (seen.shape, seen.dtype) == ((3, 5, 64), torch.uint8)
    with pytest.raises(ValueError, match='"none", allowed: float32, uint8, packed'):
        SchafkopfEnv(3, observation="none")


def test_the_action_spec_holds_the_mask_of_the_state():
    env = SchafkopfEnv(6, opponent=None, seed=1)
    state = env.reset()
    for _ in range(20):
        mask = state["action_mask"]
        assert (env.action_spec.mask == mask).all()
        assert (mask.numpy() == env._games.action_mask).all()
        drawn = torch.stack([env.action_spec.rand() for _ in range(20)])
        assert mask.expand(20, 6, 128).gather(-1, drawn[..., None]).all()
        illegal = (~mask).int().argmax(-1)
        assert not env.action_spec.is_in(illegal)
        assert env.action_spec.is_in(env.action_spec.project(illegal.clone()))
        state = env.step_and_maybe_reset(env.rand_action(state))[1]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torchrl's own classes at import
def test_what_copies_the_action_spec_draws_legal_actions_too():
    from torchrl.collectors import Collector
    from torchrl.envs import RewardSum, TransformedEnv

    collector = Collector(
        SchafkopfEnv(4, opponent="random", seed=1), None, frames_per_batch=80, total_frames=160
    )
    for batch in collector:  # an illegal action would raise
        assert batch["action_mask"].gather(-1, batch["action"][..., None]).all()
    collector.shutdown()
    env = TransformedEnv(SchafkopfEnv(4, opponent="random", seed=1), RewardSum())
    assert env.rollout(20, break_when_any_done=False)["action"].shape == (4, 20)


def four_tables(seed=1):
    return SchafkopfEnv(4, opponent="random", seed=seed)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torchrl's own classes at import
@pytest.mark.parametrize(
    ("batched", "make", "frames"),
    [
        (SerialEnv, four_tables, 8000),
        (SerialEnv, [four_tables, lambda: four_tables(2)], 8000),
        (ParallelEnv, four_tables, 4000),
    ],
)
def test_batches_of_environments_under_an_action_mask_draw_legal_actions(batched, make, frames):
    from torchrl.collectors import Collector

    env = TransformedEnv(batched(2, make), Compose(ActionMask(), RewardSum()))
    seen = env.rollout(40, break_when_any_done=False)
    assert seen["action_mask"].gather(-1, seen["action"][..., None]).all()
    collector = Collector(env, None, frames_per_batch=800, total_frames=frames)
    made = ended = alone = 0
    for batch in collector:  # an illegal action would raise
        assert batch["action_mask"].gather(-1, batch["action"][..., None]).all()
        done = batch["next", "done"].any(dim=-1).any(dim=1)  # [2, steps]: of either environment
        made, ended = made + batch.numel(), ended + int(batch["next", "done"].sum())
        alone += int((done[0] != done[1]).sum())
    collector.shutdown()
    assert made == frames and ended > frames / 10
    assert alone > 20  # resets of one environment while the other goes on


def test_a_mask_of_a_spec_is_that_of_its_copies_and_of_no_other_shape():
    spec = four_tables().action_spec
    copy, wide = spec.clone(), spec.expand(3, 4)
    mask = torch.zeros(4, 128, dtype=torch.bool)
    mask[:, 7] = True
    spec.update_mask(mask)
    assert (copy.rand() == 7).all() and wide.mask.all() and wide.mask.shape == (3, 4, 128)
    wide[0].update_mask(mask)
    assert wide.mask.all() and spec == four_tables().action_spec != wide
    with pytest.raises(ValueError, match="boolean"):
        spec.update_mask(mask.long())
    spec.update_mask(None)
    assert copy.mask.all()


def test_random_rollouts_are_games_of_the_engine():
    env = SchafkopfEnv(4, opponent=None, start="card_play", generator="heuristic", seed=8)
    torch.manual_seed(1)
    seen = env.rollout(70, break_when_any_done=False)
    batch = schafkopf.VectorEnv(
        4, start="card_play", generator="heuristic", seed=8, auto_reset="same_step"
    )
    batch.reset()
    ended = 0
    for step in range(70):
        now = seen[:, step]
        assert (now["observation"].numpy() == batch.observation).all()
        assert (now["current_player"].numpy() == batch.current_player).all()
        batch.step(now["action"])
        assert (now["next", "reward"].numpy() == batch.rewards).all()
        assert (now["next", "done"][:, 0].numpy() == batch.terminated).all()
        assert (now["next", "terminated"] == now["next", "done"]).all()
        assert env.observation_spec["current_player"].is_in(now["next", "current_player"])
        ended += int(batch.terminated.sum())
    assert ended >= 8


def test_the_learner_is_paid_at_the_end_of_its_deals():
    tables = SchafkopfEnv(8, opponent="random", learner_seat=2)
    env = TransformedEnv(tables, Compose(ActionMask(), RewardSum()))
    env.set_seed(5)
    rollout = env.rollout(60, break_when_any_done=False)
    seen = rollout["next"]
    batch = schafkopf.VectorEnv(
        8, seed=5, opponent="random", learner_seat=2, auto_reset="same_step"
    )
    for step in range(60):
        batch.step(rollout["action"][:, step])
        assert (seen["reward"][:, step, 0].numpy() == batch.rewards[:, 2]).all()
    assert seen["reward"].shape == (8, 60, 1) and seen["reward"].any()
    assert (seen["reward"][~seen["done"]] == 0).all()
    assert (seen["episode_reward"][seen["done"]] == seen["reward"][seen["done"]]).all()


def test_a_rotating_learner_meets_a_player_of_its_own_in_each_seat():
    options = {"learner_seat": "rotate", "start": "card_play", "generator": "heuristic", "seed": 6}
    players = ["rules", "random", "rules"]
    torch.manual_seed(1)
    seen = SchafkopfEnv(16, opponent=players, **options).rollout(32, break_when_any_done=False)
    batch = schafkopf.VectorEnv(16, opponents=players, auto_reset="same_step", **options)
    batch.reset()
    met = set()
    for step in range(32):
        now = seen[:, step]
        assert (now["observation"].numpy() == batch.observation).all()
        seats = batch.learner_seat.copy()  # before the step: of the deal that goes on
        batch.step(now["action"])
        rewards, ended = now["next", "reward"][:, 0].numpy(), now["next", "done"][:, 0].numpy()
        assert (ended == batch.terminated).all() and (rewards[~ended] == 0).all()
        for env in ended.nonzero()[0]:
            assert rewards[env] == batch.rewards[env, seats[env]]
            met.add(int(seats[env]))
    assert met == {0, 1, 2, 3}


def test_seeds_give_the_same_deals_and_none_gives_others():
    def first(seed=None, **options):
        env = SchafkopfEnv(2, **options)
        if seed is not None:
            env.set_seed(seed)
        return env.reset()["observation"].numpy().tobytes()

    assert first(seed=5) == first(seed=5) != first(seed=6)
    assert len({first() for _ in range(4)}) == 4
    torch.manual_seed(3)
    one = first()
    torch.manual_seed(3)
    assert first() == one
    assert SchafkopfEnv(2, seed=5).reset()["observation"].numpy().tobytes() == first(seed=5)


def test_resets_go_on_with_the_deals_of_the_seed_that_was_given():
    env, batch = SchafkopfEnv(2), schafkopf.VectorEnv(2, seed=5, opponent="rules", learner_seat=0)
    env.set_seed(5)
    shown = []
    for _ in range(3):
        shown.append(env.reset()["observation"].numpy().copy())
        batch.reset()
        assert (shown[-1] == batch.observation).all()
    assert len({rows.tobytes() for rows in shown}) == 3


def test_a_table_is_rendered_by_its_number():
    env = SchafkopfEnv(2, seed=1)
    env.reset()
    assert [env.render(row) for row in range(2)] == [env._games.render(row) for row in range(2)]
    assert env.render(0) == env.render() != env.render(1)


def test_some_tables_are_reset_and_the_others_go_on():
    env = SchafkopfEnv(3, opponent="random", seed=2)
    state = env.rollout(1)[:, -1]["next"].exclude("reward")
    chosen = torch.tensor([[True], [False], [True]])
    after = env.reset(state.clone().set("_reset", chosen))
    same = (after["observation"] == state["observation"]).all(-1)
    assert same.tolist() == [False, True, False]


def test_gym_env_makes_the_registered_ids():
    # it tries an option that we do not have and reads from the TypeError which one that was
    pytest.importorskip("schafkopf.adapters.gymnasium")
    options = {"mask_in_observation": True, "illegal_action": "raise"}
    table = GymEnv("SchafkopfCardPlay-v0", categorical_action_encoding=True, **options)
    rollout = TransformedEnv(table, MaskOfState()).rollout(20)
    assert rollout["next", "terminated"].squeeze(-1).tolist() == [False] * 7 + [True]
    with pytest.raises(TypeError, match=r'unknown keyword "rulez".*nearest one is "rules"'):
        GymEnv("SchafkopfCardPlay-v0", rulez="research")


def test_wrong_options_and_actions_are_named():
    with pytest.raises(TypeError, match="action_mask cannot be given"):
        SchafkopfEnv(action_mask=False)
    with pytest.raises(TypeError, match='nearest one is "rules"'):
        SchafkopfEnv(2, rulez="research")
    with pytest.raises(ValueError, match='observation = "none", allowed: float32, uint8'):
        SchafkopfEnv(observation="none")
    env = SchafkopfEnv(2)
    state = env.reset()
    before = state["observation"].clone()
    illegal = state.clone().set("action", (~state["action_mask"]).int().argmax(-1))
    with pytest.raises(schafkopf.IllegalAction):
        env.step(illegal)
    assert (torch.from_numpy(env._games.observation) == before).all()
    env.close()
    env.close()
    with pytest.raises(RuntimeError, match="closed"):
        env.reset()
