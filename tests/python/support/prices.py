"""Prices of a tariff, for tests that ask where each of them is told."""

from __future__ import annotations

from typing import Any

import schafkopf

WORDS = ("name", "unit")


def tariff_fields() -> dict[str, Any]:
    """Every field that the table of a tariff may set, with its value in one."""
    return dict(schafkopf.RuleSet(tariff={"name": "of these tests"}).to_dict()["tariff"])


def prices() -> list[str]:
    """The fields that are numbers: amounts and factors."""
    return [field for field in tariff_fields() if field not in WORDS]
