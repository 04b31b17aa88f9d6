"""Tournament results as a self-contained web page: no scripts, no files beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from schafkopf import files
from schafkopf.report_charts import calibration_chart, heat_style, interval_chart, legend
from schafkopf.report_style import STYLE

Estimate = dict[str, Any]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are HTML and may bring their own <td>."""
    body = []
    for row in rows:
        cells = "".join(
            cell if cell.startswith("<td") else f"<td>{cell}</td>" for cell in list(row)[1:]
        )
        body.append(f"<tr><th>{row[0]}</th>{cells}</tr>")
    names = "".join(f"<th>{name}</th>" for name in head)
    return f'<div class="wide" tabindex="0"><table><tr>{names}</tr>{"".join(body)}</table></div>'


def _interval(mean: float, half_width: float | None, digits: int = 2) -> str:
    return f"{mean:+.{digits}f}{_width(half_width, digits)}"


def _width(half_width: float | None, digits: int = 2) -> str:
    """Return " ± 0.25"; nothing where there is no interval."""
    if half_width is None:
        return ""
    return f" <small>&plusmn;&nbsp;{half_width:.{digits}f}</small>"


def _in_percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _points(result: dict[str, Any]) -> str:
    """Return the unit of all points of a page, which is that of the tariff."""
    unit = result["tariff_unit"]
    return "points per game" if unit == "points" else f"points per game ({unit})"


def _amounts(result: dict[str, Any]) -> str:
    """Return the unit as HTML at the beginning of a sentence."""
    return "P" + escape(_points(result)[1:])


def _percent(share: float) -> str:
    return f"{100 * share:.1f}&nbsp;%"


# ---- strength ----------------------------------------------------------------------------------


def _ratings(result: dict[str, Any]) -> str:
    agents = sorted(result["agents"], key=lambda agent: -agent["rating"]["mean"])
    rows = [(agent["name"], agent["rating"]) for agent in agents]
    return (
        f"<h3>Ratings</h3><p>{_amounts(result)} that one player gains on the average of the "
        "field, from all games by weighted least squares; the bars are 95&nbsp;% intervals.</p>"
        + interval_chart([(name, [(0, estimate)]) for name, estimate in rows], _points(result))
    )


def _tables(result: dict[str, Any]) -> str:
    agents = [agent for agent in result["agents"] if "at_tables" in agent]
    if not agents:
        return ""
    agents.sort(key=lambda agent: -agent["at_tables"]["mean"])
    seats = "three" if result.get("seats") == 3 else "four"
    return (
        f"<h3>Random tables</h3><p>{_amounts(result)} at tables of {seats} different agents, "
        f"drawn for each deal; everybody sits in every seat ({result['table_games']:,} games).</p>"
        + interval_chart(
            [(agent["name"], [(0, agent["at_tables"])]) for agent in agents], _points(result)
        )
    )


def _heat_cell(estimate: Estimate | None, scale: float) -> str:
    if estimate is None:
        return '<td class="soft">&ndash;</td>'
    mean, half = estimate["mean"], estimate["half_width"]
    colour = heat_style(mean / scale if scale else 0.0)
    weight = "600" if half is not None and abs(mean) > half else "400"
    style = f"{colour};font-weight:{weight}"
    return f'<td class="heat" style="{style}">{_interval(mean, half)}</td>'


def _matrix(result: dict[str, Any], key: str, title: str, meaning: str) -> str:
    matrix = result.get(key, [])
    cells = [cell for row in matrix for cell in row if cell is not None]
    if not cells:
        return ""
    scale = max(abs(cell["mean"]) for cell in cells)
    names = [escape(agent["name"]) for agent in result["agents"]]
    rows = [
        [name, *(_heat_cell(cell, scale) for cell in row)]
        for name, row in zip(names, matrix, strict=True)
    ]
    return f"<h3>{title}</h3><p>{meaning}</p>" + _table(["", *names], rows)


def _matrices(result: dict[str, Any]) -> str:
    others = "two" if result.get("seats") == 3 else "three"
    return (
        _matrix(
            result,
            "one_against_three",
            f"One against {others}",
            f"{_amounts(result)} of one player of the row at a table with {others} of the column, "
            "in every seat of every deal. Blue wins, orange loses; bold: the interval excludes 0.",
        )
        + _matrix(
            result,
            "difference",
            "Difference",
            f"Half of (row against {others} columns minus column against {others} rows), paired by "
            "deal.",
        )
        + _matrix(
            result,
            "two_against_two",
            "Two against two",
            f"{_amounts(result)} of each of two players of the row at a table with two of the "
            "column, in all six seatings.",
        )
    )


def _cycle(result: dict[str, Any]) -> str:
    cycle = result.get("largest_cycle")
    if not cycle:
        return ""
    a, b, c = (escape(result["agents"][i]["name"]) for i in cycle["agents"])
    total = cycle["sum"]
    if total["half_width"] is None:
        verdict = "has no interval: it comes from one block, or from a few that were all alike"
    elif abs(total["mean"]) > total["half_width"]:
        verdict = "differs from 0: strength is not a single number here"
    else:
        verdict = "is compatible with 0, as one rating per player assumes"
    return (
        f"<p>Cycle check: the leads of {a} over {b}, {b} over {c} and {c} over {a} add up to "
        f"{_interval(total['mean'], total['half_width'])}; the largest such sum {verdict}.</p>"
    )


def _pairings(result: dict[str, Any]) -> str:
    rows = []
    for pairing in result.get("pairings", []):
        points = pairing["points"]
        gain = pairing["gain_over_independent_games"]
        wanted = pairing["wanted_half_width"]
        rows.append(
            [
                f"{escape(pairing['one'])} {pairing['format']} {escape(pairing['others'])}",
                _interval(points["mean"], points["half_width"]),
                f"&plusmn;&nbsp;{wanted:g}" if wanted else "&ndash;",
                f"{points['blocks']:,}",
                f"{pairing['games']:,}",
                f"{pairing['sd_game']:.1f}",
                f"{points['sd_block']:.1f}",
                f"<td><strong>{gain:.1f}&times;</strong></td>" if gain else "&ndash;",
            ]
        )
    if not rows:
        return ""
    head = ["pairing", escape(_points(result)), "wanted", "deal blocks", "games", "SD of a game"]
    return (
        "<h3>Pairings and what the blocks gain</h3><p>A block plays one deal in every seating, so "
        "most of the luck of the cards cancels. The gain is the variance of the mean of as many "
        "independent games over that of the blocks: how many times more games a comparison without "
        "blocks would need.</p>" + _table([*head, "SD of a block", "gain"], rows)
    )


# ---- where the points come from ----------------------------------------------------------------

_ROLES = {
    "declarer": "declarer",
    "partner": "partner",
    "defender": "defender",
    "alone": "everyone alone",
    "none": "thrown in",
}


def _measured(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [agent for agent in result["agents"] if agent.get("shares")]


def _share_of(agent: dict[str, Any], **wanted: Any) -> dict[str, Any] | None:
    keys = ("contract", "role", "position")
    for share in agent["shares"]:
        if all(share.get(key) == wanted.get(key) for key in keys):
            return dict(share)
    return None


def _share_rows(result: dict[str, Any], groups: Sequence[tuple[str, dict[str, Any]]]) -> str:
    agents = _measured(result)
    rows = []
    for label, wanted in groups:
        found = [(i, _share_of(agent, **wanted)) for i, agent in enumerate(agents)]
        rows.append((label, [(i, share) for i, share in found if share]))
    rows = [row for row in rows if row[1]]
    if not rows:
        return ""
    return legend([agent["name"] for agent in agents]) + interval_chart(rows, _points(result))


def _roles(result: dict[str, Any]) -> str:
    if not _measured(result):
        return ""
    roles = _share_rows(result, [(name, {"role": role}) for role, name in _ROLES.items()])
    places = ["forehand", "second", "third", "fourth"][: result.get("seats", 4)]
    seats = _share_rows(
        result, [(f"{name} seat", {"position": i}) for i, name in enumerate(places)]
    )
    return (
        f"<h3>By role and by seat</h3><p>{_amounts(result)} of the player that a pairing measures "
        "(the one of 1v3, both of 2v2), against all its opponents together.</p>"
        f"{roles}<p>The same by seat, counted from forehand:</p>{seats}"
    )


def _contract_cell(share: dict[str, Any] | None) -> str:
    if share is None:
        return '<td class="soft">&ndash;</td>'
    interval = _interval(share["mean"], share["half_width"], 1)
    return f'<td title="{share["games"]} games">{interval}</td>'


def _contracts(result: dict[str, Any]) -> str:
    agents = _measured(result)
    kinds: dict[tuple[str, str], int] = {}
    for agent in agents:
        for share in agent["shares"]:
            if "contract" in share:
                key = share["contract"], share["role"]
                kinds[key] = kinds.get(key, 0) + share["games"]
    if not kinds:
        return ""
    order = list(_ROLES)
    rows = [
        [
            f"{contract} {_ROLES[role]}",
            f"{games:,}",
            *(_contract_cell(_share_of(agent, contract=contract, role=role)) for agent in agents),
        ]
        for (contract, role), games in sorted(
            kinds.items(), key=lambda item: (item[0][0], order.index(item[0][1]))
        )
    ]
    names = [escape(agent["name"]) for agent in agents]
    return (
        f"<h3>By contract and role</h3><p>{_amounts(result)}; the number of games counts all "
        "columns.</p>" + _table(["", "games", *names], rows)
    )


def _declared(result: dict[str, Any]) -> str:
    rows = []
    for agent in result["agents"]:
        text = ", ".join(
            f"{escape(name)} {_percent(count['share'])} "
            f"<small>(won {100 * count['win_rate']:.0f}&nbsp;%)</small>"
            for name, count in agent["contracts"].items()
        )
        deals = agent["seat_deals"]
        declared = agent["declared"] / deals if deals else 0.0
        passed = agent["thrown_in"] / deals if deals else 0.0
        rows.append(
            [
                escape(agent["name"]),
                _percent(declared),
                _percent(passed),
                f'<td class="text">{text}</td>',
            ]
        )
    return (
        "<h3>What was declared</h3><p>Over all seats an agent held: how often it declared, how "
        "often the deal was thrown in, and its games with the share that it won.</p>"
        + _table(["", "declared", "thrown in", "contracts"], rows)
    )


def _errors(result: dict[str, Any]) -> str:
    rows = []
    for agent in _measured(result):
        cells = []
        for role in ("declarer", "partner", "defender"):
            share = _share_of(agent, role=role)
            errors = share.get("errors") if share else None
            cells.append(
                f"{errors['mean']:.3f}{_width(errors['half_width'], 3)}" if errors else "&ndash;"
            )
        if any(cell != "&ndash;" for cell in cells):
            rows.append([escape(agent["name"]), *cells])
    if not rows:
        return ""
    return (
        "<h3>Errors with open cards</h3><p>Cards per game and player that turned a game which was "
        "won with open cards and best play into a lost one.</p>"
        + _table(["", "declarer", "partner", "defender"], rows)
    )


def _calibration(result: dict[str, Any]) -> str:
    series = [
        (agent["name"], agent["calibration"])
        for agent in result["agents"]
        if agent.get("calibration")
    ]
    if not series:
        return ""
    rows = []
    for name, bins in series:
        for one in bins:
            rows.append(
                [
                    escape(name),
                    f"{one['games']:,}",
                    _percent(one["expected_win_rate"]),
                    _percent(one["win_rate"]) + _width(_in_percent(one["half_width"]), 1),
                    f"{one['expected_payoff']:+.1f}",
                    f"{one['payoff']:+.1f}",
                ]
            )
    unit = escape(result["tariff_unit"])
    head = ["declarer", "games", "expected wins", "wins", f"expected {unit}", unit]
    return (
        "<h3>Calibration of declarers</h3><p>What declarers expected when they chose the game, "
        "against what they got, in ten groups of equally many games. The expected win rate is the "
        "one whose mean payoff in this contract is the expected payoff. Below the line: too "
        "optimistic.</p>"
        + legend([name for name, _ in series])
        + calibration_chart([bins for _, bins in series])
        + f"<details><summary>the numbers</summary>{_table(head, rows)}</details>"
    )


# ---- page --------------------------------------------------------------------------------------


def _facts(result: dict[str, Any]) -> str:
    facts = {
        "track": result["track"].replace("_", " "),
        "rules": f"{result['rules']} ({result['rules_hash']})",
        "contracts": result.get("contract_list") or result.get("generator"),
        "card player": result.get("card_player"),
        "seed": result["seed"],
        "deal blocks": f"{result['blocks']:,}",
        "games": f"{result['games']:,}",
        "decisions": f"{result['decisions']:,}",
        "amounts in": f"{result['tariff_unit']} per game",
    }
    return (
        '<div class="facts">'
        + "".join(
            f"<span><small>{key}</small> <strong>{escape(str(value))}</strong></span>"
            for key, value in facts.items()
            if value not in (None, "")
        )
        + ("<span><strong>stopped early</strong></span>" if result["stopped"] else "")
        + "</div>"
    )


def _section(result: dict[str, Any]) -> str:
    parts = (
        _ratings,
        _tables,
        _matrices,
        _cycle,
        _pairings,
        _roles,
        _contracts,
        _declared,
        _errors,
    )
    return (
        f"<h2>{escape(result['track'].replace('_', ' ').capitalize())}</h2>"
        + _facts(result)
        + "".join(part(result) for part in parts)
        + _calibration(result)
    )


def page(body: str, title: str) -> str:
    """Return a web page with the style of the reports."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
        f"<main><h1>{escape(title)}</h1>{body}</main></html>\n"
    )


def to_html(results: Sequence[dict[str, Any]], title: str = "Schafkopf tournament") -> str:
    """Return a web page of tournament results, one section each."""
    return page("".join(_section(result) for result in results), title)


def league_html(result: dict[str, Any], title: str = "Schafkopf league day") -> str:
    """Return a web page of a league day: the agents compared, then the ranking list."""
    agents = result["agents"]
    rows = [(agent["name"], [(0, agent["points"])]) for agent in agents]
    ranking = [
        [
            str(row["rank"]),
            f"player {row['player']}",
            f'<td class="text">{escape(row["agent"])}</td>',
            f"{row['total']:+.0f}",
            f"{row['bonus']:.0f}",
            str(row["games"]),
        ]
        for row in result["ranking"]
    ]
    several = any(agent["points"]["half_width"] is not None for agent in agents)
    bars = "; 95&nbsp;% intervals over players" if several else ""
    facts = {"rules": result["rules"], "players": result["players"], "seed": result["seed"]}
    text = "".join(
        f"<span><small>{k}</small> <strong>{escape(str(v))}</strong></span>"
        for k, v in facts.items()
    )
    body = (
        f'<div class="facts">{text}</div><h2>Agents</h2><p>{_amounts(result)} of their players, '
        f"without the bonus{bars}. One league day says little: luck decides between neighbours.</p>"
        + interval_chart(rows, _points(result))
        + f"<h2>Ranking list</h2><p>Totals in {escape(result['tariff_unit'])}, the bonus "
        "included.</p>" + _table(["rank", "player", "agent", "total", "bonus", "games"], ranking)
    )
    return page(body, title)


def write_html(
    results: Sequence[dict[str, Any]], path: str | Path, title: str = "Schafkopf tournament"
) -> None:
    """Write the web page of tournament results."""
    files.write_text(path, to_html(results, title))


__all__ = ["league_html", "page", "to_html", "write_html"]
