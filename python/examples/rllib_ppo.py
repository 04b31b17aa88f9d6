"""PPO of RLlib in self-play: one masked policy plays all seats of schafkopf.adapters.rllib.

    build/rllib/bin/python python/examples/rllib_ppo.py --seconds 300

It plays the cards of contracts that the rule agent bid, with its parts in this process. At the end
it meets random players in a duplicate tournament. Needs `pip install '.[rllib]'` and torch.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

import schafkopf
from schafkopf.adapters.rllib import SchafkopfEnv

POLICY = "shared"
CARD_PLAY = {"start": "card_play", "generator": "heuristic", "reward_scale": 0.02}


def config(seed: int = 1, batch: int = 8192) -> PPOConfig:
    """Return PPO for one policy that plays all seats, in this process.

    Args:
        batch: decisions between two updates.
    """
    return (
        PPOConfig()
        .environment(SchafkopfEnv, env_config=CARD_PLAY)
        .multi_agent(policies={POLICY}, policy_mapping_fn=lambda agent, *_, **__: POLICY)
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule,
                model_config={"fcnet_hiddens": [128, 128], "fcnet_activation": "relu"},
            )
        )
        .env_runners(num_env_runners=0, num_envs_per_env_runner=64)
        .training(
            train_batch_size=batch,
            minibatch_size=batch // 4,
            num_epochs=4,
            lr=1e-3,
            gamma=1.0,
            lambda_=0.95,
            entropy_coeff=0.01,
        )
        .debugging(seed=seed, log_level="ERROR")
    )


class Network:
    """The policy as a player: the most likely legal actions."""

    def __init__(self, module: Any) -> None:
        self._module = module

    @torch.no_grad()
    def choose(self, observation: Any, mask: Any) -> Any:
        """Return the actions [N] for observations [N, F] and masks [N, 128]."""
        seen = {
            "observations": torch.tensor(observation, dtype=torch.float32),
            "action_mask": torch.tensor(mask, dtype=torch.float32),
        }
        logits = self._module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
        return logits.argmax(dim=1).numpy()

    def act(self, views: Any) -> Any:
        """Return the actions of a batch of views: with this method it is a player."""
        return self.choose(schafkopf.encode(views), schafkopf.legal_mask(views))


def start_ray() -> None:
    """Start Ray for this process alone, where none is running."""
    if not ray.is_initialized():
        ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False)


def train(algorithm: Any, iterations: int = 10**9, seconds: float = 1e9) -> Iterator[Any]:
    """Train, and give the results of each iteration: loss, decisions, entropy."""
    end = time.monotonic() + seconds
    for _ in range(iterations):
        result = algorithm.train()
        learned = result["learners"][POLICY]
        yield {
            "decisions": result["num_env_steps_sampled_lifetime"],
            "loss": float(learned["total_loss"]),
            "entropy": float(learned["entropy"]),
        }
        if time.monotonic() >= end:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=300, help="of training (default 300)")
    parser.add_argument("--seed", type=int, default=1, help="(default 1)")
    options = parser.parse_args()
    start_ray()
    algorithm = config(options.seed).build_algo()
    for row in train(algorithm, seconds=options.seconds):
        print(", ".join(f"{key} {value:.4g}" for key, value in row.items()), flush=True)
    players = {"rllib": Network(algorithm.get_module(POLICY)), "random": "random"}
    print(schafkopf.tournament(players, blocks=1000)["text"])  # points per game, 95 % intervals
    algorithm.stop()


if __name__ == "__main__":
    main()
