"""The adapter to Pgx is tested in a process of its own: JAX has threads and warns of every fork."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = Path(__file__).with_name("test_adapters_pgx.py")
ON_ONE_PROCESSOR = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import jax, jax.numpy as jnp
from schafkopf.adapters.pgx import SchafkopfEnv
env = SchafkopfEnv()
init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))
state = init(jax.random.split(jax.random.PRNGKey(0), 8192))
for number in range(4):
    logits = jnp.log(state.legal_action_mask)
    state = step(state, jax.random.categorical(jax.random.PRNGKey(number), logits, axis=-1))
print("done", state._num_actions.min())
"""


def needs_pgx():
    if importlib.util.find_spec("jax") is None or importlib.util.find_spec("pgx") is None:
        pytest.skip("could not import 'jax' and 'pgx'")


def test_the_adapter_to_pgx_holds():
    needs_pgx()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", SUITE],
        cwd=SUITE.parents[3],
        env=os.environ | {"SCHAFKOPF_TESTS_WITH_JAX": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout and "skipped" not in done.stdout


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processors cannot be chosen")
def test_large_batches_of_pgx_go_on_where_there_is_one_processor():
    needs_pgx()
    done = subprocess.run(
        [sys.executable, "-c", ON_ONE_PROCESSOR],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == "done 4\n", done.stdout + done.stderr
