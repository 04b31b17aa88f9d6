"""What holds for every test."""

import importlib
import os
import signal
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
