"""Charts of the reports: drawn by matplotlib, with the numbers that they show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from schafkopf import figure
from schafkopf.intervals import interval_text
from schafkopf.report_style import SERIES

Row = tuple[str, Sequence[tuple[int, dict[str, Any]]]]

WIDTH = 380.0  # pixels at which a chart is drawn; on a telephone it is hardly smaller
_EDGE, _VALUES = 20.0, 116.0  # free at both sides; for the values of several series
_LABEL, _STEP, _GAP, _AXIS = 17.0, 15.0, 9.0, 40.0  # heights: label, bar, between rows, below
_LONGEST = {True: 50, False: 34}  # letters of a label: alone in its line, or before a value


@dataclass(frozen=True)
class Chart:
    """A drawing for a page and what it shows in numbers.

    Args:
        svg: markup, "" where matplotlib is missing;  missing: then how to install it.
        head, rows: the numbers as a table of text;  series: names of the colours.
    """

    svg: Any
    missing: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    series: Sequence[str] = ()
    square: bool = False


def heat_style(value: float) -> str:
    """Return the background of a cell between `lose` (-1), none (0) and `win` (+1)."""
    value = max(-1.0, min(1.0, value))
    return f"background:rgb(var(--{'win' if value > 0 else 'lose'}) / {abs(value) ** 0.7:.2f})"


def series_colour(number: int) -> str:
    """Return the colour of a series in the light scheme, which svg_text makes a variable."""
    return figure.COLOURS[f"s{number % SERIES}"]


def drawn(
    name: str, label: str, size: tuple[float, float], draw: Callable[[Any], None]
) -> tuple[Any, str]:
    """Return (markup of a figure of `size` pixels, ""), or ("", how to install matplotlib)."""
    from markupsafe import Markup

    inches = tuple(pixels / figure.PIXELS_PER_INCH for pixels in size)
    try:
        with figure.page_colours(**{"font.size": 11.0, "path.simplify_threshold": 0.5}):
            made = figure.inline_figure(figsize=inches)
            draw(made)
            return Markup(figure.svg_text(made, name, label)), ""
    except ModuleNotFoundError as error:
        return "", str(error)


def interval_chart(name: str, rows: Sequence[Row], unit: str, series: Sequence[str] = ()) -> Chart:
    """Return means with their intervals, a label above the bars of its row.

    Args:
        name: of the chart, in its page no other has it.
        rows: (label, [(number of the series, {"mean": ..., "half_width": ...}), ...]); without
            an interval (None) there is a dot only.
        series: names of the series.
    """
    several = len(series) > 1
    heights = [_LABEL + _STEP * len(shown) + _GAP for _, shown in rows]

    def draw(made: Any) -> None:
        size = WIDTH, sum(heights) + _AXIS
        right = WIDTH - (_VALUES if several else _EDGE)
        axes = made.add_axes(
            (_EDGE / WIDTH, _AXIS / size[1], (right - _EDGE) / WIDTH, 1 - _AXIS / size[1])
        )
        _prepare(axes, sum(heights), unit)
        top = 0.0
        for (label, shown), height in zip(rows, heights, strict=True):
            _row(axes, top, label, shown, several)
            top += height
        _round_limits(axes)

    svg, missing = drawn(name, f"{unit} with 95 % intervals", (WIDTH, sum(heights) + _AXIS), draw)
    table = [
        [label, *([series[number]] if several else []), interval_text(estimate)]
        for label, shown in rows
        for number, estimate in shown
    ]
    head = ["", *(["player"] if several else []), unit]
    return Chart(svg, missing, head, table, series if several else ())


def _prepare(axes: Any, height: float, unit: str) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.set_ylim(height, 0)
    axes.get_yaxis().set_visible(False)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:+g}" if abs(x) > 1e-9 else "0"))
    axes.grid(axis="x")
    axes.set_xlabel(unit, parse_math=False)
    axes.axvline(0.0, color=figure.COLOURS["axis"], linewidth=1.4)


def _row(axes: Any, top: float, label: str, shown: Sequence[Any], several: bool) -> None:
    longest = _LONGEST[several]
    short = label if len(label) <= longest else label[: longest - 1] + "…"
    free = {"transform": axes.get_yaxis_transform(), "parse_math": False, "va": "center"}
    axes.text(0, top + _LABEL - 6, short, **free)
    for place, (number, estimate) in enumerate(shown):
        y = top + _LABEL + _STEP * (place + 0.5)
        half = estimate["half_width"]
        colour = series_colour(number)
        axes.errorbar(
            estimate["mean"], y, xerr=half, fmt="o", color=colour, markersize=7, capsize=3,
            linewidth=2, capthick=2, zorder=3,
        )  # fmt: skip
        at = (1.03, y, "left") if several else (1, top + _LABEL - 6, "right")
        soft = figure.COLOURS["soft"]
        axes.text(*at[:2], interval_text(estimate), ha=at[2], color=soft, **free)


def _round_limits(axes: Any) -> None:
    """Begin and end at a tick, so that no bar touches the edge."""
    low, high = axes.get_xlim()
    ticks = axes.xaxis.get_major_locator().tick_values(low, high)
    axes.set_xlim(ticks[0], ticks[-1])


def calibration_chart(
    name: str, series: Sequence[tuple[str, Sequence[dict[str, Any]]]], unit: str
) -> Chart:
    """Return realised over expected win rates, with the diagonal and 95 % intervals.

    Args:
        series: (player, groups of games), a colour each.
    """

    def draw(made: Any) -> None:
        from matplotlib.ticker import PercentFormatter

        axes = made.add_axes((0.18, 0.13, 0.77, 0.83))
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        axes.grid()
        axes.plot([0, 1], [0, 1], color=figure.COLOURS["axis"], linestyle=(0, (5, 4)))
        for number, (_, bins) in enumerate(series):
            expected, won = ([b[key] for b in bins] for key in ("expected_win_rate", "win_rate"))
            half = [b["half_width"] or 0.0 for b in bins]
            low = [min(h, w) for h, w in zip(half, won, strict=True)]
            high = [min(h, 1.0 - w) for h, w in zip(half, won, strict=True)]
            axes.errorbar(
                expected, won, yerr=[low, high], fmt="o-", color=series_colour(number),
                markersize=6, linewidth=1.5, elinewidth=2, clip_on=False, zorder=3,
            )  # fmt: skip
        for side in (axes.xaxis, axes.yaxis):
            side.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.set_xlabel("expected win rate")
        axes.set_ylabel("share of games won")

    label = "Share of games won over the expected one, with 95 % intervals"
    svg, missing = drawn(name, label, (WIDTH, WIDTH), draw)
    head = ["declarer", "games", "expected wins", "wins", f"expected {unit}", unit]
    rows = [_calibration_row(player, one) for player, bins in series for one in bins]
    return Chart(svg, missing, head, rows, [player for player, _ in series], square=True)


def _calibration_row(player: str, one: dict[str, Any]) -> list[str]:
    half = one["half_width"]
    return [
        player,
        f"{one['games']:,}",
        f"{100 * one['expected_win_rate']:.1f} %",
        f"{100 * one['win_rate']:.1f} %" + ("" if half is None else f" ± {100 * half:.1f}"),
        f"{one['expected_payoff']:+.1f}",
        f"{one['payoff']:+.1f}",
    ]
