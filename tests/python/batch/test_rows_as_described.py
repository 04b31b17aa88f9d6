"""Rows by what agents/METHODS.md, section 2, says of them: a second encoder, in NumPy alone."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schafkopf
from schafkopf import rules
from schafkopf.cards import parse_card
from schafkopf.observations import observation_sections, rule_feature_sections

METHODS = (Path(__file__).parents[3] / "agents/METHODS.md").read_text(encoding="utf-8")


def words_behind(beginning: str) -> list[str]:
    """Return the comma-separated words of a sentence of METHODS, without its beginning."""
    sentence = re.search(re.escape(beginning) + r" ([^.]*)\.", METHODS)
    assert sentence, f"METHODS does not say: {beginning} ..."
    return re.findall(r"\w+", sentence[1])


def logarithm(amounts: Any) -> np.ndarray:
    """Return an amount as METHODS says of the Stock."""
    amounts = np.asarray(amounts, np.int64)
    whole = np.floor(np.log2(np.maximum(amounts, 1))).astype(np.int64)
    return np.where(amounts > 0, 8 * (whole + 1) + ((8 * amounts) >> whole) - 8, 0)


# The section `rules`


def random_rules(rng: random.Random) -> schafkopf.RuleSet:
    rule_set = schafkopf.RuleSet(rng.choice(schafkopf.preset_names()))
    fields = rules.rule_fields()
    for _ in range(60):
        field = rng.choice(fields)
        key, allowed = field["key"], field["allowed"]
        value: Any
        if allowed == "true, false":
            value = rng.random() < 0.5
        elif allowed.startswith("integer"):
            low, high = (int(end) for end in re.findall(r"\d+", allowed))
            value = rng.choice([low, high, rng.randint(low, high), min(high, low + 9)])
        elif key == "muss_card":
            value = rng.choice(["EO", "SA", "G9"])
        elif key == "tariff":
            amounts = words_behind("The tariff is")
            value = {"base": rng.choice(["5/20", "10/50 half Laufende"]), "name": "own"}
            value |= {name: rng.randint(1, 8) for name in amounts if rng.random() < 0.5}
        elif key == "doubling_names":
            value = ["Stoß"] * rng.randint(1, 4)
        elif key == "special_round_triggers":
            events = words_behind("The events are")
            modes = rules.SPECIAL_ROUNDS
            value = {name: rng.choice(modes) for name in events if rng.random() < 0.5}
        elif allowed.startswith("list of"):
            value = [name for name in words(allowed) if rng.random() < 0.5]
        else:
            value = rng.choice(words(allowed))
        try:
            rule_set = rule_set.replace(**{key: value})
        except ValueError:
            continue  # not with the other switches
    return rule_set


def words(allowed: str) -> list[str]:
    return allowed.removeprefix("list of ").split(", ")


def rule_numbers(rule_set: schafkopf.RuleSet, version: int) -> np.ndarray:
    sections = rule_feature_sections(version)
    numbers = np.zeros(sections["reserved"].stop, np.uint8)
    for field in rules.rule_fields():
        key, allowed = field["key"], field["allowed"]
        value, part = getattr(rule_set, key), numbers[sections[key]]
        if allowed == "true, false":
            part[0] = 255 * value
        elif allowed.startswith("integer"):
            low, high = (int(end) for end in re.findall(r"\d+", allowed))
            small = 255 * (value - low) // (high - low)
            part[0] = small if high <= 255 else logarithm(value)
        elif key == "muss_card":
            part[0] = 255 * parse_card(value) // 31
        elif key == "tariff":
            table = value
            if isinstance(value, str):
                table = rule_set.replace(tariff={"base": value, "name": "own"}).tariff
            for place, name in enumerate(words_behind("The tariff is")):
                twice = 1 if name.endswith("_factor") else 2
                part[place] = logarithm(int(twice * table[name]))
        elif key == "doubling_names":
            part[0] = len(value)
        elif key == "special_round_triggers":
            for event, mode in value.items():
                place = words_behind("The events are").index(event)
                part[place] = 255 * rules.SPECIAL_ROUNDS.index(mode) // 12
        elif key in ("contracts", "bock_triggers", "last_chooses_options"):
            orders = {
                "contracts": list(rules.CONTRACT_CLASSES),
                "bock_triggers": words_behind("The events are"),
            }
            for name in value:
                part[orders.get(key, words(allowed)).index(name)] = 255
        else:
            order = list("EGHS") if key == "partner_trump_suit" else words(allowed)
            if order.index(value) > 0:
                part[order.index(value) - 1] = 255
    return numbers


@pytest.mark.parametrize("version", [1, 3])
def test_the_rule_section_holds_the_numbers_that_the_methods_name(version: int) -> None:
    rng = random.Random(7)
    for number in range(40):
        rule_set = random_rules(rng)
        view = schafkopf.Game(rule_set, seed=number).view(0)
        row = schafkopf.encode(view, rules=rule_set, dtype="uint8", version=version)[0]
        got = row[observation_sections(version)["rules"]]
        expected = rule_numbers(rule_set, version)
        for key, part in rule_feature_sections(version).items():
            np.testing.assert_array_equal(got[part], expected[part], err_msg=key)
