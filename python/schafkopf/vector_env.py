"""Thousands of games stepped together, with the names of Gymnasium's vector environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from schafkopf import _core

Array = np.ndarray[Any, Any]


class VectorEnv(_core.BatchEnv):
    """N games in contiguous buffers; four seats share one environment, one of them acts.

    Every array below is a view of the engine's buffer: never a copy, always the current state,
    and valid as long as the array lives, also after the environment is gone. Copy what must
    outlast the next call. Buffers that were not asked for are None. The engine shows them and
    never reads them: writing to them changes no game, and the next step writes them anew (the
    seeds and episode_return where a deal begins or ends, rule_index and rule_features not again).

    Args:
        num_envs: N, the number of games.
        rules: preset name, path, dict or RuleSet, or a list of them (then `rule_index` [N]).
        seed, first_env: deal = f(seed, first_env + row, episode), for any number of threads.
        num_threads: threads that step; the results do not depend on it.
        auto_reset: "next_step", "same_step" or "disabled", as in Gymnasium.
        observation: "uint8", "float32" or "none";  action_mask, view_lines, full_view: bool.
        observation_version: layout of the rows: 1, or 2 with the cards, legal actions and
            announcements of the phases before the play (a Hochzeit, a Schieberrunde ...).
        cards: how cards are counted in observation, legal, action_mask, random_actions,
            agent_actions and step, in all of them alike: "absolute", as everywhere else, or
            "canonical", by the card map of the seat to act (trump suit first, then the called
            suit, then the own holding), as the networks of this package count. The games of a
            seed are the same. View lines, games and records always count absolute cards;
            to_canonical, mask_to_canonical and their inverses move one to the other. The
            attribute `card_index` says which it is.
        start: "deal", or "card_play" with `generator` or with `deals` and `contracts`.
        learner_seat, opponent: the other seats are played by an agent name, an Agent or any
            object with act(views) -> int array [B].
        generated_share, skip_forced, claim_actions, session, bidding_only: see
            env/vector/vector_env.h.

    Raises:
        ValueError: an option with a value that is not allowed; TypeError: an unknown option;
            MemoryError: more environments than the memory that is left has room for.

    An exception out of an opponent (KeyboardInterrupt too) ends a step half-way: some games are a
    step ahead of others. Everything that needs the games then raises RuntimeError until reset()
    of all rows or restore(). While one thread steps, calls of others raise RuntimeError as well.

    Attributes:
        observation: uint8 or float32 [N, F];
            sections: schafkopf.observation_sections(observation_version).
        action_mask: uint8 [N, 128];  legal: uint64 [N, 2], the same as bits.
            Action a is card a for a < 32, counted as `cards` says.
        current_player: int8 [N], -1 on terminal rows;  phase: int8 [N].
        rewards: float32 [N, 4] in tariff units per absolute seat, once, on the terminal step.
        terminated: bool [N];  truncated: bool [N], always False.
        episode_return: float32 [N, 4];  episode_seed, running_seed: uint64 [N].
        cards, order, events, full_view: uint8 [N, 64], `cards.view(CARDS_DTYPE)` has names.
    """

    observation: Array | None
    action_mask: Array | None
    legal: Array
    current_player: Array
    phase: Array
    rewards: Array
    stock_rewards: Array | None
    terminated: Array
    truncated: Array
    episode_return: Array
    episode_seed: Array
    running_seed: Array
    rule_index: Array
    rule_features: Array | None
    session_end: Array | None
    final_observation: Array | None
    cards: Array | None
    order: Array | None
    events: Array | None
    full_view: Array | None

    _OPTIONAL = (
        "observation",
        "action_mask",
        "stock_rewards",
        "rule_features",
        "session_end",
        "final_observation",
        "cards",
        "order",
        "events",
        "full_view",
    )

    def __init__(self, num_envs: int, **options: Any) -> None:
        super().__init__(num_envs, **options)
        self.__dict__.update(dict.fromkeys(self._OPTIONAL))
        self.__dict__.update(self.buffers())
        names = ("action_mask", "legal", "current_player", "phase", "episode_return")
        self._info = {name: getattr(self, name) for name in names}
        for name in ("final_observation", "session_end"):
            if getattr(self, name) is not None:
                self._info["final_obs" if name == "final_observation" else name] = getattr(
                    self, name
                )
        self._result = (
            self.observation,
            self.rewards,
            self.terminated,
            self.truncated,
            self._info,
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array | None, dict[str, Array]]:
        """Start new deals.

        Args:
            seed: a new seed restarts the episodes at 0; None goes on with the next ones.
            options: {"reset_mask": bool [N]} restarts these rows only.

        Returns:
            (observation, info): views, as step gives them.
        """
        unknown = set(options or {}) - {"reset_mask"}
        if unknown:
            raise ValueError(f"reset: unknown options {sorted(unknown)}, allowed: reset_mask")
        self.restart(seed, (options or {}).get("reset_mask"))
        return self.observation, self._info

    def step(
        self, actions: Array | Sequence[int] | Any
    ) -> tuple[Array | None, Array, Array, Array, dict[str, Array]]:
        """Step every game by one action.

        Args:
            actions: N integers, each legal for that game's current seat: an array of any integer
                dtype (int32 is read without a copy), a list, a tuple or a tensor in the main
                memory. Cards are counted as the option `cards` says. Rows of finished games are
                ignored.

        Returns:
            (observation, rewards, terminated, truncated, info): views, valid until the next call;
            rewards are float32 [N, 4], one column per seat.

        Raises:
            ValueError: wrong shape or type (floats and bools are no actions).
            IllegalAction: a ValueError with env, seat, action, reason, rule and the legal ones
                as attributes. Nothing was stepped.
        """
        self.advance(actions)
        return self._result
