"""Deals, contracts, games, sessions and leagues, and many deals played by one player."""

from __future__ import annotations

from typing import Any

import numpy as np

from schafkopf._core import (
    Contract,
    Deal,
    DealContext,
    Game,
    IllegalAction,
    League,
    Refusal,
    Session,
)
from schafkopf.keywords import agent_at, names_keywords, whole
from schafkopf.vector_env import VectorEnv

__all__ = [
    "Contract",
    "Deal",
    "DealContext",
    "Game",
    "IllegalAction",
    "League",
    "Refusal",
    "Session",
    "play_deals",
]


@names_keywords
def play_deals(
    agent: Any,
    deals: int,
    *,
    rules: Any = "research",
    seed: int = 1,
    generator: str | None = None,
    threads: int = 1,
) -> list[Game]:
    """Play deals to their end, all seats by copies of one player.

    Args:
        agent: registry string, Agent or object with act(views); not one that sees hidden hands.
        deals: number of deals; game i has deal 0 of row i of a VectorEnv of this seed, so that
            different players and rules meet the same cards.
        rules: preset name, path, dict (without "preset" the defaults of the switches) or
            RuleSet.
        generator: who bids, so that only the cards are the player's ("heuristic:noise=0"); then no
            deal is thrown in. None: the player bids too.
        threads: 0 = one per core; of players by name.

    Returns:
        the finished games in the order of their deals.

    Raises:
        ValueError: an unknown agent (names the known ones), or an option out of range.
    """
    deals = whole("deals", deals, 1, 2**31 - 1)
    threads = whole("threads", threads, 0, 1024)
    player = agent_at("agent", agent, threads)
    if player.sees_hidden_hands:
        raise ValueError(
            f"agent: {player.name} sees hidden hands, allowed: players that see views alone"
        )
    start: dict[str, Any] = {} if generator is None else {"generator": generator}
    env = VectorEnv(
        deals,
        rules=rules,
        seed=seed,
        observation="none",
        action_mask=False,
        view_lines=True,
        auto_reset="disabled",  # or deals that nobody asked for would follow the short ones
        start="deal" if generator is None else "card_play",
        **start,
    )
    env.reset()
    while (running := env.current_player >= 0).any():
        env.step(np.where(running, env.agent_actions(player), -1))
    return [env.get_game(row) for row in range(deals)]
