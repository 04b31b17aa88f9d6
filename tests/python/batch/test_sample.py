"""schafkopf.sample: legal actions from logits, with the probabilities of a softmax."""

import numpy as np
import pytest

import schafkopf


def masks(bits):
    """Return legal uint64 [N, 2] as bool [N, 128]."""
    shifted = bits[:, :, None] >> np.arange(64, dtype=np.uint64)
    return (shifted & np.uint64(1)).astype(bool).reshape(len(bits), 128)


def words(legal):
    """Return bool [N, 128] as uint64 [N, 2]."""
    return np.packbits(legal, axis=1, bitorder="little").view(np.uint64)


def logits_of(rows, seed=1):
    return np.random.default_rng(seed).normal(size=(rows, 128)).astype(np.float32)


def test_only_legal_actions_are_drawn_and_step_takes_them():
    env = schafkopf.VectorEnv(64, seed=3, rules="wikipedia_extended")
    rng = np.random.default_rng(1)
    for step in range(60):
        actions = schafkopf.sample(logits_of(64, step), env.legal, rng)
        assert actions.dtype == np.int32 and actions.shape == (64,)
        assert masks(env.legal)[np.arange(64), actions].all()
        env.step(actions)


def test_masks_are_read_as_bits_are():
    env = schafkopf.VectorEnv(64, seed=3, view_lines=True)
    env.step(env.random_actions())
    logits = logits_of(64)
    drawn = schafkopf.sample(logits, env.legal, 5)
    seen = schafkopf.legal_mask(env.views())
    for mask in (env.action_mask, env.action_mask.astype(bool), seen.astype(np.float32)):
        assert (schafkopf.sample(logits, mask, 5) == drawn).all()
    with pytest.raises(ValueError, match="row 0: no action to draw"):
        schafkopf.sample(logits, np.zeros((64, 128), np.int8), 5)
    torch = pytest.importorskip("torch", exc_type=ImportError)
    tensor = torch.from_numpy(logits).requires_grad_()
    for legal in (env.legal, env.action_mask):
        assert (schafkopf.sample(tensor, torch.from_numpy(legal), 5) == drawn).all()
    both = r" came, allowed: uint64 \[64, 2\] of bits, or masks \[64, 128\]$"
    for wrong, came in (
        (env.action_mask[:, :127], r"uint8 \[64, 127\]"),
        (env.legal[:, :1], r"uint64 \[64, 1\]"),
        (env.legal.tolist(), "list"),
    ):
        with pytest.raises(ValueError, match=f"^legal: {came}{both}"):
            schafkopf.sample(logits, wrong, 5)


def test_frequencies_are_those_of_a_softmax():
    rows, legal = 200_000, [0, 7, 63, 64, 127]
    logits = np.tile(logits_of(1), (rows, 1))
    logits[:, 5] = 100.0  # illegal: not read
    mask = np.zeros((rows, 128), bool)
    mask[:, legal] = True
    drawn = schafkopf.sample(logits, words(mask), 7)
    weights = np.exp(logits[0, legal].astype(float))
    for action, share in zip(legal, weights / weights.sum(), strict=True):
        error = 4 * np.sqrt(share * (1 - share) / rows)
        assert np.mean(drawn == action) == pytest.approx(share, abs=error)
    assert set(drawn) <= set(legal)


def test_rows_of_any_number_of_actions_and_size_of_logits_pass_a_chi_square_test():
    rows = 20_000
    for count, size in [(2, 1.0), (6, 1.0), (8, 100.0), (8, -100.0), (9, 1.0), (128, 1.0)]:
        logits = np.tile(logits_of(1, count) + np.float32(size), (rows, 1))
        mask = np.zeros((rows, 128), bool)
        mask[:, np.random.default_rng(count).permutation(128)[:count]] = True
        drawn = np.bincount(schafkopf.sample(logits, words(mask), 3), minlength=128)
        weights = np.where(mask[0], np.exp(logits[0].astype(float) - size), 0)
        expected = rows * weights / weights.sum()
        assert not drawn[~mask[0]].any()
        chi_square = ((drawn - expected)[mask[0]] ** 2 / expected[mask[0]]).sum()
        assert chi_square < count - 1 + 4.5 * np.sqrt(2 * (count - 1)), (count, size)


def test_a_seed_gives_the_same_actions_and_rows_do_not_depend_on_each_other():
    env = schafkopf.VectorEnv(512, seed=1)
    logits = logits_of(512)
    first = schafkopf.sample(logits, env.legal, 5)
    assert (first == schafkopf.sample(logits, env.legal, 5)).all()
    assert (first[:100] == schafkopf.sample(logits[:100], env.legal[:100], 5)).all()
    assert (first != schafkopf.sample(logits, env.legal, 6)).any()
    one, two = np.random.default_rng(3), np.random.default_rng(3)
    a, b = (schafkopf.sample(logits, env.legal, one) for _ in range(2))
    assert (a != b).any()
    assert (a == schafkopf.sample(logits, env.legal, two)).all()
    assert (b == schafkopf.sample(logits, env.legal, two)).all()


def test_extreme_logits():
    mask = np.zeros((4, 128), bool)
    mask[:, [3, 9]] = True
    logits = np.full((4, 128), np.nan, np.float32)
    logits[:, 3], logits[:, 9] = [-np.inf, 3e38, -3e38, 0], [-1e30, -3e38, 3e38, -np.inf]
    for seed in range(50):
        assert schafkopf.sample(logits, words(mask), seed).tolist() == [9, 3, 9, 3]


def test_other_dtypes_strides_and_out():
    env = schafkopf.VectorEnv(32, seed=1)
    logits = logits_of(32)
    wanted = schafkopf.sample(logits, env.legal, 5)
    out = np.zeros(32, np.int32)
    for given in (
        logits.astype(np.float64),
        np.asfortranarray(logits),
        np.repeat(logits, 2, 0)[::2],
    ):
        assert schafkopf.sample(given, env.legal, rng=5, out=out) is out
        assert (out == wanted).all()
        out[:] = 0
    torch = pytest.importorskip("torch", exc_type=ImportError)
    short = torch.from_numpy(logits).bfloat16()  # of autocast; NumPy has no such dtype
    assert (
        schafkopf.sample(short, env.legal, 5) == schafkopf.sample(short.float(), env.legal, 5)
    ).all()
    halves = logits.astype(np.float16)
    widened = schafkopf.sample(halves.astype(np.float32), env.legal, 5)
    assert (schafkopf.sample(halves, env.legal, 5) == widened).all()
    legal = np.repeat(env.legal, 2, 0)[::2]
    assert not legal.flags.c_contiguous
    assert (schafkopf.sample(logits, legal, 5) == wanted).all()
    assert (
        schafkopf.sample(np.zeros((0, 128), np.float32), np.zeros((0, 2), np.uint64), 1).size == 0
    )


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"logits": np.zeros((4, 127), np.float32)}, r"logits: float32 \[4, 127\] came"),
        ({"logits": np.zeros((4, 128), np.int64)}, r"logits: int64 \[4, 128\] came"),
        ({"logits": [[0.0] * 128] * 4}, "logits: list came"),
        ({"legal": np.ones((4, 127), np.uint8)}, r"legal: uint8 \[4, 127\] came, allowed: uint64"),
        ({"legal": np.ones((3, 2), np.uint64)}, r"allowed: uint64 \[4, 2\]"),
        ({"legal": np.zeros((4, 2), np.uint64)}, "row 0: no action to draw"),
        ({"logits": np.full((4, 128), np.nan, np.float32)}, "row 0: no action to draw"),
        ({"logits": np.full((4, 128), np.inf, np.float32)}, "row 0: no action to draw"),
        ({"logits": np.full((4, 128), -np.inf, np.float32)}, "row 0: no action to draw"),
        ({"rng": -1}, r"rng = -1, allowed: integer 0\.\.18446744073709551615"),
        ({"rng": 1.5}, "rng: float came"),
        ({"rng": None}, "rng: NoneType came"),
        ({"rng": np.random}, "rng: module came"),
        ({"out": np.zeros(4, np.int64)}, r"out: int64 \[4\] came, allowed: .* int32 \[4\]"),
    ],
)
def test_wrong_arguments_are_named(change, text):
    arguments = {"logits": logits_of(4), "legal": np.ones((4, 2), np.uint64), "rng": 1}
    with pytest.raises(ValueError, match=text):
        schafkopf.sample(**arguments | change)


def test_masks_of_any_order_are_sampled():
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(5, 128)).astype(np.float32)
    mask = rng.random((5, 128)) < 0.2
    expected = schafkopf.sample(logits, mask, 1)
    assert (schafkopf.sample(logits, np.asfortranarray(mask), 1) == expected).all()


@pytest.mark.parametrize("wrong", [np.nan, -np.inf, -1.0])
def test_a_mask_with_what_is_no_yes_or_no_is_refused(wrong):
    mask = np.ones((4, 128), np.float32)
    mask[2, 5] = wrong
    with pytest.raises(ValueError, match=r"legal: \S+ for action 5 in row 2, allowed: bools or"):
        schafkopf.sample(np.zeros((4, 128), np.float32), mask, 1)


@pytest.mark.parametrize("dtype", ["U1", "S1", object, complex, "m8[s]"])
def test_a_mask_of_other_things_than_numbers_is_refused(dtype):
    mask = (
        np.full((4, 128), "0").astype(dtype) if dtype in ("U1", "S1") else np.ones((4, 128), dtype)
    )
    words = r"legal: \S+ \[4, 128\] came, allowed: uint64 \[4, 2\] of bits, or masks \[4, 128\]"
    with pytest.raises(ValueError, match=words):
        schafkopf.sample(np.zeros((4, 128), np.float32), mask, 1)


def test_nothing_is_drawn_into_an_array_that_is_read_only():
    out = np.zeros(2, np.int32)
    out.setflags(write=False)
    legal = np.full((2, 2), 1, np.uint64)
    with pytest.raises(ValueError, match=r"out: int32 \[2\] came, allowed: .* can be written"):
        schafkopf.sample(np.zeros((2, 128), np.float32), legal, 1, out=out)


def test_logits_that_numpy_will_not_make_float32_raise_what_numpy_raises():
    env = schafkopf.VectorEnv(1, seed=1)
    env.reset()
    logits = np.where(env.action_mask == 1, 0.0, -1e300)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        schafkopf.sample(logits, env.legal, 1)
    with np.errstate(over="ignore"):
        (action,) = schafkopf.sample(logits, env.legal, 1)
    assert env.action_mask[0, action] == 1


def test_a_generator_of_another_package_is_told_by_its_module():
    torch = pytest.importorskip("torch")
    arguments = {"logits": logits_of(4), "legal": np.ones((4, 2), np.uint64)}
    for rng, name in (
        (torch.Generator(), "torch._C.Generator"),
        (np.random.RandomState(1), "numpy.random.mtrand.RandomState"),
        (np.float64(1), "numpy.float64"),
        ("1", "str"),
    ):
        with pytest.raises(ValueError) as caught:
            schafkopf.sample(**arguments, rng=rng)
        words = "came, allowed: numpy.random.Generator, or a seed 0..2^64-1"
        assert str(caught.value) == f"rng: {name} {words}"


@pytest.mark.parametrize("name", ["logits", "legal"])
@pytest.mark.parametrize("place", ["meta", "sparse"])
def test_tensors_that_cannot_be_read_are_named(name, place):
    torch = pytest.importorskip("torch", exc_type=ImportError)
    given = {"logits": torch.zeros(2, 128), "legal": torch.ones(2, 128)}
    given[name] = given[name].to_sparse() if place == "sparse" else given[name].to(place)
    words = (
        rf"{name}: Tensor \(.*{place}.*\) came, allowed: an array or a tensor in the main memory"
    )
    with pytest.raises(ValueError, match=f"(?i){words}"):
        schafkopf.sample(**given, rng=1)


@pytest.mark.parametrize("hidden", ["logits", "legal"])
def test_masked_arrays_that_hide_entries_are_refused(hidden):
    given = {"logits": logits_of(2), "legal": np.ones((2, 128), np.uint8)}
    drawn = schafkopf.sample(**given, rng=1)
    whole = given | {hidden: np.ma.masked_array(given[hidden])}
    assert (schafkopf.sample(**whole, rng=1) == drawn).all()
    given[hidden] = np.ma.masked_array(given[hidden], given[hidden] > 0)
    with pytest.raises(ValueError, match=f"{hidden}: a masked array that hides entries came, allo"):
        schafkopf.sample(**given, rng=1)


class OfAnotherLibrary:
    """An array as JAX has them: no array of NumPy, which asks it for one."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype)


def test_arrays_of_other_libraries_are_read_as_those_of_numpy():
    env = schafkopf.VectorEnv(8, seed=1, action_mask=True)
    logits = np.random.default_rng(1).normal(size=(8, 128)).astype(np.float32)
    expected = schafkopf.sample(logits, env.legal, rng=1)
    for legal in (env.legal, env.action_mask):
        given = (OfAnotherLibrary(logits), OfAnotherLibrary(legal))
        assert (schafkopf.sample(*given, rng=1) == expected).all()
