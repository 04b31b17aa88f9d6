"""The conformance test of vector environments passes what is right and names what is wrong."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from schafkopf.adapters.conformance import check_vector_env  # noqa: E402


class Countdown(gymnasium.Env):
    """Episodes of a drawn length; an observation tells how many steps are left."""

    observation_space = gymnasium.spaces.Box(0, 10, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def _shown(self):
        return np.array([self.left, self.noise], np.float32), {
            "action_mask": np.array([1, 1, self.left % 2], np.int8)
        }

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left, self.noise = int(self.np_random.integers(2, 7)), self.np_random.random()
        return self._shown()

    def step(self, action):
        self.left -= 1
        observation, info = self._shown()
        return observation, float(action), self.left == 0, False, info


def single(row):
    return Countdown()


class Vector(SyncVectorEnv):
    """Gymnasium's own, in which tests plant faults."""

    def __init__(self, mode, num_envs=4):
        super().__init__([Countdown] * num_envs, autoreset_mode=mode)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_the_reference_of_gymnasium_passes(mode):
    assert check_vector_env(lambda: Vector(mode), single, num_steps=40) > 10
    assert check_vector_env(lambda: Vector(mode), num_steps=40) > 10


class Shared(Vector):
    def __init__(self, mode):
        super().__init__(mode)
        self.copy = False


class Unseeded(Vector):
    def reset(self, *, seed=None, options=None):
        return super().reset(options=options)


class OneSeed(Vector):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=None if seed is None else 0, options=options)


class WrongSpace(Vector):
    def __init__(self, mode):
        super().__init__(mode)
        self.observation_space = gymnasium.spaces.Box(0, 10, (3, 2), np.float32)


class NoMode(Vector):
    def __init__(self, mode):
        super().__init__(mode)
        self.metadata = {}


class Changed(Vector):
    """Changes what step gives."""

    def step(self, actions):
        return self.change(*super().step(actions))


class Doubled(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        return observations, 2 * rewards, terminated, truncated, info


class Columns(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        return observations, rewards[:, None], terminated, truncated, info


class Numbers(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        return observations, rewards, terminated.astype(int), truncated, info


class Cut(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        return observations, rewards, terminated, truncated.astype(int), info


class Swapped(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        return observations, rewards, truncated, terminated, info


class Unmasked(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        del info["_action_mask"]
        return observations, rewards, terminated, truncated, info


class Moved(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        observations[0, 1] = 0.5
        return observations, rewards, terminated, truncated, info


class Doubles(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        return observations.astype(np.float64), rewards, terminated, truncated, info


class NoFinal(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        info = {key: value for key, value in info.items() if "final_obs" not in key}
        return observations, rewards, terminated, truncated, info


class WrongFinal(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        for row in np.flatnonzero(info.get("_final_obs", [])):
            info["final_obs"][row] = observations[row].copy()
        return observations, rewards, terminated, truncated, info


class WrongMask(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        info["action_mask"][0, 1] = 0
        return observations, rewards, terminated, truncated, info


class ResetsAll(Vector):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)


class StepsOn(Vector):
    def step(self, actions):
        self._autoreset_envs[:] = False
        return super().step(actions)


class NoInfo(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        return observations, rewards, terminated, truncated, [info]


class MaskOfNumbers(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        info["_action_mask"] = info["_action_mask"].astype(int)
        return observations, rewards, terminated, truncated, info


class MaskOfColumns(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        info["_action_mask"] = info["_action_mask"][:, None]
        return observations, rewards, terminated, truncated, info


class FourResults(Vector):
    def step(self, actions):
        observations, rewards, terminated, _, info = super().step(actions)
        return observations, rewards, terminated, info


class ObservationAlone(Vector):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options=options)[0]


class Objects(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        return observations, rewards.astype(object), terminated, truncated, info


class EndsInColumns(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        return observations, rewards, terminated[:, None], truncated, info


class CutsInColumns(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        return observations, rewards, terminated, truncated[:, None], info


class CutToo(Changed):
    """Says of every end that it is a cut as well."""

    def change(self, observations, rewards, terminated, truncated, info):
        return observations, rewards, terminated, truncated | terminated, info


class FinalOfSameStep(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        if terminated.any():
            info |= {"final_obs": observations.copy(), "_final_obs": terminated.copy()}
        return observations, rewards, terminated, truncated, info


class WideFinal(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        for row in np.flatnonzero(info.get("_final_obs", [])):
            info["final_obs"][row] = info["final_obs"][row].astype(np.float64)
        return observations, rewards, terminated, truncated, info


class WrongFinalMask(Changed):
    def change(self, observations, rewards, terminated, truncated, info):
        if "final_info" in info:
            info["final_info"]["action_mask"][:, 1] = 0
        return observations, rewards, terminated, truncated, info


class NoRows(Vector):
    def __init__(self, mode):
        super().__init__(mode)
        self.num_envs = 0


class BrokenRows(Vector):
    def __init__(self, mode):
        super().__init__(mode)
        self.num_envs = 4.0


class NoSpace(Vector):
    def __init__(self, mode):
        super().__init__(mode)
        self.observation_space = (4, 2)


class WrongActions(Vector):
    def __init__(self, mode):
        super().__init__(mode)
        self.action_space = gymnasium.spaces.MultiDiscrete([3] * 3)


class Restarted(Vector):
    """Changes what reset gives: of all rows, or of those that reset_mask chooses."""

    masked = False

    def reset(self, *, seed=None, options=None):
        rows = (options or {}).get("reset_mask")
        observations, info = super().reset(seed=seed, options=options)
        if (rows is not None) == self.masked:
            self.change(observations, info, slice(None) if rows is None else rows)
        return observations, info


class WrongStart(Restarted):
    def change(self, observations, info, rows):
        observations[rows, 1] = 0.5


class WrongRestart(WrongStart):
    masked = True


class WrongStartMask(Restarted):
    def change(self, observations, info, rows):
        info["action_mask"][rows, 1] = 0


class WrongRestartMask(WrongStartMask):
    masked = True


class ForgetsSeed(Vector):
    """Draws some of what the observations show where no seed comes to."""

    def step(self, actions):
        observations, *others = super().step(actions)
        observations[:, 1] = np.random.default_rng().random(4)
        return observations, *others


NEXT, SAME, DISABLED = AutoresetMode


@pytest.mark.parametrize(
    ("faulty", "mode", "text"),
    [
        (Shared, NEXT, "same memory"),
        (Unseeded, NEXT, r"reset\(seed\) after some steps"),
        (OneSeed, NEXT, "another seed gives the same"),
        (WrongSpace, NEXT, "observation_space is not 4 times"),
        (NoMode, NEXT, "autoreset_mode"),
        (Doubled, NEXT, r"step \d+, row \d: the reward differs"),
        (Columns, NEXT, r"rewards have the shape \(4, 1\)"),
        (Numbers, NEXT, "terminations are int64"),
        (Cut, NEXT, "truncations are int64"),
        (Swapped, NEXT, r"step \d+, row \d: \(terminated, truncated\) differs"),
        (Unmasked, NEXT, 'info has "action_mask" without the mask "_action_mask"'),
        (Moved, NEXT, r"step \d+, row 0: the observation differs"),
        (Doubles, NEXT, "not in observation_space"),
        (WrongMask, NEXT, "action mask differs"),
        (NoFinal, SAME, "not true in the rows that ended"),
        (WrongFinal, SAME, "final_obs differs"),
        (ResetsAll, DISABLED, "leaves row"),
        (StepsOn, DISABLED, "stepped again"),
        (NoInfo, NEXT, "info is of type list, allowed: dict"),
        (MaskOfNumbers, NEXT, r"allowed: bool \[4\]"),
        (MaskOfColumns, NEXT, r"allowed: bool \[4\]"),
        (FourResults, NEXT, "step gives"),
        (ObservationAlone, NEXT, "reset gives"),
        (Objects, NEXT, "rewards are object"),
        (EndsInColumns, NEXT, r"terminations have the shape \(4, 1\)"),
        (CutsInColumns, NEXT, r"truncations have the shape \(4, 1\)"),
        (CutToo, NEXT, r"\(terminated, truncated\) differs"),
        (FinalOfSameStep, NEXT, "which only SAME_STEP has"),
        (FinalOfSameStep, DISABLED, "which only SAME_STEP has"),
        (WideFinal, SAME, "final_obs is not in its space"),
        (WrongFinalMask, SAME, "the mask of final_info differs"),
        (NoRows, NEXT, "num_envs is no positive int"),
        (BrokenRows, NEXT, "num_envs is no positive int"),
        (NoSpace, NEXT, "observation_space is no gymnasium.Space"),
        (WrongActions, NEXT, "action_space is not 4 times"),
        (WrongStart, NEXT, "step 0, row 0: the observation of reset differs"),
        (WrongRestart, DISABLED, "the observation of reset_mask differs"),
        (WrongStartMask, NEXT, "step 0, row 0: the action mask differs"),
        (WrongRestartMask, DISABLED, "the action mask differs"),
        (ForgetsSeed, NEXT, "the same seed and actions give other results"),
    ],
)
def test_a_planted_fault_is_named(faulty, mode, text):
    with pytest.raises(AssertionError, match=text):
        check_vector_env(lambda: faulty(mode), single, num_steps=40)


def test_a_run_without_an_end_is_too_short():
    with pytest.raises(AssertionError, match="give more num_steps"):
        check_vector_env(lambda: Vector(NEXT), single, num_steps=1)


def test_environments_of_numbers_of_either_kind_pass_the_conformance_test():
    class Counter(gymnasium.Env):
        """A number of Python as observation, where a batch has those of NumPy."""

        observation_space = gymnasium.spaces.Discrete(4)
        action_space = gymnasium.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.count = int(self.np_random.integers(3))
            return self.count, {}

        def step(self, action):
            self.count += 1
            return self.count, 1.0, self.count == 3, False, {}

    check_vector_env(
        lambda: gymnasium.vector.SyncVectorEnv([Counter] * 3), lambda row: Counter(), num_steps=20
    )


def test_a_fault_is_named_without_single_environments_too():
    with pytest.raises(AssertionError, match="the same seed and actions give other results"):
        check_vector_env(lambda: ForgetsSeed(NEXT), num_steps=10)
    with pytest.raises(AssertionError, match="give more num_steps"):
        check_vector_env(lambda: Vector(NEXT), num_steps=1)


def test_an_environment_that_cannot_be_closed_twice_does_not_pass():
    class ClosesOnce(Vector):
        def close(self, **arguments):
            if self.closed:
                raise RuntimeError("closed before")
            super().close(**arguments)

    with pytest.raises(RuntimeError, match="closed before"):
        check_vector_env(lambda: ClosesOnce(NEXT), num_steps=10)


class Cutoff(Countdown):
    """A countdown that is cut at the end, where others terminate."""

    def step(self, action):
        observation, reward, terminated, _, info = super().step(action)
        return observation, reward, False, terminated, info


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_episodes_that_are_cut_are_ends_too(mode):
    assert passes(Cutoff, mode) > 10


def passes(kind, mode):
    """Check a batch of Gymnasium's own of some kind, and count its episodes."""
    return check_vector_env(
        lambda: SyncVectorEnv([kind] * 4, autoreset_mode=mode), lambda row: kind(), num_steps=20
    )


class Strict(Countdown):
    """A countdown that plays no illegal action."""

    def step(self, action):
        assert action < 2 or self.left % 2, f"{action} is illegal"
        return super().step(action)


class Shows(Strict):
    """A countdown whose observations tell the mask, and not info."""

    observation_space = gymnasium.spaces.Dict(
        {
            "left": gymnasium.spaces.Box(0, 10, (2,), np.float32),
            "action_mask": gymnasium.spaces.Box(0, 1, (3,), np.int8),
        }
    )

    def _shown(self):
        shown, info = super()._shown()
        return {"left": shown, **info}, {}


# SyncVectorEnv tells of the rows that reset_mask chooses alone: the masks of the others hold on
@pytest.mark.parametrize("kind", [Strict, Shows])
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_no_action_is_drawn_that_a_mask_forbids(kind, mode):
    assert passes(kind, mode) > 10


def countdown_of(space, shown):
    """Return a kind of countdown with other observations, of the number of steps that are left."""

    class Other(Countdown):
        observation_space = space

        def _shown(self):
            return shown(self.left), {}

    return Other


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize(
    "kind",
    [
        countdown_of(
            gymnasium.spaces.Tuple([gymnasium.spaces.Discrete(9), gymnasium.spaces.MultiBinary(2)]),
            lambda left: (np.int64(left), np.array([left % 2, 1], np.int8)),
        ),
        countdown_of(
            gymnasium.spaces.Dict({"number": gymnasium.spaces.Discrete(9)}),
            lambda left: {"number": left},
        ),
        countdown_of(
            gymnasium.spaces.Dict({"_left": gymnasium.spaces.Box(0, 9, (1,), np.float32)}),
            lambda left: {"_left": np.array([left], np.float32)},
        ),
        countdown_of(gymnasium.spaces.Text(9), lambda left: "a" * left + "b"),
        countdown_of(
            gymnasium.spaces.Dict({"text": gymnasium.spaces.Text(9)}),
            lambda left: {"text": "a" * left + "b"},
        ),
        countdown_of(
            gymnasium.spaces.Sequence(gymnasium.spaces.Discrete(9)), lambda left: (1,) * left
        ),
    ],
    ids=["tuple", "number in a dict", "underscore", "text", "text in a dict", "sequence"],
)
def test_observations_of_every_space_pass(kind, mode):
    assert passes(kind, mode) > 10
