"""Plots of training runs; matplotlib is loaded when one is drawn."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from schafkopf import files

NUMBERS = ("decisions", "entropy", "kl", "explained_variance", "decisions_per_second")


def read_metrics(path: str | Path) -> list[dict[str, Any]]:
    """Return the lines of a metrics.jsonl, one dict per update.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is no JSON or not about an update; names file and line.
    """
    rows = []
    for number, line in enumerate(Path(path).read_bytes().splitlines(), 1):
        place = f"{path}:{number}"
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{place}: no UTF-8 text, byte {error.start + 1} is none") from error
        row = files.parse_json(text, place)
        if not _is_update(row):
            needed = ", ".join(NUMBERS)
            raise ValueError(f"{place}: no update of a training: needed {needed}, declared")
        rows.append(row)
    return rows


def _is_update(row: Any) -> bool:
    def are_numbers(values: Any) -> bool:  # none stands for one that is not finite
        return all(isinstance(value, int | float | None) for value in values)

    return (
        isinstance(row, dict)
        and isinstance(row.get("decisions"), int | float)
        and all(key in row for key in NUMBERS)
        and are_numbers(row[key] for key in NUMBERS)
        and isinstance(row.get("declared"), dict)
        and are_numbers(row["declared"].values())
        and are_numbers([row.get("eval_mean"), row.get("eval_half_width")])
        and _are_shares(row.get("eval_by", {}))
        and are_numbers([row.get("eval_thrown_in"), row.get("eval_games")])
    )


def _are_shares(by: Any) -> bool:
    """Return whether these are figures by contract and role."""
    if not isinstance(by, dict) or not all(isinstance(roles, dict) for roles in by.values()):
        return False
    shares = [share for roles in by.values() for share in roles.values()]
    return all(
        isinstance(share, dict)
        and isinstance(share.get("games"), int)
        and all(isinstance(share.get(key), int | float | None) for key in ("mean", "half_width"))
        for share in shares
    )


def learning_curve(metrics: list[dict[str, Any]], title: str = "") -> Any:
    """Draw a training run over its decisions and return the matplotlib figure, which a notebook
    shows as the last line of a cell.

    Panels: on top the strength against the reference agent with its 95 % interval, where the run
    was evaluated, then the same by contract and role and, of whole games, what became of the deals;
    below entropy, KL, explained variance of the critic, what the auctions ended in
    and the speed, each on an axis of its own.
    """
    from schafkopf.figure import inline_figure

    millions = [row["decisions"] / 1e6 for row in metrics]
    measured = ("eval_mean", "eval_half_width")
    evaluated = [row for row in metrics if all(row.get(key) is not None for key in measured)]
    detailed = [row for row in evaluated if row.get("eval_by")]
    heights = [*([1.6] if evaluated else []), *([1.3] if detailed else []), 1, 1, 1]
    figure = inline_figure(figsize=(10, 3 * sum(heights)), layout="constrained")
    grid = figure.add_gridspec(len(heights), 2, height_ratios=heights)
    if evaluated:
        _strength(figure.add_subplot(grid[0, :]), evaluated)
    if detailed:
        last = detailed[-1]
        full = last.get("eval_track") == "full" and last.get("eval_games")
        _by_role(figure.add_subplot(grid[1, 0] if full else grid[1, :]), detailed)
        if full:
            _evaluated_auctions(figure.add_subplot(grid[1, 1]), detailed)
    panels = [figure.add_subplot(grid[row - 3, column]) for row in range(3) for column in (0, 1)]
    for panel, (key, label) in zip(panels, PANELS.items(), strict=False):
        panel.plot(millions, [row.get(key) for row in metrics])
        panel.set_ylabel(label)
    _declared(panels[-1], millions, metrics)
    for panel in figure.axes:
        panel.set_xlabel("decisions, millions")
        panel.grid(alpha=0.3)
    if title:
        figure.suptitle(title, parse_math=False)
    return figure


# key of the metrics -> label of its axis
PANELS = {
    "entropy": "entropy, nats per decision",
    "kl": "KL to the batch's policy, nats",
    "explained_variance": "explained variance of the critic",
    "decisions_per_second": "decisions per second",
    "grad_norm": "gradient norm",
}


def save_learning_curve(metrics_path: str | Path, png_path: str | Path, title: str = "") -> None:
    """Draw the run of a metrics.jsonl into a PNG file."""
    image = io.BytesIO()
    learning_curve(read_metrics(metrics_path), title).savefig(image, format="png", dpi=110)
    files.write_bytes(png_path, image.getvalue())


def _declared(panel: Any, x: list[float], rows: list[dict[str, Any]]) -> None:
    for name in sorted({name for row in rows for name in row["declared"]}):
        panel.plot(x, [100 * row["declared"].get(name, 0.0) for row in rows], label=name)
    panel.set_ylabel("% of auctions")
    if rows and any(row["declared"] for row in rows):
        panel.legend(fontsize="small")


def _by_role(panel: Any, rows: list[dict[str, Any]]) -> None:
    """Kinds of games whose interval says something: narrower than ten times that of all games."""
    last = rows[-1]
    for contract, roles in last["eval_by"].items():
        for role, share in roles.items():
            half = share.get("half_width")
            if half is None or share.get("mean") is None or half > 10 * last["eval_half_width"]:
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
    panel.axhline(0.0, color="black", linewidth=0.8)
    panel.set_ylabel("points per game of this kind")
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
    widths = [row["eval_half_width"] for row in rows]
    opponent = rows[-1].get("eval_opponent", "reference")
    low = [mean - width for mean, width in zip(means, widths, strict=True)]
    high = [mean + width for mean, width in zip(means, widths, strict=True)]
    panel.fill_between(millions, low, high, alpha=0.25, label="95 % interval over deals")
    track = str(rows[-1].get("eval_track", "card_play")).replace("_", " ")
    panel.plot(millions, means, marker="o", label=f"one against three, {track}")
    panel.axhline(0.0, color="black", linewidth=0.8)
    panel.set_title(f"strength: 0 = as strong as {opponent}", fontsize="medium", parse_math=False)
    unit = rows[-1].get("eval_unit", "Cent")
    panel.set_ylabel(f"points per game ({unit})", parse_math=False)
    panel.legend(loc="lower right", fontsize="small")
