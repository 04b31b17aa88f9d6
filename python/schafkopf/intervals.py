"""Means with their 95 % intervals as text, in the terminal, on pages and in notebooks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def interval_text(
    estimate: Mapping[str, Any] | None,
    digits: int = 2,
    *,
    sign: str = "+",
    scale: float = 1.0,
    mark: str = "±",
) -> str:
    """Return "+1.25 ± 0.50": the mean alone where there is no interval, "-" where there is nothing.

    One deal, and deals that are all alike, have no interval: half_width is None or infinite.

    Args:
        estimate: with mean and half_width; None: of no games.
        digits: behind the point.
        sign: "+" says that of means above 0 too, "" does not.
        scale: both are multiplied by it, 100 for shares in percent.
        mark: between the two.
    """
    if estimate is None:
        return "-"
    text = f"{scale * estimate['mean']:{sign}.{digits}f}"
    half = estimate["half_width"]
    if half is None or not math.isfinite(half):
        return text
    return f"{text} {mark} {scale * half:.{digits}f}"
