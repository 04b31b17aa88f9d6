"""The maxims of the rule agent in German."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

GERMAN: dict[str, str] = {}


def sentence(reason: Mapping[str, Any]) -> list[str]:
    """Why the rule agent decides so, in German and English."""
    return [GERMAN.get(reason["maxim"], reason["sentence"]), reason["sentence"]]
