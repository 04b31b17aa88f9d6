"""The adapter to Pgx is tested in a process of its own: JAX has threads and warns of every fork."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = Path(__file__).with_name("test_adapters_pgx.py")


def test_the_adapter_to_pgx_holds():
    if importlib.util.find_spec("jax") is None or importlib.util.find_spec("pgx") is None:
        pytest.skip("could not import 'jax' and 'pgx'")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", SUITE],
        cwd=SUITE.parents[3],
        env=os.environ | {"SCHAFKOPF_TESTS_WITH_JAX": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout and "skipped" not in done.stdout
