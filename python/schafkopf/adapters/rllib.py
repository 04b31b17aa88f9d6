"""RLlib: all seats of one table in turn (MultiAgentEnv).

    from schafkopf.adapters.rllib import SchafkopfEnv
    config = PPOConfig().environment(SchafkopfEnv, env_config={"rules": "research"})

Observations are dicts of "observations" and "action_mask", as RLlib's ActionMaskingTorchRLModule
reads them. For one seat against players of the registry give RLlib the Gymnasium environment
(schafkopf.adapters.gymnasium).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from schafkopf import _core
from schafkopf.adapters import common
from schafkopf.adapters.table import Table
from schafkopf.extras import load_extra
from schafkopf.keywords import check_reset_options

load_extra("ray.rllib", "rllib", "'ray[rllib]'")

import gymnasium  # noqa: E402
from ray.rllib.env.multi_agent_env import MultiAgentEnv  # noqa: E402

Step = tuple[
    dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]


class SchafkopfEnv(MultiAgentEnv):  # type: ignore[misc]
    """One table, deal by deal; agents are "player_0" .. "player_3" by seat.

    Only the agent that is asked has an observation: "observations" float32 or uint8 [F] and
    "action_mask" float32 [128]. On the last step of a deal all have one (their masks hold PASS
    alone), and rewards: what they are paid in tariff units, Stock and Reuegeld included, times
    `reward_scale`. With the option session, whose deals go on from reset to reset, infos have
    "session_end" then: whether the deal was the last of one.

    Args:
        config: keywords of VectorEnv without num_envs, auto_reset, action_mask, arrays and
            opponents, and without learner_seat, opponent and bidding_only (without `seed` the
            first reset draws one), and
            reward_scale: factor of the rewards, not a divisor as in a training file (default 1);
            illegal_reward: what an agent gets for an action that is not legal, in tariff units; it
            ends the deal, the others get 0. By default less than any deal of the rules costs, Stock
            and rounds of a session aside, by a bound that is not tight (research -3,120); a Solo of
            the research tariff is 50.

    Raises:
        ValueError, TypeError: as VectorEnv.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        options: Any = dict(config or {})
        self._reward_scale = common.finite("reward_scale", options.pop("reward_scale", 1.0))
        illegal_reward = options.pop("illegal_reward", None)
        rules = options.get("rules", "research")
        also = ("reward_scale", "illegal_reward")
        self._table = Table("schafkopf.adapters.rllib.SchafkopfEnv", options, also)
        self._illegal_reward = common.illegal_reward(illegal_reward, rules)
        self._over = True
        self.possible_agents = list(self._table.agents)
        self.agents = list(self._table.agents)
        observation = gymnasium.spaces.Dict(
            {
                "observations": self._table.env.single_observation_space,
                "action_mask": gymnasium.spaces.Box(0.0, 1.0, (_core.NUM_ACTIONS,), np.float32),
            }
        )
        self.observation_spaces = dict.fromkeys(self.agents, observation)
        self.action_spaces = {
            agent: gymnasium.spaces.Discrete(_core.NUM_ACTIONS) for agent in self.agents
        }
        super().__init__()

    def _seen(self, agent: str) -> dict[str, Any]:
        row, mask = self._table.seen(agent)
        return {"observations": row, "action_mask": mask.astype(np.float32)}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start the next deal; a seed starts again with the first deal of that seed.

        Raises:
            ValueError: options, there are none; a seed out of range;  RuntimeError: the environment
                is closed.
        """
        check_reset_options(options)
        super().reset(seed=seed, options=options)
        self._table.reset(seed)
        self._over = False
        return {self._table.acting: self._seen(self._table.acting)}, {}

    def step(self, action_dict: dict[str, Any]) -> Step:
        """Play the action of the agent that is asked.

        Raises:
            ValueError: the deal is over, the actions are not those of the agent that is asked
                alone, or it is none of the space; nothing was stepped.
        """
        if self._over:
            raise ValueError("step: the deal is over: reset() comes first")
        agent = self._table.acting
        if set(action_dict) != {agent}:
            raise ValueError(f"step: actions of {sorted(action_dict)}, allowed: of {agent} alone")
        action = action_dict[agent]
        try:
            self._table.step(action)
        except _core.IllegalAction as error:
            if not 0 <= error.action < _core.NUM_ACTIONS:
                raise
            rewards = dict.fromkeys(self.agents, 0.0) | {agent: self._illegal_reward}
            told: dict[str, Any] = {"illegal_action": str(error)}
            if self._table.env.session_end is not None:  # no next deal can follow this one
                told["session_end"] = True
            return self._ended(rewards, {agent: told})
        if self._table.game.is_terminal:
            session = common.session_info(self._table.env)
            return self._ended(
                self._table.payoffs(), {agent: dict(session) for agent in self.agents if session}
            )
        asked = self._table.acting
        flags = {"__all__": False}
        # RLlib wants a reward for whoever acts twice in a row.
        return {asked: self._seen(asked)}, {agent: 0.0}, flags, dict(flags), {}

    def _ended(self, rewards: dict[str, float], infos: dict[str, dict[str, Any]]) -> Step:
        self._over = True
        names = [*self.agents, "__all__"]
        return (
            {agent: self._seen(agent) for agent in self.agents},
            {agent: reward * self._reward_scale for agent, reward in rewards.items()},
            dict.fromkeys(names, True),
            dict.fromkeys(names, False),
            infos,
        )

    def render(self) -> str:
        """Return the game as text for people, with all hands."""
        return self._table.text()

    def close(self) -> None:
        """Let the game go; a second call does nothing."""
        self._table.env.close()
