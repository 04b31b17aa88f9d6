"""Tournament results as a self-contained web page: no scripts, no files beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from schafkopf import files, pages
from schafkopf.report_charts import Chart, calibration_chart, heat_style, interval_chart

Result = dict[str, Any]

_ROLES = {
    "declarer": "declarer",
    "partner": "partner",
    "defender": "defender",
    "alone": "everyone alone",
    "none": "thrown in",
}
_PLACES = ("forehand", "second", "third", "fourth")


def points_unit(result: Result) -> str:
    """Return the unit of all points of a page, which is that of the tariff."""
    unit = result["tariff_unit"]
    return "points per game" if unit == "points" else f"points per game ({unit})"


def _amounts(result: Result) -> str:
    """Return the unit at the beginning of a sentence."""
    return "P" + points_unit(result)[1:]


def ratings_chart(result: Result, name: str = "ratings") -> Chart:
    """Return the ratings of a tournament with their intervals, the best above."""
    return _best_first(result, "rating", name)


def _best_first(result: Result, key: str, name: str) -> Chart:
    agents = sorted(
        (agent for agent in result["agents"] if key in agent), key=lambda agent: -agent[key]["mean"]
    )
    rows = [(agent["name"], [(0, agent[key])]) for agent in agents]
    return interval_chart(name, rows, points_unit(result))


def _matrix(result: Result, key: str) -> list[list[dict[str, Any] | None]]:
    """Return the cells of a matrix with their colours; nothing where no pairing was played."""
    matrix = result.get(key, [])
    means = [abs(cell["mean"]) for row in matrix for cell in row if cell is not None]
    if not means:
        return []
    scale = max(means) or 1.0
    return [[None if cell is None else _cell(cell, scale) for cell in row] for row in matrix]


def _cell(cell: dict[str, Any], scale: float) -> dict[str, Any]:
    mean, half = cell["mean"], cell["half_width"]
    weight = 600 if half is not None and abs(mean) > half else 400
    return {**cell, "style": f"{heat_style(mean / scale)};font-weight:{weight}"}


def _cycle(result: Result) -> dict[str, Any] | None:
    cycle = result.get("largest_cycle")
    if not cycle:
        return None
    names = [result["agents"][i]["name"] for i in cycle["agents"]]
    total = cycle["sum"]
    differs = total["half_width"] is not None and abs(total["mean"]) > total["half_width"]
    found = dict(zip("abc", names, strict=True))
    return {**found, "sum": total, "differs": differs, "of": cycle.get("of", 1)}


# ---- where the points come from ----------------------------------------------------------------


def _measured(result: Result) -> list[dict[str, Any]]:
    return [agent for agent in result["agents"] if agent.get("shares")]


def _share_of(agent: dict[str, Any], **wanted: Any) -> dict[str, Any] | None:
    keys = ("contract", "role", "position")
    for share in agent["shares"]:
        if all(share.get(key) == wanted.get(key) for key in keys):
            return dict(share)
    return None


def _shares(result: Result, name: str, groups: Sequence[tuple[str, dict[str, Any]]]) -> Chart:
    """Return the points of all measured agents by group; groups that nobody met are left out."""
    agents = _measured(result)
    rows = []
    for label, wanted in groups:
        found = [(i, _share_of(agent, **wanted)) for i, agent in enumerate(agents)]
        if shown := [(i, share) for i, share in found if share]:
            rows.append((label, shown))
    return interval_chart(name, rows, points_unit(result), [agent["name"] for agent in agents])


def _contracts(result: Result) -> list[dict[str, Any]]:
    agents = _measured(result)
    kinds: dict[tuple[str, str], int] = {}
    for agent in agents:
        for share in agent["shares"]:
            if "contract" in share:
                key = share["contract"], share["role"]
                kinds[key] = kinds.get(key, 0) + share["games"]
    order = list(_ROLES)
    return [
        {
            "name": f"{contract} {_ROLES[role]}",
            "games": games,
            "shares": [_share_of(agent, contract=contract, role=role) for agent in agents],
        }
        for (contract, role), games in sorted(
            kinds.items(), key=lambda item: (item[0][0], order.index(item[0][1]))
        )
    ]


def _declared(result: Result) -> list[dict[str, Any]]:
    rows = []
    for agent in result["agents"]:
        deals = agent["seat_deals"]
        shares = {key: agent[key] / deals if deals else 0.0 for key in ("declared", "thrown_in")}
        rows.append({"name": agent["name"], "contracts": agent["contracts"], **shares})
    return rows


def _errors(result: Result) -> list[dict[str, Any]]:
    rows = []
    for agent in _measured(result):
        shares = [_share_of(agent, role=role) for role in ("declarer", "partner", "defender")]
        counts = [share.get("errors") if share else None for share in shares]
        if any(counts):
            rows.append({"name": agent["name"], "counts": counts})
    return rows


def _calibration(result: Result, name: str) -> Chart | None:
    found = [(agent["name"], agent.get("calibration")) for agent in result["agents"]]
    series = [(player, bins) for player, bins in found if bins]
    return calibration_chart(name, series, result["tariff_unit"]) if series else None


# ---- page --------------------------------------------------------------------------------------


def _blocks_text(result: Result) -> str:
    """Their number, or from how many to how many where precision ended the pairings."""
    most = result["blocks"]
    least = min([most, *(pairing["points"]["blocks"] for pairing in result.get("pairings", []))])
    return f"{most:,}" if least == most else f"{least:,} to {most:,} of each pairing"


def _facts(result: Result) -> list[tuple[str, Any]]:
    facts = {
        "track": result["track"].replace("_", " "),
        "rules": f"{result['rules']} ({result['rules_hash']})",
        "contracts": result.get("contract_list") or result.get("generator"),
        "card player": result.get("card_player"),
        "seed": result["seed"],
        "deal blocks": _blocks_text(result),
        "games": f"{result['games']:,}",
        "decisions": f"{result['decisions']:,}",
        "amounts in": f"{result['tariff_unit']} per game",
    }
    return [(key, value) for key, value in facts.items() if value not in (None, "")]


def _section(result: Result, number: int) -> dict[str, Any]:
    """Return what the template shows of one tournament."""
    three = result.get("seats") == 3
    places = _PLACES[: result.get("seats", 4)]
    roles = [(name, {"role": role}) for role, name in _ROLES.items()]
    seats = [(f"{name} seat", {"position": i}) for i, name in enumerate(places)]
    at_tables = any("at_tables" in agent for agent in result["agents"])
    measured = [agent["name"] for agent in _measured(result)]
    rated = any(agent["rating"]["blocks"] for agent in result["agents"])
    return {
        "track": result["track"].replace("_", " ").capitalize(),
        "facts": _facts(result),
        "stopped": result["stopped"],
        "unit": points_unit(result),
        "amounts": _amounts(result),
        "names": [agent["name"] for agent in result["agents"]],
        "others": "two" if three else "three",
        "seats": "three" if three else "four",
        "ratings": ratings_chart(result, f"ratings-{number}") if rated else None,
        "tables": _best_first(result, "at_tables", f"tables-{number}") if at_tables else None,
        "table_games": result.get("table_games", 0),
        "one_against_three": _matrix(result, "one_against_three"),
        "difference": _matrix(result, "difference"),
        "two_against_two": _matrix(result, "two_against_two"),
        "as_declarer": _matrix(result, "as_declarer"),
        "cycle": _cycle(result),
        "pairings": result.get("pairings", []),
        "measured": measured,
        "by_role": _shares(result, f"roles-{number}", roles) if measured else None,
        "by_seat": _shares(result, f"seats-{number}", seats) if measured else None,
        "contracts": _contracts(result),
        "declared": _declared(result),
        "errors": _errors(result),
        "calibration": _calibration(result, f"calibration-{number}"),
    }


def to_html(results: Result | Sequence[Result], title: str = "Schafkopf tournament") -> str:
    """Return a web page of tournament results, of one or several, a section each.

    Charts need matplotlib (the extra `plots`); where it is missing the page says so and has their
    numbers.

    Raises:
        ValueError: what is no result of a tournament, as that of a league day.
    """
    several = [results] if isinstance(results, dict) else results
    if not isinstance(several, Iterable):
        raise ValueError(f"results = {results!r:.60}, allowed: results of tournaments")
    several = list(several)
    for number, result in enumerate(several):
        if not isinstance(result, dict) or not {"agents", "track"} <= result.keys():
            is_day = _is_league_day(result)
            came, hint = (
                ("a league day", "; league_html shows it") if is_day else (_kind(result), "")
            )
            raise ValueError(
                f"results[{number}]: {came} came, allowed: results of tournaments{hint}"
            )
    sections = [_section(result, number) for number, result in enumerate(several, 1)]
    return pages.render("tournament.html.j2", title=title, results=sections)


def league_html(result: Result, title: str = "Schafkopf league day") -> str:
    """Return a web page of a league day: the agents compared, then the ranking list.

    Raises:
        ValueError: what is no result of a league day.
    """
    if not _is_league_day(result):
        raise ValueError(f"result: {_kind(result)} came, allowed: the result of a league day")
    agents = result["agents"]
    rows = [(agent["name"], [(0, agent["points"])]) for agent in agents]
    return pages.render(
        "league.html.j2",
        title=title,
        facts=[(key, result[key]) for key in ("rules", "players", "seed")],
        amounts=_amounts(result),
        unit=result["tariff_unit"],
        several=any(agent["points"]["half_width"] is not None for agent in agents),
        agents=interval_chart("agents", rows, points_unit(result)),
        ranking=result["ranking"],
    )


def _is_league_day(result: Any) -> bool:
    return isinstance(result, dict) and "ranking" in result


def _kind(result: Any) -> str:
    tournament = isinstance(result, dict) and "pairings" in result
    return "that of a tournament" if tournament else type(result).__name__


def write_html(
    results: Result | Sequence[Result], path: str | Path, title: str = "Schafkopf tournament"
) -> None:
    """Write the web page of to_html.

    Raises:
        ValueError: no path, or as to_html;  OSError: the file cannot be written.
    """
    files.write_text(files.given_path(path, "path"), to_html(results, title))


__all__ = ["league_html", "to_html", "write_html"]
