"""Stable-Baselines3: one seat of N tables as a VecEnv with the masks of sb3_contrib.MaskablePPO.

from sb3_contrib import MaskablePPO
from schafkopf.adapters.sb3 import SchafkopfVecEnv
model = MaskablePPO("MlpPolicy", SchafkopfVecEnv(64, opponent="rules"))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from schafkopf.adapters import common
from schafkopf.extras import load_extra
from schafkopf.keywords import check_reset_options
from schafkopf.options import GameOptions, Player, Unpack
from schafkopf.vector_env import VectorEnv as Batch

load_extra("stable_baselines3", "sb3")
load_extra("gymnasium", "sb3")

from stable_baselines3.common.vec_env import VecEnv  # noqa: E402


class SchafkopfVecEnv(VecEnv):  # type: ignore[misc]
    """One seat of N tables; the next deal of a table begins in the step that ends one.

    Rewards are float32 [N], what that seat is paid in tariff units, Stock and Reuegeld included,
    times `reward_scale`. Infos of tables that ended have "terminal_observation", with the option
    session "session_end", and "episode" with "r", what was paid in tariff units, and "l", the
    number of decisions, which SB3 logs as ep_rew_mean and ep_len_mean.

    Args:
        num_envs: N.
        opponent: who plays the other seats: a name such as "rules", an Agent, an object with
            act(views), or a list with one of these for each other seat, as VectorEnv's opponents.
        learner_seat: seat of the one who is asked, 0..3, or "rotate": another with every deal.
        reward_scale: factor of the rewards; a Solo of the research tariff is 50 units. The key of
            this name in a training file divides: its 50 is 0.02 here.
        **options: those of VectorEnv without num_envs, auto_reset, action_mask, arrays and
            opponents. Without `seed` the first reset draws one, unless seed() gave one.

    Raises:
        ValueError, TypeError: as VectorEnv. IllegalAction out of step: nothing was stepped.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        opponent: str | Player | Sequence[str | Player] = "rules",
        learner_seat: int | Literal["rotate"] = 0,
        reward_scale: float = 1.0,
        **options: Unpack[GameOptions],
    ) -> None:
        common.check_options(
            "SchafkopfVecEnv", options, common.OWN, common.keywords_of(SchafkopfVecEnv.__init__)
        )
        self.render_mode = None
        self._games = Batch(
            num_envs,
            auto_reset="same_step",
            learner_seat=learner_seat,
            **common.opponents_of(opponent),
            **options,
        )
        self._reward_scale = common.finite("reward_scale", reward_scale)
        self._draws_seed = "seed" not in options
        self._decisions = np.zeros(num_envs, np.int64)
        self._actions: Any = None
        super().__init__(
            num_envs, self._games.single_observation_space, self._games.single_action_space
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions bool [N, 128], a copy."""
        common.check_open(self._games)
        mask = self._games.action_mask
        assert mask is not None
        return mask.astype(np.bool_)

    def _observation(self) -> NDArray[Any]:
        observation = self._games.observation
        assert observation is not None
        return observation.copy()

    def reset(self) -> NDArray[Any]:
        """Start the next deals of all tables, with seed() the first ones of that seed.

        Raises:
            ValueError: options of set_options, there are none.
        """
        given = self._options
        self._reset_options()
        for options in given:
            check_reset_options(options)
        seed = self._seeds[0]
        if seed is None and self._draws_seed:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self._draws_seed = False
        self._reset_seeds()
        self._games.reset(seed=seed)
        self._decisions[:] = 0
        return self._observation()

    def step_async(self, actions: NDArray[np.integer[Any]]) -> None:
        """Keep actions for step_wait."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions. Raises as VectorEnv.step."""
        self._games.step(self._actions)
        self._decisions += 1
        payoffs, ended = common.learner_rewards(self._games), self._games.terminated.copy()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        final = self._games.final_observation
        assert final is not None
        for env in np.flatnonzero(ended):
            episode = {"r": float(payoffs[env]), "l": int(self._decisions[env])}
            infos[env] = {"terminal_observation": final[env].copy(), "episode": episode}
            infos[env] |= common.session_info(self._games, env)
        self._decisions[ended] = 0
        rewards = (payoffs * self._reward_scale).astype(np.float32)
        return self._observation(), rewards, ended, infos

    def close(self) -> None:
        """Let the games go; a second call does nothing."""
        self._games.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute once for each of `indices` (None: all).

        Raises:
            AttributeError: there is none of that name.
        """
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of all tables. Raises ValueError for some of them: they share it."""
        if list(self._get_indices(indices)) != list(range(self.num_envs)):
            raise ValueError(f"set_attr: the tables share {attr_name}, allowed: indices = None")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return what a method gives for each of `indices`: "action_masks" or "render".

        Raises:
            AttributeError: another method.
        """
        rows = self._get_indices(indices)
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks[row] for row in rows]
        if method_name == "render":
            return [self._games.render(row) for row in rows]
        raise AttributeError(f'env_method: "{method_name}", allowed: action_masks, render')

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return False for each of `indices`: the tables are in one batch without wrappers."""
        return [False for _ in self._get_indices(indices)]
