"""What holds for every test."""

import importlib
import os
import signal
import sys
from pathlib import Path

import pytest

# No test skips what is ours: where it cannot be imported, nothing is tested.
import schafkopf
import schafkopf.cli  # noqa: F401

pytest.register_assert_rewrite("support")

# Where the trainer was built, its module was, too (CTest names the folder).
if Path(os.environ.get("SCHAFKOPF_BUILD_DIR", os.devnull), "schafkopf_train").is_file():
    importlib.import_module("torch")
    importlib.import_module("schafkopf._training")

# Programs that a test starts inherit it: where the tests run behind other work, the shell has it
# ignored, and Ctrl-C would reach nobody.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure():
    """The size of tests is one that there is, as tests/cpp/support/scale.h has them."""
    scale, sizes = os.environ.get("SCHAFKOPF_TEST_SCALE", ""), ("quick", "normal", "full", "long")
    if scale and scale not in sizes:
        raise pytest.UsageError(f"SCHAFKOPF_TEST_SCALE = {scale}, allowed: {', '.join(sizes)}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """JAX warns of every fork once it is loaded, in whichever test that comes: a test that needs it
    has a process of its own (test_adapters_pgx_apart.py)."""
    before = "jax" in sys.modules
    result = yield
    if not before and "jax" in sys.modules and "SCHAFKOPF_TESTS_WITH_JAX" not in os.environ:
        pytest.fail("this test loads JAX into the process of all tests")
    return result
