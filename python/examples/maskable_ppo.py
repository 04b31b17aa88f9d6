"""MaskablePPO of sb3_contrib on one seat of 256 tables, card play alone.

    python python/examples/maskable_ppo.py --opponent random --total-timesteps 500000

Needs sb3_contrib: pip install '.[sb3]' in the source tree.
"""

from __future__ import annotations

import argparse
import threading
from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO

import schafkopf
from schafkopf.adapters.sb3 import SchafkopfVecEnv


class Player:
    """A model as a player of schafkopf.tournament: the most likely legal actions."""

    def __init__(self, model: MaskablePPO) -> None:
        self.model = model
        self.lock = (
            threading.Lock()
        )  # a model keeps the masks of one call, a tournament has threads

    def act(self, views: Any) -> np.ndarray:
        masks = schafkopf.legal_mask(views).astype(bool)
        rows = schafkopf.encode(views)
        with self.lock:
            return self.model.predict(rows, deterministic=True, action_masks=masks)[0]


def train(
    total_timesteps: int, opponent: str = "random", seed: int = 1, verbose: int = 0
) -> MaskablePPO:
    """Return a model that learned for that many decisions of its seat."""
    tables = SchafkopfVecEnv(
        256, opponent=opponent, start="card_play", generator="heuristic", reward_scale=0.02
    )
    model = MaskablePPO(
        "MlpPolicy",
        tables,
        learning_rate=2e-3,
        n_steps=16,  # decisions of a table between two updates: two deals
        batch_size=512,
        n_epochs=4,
        gamma=1.0,
        seed=seed,
        verbose=verbose,
        device="cpu",
    )
    return model.learn(total_timesteps)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--total-timesteps", type=int, default=500_000)
    parser.add_argument("--opponent", default="random", help="player on the other seats")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    model = train(chosen.total_timesteps, chosen.opponent, chosen.seed, verbose=1)
    players = {"maskable_ppo": Player(model), chosen.opponent: chosen.opponent}
    print(schafkopf.tournament(players, blocks=1000)["text"])  # points per game, 95 % intervals
