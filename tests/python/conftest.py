"""What holds for every test."""

import signal

import pytest

pytest.register_assert_rewrite("support")

# Programs that a test starts inherit it: where the tests run behind other work, the shell has it
# ignored, and Ctrl-C would reach nobody.
signal.signal(signal.SIGINT, signal.default_int_handler)
