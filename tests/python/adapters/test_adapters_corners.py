"""Adapters at their edges: first resets, closed environments, tables left out, exchanges."""

import importlib
import inspect
import re

import numpy as np
import pytest


def test_a_first_reset_of_some_rows_draws_deals_for_all():
    pytest.importorskip("gymnasium")
    from schafkopf.adapters.gymnasium import SchafkopfVectorEnv

    shown = []
    for _ in range(2):
        env = SchafkopfVectorEnv(3)
        observation, _ = env.reset(options={"reset_mask": np.array([True, False, False])})
        shown.append(observation["observation"] if isinstance(observation, dict) else observation)
    assert (shown[0] != shown[1]).any(axis=1).all()


ONE_SEAT = ["num_envs", "auto_reset", "action_mask", "arrays", "opponents"]
ALL_SEATS = [*ONE_SEAT, "learner_seat", "opponent", "bidding_only"]


@pytest.mark.parametrize(
    ("module", "name", "given", "own"),
    [
        ("gymnasium", "SchafkopfEnv", {}, ONE_SEAT),
        ("sb3", "SchafkopfVecEnv", {"num_envs": 2}, ONE_SEAT),
        ("torchrl", "SchafkopfEnv", {}, ONE_SEAT),
        ("pettingzoo", "raw_env", {}, ALL_SEATS),
    ],
)
def test_options_that_an_adapter_sets_itself_are_documented_and_refused(module, name, given, own):
    for package in {"sb3": ["sb3_contrib", "stable_baselines3"]}.get(module, [module]):
        pytest.importorskip(package)
    adapter = getattr(importlib.import_module(f"schafkopf.adapters.{module}"), name)
    for option in own:
        assert re.search(rf"\b{option}\b", adapter.__doc__), option
        by_torchrl = module == "torchrl" and option == "auto_reset"  # which takes it for itself
        if not by_torchrl and option not in inspect.signature(adapter.__init__).parameters:
            with pytest.raises(TypeError, match=f"{option} cannot be given, the adapter sets it"):
                adapter(**given, **{option: 1})


def test_what_is_asked_of_a_closed_environment_says_so():
    pytest.importorskip("gymnasium")
    from schafkopf.adapters.gymnasium import SchafkopfEnv

    env = SchafkopfEnv()
    env.reset(seed=1)
    env.close()
    with pytest.raises(RuntimeError, match="this VectorEnv is closed"):
        env.action_masks()


def test_an_action_is_no_truth_value():
    pytest.importorskip("gymnasium")
    from schafkopf.adapters.gymnasium import SchafkopfEnv

    env = SchafkopfEnv()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="one integer"):
        env.step(np.True_)


def test_tables_that_are_left_out_are_refused_by_torchrl():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    pytest.importorskip("torchrl")
    from schafkopf.adapters.torchrl import SchafkopfEnv

    env = SchafkopfEnv(3, seed=1)
    row = env.rand_action(env.reset())
    row["_step"] = torch.tensor([True, False, False])
    with pytest.raises(ValueError, match="_step: table 1 is left out"):
        env.step(row)
