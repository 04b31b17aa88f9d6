"""Plots of training runs; matplotlib is loaded when one is drawn."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schafkopf import figure, files, metrics_sums
from schafkopf.intervals import interval_text
from schafkopf.report_charts import WIDTH, Chart, drawn
from schafkopf.training_run import METRICS, checkpoint_counters

NUMBERS = ("decisions", "entropy", "kl", "explained_variance", "decisions_per_second")
MOST = 1e30  # beyond everything that is measured; no axis can be drawn of numbers near 1e308


def read_metrics(path: str | Path) -> list[dict[str, Any]]:
    """Return the lines of a metrics.jsonl, one dict per update.

    What the checkpoint beside it knows of them is compared; where a line was changed since, a
    RuntimeWarning names it, and it is left out.

    Raises:
        OSError: the file cannot be read.
        ValueError: no path of a regular file; a line is no JSON or not about an update: names file
            and line.
    """
    path = files.given_path(path, "path")
    counters = checkpoint_counters(path.parent) if path.name == METRICS else {}
    written = metrics_sums.written(counters)
    with files.opened_regular(path) as file, files.naming(path):
        lines = file.read().splitlines()
    changed = 0
    if written and (damage := metrics_sums.damage(lines, written)):
        changed = damage.line
        files.tell(f"{path}{damage.text}", None)
    rows = []
    for number, line in enumerate(lines, 1):
        if number == changed:
            continue
        place = f"{path}:{number}"
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{place}: no UTF-8 text, byte {error.start + 1} is none") from error
        row = files.parse_json(text, place)
        _check_update(row, place)
        rows.append(row)
    return rows


def _check_update(row: Any, place: str) -> None:
    if not _is_update(row):
        needed = ", ".join(NUMBERS)
        raise ValueError(f"{place}: no update of a training: needed {needed}, declared")


def _is_update(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and row.get("decisions") is not None
        and all(key in row for key in NUMBERS)
        and _are_numbers(row[key] for key in NUMBERS)
        and isinstance(row.get("declared"), dict)
        and _are_numbers(row["declared"].values())
        and _are_numbers([row.get("eval_mean"), row.get("eval_half_width")])
        and _are_shares(row.get("eval_by", {}))
        and _are_numbers([row.get("eval_thrown_in"), row.get("eval_games")])
    )


def _are_numbers(values: Iterable[Any]) -> bool:
    """Return whether all are numbers that can be shown, or none: one that was not finite."""
    return all(
        value is None or (isinstance(value, int | float) and -MOST <= value <= MOST)
        for value in values
    )


def _are_shares(by: Any) -> bool:
    """Return whether these are figures by contract and role."""
    if not isinstance(by, dict) or not all(isinstance(roles, dict) for roles in by.values()):
        return False
    shares = [share for roles in by.values() for share in roles.values()]
    return all(
        isinstance(share, dict)
        and isinstance(share.get("games"), int)
        and _are_numbers(share.get(key) for key in ("mean", "half_width"))
        for share in shares
    )


@dataclass(frozen=True)
class Panel:
    """A quantity over the decisions of a run.

    Args:
        name: one word;  draw: into axes of matplotlib.
    """

    name: str
    draw: Callable[[Any], None]


def learning_curve(metrics: list[dict[str, Any]], title: str = "") -> Any:
    """Draw a training run over its decisions and return the matplotlib figure, which a notebook
    shows as the last line of a cell.

    Panels: on top the strength against the reference agent with its 95 % interval, where the run
    was evaluated, then the same by contract and role and, of whole games, what became of the deals;
    below entropy, KL, explained variance of the critic, what the auctions ended in
    and the speed, each on an axis of its own.

    Raises:
        ValueError: no list of updates, or what in it is none;  ModuleNotFoundError: matplotlib is
            missing; names how to install it.
    """
    if not isinstance(metrics, list):
        raise ValueError(
            f"metrics: {type(metrics).__name__} came, allowed: a list of updates, as "
            "read_metrics(RUN/metrics.jsonl) gives it"
        )
    for number, update in enumerate(metrics):
        _check_update(update, f"metrics[{number}]")
    rows = _panel_rows(metrics)
    heights = [height for height, _ in rows]
    with figure.page_colours():
        made = figure.inline_figure(figsize=(10, 3 * sum(heights)), layout="constrained")
        grid = made.add_gridspec(len(heights), 2, height_ratios=heights)
        for row, (_, panels) in enumerate(rows):
            for column, panel in enumerate(panels):
                whole = len(panels) == 1 and heights[row] > 1.0
                place = grid[row, :] if whole else grid[row, column]
                _draw(panel, made.add_subplot(place))
        if title:
            made.suptitle(title, parse_math=False)
    return made


def curve_charts(metrics: list[dict[str, Any]]) -> list[Chart]:
    """Return the panels of learning_curve() as charts of a web page, one below the other; the first
    has the measured strength in numbers too."""
    charts = []
    for number, panel in enumerate(p for _, panels in _panel_rows(metrics) for p in panels):

        def draw(made: Any, panel: Panel = panel) -> None:
            made.set_layout_engine("constrained")
            _draw(panel, made.add_subplot())

        size = (WIDTH, 0.62 * WIDTH)
        label = f"{panel.name} over the decisions of the run"
        svg, missing = drawn(f"curve-{number}", label, size, draw)
        numbers = _strength_table(metrics) if panel.name == "strength" else ([], [])
        charts.append(Chart(svg, missing, *numbers))
    return charts


def _panel_rows(metrics: list[dict[str, Any]]) -> list[tuple[float, list[Panel]]]:
    """Return the panels of a run, a row of the figure with its height each."""
    millions = [row["decisions"] / 1e6 for row in metrics]
    evaluated = _evaluated(metrics)
    detailed = [row for row in evaluated if row.get("eval_by")]
    rows: list[tuple[float, list[Panel]]] = []
    if evaluated:
        rows.append((1.6, [Panel("strength", lambda axes: _strength(axes, evaluated))]))
    if detailed:
        shares = [Panel("strength by contract and role", lambda axes: _by_role(axes, detailed))]
        last = detailed[-1]
        if last.get("eval_track") == "full" and last.get("eval_games"):
            auctions = Panel("what was declared", lambda axes: _evaluated_auctions(axes, detailed))
            shares.append(auctions)
        rows.append((1.3, shares))

    def quantity(key: str, label: str) -> Panel:
        def draw(axes: Any) -> None:
            axes.plot(millions, [row.get(key) for row in metrics], linewidth=1.2)
            axes.set_ylabel(label)

        return Panel(key.replace("_", " "), draw)

    others = [quantity(key, label) for key, label in PANELS.items()]
    if any(row["declared"] for row in metrics):  # card play has no auctions
        others.append(Panel("auctions", lambda axes: _declared(axes, millions, metrics)))
    return [*rows, *((1.0, others[i : i + 2]) for i in range(0, len(others), 2))]


def _draw(panel: Panel, axes: Any) -> None:
    panel.draw(axes)
    axes.set_xlabel("decisions, millions")
    axes.grid(True)


def _evaluated(metrics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in metrics if row.get("eval_mean") is not None]


def points_unit(rows: list[dict[str, Any]]) -> str:
    """Return "points per game (Cent)", the unit of what an evaluation measured."""
    unit = rows[-1].get("eval_unit", "Cent")
    return f"points per game ({unit})"


def _strength_table(metrics: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    rows = _evaluated(metrics)
    head = ["decisions, millions", f"{points_unit(rows)} against {_opponent(rows)}"]
    measured = [{key: row.get(f"eval_{key}") for key in ("mean", "half_width")} for row in rows]
    return head, [
        [f"{row['decisions'] / 1e6:.2f}", interval_text(estimate)]
        for row, estimate in zip(rows, measured, strict=True)
    ]


def _opponent(rows: list[dict[str, Any]]) -> str:
    return str(rows[-1].get("eval_opponent", "reference"))


# key of the metrics -> label of its axis
PANELS = {
    "entropy": "entropy, nats per decision",
    "kl": "KL to the batch's policy, nats",
    "explained_variance": "explained variance of the critic",
    "decisions_per_second": "decisions per second",
    "grad_norm": "gradient norm",
}


def save_learning_curve(metrics_path: str | Path, png_path: str | Path, title: str = "") -> None:
    """Draw the run of a metrics.jsonl into a PNG file.

    Raises:
        OSError: a file cannot be read or written;  ValueError: a path that is none, a line that is
        not about an update;  ModuleNotFoundError: matplotlib is missing; names how to install it.
    """
    png_path = files.given_path(png_path, "png_path")
    image = io.BytesIO()
    learning_curve(read_metrics(metrics_path), title).savefig(image, format="png", dpi=110)
    files.write_bytes(png_path, image.getvalue())


def _declared(panel: Any, x: list[float], rows: list[dict[str, Any]]) -> None:
    for name in sorted({name for row in rows for name in row["declared"]}):
        panel.plot(x, [100 * row["declared"].get(name, 0.0) for row in rows], label=name)
    panel.set_ylabel("% of auctions")
    panel.legend(fontsize="small")


def _by_role(panel: Any, rows: list[dict[str, Any]]) -> None:
    """Kinds of games whose interval says something: narrower than ten times that of all games."""
    last = rows[-1]
    widest = 10 * (last.get("eval_half_width") or math.inf)
    for contract, roles in last["eval_by"].items():
        for role, share in roles.items():
            half = share.get("half_width")
            if half is None or share.get("mean") is None or half > widest:
                continue
            points = [
                (row["decisions"] / 1e6, found["mean"])
                for row in rows
                if (found := row["eval_by"].get(contract, {}).get(role))
                and found.get("mean") is not None
            ]
            (line,) = panel.plot(
                [x for x, _ in points], [y for _, y in points], label=f"{contract} {role}"
            )
            panel.errorbar(
                last["decisions"] / 1e6,
                share["mean"],
                yerr=half,
                color=line.get_color(),
                capsize=3,
            )
    panel.axhline(0.0, color=figure.COLOURS["axis"], linewidth=1.0)
    panel.set_ylabel(f"{points_unit(rows)} of this kind", parse_math=False)
    if panel.get_legend_handles_labels()[1]:
        panel.legend(fontsize="small")


def _evaluated_auctions(panel: Any, rows: list[dict[str, Any]]) -> None:
    rows = [row for row in rows if row.get("eval_games") and row.get("eval_thrown_in") is not None]
    millions = [row["decisions"] / 1e6 for row in rows]
    panel.plot(millions, [100 * row["eval_thrown_in"] for row in rows], label="thrown in")

    def games(row: dict[str, Any], contract: str) -> float:
        return float(row["eval_by"].get(contract, {}).get("declarer", {}).get("games", 0))

    for contract in sorted({name for row in rows for name in row["eval_by"]}):
        panel.plot(
            millions,
            [100 * games(row, contract) / row["eval_games"] for row in rows],
            label=contract,
        )
    panel.set_ylabel("% of evaluated seats: declared, thrown in")
    panel.legend(fontsize="small")


def _strength(panel: Any, rows: list[dict[str, Any]]) -> None:
    millions = [row["decisions"] / 1e6 for row in rows]
    means = [row["eval_mean"] for row in rows]
    widths = [row.get("eval_half_width") or math.nan for row in rows]  # none where deals were alike
    low = [mean - width for mean, width in zip(means, widths, strict=True)]
    high = [mean + width for mean, width in zip(means, widths, strict=True)]
    panel.fill_between(millions, low, high, alpha=0.25, label="95 % interval over deals")
    track = str(rows[-1].get("eval_track", "card_play")).replace("_", " ")
    panel.plot(millions, means, marker="o", label=f"one against three, three against one, {track}")
    panel.axhline(0.0, color=figure.COLOURS["axis"], linewidth=1.0)
    title = f"strength: 0 = as strong as {_opponent(rows)}"
    panel.set_title(title, fontsize="medium", parse_math=False)
    panel.set_ylabel(points_unit(rows), parse_math=False)
    panel.legend(loc="lower right", fontsize="small")
