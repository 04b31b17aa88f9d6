"""Adapters at their edges: first resets, closed environments, tables left out, exchanges."""

import importlib
import inspect
import re

import numpy as np
import pytest
from support.prices import prices

import schafkopf
from schafkopf import _core
from schafkopf.adapters.common import most_paid


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


# Results with the most of each part of a price.
DEAR = [
    {"contract": "SOLO", "declarer": 0, "points": [120], "tricks": [8], "laufende": 14},
    {"contract": "SOLO_TOUT", "declarer": 0, "tricks": [8], "laufende": 14},
    {"contract": "SIE", "declarer": 0},
    {"contract": "RAMSCH", "points": [120, 0, 0, 0], "tricks": [8, 0, 0, 0]},
    {"contract": "RAMSCH", "points": [70, 50, 0, 0], "tricks": [5, 3, 0, 0]},
]


def values_of(field):
    """The names of a switch, or the ends of its range."""
    if ends := re.fullmatch(r"integer (\d+)\.\.(\d+)", field["allowed"]):
        return [int(end) for end in ends.groups()]
    if field["allowed"] == "true, false":
        return [True, False]
    return field["allowed"].split(", ")


# One part alone costs and nothing is doubled, so that a dearer deal has nothing to hide behind.
@pytest.mark.parametrize(("price", "hit"), [("solo", 1), ("laufende", 1), ("ramsch", 1 / 2)])
def test_no_switch_makes_a_deal_dearer_than_an_illegal_action(price, hit):
    free = {key: int(key.endswith("_factor")) for key in prices()}
    dearest = 0.0
    for field in schafkopf.rules.rule_fields():
        for value in values_of(field):
            changes = {"all_pass": "ramsch", field["key"]: value, "tariff": free | {price: 100}}
            try:
                rules = schafkopf.RuleSet("research", **changes)
            except ValueError:  # a switch of lists, or one that needs another
                continue
            for entered in DEAR:
                try:
                    outcome, context, _ = _core.price_result(rules, **entered)
                except ValueError:  # not under these rules
                    continue
                paid = max(map(abs, _core.settle(outcome, rules, context)["payoffs"]))
                assert paid <= most_paid(rules), (changes, entered)
                dearest = max(dearest, paid / most_paid(rules))
    assert dearest == pytest.approx(hit)
