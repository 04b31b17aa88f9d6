"""The trainers, and runs of training that end in a second."""

import importlib
from importlib.util import find_spec

import pytest

SMALL = {
    "games_per_update": 64, "minibatch": 256, "width": 32, "workers": 1, "eval_minutes": 0,
    "time_limit_minutes": 0,
}  # fmt: skip


def has_trainers():
    """Whether torch is there, and the module that a build may leave out; not whether they work."""
    return None not in (find_spec("torch"), find_spec("schafkopf._training"))


needs_training = pytest.mark.skipif(not has_trainers(), reason="the module _training is not built")


def trainers():
    """Return the module _training; skip where it is not built, fail where it cannot be imported."""
    if not has_trainers():
        pytest.skip("the module _training is not built", allow_module_level=True)
    importlib.import_module("torch")  # first, as its libraries are loaded with it
    return importlib.import_module("schafkopf._training")


def as_options(values):
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
