"""Speed of the adapters from Python, beside peers in the same run: works and tables.

A decision is one action of one player; drawing a random legal action, reading mask and observation,
and dealing are inside. Rates are per CPU second of this thread. The works of a table are measured
in turn, for some rounds: a ratio is the median of those of the rounds, so other work on the machine
touches both sides of it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import turns

import schafkopf
from schafkopf.commands.bench import Work, open_spiel_game, python_batch

BENCH = "python/requirements-bench.txt"
MANY = 4096
TABLES = 256
TINY = np.float32(1e-30)
CLASSICS = ("tictactoe_v3", "connect_four_v3", "leduc_holdem_v4", "texas_holdem_v4", "chess_v6")
Makers = Mapping[str, Callable[[], Work]]  # a maker raises ImportError where a package is missing


@dataclass(frozen=True)
class Speed:
    """What was measured of one work."""

    rate: float  # decisions per CPU second, median of the rounds
    ratio: turns.Ratio  # to the first work of the table


def aec(make: Callable[[], Any], episodes: int = 4) -> Work:
    """Return the work of playing out an AEC environment of PettingZoo."""
    env = make()
    env.reset(seed=1)
    rng = np.random.default_rng(1)

    def work() -> int:
        decisions = 0
        for _ in range(episodes):
            env.reset()
            for _ in env.agent_iter():
                observation, _, terminated, truncated, info = env.last()
                if terminated or truncated:
                    env.step(None)
                    continue
                shown = observation if "action_mask" in observation else info
                env.step(rng.choice(np.flatnonzero(shown["action_mask"])))
                decisions += 1
        return decisions

    return work


def own_aec() -> Work:
    from schafkopf.adapters import pettingzoo

    return aec(pettingzoo.env)


def classic(name: str) -> Callable[[], Work]:
    """Return a maker of the work of a game of PettingZoo, which warns of what is its own."""

    def make() -> Work:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return aec(import_module(f"pettingzoo.classic.{name}").env)

    return make


def rlcard_bridge(episodes: int = 2) -> Work:
    """Return the work of RLCard's bridge: state with observation and legal actions."""
    import rlcard

    env = rlcard.make("bridge", config={"seed": 1})
    rng = np.random.default_rng(1)

    def work() -> int:
        decisions = 0
        for _ in range(episodes):
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(rng.choice(list(state["legal_actions"])))
                decisions += 1
        return decisions

    return work


def open_spiel(name: str) -> Callable[[], Work]:
    def make() -> Work:
        work = open_spiel_game(name)
        if work is None:
            raise ImportError("open_spiel")
        return work

    return make


def one_table() -> Makers:
    """Return the works of one table whose seats are asked in turn."""
    return {
        "Schafkopf, adapter to PettingZoo (AEC)": own_aec,
        **{f"PettingZoo classic `{name}` (AEC)": classic(name) for name in CLASSICS},
        "RLCard bridge": rlcard_bridge,
        "Schafkopf, adapter to OpenSpiel": open_spiel("schafkopf(rng_seed=1)"),
        "OpenSpiel skat": open_spiel("skat"),
        "Schafkopf, `VectorEnv` of one table": lambda: python_batch(1, "numpy"),
    }


def many_tables(num_envs: int = MANY, steps: int = 5) -> Makers:
    """Return the works of stepping a batch from Python, by who draws the actions."""
    logits = np.random.default_rng(1).standard_normal((num_envs, schafkopf.NUM_ACTIONS), np.float32)

    def stepping(draw: Callable[[Any, np.random.Generator], Any], with_mask: bool) -> Work:
        env = schafkopf.VectorEnv(
            num_envs, seed=1, auto_reset="same_step", observation="none", action_mask=with_mask
        )
        env.reset()
        rng = np.random.default_rng(1)

        def work() -> int:
            for _ in range(steps):
                env.step(draw(env, rng))
            return steps * num_envs

        return work

    def best(env: Any, rng: Any) -> Any:
        return np.where(env.action_mask, logits, -np.inf).argmax(axis=1)

    def gumbel(env: Any, rng: Any) -> Any:
        noise = -np.log(rng.standard_exponential(logits.shape, dtype=np.float32) + TINY)
        return np.where(env.action_mask, logits + noise, -np.inf).argmax(axis=1)

    def sampled(env: Any, rng: Any) -> Any:
        return schafkopf.sample(logits, env.legal, rng)

    return {
        "masked argmax of logits in plain NumPy (draws nothing)": lambda: stepping(best, True),
        "softmax drawn in plain NumPy (Gumbel noise, masked argmax)": lambda: stepping(
            gumbel, True
        ),
        "uniform in plain NumPy (random numbers times mask, argmax)": lambda: python_batch(
            num_envs, "numpy", observation="none"
        ),
        "softmax drawn by `schafkopf.sample`": lambda: stepping(sampled, False),
        "the same, the environment with the mask": lambda: stepping(sampled, True),
        "uniform drawn by the engine (`step_random`)": lambda: python_batch(
            num_envs, "engine", observation="none"
        ),
    }


def _uniform(mask: Any, rng: np.random.Generator) -> Any:
    return (rng.random(mask.shape, dtype=np.float32) * mask).argmax(axis=1)


def learner_tables(num_envs: int = TABLES, steps: int = 5) -> Makers:
    """Return the works of one seat of some tables against random players."""
    players: Any = {"opponent": "random", "learner_seat": 0}

    def repeated(step: Callable[[np.random.Generator], object]) -> Work:
        rng = np.random.default_rng(1)

        def work() -> int:
            for _ in range(steps):
                step(rng)
            return steps * num_envs

        return work

    def batch() -> Work:
        env = schafkopf.VectorEnv(num_envs, auto_reset="same_step", seed=1, **players)
        env.reset()
        return repeated(lambda rng: env.step(_uniform(env.action_mask, rng)))

    def gymnasium() -> Work:
        from schafkopf.adapters.gymnasium import SchafkopfVectorEnv

        env = SchafkopfVectorEnv(num_envs, autoreset_mode="SameStep", seed=1, **players)
        masks = [env.reset()[1]["action_mask"]]

        def step(rng: np.random.Generator) -> None:
            masks[0] = env.step(_uniform(masks[0], rng))[4]["action_mask"]

        return repeated(step)

    def sb3() -> Work:
        from schafkopf.adapters.sb3 import SchafkopfVecEnv

        env = SchafkopfVecEnv(num_envs, seed=1, **players)
        env.reset()

        def step(rng: np.random.Generator) -> None:
            env.step(_uniform(np.stack(env.env_method("action_masks")), rng))

        return repeated(step)

    def torchrl() -> Work:
        import torch

        from schafkopf.adapters.torchrl import SchafkopfEnv

        torch.set_num_threads(1)  # a second one that waits for a busy processor counts as work
        env = SchafkopfEnv(num_envs, seed=1, **players)
        state = [env.reset()]

        def step(rng: np.random.Generator) -> None:
            actions = _uniform(state[0]["action_mask"].numpy(), rng)
            state[0] = env.step_and_maybe_reset(state[0].set("action", torch.tensor(actions)))[1]

        return repeated(step)

    return {
        "`VectorEnv` itself": batch,
        "adapter to Gymnasium (`SchafkopfVectorEnv`)": gymnasium,
        "adapter to Stable-Baselines3 (`SchafkopfVecEnv`)": sb3,
        "adapter to TorchRL (`SchafkopfEnv`)": torchrl,
    }


def measured(makers: Makers, rounds: int, seconds: float) -> dict[str, Speed | str]:
    """Measure works in turn; return for each its speed, or the name of the package that it lacks.

    Raises:
        ImportError: of the first work, to which the others are compared.
    """
    reference = next(iter(makers))
    works: dict[str, Work] = {}
    missing: dict[str, str] = {}
    for name, make in makers.items():
        try:
            works[name] = make()
            works[name]()
        except ImportError as error:
            if name == reference:
                raise
            missing[name] = (error.name or str(error)).split(".")[0]
    measures = {name: partial(turns.cpu_rate, work) for name, work in works.items()}
    seen = turns.in_turn(measures, rounds, seconds)
    found: dict[str, Speed | str] = {}
    for name in makers:
        if name in missing:
            found[name] = missing[name]
            continue
        found[name] = Speed(turns.median(seen, name), turns.ratio(seen, name, reference))
    return found


def speed_table(makers: Makers, rounds: int, seconds: float) -> str:
    """Measure and return a Markdown table; its ratios are to the first row."""
    lines = ["| what is measured | decisions/s | ratio | lowest to highest |", "|---|---|---|---|"]
    for name, seen in measured(makers, rounds, seconds).items():
        if isinstance(seen, str):
            lines.append(f"| {name} | not run: no {seen}, pip install -r {BENCH} | | |")
            continue
        first = len(lines) == 2
        span = "" if first else f"{seen.ratio.low:.2f} to {seen.ratio.high:.2f}"
        ratio = "1" if first else f"{seen.ratio.median:.2f}"
        lines.append(f"| {name} | {turns.amount(seen.rate)} | {ratio} | {span} |")
    return "\n".join(lines)
