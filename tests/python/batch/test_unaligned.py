"""Arrays at addresses that are none of their type are read right: undefined behaviour, were they
read where they lie, which the sanitizers see (./run sanitize)."""

import numpy as np
import pytest

import schafkopf
from schafkopf.actions import sample
from schafkopf.cards import mask_to_canonical, to_canonical


def crooked(array):
    """The same numbers one byte beside where they should lie."""
    array = np.ascontiguousarray(array)
    data = np.zeros(array.nbytes + 1, np.uint8)
    same = np.frombuffer(data.data, array.dtype, array.size, offset=1).reshape(array.shape)
    assert same.ctypes.data % 2 == 1
    same[...] = array
    return same


@pytest.mark.parametrize("dtype", [np.int16, np.uint32, np.int32, np.int64, np.uint64])
def test_actions_of_a_step(dtype):
    env, twin = schafkopf.VectorEnv(5, seed=1), schafkopf.VectorEnv(5, seed=1)
    actions = twin.random_actions()
    env.step(crooked(actions.astype(dtype)))
    twin.step(actions)
    assert env == twin


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_logits_and_masks_that_actions_are_drawn_from(dtype):
    env = schafkopf.VectorEnv(9, seed=1)
    logits = np.random.default_rng(1).normal(size=(9, 128)).astype(dtype)
    drawn = sample(crooked(logits), crooked(env.legal), 5)
    assert np.array_equal(drawn, sample(logits, env.legal, 5))


def test_what_cannot_be_written_where_it_lies_is_refused():
    env = schafkopf.VectorEnv(9, seed=1)
    out = crooked(np.zeros(9, np.int32))
    with pytest.raises(ValueError, match=r"out: int32 \[9\] came, allowed: a contiguous and al"):
        env.random_actions(out=out)
    with pytest.raises(ValueError, match=r"out: int32 \[9\] came, allowed: a contiguous and al"):
        sample(np.zeros((9, 128), np.float32), env.legal, 5, out=out)


def test_cards_that_are_renamed():
    env = schafkopf.VectorEnv(9, seed=1)
    maps = np.arange(9)
    for move, given in [
        (to_canonical, np.arange(9)),
        (mask_to_canonical, np.asarray(env.legal)),
        (mask_to_canonical, env.action_mask.astype(np.float32)),
    ]:
        assert np.array_equal(move(crooked(given), crooked(maps)), move(given, maps))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_views_and_answers_of_players(dtype):
    class Crooked:
        def act(self, views):
            return crooked(schafkopf.legal_mask(views).argmax(axis=1).astype(dtype))

        def policy(self, views):
            mask = schafkopf.legal_mask(views).astype(np.float32)
            return crooked(mask / mask.sum(axis=1, keepdims=True)), crooked(
                np.ones(len(views), "f4")
            )

    env = schafkopf.VectorEnv(9, seed=1, view_lines=True)
    agent = schafkopf.make_agent(Crooked())
    mask = schafkopf.legal_mask(crooked(env.views()))
    assert np.array_equal(mask, schafkopf.legal_mask(env.views()))
    assert np.array_equal(env.agent_actions(agent), mask.argmax(axis=1))
    probabilities, values = agent.policy(crooked(env.views()), rules="research")
    assert np.array_equal(probabilities > 0, mask > 0)
    assert (values == 1).all()
