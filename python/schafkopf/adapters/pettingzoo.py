"""PettingZoo: all seats of one table in turn (AEC).

    from schafkopf.adapters import pettingzoo
    env = pettingzoo.env(rules="research", render_mode="ansi")

Agents are "player_0" .. "player_3" by seat. Observations are dicts: "observation" as VectorEnv has
it, and "action_mask" int8 [128] of the legal actions, empty for seats that are not to act.
"""

from __future__ import annotations

from typing import Any

from schafkopf import _core
from schafkopf.adapters import common
from schafkopf.adapters.table import Table
from schafkopf.extras import load_extra
from schafkopf.options import GameOptions, Unpack

load_extra("pettingzoo", "pettingzoo")

import gymnasium  # noqa: E402
from pettingzoo import AECEnv  # noqa: E402
from pettingzoo.utils.wrappers import OrderEnforcingWrapper  # noqa: E402


class raw_env(AECEnv[str, dict[str, Any], Any]):  # type: ignore[misc]
    """One table, deal by deal: a deal ends for all agents at once.

    Rewards are what agents are paid in tariff units, Stock and Reuegeld included, on the last step
    of a deal. With the option session, whose deals go on from reset to reset, infos have
    "session_end" then: whether the deal was the last of one.

    Args:
        render_mode: "human" prints the game after every action, "ansi", "rgb_array" (needs
            matplotlib) or None.
        **options: those of VectorEnv without num_envs, auto_reset, action_mask, arrays and
            opponents, and without learner_seat, opponent and bidding_only. Without `seed` the
            first reset draws one.

    Raises:
        ValueError, TypeError: as VectorEnv.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "name": "schafkopf_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(self, *, render_mode: str | None = None, **options: Unpack[GameOptions]) -> None:
        super().__init__()
        self.render_mode = common.checked_render_mode(render_mode, self.metadata)
        self._table = Table("schafkopf.adapters.pettingzoo.env", options, ("render_mode",))
        self.possible_agents = list(self._table.agents)
        self.agents: list[str] = []
        self._observations = gymnasium.spaces.Dict(
            {
                "observation": self._table.env.single_observation_space,
                "action_mask": common.mask_space(),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._observations)
        self.action_spaces = {
            agent: gymnasium.spaces.Discrete(_core.NUM_ACTIONS) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Any:
        """Return the Dict space of observations, the same for every agent.

        Raises:
            KeyError: an agent that there is not.
        """
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the Discrete space of an agent.

        Raises:
            KeyError: an agent that there is not.
        """
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start the next deal; a seed starts again with the first deal of that seed.

        Args:
            options: are not used; PettingZoo's own test gives some that no environment has.

        Raises:
            ValueError: a seed out of range;  RuntimeError: the environment is closed.
        """
        self._table.reset(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self._table.acting
        self._show()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent may know, at any time.

        Raises:
            ValueError: an agent that there is not;  RuntimeError: the environment is closed.
        """
        row, mask = self._table.seen(agent)
        return {"observation": row, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play an action of the agent to act, None where the deal is over.

        Raises:
            ValueError: no action, or an illegal one (IllegalAction); the game is then unchanged.
        """
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._table.step(action)
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        if self._table.game.is_terminal:
            self.rewards = self._table.payoffs()
            self.terminations = dict.fromkeys(self.agents, True)
            for info in self.infos.values():
                info |= common.session_info(self._table.env)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self._table.acting
        self._accumulate_rewards()
        self._show()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Return the game with all hands, as render_mode says; "human" prints it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode shows nothing: give one to env()")
            return None
        text = self._table.text()
        if self.render_mode == "human":
            print(text)
            return None
        return text if self.render_mode == "ansi" else common.picture(text)

    def close(self) -> None:
        """Let the game go; a second call does nothing."""
        self._table.env.close()


def env(
    *, render_mode: str | None = None, **options: Unpack[GameOptions]
) -> OrderEnforcingWrapper[str, dict[str, Any], Any]:
    """Return raw_env in the wrapper that names calls in a wrong order. Arguments as raw_env.

    Raises:
        ValueError, TypeError: as raw_env.
    """
    return OrderEnforcingWrapper(raw_env(render_mode=render_mode, **options))
