"""Peers that have an environment of their own (build/peers): Pgx on JAX's CPU, EnvPool.

Served to tests/bench/page.py line by line (served.py); nothing of this project is imported. Random
legal actions are drawn inside; batches are reset where an episode ends.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import served

BATCH = 1024
STEPS = 20  # of a batch in one call
PACKAGES = ("jax", "pgx", "envpool")
PGX = ("leduc_holdem", "kuhn_poker")
ENVPOOL = ("LeducHoldem-v1", "CartPole-v1")


def pgx(name: str) -> served.Work:
    """Return the work of a game of Pgx: one compiled function of STEPS steps of the whole batch."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    import jax
    import jax.numpy as jnp
    import pgx as package
    from pgx.experimental.wrappers import auto_reset

    env: Any = package.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def once(carry: Any, _: object) -> Any:
        state, key = carry
        key, draw, chance = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(draw, logits, axis=-1)
        state = step(state, actions, jax.random.split(chance, BATCH))
        return (state, key), state.rewards.sum() + state.observation.sum()

    run = jax.jit(lambda carry: jax.lax.scan(once, carry, None, length=STEPS))
    first = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(1), BATCH))
    carry = [(first, jax.random.PRNGKey(2))]

    def work() -> int:
        carry[0], seen = run(carry[0])
        jax.block_until_ready(seen)
        return STEPS * BATCH

    return work


def envpool(name: str) -> served.Work:
    """Return the work of an environment of EnvPool, stepped by one thread, actions by NumPy."""
    import envpool as package
    import numpy as np

    env: Any = package.make(name, env_type="gymnasium", num_envs=BATCH, num_threads=1, seed=1)
    rng = np.random.default_rng(1)
    mask = [env.reset()[1].get("legal_action_mask")]
    over = [np.zeros(BATCH, bool)]  # their next step starts an episode and is no decision

    def work() -> int:
        decisions = 0
        for _ in range(STEPS):
            if mask[0] is None:
                actions = rng.integers(0, env.action_space.n, BATCH, dtype=np.int32)
            else:
                draws = rng.random(mask[0].shape, dtype=np.float32) * mask[0]
                actions = draws.argmax(axis=1).astype(np.int32)
            decisions += BATCH - int(over[0].sum())
            _, _, terminated, truncated, info = env.step(actions)
            mask[0], over[0] = info.get("legal_action_mask"), terminated | truncated
        return decisions

    return work


def makers() -> dict[str, Callable[[], served.Work]]:
    found: dict[str, Callable[[], served.Work]] = {
        f"pgx {name}": partial(pgx, name) for name in PGX
    }
    return found | {f"envpool {name}": partial(envpool, name) for name in ENVPOOL}


def main() -> int:
    if sys.argv[1:] == ["releases"]:
        print(*(f"{package}=={importlib.metadata.version(package)}" for package in PACKAGES))
    else:
        served.serve(makers())
    return 0


if __name__ == "__main__":
    sys.exit(main())
