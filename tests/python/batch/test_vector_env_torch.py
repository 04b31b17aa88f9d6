"""VectorEnv with tensors: over the same memory in both directions, the same games."""

import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)

import schafkopf  # noqa: E402

TORCH = {"arrays": "torch", "seed": 3, "auto_reset": "same_step"}


def test_tensors_lie_where_the_arrays_lie():
    env = schafkopf.VectorEnv(
        8, **TORCH, learner_seat="rotate", opponent="random", view_lines=True, session=True
    )
    arrays = env.buffers()
    for name, array in arrays.items():
        tensor = getattr(env, name)
        assert isinstance(tensor, torch.Tensor), name
        assert tensor.data_ptr() == array.ctypes.data and tuple(tensor.shape) == array.shape, name
        assert tensor.numpy().dtype == array.dtype, name
    observation, rewards, terminated, truncated, info = env.step(env.random_actions())
    assert observation is env.observation and rewards is env.rewards
    assert terminated is env.terminated and truncated is env.truncated
    assert info["action_mask"] is env.action_mask and observation is env.reset()[0]


def test_games_are_those_of_the_arrays():
    torch_env = schafkopf.VectorEnv(32, **TORCH)
    numpy_env = schafkopf.VectorEnv(32, **{**TORCH, "arrays": "numpy"})
    for _ in range(40):
        actions = torch_env.random_actions()
        assert actions.dtype == torch.int32
        torch_env.step(actions)
        numpy_env.step(actions.numpy())
        assert np.array_equal(torch_env.observation.numpy(), numpy_env.observation)
    assert torch_env == numpy_env


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.uint8])
@pytest.mark.parametrize("arrays", ["torch", "numpy"])
def test_actions_are_tensors_of_any_integers(dtype, arrays):
    env = schafkopf.VectorEnv(16, seed=1, arrays=arrays)
    twin = schafkopf.VectorEnv(16, seed=1)
    for _ in range(30):
        actions = twin.random_actions()
        env.step(torch.from_numpy(actions).to(dtype))
        twin.step(actions)
    assert env == twin
    with torch.no_grad():
        chosen = torch.as_tensor(env.action_mask).argmax(dim=1)  # int64, as policies give them
    env.step(chosen)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_arrays_that_lie_across_words_are_read_right(dtype):
    env, twin = schafkopf.VectorEnv(5, seed=1), schafkopf.VectorEnv(5, seed=1)
    actions = twin.random_actions()
    data = bytearray(1 + 5 * np.dtype(dtype).itemsize)
    crooked = np.frombuffer(data, dtype, offset=1)
    crooked[:] = actions
    assert not crooked.flags.aligned
    env.step(crooked)
    twin.step(actions)
    assert env == twin
    spread = np.zeros(10, dtype)
    spread[::2] = twin.random_actions()
    env.step(spread[::2])
    twin.step(twin.random_actions())
    assert env == twin


@pytest.mark.parametrize(("dtype", "copied"), [("i4", False), ("i8", False), (">i8", True)])
def test_int64_is_read_without_a_copy(dtype, copied):
    env = schafkopf.VectorEnv(8192, seed=1, observation="none", action_mask=False)
    actions = env.random_actions().astype(dtype)
    tracemalloc.start()  # NumPy tells it of its arrays
    env.step(actions)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (most >= actions.nbytes) is copied, "of another order of bytes there is a copy"


def test_a_wide_action_that_is_refused_is_named_as_it_was_given():
    env = schafkopf.VectorEnv(3, seed=1)
    actions = torch.from_numpy(env.random_actions()).long()
    actions[1] = -(2**62)
    before = env.snapshot()
    with pytest.raises(schafkopf.IllegalAction, match=f"env 1, action {-(2**62)}: "):
        env.step(actions)
    assert env.snapshot() == before


def test_random_actions_go_into_tensors():
    env = schafkopf.VectorEnv(6, **TORCH)
    out = torch.zeros(6, dtype=torch.int32)
    assert env.random_actions(out=out) is out
    assert torch.equal(out, env.random_actions())
    with pytest.raises(ValueError, match="out: "):
        env.random_actions(out=torch.zeros(6, dtype=torch.int64))
    played = schafkopf.VectorEnv(6, **TORCH, view_lines=True)
    assert isinstance(played.agent_actions(schafkopf.make_agent("rules")), torch.Tensor)


def test_masked_actions_and_wrong_tensors_are_refused():
    env = schafkopf.VectorEnv(4, **TORCH)
    masked = env.action_mask.argmin(dim=1)
    with pytest.raises(schafkopf.IllegalAction, match="env 0"):
        env.step(masked)
    for wrong in (
        torch.zeros(4),
        torch.zeros(4, dtype=torch.bool),
        torch.zeros(5, dtype=torch.int64),
        torch.zeros((4, 1), dtype=torch.int64),
    ):
        with pytest.raises(ValueError, match=r"actions: .* came, allowed: 4 integers"):
            env.step(wrong)


def test_environments_with_tensors_pickle_and_close():
    env = schafkopf.VectorEnv(4, **TORCH)
    env.step(env.random_actions())
    again = pickle.loads(pickle.dumps(env))
    assert again == env and isinstance(again.observation, torch.Tensor)
    kept = env.rewards
    env.close()
    assert env.observation is None and env.rewards is None
    assert kept.shape == (4, 4)
    assert not torch.isnan(kept).any()


def test_spaces_are_those_of_the_arrays():
    pytest.importorskip("gymnasium")
    spaces = [
        schafkopf.VectorEnv(2, arrays=arrays, observation="uint8").observation_space
        for arrays in ("numpy", "torch")
    ]
    assert spaces[0] == spaces[1]


def test_torch_is_imported_only_when_it_is_asked_for():
    code = (
        "import sys, schafkopf\n"
        "schafkopf.VectorEnv(1); assert 'torch' not in sys.modules\n"
        "sys.modules['torch'] = None\n"
        "try: schafkopf.VectorEnv(1, arrays='torch')\n"
        "except ModuleNotFoundError as error: print(error)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert "pip install 'schafkopf[torch]'" in said


# What a network was shown lies in the memory of the batch: backward after the next step took the
# rows of that step, without a word.
@pytest.mark.parametrize(
    "change",
    [
        lambda env: env.step(env.random_actions()),
        lambda env: env.advance(env.random_actions()),
        lambda env: env.step_random(),
        lambda env: env.reset(),
        lambda env: env.restore(env.snapshot()),
        lambda env: env.set_game(0, env.get_game(1)),
    ],
)
def test_backward_after_the_next_step_is_refused_and_with_a_clone_right(change):
    env = schafkopf.VectorEnv(4, arrays="torch", rules="research")
    env.reset(seed=3)
    network = torch.nn.Linear(env.observation.shape[1], 1)
    network(env.observation).sum().backward()
    expected = network.weight.grad.clone()
    network.weight.grad = None
    shown, copied = network(env.observation).sum(), network(env.observation.clone()).sum()
    change(env)
    copied.backward()
    assert torch.equal(network.weight.grad, expected)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        shown.backward()


@pytest.mark.parametrize(
    ("out", "why"),
    [
        (torch.zeros(2, requires_grad=True), "requires grad"),
        (torch.zeros(2, dtype=torch.int32, device="meta"), "meta"),
        (torch.zeros(2, dtype=torch.int32).to_sparse(), "Sparse"),
        (torch.zeros(2, dtype=torch.bfloat16), "BFloat16"),
    ],
)
def test_a_tensor_that_no_actions_can_be_written_to_is_named(out, why):
    env = schafkopf.VectorEnv(2, **TORCH)
    words = rf"out: Tensor \(.*{why}.*\) came, allowed: an array or a tensor in the main memory"
    with pytest.raises(ValueError, match=words):
        env.random_actions(out)
