"""What VectorEnv.step takes as actions, and what it refuses."""

import array
import re

import numpy as np
import pytest

import schafkopf

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", ">i4", ">i8", ">u4", ">u8"]


def envs():
    env = schafkopf.VectorEnv(24, seed=3)
    env.step_random(20)
    twin = schafkopf.VectorEnv(24, seed=3)
    twin.step_random(20)
    return env, twin


def expect_same_step(given):
    """Step by `given(actions)` and by int32."""
    env, twin = envs()
    for _ in range(30):
        actions = twin.random_actions()
        env.step(given(actions))
        twin.step(actions)
    assert env.snapshot() == twin.snapshot()


@pytest.mark.parametrize("dtype", DTYPES)
def test_any_integer_dtype_is_taken(dtype):
    expect_same_step(lambda actions: actions.astype(dtype))
    expect_same_step(lambda actions: np.stack([actions, actions], axis=1).astype(dtype)[:, 1])


@pytest.mark.parametrize(
    "given",
    [
        lambda actions: actions.tolist(),
        lambda actions: tuple(actions.tolist()),
        list,  # of NumPy's int32
        lambda actions: array.array("h", actions.tolist()),
        lambda actions: memoryview(np.ascontiguousarray(actions)),
        lambda actions: actions[::-1].copy()[::-1],
    ],
)
def test_lists_tuples_and_buffers_are_taken(given):
    expect_same_step(given)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8"])
def test_tensors_are_taken(dtype):
    torch = pytest.importorskip("torch")
    kind = getattr(torch, dtype)
    expect_same_step(lambda actions: torch.from_numpy(actions).to(kind))
    expect_same_step(lambda actions: torch.from_numpy(actions).to(kind).repeat(2, 1).T[:, 0])


class OnlyDlpack:
    def __init__(self, actions):
        self.actions = actions

    def __dlpack__(self, **keywords):
        return self.actions.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.actions.__dlpack_device__()


class OnlyArray:
    def __init__(self, actions):
        self.actions = actions

    def __array__(self, dtype=None, copy=None):
        return self.actions


@pytest.mark.parametrize("protocol", [OnlyDlpack, OnlyArray])
def test_other_tensors_are_taken_by_their_protocol(protocol):
    expect_same_step(lambda actions: protocol(actions.astype(np.int64)))


BEYOND = [-1, 128, 2**31, 2**32 + 5, -(2**32), 2**62, -(2**63), 2**63 - 1]


@pytest.mark.parametrize("wrong", [*BEYOND, 2**63, 2**64 - 1, 2**64 + 5, -(2**64) + 5])
def test_a_value_that_is_no_action_is_illegal_and_never_wraps(wrong):
    env, _ = envs()
    before = env.snapshot()
    row = int(np.flatnonzero(env.current_player >= 0)[-1])
    plain = env.random_actions()
    given = plain.tolist()
    given[row] = wrong
    forms = [given, tuple(given)]
    if -(2**63) <= wrong < 2**63:
        forms.append(np.array(given, np.int64))
        forms.append(np.array(given, ">i8"))
    if 0 <= wrong < 2**64:
        forms.append(np.array(given, np.uint64))
    for actions in forms:
        with pytest.raises(ValueError, match=f"env {row}, action ") as caught:
            env.step(actions)
        assert "actions are 0..127; legal: " in str(caught.value)
        assert f"action {wrong}:" in str(caught.value)
    assert env.snapshot() == before


def test_a_number_of_many_digits_is_not_printed_whole():
    env = schafkopf.VectorEnv(1, seed=1)
    with pytest.raises(ValueError, match=r"env 0, action \(a number of 100001 bits\): seat"):
        env.step([-(2**100000)])


def test_values_in_rows_of_finished_games_are_ignored_in_any_dtype():
    env = schafkopf.VectorEnv(1, seed=1)
    for filler in ([2**70], np.array([2**64 - 1], np.uint64), np.array([-5], np.int8)):
        while not env.terminated.any():
            env.step(env.random_actions())
        env.step(filler)
        assert env.current_player[0] >= 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.zeros(4, np.float32), r"float32 \[4\]"),
        (np.zeros(4, bool), r"bool \[4\]"),
        (np.zeros(4, object), r"object \[4\]"),
        (np.zeros(4, "m8[s]"), r"timedelta64\[s\] \[4\]"),
        (np.ma.masked_array([0] * 4, [0, 0, 1, 0]), "a masked array that hides entries"),
        (np.zeros(5, np.int32), r"int32 \[5\]"),
        (np.zeros((4, 1), np.int64), r"int64 \[4, 1\]"),
        (np.int32(3), "int32"),
        (3, "int came"),
        (None, "NoneType"),
        ("0000", "str"),
        ([0, 0, 0], "list of length 3"),
        ([0, 0, 1.0, 0], "a value of type float for env 2"),
        ([0, True, 0, 0], "a value of type bool for env 1"),
        ([0, np.True_, 0, 0], "a value of type bool(_)? for env 1"),
        ([[0], [0], [0], [0]], "a value of type list for env 0"),
        (("PASS",) * 4, "a value of type str for env 0"),
    ],
)
def test_what_is_no_row_of_integers_is_refused(given, words):
    env = schafkopf.VectorEnv(4)
    before = env.snapshot()
    with pytest.raises(ValueError, match=words) as caught:
        env.step(given)
    assert re.search("allowed: (4 integers|one with all of them)", str(caught.value))
    assert env.snapshot() == before


class OnACard:
    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **keywords):
        raise BufferError("not here")


def test_tensors_that_cannot_be_read_say_why():
    env = schafkopf.VectorEnv(4)
    with pytest.raises(ValueError, match=r"OnACard on a device .*x\.cpu\(\)"):
        env.step(OnACard())
    torch = pytest.importorskip("torch")
    with pytest.raises(ValueError, match=r"requires grad .*x\.detach\(\)"):
        env.step(torch.zeros(4, requires_grad=True))
    with pytest.raises(ValueError, match=r"float32 \[4\]"):
        env.step(torch.zeros(4))
    with pytest.raises(ValueError, match=r"bool \[4\]"):
        env.step(torch.zeros(4, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"Tensor \(.*meta.*\) came"):
        env.step(torch.zeros(4, dtype=torch.int64, device="meta"))
    with pytest.raises(ValueError, match="Tensor"):
        env.step(torch.zeros(4, dtype=torch.bfloat16))


@pytest.mark.parametrize("action", [2**60, 2**70, -(2**70), np.uint64(2**64 - 1)])
def test_an_action_of_any_size_is_an_illegal_action_with_its_parts(action):
    env = schafkopf.VectorEnv(2)
    env.reset()
    given = np.array([32, action], np.uint64) if isinstance(action, np.uint64) else [32, action]
    with pytest.raises(schafkopf.IllegalAction, match=f"env 1, action {action}: ") as caught:
        env.step(given)
    assert caught.value.env == 1 and 32 in caught.value.legal
