"""Tournament results as a self-contained web page."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 62em; color: #222; }
table { border-collapse: collapse; margin: 1em 0 2em; }
th, td { border: 1px solid #ccc; padding: .35em .7em; text-align: right; white-space: nowrap; }
th:first-child { text-align: left; }
caption { text-align: left; color: #555; padding-bottom: .4em; }
.better { background: #dff2df; } .worse { background: #f8dfdf; } small { color: #666; }
"""


def _cell(estimate: dict[str, float] | None) -> str:
    if estimate is None:
        return "<td>-</td>"
    mean, half = estimate["mean"], estimate["half_width"]
    kind = "better" if mean - half > 0 else "worse" if mean + half < 0 else ""
    return f'<td class="{kind}">{mean:+.2f} <small>&plusmn; {half:.2f}</small></td>'


def _matrix(result: dict[str, Any], key: str, caption: str) -> str:
    names = [agent["name"] for agent in result["agents"]]
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    rows = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(_cell(cell) for cell in row)}</tr>"
        for name, row in zip(names, result[key], strict=True)
    )
    return f"<table><caption>{escape(caption)}</caption><tr><th></th>{head}</tr>{rows}</table>"


def _ratings(result: dict[str, Any]) -> str:
    agents = sorted(result["agents"], key=lambda agent: -agent["rating"]["mean"])
    rows = "".join(
        f"<tr><th>{escape(agent['name'])}</th>{_cell(agent['rating'])}"
        f'<td style="text-align:left">{_contracts(agent)}</td></tr>'
        for agent in agents
    )
    return (
        "<table><caption>Ratings (points per game, sum 0) and what the agent declared, with the "
        f"share of won games</caption><tr><th></th><th>rating</th><th>declared</th></tr>{rows}"
        "</table>"
    )


def _contracts(agent: dict[str, Any]) -> str:
    return ", ".join(
        f"{escape(name)} {100 * count['share']:.1f}&nbsp;% "
        f"<small>(won {100 * count['win_rate']:.0f}&nbsp;%)</small>"
        for name, count in agent["contracts"].items()
    )


def _section(result: dict[str, Any]) -> str:
    stopped = ", stopped early" if result["stopped"] else ""
    return (
        f"<h2>{escape(result['track'].replace('_', ' '))}</h2>"
        f"<p>Rules {escape(result['rules'])} ({escape(result['rules_hash'])}), seed "
        f"{result['seed']}, {result['blocks']} deal blocks, {result['games']} games{stopped}. "
        f"Amounts in {escape(result['tariff_unit'])} per game; 95&nbsp;% intervals over "
        "blocks.</p>"
        + _ratings(result)
        + _matrix(result, "one_against_three", "One of the row against three of the column")
        + _matrix(
            result,
            "difference",
            "Half of (row against three columns minus column against three rows), paired by deal",
        )
    )


def to_html(results: list[dict[str, Any]], title: str = "Schafkopf tournament") -> str:
    """Return a web page of tournament results, one section each; green = clearly better."""
    sections = "".join(_section(result) for result in results)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style><h1>{escape(title)}</h1>{sections}</html>\n"
    )


def write_html(
    results: list[dict[str, Any]], path: str | Path, title: str = "Schafkopf tournament"
) -> None:
    """Write the web page of tournament results."""
    Path(path).write_text(to_html(results, title), encoding="utf-8")
