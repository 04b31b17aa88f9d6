"""Charts of the reports as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from schafkopf.report_style import SERIES


def series_class(number: int) -> str:
    """Return the class that colours a series: what it holds takes currentColor."""
    return f"s{number % SERIES}"


def heat_style(value: float) -> str:
    """Return the background of a cell between `lose` (-1), none (0) and `win` (+1)."""
    value = max(-1.0, min(1.0, value))
    return f"background:rgb(var(--{'win' if value > 0 else 'lose'}) / {abs(value) ** 0.7:.2f})"


def ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Return round numbers that cover low..high."""
    span = max(high - low, 1e-9)
    step = 10 ** math.floor(math.log10(span / count))
    step *= next(m for m in (1, 2, 5, 10) if span / (step * m) <= count)
    first = math.floor(low / step + 1e-9)
    last = max(first + 1, math.ceil(high / step - 1e-9))
    return [step * i for i in range(first, last + 1)]


def legend(names: Sequence[str]) -> str:
    """Return the names of series with their colours; nothing for a single one."""
    if len(names) < 2:
        return ""
    keys = "".join(
        f'<span><i class="key {series_class(i)}"></i>{escape(name)}</span>'
        for i, name in enumerate(names)
    )
    return f'<p class="legend">{keys}</p>'


def interval_chart(
    rows: Sequence[tuple[str, Sequence[tuple[int, dict[str, Any]]]]], unit: str
) -> str:
    """Return means with their intervals, one row per label.

    Args:
        rows: (label, [(number of the series, {"mean": ..., "half_width": ...}), ...]); without
            an interval (None) there is a dot only.
    """
    estimates = [estimate for _, series in rows for _, estimate in series]
    if not estimates:
        return ""
    low = min(0.0, *(e["mean"] - (e["half_width"] or 0.0) for e in estimates))
    high = max(0.0, *(e["mean"] + (e["half_width"] or 0.0) for e in estimates))
    marks = ticks(low, high)
    label_width = min(210, 20 + 8 * max(len(label) for label, _ in rows))
    width, right, top = 720, 110, 8
    plot = width - label_width - right

    def x(value: float) -> float:
        return label_width + plot * (value - marks[0]) / (marks[-1] - marks[0])

    step = 16
    heights = [max(28, step * len(series) + 12) for _, series in rows]
    bottom = top + sum(heights)
    parts = []
    for mark in marks:
        kind, thick = ("axis", 1.4) if abs(mark) < 1e-12 else ("grid", 1)
        parts.append(
            f'<line x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="{top}" y2="{bottom}" '
            f'class="{kind}" stroke-width="{thick}"/>'
            f'<text class="soft" x="{x(mark):.1f}" y="{bottom + 16}" text-anchor="middle">'
            f"{mark:+g}</text>".replace("+0<", "0<")
        )
    y = float(top)
    for (label, series), height in zip(rows, heights, strict=True):
        middle = y + height / 2
        short = label if len(label) <= 26 else label[:25] + "…"
        parts.append(f'<text x="0" y="{middle + 4:.1f}">{escape(short)}</text>')
        for place, (number, estimate) in enumerate(series):
            at = middle + step * (place - (len(series) - 1) / 2)
            parts.append(_interval_mark(x, at, estimate, series_class(number), width))
        y += height
    return (
        f'<div class="wide" tabindex="0"><svg viewBox="0 0 {width} {bottom + 40}" '
        f'style="max-width:{width}px" role="img">{"".join(parts)}'
        f'<text class="soft" x="{label_width + plot / 2:.0f}" y="{bottom + 34}" '
        f'text-anchor="middle">{escape(unit)}</text></svg></div>'
    )


def _interval_mark(x: Any, y: float, estimate: dict[str, Any], series: str, width: int) -> str:
    mean, half = estimate["mean"], estimate["half_width"]
    bar, text = "", f"{mean:+.2f}"
    if half is not None:
        low, high = x(mean - half), x(mean + half)
        bar = f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>' + "".join(
            f'<line x1="{end:.1f}" x2="{end:.1f}" y1="{y - 4:.1f}" y2="{y + 4:.1f}"/>'
            for end in (low, high)
        )
        text += f" ± {half:.2f}"
    return (
        f'<g class="{series}" stroke="currentColor" stroke-width="2">{bar}'
        f'<circle cx="{x(mean):.1f}" cy="{y:.1f}" r="4" fill="currentColor"/></g>'
        f'<text class="soft" x="{width}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    )


def calibration_chart(series: Sequence[Sequence[dict[str, Any]]]) -> str:
    """Return realised over expected win rates, with the diagonal and 95 % intervals."""
    size, left, top = 420, 46, 10

    def x(share: float) -> float:
        return left + size * share

    def y(share: float) -> float:
        return top + size * (1.0 - share)

    parts = []
    for mark in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        parts.append(
            f'<path d="M{x(mark):.1f} {y(0):.1f}V{y(1):.1f}M{x(0):.1f} {y(mark):.1f}H{x(1):.1f}" '
            'class="grid"/>'
            f'<text class="soft" x="{x(mark):.1f}" y="{y(0) + 16:.1f}" text-anchor="middle">'
            f"{100 * mark:.0f} %</text>"
            f'<text class="soft" x="{left - 6}" y="{y(mark) + 4:.1f}" text-anchor="end">'
            f"{100 * mark:.0f}</text>"
        )
    parts.append(
        f'<line x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}" class="axis" '
        'stroke-dasharray="5 4"/>'
    )
    for number, bins in enumerate(series):
        parts.append(f'<g class="{series_class(number)}" stroke="currentColor">')
        points = [(x(b["expected_win_rate"]), y(b["win_rate"])) for b in bins]
        line = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke-width="1.5"/>')
        for (px, py), b in zip(points, bins, strict=True):
            half = b["half_width"] or 0.0
            low, high = y(max(0.0, b["win_rate"] - half)), y(min(1.0, b["win_rate"] + half))
            parts.append(
                f'<line x1="{px:.1f}" x2="{px:.1f}" y1="{low:.1f}" y2="{high:.1f}" '
                'stroke-width="2"/>'
                f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="currentColor"/>'
            )
        parts.append("</g>")
    width, height = left + size + 20, top + size + 44
    return (
        f'<div class="wide" tabindex="0"><svg class="square" viewBox="0 0 {width} {height}" '
        f'style="max-width:{width}px" role="img">{"".join(parts)}'
        f'<text class="soft" x="{x(0.5):.0f}" y="{height - 8}" text-anchor="middle">'
        "expected win rate; upwards: share of games won</text></svg></div>"
    )
