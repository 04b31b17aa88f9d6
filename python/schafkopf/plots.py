"""Plots of training runs; matplotlib is loaded when one is drawn."""

from __future__ import annotations

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
    )


def learning_curve(metrics: list[dict[str, Any]], title: str = "") -> Any:
    """Draw a training run over its decisions and return the matplotlib figure, which a notebook
    shows as the last line of a cell.

    Panels: entropy and KL, explained variance of the critic, what the auctions ended in, and the
    strength against the reference agent where the run was evaluated.
    """
    from schafkopf.figure import inline_figure

    millions = [row["decisions"] / 1e6 for row in metrics]
    evaluated = [row for row in metrics if row.get("eval_mean") is not None]
    figure = inline_figure(figsize=(10, 7), layout="constrained")
    panels = figure.subplots(2, 2).flat
    _lines(panels[0], millions, metrics, ("entropy", "kl"), "nats per decision")
    _lines(panels[1], millions, metrics, ("explained_variance",), "explained variance")
    _declared(panels[2], millions, metrics)
    if evaluated:
        _strength(panels[3], evaluated)
    else:
        _lines(panels[3], millions, metrics, ("decisions_per_second",), "decisions per second")
    for panel in panels:
        panel.set_xlabel("decisions, millions")
        panel.grid(alpha=0.3)
    if title:
        figure.suptitle(title)
    return figure


def save_learning_curve(metrics_path: str | Path, png_path: str | Path, title: str = "") -> None:
    """Draw the run of a metrics.jsonl into a PNG file."""
    learning_curve(read_metrics(metrics_path), title).savefig(png_path, dpi=110)


def _lines(
    panel: Any, x: list[float], rows: list[dict[str, Any]], keys: tuple[str, ...], label: str
) -> None:
    for key in keys:
        panel.plot(x, [row[key] for row in rows], label=key.replace("_", " "))
    panel.set_ylabel(label)
    if len(keys) > 1:
        panel.legend()


def _declared(panel: Any, x: list[float], rows: list[dict[str, Any]]) -> None:
    for name in sorted({name for row in rows for name in row["declared"]}):
        panel.plot(x, [100 * row["declared"].get(name, 0.0) for row in rows], label=name)
    panel.set_ylabel("% of auctions")
    if rows and any(row["declared"] for row in rows):
        panel.legend(fontsize="small")


def _strength(panel: Any, rows: list[dict[str, Any]]) -> None:
    panel.errorbar(
        [row["decisions"] / 1e6 for row in rows],
        [row["eval_mean"] for row in rows],
        yerr=[row["eval_half_width"] for row in rows],
        marker="o",
        capsize=3,
    )
    panel.axhline(0.0, color="black", linewidth=0.8)
    panel.set_ylabel(f"points per game v. {rows[-1].get('eval_opponent', 'reference')}")
