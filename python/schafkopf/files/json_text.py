"""JSON that came from outside."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any


def parse_json(text: str, place: str | Path) -> Any:
    """Return the value of a JSON text that came from outside.

    Raises:
        ValueError: names `place` and what is wrong: no JSON, nested too deeply, a number too long
            or no number, a key that comes twice.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_twins,
            parse_constant=_no_number,
            parse_float=_finite,
        )
    except RecursionError:  # hundreds of levels; the cause would fill pages
        raise ValueError(f"{place}: no JSON: nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{place}: no JSON: {error}") from error


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twin = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f'key "{twin}" comes twice')
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)
