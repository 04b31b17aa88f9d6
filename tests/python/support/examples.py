"""The learners of python/examples, and what a player wins over a random one."""

import functools
import importlib.util
import os
import sys
from pathlib import Path

import numpy as np

import schafkopf

EXAMPLES = Path(__file__).resolve().parents[3] / "python" / "examples"


LONG = os.environ.get("SCHAFKOPF_TEST_SCALE") == "long"


def example(name):
    """Import python/examples/NAME.py."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def payoffs(choose, deals=16384, cards="absolute"):
    """Return what seat 0 gets from each deal against three random players [deals].

    choose: (observation [N, F], mask [N, 128]) -> actions [N]
    """
    game = {"start": "card_play", "generator": "heuristic", "cards": cards}
    env = schafkopf.VectorEnv(deals, **game, opponent="random", learner_seat=0, seed=77)
    env.reset()
    paid = np.full(deals, np.nan)
    while np.isnan(paid).any():
        env.step(choose(env.observation, env.action_mask))
        ended = env.terminated & np.isnan(paid)
        paid[ended] = env.rewards[ended, 0]
    return paid


def random_choice(observation, mask):
    return (np.random.default_rng(5).random(mask.shape) * mask).argmax(axis=1)


@functools.cache
def payoffs_of_random():
    return payoffs(random_choice)


def gain(choose, cards="absolute"):
    """Return (mean, half of the 95 % interval) of what is won over a random player."""
    difference = payoffs(choose, cards=cards) - payoffs_of_random()
    return difference.mean(), 1.96 * difference.std() / np.sqrt(len(difference))
