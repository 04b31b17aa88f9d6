"""Buffers of VectorEnv are shown, never read; torch and DLPack take them as they are."""

import warnings

import numpy as np
import pytest

import schafkopf

ONCE = {
    "rule_index",
    "rule_features",
    "running_seed",
    "learner_seat",
    "episode_return",
    "episode_seed",
    "episode_learner_seat",
}


def scribble(env, rng):
    """Random bytes over every buffer."""
    for array in env.buffers().values():
        cells = array.view(np.uint8)
        cells[...] = rng.integers(0, 256, cells.shape, np.uint8)


def expect_shown_as(env, twin):
    for name, array in env.buffers().items():
        other = twin.buffers()[name]
        if name in ONCE or name == "final_observation":
            if name.startswith("episode") or name == "final_observation":
                rows = twin.terminated
                assert (array[rows] == other[rows]).all(), name
        else:
            assert (array == other).all(), name


@pytest.mark.parametrize(
    "options",
    [
        {"num_threads": 2},
        {"auto_reset": "same_step", "learner_seat": 1, "opponent": "rules", "cards": "canonical"},
        {"rules": ["research", "official_1989"], "rule_index": [0, 1] * 20, "skip_forced": True},
    ],
)
def test_garbage_in_every_buffer_changes_no_run(options):
    options = {"seed": 5, "view_lines": True, "full_view": True, "session": True, **options}
    env, twin = schafkopf.VectorEnv(40, **options), schafkopf.VectorEnv(40, **options)
    rng = np.random.default_rng(1)
    players = [schafkopf.make_agent(name) for name in ("rules", "oracle")]
    if "rule_index" in options:
        players.pop()  # a hundred solved positions are enough
    for number in range(50):
        scribble(env, rng)
        drawn = env.random_actions()
        assert (drawn == twin.random_actions()).all()
        assert (env.views() == twin.views()).all()
        assert (env.card_map_numbers() == twin.card_map_numbers()).all()
        if number % 10 == 3:
            for player in players:
                chosen = env.agent_actions(player)
                assert (chosen == twin.agent_actions(player)).all()
            env.step(chosen)
            twin.step(chosen)
        elif number % 10 == 5:
            game = twin.get_game(0)
            assert env.get_game(0).serialize() == game.serialize()
            if not game.is_terminal:
                env.set_game(0, game)
                twin.set_game(0, game)
            env.step_random()
            twin.step_random()
        elif number % 10 == 7:
            assert env.snapshot() == twin.snapshot()
            saved = env.snapshot()
            scribble(env, rng)
            env.restore(saved)
            env.step_random()
            twin.step_random()
        elif number % 10 == 9:
            mask = np.arange(40) % 3 == 0
            for one in (env, twin):
                one.reset(options={"reset_mask": mask})
            scribble(env, rng)
            env.step_random()
            twin.step_random()
        else:
            env.step(drawn)
            twin.step(drawn)
        expect_shown_as(env, twin)
    assert env.snapshot() == twin.snapshot()
    scribble(env, rng)
    assert (env.reset(seed=2)[0] == twin.reset(seed=2)[0]).all()
    expect_shown_as(env, twin)


def test_a_written_mask_makes_no_action_legal():
    env = schafkopf.VectorEnv(4, seed=1)
    before, shown = env.snapshot(), env.legal.copy()
    wrong = schafkopf.actions.parse_action("LAY")
    env.legal[...] = np.iinfo(np.uint64).max
    env.action_mask[...] = 1
    for actions in (np.full(4, wrong, np.int32), [wrong] * 4):
        with pytest.raises(ValueError, match="env 0, action 42"):
            env.step(actions)
    assert env.snapshot() == before
    env.restore(before)
    assert (env.legal == shown).all()


def test_what_is_done_in_place_to_a_row_is_gone_after_the_next_step():
    env, twin = (
        schafkopf.VectorEnv(8, observation="float32"),
        schafkopf.VectorEnv(8, observation="float32"),
    )
    for _ in range(60):
        observation, rewards, terminated, truncated, _ = env.step(env.random_actions())
        twin.step_random()
        assert (observation == twin.observation).all() and (rewards == twin.rewards).all()
        assert (terminated == twin.terminated).all() and not truncated.any()
        observation -= 0.5  # normalised, and a penalty per step
        rewards -= 0.01
        truncated[:] = True


@pytest.mark.parametrize("observation", ["uint8", "float32"])
@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_a_change_of_the_rules_section_alone_is_gone_with_the_next_deal(observation, version):
    """The rest of a row is written with every step, and this section where it begins otherwise."""
    options = {"observation": observation, "observation_version": version, "seed": 3}
    env, twin = (
        schafkopf.VectorEnv(
            24, rules=["research", "wikipedia_extended"], rule_index=[0, 1] * 12, **options
        )
        for _ in range(2)
    )
    env.step(twin.random_actions())  # a step in which every row gets its section
    twin.step_random()
    section = schafkopf.observations.observation_sections(version)["rules"]
    tail = env.observation[:, section][:, 64:]
    assert tail.any(axis=1).all()
    tail[...] = 9
    begun = np.zeros(24, bool)
    for _ in range(60):
        before = env.running_seed.copy()
        env.step_random()
        twin.step_random()
        begun |= env.running_seed != before
        assert (env.observation[:, : section.start] == twin.observation[:, : section.start]).all()
        assert (env.observation[begun] == twin.observation[begun]).all()
    assert begun.all()
    saved = twin.snapshot()
    for mend in (lambda one: one.reset(seed=4), lambda one: one.restore(saved)):
        tail[...] = 9
        mend(env)
        mend(twin)
        assert (env.observation == twin.observation).all()


@pytest.mark.parametrize("rules", schafkopf.rules.preset_names())
@pytest.mark.parametrize("observation", ["uint8", "float32"])
def test_a_rules_section_whose_beginning_is_changed_is_whole_after_the_next_step(
    rules, observation
):
    env = schafkopf.VectorEnv(3, rules=rules, observation=observation)
    section = schafkopf.observations.observation_sections()["rules"]
    env.step_random()
    shown = env.observation[:, section].copy()
    for change in (np.zeros_like(shown), shown // 2, 255 - shown):
        env.observation[:, section] = change
        env.step_random()
        assert (env.observation[:, section] == shown).all()


def test_actions_may_lie_in_a_shown_buffer():
    env, twin = schafkopf.VectorEnv(64, seed=2), schafkopf.VectorEnv(64, seed=2)
    memory = env.rewards.view(np.int32).reshape(-1)[:64]  # cleared while the step runs
    for _ in range(60):
        memory[:] = env.random_actions()
        env.step(memory)
        twin.step_random()
    assert env.snapshot() == twin.snapshot()


def all_buffers():
    env = schafkopf.VectorEnv(
        8,
        rules="wikipedia_extended",
        view_lines=True,
        full_view=True,
        session=True,
        learner_seat=0,
        opponent="random",
    )
    return {name: value for name, value in vars(env).items() if isinstance(value, np.ndarray)}


def test_every_buffer_is_shown_as_an_array_that_may_be_written():
    buffers = all_buffers()
    assert {"legal", "truncated", "final_observation", "rule_features"} <= set(buffers)
    for name, array in buffers.items():
        assert array.flags.writeable, name


@pytest.mark.parametrize("name", sorted(all_buffers()))
def test_torch_and_dlpack_take_each_buffer_without_a_copy_or_a_warning(name):
    array = all_buffers()[name]
    address = array.__array_interface__["data"][0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.from_dlpack(array).__array_interface__["data"][0] == address
        torch = pytest.importorskip("torch")
        assert torch.from_numpy(array).data_ptr() == address
        assert torch.from_dlpack(array).data_ptr() == address
        assert torch.as_tensor(array).data_ptr() == address
