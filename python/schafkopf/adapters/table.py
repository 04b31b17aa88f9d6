"""One table whose seats are asked in turn, as projects for several agents have it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from schafkopf import _core
from schafkopf.adapters import common
from schafkopf.options import GameOptions
from schafkopf.vector_env import VectorEnv, compiled_rules

# Options of VectorEnv that an adapter for all seats sets itself.
OWN = (*common.OWN, "learner_seat", "opponent", "bidding_only")


def _rules_of_row(options: GameOptions) -> Any:
    rules: Any = options.get("rules", "research")
    if not isinstance(rules, (list, tuple)):
        return rules
    index: Any = options.get("rule_index", [])
    return rules[index[0] if len(index) else 0]


class Table:
    """A VectorEnv of one game, its seats under the names "player_0" .. "player_3".

    Args:
        adapter: name for the message about options that it sets itself.
        options: those of VectorEnv without num_envs, auto_reset, action_mask, arrays and
            opponents, and without learner_seat, opponent and bidding_only. Without `seed` the
            first reset draws one.
        also: keywords that the adapter has beside them.
    """

    def __init__(self, adapter: str, options: GameOptions, also: tuple[str, ...]) -> None:
        common.check_options(adapter, options, OWN, also)
        self.env = VectorEnv(1, auto_reset="disabled", **options)
        self.game = self.env.get_game(0)
        self.agents = [f"player_{seat}" for seat in range(self.game.seats)]
        self._encoding: dict[str, Any] = {
            "dtype": options.get("observation", "float32"),
            "version": options.get("observation_version", 1),
            "cards": options.get("cards", "absolute"),
        }
        self._rules = compiled_rules(_rules_of_row(options))  # a file is read once
        self._draws_seed = "seed" not in options

    @property
    def acting(self) -> str:
        """The agent that is asked."""
        return self.agents[self.game.current_player]

    def reset(self, seed: int | None) -> None:
        """Start the next deal; a seed starts again with the first deal of that seed."""
        if seed is None and self._draws_seed:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self._draws_seed = False
        self.env.reset(seed=seed)
        self.game = self.env.get_game(0)

    def step(self, action: Any) -> None:
        """Play an action of the agent that is asked.

        Raises:
            ValueError: no integer;  others as VectorEnv.step.
        """
        self.env.step([common.action_number(action)])
        self.game = self.env.get_game(0)

    def text(self) -> str:
        """Return the game as text for people, with all hands."""
        return self.env.render(0)

    def payoffs(self) -> dict[str, float]:
        """Return what a deal that is over paid, in tariff units, Stock and Reuegeld included."""
        paid = common.seat_rewards(self.env)[0]
        return {agent: float(paid[seat]) for seat, agent in enumerate(self.agents)}

    def seen(self, agent: str) -> tuple[NDArray[Any], common.Mask]:
        """Return what an agent may know [F], and its mask [128]: empty if it is not asked.

        Where the deal is over PASS is all that masks hold.

        Raises:
            ValueError: there is no such agent.
        """
        if agent not in self.agents:
            raise ValueError(f"agent = {agent!r}, allowed: {', '.join(self.agents)}")
        seat = self.agents.index(agent)
        common.check_open(self.env)
        observation, mask = self.env.observation, self.env.action_mask
        assert observation is not None and mask is not None
        legal = np.zeros(_core.NUM_ACTIONS, np.int8)
        if self.game.is_terminal:
            legal[common.PASS] = 1
        elif seat == self.game.current_player:
            return observation[0].copy(), common.masks_of(mask[0])
        return _core.encode(self.game.view(seat), self._rules, **self._encoding)[0], legal
