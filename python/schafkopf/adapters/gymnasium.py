"""Gymnasium: one seat against players of the registry.

Importing this module registers the ids

    Schafkopf-v0          a deal with auction, against "rules"
    SchafkopfCardPlay-v0  the cards alone, contracts as the rule agent bids them

for gymnasium.make and gymnasium.make_vec. Legal actions stand in info["action_mask"], int8 [128],
as Discrete.sample(mask) takes them, and with mask_in_observation=True in the observation too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from schafkopf import _core
from schafkopf.adapters import common
from schafkopf.extras import load_extra
from schafkopf.keywords import check_reset_options, flag
from schafkopf.options import GameOptions, Player, Unpack
from schafkopf.vector_env import VectorEnv as Batch

load_extra("gymnasium", "gymnasium")

import gymnasium  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from gymnasium.vector.utils import batch_space  # noqa: E402

Observation = Any  # NDArray [F] or a dict with it and the mask
_MODES = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
    AutoresetMode.DISABLED: "disabled",
}


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    for one, name in _MODES.items():
        if mode in (one, one.value, name):
            return one
    values = ", ".join(one.value for one in AutoresetMode)
    raise ValueError(f"autoreset_mode = {mode!r}, allowed: {values}")


def _frame(text: str, mode: str) -> Any:
    return text if mode == "ansi" else common.picture(text)


def _observation_space(env: Batch, with_mask: bool) -> Any:
    if not with_mask:
        return env.single_observation_space
    return gymnasium.spaces.Dict(
        {"observation": env.single_observation_space, "action_mask": common.mask_space()}
    )


class SchafkopfEnv(gymnasium.Env[Observation, np.int64]):  # type: ignore[misc, unused-ignore]
    """One seat of one table, deal by deal.

    Rewards are what that seat is paid in tariff units, on the last step of a deal: its payoffs, and
    what comes from the Stock and goes into it or as Reuegeld. With the option session, whose deals
    go on from reset to reset, info["session_end"] tells whether the deal was the last of one; an
    illegal action that ends a deal ends its session.

    Args:
        opponent: who plays the other seats: a name such as "rules", an Agent, an object with
            act(views), or a list with one of these for each other seat, as VectorEnv's opponents.
        learner_seat: seat of the one who is asked, 0..3, or "rotate": another with every deal.
        illegal_action: "end": an illegal action of the space ends the episode with
            `illegal_reward` and the reason in info["illegal_action"]; "raise": IllegalAction,
            nothing is stepped.
        illegal_reward: reward of a deal that ended so, in tariff units as the payoffs; a Solo of
            the research tariff is 50. None: less than any deal of the rules costs, Stock and
            rounds of a session aside, by a bound that is not tight (research -3,120,
            official_1989_full -706,560).
        mask_in_observation: observations are dicts with "observation" and "action_mask".
        render_mode: "ansi", "rgb_array" (needs matplotlib) or None.
        **options: those of VectorEnv without num_envs, auto_reset, action_mask, arrays and
            opponents. Without `seed` the first reset draws one.

    Raises:
        ValueError, TypeError: as VectorEnv.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        *,
        opponent: str | Player | Sequence[str | Player] = "rules",
        learner_seat: int | Literal["rotate"] = 0,
        illegal_action: Literal["end", "raise"] = "end",
        illegal_reward: float | None = None,
        mask_in_observation: bool = False,
        render_mode: str | None = None,
        **options: Unpack[GameOptions],
    ) -> None:
        common.check_options(
            "SchafkopfEnv", options, common.OWN, common.keywords_of(SchafkopfEnv.__init__)
        )
        if illegal_action not in ("end", "raise"):
            raise ValueError(f'illegal_action = "{illegal_action}", allowed: end, raise')
        self.render_mode = common.checked_render_mode(render_mode, self.metadata)
        self._env = Batch(
            1,
            auto_reset="disabled",
            learner_seat=learner_seat,
            **common.opponents_of(opponent),
            **options,
        )
        self._illegal_action = illegal_action
        rules = options.get("rules", "research")
        self._illegal_reward = common.illegal_reward(illegal_reward, rules)
        self._with_mask = flag("mask_in_observation", mask_in_observation)
        self._draws_seed = "seed" not in options
        self._ended_by: str | None = None
        self.observation_space = _observation_space(self._env, self._with_mask)
        self.action_space = self._env.single_action_space

    def _shown(self) -> tuple[Observation, dict[str, Any]]:
        observation, mask = self._env.observation, self._env.action_mask
        assert observation is not None and mask is not None
        row = observation[0].copy()
        info: dict[str, Any] = {"action_mask": common.masks_of(mask[0])}
        info |= common.session_info(self._env)
        if not self._with_mask:
            return row, info
        return {"observation": row, "action_mask": common.masks_of(mask[0])}, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions, bool [128], under the name that MaskablePPO asks for."""
        common.check_open(self._env)
        mask = self._env.action_mask
        assert mask is not None
        legal: NDArray[np.bool_] = mask[0] != 0
        return legal

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the next deal; a seed starts again with the first deal of that seed.

        Raises:
            ValueError: options, there are none.
        """
        check_reset_options(options)
        super().reset(seed=seed)
        if seed is None and self._draws_seed:
            seed = int(self.np_random.integers(2**63))
        self._draws_seed = False
        self._env.reset(seed=seed)
        self._ended_by = None
        return self._shown()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play one action of the seat; the others answer until it is asked again.

        Raises:
            ValueError: no action of the space, or the episode is over; IllegalAction: as
                illegal_action says.
        """
        if self._ended_by is not None:
            raise ValueError("the episode ended with an illegal action: reset() comes first")
        common.check_open(self._env)
        if self._env.terminated[0]:
            raise ValueError("the episode is over: reset() comes first")
        number = common.action_number(action)
        try:
            self._env.step([number])
        except _core.IllegalAction as error:
            in_space = 0 <= number < _core.NUM_ACTIONS
            if self._illegal_action == "raise" or not in_space:
                raise
            self._ended_by = str(error)
            observation, info = self._shown()
            info["illegal_action"] = self._ended_by
            if "session_end" in info:  # the deal has no end that a next one could follow
                info["session_end"] = True
            return observation, self._illegal_reward, True, False, info
        observation, info = self._shown()
        reward = float(common.learner_rewards(self._env)[0])
        return observation, reward, bool(self._env.terminated[0]), False, info

    def render(self) -> Any:
        """Return the game with all hands, as render_mode says."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode shows nothing: give one to make")
            return None
        return _frame(self._env.render(), self.render_mode)

    def close(self) -> None:
        """Let the game go; a second call does nothing."""
        self._env.close()


class SchafkopfVectorEnv(gymnasium.vector.VectorEnv[Observation, Any, NDArray[Any]]):  # type: ignore[misc, unused-ignore]
    """One seat of N tables.

    Rewards are float64 [N]: what that seat is paid, as SchafkopfEnv has it. Illegal actions raise
    IllegalAction, and nothing is stepped; in rows that are over actions are ignored where the mode
    resets them. info has "action_mask" int8 [N, 128], with the option session "session_end" bool
    [N]; with AutoresetMode.SAME_STEP where deals
    ended also "final_obs" (objects [N], None elsewhere) and "final_info", each with its mask of
    rows "_final_obs", "_final_info".

    The games are those of N SchafkopfEnv with the same seed and first_env = number of the row.

    Args:
        num_envs: N.
        autoreset_mode: AutoresetMode, or its value "NextStep", "SameStep", "Disabled" (or as
            VectorEnv has it, "next_step" ...). Disabled: step raises until
            reset(options={"reset_mask": bool [N]}) of the rows that are over.
        opponent, learner_seat, mask_in_observation, render_mode, **options: as SchafkopfEnv.
        copy: observations and masks are copies; False: views of the engine's buffers, overwritten
            by the next call (int8 masks too).

    Raises:
        ValueError: another autoreset_mode or render_mode;  ValueError, TypeError: as VectorEnv, and
            an option that is set here.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        opponent: str | Player | Sequence[str | Player] = "rules",
        learner_seat: int | Literal["rotate"] = 0,
        mask_in_observation: bool = False,
        copy: bool = True,
        render_mode: str | None = None,
        **options: Unpack[GameOptions],
    ) -> None:
        common.check_options(
            "SchafkopfVectorEnv",
            options,
            common.OWN,
            common.keywords_of(SchafkopfVectorEnv.__init__),
        )
        self.render_mode = common.checked_render_mode(render_mode, self.metadata)
        mode = _mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": mode}
        self._env = Batch(
            num_envs,
            auto_reset=_MODES[mode],  # type: ignore[arg-type]
            learner_seat=learner_seat,
            **common.opponents_of(opponent),
            **options,
        )
        self.num_envs = num_envs
        self._mode = mode
        self._copy = flag("copy", copy)
        self._with_mask = flag("mask_in_observation", mask_in_observation)
        self._draws_seed = "seed" not in options
        self.single_observation_space = _observation_space(self._env, self._with_mask)
        self.single_action_space = self._env.single_action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def _masks(self) -> NDArray[Any]:
        mask = self._env.action_mask
        assert mask is not None
        return common.masks_of(mask) if self._copy else mask.view(np.int8)

    def _shown(self) -> tuple[Observation, dict[str, Any]]:
        observation = self._env.observation
        assert observation is not None
        rows = observation.copy() if self._copy else observation
        info = {"action_mask": self._masks(), "_action_mask": np.ones(self.num_envs, np.bool_)}
        if self._env.session_end is not None:
            info["session_end"] = self._env.session_end.copy()
            info["_session_end"] = info["_action_mask"].copy()
        if not self._with_mask:
            return rows, info
        return {"observation": rows, "action_mask": self._masks()}, info

    def _add_final(self, info: dict[str, Any], ended: NDArray[np.bool_]) -> None:
        """Add what the deals that ended showed last: PASS is all that their masks hold."""
        rows = self._env.final_observation
        assert rows is not None
        masks = np.zeros((self.num_envs, _core.NUM_ACTIONS), np.int8)
        masks[ended, common.PASS] = 1
        final = np.full(self.num_envs, None, dtype=object)
        for env in np.flatnonzero(ended):
            row = rows[env].copy()
            both = {"observation": row, "action_mask": masks[env].copy()}
            final[env] = both if self._with_mask else row
        info |= {"final_obs": final, "_final_obs": ended.copy()}
        info["final_info"] = {"action_mask": masks, "_action_mask": ended.copy()}
        if self._env.session_end is not None:
            info["final_info"]["session_end"] = self._env.session_end & ended
            info["final_info"]["_session_end"] = ended.copy()
        info["_final_info"] = ended.copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start the next deals.

        Args:
            seed: starts again with the first deals of that seed.
            options: {"reset_mask": bool [N]} starts these rows only; one of them at least.

        Raises:
            ValueError: a list of seeds, or options that there are not.
        """
        if isinstance(seed, (list, tuple, np.ndarray)):
            raise ValueError(
                "seed: one for each row came, allowed: one integer; every row has deals of its "
                "own, those of a SchafkopfEnv with first_env = number of the row"
            )
        check_reset_options(options, ["reset_mask"])
        super().reset(seed=seed)
        mask = (options or {}).get("reset_mask")
        if mask is not None and not np.any(mask):
            raise ValueError("reset_mask: no row is chosen, allowed: bool [N] with one at least")
        if seed is None and self._draws_seed:
            seed = int(self.np_random.integers(2**63))
            options = {key: one for key, one in (options or {}).items() if key != "reset_mask"}
        self._draws_seed = False
        self._env.reset(seed=seed, options=options)
        return self._shown()

    def step(
        self, actions: Any
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play one action in every row. Raises as VectorEnv.step."""
        self._env.step(actions)
        observation, info = self._shown()
        terminated = self._env.terminated.copy()
        if self._mode is AutoresetMode.SAME_STEP and terminated.any():
            self._add_final(info, terminated)
        rewards = common.learner_rewards(self._env)
        return observation, rewards, terminated, np.zeros_like(terminated), info

    def render(self) -> tuple[Any, ...] | None:
        """Return the games with all hands, one frame for each row."""
        if self.render_mode is None:
            return None
        return tuple(
            _frame(self._env.render(env), self.render_mode) for env in range(self.num_envs)
        )

    def close_extras(self, **kwargs: Any) -> None:
        """Let the games go."""
        self._env.close()


def register() -> None:
    """Register the ids; once is enough, and importing this module does it."""
    alone = {"start": "card_play", "generator": "heuristic"}
    for name, options in {"Schafkopf-v0": {}, "SchafkopfCardPlay-v0": alone}.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"{__name__}:SchafkopfEnv",
                vector_entry_point=f"{__name__}:SchafkopfVectorEnv",
                kwargs=options,
            )


register()
