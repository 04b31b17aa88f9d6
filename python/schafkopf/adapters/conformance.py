"""What a vector environment of Gymnasium must do, as a test for anybody's.

    from schafkopf.adapters.conformance import check_vector_env
    check_vector_env(lambda: MyVectorEnv(8, autoreset_mode="SameStep"), lambda row: MyEnv())

It knows nothing of Schafkopf. Actions are drawn from single_action_space, legal ones where
info["action_mask"] or the entry "action_mask" of an observation says which are.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schafkopf.extras import load_extra

load_extra("gymnasium", "gymnasium")

import gymnasium  # noqa: E402
from gymnasium.utils.env_checker import data_equivalence  # noqa: E402
from gymnasium.utils.passive_env_checker import data_shares_objects  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from gymnasium.vector.utils import (  # noqa: E402
    batch_space,
    concatenate,
    create_empty_array,
    iterate,
)

SingleSeed = Callable[[int, int], int]
Vector = Any  # a gymnasium.vector.VectorEnv, or one of another class with its methods


def _mask(observation: Any, info: dict[str, Any]) -> Any:
    """Return the mask of one environment, None where it has none."""
    if "action_mask" in info:
        return info["action_mask"]
    return observation.get("action_mask") if isinstance(observation, dict) else None


def _drawn(space: gymnasium.Space[Any], mask: Any) -> Any:
    return space.sample() if mask is None else space.sample(np.asarray(mask, np.int8))


def _batch_of(space: gymnasium.Space[Any], actions: list[Any]) -> Any:
    out: Any = create_empty_array(space, len(actions))
    return concatenate(space, actions, out)


def _has(info: dict[str, Any], key: str, num_envs: int) -> NDArray[np.bool_]:
    """Return which rows have an entry of info, and check the mask that says so."""
    if key not in info:
        return np.zeros(num_envs, np.bool_)
    assert f"_{key}" in info, f'info has "{key}" without the mask "_{key}" of the rows that have it'
    mask = info[f"_{key}"]
    assert isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (num_envs,), (
        f'info["_{key}"] is {mask!r}, allowed: bool [{num_envs}]'
    )
    return mask


def _rows_of_info(info: dict[str, Any], env: int, num_envs: int) -> dict[str, Any]:
    """Return what info says of one row."""
    row: dict[str, Any] = {}
    for key, value in info.items():
        if key.startswith("_") or not _has(info, key, num_envs)[env]:
            continue
        row[key] = _rows_of_info(value, env, num_envs) if isinstance(value, dict) else value[env]
    return row


class _Run:
    """A vector environment that is stepped by drawn actions and looked at after every call."""

    def __init__(self, vector: Vector, seed: int, copies: bool) -> None:
        self.vector, self.copies = vector, copies
        self.num_envs: int = vector.num_envs
        self.mode: AutoresetMode = vector.metadata["autoreset_mode"]
        self.space: gymnasium.Space[Any] = vector.single_action_space
        self.space.seed(seed)
        self.last: Any = None

    def shown(self, result: tuple[Any, ...]) -> tuple[Any, ...]:
        """Check what reset or step gave, and return a copy."""
        observation, info = result[0], result[-1]
        assert isinstance(info, dict), f"info is of type {type(info).__name__}, allowed: dict"
        space = self.vector.observation_space
        assert observation in space, "the observations are not in observation_space"
        # rows as the space has them: those of texts and sequences are a tuple with one for each row
        self.observation = [deepcopy(row) for row in iterate(space, observation)]
        for env, row in enumerate(self.observation):
            assert row in self.vector.single_observation_space, (
                f"the observation of row {env} is not in single_observation_space"
            )
        if self.copies and self.last is not None:
            assert not data_shares_objects(self.last, observation), (
                "two calls gave observations in the same memory: the second overwrites the first"
            )
        self.last = observation
        self.info = [_rows_of_info(deepcopy(info), env, self.num_envs) for env in self.rows()]
        return result

    def rows(self) -> range:
        return range(self.num_envs)

    def reset(self, **arguments: Any) -> None:
        result = self.vector.reset(**arguments)
        assert isinstance(result, tuple) and len(result) == 2, "reset gives (observations, infos)"
        self.shown(result)

    def draw(self) -> list[Any]:
        """Return an action for each row."""
        return [
            _drawn(self.space, _mask(self.observation[env], self.info[env])) for env in self.rows()
        ]

    def step(self, actions: list[Any]) -> None:
        """Step, check shapes and dtypes, and keep what came."""
        result = self.vector.step(_batch_of(self.space, actions))
        assert isinstance(result, tuple) and len(result) == 5, (
            "step gives (observations, rewards, terminations, truncations, infos)"
        )
        self.shown(result)
        _, rewards, terminated, truncated, info = result
        assert isinstance(rewards, np.ndarray) and rewards.shape == (self.num_envs,), (
            f"rewards have the shape {np.shape(rewards)}, allowed: ({self.num_envs},)"
        )
        assert np.issubdtype(rewards.dtype, np.number), f"rewards are {rewards.dtype}"
        for name, flags in (("terminations", terminated), ("truncations", truncated)):
            assert isinstance(flags, np.ndarray) and flags.dtype == np.bool_, (
                f"{name} are {getattr(flags, 'dtype', type(flags).__name__)}, allowed: bool array"
            )
            assert flags.shape == (self.num_envs,), f"{name} have the shape {flags.shape}"
        self.rewards, self.terminated, self.truncated = (
            np.array(values) for values in (rewards, terminated, truncated)
        )
        self.ended = self.terminated | self.truncated
        final = _has(info, "final_obs", self.num_envs)
        if self.mode is AutoresetMode.SAME_STEP:
            assert (final == self.ended).all(), (
                'info["_final_obs"] is not true in the rows that ended, and in no other'
            )
        else:
            assert not final.any(), 'info has "final_obs", which only SAME_STEP has'

    def state(self) -> list[Any]:
        """Return what the last step gave, row by row."""
        return [
            [
                self.observation[env],
                float(self.rewards[env]),
                bool(self.terminated[env]),
                bool(self.truncated[env]),
                self.info[env],
            ]
            for env in self.rows()
        ]

    def restart_ended(self) -> None:
        """Reset the rows that ended, where that is the caller's part."""
        if self.mode is not AutoresetMode.DISABLED or not self.ended.any():
            return
        before, told = self.observation, self.info
        self.reset(options={"reset_mask": self.ended.copy()})
        for env in np.flatnonzero(~self.ended):
            # what was told of a row that is left out holds on: SyncVectorEnv does not repeat it
            self.info[env] = told[env] | self.info[env]
            assert data_equivalence(before[env], self.observation[env], exact=True), (
                f"reset_mask leaves row {env} out, and its observation is another one"
            )


def check_spaces(vector: Vector) -> None:
    """Check the attributes of a vector environment. Raises AssertionError naming what is wrong."""
    assert isinstance(vector.num_envs, int) and vector.num_envs > 0, "num_envs is no positive int"
    for name in ("observation_space", "action_space"):
        batch, single = getattr(vector, name), getattr(vector, f"single_{name}")
        for space in (batch, single):
            assert isinstance(space, gymnasium.Space), f"{name} is no gymnasium.Space"
        assert batch == batch_space(single, vector.num_envs), (
            f"{name} is not {vector.num_envs} times single_{name}"
        )
    mode = vector.metadata.get("autoreset_mode")
    assert isinstance(mode, AutoresetMode), (
        f'metadata["autoreset_mode"] is {mode!r}, allowed: a gymnasium.vector.AutoresetMode'
    )


def _trajectory(make: Callable[[], Vector], seed: int, steps: int, copies: bool) -> list[Any]:
    run = _Run(make(), 0, copies)
    run.reset(seed=seed)
    seen: list[Any] = [deepcopy(run.observation)]
    for _ in range(steps):
        run.step(run.draw())
        seen.append(deepcopy(run.state()))
        run.restart_ended()
    run.reset(seed=seed)
    assert data_equivalence(run.observation, seen[0], exact=True), (
        "reset(seed) after some steps gives other observations than at the beginning"
    )
    run.vector.close()
    run.vector.close()
    return seen


def _check_refusal(make: Callable[[], Vector], seed: int, steps: int) -> None:
    """Check that DISABLED steps no row that is over."""
    run = _Run(make(), seed, False)
    run.reset(seed=seed)
    for _ in range(steps):
        run.step(run.draw())
        if run.ended.any():
            break
    else:
        return
    try:
        run.vector.step(_batch_of(run.space, run.draw()))
    except Exception:  # whatever it is
        run.vector.close()
    else:
        raise AssertionError("with AutoresetMode.DISABLED a row that ended was stepped again")


def _is_number(value: Any) -> bool:
    """Whether it is a number, of Python or NumPy: environments may give either."""
    return isinstance(value, (bool, int, float, np.generic)) or (
        isinstance(value, np.ndarray) and value.ndim == 0
    )


def _alike(came: Any, wanted: Any) -> bool:
    """Whether two observations are the same, numbers in them of either kind."""
    if _is_number(came) and _is_number(wanted):
        return bool(came == wanted)
    if isinstance(came, dict) and isinstance(wanted, dict):
        return came.keys() == wanted.keys() and all(_alike(came[key], wanted[key]) for key in came)
    if isinstance(came, tuple) and isinstance(wanted, tuple):
        return len(came) == len(wanted) and all(map(_alike, came, wanted))
    return data_equivalence(came, wanted)


def _check_single(name: str, env: int, step: int, came: Any, wanted: Any) -> None:
    assert _alike(came, wanted), (
        f"step {step}, row {env}: {name} differs from the single environment: {came} for {wanted}"
    )


def _check_mask(run: _Run, env: int, step: int, info: dict[str, Any]) -> None:
    if "action_mask" in info:
        came = run.info[env].get("action_mask")
        _check_single("the action mask", env, step, came, info["action_mask"])


def _check_against_singles(
    run: _Run, make_single: Callable[[int], Any], seed: int, single_seed: SingleSeed, steps: int
) -> int:
    singles = [make_single(env) for env in run.rows()]
    run.reset(seed=seed)
    starts = [single.reset(seed=single_seed(seed, env)) for env, single in enumerate(singles)]
    shown = [observation for observation, _ in starts]
    for env, (observation, info) in enumerate(starts):
        _check_single("the observation of reset", env, 0, run.observation[env], observation)
        _check_mask(run, env, 0, info)
    waiting = np.zeros(run.num_envs, np.bool_)
    episodes = 0
    for step in range(1, steps + 1):
        actions = run.draw()
        run.step(actions)
        for env, single in enumerate(singles):
            if waiting[env]:  # NEXT_STEP: this step was the reset
                shown[env], info = single.reset()
                reward, ended = 0.0, (False, False)
            else:
                shown[env], reward, *ended, info = single.step(actions[env])
            came = (bool(run.terminated[env]), bool(run.truncated[env]))
            _check_single("(terminated, truncated)", env, step, came, tuple(map(bool, ended)))
            _check_single("the reward", env, step, float(run.rewards[env]), float(reward))
            if run.mode is AutoresetMode.SAME_STEP and any(ended):
                final = run.info[env].get("final_obs")
                assert final in run.vector.single_observation_space, "final_obs is not in its space"
                _check_single("final_obs", env, step, final, shown[env])
                mask = run.info[env].get("final_info", {}).get("action_mask")
                _check_single("the mask of final_info", env, step, mask, info.get("action_mask"))
                shown[env], info = single.reset()
            _check_single("the observation", env, step, run.observation[env], shown[env])
            _check_mask(run, env, step, info)
            waiting[env] = any(ended) and run.mode is AutoresetMode.NEXT_STEP
            episodes += any(ended)
        if run.mode is AutoresetMode.DISABLED:
            run.restart_ended()
            for env in np.flatnonzero(run.ended):
                shown[env], info = singles[env].reset()
                came = run.observation[env]
                _check_single("the observation of reset_mask", env, step, came, shown[env])
                _check_mask(run, env, step, info)
    for single in singles:
        single.close()
    run.vector.close()
    return episodes


def check_vector_env(
    make_vector: Callable[[], Vector],
    make_single: Callable[[int], Any] | None = None,
    *,
    num_steps: int = 200,
    seed: int = 7,
    single_seed: SingleSeed = lambda seed, env: seed + env,
    copies: bool = True,
) -> int:
    """Check a vector environment: spaces, dtypes, seeds, autoreset, and N single environments.

    Args:
        make_vector: makes the environment anew at each call, of any autoreset mode.
        make_single: makes the environment of a row, which must do the same after
            reset(seed=single_seed(seed, row)); None: that is not checked.
        num_steps: steps of each run; some episodes must end in them.
        seed: of the first run.
        single_seed: seed of the single environment of a row, as in gymnasium's SyncVectorEnv.
        copies: observations must not lie in memory that a later call overwrites.

    Returns:
        the number of episodes that ended.

    Raises:
        AssertionError: names what is wrong, and where it differs the step and the row.
    """
    vector = make_vector()
    check_spaces(vector)
    if vector.metadata["autoreset_mode"] is AutoresetMode.DISABLED:
        _check_refusal(make_vector, seed, num_steps)
    vector.close()
    first = _trajectory(make_vector, seed, num_steps, copies)
    assert data_equivalence(first, _trajectory(make_vector, seed, num_steps, copies)), (
        "the same seed and actions give other results"
    )
    other = _trajectory(make_vector, seed + vector.num_envs, num_steps, copies)
    assert not data_equivalence(first, other), "another seed gives the same results"
    if make_single is None:
        episodes = sum(bool(row[2] or row[3]) for state in first[1:] for row in state)
    else:
        run = _Run(make_vector(), seed, copies)
        episodes = _check_against_singles(run, make_single, seed, single_seed, num_steps)
    assert episodes > 0, f"no episode ended in {num_steps} steps: give more num_steps"
    return episodes
