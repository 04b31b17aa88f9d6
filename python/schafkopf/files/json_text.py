"""JSON that came from outside."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

MAX_LEVELS = 64  # as the engine allows
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_QUOTED = re.compile('"[^"]*"?')
_NO_BRACKET = re.compile(r"[^][]+")
_AS_LISTS = str.maketrans("{}", "[]")


def parse_json(text: str, place: str | Path) -> Any:
    """Return the value of a JSON text that came from outside.

    Raises:
        ValueError: names `place` and what is wrong: no JSON, nested too deeply, a number too large
            or no number, a key that comes twice.
    """
    if _is_deep(text):
        raise ValueError(f"{place}: nested too deeply, allowed: {MAX_LEVELS} levels")
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_twins,
            parse_constant=_no_number,
            parse_float=_finite,
            parse_int=_whole,
        )
    except ValueError as error:
        raise ValueError(f"{place}: no JSON: {error}") from error


def _is_deep(text: str) -> bool:
    """Whether a text has more levels than a parser may recurse into."""
    if text.count("[") + text.count("{") <= MAX_LEVELS:
        return False
    left = _QUOTED.sub("", _ESCAPED.sub("", text)).translate(_AS_LISTS)
    left = _NO_BRACKET.sub("", left)
    for _ in range(MAX_LEVELS):  # takes away what is innermost
        left = left.replace("[]", "")
    return left.startswith("[" * (MAX_LEVELS + 1)) or "[]" in left


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        numbers = Counter(key for key, _ in pairs)
        twin = next(key for key, number in numbers.items() if number > 1)
        raise ValueError(f'key "{twin}" comes twice')
    return found


def _whole(text: str) -> int:
    number = int(text) if len(text) <= 20 else 2**64  # 20 signs: 64 bits
    if not -(2**63) <= number < 2**64:
        raise ValueError(f"{text:.60}, allowed: whole numbers of 64 bits")
    return number


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)
